//! Planted identifiers: every one is refused or found, and nothing that a statistician would publish is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "identifiers/files.rs"]
mod files;
#[path = "identifiers/labels.rs"]
mod labels;
#[path = "identifiers/spellings.rs"]
mod spellings;
#[path = "identifiers/values.rs"]
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use outward_fixtures::desk::Desk;
use outward_release::verify::Options;
use outward_release::{ColumnRecord, Existing, Manifest, Outcome, verify, write};
use outward_spec::{Spec, Type};
use values::Draws;

/// One line of the corpus.
struct Planted {
    kind: String,
    heading: String,
    maker: String,
    spelling: String,
    place: String,
}

/// The records of a file.
const RECORDS: u64 = 1_000;

fn corpus() -> Vec<Planted> {
    let lines = include_str!("identifiers/planted.csv").lines().filter(|line| !line.starts_with('#'));
    let planted = |line: &str| {
        let [kind, heading, maker, spelling, place] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("not five fields: {line}");
        };
        let [kind, heading, maker, spelling, place] = [kind, heading, maker, spelling, place].map(str::to_owned);
        Planted { kind, heading, maker, spelling, place }
    };
    lines.skip(1).map(planted).collect()
}

impl Planted {
    /// A column of ordinary values with the identifier planted in it.
    fn column(&self, seed: u64) -> Vec<String> {
        let mut draws = Draws::new(seed);
        let mut others = Draws::new(seed + 1_000);
        let mut spelt = |record| {
            let value = values::value(&self.maker, &mut draws, record);
            spellings::spell(&value, &self.spelling, values::groups(&self.maker))
        };
        let note = |record: u64| format!("seen on day {} and sent home", record % 90);
        (0..RECORDS)
            .map(|record| match (self.place.as_str(), record == 600) {
                ("column", _) => spelt(record),
                ("note", true) => format!("rang about {} last week", spelt(record)),
                ("late", true) => format!("{}and then {}", "the form was filled in again ".repeat(900), spelt(record)),
                ("note" | "late", false) => note(record),
                ("lone", true) => spelt(record),
                ("lone", false) => others.below(90).to_string(),
                (other, _) => panic!("the corpus names the place `{other}`"),
            })
            .collect()
    }
}

/// The columns in which a verification finds an identifier. The bundle is made by hand, so that nothing was refused before.
fn found(columns: &[(String, Vec<String>)]) -> BTreeSet<String> {
    let quoted = |value: &String| format!("\"{}\"", value.replace('"', "\"\""));
    let mut csv: String = columns.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..columns[0].1.len() {
        let line: Vec<String> = columns.iter().map(|(_, values)| quoted(&values[row])).collect();
        writeln!(csv, "{}", line.join(",")).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle");
    let spec = Spec::parse("data = { path = \"in.csv\" }\n", "outward.toml").unwrap();
    let records = columns.iter().map(|(name, _)| ColumnRecord::new(&spec, name, Type::Text)).collect();
    let made = write(&bundle, Existing::Refuse, |staging| {
        staging.put("public/data.csv", csv.as_bytes())?;
        let mut manifest = Manifest::new(&spec, spec.rules()?, records);
        manifest.data = "public/data.csv".to_owned();
        Ok(manifest)
    });
    made.unwrap();
    named_in(&bundle, columns.iter().map(|(name, _)| name.as_str()))
}

fn named_in<'a>(bundle: &Path, names: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let verification = runtime.block_on(verify(bundle, &Options { threads: 1, ..Options::default() })).unwrap();
    let failing = verification.checks.iter().filter(|check| check.outcome == Outcome::Fails);
    let says: Vec<&str> = failing
        .filter(|check| ["identifiers", "columns"].contains(&check.name.as_str()))
        .map(|check| check.says.as_str())
        .collect();
    let says = says.join("; ");
    names.filter(|name| says.contains(&format!("`{name}`"))).map(str::to_owned).collect()
}

#[test]
fn every_planted_identifier_is_found() {
    // Columns of one heading go into different files.
    let mut rounds: Vec<Vec<(String, Vec<String>)>> = Vec::new();
    let mut places = Vec::new();
    for (seed, planted) in corpus().iter().enumerate() {
        let heading = if planted.heading == "-" { format!("v{seed}") } else { planted.heading.clone() };
        let free = |round: &Vec<(String, Vec<String>)>| !round.iter().any(|(name, _)| *name == heading);
        let round = rounds.iter().position(free).unwrap_or_else(|| {
            rounds
                .push(vec![("sex".to_owned(), (0..RECORDS).map(|n| ["F", "M"][n as usize % 2].to_owned()).collect())]);
            rounds.len() - 1
        });
        rounds[round].push((heading.clone(), planted.column(seed as u64)));
        places.push((round, heading));
    }
    let found: Vec<BTreeSet<String>> = rounds.iter().map(|round| found(round)).collect();
    let (mut shares, mut missed): (BTreeMap<String, (usize, usize)>, Vec<String>) = Default::default();
    for (planted, (round, heading)) in corpus().into_iter().zip(places) {
        let hit = found[round].contains(&heading);
        let share = shares.entry(planted.kind.clone()).or_default();
        (share.0, share.1) = (share.0 + usize::from(hit), share.1 + 1);
        if !hit {
            let Planted { kind, heading, maker, spelling, place } = planted;
            missed.push(format!("{kind}: {heading}, {maker}, {spelling}, {place}"));
        }
    }
    let shares: Vec<String> = shares.iter().map(|(kind, (hit, all))| format!("{kind}: {hit} of {all}")).collect();
    println!("{}", shares.join("\n"));
    assert!(missed.is_empty(), "found\n{}\n\nmissed\n{}", shares.join("\n"), missed.join("\n"));
}

