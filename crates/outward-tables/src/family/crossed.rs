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
use super::rests::People;
use super::{Extent, Family};
use crate::make::{Made, Records};
use conditions::{Rule, rules};
use ground::{Combinations, Ground};
pub(super) use parts::{Apart, Node, Parts, meets};
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
    /// Variables of pairs, and those they are pairs of.
    pairs: BTreeMap<u32, u32>,
    /// The records themselves, where they are counted and not too many.
    records: Option<Behind<'a>>,
}

/// Records by all that their tables show.
struct Behind<'a> {
    records: &'a Records,
    /// Which of their codes a variable is.
    columns: BTreeMap<u32, usize>,
    /// Single columns of variables of several answers: which of the codes, which variable, and which of its columns.
    single: Vec<(usize, u32, usize)>,
    /// The number of the first of these, after those of all variables.
    first_single: u32,
    /// Whether the tables count them, and do not add something up.
    counted: bool,
    /// The variable that says which records are counted, where a table does not count all.
    kinds: Option<u32>,
}

impl<'a> Behind<'a> {
    fn new(places: &Places, unit: &str, records: &'a Records, counted: bool) -> Self {
        let sources = records.sources.iter().map(String::as_str).chain([RECORDS]).enumerate();
        let last = records.values.len();
        let place = |at: usize| if at < records.sources.len() { at } else { last };
        let columns: BTreeMap<u32, usize> =
            sources.filter_map(|(at, source)| Some((places.number(unit, source)?, place(at)))).collect();
        let of = |(at, (of, column)): (&usize, &(usize, usize))| {
            let variable = columns.iter().find(|(_, own)| *own == of).map(|(variable, _)| *variable)?;
            Some((*at, variable, *column))
        };
        let single = records.single.iter().filter_map(of).collect();
        let first_single = 2 * places.known_variables.len() as u32;
        Self { records, single, first_single, counted, kinds: places.number(unit, RECORDS), columns }
    }

    /// The single column of a variable of several answers that a number stands for.
    fn single(&self, number: u32) -> Option<(usize, u32, usize)> {
        self.single.get(number.checked_sub(self.first_single)? as usize).copied()
    }

    /// The variable that a number stands for, or that the column it stands for is one of.
    fn whole(&self, number: u32) -> u32 {
        self.single(number).map_or(number, |(_, variable, _)| variable)
    }

    /// The values a record has of a variable; none where that is not known.
    fn values(&self, record: usize, variable: u32) -> Option<&[u32]> {
        let column = self.single(variable).map(|(at, ..)| at).or_else(|| self.columns.get(&variable).copied())?;
        let code = &self.records.codes[record][column];
        Some(match self.records.values.get(column) {
            Some(values) => &values[*code as usize],
            None => std::slice::from_ref(code),
        })
    }
}

impl Behind<'_> {
    /// The variables, and single columns, that a condition names, by the kinds of records it keeps.
    fn named(&self, kept: &[u32]) -> BTreeSet<u32> {
        let named = self.records.named.get(kept);
        let single = (self.first_single..).zip(&self.single).map(|(number, (at, ..))| (number, *at));
        let all = self.columns.iter().map(|(variable, at)| (*variable, *at)).chain(single);
        all.filter(|(_, at)| named.is_some_and(|named| named.contains(at))).map(|(variable, _)| variable).collect()
    }

    /// What a record holds in a column of a variable of several answers; 0 for nothing.
    fn held(&self, record: usize, variable: u32, column: usize) -> Option<u32> {
        let (at, ..) = self.single.iter().find(|(_, own, of)| (*own, *of) == (variable, column))?;
        let code = self.records.codes[record][*at] as usize;
        Some(self.records.values[*at][code].first().copied().unwrap_or_default())
    }
}

impl Unit<'_> {
    /// The part of a variable that a record has.
    fn part_of(&self, record: usize, variable: u32, parts: &Parts) -> Option<u32> {
        let behind = self.records.as_ref()?;
        let own = self.first(variable);
        parts.part_of(behind.values(record, own)?, |column| behind.held(record, own, column))
    }

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

    /// The variable whose values are paired, or the same one where they are not.
    fn of_pairs(&self, variable: u32) -> u32 {
        self.pairs.get(&variable).copied().unwrap_or(variable)
    }

    /// The variables that a rule is about.
    fn variables(&self, rule: &Rule) -> impl Iterator<Item = u32> {
        rule.on.iter().map(|on| self.records.as_ref().map_or(*on, |records| records.whole(*on)))
    }

    /// The single columns that a rule is about, each with its variable.
    fn columns(&self, rule: &Rule) -> impl Iterator<Item = (u32, usize)> {
        let single = |on: &u32| self.records.as_ref()?.single(*on).map(|(_, variable, column)| (variable, column));
        rule.on.iter().filter_map(single)
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
    /// say; `extent` says how far that went. What is left between cells of several tables is a rest where it is at most `few` people.
    ///
    /// # Errors
    /// Where cells do not add up, which would be a mistake of ours.
    pub fn cross(&mut self, made: &[Made], few: i64) -> Result<()> {
        let people = People::new(self, made);
        let places = self.places.clone();
        for (number, name) in places.units() {
            let table = self.tables.iter().find(|at| made[**at].table.unit == name);
            let records = table.and_then(|at| made[*at].records.as_deref());
            let records = records.map(|records| Behind::new(&places, name, records, self.system.counts));
            let cells = self.cells_of(&places, number);
            let shown = |variable: &u32| cells.iter().any(|(key, _)| key.iter().any(|(own, _)| own == variable));
            let pairs = places.pairs(name).into_iter().filter(|(pairs, of)| shown(pairs) && shown(of)).collect();
            let unit = Unit { places: &places, number, pairs, cells, records };
            let best = self.cross_unit(&unit, few, &people)?;
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
    fn cross_unit(&mut self, unit: &Unit, few: i64, people: &People) -> Result<bool> {
        let rules = rules(unit);
        for (way, variables) in ways(unit, &rules).into_iter().enumerate() {
            let Some(mut grounds) = Ground::all(unit, &variables, &rules, MOST) else { continue };
            let mut found = true;
            for ground in &mut grounds {
                found = found && (ground.holds(|cell| self.value(cell)) || ground.fill(|cell| self.value(cell))?);
            }
            if found {
                for ground in grounds {
                    self.add_rests(&ground.cells, few, people)?;
                    self.add_ground(ground)?;
                }
                let told = rules.iter().any(|rule| unit.variables(rule).all(|on| variables.contains(&on)))
                    || unit.pairs.iter().any(|(_, of)| variables.contains(of));
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
            if parts.is_empty() {
                self.system.cells[*total as usize].upper = 0;
            }
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
