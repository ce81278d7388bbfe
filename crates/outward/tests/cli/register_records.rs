//! Releases of records beside earlier ones: planted attacks from case files, what is not seen, and mistakes.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde::Deserialize;
use serde_json::Value;

use crate::tables::desk;
use crate::{command, json, refused, stderr, stdout};

const REGISTER: [&str; 2] = ["--register", "sqlite:register.db"];

/// A sequence of releases of which the last is a request, and what is to come of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    verdict: String,
    /// Whether the files of earlier releases are at hand. They are compared at the gate alone.
    #[serde(default)]
    with_files: bool,
    /// The rule that stops it.
    rule: Option<String>,
    /// What is said of it.
    says: Option<String>,
    /// A line of the arithmetic.
    line: Option<String>,
    /// By the names of columns the rows, and how many people have each.
    people: BTreeMap<String, BTreeMap<String, usize>>,
    releases: Vec<OneRelease>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneRelease {
    spec: String,
}

fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).env_remove("OUTWARD_REGISTER").env("OUTWARD_ACTOR", "ann").output().unwrap()
}

/// Makes a bundle of a spec.
fn protect(folder: &Path, name: &str, spec: &str) {
    let file = format!("{name}.toml");
    let head = "[data]\npath = \"people.csv\"\n";
    let policy = if spec.contains("[policy]") { "" } else { "[policy]\nname = \"baseline\"\n" };
    let (seed, spec) = spec.strip_prefix("seed = 7\n").map_or(("", spec), |spec| ("seed = 7\n", spec));
    std::fs::write(folder.join(&file), format!("title = \"{name}\"\n{seed}{head}{policy}{spec}")).unwrap();
    let made = run(folder, &["protect", &file, "--out", name, "--force"]);
    assert_eq!(made.status.code(), Some(0), "{name}: {}{}", stdout(&made), stderr(&made));
}

/// Takes a bundle to the gate, approved by someone else.
fn publish(folder: &Path, bundle: &str, more: &[&str]) -> Output {
    let submitted = run(folder, &[&["register", "submit", bundle, "--format", "json"][..], &REGISTER].concat());
    let release = json(&submitted)["release"].clone();
    if release["state"] == "submitted" {
        let id = release["id"].to_string();
        let approved = run(folder, &[&["register", "approve", &id, "--actor", "bob"][..], &REGISTER].concat());
        assert_eq!(approved.status.code(), Some(0), "{}", stderr(&approved));
    }
    run(folder, &[&["release", bundle, "--format", "json"][..], &REGISTER, more].concat())
}

/// The same with the data.
fn publish_with_data(folder: &Path, bundle: &str) -> Output {
    publish(folder, bundle, &["--data", "people.csv"])
}

fn check(folder: &Path, spec: &str) -> Output {
    run(folder, &[&["register", "check", spec, "--format", "json"][..], &REGISTER].concat())
}

fn obstacles(output: &Output) -> Vec<Value> {
    let said = json(output);
    said.get("obstacles").or(said.get("findings")).unwrap().as_array().unwrap().clone()
}

fn rules(output: &Output) -> Vec<String> {
    obstacles(output).iter().map(|one| one["rule"].as_str().unwrap().to_owned()).collect()
}

/// A desk with so many people of each kind.
fn people(columns: &str, rows: &[(&str, usize)]) -> tempfile::TempDir {
    let rows = rows.iter().flat_map(|(row, count)| std::iter::repeat_n(*row, *count));
    desk(&[("people.csv", &(std::iter::once(columns).chain(rows).collect::<Vec<_>>().join("\n") + "\n"))])
}

