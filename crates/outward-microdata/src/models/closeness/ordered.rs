//! Ordered distance: Σ |cumulated p − q| / (m − 1) over the m values of the whole in order.

use super::ratio;
use crate::models::values::{ValueCounts, WholeShares};

/// Cumulated counts of the whole and their own running sum, so that a stretch of values that a class lacks is summed in
/// one step.
#[derive(Debug, Clone)]
pub(super) struct CumulatedShares {
    /// At position `i`: records with one of the first `i + 1` values.
    counts: Vec<u64>,
    /// At position `i`: the sum of the first `i` of `counts`.
    sums: Vec<u128>,
}

impl CumulatedShares {
    pub(super) fn from_whole(whole: &WholeShares) -> Self {
        let mut counts = Vec::with_capacity(whole.counts.len());
        let mut sums = vec![0];
        let (mut count, mut sum) = (0, 0);
        for (_, records) in &whole.counts {
            count += records;
            sum += u128::from(count);
            counts.push(count);
            sums.push(sum);
        }
        Self { counts, sums }
    }

    /// Of a class with values that the whole has; infinitely far if it has others.
    pub(super) fn distance(&self, class: &ValueCounts<'_>, whole: &WholeShares) -> f64 {
        let (n, all) = (u128::from(class.total), u128::from(whole.total));
        let (mut at, mut cumulated, mut sum) = (0, 0u64, 0);
        for (code, count) in class.counts.iter().filter(|(_, count)| *count > 0) {
            let Some(position) = whole.position(*code) else { return f64::INFINITY };
            sum += self.stretch(at, position, u128::from(cumulated) * all, n);
            cumulated += count;
            at = position;
        }
        sum += self.stretch(at, self.counts.len(), n * all, n);
        match self.counts.len() {
            0 | 1 => 0.0,
            values => ratio(sum, n * all * (values as u128 - 1)),
        }
    }

    /// Σ |class − n·whole| over the values at `from..to`, where the class's cumulated count times the size of the whole is
    /// `class` throughout. The whole's only grows, so it crosses the class's at most once.
    fn stretch(&self, from: usize, to: usize, class: u128, n: u128) -> u128 {
        let crossing = from + self.counts[from..to].partition_point(|count| u128::from(*count) * n <= class);
        let below = class * (crossing - from) as u128 - (self.sums[crossing] - self.sums[from]) * n;
        let above = (self.sums[to] - self.sums[crossing]) * n - class * (to - crossing) as u128;
        below + above
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn distance(class: &[(u32, u64)], whole: &[(u32, u64)]) -> f64 {
        let whole = WholeShares::from_codes(whole);
        CumulatedShares::from_whole(&whole).distance(&ValueCounts::from_codes(class).unwrap(), &whole)
    }

    /// The example of the source: salaries of 3,000 to 11,000, one each, and classes of three.
    #[test]
    fn three_low_salaries_are_farther_than_three_spread_ones() {
        let whole: Vec<(u32, u64)> = (3..=11).map(|thousand| (thousand, 1)).collect();
        assert_eq!(distance(&[(3, 1), (4, 1), (5, 1)], &whole), 0.375);
        assert!((distance(&[(6, 1), (8, 1), (11, 1)], &whole) - 0.1667).abs() < 1e-4);
    }

    #[test]
    fn values_that_the_whole_lacks_take_no_rank() {
        assert_eq!(distance(&[(1, 1)], &[(1, 1), (90, 1)]), 0.5);
        assert_eq!(distance(&[(90, 2)], &[(0, 5), (90, 7)]), 0.0);
    }

    proptest! {
        #[test]
        fn stretches_add_up_to_the_plain_sum(counts in prop::collection::vec((0u64..5, 0u64..9), 2..12)) {
            let code = |at: usize| at as u32 + 1;
            let class: Vec<(u32, u64)> =
                counts.iter().enumerate().filter(|(_, (count, _))| *count > 0).map(|(at, (count, _))| (code(at), *count)).collect();
            let whole: Vec<(u32, u64)> = counts.iter().enumerate().map(|(at, (count, more))| (code(at), count + more)).collect();
            prop_assume!(!class.is_empty());
            let present: Vec<(f64, f64)> = counts
                .iter()
                .filter(|(count, more)| count + more > 0)
                .map(|(count, more)| (*count as f64, (count + more) as f64))
                .collect();
            let (n, all) = present.iter().fold((0.0, 0.0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
            let (mut p, mut q, mut sum) = (0.0, 0.0, 0.0f64);
            for (of_class, of_whole) in &present {
                p += of_class / n;
                q += of_whole / all;
                sum += (p - q).abs();
            }
            let plain = if present.len() > 1 { sum / (present.len() - 1) as f64 } else { 0.0 };
            prop_assert!((distance(&class, &whole) - plain).abs() < 1e-12);
        }
    }
}
