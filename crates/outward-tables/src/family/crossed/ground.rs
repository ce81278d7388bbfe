//! Cells that are counted from the same combinations of parts, and what holds between these.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Result;

use super::conditions::{Rule, Told};
use super::parts::{Apart, Node, Parts, meets};
use super::{Key, Unit};
use crate::family::answers::{at_least_nothing, at_most, is_inside};
use crate::fill::fill;

/// More counts than this are not searched for.
const MOST_FILLED: usize = 1_000;

/// A count behind the tables.
#[derive(Clone, Copy)]
pub(super) enum Count {
    /// Nobody can be there.
    Void,
    /// It is a published cell.
    Published(u32),
    /// Nobody publishes it. What is in it, once that is found: any numbers that fit do, as no table depends on them.
    Behind(i64),
}

/// What cells are made of that show the same of the variables that add up and are not crossed.
pub(super) struct Ground {
    pub(super) counts: Vec<Count>,
    /// Published cells, and the counts each is the sum of.
    pub(super) sums: Vec<(u32, Vec<u32>)>,
    /// All published cells, and the counts each is made of.
    pub(super) cells: Vec<(u32, Vec<u32>)>,
    /// Sums of counts that are not below zero.
    pub(super) at_least_nothing: Vec<Vec<(u32, i32)>>,
}

/// A published cell: what it shows of variables of several answers that are not crossed, and of crossed variables.
struct Shown {
    answers: Key,
    crossed: Key,
    cell: u32,
}

/// The combinations of parts of some variables.
pub(super) struct Combinations<'a> {
    pub(super) variables: Vec<(u32, &'a Parts)>,
    count: usize,
}

impl Combinations<'_> {
    /// The part of a variable in a combination.
    pub(super) fn part(&self, combination: usize, variable: usize) -> u32 {
        let after: usize = self.variables[variable + 1..].iter().map(|(_, parts)| parts.count).product();
        (combination / after % self.variables[variable].1.count) as u32
    }

    /// Whether a combination has what a cell shows.
    fn has(&self, combination: usize, crossed: &Key) -> bool {
        self.variables.iter().enumerate().all(|(at, (variable, parts))| {
            let part = self.part(combination, at);
            let shown = crossed.iter().filter(|(own, _)| own == variable);
            shown.into_iter().all(|(_, set)| parts.node(*set).binary_search(&part).is_ok())
        })
    }
}

impl Ground {
    /// All grounds of a unit; none where there are more counts behind them than may be.
    pub(super) fn all(unit: &Unit, crossed: &BTreeSet<u32>, rules: &[Rule], most: usize) -> Option<Vec<Self>> {
        // Pairs of a variable that is crossed are nodes of it, numbered after all sets.
        let sets = &unit.places.sets;
        let paired = |variable: &u32| unit.pairs.get(variable).copied().filter(|of| crossed.contains(of));
        let place = |(variable, set): &(u32, u32)| match paired(variable) {
            Some(of) => (of, *set + sets.len() as u32),
            None => (*variable, *set),
        };
        let mut apart: BTreeMap<u32, Apart> = crossed.iter().map(|variable| (*variable, Apart::default())).collect();
        for (variable, set) in unit.cells.iter().flat_map(|(key, _)| key) {
            let (of, number) = place(&(*variable, *set));
            let Some(apart) = apart.get_mut(&of) else { continue };
            let values = &sets[*set as usize];
            let pairs = unit.known(*variable).pairs.as_ref().filter(|_| of != *variable);
            apart.nodes.entry(number).or_insert_with(|| match pairs {
                Some(pairs) => Node::Pairs(values.iter().filter_map(|pair| pairs.halves.get(pair).copied()).collect()),
                None => Node::Any(values.clone()),
            });
            apart.listed = apart.listed.or(pairs);
        }
        for (variable, column) in rules.iter().flat_map(|rule| unit.columns(rule)) {
            apart.get_mut(&variable).into_iter().for_each(|apart| _ = apart.columns.insert(column));
        }
        let mut parts: BTreeMap<u32, Parts> = BTreeMap::new();
        for (variable, apart) in apart {
            parts.insert(variable, Parts::of(unit.known(variable), apart)?);
        }
        let mut shown: BTreeMap<Key, Vec<Shown>> = BTreeMap::new();
        for (key, cell) in &unit.cells {
            let (crossed, rest): (Key, Key) =
                key.iter().map(place).partition(|(variable, _)| crossed.contains(variable));
            let (answers, ground): (Key, Key) = rest.iter().partition(|(variable, _)| unit.known(*variable).several);
            shown.entry(ground).or_default().push(Shown { answers, crossed, cell: *cell });
        }
        let mut all = Vec::new();
        for (key, cells) in &shown {
            let variables: BTreeSet<u32> =
                cells.iter().flat_map(|cell| &cell.crossed).map(|(variable, _)| *variable).collect();
            let variables: Vec<(u32, &Parts)> =
                variables.into_iter().map(|variable| (variable, &parts[&variable])).collect();
            let count = variables.iter().try_fold(1usize, |count, (_, parts)| count.checked_mul(parts.count))?;
            let answers: BTreeSet<&Key> = cells.iter().map(|cell| &cell.answers).collect();
            let needed = count.checked_mul(answers.len()).filter(|needed| *needed <= most)?;
            all.push((
                key,
                cells,
                answers.into_iter().collect::<Vec<&Key>>(),
                Combinations { variables, count },
                needed,
            ));
        }
        let told: Vec<Told> = rules.iter().filter_map(|rule| Told::new(rule, unit, &parts)).collect();
        let mut left = most;
        let mut grounds = Vec::new();
        for (key, cells, answers, combinations, needed) in &all {
            let mut ground = (*needed <= left).then(|| Self::of(unit, cells, answers, combinations, &told))?;
            // Where all is published and nothing is impossible, the sums are those of the tables.
            if ground.counts.iter().any(|count| !matches!(count, Count::Published(_))) {
                left -= needed;
                ground.count(unit, key, answers, combinations);
                grounds.push(ground);
            }
        }
        Some(grounds)
    }

