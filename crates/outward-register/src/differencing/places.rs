//! The positions of the cells of tables: by their variables, and line by line.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::PublishedCounts;

/// A cell of a line.
pub(super) struct OnLine {
    /// The values, by number, sorted.
    pub(super) values: Vec<u32>,
    pub(super) interval: (i64, i64),
    /// The tables that show it, with the position in each. Earlier tables come first.
    pub(super) homes: Vec<(usize, usize)>,
}

/// Variables, each with the set of values that a cell has, by number.
pub(super) type Rest = Vec<(u32, u32)>;

/// The cells of all tables, line by line.
pub(super) fn lines(tables: &[PublishedCounts<'_>]) -> BTreeMap<(Rest, u32), Vec<OnLine>> {
    let mut placed = Placed::default();
    for (number, of) in tables.iter().enumerate() {
        let table = of.table;
        // Sums, estimates and variables with several answers do not add up to people.
        let adds_up = table.magnitudes.is_none() && table.weighted.is_none();
        if adds_up && !table.dimensions.iter().any(|dimension| dimension.several) {
            placed.add(number, of);
        }
    }
    let mut lines: BTreeMap<(Rest, u32), Vec<OnLine>> = BTreeMap::new();
    for (at, (interval, homes)) in &placed.cells {
        for (variable, set) in at.iter().filter(|(variable, _)| placed.everything.contains_key(variable)) {
            let rest: Rest = at.iter().filter(|(other, _)| other != variable).copied().collect();
            let values = placed.values[*set as usize].clone();
            lines.entry((rest, *variable)).or_default().push(OnLine {
                values,
                interval: *interval,
                homes: homes.clone(),
            });
        }
    }
    // A cell without the variable has all of its values.
    for ((rest, variable), line) in &mut lines {
        if let Some((interval, homes)) = placed.cells.get(rest) {
            let values: Vec<u32> = placed.everything[variable].iter().copied().collect();
            if !line.iter().any(|cell| cell.values == values) {
                line.push(OnLine { values, interval: *interval, homes: homes.clone() });
            }
        }
        line.sort_unstable_by(|one, other| one.homes.cmp(&other.homes));
    }
    lines
}

/// What is known about a cell, and the tables that show it, with the position in each.
pub(super) type Shown = ((i64, i64), Vec<(usize, usize)>);

/// The positions of the cells of tables.
#[derive(Default)]
pub(super) struct Placed {
    pub(super) names: Names,
    /// For each variable all values that any table has, and one that represents all others.
    pub(super) everything: BTreeMap<u32, BTreeSet<u32>>,
    pub(super) sets: HashMap<Vec<u32>, u32>,
    pub(super) values: Vec<Vec<u32>>,
    /// The cells, each once however many tables show it: what is known about it, and its tables with the position in
    /// each.
    pub(super) cells: BTreeMap<Rest, Shown>,
}

impl Placed {
    pub(super) fn name(&mut self, unit: &str, what: String) -> u32 {
        let next = self.names.len() as u32;
        *self.names.entry((unit.to_owned(), what)).or_insert(next)
    }

    pub(super) fn set(&mut self, values: Vec<u32>) -> u32 {
        let next = self.values.len() as u32;
        let number = *self.sets.entry(values.clone()).or_insert(next);
        if number == next {
            self.values.push(values);
        }
        number
    }

    pub(super) fn add(&mut self, number: usize, of: &PublishedCounts<'_>) {
        let table = of.table;
        let unit = self.name(&table.unit, String::new());
        let kinds = self.name(&table.unit, "which records".to_owned());
        let mut variables = Vec::new();
        for dimension in &table.dimensions {
            let variable = match dimension.source.is_empty() {
                true => self.name(&table.unit, format!("variable {}", dimension.variable)),
                false => self.name(&table.unit, format!("{:?}", dimension.source)),
            };
            let all = self.everything.entry(variable).or_default();
            all.extend(dimension.nodes.iter().flat_map(|node| &node.values));
            if all.len() < dimension.size {
                all.insert(0);
            }
            let sorted = |node: &outward_tables::Node| {
                let mut values = node.values.clone();
                values.sort_unstable();
                (values.len() < dimension.size).then_some(values)
            };
            variables.push((variable, dimension.nodes.iter().map(sorted).collect::<Vec<_>>()));
        }
        if table.kinds > 0 {
            self.everything.entry(kinds).or_default().extend(1..=table.kinds as u32);
        }
        for (position, known) in of.known.iter().enumerate() {
            let Some(interval) = known.interval() else { continue };
            let mut at: BTreeMap<u32, Vec<u32>> = BTreeMap::from([(unit, Vec::new())]);
            for (node, (variable, nodes)) in table.nodes(position).iter().zip(&variables) {
                let Some(own) = &nodes[*node] else { continue };
                match at.get_mut(variable) {
                    Some(before) => before.retain(|value| own.binary_search(value).is_ok()),
                    None => _ = at.insert(*variable, own.clone()),
                }
            }
            if table.records.len() < table.kinds {
                at.insert(kinds, table.records.clone());
            }
            let at: Rest = at.into_iter().map(|(variable, values)| (variable, self.set(values))).collect();
            let home = (number, position);
            match self.cells.get_mut(&at) {
                None => _ = self.cells.insert(at, (interval, vec![home])),
                // A reader of both tables knows both bounds.
                Some((before, homes)) => {
                    *before = (before.0.max(interval.0), before.1.min(interval.1));
                    homes.push(home);
                }
            }
        }
    }
}

/// What distinguishes variables: the unit and the source.
pub(super) type Name = (String, String);

pub(super) type Names = BTreeMap<Name, u32>;
