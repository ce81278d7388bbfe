//! Rounding: multiples as written, no bias, and records that come out the same in any order.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_microdata::random::Random;
use outward_microdata::round::{Base, Rounding, RoundingMethod, round};
use proptest::prelude::*;

fn rows(count: usize) -> Vec<u64> {
    (1..=count as u64).collect()
}

fn rounding(base: f64, method: RoundingMethod) -> Rounding {
    Rounding { base: Base::new(base).unwrap(), method, bottom: None, top: None }
}

fn nearest(values: &[f64], base: f64) -> Vec<f64> {
    round(values, &rows(values.len()), &rounding(base, RoundingMethod::Nearest), 1, "x").unwrap().values
}

#[test]
fn halves_go_up_on_either_side_of_nought() {
    assert_eq!(
        nearest(&[7.4, 7.5, 12.0, -7.4, -7.5, -7.6, -2.5, -2.4, 0.0], 5.0),
        [5.0, 10.0, 10.0, -5.0, -5.0, -10.0, 0.0, 0.0, 0.0]
    );
    assert!(nearest(&[-1.0, -1e-300], 5.0).iter().all(|zero| zero.is_sign_positive()));
}

#[test]
fn decimals_round_as_they_are_written() {
    // In binary 0.075 / 0.05 and 0.15 / 0.05 are not what they look like.
    assert_eq!(nearest(&[0.075, 0.15, 0.024, 1.005, 2.675, 1e-300], 0.05), [0.1, 0.15, 0.0, 1.0, 2.7, 0.0]);
    assert_eq!(nearest(&[1.005, 2.675], 0.01), [1.01, 2.68]);
    assert_eq!(nearest(&[1234.0, 1250.0], 100.0), [1200.0, 1300.0]);
    let printed: Vec<String> = nearest(&[0.34, 17.02, 1e6 + 0.27], 0.05).iter().map(f64::to_string).collect();
    assert_eq!(printed, ["0.35", "17", "1000000.25"]);
}

proptest! {
    #[test]
    fn random_rounding_gives_one_of_the_two_multiples_about_a_number(
        cents in -1_000_000i64..1_000_000, base in prop::sample::select(vec![1i64, 3, 5, 20, 250]), seed in any::<u64>(),
    ) {
        let rounding = rounding(base as f64 / 100.0, RoundingMethod::Random);
        let rounded = round(&[cents as f64 / 100.0], &[1], &rounding, seed, "x").unwrap().values[0];
        let (low, high) = (cents.div_euclid(base) * base, (cents + base - 1).div_euclid(base) * base);
        prop_assert!(rounded == low as f64 / 100.0 || rounded == high as f64 / 100.0);
        prop_assert!(rounding.base.divides(rounded));
    }
}

#[test]
fn random_rounding_has_no_bias() {
    let mut random = Random::new(1, "data");
    let values: Vec<f64> = (0..100_000).map(|_| random.below(2_000) as f64 - 700.0).collect();
    let rounded = round(&values, &rows(values.len()), &rounding(10.0, RoundingMethod::Random), 5, "x").unwrap();
    let bias = rounded.values.iter().zip(&values).map(|(is, was)| is - was).sum::<f64>() / 1e5;
    // The variance of one record is the mean of r(10 − r), 16.5: the standard error of the bias is 0.0128.
    assert!(bias.abs() < 0.058, "{bias}");
    let sevens: Vec<f64> = vec![-3.0; 10_000];
    let up = round(&sevens, &rows(sevens.len()), &rounding(10.0, RoundingMethod::Random), 5, "x").unwrap().values;
    let share = up.iter().filter(|value| **value == 0.0).count() as f64 / 1e4;
    assert!((share - 0.7).abs() < 0.021 && up.iter().all(|value| [0.0, -10.0].contains(value)), "{share}");
    assert!(rounded.change.largest[0] <= 9.0);
}

#[test]
fn a_record_comes_out_the_same_whichever_part_of_the_file_is_rounded() {
    let values: Vec<f64> = (0..10_000).map(|row| f64::from(row % 97)).collect();
    let rounding = rounding(10.0, RoundingMethod::Random);
    let whole = round(&values, &rows(values.len()), &rounding, 3, "age").unwrap().values;
    for (begin, end) in [(0, 1), (4_000, 4_200), (4_096, 9_000), (8_191, 10_000)] {
        assert_eq!(
            round(&values[begin..end], &rows(values.len())[begin..end], &rounding, 3, "age").unwrap().values,
            whole[begin..end]
        );
    }
    assert_ne!(whole, round(&values, &rows(values.len()), &rounding, 4, "age").unwrap().values);
    assert_ne!(whole, round(&values, &rows(values.len()), &rounding, 3, "income").unwrap().values);
    // A missing number takes nobody else's draw.
    let mut holes = values.clone();
    holes[3] = f64::NAN;
    let holed = round(&holes, &rows(holes.len()), &rounding, 3, "age").unwrap().values;
    assert!(holed[3].is_nan());
    assert_eq!(holed[4..], whole[4..]);
}

#[test]
fn limits_come_before_rounding_and_changes_are_counted() {
    let rounding = Rounding { bottom: Some(10.0), top: Some(100.0), ..rounding(5.0, RoundingMethod::Nearest) };
    let rounded = round(&[1.0, 23.0, 25.0, 480.0, f64::NAN], &rows(5), &rounding, 1, "x").unwrap();
    assert_eq!(rounded.values[..4], [10.0, 25.0, 25.0, 100.0]);
    assert_eq!((rounded.change.cells[0], rounded.change.records, rounded.change.largest[0]), (3, 3, 380.0));
}

#[test]
fn a_base_divides_what_is_written_as_its_multiple() {
    let base = Base::new(0.05).unwrap();
    assert!([0.15, -0.35, 0.0, 1e15, 7.0, f64::NAN].into_iter().all(|value| base.divides(value)));
    assert!([0.16, 1e-30, 0.1 + 0.2].into_iter().all(|value| !base.divides(value)));
}

#[test]
fn what_cannot_be_rounded_exactly_is_refused() {
    for base in [0.0, -5.0, f64::NAN, f64::INFINITY, 1e-17, 1e300] {
        assert!(Base::new(base).is_err());
    }
    for value in [f64::INFINITY, 1e300, 1e17] {
        let error =
            round(&[1.0, value], &rows(2), &rounding(5.0, RoundingMethod::Nearest), 1, "x").unwrap_err().to_string();
        assert!(error.contains("row 2"), "{error}");
    }
    let crossed = Rounding { bottom: Some(2.0), top: Some(1.0), ..rounding(5.0, RoundingMethod::Nearest) };
    assert!(round(&[1.0], &rows(1), &crossed, 1, "x").is_err());
}
