//! Someone wants a release through the gate without a test that it passed: they forge a score card, take one from another bundle, change the
//! release after the attack, or test it with an intruder who knows nothing.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use outward_cells::Coded;
use outward_fixtures::csv::CsvFile;
use outward_fixtures::records::{Case, WrittenBundle, place};
use outward_intruder::attack::{AttackInput, KnownVariable, NamedColumn, People, Released, attack};
use outward_release::{IntruderTest, Outcome, verification_report};
use outward_spec::Spec;
use serde_json::{Value, json};

const SPEC: &str = r#"
title = "Health survey"
[policy]
name = "ons-open-microdata"
tier = "open"
[[variables]]
name = "area"
role = "geography"
visibility = "high"
[[variables]]
name = "sex"
role = "key"
visibility = "high"
[[variables]]
name = "health"
role = "sensitive"
[[scenarios]]
name = "colleague"
keys = ["area", "sex"]
response_knowledge = true
[[scenarios]]
name = "stranger"
keys = ["sex"]
response_knowledge = true
"#;

/// 600 people, 100 of each area and sex.
fn data() -> String {
    let mut text = "area,sex,health\n".to_owned();
    for i in 0..600usize {
        text += &format!(
            "{},{},{}\n",
            ["North", "South", "West"][i % 3],
            ["F", "M"][i / 3 % 2],
            ["good", "bad"][i / 7 % 2]
        );
    }
    text
}

fn release(title: &str) -> WrittenBundle {
    Case::new(&SPEC.replace("Health survey", title), &data()).make()
}

/// An honest test of these records by a scenario of the spec.
fn test_of(made: &WrittenBundle, scenario: &str) -> IntruderTest {
    let spec = Spec::load(made.folder.path().join("outward.toml")).unwrap();
    let scenario = spec.scenario(scenario).unwrap();
    let table = CsvFile::parse(&data());
    let column = |at: usize| -> NamedColumn {
        let values: ArrayRef = Arc::new(StringArray::from_iter_values(table.rows.iter().map(|row| &row[at])));
        NamedColumn { name: table.names[at].clone(), values: Coded::from_column(&values).unwrap() }
    };
    let columns: Vec<NamedColumn> = (0..3).map(column).collect();
    let rows = table.rows.len();
    let order = (0..rows as u32).collect();
    let releases =
        [Released { name: "release".to_owned(), order, present: vec![true; rows], columns: columns.clone() }];
    let outcome = attack(&AttackInput {
        scenario: &scenario,
        known: &KnownVariable::from_scenario(&spec, &scenario).unwrap(),
        forms: &[],
        releases: &releases,
        people: &People::of_source(columns.clone(), rows),
        own_file: false,
        source: &columns,
        learn: &["health".to_owned()],
        groups: &["area".to_owned()],
        fraction: 1.0,
        seed: 1,
        without: &[],
        coarser: &BTreeMap::new(),
        rules: spec.rules().unwrap().intruder.as_ref(),
        claims_only: false,
        threads: 1,
    });
    IntruderTest::of_bundle(&made.bundle, "Ann, head of data", scenario, outcome.unwrap().card).unwrap()
}

/// A release with an honest test, and the test as it is written.
fn tested() -> (WrittenBundle, Value) {
    let made = release("Health survey");
    let test = test_of(&made, "colleague");
    assert_eq!(test.add_to(&made.bundle).unwrap(), "evidence/intruder-colleague.json");
    (made, serde_json::to_value(test).unwrap())
}

const FILE: &str = "evidence/intruder-colleague.json";

#[test]
fn a_release_without_a_test_does_not_pass_and_one_with_an_honest_test_does() {
    let untested = release("Health survey");
    assert!(untested.failing("intruder-test").says.contains("has none"));
    // Nothing is wrong with the copy: what is missing is the test.
    let advice = verification_report("bundle", &untested.verify()).verdict.detail;
    assert!(advice.contains("It is the intruder test") && !advice.contains("Copy"), "{advice}");
    fs::write(untested.path("public/data.csv"), "cut").unwrap();
    let advice = verification_report("bundle", &untested.verify()).verdict.detail;
    assert!(advice.contains("Copy it again"), "{advice}");
    let (made, _) = tested();
    assert_eq!(made.verify().outcome(), Outcome::Holds, "{:#?}", made.verify());
}

