//! Cell suppression against counting every pair of records, and against trying every choice on tiny files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use outward_microdata::suppress::{Blanks, Constraint, Request, Suppressed, suppress};
use outward_spec::Missing::{self, Category, Wildcard};
use proptest::prelude::*;

/// A file and what is asked of it.
#[derive(Debug, Clone)]
struct Case {
    /// For each key the codes of all records.
    keys: Vec<Vec<u32>>,
    missing: Vec<Missing>,
    constraints: Vec<Constraint>,
    importance: Vec<f64>,
}

impl Case {
    /// One constraint on all keys, all of them wildcards, every cell costing 1.
    fn plain(keys: Vec<Vec<u32>>, k: u64) -> Self {
        let all = keys.len();
        let constraints = vec![Constraint { keys: (0..all).collect(), k, rows: None }];
        Self { keys, missing: vec![Wildcard; all], constraints, importance: vec![1.0; all] }
    }

    fn rows(&self) -> usize {
        self.keys[0].len()
    }

    fn counted(&self, constraint: &Constraint) -> u64 {
        constraint.rows.as_ref().map_or(self.rows(), |rows| rows.iter().filter(|row| **row).count()) as u64
    }

    fn solve(&self, blanks: Blanks, threads: usize) -> outward_spec::Result<Suppressed> {
        let keys: Vec<&[u32]> = self.keys.iter().map(Vec::as_slice).collect();
        suppress(&Request {
            keys: &keys,
            missing: &self.missing,
            constraints: &self.constraints,
            importance: &self.importance,
            blanks,
            threads,
        })
    }

    /// Rejects the case where fewer records are counted than k, for which alone a file is refused.
    fn solved(&self, blanks: Blanks) -> Result<Suppressed, TestCaseError> {
        self.solve(blanks, 1).map_err(|error| {
            assert!(self.constraints.iter().any(|constraint| self.counted(constraint) < constraint.k), "{error}");
            TestCaseError::reject("k is above the records")
        })
    }

    fn code(&self, row: usize, key: usize, mask: u64) -> u32 {
        if mask >> key & 1 == 1 { 0 } else { self.keys[key][row] }
    }

    /// Keys of the constraint that a record has: all but wildcard keys that are missing.
    fn known(&self, constraint: &Constraint, (row, mask): (usize, u64)) -> Vec<usize> {
        let has = |key: &usize| self.missing[*key] == Category || self.code(row, *key, mask) != 0;
        constraint.keys.iter().copied().filter(has).collect()
    }

    /// Whether record `b` counts for record `a`.
    fn supports(&self, constraint: &Constraint, a: (usize, u64), b: (usize, u64)) -> bool {
        let (known, theirs) = (self.known(constraint, a), self.known(constraint, b));
        let agree = known.iter().filter(|key| theirs.contains(key));
        let agree = agree.into_iter().all(|key| self.code(a.0, *key, a.1) == self.code(b.0, *key, b.1));
        let most = |known: &[usize]| known.len() > constraint.keys.len() / 2;
        agree && (most(&known) && most(&theirs) || known.iter().all(|key| theirs.contains(key)))
    }

    /// Whether every record that loses something keeps most keys of every constraint.
    fn keeps_most(&self, masks: &[u64]) -> bool {
        let kept = |constraint: &Constraint, row: usize| self.known(constraint, (row, masks[row])).len();
        let most = |constraint: &Constraint, row: usize| kept(constraint, row) > constraint.keys.len() / 2;
        (0..self.rows()).all(|row| masks[row] == 0 || self.constraints.iter().all(|constraint| most(constraint, row)))
    }

    /// Whether a record has k supporting records in every constraint that counts it.
    fn safe(&self, row: usize, masks: &[u64]) -> bool {
        self.constraints.iter().all(|constraint| {
            let counts = |row: usize| constraint.rows.as_ref().is_none_or(|rows| rows[row]);
            let others = (0..self.rows()).filter(|other| {
                counts(*other) && self.supports(constraint, (row, masks[row]), (*other, masks[*other]))
            });
            !counts(row) || others.count() as u64 >= constraint.k
        })
    }

    fn holds(&self, masks: &[u64]) -> bool {
        (0..self.rows()).all(|row| self.safe(row, masks))
    }

    /// Whether a record would be safe if it alone lost the keys of a mask.
    fn safe_alone(&self, row: usize, mask: u64) -> bool {
        let mut masks = vec![0; self.rows()];
        masks[row] = mask;
        self.safe(row, &masks)
    }

