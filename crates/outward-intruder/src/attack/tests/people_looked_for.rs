//! Whom an intruder with a file of their own looks for, by which variables, and which row of which file a claim names.

use super::*;

/// 60 people of whom everybody is alone, attacked by a file of these people; `None` is a stranger.
fn with_file(rows: &[Option<usize>]) -> Case {
    let ages = |rows: &mut dyn Iterator<Item = usize>| rows.map(|row| (20 + row).to_string()).collect::<Vec<_>>();
    let towns = |rows: &mut dyn Iterator<Item = usize>| rows.map(|row| format!("T{}", row % 5)).collect::<Vec<_>>();
    let spec =
        "variables = [{ name = \"age\", role = \"key\", type = \"integer\" }, { name = \"town\", role = \"key\" }]";
    let source = vec![column("age", ages(&mut (0..60))), column("town", towns(&mut (0..60)))];
    let mut case = Case::new(spec, source);
    let known = || rows.iter().map(|row| row.unwrap_or(7));
    let ids = coded((0..60).map(|row| Some(format!("P{row}"))));
    let named = (0..).zip(rows).map(|(at, row)| Some(row.map_or_else(|| format!("X{at}"), |row| format!("P{row}"))));
    case.people = People {
        columns: vec![column("age", ages(&mut known())), column("town", towns(&mut known()))],
        truth: truth_by_column("id", &coded(named), &ids).unwrap(),
    };
    case.own_file = true;
    case
}

fn rules(least_targets: u64) -> Option<IntruderRules> {
    Some(IntruderRules {
        least_targets: Some(least_targets),
        most_found: Some(0.1),
        most_correct_share: Some(0.5),
        ..IntruderRules::default()
    })
}

#[test]
fn claims_name_the_rows_of_the_published_file_and_of_the_intruders_file() {
    // The intruder looks for persons 10, 3 and 40 of the data. The release has every third record, backwards.
    let mut case = with_file(&[Some(9), Some(3), Some(39)]);
    case.releases[0].order = (0..60).rev().filter(|row| row % 3 == 0).collect();
    case.releases[0].present = (0..60).map(|row| row % 3 == 0).collect();
    let claims = case.attack().claims;
    let named: Vec<(u64, u64, Option<bool>)> =
        claims.iter().map(|claim| (claim.person, claim.records[0], claim.correct)).collect();
    // The published file is rows 57, 54, …, 3, 0 of the data, counted from 0.
    assert_eq!(named, [(1, 17, Some(true)), (2, 19, Some(true)), (3, 7, Some(true))]);
}

#[test]
fn strangers_do_not_make_a_test_large_nor_its_success_small() {
    let mut rows = vec![None; 100];
    rows[50] = Some(7);
    let mut case = with_file(&rows);
    case.scenario.response_knowledge = false;
    case.rules = rules(50);
    let card = case.attack().card;
    assert_eq!((card.people, card.looked_for, card.targets, card.in_release), (100, 100, 1, 1));
    assert_eq!((card.claims, card.correct, card.found.value), (100, 1, 1.0));
    let unmet: Vec<String> =
        card.verdict.unwrap().limits.into_iter().filter(|limit| !limit.met).map(|limit| limit.limit).collect();
    assert_eq!(unmet, ["least_targets", "most_found"]);
}

#[test]
fn a_person_counts_once_in_however_many_rows_they_are() {
    let rows: Vec<Option<usize>> = (0..600).map(|row| if row < 597 { Some(7) } else { Some(row - 590) }).collect();
    let mut case = with_file(&rows);
    case.rules = rules(5);
    let card = case.attack().card;
    assert_eq!((card.people, card.looked_for, card.targets, card.correct), (3, 3, 3, 3));
    assert!(!card.verdict.unwrap().met);
    assert!(
        card.remarks.iter().any(|remark| remark.starts_with("597 rows of the intruder's file are")),
        "{:?}",
        card.remarks
    );
}

#[test]
fn as_many_people_of_the_data_are_looked_for_as_the_scenario_says_among_others() {
    let rows: Vec<Option<usize>> = (0..600).map(|row| (row % 10 == 0).then_some(row / 10)).collect();
    let mut case = with_file(&rows);
    case.scenario.response_knowledge = false;
    case.scenario.targets = Some(20);
    let card = case.attack().card;
    assert_eq!(card.targets, 20);
    assert!((100..400).contains(&card.looked_for), "one in ten is in the data: {}", card.looked_for);
    assert_eq!(card.claims + card.no_claim.no_record, card.looked_for);
}

#[test]
fn a_file_without_a_known_variable_is_matched_by_the_others_and_this_is_said() {
    let mut case = with_file(&[Some(9), Some(3), Some(39)]);
    case.people.columns.remove(0);
    let card = case.attack().card;
    assert_eq!(
        (card.used.as_slice(), card.unused.as_slice()),
        (["town".to_owned()].as_slice(), ["age".to_owned()].as_slice())
    );
    assert!((card.expected - 3.0 / 12.0).abs() < 1e-12, "12 people live in each town: {}", card.expected);
    assert!(card.remarks.iter().any(|remark| remark.contains("no column `age`")), "{:?}", card.remarks);
}
