//! Atoms of a block (M4): a count for every combination of parts of its variables, of which every cell of the block is the sum.
//!
//! A cell that has one combination is that atom (M5). Sums along one variable stand among the lines already, so that only cells that are no sum of
//! other cells of the block are written as sums of atoms.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::answers::Relaxed;
use super::excluded::Excluded;
use super::parts::{Nodes, Part};
use crate::verify::tables::lines::Relations;
use crate::verify::tables::places::{Cells, Coordinates};

/// More combinations than this are not gone through, whether somebody can have them or not.
const MOST_COMBINATIONS: usize = 4_000_000;

/// Cells of more combinations than this are not tried for whether all but one are excluded.
const FEW: usize = 1_000;

/// There are more atoms than the limit.
pub(super) struct TooMany;

/// A variable of a block with its parts.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) variable: u32,
    pub(super) parts: Vec<Part>,
    /// For each node the parts it has, by number.
    has: HashMap<u32, Vec<usize>>,
}

impl Axis {
    pub(super) fn new(variable: u32, parts: Vec<Part>) -> Self {
        let mut has: HashMap<u32, Vec<usize>> = HashMap::new();
        for (number, part) in parts.iter().enumerate() {
            part.iter().for_each(|node| has.entry(*node).or_default().push(number));
        }
        Self { variable, parts, has }
    }

    /// The nodes that some part is in.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.has.keys().copied()
    }

    /// The parts that are in all nodes a cell names of the variable.
    fn parts_of(&self, at: &Coordinates) -> Vec<usize> {
        let mut named = at.iter().filter(|(variable, _)| *variable == self.variable);
        let has = |node: &u32| self.has.get(node).cloned().unwrap_or_default();
        let Some((_, first)) = named.next() else { return (0..self.parts.len()).collect() };
        named.fold(has(first), |mut parts, (_, node)| {
            let also = has(node);
            parts.retain(|part| also.contains(part));
            parts
        })
    }
}

/// Variables of a unit that tables show together, or that follow from each other by way of tables.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) unit: u32,
    /// For each variable the nodes it is told apart by.
    pub(super) nodes: BTreeMap<u32, Nodes>,
    pub(super) axes: Vec<Axis>,
    pub(super) relaxed: Relaxed,
    pub(super) excluded: Option<Excluded>,
}

/// A cell of a block: where it stands among the variables whose parts are not listed, and for each other one the parts it has.
pub(super) struct Shown {
    pub(super) cell: u32,
    pub(super) rest: Coordinates,
    pub(super) parts: Vec<Vec<usize>>,
}

/// The atoms of a block: by where they stand among the variables whose parts are not listed, and by the number of their combination of parts.
pub(super) type Atoms = HashMap<(Coordinates, usize), u32>;

