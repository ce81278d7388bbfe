//! Noise: what each kind keeps of means, variances and correlations.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_microdata::noise::{Noise, add_noise};
use outward_microdata::random::Random;
use outward_microdata::utility::{measure_correlations, measure_utility};

const ROWS: usize = 40_000;

/// Three columns, the first two with a correlation of 0.8.
fn columns() -> Vec<Vec<f64>> {
    let mut random = Random::new(3, "data");
    let draws: Vec<[f64; 3]> = (0..ROWS)
        .map(|_| {
            let ((a, b), (c, _)) = (random.normal_pair(), random.normal_pair());
            [50.0 + 10.0 * a, 3.0 + 0.5 * (0.8 * a + 0.6 * b), c]
        })
        .collect();
    (0..3).map(|column| draws.iter().map(|row| row[column]).collect()).collect()
}

fn noisy(noise: Noise, amount: f64) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let before = columns();
    let slices: Vec<&[f64]> = before.iter().map(Vec::as_slice).collect();
    let after = add_noise(&slices, noise, amount, &mut Random::new(7, "noise")).unwrap().columns;
    (before, after)
}

#[test]
fn preserving_noise_keeps_means_variances_and_correlations() {
    let (before, after) = noisy(Noise::Preserving, 0.5);
    let utility = measure_utility(&before, &after).unwrap();
    assert!(utility.means.iter().all(|mean| mean.abs() < 0.015), "{utility:?}");
    assert!(utility.variances.iter().all(|ratio| (ratio - 1.0).abs() < 0.03), "{utility:?}");
    assert!(utility.correlations < 0.015, "{utility:?}");
    assert!(utility.near < 0.01);
}

#[test]
fn correlated_noise_keeps_correlations_and_adds_its_share_to_variances() {
    let (before, after) = noisy(Noise::Correlated, 0.5);
    let utility = measure_utility(&before, &after).unwrap();
    assert!(utility.correlations < 0.015, "{utility:?}");
    assert!(utility.variances.iter().all(|ratio| (ratio - 1.25).abs() < 0.03), "{utility:?}");
    assert!(utility.means.iter().all(|mean| mean.abs() < 0.015), "{utility:?}");
}

#[test]
fn additive_noise_shrinks_correlations_by_what_it_adds_to_variances() {
    let (before, after) = noisy(Noise::Additive, 0.5);
    let (was, is) = (measure_correlations(&before)[0][1], measure_correlations(&after)[0][1]);
    assert!((is - was / 1.25).abs() < 0.015, "{was} {is}");
}

#[test]
fn missing_numbers_stay_missing_and_shift_no_other_noise() {
    let full = columns();
    let mut holes = full.clone();
    holes[0][5] = f64::NAN;
    let run = |columns: &[Vec<f64>]| {
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        add_noise(&slices, Noise::Additive, 0.1, &mut Random::new(7, "noise")).unwrap()
    };
    let (with, without) = (run(&holes), run(&full));
    assert!(with.columns[0][5].is_nan());
    assert_eq!(with.columns[1], without.columns[1]);
    assert_eq!((with.change.cells[0], without.change.cells[0]), (ROWS as u64 - 1, ROWS as u64));
}

#[test]
fn noise_that_cannot_be_made_is_refused() {
    let refuse = |columns: &[&[f64]], noise, amount| {
        add_noise(columns, noise, amount, &mut Random::new(1, "noise")).unwrap_err().to_string()
    };
    assert!(refuse(&[&[1.0, 2.0]], Noise::Preserving, 1.5).contains("at most 1"));
    assert!(refuse(&[&[1.0, 2.0]], Noise::Additive, 0.0).contains("above 0"));
    assert!(refuse(&[&[1.0, f64::NAN], &[f64::NAN, 2.0]], Noise::Correlated, 0.1).contains("no correlations"));
    assert!(refuse(&[&[1.0, f64::INFINITY]], Noise::Additive, 0.1).contains("row 2"));
}
