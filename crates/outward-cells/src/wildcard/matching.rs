//! Compares every two groups once, on the keys that both have, and adds what each sums to the sums of the other.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Matches;
use super::amount::Amount;
use super::lookup::Lookup;
use super::pattern::Group;
use crate::layout::Packed;

/// Fewer cells passed are not worth another thread.
const WORTH_A_THREAD: usize = 1 << 17;

/// The groups and what their cells bring.
pub(super) struct GroupMatching<'a, P, A> {
    groups: &'a [Group<P>],
    own: Vec<Vec<A>>,
    matches: Matches,
}

/// What the cells of some groups were told, in the order of their cells.
struct MatchedAmounts<A> {
    host: Vec<A>,
    guests: Vec<(usize, Vec<A>)>,
}

impl<'a, P: Packed, A: Amount> GroupMatching<'a, P, A> {
    /// `own` is what each cell brings; `groups` hold each cell once, larger groups first.
    pub(super) fn new(groups: &'a [Group<P>], own: &[A], matches: Matches) -> Self {
        let own = groups.iter().map(|group| group.cells.iter().map(|cell| own[*cell]).collect()).collect();
        Self { groups, own, matches }
    }

    /// What matches each cell, itself included.
    pub(super) fn sums(&self, threads: usize) -> Vec<A> {
        // Within a group cells share all keys they have, so each matches itself alone.
        let mut sums = self.own.clone();
        for host in 0..self.groups.len() {
            for told in self.receive(host, threads) {
                add(&mut sums[host], &told.host);
                told.guests.iter().for_each(|(guest, told)| add(&mut sums[*guest], told));
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

    /// The host meets all smaller groups of which either counts the other. Those that share the same keys with it come
    /// together.
    fn receive(&self, host: usize, threads: usize) -> Vec<MatchedAmounts<A>> {
        let known = self.groups[host].known;
        let mut guests: Vec<(P, usize)> = (host + 1..self.groups.len())
            .filter(|guest| self.counts(host, *guest) || self.counts(*guest, host))
            .map(|guest| (known.and(self.groups[guest].known), guest))
            .collect();
        guests.sort_unstable();
        let parties: Vec<&[(P, usize)]> = guests.chunk_by(|a, b| a.0 == b.0).collect();
        let passed = parties.len() * self.groups[host].keys.len();
        let threads = threads.min(parties.len()).min(1 + passed / WORTH_A_THREAD);
        let next = AtomicUsize::new(0);
        if threads <= 1 {
            return vec![self.serve(host, &parties, &next)];
        }
        std::thread::scope(|scope| {
            let serving: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.serve(host, &parties, &next))).collect();
            serving.into_iter().map(|told| told.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    /// Takes parties until none is left.
    fn serve(&self, host: usize, parties: &[&[(P, usize)]], next: &AtomicUsize) -> MatchedAmounts<A> {
        let mut told = MatchedAmounts { host: vec![A::default(); self.own[host].len()], guests: Vec::new() };
        while let Some(party) = parties.get(next.fetch_add(1, Ordering::Relaxed)) {
            self.meet(host, party, &mut told);
        }
        told
    }

    /// Sums the guests over the keys shared, lets the host's cells pass, and hands to each guest what passed it.
    fn meet(&self, host: usize, party: &[(P, usize)], told: &mut MatchedAmounts<A>) {
        let Some((shared, _)) = party.first().copied() else { return };
        let mut lookup = Lookup::with_room(party.iter().map(|(_, guest)| self.own[*guest].len()).sum());
        let mut sums: Vec<SharedCombination<A>> = Vec::new();
        let mut places = Vec::new();
        for (_, guest) in party {
            let counts = self.counts(host, *guest);
            for (key, own) in self.groups[*guest].keys.iter().zip(&self.own[*guest]) {
                let place = lookup.insert(key.and(shared));
                sums.resize(lookup.len(), SharedCombination::default());
                if counts {
                    sums[place].guests += *own;
                }
                places.push(place);
            }
        }
        let host_cells = self.groups[host].keys.iter().zip(&self.own[host]).zip(&mut told.host);
        for ((key, own), told) in host_cells {
            if let Some(place) = lookup.find(key.and(shared)) {
                let sum = &mut sums[place];
                sum.host += *own;
                *told += sum.guests;
            }
        }
        let mut places = places.as_slice();
        for (_, guest) in party {
            let (mine, rest) = places.split_at(self.own[*guest].len());
            if self.counts(*guest, host) {
                told.guests.push((*guest, mine.iter().map(|place| sums[*place].host).collect()));
            }
            places = rest;
        }
    }
}

/// What both sides bring to one combination of the keys they share.
#[derive(Debug, Clone, Copy, Default)]
struct SharedCombination<A> {
    guests: A,
    host: A,
}

fn add<A: Amount>(sums: &mut [A], more: &[A]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += *more);
}
