//! Rank swapping: a permutation that moves no number far.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_microdata::random::Random;
use outward_microdata::rank_swap::{RankSwap, RankSwapped, swap_ranks};
use proptest::prelude::*;

fn run(values: &[f64], settings: RankSwap, seed: u64) -> RankSwapped {
    swap_ranks(values, &settings, &mut Random::new(seed, "rank swap")).unwrap()
}

const fn reach(reach: f64) -> RankSwap {
    RankSwap { reach, top: 0.0, bottom: 0.0 }
}

fn sorted(values: &[f64]) -> Vec<u64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_numbers_are_the_same_and_none_moves_farther_than_its_reach(
        seed in any::<u64>(), rows in 20usize..300, share in 0.06f64..0.6,
    ) {
        let mut values: Vec<f64> = (0..rows).map(|row| row as f64).collect();
        Random::new(seed, "order").shuffle(&mut values);
        let result = run(&values, reach(share), seed);
        prop_assert_eq!(sorted(&values), sorted(&result.values));
        // Numbers are their own ranks here.
        prop_assert!(result.change.largest[0] <= (share * rows as f64).floor());
        prop_assert_eq!(result.change.cells[0] + result.unswapped, rows as u64);
    }
}

#[test]
fn nearly_all_numbers_are_swapped_and_all_partners_in_reach_are_met() {
    let values: Vec<f64> = (0..10_000).map(f64::from).collect();
    let result = run(&values, reach(0.01), 2);
    assert!(result.unswapped < 100, "{}", result.unswapped);
    let mut met = [0u32; 101];
    values.iter().zip(&result.values).for_each(|(was, is)| met[(was - is).abs() as usize] += 1);
    assert!(met[1..].iter().all(|count| *count > 20), "{met:?}");
}

#[test]
fn missing_numbers_stay_where_they_are() {
    let values: Vec<f64> = (0..100).map(|row| if row % 7 == 0 { f64::NAN } else { f64::from(row) }).collect();
    let result = run(&values, reach(0.1), 1);
    assert!(values.iter().zip(&result.values).all(|(was, is)| was.is_nan() == is.is_nan()));
    assert_eq!(sorted(&values), sorted(&result.values));
}

#[test]
fn extremes_become_their_mean_and_sums_stay() {
    let values: Vec<f64> = (1..=100).map(f64::from).collect();
    let result = run(&values, RankSwap { reach: 0.1, top: 0.05, bottom: 0.01 }, 1);
    // Three at least: 1, 2 and 3 at the bottom; 96 to 100 at the top.
    assert_eq!(result.values[..3], [2.0; 3]);
    assert_eq!(result.values[95..], [98.0; 5]);
    assert_eq!((result.bottom, result.top), (3, 5));
    assert_eq!(result.values.iter().sum::<f64>(), 5050.0);
}

#[test]
fn swaps_are_the_same_for_the_same_seed() {
    let values: Vec<f64> = (0..500).map(|row| f64::from(row % 50)).collect();
    assert_eq!(run(&values, reach(0.05), 1), run(&values, reach(0.05), 1));
    assert_ne!(run(&values, reach(0.05), 1).values, run(&values, reach(0.05), 2).values);
}

#[test]
fn a_reach_below_one_rank_is_refused_with_the_least_that_works() {
    let refuse = |values: &[f64], settings| {
        swap_ranks(values, &settings, &mut Random::new(1, "rank swap")).unwrap_err().to_string()
    };
    assert!(refuse(&[1.0; 10], reach(0.05)).contains("less than one of 10 ranks"));
    assert!(refuse(&[1.0; 10], reach(0.0)).contains("above 0"));
    assert!(refuse(&[1.0; 5], RankSwap { reach: 0.5, top: 0.1, bottom: 0.1 }).contains("overlap"));
    assert!(run(&[], reach(0.5), 1).values.is_empty());
}
