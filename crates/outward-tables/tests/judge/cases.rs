//! Every row of Table 6, Table 7 with its three risks, and what no row covers.

use outward_spec::{CaseRating, Intruder, Policy};
use outward_tables::judge::{NoteKind, Rule, findings, judge};
use outward_tables::{Dimension, Kind, Node, Table};

use crate::table7;

/// Table 6: scenario, level, factual variables, rating high, category, largest unsafe count inside, largest unsafe total.
const TABLE_6: [(&str, &str, usize, bool, &str, u64, u64); 16] = [
    ("1", "national", 1, true, "low", 0, 2),
    ("1", "national", 1, false, "low", 0, 0),
    ("2", "national", 2, true, "low", 0, 2),
    ("2", "national", 2, false, "low", 0, 0),
    ("3a", "country", 1, true, "low", 0, 2),
    ("3a", "country", 1, false, "low", 0, 0),
    ("3b", "country", 2, true, "medium", 2, 2),
    ("3b", "country", 2, false, "low", 0, 2),
    ("4a", "region", 1, true, "low", 0, 2),
    ("4a", "region", 1, false, "low", 0, 0),
    ("4b", "region", 2, true, "medium", 2, 2),
    ("4b", "region", 2, false, "low", 0, 2),
    ("5a", "local-authority", 1, true, "high", 4, 4),
    ("5a", "local-authority", 1, false, "medium", 2, 2),
    ("5b", "local-authority", 2, true, "high", 4, 4),
    ("5b", "local-authority", 2, false, "medium", 2, 2),
];

fn dimension(variable: &str, kind: Kind, labels: &[&str]) -> Dimension {
    let node = |(at, label): (usize, &&str)| Node {
        label: (*label).to_owned(),
        total: *label == "Total",
        finest: *label != "Total",
        values: if *label == "Total" { (1..=at as u32).collect() } else { vec![at as u32 + 1] },
        ..Node::default()
    };
    let nodes: Vec<Node> = labels.iter().enumerate().map(node).collect();
    let total = nodes.iter().position(|node| node.total);
    let sums = total.map(|total| (total, (0..total).collect())).into_iter().collect();
    Dimension { variable: variable.into(), label: variable.into(), kind, nodes, sums, ..Dimension::default() }
}

/// One factor by a variable with these counts and their total, with so many factual variables.
fn row_of(level: &str, facts: usize, high: bool, counts: &[u64]) -> Table {
    let mut factor = dimension("factor", Kind::Rated, &["F"]);
    factor.nodes[0].high = high;
    let mut dimensions = vec![factor];
    dimensions.extend((1..facts).map(|_| dimension("sex", Kind::Fact, &["All"])));
    let letter = |at: usize| char::from(b'a' + (at % 26) as u8).to_string().repeat(1 + at / 26);
    let labels: Vec<String> = (0..counts.len()).map(letter).chain(["Total".to_owned()]).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    dimensions.push(dimension("fact", Kind::Fact, &labels));
    let counts = counts.iter().copied().chain([counts.iter().sum()]).collect();
    Table { name: "t".into(), geography: Some(level.into()), dimensions, counts, ..Table::default() }
}

#[test]
fn every_row_of_table_6_has_its_category_and_its_unsafe_counts() {
    for (scenario, level, facts, high, category, cells, margins) in TABLE_6 {
        let counts = [1, 2, 3, 4, 5, 60];
        let verdict = judge(&row_of(level, facts, high, &counts), &table7::rules()).unwrap();
        let rating = if high { CaseRating::High } else { CaseRating::Other };
        assert_eq!(verdict.category, category, "{scenario} {level} {facts} {high}");
        assert_eq!((verdict.cases.len(), verdict.cases[0].rating), (1, Some(rating)));
        assert_eq!(verdict.cases[0].scenario, scenario);
        let wanted: Vec<usize> = (0..6).filter(|at| counts[*at] <= cells).collect();
        assert_eq!(verdict.primary(), wanted, "{scenario} {level} {facts} {high}");
        for total in 1..=5 {
            let verdict = judge(&row_of(level, facts, high, &[total]), &table7::rules()).unwrap();
            let found = verdict.unsafe_cells.iter().any(|found| found.rule == Rule::Margin && found.cell == 1);
            assert_eq!(found, total <= margins, "{scenario} {level} {facts} {high}: total {total}");
        }
    }
}

