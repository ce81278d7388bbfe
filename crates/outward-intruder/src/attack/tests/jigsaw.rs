//! Two releases that are harmless alone identify people together.

use proptest::prelude::*;

use super::*;

/// Ages in bands of ten from 10 in one release and from 5 in the other; both show the job. Numbered `p`.
fn two_bands(ages: &[i64], jobs: &[&str]) -> Case {
    let band = |age: i64, start: i64| {
        let low = (age - start).div_euclid(10) * 10 + start;
        format!("{low}-{}", low + 9)
    };
    let source = vec![column("age", ages.iter().map(|age| age.to_string())), column("job", jobs.iter().copied())];
    let mut case =
        Case::new("variables = [{ name = \"age\", role = \"key\", type = \"integer\" }, { name = \"job\" }]", source);
    let release = |start: i64| Released {
        name: format!("from {start}"),
        order: (0..ages.len() as u32).collect(),
        present: vec![true; ages.len()],
        columns: vec![column("age", ages.iter().map(|age| band(*age, start))), column("job", jobs.iter().copied())],
    };
    case.releases = vec![release(10), release(5)];
    case
}

#[test]
fn two_bands_find_whom_neither_finds_alone() {
    // Of 17 the first release says 10-19 (12 and 17), the second 15-24 (17 and 21). Only one job is in both.
    let mut case = two_bands(&[12, 17, 21, 13], &["cook", "nurse", "smith", "cook"]);
    let together = case.attack();
    let claim = together.claims.iter().find(|claim| claim.person == 2).unwrap();
    assert_eq!((claim.records.as_slice(), claim.confidence, claim.correct), ([2, 2].as_slice(), 1.0, Some(true)));
    assert_eq!(together.card.releases, ["from 10", "from 5"]);
    assert!(together.card.alone.iter().all(|alone| alone.mean_confidence < 1.0 && alone.targets == 4));
    for alone in 0..2 {
        let mut one = two_bands(&[12, 17, 21, 13], &["cook", "nurse", "smith", "cook"]);
        one.releases = vec![one.releases[alone].clone()];
        assert!(one.attack().claims.iter().find(|claim| claim.person == 2).unwrap().confidence < 1.0);
    }
    case.releases.truncate(1);
    assert!(case.attack().card.alone.is_empty());
}

#[test]
fn a_joined_record_is_right_only_where_every_part_is_the_persons() {
    // Both are 17 with the same job: two records fit in each release, and four pairs can be named.
    let outcome = two_bands(&[17, 17], &["cook", "cook"]).attack();
    assert!(outcome.claims.iter().all(|claim| claim.confidence == 0.25 && claim.candidates == 2));
    for claim in &outcome.claims {
        assert_eq!(claim.correct, Some(claim.records == [claim.person, claim.person]));
    }
}

#[test]
fn records_whose_bands_do_not_overlap_are_not_joined() {
    // The intruder knows the job alone. 12 and 27 have it; 10-19 joins 5-14, and 20-29 joins 25-34, never across.
    let mut case = two_bands(&[12, 27], &["cook", "cook"]);
    case.spec.variables[1].role = outward_spec::Role::Key;
    case.scenario.keys = vec!["job".to_owned()];
    let outcome = case.attack();
    assert!(outcome.claims.iter().all(|claim| claim.records[0] == claim.records[1] && claim.confidence == 0.5));
}

/// The greatest chance among the joined blocks of a person, by trying every pair of records. Both bands of the person hold
/// their age, so the job alone says which records that fit are joined.
fn best_by_every_pair(ages: &[i64], jobs: &[&str], person: usize) -> f64 {
    let fits = |start: i64, row: usize| (ages[row] - start) / 10 == (ages[person] - start) / 10;
    let mut blocks: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    for (row, job) in jobs.iter().enumerate() {
        let counts = blocks.entry(job).or_default();
        counts[0] += f64::from(u8::from(fits(10, row)));
        counts[1] += f64::from(u8::from(fits(5, row)));
    }
    let total: f64 = blocks.values().map(|[a, b]| a.min(*b)).sum();
    let joined = blocks.values().filter(|[a, b]| a.min(*b) > 0.0);
    joined.map(|[a, b]| a.min(*b) / total / (a * b)).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn joined_claims_are_consistent_and_nobody_present_is_lost(
        people in proptest::collection::vec((0..40i64, 0..4usize), 2..40),
    ) {
        let ages: Vec<i64> = people.iter().map(|(age, _)| age + 10).collect();
        let jobs: Vec<&str> = people.iter().map(|(_, job)| ["cook", "nurse", "smith", "clerk"][*job]).collect();
        let outcome = two_bands(&ages, &jobs).attack();
        prop_assert_eq!(outcome.claims.len(), people.len(), "a person's own records always fit");
        let mut right = 0.0;
        for claim in &outcome.claims {
            let (p, a, b) = (claim.person as usize - 1, claim.records[0] as usize - 1, claim.records[1] as usize - 1);
            prop_assert_eq!(jobs[a], jobs[b]);
            prop_assert_eq!(ages[a] / 10, ages[p] / 10);
            prop_assert_eq!((ages[b] - 5) / 10, (ages[p] - 5) / 10);
            right += claim.confidence;
            prop_assert!((claim.confidence - best_by_every_pair(&ages, &jobs, p)).abs() < 1e-12);
        }
        prop_assert!((0.0..=people.len() as f64 + 1e-9).contains(&right));
        let sum: f64 = outcome.card.contributions.iter().map(|contribution| contribution.shapley).sum();
        prop_assert!(sum.is_finite() && outcome.card.helped == ["age"]);
    }
}
