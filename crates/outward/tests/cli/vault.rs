//! `outward vault` as a data manager runs it: from a new vault to extracts, and everything that goes wrong on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

use crate::{command, folder, json, listing, refused, stderr, stdout};

pub(crate) const PASSPHRASE: &str = "planted passphrase of the vault";

/// A command on the vault of a folder, with its passphrase.
pub(crate) fn vault_command(folder: &Path, args: &[&str]) -> Command {
    let mut command = command(folder, &[&["vault"], args].concat());
    command.env("OUTWARD_VAULT_PASSPHRASE", PASSPHRASE).env("OUTWARD_ACTOR", "ann").env_remove("OUTWARD_VAULT");
    command
}

pub(crate) fn vault(folder: &Path, args: &[&str]) -> Output {
    vault_command(folder, args).output().unwrap()
}

pub(crate) fn done(folder: &Path, args: &[&str]) -> String {
    let output = vault(folder, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

fn nhs_number(index: u64) -> String {
    let valid = |digits: &str| {
        let digits: Vec<u64> = digits.bytes().map(|digit| u64::from(digit - b'0')).collect();
        let sum: u64 = digits.iter().zip((2..=10).rev()).map(|(digit, weight)| digit * weight).sum();
        (11 - sum % 11) % 11 == digits[9]
    };
    let prefixes = (0..).map(|more| 999_000_000 + 20 * index + more);
    prefixes.flat_map(|prefix| (0..10).map(move |last| format!("{prefix}{last}"))).find(|number| valid(number)).unwrap()
}

const JOBS: [&str; 3] = ["teacher", "bank clerk", "booking clerk"];

/// Made-up participants, in one file as a cohort has them before there is a vault.
fn participants(people: std::ops::Range<u64>) -> String {
    let row = |index: u64| {
        let job = if index == 7 { "lion tamer" } else { JOBS[(index % 3) as usize] };
        let (easting, northing) = (430_000 + 700 * (index % 60), 430_000 + 900 * (index / 60));
        format!(
            "P{index},{},Planted{index} Name,{index} Planted Street,LS{} {}AB,{easting},{northing},195{}-0{}-1{},{},{job},Planted words {index}\n",
            nhs_number(index),
            2 + index % 4,
            index % 9 + 1,
            index % 3,
            index % 4 + 1,
            index % 9,
            ["Female", "Male"][(index % 2) as usize],
        )
    };
    people.map(row).collect::<String>()
}

const HEADER: &str = "id,nhs_number,name,address,postcode,easting,northing,born,sex,job,notes\n";

pub(crate) fn participants_file(people: std::ops::Range<u64>) -> String {
    HEADER.to_owned() + &participants(people)
}

const ENROLMENT: &str = r#"
[people]
data = { path = "people.csv" }
id = "id"
nhs_number = "nhs_number"
name = ["name"]
address = ["address", "postcode"]

[[tables]]
name = "people"
spec = "people.toml"
id = "id"
"#;

pub(crate) const TABLE: &str = r#"
[data]
path = "people.csv"
[[variables]]
name = "nhs_number"
role = "identifier"
[[variables]]
name = "name"
role = "identifier"
[[variables]]
name = "address"
role = "identifier"
[[variables]]
name = "postcode"
role = "geography"
[[variables]]
name = "easting"
type = "integer"
role = "geography"
[[variables]]
name = "northing"
type = "integer"
role = "geography"
[[variables]]
name = "born"
type = "date"
role = "date-of-birth"
[[variables]]
name = "sex"
role = "key"
[[variables]]
name = "job"
role = "key"
hierarchy = { tree = { "clerk" = ["bank clerk", "booking clerk"], "artist" = ["lion tamer"], "educator" = ["teacher"] } }
[[variables]]
name = "notes"
role = "free-text"
[[steps]]
do = "grid"
variables = ["easting", "northing"]
"#;

pub(crate) const AIR: &str = r#"
name = "air"
title = "Air and lungs"
expires = "2099-12-31"
[[tables]]
name = "people"
fields = ["born", "sex", "job", "postcode"]
"#;

pub(crate) const PHASED: &str = r#"
name = "phased"
title = "Air at home"
expires = "2099-12-31"
[phase_one]
name = "people"
fields = ["easting", "northing"]
[[tables]]
name = "people"
fields = ["born", "sex"]
"#;

/// A folder with the files of a cohort.
pub(crate) fn desk(people: u64) -> tempfile::TempDir {
    let desk = folder();
    for (name, text) in [
        ("people.csv", &*participants_file(0..people)),
        ("enrol.toml", ENROLMENT),
        ("people.toml", TABLE),
        ("air.toml", AIR),
        ("phased.toml", PHASED),
    ] {
        std::fs::write(desk.path().join(name), text).unwrap();
    }
    desk
}

/// The same with a vault in which all are enrolled.
pub(crate) fn enrolled(people: u64) -> tempfile::TempDir {
    let desk = desk(people);
    done(desk.path(), &["init"]);
    done(desk.path(), &["enrol", "enrol.toml"]);
    desk
}

pub(crate) fn rows(folder: &Path, file: &str) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
}

#[test]
fn a_cohort_goes_from_a_new_vault_to_a_verified_extract() {
    let desk = enrolled(300);
    let folder = desk.path();
    done(folder, &["application", "air.toml", "--reason", "approved by the committee"]);
    let said = done(folder, &["extract", "air", "--out", "air", "--reason", "first extract"]);
    assert!(said.contains("300 records of 300 people"), "{said}");
    let verified = crate::outward(folder, &["verify", "air"]);
    assert_eq!(verified.status.code(), Some(0), "{}{}", stdout(&verified), stderr(&verified));
    let records = rows(folder, "air/public/data.csv");
    assert_eq!(records[0].keys().collect::<Vec<_>>(), ["born", "eid", "job", "postcode", "sex"]);
    let values = |field: &str| records.iter().map(|record| record[field].clone()).collect::<BTreeSet<String>>();
    assert_eq!(values("postcode"), ["LS2", "LS3", "LS4", "LS5"].map(str::to_owned).into());
    assert!(values("born").iter().all(|month| month.len() == 7), "{:?}", values("born"));
    assert!(!values("job").contains("lion tamer"), "{:?}", values("job"));
    assert!(values("eid").len() == 300 && values("eid").iter().all(|eid| eid.len() == 7));
    // Nothing else of the vault is in the bundle, and nothing is left beside it.
    for (path, content) in files(&folder.join("air")) {
        for secret in ["Planted", "P17", &nhs_number(17), "lion tamer"] {
            let told = secret == "lion tamer" && path.ends_with("extract.toml");
            assert!(told || !content.contains(secret), "{secret} in {path}");
        }
    }
    assert!(listing(folder).iter().all(|name| !name.starts_with('.')), "{:?}", listing(folder));
    let log = json(&vault(folder, &["log", "--format", "json"]));
    let actions: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["init", "enrol", "add-application", "extract", "extracted"]);
    assert!(done(folder, &["audit"]).contains("5 entries and holds"));
}

