//! Finds the cells that a spec names: those that must be shown, and those that are hidden already.

use std::collections::BTreeMap;

use outward_spec::{ANYTHING, Error, Result, Table as Wanted, suggest};

use crate::table::{Dimension, Table};

/// What a spec asks of single cells of a table. Lists are ascending and without repeats.
pub(super) struct Asked {
    pub(super) frozen: Vec<usize>,
    pub(super) hidden: Vec<usize>,
}

impl Asked {
    /// The cells of a table that the spec names.
    pub(super) fn new(wanted: &Wanted, table: &Table) -> Result<Self> {
        let within = |field| move |error: Error| error.with_fault(|fault| fault.field(field));
        let frozen = cells(&wanted.must_show, &wanted.variables, table).map_err(within("must_show"))?;
        let hidden = cells(&wanted.already_hidden, &wanted.variables, table).map_err(within("already_hidden"))?;
        match hidden.iter().find(|cell| frozen.binary_search(cell).is_ok()) {
            None => Ok(Self { frozen, hidden }),
            Some(cell) => {
                Err(Error::input(format!("a cell is hidden already and must be shown: {}", table.describe(*cell)))
                    .field("must_show")
                    .help("take it out of `must_show`, or out of `already_hidden`")
                    .into())
            }
        }
    }
}

fn cells(named: &[BTreeMap<String, String>], variables: &[String], table: &Table) -> Result<Vec<usize>> {
    let mut all = Vec::new();
    for named in named {
        let mut here = vec![0usize];
        for (variable, dimension) in variables.iter().zip(&table.dimensions) {
            let nodes = nodes(named.get(variable), variable, dimension)?;
            let size = dimension.nodes.len();
            here = here.iter().flat_map(|at| nodes.iter().map(move |node| at * size + node)).collect();
        }
        all.extend(here);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The nodes with a label; the total if no label is given.
fn nodes(label: Option<&String>, variable: &str, dimension: &Dimension) -> Result<Vec<usize>> {
    let nodes = dimension.nodes.iter().enumerate();
    let found: Vec<usize> = match label {
        None => nodes.filter(|(_, node)| node.total).map(|(at, _)| at).collect(),
        Some(all) if all == ANYTHING => nodes.filter(|(_, node)| node.finest).map(|(at, _)| at).collect(),
        Some(label) => nodes.filter(|(_, node)| node.label == *label).map(|(at, _)| at).collect(),
    };
    match (found.is_empty(), label) {
        (false, _) => Ok(found),
        (true, None) => {
            Err(Error::input("a cell is named without this variable, and the table does not show its total")
                .variable(variable)
                .help(format!("say which value is meant, or `{variable} = \"{ANYTHING}\"` for all"))
                .into())
        }
        (true, Some(label)) => {
            let known = dimension.nodes.iter().map(|node| node.label.as_str());
            Err(Error::input(format!("there is no `{label}` in this table"))
                .variable(variable)
                .help(suggest(label, known, "values and groups it shows"))
                .into())
        }
    }
}
