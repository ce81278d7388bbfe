//! Somebody who knows how bundles are made puts something into `public` that must not be published, or takes what was
//! done out of the manifest. They then correct every hash.

use std::fs;

use outward_release::{FileRecord, Manifest, Outcome, read};
use outward_spec::Type;
use sha2::{Digest, Sha256};

use outward_fixtures::records::{Case, WrittenBundle, named, place};
use outward_fixtures::spec::drop_and_recode;

const VARIABLES: &str = r#"
title = "Health survey"
[policy]
k = 2
[[variables]]
name = "name"
role = "identifier"
[[variables]]
name = "age"
role = "key"
hierarchy = { width = 20 }
[[variables]]
name = "area"
role = "geography"
hierarchy = { file = "areas.csv" }
[[variables]]
name = "income"
type = "number"
"#;

const STEPS: &str = r#"[[steps]]
do = "limit"
variable = "income"
top = 900
[[steps]]
do = "noise"
variables = ["income"]
"#;

fn spec() -> String {
    format!("{VARIABLES}{}{STEPS}", drop_and_recode("name", "age", "area"))
}

const DATA: &str = "age,area,income\n20-39,North,150\n20-39,North,400.5\n40-59,South,899\n40-59,South,12\n";

const RAW: &str = "name,age,area,income\nMargaret Hale,23,Leeds,151\nJohn Thornton,31,York,401\n";

fn release() -> WrittenBundle {
    let mut case = Case::new(&spec(), DATA);
    case.types = vec![("income", Type::Number)];
    case.files = vec![("areas.csv", "Leeds;North\nYork;North\nDover;South\n")];
    case.make()
}

fn write_manifest(made: &WrittenBundle, manifest: &Manifest) {
    fs::write(made.path("manifest.json"), serde_json::to_string(manifest).unwrap()).unwrap();
}

/// Writes a file, new or not, and names it in the manifest with its right size and hash.
fn put(made: &WrittenBundle, path: &str, text: &str) {
    fs::create_dir_all(made.path(path).parent().unwrap()).unwrap();
    fs::write(made.path(path), text).unwrap();
    let sha256 = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut manifest = read(&made.bundle).unwrap();
    manifest.files.retain(|file| file.path != path);
    manifest.files.push(FileRecord { path: path.to_owned(), bytes: text.len() as u64, sha256 });
    manifest.files.sort_by(|a, b| a.path.cmp(&b.path));
    write_manifest(made, &manifest);
}

/// Changes the manifest and makes the published texts anew of it, as a run that did just that would have.
fn rewrite(made: &WrittenBundle, change: impl Fn(&mut Manifest)) {
    let mut manifest = read(&made.bundle).unwrap();
    change(&mut manifest);
    write_manifest(made, &manifest);
    put(made, "public/statement.md", &outward_release::statement(&manifest));
    put(made, "public/dictionary.csv", &outward_release::dictionary(&manifest));
}

#[test]
fn the_release_that_is_forged_below_holds_as_it_was_made() {
    let made = release();
    rewrite(&made, |_| {});
    assert_eq!(made.verify().outcome(), Outcome::Holds, "{:#?}", made.verify());
}

#[test]
fn raw_records_do_not_go_out_beside_the_published_ones() {
    for paths in [
        ["public/raw.csv", "public/data.parquet", "public/.data.csv", "public/data.csv.bak"],
        ["public/mappings/raw.parquet", "public/mappings/old/raw.csv", "public/mappings.csv", "raw/people.csv"],
    ] {
        let made = release();
        paths.iter().for_each(|path| put(&made, path, RAW));
        let check = made.failing("files");
        for path in paths {
            assert!(check.places.iter().any(|place| path.starts_with(&place.file)), "{path}: {check:?}");
        }
    }
}

#[test]
fn raw_records_do_not_go_out_in_place_of_the_published_ones() {
    let made = release();
    put(&made, "public/data.csv", RAW);
    assert_eq!(named(&made.verify(), "files").outcome, Outcome::Holds);
    assert!(made.failing("schema").says.contains("dropped"), "{}", made.failing("schema").says);
    // Under another name, with the manifest saying that these are the records.
    let made = release();
    put(&made, "public/people.csv", DATA);
    rewrite(&made, |manifest| manifest.data = "public/people.csv".to_owned());
    assert_eq!(place(&made.failing("files")), "public/people.csv");
}

#[test]
fn an_empty_folder_in_public_is_seen() {
    let made = release();
    fs::create_dir(made.path("public/Margaret Hale")).unwrap();
    assert_eq!(place(&made.failing("files")), "public/Margaret Hale");
}

#[test]
fn a_step_that_the_spec_asks_for_cannot_be_left_out_of_the_manifest() {
    let made = release();
    for gone in 0..made.manifest.steps.len() {
        rewrite(&made, |manifest| {
            manifest.steps.clone_from(&made.manifest.steps);
            manifest.steps.remove(gone);
        });
        assert_eq!(place(&made.failing("rules")), "spec.toml", "step {}", gone + 1);
    }
    // All of them, with nothing else changed.
    let made = release();
    let mut manifest = read(&made.bundle).unwrap();
    manifest.steps.clear();
    write_manifest(&made, &manifest);
    made.failing("rules");
}