/// All files below a folder, as text.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push((
                path.display().to_string(),
                String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
            )),
        }
    }
    all
}

#[test]
fn two_phases_go_out_and_the_results_come_back_between_them() {
    let desk = enrolled(300);
    let folder = desk.path();
    done(folder, &["application", "phased.toml"]);
    done(folder, &["extract", "phased", "--phase", "1", "--out", "places", "--reason", "linkage"]);
    let places = rows(folder, "places/public/data.csv");
    assert_eq!(places[0].keys().collect::<Vec<_>>(), ["easting", "eid", "northing"]);
    assert!(places.iter().all(|row| row["easting"].ends_with("000")));
    let results = places.iter().fold("eid,no2\n".to_owned(), |text, row| {
        let value = row["easting"].parse::<f64>().unwrap() / 1e4 + row["northing"].parse::<f64>().unwrap() / 1e6;
        text + &format!("{},{value}\n", row["eid"])
    });
    std::fs::write(folder.join("results.csv"), results).unwrap();
    let early = vault(folder, &["extract", "phased", "--phase", "2", "--out", "rest", "--reason", "early"]);
    assert!(refused(&early).contains("nothing was returned"));
    let said =
        done(folder, &["return", "phased", "results.csv", "--phase-one", "places", "--reason", "from the university"]);
    assert!(said.contains("no2: "), "{said}");
    done(folder, &["extract", "phased", "--phase", "2", "--out", "rest", "--reason", "the rest"]);
    let rest = rows(folder, "rest/public/data.csv");
    assert_eq!(rest[0].keys().collect::<Vec<_>>(), ["born", "eid", "no2", "sex"]);
    let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
    rest.iter().for_each(|row| *groups.entry(&row["no2"]).or_default() += 1);
    assert!(groups.len() > 5 && groups.values().all(|people| *people >= 5), "{groups:?}");
    let eids = |rows: &[BTreeMap<String, String>]| rows.iter().map(|row| row["eid"].clone()).collect::<BTreeSet<_>>();
    assert!(eids(&places).intersection(&eids(&rest)).count() <= 1);
    assert_eq!(crate::outward(folder, &["verify", "rest"]).status.code(), Some(0));
}

