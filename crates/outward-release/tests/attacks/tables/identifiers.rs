//! What identifies a person spans no table and heads none.

use outward_engine::Embedded;
use outward_release::make_tables;
use outward_spec::{Error, Spec};

use super::{SPEC, bundle, bundle_of};

fn error_of(spec: &str) -> Option<Error> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), "age,illness,sex\n20,cold,F\n").unwrap();
    std::fs::write(folder.path().join("ages.csv"), "20,16-24,16-25\n").unwrap();
    let file = folder.path().join("outward.toml");
    std::fs::write(&file, spec).unwrap();
    let spec = Spec::load(&file).unwrap();
    let tables: Vec<_> = spec.tables.iter().collect();
    let rules = spec.rules().unwrap().tables.unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(make_tables(&Embedded::new(1), &spec, &tables, &rules)).err()
}

#[test]
fn a_variable_of_a_forbidden_role_spans_no_table() {
    assert!(error_of(SPEC).is_none());
    for role in ["identifier", "free-text"] {
        let spec = SPEC.replace("name = \"sex\"\nrole = \"key\"", &format!("name = \"sex\"\nrole = \"{role}\""));
        let error = error_of(&spec).unwrap();
        assert_eq!(error.fault().unwrap().place.variable.as_deref(), Some("sex"), "{error}");
        assert!(error.to_string().contains(role) && error.help().unwrap().contains("variables"), "{error}");
    }
}

#[test]
fn another_name_for_an_identifying_column_spans_no_table_either() {
    let (sex, own) = ("name = \"sex\"\nrole = \"key\"", "name = \"sex\"\nrole = \"identifier\"");
    let area = format!("{own}\n[[variables]]\nname = \"area\"\ncolumns = [\"sex\"]");
    let renamed = SPEC.replace("\"illness\", \"sex\"]", "\"illness\", \"area\"]").replace(sex, &area);
    assert!(
        renamed.contains("\"illness\", \"area\"]") && renamed.contains(&area),
        "a table is spanned by it: {renamed}"
    );
    let error = error_of(&renamed).unwrap();
    assert!(error.to_string().contains("with the role `identifier`"), "{error}");
}

#[test]
fn a_heading_with_a_number_of_a_person_is_found_in_a_bundle_of_tables() {
    let bundle = bundle();
    bundle.forge_tables(|tables| {
        let label = &mut tables[2]["dimensions"][0]["nodes"][1]["label"];
        *label = serde_json::json!("gout, see 943/476/5919");
    });
    bundle.failing("identifiers");
}

#[test]
#[should_panic(expected = "the title of a table holds")]
fn a_title_with_a_number_of_a_person_is_refused() {
    bundle_of(&SPEC.replace("name = \"sexes\"", "name = \"sexes\"\ntitle = \"By sex, ask 07700 900123\""));
}
