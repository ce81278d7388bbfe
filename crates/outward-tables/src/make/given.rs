//! Data that are a table already: a row for each cell, and rows with totals.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use outward_spec::{Error, Result, Table as Wanted};

use super::Maker;
use super::column::VariableColumn;
use crate::dimension::TOTAL;
use crate::table::{Dimension, Table};

/// What to do about a figure that is no count.
pub(crate) const GIVE_COUNTS: &str = "give a whole number from 0 up for each cell; where a cell is hidden already, such as `[c]`, give \
                                      what is in it and name the cell in `already_hidden`";

/// Largest count that is accepted.
const LARGEST_COUNT: f64 = 1e11;

impl Maker<'_> {
    /// The count of each row. Messages name a row by its values, as the order of the records is not kept.
    pub(super) fn given(&self, unit: usize, name: &str, columns: &[Rc<VariableColumn>]) -> Result<Vec<u64>> {
        let (numbers, from) = self.files.numbers(self.spec, unit, name)?;
        let wrong = |number: f64| match number {
            number if number.is_nan() => Some("a cell has no number"),
            number if number < 0.0 => Some("a count is negative"),
            number if number.fract() != 0.0 || number > LARGEST_COUNT => {
                Some("a count is not a whole number, or too large")
            }
            _ => None,
        };
        let wrong = numbers.iter().enumerate().filter_map(|(row, number)| Some((codes(columns, row), wrong(*number)?)));
        match wrong.min() {
            None => Ok(numbers.into_iter().map(|number| number as u64).collect()),
            Some((codes, what)) => {
                let fault = Error::input(format!("{what}: {}", self.called(columns, &codes)));
                let fault = self.files.in_file(from, fault).variable(name);
                Err(fault.help(GIVE_COUNTS).into())
            }
        }
    }

    /// A row in words: `area North, illness Total`.
    fn called(&self, columns: &[Rc<VariableColumn>], codes: &[u32]) -> String {
        let value = |(column, code): (&Rc<VariableColumn>, &u32)| match code {
            0 => TOTAL.to_owned(),
            code => column.values[*code as usize - 1].clone(),
        };
        columns.iter().zip(codes).map(value).collect::<Vec<_>>().join(", ")
    }

    /// Checks that given totals equal the sums of their parts, and that no cell is given twice.
    pub(super) fn check_given(
        &self,
        wanted: &Wanted,
        unit: usize,
        columns: &[Rc<VariableColumn>],
        table: &Table,
    ) -> Result<()> {
        let Some(name) = &wanted.given else { return Ok(()) };
        let given = self.given(unit, name, columns)?;
        let mask = self.condition(wanted)?.map(|condition| self.mask(unit, condition)).transpose()?;
        let counted = |row: &usize| mask.as_ref().is_none_or(|mask| mask[*row]);
        let rows = || (0..given.len()).filter(counted).map(|row| (codes(columns, row), given[row]));
        let mut seen: HashSet<Vec<u32>> = HashSet::new();
        if let Some((twice, _)) = rows().filter(|(codes, _)| !seen.insert(codes.clone())).min() {
            let fault = Error::input(format!("a cell of the table is given twice: {}", self.called(columns, &twice)));
            return Err(self.files.in_file(unit, fault).help("give each combination of values once").into());
        }
        let nodes: Vec<HashMap<u32, usize>> = table.dimensions.iter().map(nodes_by_code).collect();
        let at = |codes: Vec<u32>| -> Option<usize> {
            let nodes: Option<Vec<usize>> = codes.iter().zip(&nodes).map(|(code, of)| of.get(code).copied()).collect();
            nodes.filter(|_| codes.contains(&0)).map(|nodes| table.cell(&nodes))
        };
        let wrong = rows().filter_map(|(codes, given)| at(codes).filter(|cell| table.counts[*cell] != given));
        match wrong.min() {
            None => Ok(()),
            Some(cell) => {
                let what = format!("a total that is given disagrees with its parts: {}", table.describe(cell));
                let fault = self.files.in_file(unit, Error::input(what));
                Err(fault.help("correct the table, or leave the rows with totals out").into())
            }
        }
    }
}

/// The codes of a row; 0 for a total.
fn codes(columns: &[Rc<VariableColumn>], row: usize) -> Vec<u32> {
    columns.iter().map(|column| column.codes()[row]).collect()
}

/// The node of each code at the finest level; code 0 is the total.
fn nodes_by_code(dimension: &Dimension) -> HashMap<u32, usize> {
    let code = |(at, node): (usize, &crate::table::Node)| match &node.values[..] {
        _ if node.total => Some((0, at)),
        [code] if node.finest => Some((*code, at)),
        _ => None,
    };
    dimension.nodes.iter().enumerate().filter_map(code).collect()
}