fn carry_out(name: &str, case: &Case) {
    let (columns, rows) = case.people.iter().next().unwrap();
    let rows: Vec<(&str, usize)> = rows.iter().map(|(row, count)| (row.as_str(), *count)).collect();
    let desk = people(columns, &rows);
    let folder = desk.path();
    let (request, earlier) = case.releases.split_last().unwrap();
    for (number, release) in earlier.iter().enumerate() {
        let bundle = format!("release-{number}");
        protect(folder, &bundle, &release.spec);
        let released = publish_with_data(folder, &bundle);
        assert_eq!(released.status.code(), Some(0), "{name}: {}{}", stdout(&released), stderr(&released));
    }
    protect(folder, "request", &request.spec);
    let files: Vec<String> = (0..earlier.len()).map(|number| format!("{}=release-{number}", number + 1)).collect();
    let named = files.iter().flat_map(|file| ["--bundle-of", file.as_str()]);
    let held = match case.with_files {
        true => {
            vec![publish(folder, "request", &["--data", "people.csv"].into_iter().chain(named).collect::<Vec<_>>())]
        }
        false => vec![check(folder, "request.toml"), publish_with_data(folder, "request")],
    };
    for held in held {
        let said = stdout(&held);
        if case.verdict == "passes" {
            assert_eq!((held.status.code(), rules(&held).len()), (Some(0), 0), "{name}: {said}");
            continue;
        }
        assert_eq!(held.status.code(), Some(1), "{name}: {said}");
        let says = case.says.as_ref().unwrap().replace("this request", "");
        let is_told = |one: &Value| {
            let text = one["says"].as_str().unwrap().replace("this request", "").replace("this release", "");
            let line = case.line.as_ref().map(|line| line.replace("this request", ""));
            let lines = one["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
            let mut lines =
                lines.map(|line| line.replace("this request", "").replace("this release", "")).collect::<Vec<_>>();
            lines.retain(|known| Some(known) == line.as_ref());
            one["rule"] == **case.rule.as_ref().unwrap()
                && text.contains(&says)
                && lines.len() == usize::from(line.is_some())
        };
        assert!(obstacles(&held).iter().any(is_told), "{name}: {said}");
    }
}

#[test]
fn files_that_expose_somebody_together_are_stopped_and_their_look_alikes_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/register_records_cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 12);
    for file in files {
        let case: Case = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        carry_out(&file.file_name().unwrap().to_string_lossy(), &case);
    }
}

const TWO_KEYS: &str =
    "[[variables]]\nname = \"age\"\nrole = \"key\"\n[[variables]]\nname = \"area\"\nrole = \"key\"\n";

/// Two areas of old and young people.
fn a_desk() -> tempfile::TempDir {
    people("age,area", &[("young,north", 30), ("young,south", 25), ("old,north", 22), ("old,south", 40)])
}

#[test]
fn a_bundle_without_its_data_is_stopped_and_an_exception_lets_it_out() {
    let desk = a_desk();
    let folder = desk.path();
    protect(folder, "a", TWO_KEYS);
    assert_eq!(publish(folder, "a", &[]).status.code(), Some(0), "there is nothing to hold the first release against");
    protect(folder, "b", &format!("{TWO_KEYS}[[steps]]\ndo = \"drop\"\nvariables = [\"age\"]\n"));
    let released = publish(folder, "b", &[]);
    assert_eq!(rules(&released), ["earlier-records"], "{}", stdout(&released));
    assert!(stdout(&released).contains("--data FILE"));
    let reason = ["--reason", "the areas are in it already", "--scope", "this file only", "--expires", "2999-12-31"];
    let args = [&["register", "except", "2", "--rule", "earlier-records", "--actor", "bob"][..], &reason, &REGISTER];
    let entered = run(folder, &args.concat());
    assert_eq!(entered.status.code(), Some(0), "{}", stderr(&entered));
    assert_eq!(publish(folder, "b", &[]).status.code(), Some(0));
}

