//! `outward assess`.

use super::{folder, json, outward, refused, stderr, stdout};

const PEOPLE: &str = "sex,age,job,income,weight\nF,30,nurse,1,2.5\nF,30,nurse,1,2.5\nF,30,smith,2,1\nF,40,nurse,3,4\nM,30,nurse,1,1\nM,30,nurse,2,1\nM,40,smith,3,1\nM,40,smith,3,1\nM,40,smith,3,1\nM,50,,9,10\n";

fn people() -> tempfile::TempDir {
    let folder = folder();
    std::fs::write(folder.path().join("people.csv"), PEOPLE).unwrap();
    folder
}

#[test]
fn json_has_the_names_that_others_call() {
    let folder = people();
    let args = ["assess", "people.csv", "--keys", "sex,age,job", "--k", "3", "--format", "json"];
    let output = outward(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "there are findings");
    let found = json(&output);
    assert_eq!(
        (&found["records"], &found["cells"], &found["uniques"], &found["k"]),
        (&10.into(), &6.into(), &3.into(), &1.into())
    );
    assert_eq!(found["below_k"], 7);
    let tables = found["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 3 + 1);
    assert_eq!(tables[0]["keys"], serde_json::json!(["sex", "age"]));
    assert_eq!((&tables[0]["cells"], &tables[0]["uniques"]), (&5.into(), &2.into()));
}

#[test]
fn the_json_of_an_assessment_fits_its_schema() {
    let folder = people();
    let args = [
        "assess",
        "people.csv",
        "--keys",
        "sex,age,job",
        "--sensitive",
        "income",
        "--weight",
        "weight",
        "--population",
        "people.csv",
        "--format",
        "json",
    ];
    let found = json(&outward(folder.path(), &args));
    let schema = json(&outward(folder.path(), &["schema", "assessment"]));
    let known = schema["properties"].as_object().unwrap();
    for name in found.as_object().unwrap().keys() {
        assert!(known.contains_key(name), "{name} is not in the schema");
    }
    for name in schema["required"].as_array().unwrap() {
        assert!(found.get(name.as_str().unwrap()).is_some(), "{name} is missing");
    }
    assert_eq!(found["weighted_records"], 25.0);
    assert_eq!(found["population"]["sample_uniques_unique"], 3);
}

#[test]
fn the_documented_schemas_are_those_of_the_program() {
    for (of, file) in [("spec", "outward.schema.json"), ("assessment", "assessment.schema.json")] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(file);
        let printed = stdout(&outward(folder().path(), &["schema", of]));
        if std::env::var_os("OUTWARD_UPDATE").is_some() {
            std::fs::write(&path, &printed).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        let same = serde_json::from_str::<serde_json::Value>(&kept).ok() == serde_json::from_str(&printed).ok();
        assert!(same, "{file} is out of date: run the tests with OUTWARD_UPDATE=1");
    }
}

#[test]
fn a_condition_narrows_the_records_and_missing_is_a_category_or_a_wildcard() {
    let folder = people();
    let run = |more: &[&str]| {
        let args = [&["assess", "people.csv", "--keys", "sex,age,job", "--format", "json"], more].concat();
        json(&outward(folder.path(), &args))
    };
    assert_eq!(run(&["--where", "sex = 'M' AND age <> '50'"])["uniques"], 0);
    assert_eq!(run(&["--where", "job IS NULL"])["records"], 1);
    assert_eq!(run(&[])["uniques"], 3);
    assert_eq!(run(&["--wildcard"])["uniques"], 3, "M50 of unknown job still meets nobody");
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let folder = folder();
    assert!(outward(folder.path(), &["generate", "census", "--rows", "30000", "--out", "p.parquet"]).status.success());
    let run = |threads: &str| {
        let keys = "region,sex,age,ethnic_group,industry,economic_activity,religion,country_of_birth";
        let args =
            ["assess", "p.parquet", "--keys", keys, "--weight", "weight", "--format", "json", "--threads", threads];
        stdout(&outward(folder.path(), &args))
    };
    let one = run("1");
    assert!(one.contains("\"uniques\""));
    assert_eq!(one, run("2"));
    assert_eq!(one, run("5"));
}

#[test]
fn a_report_is_one_file_that_refers_to_nothing_else_and_shows_no_value() {
    let folder = people();
    let args = ["assess", "people.csv", "--keys", "sex,age,job", "--report", "r.html"];
    let output = outward(folder.path(), &args);
    let html = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    for remote in ["http:", "https:", "src=", "@import", "<script"] {
        assert!(!html.contains(remote), "{remote}");
    }
    assert!(html.contains("<svg") && html.contains("OUT001"));
    for value in ["nurse", "smith"] {
        assert!(!html.contains(value) && !stdout(&output).contains(value), "{value}");
    }
    let args = ["assess", "people.csv", "--keys", "sex,age,job", "--report", "r.html", "--show-values"];
    outward(folder.path(), &args);
    assert!(std::fs::read_to_string(folder.path().join("r.html")).unwrap().contains("smith"));
}

#[test]
fn a_spec_with_scenarios_hierarchies_and_a_policy_is_assessed() {
    let folder = people();
    let spec = r#"
        [data]
        path = "people.csv"
        [policy]
        name = "ons-open-microdata"
        tier = "open"
        [[variables]]
        name = "sex"
        role = "key"
        [[variables]]
        name = "age"
        role = "key"
        type = "integer"
        hierarchy = { bands = [0, 40], top = 45 }
        [[variables]]
        name = "job"
        role = "sensitive"
        hierarchy = { tree = { "care" = ["nurse"] } }
        [[scenarios]]
        name = "men over 35"
        keys = ["age"]
        where = "sex = 'M' AND age > 35"
        k = 3
    "#;
    std::fs::write(folder.path().join("outward.toml"), spec).unwrap();
    let found = json(&outward(folder.path(), &["assess", "outward.toml", "--format", "json"]));
    assert_eq!((&found["keys"], &found["uniques"]), (&serde_json::json!(["sex", "age"]), &2.into()));
    let scenario = found["scenarios"].as_array().unwrap().iter().find(|s| s["name"] == "men over 35").unwrap();
    assert_eq!((&scenario["records"], &scenario["uniques"], &scenario["below_k"]), (&4.into(), &1.into(), &1.into()));
    assert_eq!(found["sensitive"][0]["homogeneous_records"], 5);
}

#[test]
fn a_hierarchy_that_misses_a_value_is_reported_with_how_many_records_and_where() {
    let folder = people();
    let spec = "[data]\npath = \"people.csv\"\n[[variables]]\nname = \"job\"\nrole = \"key\"\nhierarchy = { tree = { \"care\" = [\"nurse\"] } }\n";
    std::fs::write(folder.path().join("outward.toml"), spec).unwrap();
    let message = |args: &[&str]| {
        let found = json(&outward(folder.path(), args));
        let findings = found["findings"].as_array().unwrap().clone();
        findings.iter().find(|f| f["code"] == "OUT016").unwrap()["message"].as_str().unwrap().to_owned()
    };
    let quiet = message(&["assess", "outward.toml", "--format", "json"]);
    assert_eq!(quiet, "the hierarchy of `job` misses 1 of its values in 4 records, the first in row 3");
    assert!(message(&["assess", "outward.toml", "--format", "json", "--show-values"]).ends_with(": smith"));
}

#[test]
fn a_clean_file_exits_with_zero() {
    let folder = people();
    let output = outward(folder.path(), &["assess", "people.csv", "--keys", "sex"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn without_keys_the_way_forward_is_said() {
    let folder = people();
    let said = refused(&outward(folder.path(), &["assess", "people.csv"]));
    assert!(said.contains("--keys") && said.contains("outward init people.csv"), "{said}");
}

#[test]
fn a_condition_that_cannot_be_used_is_refused_without_a_value_of_the_data() {
    let folder = people();
    let run = |condition: &str| {
        refused(&outward(folder.path(), &["assess", "people.csv", "--keys", "sex", "--where", condition]))
    };
    assert!(run("agee > 3").contains("agee"));
    assert!(run("sex =").contains("cannot be used"));
    assert!(run("sex").contains("cannot be used") || run("sex").contains("worked out"));
    let said = run("CAST(job AS INT) > 3");
    assert!(!said.contains("nurse") && !said.contains("smith"), "{said}");
}

#[test]
fn cells_that_do_not_fit_the_memory_allowed_are_refused_with_their_number() {
    let folder = folder();
    assert!(outward(folder.path(), &["generate", "census", "--rows", "60000", "--out", "p.csv"]).status.success());
    let args = ["assess", "p.csv", "--keys", "nhs_number,email,age", "--memory", "2MiB"];
    let said = refused(&outward(folder.path(), &args));
    assert!(said.contains("do not fit") && said.contains("--memory"), "{said}");
}

#[test]
fn the_data_and_the_spec_are_never_written_over() {
    let folder = people();
    let refusing = |args: &[&str]| {
        let said = refused(&outward(folder.path(), args));
        assert!(said.contains("cannot be written"), "{said}");
    };
    refusing(&["assess", "people.csv", "--keys", "sex", "--report", "people.csv"]);
    refusing(&["init", "people.csv", "--out", "people.csv", "--force"]);
    std::fs::write(folder.path().join("h.csv"), "F;all\nM;all\n").unwrap();
    let spec = "[data]\npath = \"people.csv\"\n[[variables]]\nname = \"sex\"\nrole = \"key\"\nhierarchy = { file = \"h.csv\" }\n";
    std::fs::write(folder.path().join("s.toml"), spec).unwrap();
    refusing(&["assess", "s.toml", "--report", "h.csv"]);
    refusing(&["assess", "s.toml", "--report", "s.toml"]);
    std::os::unix::fs::symlink("people.csv", folder.path().join("alias.html")).unwrap();
    refusing(&["assess", "people.csv", "--keys", "sex", "--report", "alias.html"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("people.csv")).unwrap(), PEOPLE);
}

#[test]
fn a_report_is_as_private_as_the_umask_says() {
    use std::os::unix::fs::PermissionsExt;
    let folder = people();
    let program = env!("CARGO_BIN_EXE_outward");
    let script =
        format!("umask 077; {program} assess people.csv --keys sex --show-values --report r.html -q >/dev/null");
    std::process::Command::new("sh").args(["-c", &script]).current_dir(folder.path()).status().unwrap();
    let mode = std::fs::metadata(folder.path().join("r.html")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn a_condition_is_about_one_record_and_always_gives_the_same_answer() {
    let folder = people();
    let run = |condition: &str| {
        refused(&outward(folder.path(), &["assess", "people.csv", "--keys", "sex", "--where", condition]))
    };
    assert!(
        run("random() < 0.5").contains("another answer each time") || run("random() < 0.5").contains("cannot be used")
    );
    run("now() > '2020-01-01'");
    run("row_number() over () < 3");
    run("sex = (select 'F')");
    run("__outward_row < 3");
    assert!(run(&vec!["sex = 'M'"; 5000].join(" OR ")).contains("longer than"));
}

#[test]
fn a_condition_calls_no_function_that_could_take_all_memory() {
    let folder = people();
    let run = |condition: &str| {
        refused(&outward(folder.path(), &["assess", "people.csv", "--keys", "sex", "--where", condition]))
    };
    for (name, condition) in [
        ("lpad", "lpad(sex, 2147483647) = 'F'"),
        ("rpad", "sex = 'F' OR rpad(sex, 2147483647, 'x') IS NULL"),
        ("repeat", "CASE WHEN length(repeat(sex, 2147483647)) > 1 THEN true ELSE false END"),
        ("overlay", "overlay(sex placing 'x' from 1) = 'x'"),
        ("replace", "replace(sex, 'F', 'FFFF') = 'F'"),
        ("replace", "replace(sex, '', 'F') = 'F'"),
        ("replace", "replace(sex, 'F', sex) = 'F'"),
        ("regexp_replace", "regexp_replace(sex, 'F', 'FFFF', 'g') = 'F'"),
        ("arrow_cast", "arrow_cast(sex, 'LargeUtf8') = 'F'"),
        ("concat_ws", "concat_ws(concat_ws(sex, '', '', ''), '', '', '') = 'F'"),
        ("concat_ws", "concat_ws(upper('x'), sex, sex) = 'F'"),
    ] {
        let said = run(condition);
        assert!(said.contains(&format!("`{name}`")), "{condition}: {said}");
    }
}

#[test]
fn a_condition_calls_what_statisticians_call() {
    let folder = people();
    for condition in [
        "upper(trim(sex)) IN ('F', 'M') OR lower(sex) LIKE 'f%'",
        "left(sex, 1) = 'F' AND substring(sex from 1 for 1) = right(sex, 1)",
        "length(sex) BETWEEN 1 AND 9 OR position('F' in sex) > 0",
        "coalesce(nullif(sex, 'M'), 'F') = 'F'",
        "concat_ws('-', sex, concat_ws('', sex, sex)) = 'F-FF'",
        "replace(sex, ' ', '') = 'F' OR translate(sex, 'FM', 'fm') = 'm'",
        "starts_with(sex, 'F') OR split_part(sex, '-', 1) = 'M'",
        "extract(year from to_date('2011-03-27')) = 2011",
        "date_trunc('month', CAST('2011-03-27' AS date)) = make_date(2011, 3, 1)",
        "CAST(length(sex) AS double) / 2 < 3.5 AND sex || 'x' <> 'x'",
        "greatest(length(sex), 1) >= least(1, 2)",
        "abs(CAST(age AS int) - 40) < 10 OR round(sqrt(power(2, 2))) = 2 OR floor(ln(3)) = 1",
        "regexp_like(sex, '^[FM]$')",
        "sex SIMILAR TO 'F|M' OR sex ~ '^F'",
    ] {
        let output = outward(folder.path(), &["assess", "people.csv", "--keys", "sex", "--where", condition]);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{condition}: {}", super::stderr(&output));
    }
}

#[test]
fn a_condition_that_no_record_meets_is_a_finding_and_not_a_clean_bill() {
    let folder = people();
    let output = outward(folder.path(), &["assess", "people.csv", "--keys", "sex", "--where", "sex = 'f'"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("no record meets") || stdout(&output).contains("No record meets"));
    let spec = "[data]\npath = \"people.csv\"\n[[variables]]\nname = \"sex\"\nrole = \"key\"\n\
                [[scenarios]]\nname = \"typo\"\nwhere = \"sex = 'f'\"\n";
    std::fs::write(folder.path().join("s.toml"), spec).unwrap();
    assert_eq!(outward(folder.path(), &["assess", "s.toml"]).status.code(), Some(1));
}

#[test]
fn what_was_asked_stands_in_the_report() {
    let folder = people();
    let args =
        ["assess", "people.csv", "--keys", "sex,job", "--where", "age > '30'", "--wildcard", "--weight", "weight"];
    let text = stdout(&outward(folder.path(), &args));
    for said in ["only records where age > '30'", "missing matches everything in", "by their weights", "Marketer"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn a_population_needs_the_keys_only_and_must_fit_the_sample() {
    let folder = people();
    std::fs::write(folder.path().join("big.csv"), "sex,age\nF,30\nF,30\nF,30\nM,40\n").unwrap();
    std::fs::write(
        folder.path().join("s.toml"),
        "[data]\npath = \"people.csv\"\n[population]\npath = \"big.csv\"\n[[variables]]\nname = \"sex\"\nrole = \"key\"\n\
         [[variables]]\nname = \"age\"\nrole = \"key\"\ntype = \"integer\"\n[[variables]]\nname = \"income\"\ntype = \"integer\"\n",
    )
    .unwrap();
    let found = json(&outward(folder.path(), &["assess", "s.toml", "--format", "json"]));
    // F40, two of M30 and M50 are not there; three of M40 where there is one.
    assert_eq!((&found["population"]["not_found"], &found["population"]["too_many"]), (&4.into(), &3.into()));
    assert!(found["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == "OUT018"));
}

#[test]
fn blanks_are_missing_and_minus_zero_is_zero() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "a,b\nx,0.0\n ,-0.0\n,0\n").unwrap();
    let run = |args: &[&str]| json(&outward(folder.path(), &[&["assess"], args, &["--format", "json"]].concat()));
    assert_eq!(run(&["x.csv", "--keys", "a"])["cells"], 2);
    assert_eq!(run(&["x.csv", "--keys", "a", "--where", "a IS NULL"])["records"], 2);
    let spec = "[data]\npath = \"x.csv\"\n[[variables]]\nname = \"b\"\nrole = \"key\"\ntype = \"number\"\n";
    std::fs::write(folder.path().join("s.toml"), spec).unwrap();
    assert_eq!(run(&["s.toml"])["cells"], 1);
}

#[test]
fn forty_keys_of_few_values_fit() {
    let folder = folder();
    let line = |value: &str| vec![value; 40].join(",");
    let names: Vec<String> = (0..40).map(|key| format!("k{key}")).collect();
    let text = format!("{}\n{}\n{}\n{}\n", names.join(","), line("a"), line("b"), line("c"));
    std::fs::write(folder.path().join("x.csv"), text).unwrap();
    let keys = names[..20].join(",");
    let args = ["assess", "x.csv", "--keys", &keys, "--format", "json"];
    assert_eq!(json(&outward(folder.path(), &args))["cells"], 3);
}

#[test]
fn a_sample_is_asked_about_its_population_and_its_special_uniques() {
    let folder = people();
    let args =
        ["assess", "people.csv", "--keys", "sex,age,job", "--suda", "--sampling-fraction", "0.1", "--format", "json"];
    let found = json(&outward(folder.path(), &args));
    assert!(found["suda"]["minimal_uniques"].as_u64().unwrap() > 0);
    assert!(found["suda"]["score_sum"].is_number() && found["suda"]["dis_sum"].is_number());
    for name in ["zayatz", "pitman", "snb", "chosen"] {
        let estimate = &found["population"][name];
        assert!(estimate.is_number() || estimate.is_string(), "{name}: a value or a reason, never a silent zero");
    }
    assert!(found["expected_reidentifications"].is_number() && found["expected_reidentifications_exact"].is_number());
    assert!(found["suda"].get("levels").is_none(), "values are shown only when asked for");
    let shown = json(&outward(folder.path(), &[&args[..], &["--show-values"]].concat()));
    assert!(shown["suda"]["levels"].is_array());
    for bad in ["0", "-0.1", "1.01", "nan"] {
        let fraction = format!("--sampling-fraction={bad}");
        let said = refused(&outward(folder.path(), &["assess", "people.csv", "--keys", "sex", &fraction]));
        assert!(said.contains("sampling fraction"), "{said}");
    }
    let said = refused(&outward(folder.path(), &["assess", "people.csv", "--keys", "sex", "--log-linear"]));
    assert!(said.contains("--sampling-fraction"), "{said}");
}

#[test]
fn every_record_stands_for_someone() {
    let folder = folder();
    for (weight, says) in [("0", "not above 0"), ("-2", "not above 0"), ("", "is missing"), ("x", "not a number")] {
        std::fs::write(folder.path().join("w.csv"), format!("sex,w\nF,2\nM,{weight}\n")).unwrap();
        let said = refused(&outward(folder.path(), &["assess", "w.csv", "--keys", "sex", "--weight", "w"]));
        assert!(said.contains(says) && said.contains("row 2"), "{weight}: {said}");
    }
}

#[test]
fn a_person_who_is_found_reveals_the_members_of_their_household() {
    let folder = folder();
    let text = "id,home,sex,age\n1,a,F,30\n2,a,M,30\n3,b,F,31\n4,b,F,31\n5,c,M,44\n";
    std::fs::write(folder.path().join("h.csv"), text).unwrap();
    let spec = "sampling_fraction = 0.5\n[data]\npath = \"h.csv\"\n[[variables]]\nname = \"sex\"\nrole = \"key\"\n\
                [[variables]]\nname = \"age\"\nrole = \"key\"\n[[variables]]\nname = \"home\"\nrole = \"household\"\n";
    std::fs::write(folder.path().join("outward.toml"), spec).unwrap();
    let found = json(&outward(folder.path(), &["assess", "outward.toml", "--format", "json"]));
    // Alone with F = 2: ln 2. In pairs with F = 4: 1 - ln 2. Homes: a has two lone members, b two of a pair, c one.
    let (one, two) = (2f64.ln(), 1.0 - 2f64.ln());
    let expected = 2.0 * (1.0 - (1.0 - one).powi(2)) + 2.0 * (1.0 - (1.0 - two).powi(2)) + one;
    assert_eq!(found["household_risk"]["households"], 3);
    assert!((found["household_risk"]["expected_reidentifications"].as_f64().unwrap() - expected).abs() < 1e-12);
    assert!((found["expected_reidentifications"].as_f64().unwrap() - (3.0 * one + 2.0 * two)).abs() < 1e-12);
}
