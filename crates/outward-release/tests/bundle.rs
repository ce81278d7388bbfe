//! Bundles on the disk: what is in them, and that they are there whole or not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use outward_fixtures::records::{Case, WrittenBundle, layout};
use outward_fixtures::spec::drop_and_recode;
use outward_release::{Existing, Manifest, read, write};
use outward_spec::{Error, Spec, Type};
use tempfile::TempDir;

const VARIABLES: &str = r#"
title = "Travel survey"
seed = 7919
[policy]
k = 2
[[variables]]
name = "name"
role = "identifier"
[[variables]]
name = "age"
label = "Age in years"
role = "key"
hierarchy = { width = 20 }
[[variables]]
name = "home/town"
role = "geography"
hierarchy = { file = "towns.csv" }
[[variables]]
name = "fare"
type = "number"
"#;

const STEPS: &str = r#"[[steps]]
do = "swap"
geography = ["home/town"]
k = 31
share = 0.037
[[steps]]
do = "round"
variables = ["fare"]
base = 5
"#;

fn spec() -> String {
    format!("{VARIABLES}{}{STEPS}", drop_and_recode("name", "age", "home/town"))
}

fn made() -> WrittenBundle {
    let mut case = Case::new(&spec(), "age,home/town,fare\n20-39,North,5\n20-39,North,10\n");
    case.types = vec![("fare", Type::Number)];
    case.files = vec![("towns.csv", "Leeds;North\nYork, old;North\n")];
    case.make()
}

#[test]
fn the_layout_of_a_bundle() {
    let made = made();
    insta::assert_snapshot!("layout", layout(&made.bundle));
    let beside: Vec<_> = fs::read_dir(made.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(beside.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{beside:?}");
    assert_eq!(made.manifest, read(&made.bundle).unwrap());
}

#[test]
fn what_goes_out_with_the_data() {
    let made = made();
    let text = |path: &str| fs::read_to_string(made.path(path)).unwrap();
    insta::assert_snapshot!("statement", text("public/statement.md"));
    insta::assert_snapshot!("dictionary", text("public/dictionary.csv"));
    insta::assert_snapshot!("mapping_of_a_list", text("public/mappings/home_town.3.csv"));
    insta::assert_snapshot!("mapping_of_a_rule", text("public/mappings/age.csv"));
    for path in layout(&made.path("public")).lines() {
        let text = text(&format!("public/{path}"));
        assert!(["7919", "0.037", "31"].iter().all(|secret| !text.contains(secret)), "{path} helps to undo a step");
    }
}

#[test]
fn the_report_puts_the_verdict_first_and_names_every_file() {
    let made = made();
    let html = fs::read_to_string(made.path("report.html")).unwrap();
    let (verdict, steps) = (html.find("meets its policy").unwrap(), html.find("Step by step").unwrap());
    assert!(verdict < steps);
    for file in made.manifest.files.iter().filter(|file| file.path != "report.html") {
        assert!(html.contains(&file.sha256), "{}", file.path);
    }
}

#[test]
fn a_run_that_fails_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("deep/bundle");
    let error = write(&target, Existing::Refuse, |staging| {
        staging.put("public/data.csv", b"a\n1\n")?;
        Err(Error::Stopped)
    });
    assert!(matches!(error, Err(Error::Stopped)));
    assert_eq!(layout(folder.path()), "");
}

#[test]
fn a_target_that_is_there_is_refused_or_replaced_whole() {
    let made = made();
    let fill = |staging: &outward_release::Staging| {
        staging.put("public/data.csv", b"age\n")?;
        let spec = Spec::parse("data = { path = \"a.csv\" }", "outward.toml")?;
        let mut manifest = Manifest::new(&spec, spec.rules()?, Vec::new());
        manifest.data = "public/data.csv".to_owned();
        Ok(manifest)
    };
    let error = write(&made.bundle, Existing::Refuse, fill).unwrap_err();
    assert!(error.help().unwrap().contains("--force"), "{error}");
    assert_eq!(read(&made.bundle).unwrap().title, "Travel survey");
    write(&made.bundle, Existing::Replace, fill).unwrap();
    assert_eq!(read(&made.bundle).unwrap().title, "Untitled release");
    assert!(!made.path("spec.toml").exists());
    let other = made.folder.path().join("photos");
    fs::create_dir(&other).unwrap();
    assert!(write(&other, Existing::Replace, fill).unwrap_err().to_string().contains("not a bundle"));
    assert!(other.is_dir());
}

#[test]
fn what_is_no_bundle_says_so() {
    let made = made();
    let error = read(made.folder.path()).unwrap_err();
    assert!(error.to_string().contains("not a bundle"), "{error}");
    let manifest = made.path("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for (damage, says) in [
        (text.replacen("\"format\": 1", "\"format\": 2", 1), "form 2"),
        (text[..text.len() / 2].to_owned(), "ends too early"),
        (text.replacen("\"seed\": 7919", "\"seed\": \"no\"", 1), "is not what a manifest has there"),
        (text.replacen("\"title\":", "\"title\"", 1), "is not JSON"),
    ] {
        fs::write(&manifest, damage).unwrap();
        let error = read(&made.bundle).unwrap_err();
        assert!(error.to_string().contains(says) && error.help().is_some(), "{error}");
    }
}
