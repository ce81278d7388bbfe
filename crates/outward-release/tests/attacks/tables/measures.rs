//! Sums, means and counts of the same records.

use outward_release::Outcome;

use outward_fixtures::bundle::Bundle;

const SPEC: &str = r#"
data = { path = "firms.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
[[variables]]
name = "trade"
role = "key"
[[variables]]
name = "place"
role = "key"
[[variables]]
name = "turnover"
type = "number"
[[tables]]
name = "firms"
variables = ["trade", "place"]
[[tables]]
name = "turnover"
variables = ["trade", "place"]
measure = "sum"
of = "turnover"
[[tables]]
name = "average"
variables = ["trade", "place"]
measure = "mean"
of = "turnover"
"#;

fn bundle() -> Bundle {
    bundle_of(SPEC)
}

fn bundle_of(spec: &str) -> Bundle {
    let mut firms = "trade,place,turnover\n".to_owned();
    for (trade, place, count, least) in [
        ("bread", "north", 2, 40),
        ("bread", "south", 9, 30),
        ("bread", "west", 7, 25),
        ("iron", "north", 8, 20),
        ("iron", "south", 6, 35),
        ("iron", "west", 9, 31),
        ("wool", "north", 7, 22),
        ("wool", "south", 8, 28),
        ("wool", "west", 6, 33),
    ] {
        for firm in 0..count {
            firms += &format!("{trade},{place},{}\n", least + 3 * firm);
        }
    }
    Bundle::from_spec(spec, &[("firms.csv", &firms)])
}

/// The figures of a table that are hidden.
fn hidden(bundle: &Bundle, table: usize) -> Vec<usize> {
    let tables = bundle.json("public/tables.json");
    let figures = tables["tables"][table]["figures"].as_array().unwrap();
    (0..figures.len()).filter(|cell| figures[*cell] == "[c]").collect()
}

#[test]
fn sums_means_and_counts_hide_the_same_cells() {
    let bundle = bundle();
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    assert!(!hidden(&bundle, 0).is_empty());
    assert_eq!(hidden(&bundle, 0), hidden(&bundle, 1));
    assert_eq!(hidden(&bundle, 0), hidden(&bundle, 2));
}

#[test]
fn a_mean_shown_of_what_is_hidden_as_a_count_is_found() {
    let bundle = bundle();
    for table in 0..3 {
        for cell in hidden(&bundle, table) {
            let forged = bundle.copy();
            forged.forge_tables(|tables| tables[table]["figures"][cell] = 6000.into());
            forged.failing("measures");
        }
    }
}

#[test]
fn a_condition_written_in_another_way_is_of_the_same_records() {
    // Blanks, brackets and the quotes of names do not matter.
    let mut spec = SPEC.to_owned();
    for (name, condition) in [
        ("firms", "trade IN ('bread', 'iron')"),
        ("turnover", "(\\\"trade\\\" IN ('bread','iron'))"),
        ("average", "trade IN ('bread', 'iron')"),
    ] {
        let table = format!("[[tables]]\nname = \"{name}\"\n");
        spec = spec.replace(&table, &format!("{table}where = \"{condition}\"\n"));
    }
    let bundle = bundle_of(&spec);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    let cell = hidden(&bundle, 0)[0];
    bundle.forge_tables(|tables| tables[1]["figures"][cell] = 6000.into());
    bundle.failing("measures");
}
