//! Conditions that depend on variables which tables show: `where` on a town and a trade counts cells of the table of towns by trades.

use std::collections::BTreeMap;

use super::parts::Parts;
use super::{Combinations, Unit};

/// What a condition depends on.
enum On {
    /// The part of a variable.
    Part(u32),
    /// What a column of a variable of several answers holds.
    Column(u32, usize),
}

/// Most variables that a condition is looked at for.
const MOST: usize = 3;

/// A condition that follows from the values of some variables.
pub(super) struct Rule {
    /// These, or single columns of them.
    pub(super) on: Vec<u32>,
    /// The kinds of records it keeps, as a node of the variable that says which records are counted.
    node: u32,
}

/// What the parts of variables say of a condition: whether records that have them meet it, and whether some do not.
pub(super) struct Told<'a> {
    rule: &'a Rule,
    on: Vec<On>,
    kinds: u32,
    seen: BTreeMap<Vec<u32>, [bool; 2]>,
}

/// The conditions of a unit that follow from few of its variables, by what the records show.
pub(super) fn rules(unit: &Unit) -> Vec<Rule> {
    let Some((behind, kinds)) = unit.records.as_ref().and_then(|behind| Some((behind, behind.kinds?))) else {
        return Vec::new();
    };
    let nodes = unit.nodes();
    let is_shown = |own: &u32| *own != kinds && behind.columns.contains_key(own) && !unit.pairs.contains_key(own);
    let single = (behind.first_single..).zip(&behind.single).map(|(number, _)| number);
    let shown: Vec<u32> = nodes.keys().copied().filter(is_shown).chain(single).collect();
    let conditions = nodes.get(&kinds).into_iter().flatten();
    let rule = |node: &u32| {
        let on = (1..=MOST).find_map(|size| some_of(&shown, size).into_iter().find(|on| follows(unit, on, *node)))?;
        Some(Rule { on, node: *node })
    };
    conditions.filter_map(rule).collect()
}

/// Every choice of so many variables.
fn some_of(all: &[u32], size: usize) -> Vec<Vec<u32>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let with =
        |at: usize| some_of(&all[at + 1..], size - 1).into_iter().map(move |rest| [vec![all[at]], rest].concat());
    (0..all.len()).flat_map(with).collect()
}

/// Whether records that are alike in these variables all meet a condition or all do not.
fn follows(unit: &Unit, on: &[u32], node: u32) -> bool {
    let Some(behind) = &unit.records else { return false };
    let mut known: BTreeMap<Vec<&[u32]>, bool> = BTreeMap::new();
    (0..behind.records.counts.len()).all(|record| {
        let values: Option<Vec<&[u32]>> = on.iter().map(|variable| behind.values(record, *variable)).collect();
        let (Some(values), Some(met)) = (values, unit.meets(record, node)) else { return false };
        *known.entry(values).or_insert(met) == met
    })
}

impl<'a> Told<'a> {
    /// What crossed variables say of a condition; none where one it depends on is not crossed.
    pub(super) fn new(rule: &'a Rule, unit: &Unit, parts: &BTreeMap<u32, Parts>) -> Option<Self> {
        let behind = unit.records.as_ref()?;
        let kinds = behind.kinds.filter(|kinds| parts.contains_key(kinds))?;
        let on = |number: &u32| match behind.single(*number) {
            Some((_, variable, column)) => On::Column(variable, column),
            None => On::Part(*number),
        };
        let on: Vec<On> = rule.on.iter().map(on).collect();
        let mut seen: BTreeMap<Vec<u32>, [bool; 2]> = BTreeMap::new();
        for record in 0..behind.records.counts.len() {
            let own = |on: &On| match on {
                On::Part(variable) => unit.part_of(record, *variable, parts.get(variable)?),
                On::Column(variable, column) => {
                    parts.get(variable).and_then(|_| behind.held(record, *variable, *column))
                }
            };
            let own: Vec<u32> = on.iter().map(own).collect::<Option<_>>()?;
            seen.entry(own).or_default()[usize::from(unit.meets(record, rule.node)?)] = true;
        }
        Some(Self { rule, on, kinds, seen })
    }

    /// Whether records can have a combination of parts.
    pub(super) fn allows(&self, combinations: &Combinations, combination: usize) -> bool {
        let part = |variable: &u32| {
            let at = combinations.variables.iter().position(|(own, _)| own == variable)?;
            Some((combinations.part(combination, at), combinations.variables[at].1))
        };
        let own = |on: &On| match on {
            On::Part(variable) => Some(part(variable)?.0),
            On::Column(variable, column) => part(variable).and_then(|(part, parts)| parts.held(part, *column)),
        };
        let own: Option<Vec<u32>> = self.on.iter().map(own).collect();
        let (Some(own), Some((kind, kinds))) = (own, part(&self.kinds)) else { return true };
        let met = kinds.node(self.rule.node).binary_search(&kind).is_ok();
        self.seen.get(&own).is_none_or(|seen| seen[usize::from(met)])
    }
}
