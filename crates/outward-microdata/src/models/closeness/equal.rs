//! Equal distance: ½ Σ |p − q|.

use super::ratio;
use crate::models::values::{ValueCounts, WholeShares};

/// Σ |r·W − w·n| / 2nW for a class of n with counts r and a whole of W with counts w. The values that the class lacks
/// contribute the rest of the whole.
pub(super) fn distance(class: &ValueCounts<'_>, whole: &WholeShares) -> f64 {
    let (n, all) = (u128::from(class.total), u128::from(whole.total));
    let mut within = 0;
    let mut covered = 0;
    for (code, count) in class.counts {
        let of_whole = u128::from(whole.count(*code));
        within += (u128::from(*count) * all).abs_diff(of_whole * n);
        covered += of_whole;
    }
    ratio(within + (all - covered) * n, 2 * n * all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn three_classes_and_seven_values_worked_by_hand() {
        let whole = WholeShares::from_codes(&[(1, 4), (2, 2), (3, 1)]);
        let from_whole = |counts: &[(u32, u64)]| distance(&ValueCounts::from_codes(counts).unwrap(), &whole);
        assert_eq!(from_whole(&[(1, 3)]), 3.0 / 7.0);
        assert_eq!(from_whole(&[(1, 1), (2, 1), (3, 1)]), 5.0 / 21.0);
        assert_eq!(from_whole(&[(0, 1), (2, 1)]), 5.0 / 7.0);
    }

    #[test]
    fn a_class_exactly_at_the_limit_is_exactly_there() {
        for size in 2..500u64 {
            let whole = WholeShares::from_codes(&[(1, size), (2, size), (3, 3 * size)]);
            let class = [(1, size), (3, 4 * size)];
            assert_eq!(distance(&ValueCounts::from_codes(&class).unwrap(), &whole), 0.2);
        }
    }
}
