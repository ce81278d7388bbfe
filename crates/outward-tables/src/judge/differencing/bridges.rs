//! Bridges of a graph: the edges that are in no cycle (Tarjan 1974).

use std::ops::Range;

const UNSEEN: usize = usize::MAX;

/// One connected component of a graph, searched depth first.
pub(super) struct Connected {
    /// Its vertices in the order of the search, so that those below a vertex are consecutive.
    order: Vec<usize>,
    /// Its bridges.
    pub(super) bridges: Vec<Bridge>,
}

/// An edge without which the component is no longer connected.
pub(super) struct Bridge {
    /// The vertex it leads to.
    pub(super) below: usize,
    /// The vertex it comes from.
    pub(super) above: usize,
    /// The range of the vertices below it.
    stretch: Range<usize>,
}

impl Connected {
    /// All connected components of a graph, given by the neighbours of each vertex.
    pub(super) fn all(edges: &[Vec<usize>]) -> Vec<Self> {
        let mut met = vec![UNSEEN; edges.len()];
        let mut parts = Vec::new();
        for root in 0..edges.len() {
            if met[root] == UNSEEN {
                parts.push(Self::walk(root, edges, &mut met));
            }
        }
        parts
    }

    fn walk(root: usize, edges: &[Vec<usize>], met: &mut [usize]) -> Self {
        let mut part = Self { order: vec![root], bridges: Vec::new() };
        met[root] = 0;
        // For each vertex found, by its position, the first vertex that it or those below it have an edge to.
        let mut back = vec![0];
        let mut path = vec![(root, UNSEEN, 0)];
        while let Some((at, from, next)) = path.pop() {
            if let Some(to) = edges[at].get(next).copied() {
                path.push((at, from, next + 1));
                if met[to] == UNSEEN {
                    met[to] = part.order.len();
                    back.push(met[to]);
                    part.order.push(to);
                    path.push((to, at, 0));
                } else if to != from {
                    back[met[at]] = back[met[at]].min(met[to]);
                }
            } else if from != UNSEEN {
                back[met[from]] = back[met[from]].min(back[met[at]]);
                if back[met[at]] > met[from] {
                    part.bridges.push(Bridge { below: at, above: from, stretch: met[at]..part.order.len() });
                }
            }
        }
        part
    }

    /// The vertices on the far side of a bridge, and those on the near side.
    pub(super) fn sides(&self, bridge: &Bridge) -> (Vec<usize>, Vec<usize>) {
        let (before, after) = (&self.order[..bridge.stretch.start], &self.order[bridge.stretch.end..]);
        (self.order[bridge.stretch.clone()].to_vec(), [before, after].concat())
    }
}
