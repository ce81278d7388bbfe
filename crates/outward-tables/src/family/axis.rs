//! A variable, split as finely as some nodes require (M1, M3).

use std::collections::{BTreeMap, BTreeSet};

use super::parts::Parts;

/// What splits a variable in a table or in a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct View {
    /// The nodes, by number.
    pub(super) nodes: BTreeSet<u32>,
    /// Whether the values in single columns split it too.
    pub(super) columns: bool,
}

impl View {
    pub(super) fn join(&mut self, other: &Self) {
        self.nodes.extend(&other.nodes);
        self.columns |= other.columns;
    }
}

/// A variable of a block. Parts that its view does not distinguish have one place.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) variable: u32,
    pub(super) view: View,
    /// For each part of the variable its place on the axis.
    of: Vec<u32>,
    /// How many places there are, and how many parts each has.
    pub(super) count: usize,
    sizes: Vec<usize>,
}

impl Axis {
    pub(super) fn new(variable: u32, parts: &Parts, view: View) -> Self {
        let mut told: Vec<(&[u32], Vec<u32>)> =
            (0..parts.count).map(|part| (if view.columns { parts.all_held(part) } else { &[] }, Vec::new())).collect();
        for node in &view.nodes {
            parts.node(*node).iter().for_each(|part| told[*part as usize].1.push(*node));
        }
        let different: BTreeSet<&(&[u32], Vec<u32>)> = told.iter().collect();
        let places: BTreeMap<&(&[u32], Vec<u32>), u32> = different.into_iter().zip(0..).collect();
        let of: Vec<u32> = told.iter().map(|told| places[told]).collect();
        let mut sizes = vec![0; places.len()];
        of.iter().for_each(|place| sizes[*place as usize] += 1);
        Self { variable, count: places.len(), view, of, sizes }
    }

    /// The place of a part.
    pub(super) fn place(&self, part: u32) -> u32 {
        self.of[part as usize]
    }

    /// The places of some parts, ascending.
    pub(super) fn places(&self, parts: &[u32]) -> Vec<u32> {
        let places: BTreeSet<u32> = parts.iter().map(|part| self.place(*part)).collect();
        places.into_iter().collect()
    }

    /// The places that consist of exactly these parts; `None` if a place has others too.
    pub(super) fn whole_places(&self, parts: &[u32]) -> Option<Vec<u32>> {
        let places = self.places(parts);
        let sizes: usize = places.iter().map(|place| self.sizes[*place as usize]).sum();
        (sizes == parts.len()).then_some(places)
    }

    /// The parts at each place.
    pub(super) fn parts(&self) -> Vec<Vec<u32>> {
        let mut parts = vec![Vec::new(); self.count];
        (0..).zip(&self.of).for_each(|(part, place)| parts[*place as usize].push(part));
        parts
    }

    /// For each place the nodes of the view that contain it.
    pub(super) fn nodes(&self, parts: &Parts) -> Vec<Vec<u32>> {
        let mut nodes = vec![Vec::new(); self.count];
        for node in &self.view.nodes {
            self.places(parts.node(*node)).into_iter().for_each(|place| nodes[place as usize].push(*node));
        }
        nodes
    }

    /// For each place of a finer axis of the variable the place here; `None` if the axis is not finer.
    pub(super) fn coarsened(&self, finer: &Self) -> Option<Vec<u32>> {
        let mut image = vec![None; finer.count];
        for (own, from) in self.of.iter().zip(&finer.of) {
            if *image[*from as usize].get_or_insert(*own) != *own {
                return None;
            }
        }
        image.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::parts::{Apart, Node};
    use super::super::places::KnownVariable;
    use super::*;

    fn parts(nodes: &[&[u32]]) -> Parts {
        let known = KnownVariable { values: (1..=6).collect(), ..KnownVariable::default() };
        let nodes = (0..).zip(nodes).map(|(at, set)| (at, Node::Any(set.to_vec()))).collect();
        Parts::new(&known, Apart { nodes, ..Apart::default() }).unwrap()
    }

    fn axis(parts: &Parts, nodes: &[u32]) -> Axis {
        Axis::new(0, parts, View { nodes: nodes.iter().copied().collect(), columns: false })
    }

    #[test]
    fn a_coarser_cut_follows_from_a_finer_one_and_of_two_that_cross_neither_does() {
        // 1 to 3 and 4 to 6; 1 to 2; 1 to 4.
        let parts = parts(&[&[1, 2, 3], &[4, 5, 6], &[1, 2], &[1, 2, 3, 4]]);
        assert_eq!(parts.count, 4);
        let (coarse, fine, other) = (axis(&parts, &[0, 1]), axis(&parts, &[0, 2]), axis(&parts, &[3]));
        assert_eq!((coarse.count, fine.count, other.count), (2, 3, 2));
        let down = coarse.coarsened(&fine).unwrap();
        assert_eq!(down.iter().filter(|place| **place == coarse.place(parts.node(2)[0])).count(), 2);
        assert!(fine.coarsened(&coarse).is_none());
        assert!(coarse.coarsened(&other).is_none() && other.coarsened(&coarse).is_none());
    }
}
