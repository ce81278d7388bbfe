//! Redesigns of Table 7, and of random tables recounted by independent code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub)]

#[path = "redesign/recount.rs"]
mod recount;
#[path = "judge/table7.rs"]
mod table7;

use std::path::Path;

use outward_spec::{Hierarchy, HierarchySpec, Variable};
use outward_tables::judge::judge;
use outward_tables::redesign::{Recodings, Redesign, recodings, redesign};

fn choices() -> Vec<Recodings> {
    let (inner, table) = (table7::inner(), table7::table(true));
    let compile = |spec: &str| {
        let spec: HierarchySpec = toml::from_str(spec).unwrap();
        [Hierarchy::compile(&spec, Path::new(""), "variable").unwrap()]
    };
    let join = vec![["Fatal".to_owned(), "Serious".to_owned()], ["Serious".to_owned(), "Slight".to_owned()]];
    let severity = Variable { join, ..Variable::named("severity") };
    let factors = compile("file = 'outward:contributory-factors'");
    vec![
        recodings(&inner.bases[0], &Variable::named("factor"), &factors, &table.dimensions[0]),
        recodings(&inner.bases[1], &severity, &[], &table.dimensions[1]),
        recodings(&inner.bases[2], &Variable::named("age"), &compile("bands = [31, 41]"), &table.dimensions[2]),
    ]
}

fn answers() -> Vec<Redesign> {
    redesign(&table7::inner(), &table7::table(true), &choices(), &table7::rules(), 5).unwrap()
}

#[test]
fn a_redesign_of_table_7_that_needs_no_protection_comes_first() {
    let answers = answers();
    let first = &answers[0];
    assert_eq!(first.unsafe_left, 0);
    assert!(judge(&first.table, &table7::rules()).unwrap().is_clean());
    // Grouping the factors and joining fatal with serious loses less than giving up single ages.
    let factors = format!("factor: level 1: {}, {}", "Injudicious action", "Vehicle defects");
    assert_eq!(first.changes(), [factors.as_str(), "severity: joined: Fatal or Serious, Slight"]);
    assert!(first.lost > 0.0 && first.lost < 0.5);
}

#[test]
fn table_7a_is_among_the_answers_with_the_small_counts_it_still_has() {
    let answers = answers();
    let only_age = answers.iter().find(|answer| answer.changed.iter().all(|change| change.variable == "age")).unwrap();
    assert_eq!(only_age.changed[0].to, "level 1: 31-40");
    let table = &only_age.table;
    let counts: Vec<u64> = (0..9).map(|row| table.counts[table.cell(&[row / 3, row % 3, 0])]).collect();
    assert_eq!(counts, [2, 44, 67, 3, 45, 86, 2, 68, 92]);
    assert_eq!(*table.counts.last().unwrap(), 409);
    // The 2 of speeding in the band and in its total, and the total of 2 for brakes.
    assert_eq!(only_age.unsafe_left, 3);
    let was = judge(&table7::table(true), &table7::rules()).unwrap().primary().len();
    assert!(was > 10, "{was} cells were unsafe before");
}

#[test]
fn answers_are_in_the_order_of_what_is_unsafe_and_then_of_what_is_lost() {
    let answers = answers();
    assert!(answers.is_sorted_by(|a, b| (a.unsafe_left, a.lost) <= (b.unsafe_left, b.lost)));
    for answer in &answers {
        assert_eq!(judge(&answer.table, &table7::rules()).unwrap().primary().len(), answer.unsafe_left);
        assert!((0.0..=1.0).contains(&answer.lost));
        let severities: Vec<&str> = answer.dimensions[1].nodes.iter().map(|node| node.label.as_str()).collect();
        assert!(!severities.iter().any(|label| label.starts_with("Serious or")), "{severities:?}");
    }
}

#[test]
fn a_table_with_nothing_unsafe_needs_no_redesign() {
    let mut inner = table7::inner();
    inner.tallies.iter_mut().for_each(|tally| tally.count = 50);
    let mut rules = table7::rules();
    rules.coalition = None;
    assert!(redesign(&inner, &table7::table(true), &choices(), &rules, 5).unwrap().is_empty());
}
