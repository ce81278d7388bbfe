//! Group disclosure with coalitions, and zeros.

use outward_spec::{RiskCategory, TableCase, TableRules};
use outward_tables::judge::{NoteKind, Rule, Verdict, judge};
use outward_tables::{Base, Kind, Shown, Table};

fn rules(coalition: Option<u64>) -> TableRules {
    TableRules {
        categories: vec![RiskCategory { name: "one".into(), groups: true, ..RiskCategory::default() }],
        cases: vec![TableCase { category: "one".into(), check: true, ..TableCase::default() }],
        coalition,
        zero_share: Some(0.8),
        ..TableRules::default()
    }
}

fn line(counts: &[u64], kind: Kind, coalition: Option<u64>) -> Verdict {
    let values = (0..counts.len()).map(|at| format!("v{at}")).collect();
    let base = Base { variable: "casualty".into(), values, sets: None, ..Base::default() };
    let shown = Shown { label: "casualty".into(), kind, total: true, ..Shown::default() };
    let counts = counts.iter().copied().chain([counts.iter().sum()]).collect();
    let table = Table { dimensions: vec![shown.dimension(&base).unwrap()], counts, ..Table::default() };
    judge(&table, &rules(coalition)).unwrap()
}

fn group(counts: &[u64], coalition: u64) -> Option<usize> {
    let verdict = line(counts, Kind::Fact, Some(coalition));
    verdict.unsafe_cells.iter().find(|found| found.rule == Rule::Group).map(|found| found.cell)
}

#[test]
fn four_of_four_fatal_is_group_disclosure() {
    assert_eq!(group(&[4, 0, 0], 0), Some(0));
    assert_eq!(group(&[0, 0, 40], 0), Some(2));
}

#[test]
fn the_one_who_is_left_over_learns_of_all_others() {
    assert_eq!(group(&[9, 1, 0], 1), Some(0));
    assert_eq!(group(&[9, 1, 0], 0), None);
    assert_eq!(group(&[8, 2, 0], 1), None);
    assert_eq!(group(&[8, 1, 1], 2), Some(0));
}

#[test]
fn one_person_is_no_group() {
    assert_eq!(group(&[1, 0, 0], 1), None);
    assert_eq!(group(&[1, 1, 0], 1), None);
}

#[test]
fn a_large_group_is_noted_and_not_hidden() {
    let verdict = line(&[5000, 0, 0, 1], Kind::Fact, Some(1));
    assert!(verdict.is_clean() && verdict.virtual_sums.is_empty());
    assert!(verdict.notes.iter().any(|note| note.kind == NoteKind::LargeGroup));
}

#[test]
fn where_something_happened_is_no_secret_of_a_group() {
    assert!(line(&[4, 0, 0], Kind::Geography, Some(1)).is_clean());
}

#[test]
fn groups_are_looked_for_only_where_the_policy_says_so() {
    assert!(line(&[4, 0, 0], Kind::Fact, None).is_clean());
}

#[test]
fn zeros_dominate_a_row_from_the_share_of_the_policy_on() {
    let dominated = |counts: &[u64]| {
        line(counts, Kind::Fact, None).notes.iter().any(|note| note.kind == NoteKind::DominatedByZeros)
    };
    assert!(dominated(&[3, 0, 0, 0, 0]));
    assert!(!dominated(&[3, 3, 0, 0, 0]));
    assert!(!dominated(&[0, 0, 0, 0, 0]), "an empty row says nothing of anyone");
    assert!(!dominated(&[3, 0]), "two cells are too few to be dominated");
}
