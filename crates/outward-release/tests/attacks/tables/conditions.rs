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
    Bundle::from_spec(spec, &[("people.csv", &people)])
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
    let bundle = Bundle::from_spec(spec, &[("drivers.csv", &drivers)]);
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

/// Gout by age is a row of a table by illness and age.
const KEPT: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
variables = [{ name = "illness", role = "key" }, { name = "sex", role = "key" }]
[[tables]]
name = "all"
variables = ["illness", "sex"]
[[tables]]
name = "gout"
variables = ["sex"]
where = "illness IN ('gout')"
"#;

/// Illness, age, women, men: one man with gout.
const ONE_MAN: [(&str, &str, usize, usize); 6] = [
    ("gout", "young", 7, 1),
    ("gout", "old", 8, 0),
    ("cold", "young", 6, 5),
    ("cold", "old", 9, 8),
    ("asthma", "young", 4, 7),
    ("asthma", "old", 5, 6),
];

fn one_man(spec: &str) -> Bundle {
    let mut people = "illness,age,sex\n".to_owned();
    for (illness, age, women, men) in ONE_MAN {
        people += &format!("{illness},{age},F\n").repeat(women);
        people += &format!("{illness},{age},M\n").repeat(men);
    }
    Bundle::from_spec(spec, &[("people.csv", &people)])
}

#[test]
fn the_words_of_a_condition_say_which_values_it_keeps_though_the_certificate_does_not() {
    let bundle = one_man(KEPT);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    let forged = bundle.copy();
    forged.forge_json("certificate.json", |families| {
        assert_eq!(families[0]["keeps"].as_array().unwrap().len(), 1);
        families[0].as_object_mut().unwrap().remove("keeps");
    });
    assert_eq!(forged.verify().outcome(), Outcome::Holds, "{:#?}", forged.verify());
    let forged = bundle.copy();
    forged.forge_json("certificate.json", |families| families[0]["keeps"][0][2] = serde_json::json!([1]));
    let says = forged.failing("audit").says;
    assert!(says.contains("keeps other values"), "{says}");
}

/// Illness by sex, and of old women by illness; nobody shows age.
const OLD_WOMEN: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
variables = [{ name = "illness", role = "key" }, { name = "sex", role = "key" }]
[[tables]]
name = "all"
variables = ["illness", "sex"]
[[tables]]
name = "old_women"
variables = ["illness"]
where = "sex = 'F' AND age = 'old'"
"#;

#[test]
fn old_women_are_women_whatever_the_certificate_takes_readers_to_know() {
    let bundle = one_man(OLD_WOMEN);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    for (name, _) in bundle.lines() {
        bundle.show_again(&name);
    }
    // Asthma, cold, gout and all, each women, men and all: cold and gout are hidden.
    bundle.forge_tables(|tables| {
        [3, 4, 6, 7].into_iter().for_each(|cell: usize| tables[0]["figures"][cell] = "[c]".into());
    });
    let names = ["all[3]: illness cold, sex F", "all[4]: illness cold, sex M", "all[6]: illness gout, sex F"];
    let names = [&names[..], &["all[7]: illness gout, sex M"]].concat();
    let certify = |ends: [(i64, i64); 4], whole: bool| {
        bundle.forge_certificate(|cells| {
            let line = |(cell, (name, (lower, upper))): (usize, (&&str, (i64, i64)))| {
                serde_json::json!({ "name": name, "cell": cell, "lower": lower, "upper": upper, "exact": true, "verdict": "protected" })
            };
            *cells = names.iter().zip(ends).enumerate().map(line).collect();
        });
        bundle.forge_json("certificate.json", |families| {
            families[0]["whole"] = whole.into();
            for field in ["sums", "alone", "contributors"] {
                families[0][field] = serde_json::json!([]);
            }
        });
    };
    // Of 16 with gout from 2 to 16 are women, by the totals; 8 of them are old.
    for whole in [true, false] {
        certify([(14, 28), (0, 14), (2, 16), (0, 14)], whole);
        let says = bundle.failing("audit").says;
        assert!(says.contains("more tightly"), "{says}");
    }
    certify([(14, 22), (6, 14), (8, 16), (0, 8)], true);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
}
