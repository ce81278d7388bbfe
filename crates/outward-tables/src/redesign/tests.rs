//! Compares the two searches on random tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use outward_spec::{HierarchySpec, RiskCategory, TableCase};
use proptest::prelude::*;

use super::*;
use crate::dimension::Shown;
use crate::inner::Tally;

fn rules(cells: u64) -> TableRules {
    let category = RiskCategory { name: "one".into(), cells, margins: cells, groups: true, ..RiskCategory::default() };
    TableRules {
        categories: vec![category],
        cases: vec![TableCase { category: "one".into(), check: true, ..TableCase::default() }],
        coalition: Some(1),
        ..TableRules::default()
    }
}

/// Inner cells with these counts over variables of these sizes, with a table of them and the recodings of each
/// variable.
fn table_of(counts: &[u64], sizes: &[usize], total: bool) -> (Inner, Table, Vec<Recodings>) {
    let mut inner = Inner { scale: 1, ..Inner::default() };
    for (at, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let mut rest = at;
        for size in sizes {
            inner.codes.push((rest % size) as u32 + 1);
            rest /= size;
        }
        inner.tallies.push(Tally { count: *count, ..Tally::default() });
    }
    let spec = HierarchySpec::Widths { widths: vec![2, 4], bottom: None, top: None };
    let bands = Hierarchy::compile(&spec, Path::new(""), "v").unwrap();
    let mut shell = Table { name: "random".into(), ..Table::default() };
    let mut choices = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        let values = (0..*size).map(|value| value.to_string()).collect();
        let base = Base { variable: format!("v{at}"), values, sets: None, ..Base::default() };
        let dimension = Shown { label: format!("v{at}"), total, ..Shown::default() }.dimension(&base).unwrap();
        choices.push(recodings(&base, &Variable::named(format!("v{at}")), std::slice::from_ref(&bands), &dimension));
        shell.dimensions.push(dimension);
        inner.bases.push(base);
    }
    let table = inner.tabulate(shell, 0).unwrap();
    (inner, table, choices)
}

#[test]
fn hierarchies_and_joins_of_the_spec_are_the_ways_of_its_tables() {
    let (inner, table, _) = table_of(&[9; 8], &[4, 2], true);
    let text = r#"
        title = "ways"
        [data]
        path = "records.csv"
        [[variables]]
        name = "v0"
        hierarchy = { width = 2 }
        join = [["0", "1"], ["2", "3"], ["1", "2"]]
    "#;
    let spec = Spec::parse(text, Path::new("outward.toml")).unwrap();
    let ways = ways_in(&spec, &inner, &table).unwrap();
    let names = |at: usize| ways[at].ways.iter().map(|way| way.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names(0), ["as it is", "joined: 0 or 1, 2, 3", "level 1: 0-1, 2-3", "total only"]);
    assert_eq!(names(1), ["as it is", "total only"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn best_first_finds_the_clean_redesigns_that_enumeration_finds(
        counts in prop::collection::vec(prop_oneof![3 => 0u64..3, 2 => 3u64..30], 5 * 4 * 3),
        cells in 1u64..4,
        total: bool,
    ) {
        const LIMIT: usize = 4;
        let (inner, table, choices) = table_of(&counts, &[5, 4, 3], total);
        let clean = |exhaustive: bool| -> Vec<(Vec<Change>, f64)> {
            let answers = search_among(&inner, &table, &choices, &rules(cells), LIMIT, exhaustive).unwrap();
            answers.into_iter().filter(|answer| answer.unsafe_left == 0).map(|answer| (answer.changed, answer.lost)).take(LIMIT).collect()
        };
        prop_assert_eq!(clean(true), clean(false));
    }
}
