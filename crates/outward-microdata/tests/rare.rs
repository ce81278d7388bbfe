//! Rare categories, worked by hand and against the definition.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_microdata::rare::{BeforeAndAfter, RareRequest, RareRule, drop_rare};
use proptest::prelude::*;

/// Enrolments: region, age group, provider and learning aim.
///
/// | record | region | age | provider | aim | aims in region | age, provider, aim in region |
/// |---|---|---|---|---|---|---|
/// | 0, 1 | 1 | 1 | 1 | 1 | 4 | 2 |
/// | 2 | 1 | 1 | 2 | 1 | 4 | 1 |
/// | 3 | 1 | 2 | 1 | 1 | 4 | 1 |
/// | 4, 5 | 1 | 1 | 1 | 2 | 2 | 2 |
/// | 6, 7, 8 | 2 | 1 | 1 | 2 | 3 | 3 |
/// | 9 | 2 | 2 | 2 | 1 | 1 | 1 |
const REGION: [u32; 10] = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2];
const AGE: [u32; 10] = [1, 1, 1, 2, 1, 1, 1, 1, 1, 2];
const PROVIDER: [u32; 10] = [1, 1, 2, 1, 1, 1, 1, 1, 1, 2];
const AIM: [u32; 10] = [1, 1, 1, 1, 2, 2, 2, 2, 2, 1];

fn kept(keep: &[bool]) -> Vec<usize> {
    (0..keep.len()).filter(|row| keep[*row]).collect()
}

#[test]
fn ten_enrolments_by_hand() {
    let aims = RareRule { keys: &[&AIM], least: 3 };
    let uniques = RareRule { keys: &[&AGE, &PROVIDER, &AIM], least: 2 };
    let request = RareRequest { records: 10, region: Some(&REGION), rules: &[aims, uniques], repeat: false };
    // Aim 2 in region 1 (2 records) and aim 1 in region 2 (1) go; then records 2 and 3 are unique.
    let once = drop_rare(&request).unwrap();
    assert_eq!(kept(&once.keep), [0, 1, 6, 7, 8]);
    assert_eq!((once.removed, once.rounds), (vec![3, 2], 1));
    assert_eq!(once.records, BeforeAndAfter { before: 10, after: 5 });
    let counts = |before, after| BeforeAndAfter { before, after };
    assert_eq!(once.regions.into_iter().collect::<Vec<_>>(), [(1, counts(6, 2)), (2, counts(4, 3))]);
    // With records 2 and 3 gone, aim 1 in region 1 has 2 records left, and they go too.
    let repeated = drop_rare(&RareRequest { repeat: true, ..request }).unwrap();
    assert_eq!(kept(&repeated.keep), [6, 7, 8]);
    assert_eq!((repeated.removed, repeated.rounds), (vec![5, 2], 3));
    assert_eq!(repeated.regions[&1], counts(6, 0));
    // In the file as a whole, aims have 5 records each, and record 9 is unique beside 2 and 3.
    let whole = drop_rare(&RareRequest { region: None, ..request }).unwrap();
    assert_eq!(kept(&whole.keep), [0, 1, 4, 5, 6, 7, 8]);
    assert_eq!(whole.regions[&0], counts(10, 7));
}

#[test]
fn no_rule_leaves_all_and_no_record_is_no_fault() {
    let none = RareRequest { records: 2, region: None, rules: &[], repeat: true };
    assert_eq!(drop_rare(&none).unwrap().keep, [true, true]);
    let empty = RareRequest { records: 0, rules: &[RareRule { keys: &[&[]], least: 2 }], ..none };
    assert_eq!(drop_rare(&empty).unwrap().records, BeforeAndAfter::default());
}

fn holds(region: &[u32], rule: &RareRule<'_>, keep: &[bool]) -> bool {
    kept(keep).iter().all(|row| {
        let same =
            |other: &&usize| region[**other] == region[*row] && rule.keys.iter().all(|key| key[**other] == key[*row]);
        kept(keep).iter().filter(same).count() as u64 >= rule.least
    })
}

proptest! {
    #[test]
    fn repeated_rules_all_hold_and_nothing_was_taken_that_could_stay(
        records in prop::collection::vec((1..3u32, 1..3u32, 1..3u32), 0..11), least in [1..4u64, 1..4]
    ) {
        let region: Vec<u32> = records.iter().map(|record| record.0).collect();
        let a: Vec<u32> = records.iter().map(|record| record.1).collect();
        let b: Vec<u32> = records.iter().map(|record| record.2).collect();
        let rules = [RareRule { keys: &[&a], least: least[0] }, RareRule { keys: &[&b], least: least[1] }];
        let request = RareRequest { records: records.len(), region: Some(&region), rules: &rules, repeat: true };
        let rare = drop_rare(&request).unwrap();
        prop_assert!(rules.iter().all(|rule| holds(&region, rule, &rare.keep)));
        prop_assert_eq!(rare.removed.iter().sum::<u64>(), rare.records.before - rare.records.after);
        for set in 0..1u32 << records.len() {
            let keep: Vec<bool> = (0..records.len()).map(|row| set >> row & 1 == 1).collect();
            if rules.iter().all(|rule| holds(&region, rule, &keep)) {
                prop_assert!(keep.iter().zip(&rare.keep).all(|(theirs, ours)| *ours || !*theirs));
            }
        }
    }
}
