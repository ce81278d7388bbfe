//! The margin of a block over some of its variables: what two blocks share, in one unit (M4) or in two (M7).

use std::collections::BTreeSet;

use super::axis::{Axis, View};
use super::graph::{Block, VariableSet};
use super::joint::{Atoms, Term};
use super::places::Key;
use super::unit::Unit;

/// Some variables of a block, each split as finely as in the block or less.
pub(super) struct Margin<'a> {
    block: &'a Block,
    pub(super) axes: Vec<Axis>,
    pub(super) layered: BTreeSet<u32>,
    /// For each axis here: the axis of the block with the same variable, and for each place there the place here.
    down: Vec<(usize, Vec<u32>)>,
    /// For each axis here and each of its places the node that has exactly this place.
    nodes: Vec<Vec<Option<Option<u32>>>>,
}

impl<'a> Margin<'a> {
    /// `None` if the block does not have all these variables.
    pub(super) fn new(unit: &Unit, block: &'a Block, of: &VariableSet) -> Option<Self> {
        let axis =
            |(variable, view): (&u32, &View)| Some(Axis::new(*variable, unit.parts.get(variable)?, view.clone()));
        let axes: Vec<Axis> = of.views.iter().map(axis).collect::<Option<_>>()?;
        let down = |axis: &Axis| {
            let at = block.axes.iter().position(|own| own.variable == axis.variable)?;
            Some((at, axis.coarsened(&block.axes[at])?))
        };
        let down = axes.iter().map(down).collect::<Option<_>>()?;
        let nodes = axes.iter().map(|axis| unit.nodes_of_places(axis)).collect();
        let has = of.layered.is_subset(&block.layered);
        has.then(|| Self { block, axes, layered: of.layered.clone(), down, nodes })
    }

    /// The layers that restrict these variables only.
    pub(super) fn layers<'b>(&'b self, atoms: &'b Atoms) -> impl Iterator<Item = &'b Key> {
        atoms.layers.iter().filter(|key| key.iter().all(|(variable, _)| self.layered.contains(variable)))
    }

    fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product()
    }

    /// The place on an axis in a combination.
    pub(super) fn place(&self, combination: usize, axis: usize) -> usize {
        let after: usize = self.axes[axis + 1..].iter().map(|axis| axis.count).product();
        combination / after % self.axes[axis].count
    }

    /// For each combination of places the atoms of a layer.
    pub(super) fn sums(&self, atoms: &Atoms, layer: &Key) -> Vec<Vec<Term>> {
        let mut sums = vec![Vec::new(); self.count()];
        let Ok(layer) = atoms.layers.binary_search(layer) else { return sums };
        let count = atoms.terms.len() / atoms.layers.len();
        for combination in 0..count {
            let Some(term) = atoms.terms[layer * count + combination] else { continue };
            let place = |(at, down): &(usize, Vec<u32>)| down[self.block.place(combination, *at) as usize];
            let at = self.down.iter().zip(&self.axes);
            let at = at.fold(0, |at, (down, axis)| at * axis.count + place(down) as usize);
            sums[at].push(term);
        }
        sums
    }

    /// The published cell of a combination of places, among the records in a node of one variable if `only` names one.
    pub(super) fn cell(&self, unit: &Unit, combination: usize, layer: &Key, only: Option<(u32, u32)>) -> Option<u32> {
        let nodes = self.axes.iter().enumerate().map(|(at, axis)| match only {
            Some((variable, node)) if variable == axis.variable => (variable, Some(Some(node))),
            _ => (axis.variable, self.nodes[at][self.place(combination, at)]),
        });
        unit.published(nodes, layer)
    }

    /// Whether a table of the block has a cell.
    pub(super) fn has(&self, unit: &Unit, tables: &[usize]) -> bool {
        self.block.shapes.iter().any(|at| tables.contains(&unit.shapes[*at].place))
    }
}