#[test]
fn grants_reverse_and_bridge_and_withdrawals_are_found_and_removed_everywhere() {
    let desk = enrolled(300);
    let folder = desk.path();
    done(folder, &["application", "air.toml"]);
    std::fs::write(folder.join("diet.toml"), AIR.replace("name = \"air\"", "name = \"diet\"")).unwrap();
    done(folder, &["application", "diet.toml"]);
    done(folder, &["extract", "air", "--out", "air", "--reason", "first"]);
    done(folder, &["extract", "air", "--out", "air-parquet", "--parquet", "--reason", "first"]);
    let first = rows(folder, "air/public/data.csv");
    std::fs::write(folder.join("found.csv"), format!("eid\n{}\n", first[3]["eid"])).unwrap();
    let refuse = vault(folder, &["reverse", "1", "found.csv", "--out", "person.csv", "--reason", "a finding"]);
    assert!(refused(&refuse).contains("no grant"));
    let grant = [
        "grant",
        "air",
        "--to",
        "bob",
        "--operation",
        "person",
        "--expires",
        "2099-01-01",
        "--cap",
        "1",
        "--purpose",
        "a finding",
    ];
    done(folder, &grant);
    let reverse = ["reverse", "1", "found.csv", "--out", "person.csv", "--reason", "a finding", "--actor", "bob"];
    let said = done(folder, &reverse);
    assert!(!said.contains("Planted"), "{said}");
    let person = rows(folder, "person.csv");
    assert!(person[0]["name"].starts_with("Planted"), "{person:?}");
    assert!(std::fs::read_to_string(folder.join("person.csv")).unwrap().ends_with(",yes\n"));
    assert!(refused(&vault(folder, &reverse)).contains("fewer identifiers"));
    done(
        folder,
        &[
            "grant",
            "air",
            "--to",
            "bob",
            "--operation",
            "bridge",
            "--with",
            "diet",
            "--expires",
            "2099-01-01",
            "--cap",
            "300",
            "--purpose",
            "joint work",
        ],
    );
    done(folder, &["bridge", "2", "--out", "bridge.csv", "--reason", "joint work", "--actor", "bob"]);
    assert_eq!(rows(folder, "bridge.csv").len(), 300);

    // Somebody withdraws: their records are found in every file of a tree, and removed with a receipt.
    let local = &person[0]["id"];
    std::fs::write(folder.join("letters.csv"), format!("id,level,day\n{local},no-further-use,2026-01-01\n")).unwrap();
    done(folder, &["withdraw", "enter", "letters.csv", "--reason", "letters"]);
    let tree = folder.join("laptop");
    std::fs::create_dir_all(tree.join("results")).unwrap();
    std::fs::copy(folder.join("air-parquet/public/data.parquet"), tree.join("results/data.parquet")).unwrap();
    let renamed =
        std::fs::read_to_string(folder.join("air/public/data.csv")).unwrap().replacen("eid", "participant", 1);
    std::fs::write(tree.join("renamed.csv"), &renamed).unwrap();
    std::fs::write(tree.join("other.csv"), "a,b\n1,2\n").unwrap();
    let check = vault(folder, &["withdraw", "check", "air", "laptop", "--reason", "a letter", "--format", "json"]);
    assert_eq!(check.status.code(), Some(1), "{}", stderr(&check));
    let found = json(&check);
    let of = |file: &serde_json::Value| {
        (file["columns"][0].as_str().unwrap().to_owned(), file["withdrawn"].as_u64().unwrap())
    };
    let found: Vec<(String, u64)> = found["files"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(found, [("participant".to_owned(), 1), ("eid".to_owned(), 1)]);
    done(folder, &["withdraw", "apply", "air", "laptop", "--receipt", "receipt.json", "--reason", "a letter"]);
    assert_eq!(vault(folder, &["withdraw", "check", "air", "laptop", "--reason", "a letter"]).status.code(), Some(0));
    let kept: Vec<&str> = renamed.lines().filter(|line| !line.starts_with(&first[3]["eid"])).collect();
    assert_eq!(std::fs::read_to_string(tree.join("renamed.csv")).unwrap().lines().collect::<Vec<_>>(), kept);
    let receipt: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("receipt.json")).unwrap()).unwrap();
    assert_eq!(receipt["files"].as_array().unwrap().len(), 2);
    assert!(!receipt.to_string().contains(&first[3]["eid"]));
    let later = done(folder, &["extract", "air", "--out", "later", "--reason", "second"]);
    assert!(later.contains("299 records"), "{later}");
    assert!(done(folder, &["audit"]).contains("holds"));
}

