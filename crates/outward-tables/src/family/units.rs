//! Compares the tables of linked files: counts of casualties also show where there were collisions.
//!
//! Take a cell of `[data]` and a cell of a linked file for the same records of `[data]`. One is empty if the other is.
//! If every record has at least one linked record, there are no more records than linked ones. Columns of the same name
//! may imply something too: a fatal collision has a casualty who died. The tables themselves show which of this holds,
//! for each kind of cell. If cells are hidden, the attacker is assumed to know which cells of such a pair are empty,
//! even if no figure shows it. That is never less than they do know.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use outward_cells::Condition;
use outward_spec::Result;

use super::{Family, Implied};
use crate::inner::Base;
use crate::make::{CountedTable, CountedTables};
use crate::source::{ColumnsRead, ValueSource};
use crate::table::Dimension;

/// The name of the unit of `[data]`.
pub(super) const DATA_UNIT: &str = "records";

/// The position of a cell, whatever unit it counts: the condition, and for each variable its values, all by number.
type Place = (u32, Vec<(u32, u32)>);

/// A cell with a position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    /// The unit it counts; 0 for the records of `[data]`.
    unit: u32,
    /// The sources of the variables of its position.
    by: Vec<u32>,
    cell: u32,
}

/// Two units, and for each the sources of the variables of a position.
type Kind = [(u32, Vec<u32>); 2];

/// What holds for all pairs of a kind.
pub(super) struct Shows {
    /// The first is at most the second.
    pub(super) at_most: bool,
    /// If the second is not empty, the first is not either.
    told: bool,
    /// Both are empty or neither is.
    pub(super) both: bool,
    /// The first counts records of `[data]`.
    of_data: bool,
}

impl Shows {
    pub(super) fn new(values: &[(i64, i64)], of_data: bool) -> Self {
        Self {
            at_most: of_data && values.iter().all(|(one, other)| one <= other),
            told: values.iter().all(|(one, other)| *other == 0 || *one > 0),
            both: values.iter().all(|(one, other)| (*one > 0) == (*other > 0)),
            of_data,
        }
    }

    /// Whether the second, if it is not empty, implies that the first is not.
    pub(super) fn tells_of_data(&self) -> bool {
        self.both || self.of_data && self.told
    }
}

impl Family {
    /// Ties cells of different units that have the same position.
    pub(super) fn add_units(&mut self, counted: &CountedTables) -> Result<()> {
        let made = &counted.tables;
        let linked: BTreeSet<&str> = self.tables.iter().map(|at| made[*at].table.unit.as_str()).collect();
        let units: Vec<&str> =
            [DATA_UNIT].into_iter().chain(linked.into_iter().filter(|unit| *unit != DATA_UNIT)).collect();
        if units.len() < 2 {
            return Ok(());
        }
        let mut numbers = Numbers::default();
        let of = self.standing(made, &units, &mut numbers);
        let mut standing: BTreeMap<&Place, Vec<&Standing>> = BTreeMap::new();
        for (place, cell) in of.iter().flatten() {
            standing.entry(place).or_default().push(cell);
        }
        standing.values_mut().for_each(|cells| cells.sort_unstable());
        let mut kinds: BTreeMap<Kind, Vec<(u32, u32)>> = BTreeMap::new();
        for standing in standing.into_values() {
            for (at, one) in standing.iter().enumerate() {
                for other in standing[at + 1..].iter().filter(|other| other.unit != one.unit) {
                    let kind = [(one.unit, one.by.clone()), (other.unit, other.by.clone())];
                    kinds.entry(kind).or_default().push((one.cell, other.cell));
                }
            }
        }
        let mut every: BTreeMap<u32, bool> = BTreeMap::new();
        for ([(unit, _), (other, by)], pairs) in kinds {
            let values: Vec<(i64, i64)> =
                pairs.iter().map(|(one, other)| (self.value(*one), self.value(*other))).collect();
            let shows = Shows::new(&values, unit == 0);
            if unit == 0 && by.iter().all(|source| numbers.about_data.contains(source)) {
                *every.entry(other).or_insert(true) &= shows.at_most;
            }
            self.tie_cells(&pairs, &shows)?;
        }
        let every = every.into_iter().filter(|(_, holds)| *holds);
        self.every = every.map(|(unit, _)| units[unit as usize].to_owned()).collect();
        Ok(())
    }

    fn tie_cells(&mut self, pairs: &[(u32, u32)], shows: &Shows) -> Result<()> {
        self.tied.extend(pairs);
        if shows.at_most {
            pairs.iter().try_for_each(|(one, other)| self.at_most(*one, *other, shows.told))?;
        }
        if shows.tells_of_data() {
            self.tells.extend(pairs.iter().map(|(one, other)| (*other, *one)));
        }
        if shows.both {
            self.tells.extend(pairs);
        }
        Ok(())
    }

