//! Samples have the size that was asked for, and every unit its chance.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_microdata::sample::{SampleDesign, SampleRequest, SampleSize, draw_sample};
use proptest::prelude::*;

const SIMPLE: SampleDesign<'static> = SampleDesign::Simple;

fn request(records: usize, size: SampleSize, design: SampleDesign<'_>) -> SampleRequest<'_> {
    SampleRequest { records, household: None, size, design, seed: 1 }
}

/// How often each record is drawn over many seeds.
fn frequencies(request: &SampleRequest<'_>, draws: u64) -> Vec<f64> {
    let mut seen = vec![0u64; request.records];
    for seed in 0..draws {
        draw_sample(&SampleRequest { seed, ..*request }).unwrap().rows.iter().for_each(|row| seen[*row as usize] += 1);
    }
    seen.into_iter().map(|seen| seen as f64 / draws as f64).collect()
}

/// Five standard deviations of a share of `draws` trials.
fn close(seen: f64, chance: f64, draws: u64) -> bool {
    (seen - chance).abs() <= 5.0 * (chance * (1.0 - chance) / draws as f64).sqrt() + 1e-12
}

#[test]
fn every_record_has_the_same_chance_in_simple_and_systematic_samples() {
    // 7 of 24: the step is no whole number.
    let keys: Vec<u32> = (0..24).map(|row| 1 + row * 7 % 5).collect();
    let designs =
        [SIMPLE, SampleDesign::Systematic { sort_by: None }, SampleDesign::Systematic { sort_by: Some(&keys) }];
    for design in designs {
        let frequencies = frequencies(&request(24, SampleSize::Units(7), design), 4_000);
        assert!(frequencies.iter().all(|seen| close(*seen, 7.0 / 24.0, 4_000)), "{design:?} {frequencies:?}");
    }
}

#[test]
fn pairs_are_drawn_together_as_often_as_chance_has_it() {
    // In a simple sample of 3 of 6 a pair has chance 3·2/(6·5) = 1/5.
    let mut together = 0;
    for seed in 0..4_000 {
        let rows = draw_sample(&SampleRequest { seed, ..request(6, SampleSize::Units(3), SIMPLE) }).unwrap().rows;
        together += u32::from(rows.contains(&1) && rows.contains(&4));
    }
    assert!(close(f64::from(together) / 4_000.0, 0.2, 4_000), "{together}");
}

#[test]
fn strata_give_their_share_and_chance_decides_between_equal_remainders() {
    // Strata of 6, 6 and 3; 5 drawn: dues 2, 2 and 1.
    let strata = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 0, 0, 0];
    let design = SampleDesign::Stratified { strata: &strata, at_least_one: false };
    for seed in 0..50 {
        let rows = draw_sample(&SampleRequest { seed, ..request(15, SampleSize::Units(5), design) }).unwrap().rows;
        let drawn = |code| rows.iter().filter(|row| strata[**row as usize] == code).count();
        assert_eq!([drawn(1), drawn(2), drawn(0)], [2, 2, 1]);
    }
    let frequencies_of_five = frequencies(&request(15, SampleSize::Units(5), design), 4_000);
    assert!(frequencies_of_five.iter().all(|seen| close(*seen, 1.0 / 3.0, 4_000)), "{frequencies_of_five:?}");
    // One from two strata of two: which of them gives it is left to chance.
    let design = SampleDesign::Stratified { strata: &[1, 1, 2, 2], at_least_one: false };
    let frequencies_of_one = frequencies(&request(4, SampleSize::Units(1), design), 4_000);
    assert!(frequencies_of_one.iter().all(|seen| close(*seen, 0.25, 4_000)), "{frequencies_of_one:?}");
}

#[test]
fn a_small_stratum_can_be_sure_of_one() {
    let strata: Vec<u32> = (0..100).map(|row| if row == 50 { 2 } else { 1 }).collect();
    let design = SampleDesign::Stratified { strata: &strata, at_least_one: true };
    let sample = draw_sample(&request(100, SampleSize::Fraction(0.1), design)).unwrap();
    assert!(sample.rows.contains(&50) && sample.drawn == 10, "{sample:?}");
}