#[test]
fn the_list_of_the_national_opt_out_is_written_and_taken_in() {
    let desk = enrolled(60);
    let folder = desk.path();
    done(folder, &["application", "air.toml"]);
    done(folder, &["withdraw", "opt-outs", "export", "--out", "sent.dat", "--reason", "monthly"]);
    let sent = std::fs::read_to_string(folder.join("sent.dat")).unwrap();
    assert_eq!(sent.lines().count(), 60);
    assert!(sent.starts_with(&format!("{},\n", nhs_number(0))) && !sent.contains('\r'), "{}", &sent[..20]);
    let back: String = sent.lines().skip(1).map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.join("back.dat"), back).unwrap();
    let said =
        done(folder, &["withdraw", "opt-outs", "import", "back.dat", "--sent", "sent.dat", "--reason", "monthly"]);
    assert!(said.starts_with("1 of the participants"), "{said}");
}

#[test]
fn shares_of_a_key_open_a_vault_together_alone_and_rotation_keeps_identifiers() {
    let desk = desk(60);
    let folder = desk.path();
    let with = |second: Option<&str>, args: &[&str]| {
        let mut command = vault_command(folder, args);
        if let Some(second) = second {
            command.env("OUTWARD_VAULT_PASSPHRASE_2", second);
        }
        command.output().unwrap()
    };
    let second = Some("planted passphrase of another person");
    let init = with(second, &["init", "--key-shares", "one.key", "two.key"]);
    assert_eq!(init.status.code(), Some(0), "{}", stderr(&init));
    let enrol = ["enrol", "enrol.toml"];
    assert!(refused(&with(None, &enrol)).contains("OUTWARD_VAULT_PASSPHRASE_2 is not set"));
    assert!(refused(&with(Some("another passphrase"), &enrol)).contains("does not open this key file"));
    assert_eq!(with(second, &enrol).status.code(), Some(0));
    assert_eq!(with(second, &["application", "air.toml"]).status.code(), Some(0));
    let extract = |out: &str| with(second, &["extract", "air", "--out", out, "--reason", "test"]);
    assert_eq!(extract("before").status.code(), Some(0));
    // From two shares to a key that a command prints.
    let key = "4f".repeat(32);
    std::fs::write(folder.join("kms"), &key).unwrap();
    let kms = format!("cat {}", folder.join("kms").display());
    let rotated = with(second, &["rotate", "--key-command", &kms, "--reason", "a keeper left"]);
    assert_eq!(rotated.status.code(), Some(0), "{}", stderr(&rotated));
    assert_eq!(extract("after").status.code(), Some(0));
    let data = |bundle: &str| std::fs::read_to_string(folder.join(bundle).join("public/data.csv")).unwrap();
    assert_eq!(data("before"), data("after"));
    std::fs::write(folder.join("kms"), "5e".repeat(32)).unwrap();
    let wrong = refused(&with(second, &["audit"]));
    assert!(wrong.contains("does not open the vault") && !wrong.contains("5e5e"), "{wrong}");
}

