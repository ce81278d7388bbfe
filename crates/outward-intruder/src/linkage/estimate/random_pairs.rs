//! u from random pairs: the share of each level among the pairs that have both values.
//!
//! Where there are no more pairs than asked for, all are taken. A level that no pair was at has half a pair, so that no weight is infinite.

use outward_error::{Error, Result};
use outward_random::Random;

use super::Training;
use crate::linkage::comparer::{Comparer, Remembered};
use crate::linkage::linker::Linker;
use crate::linkage::model::{LinkType, Model};
use crate::linkage::pairs::share_out;
use crate::linkage::records::Joint;

/// Pairs drawn from one stream of random numbers.
const PORTION: u64 = 1 << 14;

struct Counts {
    remembered: Remembered,
    levels: Vec<u8>,
    /// By comparison and level.
    counts: Vec<Vec<u64>>,
}

/// Sets u of every level that is not fixed, and returns how many pairs it is from.
pub(super) fn estimate_u(
    linker: &Linker,
    comparer: &Comparer<'_>,
    model: &mut Model,
    training: &Training,
) -> Result<u64> {
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
    set_u(model, &seen);
    Ok(pairs)
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

fn set_u(model: &mut Model, seen: &[Counts]) {
    for (at, comparison) in model.comparisons.iter_mut().enumerate() {
        let counts: Vec<u64> =
            (0..comparison.levels.len()).map(|level| seen.iter().map(|s| s.counts[at][level]).sum()).collect();
        let known: u64 =
            comparison.levels.iter().zip(&counts).filter(|(level, _)| !level.is_null).map(|(_, count)| count).sum();
        for (level, count) in comparison.levels.iter_mut().zip(counts) {
            let said = level.fix_u && level.u.is_some();
            if !level.is_null && !said {
                level.u = Some((count as f64).max(0.5) / known.max(1) as f64);
            }
        }
    }
}
