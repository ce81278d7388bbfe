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
    bundle_of(spec, &PEOPLE)
}

fn bundle_of(spec: &str, counts: &[(&str, &str, usize, usize)]) -> Bundle {
    let mut people = "illness,age,sex\n".to_owned();
    for (illness, age, women, men) in counts {
        people += &format!("{illness},{age},F\n").repeat(*women);
        people += &format!("{illness},{age},M\n").repeat(*men);
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
        tables[1]["condition"] = "sex = 'F'".into();
        tables[1]["records"] = serde_json::json!([1]);
        // Asthma, cold, gout and all, each old, young and all.
        tables[1]["figures"] = serde_json::json!([5, 4, 9, 9, 6, 15, 8, 7, 15, 22, 17, 39]);
    });
    let says = bundle.failing("audit").says;
    assert!(says.contains("from two tables"), "{says}");
}

/// People by age, by place, and of one age or one place by job.
const EITHER: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
variables = [{ name = "age", role = "key" }, { name = "place", role = "key" }, { name = "job", role = "key" }]
[[tables]]
name = "ages"
variables = ["age"]
[[tables]]
name = "places"
variables = ["place"]
[[tables]]
name = "either"
variables = ["job"]
where = "age = 'young' or place = 'north'"
"#;

/// A bundle of people, half of whom have either job: 10 young ones in the south, 12 old ones in the north, 20 old ones in the south, and so many young
/// ones in the north.
fn young_or_north(both: usize) -> Bundle {
    let mut people = "age,place,job\n".to_owned();
    for (age, place, count) in
        [("young", "south", 10), ("old", "north", 12), ("old", "south", 20), ("young", "north", both)]
    {
        for number in 0..count {
            people += &format!("{age},{place},{}\n", ["clerk", "smith"][number % 2]);
        }
    }
    Bundle::from_spec(EITHER, &[("people.csv", &people)])
}

#[test]
fn those_with_two_values_that_follow_from_those_with_one_and_with_either_are_found() {
    let bundle = young_or_north(8);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    assert!(!bundle.text("public/tables.json").contains("[c]"));
    // 18 are young and 20 in the north, so that this many are both. Clerks, smiths and all have either.
    let told = |both: i64| {
        let forged = bundle.copy();
        forged.forge_tables(|tables| tables[2]["figures"] = serde_json::json!([23 - both, 15, 38 - both]));
        forged
    };
    for both in 1..=2 {
        let says = told(both).failing("audit").says;
        assert!(says.contains("1 unsafe count of combinations"), "{says}");
        assert!(["`ages`", "`places`", "`either`"].iter().all(|name| says.contains(name)), "{says}");
    }
    // Nobody, or more than few, is no disclosure.
    for both in [0, 3, 9] {
        assert_eq!(told(both).verify().outcome(), Outcome::Holds, "{both}");
    }
}

