//! Differencing: unpublished counts that follow from two tables.
//!
//! Two tables split the values of one variable into different pieces, say 16–24 in one and 16–25 in the other. Take a
//! graph with the pieces as vertices and an edge between two pieces that share values. Every piece is the sum of what
//! it shares with others. So a shared part follows from what is published if and only if its edge is a bridge. Without
//! the bridge the graph has two sides. On one side, the pieces of one table less those of the other are the shared
//! part. A category less all pieces of the other table inside it follows as well. Other variables are fixed at
//! categories that both tables show.

use std::collections::BTreeMap;

use super::category::Graded;
use crate::table::{Dimension, Node, Table};

mod bridges;

use bridges::Connected;

/// A small count that follows from two tables, with the cells whose difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Derived {
    pub(super) earlier: usize,
    pub(super) later: usize,
}

/// The small counts that follow from two tables, with `graded` of the later one.
pub(super) fn between(earlier: &Table, later: &Table, graded: &Graded<'_>) -> Vec<Derived> {
    let sums = |table: &Table| table.magnitudes.as_ref().map(|sums| sums.of.clone());
    if earlier.unit != later.unit || sums(earlier) != sums(later) {
        return Vec::new();
    }
    let small =
        |cells: Derived, left: u64| graded.grade(cells.later).check && (1..=graded.limit(cells.later)).contains(&left);
    let mut found = Vec::new();
    let known = !earlier.records.is_empty() && !later.records.is_empty();
    if earlier.condition != later.condition && !(known && earlier.records == later.records) {
        // If one table counts only some records of the other, each cell gives the difference: the records that do not
        // meet the condition.
        let within = |few: &Table, more: &Table| few.records.iter().all(|kind| more.records.contains(kind));
        if known && (within(earlier, later) || within(later, earlier)) {
            let pairs = contexts((earlier, None), (later, None));
            let cells = pairs.into_iter().map(|(earlier, later)| Derived { earlier, later });
            let counts = |at: &Derived| (earlier.counts[at.earlier], later.counts[at.later]);
            // If one cell is empty, the difference is the other cell, which is published and judged on its own.
            let both = cells.filter(|at| counts(at).0.min(counts(at).1) > 0);
            found.extend(both.filter(|at| small(*at, counts(at).0.abs_diff(counts(at).1))));
        }
        return found;
    }
    for (a, cut) in earlier.dimensions.iter().enumerate() {
        let same = |other: &Dimension| other.is_comparable(cut) && !other.several && !cut.several;
        let Some(b) = later.dimensions.iter().position(same) else { continue };
        let parts = parts_of(cut, &later.dimensions[b]);
        if parts.is_empty() {
            continue;
        }
        let (by_a, by_b) = (stride(earlier, a), stride(later, b));
        for (here, there) in contexts((earlier, Some(a)), (later, Some(b))) {
            for part in &parts {
                let of_a: u64 = part.earlier.iter().map(|node| earlier.counts[here + node * by_a]).sum();
                let of_b: u64 = part.later.iter().map(|node| later.counts[there + node * by_b]).sum();
                let cells = Derived { earlier: here + part.named.0 * by_a, later: there + part.named.1 * by_b };
                if small(cells, of_a.abs_diff(of_b)) {
                    found.push(cells);
                }
            }
        }
    }
    found
}

fn stride(table: &Table, dimension: usize) -> usize {
    table.dimensions[dimension + 1..].iter().map(|later| later.nodes.len()).product()
}

/// The first cells of the lines along one dimension of each table for which all other variables agree. Without a
/// dimension, all cells for which all variables agree. A variable that only one table has is at its total.
fn contexts((one, a): (&Table, Option<usize>), (other, b): (&Table, Option<usize>)) -> Vec<(usize, usize)> {
    let mut contexts = vec![(0, 0)];
    let mut hold = |choices: Vec<(usize, usize)>| {
        contexts = contexts.iter().flat_map(|at| choices.iter().map(move |by| (at.0 + by.0, at.1 + by.1))).collect();
    };
    for (i, dimension) in one.dimensions.iter().enumerate().filter(|(i, _)| Some(*i) != a) {
        let by = stride(one, i);
        let second = other.dimensions.iter().position(|second| second.is_comparable(dimension));
        hold(match second {
            Some(j) => (alike(dimension, &other.dimensions[j]).into_iter())
                .map(|(node, second)| (node * by, second * stride(other, j)))
                .collect(),
            None => totals(dimension).map(|node| (node * by, 0)).collect(),
        });
    }
    for (j, dimension) in other.dimensions.iter().enumerate().filter(|(j, _)| Some(*j) != b) {
        if one.dimensions.iter().all(|first| !first.is_comparable(dimension)) {
            hold(totals(dimension).map(|node| (0, node * stride(other, j))).collect());
        }
    }
    contexts
}

fn totals(dimension: &Dimension) -> impl Iterator<Item = usize> + '_ {
    (0..dimension.nodes.len()).filter(|node| dimension.nodes[*node].total)
}

/// Nodes of two dimensions with the same values.
fn alike(one: &Dimension, other: &Dimension) -> Vec<(usize, usize)> {
    let mut known: BTreeMap<&[u32], usize> = BTreeMap::new();
    other.nodes.iter().enumerate().for_each(|(at, node)| {
        known.entry(&node.values).or_insert(at);
    });
    let same = |(at, node): (usize, &Node)| known.get(node.values.as_slice()).map(|second| (at, *second));
    one.nodes.iter().enumerate().filter_map(same).collect()
}