#[test]
fn other_data_and_other_bundles_than_those_of_the_releases_are_refused() {
    let desk = a_desk();
    let folder = desk.path();
    protect(folder, "a", TWO_KEYS);
    publish(folder, "a", &[]);
    protect(folder, "b", &format!("{TWO_KEYS}[[steps]]\ndo = \"shuffle\"\n"));
    let said = |more: &[&str]| refused(&publish(folder, "b", more));
    assert!(said(&["--data", "a.toml"]).contains("not the data that the bundle was made of"));
    assert!(said(&["--data", "people.csv", "--bundle-of", "1=b"]).contains("not the bundle of release 1"));
    assert!(
        said(&["--data", "people.csv", "--bundle-of", "9=a"]).contains("release 9 is no public release of records")
    );
    assert!(said(&["--data", "people.csv", "--bundle-of", "a"]).contains("--bundle-of NUMBER=FOLDER"));
    let data = folder.join("a/public/data.csv");
    std::fs::write(&data, std::fs::read_to_string(&data).unwrap() + "old,south\n").unwrap();
    assert!(said(&["--data", "people.csv", "--bundle-of", "1=a"]).contains("not those of release 1"));
    assert!(said(&["--data", "nowhere.csv"]).contains("nowhere.csv"));
}

#[test]
fn a_release_of_another_version_of_the_data_is_said_not_to_be_seen() {
    let desk = a_desk();
    let folder = desk.path();
    protect(folder, "a", TWO_KEYS);
    publish(folder, "a", &[]);
    let people = std::fs::read_to_string(folder.join("people.csv")).unwrap();
    std::fs::write(folder.join("people.csv"), people + "old,south\n").unwrap();
    protect(folder, "b", TWO_KEYS);
    let released = publish_with_data(folder, "b");
    assert_eq!(rules(&released), ["earlier-records"], "{}", stdout(&released));
    assert!(stdout(&released).contains("version 1 of the data"));
    assert_eq!(rules(&check(folder, "b.toml")), ["earlier-records"]);
}

#[test]
fn a_column_that_the_data_do_not_have_is_named_before_anything_is_compared() {
    let desk = a_desk();
    let folder = desk.path();
    protect(folder, "a", TWO_KEYS);
    publish(folder, "a", &[]);
    let spec = "[data]\npath = \"people.csv\"\n[[variables]]\nname = \"aera\"\nrole = \"key\"\n";
    std::fs::write(folder.join("b.toml"), spec).unwrap();
    let said = refused(&check(folder, "b.toml"));
    assert!(said.contains("there is no column `aera`") && said.contains("area"), "{said}");
}

/// Four places, and an income that nobody shares.
fn a_town() -> tempfile::TempDir {
    let mut rows = Vec::new();
    for at in 0..400 {
        let (place, sex) = (["n", "e", "s", "w"][at % 4], ["f", "m"][at / 4 % 2]);
        rows.push(format!("{place},{sex},{},{}", ["young", "old"][at / 8 % 2], 10_000 + at * 17));
    }
    let text = "place,sex,age,income\n".to_owned() + &rows.join("\n") + "\n";
    desk(&[("people.csv", &text)])
}

const TOWN: &str = "[policy]\nname = \"baseline\"\n[[variables]]\nname = \"place\"\nrole = \"geography\"\n[[variables]]\nname = \"sex\"\nrole = \"key\"\n\
                    [[variables]]\nname = \"age\"\nrole = \"key\"\n[[variables]]\nname = \"income\"\ntype = \"integer\"\nrole = \"sensitive\"\n";
const SWAP: &str = "[[steps]]\ndo = \"swap\"\ngeography = [\"place\"]\nshare = 0.2\nsimilar = [[\"sex\"]]\n";

#[test]
fn a_swapped_file_beside_one_that_was_not_shows_who_was_swapped() {
    let desk = a_town();
    let folder = desk.path();
    protect(folder, "a", TOWN);
    publish(folder, "a", &[]);
    protect(folder, "b", &format!("{TOWN}{SWAP}"));
    let asked = check(folder, "b.toml");
    assert_eq!(rules(&asked), ["swapped-records"], "{}", stdout(&asked));
    let released = publish(folder, "b", &["--data", "people.csv", "--bundle-of", "1=a"]);
    assert_eq!(rules(&released), ["swapped-records"], "{}", stdout(&released));
    // Everyone is matched by income, so that exactly the swapped ones differ.
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("b/manifest.json")).unwrap()).unwrap();
    let moved = manifest["steps"][0]["changed"]["place"].as_u64().unwrap();
    assert!(moved > 20, "{moved}");
    let says = obstacles(&released)[0]["says"].as_str().unwrap().to_owned();
    assert!(says.starts_with(&format!("{moved} of 400 records that match exactly one of release 1")), "{says}");
}

