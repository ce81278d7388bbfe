//! The one relaxation (M6): a variable of several answers whose parts are too many to list is counted node by node in every atom of the others,
//! and what holds between nodes holds in every atom.
//!
//! Where a table shows such a variable twice, what it shows the second time is listed, and says of each atom which values are excluded.

use std::collections::{BTreeMap, BTreeSet};

use super::atoms::{Atoms, Block};
use crate::verify::tables::lines::{Relations, lines, with_everyone};
use crate::verify::tables::pattern::Patterns;
use crate::verify::tables::places::{Cells, Coordinates};

/// The variables of a block whose parts are not listed.
#[derive(Debug, Default)]
pub(super) struct Relaxed {
    pub(super) unlisted: BTreeSet<u32>,
    /// Those that a table shows twice.
    twice: BTreeSet<u32>,
    /// How many variables there are; what a table shows again of one is numbered after all.
    variables: u32,
}

impl Relaxed {
    pub(super) fn new(unlisted: BTreeSet<u32>, cells: &Cells) -> Self {
        let again = |variable: &&u32| !cells.variables[**variable as usize].again.is_empty();
        Self {
            twice: unlisted.iter().filter(again).copied().collect(),
            unlisted,
            variables: cells.variables.len() as u32,
        }
    }

    /// What a table shows again, as variables of their own: of which variable, and its number.
    pub(super) fn again(&self) -> impl Iterator<Item = (u32, u32)> {
        self.twice.iter().map(|variable| (*variable, *variable + self.variables))
    }

    /// Where a cell stands, with what a table shows of a variable again numbered as another.
    pub(super) fn with_second_shown(&self, at: &Coordinates, cells: &Cells) -> Coordinates {
        let mut at = at.clone();
        for variable in &self.twice {
            let again = &cells.variables[*variable as usize].again;
            while at.iter().filter(|(other, _)| other == variable).count() > 1 {
                let Some(entry) = at.iter_mut().rfind(|(other, set)| other == variable && again.contains(set)) else {
                    break;
                };
                entry.0 += self.variables;
            }
        }
        at.sort_unstable();
        at
    }

    /// What is known of a variable that a table shows twice in a combination: the sets a record is in, and those it is not in.
    fn known(&self, block: &Block, variable: u32, combination: usize, cells: &Cells) -> (Vec<u32>, Vec<u32>) {
        let number = variable + self.variables;
        let Some(axis) = block.axes.iter().position(|axis| axis.variable == number) else { return Default::default() };
        let part = &block.axes[axis].parts[block.part(combination, axis)];
        cells.variables[variable as usize].again.iter().partition(|set| part.contains(set))
    }

    /// The values of a set that a record of a combination may have.
    fn left(&self, block: &Block, variable: u32, set: u32, combination: usize, cells: &Cells) -> Vec<u32> {
        let (_, without) = self.known(block, variable, combination, cells);
        let excluded = |value: &u32| without.iter().any(|set| cells.sets[*set as usize].binary_search(value).is_ok());
        cells.sets[set as usize].iter().copied().filter(|value| !excluded(value)).collect()
    }

    /// Whether a record can stand somewhere and have a combination: a record in a node is in the larger nodes that a table shows again.
    pub(super) fn can_be(&self, block: &Block, rest: &Coordinates, combination: usize, cells: &Cells) -> bool {
        let twice = rest.iter().filter(|(variable, _)| self.twice.contains(variable));
        twice.into_iter().all(|(variable, set)| !self.left(block, *variable, *set, combination, cells).is_empty())
    }

    /// Everyone of a combination, whatever else is said of a variable that a table shows twice.
    fn add_everyone(&self, atoms: &mut Atoms, relations: &mut Relations) {
        let without = |((rest, combination), _): (&(Coordinates, usize), &u32)| {
            let kept = |entry: &&(u32, u32)| !self.twice.contains(&entry.0);
            (rest.iter().filter(kept).copied().collect::<Coordinates>(), *combination)
        };
        if !self.twice.is_empty() {
            let everyone: BTreeSet<(Coordinates, usize)> = atoms.iter().map(without).collect();
            for place in everyone {
                atoms.entry(place).or_insert_with(|| relations.add_cell());
            }
        }
    }

    /// What holds between the nodes of variables that are not listed, atom by atom.
    pub(super) fn add_lines(
        &self,
        block: &Block,
        atoms: &mut Atoms,
        cells: &mut Cells,
        relations: &mut Relations,
        patterns: &mut Patterns,
    ) {
        self.add_everyone(atoms, relations);
        let mut by_combination: BTreeMap<usize, Vec<(&Coordinates, u32)>> = BTreeMap::new();
        for ((rest, combination), count) in &*atoms {
            by_combination.entry(*combination).or_default().push((rest, *count));
        }
        for (combination, standing) in by_combination {
            for variable in &self.unlisted {
                let everyone = self.everyone(block, *variable, combination, cells);
                for (rest, line) in lines(standing.iter().copied(), *variable) {
                    let whole = atoms.get(&(rest, combination)).copied();
                    let left =
                        |(set, count): (u32, u32)| (self.set_left(block, *variable, set, combination, cells), count);
                    let line: Vec<(u32, u32)> = line.into_iter().map(left).collect();
                    let line = with_everyone(line, whole, &everyone, &cells.sets);
                    if line.len() > 1 {
                        let answers = cells.variables[*variable as usize].answers();
                        relations.add_line(patterns.pattern(answers, &line, &cells.sets), &line);
                    }
                }
            }
        }
    }

    /// The sets that everyone of a combination is in.
    fn everyone(&self, block: &Block, variable: u32, combination: usize, cells: &mut Cells) -> Vec<u32> {
        let mut everyone = cells.everyone(variable);
        if self.twice.contains(&variable) {
            everyone.extend(self.known(block, variable, combination, cells).0);
            everyone.iter_mut().for_each(|set| *set = self.set_left(block, variable, *set, combination, cells));
        }
        everyone
    }

    fn set_left(&self, block: &Block, variable: u32, set: u32, combination: usize, cells: &mut Cells) -> u32 {
        if !self.twice.contains(&variable) {
            return set;
        }
        let left = self.left(block, variable, set, combination, cells);
        cells.set(&left)
    }
}
