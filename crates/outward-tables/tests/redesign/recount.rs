//! Every redesign that is called clean is clean when it is counted again from single records.

use std::path::Path;

use outward_spec::{Hierarchy, HierarchySpec, RiskCategory, TableCase, TableRules, Variable};
use outward_tables::redesign::{Redesign, recodings, redesign};
use outward_tables::{Base, Inner, Shown, Table, Tally};
use proptest::prelude::*;

const LIMIT: u64 = 2;

fn rules() -> TableRules {
    let category =
        RiskCategory { name: "one".into(), cells: LIMIT, margins: LIMIT, groups: true, ..RiskCategory::default() };
    TableRules {
        categories: vec![category],
        cases: vec![TableCase { category: "one".into(), check: true, ..TableCase::default() }],
        coalition: Some(1),
        ..TableRules::default()
    }
}

/// A record: the factors it has, its age and its sex, as codes.
type Record = (Vec<u32>, u32, u32);

fn inner_of(records: &[Record]) -> Inner {
    let names = |n: u32| (0..n).map(|value| value.to_string()).collect();
    let mut sets: Vec<Vec<u32>> = Vec::new();
    let mut inner = Inner { scale: 1, ..Inner::default() };
    for (factors, age, sex) in records {
        let at = sets.iter().position(|set| set == factors).unwrap_or(sets.len());
        if at == sets.len() {
            sets.push(factors.clone());
        }
        inner.codes.extend([at as u32, *age, *sex]);
        inner.tallies.push(Tally { count: 1, ..Tally::default() });
    }
    inner.bases = vec![
        Base { variable: "factor".into(), values: names(4), sets: Some(sets), ..Base::default() },
        Base { variable: "age".into(), values: names(8), sets: None, ..Base::default() },
        Base { variable: "sex".into(), values: names(2), sets: None, ..Base::default() },
    ];
    inner
}

fn answers(records: &[Record]) -> Vec<Redesign> {
    let inner = inner_of(records);
    let spec = HierarchySpec::Widths { widths: vec![2, 4], bottom: None, top: None };
    let bands = [Hierarchy::compile(&spec, Path::new(""), "v").unwrap()];
    let mut shell = Table { name: "random".into(), ..Table::default() };
    let mut choices = Vec::new();
    for base in &inner.bases {
        let dimension =
            Shown { label: base.variable.clone(), total: true, ..Shown::default() }.dimension(base).unwrap();
        choices.push(recodings(base, &Variable::named(&base.variable), &bands, &dimension));
        shell.dimensions.push(dimension);
    }
    let table = inner.tabulate(shell, 0).unwrap();
    redesign(&inner, &table, &choices, &rules(), 4).unwrap()
}

/// How many records are in each of these values: some factor, the age and the sex.
fn count(records: &[Record], nodes: [&[u32]; 3]) -> u64 {
    let inside = |(factors, age, sex): &&Record| {
        factors.iter().any(|factor| nodes[0].contains(factor)) && nodes[1].contains(age) && nodes[2].contains(sex)
    };
    records.iter().filter(inside).count() as u64
}

fn check(records: &[Record], answer: &Redesign) -> Result<(), TestCaseError> {
    let [factors, ages, sexes] = &answer.dimensions[..] else { panic!("three dimensions") };
    let both_sexes = sexes.nodes.iter().filter(|node| node.finest).count() == 2;
    let mut cell = 0;
    for factor in &factors.nodes {
        for age in &ages.nodes {
            for sex in &sexes.nodes {
                let counted = count(records, [&factor.values, &age.values, &sex.values]);
                prop_assert_eq!(counted, answer.table.counts[cell]);
                prop_assert!(answer.unsafe_left > 0 || counted == 0 || counted > LIMIT);
                cell += 1;
            }
            if answer.unsafe_left == 0 && both_sexes {
                let split = [1, 2].map(|sex| count(records, [&factor.values, &age.values, &[sex]]));
                let (most, total) = (split[0].max(split[1]), split[0] + split[1]);
                prop_assert!(most < 2 || total - most > 1 || total > 50, "a group of {total} is left");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_redesign_called_clean_is_clean_when_counted_from_the_records(
        records in prop::collection::vec((prop::collection::btree_set(1u32..5, 1..3), 1u32..9, 1u32..3), 20..200),
    ) {
        let of = |(factors, age, sex): (std::collections::BTreeSet<u32>, u32, u32)| (factors.into_iter().collect(), age, sex);
        let records: Vec<Record> = records.into_iter().map(of).collect();
        for answer in &answers(&records) {
            check(&records, answer)?;
        }
    }
}
