//! Which units may be swapped with each other: pools of units of the same size. They agree on a profile and on all
//! margins to be held.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use hashbrown::HashMap;

use super::SwapRequest;
use super::groups::RecordGroups;
use super::risk::UnitRisk;
use super::units::{Regions, Units, sort_into};
use crate::random::Random;

/// The pools of one profile.
pub(super) struct Pools {
    groups: RecordGroups,
    start: Vec<u32>,
    order: Vec<u32>,
}

impl Pools {
    /// The pool of a unit, by number.
    pub(super) fn pool(&self, unit: u32) -> u32 {
        self.groups.of[unit as usize]
    }

    /// The units in the pool of a unit, itself among them, in the order in which they are tried as partners.
    pub(super) fn partners(&self, unit: u32) -> &[u32] {
        let pool = self.pool(unit) as usize;
        &self.order[self.start[pool] as usize..self.start[pool + 1] as usize]
    }

    /// Whether some pool has units of two regions.
    pub(super) fn cross_regions(&self, regions: &Regions) -> bool {
        let neighbours = self.order.windows(2);
        neighbours
            .into_iter()
            .any(|pair| self.pool(pair[0]) == self.pool(pair[1]) && regions.lowest(pair[0]) != regions.lowest(pair[1]))
    }
}

/// The pools of each profile; of a single one that asks only for the same size if there is no profile.
pub(super) fn find_pools(request: &SwapRequest<'_>, units: &Units, ranked: &[u32]) -> Vec<Pools> {
    let any = [Vec::new()];
    let profiles = if request.similar.is_empty() { &any } else { request.similar };
    let sets: Vec<&[&[u32]]> = profiles.iter().chain(request.hold).map(Vec::as_slice).collect();
    let alike = on_threads(request.threads, sets.len(), |set| agreement(units, sets[set]));
    let (profiles, held) = alike.split_at(profiles.len());
    on_threads(request.threads, profiles.len(), |profile| {
        let columns: Vec<&[u32]> =
            std::iter::once(&profiles[profile]).chain(held).map(|groups| groups.of.as_slice()).collect();
        let groups = RecordGroups::of_columns(&columns, units.len());
        let (start, order) = sort_into(&groups, ranked.iter().copied());
        Pools { groups, start, order }
    })
}

/// Units as partners: risky ones first, then the others, each kind as if drawn one by one with chances in proportion to
/// risk, 1/count. Waiting times with these rates end in such an order (Efraimidis and Spirakis 2006).
pub(super) fn rank_partners(risk: &UnitRisk, regions: &Regions, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed, "swap partners");
    let mut ranked = Vec::with_capacity(risk.fewest.len());
    for unit in 0..risk.fewest.len() as u32 {
        // Half the squared length of a normal pair is exponential with mean 1.
        let (x, y) = random.normal_pair();
        let wait = (x * x + y * y) / 2.0 * risk.fewest[unit as usize] as f64;
        if regions.knows(unit) {
            // Bits of numbers that are not negative are in the order of the numbers.
            ranked.push((!risk.is_risky(unit), wait.to_bits(), unit));
        }
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, unit)| unit).collect()
}

/// Units of the same size whose members have the same values, in any order.
fn agreement(units: &Units, columns: &[&[u32]]) -> RecordGroups {
    let members = RecordGroups::of_columns(columns, units.records());
    if units.are_records() {
        return members;
    }
    // A household is the path of its members' numbers, in ascending order, through a tree that grows as it is walked.
    let mut tree = HashMap::<(u32, u32), u32>::new();
    let mut numbers = Vec::new();
    let leaf = |unit: u32| {
        numbers.clear();
        numbers.extend(units.members(unit).iter().map(|row| members.of[*row as usize]));
        numbers.sort_unstable();
        numbers.iter().fold(0, |node, number| {
            let next = tree.len() as u32 + 1;
            *tree.entry((node, *number)).or_insert(next)
        })
    };
    let leaves: Vec<u32> = (0..units.len() as u32).map(leaf).collect();
    RecordGroups::of_columns(&[&leaves], units.len())
}

/// The results of `jobs` jobs in their order, done on up to `threads` threads.
fn on_threads<T: Send>(threads: usize, jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = threads.min(jobs);
    if threads <= 1 {
        return (0..jobs).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                return done;
            }
            done.push((job, work(job)));
        }
    };
    let mut done: Vec<(usize, T)> = thread::scope(|scope| {
        let spawned: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for thread in spawned {
            match thread.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(job, _)| *job);
    done.into_iter().map(|(_, result)| result).collect()
}
