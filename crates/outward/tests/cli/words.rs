//! The words users see.

use super::{folder, outward, refused, stderr, stdout};

#[test]
fn help_of_the_program() {
    insta::assert_snapshot!(stdout(&outward(folder().path(), &["--help"])));
}

#[test]
fn help_of_each_command() {
    for command in ["demo", "generate", "init", "assess", "scan", "policies", "explain", "schema", "completions", "man"]
    {
        insta::assert_snapshot!(format!("help_{command}"), stdout(&outward(folder().path(), &[command, "--help"])));
    }
}

#[test]
fn the_text_of_an_assessment() {
    let folder = folder();
    let people = "sex,age,job\nF,30,nurse\nF,30,nurse\nF,30,smith\nF,40,nurse\nM,30,nurse\nM,30,nurse\nM,40,smith\n";
    std::fs::write(folder.path().join("people.csv"), people).unwrap();
    let output = outward(folder.path(), &["assess", "people.csv", "--keys", "sex,age,job"]);
    insta::assert_snapshot!(stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn messages_of_mistakes() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "region,sex\n1,2\n1,2,3\n").unwrap();
    std::fs::write(
        folder.path().join("typo.toml"),
        "[data]\npath = \"x.csv\"\n\n[[variables]]\nname = \"sex\"\nvisibilty = \"high\"\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("y.csv"), "region,sex\n1,2\n").unwrap();
    let key = "[data]\npath = \"y.csv\"\n\n[[variables]]\nname = \"regoin\"\nrole = \"key\"\n";
    std::fs::write(folder.path().join("column.toml"), key).unwrap();
    std::fs::write(folder.path().join("plain.toml"), key.replace("regoin", "sex") + "[policy]\nname = \"basline\"\n")
        .unwrap();
    let hierarchy = key.replace("regoin", "sex") + "hierarchy = { file = \"sexes.csv\" }\n";
    std::fs::write(folder.path().join("hierarchy.toml"), hierarchy).unwrap();
    let said = |args: &[&str]| refused(&outward(folder.path(), args));
    insta::assert_snapshot!("mistake_column_of_a_spec", said(&["assess", "column.toml"]));
    assert_eq!(said(&["assess", "column.toml"]), said(&["plan", "column.toml"]));
    insta::assert_snapshot!("mistake_policy_of_a_spec", said(&["assess", "plain.toml"]));
    insta::assert_snapshot!("mistake_hierarchy_of_a_spec", said(&["assess", "hierarchy.toml"]));
    insta::assert_snapshot!("mistake_no_file_to_profile", said(&["init", "nowhere"]));
    insta::assert_snapshot!("mistake_no_bundle", said(&["verify", "nowhere"]));
    insta::assert_snapshot!("mistake_k", said(&["assess", "y.csv", "--keys", "sex", "--k", "0"]));
    insta::assert_snapshot!("mistake_no_file", said(&["assess", "nowhere.csv", "--keys", "a"]));
    insta::assert_snapshot!("mistake_no_keys", said(&["assess", "x.csv"]));
    insta::assert_snapshot!("mistake_ragged", said(&["assess", "x.csv", "--keys", "region"]));
    insta::assert_snapshot!("mistake_key", said(&["assess", "x.csv", "--keys", "regoin"]));
    insta::assert_snapshot!("mistake_spec", said(&["assess", "typo.toml"]));
    insta::assert_snapshot!("mistake_code", said(&["explain", "OUT999"]));
    insta::assert_snapshot!("mistake_command", said(&["asess", "x.csv"]));
}

#[test]
fn every_finding_is_explained_in_full() {
    let codes = stdout(&outward(folder().path(), &["explain"]));
    for line in codes.lines() {
        let code = line.split_whitespace().next().unwrap();
        let text = stdout(&outward(folder().path(), &["explain", code]));
        for part in ["What it means", "Why it matters", "What to do"] {
            assert!(text.contains(part), "{code}: {text}");
        }
    }
    assert!(codes.lines().count() >= 15);
}

#[test]
fn policies_are_listed_and_can_be_copied() {
    let listed = stdout(&outward(folder().path(), &["policies"]));
    assert!(listed.contains("ons-open-microdata") && listed.contains("tier open"));
    let folder = folder();
    let copy = stdout(&outward(folder.path(), &["policies", "baseline"]));
    std::fs::write(folder.path().join("mine.toml"), copy).unwrap();
    std::fs::write(folder.path().join("x.csv"), "a\n1\n1\n1\n").unwrap();
    std::fs::write(
        folder.path().join("s.toml"),
        "[data]\npath = \"x.csv\"\n[policy]\nfile = \"mine.toml\"\n[[variables]]\nname = \"a\"\nrole = \"key\"\n",
    )
    .unwrap();
    assert!(outward(folder.path(), &["assess", "s.toml"]).status.success());
}

#[test]
fn completions_and_man_pages_come_from_the_program() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(stdout(&outward(folder.path(), &["completions", shell])).contains("assess"), "{shell}");
    }
    assert!(outward(folder.path(), &["man", "man1", "--quiet"]).status.success());
    let page = std::fs::read_to_string(folder.path().join("man1/outward-assess.1")).unwrap();
    assert!(page.contains("show\\-values"));
}

#[test]
fn the_demo_goes_from_nothing_to_a_report_and_a_release() {
    let folder = folder();
    let output = outward(folder.path(), &["demo", "census", "--out", "d"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let made = ["bundle", "census.csv", "countries.csv", "outward.toml", "release.toml", "report.html"];
    assert_eq!(super::listing(&folder.path().join("d")), made);
    let said = stdout(&output);
    assert!(said.contains("People can be singled out") && said.contains("The bundle passes every check"));
}

#[test]
fn a_demo_of_too_few_records_says_why_its_release_is_refused() {
    let folder = folder();
    let output = outward(folder.path(), &["demo", "census", "--out", "d", "--rows", "5000"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(!folder.path().join("d/bundle").exists());
    let said = stderr(&output);
    assert!(said.contains("for 50,000 records") && said.contains("Leave out --rows"), "{said}");
}

#[test]
fn the_demos_of_energy_and_education_end_in_a_bundle_that_holds() {
    for name in ["energy", "education"] {
        let folder = folder();
        let output = outward(folder.path(), &["demo", name, "--out", "d", "--rows", "20000"]);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        assert!(stdout(&output).contains("The bundle passes every check"), "{name}");
        assert!(folder.path().join("d/bundle/public/data.csv").exists(), "{name}");
    }
}
