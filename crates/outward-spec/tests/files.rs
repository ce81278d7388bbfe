//! Specs together with the files they name.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

use outward_spec::{Error, Hierarchy, Rating, Role, Spec};

const SPEC: &str = r#"
[data]
path = "persons.csv"
[policy]
file = "own.toml"
[[variables]]
name = "age"
role = "key"
visibility = "high"
hierarchy = { file = "levels/age.csv" }
[[variables]]
name = "region"
role = "geography"
[[scenarios]]
name = "neighbour"
k = 7
[[steps]]
do = "recode"
variable = "age"
level = 2
"#;
const OWN: &str = r#"
name = "own"
title = "Our own"
version = "3"
source = "Board minute 12"
description = "For our data."
k = 4
weak_k = [
    { name = "seen", k = 6, visibility = "medium" },
    { name = "born", k = 9, roles = ["date-of-birth"] },
    { name = "places", k = 8, roles = ["geography"], where = "age > 80" },
]
"#;

/// A folder with the spec and its files, some of them changed.
fn folder(changes: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("levels")).unwrap();
    let whole = [("outward.toml", SPEC), ("own.toml", OWN), ("levels/age.csv", "1;0-9;*\n2;0-9;*\n11;10-19;*\n")];
    for (name, text) in whole.iter().chain(changes) {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let spec = folder.path().join("outward.toml");
    (folder, spec)
}

fn failure(changes: &[(&str, &str)]) -> Error {
    Spec::load(folder(changes).1).unwrap_err()
}

#[test]
fn files_of_a_spec_are_found_from_the_spec() {
    let (folder, path) = folder(&[]);
    let spec = Spec::load(path).unwrap();
    assert_eq!(spec.resolve("x.csv"), folder.path().join("x.csv"));
    let hierarchy = spec.hierarchy(spec.variable("age").unwrap()).unwrap().unwrap();
    assert_eq!(hierarchy.recode("11", 1).unwrap(), "10-19");
    assert!(spec.hierarchy(spec.variable("region").unwrap()).unwrap().is_none());
}

#[test]
fn a_weak_k_finds_its_keys_by_role_and_by_visibility() {
    let (_folder, path) = folder(&[]);
    let spec = Spec::load(path).unwrap();
    let rules = spec.rules().unwrap();
    assert_eq!((rules.policy.as_str(), rules.version.as_str(), rules.k), ("own", "3", 4));
    assert_eq!(spec.variable("age").unwrap().visibility, Some(Rating::High));
    assert_eq!(spec.variable("region").unwrap().role, Role::Geography);
    let weak: Vec<_> =
        spec.scenarios_with_k(&rules).into_iter().map(|s| (s.name, s.keys.join(" "), s.k.unwrap())).collect();
    // Nothing in the spec is a date of birth, so that rule has nothing to ask.
    let expected = [("seen", "age", 6), ("places", "region", 8), ("neighbour", "age region", 7)];
    assert_eq!(weak, expected.map(|(name, keys, k)| (name.to_owned(), keys.to_owned(), k)));
}

#[test]
fn headings_of_a_hierarchy_are_not_taken_for_a_value() {
    let headed = ("levels/age.csv", "Age;band;group\n1;0-9;young\n2;0-9;young\n11;10-19;young\n");
    let error = failure(&[headed]);
    let said = error.to_string();
    assert!(said.contains("age.csv") && said.contains("the first row is one of headings"), "{said}");
    assert!(error.help().unwrap().contains("`header = true`"));
    let told = SPEC.replace("age.csv\" }", "age.csv\", header = true }");
    let (_folder, path) = folder(&[headed, ("outward.toml", &told)]);
    let spec = Spec::load(path).unwrap();
    assert_eq!(spec.hierarchy(spec.variable("age").unwrap()).unwrap().unwrap().leaves(), Some(3));
    // The column a variable is read from is as good a heading as its own name; further down it is a value.
    let read = SPEC.replace("role = \"key\"\n", "role = \"key\"\ncolumns = [\"years\"]\n");
    let years = "years;band;group\n1;0-9;young\n2;0-9;young\n";
    assert!(failure(&[("outward.toml", &read), ("levels/age.csv", years)]).to_string().contains("headings"));
    let below = "1;0-9;young\n2;0-9;young\nage;none;none\n";
    assert!(Spec::load(folder(&[("levels/age.csv", below)]).1).is_ok());
}

#[test]
fn a_spec_that_is_not_there_or_not_text_is_said_to_be_so() {
    let error = Spec::load("no/such/outward.toml").unwrap_err();
    assert!(matches!(error, Error::Io { .. }) && error.to_string().contains("no/such/outward.toml"));
    let (folder, path) = folder(&[]);
    std::fs::write(&path, b"title = \"\xe9\"").unwrap();
    assert!(Spec::load(&path).unwrap_err().to_string().contains("byte 9"));
    drop(folder);
}

