//! Which variables of a unit to cross: all that there are, if that is not too much, or else those of several answers that stand beside
//! larger ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{Axis, Crossing};
use crate::verify::tables::parts::parts;
use crate::verify::tables::places::{At, Cells};

/// More counts behind the tables of a unit than this are not reckoned with.
const MOST: usize = 20_000;

/// All variables are crossed, those of several answers too, where that makes no more counts than this.
const FEW: usize = 1_000;

/// What is reckoned with behind the tables.
#[derive(Debug)]
pub(in crate::verify::tables) struct Behind {
    pub(in crate::verify::tables) crossings: Vec<Crossing>,
    /// Whether nothing follows from the tables that is not reckoned with.
    pub(in crate::verify::tables) whole: bool,
}

/// What to cross in each unit.
pub(in crate::verify::tables) fn plan(cells: &mut Cells) -> Behind {
    let mut behind = Behind { crossings: Vec::new(), whole: true };
    for number in 0..cells.units.len() as u32 {
        let unit = Unit::of(cells, number);
        if unit.is_one_table(cells) {
            continue;
        }
        let all = unit.cross(cells, unit.nodes.keys().copied().collect(), FEW);
        // One variable of several answers may be left as it is, but what it then tells may be less than all.
        behind.whole &= all.is_some() || unit.several.is_empty();
        let crossing = match all.or_else(|| unit.cross(cells, unit.all_but_largest(), MOST)) {
            Some(all) => Some(all),
            None => {
                behind.whole = false;
                unit.beside_larger(cells).and_then(|some| unit.cross(cells, some, MOST))
            }
        };
        behind.crossings.extend(crossing);
    }
    behind
}

/// A unit and its variables.
struct Unit {
    number: u32,
    /// For each variable its nodes, by the numbers of their sets.
    nodes: BTreeMap<u32, BTreeSet<u32>>,
    /// Those of several answers, the one with the most nodes last.
    several: Vec<u32>,
}

impl Unit {
    fn of(cells: &Cells, number: u32) -> Self {
        let mut nodes: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (variable, set) in cells.standing(number).flat_map(|(at, _)| at) {
            nodes.entry(*variable).or_default().insert(*set);
        }
        let mut several: Vec<u32> = nodes.keys().copied().filter(|of| cells.variables[*of as usize].several).collect();
        several.sort_by_key(|variable| (nodes[variable].len(), std::cmp::Reverse(*variable)));
        Self { number, nodes, several }
    }

    /// Whether all cells stand in one table that has every count behind it: then its lines say all.
    fn is_one_table(&self, cells: &mut Cells) -> bool {
        let all: BTreeSet<u32> = cells.standing(self.number).map(|(_, cell)| cell).collect();
        let alone = |at: &At| at.iter().filter(|(variable, _)| self.several.contains(variable)).count() <= 1;
        let has_all = |table: &Vec<u32>| {
            table.first().is_some_and(|first| all.contains(first))
                && table.iter().collect::<BTreeSet<_>>().len() == all.len()
        };
        if !cells.standing(self.number).all(|(at, _)| alone(at)) || !cells.tables.iter().any(has_all) {
            return false;
        }
        let shown_by_itself = |variable: &u32| {
            let everyone = cells.everyone(*variable);
            let nodes = &self.nodes[variable];
            let Some(parts) = parts(&cells.variables[*variable as usize], nodes, &everyone, &cells.sets, usize::MAX)
            else {
                return false;
            };
            let mut made_of: BTreeMap<u32, usize> = BTreeMap::new();
            parts.iter().flatten().for_each(|node| *made_of.entry(*node).or_default() += 1);
            parts.iter().all(|part| part.is_empty() || part.iter().any(|node| made_of[node] == 1))
        };
        self.nodes.keys().filter(|variable| !self.several.contains(variable)).all(shown_by_itself)
    }

    /// All variables but the one of several answers that has the most nodes.
    fn all_but_largest(&self) -> BTreeSet<u32> {
        self.nodes.keys().copied().filter(|variable| Some(variable) != self.several.last()).collect()
    }

    /// The variables of several answers that stand in a table with a larger one; none where there are none, and none shown twice.
    fn beside_larger(&self, cells: &Cells) -> Option<BTreeSet<u32>> {
        let rank = |variable: &u32| self.several.iter().position(|other| other == variable);
        let mut smaller = BTreeSet::new();
        for (at, _) in cells.standing(self.number) {
            let largest = at.iter().filter_map(|(variable, _)| rank(variable)).max();
            smaller.extend(
                at.iter().map(|(variable, _)| *variable).filter(|of| rank(of).is_some_and(|own| Some(own) < largest)),
            );
        }
        let again = |variable: &u32| !cells.variables[*variable as usize].again.is_empty();
        (!smaller.is_empty() || self.several.iter().any(again)).then_some(smaller)
    }

    /// Crosses some variables; none where that would be too much.
    fn cross(&self, cells: &mut Cells, crossed: BTreeSet<u32>, most: usize) -> Option<Crossing> {
        let stays =
            |variable: &&u32| !crossed.contains(variable) && !cells.variables[**variable as usize].again.is_empty();
        let apart: BTreeSet<u32> = self.several.iter().filter(stays).copied().collect();
        let variables = cells.variables.len() as u32;
        let mut crossing = Crossing { unit: self.number, axes: Vec::new(), apart, variables };
        let mut count = 1usize;
        let own = crossed.iter().map(|variable| (*variable, *variable, self.nodes[variable].clone()));
        let again = crossing.apart.iter().map(|of| (*of, *of + variables, cells.variables[*of as usize].again.clone()));
        let axes: Vec<(u32, u32, BTreeSet<u32>)> = own.chain(again).collect();
        for (of, variable, nodes) in axes {
            let everyone = cells.everyone(of);
            let parts = parts(&cells.variables[of as usize], &nodes, &everyone, &cells.sets, most)?;
            count = count.checked_mul(parts.len()).filter(|count| *count <= most)?;
            crossing.axes.push(Axis { variable, parts });
        }
        let rests: BTreeSet<At> =
            cells.standing(self.number).map(|(at, cell)| crossing.shown(at, cell, cells).rest).collect();
        count.checked_mul(rests.len()).filter(|count| *count <= most).map(|_| crossing)
    }
}
