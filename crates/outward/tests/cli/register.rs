//! The register, as its users meet it: planted attacks from case files, and the way of a release to the public.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::tables::desk;
use crate::{command, json, outward, refused, stderr, stdout};

const REGISTER: &str = "sqlite:register.db";

/// A sequence of releases of which the last is a request, and what is to come of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    verdict: String,
    /// Whether it is found from the published figures alone too.
    #[serde(default)]
    by_figures: bool,
    records: Option<i64>,
    /// By the names of columns the rows, and how many people have each.
    people: BTreeMap<String, BTreeMap<String, usize>>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    releases: Vec<OneRelease>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneRelease {
    spec: String,
    /// How it is protected, where not by suppression.
    protection: Option<String>,
}

impl OneRelease {
    fn text(&self) -> String {
        protected_spec(self.protection.as_deref().unwrap_or(r#"method = "suppress""#), &self.spec)
    }
}

fn run(folder: &Path, args: &[&str]) -> std::process::Output {
    command(folder, args).env_remove("OUTWARD_REGISTER").env("OUTWARD_ACTOR", "ann").output().unwrap()
}

/// Releases a bundle, approved by someone else.
fn publish(folder: &Path, bundle: &str) -> std::process::Output {
    let submitted = run(folder, &["register", "submit", bundle, "--register", REGISTER, "--format", "json"]);
    let id = json(&submitted)["release"]["id"].to_string();
    let approved = run(folder, &["register", "approve", &id, "--register", REGISTER, "--actor", "bob"]);
    assert_eq!(approved.status.code(), Some(0), "{}", stderr(&approved));
    run(folder, &["release", bundle, "--register", REGISTER, "--format", "json"])
}

/// A spec with these tables, and the variables that they name besides those they declare. Unsafe cells are suppressed.
fn spec(tables: &str) -> String {
    protected_spec(r#"method = "suppress""#, tables)
}

fn protected_spec(protection: &str, tables: &str) -> String {
    let declared = ["age", "area", "job", "sex", "illness", "street", "ward"].map(|name| {
        let shows = |line: &str| line.starts_with("variables") && line.contains(&format!("\"{name}\""));
        let is_declared = tables.contains(&format!("name = \"{name}\""));
        if tables.lines().any(shows) && !is_declared {
            format!("[[variables]]\nname = \"{name}\"\n")
        } else {
            String::new()
        }
    });
    format!(
        "title = \"A case\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\n{protection}\n{}{tables}",
        declared.concat()
    )
}

fn carry_out(name: &str, case: &Case) {
    let (columns, rows) = case.people.iter().next().unwrap();
    let rows = rows.iter().flat_map(|(row, count)| std::iter::repeat_n(row.as_str(), *count));
    let people = std::iter::once(columns.as_str()).chain(rows).collect::<Vec<_>>().join("\n") + "\n";
    let files: Vec<(&str, &str)> = case.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let desk = desk(&[&[("people.csv", people.as_str())][..], &files].concat());
    let folder = desk.path();
    let (request, earlier) = case.releases.split_last().unwrap();
    for (number, release) in earlier.iter().enumerate() {
        let (file, bundle) = (format!("{number}.toml"), format!("bundle-{number}"));
        std::fs::write(folder.join(&file), release.text()).unwrap();
        let register: &[&str] = if number == 0 { &[] } else { &["--register", REGISTER] };
        let made = run(folder, &[&["table", file.as_str(), "--out", bundle.as_str()][..], register].concat());
        assert_eq!(made.status.code(), Some(0), "{name}: {}", stderr(&made));
        let released = publish(folder, &bundle);
        assert_eq!(released.status.code(), Some(0), "{name}: {}{}", stdout(&released), stderr(&released));
    }
    std::fs::write(folder.join("request.toml"), request.text()).unwrap();
    let checked = run(folder, &["register", "check", "request.toml", "--register", REGISTER, "--format", "json"]);
    let said = json(&checked);
    let findings = said["findings"].as_array().unwrap();
    match case.verdict.as_str() {
        "passes" => assert_eq!((checked.status.code(), findings.len()), (Some(0), 0), "{name}: {said}"),
        _ => {
            assert_eq!(checked.status.code(), Some(1), "{name}: {said}");
            let leaves = format!("leaves {}", case.records.unwrap());
            let arithmetic =
                |finding: &serde_json::Value| finding["lines"].as_array().unwrap().last().unwrap() == leaves.as_str();
            assert!(findings.iter().any(arithmetic), "{name}: {said}");
        }
    }
    // Without the data a bundle that was made without regard to the past is compared by its figures.
    let made = run(folder, &["table", "request.toml", "--out", "alone"]);
    assert_eq!(made.status.code(), Some(0), "{name}: {}", stderr(&made));
    let checked = run(folder, &["register", "check", "alone", "--register", REGISTER, "--format", "json"]);
    assert_eq!(
        checked.status.code(),
        Some(i32::from(case.by_figures)),
        "{name}: {}{}",
        stdout(&checked),
        stderr(&checked)
    );
    // Protected given what is public, the tables go out after all, and nothing follows from them.
    let made = run(folder, &["table", "request.toml", "--register", REGISTER, "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(0), "{name}: {}{}", stdout(&made), stderr(&made));
    let checked = run(folder, &["register", "check", "bundle", "--register", REGISTER, "--format", "json"]);
    assert_eq!(checked.status.code(), Some(0), "{name}: {}{}", stdout(&checked), stderr(&checked));
    let released = publish(folder, "bundle");
    assert_eq!(released.status.code(), Some(0), "{name}: {}{}", stdout(&released), stderr(&released));
    let audited = run(folder, &["register", "audit", "--register", REGISTER]);
    assert_eq!(audited.status.code(), Some(0), "{name}: {}", stdout(&audited));
}

#[test]
fn planted_attacks_are_stopped_and_their_look_alikes_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/register_cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20);
    for file in files {
        let case: Case = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        carry_out(&file.file_name().unwrap().to_string_lossy(), &case);
    }
}

/// One table of two areas, in a bundle.
fn a_bundle() -> tempfile::TempDir {
    let people = "area\n".to_owned() + &"north\n".repeat(30) + &"south\n".repeat(20);
    let desk =
        desk(&[("people.csv", &people), ("a.toml", &spec("[[tables]]\nname = \"areas\"\nvariables = [\"area\"]\n"))]);
    let made = outward(desk.path(), &["table", "a.toml", "--out", "a"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    desk
}

#[test]
fn a_bundle_that_was_changed_after_its_approval_does_not_go_out() {
    let desk = a_bundle();
    let folder = desk.path();
    run(folder, &["register", "submit", "a", "--register", REGISTER]);
    run(folder, &["register", "approve", "1", "--register", REGISTER, "--actor", "bob"]);
    let manifest = folder.join("a/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap().replace("A case", "Another case");
    std::fs::write(&manifest, text).unwrap();
    let released = run(folder, &["release", "a", "--register", REGISTER]);
    assert_eq!(released.status.code(), Some(1), "{}", stdout(&released));
    assert!(stdout(&released).contains("one more person has to approve"), "{}", stdout(&released));
    let listed = json(&run(folder, &["register", "list", "--register", REGISTER, "--format", "json"]));
    let states: Vec<&str> =
        listed["releases"].as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["approved", "submitted"]);
}

#[test]
fn tables_made_without_regard_to_what_is_public_do_not_go_out() {
    let desk = a_bundle();
    let folder = desk.path();
    assert_eq!(publish(folder, "a").status.code(), Some(0));
    let again = spec("[[tables]]\nname = \"areas again\"\nvariables = [\"area\"]\n");
    std::fs::write(folder.join("b.toml"), again).unwrap();
    run(folder, &["table", "b.toml", "--out", "b"]);
    let released = publish(folder, "b");
    assert_eq!(released.status.code(), Some(1));
    let said = json(&released);
    let rules: Vec<&str> =
        said["obstacles"].as_array().unwrap().iter().map(|one| one["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["earlier-releases"]);
}

#[test]
fn a_cell_that_changed_by_one_between_two_versions_of_the_data_is_a_finding() {
    let desk = a_bundle();
    let folder = desk.path();
    assert_eq!(publish(folder, "a").status.code(), Some(0));
    let people = std::fs::read_to_string(folder.join("people.csv")).unwrap();
    for (more, expected) in [("north\n".to_owned(), Some(1)), ("north\n".repeat(9) + &"south\n".repeat(8), Some(0))] {
        std::fs::write(folder.join("people.csv"), people.clone() + &more).unwrap();
        run(folder, &["table", "a.toml", "--out", "b", "--force"]);
        let released = publish(folder, "b");
        assert_eq!(released.status.code(), expected, "{}", stdout(&released));
        if expected == Some(1) {
            assert!(stdout(&released).contains("a cell changed by 1 since version 1"), "{}", stdout(&released));
        }
    }
}

#[test]
fn a_release_that_needs_an_intruder_test_goes_out_by_an_exception_only() {
    let people = "area,age\n".to_owned() + &"north,30\n".repeat(30) + &"south,40\n".repeat(20);
    let spec = "title = \"Open file\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"ons-open-microdata\"\n\
                [[variables]]\nname = \"area\"\nrole = \"key\"\n[[variables]]\nname = \"age\"\nrole = \"key\"\n";
    let desk = desk(&[("people.csv", &people), ("a.toml", spec)]);
    let folder = desk.path();
    let made = outward(folder, &["protect", "a.toml", "--out", "a"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let rules = |output: &std::process::Output| -> Vec<String> {
        let said = json(output);
        let all = said["obstacles"].as_array().unwrap().iter();
        all.map(|one| one["rule"].as_str().unwrap().to_owned()).collect()
    };
    let released = run(folder, &["release", "a", "--register", REGISTER, "--format", "json"]);
    assert_eq!(rules(&released), ["intruder-test", "approvals"], "{}", stdout(&released));
    for actor in ["bob", "cyd"] {
        run(folder, &["register", "approve", "1", "--register", REGISTER, "--actor", actor]);
    }
    let except = |more: &[&str]| {
        let args =
            ["register", "except", "1", "--register", REGISTER, "--rule", "intruder-test", "--scope", "this file only"];
        run(folder, &[&args[..], more].concat())
    };
    let reason = ["--reason", "tested last year with the same keys", "--expires", "2999-12-31"];
    assert!(refused(&except(&reason)).contains("someone else has to approve"));
    assert!(
        refused(&except(&["--reason", "tested last year", "--expires", "2020-01-31", "--actor", "bob"]))
            .contains("before today")
    );
    let entered = except(&[&reason[..], &["--actor", "bob"]].concat());
    assert_eq!(entered.status.code(), Some(0), "{}", stderr(&entered));
    let released = run(folder, &["release", "a", "--register", REGISTER, "--format", "json"]);
    assert_eq!(released.status.code(), Some(0), "{}", stdout(&released));
    assert_eq!(json(&released)["exceptions"][0]["reason"], "tested last year with the same keys");
    let said = run(folder, &["register", "statement", "1", "--register", REGISTER]);
    let (statement, of_bundle) =
        (stdout(&said), std::fs::read_to_string(folder.join("a/public/statement.md")).unwrap());
    assert!(statement.starts_with(of_bundle.trim_end()), "{statement}");
    assert!(statement.contains("2 people other than its author approved the release."), "{statement}");
    assert!(
        statement.contains("**No test by intruders shows that the limits of the policy are kept.** Tested last year with the same keys."),
        "{statement}"
    );
    assert!(statement.contains("Approved by bob, until 31 December 2999."), "{statement}");
}

#[test]
fn what_is_wrong_with_a_register_is_told_without_its_address() {
    let desk = a_bundle();
    let folder = desk.path();
    let said = |args: &[&str]| refused(&run(folder, args));
    assert!(said(&["register", "list", "--register", REGISTER]).contains("there is no register here"));
    assert!(said(&["register", "list", "--register", "mysql://x"]).contains("not the address of a register"));
    assert!(said(&["register", "list"]).contains("no register is named"));
    let down = said(&["register", "list", "--register", "postgres://ann:not-a-secret@127.0.0.1:1/none"]);
    assert!(down.contains("cannot be reached") && !down.contains("not-a-secret"), "{down}");
    std::fs::write(folder.join("text.db"), "no database at all, but long enough to look at: ".repeat(100)).unwrap();
    assert!(said(&["register", "list", "--register", "sqlite:text.db"]).contains("not a register"));
    assert!(said(&["release", "nowhere", "--register", REGISTER]).contains("there is no folder of this name"));
    assert!(!folder.join("register.db").exists(), "nothing is made for a bundle that is not there");
    publish(folder, "a");
    assert!(said(&["register", "show", "9", "--register", REGISTER]).contains("there is no release 9"));
    assert!(said(&["register", "approve", "1", "--register", REGISTER, "--actor", "bob"]).contains("is released"));
}

#[test]
fn a_register_holds_neither_seed_nor_hidden_value() {
    let people = "area,job\n".to_owned()
        + &"north,smith\n".repeat(23)
        + "north,baker\n"
        + &"south,smith\n".repeat(29)
        + &"south,baker\n".repeat(31);
    let text = "seed = 7482910365\n".to_owned() + &spec("[[tables]]\nname = \"t\"\nvariables = [\"area\", \"job\"]\n");
    let desk = desk(&[("people.csv", &people), ("a.toml", &text)]);
    let made = outward(desk.path(), &["table", "a.toml", "--out", "a"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert_eq!(publish(desk.path(), "a").status.code(), Some(0));
    let mut bytes = std::fs::read(desk.path().join("register.db")).unwrap();
    bytes.extend(std::fs::read(desk.path().join("register.db-wal")).unwrap_or_default());
    let mode = std::fs::metadata(desk.path().join("register.db")).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o077, 0, "others can read the register");
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("gss-tables") && holds("north"), "the register was read");
    assert!(!holds("7482910365"));
    assert!(!holds("lower") && !holds("certificate\""), "no certificate is kept");
}

#[test]
fn what_earlier_releases_tell_by_themselves_does_not_stop_a_new_table() {
    let rows = [("w1,f", 30), ("w1,m", 28), ("w2,f", 22), ("w2,m", 25), ("e1,f", 33), ("e1,m", 36), ("e2,f", 2)];
    let people =
        rows.iter().fold("village,sex\n".to_owned(), |text, (row, count)| text + &format!("{row}\n").repeat(*count));
    let only = |name: &str, condition: &str| {
        spec(&format!("[[tables]]\nname = \"{name}\"\nvariables = [\"sex\"]\nwhere = \"{condition}\"\n"))
    };
    let texts = [
        ("county.toml", spec("[[tables]]\nname = \"county\"\nvariables = [\"sex\"]\n")),
        ("west.toml", only("west", "village in ('w1', 'w2')")),
        ("east.toml", only("east", "village = 'e1'")),
        ("most.toml", only("most", "village <> 'e2'")),
        ("new.toml", only("new", "village = 'w1'")),
    ];
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let desk = desk(&[&[("people.csv", people.as_str())][..], &files].concat());
    for name in ["county", "west", "east", "most"] {
        // Each by itself, as nobody should.
        let made = outward(desk.path(), &["table", &format!("{name}.toml"), "--out", name]);
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    }
    for earlier in [&["county", "west", "east"][..], &["county", "most"]] {
        let named: Vec<&str> = earlier.iter().flat_map(|name| ["--earlier", name]).collect();
        let made = outward(desk.path(), &[&["table", "new.toml", "--out", "new", "--force"][..], &named].concat());
        assert_eq!(made.status.code(), Some(0), "{earlier:?}: {}", stderr(&made));
    }
}

/// The rules that keep a bundle from going out, after somebody approved it.
fn obstacles(released: &std::process::Output) -> Vec<String> {
    let said = json(released);
    let mut rules: Vec<String> =
        said["obstacles"].as_array().unwrap().iter().map(|one| one["rule"].as_str().unwrap().to_owned()).collect();
    rules.dedup();
    rules
}

#[test]
fn a_table_of_some_records_is_held_against_one_of_all_though_they_share_no_column() {
    let rows = [("north,f,yes", 80), ("south,f,yes", 60), ("north,m,yes", 59), ("south,m,no", 1)];
    let people =
        rows.iter().fold("area,sex,job\n".to_owned(), |text, (row, count)| text + &format!("{row}\n").repeat(*count));
    let first = spec("[[tables]]\nname = \"areas\"\nvariables = [\"area\"]\n");
    let second = spec("[[tables]]\nname = \"workers\"\nvariables = [\"sex\"]\nwhere = \"job = 'yes'\"\n");
    let desk = desk(&[("people.csv", &people), ("a.toml", &first), ("b.toml", &second)]);
    outward(desk.path(), &["table", "a.toml", "--out", "a"]);
    assert_eq!(publish(desk.path(), "a").status.code(), Some(0));
    let checked = run(desk.path(), &["register", "check", "b.toml", "--register", REGISTER]);
    assert_eq!(checked.status.code(), Some(1), "{}", stdout(&checked));
    assert!(stdout(&checked).contains("leaves 1"), "{}", stdout(&checked));
}

#[test]
fn the_same_data_under_another_name_are_known_again() {
    let desk = a_bundle();
    assert_eq!(publish(desk.path(), "a").status.code(), Some(0));
    let again = spec("[[tables]]\nname = \"other\"\nvariables = [\"area\"]\n");
    std::fs::write(desk.path().join("b.toml"), again).unwrap();
    outward(desk.path(), &["table", "b.toml", "--out", "b"]);
    let said = refused(&run(desk.path(), &["register", "submit", "b", "--dataset", "other", "--register", REGISTER]));
    assert!(said.contains("by another name, `people.csv`"), "{said}");
}

#[test]
fn the_gate_holds_a_bundle_against_the_register_and_not_against_what_the_bundle_says() {
    let desk = a_bundle();
    let folder = desk.path();
    assert_eq!(publish(folder, "a").status.code(), Some(0));
    let again = spec("[[tables]]\nname = \"other\"\nvariables = [\"area\"]\n");
    std::fs::write(folder.join("b.toml"), again).unwrap();
    outward(folder, &["table", "b.toml", "--out", "b"]);
    // The bundle says that it was made beside the first release.
    let (manifest, tables) = (folder.join("b/manifest.json"), folder.join("a/public/tables.json"));
    let hash = outward_ledger::chain::hash_of_text(&std::fs::read_to_string(tables).unwrap());
    let mut text: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&manifest).unwrap()).unwrap();
    let claim = serde_json::json!({ "kind": "earlier", "name": "tables.json", "sha256": hash });
    text["inputs"].as_array_mut().unwrap().push(claim);
    std::fs::write(&manifest, serde_json::to_string_pretty(&text).unwrap() + "\n").unwrap();
    let released = publish(folder, "b");
    assert_eq!(released.status.code(), Some(1), "{}", stdout(&released));
    assert!(obstacles(&released).contains(&"earlier-releases".to_owned()), "{}", stdout(&released));
}

#[test]
fn a_spec_cannot_ask_for_fewer_approvals_than_its_policy() {
    let people = "area\n".to_owned() + &"north\n".repeat(30);
    let text = spec("[[tables]]\nname = \"areas\"\nvariables = [\"area\"]\n")
        .replace("[policy]\n", "[policy]\napprovals = 0\n");
    let desk = desk(&[("people.csv", &people), ("a.toml", &text)]);
    outward(desk.path(), &["table", "a.toml", "--out", "a"]);
    let released = run(desk.path(), &["release", "a", "--register", REGISTER, "--format", "json"]);
    assert_eq!(obstacles(&released), ["approvals"]);
}

#[test]
fn a_bundle_whose_files_are_not_those_of_its_manifest_is_not_entered() {
    let desk = a_bundle();
    let file = desk.path().join("a/spec.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("areas", "other")).unwrap();
    let said = refused(&run(desk.path(), &["register", "submit", "a", "--register", REGISTER]));
    assert!(said.contains("not the one that the manifest names"), "{said}");
}

#[test]
fn a_release_is_held_against_the_version_of_its_policy_that_came_after() {
    let policy = |version: &str, k: u32| {
        format!(
            "name = \"our-own\"\ntitle = \"Our own\"\nversion = \"{version}\"\nsource = \"us\"\ndescription = \"Ours.\"\nk = {k}\napprovals = 0\n"
        )
    };
    let people = "area,age\n".to_owned() + &"north,30\n".repeat(30) + &"south,40\n".repeat(4);
    let spec = "title = \"A file\"\n[data]\npath = \"people.csv\"\n[policy]\nfile = \"own.toml\"\n\
                [[variables]]\nname = \"area\"\nrole = \"key\"\n[[variables]]\nname = \"age\"\nrole = \"key\"\n";
    let desk = desk(&[("people.csv", &people), ("a.toml", spec), ("own.toml", &policy("1", 3))]);
    let folder = desk.path();
    assert_eq!(outward(folder, &["protect", "a.toml", "--out", "a"]).status.code(), Some(0));
    let released = run(folder, &["release", "a", "--register", REGISTER, "--data", "people.csv"]);
    assert_eq!(released.status.code(), Some(0), "{}{}", stdout(&released), stderr(&released));
    let reviews = |more: &[&str]| {
        run(folder, &[&["register", "reviews", "--register", REGISTER, "--format", "json"], more].concat())
    };
    let unknown = json(&reviews(&["--check"]));
    assert!(unknown["due"][0]["why"].as_str().unwrap().contains("--policy"), "{unknown}");
    assert_eq!(json(&reviews(&["--policy", "own.toml"]))["due"].as_array().unwrap().len(), 0);
    std::fs::write(folder.join("own.toml"), policy("2", 4)).unwrap();
    let met = reviews(&["--check", "--policy", "own.toml"]);
    assert_eq!((met.status.code(), json(&met)["due"].as_array().unwrap().len()), (Some(0), 1), "{}", stdout(&met));
    std::fs::write(folder.join("own.toml"), policy("3", 5)).unwrap();
    let failing = reviews(&["--check", "--policy", "own.toml"]);
    assert_eq!(failing.status.code(), Some(1));
    let says = json(&failing)["due"][0]["findings"][0]["says"].as_str().unwrap().to_owned();
    assert_eq!(says, "the smallest class has 4 records, and version 3 of `our-own` asks for 5");
}

#[test]
fn a_file_of_data_in_the_place_of_a_spec_is_not_quoted() {
    let desk = desk(&[("people.csv", "name,age\nMarigold Quux,34\n")]);
    let said = refused(&run(desk.path(), &["register", "check", "people.csv", "--register", REGISTER]));
    assert!(
        said.contains("this is not a file in TOML") && !said.contains("Marigold") && !said.contains("name,age"),
        "{said}"
    );
}

#[test]
fn columns_that_go_together_are_held_against_each_other_under_any_name() {
    // One young man of the north lives in n3; districts are in regions, and no table shows both.
    let rows = [("N,n1,m", 70), ("N,n3,m", 1), ("N,n1,f", 70), ("N,n3,f", 21), ("S,s1,m", 30), ("S,s1,f", 30)];
    let rows = rows.iter().map(|(row, count)| format!("{row}\n").repeat(*count)).collect::<String>();
    let tables = |name: &str, more: &str| {
        let declared = ["region", "district", "sex"].map(|name| format!("[[variables]]\nname = \"{name}\"\n")).concat();
        format!(
            "title = \"A case\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n\
             {declared}[[tables]]\nname = \"{name}\"\n{more}"
        )
    };
    let by_region = tables("regions", "variables = [\"sex\"]\nwhere = \"region = 'N'\"\n");
    let by_district = tables("districts", "variables = [\"sex\"]\nwhere = \"district = 'n1'\"\n");
    let shown = tables("shown", "variables = [\"region\"]\n");
    let top = tables("top", "variables = [\"district\"]\ntop = 2\n");
    let desk = desk(&[
        ("people.csv", &("region,district,sex\n".to_owned() + &rows)),
        ("regions.toml", &by_region),
        ("districts.toml", &by_district),
        ("shown.toml", &shown),
        ("top.toml", &top),
    ]);
    let folder = desk.path();
    for bundle in ["regions", "shown"] {
        let register: &[&str] = if bundle == "regions" { &[] } else { &["--register", REGISTER] };
        let made = run(folder, &[&["table", &format!("{bundle}.toml"), "--out", bundle][..], register].concat());
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        assert_eq!(publish(folder, bundle).status.code(), Some(0));
    }
    let checked = run(folder, &["register", "check", "districts.toml", "--register", REGISTER, "--format", "json"]);
    assert_eq!(checked.status.code(), Some(1), "{}", stdout(&checked));
    assert!(stdout(&checked).contains("\"leaves 1\""), "{}", stdout(&checked));
    // A table of districts touches one of regions, although it names no region.
    let checked = run(folder, &["register", "check", "top.toml", "--register", REGISTER, "--format", "json"]);
    assert_eq!(json(&checked)["touches"].as_array().unwrap().len(), 2, "{}", stdout(&checked));
    // Made without the register, no bundle of these data goes out any more.
    let made = run(folder, &["table", "top.toml", "--out", "alone"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let released = publish(folder, "alone");
    assert!(obstacles(&released).iter().any(|rule| rule == "earlier-releases"), "{}", stdout(&released));
}
