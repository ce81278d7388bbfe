//! Blocks (M3): the maximal cliques of a chordal graph over the ways in which tables cut variables, and the tree they form.

use std::collections::BTreeSet;

/// Vertices that are told apart together.
pub(super) type Clique = BTreeSet<usize>;

/// Blocks, and the pairs of them that are neighbours in the tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) blocks: Vec<Clique>,
    pub(super) neighbours: Vec<(usize, usize)>,
}

/// The blocks of a graph in which the vertices of each set are joined to each other. Vertices are eliminated by least fill, then fewest atoms
/// of the clique, then by number.
pub(super) fn decompose(vertices: usize, joined: &[Clique], atoms: impl Fn(&Clique) -> usize) -> Tree {
    let mut next_to: Vec<Clique> = vec![Clique::new(); vertices];
    for set in joined {
        for vertex in set {
            next_to[*vertex].extend(set.iter().filter(|other| *other != vertex));
        }
    }
    let mut left: Clique = (0..vertices).collect();
    let mut cliques: Vec<Clique> = Vec::new();
    while let Some(vertex) = left.iter().copied().min_by_key(|vertex| {
        let clique = with(&next_to[*vertex], *vertex);
        (fill(&next_to, *vertex), atoms(&clique), *vertex)
    }) {
        let around = std::mem::take(&mut next_to[vertex]);
        for one in &around {
            next_to[*one].remove(&vertex);
            next_to[*one].extend(around.iter().filter(|other| *other != one));
        }
        left.remove(&vertex);
        let clique = with(&around, vertex);
        if !cliques.iter().any(|known| clique.is_subset(known)) {
            cliques.push(clique);
        }
    }
    let neighbours = spanning_tree(&cliques);
    Tree { blocks: cliques, neighbours }
}

fn with(around: &Clique, vertex: usize) -> Clique {
    let mut clique = around.clone();
    clique.insert(vertex);
    clique
}

/// How many neighbours of a vertex are not joined to each other.
fn fill(next_to: &[Clique], vertex: usize) -> usize {
    let around = &next_to[vertex];
    let missing = |one: &usize| around.iter().filter(|other| one < *other && !next_to[*one].contains(other)).count();
    around.iter().map(missing).sum()
}

/// A tree of largest shared sets, in which cliques of a chordal graph that have a vertex hang together (Bernstein and Goodman 1981). Cliques that
/// share nothing still count the same records.
fn spanning_tree(cliques: &[Clique]) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize, usize)> = Vec::new();
    for (one, clique) in cliques.iter().enumerate() {
        for (other, more) in cliques.iter().enumerate().skip(one + 1) {
            edges.push((usize::MAX - clique.intersection(more).count(), one, other));
        }
    }
    edges.sort_unstable();
    let mut tree: Vec<usize> = (0..cliques.len()).collect();
    let mut taken = Vec::new();
    for (_, one, other) in edges {
        let (from, to) = (tree[one], tree[other]);
        if from != to {
            tree.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
            taken.push((one, other));
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(of: &[&[usize]]) -> Vec<Clique> {
        of.iter().map(|set| set.iter().copied().collect()).collect()
    }

    #[test]
    fn a_ring_of_three_tables_is_one_block_and_a_chain_is_as_many_as_tables() {
        assert_eq!(decompose(3, &sets(&[&[0, 1], &[1, 2], &[0, 2]]), |_| 1).blocks, sets(&[&[0, 1, 2]]));
        let chain = decompose(4, &sets(&[&[0, 1], &[1, 2], &[2, 3]]), |_| 1);
        assert_eq!(chain.blocks, sets(&[&[0, 1], &[1, 2], &[2, 3]]));
        assert_eq!(chain.neighbours, [(0, 1), (1, 2)]);
    }

    #[test]
    fn a_ring_of_four_gets_the_chord_that_makes_fewest_atoms() {
        let sizes: [usize; 4] = [9, 2, 9, 3];
        let atoms = |clique: &Clique| clique.iter().map(|vertex| sizes[*vertex]).product();
        let ring = decompose(4, &sets(&[&[0, 1], &[1, 2], &[2, 3], &[0, 3]]), atoms);
        assert_eq!(ring.blocks, sets(&[&[0, 1, 3], &[1, 2, 3]]));
        assert_eq!(ring.neighbours, [(0, 1)]);
    }

    #[test]
    fn tables_that_share_no_variable_are_neighbours_by_how_many_there_are() {
        assert_eq!(decompose(2, &sets(&[&[0], &[1]]), |_| 1).neighbours, [(0, 1)]);
    }
}