#[test]
fn a_card_with_a_changed_figure_is_found() {
    let forgeries: [(&str, Value); 35] = [
        ("/card/correct", 0.into()),
        ("/card/correct", u64::MAX.into()),
        ("/card/claims", 1.into()),
        ("/card/claims", u64::MAX.into()),
        ("/card/verifiable", 10.into()),
        ("/card/targets", 60_000.into()),
        ("/card/looked_for", 10.into()),
        ("/card/people", 10.into()),
        ("/card/expected", (-5).into()),
        ("/card/no_claim/no_record", u64::MAX.into()),
        ("/card/precision/value", 0.0.into()),
        ("/card/precision/high", 0.001.into()),
        ("/card/found/high", 0.0001.into()),
        ("/card/at_confidence/0/claims", 600.into()),
        ("/card/at_confidence/0/confidence", 0.61.into()),
        ("/card/at_confidence", json!([])),
        ("/card/calibration", json!([])),
        ("/card/calibration/0/claims", 10.into()),
        ("/card/calibration/0/stated", 0.9.into()),
        ("/card/attributes/0/guess", 0.999.into()),
        ("/card/attributes/0/correct", 1.into()),
        ("/card/attributes/0/gain", 0.0001.into()),
        ("/card/groups/0/correct", 700.into()),
        ("/card/groups/0/found/high", 0.001.into()),
        ("/card/recall/high", 0.0001.into()),
        ("/card/in_release", 599.into()),
        ("/card/baseline", 0.5.into()),
        ("/card/excess/over_baseline", 0.0.into()),
        ("/card/excess/over_control", 0.5.into()),
        ("/card/control/claims", 1.into()),
        ("/card/otherwise/correct", 601.into()),
        ("/card/helped", json!(["sex", "area"])),
        ("/card/contributions/1/shapley", 700.0.into()),
        ("/card/contributions/0/variable", "health".into()),
        ("/card/attributes/0/without_own_record", 2.0.into()),
    ];
    let (made, honest) = tested();
    for (figure, forged) in forgeries {
        let mut test = honest.clone();
        let there = test.pointer_mut(figure).unwrap_or_else(|| panic!("{figure}"));
        assert_ne!(*there, forged, "{figure}: the fault was not planted");
        *there = forged;
        fs::write(made.path(FILE), test.to_string()).unwrap();
        let check = made.failing("intruder-test");
        assert!(check.says.contains("do not fit each other"), "{figure}: {}", check.says);
        assert_eq!(place(&check), FILE);
    }
}

/// A card that is made up whole, each figure fitting the others: nobody was found.
fn made_up(honest: &Value) -> Value {
    let mut test = honest.clone();
    let interval = |value: &mut Value, of: f64| {
        let square = 3.841_458_820_694_124;
        *value = json!({ "value": 0.0, "low": 0.0, "high": square / (of + square) });
    };
    let card = &mut test["card"];
    let claims = card["claims"].as_f64().unwrap();
    card["correct"] = 0.into();
    card["expected"] = 0.0.into();
    for figure in ["precision", "recall", "found"] {
        interval(&mut card[figure], claims);
    }
    card["excess"]["over_baseline"] = json!(-card["baseline"].as_f64().unwrap() * claims);
    card["excess"]["over_expected"] = 0.0.into();
    let targets = card["targets"].as_f64().unwrap();
    for at in card["at_confidence"].as_array_mut().unwrap() {
        *at = json!({ "confidence": at["confidence"], "claims": 0, "correct": 0,
            "precision": { "value": 0.0, "low": 0.0, "high": 1.0 }, "found": null });
        interval(&mut at["found"], targets);
    }
    let mut band = json!({ "from": 0.0, "to": 0.05, "claims": claims, "stated": 0.01, "right": null });
    band["claims"] = card["claims"].clone();
    interval(&mut band["right"], claims);
    card["calibration"] = json!([band]);
    for group in card["groups"].as_array_mut().unwrap() {
        group["correct"] = 0.into();
        let [claims, targets] = ["claims", "targets"].map(|of| group[of].as_f64().unwrap());
        interval(&mut group["precision"], claims);
        interval(&mut group["found"], targets);
    }
    test
}

#[test]
fn a_card_that_is_made_up_whole_is_found_where_the_published_records_say_who_is_found() {
    let (made, honest) = tested();
    let file = |test: &Value| fs::write(made.path(FILE), test.to_string()).unwrap();
    file(&made_up(&honest));
    let says = made.failing("intruder-test").says;
    assert!(says.contains("fewer people are found than the published records allow"), "{says}");
    // Without a doubt about who is in the release and how they match, the six combinations of area and sex say the number.
    assert_eq!(honest["card"]["expected"].as_f64().map(f64::round), Some(6.0));
    file(&honest);
    assert_eq!(made.check("intruder-test").outcome, Outcome::Holds);
}

