//! Planted faults, each found where it was planted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use outward_fixtures::records::{Case, WrittenBundle, named, place};
use outward_fixtures::spec::drop_and_recode;
use outward_release::verify::Options;
use outward_release::{Outcome, StepRecord, read};
use outward_spec::{Source, Type};

const VARIABLES: &str = r#"
title = "Health survey"
[policy]
k = 3
l = 2
t = 0.5
average_risk = 0.34
highest_risk = 0.34
max_unique_share = 0
all_combinations = { keys = 2, k = 3 }
weak_k = [{ name = "women", k = 4, keys = ["sex"], where = "sex = 'F'" }]
[[variables]]
name = "id"
role = "identifier"
[[variables]]
name = "age"
type = "integer"
role = "key"
hierarchy = { bands = [16, 45, 65] }
[[variables]]
name = "sex"
role = "key"
[[variables]]
name = "area"
role = "geography"
hierarchy = { file = "areas.csv" }
[[variables]]
name = "income"
type = "number"
[[variables]]
name = "illness"
role = "sensitive"
[[variables]]
name = "notes"
"#;

const STEPS: &str = r#"[[steps]]
do = "limit"
variable = "income"
top = 900
[[steps]]
do = "round"
variables = ["income"]
base = 0.05
[[steps]]
do = "remove-rare"
variable = "illness"
least = 3
"#;

fn spec() -> String {
    format!("{VARIABLES}{}{STEPS}", drop_and_recode("id", "age", "area"))
}

const DATA: &str = "age,sex,area,income,illness,notes
16-44,F,North,0.15,asthma,seen today
16-44,F,North,20,none,
16-44,F,North,3.5,asthma,sent home
16-44,F,South,0.15,none,
16-44,F,South,100,asthma,came back
16-44,F,South,7,none,
16-44,M,North,0.15,asthma,
16-44,M,North,20,none,well
16-44,M,North,,asthma,
65 or over,M,North,900,none,seen again
65 or over,M,North,20,asthma,
65 or over,M,North,3.5,none,
65 or over,M,North,20,asthma,
";

fn release() -> WrittenBundle {
    let mut case = Case::new(&spec(), DATA);
    case.types = vec![("income", Type::Number)];
    case.files = vec![("areas.csv", "Leeds;North\nYork;North\nDover;South\n")];
    case.make()
}

#[test]
fn an_untouched_bundle_holds() {
    let made = release();
    let verification = made.verify();
    let bad: Vec<_> = verification.checks.iter().filter(|check| check.outcome != Outcome::Holds).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    let names: Vec<&str> = verification.checks.iter().map(|check| check.name.as_str()).collect();
    insta::assert_snapshot!("checks_of_a_bundle", names.join("\n"));
    assert_eq!(verification, made.verify_with(&Options { threads: 3, ..Options::default() }));
}