#[test]
fn a_step_cannot_be_left_out_of_spec_and_manifest_either() {
    let made = release();
    made.forge("spec.toml", |text| text.replace("[[steps]]\ndo = \"limit\"\nvariable = \"income\"\ntop = 900\n", ""));
    rewrite(&made, |manifest| drop(manifest.steps.remove(3)));
    assert_eq!(named(&made.verify(), "rules").outcome, Outcome::Holds);
    assert_eq!(place(&made.failing("spec")), "spec.toml");
}

#[test]
fn a_step_cannot_be_made_weaker_in_the_manifest() {
    let made = release();
    rewrite(&made, |manifest| {
        let weaker = serde_json::json!({ "do": "limit", "variable": "income", "top": 900_000 });
        manifest.steps[3].step = serde_json::from_value(weaker).unwrap();
    });
    made.failing("rules");
}

#[test]
fn nobody_is_named_in_the_texts_that_go_out() {
    for path in ["public/statement.md", "public/dictionary.csv"] {
        let made = release();
        let text = fs::read_to_string(made.path(path)).unwrap();
        for note in ["Record 3 is Margaret Hale.\n", " "] {
            put(&made, path, &format!("{text}{note}"));
            assert_eq!(named(&made.verify(), "files").outcome, Outcome::Holds);
            assert_eq!(place(&made.failing("texts")), path);
        }
    }
}

#[test]
fn nobody_is_named_in_the_title_or_a_label() {
    let made = release();
    rewrite(&made, |manifest| manifest.title = "Health survey, with Margaret Hale as record 3".to_owned());
    assert!(made.failing("rules").says.contains("title"), "{}", made.failing("rules").says);
    let made = release();
    rewrite(&made, |manifest| manifest.columns[2].label = "Income (Margaret Hale: 899)".to_owned());
    assert!(made.failing("rules").says.contains("income"), "{}", made.failing("rules").says);
}

#[test]
fn identifiers_do_not_go_out_in_mappings() {
    let made = release();
    let path = "public/mappings/area.csv";
    let text = fs::read_to_string(made.path(path)).unwrap();
    for hidden in ["943 476 5919", "hale@example.org", "07700 900123", "AB 12 34 56 C", "\"SW1A 1AA\""] {
        put(&made, path, &format!("{text}{hidden},North\n"));
        let check = made.failing("texts");
        assert_eq!(place(&check), "public/mappings/area.csv, row 4");
        assert!(!check.says.contains(hidden));
    }
    // A mapping that is a rule in words.
    let made = release();
    made.forge("public/mappings/age.csv", |text| text + "record 3: hale@example.org\n");
    assert_eq!(place(&made.failing("texts")), "public/mappings/age.csv, row 2");
}

#[test]
fn a_line_that_no_hierarchy_makes_is_found_in_a_mapping() {
    let path = "public/mappings/area.csv";
    for (forged, row) in [
        ("value,published\nDover,South\nLeeds,North\nYork,South\n", "row 3"),
        ("value,published\nDover,South\nLeeds,North\nYork,North\nHale,South\n", "row 4"),
        ("value,published\nDover,South\nHull,North\nLeeds,North\nYork,North\n", "row 2"),
        ("value,published,person\nDover,South\nLeeds,North\nYork,North\n", ""),
        ("value,published\nDover,South,1\nLeeds,North\nYork,North\n", "row 1"),
        ("value,published\nDover,South\nLeeds,North\n", ""),
        ("value,published\nLeeds,North\nDover,South\nYork,North\n", "row 1"),
        ("", ""),
    ] {
        let made = release();
        put(&made, path, forged);
        assert_eq!(named(&made.verify(), "files").outcome, Outcome::Holds);
        let check = made.failing("mappings");
        assert!(place(&check).starts_with(path) && place(&check).ends_with(row), "{forged}: {check:?}");
        assert!(!check.says.contains("Hale"), "{check:?}");
    }
    // A rule in words.
    let made = release();
    made.forge("public/mappings/age.csv", |text| text.replace("20 wide", "10 wide"));
    assert_eq!(place(&made.failing("mappings")), "public/mappings/age.csv, row 1");
}

#[test]
fn a_mapping_too_many_or_too_few_is_found() {
    // Of a variable that is dropped, of one that is published as it is, and of none.
    for extra in ["public/mappings/name.csv", "public/mappings/income.csv", "public/mappings/people.csv"] {
        let made = release();
        put(&made, extra, "value,published\nMargaret Hale,1\n");
        assert_eq!(named(&made.verify(), "files").outcome, Outcome::Holds);
        assert_eq!(place(&made.failing("mappings")), extra);
    }
    let made = release();
    let path = "public/mappings/area.csv";
    fs::remove_file(made.path(path)).unwrap();
    let mut manifest = read(&made.bundle).unwrap();
    manifest.files.retain(|file| file.path != path);
    write_manifest(&made, &manifest);
    assert_eq!(named(&made.verify(), "files").outcome, Outcome::Holds);
    assert_eq!(place(&made.failing("mappings")), path);
}

#[test]
fn a_hierarchy_of_argus_is_read_from_its_copy() {
    let spec = spec().replace("areas.csv", "areas.hrc");
    let mut case = Case::new(&spec, DATA);
    case.types = vec![("income", Type::Number)];
    case.files = vec![("areas.hrc", "North\n@Leeds\n@York\nSouth\n@Dover\n")];
    let made = case.make();
    for check in ["spec", "mappings", "domain (area)"] {
        assert_eq!(named(&made.verify(), check).outcome, Outcome::Holds, "{check}");
    }
    assert!(made.path("hierarchies/area.hrc").is_file());
}
