//! The table behind the tables. Sums along one variable at a time are not all that follows from tables that share variables:
//!
//! - Tables of *a* by *b*, *b* by *c* and *a* by *c* are margins of one table of *a* by *b* by *c*, whose counts are not below zero. Only
//!   tables without such a ring always have one behind them (Beeri, Fagin, Maier, Yannakakis: On the desirability of acyclic database
//!   schemes, 1983; rings are found there by Graham's reduction).
//! - Where a table crosses two variables of several answers, who is counted twice in one is counted twice with the other.
//!
//! So some variables are **crossed**: the values of each fall into parts that no table tells apart or, for several answers, into the sets
//! of nodes a record can be in. Every combination of parts is a count that nobody publishes, and every published cell is the sum of those
//! it is made of. With all others crossed, one variable of several answers may stay as it is: along it, what holds for every combination
//! by itself is all that holds.

mod conditions;
mod ground;
mod parts;
mod ways;

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Result;

use super::answers::at_most;
use super::places::{Key, Known, Places, RECORDS, Standing};
use super::{Extent, Family};
use crate::make::{Made, Records};
use conditions::rules;
use ground::{Combinations, Ground};
use ways::ways;

/// More counts behind the tables than this are not reckoned with.
const MOST: usize = 1_500;

/// The published cells of a unit, and what is known of its variables.
pub(super) struct Unit<'a> {
    places: &'a Places,
    /// The variable that says what is counted.
    number: u32,
    /// Where each cell stands. A variable of several answers that a table has twice is another one the second time.
    cells: Vec<(Key, u32)>,
    /// The records themselves, where they are counted and not too many.
    records: Option<Behind<'a>>,
}

/// Records by all that their tables show.
struct Behind<'a> {
    records: &'a Records,
    /// Which of their codes a variable is.
    columns: BTreeMap<u32, usize>,
    /// The variable that says which records are counted, where a table does not count all.
    kinds: Option<u32>,
}

impl<'a> Behind<'a> {
    fn new(places: &Places, unit: &str, records: &'a Records) -> Self {
        let sources = records.sources.iter().map(String::as_str).chain([RECORDS]).enumerate();
        let columns = sources.filter_map(|(at, source)| Some((places.number(unit, source)?, at))).collect();
        Self { records, columns, kinds: places.number(unit, RECORDS) }
    }

    /// The values a record has of a variable; none where that is not known.
    fn values(&self, record: usize, variable: u32) -> Option<&[u32]> {
        let column = *self.columns.get(&variable)?;
        let code = &self.records.codes[record][column];
        Some(match self.records.values.get(column) {
            Some(values) => &values[*code as usize],
            None => std::slice::from_ref(code),
        })
    }
}

impl Unit<'_> {
    /// The variable a number stands for: of a variable that a table has twice, the second is numbered after all others.
    fn first(&self, variable: u32) -> u32 {
        variable % self.places.known_variables.len() as u32
    }

    fn known(&self, variable: u32) -> &Known {
        &self.places.known_variables[self.first(variable) as usize]
    }

    /// Whether a record is among those that a condition keeps.
    fn meets(&self, record: usize, node: u32) -> Option<bool> {
        let behind = self.records.as_ref()?;
        let kind = behind.values(record, behind.kinds?)?;
        Some(parts::meets(kind, &self.places.sets[node as usize]))
    }

    /// For each variable the sets of its nodes.
    fn nodes(&self) -> BTreeMap<u32, BTreeSet<u32>> {
        let mut nodes: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (variable, set) in self.cells.iter().flat_map(|(key, _)| key) {
            nodes.entry(*variable).or_default().insert(*set);
        }
        nodes
    }
}

impl Family {
    /// Adds what an attacker knows beyond sums: how many answers a record can have, the table behind the tables, what pairs and conditions
    /// say; `extent` says how far that went.
    ///
    /// # Errors
    /// Where cells do not add up, which would be a mistake of ours.
    pub fn cross(&mut self, made: &[Made]) -> Result<()> {
        let places = self.places.clone();
        for (number, name) in places.units() {
            let table = self.tables.iter().find(|at| made[**at].table.unit == name);
            let records = table.and_then(|at| made[*at].records.as_deref()).filter(|_| self.system.counts);
            let records = records.map(|records| Behind::new(&places, name, records));
            let unit = Unit { places: &places, number, cells: self.cells_of(&places, number), records };
            let best = self.cross_unit(&unit)?;
            self.goes(Extent::Less, !best);
        }
        self.limit_answers(&places)?;
        if self.system.counts {
            self.add_pairs()?;
            self.add_sure()?;
        }
        Ok(())
    }

