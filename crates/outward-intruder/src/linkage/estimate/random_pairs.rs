//! u from random pairs: the share p of each level among the pairs that have both values, less the matches among them.
//!
//! Some random pairs are one person: in a small file with many duplicates, most of those that agree on something rare. With λ matches among
//! them p = λm + (1 − λ)u, so u = (p − λm)/(1 − λ) where λ is known. Where there are no more pairs than asked for, all are taken. A level
//! has half a pair at least, so that no weight is infinite.

use outward_error::{Error, Result};
use outward_random::Random;

use super::Training;
use crate::linkage::comparer::{Comparer, Remembered};
use crate::linkage::linker::Linker;
use crate::linkage::model::{Comparison, Level, LinkType, Model};
use crate::linkage::pairs::share_out;
use crate::linkage::records::Joint;

/// Pairs drawn from one stream of random numbers.
const PORTION: u64 = 1 << 14;

/// How many random pairs were at each level, by comparison and level.
pub(super) struct RandomPairs {
    /// How many there were.
    pub(super) pairs: u64,
    levels: Vec<Vec<u64>>,
}

/// u of each level, by comparison and level; absent where it is not estimated.
type Estimates = Vec<Vec<Option<f64>>>;

struct Counts {
    remembered: Remembered,
    levels: Vec<u8>,
    /// By comparison and level.
    counts: Vec<Vec<u64>>,
}

/// Draws random pairs and counts their levels.
pub(super) fn count_random_pairs(
    linker: &Linker,
    comparer: &Comparer<'_>,
    model: &Model,
    training: &Training,
) -> Result<RandomPairs> {
    let joint = &linker.joint;
    if joint.pairs() == 0 {
        return Err(Error::input("there are not two records to compare").help("give a file with more records").into());
    }
    let wanted = training.random_pairs.max(1);
    let pairs = wanted.min(joint.pairs());
    let begin = || Counts {
        remembered: comparer.remember(),
        levels: vec![0; comparer.len()],
        counts: model.comparisons.iter().map(|comparison| vec![0; comparison.levels.len()]).collect(),
    };
    let see = |counts: &mut Counts, (left, right): (usize, usize)| {
        comparer.levels(left, right, &mut counts.remembered, &mut counts.levels);
        counts.counts.iter_mut().zip(&counts.levels).for_each(|(counts, level)| counts[usize::from(*level)] += 1);
    };
    let seen = if pairs == joint.pairs() {
        share_out(joint.rows, linker.threads, begin, |counts, left| {
            let from = if joint.link_type == LinkType::LinkOnly { joint.first } else { left + 1 };
            if joint.link_type != LinkType::LinkOnly || left < joint.first {
                (from..joint.rows).for_each(|right| see(counts, (left, right)));
            }
        })
    } else {
        let portions = usize::try_from(pairs.div_ceil(PORTION)).map_err(Error::bug)?;
        share_out(portions, linker.threads, begin, |counts, portion| {
            let mut random = Random::new(training.seed, &format!("random pairs {portion}"));
            let count = PORTION.min(pairs - portion as u64 * PORTION);
            (0..count).for_each(|_| see(counts, draw(joint, &mut random)));
        })
    };
    let sum = |at: usize, level: usize| seen.iter().map(|seen| seen.counts[at][level]).sum();
    let levels = |(at, comparison): (usize, &Comparison)| (0..comparison.levels.len()).map(|l| sum(at, l)).collect();
    Ok(RandomPairs { pairs, levels: model.comparisons.iter().enumerate().map(levels).collect() })
}

/// A pair of different records, the lower one first, all equally likely.
fn draw(joint: &Joint, random: &mut Random) -> (usize, usize) {
    let mut below = |end: usize| random.below(end as u64) as usize;
    if joint.link_type == LinkType::LinkOnly {
        return (below(joint.first), joint.first + below(joint.rows - joint.first));
    }
    let first = below(joint.rows);
    let second = below(joint.rows - 1);
    let second = if second >= first { second + 1 } else { second };
    (first.min(second), first.max(second))
}

impl RandomPairs {
    /// Sets every u that is not fixed to the share of the pairs at its level.
    pub(super) fn set_u(&self, model: &mut Model) {
        let shares = self.estimates(model, 0.0);
        apply(model, &shares);
    }

    /// Takes the matches out of the shares, as λ and m tell them. Returns whether any u changed by more than the model's convergence,
    /// relative to what it was; otherwise the model stays as it is.
    pub(super) fn take_matches_out(&self, model: &mut Model) -> bool {
        let estimates = self.estimates(model, model.prior);
        let known = model.comparisons.iter().flat_map(|comparison| &comparison.levels);
        let mut changes = known.zip(estimates.iter().flatten()).filter_map(|(level, u)| Some((*u)? / level.u? - 1.0));
        let changed = changes.any(|change| change.abs() > model.convergence);
        if changed {
            apply(model, &estimates);
        }
        changed
    }

    fn estimates(&self, model: &Model, matches: f64) -> Estimates {
        let of_comparison = |(comparison, counts): (&Comparison, &Vec<u64>)| {
            let levels = || comparison.levels.iter().zip(counts).filter(|(level, _)| !level.is_null);
            let known = levels().map(|(_, count)| *count).sum::<u64>().max(1) as f64;
            let others = |(level, count): (&Level, &u64)| {
                let among_matches = matches * level.m.unwrap_or_default();
                ((*count as f64 / known - among_matches) / (1.0 - matches)).max(0.5 / known)
            };
            // Levels that were raised to half a pair would make the sum more than 1.
            let sum = levels().map(others).sum::<f64>().max(1.0);
            let of_level = |(level, count): (&Level, &u64)| {
                let said = level.fix_u && level.u.is_some();
                (!level.is_null && !said).then(|| others((level, count)) / sum)
            };
            comparison.levels.iter().zip(counts).map(of_level).collect()
        };
        model.comparisons.iter().zip(&self.levels).map(of_comparison).collect()
    }
}

fn apply(model: &mut Model, estimates: &Estimates) {
    for (comparison, estimates) in model.comparisons.iter_mut().zip(estimates) {
        for (level, u) in comparison.levels.iter_mut().zip(estimates) {
            level.u = u.or(level.u);
        }
    }
}