/// A spec for ordinary records with one column more.
fn desk(heading: &str, extra: &str, values: &[String]) -> Desk {
    let spec = format!(
        "title = \"A survey\"\n[policy]\nk = 2\n[[variables]]\nname = \"sex\"\nrole = \"key\"\n[[variables]]\nname = \"{heading}\"\n{extra}"
    );
    let line = |(row, value): (usize, &String)| format!("{},\"{value}\"\n", ["F", "M"][row % 2]);
    Desk::new(&spec, &format!("sex,{heading}\n{}", values.iter().enumerate().map(line).collect::<String>()))
}

#[test]
fn identifiers_by_shape_are_refused_and_the_error_says_how_to_publish_or_drop_them() {
    for (heading, maker, spelling) in [
        ("v1", "running", "run"),
        ("v1", "uuid", "run"),
        ("v1", "record", "hyphen"),
        ("passport", "nine-digits", "run"),
        ("collision_index", "event", "run"),
        ("latitude", "latitude", "run"),
        ("zip", "zip", "run"),
    ] {
        let planted = Planted {
            kind: String::new(),
            heading: heading.to_owned(),
            maker: maker.to_owned(),
            spelling: spelling.to_owned(),
            place: "column".to_owned(),
        };
        let desk = desk(heading, "", &planted.column(7));
        let error = desk.protect().unwrap_err();
        assert_eq!(error.fault().unwrap().place.variable.as_deref(), Some(heading), "{error}");
        assert!(error.to_string().contains("`identifier`"), "{error}");
        assert!(error.help().unwrap().contains("allow = ") && error.help().unwrap().contains("drop"), "{error}");
        assert!(!desk.bundle().exists());
    }
}

#[test]
fn a_reason_in_words_lets_a_column_go_and_stands_in_the_statement() {
    let values: Vec<String> = (0..RECORDS).map(|record| format!("AB-{:05}", record * 37 % 99_991)).collect();
    let reason = "numbers of the published register of firms";
    let desk = desk("firm", &format!("allow = \"{reason}\"\n"), &values);
    assert!(desk.protect().unwrap().written);
    assert!(desk.published("statement.md").contains(reason));
    let verification = desk.verify();
    assert_eq!(verification.outcome(), Outcome::Holds, "{verification:#?}");
    let manifest = outward_release::read(&desk.bundle()).unwrap();
    assert_eq!(manifest.column("firm").unwrap().allow.as_deref(), Some(reason));
    // A reason that is only in the manifest is no reason.
    let mut forged = manifest.clone();
    forged.columns.iter_mut().find(|column| column.name == "firm").unwrap().allow = None;
    std::fs::write(desk.bundle().join("manifest.json"), serde_json::to_string(&forged).unwrap()).unwrap();
    let failing = desk.verify();
    let failing: Vec<&str> = failing.with(Outcome::Fails).map(|check| check.name.as_str()).collect();
    assert!(failing.contains(&"rules") && failing.contains(&"columns") && failing.contains(&"texts"), "{failing:?}");
}

#[test]
fn a_reason_is_in_words() {
    for reason in ["", " ", "yes"] {
        let spec = format!("data = {{ path = \"in.csv\" }}\n[[variables]]\nname = \"firm\"\nallow = \"{reason}\"\n");
        let error = Spec::parse(&spec, "outward.toml").unwrap_err();
        assert!(error.to_string().contains("allow"), "{error}");
    }
}

#[test]
fn no_reason_lets_a_number_of_a_person_go() {
    let mut draws = Draws::new(3);
    let values: Vec<String> = (0..RECORDS).map(|record| values::value("nhs", &mut draws, record)).collect();
    let desk = desk("number", "allow = \"it is only a reference\"\n", &values);
    let error = desk.protect().unwrap_err();
    assert!(error.to_string().contains("`identifier`") && !error.help().unwrap().contains("allow"), "{error}");
}

#[test]
fn a_heading_alone_over_a_handful_of_categories_is_no_identifier() {
    for (heading, categories) in [
        ("phone", ["yes", "no", "no answer"]),
        ("passport", ["UK", "EU", "none"]),
        ("patient_id", ["1", "2", "3"]),
        ("account", ["current", "savings", "none"]),
        ("licence", ["full", "provisional", "none"]),
        ("zip", ["100", "112", "945"]),
    ] {
        let values: Vec<String> = (0..RECORDS).map(|record| categories[record as usize / 2 % 3].to_owned()).collect();
        let desk = desk(heading, "", &values);
        assert!(desk.protect().unwrap().written, "{heading}");
        assert_eq!(desk.verify().outcome(), Outcome::Holds, "{heading}");
    }
}

#[test]
fn values_that_differ_in_few_records_prove_nothing() {
    for values in [
        ["1", "2", "3", "4", "5", "6"].map(str::to_owned),
        ["E11.9", "I10", "J45.0", "K21.9", "M54.5", "F32.1"].map(str::to_owned),
        ["21500", "34250", "18730", "52100", "27990", "45010"].map(str::to_owned),
    ] {
        assert!(desk("answer", "", &values).protect().unwrap().written);
    }
}
