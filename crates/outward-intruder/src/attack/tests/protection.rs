//! Success falls as protection rises.

use outward_spec::{Known, KnownError, MistakeKind};
use proptest::prelude::*;

use super::*;

/// Takes whole classes of fewer than k records out of the release.
fn protect_to_k(case: &mut Case, k: usize) {
    let key = |row: usize| (0..3).map(|c| case.releases[0].columns[c].values.codes[row]).collect::<Vec<u32>>();
    let rows = case.releases[0].present.len();
    let mut alike: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    (0..rows).for_each(|row| *alike.entry(key(row)).or_default() += 1);
    case.releases[0].present = (0..rows).map(|row| alike[&key(row)] >= k).collect();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_release_protected_to_k_yields_no_more_than_one_in_k(
        seed in any::<u64>(), k in 2..6usize, level in 1..4usize, wrong in 0.0..0.2f64, knows in any::<bool>(),
    ) {
        let mut case = Case::new(PEOPLE, people(seed, 1500));
        case.recode("age", level);
        case.recode("region", 1);
        protect_to_k(&mut case, k);
        prop_assume!(case.releases[0].records() > 200);
        case.scenario.response_knowledge = knows;
        let errors = vec![KnownError { kind: MistakeKind::Adjacent, rate: wrong }];
        case.scenario.known = vec![Known { variable: Some("age".into()), errors, ..Known::default() }];
        case.scenario.keys = vec!["sex".into(), "region".into()];
        let outcome = case.attack();
        prop_assert!(outcome.claims.iter().all(|claim| claim.candidates >= k as u64 && claim.confidence <= 1.0 / k as f64));
        prop_assert!(outcome.card.expected <= outcome.card.claims as f64 / k as f64 + 1e-9);
        // Draws are independent with chances of at most 1/k: five standard deviations above is never reached.
        let (n, p) = (outcome.card.claims as f64, 1.0 / k as f64);
        prop_assert!(outcome.card.correct as f64 <= n * p + 5.0 * (n * p * (1.0 - p)).sqrt());
    }

    #[test]
    fn the_expected_success_never_rises_with_a_coarser_release(seed in any::<u64>()) {
        let expected = |age: usize, region: usize| {
            let mut case = Case::new(PEOPLE, people(seed, 400));
            case.recode("age", age);
            case.recode("region", region);
            case.attack().card.expected
        };
        let found: Vec<f64> = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (4, 1), (4, 2)].map(|(a, r)| expected(a, r)).to_vec();
        prop_assert!(found.windows(2).all(|pair| pair[0] >= pair[1] - 1e-9), "{found:?}");
        prop_assert!(found[0] > 2.0 * found[3]);
    }
}

#[test]
fn the_flag_for_a_coarser_column_is_the_release_made_coarser() {
    let mut made = Case::new(PEOPLE, people(4, 800));
    made.recode("age", 2);
    let mut flagged = Case::new(PEOPLE, people(4, 800));
    flagged.coarser = BTreeMap::from([("age".to_owned(), 2)]);
    assert_eq!(made.attack().card, flagged.attack().card);
    // Also where the release has coarser labels already.
    flagged.recode("age", 1);
    assert_eq!(made.attack().card, flagged.attack().card);
}

#[test]
fn swapping_lowers_success() {
    let success = |share: f64| {
        let mut case = Case::new(PEOPLE, people(6, 3000));
        let mut random = Random::new(6, "swap");
        let codes = &mut case.released("region").codes;
        for row in 0..codes.len() {
            if random.unit() < share / 2.0 {
                let other = random.below(codes.len() as u64) as usize;
                codes.swap(row, other);
            }
        }
        case.attack().card.precision
    };
    let found = [0.0, 0.2, 0.6].map(success);
    assert!(found[0].low > found[1].high && found[1].low > found[2].high, "{found:?}");
}

#[test]
fn suppressed_values_hide_a_person_among_all_they_may_be() {
    let mut case = Case::new(PEOPLE, people(7, 600));
    let before = case.attack().card.expected;
    case.released("age").codes.iter_mut().step_by(3).for_each(|code| *code = 0);
    let after = case.attack().card;
    assert!(after.expected < 0.7 * before && after.no_claim.no_record == 0);
}

#[test]
fn mistakes_of_the_intruder_lower_success_and_leave_people_without_a_record() {
    let mut case = Case::new(PEOPLE, people(8, 1500));
    let without = case.attack().card;
    let errors = vec![KnownError { kind: MistakeKind::Adjacent, rate: 0.5 }];
    case.scenario.known = vec![Known { variable: Some("age".into()), errors, ..Known::default() }];
    case.scenario.keys = vec!["sex".into(), "region".into()];
    let with = case.attack().card;
    assert!(with.correct * 10 < without.correct * 7 && with.no_claim.no_record > 0);
    assert_eq!(with.claims + with.no_claim.no_record, 1500);
}
