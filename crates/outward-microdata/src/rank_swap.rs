//! Rank swapping: numbers change places with numbers of nearly the same rank (Moore 1996).
//!
//! Numbers are ranked, equal ones by row. From the lowest rank upwards, each number not yet swapped changes places with
//! another. The rank of the other is higher by at most a share of all ranks. All such partners are equally likely. A
//! number with no partner left in reach stays. What is released is a permutation of the numbers: counts, sums and
//! quantiles are exactly as they were.
//!
//! The highest and lowest shares can be replaced by their means instead, since an extreme is recognised in any record.
//! Sums then stay, up to rounding; quantiles in the tails do not. A missing number is NaN and takes no part.

use outward_spec::{Error, Result};

use crate::random::Random;
use crate::utility::{Change, check_columns, measure_moments};

/// How far numbers go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSwap {
    /// The largest difference of ranks, as a share of all ranks: above 0, at most 1.
    pub reach: f64,
    /// The share of the highest numbers that become their mean.
    pub top: f64,
    /// The share of the lowest numbers that become their mean.
    pub bottom: f64,
}

/// A column with numbers swapped.
#[derive(Debug, Clone, PartialEq)]
pub struct RankSwapped {
    /// The numbers; a missing number is NaN.
    pub values: Vec<f64>,
    /// Numbers left in place because no partner is in reach.
    pub unswapped: u64,
    /// Highest numbers that became their mean.
    pub top: u64,
    /// Lowest numbers that became their mean.
    pub bottom: u64,
    /// What was changed. A number swapped with an equal one is not changed.
    pub change: Change,
}

/// The mean of fewer numbers would disclose too much of each.
const LEAST_IN_MEAN: usize = 3;

/// Swaps numbers of nearly the same rank. `random` should have a purpose of its own for each column.
///
/// # Errors
/// If a share is outside its range, the reach is less than one rank, or a number is infinite.
pub fn swap_ranks(values: &[f64], settings: &RankSwap, random: &mut Random) -> Result<RankSwapped> {
    check_columns(&[values])?;
    let mut ranked: Vec<u32> = (0..values.len() as u32).filter(|row| !values[*row as usize].is_nan()).collect();
    ranked.sort_unstable_by(|a, b| values[*a as usize].total_cmp(&values[*b as usize]).then(a.cmp(b)));
    let reach = check(settings, ranked.len())?;
    let (bottom, top) = (in_mean(settings.bottom, ranked.len()), in_mean(settings.top, ranked.len()));
    if bottom + top > ranked.len() {
        return Err(Error::input("the highest and lowest numbers that are to become means overlap")
            .help("give smaller shares of `top` and `bottom`; of few records none can be rank swapped")
            .into());
    }
    let mut released = values.to_vec();
    let middle = bottom..ranked.len() - top;
    for extremes in [&ranked[..middle.start], &ranked[middle.end..]] {
        let numbers: Vec<f64> = extremes.iter().map(|row| values[*row as usize]).collect();
        let mean = measure_moments(&numbers).mean;
        extremes.iter().for_each(|row| released[*row as usize] = mean);
    }
    let ranked = &ranked[middle];
    let pairs = pair(ranked.len(), reach, random);
    for (one, two) in &pairs {
        released.swap(ranked[*one] as usize, ranked[*two] as usize);
    }
    let change = Change::between(&[values], &[&released]);
    let unswapped = (ranked.len() - 2 * pairs.len()) as u64;
    Ok(RankSwapped { values: released, unswapped, top: top as u64, bottom: bottom as u64, change })
}

/// The reach in ranks.
fn check(settings: &RankSwap, ranks: usize) -> Result<usize> {
    let shares = [settings.top, settings.bottom];
    if !(settings.reach > 0.0 && settings.reach <= 1.0 && shares.iter().all(|share| (0.0..1.0).contains(share))) {
        return Err(Error::input("shares of rank swapping must be from 0 to 1, and the reach above 0")
            .help("a reach of 0.05 swaps each number with one among the next 5 % of ranks")
            .into());
    }
    let reach = (settings.reach * ranks as f64).floor() as usize;
    if ranks > 0 && reach == 0 {
        return Err(Error::input(format!("the reach of rank swapping is less than one of {ranks} ranks"))
            .help(format!("give a reach of {:.3} or more", 1.0 / ranks as f64 + 0.0005))
            .into());
    }
    Ok(reach)
}

fn in_mean(share: f64, ranks: usize) -> usize {
    if share > 0.0 && ranks > 0 { ((share * ranks as f64).ceil() as usize).max(LEAST_IN_MEAN) } else { 0 }
}

/// Pairs of ranks at most `reach` apart, each rank in one pair at most.
fn pair(ranks: usize, reach: usize, random: &mut Random) -> Vec<(usize, usize)> {
    // Ranks in reach that are free, in no order, and the place of each among them. Each enters and leaves once, so the
    // whole takes time in proportion to the number of ranks.
    let mut free: Vec<usize> = Vec::new();
    let mut position = vec![None; ranks];
    let mut entered = 0;
    let mut pairs = Vec::with_capacity(ranks / 2);
    for low in 0..ranks {
        while entered < ranks && entered <= low + reach {
            position[entered] = Some(free.len());
            free.push(entered);
            entered += 1;
        }
        if !leave(low, &mut free, &mut position) || free.is_empty() {
            continue;
        }
        let high = free[random.below(free.len() as u64) as usize];
        leave(high, &mut free, &mut position);
        pairs.push((low, high));
    }
    pairs
}

/// Takes a rank out of those that are free. Returns whether it was free.
fn leave(rank: usize, free: &mut Vec<usize>, position: &mut [Option<usize>]) -> bool {
    let Some(place) = position[rank].take() else { return false };
    free.swap_remove(place);
    if let Some(moved) = free.get(place) {
        position[*moved] = Some(place);
    }
    true
}