    /// The position of each cell.
    fn standing(&self, made: &[CountedTable], units: &[&str], numbers: &mut Numbers) -> Vec<Option<(Place, Standing)>> {
        let mut nodes = Vec::new();
        for at in &self.tables {
            let CountedTable { table, inner, .. } = &made[*at];
            let dimensions = table.dimensions.iter().zip(&inner.bases).enumerate();
            let of = |(at, (dimension, base)): (usize, (&Dimension, &Base))| {
                numbers.nodes(dimension, base, !dimension.several || inner.everyone_answers(at))
            };
            nodes.push(dimensions.map(of).collect::<Vec<_>>());
        }
        let mut of: Vec<Option<(Place, Standing)>> = vec![None; self.homes.len()];
        for (cell, home) in self.homes.iter().enumerate() {
            let Some((place, at)) = home else { continue };
            let CountedTable { table, condition, .. } = &made[self.tables[*place]];
            let here = table.nodes(*at).into_iter().zip(&nodes[*place]);
            let mut here: Vec<(u32, u32, u32)> = here.filter_map(|(node, of)| of[node]).collect();
            here.sort_unstable();
            let unit = units.iter().position(|unit| *unit == table.unit).unwrap_or_default() as u32;
            let by = here.iter().map(|(_, _, source)| *source).collect();
            let values = here.into_iter().map(|(variable, values, _)| (variable, values)).collect();
            let place = (numbers.number(Compared::Condition(condition.clone())), values);
            of[cell] = Some((place, Standing { unit, by, cell: cell as u32 }));
        }
        of
    }

    /// Adds that a cell is at most another.
    fn at_most(&mut self, one: u32, other: u32, told: bool) -> Result<()> {
        let (least, most) = (self.value(one), self.value(other));
        if told && least == 1 {
            self.alone.push((one, other));
        }
        self.implied.push(Implied { by: vec![(one, 1)], inside: vec![other], once: false });
        // The second is no total of the first: they count different units.
        let rest = self.add_unpublished(most - least);
        self.system.add(0, [(other, 1), (one, -1), (rest, -1)])
    }
}

impl Family {
    /// Assumes that the attacker knows which cells of each pair are empty, whatever is hidden.
    ///
    /// # Errors If the equations contradict each other, which would be a bug.
    pub fn tell_empty(&mut self) -> Result<()> {
        let mut equal = BTreeSet::new();
        for (one, other) in self.tells.clone() {
            if self.value(one) > 0 {
                self.system.cells[other as usize].lower = 1;
            } else if self.value(other) == 0 && equal.insert((one.min(other), one.max(other))) {
                // The equation is stricter than the truth, so what is safe under it is safe without it.
                self.system.add(0, [(one, 1), (other, -1)])?;
            }
        }
        if !self.tells.is_empty() {
            self.raise_totals();
        }
        Ok(())
    }

    /// Raises the lower bound of each total to the sum of the lower bounds of its parts.
    pub(super) fn raise_totals(&mut self) {
        let mut raised = true;
        while raised {
            raised = false;
            for equation in 0..self.system.equations() {
                let terms = self.system.terms(equation);
                let alone = |sign: i32| {
                    let mut totals = terms.iter().filter(|(_, by)| *by == sign);
                    totals.next().filter(|_| totals.next().is_none() && terms.iter().all(|(_, by)| by.abs() == 1))
                };
                // Of two cells that are equal each is the total of the other.
                let totals = [alone(-1), alone(1)].into_iter().flatten().filter(|_| self.system.right(equation) == 0);
                let least = |(total, sign): &(u32, i32)| {
                    let parts = terms.iter().filter(|(_, by)| by != sign);
                    (*total, parts.map(|(part, _)| self.system.cells[*part as usize].lower).sum::<i64>())
                };
                for (total, least) in totals.map(least).collect::<Vec<_>>() {
                    let lower = &mut self.system.cells[total as usize].lower;
                    raised |= least > *lower;
                    *lower = least.max(*lower);
                }
            }
        }
    }
}

/// What positions of cells of several units are compared by.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Compared {
    /// The condition of a table, if it has one.
    Condition(Option<Condition>),
    /// The columns a variable reads, in whichever file.
    Variable(ColumnsRead),
    /// The columns a variable reads, and in which files.
    Source(ValueSource),
    /// The numbers of the values of a node.
    Values(Vec<u32>),
}

/// Numbers for what is compared, in order of first occurrence.
#[derive(Default)]
struct Numbers {
    known: HashMap<Compared, u32>,
    /// The sources that have the same value in a linked record and its record of `[data]`.
    about_data: BTreeSet<u32>,
}

impl Numbers {
    fn number(&mut self, compared: Compared) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(compared).or_insert(next)
    }

    /// For each node of a dimension the variable, the values and the source, all by number; `None` if the node has all
    /// values and `everyone` says that every record has one.
    fn nodes(&mut self, dimension: &Dimension, base: &Base, everyone: bool) -> Vec<Option<(u32, u32, u32)>> {
        let variable = self.number(Compared::Variable(base.source.columns_read()));
        let source = self.number(Compared::Source(base.source.clone()));
        if base.source.is_about_data() {
            self.about_data.insert(source);
        }
        let mut number = |values: &Vec<u32>| {
            let numbers = base.numbered(values);
            let all = everyone && values.len() == base.values.len();
            (!all).then(|| (variable, self.number(Compared::Values(numbers)), source))
        };
        dimension.nodes.iter().map(|node| number(&node.values)).collect()
    }
}