    fn of(unit: &Unit, cells: &[Shown], answers: &[&Key], combinations: &Combinations, told: &[Told]) -> Self {
        let number = |answer: usize, combination: usize| (answer * combinations.count + combination) as u32;
        let mut counts = Vec::with_capacity(answers.len() * combinations.count);
        let by = |combination: usize, whole: bool| {
            told.iter().filter(|told| told.is_whole() || !whole).all(|told| told.allows(combinations, combination))
        };
        // What keeps everyone from a published cell is a condition as a whole, not what some values show by chance.
        let mut open = BTreeSet::new();
        for Shown { crossed, .. } in cells {
            let own = || (0..combinations.count).filter(|at| combinations.has(*at, crossed));
            if !own().any(|at| by(at, false)) {
                open.extend(own().filter(|at| by(*at, true)));
            }
        }
        for key in answers {
            let allowed = |combination| by(combination, false) || open.contains(&combination);
            let can_be = |combination| can_be(unit, key, combinations, combination) && allowed(combination);
            counts.extend((0..combinations.count).map(|at| if can_be(at) { Count::Behind(0) } else { Count::Void }));
        }
        let (mut sums, mut made_of) = (Vec::new(), Vec::new());
        for Shown { answers: key, crossed, cell } in cells {
            let Ok(answer) = answers.binary_search(&key) else { continue };
            let parts =
                (0..combinations.count).filter(|at| combinations.has(*at, crossed)).map(|at| number(answer, at));
            let parts: Vec<u32> = parts.filter(|part| !matches!(counts[*part as usize], Count::Void)).collect();
            made_of.push((*cell, parts.clone()));
            match &parts[..] {
                [only] if matches!(counts[*only as usize], Count::Behind(_)) => {
                    counts[*only as usize] = Count::Published(*cell);
                }
                _ => sums.push((*cell, parts)),
            }
        }
        let mut ground = Self { counts, sums, cells: made_of, at_least_nothing: Vec::new() };
        for combination in 0..combinations.count {
            ground.add_answers(unit, answers, combinations, combination);
        }
        ground
    }

    /// What holds along variables of several answers for one combination.
    fn add_answers(&mut self, unit: &Unit, answers: &[&Key], combinations: &Combinations, combination: usize) {
        let number = |answer: usize| (answer * combinations.count + combination) as u32;
        let variables: BTreeSet<u32> =
            answers.iter().flat_map(|key| key.iter()).map(|(variable, _)| *variable).collect();
        let whole = answers.iter().position(|key| key.is_empty()).map(number);
        for variable in variables {
            let of = |(at, key): (usize, &&Key)| match key[..] {
                [(own, set)] if own == variable => Some((unit.places.sets[set as usize].clone(), number(at))),
                _ => None,
            };
            let nodes: Vec<(Vec<u32>, u32)> = answers.iter().enumerate().filter_map(of).collect();
            let published = |at: u32| matches!(self.counts[at as usize], Count::Published(_));
            if nodes.iter().map(|(_, at)| *at).chain(whole).all(published) {
                continue;
            }
            self.at_least_nothing.extend(at_least_nothing(&nodes, whole));
            self.at_least_nothing.extend(at_most(&nodes, whole, unit.known(variable).most));
            for (at, (again, parts)) in combinations.variables.iter().enumerate() {
                if *again == variable || unit.first(*again) != variable {
                    continue;
                }
                let part = combinations.part(combination, at);
                for node in parts.nodes().filter(|node| parts.node(*node).binary_search(&part).is_ok()) {
                    self.at_least_nothing.extend(in_both(&unit.places.sets[node as usize], &nodes, whole));
                }
            }
        }
    }

