//! The graph of the variables of a unit, and its blocks (M3 of `docs/methods/attacker.md`).

use std::collections::{BTreeMap, BTreeSet};

use super::axis::{Axis, View};
use super::blocks::{Blocks, Clique, blocks};
use super::parts::Parts;
use super::places::Key;
use super::unit::{Shape, Unit};

/// Variables that a table or a link has together. Some are split into parts, each in a certain way. Others are counted
/// node by node.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VariableSet {
    pub(super) views: BTreeMap<u32, View>,
    pub(super) layered: BTreeSet<u32>,
}

impl VariableSet {
    /// The variables that have another number in `names`, by that number.
    pub(super) fn renamed(&self, names: &BTreeMap<u32, u32>) -> Self {
        let views = self.views.iter().filter_map(|(variable, view)| Some((*names.get(variable)?, view.clone())));
        let layered = self.layered.iter().filter_map(|variable| names.get(variable).copied());
        Self { views: views.collect(), layered: layered.collect() }
    }
}

/// A block: variables that are split into parts, and variables with several answers that are counted node by node.
pub(super) struct Block {
    pub(super) clique: Clique,
    pub(super) axes: Vec<Axis>,
    pub(super) layered: BTreeSet<u32>,
    /// The tables whose variables are all here, by position among those of the unit.
    pub(super) shapes: Vec<usize>,
}

impl Block {
    /// How many combinations of places there are; `None` if there are too many to be numbered.
    pub(super) fn count(&self) -> Option<usize> {
        self.axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.count))
    }

    /// The place on an axis in a combination.
    pub(super) fn place(&self, combination: usize, axis: usize) -> u32 {
        let after: usize = self.axes[axis + 1..].iter().map(|axis| axis.count).product();
        (combination / after % self.axes[axis].count) as u32
    }

    /// All combinations of some places of each axis; `None` stands for all places of an axis.
    pub(super) fn combinations(&self, places: &[Option<Vec<u32>>]) -> Vec<usize> {
        let mut all = vec![0];
        for (axis, places) in self.axes.iter().zip(places) {
            let each: Vec<usize> = match places {
                Some(places) => places.iter().map(|place| *place as usize).collect(),
                None => (0..axis.count).collect(),
            };
            all = all.iter().flat_map(|before| each.iter().map(move |place| before * axis.count + place)).collect();
        }
        all
    }

    /// For each axis the places of a cell of a table, and what the cell shows of variables that are counted node by
    /// node. `None` if the cell is no sum of atoms of the block.
    pub(super) fn lists(&self, unit: &Unit, shape: &Shape, nodes: &[usize]) -> Option<(Vec<Option<Vec<u32>>>, Key)> {
        let mut lists: Vec<Option<Vec<u32>>> = vec![None; self.axes.len()];
        let mut layer = Key::new();
        for (variable, node) in shape.entries(nodes) {
            if self.layered.contains(&variable) {
                layer.push((variable, node));
                continue;
            }
            let at = self.axes.iter().position(|axis| axis.variable == variable)?;
            let own = self.axes[at].whole_places(unit.parts[&variable].node(node))?;
            lists[at] = Some(match lists[at].take() {
                None => own,
                Some(before) => before.into_iter().filter(|place| own.binary_search(place).is_ok()).collect(),
            });
        }
        layer.sort_unstable();
        Some((lists, layer))
    }

    /// Its variables as a set.
    pub(super) fn variable_set(&self) -> VariableSet {
        let views = self.axes.iter().map(|axis| (axis.variable, axis.view.clone())).collect();
        VariableSet { views, layered: self.layered.clone() }
    }
}

/// Variables, each split in some ways, and their blocks.
pub(super) struct Graph {
    vertices: Vec<Vertex>,
    pub(super) blocks: Vec<Block>,
    pub(super) tree: Vec<(usize, usize)>,
}

/// A variable as some tables split it, or one that is counted node by node.
enum Vertex {
    Axis(Axis),
    Layered(u32),
}

impl Vertex {
    fn variable(&self) -> u32 {
        match self {
            Self::Axis(axis) => axis.variable,
            Self::Layered(variable) => *variable,
        }
    }
}

/// The variables of a rule, and those of which it distinguishes columns.
type RuleVariables = (Vec<u32>, Vec<(u32, usize)>);

impl Graph {
    /// The graph of a unit. The variables of each set of `linked` are in one block too.
    pub(super) fn of_unit(unit: &Unit, linked: &[VariableSet]) -> Self {
        let tables: Vec<VariableSet> = unit.shapes.iter().map(|shape| shape.variable_set(unit)).collect();
        let rules = unit.rules().map(|rule| (rule.variables(), rule.columns()));
        Self::new(&unit.parts, &tables, linked, rules.collect())
    }

