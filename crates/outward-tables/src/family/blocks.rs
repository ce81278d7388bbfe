//! Blocks: the maximal cliques of a chordal graph, and the tree they form (M3).
//!
//! Vertices are variables, or ways to split one. An edge joins variables that a table shows together. If tables agree
//! on the variables that neighbouring blocks share, they are margins of one table of all variables. So only blocks need
//! atoms (Lauritzen 1996, chapter 2).

use std::collections::BTreeSet;

/// Vertices that are all joined to each other.
pub(super) type Clique = BTreeSet<usize>;

/// The maximal cliques, and pairs of them that are neighbours in a tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    pub(super) cliques: Vec<Clique>,
    pub(super) tree: Vec<(usize, usize)>,
}

/// Makes a graph chordal and finds its blocks. `sizes` has the number of parts of each vertex, and `edges` has sets of
/// vertices that are joined to each other. Vertices are eliminated by least fill, then fewest atoms, then number.
pub(super) fn blocks(sizes: &[usize], edges: &[Clique]) -> Blocks {
    let mut near: Vec<Clique> = vec![Clique::new(); sizes.len()];
    for edge in edges {
        for vertex in edge {
            near[*vertex].extend(edge.iter().filter(|other| *other != vertex));
        }
    }
    let mut left: Clique = (0..sizes.len()).filter(|vertex| edges.iter().any(|edge| edge.contains(vertex))).collect();
    let mut cliques: Vec<Clique> = Vec::new();
    while let Some(vertex) = left.iter().copied().min_by_key(|vertex| cost(*vertex, &near, sizes)) {
        let around = std::mem::take(&mut near[vertex]);
        for one in &around {
            near[*one].remove(&vertex);
            near[*one].extend(around.iter().filter(|other| *other != one));
        }
        left.remove(&vertex);
        let clique: Clique = around.into_iter().chain([vertex]).collect();
        if !cliques.iter().any(|other| clique.is_subset(other)) {
            cliques.push(clique);
        }
    }
    let tree = tree(&cliques);
    Blocks { cliques, tree }
}

/// The cost of eliminating a vertex: edges that are missing between its neighbours, then atoms of the clique.
fn cost(vertex: usize, near: &[Clique], sizes: &[usize]) -> (usize, usize, usize) {
    let around = &near[vertex];
    let missing = |one: &usize| around.range(one + 1..).filter(|other| !near[*one].contains(other)).count();
    let fill = around.iter().map(missing).sum();
    let atoms = around.iter().fold(sizes[vertex], |atoms, other| atoms.saturating_mul(sizes[*other]));
    (fill, atoms, vertex)
}

/// A spanning tree with the largest separators. In it, the blocks that contain a vertex are connected.
fn tree(cliques: &[Clique]) -> Vec<(usize, usize)> {
    let mut tree = Vec::new();
    let mut joined: BTreeSet<usize> = (0..cliques.len()).take(1).collect();
    while joined.len() < cliques.len() {
        let shared = |one: usize, other: usize| cliques[one].intersection(&cliques[other]).count();
        let pairs = joined.iter().flat_map(|one| (0..cliques.len()).map(move |other| (*one, other)));
        let best = pairs
            .filter(|(_, other)| !joined.contains(other))
            .max_by_key(|(one, other)| (shared(*one, *other), std::cmp::Reverse((*one, *other))));
        let Some((one, other)) = best else { break };
        joined.insert(other);
        tree.push((one, other));
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks_of(edges: &[&[usize]]) -> Blocks {
        let edges: Vec<Clique> = edges.iter().map(|edge| edge.iter().copied().collect()).collect();
        let vertices = edges.iter().flatten().max().map_or(0, |last| last + 1);
        blocks(&vec![2; vertices], &edges)
    }

    fn cliques(blocks: &Blocks) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = blocks.cliques.iter().map(|clique| clique.iter().copied().collect()).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn tables_of_each_two_of_three_variables_are_one_block_and_tables_that_share_one_are_two() {
        assert_eq!(cliques(&blocks_of(&[&[0, 1], &[1, 2], &[0, 2]])), [vec![0, 1, 2]]);
        let star = blocks_of(&[&[0, 1], &[0, 2]]);
        assert_eq!(cliques(&star), [vec![0, 1], vec![0, 2]]);
        assert_eq!(star.tree.len(), 1);
    }

    #[test]
    fn a_ring_of_four_is_cut_by_one_chord_into_two_blocks_of_three() {
        let ring = blocks_of(&[&[0, 1], &[1, 2], &[2, 3], &[3, 0]]);
        assert!(cliques(&ring).iter().all(|clique| clique.len() == 3));
        assert_eq!((ring.cliques.len(), ring.tree.len()), (2, 1));
        // A vertex attached to a ring is in a block of its own.
        assert!(cliques(&blocks_of(&[&[0, 1], &[1, 2], &[0, 2], &[2, 3]])).contains(&vec![2, 3]));
    }

    #[test]
    fn in_the_tree_the_blocks_that_share_a_vertex_are_connected() {
        let blocks = blocks_of(&[&[0, 1], &[1, 2], &[2, 3], &[3, 4], &[4, 0], &[4, 5], &[5, 6], &[7, 8]]);
        for vertex in 0..9 {
            let holding: Vec<usize> =
                (0..blocks.cliques.len()).filter(|at| blocks.cliques[*at].contains(&vertex)).collect();
            let inside = |(one, other): &&(usize, usize)| holding.contains(one) && holding.contains(other);
            assert_eq!(blocks.tree.iter().filter(inside).count() + 1, holding.len());
        }
        assert_eq!(blocks.tree.len() + 1, blocks.cliques.len());
    }
}
