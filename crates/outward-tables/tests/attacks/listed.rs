//! Rows that are in a table only because somebody is in them (K9): a reader who knows that tells a lone person's answer, unless something
//! else in the row may be theirs.

use std::path::Path;

use outward_fixtures::csv::csv_text;
use outward_fixtures::spec::{keys, suppressed, table};
use outward_fixtures::tables::try_counted_by;
use outward_spec::{RiskCategory, Spec, TableCase, TableRules};
use outward_tables::protect::protect;
use outward_tables::{Figure, Published, judge_all};

const HEADER: [&str; 3] = ["town", "illness", "sex"];

/// Towns A1 and A2 have many of each; one person lives in B1.
fn people() -> Vec<[&'static str; 3]> {
    let mut people = Vec::new();
    for town in ["A1", "A2"] {
        for illness in ["cold", "flu", "gout"] {
            for sex in ["f", "m"] {
                people.extend([[town, illness, sex]; 20]);
            }
        }
    }
    people.push(["B1", "flu", "f"]);
    people
}

/// Counts of 1 and 2 are unsafe, and groups are not looked for: a zero beside a lone person is hidden for K9 alone.
fn rules() -> TableRules {
    let category = RiskCategory { name: "one".into(), cells: 2, margins: 2, ..RiskCategory::default() };
    let case = TableCase { category: "one".into(), check: true, ..TableCase::default() };
    TableRules { categories: vec![category], cases: vec![case], ..TableRules::default() }
}

/// The tables as published, with a hierarchy of the town.
fn published(hierarchy: &str, tables: &str) -> Vec<Published> {
    let town = format!("[[variables]]\nname = \"town\"\nrole = \"key\"\n{hierarchy}\n");
    let text = suppressed("people.csv") + &town + &keys(&["illness", "sex"]) + tables;
    let (spec, rules) = (Spec::parse(&text, "outward.toml").unwrap(), rules());
    let counted = try_counted_by(&text, &[&csv_text(&HEADER, people())], &rules).unwrap();
    let verdicts = judge_all(&counted.tables, &rules).unwrap();
    let protected = protect(&counted, &verdicts, &spec.protection, &rules, Path::new("")).unwrap();
    assert!(protected.holds());
    protected.published
}

/// How many figures are hidden in the line of B1, totals left out.
fn hidden_in_b1(published: &Published) -> usize {
    let in_line = |cell: &usize| {
        let nodes = published.table.nodes(*cell);
        let node = |at: usize| &published.table.dimensions[at].nodes[nodes[at]];
        node(0).label == "B1" && !node(1).total
    };
    (0..published.figures.len()).filter(in_line).filter(|cell| published.figures[*cell] == Figure::Hidden).count()
}

#[test]
fn a_row_that_shows_no_total_has_somebody_in_it_all_the_same() {
    let published = published("", &table("t", &["town", "illness"], "without_total = [\"illness\"]"));
    assert!(hidden_in_b1(&published[0]) >= 2, "what is left of the row is where the one person is");
}

#[test]
fn towns_grouped_by_their_first_letter_are_there_only_if_somebody_lives_there_and_listed_ones_need_not_be() {
    let tables = table("t", &["town", "illness"], "without_total = [\"illness\"]\nlevels = { town = [0] }");
    assert!(hidden_in_b1(&published("hierarchy = { prefix = [1] }", &tables)[0]) >= 2);
    let listed = "hierarchy = { tree = { A = [\"A1\", \"A2\"], B = [\"B1\", \"B2\"] } }";
    assert_eq!(hidden_in_b1(&published(listed, &tables)[0]), 1);
}

#[test]
fn somebody_lives_in_a_town_of_which_no_table_shows_all() {
    let tables = table("t0", &["town", "illness"], "without_total = [\"illness\"]")
        + &table("t1", &["town", "sex"], "without_total = [\"sex\"]");
    let published = published("", &tables);
    assert!(published.iter().all(|published| hidden_in_b1(published) >= 2));
}