#[test]
fn faults_say_what_to_do_and_show_nothing() {
    let desk = desk(60);
    let folder = desk.path();
    let planted = |output: &Output| {
        let said = refused(output);
        for secret in ["Planted", "planted passphrase", "999000", "P7"] {
            assert!(!said.contains(secret), "{secret}: {said}");
        }
        said
    };
    assert!(planted(&vault(folder, &["enrol", "enrol.toml"])).contains("there is no vault here"));
    let without = vault_command(folder, &["init"]).env_remove("OUTWARD_VAULT_PASSPHRASE").output().unwrap();
    assert!(planted(&without).contains("OUTWARD_VAULT_PASSPHRASE is not set"));
    let short = vault_command(folder, &["init"]).env("OUTWARD_VAULT_PASSPHRASE", "short").output().unwrap();
    assert!(planted(&short).contains("shorter than 12"));
    done(folder, &["init"]);
    assert!(planted(&vault(folder, &["init"])).contains("a vault here already"));
    let wrong = vault_command(folder, &["enrol", "enrol.toml"])
        .env("OUTWARD_VAULT_PASSPHRASE", "planted passphrase, wrong")
        .output()
        .unwrap();
    assert!(planted(&wrong).contains("does not open this key file"));
    let people = participants_file(0..60);
    for (what, text) in [
        ("is in the file twice", people.clone() + people.lines().nth(8).unwrap() + "\n"),
        (
            "check digit",
            people.replace(
                &nhs_number(7),
                &format!("{}{}", &nhs_number(7)[..9], (nhs_number(7).as_bytes()[9] - b'0' + 1) % 10),
            ),
        ),
        ("another participant has this NHS number", people.replace(&nhs_number(7), &nhs_number(9))),
        ("does not declare this column", people.replacen("notes", "gp", 1)),
        ("no column", people.replacen("id,", "pid,", 1)),
    ] {
        std::fs::write(folder.join("people.csv"), text).unwrap();
        let said = planted(&vault(folder, &["enrol", "enrol.toml"]));
        assert!(said.contains(what), "{what}: {said}");
    }
    std::fs::write(folder.join("people.csv"), &people).unwrap();
    done(folder, &["enrol", "enrol.toml"]);
    // A file of data that is named by mistake is not quoted.
    for command in ["enrol", "application"] {
        let said = planted(&vault(folder, &[command, "people.csv"]));
        assert!(said.contains("people.csv: this is not an"), "{said}");
    }
    for (what, from, to) in [
        ("releases no field with the role `free-text`", "\"sex\"", "\"notes\""),
        ("has no field `sexes`", "\"sex\"", "\"sexes\""),
        ("has no field", "\"sex\"", "\"name\""),
        ("unknown field", "expires", "expire"),
        ("control characters", "Air and lungs", "Air\\u001b[2J"),
        ("small letters", "name = \"air\"", "name = \"../air\""),
        ("not a day", "2099-12-31", "2099-12-32"),
        ("there is no table", "name = \"people\"", "name = \"persons\""),
        ("small letters", "name = \"air\"", "name = \"Air\""),
    ] {
        std::fs::write(folder.join("wrong.toml"), AIR.replace(from, to)).unwrap();
        let said = planted(&vault(folder, &["application", "wrong.toml"]));
        assert!(said.contains(what), "{what}: {said}");
    }
    let extract = |application: &str, more: &[&str]| {
        vault(folder, &[&["extract", application, "--out", "out", "--reason", "test"], more].concat())
    };
    assert!(planted(&extract("air", &[])).contains("no application"));
    done(folder, &["application", "air.toml"]);
    assert!(planted(&extract("air", &["--fields", "easting"])).contains("was not granted"));
    assert!(planted(&extract("air", &["--phase", "1"])).contains("has no phases"));
    std::fs::write(folder.join("plain.toml"), AIR.replace("\"2099-12-31\"", "2099-12-31")).unwrap();
    assert!(done(folder, &["application", "plain.toml"]).contains("until 2099-12-31"), "a day without quotes");
    std::fs::write(folder.join("old.toml"), AIR.replace("2099", "2020").replace("\"air\"", "\"old\"")).unwrap();
    done(folder, &["application", "old.toml"]);
    assert!(planted(&extract("old", &[])).contains("expired on"));
    // Stores that are cut short or exchanged.
    let research = folder.join("vault/research.db");
    let whole = std::fs::read(&research).unwrap();
    std::fs::write(&research, &whole[..whole.len() / 2]).unwrap();
    let cut = planted(&extract("air", &[]));
    assert!(cut.contains("damaged") || cut.contains("not a vault") || cut.contains("refused"), "{cut}");
    std::fs::write(&research, b"no database at all, but some text that is long enough to be read").unwrap();
    assert!(planted(&extract("air", &[])).contains("not a vault"));
    assert!(!folder.join("out").exists());
}