    /// The graph of some tables, of other sets of variables, and of rules.
    pub(super) fn new(
        parts: &BTreeMap<u32, Parts>,
        tables: &[VariableSet],
        linked: &[VariableSet],
        rules: Vec<RuleVariables>,
    ) -> Self {
        let shown = || tables.iter().chain(linked);
        let layered: BTreeSet<u32> = shown().flat_map(|own| own.layered.iter().copied()).collect();
        let mut vertices: Vec<Vertex> = layered.into_iter().map(Vertex::Layered).collect();
        let mut views: BTreeSet<(u32, View)> =
            shown().flat_map(|own| &own.views).map(|(variable, view)| (*variable, view.clone())).collect();
        let columns = rules.iter().flat_map(|(_, columns)| columns);
        views.extend(columns.map(|(variable, _)| (*variable, View { nodes: BTreeSet::new(), columns: true })));
        for (variable, view) in views {
            add_vertex(&mut vertices, Axis::new(variable, &parts[&variable], view));
        }
        let all_of = |variable: u32| -> Clique {
            (0..vertices.len()).filter(|at| vertices[*at].variable() == variable).collect()
        };
        let cliques: Vec<Clique> = shown().map(|own| vertices_of(parts, own, &vertices)).collect();
        let mut edges = cliques.clone();
        edges.extend(parts.keys().map(|variable| all_of(*variable)).filter(|ways| ways.len() > 1));
        edges.extend(rules.iter().map(|(own, _)| own.iter().flat_map(|variable| all_of(*variable)).collect()));
        let size = |vertex: &Vertex| match vertex {
            Vertex::Axis(axis) => axis.count,
            Vertex::Layered(_) => 2,
        };
        let tables = &cliques[..tables.len()];
        let Blocks { cliques, tree } = blocks(&vertices.iter().map(size).collect::<Vec<_>>(), &edges);
        let home = |table: &Clique| cliques.iter().position(|clique| table.is_subset(clique));
        let homes: Vec<Option<usize>> = tables.iter().map(home).collect();
        let layered = |vertex: &usize| match &vertices[*vertex] {
            Vertex::Layered(variable) => Some(*variable),
            Vertex::Axis(_) => None,
        };
        let block = |(at, clique): (usize, &Clique)| Block {
            clique: clique.clone(),
            axes: axes_of(parts, clique, &vertices),
            layered: clique.iter().filter_map(layered).collect(),
            shapes: (0..tables.len()).filter(|table| homes[*table] == Some(at)).collect(),
        };
        let blocks = cliques.iter().enumerate().map(block).collect();
        Self { vertices, blocks, tree }
    }

    /// The separator of two blocks.
    pub(super) fn shared(&self, parts: &BTreeMap<u32, Parts>, one: usize, other: usize) -> VariableSet {
        let blocks = [&self.blocks[one], &self.blocks[other]];
        let shared: Clique = blocks[0].clique.intersection(&blocks[1].clique).copied().collect();
        let axes = axes_of(parts, &shared, &self.vertices);
        VariableSet {
            views: axes.into_iter().map(|axis| (axis.variable, axis.view)).collect(),
            layered: blocks[0].layered.intersection(&blocks[1].layered).copied().collect(),
        }
    }

    /// Whether tables of a block may have cells inside each other whose difference is in no table (P3). This is so if
    /// tables split a variable in different ways, leave out some of its values, or have different conditions.
    pub(super) fn may_differ(&self, unit: &Unit, block: &Block) -> bool {
        let variables: BTreeSet<u32> = block.clique.iter().map(|vertex| self.vertices[*vertex].variable()).collect();
        let shapes = || block.shapes.iter().map(|at| &unit.shapes[*at]);
        let covers = |(variable, nodes): &(u32, Vec<Option<u32>>)| {
            let Some(axis) = block.axes.iter().find(|axis| axis.variable == *variable) else { return false };
            let places = nodes.iter().flatten().filter_map(|node| axis.whole_places(unit.parts[variable].node(*node)));
            places.flatten().collect::<BTreeSet<u32>>().len() == axis.count
        };
        variables.len() < block.clique.len()
            || shapes().any(|shape| !shape.dimensions.iter().all(covers))
            || shapes().zip(shapes().skip(1)).any(|(one, next)| one.common != next.common)
    }
}

/// Adds a way to split a variable, unless it is there already.
fn add_vertex(vertices: &mut Vec<Vertex>, axis: Axis) {
    for vertex in vertices.iter_mut() {
        if let Vertex::Axis(known) = vertex
            && known.variable == axis.variable
            && known.count == axis.count
            && known.coarsened(&axis).is_some()
        {
            known.view.join(&axis.view);
            return;
        }
    }
    vertices.push(Vertex::Axis(axis));
}

/// The vertices of a set of variables, and those that follow from them.
fn vertices_of(parts: &BTreeMap<u32, Parts>, own: &VariableSet, vertices: &[Vertex]) -> Clique {
    let shown = |vertex: &Vertex| match vertex {
        Vertex::Layered(variable) => own.layered.contains(variable),
        Vertex::Axis(axis) => own.views.get(&axis.variable).is_some_and(|view| {
            let own = Axis::new(axis.variable, &parts[&axis.variable], view.clone());
            axis.coarsened(&own).is_some()
        }),
    };
    (0..vertices.len()).filter(|at| shown(&vertices[*at])).collect()
}

/// One axis for each variable of a clique, as fine as all its vertices together.
fn axes_of(parts: &BTreeMap<u32, Parts>, clique: &Clique, vertices: &[Vertex]) -> Vec<Axis> {
    let mut views: BTreeMap<u32, View> = BTreeMap::new();
    for vertex in clique {
        if let Vertex::Axis(axis) = &vertices[*vertex] {
            views.entry(axis.variable).or_default().join(&axis.view);
        }
    }
    views.into_iter().map(|(variable, view)| Axis::new(variable, &parts[&variable], view)).collect()
}