    /// Counts what nobody publishes from the records, where these are known.
    fn count(&mut self, unit: &Unit, ground: &Key, answers: &[&Key], combinations: &Combinations) -> Option<()> {
        let behind = unit.records.as_ref().filter(|behind| behind.counted)?;
        let sets = &unit.places.sets;
        let mut found = vec![0i64; self.counts.len()];
        for (record, count) in behind.records.counts.iter().enumerate() {
            let is_in = |(variable, set): &(u32, u32)| {
                Some(meets(behind.values(record, unit.first(*variable))?, &sets[*set as usize]))
            };
            let is_in_all = |key: &Key| key.iter().try_fold(true, |all, entry| Some(all && is_in(entry)?));
            if !is_in_all(ground)? {
                continue;
            }
            let mut combination = 0;
            for (variable, parts) in &combinations.variables {
                let part = unit.part_of(record, *variable, parts)?;
                combination = combination * parts.count + part as usize;
            }
            for (answer, key) in answers.iter().enumerate() {
                if is_in_all(key)? {
                    found[answer * combinations.count + combination] += count;
                }
            }
        }
        for (count, found) in self.counts.iter_mut().zip(found) {
            if let Count::Behind(value) = count {
                *value = found;
            }
        }
        Some(())
    }

    /// Whether the counts fit all that holds between them.
    pub(super) fn holds(&self, value: impl Fn(u32) -> i64) -> bool {
        let of = |at: u32| match self.counts[at as usize] {
            Count::Void => 0,
            Count::Published(cell) => value(cell),
            Count::Behind(found) => found,
        };
        let sum = |terms: &Vec<(u32, i32)>| terms.iter().map(|(at, by)| of(*at) * i64::from(*by)).sum::<i64>();
        self.sums.iter().all(|(total, parts)| parts.iter().map(|part| of(*part)).sum::<i64>() == value(*total))
            && self.at_least_nothing.iter().all(|terms| sum(terms) >= 0)
    }

    /// Finds numbers for the counts that nobody publishes by search, where they are few; whether there are any.
    pub(super) fn fill(&mut self, value: impl Fn(u32) -> i64) -> Result<bool> {
        if self.counts.len() > MOST_FILLED {
            return Ok(false);
        }
        let mut known: Vec<Option<i64>> = (self.counts.iter())
            .map(|count| match count {
                Count::Void => Some(0),
                Count::Published(cell) => Some(value(*cell)),
                Count::Behind(_) => None,
            })
            .collect();
        let mut equations: Vec<(i64, Vec<(u32, i32)>)> = (self.sums.iter())
            .map(|(total, parts)| (value(*total), parts.iter().map(|part| (*part, 1)).collect()))
            .collect();
        for terms in &self.at_least_nothing {
            let over = known.len() as u32;
            known.push(None);
            equations.push((0, terms.iter().copied().chain([(over, -1)]).collect()));
        }
        let Some(found) = fill(&known, &equations)? else { return Ok(false) };
        for (count, found) in self.counts.iter_mut().zip(found) {
            if let Count::Behind(value) = count {
                *value = found;
            }
        }
        // Sums may be beyond what the solver is exact to.
        Ok(self.holds(value))
    }
}

/// Whether a record can have both these answers and a combination: one that is in a node of a variable is in every node around it
/// where the table shows the variable again.
fn can_be(unit: &Unit, answers: &Key, combinations: &Combinations, combination: usize) -> bool {
    combinations.variables.iter().enumerate().all(|(at, (variable, parts))| {
        let own = answers.iter().filter(|(own, _)| own != variable && *own == unit.first(*variable));
        let part = combinations.part(combination, at);
        own.into_iter().all(|(_, set)| {
            let inner = &unit.places.sets[*set as usize];
            let around = |node: &u32| {
                let outer = &unit.places.sets[*node as usize];
                inner == outer || is_inside(inner, outer)
            };
            parts.nodes().filter(around).all(|node| parts.node(node).binary_search(&part).is_ok())
        })
    })
}

/// Whoever is in `outer` is in one of the nodes that cover it, whatever else she is in.
fn in_both(outer: &[u32], nodes: &[(Vec<u32>, u32)], whole: Option<u32>) -> Vec<Vec<(u32, i32)>> {
    let within: Vec<&(Vec<u32>, u32)> =
        nodes.iter().filter(|(inner, _)| inner == outer || is_inside(inner, outer)).collect();
    let largest = |(inner, _): &&&(Vec<u32>, u32)| !within.iter().any(|(other, _)| is_inside(inner, other));
    let cover: Vec<&(Vec<u32>, u32)> = within.iter().filter(largest).copied().collect();
    let covered: BTreeSet<u32> = cover.iter().flat_map(|(values, _)| values).copied().collect();
    if covered.len() < outer.len() {
        return Vec::new();
    }
    let around = nodes.iter().filter(|(larger, _)| is_inside(outer, larger)).map(|(_, at)| *at).chain(whole);
    around.map(|all| cover.iter().map(|(_, at)| (*at, 1)).chain([(all, -1)]).collect()).collect()
}