#[test]
fn a_card_of_another_intruder_is_found() {
    let (made, honest) = tested();
    let forged = |change: &dyn Fn(&mut Value)| {
        let mut test = honest.clone();
        change(&mut test);
        fs::write(made.path(FILE), test.to_string()).unwrap();
        made.failing("intruder-test").says
    };
    let weaker = forged(&|test| {
        test["scenario"]["keys"] = json!(["sex"]);
        test["card"]["used"] = json!(["sex"]);
    });
    assert!(weaker.contains("not the one that has this name"), "{weaker}");
    let unknown = forged(&|test| test["scenario"]["name"] = "nobody".into());
    assert!(unknown.contains("neither in the spec"), "{unknown}");
    let other = forged(&|test| test["card"]["scenario"] = "stranger".into());
    assert!(other.contains("not of this scenario"), "{other}");
    let records = forged(&|test| test["card"]["records"] = 60_000.into());
    assert!(records.contains("not of this scenario"), "{records}");
    let by_people = forged(&|test| test["card"]["attack"] = Value::Null);
    assert!(by_people.contains("not of this scenario"), "{by_people}");
    let less = forged(&|test| test["card"]["used"] = json!(["sex"]));
    assert!(less.contains("did not use"), "{less}");
    let without = forged(&|test| test["card"]["unused"] = json!(["area"]));
    assert!(without.contains("made without `area`"), "{without}");
    let silent = forged(&|test| test["card"]["attributes"] = json!([]));
    assert!(silent.contains("what is learned"), "{silent}");
    let nobody = forged(&|test| test["authorised_by"] = " ".into());
    assert!(nobody.contains("who authorised"), "{nobody}");
    let newer = forged(&|test| test["format"] = 2.into());
    assert!(newer.contains("newer version"), "{newer}");
    let few = forged(&|test| test["card"] = json!({ "targets": 600, "claims": 0 }));
    assert!(few.contains("not the form"), "{few}");
}

#[test]
fn a_card_is_worth_nothing_in_another_bundle() {
    let (_, honest) = tested();
    let other = release("Other survey");
    fs::create_dir(other.path("evidence")).unwrap();
    fs::write(other.path(FILE), honest.to_string()).unwrap();
    assert!(other.failing("intruder-test").says.contains("made on another bundle"));
}

#[test]
fn a_release_that_is_changed_after_the_attack_needs_another() {
    let (made, _) = tested();
    made.edit("public/data.csv", |text| text.replacen("North", "South", 1));
    made.failing("files");
    let (made, honest) = tested();
    // With every hash mended the manifest is another.
    made.forge("public/data.csv", |text| text.replacen("good", "bad", 1));
    assert!(made.failing("intruder-test").says.contains("made on another bundle"));
    // Writing the new hash into the card is what only a new attack may do; the register freezes both together.
    let mut test = honest;
    test["bundle"] = "0".repeat(64).into();
    fs::write(made.path(FILE), test.to_string()).unwrap();
    made.failing("intruder-test");
}

#[test]
fn an_intruder_who_does_not_know_what_anybody_can_see_is_no_test() {
    let made = release("Health survey");
    test_of(&made, "stranger").add_to(&made.bundle).unwrap();
    let says = made.failing("intruder-test").says;
    assert!(says.contains("knows `area`"), "{says}");
    // Beside a test by somebody who does it may stand.
    test_of(&made, "colleague").add_to(&made.bundle).unwrap();
    assert_eq!(made.check("intruder-test").outcome, Outcome::Holds);
}

#[test]
fn nothing_but_tests_is_kept_as_evidence() {
    let (made, _) = tested();
    for path in ["evidence/claims.csv", "evidence/old/intruder-colleague.json", "evidence.json"] {
        let (made, _) = tested();
        fs::create_dir_all(made.path(path).parent().unwrap()).unwrap();
        fs::write(made.path(path), "person,record\n1,1\n").unwrap();
        made.failing("files");
    }
    fs::write(made.path("evidence/claims.json"), "[1, 2]").unwrap();
    assert!(made.failing("intruder-test").says.contains("not the form"));
}