    /// Whether a record loses nothing, or what makes it safe by itself if no part of it would.
    fn needed(&self, row: usize, mask: u64) -> bool {
        let parts = std::iter::successors(Some(mask), |part| part.checked_sub(1).map(|less| less & mask)).skip(1);
        mask == 0 || self.safe_alone(row, mask) && !parts.into_iter().any(|part| self.safe_alone(row, part))
    }

    fn cost(&self, masks: &[u64]) -> f64 {
        let keys = |mask: u64| (0..self.keys.len()).filter(move |key| mask >> key & 1 == 1);
        masks.iter().flat_map(|mask| keys(*mask)).map(|key| self.importance[key]).sum()
    }

    /// The least cost of all choices in which each record has one of the masks `may` allows it.
    fn optimum(&self, may: impl Fn(usize, u64) -> bool) -> f64 {
        let all = 1u64 << self.keys.len();
        let allowed: Vec<Vec<u64>> =
            (0..self.rows()).map(|row| (0..all).filter(|mask| may(row, *mask)).collect()).collect();
        let mut best = f64::INFINITY;
        let mut at = vec![0; self.rows()];
        loop {
            let masks: Vec<u64> = at.iter().zip(&allowed).map(|(at, allowed)| allowed[*at]).collect();
            let cost = self.cost(&masks);
            if cost < best && self.holds(&masks) {
                best = cost;
            }
            let Some(next) = (0..self.rows()).find(|row| at[*row] + 1 < allowed[*row].len()) else { return best };
            at[next] += 1;
            at[..next].fill(0);
        }
    }

    fn check(&self, found: &Suppressed) {
        assert!(self.holds(&found.masks), "{found:?}");
        for (row, mask) in found.masks.iter().enumerate() {
            assert!((0..self.keys.len()).all(|key| mask >> key & 1 == 0 || self.keys[key][row] != 0));
            assert_eq!(mask >> self.keys.len(), 0);
        }
        let per_key = (0..self.keys.len()).map(|key| found.masks.iter().filter(|mask| *mask >> key & 1 == 1).count());
        assert_eq!(found.per_key, per_key.map(|cells| cells as u64).collect::<Vec<_>>());
        assert_eq!(found.cells, found.per_key.iter().sum::<u64>());
        assert!((found.cost - self.cost(&found.masks)).abs() < 1e-9);
        assert!(found.lower_bound <= found.cost);
        let below: Vec<usize> = (0..self.rows()).filter(|row| !self.safe_alone(*row, 0)).collect();
        assert_eq!(found.below_k, below.len() as u64);
        assert_eq!(found.whole, below.iter().filter(|row| found.masks[**row] == 0).count() as u64);
    }
}

/// Files of up to `rows` records and `keys` keys, a value in six missing, with up to `constraints` constraints.
fn cases(
    rows: std::ops::Range<usize>,
    keys: usize,
    constraints: usize,
    missing: impl Strategy<Value = Missing> + Clone,
) -> impl Strategy<Value = Case> {
    (rows, 1..=keys).prop_flat_map(move |(rows, keys)| {
        let code = prop_oneof![1 => Just(0u32), 5 => 1u32..4];
        let constraint = (
            proptest::sample::subsequence((0..keys).collect::<Vec<_>>(), 1..=keys),
            1u64..5,
            proptest::option::weighted(0.3, proptest::collection::vec(any::<bool>(), rows)),
        );
        (
            proptest::collection::vec(proptest::collection::vec(code, rows), keys),
            proptest::collection::vec(missing.clone(), keys),
            proptest::collection::vec(constraint, 1..=constraints),
            proptest::collection::vec(prop_oneof![Just(1.0), Just(2.0), Just(0.7)], keys),
        )
            .prop_map(|(keys, missing, constraints, importance)| {
                let constraints = constraints.into_iter().map(|(keys, k, rows)| Constraint { keys, k, rows }).collect();
                Case { keys, missing, constraints, importance }
            })
    })
}

