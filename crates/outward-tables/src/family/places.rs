//! Where the cells of a family stand, so that a cell of two tables is one.

use hashbrown::HashMap;
use outward_spec::HidingCost;

use super::value_of;
use crate::make::Made;
use crate::table::Table;

/// Where a cell stands: for each variable that does not have all its values the set of those it has, both by number.
pub(super) type Key = Vec<(u32, u32)>;

/// The variable that says which records are counted, and the one that says what is counted; no source of a variable is called so.
const RECORDS: &str = "where";
const UNIT: &str = "unit";

/// Cells by where they stand, while tables are put together. Those of different units never stand in the same place.
#[derive(Default)]
pub(super) struct Places {
    variables: HashMap<(String, String), u32>,
    /// For each variable the numbers of all its values, and whether a record may have several.
    sizes: Vec<(Vec<u32>, bool)>,
    known: HashMap<Vec<u32>, u32>,
    pub(super) sets: Vec<Vec<u32>>,
    pub(super) cells: HashMap<Key, u32>,
    /// What is in each cell, and what it costs to hide it.
    pub(super) contents: Vec<(i64, i64)>,
    pub(super) homes: Vec<Option<(usize, usize)>>,
    /// The tables each cell stands in.
    pub(super) tables: Vec<Vec<usize>>,
}

impl Places {
    /// The cell of the system at each cell of a table.
    pub(super) fn place(&mut self, place: usize, made: &Made, cost: HidingCost) -> Vec<u32> {
        let table = &made.table;
        let nodes: Vec<Vec<Option<(u32, u32)>>> = (table.dimensions.iter().zip(&made.inner.bases))
            .map(|(dimension, base)| {
                let source = if base.source.is_empty() { &dimension.variable } else { &base.source };
                let variable = self.variable(&table.unit, source);
                let codes: Vec<u32> = (1..=base.values.len() as u32).collect();
                let all = base.numbered(&codes);
                match self.sizes.get_mut(variable as usize) {
                    None => self.sizes.push((all, dimension.several)),
                    // Another variable of the same source may list values that this one does not.
                    Some((known, _)) => {
                        known.extend(all);
                        known.sort_unstable();
                        known.dedup();
                    }
                }
                let kept = table.keeps.as_ref().filter(|(of, _)| of == source).map(|(_, kept)| kept);
                let of = |set: &Vec<u32>| {
                    let mut own = base.numbered(set);
                    own.retain(|value| kept.is_none_or(|kept| kept.contains(value)));
                    let all = !dimension.several && kept.is_none() && set.len() == base.values.len();
                    (!all).then(|| (variable, self.set(&own)))
                };
                dimension.nodes.iter().map(|node| &node.values).map(of).collect()
            })
            .collect();
        // Which records a table counts is one more variable, that no table shows, unless it is one that a table does show.
        let shown =
            |source: &String| table.dimensions.iter().zip(&made.inner.bases).any(|(_, base)| base.source == *source);
        let kept = table.keeps.as_ref().filter(|(source, _)| !shown(source)).map(|(source, kept)| {
            let variable = self.variable(&table.unit, source);
            if variable as usize == self.sizes.len() {
                self.sizes.push((kept.clone(), false));
            }
            (variable, self.set(kept))
        });
        let records = (table.keeps.is_none() && table.records.len() < table.kinds).then(|| {
            let variable = self.variable(&table.unit, RECORDS);
            if variable as usize == self.sizes.len() {
                self.sizes.push(((1..=table.kinds as u32).collect(), false));
            }
            (variable, self.set(&table.records))
        });
        // What is counted is another, over which nothing adds up.
        let unit = self.variable(&table.unit, UNIT);
        if unit as usize == self.sizes.len() {
            self.sizes.push((Vec::new(), true));
        }
        let unit = (unit, self.set(&[]));
        (0..table.len())
            .map(|cell| {
                let mut key: Key = table.nodes(cell).iter().zip(&nodes).filter_map(|(node, of)| of[*node]).collect();
                key.extend(records);
                key.extend(kept);
                key.push(unit);
                key.sort_unstable();
                let next = self.contents.len() as u32;
                let at = *self.cells.entry(key).or_insert(next);
                if at == next {
                    let value = value_of(table, cell);
                    self.contents.push((value, cost_of(table, cell, value, cost)));
                    self.homes.push(Some((place, cell)));
                    self.tables.push(Vec::new());
                }
                if self.tables[at as usize].last() != Some(&place) {
                    self.tables[at as usize].push(place);
                }
                at
            })
            .collect()
    }

    /// The number of a variable of a unit; one past those of known size where it is new.
    fn variable(&mut self, unit: &str, source: &str) -> u32 {
        let next = self.variables.len() as u32;
        *self.variables.entry((unit.to_owned(), source.to_owned())).or_insert(next)
    }

    fn set(&mut self, values: &[u32]) -> u32 {
        if let Some(set) = self.known.get(values) {
            return *set;
        }
        self.sets.push(values.to_vec());
        self.known.insert(values.to_vec(), self.sets.len() as u32 - 1);
        self.sets.len() as u32 - 1
    }

    pub(super) fn all(&self, variable: u32) -> Vec<u32> {
        self.sizes[variable as usize].0.clone()
    }

    pub(super) fn adds_up(&self, variable: u32) -> bool {
        !self.sizes[variable as usize].1
    }

    pub(super) fn sorted_keys(&self) -> Vec<(Key, u32)> {
        let mut keys: Vec<(Key, u32)> = self.cells.iter().map(|(key, cell)| (key.clone(), *cell)).collect();
        keys.sort_unstable();
        keys
    }
}

/// What it costs to hide a cell.
fn cost_of(table: &Table, cell: usize, value: i64, cost: HidingCost) -> i64 {
    match cost {
        HidingCost::Value => value.max(1),
        HidingCost::One => 1,
        HidingCost::Variable => table.costs.get(cell).map_or(1, |cost| (*cost).max(1)),
    }
}