    /// Nobody has more answers than there is room for.
    fn limit_answers(&mut self, places: &Places) -> Result<()> {
        for ((rest, variable), nodes) in places.lines() {
            let limits =
                at_most(&nodes, places.cells.get(&rest).copied(), places.known_variables[variable as usize].most);
            limits.into_iter().try_for_each(|terms| self.add_at_least_nothing(terms).map(drop))?;
        }
        Ok(())
    }

    /// Crosses the variables of a unit in the first way that can be done; whether that is the best one.
    fn cross_unit(&mut self, unit: &Unit) -> Result<bool> {
        let rules = rules(unit);
        for (way, variables) in ways(unit, &rules).into_iter().enumerate() {
            let Some(mut grounds) = Ground::all(unit, &variables, &rules, MOST) else { continue };
            let mut found = true;
            for ground in &mut grounds {
                found = found && (ground.holds(|cell| self.value(cell)) || ground.fill(|cell| self.value(cell))?);
            }
            if found {
                grounds.into_iter().try_for_each(|ground| self.add_ground(ground))?;
                let told = rules.iter().any(|rule| rule.on.iter().all(|on| variables.contains(on)));
                self.goes(Extent::More, told);
                return Ok(way == 0);
            }
        }
        Ok(false)
    }

    fn add_ground(&mut self, ground: Ground) -> Result<()> {
        let cells: Vec<Option<u32>> = ground.counts.iter().map(|count| self.cell_of(count)).collect();
        let cell = |at: u32| cells[at as usize];
        let mut seen = BTreeSet::new();
        for (total, parts) in &ground.sums {
            let parts: Vec<u32> = parts.iter().filter_map(|part| cell(*part)).collect();
            self.add_total(*total, &parts, &mut seen)?;
        }
        for terms in &ground.at_least_nothing {
            let terms = terms.iter().filter_map(|(at, by)| Some((cell(*at)?, *by)));
            self.add_at_least_nothing(terms.collect())?;
        }
        Ok(())
    }

    fn cell_of(&mut self, count: &ground::Count) -> Option<u32> {
        match count {
            ground::Count::Void => None,
            ground::Count::Published(cell) => Some(*cell),
            ground::Count::Behind(value) => Some(self.add_unpublished(*value)),
        }
    }

    /// Where the published cells of a unit stand.
    fn cells_of(&self, places: &Places, unit: u32) -> Vec<(Key, u32)> {
        let again: Vec<Vec<usize>> = places.shapes.iter().map(|(standing, _)| shown_again(places, standing)).collect();
        let mut cells = Vec::new();
        for (mut key, cell) in places.sorted_keys() {
            if !key.iter().any(|(variable, _)| *variable == unit) || places.is_void(&key) {
                continue;
            }
            key.retain(|(variable, _)| *variable != unit);
            if let Some((place, at)) = self.homes[cell as usize] {
                let standing = &places.shapes[place].0;
                for dimension in &again[place] {
                    let of = &standing[*dimension];
                    let after: usize = standing[dimension + 1..].iter().map(|other| other.sets.len()).product();
                    let set = of.sets[at / after % of.sets.len()];
                    if let Some(entry) =
                        key.iter_mut().find(|(variable, own)| *variable == of.variable && Some(*own) == set)
                    {
                        entry.0 += places.known_variables.len() as u32;
                    }
                }
                key.sort_unstable();
            }
            cells.push((key, cell));
        }
        cells
    }
}

/// The dimensions of a table that show a variable of several answers which another shows with more nodes.
fn shown_again(places: &Places, standing: &[Standing]) -> Vec<usize> {
    let larger = |at: usize| {
        let (own, of) = (standing[at].sets.len(), standing[at].variable);
        let others = standing.iter().enumerate().filter(|(other, shown)| *other != at && shown.variable == of);
        others.into_iter().any(|(other, shown)| (shown.sets.len(), at) > (own, other))
    };
    (0..standing.len()).filter(|at| !places.adds_up(standing[*at].variable) && larger(*at)).collect()
}