#[test]
fn table_7_has_its_three_risks_with_the_right_categories() {
    let table = table7::table(false);
    let verdict = judge(&table, &table7::rules()).unwrap();
    assert_eq!(verdict.category, "medium");
    let found: Vec<(String, Rule, &str)> = (verdict.unsafe_cells.iter())
        .map(|found| (table.describe(found.cell), found.rule, found.category.as_str()))
        .collect();
    let has = |cell: &str, rule: Rule, category: &str| found.contains(&(cell.to_owned(), rule, category));
    // Risk 1: a total of 2 for a factor rated high, with the small counts that make it up.
    assert!(has("factor 306 Exceeding speed limit, severity Fatal", Rule::Margin, "medium"), "{found:?}");
    assert!(has("factor 306 Exceeding speed limit, severity Fatal, age 31", Rule::Cell, "medium"));
    // Risk 2: all those killed by following too close are 35.
    assert!(has("factor 308 Following too close, severity Fatal, age 35", Rule::Group, "medium"));
    // Risk 3: a factor not rated high is of low risk, where only totals are looked at.
    assert!(has("factor 203 Defective brakes, severity Fatal", Rule::Margin, "low"));
    let others: Vec<_> = found.iter().filter(|(cell, _, _)| cell.contains("Defective")).collect();
    assert_eq!(others.len(), 1, "{others:?}");
    // 1, 1, 2, 2, 2 of speeding, 2 of following, two totals and the group.
    assert_eq!(verdict.primary().len(), 9, "{found:?}");
    let dominated = verdict.notes.iter().filter(|note| note.kind == NoteKind::DominatedByZeros);
    let lines: Vec<&str> = dominated.map(|note| note.line.as_str()).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("severity Fatal by age")));
}

#[test]
fn the_group_of_table_7_must_not_be_worked_out_from_its_total_either() {
    let table = table7::table(false);
    let verdict = judge(&table, &table7::rules()).unwrap();
    let (full, total) = (table.cell(&[1, 0, 4]), table.cell(&[1, 0, 10]));
    assert!(verdict.virtual_sums.contains(&vec![(total, 1), (full, -1)]));
    // Along the factors no total is shown, so the other factors are named.
    assert!(verdict.virtual_sums.contains(&vec![(table.cell(&[0, 0, 4]), 1), (table.cell(&[2, 0, 4]), 1)]));
    for sum in &verdict.virtual_sums {
        let value: i64 = sum.iter().map(|(cell, sign)| table.counts[*cell] as i64 * i64::from(*sign)).sum();
        assert!((0..=1).contains(&value));
    }
}

#[test]
fn a_total_over_factors_takes_the_highest_category_of_its_parts() {
    let table = table7::table(true);
    let verdict = judge(&table, &table7::rules()).unwrap();
    let over_factors = table.cell(&[3, 0, 2]);
    let found = verdict.unsafe_cells.iter().find(|found| found.cell == over_factors).unwrap();
    assert_eq!((found.rule, found.category.as_str()), (Rule::Margin, "medium"));
}

#[test]
fn breath_tests_are_always_of_high_risk() {
    for name in ["Breath test", "breath_test", "BREATH-TEST"] {
        let mut table = row_of("national", 1, false, &[4, 60]);
        table.dimensions[1].variable = name.into();
        let verdict = judge(&table, &table7::rules()).unwrap();
        assert_eq!((verdict.category.as_str(), verdict.primary()), ("high", vec![0]));
    }
    let mut table = row_of("national", 1, false, &[4, 60]);
    table.condition = Some("\"Breath test\" = 'Positive'".into());
    table.condition_reads = vec!["Breath test".into()];
    assert_eq!(judge(&table, &table7::rules()).unwrap().category, "high");
    // Even where the policy has no rule for so many variables.
    let mut table = row_of("national", 4, false, &[4, 60]);
    table.dimensions[1].variable = "breath test".into();
    assert_eq!(judge(&table, &table7::rules()).unwrap().category, "high");
}

