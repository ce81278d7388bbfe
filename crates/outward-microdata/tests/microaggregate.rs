//! Microaggregation against a search over all pairs, and what it promises of small groups and missing numbers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_microdata::microaggregate::{Centre, Microaggregated, microaggregate};
use outward_microdata::random::Random;
use outward_microdata::utility::measure_moments;
use outward_testing::random_cases::seeds;
use proptest::prelude::*;

const STEPS: f64 = (1u64 << 36) as f64;

/// MDAV as it is written in the paper: every distance computed, no index.
fn brute_force(columns: &[Vec<f64>], k: usize) -> Vec<Vec<usize>> {
    let standard: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let of = measure_moments(column);
            let step = |x: &f64| if of.sd > 0.0 { ((x - of.mean) / of.sd * STEPS).round() / STEPS } else { 0.0 };
            column.iter().map(step).collect()
        })
        .collect();
    let record = |row: usize| standard.iter().map(|column| column[row]).collect::<Vec<_>>();
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut left: Vec<usize> = (0..columns[0].len()).collect();
    let mut groups = Vec::new();
    let farthest = |left: &[usize], from: &[f64]| {
        let mut best = left[0];
        for row in left {
            if square(&record(*row), from) > square(&record(best), from) {
                best = *row;
            }
        }
        best
    };
    let centre = |left: &[usize]| -> Vec<f64> {
        let sum = |column: &Vec<f64>| left.iter().map(|row| (column[*row] * STEPS) as i128).sum::<i128>();
        standard.iter().map(|column| sum(column) as f64 / (left.len() as f64 * STEPS)).collect()
    };
    let take = |left: &mut Vec<usize>, about: usize| {
        let mut order = left.clone();
        order.sort_by(|a, b| {
            square(&record(*a), &record(about)).total_cmp(&square(&record(*b), &record(about))).then(a.cmp(b))
        });
        order.truncate(k);
        order.sort_unstable();
        left.retain(|row| !order.contains(row));
        order
    };
    while left.len() >= 3 * k {
        let first = farthest(&left, &centre(&left));
        groups.push(take(&mut left, first));
        let second = farthest(&left, &record(first));
        groups.push(take(&mut left, second));
    }
    if left.len() >= 2 * k {
        let last = farthest(&left, &centre(&left));
        groups.push(take(&mut left, last));
    }
    groups.push(left);
    groups
}

fn members(result: &Microaggregated) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); result.sizes.len()];
    for (row, group) in result.groups.iter().enumerate() {
        groups[group.unwrap() as usize].push(row);
    }
    groups
}

fn run(columns: &[Vec<f64>], k: usize) -> Microaggregated {
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    microaggregate(&slices, None, k, Centre::Mean).unwrap()
}

fn normals(rows: usize, columns: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed, "test");
    (0..columns).map(|_| (0..rows).map(|_| random.normal_pair().0).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn groups_are_those_of_a_search_over_all_pairs(
        seed in any::<u64>(), rows in 6usize..140, dimensions in 1usize..6, k in 2usize..7, values in 2u64..40,
    ) {
        prop_assume!(rows >= k);
        // Few distinct values: most distances are shared by several records, and many records are equal.
        let mut random = Random::new(seed, "ties");
        let columns: Vec<Vec<f64>> =
            (0..dimensions).map(|_| (0..rows).map(|_| random.below(values) as f64).collect()).collect();
        prop_assert_eq!(members(&run(&columns, k)), brute_force(&columns, k));
    }

    #[test]
    fn a_group_has_k_to_two_k_less_one_records_and_keeps_its_sums(seed in any::<u64>(), rows in 5usize..300, k in 2usize..6) {
        prop_assume!(rows >= k);
        let columns = normals(rows, 3, seed);
        let result = run(&columns, k);
        prop_assert!(result.sizes.iter().all(|size| (k..2 * k).contains(&(*size as usize))));
        prop_assert_eq!(result.sizes.iter().sum::<u32>() as usize, rows);
        for (before, after) in columns.iter().zip(&result.columns) {
            prop_assert!((before.iter().sum::<f64>() - after.iter().sum::<f64>()).abs() < 1e-9);
        }
        prop_assert!(result.sse >= 0.0 && result.sse <= result.sst);
    }
}

#[test]
fn groups_of_skewed_numbers_are_those_of_a_search_over_all_pairs() {
    for (dimensions, k) in [(1, 3), (2, 5), (4, 3), (7, 4)] {
        let columns: Vec<Vec<f64>> = normals(900, dimensions, 11)
            .into_iter()
            .map(|column| column.into_iter().map(|x| (1.5 * x).exp()).collect())
            .collect();
        assert_eq!(members(&run(&columns, k)), brute_force(&columns, k), "{dimensions} columns, k = {k}");
    }
}

