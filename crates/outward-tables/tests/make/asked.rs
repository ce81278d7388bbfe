//! Cells that a spec names, and what it costs to hide them.

use outward_tables::CountedTable;

use outward_fixtures::tables::{cell, made, refused};

const PEOPLE: &str = "severity,year,cost,unit\nFatal,2010,2.5,a\nSerious,2010,1,a\nSlight,2011,,b\nSlight,2011,0,b\n";

const SPEC: &str = r#"
[data]
path = "people.csv"
[policy]
name = "gss-tables"
[[variables]]
name = "severity"
hierarchy = { tree = { "Fatal or serious" = ["Fatal", "Serious"], "Light" = ["Slight"] } }
[[variables]]
name = "year"
"#;

fn table(more: &str) -> String {
    format!("{SPEC}[[tables]]\nname = \"years\"\nvariables = [\"severity\", \"year\"]\n{more}\n")
}

fn only(more: &str) -> CountedTable {
    made(&table(more), &[PEOPLE]).remove(0)
}

fn cells(of: &CountedTable, labels: &[[&str; 2]]) -> Vec<usize> {
    let mut cells: Vec<usize> = labels.iter().map(|labels| cell(&of.table, labels)).collect();
    cells.sort_unstable();
    cells
}

#[test]
fn a_variable_that_is_not_named_is_at_its_total() {
    let made = only("must_show = [{ severity = \"Fatal\" }, {}]\nalready_hidden = [{ year = \"2011\" }]");
    assert_eq!(made.frozen, cells(&made, &[["Fatal", "Total"], ["Total", "Total"]]));
    assert_eq!(made.hidden, cells(&made, &[["Total", "2011"]]));
}

#[test]
fn a_star_stands_for_every_value_at_the_finest_level() {
    let made = only("must_show = [{ severity = \"*\", year = \"2010\" }]");
    assert_eq!(made.frozen, cells(&made, &[["Fatal", "2010"], ["Serious", "2010"], ["Slight", "2010"]]));
}

#[test]
fn a_group_is_named_like_a_value_and_a_cell_named_twice_is_one() {
    let made = only(
        "already_hidden = [{ severity = \"Fatal or serious\", year = \"*\" }, { severity = \"Fatal or serious\", year = \"2010\" }]",
    );
    assert_eq!(made.hidden, cells(&made, &[["Fatal or serious", "2010"], ["Fatal or serious", "2011"]]));
    assert!(made.frozen.is_empty());
}

#[test]
fn a_label_that_the_table_does_not_show_is_answered_with_the_nearest() {
    let said = refused(&table("must_show = [{ severity = \"Fatl\" }]"), &[PEOPLE]);
    assert_eq!(said, "column `severity`: table `years`: there is no `Fatl` in this table; did you mean `Fatal`?");
    // A level that is not shown has no cells.
    let said = refused(&table("levels = { severity = [1] }\nmust_show = [{ severity = \"Fatal\" }]"), &[PEOPLE]);
    assert!(said.contains("there is no `Fatal` in this table"), "{said}");
}

#[test]
fn a_variable_without_its_total_has_to_be_named() {
    let said = refused(&table("without_total = [\"year\"]\nmust_show = [{ severity = \"Fatal\" }]"), &[PEOPLE]);
    assert!(said.starts_with("column `year`: table `years`: "), "{said}");
    assert!(said.contains("does not show its total") && said.contains("`year = \"*\"`"), "{said}");
    let made = only("without_total = [\"year\"]\nmust_show = [{ severity = \"Fatal\", year = \"2011\" }]");
    assert_eq!(made.frozen, cells(&made, &[["Fatal", "2011"]]));
}

#[test]
fn no_cell_is_hidden_already_and_shown() {
    let both = "must_show = [{ severity = \"*\" }]\nalready_hidden = [{ severity = \"Slight\" }]";
    let said = refused(&table(both), &[PEOPLE]);
    assert!(said.contains("table `years`: a cell is hidden already and must be shown: severity Slight"), "{said}");
}

#[test]
fn hiding_a_cell_costs_what_the_variable_adds_up_to_over_its_records() {
    let by_cost = "[protection]\ncost = \"variable\"\ncost_of = \"cost\"";
    let CountedTable { table, .. } = only(by_cost);
    let cost = |labels: [&str; 2]| table.costs[cell(&table, &labels)];
    assert_eq!(cost(["Fatal", "2010"]), 2500);
    assert_eq!(cost(["Fatal or serious", "Total"]), 3500);
    assert_eq!(cost(["Total", "Total"]), 3500);
    // What is missing costs nothing, but nothing is free to hide.
    assert_eq!((cost(["Slight", "2011"]), cost(["Fatal", "2011"])), (1, 1));
    assert!(only("").table.costs.is_empty());
    let said = refused(&self::table(by_cost), &[&PEOPLE.replace("2.5", "-2.5")]);
    assert!(said.contains("people.csv, column `cost`: table `years`: a cost is negative"), "{said}");
    assert!(!said.contains("2.5"), "{said}");
}

#[test]
fn a_cost_is_that_of_the_record_or_of_the_one_it_belongs_to() {
    let linked = r#"
[[linked]]
name = "visits"
data = { path = "visits.csv" }
on = ["unit"]
[[variables]]
name = "kind"
from = ["visits"]
[[tables]]
name = "visits"
variables = ["kind"]
unit = "visits"
[protection]
cost = "variable"
cost_of = "cost"
"#;
    let data = "severity,year,unit,cost\nFatal,2010,a,4\nSlight,2011,b,7\n";
    let visits = "unit,kind\na,short\nb,short\nb,long\n";
    let costs = |visits: &str| made(&format!("{SPEC}{linked}"), &[data, visits])[0].table.costs.clone();
    assert_eq!(costs(visits), [7000, 11_000, 18_000]);
    assert_eq!(costs("unit,kind,cost\na,short,1\nb,short,1\nb,long,3\n"), [3000, 2000, 5000]);
}

#[test]
fn a_given_table_has_the_cost_of_each_cell_in_its_row() {
    let given = "given = \"people\"\n[protection]\ncost = \"variable\"\ncost_of = \"dear\"";
    let rows = "severity,year,people,dear\nFatal,2010,4,1.5\nSlight,2010,40,2\nSlight,2011,41,\nTotal,2010,44,99\n";
    let CountedTable { table, .. } = made(&table(given), &[rows]).remove(0);
    assert_eq!(table.costs[cell(&table, &["Total", "2010"])], 3500);
    assert_eq!(table.costs[cell(&table, &["Total", "Total"])], 3500);
}