fn either() -> impl Strategy<Value = Missing> + Clone {
    prop_oneof![Just(Wildcard), Just(Category)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_record_is_supported_by_k_records_afterwards(case in cases(1..40, 5, 3, either())) {
        let found = case.solved(Blanks::Shared)?;
        case.check(&found);
        prop_assert_eq!(found, case.solve(Blanks::Shared, 2).unwrap());
        case.check(&case.solve(Blanks::Own, 1).unwrap());
    }

    #[test]
    fn under_wildcards_a_record_loses_only_what_it_needs_itself(
        case in cases(5..40, 5, 3, Just(Wildcard)),
        blanks in prop_oneof![Just(Blanks::Shared), Just(Blanks::Own)],
    ) {
        let found = case.solved(blanks)?;
        prop_assert!(blanks == Blanks::Shared || found.whole == 0);
        // A record that comes to lack most keys may no longer support others, which then lose values too.
        prop_assume!(case.keeps_most(&found.masks));
        prop_assert!((0..case.rows()).all(|row| case.needed(row, found.masks[row])));
    }

    #[test]
    fn no_choice_by_the_rule_costs_less_than_the_bound(case in cases(2..7, 3, 2, Just(Wildcard))) {
        let found = case.solved(Blanks::Shared)?;
        let optimum = case.optimum(|row, mask| case.needed(row, mask));
        prop_assert!(found.lower_bound <= optimum + 1e-9, "{} {optimum}", found.lower_bound);
        // A record that comes to lack most keys no longer supports others. The search does not look ahead at what that
        // costs.
        prop_assume!(case.keeps_most(&found.masks));
        prop_assert!(found.cost <= 1.5 * optimum + 1e-9, "{} {optimum}", found.cost);
    }

    #[test]
    fn with_categories_no_choice_at_all_costs_less_than_the_bound(case in cases(2..6, 2, 2, either())) {
        let mut asked = case.constraints.iter().flat_map(|constraint| &constraint.keys);
        prop_assume!(asked.any(|key| case.missing[*key] == Category));
        let found = case.solved(Blanks::Shared)?;
        let optimum = case.optimum(|row, mask| (0..2).all(|key| mask >> key & 1 == 0 || case.keys[key][row] != 0));
        prop_assert!(found.lower_bound <= optimum + 1e-9, "{} {optimum}", found.lower_bound);
    }

    #[test]
    fn many_keys_and_large_codes_hold_too(
        codes in proptest::collection::vec(proptest::collection::vec(1u32..3, 14), 12..40),
        large in any::<bool>(),
    ) {
        let scale = if large { 2_000_000_000 } else { 1 };
        let keys = (0..14).map(|key| codes.iter().map(|codes| codes[key] * scale).collect()).collect();
        let case = Case::plain(keys, 3);
        let found = case.solve(Blanks::Shared, 1).unwrap();
        case.check(&found);
    }

    #[test]
    fn of_many_keys_records_that_differ_in_few_lose_only_what_they_need(
        others in proptest::collection::vec(proptest::sample::subsequence((0..14usize).collect::<Vec<_>>(), 0..3), 12..40),
        large in any::<bool>(),
    ) {
        let scale = if large { 2_000_000_000 } else { 1 };
        let code = |key: usize, others: &Vec<usize>| scale * (1 + u32::from(others.contains(&key)));
        let keys = (0..14).map(|key| others.iter().map(|others| code(key, others)).collect()).collect();
        let case = Case::plain(keys, 3);
        let found = case.solve(Blanks::Shared, 1).unwrap();
        case.check(&found);
        prop_assume!(case.keeps_most(&found.masks));
        prop_assert!((0..case.rows()).all(|row| case.needed(row, found.masks[row])));
    }
}

#[test]
fn two_blanks_protect_all_records_that_differ_in_one_key() {
    // Ten people alike but for their age: a person who keeps it could be either of the two who lose it.
    let case = Case::plain(vec![vec![1; 10], vec![1; 10], (1..=10).collect()], 3);
    let shared = case.solve(Blanks::Shared, 1).unwrap();
    assert_eq!((shared.cells, shared.lower_bound, shared.below_k, shared.whole), (2, 2.0, 10, 8));
    let own = case.solve(Blanks::Own, 1).unwrap();
    assert_eq!((own.cells, own.lower_bound, own.whole), (10, 10.0, 0));
}

#[test]
fn a_record_blanked_on_half_of_its_keys_protects_no_other() {
    // With one key beside the age, two blanks would show less than they hide.
    let case = Case::plain(vec![vec![1; 10], (1..=10).collect()], 3);
    let shared = case.solve(Blanks::Shared, 1).unwrap();
    assert_eq!((shared.cells, shared.whole), (10, 0));
    case.check(&shared);
}

#[test]
fn records_that_were_blank_before_protect_nobody() {
    // 200 people who all differ and ten of whom nothing is known.
    let with_blanks = |codes: Vec<u32>| codes.into_iter().chain(vec![0; 10]).collect::<Vec<u32>>();
    let keys = vec![
        with_blanks((1..=200).collect()),
        with_blanks((0..200).map(|row| 1 + row % 2).collect()),
        with_blanks((0..200).map(|row| 1 + row % 4).collect()),
    ];
    let case = Case::plain(keys, 10);
    let found = case.solve(Blanks::Shared, 1).unwrap();
    assert_eq!(found.below_k, 200);
    case.check(&found);
}

#[test]
fn a_key_that_matters_more_is_kept() {
    // The odd one out would be safe without its age or without its sex.
    let keys = vec![vec![1, 1, 1, 2, 2, 2, 1], vec![1, 1, 1, 2, 2, 2, 2]];
    let mut case = Case::plain(keys, 3);
    for (importance, per_key) in [([5.0, 1.0], [0, 1]), ([1.0, 5.0], [1, 0])] {
        case.importance = importance.to_vec();
        let found = case.solve(Blanks::Own, 1).unwrap();
        assert_eq!(found.per_key, per_key);
        assert_eq!(found.cost, 1.0);
    }
}

#[test]
fn as_a_category_missing_must_be_shared_by_k_records() {
    let mut case = Case::plain(vec![vec![1, 1, 1, 1, 1], vec![1, 1, 1, 1, 2]], 3);
    case.missing = vec![Category; 2];
    // Two of the four join the odd one; of the four only two would stay, so all lose the key.
    assert_eq!(case.solve(Blanks::Shared, 1).unwrap().per_key, [0, 5]);
    let mut case = Case::plain(vec![vec![1; 6], vec![1, 1, 1, 1, 1, 2]], 3);
    case.missing = vec![Category; 2];
    let found = case.solve(Blanks::Shared, 1).unwrap();
    assert_eq!(found.per_key, [0, 3]);
}

#[test]
fn what_holds_already_costs_nothing() {
    let case = Case::plain(vec![vec![1, 1, 0], vec![2, 0, 2], vec![1, 1, 1]], 3);
    let found = case.solve(Blanks::Shared, 1).unwrap();
    assert_eq!((found.cells, found.lower_bound, found.below_k), (0, 0.0, 0));
    assert_eq!(Case::plain(vec![vec![]], 3).solve(Blanks::Shared, 1).unwrap().masks, Vec::<u64>::new());
}

#[test]
fn a_k_above_the_records_is_refused() {
    let error = Case::plain(vec![vec![1, 2]], 3).solve(Blanks::Shared, 1).unwrap_err();
    assert!(error.to_string().contains("with 3 in all, and there are only 2"), "{error}");
    let mut case = Case::plain(vec![vec![1, 2]], 2);
    case.importance = vec![0.0];
    assert!(case.solve(Blanks::Shared, 1).is_err());
}

mod real_data {
    use super::*;

    #[test]
    fn ten_thousand_persons_lose_fewer_cells_than_in_sdcmicro() {
        let text = outward_testing::real_data::text("keys_10k.csv.gz");
        let names = ["sex", "age", "race", "marital", "education", "country", "workclass"];
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        let places = names.map(|name| header.iter().position(|column| *column == name).unwrap());
        let mut codes = vec![BTreeMap::new(); names.len()];
        let mut keys = vec![Vec::new(); names.len()];
        for line in lines {
            let values: Vec<&str> = line.split(',').collect();
            for key in 0..names.len() {
                let next = codes[key].len() as u32 + 1;
                keys[key].push(*codes[key].entry(values[places[key]]).or_insert(next));
            }
        }
        let case = Case::plain(keys, 3);
        let shared = case.solve(Blanks::Shared, 2).unwrap();
        // sdcMicro 5.8.1 suppresses 5,567 cells.
        assert_eq!(shared.below_k, 5124);
        assert!(shared.cells <= 1320, "{}", shared.cells);
        assert!(shared.lower_bound >= 1080.0, "{}", shared.lower_bound);
        let own = case.solve(Blanks::Own, 1).unwrap();
        // One record lost most keys, and one that it had supported lost a value for it.
        assert_eq!((own.cells, own.lower_bound, own.whole), (6027, 6026.0, 0));
    }
}
