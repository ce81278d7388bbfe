//! Post-randomisation: what its chances keep, and that draws follow the chances.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_microdata::pram::{Pram, Randomised, Transition, post_randomise};
use outward_microdata::random::Random;
use proptest::prelude::*;

fn run(codes: &[u32], strata: Option<&[u32]>, settings: Pram, seed: u64) -> Randomised {
    post_randomise(codes, strata, &settings, &mut Random::new(seed, "pram")).unwrap()
}

/// Codes 1 to `levels`, the low ones common.
fn codes(rows: usize, levels: u64, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed, "codes");
    let mut code = || {
        let most = random.below(levels) + 1;
        random.below(most) as u32 + 1
    };
    (0..rows).map(|_| code()).collect()
}

fn assert_invariant(transition: &Transition) {
    let (shares, matrix) = (transition.shares(), transition.matrix());
    for (j, share) in shares.iter().enumerate() {
        let expected: f64 = shares.iter().zip(&matrix).map(|(share, row)| share * row[j]).sum();
        assert!((expected - share).abs() < 1e-12);
    }
    for row in &matrix {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(row.iter().all(|chance| (-1e-15..=1.0 + 1e-12).contains(chance)));
    }
    let kept: f64 = shares.iter().zip(matrix.iter().enumerate()).map(|(share, (i, row))| share * row[i]).sum();
    assert!((1.0 - kept - transition.expected_change()).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn expected_frequencies_are_unchanged(
        seed in any::<u64>(), levels in 1u64..30, least_kept in 0.01f64..1.0, weight in 0.0f64..1.0,
    ) {
        let result = run(&codes(500, levels, seed), None, Pram { least_kept, weight }, seed);
        assert_invariant(&result.transitions[0]);
    }
}

#[test]
fn the_matrix_is_the_product_of_p_and_its_reverse() {
    // Three codes; P is found from R at full weight only through its definition, so it is built here in full from the same
    // draws: the diagonal takes the first three numbers of the stream.
    let codes = [1, 1, 1, 1, 2, 2, 2, 3, 3, 3];
    let mut random = Random::new(4, "pram");
    let kept: Vec<f64> = (0..3).map(|_| 0.6 + (1.0 - 0.6) * random.unit()).collect();
    let p = |i: usize, j: usize| if i == j { kept[i] } else { (1.0 - kept[i]) / 2.0 };
    let share = [0.4, 0.3, 0.3];
    let q = |k: usize, j: usize| p(j, k) * share[j] / (0..3).map(|i| share[i] * p(i, k)).sum::<f64>();
    let matrix = run(&codes, None, Pram { least_kept: 0.6, weight: 0.25 }, 4).transitions[0].matrix();
    for (i, row) in matrix.iter().enumerate() {
        for (j, chance) in row.iter().enumerate() {
            let r: f64 = (0..3).map(|k| p(i, k) * q(k, j)).sum();
            assert!((0.25 * r + if i == j { 0.75 } else { 0.0 } - chance).abs() < 1e-15);
        }
    }
}

#[test]
fn draws_follow_the_matrix() {
    let codes = codes(400_000, 5, 1);
    let result = run(&codes, None, Pram { least_kept: 0.3, weight: 1.0 }, 9);
    let (counts, matrix) = (&result.transitions[0].counts, result.transitions[0].matrix());
    let mut seen = vec![vec![0u64; 5]; 5];
    codes.iter().zip(&result.codes).for_each(|(from, to)| seen[*from as usize - 1][*to as usize - 1] += 1);
    for i in 0..5 {
        for j in 0..5 {
            let (n, chance) = (counts[i] as f64, matrix[i][j]);
            let deviation = (seen[i][j] as f64 - n * chance) / (n * chance * (1.0 - chance)).sqrt();
            assert!(deviation.abs() < 4.5, "from {i} to {j}: {deviation} standard errors off");
        }
    }
}

#[test]
fn frequencies_stay_within_sampling_error() {
    let codes = codes(200_000, 8, 2);
    let result = run(&codes, None, Pram::default(), 3);
    let matrix = result.transitions[0].matrix();
    for (j, code) in result.transitions[0].codes.iter().enumerate() {
        let before = result.transitions[0].counts[j] as f64;
        let after = result.codes.iter().filter(|other| *other == code).count() as f64;
        let each = |(count, row): (&u64, &Vec<f64>)| *count as f64 * row[j] * (1.0 - row[j]);
        let variance: f64 = result.transitions[0].counts.iter().zip(&matrix).map(each).sum();
        assert!((after - before).abs() < 4.5 * variance.sqrt());
    }
    let expected = result.transitions[0].expected_change() * 200_000.0;
    assert!((result.changed as f64 - expected).abs() < 4.5 * expected.sqrt());
    assert_eq!(result.changed, codes.iter().zip(&result.codes).filter(|(a, b)| a != b).count() as u64);
}

#[test]
fn missing_codes_are_neither_changed_nor_given() {
    let codes: Vec<u32> = (0..9_000).map(|row| row % 3).collect();
    let result = run(&codes, None, Pram { least_kept: 0.1, weight: 1.0 }, 3);
    assert!(codes.iter().zip(&result.codes).all(|(before, after)| (*before == 0) == (*after == 0)));
    assert!(result.changed > 1_000);
}

#[test]
fn a_record_never_gets_a_code_its_stratum_does_not_have() {
    let strata: Vec<u32> = (0..6_000).map(|row| row % 3 + 1).collect();
    let codes: Vec<u32> = (0..6_000).map(|row| if row % 3 == 2 { 9 } else { row % 3 * 2 + row / 3 % 2 + 1 }).collect();
    let result = run(&codes, Some(&strata), Pram { least_kept: 0.5, weight: 1.0 }, 3);
    assert_eq!(
        result.transitions.iter().map(|of| of.codes.clone()).collect::<Vec<_>>(),
        [vec![1, 2], vec![3, 4], vec![9]]
    );
    result.transitions.iter().for_each(assert_invariant);
    for (stratum, code) in strata.iter().zip(&result.codes) {
        assert!(result.transitions[*stratum as usize - 1].codes.contains(code));
    }
    assert!(result.changed > 500);
}

#[test]
fn the_same_seed_gives_the_same_codes_and_another_seed_others() {
    let codes = codes(2_000, 6, 2);
    let one = run(&codes, None, Pram::default(), 5);
    assert_eq!(one, run(&codes, None, Pram::default(), 5));
    assert_ne!(one.codes, run(&codes, None, Pram::default(), 6).codes);
    assert_eq!(run(&codes, None, Pram { least_kept: 0.8, weight: 0.0 }, 5).changed, 0);
}

#[test]
fn settings_outside_their_range_are_refused() {
    for settings in [Pram { least_kept: 0.0, weight: 0.5 }, Pram { least_kept: 0.8, weight: 1.5 }] {
        assert!(post_randomise(&[1, 2], None, &settings, &mut Random::new(1, "pram")).is_err());
    }
    assert!(run(&[], None, Pram::default(), 1).transitions.is_empty());
}