#[test]
fn mistakes_in_a_file_the_spec_names_are_shown_in_that_file() {
    let error = failure(&[("levels/age.csv", "1;0-9;*\n1;10-19;*\n")]);
    assert!(error.to_string().contains("age.csv:2, column `age`"), "{error}");
    let error = failure(&[("own.toml", "name = 3")]);
    assert!(error.to_string().contains("own.toml:1:"), "{error}");
}

#[test]
fn a_level_a_hierarchy_file_does_not_have_is_shown_in_the_spec() {
    let error = failure(&[("outward.toml", &SPEC.replace("level = 2", "level = 3"))]);
    assert!(error.to_string().contains("outward.toml:20:9: `age` has no level 3"), "{error}");
}

#[test]
fn a_policy_may_only_name_variables_of_the_spec() {
    let error = failure(&[("own.toml", &OWN.replace("visibility = \"medium\"", "keys = [\"regoin\"]"))]);
    assert_eq!(error.help().unwrap(), "did you mean `region`?");
}

#[test]
fn a_hierarchy_file_that_is_missing_is_named_at_the_line_that_names_it() {
    let error = failure(&[("outward.toml", &SPEC.replace("age.csv", "ages.csv"))]);
    let fault = error.fault().unwrap();
    assert!(fault.what.starts_with("there is no file ") && fault.what.ends_with("ages.csv"), "{error}");
    let line = SPEC.lines().position(|line| line.contains("age.csv")).unwrap() as u64 + 1;
    assert_eq!(fault.place.line, Some(line));
}

#[test]
fn a_hierarchy_in_the_form_of_those_of_the_adult_data_is_read() {
    let text = "1;0-4;0-19;*\n17;15-19;0-19;*\n35;35-39;20-39;*\n37;35-39;20-39;*\n";
    let hierarchy = Hierarchy::from_bytes(text.into(), Path::new("age.csv"), false, None).unwrap();
    assert_eq!((hierarchy.leaves(), hierarchy.levels()), (Some(4), 4));
    assert_eq!(hierarchy.recode("37", 1).unwrap(), "35-39");
    assert_eq!(hierarchy.recode("17", 2).unwrap(), "0-19");
    assert_eq!(hierarchy.recode("37", 3).unwrap(), "*");
}

mod real_data {
    use super::*;

    #[test]
    fn the_published_hierarchies_of_the_adult_data_are_read() {
        let facts = [
            ("age", 100, 5, "37", "35-39"),
            ("education", 16, 4, "Bachelors", "Undergraduate"),
            ("marital-status", 7, 3, "Divorced", "spouse not present"),
            ("native-country", 41, 3, "England", "Europe"),
            ("occupation", 14, 3, "Sales", "Nontechnical"),
            ("race", 5, 2, "White", "*"),
            ("salary-class", 2, 2, ">50K", "*"),
            ("sex", 2, 2, "Male", "*"),
            ("workclass", 8, 3, "Private", "Non-Government"),
        ];
        for (name, leaves, levels, value, label) in facts {
            let bytes = outward_testing::real_data::bytes(&format!("adult/adult_hierarchy_{name}.csv.gz"));
            let hierarchy = Hierarchy::from_bytes(bytes, Path::new(name), false, None).unwrap();
            assert_eq!((hierarchy.leaves(), hierarchy.levels()), (Some(leaves), levels), "{name}");
            assert_eq!(hierarchy.recode(value, 1).unwrap(), label, "{name}");
        }
    }
}

#[test]
fn the_reference_names_every_field_and_choice_of_the_schema() {
    let reference = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec.md")).unwrap();
    fn names(schema: &serde_json::Value, found: &mut Vec<String>) {
        if let Some(word) = schema["const"].as_str() {
            found.push(word.to_owned());
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            found.push(name.clone());
            names(field, found);
        }
        for key in ["anyOf", "oneOf"] {
            schema[key].as_array().into_iter().flatten().for_each(|branch| names(branch, found));
        }
        schema["$defs"].as_object().into_iter().flatten().for_each(|(_, part)| names(part, found));
    }
    let mut found = Vec::new();
    names(&Spec::json_schema(), &mut found);
    assert!(found.len() > 60);
    for name in found {
        let named = [format!("`{name}`"), format!("`\"{name}\"`"), format!("[{name}]"), format!("{{ {name} =")];
        assert!(named.iter().any(|named| reference.contains(named)), "docs/spec.md does not name `{name}`");
    }
    let example = reference.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    Spec::parse(example, "outward.toml").unwrap();
}