#[test]
fn the_same_swap_again_shows_nobody_and_another_draw_does() {
    let desk = a_town();
    let folder = desk.path();
    protect(folder, "a", &format!("{TOWN}{SWAP}"));
    publish(folder, "a", &[]);
    let with = ["--data", "people.csv", "--bundle-of", "1=a"];
    protect(folder, "b", &format!("{TOWN}{SWAP}"));
    let released = publish(folder, "b", &with);
    assert_eq!(rules(&released), [""; 0], "{}", stdout(&released));
    protect(folder, "c", &format!("seed = 7\n{TOWN}{SWAP}"));
    let released = publish(folder, "c", &[&with[..], &["--bundle-of", "2=b"]].concat());
    assert_eq!(rules(&released), ["swapped-records", "swapped-records"], "{}", stdout(&released));
}

#[test]
fn two_samples_of_the_same_people_with_other_columns_are_matched_in_their_files() {
    let desk = a_town();
    let folder = desk.path();
    let sample = "[[steps]]\ndo = \"sample\"\nfraction = 0.5\n[[steps]]\ndo = \"shuffle\"\n";
    let drop = |name: &str| format!("[[steps]]\ndo = \"drop\"\nvariables = [\"{name}\"]\n");
    protect(folder, "a", &format!("{TOWN}{}{sample}", drop("age")));
    publish(folder, "a", &[]);
    protect(folder, "b", &format!("seed = 7\n{TOWN}{}{sample}", drop("place")));
    let released = publish_with_data(folder, "b");
    assert_eq!(rules(&released), ["earlier-records"], "{}", stdout(&released));
    assert!(
        stdout(&released)
            .contains("400 × 50.0 % × 50.0 % = 100 records are expected in both, drawn by different seeds"),
        "{}",
        stdout(&released)
    );
    let released = publish(folder, "b", &["--data", "people.csv", "--bundle-of", "1=a"]);
    assert_eq!(rules(&released), ["overlapping-samples"], "{}", stdout(&released));
    // Income tells everyone apart: the matches are those that are in both files.
    let incomes = |bundle: &str| -> std::collections::BTreeSet<String> {
        let text = std::fs::read_to_string(folder.join(bundle).join("public/data.csv")).unwrap();
        text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_owned()).collect()
    };
    let both = incomes("a").intersection(&incomes("b")).count();
    assert!((60..140).contains(&both), "{both}");
    let says = obstacles(&released)[0]["says"].as_str().unwrap().to_owned();
    assert!(says.starts_with(&format!("{both} of 200 records can be matched")), "{says}");
    assert_eq!(rules(&check(folder, "b.toml")), ["overlapping-samples"]);
}

#[test]
fn samples_of_different_records_by_the_words_of_their_specs_pass() {
    let desk = a_town();
    let folder = desk.path();
    let half = |sex: &str| {
        format!(
            "[[steps]]\ndo = \"keep\"\nwhere = \"sex = '{sex}'\"\n[[steps]]\ndo = \"sample\"\nfraction = 0.5\n[[steps]]\ndo = \"shuffle\"\n"
        )
    };
    protect(folder, "a", &format!("{TOWN}[[steps]]\ndo = \"drop\"\nvariables = [\"age\"]\n{}", half("f")));
    publish(folder, "a", &[]);
    protect(folder, "b", &format!("{TOWN}{}", half("m")));
    let released = publish_with_data(folder, "b");
    assert_eq!(rules(&released), [""; 0], "{}", stdout(&released));
    for said in ["changed at random", "by their specs no record is in both"] {
        assert!(stdout(&released).contains(said), "what was not seen is said: {}", stdout(&released));
    }
}