#[test]
fn no_number_in_a_manifest_ends_a_verification() {
    let made = release();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let manifest = made.path("manifest.json");
    let wrong = outward_fixtures::extremes::panics(&fs::read_to_string(&manifest).unwrap(), |changed| {
        fs::write(&manifest, changed).unwrap();
        // A manifest that cannot be read is an error, with words.
        let _ = runtime.block_on(outward_release::verify(&made.bundle, &Options::default()));
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn one_byte_changed_is_found_in_its_file() {
    for path in
        ["public/data.csv", "public/statement.md", "report.html", "hierarchies/area.csv", "public/mappings/area.csv"]
    {
        let made = release();
        made.edit(path, |text| text.replacen('e', "o", 1));
        assert_eq!(place(&made.failing("files")), path);
    }
}

#[test]
fn one_record_made_unique_is_found_though_the_hash_was_repaired() {
    let made = release();
    made.forge_cell(11, "sex", "F");
    assert_eq!(named(&made.verify(), "files").outcome, Outcome::Holds);
    assert_eq!(place(&made.failing("k")), "public/data.csv, row 11");
    assert_eq!(place(&made.failing("all combinations")), "public/data.csv, row 11");
    for name in ["measures", "highest risk", "unique share"] {
        made.failing(name);
    }
}

#[test]
fn an_nhs_number_slipped_into_free_text_is_found_and_not_shown() {
    for hidden in ["call 943 476 5919 back", "NHS no 9434765919", "9434765919"] {
        let made = release();
        made.forge_cell(8, "notes", hidden);
        let check = made.failing("identifiers");
        assert_eq!(place(&check), "public/data.csv, row 8, column `notes`");
        assert!(!format!("{check:?}").contains("5919"));
    }
}

#[test]
fn a_value_off_base_or_beyond_its_limit_is_found() {
    let made = release();
    made.forge_cell(5, "income", "100.01");
    assert_eq!(place(&made.failing("rounding (income)")), "public/data.csv, row 5, column `income`");
    made.forge_cell(5, "income", "950");
    assert_eq!(made.check("rounding (income)").outcome, Outcome::Holds);
    assert_eq!(place(&made.failing("limits (income)")), "public/data.csv, row 5, column `income`");
    made.forge_cell(5, "income", "much");
    assert_eq!(place(&made.failing("schema")), "public/data.csv, row 5, column `income`");
}

#[test]
fn a_label_outside_its_domain_is_found() {
    let made = release();
    made.forge_cell(4, "age", "23");
    assert_eq!(place(&made.failing("domain (age)")), "public/data.csv, row 4, column `age`");
    let made = release();
    made.forge_cell(6, "area", "Dover");
    assert_eq!(place(&made.failing("domain (area)")), "public/data.csv, row 6, column `area`");
}

#[test]
fn a_dropped_column_that_is_back_is_found() {
    let made = release();
    made.forge("public/data.csv", |text| {
        let lines = text.lines().enumerate();
        lines.map(|(at, line)| if at == 0 { format!("{line},id\n") } else { format!("{line},{at}\n") }).collect()
    });
    let check = made.failing("schema");
    assert_eq!(place(&check), "public/data.csv, column `id`");
    assert!(check.says.contains("dropped"), "{}", check.says);
}

#[test]
fn files_that_are_missing_or_were_never_there_are_found() {
    let made = release();
    fs::write(made.path("public/extra.csv"), "a\n").unwrap();
    assert_eq!(place(&made.failing("files")), "public/extra.csv");
    let made = release();
    fs::remove_file(made.path("public/dictionary.csv")).unwrap();
    assert_eq!(place(&made.failing("files")), "public/dictionary.csv");
    let made = release();
    fs::remove_file(made.path("public/data.csv")).unwrap();
    assert_eq!(place(&made.failing("records")), "public/data.csv");
}

#[cfg(unix)]
#[test]
fn a_link_is_no_file_of_a_bundle() {
    let made = release();
    fs::rename(made.path("public/statement.md"), made.folder.path().join("elsewhere.md")).unwrap();
    std::os::unix::fs::symlink(made.folder.path().join("elsewhere.md"), made.path("public/statement.md")).unwrap();
    assert_eq!(place(&made.failing("files")), "public/statement.md");
}

#[test]
fn a_path_that_leads_out_of_the_bundle_is_refused() {
    let made = release();
    let mut manifest = read(&made.bundle).unwrap();
    manifest.files[0].path = "../in.csv".to_owned();
    manifest.data = "../in.csv".to_owned();
    fs::write(made.path("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
    assert_eq!(place(&made.failing("files")), "../in.csv");
    made.failing("records");
}

#[test]
fn a_deleted_row_and_a_blanked_value_are_found() {
    let made = release();
    made.forge("public/data.csv", |text| text.lines().take(13).map(|line| format!("{line}\n")).collect());
    assert!(made.failing("records").says.contains("12 records"), "{}", made.failing("records").says);
    let made = release();
    made.forge_cell(2, "income", "");
    assert_eq!(place(&made.failing("missing")), "public/data.csv, row 2, column `income`");
}

#[test]
fn a_class_with_one_illness_breaks_diversity_and_closeness() {
    let made = release();
    made.forge("public/data.csv", |text| text.replace("16-44,F,North,20,none", "16-44,F,North,20,asthma"));
    assert_eq!(place(&made.failing("l (illness)")), "public/data.csv, row 1");
    let made = release();
    made.forge("public/data.csv", |text| {
        text.replace("F,South,0.15,none", "F,South,0.15,flu").replace("F,South,7,none", "F,South,7,flu")
    });
    assert_eq!(place(&made.failing("t (illness)")), "public/data.csv, row 4");
    assert_eq!(place(&made.failing("rare categories (step 6)")), "public/data.csv, row 4");
}

#[test]
fn a_subset_of_records_must_meet_its_own_k() {
    let made = release();
    assert_eq!(made.check("weak k (women)").outcome, Outcome::Holds);
    made.forge("public/data.csv", |text| text.replace("16-44,F", "16-44,M").replacen("16-44,M", "16-44,F", 3));
    assert_eq!(place(&made.failing("weak k (women)")), "public/data.csv, row 1");
    let spec = spec().replace("where = \"sex = 'F'\"", "where = \"id = '7'\"");
    let mut case = Case::new(&spec, DATA);
    case.files = vec![("areas.csv", "Leeds;North\nDover;South\n")];
    assert_eq!(case.make().check("weak k (women)").outcome, Outcome::CannotTell);
}

#[test]
fn rules_weaker_than_the_spec_are_found() {
    let made = release();
    let mut manifest = read(&made.bundle).unwrap();
    manifest.rules.k = 2;
    fs::write(made.path("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
    made.failing("rules");
    let made = release();
    made.forge("spec.toml", |text| text.replace("k = 3", "k = 2"));
    assert_eq!(place(&made.failing("spec")), "spec.toml");
    let made = release();
    let mut manifest = read(&made.bundle).unwrap();
    manifest.columns[0].is_key = false;
    fs::write(made.path("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
    assert!(made.failing("rules").says.contains("age"));
}

#[test]
fn records_between_steps_must_add_up() {
    let mut case =
        Case::new("[[variables]]\nname = \"a\"\n[[steps]]\ndo = \"drop\"\nvariables = [\"a\"]\n", "b\n1\n2\n");
    case.change = |manifest| manifest.records_in = 3;
    case.make().failing("steps");
    case.change = |manifest| {
        manifest.records_in = 3;
        manifest.steps[0].records_before = 3;
    };
    case.make().failing("steps");
}

#[test]
fn a_sample_has_the_size_its_step_says() {
    let spec = "[[variables]]\nname = \"a\"\n[[steps]]\ndo = \"sample\"\nfraction = 0.1\n";
    let mut case = Case::new(spec, "a\n1\n2\n");
    case.change = |manifest| {
        manifest.records_in = 20;
        manifest.steps[0].records_before = 20;
    };
    assert_eq!(case.make().check("sample (step 1)").outcome, Outcome::Holds);
    case.change = |manifest| {
        manifest.records_in = 40;
        manifest.steps[0].records_before = 40;
    };
    case.make().failing("sample (step 1)");
}

#[test]
fn averages_are_shared_by_their_groups() {
    let spec =
        "[[variables]]\nname = \"a\"\ntype = \"number\"\n[[steps]]\ndo = \"microaggregate\"\nvariables = [\"a\"]\n";
    let case = Case::new(spec, "a,b\n1.5,x\n1.5,y\n1.5,z\n,u\n");
    let made = case.make();
    assert_eq!(made.check("microaggregation (a)").outcome, Outcome::Holds);
    made.forge_cell(2, "a", "1.6");
    assert_eq!(place(&made.failing("microaggregation (a)")), "public/data.csv, row 1");
}

#[test]
fn models_of_the_population_need_the_population() {
    let spec = "[policy]\nk = 1\nk_map = 3\npresence = { most = 0.5 }\n[[variables]]\nname = \"age\"\nrole = \"key\"\nhierarchy = { width = 10 }\n[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1\n";
    let made = Case::new(spec, "age,b\n20-29,x\n20-29,y\n30-39,z\n").make();
    for name in ["k-map", "presence"] {
        assert_eq!(made.check(name).outcome, Outcome::CannotTell);
    }
    let population = made.folder.path().join("population.csv");
    let with = |text: &str| {
        fs::write(&population, text).unwrap();
        made.verify_with(&Options { population: Some(Source::file(&population)), threads: 1 })
    };
    let enough = with("age\n21\n22\n23\n29\n31\n32\n33\n50\n");
    assert_eq!((named(&enough, "k-map").outcome, named(&enough, "presence").outcome), (Outcome::Holds, Outcome::Holds));
    let few = with("age\n21\n22\n23\n31\n32\n");
    assert_eq!(place(&named(&few, "k-map")), "public/data.csv, row 3");
    assert_eq!(place(&named(&few, "presence")), "public/data.csv, row 1");
}

#[test]
fn a_class_of_the_population_without_a_record_fails_a_least_presence_whatever_k_is() {
    for k in [1, 2] {
        let spec = format!(
            "[policy]\nk = {k}\npresence = {{ least = 0.1, most = 1.0 }}\n[[variables]]\nname = \"age\"\nrole = \"key\"\n"
        );
        let made = Case::new(&spec, "age,b\n20,x\n20,y\n30,z\n30,x\n").make();
        let population = made.folder.path().join("population.csv");
        let with = |text: &str| {
            fs::write(&population, text).unwrap();
            let options = Options { population: Some(Source::file(&population)), threads: 1 };
            named(&made.verify_with(&options), "presence").outcome
        };
        assert_eq!(with("age\n20\n20\n20\n30\n30\n30\n"), Outcome::Holds);
        assert_eq!(with("age\n20\n20\n20\n30\n30\n30\n40\n"), Outcome::Fails);
    }
}

#[test]
fn places_are_those_of_a_mapping_for_enough_residents() {
    let header = "version,code,published,reason,rule,threshold,population_table";
    let mapping: &'static str =
        Box::leak(format!("{header}\n1,LS1,LS1,kept,uk-residual,20000,sha256:0\n").into_boxed_str());
    let spec = |least: u64| {
        format!(
            "[policy]\nk = 1\nplace_population = {least}\n[[variables]]\nname = \"home\"\n[[steps]]\ndo = \"place\"\nvariable = \"home\"\nmapping = \"m.csv\"\n"
        )
    };
    let case = |least, data| {
        let mut case = Case::new(&spec(least), data);
        case.files = vec![("m.csv", mapping)];
        case.make()
    };
    assert_eq!(case(20_000, "home\nLS1\n").check("places (home)").outcome, Outcome::Holds);
    assert_eq!(place(&case(25_000, "home\nLS1\n").failing("places (home)")), "public/mappings/home.csv");
    assert_eq!(
        place(&case(20_000, "home\nLS1\nLS2\n").failing("places (home)")),
        "public/data.csv, row 2, column `home`"
    );
}

#[test]
fn a_step_rewritten_later_is_not_asked_about() {
    let spec = "[[variables]]\nname = \"a\"\ntype = \"number\"\n[[steps]]\ndo = \"round\"\nvariables = [\"a\"]\nbase = 5\n[[steps]]\ndo = \"noise\"\nvariables = [\"a\"]\n";
    let made = Case::new(spec, "a\n1.25\n").make();
    assert!(made.verify().checks.iter().all(|check| !check.name.starts_with("rounding")));
    assert_eq!(made.verify().outcome(), Outcome::Holds);
}

#[test]
fn limits_by_share_are_known_from_the_manifest() {
    let spec = "[[variables]]\nname = \"a\"\ntype = \"number\"\n[[steps]]\ndo = \"limit\"\nvariable = \"a\"\ntop_share = 0.5\n";
    let mut case = Case::new(spec, "a\n1\n7\n");
    assert_eq!(case.make().check("limits (a)").outcome, Outcome::CannotTell);
    case.change = |manifest| manifest.steps[0].limits = Some([None, Some(7.0)]);
    assert_eq!(case.make().check("limits (a)").outcome, Outcome::Holds);
    case.change = |manifest| {
        let StepRecord { limits, .. } = &mut manifest.steps[0];
        *limits = Some([None, Some(6.0)]);
    };
    assert_eq!(place(&case.make().failing("limits (a)")), "public/data.csv, row 2, column `a`");
}

#[test]
fn population_uniques_need_the_sampling_fraction() {
    let spec = "[policy]\nk = 1\npopulation_unique_share = 0.2\n[[variables]]\nname = \"a\"\nrole = \"key\"\n";
    let mut case = Case::new(spec, "a\nx\nx\ny\ny\nz\n");
    assert_eq!(case.make().check("population uniques").outcome, Outcome::CannotTell);
    case.change = |manifest| manifest.sampling_fraction = Some(1.0);
    assert_eq!(case.make().check("population uniques").outcome, Outcome::Holds);
    case.data = "a\nx\nx\ny\nz\n".to_owned();
    case.make().failing("population uniques");
}

#[test]
fn population_uniques_are_counted_where_the_spec_names_a_population() {
    let spec = "population = { path = \"all.csv\" }\n[policy]\nk = 1\npopulation_unique_share = 0.25\n[[variables]]\nname = \"age\"\nrole = \"key\"\nhierarchy = { width = 10 }\n[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1\n";
    let mut case = Case::new(spec, "age,b\n20-29,x\n30-39,z\n");
    case.files = vec![("all.csv", "age\n21\n24\n29\n30\n")];
    case.change = |manifest| manifest.sampling_fraction = Some(0.5);
    let made = case.make();
    assert_eq!(made.check("population uniques").outcome, Outcome::CannotTell, "the population is not in the bundle");
    let population = made.folder.path().join("population.csv");
    let with = |text: &str| {
        fs::write(&population, text).unwrap();
        let options = Options { population: Some(Source::file(&population)), threads: 1 };
        named(&made.verify_with(&options), "population uniques").outcome
    };
    // One of four is alone, though both published records are alone in the sample.
    assert_eq!(with("age\n21\n24\n29\n30\n"), Outcome::Holds);
    // Somebody who is not published counts: 40 is alone too.
    assert_eq!(with("age\n21\n24\n29\n30\n40\n"), Outcome::Fails);
    assert_eq!(with("age\n21\n"), Outcome::CannotTell, "one person cannot hold two records");
}

#[test]
fn a_locally_recoded_key_may_have_labels_of_any_coarser_level() {
    let spec = "[policy]\nk = 1\n[[variables]]\nname = \"age\"\nrole = \"key\"\nhierarchy = { widths = [5, 10] }\n[[variables]]\nname = \"b\"\n[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1\n[[steps]]\ndo = \"recode-locally\"\n";
    let made = Case::new(spec, "age,b\n20-24,x\n20-29,y\n*,z\n,u\n").make();
    assert_eq!(made.verify().outcome(), Outcome::Holds, "{:#?}", made.verify());
    made.forge_cell(2, "age", "21");
    assert_eq!(place(&made.failing("domain (age)")), "public/data.csv, row 2, column `age`");
}
