//! The committed JSON schema is the one the code has.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_spec::Spec;

#[test]
fn the_committed_schema_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/outward.schema.json");
    let current = serde_json::to_string_pretty(&Spec::json_schema()).unwrap() + "\n";
    if std::env::var_os("OUTWARD_UPDATE").is_some() {
        std::fs::write(path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == current,
        "docs/outward.schema.json is out of date; run `OUTWARD_UPDATE=1 cargo test --release -p outward-spec --test schema` and commit it"
    );
}

#[test]
fn every_field_of_the_schema_is_described() {
    fn walk(schema: &serde_json::Value, place: &str) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let described = field["description"].is_string() || field["const"].is_string();
            assert!(described, "{place}.{name} has no description");
            walk(field, name);
        }
        for key in ["anyOf", "oneOf"] {
            schema[key].as_array().into_iter().flatten().for_each(|branch| walk(branch, place));
        }
        for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
            walk(part, name);
        }
    }
    walk(&Spec::json_schema(), "spec");
}
