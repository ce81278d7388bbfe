//! The examples under `examples/` run as their readers run them.

use std::path::Path;
use std::process::Command;

use crate::{folder, stderr};

/// Runs an example's script with the program on the path.
fn run(name: &str, into: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join("run.sh");
    let program = Path::new(env!("CARGO_BIN_EXE_outward"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh").arg(script).arg(into).env("PATH", path).env("NO_COLOR", "1").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

fn column<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let at = text.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
    text.lines().skip(1).map(move |line| line.split(',').nth(at).unwrap())
}

#[test]
fn postcodes_come_out_as_codes_of_at_least_twenty_thousand_people() {
    let folder = folder();
    run("postcodes", folder.path());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    // From the files alone: add the residents of the table up to what the mapping publishes.
    let (headcounts, mapping, release) = (read("postcodes.csv"), read("mapping.csv"), read("release.csv"));
    let published: std::collections::BTreeMap<&str, &str> =
        column(&mapping, "code").zip(column(&mapping, "published")).collect();
    let mut people: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for (postcode, residents) in column(&headcounts, "postcode").zip(column(&headcounts, "residents")) {
        let code = published[postcode.split(' ').next().unwrap()];
        *people.entry(code).or_default() += residents.parse::<u64>().unwrap();
    }
    assert!(people.len() > 20);
    assert!(people.values().all(|people| *people >= 20_000), "{people:?}");
    let written: std::collections::BTreeSet<&str> = column(&release, "postcode").collect();
    let allowed = |code: &&str| code.is_empty() || people.contains_key(code);
    assert!(written.len() > 20 && written.iter().all(allowed), "{written:?}");
    let placed = column(&release, "postcode").filter(|code| !code.is_empty()).count();
    let records = release.lines().count() - 1;
    assert!(placed * 10 > records * 8, "{placed} of {records} have a place");
    let header = release.lines().next().unwrap();
    assert!(
        !["name", "nhs", "date_of_birth", "authority", "address"].iter().any(|word| header.contains(word)),
        "{header}"
    );
}

#[test]
fn birthdays_are_predicted_well_from_ages_and_sexes_alone() {
    let folder = folder();
    run("birthdays", folder.path());
    for name in ["table.html", "places.html", "match.html"] {
        assert!(std::fs::read_to_string(folder.path().join(name)).unwrap().contains("<svg"), "{name}");
    }
    let args =
        ["birthdays", "match", "census.csv", "--date-of-birth", "date_of_birth", "--sex", "sex", "--place", "region"];
    let found = crate::json(&crate::outward(folder.path(), &[&args[..], &["--format", "json"]].concat()));
    let share = |which: &str| found["overall"][which]["unique"].as_f64().unwrap();
    assert!((share("actual") - share("predicted")).abs() < 0.02, "{} {}", share("actual"), share("predicted"));
}