#[test]
fn a_key_with_noise_is_said_not_to_be_known() {
    let desk = a_town();
    let folder = desk.path();
    let spec = TOWN
        .replace("role = \"sensitive\"", "role = \"key\"")
        .replace("name = \"baseline\"", "name = \"baseline\"\nk = 1");
    protect(folder, "a", &format!("{spec}[[steps]]\ndo = \"noise\"\nvariables = [\"income\"]\n"));
    publish(folder, "a", &[]);
    protect(folder, "b", &format!("{TOWN}[[steps]]\ndo = \"drop\"\nvariables = [\"income\"]\n"));
    assert_eq!(rules(&publish_with_data(folder, "b")), ["earlier-records"]);
}

#[test]
fn hierarchies_policies_and_mappings_of_earlier_releases_are_those_of_the_register() {
    let mut text = "home,job\n".to_owned();
    for (row, many) in [("N1 1AA,smith", 20), ("N1 1AA,farrier", 20), ("N2 1AA,baker", 20), ("SM7 1AA,smith", 20)] {
        text += &format!("{row}\n").repeat(many);
    }
    let populations = "code,population\nN1,30000\nN2,40000\nSM7,12000\n";
    let jobs = "smith,metal\nfarrier,metal\nbaker,food\n";
    let policy =
        "name = \"own\"\ntitle = \"Own\"\nversion = \"1\"\nsource = \"a test\"\ndescription = \"A test.\"\nk = 3\n";
    let files = [("people.csv", text.as_str()), ("pop.csv", populations), ("jobs.csv", jobs), ("own.toml", policy)];
    let desk = desk(&files);
    let folder = desk.path();
    run(folder, &["places", "pool", "pop.csv", "--rule", "uk-residual", "--out", "mapping.csv"]);
    assert!(folder.join("mapping.csv").is_file());
    let keys = |jobs: &str| {
        format!(
            "[policy]\nfile = \"own.toml\"\n[[variables]]\nname = \"home\"\nrole = \"geography\"\n\
             [[variables]]\nname = \"job\"\nrole = \"key\"\nhierarchy = {{ file = \"{jobs}\" }}\n\
             [[steps]]\ndo = \"place\"\nvariable = \"home\"\nmapping = \"mapping.csv\"\nunknown = \"blank\"\n\
             [[steps]]\ndo = \"recode\"\nvariable = \"job\"\nlevel = 1\n"
        )
    };
    protect(folder, "a", &keys("jobs.csv"));
    publish(folder, "a", &[]);
    // What the register was told is held against, and not what has become of the files.
    for (file, other) in [("jobs.csv", "jobs-2.csv"), ("own.toml", "own.toml")] {
        std::fs::rename(folder.join(file), folder.join("old")).unwrap();
        std::fs::write(folder.join(other), if file == "own.toml" { policy } else { jobs }).unwrap();
    }
    std::fs::remove_dir_all(folder.join("a")).unwrap();
    protect(folder, "b", &format!("{}[[steps]]\ndo = \"shuffle\"\n", keys("jobs-2.csv")));
    let released = publish_with_data(folder, "b");
    assert_eq!(rules(&released), [""; 0], "{}", stdout(&released));
}

#[test]
fn nothing_of_a_single_record_is_printed() {
    let desk = people(
        "age,area,job",
        &[
            ("young,north,baker", 30),
            ("young,south,baker", 30),
            ("old,north,baker", 30),
            ("old,south,falconer", 1),
            ("old,south,baker", 30),
            ("young,south,falconer", 3),
            ("old,north,falconer", 3),
        ],
    );
    let folder = desk.path();
    let keys = format!("{TWO_KEYS}[[variables]]\nname = \"job\"\nrole = \"key\"\n");
    protect(folder, "a", &format!("{keys}[[steps]]\ndo = \"drop\"\nvariables = [\"age\"]\n"));
    publish(folder, "a", &[]);
    protect(folder, "b", &format!("{keys}[[steps]]\ndo = \"drop\"\nvariables = [\"area\"]\n"));
    let released = publish_with_data(folder, "b");
    assert_eq!(rules(&released), ["joined-records"]);
    assert!(!(stdout(&released) + &stderr(&released)).contains("falconer"), "{}", stdout(&released));
}
