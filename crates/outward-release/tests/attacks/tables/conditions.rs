//! Tables of some records beside tables of all.

use outward_release::Outcome;

use outward_fixtures::bundle::Bundle;

/// Illness by age of all people, and of women only: the men are what is left.
const SPEC: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
variables = [{ name = "illness", role = "key" }, { name = "age", role = "key" }]
[[tables]]
name = "all"
variables = ["illness", "age"]
[[tables]]
name = "women"
variables = ["illness", "age"]
where = "sex = 'F'"
"#;

/// Illness, age, women, men.
const PEOPLE: [(&str, &str, usize, usize); 6] = [
    ("gout", "young", 7, 1),
    ("gout", "old", 8, 9),
    ("cold", "young", 6, 5),
    ("cold", "old", 9, 8),
    ("asthma", "young", 4, 7),
    ("asthma", "old", 5, 6),
];

fn bundle(spec: &str) -> Bundle {
    let mut people = "illness,age,sex\n".to_owned();
    for (illness, age, women, men) in PEOPLE {
        people += &format!("{illness},{age},F\n").repeat(women);
        people += &format!("{illness},{age},M\n").repeat(men);
    }
    Bundle::of(spec, &[("people.csv", &people)])
}

#[test]
fn what_a_table_of_some_leaves_of_a_table_of_all_is_protected() {
    let bundle = bundle(SPEC);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    assert!(bundle.text("public/tables.json").contains("[c]"), "the one man with gout is told");
    bundle.needs_every_hidden_cell();
}

#[test]
fn a_count_that_follows_from_a_table_of_some_and_one_of_all_is_found_without_any_certificate() {
    let bundle = bundle(&SPEC.replace("where = \"sex = 'F'\"\n", ""));
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    // Nothing is unsafe in a table of all; one of women beside it leaves one man.
    bundle.forge_tables(|tables| {
        for table in &mut *tables {
            table["kinds"] = 2.into();
            table["records"] = serde_json::json!([1, 2]);
        }
        tables[1]["records"] = serde_json::json!([1]);
        // Asthma, cold, gout and all, each old, young and all.
        tables[1]["figures"] = serde_json::json!([5, 4, 9, 9, 6, 15, 8, 7, 15, 22, 17, 39]);
    });
    let says = bundle.failing("audit").says;
    assert!(says.contains("from two tables"), "{says}");
}

#[test]
fn a_table_of_those_tested_by_breath_is_held_to_the_strictest_rule_though_it_does_not_show_the_test() {
    let spec = r#"
        data = { path = "drivers.csv" }
        policy = { name = "dft-road-casualties" }
        protection = { method = "suppress" }
        variables = [{ name = "road", role = "key" }]
        tables = [{ name = "tested", variables = ["road"], where = "breath_test = 'positive'" }]"#;
    let mut drivers = "road,breath_test\n".to_owned();
    for (road, count) in [("A", 4), ("B", 9), ("C", 8), ("D", 7)] {
        drivers += &format!("{road},positive\n").repeat(count);
        drivers += &format!("{road},negative\n").repeat(3 * count);
    }
    let bundle = Bundle::of(spec, &[("drivers.csv", &drivers)]);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    bundle.show("tested", &["A"], 4);
    bundle.failing("unsafe counts");
}

#[test]
fn a_table_of_some_that_is_passed_off_as_one_of_all_is_found() {
    let bundle = bundle(SPEC);
    let forged = bundle.copy();
    forged.forge_tables(|tables| tables[1]["records"] = tables[0]["records"].clone());
    super::refused(&forged);
    let forged = bundle.copy();
    forged.forge_tables(|tables| tables.iter_mut().for_each(|table| table["records"] = serde_json::json!([])));
    super::refused(&forged);
}
