//! Lists combinations in order of their loss, without counting any.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::super::loss::Losses;
use super::super::recodings::Recodings;

/// Combinations, those that lose least first.
pub(super) struct ByLoss<'a> {
    losses: &'a Losses,
    /// For each variable its recodings, those that lose least first.
    ways: Vec<Vec<usize>>,
    queue: BinaryHeap<Reverse<Queued>>,
}

/// A combination: for each variable the position in the order of its recodings.
struct Queued {
    bits: f64,
    places: Vec<usize>,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bits.total_cmp(&other.bits).then_with(|| self.places.cmp(&other.places))
    }
}

impl<'a> ByLoss<'a> {
    pub(super) fn new(choices: &[Recodings], losses: &'a Losses) -> Self {
        let sorted = |variable: usize| {
            let mut ways: Vec<usize> = (0..choices[variable].ways.len()).collect();
            ways.sort_by(|a, b| losses.of_way(variable, *a).total_cmp(&losses.of_way(variable, *b)));
            ways
        };
        let queue = BinaryHeap::from([Reverse(Queued { bits: 0.0, places: vec![0; choices.len()] })]);
        Self { losses, ways: (0..choices.len()).map(sorted).collect(), queue }
    }

    fn choice(&self, places: &[usize]) -> Vec<usize> {
        places.iter().zip(&self.ways).map(|(at, ways)| ways[*at]).collect()
    }
}

impl Iterator for ByLoss<'_> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let Reverse(Queued { places, .. }) = self.queue.pop()?;
        // Each combination has one predecessor: the last of its positions above zero is one lower.
        let last = places.iter().rposition(|place| *place > 0).unwrap_or_default();
        for variable in last..places.len() {
            if places[variable] + 1 < self.ways[variable].len() {
                let mut next = places.clone();
                next[variable] += 1;
                let bits = self.losses.of_choice(&self.choice(&next));
                self.queue.push(Reverse(Queued { bits, places: next }));
            }
        }
        Some(self.choice(&places))
    }
}