#[test]
fn a_table_the_policy_has_no_rule_for_is_refused() {
    let error = judge(&row_of("region", 3, true, &[9]), &table7::rules()).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("at region level with 3 factual variables and rating high"), "{said}");
    assert!(error.help().unwrap().contains("[[tables.cases]]"));
}

#[test]
fn an_unknown_level_of_geography_is_answered_with_those_of_the_policy() {
    let error = judge(&row_of("ward", 1, true, &[9]), &table7::rules()).unwrap_err();
    assert!(error.to_string().contains("`ward`"));
    assert!(error.help().unwrap().contains("local-authority"), "{:?}", error.help());
}

#[test]
fn a_table_without_geography_is_judged_at_the_largest_area() {
    let mut table = row_of("national", 1, true, &[1, 60]);
    table.geography = None;
    assert_eq!(judge(&table, &table7::rules()).unwrap().cases[0].scenario, "1");
}

#[test]
fn the_tiers_of_the_gss_policy_are_its_three_risk_categories() {
    let policy = Policy::named("gss-tables").unwrap();
    for (tier, unsafe_counts) in [("low", 0), ("medium", 2), ("high", 4)] {
        let rules = policy.tier(Some(tier)).unwrap().unwrap().thresholds.tables.clone().unwrap();
        let verdict = judge(&row_of("ward", 5, true, &[1, 2, 3, 4, 5, 60]), &rules).unwrap();
        assert_eq!((verdict.category.as_str(), verdict.primary().len()), (tier, unsafe_counts));
    }
}

#[test]
fn estimates_are_judged_by_the_people_counted() {
    let mut table = row_of("region", 2, true, &[2, 60]);
    table.weighted = Some(vec![900_000, 60_000, 960_000]);
    assert_eq!(judge(&table, &table7::rules()).unwrap().primary(), [0]);
}

#[test]
fn findings_name_cell_rule_and_intruder_and_never_tell_counts_apart() {
    let said = |counts: &[u64]| {
        let table = row_of("region", 2, true, counts);
        findings(&table, &judge(&table, &table7::rules()).unwrap())
    };
    assert_eq!(said(&[1, 60, 70]), said(&[2, 81, 90]));
    let finding = &said(&[1, 60, 70])[0];
    assert_eq!((finding.code.as_str(), finding.about.as_deref()), ("OUT022", Some("t")));
    for words in ["fact a", "a count from 1 to 2", "medium", "motivated intruder", "their own record", "neighbour"] {
        assert!(finding.message.contains(words), "{}", finding.message);
    }
    let table = table7::table(false);
    let codes: std::collections::BTreeSet<String> =
        findings(&table, &judge(&table, &table7::rules()).unwrap()).into_iter().map(|finding| finding.code).collect();
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), ["OUT022", "OUT023", "OUT024", "OUT025"]);
}

#[test]
fn every_unsafe_cell_has_its_own_finding_however_many_there_are() {
    let table = row_of("region", 2, true, &[1; 250]);
    let verdict = judge(&table, &table7::rules()).unwrap();
    let found = findings(&table, &verdict);
    let named: std::collections::BTreeSet<&str> =
        found.iter().filter(|finding| finding.code == "OUT022").map(|finding| finding.message.as_str()).collect();
    assert_eq!(named.len(), 250);
}

#[test]
fn a_small_count_is_open_to_all_three_intruders() {
    let verdict = judge(&row_of("region", 2, true, &[1, 60]), &table7::rules()).unwrap();
    assert_eq!(verdict.unsafe_cells[0].intruders, [Intruder::Motivated, Intruder::Oneself, Intruder::Neighbour]);
}
