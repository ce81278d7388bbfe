//! Conditions that depend on variables which tables show: `where` on a town and a trade counts cells of the table of towns by trades.

use std::collections::BTreeMap;

use super::parts::Parts;
use super::{Combinations, Unit};

/// Most variables that a condition is looked at for.
const MOST: usize = 3;

/// A condition that follows from the values of some variables.
pub(super) struct Rule {
    pub(super) on: Vec<u32>,
    /// The kinds of records it keeps, as a node of the variable that says which records are counted.
    node: u32,
}

/// What the parts of variables say of a condition: whether records that have them meet it, and whether some do not.
pub(super) struct Told<'a> {
    rule: &'a Rule,
    kinds: u32,
    seen: BTreeMap<Vec<u32>, [bool; 2]>,
}

/// The conditions of a unit that follow from few of its variables, by what the records show.
pub(super) fn rules(unit: &Unit) -> Vec<Rule> {
    let Some((behind, kinds)) = unit.records.as_ref().and_then(|behind| Some((behind, behind.kinds?))) else {
        return Vec::new();
    };
    let nodes = unit.nodes();
    let shown: Vec<u32> =
        nodes.keys().copied().filter(|own| *own != kinds && behind.columns.contains_key(own)).collect();
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
        let mut seen: BTreeMap<Vec<u32>, [bool; 2]> = BTreeMap::new();
        for record in 0..behind.records.counts.len() {
            let part =
                |variable: &u32| parts.get(variable)?.part_of(behind.values(record, *variable)?, &unit.places.sets);
            let own: Vec<u32> = rule.on.iter().map(part).collect::<Option<_>>()?;
            seen.entry(own).or_default()[usize::from(unit.meets(record, rule.node)?)] = true;
        }
        Some(Self { rule, kinds, seen })
    }

    /// Whether records can have a combination of parts.
    pub(super) fn allows(&self, combinations: &Combinations, combination: usize) -> bool {
        let part = |variable: &u32| {
            let at = combinations.variables.iter().position(|(own, _)| own == variable)?;
            Some((combinations.part(combination, at), combinations.variables[at].1))
        };
        let own: Option<Vec<u32>> = self.rule.on.iter().map(|variable| Some(part(variable)?.0)).collect();
        let (Some(own), Some((kind, kinds))) = (own, part(&self.kinds)) else { return true };
        let met = kinds.node(self.rule.node).binary_search(&kind).is_ok();
        self.seen.get(&own).is_none_or(|seen| seen[usize::from(met)])
    }
}