#[test]
fn a_systematic_sample_keeps_its_step() {
    let sample = draw_sample(&request(100, SampleSize::Units(10), SampleDesign::Systematic { sort_by: None })).unwrap();
    assert!(sample.rows.windows(2).all(|pair| pair[1] - pair[0] == 10), "{sample:?}");
    // Sorted by a key of two values in turn, 5 of each are drawn.
    let keys: Vec<u32> = (0..100).map(|row| 1 + row % 2).collect();
    let design = SampleDesign::Systematic { sort_by: Some(&keys) };
    let sample = draw_sample(&request(100, SampleSize::Units(10), design)).unwrap();
    assert_eq!(sample.rows.iter().filter(|row| keys[**row as usize] == 1).count(), 5);
}

#[test]
fn what_cannot_be_drawn_is_refused_with_the_reason() {
    let refused = |request: SampleRequest<'_>, parts: &[&str]| {
        let error = draw_sample(&request).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    refused(request(5, SampleSize::Units(6), SIMPLE), &["a sample of 6 records", "only 5"]);
    refused(request(5, SampleSize::Units(0), SIMPLE), &["size 0"]);
    refused(request(0, SampleSize::Fraction(0.5), SIMPLE), &["no records"]);
    for share in [0.0, -0.1, 1.1, f64::NAN] {
        refused(request(5, SampleSize::Fraction(share), SIMPLE), &["the sampling fraction is"]);
    }
    let empty = SampleDesign::Stratified { strata: &[0; 5], at_least_one: false };
    refused(request(5, SampleSize::Units(2), empty), &["strata is empty"]);
    let households = SampleRequest { household: Some(&[1, 1, 2, 2, 3]), ..request(5, SampleSize::Units(4), SIMPLE) };
    refused(households, &["4 households", "only 3"]);
    let strata = SampleDesign::Stratified { strata: &[1, 1, 1, 2, 2], at_least_one: false };
    refused(SampleRequest { design: strata, size: SampleSize::Units(1), ..households }, &["row 4", "another stratum"]);
    refused(SampleRequest { household: Some(&[1, 0, 2, 2, 3]), ..households }, &["row 2", "no household"]);
}

proptest! {
    #[test]
    fn samples_have_their_size_in_ascending_order_and_the_same_seed_draws_the_same(
        strata in prop::collection::vec(0..5u32, 1..80), part in 0.0..1.0f64, seed: u64, kind in 0..3u8
    ) {
        prop_assume!(strata.iter().any(|code| *code != 0));
        let size = 1 + (part * (strata.len() - 1) as f64) as u64;
        let design = match kind {
            0 => SIMPLE,
            1 => SampleDesign::Stratified { strata: &strata, at_least_one: false },
            _ => SampleDesign::Systematic { sort_by: Some(&strata) },
        };
        let request = SampleRequest { seed, ..request(strata.len(), SampleSize::Units(size), design) };
        let sample = draw_sample(&request).unwrap();
        prop_assert_eq!(sample.rows.len() as u64, size);
        prop_assert!(sample.rows.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(sample, draw_sample(&request).unwrap());
    }

    #[test]
    fn households_are_drawn_whole(household in prop::collection::vec(1..20u32, 1..80), part in 0.0..1.0f64) {
        let mut all = household.clone();
        all.sort_unstable();
        all.dedup();
        let size = 1 + (part * (all.len() - 1) as f64) as u64;
        let request = SampleRequest {
            household: Some(&household), ..request(household.len(), SampleSize::Units(size), SIMPLE)
        };
        let sample = draw_sample(&request).unwrap();
        let mut drawn: Vec<u32> = sample.rows.iter().map(|row| household[*row as usize]).collect();
        drawn.sort_unstable();
        drawn.dedup();
        prop_assert_eq!(drawn.len() as u64, size);
        prop_assert_eq!(sample.units, all.len() as u64);
        let members = household.iter().filter(|code| drawn.contains(code)).count();
        prop_assert_eq!(sample.rows.len(), members);
    }
}
