//! What cannot be linked is an error that says what to do, and never shows a value.

use outward_intruder::linkage::{Comparison, Level, LinkType, Linker, Model, Records, Settings, Training};

use crate::fixtures::{exact, model, records};

fn fault(model: Model, left: &Records, right: Option<&Records>) -> String {
    let linker = Linker::new(model, left, right, Settings::default());
    let error = linker.and_then(|mut linker| linker.train(&Training::default()).map(|_| ())).unwrap_err();
    assert!(error.help().is_some(), "{error}");
    let text = format!("{error} {}", error.help().unwrap_or_default());
    assert!(!text.contains("secret"), "{text}");
    text
}

fn people() -> Records {
    records(&[
        ("name", vec!["secret", "secret b", "secret c", "secret"]),
        ("age", vec!["31", "32", "33", "31"]),
        ("empty", vec!["", "", "", ""]),
    ])
}

#[test]
fn files_that_share_no_column() {
    let other = records(&[("surname", vec!["secret"])]);
    let says = fault(model(LinkType::LinkOnly, vec![exact("name")], &[]), &people(), Some(&other));
    assert!(says.contains("share no column"), "{says}");
}

#[test]
fn a_column_that_one_file_does_not_have() {
    let other = records(&[("name", vec!["secret"]), ("agee", vec!["31"])]);
    let says = fault(model(LinkType::LinkOnly, vec![exact("name"), exact("age")], &[]), &people(), Some(&other));
    assert!(says.contains("the second file has no column `age`") && says.contains("`agee`"), "{says}");
}

#[test]
fn a_column_of_another_type() {
    let other = records(&[("age", vec!["thirty-one secret", "old"])]);
    let says = fault(model(LinkType::LinkOnly, vec![exact("age")], &[]), &people(), Some(&other));
    assert!(says.contains("`age`") && says.contains("numbers"), "{says}");
}

#[test]
fn a_column_without_values() {
    let says = fault(model(LinkType::DedupeOnly, vec![exact("name"), exact("empty")], &[]), &people(), None);
    assert!(says.contains("`empty`") && says.contains("no value"), "{says}");
}

#[test]
fn rules_that_make_no_pair() {
    let rules = ["l.name = r.age", "l.age = r.name AND l.name = r.name"];
    let says = fault(model(LinkType::DedupeOnly, vec![exact("name"), exact("age")], &rules), &people(), None);
    assert!(rules.iter().all(|rule| says.contains(rule)), "{says}");
}

#[test]
fn rules_that_make_too_many_pairs() {
    let many = records(&[("name", vec!["secret"; 100]), ("age", (0..100).map(|_| "31").collect())]);
    let model = model(LinkType::DedupeOnly, vec![exact("name"), exact("age")], &["l.name = r.name"]);
    let settings = Settings { max_comparisons: 4_949, ..Settings::default() };
    let error = Linker::new(model.clone(), &many, None, settings).unwrap().train(&Training::default()).unwrap_err();
    let says = error.to_string();
    assert!(says.contains("4,950 comparisons") && says.contains("`l.name = r.name`"), "{says}");
    let enough = Settings { max_comparisons: 4_950, ..Settings::default() };
    assert!(!matches!(
        Linker::new(model, &many, None, enough).unwrap().train(&Training::default()),
        Err(error) if error.to_string().contains("comparisons")
    ));
}

#[test]
fn a_rule_that_leaves_nothing_to_estimate() {
    let says = fault(model(LinkType::DedupeOnly, vec![exact("name")], &["l.name = r.name"]), &people(), None);
    assert!(says.contains("no run of EM"), "{says}");
}

#[test]
fn the_wrong_number_of_files() {
    let says = fault(model(LinkType::DedupeOnly, vec![exact("name")], &[]), &people(), Some(&people()));
    assert!(says.contains("two are given"), "{says}");
    let says = fault(model(LinkType::LinkOnly, vec![exact("name")], &[]), &people(), None);
    assert!(says.contains("one is given"), "{says}");
}

#[test]
fn a_level_that_is_not_supported_is_named_with_what_is() {
    for (condition, what) in [
        ("soundex(\"name_l\") = soundex(\"name_r\")", "`soundex`"),
        ("list_intersect(\"name_l\", \"name_r\") = 1", "`list_intersect`"),
        ("ABS(\"name_l\" - \"name_r\") < 2", "column `name`"),
        ("\"name_l\" SOUNDS \"name_r\"", "`SOUNDS`"),
    ] {
        let levels = vec![Level::null("name"), Level::new(condition, "by sound"), Level::otherwise()];
        let says = fault(model(LinkType::DedupeOnly, vec![Comparison::new("name", levels)], &[]), &people(), None);
        assert!(says.contains("comparison `name`, level `by sound`"), "{says}");
        assert!(says.contains(what) && says.contains("jaro_winkler_similarity"), "{says}");
    }
}

#[test]
fn a_model_without_parameters_is_not_scored() {
    let linker =
        Linker::new(model(LinkType::DedupeOnly, vec![exact("name")], &[]), &people(), None, Settings::default());
    let error = linker.unwrap().score(0.5, None).unwrap_err();
    assert!(error.to_string().contains("no m or no u"), "{error}");
}

#[test]
fn a_pair_that_is_not_there() {
    let linker =
        Linker::new(model(LinkType::DedupeOnly, vec![exact("name")], &[]), &people(), None, Settings::default())
            .unwrap();
    assert!(linker.waterfall(0, 4).is_err());
    assert!(linker.waterfall(2, 2).is_err());
}
