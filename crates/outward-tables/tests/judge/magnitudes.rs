//! Rules for sums, by hand and against the attacker they are made for.

use std::cell::Cell;

use outward_spec::{Dominance, MagnitudeRules, RiskCategory, TableCase, TableRules};
use outward_tables::judge::{Rule, Verdict, judge, largest_needed};
use outward_tables::{Base, Contribution, Inner, Magnitudes, Shown, Table, Tally};
use outward_testing::random_cases::check;
use proptest::prelude::*;

/// One cell with these contributions, each of a contributor of its own.
fn cell(contributions: &[i64], magnitude: MagnitudeRules) -> Verdict {
    let largest = largest_needed(&magnitude);
    let rules = TableRules {
        categories: vec![RiskCategory { name: "one".into(), ..RiskCategory::default() }],
        cases: vec![TableCase { category: "one".into(), check: true, ..TableCase::default() }],
        magnitude: Some(magnitude),
        ..TableRules::default()
    };
    let base = Base { variable: "place".into(), values: vec!["here".into()], sets: None, ..Base::default() };
    let dimension = Shown { label: "place".into(), ..Shown::default() }.dimension(&base).unwrap();
    let given = |(contributor, amount): (u64, &i64)| Contribution { cell: 0, contributor, amount: *amount };
    let inner = Inner {
        bases: vec![base],
        codes: vec![1],
        tallies: vec![Tally { count: contributions.len() as u64, ..Tally::default() }],
        contributions: (1u64..).zip(contributions).map(given).collect(),
        scale: 1,
    };
    let shell = Table { dimensions: vec![dimension], magnitudes: Some(Magnitudes::default()), ..Table::default() };
    judge(&inner.tabulate(shell, largest).unwrap(), &rules).unwrap()
}

fn broken(verdict: &Verdict) -> Vec<(Rule, Option<(i64, i64)>)> {
    verdict.unsafe_cells.iter().map(|found| (found.rule, found.protection)).collect()
}

#[test]
fn fewer_contributors_than_the_threshold_are_unsafe_and_none_is_not() {
    let rule = || MagnitudeRules { threshold: Some(3), ..MagnitudeRules::default() };
    assert_eq!(broken(&cell(&[10, 10], rule())), [(Rule::Threshold, Some((1, 1)))]);
    assert!(cell(&[10, 10, 10], rule()).is_clean());
    assert!(cell(&[], rule()).is_clean());
}

#[test]
fn dominance_is_more_than_k_per_cent_and_asks_for_the_bound_that_would_be_k() {
    let rule = |n, k| MagnitudeRules { dominance: Some(Dominance { n, k }), ..MagnitudeRules::default() };
    // 80 of 100 is more than 75 %: the sum would have to be 80/0.75 = 106.67.
    assert_eq!(broken(&cell(&[80, 15, 5], rule(1, 75.0))), [(Rule::Dominance, Some((7, 7)))]);
    assert!(cell(&[75, 20, 5], rule(1, 75.0)).is_clean());
    // 95 of 100 by two: 95/0.9 = 105.56.
    assert_eq!(broken(&cell(&[80, 15, 5], rule(2, 90.0))), [(Rule::Dominance, Some((6, 6)))]);
}

#[test]
fn the_second_largest_must_not_come_within_p_per_cent_of_the_largest() {
    let rule = |p, q, coalition| MagnitudeRules { p: Some(p), q, coalition, ..MagnitudeRules::default() };
    // 100 − 80 − 15 = 5 is less than 10 % of 80, by 3.
    assert_eq!(broken(&cell(&[80, 15, 5], rule(10.0, None, None))), [(Rule::PPercent, Some((3, 3)))]);
    assert!(cell(&[80, 12, 8], rule(10.0, None, None)).is_clean(), "8 is 10 % of 80 and not less");
    // Others know each contribution to within 50 %: 10/50 of 80 is 16, and 8 are left.
    assert_eq!(broken(&cell(&[80, 12, 8], rule(10.0, Some(50.0), None))), [(Rule::PPercent, Some((8, 8)))]);
    // The second and the third together leave 4.
    assert_eq!(broken(&cell(&[80, 8, 8, 4], rule(10.0, None, Some(2)))), [(Rule::PPercent, Some((4, 4)))]);
    assert_eq!(broken(&cell(&[7], rule(10.0, None, None))).len(), 1, "one contributor alone is known to everyone");
}

