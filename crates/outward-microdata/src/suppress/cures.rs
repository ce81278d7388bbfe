//! The cures of each record that is below k: sets of wildcard keys whose loss alone would make it safe. Without the
//! keys of a cure at least k records of the file support it; without fewer of them they do not.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashMap;

use super::Problem;
use super::distant;
use super::recount::{by_pattern, has_most, supporting, supports, tally};
use super::units::Units;
use crate::packing::{Packed, masked, ones};

/// With more wildcard keys than this, only small sets of them are tried.
const KEYS_TRIED_IN_FULL: u32 = 10;
/// How many sets of keys are tried where there are more keys.
const MAX_SETS: usize = 2048;
/// How many cures of one record are kept.
const MAX_CURES: usize = 256;

/// A combination of the keys of a constraint that is below k.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    pub(super) constraint: usize,
    /// A unit that has the combination.
    pub(super) unit: usize,
    /// Wildcard keys of the constraint that it lacks already.
    pub(super) lacking: u64,
    /// How many more supporting records it wants for k.
    pub(super) wanted: u64,
}

/// Who is below k and what would cure them.
#[derive(Debug)]
pub(super) struct Needs {
    pub(super) demands: Vec<Demand>,
    /// Units below k, ascending.
    pub(super) units: Vec<u32>,
    /// For each of them its demands.
    pub(super) claims: Vec<Vec<u32>>,
    /// For each of them its cures, cheapest first; never none.
    pub(super) cures: Vec<Vec<u64>>,
    /// Whether these are all cures there are.
    pub(super) all: bool,
}

/// Finds the units below k and their cures.
pub(super) fn find<const W: usize>(problem: &Problem<'_>, units: &Units<W>) -> Needs {
    let mut needs = Needs { demands: Vec::new(), units: Vec::new(), claims: Vec::new(), cures: Vec::new(), all: true };
    let mut claims: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut cures: Vec<Vec<u64>> = Vec::new();
    for constraint in 0..problem.keys.len() {
        let first = needs.demands.len();
        demand(problem, units, constraint, &mut needs.demands, &mut claims);
        let found = CureSearch { problem, units, constraint, demands: &needs.demands[first..] }.run();
        needs.all &= found.all;
        cures.extend(found.cures);
    }
    for (unit, claims) in claims {
        let mut joined: Vec<u64> = vec![0];
        for claim in &claims {
            needs.all &= join(&mut joined, &cures[*claim as usize], |mask| problem.cost(mask));
        }
        let claimed = claims.iter().map(|claim| (&needs.demands[*claim as usize], &cures[*claim as usize][..]));
        needs.all &= keep_cures(problem, &mut joined, &claimed.collect::<Vec<_>>());
        needs.units.push(unit);
        needs.claims.push(claims);
        needs.cures.push(joined);
    }
    needs
}

/// Adds the combinations of a constraint that are below k, and which units claim them.
fn demand<const W: usize>(
    problem: &Problem<'_>,
    units: &Units<W>,
    constraint: usize,
    demands: &mut Vec<Demand>,
    claims: &mut BTreeMap<u32, Vec<u32>>,
) {
    let keys = problem.keys[constraint];
    let asked = problem.request.constraints[constraint].k;
    let counts = supporting(problem, units, constraint);
    let mask = problem.packing.mask(keys);
    let mut number: HashMap<Packed<W>, u32> = HashMap::new();
    for unit in units.counted_by(constraint).filter(|unit| counts[*unit] < asked) {
        let demand = *number.entry(masked(&units.packed[unit], &mask)).or_insert_with(|| {
            let lacking = units.blank[unit] & keys;
            demands.push(Demand { constraint, unit, lacking, wanted: asked - counts[unit] });
            demands.len() as u32 - 1
        });
        claims.entry(unit as u32).or_default().push(demand);
    }
}

/// Replaces masks by the smallest unions of one of them and one cure, cheapest first. Returns whether none was left
/// out.
fn join(masks: &mut Vec<u64>, cures: &[u64], cost: impl Fn(u64) -> f64) -> bool {
    let mut unions: Vec<u64> = masks.iter().flat_map(|mask| cures.iter().map(move |cure| mask | cure)).collect();
    unions.sort_unstable_by_key(|union| (union.count_ones(), *union));
    unions.dedup();
    masks.clear();
    for union in unions {
        if !masks.iter().any(|smaller| smaller & union == *smaller) {
            masks.push(union);
        }
    }
    masks.sort_by(|a, b| cost(*a).total_cmp(&cost(*b)).then(a.cmp(b)));
    let all = masks.len() <= MAX_CURES;
    masks.truncate(MAX_CURES);
    all
}

/// Keeps the unions that cure every demand; returns whether these are all. A record that loses more keys is supported
/// by no fewer records, unless it then lacks most keys.
fn keep_cures(problem: &Problem<'_>, unions: &mut Vec<u64>, claimed: &[(&Demand, &[u64])]) -> bool {
    let cures = |union: u64, (demand, cures): &(&Demand, &[u64])| {
        let keys = problem.keys[demand.constraint];
        let keeps_most = |lost: u64| has_most(keys, demand.lacking | lost);
        cures.iter().any(|cure| cure & !union == 0 && (keeps_most(union) || !keeps_most(*cure)))
    };
    let found = unions.len();
    unions.retain(|union| claimed.iter().all(|claim| cures(*union, claim)));
    if unions.is_empty() {
        // Without any of the keys each demand is cured.
        let lost = claimed.iter().map(|(demand, _)| problem.keys[demand.constraint] & problem.wild & !demand.lacking);
        unions.push(lost.fold(0, |all, lost| all | lost));
        return false;
    }
    unions.len() == found
}

