//! How many units each stratum gives: in proportion to its size, by largest remainder.

use outward_spec::{Error, Result};

use crate::random::Random;

/// Shares `size` units among strata of these sizes, none of them empty.
pub(super) fn allocate(sizes: &[u64], size: u64, at_least_one: bool, random: &mut Random) -> Result<Vec<u64>> {
    if at_least_one && size < sizes.len() as u64 {
        let what = format!("a sample of {size} cannot have a unit of each of the {} strata", sizes.len());
        return Err(Error::input(what)
            .help(format!("draw {} or more, or do without one from every stratum", sizes.len()))
            .into());
    }
    let mut parts = vec![0; sizes.len()];
    let all: Vec<usize> = (0..sizes.len()).collect();
    let (open, rest) = if at_least_one { give_one_to_small(sizes, all, size, &mut parts) } else { (all, size) };
    share_out(sizes, &open, rest, &mut parts, random);
    Ok(parts)
}

/// Strata too small for one unit get one. The excess is taken from all others in proportion, which may make more of
/// them too small. Returns the strata without a part so far, and what is left for them.
fn give_one_to_small(sizes: &[u64], strata: Vec<usize>, size: u64, parts: &mut [u64]) -> (Vec<usize>, u64) {
    let (mut open, mut rest) = (strata, size);
    loop {
        let total: u64 = open.iter().map(|stratum| sizes[*stratum]).sum();
        let is_small = |stratum: &usize| u128::from(rest) * u128::from(sizes[*stratum]) < u128::from(total);
        let (small, large): (Vec<usize>, Vec<usize>) = open.into_iter().partition(is_small);
        if small.is_empty() {
            return (large, rest);
        }
        small.iter().for_each(|stratum| parts[*stratum] = 1);
        rest -= small.len() as u64;
        open = large;
    }
}

/// Whole parts first, then one more to those with the largest remainders; chance decides between equal ones.
fn share_out(sizes: &[u64], open: &[usize], size: u64, parts: &mut [u64], random: &mut Random) {
    let total: u128 = open.iter().map(|stratum| u128::from(sizes[*stratum])).sum();
    if total == 0 {
        return;
    }
    let mut remainders = Vec::with_capacity(open.len());
    let mut left = size;
    for stratum in open {
        let due = u128::from(size) * u128::from(sizes[*stratum]);
        parts[*stratum] = (due / total) as u64;
        left -= parts[*stratum];
        remainders.push((due % total, *stratum));
    }
    random.shuffle(&mut remainders);
    remainders.sort_by_key(|(remainder, _)| std::cmp::Reverse(*remainder));
    remainders.iter().take(left as usize).for_each(|(_, stratum)| parts[*stratum] += 1);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ten_units_among_four_strata_by_hand() {
        // Dues of 10 from 100: 5.1, 3.3, 1.3, 0.3. Wholes are 5, 3, 1, 0; the one left goes to one of the three with .3.
        let parts = allocate(&[51, 33, 13, 3], 10, false, &mut Random::new(1, "test")).unwrap();
        assert_eq!(parts.iter().sum::<u64>(), 10);
        assert_eq!(parts[0], 5);
        // With one from each: the fourth gets 1; dues of 9 from 97 are 4.73, 3.06, 1.21, and the one left goes to the first.
        assert_eq!(allocate(&[51, 33, 13, 3], 10, true, &mut Random::new(1, "test")).unwrap(), [5, 3, 1, 1]);
    }

    #[test]
    fn fewer_units_than_strata_cannot_have_one_of_each() {
        let error = allocate(&[5, 5, 5], 2, true, &mut Random::new(1, "test")).unwrap_err().to_string();
        assert!(error.contains("a sample of 2") && error.contains("3 strata"), "{error}");
    }

    proptest! {
        #[test]
        fn parts_sum_to_the_size_and_stay_within_one_of_their_due(
            sizes in prop::collection::vec(1..200u64, 1..12), share in 0.0..1.0f64, at_least_one: bool
        ) {
            let total: u64 = sizes.iter().sum();
            let size = ((total as f64 * share) as u64).max(sizes.len() as u64);
            let parts = allocate(&sizes, size, at_least_one, &mut Random::new(1, "test")).unwrap();
            prop_assert_eq!(parts.iter().sum::<u64>(), size);
            for (part, of) in parts.iter().zip(&sizes) {
                prop_assert!(part <= of);
                prop_assert!(!at_least_one || *part > 0);
                prop_assert!(at_least_one || (*part as f64 - (size * of) as f64 / total as f64).abs() < 1.0);
            }
        }
    }
}
