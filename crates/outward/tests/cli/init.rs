//! `outward init`.

use super::{folder, json, outward, refused, stderr, stdout};

fn census(folder: &std::path::Path, rows: &str) {
    let args = ["generate", "census", "--rows", rows, "--seed", "3", "--out", "persons.csv"];
    let output = outward(folder, &args);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn identifiers_of_a_census_are_found_and_dropped_by_a_step() {
    let folder = folder();
    census(folder.path(), "3000");
    let profile = json(&outward(folder.path(), &["init", "persons.csv", "--format", "json"]));
    let role = |name: &str| {
        let columns = profile["columns"].as_array().unwrap();
        let column = columns.iter().find(|column| column["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        column["suggestion"]["role"].as_str().unwrap().to_owned()
    };
    for name in ["nhs_number", "email", "phone", "address"] {
        assert_eq!(role(name), "identifier", "{name}");
    }
    assert_eq!(role("date_of_birth"), "date-of-birth");
    assert_eq!(role("notes"), "free-text");
    for name in ["sex", "age", "ethnic_group", "country_of_birth"] {
        assert!(["key", "sensitive"].contains(&role(name).as_str()), "{name} is {}", role(name));
    }
    let spec = std::fs::read_to_string(folder.path().join("outward.toml")).unwrap();
    assert!(spec.contains("do = \"drop\"") && spec.contains("\"nhs_number\""), "{spec}");
}

#[test]
fn the_spec_that_init_writes_can_be_assessed_at_once() {
    let folder = folder();
    census(folder.path(), "3000");
    let output = outward(folder.path(), &["init", "persons.csv"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("outward assess outward.toml"));
    let found = json(&outward(folder.path(), &["assess", "outward.toml", "--format", "json"]));
    assert_eq!(found["records"], 3000);
    assert!(found["uniques"].as_u64().unwrap() > 0);
}

#[test]
fn a_spec_in_another_folder_still_finds_its_data() {
    let folder = folder();
    census(folder.path(), "300");
    std::fs::create_dir(folder.path().join("release")).unwrap();
    let args = ["init", "persons.csv", "--out", "release/outward.toml"];
    assert!(outward(folder.path(), &args).status.success());
    let found = json(&outward(folder.path(), &["assess", "release/outward.toml", "--format", "json"]));
    assert_eq!(found["records"], 300);
}

#[test]
fn a_spec_that_is_there_is_not_overwritten_unless_asked() {
    let folder = folder();
    census(folder.path(), "50");
    std::fs::write(folder.path().join("outward.toml"), "mine").unwrap();
    let said = refused(&outward(folder.path(), &["init", "persons.csv"]));
    assert!(said.contains("--force"), "{said}");
    assert_eq!(std::fs::read_to_string(folder.path().join("outward.toml")).unwrap(), "mine");
    assert!(outward(folder.path(), &["init", "persons.csv", "--force"]).status.success());
}

#[test]
fn what_the_reader_guessed_is_written_down() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "a;b\n1;2\n").unwrap();
    assert!(outward(folder.path(), &["init", "x.csv"]).status.success());
    let spec = std::fs::read_to_string(folder.path().join("outward.toml")).unwrap();
    assert!(spec.contains("delimiter = \"semicolon\"") && spec.contains("encoding = \"utf-8\""), "{spec}");
}

#[test]
fn codes_keep_their_leading_zeros() {
    let folder = folder();
    let mut text = String::from("area,sex\n");
    (0..200).for_each(|row| text += &format!("{:03},{}\n", row % 40, row % 2));
    std::fs::write(folder.path().join("codes.csv"), text).unwrap();
    assert!(outward(folder.path(), &["init", "codes.csv"]).status.success());
    let spec = std::fs::read_to_string(folder.path().join("outward.toml")).unwrap();
    assert!(spec.contains("name = \"area\"\ntype = \"text\""), "{spec}");
    let args = ["assess", "codes.csv", "--keys", "area", "--show-values", "--k", "6", "--format", "json"];
    assert_eq!(json(&outward(folder.path(), &args))["cells"], 40);
}

#[test]
fn nothing_init_prints_or_writes_holds_a_value_of_an_identifier() {
    let folder = folder();
    census(folder.path(), "500");
    let output = outward(folder.path(), &["init", "persons.csv"]);
    let spec = std::fs::read_to_string(folder.path().join("outward.toml")).unwrap();
    let said = stdout(&output) + &stderr(&output) + &spec;
    // Made as plain text on the side, so that the values are known without the program's own reader.
    let data = std::fs::read_to_string(folder.path().join("persons.csv")).unwrap();
    let identifies =
        |word: &&str| word.contains('@') || word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_digit());
    let values: Vec<&str> = data.split([',', '\n', '"', ' ']).filter(identifies).collect();
    assert!(values.len() > 500, "only {} values were looked for", values.len());
    for value in values {
        assert!(!said.contains(value));
    }
}

#[test]
fn the_oldest_person_is_not_given_away_by_the_suggestions() {
    let folder = folder();
    let mut text = String::from("age,born\n113,1898-05-01\n");
    (0..3000).for_each(|row| text += &format!("{},{}-02-03\n", 16 + row % 65, 1931 + row % 65));
    std::fs::write(folder.path().join("x.csv"), text).unwrap();
    let output = outward(folder.path(), &["init", "x.csv"]);
    let spec = std::fs::read_to_string(folder.path().join("outward.toml")).unwrap();
    let json = stdout(&outward(folder.path(), &["init", "x.csv", "--force", "--format", "json"]));
    for said in [stdout(&output), spec, json] {
        assert!(!said.contains("113") && !said.contains("1898"), "{said}");
    }
}