impl Block {
    /// How many combinations of parts there are.
    pub(super) fn combinations(&self) -> Option<usize> {
        let count = self.axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.parts.len()));
        count.filter(|count| *count <= MOST_COMBINATIONS)
    }

    /// Whether a cell is of the variables of the block and told apart by its nodes.
    pub(super) fn holds(&self, at: &Coordinates) -> bool {
        at.iter().all(|(variable, set)| self.nodes.get(variable).is_some_and(|nodes| nodes.contains(set)))
    }

    /// The cells of the block.
    pub(super) fn shown(&self, cells: &Cells) -> Vec<Shown> {
        let own = cells.standing(self.unit).filter(|(at, _)| self.holds(at));
        own.map(|(at, cell)| {
            let at = self.relaxed.with_second_shown(at, cells);
            let parts = self.axes.iter().map(|axis| axis.parts_of(&at)).collect();
            let listed = |(variable, _): &(u32, u32)| self.axes.iter().any(|axis| axis.variable == *variable);
            Shown { cell, rest: at.into_iter().filter(|entry| !listed(entry)).collect(), parts }
        })
        .collect()
    }

    /// The numbers of all combinations of some parts of each variable that somebody can have.
    fn of_parts(&self, shown: &Shown, cells: &Cells) -> Vec<usize> {
        let mut all = vec![0];
        for (axis, parts) in self.axes.iter().zip(&shown.parts) {
            let with = |before: usize| parts.iter().map(move |part| before * axis.parts.len() + part);
            all = all.into_iter().flat_map(with).collect();
        }
        all.retain(|combination| self.can_be(&shown.rest, *combination, cells));
        all
    }

    /// The part of a variable in a combination, by number.
    pub(super) fn part(&self, combination: usize, axis: usize) -> usize {
        let after: usize = self.axes[axis + 1..].iter().map(|axis| axis.parts.len()).product();
        combination / after % self.axes[axis].parts.len()
    }

    /// Whether a record can stand somewhere and have a combination.
    pub(super) fn can_be(&self, rest: &Coordinates, combination: usize, cells: &Cells) -> bool {
        self.relaxed.can_be(self, rest, combination, cells)
            && self.excluded.as_ref().is_none_or(|excluded| excluded.can_be(self, combination))
    }

    /// The atoms that are cells.
    pub(super) fn published(&self, shown: &[Shown], cells: &Cells) -> Atoms {
        let mut atoms = Atoms::new();
        // Of several combinations all but one may be excluded.
        let most = if self.excluded.is_some() { FEW } else { 1 };
        let count = |own: &Shown| own.parts.iter().fold(1usize, |count, parts| count.saturating_mul(parts.len()));
        for own in shown.iter().filter(|own| count(own) <= most) {
            if let [combination] = self.of_parts(own, cells)[..] {
                atoms.entry((own.rest.clone(), combination)).or_insert(own.cell);
            }
        }
        atoms
    }

    /// Adds atoms for the cells that are no sum of others of the block; `most` more at the most.
    pub(super) fn add(
        &self,
        shown: &[Shown],
        cells: &Cells,
        atoms: &mut Atoms,
        relations: &mut Relations,
        most: &mut usize,
    ) -> Result<(), TooMany> {
        let inside = |variable: u32, parts: &[u32]| {
            self.nodes.get(&variable).is_some_and(|nodes| parts.iter().all(|part| nodes.contains(part)))
        };
        for own in shown {
            let summed = relations.summed.range((own.cell, 0)..=(own.cell, u32::MAX));
            if summed.into_iter().any(|((_, variable), parts)| inside(*variable, parts)) {
                continue;
            }
            let size = own.parts.iter().try_fold(1usize, |size, parts| size.checked_mul(parts.len()));
            if size.is_none_or(|size| size > MOST_COMBINATIONS) {
                return Err(TooMany);
            }
            let mut terms = vec![(own.cell, -1)];
            for combination in self.of_parts(own, cells) {
                terms.push((atom(atoms, (own.rest.clone(), combination), relations, most)?, 1));
            }
            relations.add(terms);
        }
        Ok(())
    }

    /// Adds the atoms that no cell has asked for, where they stand somewhere that neighbours speak of.
    pub(super) fn complete(
        &self,
        shown: &[Shown],
        is_shared: impl Fn(&Coordinates) -> bool,
        cells: &Cells,
        atoms: &mut Atoms,
        relations: &mut Relations,
        most: &mut usize,
    ) -> Result<(), TooMany> {
        let rests = shown.iter().map(|own| own.rest.clone()).filter(is_shared).chain([Coordinates::new()]);
        for rest in &rests.collect::<BTreeSet<Coordinates>>() {
            for combination in 0..self.combinations().ok_or(TooMany)? {
                if self.can_be(rest, combination, cells) {
                    atom(atoms, (rest.clone(), combination), relations, most)?;
                }
            }
        }
        Ok(())
    }
}

/// The atom of a combination, a new one where there is none.
fn atom(
    atoms: &mut Atoms,
    at: (Coordinates, usize),
    relations: &mut Relations,
    most: &mut usize,
) -> Result<u32, TooMany> {
    if let Some(known) = atoms.get(&at) {
        return Ok(*known);
    }
    *most = most.checked_sub(1).ok_or(TooMany)?;
    let new = relations.add_cell();
    atoms.insert(at, new);
    Ok(new)
}
