//! What the values of a cell imply about other variables (P3). Everyone with `place = 'x'` meets `place = 'x' or job =
//! 'p'`. Everyone who meets `district = 'n1'` is in the region of n1.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::parts::Parts;
use super::rules::{Alternative, Rule};

/// The parts that the records of a cell can have, ascending, for each variable for which these are not all.
pub(super) type PossibleParts = BTreeMap<u32, Vec<u32>>;

/// What rules imply about the records of cells.
pub(super) struct Implied<'a> {
    parts: &'a BTreeMap<u32, Parts>,
    /// For each rule the alternatives it allows.
    rules: Vec<Vec<Alternative>>,
    /// The variables that rules are about.
    variables: BTreeSet<u32>,
    /// Results so far, by what cells show of these variables.
    known: BTreeMap<Vec<(u32, u32)>, Rc<PossibleParts>>,
}

impl<'a> Implied<'a> {
    pub(super) fn new<'r>(rules: impl Iterator<Item = &'r Rule>, parts: &'a BTreeMap<u32, Parts>) -> Self {
        let rules: Vec<Vec<Alternative>> = rules.map(|rule| rule.alternatives(parts)).collect();
        let named = rules.iter().flatten().flatten().map(|(variable, _)| *variable);
        Self { parts, variables: named.collect(), rules, known: BTreeMap::new() }
    }

    /// The parts that the records of a cell can have. The cell is given by its variables and nodes. If no record can be
    /// in it, there is no restriction.
    pub(super) fn possible_parts(&mut self, entries: &[(u32, u32)]) -> Rc<PossibleParts> {
        let told: Vec<(u32, u32)> =
            entries.iter().copied().filter(|(variable, _)| self.variables.contains(variable)).collect();
        if let Some(known) = self.known.get(&told) {
            return Rc::clone(known);
        }
        let found = Rc::new(if told.is_empty() { PossibleParts::new() } else { self.work_out(&told) });
        self.known.insert(told, Rc::clone(&found));
        found
    }

    fn work_out(&self, told: &[(u32, u32)]) -> PossibleParts {
        let everything = |variable: &u32| (*variable, vec![true; self.parts[variable].count]);
        let mut can_be: BTreeMap<u32, Vec<bool>> = self.variables.iter().map(everything).collect();
        for (variable, node) in told {
            let own = self.parts[variable].node(*node);
            let all = can_be.entry(*variable).or_default();
            (0..).zip(all).for_each(|(part, can_be)| *can_be &= own.binary_search(&part).is_ok());
        }
        // What one rule excludes may let another exclude more.
        loop {
            let before = can_be.clone();
            self.rules.iter().for_each(|alternatives| narrow(&mut can_be, alternatives));
            if can_be == before {
                break;
            }
        }
        if can_be.values().any(|own| !own.contains(&true)) {
            return PossibleParts::new();
        }
        let narrowed = can_be.into_iter().filter(|(_, own)| own.contains(&false));
        let parts = |own: Vec<bool>| (0..).zip(own).filter_map(|(part, can_be)| can_be.then_some(part)).collect();
        narrowed.map(|(variable, own)| (variable, parts(own))).collect()
    }
}

/// Keeps the parts that are in some possible alternative.
fn narrow(can_be: &mut BTreeMap<u32, Vec<bool>>, alternatives: &[Alternative]) {
    let about: BTreeSet<u32> = alternatives.iter().flatten().map(|(variable, _)| *variable).collect();
    let mut left: BTreeMap<u32, Vec<bool>> =
        about.iter().map(|variable| (*variable, vec![false; can_be[variable].len()])).collect();
    for alternative in alternatives {
        let own = |variable: u32, part: u32| can_be[&variable][part as usize];
        let is_possible = alternative.iter().all(|(variable, parts)| parts.iter().any(|part| own(*variable, *part)));
        if !is_possible {
            continue;
        }
        for (variable, left) in &mut left {
            let mut named = alternative.iter().filter(|(of, _)| of == variable).peekable();
            if named.peek().is_none() {
                left.iter_mut().zip(&can_be[variable]).for_each(|(left, can_be)| *left |= can_be);
            }
            named.flat_map(|(_, parts)| parts.iter()).for_each(|part| left[*part as usize] |= own(*variable, *part));
        }
    }
    can_be.extend(left);
}