#[test]
fn the_most_that_any_rule_asks_for_is_the_protection_of_a_cell() {
    let rule = MagnitudeRules {
        threshold: Some(4),
        dominance: Some(Dominance { n: 1, k: 75.0 }),
        p: Some(10.0),
        ..MagnitudeRules::default()
    };
    let verdict = cell(&[80, 15, 5], rule);
    assert_eq!(
        (verdict.unsafe_cells.len(), verdict.primary(), verdict.protections().get(&0)),
        (3, vec![0], Some(&(7, 7)))
    );
}

/// Whether some contributors together could estimate another contribution to within p per cent, knowing those of the rest to within
/// q per cent: every set of attackers and every target is tried.
fn can_be_estimated(amounts: &[i64], p: f64, q: f64, coalition: usize) -> bool {
    let n = amounts.len();
    (0u32..1 << n).filter(|attackers| attackers.count_ones() as usize <= coalition).any(|attackers| {
        (0..n).filter(|target| attackers & (1 << target) == 0).any(|target| {
            let others = (0..n).filter(|at| *at != target && attackers & (1 << at) == 0);
            let rest: i64 = others.map(|at| amounts[at]).sum();
            q * (rest as f64) < p * amounts[target] as f64
        })
    })
}

#[test]
fn the_p_rule_is_broken_exactly_where_an_attacker_succeeds() {
    let broken = Cell::new(0u32);
    let amounts = prop::collection::vec(1i64..60, 1..7);
    let cases = (amounts, 1u32..60, prop_oneof![Just(100u32), 30u32..100], 1usize..4);
    check(400, &cases, |(amounts, p, q, coalition)| {
        let rule = MagnitudeRules {
            p: Some(p.into()),
            q: Some(q.into()),
            coalition: Some(coalition),
            ..MagnitudeRules::default()
        };
        let verdict = cell(&amounts, rule);
        prop_assert_eq!(!verdict.is_clean(), can_be_estimated(&amounts, p.into(), q.into(), coalition));
        // What is asked for is just enough: with that much more in the cell from others, the attacker fails.
        if let Some((_, above)) = verdict.protections().remove(&0) {
            let mut sorted = amounts;
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let rest: i64 = sorted.iter().skip(coalition + 1).sum();
            let fails = |more: i64| (rest + more) * i64::from(q) >= i64::from(p) * sorted[0];
            prop_assert!(fails(above) && (above == 1 || !fails(above - 1)));
        }
        broken.update(|count| count + u32::from(!verdict.is_clean()));
        Ok(())
    });
    println!("the rule is broken in {broken:?} of 400");
    assert!((40..360).contains(&broken.get()), "both occur: {broken:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dominance_is_broken_exactly_where_some_n_exceed_k_per_cent(
        amounts in prop::collection::vec(1i64..60, 1..7),
        n in 1usize..4,
        k in 40u32..100,
    ) {
        let rule = MagnitudeRules { dominance: Some(Dominance { n, k: k.into() }), ..MagnitudeRules::default() };
        let total: i64 = amounts.iter().sum();
        let exceeds = (0u32..1 << amounts.len()).filter(|some| some.count_ones() as usize <= n).any(|some| {
            let inside = amounts.iter().enumerate().filter(|(at, _)| some & (1 << at) != 0);
            inside.map(|(_, amount)| amount).sum::<i64>() * 100 > i64::from(k) * total
        });
        prop_assert_eq!(!cell(&amounts, rule).is_clean(), exceeds);
    }
}
