//! What two releases of the same people disclose together.
//!
//! Somebody who has both can subtract. Take the published codes of the first release as rows and those of the second as
//! columns. Each pair of a row and a column that share codes is a cell. The releases publish the sums of rows and
//! columns. Let rows and columns be the nodes of a graph and cells its edges. A cell follows from the sums exactly if
//! its edge is a bridge, whose removal splits the graph (Gusfield 1988, *A graph theoretic approach to statistical data
//! security*, SIAM Journal on Computing 17). One more difference is examined. The cover of a code is all codes of the
//! other release that overlap it; the difference is the cover less the code. Longer sums over several codes are not
//! searched.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Pooling, Reason};

/// Codes with fewer people than the threshold, whose number follows by subtracting one release from another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Difference {
    /// The codes.
    pub codes: Vec<String>,
    /// Their people.
    pub population: u64,
    /// What the first release publishes them as.
    pub first: Vec<String>,
    /// What the second release publishes them as.
    pub second: Vec<String>,
}

/// Groups under the smaller of the two thresholds that neither release publishes but both together disclose.
///
/// People who are withheld are taken to be counted somewhere else, as the total of a nation usually is.
pub fn differences(first: &Pooling, second: &Pooling) -> Result<Vec<Difference>> {
    if first.population_table != second.population_table {
        let help = "pool both releases from one table";
        return Err(Error::input("the poolings are of different population tables").help(help).into());
    }
    let graph = Graph::new(first, second);
    let mut found: BTreeSet<Vec<usize>> = graph.bridges().into_iter().collect();
    found.extend(graph.remainders());
    let threshold = first.threshold.min(second.threshold);
    // What a release withholds it does not publish, though it is a group here.
    let withheld = |pooling: &Pooling, at: usize| pooling.assignments[at].reason == Reason::Withheld;
    let hidden = |codes: &[usize]| codes.iter().all(|at| withheld(first, *at) != withheld(second, *at));
    let told = found.into_iter().filter(|codes| hidden(codes) || !graph.is_published(codes));
    let told = told.map(|codes| describe(&codes, first, second));
    Ok(told.filter(|difference| (1..threshold).contains(&difference.population)).collect())
}

fn describe(codes: &[usize], first: &Pooling, second: &Pooling) -> Difference {
    let published = |pooling: &Pooling| {
        let codes: BTreeSet<_> = codes.iter().map(|at| pooling.assignments[*at].published.clone()).collect();
        codes.into_iter().collect()
    };
    Difference {
        codes: codes.iter().map(|at| first.assignments[*at].code.clone()).collect(),
        population: codes.iter().map(|at| first.assignments[*at].population).sum(),
        first: published(first),
        second: published(second),
    }
}

/// Published codes of both releases as nodes, the codes they share as edges.
struct Graph {
    /// For each node, the table's codes it stands for, in order.
    nodes: Vec<Vec<usize>>,
    /// For each edge, its ends and the codes both stand for.
    edges: Vec<((usize, usize), Vec<usize>)>,
    /// For each node, its edges.
    touching: Vec<Vec<usize>>,
}

impl Graph {
    fn new(first: &Pooling, second: &Pooling) -> Self {
        let mut names: BTreeMap<(bool, &str), usize> = BTreeMap::new();
        let mut cells: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        let mut nodes: Vec<Vec<usize>> = Vec::new();
        for (at, (a, b)) in first.assignments.iter().zip(&second.assignments).enumerate() {
            let ends = [(false, a.published.as_str()), (true, b.published.as_str())].map(|name| {
                let node = *names.entry(name).or_insert(nodes.len());
                nodes.resize(nodes.len().max(node + 1), Vec::new());
                nodes[node].push(at);
                node
            });
            cells.entry((ends[0], ends[1])).or_default().push(at);
        }
        let edges: Vec<_> = cells.into_iter().collect();
        let mut touching = vec![Vec::new(); nodes.len()];
        for (edge, ((a, b), _)) in edges.iter().enumerate() {
            touching[*a].push(edge);
            touching[*b].push(edge);
        }
        Self { nodes, edges, touching }
    }

    fn is_published(&self, codes: &[usize]) -> bool {
        let Some(first) = codes.first() else { return true };
        self.nodes.iter().any(|node| node.contains(first) && node.len() == codes.len() && node == codes)
    }

    /// The codes of the edges that are bridges: depth first, an edge to a node that cannot reach back above itself.
    fn bridges(&self) -> Vec<Vec<usize>> {
        const UNSEEN: usize = usize::MAX;
        let mut entered = vec![UNSEEN; self.nodes.len()];
        let mut reach = entered.clone();
        let mut clock = 0;
        let mut found = Vec::new();
        for root in 0..self.nodes.len() {
            if entered[root] != UNSEEN {
                continue;
            }
            // A node, the edge it was entered by, and how many of its edges have been followed.
            let mut path = vec![(root, None, 0)];
            while let Some((node, by, followed)) = path.last_mut() {
                let (node, by) = (*node, *by);
                if entered[node] == UNSEEN {
                    (entered[node], reach[node]) = (clock, clock);
                    clock += 1;
                }
                if let Some(&edge) = self.touching[node].get(*followed) {
                    *followed += 1;
                    let other = self.other_end(edge, node);
                    if entered[other] == UNSEEN {
                        path.push((other, Some(edge), 0));
                    } else if Some(edge) != by {
                        reach[node] = reach[node].min(entered[other]);
                    }
                    continue;
                }
                path.pop();
                if let Some(edge) = by {
                    let parent = self.other_end(edge, node);
                    reach[parent] = reach[parent].min(reach[node]);
                    if reach[node] > entered[parent] {
                        found.push(self.edges[edge].1.clone());
                    }
                }
            }
        }
        found
    }

    fn other_end(&self, edge: usize, node: usize) -> usize {
        let (a, b) = self.edges[edge].0;
        if a == node { b } else { a }
    }

    /// For each node, the codes of its cover that are not its own.
    fn remainders(&self) -> impl Iterator<Item = Vec<usize>> {
        (0..self.nodes.len()).map(|node| {
            let cover = self.touching[node].iter().flat_map(|edge| &self.nodes[self.other_end(*edge, node)]);
            let mut rest: Vec<_> =
                cover.filter(|code| self.nodes[node].binary_search(code).is_err()).copied().collect();
            rest.sort_unstable();
            rest
        })
    }
}