/// The search for the cures of the demands of one constraint.
struct CureSearch<'a, const W: usize> {
    problem: &'a Problem<'a>,
    units: &'a Units<W>,
    constraint: usize,
    demands: &'a [Demand],
}

/// For each demand its cures.
struct DemandCures {
    cures: Vec<Vec<u64>>,
    all: bool,
}

impl<const W: usize> CureSearch<'_, W> {
    /// Sets of keys are tried by their size, so that a set is minimal where none of its parts has cured.
    fn run(&self) -> DemandCures {
        let keys = self.problem.keys[self.constraint];
        let wild = keys & self.problem.wild;
        let mut cures: Vec<Vec<u64>> = vec![Vec::new(); self.demands.len()];
        let (mut all, mut tried) = (true, 0);
        if self.demands.is_empty() {
            return DemandCures { cures, all };
        }
        let theirs = by_pattern(self.units, self.constraint, keys);
        for size in 1..=wild.count_ones() {
            let sets = sets_of(wild, size, MAX_SETS);
            tried += sets.len();
            if wild.count_ones() > KEYS_TRIED_IN_FULL && tried > MAX_SETS {
                all = false;
                break;
            }
            for (set, cured) in sets.iter().zip(self.try_sets(&sets, &cures, &theirs)) {
                cured.iter().for_each(|demand| cures[*demand as usize].push(*set));
            }
        }
        for (demand, cures) in self.demands.iter().zip(&mut cures).filter(|(_, cures)| cures.is_empty()) {
            cures.push(distant::cure(self.problem, self.units, demand));
        }
        DemandCures { cures, all }
    }

    /// For each set the demands it cures and no part of it does.
    fn try_sets(&self, sets: &[u64], cures: &[Vec<u64>], theirs: &BTreeMap<u64, Vec<usize>>) -> Vec<Vec<u32>> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(set) = sets.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((*set, self.cured_by(*set, cures, theirs)));
            }
            done
        };
        let threads = self.problem.request.threads.clamp(1, sets.len().max(1));
        let mut done: Vec<(u64, Vec<u32>)> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        done.sort_unstable_by_key(|(set, _)| *set);
        done.into_iter().map(|(_, cured)| cured).collect()
    }

    fn cured_by(&self, set: u64, cures: &[Vec<u64>], theirs: &BTreeMap<u64, Vec<usize>>) -> Vec<u32> {
        let asked = self.problem.request.constraints[self.constraint].k;
        let open = |demand: &usize| {
            self.demands[*demand].lacking & set == 0 && !cures[*demand].iter().any(|cure| cure & set == *cure)
        };
        let open: Vec<usize> = (0..self.demands.len()).filter(open).collect();
        if open.is_empty() {
            return Vec::new();
        }
        let mut counts = vec![0; open.len()];
        for (lacking, members) in theirs {
            self.meet(set, *lacking, members, &open, &mut counts);
        }
        let cured = open.iter().zip(&counts).filter(|(_, count)| **count >= asked);
        cured.map(|(demand, _)| *demand as u32).collect()
    }

    /// Adds to the counts of the open demands those members, which lack `theirs`, that support them without `set`.
    fn meet(&self, set: u64, theirs: u64, members: &[usize], open: &[usize], counts: &mut [u64]) {
        let all = self.problem.keys[self.constraint];
        let keys = all & !set & !theirs;
        let mut tables: BTreeMap<u64, (Packed<W>, HashMap<Packed<W>, u64>)> = BTreeMap::new();
        for (count, demand) in counts.iter_mut().zip(open) {
            let Demand { unit, lacking, .. } = self.demands[*demand];
            if !supports(all, theirs, lacking | set) {
                continue;
            }
            let (mask, table) = tables.entry(keys & !lacking).or_insert_with(|| {
                let mask = self.problem.packing.mask(keys & !lacking);
                (mask, tally(self.units, members, &mask))
            });
            *count += table.get(&masked(&self.units.packed[unit], mask)).copied().unwrap_or(0);
        }
    }
}

/// The subsets of `keys` of this size, ascending; the first few of them where there are more than `most`.
fn sets_of(keys: u64, size: u32, most: usize) -> Vec<u64> {
    let keys: Vec<usize> = ones(keys).collect();
    let mut sets = Vec::new();
    // Gosper's hack: the next number with as many ones.
    let mut chosen: u64 = (1 << size) - 1;
    while chosen < 1u64 << keys.len() && sets.len() <= most {
        sets.push(ones(chosen).fold(0, |set, at| set | 1 << keys[at]));
        let low = chosen & chosen.wrapping_neg();
        let ripple = chosen + low;
        chosen = (((ripple ^ chosen) >> 2) / low) | ripple;
    }
    sets
}