#[test]
fn what_the_maker_hides_so_that_a_combination_does_not_follow_is_needed() {
    let bundle = young_or_north(1);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    assert!(bundle.text("public/tables.json").contains("[c]"), "the one who is both is told");
    bundle.needs_every_hidden_cell();
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

/// A bundle of so many young men with gout, whose certificate calls no cell unsafe and has one contributor, who is in hidden cells as often as anyone
/// is, and whose only record is one of these men.
fn known_to_one(men: usize) -> Bundle {
    let mut counts = PEOPLE;
    counts[0].3 = men;
    let bundle = bundle_of(SPEC, &counts);
    let count = |name: &str| -> usize {
        let is_in = |of: &&(&str, &str, usize, usize)| {
            (!name.contains("illness") || name.contains(&format!("illness {}", of.0)))
                && (!name.contains("age") || name.contains(&format!("age {}", of.1)))
        };
        let of = |of: &(&str, &str, usize, usize)| of.2 + if name.starts_with("all") { of.3 } else { 0 };
        counts.iter().filter(is_in).map(of).sum()
    };
    let shared: Vec<(String, usize)> =
        bundle.lines().into_iter().map(|(name, _)| (name.clone(), count(&name))).collect();
    let mut manifest = bundle.json("manifest.json");
    manifest["tables"].as_array_mut().unwrap().iter_mut().for_each(|table| table["primary"] = 0.into());
    bundle.forge_manifest(&manifest);
    bundle.forge_certificate(|lines| lines.iter_mut().for_each(|line| line["verdict"] = "not-asked".into()));
    bundle.forge_json("certificate.json", |families| {
        // Asthma, cold and gout, each old, young and all.
        let record = serde_json::json!({ "cells": ["all[7]: illness gout, age young"], "amount": 1, "tables": ["all", "women"] });
        families[0]["contributors"] = serde_json::json!([{ "shared": shared, "records": [record] }]);
        (families[0]["sums"], families[0]["alone"]) = (serde_json::json!([]), serde_json::json!([]));
    });
    bundle
}

#[test]
fn what_two_tables_leave_is_kept_from_those_who_are_counted_unless_it_is_them_alone() {
    let says = known_to_one(2).failing("audit").says;
    assert!(says.contains("someone who is counted"), "{says}");
    let himself = known_to_one(1);
    assert_eq!(himself.verify().outcome(), Outcome::Holds, "{:#?}", himself.verify());
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
    bundle_of(spec, &ONE_MAN)
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
            (families[0]["sums"], families[0]["alone"]) = (serde_json::json!([]), serde_json::json!([]));
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
    // The one man with gout is told all four by his own cell, and nobody else anything. Nothing of the four but his own cell is unsafe.
    let contributors = bundle.json("certificate.json")[0]["contributors"].clone();
    let is_alone = |of: &serde_json::Value| of["alone"] == serde_json::json!([["all[7]: illness gout, sex M", 1]]);
    assert!(contributors.as_array().unwrap().iter().any(is_alone), "{contributors}");
    assert_eq!(told_to_people(), [(3, [15, 13, 15, 1])]);
}

/// Whoever of those in the four hidden cells is told another of them: the cell they are in, and what all four are. Every number of women with gout is
/// tried that the tables leave. Someone who is alone in a cell knows it, and others that they are in it.
fn told_to_people() -> Vec<(usize, [i64; 4])> {
    let cells = |women: i64| [30 - women, women - 2, women, 16 - women];
    let possible: Vec<[i64; 4]> = (8..=16).map(cells).filter(|of| of[0] >= 9).collect();
    let truth = cells(15);
    let is_told = |own: &usize| {
        let knows = |of: &&[i64; 4]| if truth[*own] == 1 { of[*own] == 1 } else { of[*own] >= 1 };
        let left: Vec<&[i64; 4]> = possible.iter().filter(knows).collect();
        (0..4).any(|cell| cell != *own && left.iter().all(|of| of[cell] == truth[cell]))
    };
    (0..4).filter(is_told).map(|own| (own, truth)).collect()
}

/// People by illness: all, women, and men.
const SEXES: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
variables = [{ name = "illness", role = "key" }]
[[tables]]
name = "all"
variables = ["illness"]
[[tables]]
name = "women"
variables = ["illness"]
where = "sex = 'F'"
[[tables]]
name = "men"
variables = ["illness"]
where = "sex = 'M'"
"#;

#[test]
fn which_kinds_of_records_a_table_counts_is_held_against_its_condition() {
    let bundle = bundle(SEXES);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    let kinds = |table: usize| bundle.json("public/tables.json")["tables"][table]["records"].clone();
    let [all, women, men] = [kinds(0), kinds(1), kinds(2)];
    let count = all.as_array().unwrap().len();
    assert_eq!(
        [&women, &men].map(|of| of.as_array().unwrap().len()),
        [1, 1],
        "nobody is both: {women} {men} of {count}"
    );
    let says = |table: usize, records: serde_json::Value| {
        let forged = bundle.copy();
        forged.forge_tables(|tables| tables[table]["records"] = records);
        forged.failing("tables").says
    };
    // A table of all that leaves out men, and a table of men that counts everyone: nobody is a woman and a man.
    for (table, records) in [(0, women.clone()), (2, all)] {
        assert!(says(table, records).contains("are not those of its condition"));
    }
}

#[test]
fn tables_of_one_condition_count_the_same_kinds_of_records() {
    let bundle = bundle(&SPEC.replace("name = \"all\"\n", "name = \"all\"\nwhere = \"sex = 'F'\"\n"));
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    bundle.forge_tables(|tables| {
        let kinds = tables[0]["kinds"].as_u64().unwrap();
        tables[0]["records"] = (1..=kinds).collect();
    });
    assert!(bundle.failing("tables").says.contains("are not those of its condition"));
}