/// A part that follows: the sum over nodes of one table, less the sum over nodes of the other.
struct SharedPart {
    earlier: Vec<usize>,
    later: Vec<usize>,
    /// The two nodes that name it.
    named: (usize, usize),
}

/// All unpublished parts that follow from two dimensions of the same variable.
fn parts_of(one: &Dimension, other: &Dimension) -> Vec<SharedPart> {
    let mut parts = Pieces::shared_by(one, other).parts();
    parts.extend(beside(one, other));
    let turned =
        |part: SharedPart| SharedPart { earlier: part.later, later: part.earlier, named: (part.named.1, part.named.0) };
    parts.extend(beside(other, one).into_iter().map(turned));
    parts
}

/// Each node of one dimension less the finest nodes of another inside it, unless the difference consists of finest
/// nodes of its own dimension.
fn beside(one: &Dimension, other: &Dimension) -> Vec<SharedPart> {
    let within = |part: &Node, whole: &[u32]| part.values.iter().all(|value| whole.binary_search(value).is_ok());
    let mut parts = Vec::new();
    for (node, whole) in one.nodes.iter().enumerate() {
        let fits = |at: &usize| other.nodes[*at].finest && within(&other.nodes[*at], &whole.values);
        let inside: Vec<usize> = (0..other.nodes.len()).filter(fits).collect();
        let Some(first) = inside.first().copied() else { continue };
        let mut taken: Vec<u32> = inside.iter().flat_map(|at| other.nodes[*at].values.clone()).collect();
        taken.sort_unstable();
        let left: Vec<u32> = whole.values.iter().copied().filter(|value| taken.binary_search(value).is_err()).collect();
        let cut = |own: &Node| own.finest && within(own, &whole.values) && !within(own, &left) && !within(own, &taken);
        if one.nodes.iter().any(cut) {
            parts.push(SharedPart { earlier: vec![node], later: inside, named: (node, first) });
        }
    }
    parts
}

/// A graph: the finest nodes of two dimensions are vertices, and shared values are edges. Values that a dimension does
/// not show are one more vertex, whose count is unknown.
#[derive(Default)]
struct Pieces {
    /// For each vertex whether it is of the earlier table, and its node.
    vertices: Vec<(bool, Option<usize>)>,
    /// For each vertex the vertices it shares values with.
    edges: Vec<Vec<usize>>,
    /// How many values two vertices share, the lower vertex first.
    shared: BTreeMap<(usize, usize), usize>,
    /// How many values each vertex has.
    sizes: Vec<usize>,
}

impl Pieces {
    fn shared_by(one: &Dimension, other: &Dimension) -> Self {
        let mut pieces = Self::default();
        // For each value its vertex in either table.
        let mut of: BTreeMap<u32, [Option<usize>; 2]> = BTreeMap::new();
        for (side, dimension) in [one, other].into_iter().enumerate() {
            for (node, shown) in dimension.nodes.iter().enumerate().filter(|(_, node)| node.finest) {
                let vertex = pieces.add(side == 0, Some(node), shown.values.len());
                shown.values.iter().for_each(|value| of.entry(*value).or_default()[side] = Some(vertex));
            }
        }
        let unknown = [pieces.add(true, None, usize::MAX), pieces.add(false, None, usize::MAX)];
        for sides in of.into_values() {
            let (a, b) = (sides[0].unwrap_or(unknown[0]), sides[1].unwrap_or(unknown[1]));
            *pieces.shared.entry((a.min(b), a.max(b))).or_default() += 1;
        }
        for (a, b) in pieces.shared.keys() {
            pieces.edges[*a].push(*b);
            pieces.edges[*b].push(*a);
        }
        pieces
    }

    fn add(&mut self, earlier: bool, node: Option<usize>, size: usize) -> usize {
        self.vertices.push((earlier, node));
        self.edges.push(Vec::new());
        self.sizes.push(size);
        self.vertices.len() - 1
    }

    /// The parts that follow and are not pieces themselves.
    fn parts(&self) -> Vec<SharedPart> {
        let mut parts = Vec::new();
        for walked in Connected::all(&self.edges) {
            for bridge in &walked.bridges {
                let ends = (bridge.below, bridge.above);
                let values = self.shared[&(ends.0.min(ends.1), ends.0.max(ends.1))];
                if values == self.sizes[ends.0] || values == self.sizes[ends.1] {
                    continue;
                }
                let (inside, outside) = walked.sides(bridge);
                parts.extend(self.part(&inside, ends).or_else(|| self.part(&outside, ends)));
            }
        }
        parts
    }

    /// The part as the difference of the vertices on one side of a bridge, if all of these are known.
    fn part(&self, side: &[usize], (below, above): (usize, usize)) -> Option<SharedPart> {
        let nodes = |earlier: bool| -> Option<Vec<usize>> {
            side.iter().filter(|at| self.vertices[**at].0 == earlier).map(|at| self.vertices[*at].1).collect()
        };
        let (one, other) = (nodes(true)?, nodes(false)?);
        let end = |earlier: bool| [below, above].into_iter().find(|at| self.vertices[*at].0 == earlier);
        let named = |earlier: bool, nodes: &[usize]| {
            end(earlier).and_then(|at| self.vertices[at].1).or_else(|| nodes.first().copied())
        };
        let named = (named(true, &one)?, named(false, &other)?);
        Some(SharedPart { earlier: one, later: other, named })
    }
}
