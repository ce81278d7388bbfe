//! Compares every two groups once, on the keys that both have, and adds what each sums to the sums of the other.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Matches;
use super::amount::Amount;
use super::lookup::Lookup;
use super::pattern::Group;
use crate::layout::Packed;

/// Fewer cells than this are not worth another thread.
const WORTH_A_THREAD: usize = 1 << 17;

/// The groups, and what each of their cells adds to the cells that it matches.
pub(super) struct GroupMatching<'a, P, A> {
    groups: &'a [Group<P>],
    own: Vec<Vec<A>>,
    matches: Matches,
}

/// What was added to the cells of one larger group and of some smaller ones, in the order of their cells.
struct MatchedAmounts<A> {
    larger: Vec<A>,
    smaller: Vec<(usize, Vec<A>)>,
}

impl<'a, P: Packed, A: Amount> GroupMatching<'a, P, A> {
    /// `own` is what each cell adds to a sum; `groups` hold each cell once, larger groups first.
    pub(super) fn new(groups: &'a [Group<P>], own: &[A], matches: Matches) -> Self {
        let own = groups.iter().map(|group| group.cells.iter().map(|cell| own[*cell]).collect()).collect();
        Self { groups, own, matches }
    }

    /// What matches each cell, itself included.
    pub(super) fn sums(&self, threads: usize) -> Vec<A> {
        // Within a group cells share all keys they have, so each matches itself alone.
        let mut sums = self.own.clone();
        for larger in 0..self.groups.len() {
            for matched in self.match_with_smaller(larger, threads) {
                add(&mut sums[larger], &matched.larger);
                matched.smaller.iter().for_each(|(small, matched)| add(&mut sums[*small], matched));
            }
        }
        let mut by_cell = vec![A::default(); self.groups.iter().map(|group| group.cells.len()).sum()];
        for (group, sums) in self.groups.iter().zip(&sums) {
            group.cells.iter().zip(sums).for_each(|(cell, sum)| by_cell[*cell] = *sum);
        }
        by_cell
    }

    /// Whether the cells of one group count those of another.
    fn counts(&self, own: usize, other: usize) -> bool {
        self.matches.count(&self.groups[own], &self.groups[other])
    }

    /// Matches a group with all smaller ones of which either counts the other. Those that share the same keys with it
    /// are matched together.
    fn match_with_smaller(&self, larger: usize, threads: usize) -> Vec<MatchedAmounts<A>> {
        let known = self.groups[larger].known;
        let mut smaller: Vec<(P, usize)> = (larger + 1..self.groups.len())
            .filter(|small| self.counts(larger, *small) || self.counts(*small, larger))
            .map(|small| (known.and(self.groups[small].known), small))
            .collect();
        smaller.sort_unstable();
        let by_shared_keys: Vec<&[(P, usize)]> = smaller.chunk_by(|a, b| a.0 == b.0).collect();
        let passed = by_shared_keys.len() * self.groups[larger].keys.len();
        let threads = threads.min(by_shared_keys.len()).min(1 + passed / WORTH_A_THREAD);
        let next = AtomicUsize::new(0);
        if threads <= 1 {
            return vec![self.match_next(larger, &by_shared_keys, &next)];
        }
        std::thread::scope(|scope| {
            let matching: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| self.match_next(larger, &by_shared_keys, &next))).collect();
            matching.into_iter().map(|matched| matched.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    /// Takes smaller groups with the same shared keys until none are left.
    fn match_next(&self, larger: usize, by_shared_keys: &[&[(P, usize)]], next: &AtomicUsize) -> MatchedAmounts<A> {
        let mut matched = MatchedAmounts { larger: vec![A::default(); self.own[larger].len()], smaller: Vec::new() };
        while let Some(same_keys) = by_shared_keys.get(next.fetch_add(1, Ordering::Relaxed)) {
            self.add_matches(larger, same_keys, &mut matched);
        }
        matched
    }

    /// Sums the smaller groups over the shared keys and adds these sums to the cells of the larger group. Then adds
    /// what the larger group has of each combination to the cells of the smaller ones.
    fn add_matches(&self, larger: usize, same_keys: &[(P, usize)], matched: &mut MatchedAmounts<A>) {
        let Some((shared, _)) = same_keys.first().copied() else { return };
        let mut lookup = Lookup::with_room(same_keys.iter().map(|(_, small)| self.own[*small].len()).sum());
        let mut sums: Vec<SharedCombination<A>> = Vec::new();
        let mut places = Vec::new();
        for (_, small) in same_keys {
            let counts = self.counts(larger, *small);
            for (key, own) in self.groups[*small].keys.iter().zip(&self.own[*small]) {
                let place = lookup.insert(key.and(shared));
                sums.resize(lookup.len(), SharedCombination::default());
                if counts {
                    sums[place].smaller += *own;
                }
                places.push(place);
            }
        }
        let larger_cells = self.groups[larger].keys.iter().zip(&self.own[larger]).zip(&mut matched.larger);
        for ((key, own), matched) in larger_cells {
            if let Some(place) = lookup.find(key.and(shared)) {
                let sum = &mut sums[place];
                sum.larger += *own;
                *matched += sum.smaller;
            }
        }
        let mut places = places.as_slice();
        for (_, small) in same_keys {
            let (mine, rest) = places.split_at(self.own[*small].len());
            if self.counts(*small, larger) {
                matched.smaller.push((*small, mine.iter().map(|place| sums[*place].larger).collect()));
            }
            places = rest;
        }
    }
}

/// What both sides have of one combination of the keys that they share.
#[derive(Debug, Clone, Copy, Default)]
struct SharedCombination<A> {
    smaller: A,
    larger: A,
}

fn add<A: Amount>(sums: &mut [A], more: &[A]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += *more);
}