#[test]
fn nine_numbers_worked_by_hand() {
    // The centre is 20; 40 is farthest and takes 31 and 30; 1, farthest from 40, takes 2 and 3; the rest is one group.
    let column = vec![1.0, 2.0, 3.0, 20.0, 22.0, 31.0, 31.0, 30.0, 40.0];
    let result = run(&[column], 3);
    assert_eq!(members(&result), [vec![5, 6, 8], vec![0, 1, 2], vec![3, 4, 7]]);
    assert_eq!(result.columns[0], [2.0, 2.0, 2.0, 24.0, 24.0, 34.0, 34.0, 24.0, 34.0]);
    // Within groups: 9 + 9 + 36, 1 + 0 + 1, 16 + 4 + 36; the whole has a sum of squares of 1,720 with eight degrees.
    assert!((result.sse - 112.0 / (1720.0 / 8.0)).abs() < 1e-12, "{}", result.sse);
    assert_eq!(result.sst, 8.0);
    assert_eq!((result.change.cells[0], result.change.records, result.change.largest[0]), (8, 8, 6.0));
}

#[test]
fn one_group_of_all_records_loses_all_variation_and_no_more() {
    for seed in seeds(500) {
        let result = run(&normals(5 + (seed % 5) as usize, 3, seed), 5);
        assert_eq!(result.sizes.len(), 1);
        assert!(result.sse <= result.sst && result.sse > 0.999_999 * result.sst, "{seed}: {}", result.sse);
    }
}

#[test]
fn medians_replace_numbers_where_asked() {
    let column = [1.0, 2.0, 9.0, 50.0, 52.0, 60.0];
    let result = microaggregate(&[&column], None, 3, Centre::Median).unwrap();
    assert_eq!(result.columns[0], [2.0, 2.0, 2.0, 52.0, 52.0, 52.0]);
    let pair = microaggregate(&[&[1.0, 4.0]], None, 2, Centre::Median).unwrap();
    assert_eq!(pair.columns[0], [2.5, 2.5]);
}

#[test]
fn a_record_alone_in_what_it_leaves_blank_is_not_released_as_it_was() {
    let none = f64::NAN;
    let income = [10.0, 11.0, 12.0, 50.0, 51.0, 52.0, none, none, none, 99.0];
    let wealth = [1.0, 2.0, 3.0, 7.0, 8.0, 9.0, 4.0, 5.0, 6.0, none];
    let result = microaggregate(&[&income, &wealth], None, 3, Centre::Mean).unwrap();
    assert!(result.columns[0][9].is_nan() && result.columns[1][9].is_nan());
    assert_eq!((result.groups[9], result.change.suppressed), (None, 1));
    assert_eq!(result.columns[1][6..9], [5.0, 5.0, 5.0]);
    assert!(result.columns[0][6..9].iter().all(|x| x.is_nan()));
    assert_eq!(result.columns[0][..6], [11.0, 11.0, 11.0, 51.0, 51.0, 51.0]);
}

#[test]
fn few_records_with_more_numbers_join_those_with_fewer() {
    let none = f64::NAN;
    let income = [10.0, 20.0, none, none, none, none];
    let wealth = [1.0, 2.0, 3.0, 7.0, 8.0, 9.0];
    let result = microaggregate(&[&income, &wealth], None, 3, Centre::Mean).unwrap();
    assert!(result.columns[0].iter().all(|x| x.is_nan()));
    assert_eq!(result.columns[1], [2.0, 2.0, 2.0, 8.0, 8.0, 8.0]);
    assert_eq!(result.change.suppressed, 2);
}

#[test]
fn groups_never_cross_strata_and_a_small_stratum_gives_nothing_away() {
    let values = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 7.0];
    let strata = [1, 2, 1, 2, 1, 2, 3];
    let result = microaggregate(&[&values], Some(&strata), 3, Centre::Mean).unwrap();
    assert_eq!(result.columns[0][..6], [2.0; 6]);
    assert_ne!(result.groups[0], result.groups[1]);
    assert!(result.columns[0][6].is_nan());
}

#[test]
fn columns_that_do_not_vary_do_no_harm() {
    let result = run(&[vec![0.1; 7], vec![5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 6.0]], 3);
    assert_eq!(result.columns[0], vec![0.1; 7]);
    assert_eq!(result.sizes, [3, 4]);
}

#[test]
fn too_few_records_and_bad_numbers_are_refused() {
    let refused = |column: &[f64], k| microaggregate(&[column], None, k, Centre::Mean).unwrap_err().to_string();
    assert!(refused(&[1.0, 2.0], 3).contains("2 records"));
    assert!(refused(&[1.0, 2.0], 1).contains("protect nobody"));
    assert!(refused(&[1.0, f64::INFINITY], 2).contains("row 2"));
    assert!(microaggregate(&[], None, 3, Centre::Mean).is_err());
}
