//! Which variables are searched together for combinations (P3), their atoms, and the combinations that are asked about.

use std::collections::{BTreeMap, BTreeSet};

use super::atoms::{Axis, Block};
use super::excluded::{Excluded, Rules};
use super::parts::Nodes;
use super::{Relaxed, Unit};
use crate::verify::tables::places::{Cells, Coordinates};

/// All variables of a unit are searched together if they have no more atoms than this.
const MOST_TOGETHER: usize = 1_000;

/// Conditions and what they read are not searched beyond so many atoms and combinations.
const MOST_ATOMS: usize = 20_000;
const MOST_COMBINATIONS: usize = 20_000;

/// The atoms of the variables that are searched together, as a block of their own.
pub(in crate::verify::tables) struct CombinationBlock {
    block: Block,
    /// For each axis the sets of parts that a combination can have; all parts come last.
    options: Vec<Vec<Vec<usize>>>,
}

/// A published cell of a slice.
pub(in crate::verify::tables) struct SliceCell {
    pub(in crate::verify::tables) cell: u32,
    /// The atoms it is the sum of, by number.
    pub(in crate::verify::tables) atoms: Vec<usize>,
}

impl Unit<'_> {
    /// All variables of the unit, if they have few atoms, and else those that conditions read; none where these have too many.
    pub(super) fn combination_block(&self, cells: &Cells, everyone: &[Vec<u32>]) -> Option<CombinationBlock> {
        let read = self.rules.as_ref().map(Rules::variables).unwrap_or_default();
        let of = |wanted: &dyn Fn(u32) -> bool, most_atoms| self.block_of(cells, everyone, wanted, most_atoms);
        of(&|_| true, MOST_TOGETHER).or_else(|| of(&|variable| read.contains(&variable), MOST_ATOMS))
    }

    fn block_of(
        &self,
        cells: &Cells,
        everyone: &[Vec<u32>],
        wanted: &dyn Fn(u32) -> bool,
        most_atoms: usize,
    ) -> Option<CombinationBlock> {
        let nodes: BTreeMap<u32, Nodes> = self.nodes(&(0..self.cuts.len()).collect());
        let single = nodes.iter().filter(|(variable, _)| !cells.variables[**variable as usize].several);
        let axis = |(variable, nodes): (&u32, &Nodes)| {
            Some(Axis::new(*variable, self.parts(cells, everyone, *variable, nodes)?))
        };
        let axes: Vec<Axis> = single.filter(|(variable, _)| wanted(**variable)).map(axis).collect::<Option<_>>()?;
        let atoms = axes.iter().try_fold(1usize, |atoms, axis| atoms.checked_mul(axis.parts.len()))?;
        if axes.len() < 2 || atoms > most_atoms {
            return None;
        }
        let records = self.rules.as_ref().map(Rules::records);
        let options: Vec<_> = axes.iter().map(|axis| options(axis, Some(axis.variable) == records)).collect();
        let count = options.iter().try_fold(1usize, |count, own| count.checked_mul(own.len()))?;
        let excluded = self.rules.as_ref().and_then(|rules| Excluded::new(rules, &axes, cells, everyone));
        let block = Block { unit: self.number, axes, relaxed: Relaxed::default(), excluded, nodes };
        (count <= MOST_COMBINATIONS).then_some(CombinationBlock { block, options })
    }
}

impl CombinationBlock {
    /// For each atom whether a record can have it.
    pub(in crate::verify::tables) fn possible(&self, cells: &Cells) -> Vec<bool> {
        let count = self.block.axes.iter().map(|axis| axis.parts.len()).product();
        (0..count).map(|atom| self.block.can_be(&Coordinates::new(), atom, cells)).collect()
    }

    /// The cells of the unit by what they say of variables that are not searched.
    pub(in crate::verify::tables) fn slices(&self, cells: &Cells) -> BTreeMap<Coordinates, Vec<SliceCell>> {
        let mut slices: BTreeMap<Coordinates, Vec<SliceCell>> = BTreeMap::new();
        for shown in self.block.shown(cells) {
            let atoms = self.atoms(shown.parts.iter());
            slices.entry(shown.rest).or_default().push(SliceCell { cell: shown.cell, atoms });
        }
        slices
    }

    /// The atoms of each combination: of every variable all parts, one, those of a node, or those outside a node. Of the variable that says which
    /// conditions a record meets also what two of these have in common.
    pub(in crate::verify::tables) fn combinations(&self) -> Vec<Vec<usize>> {
        let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
        for options in &self.options {
            let with = |option: usize| chosen.iter().map(move |own| [&own[..], &[option]].concat());
            chosen = (0..options.len()).flat_map(with).collect();
        }
        let parts = |own: Vec<usize>| own.into_iter().zip(&self.options).map(|(option, options)| &options[option]);
        chosen.into_iter().map(|own| self.atoms(parts(own))).collect()
    }

    /// The numbers of the atoms with some parts of each variable.
    fn atoms<'a>(&self, parts: impl Iterator<Item = &'a Vec<usize>>) -> Vec<usize> {
        let mut atoms = vec![0];
        for (axis, parts) in self.block.axes.iter().zip(parts) {
            let with = |before: usize| parts.iter().map(move |part| before * axis.parts.len() + part);
            atoms = atoms.into_iter().flat_map(with).collect();
        }
        atoms
    }
}

/// The sets of parts of a variable that a combination can have.
fn options(axis: &Axis, tells_conditions: bool) -> Vec<Vec<usize>> {
    let all: BTreeSet<usize> = (0..axis.parts.len()).collect();
    let in_node = |node: u32| -> BTreeSet<usize> {
        all.iter().copied().filter(|part| axis.parts[*part].contains(&node)).collect()
    };
    let nodes: BTreeSet<BTreeSet<usize>> = axis.nodes().map(in_node).collect();
    let sides: BTreeSet<BTreeSet<usize>> =
        nodes.iter().flat_map(|node| [node.clone(), all.difference(node).copied().collect()]).collect();
    let mut options: BTreeSet<BTreeSet<usize>> = all.iter().map(|part| BTreeSet::from([*part])).collect();
    if tells_conditions {
        let common = |one: &BTreeSet<usize>, other: &BTreeSet<usize>| one.intersection(other).copied().collect();
        options.extend(sides.iter().flat_map(|one| sides.iter().map(move |other| common(one, other))));
    }
    options.extend(sides);
    options.retain(|parts| !parts.is_empty() && parts.len() < all.len());
    options.into_iter().chain([all.clone()]).map(Vec::from_iter).collect()
}
