//! The examples under `examples/` run as their readers run them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

use crate::{folder, outward, stderr};

/// Runs an example with the program on the path. What it prints comes back.
fn run(name: &str, into: &Path) -> String {
    run_script(&format!("{name}/run.sh"), into)
}

fn run_script(script: &str, into: &Path) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(script);
    let program = Path::new(env!("CARGO_BIN_EXE_outward"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh").arg(script).arg(into).env("PATH", path).env("NO_COLOR", "1").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    crate::stdout(&output)
}

#[test]
fn a_request_of_the_second_year_that_leaves_out_snow_is_stopped_and_one_by_authorities_is_not() {
    let folder = folder();
    let said = run_script("road-casualties/second-year.sh", folder.path());
    let checks: Vec<&str> = said.split("Check against the register").skip(1).collect();
    assert_eq!(checks.len(), 2);
    assert!(checks[0].contains("Nothing small follows") && !checks[0].contains("minus"), "{}", checks[0]);
    let minus = |line: &&str| line.starts_with("minus ") && line.contains("`without-snow`");
    assert!(checks[1].lines().any(|line| minus(&line)) && checks[1].contains("leaves 1"), "{}", checks[1]);
    assert!(checks[1].contains("release 2, table `authorities`"), "{}", checks[1]);
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
    let published: BTreeMap<&str, &str> = column(&mapping, "code").zip(column(&mapping, "published")).collect();
    let mut people: BTreeMap<&str, u64> = BTreeMap::new();
    for (postcode, residents) in column(&headcounts, "postcode").zip(column(&headcounts, "residents")) {
        let code = published[postcode.split(' ').next().unwrap()];
        *people.entry(code).or_default() += residents.parse::<u64>().unwrap();
    }
    assert!(people.len() > 20);
    assert!(people.values().all(|people| *people >= 20_000), "{people:?}");
    let written: BTreeSet<&str> = column(&release, "postcode").collect();
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

/// Some columns of a CSV file, record by record; values may be quoted.
fn records(path: &Path, names: &[&str]) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap());
    let at: Vec<usize> = names.iter().map(|name| header.iter().position(|column| column == name).unwrap()).collect();
    let record = |line| {
        let fields = fields(line);
        assert_eq!(fields.len(), header.len());
        at.iter().map(|at| fields[*at].to_owned()).collect()
    };
    lines.map(record).collect()
}

/// The values of a line; those of these examples hold no quote within quotes.
fn fields(line: &str) -> Vec<&str> {
    let (mut fields, mut rest) = (Vec::new(), line);
    loop {
        let (field, more) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map(|(field, more)| (field, more.strip_prefix(','))).unwrap(),
            None => match rest.split_once(',') {
                Some((field, more)) => (field, Some(more)),
                None => (rest, None),
            },
        };
        fields.push(field);
        match more {
            Some(more) => rest = more,
            None => return fields,
        }
    }
}

/// How often each combination of columns occurs.
fn counts(records: &[Vec<String>], columns: &[usize]) -> BTreeMap<Vec<String>, usize> {
    let mut counts = BTreeMap::new();
    for record in records {
        *counts.entry(columns.iter().map(|at| record[*at].clone()).collect()).or_default() += 1;
    }
    counts
}

fn header(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap().lines().next().unwrap().to_owned()
}

const CENSUS_KEYS: [&str; 8] =
    ["region", "sex", "age", "ethnic_group", "industry", "economic_activity", "religion", "country_of_birth"];

/// A value of the census as section 5.1 of the paper publishes it, by rules of this test.
fn teaching_value<'a>(key: &str, value: &'a str) -> &'a str {
    let first = value.split(':').next().unwrap();
    match key {
        "age" => match value.parse::<u32>().unwrap() {
            0..16 => "under 16",
            16..25 => "16-24",
            25..35 => "25-34",
            35..45 => "35-44",
            45..55 => "45-54",
            55..65 => "55-64",
            65..75 => "65-74",
            _ => "75 or over",
        },
        "ethnic_group" if first == "Other" => "Other ethnic group",
        "ethnic_group" => first,
        "industry" => match value {
            "Agriculture, forestry and fishing" | "Mining and quarrying" | "Energy, water and waste" => {
                "Agriculture, energy and water"
            }
            "Transport and storage" | "Information and communication" => "Transport and communication",
            "Finance and insurance" | "Real estate" => "Finance and real estate",
            "Professional, scientific and technical" | "Administrative and support services" => {
                "Professional and support services"
            }
            other => other,
        },
        "economic_activity" => match first {
            "Full-time student" => "Full-time student in the labour market",
            "Other" => "Other inactive",
            other if other.starts_with("Self-employed") => "Self-employed",
            other => other,
        },
        "religion" => match value {
            "Buddhist" | "Spiritualist or Pagan" => "Other religion",
            other => other,
        },
        "country_of_birth" => match value {
            "England" | "Wales" | "Scotland" | "Northern Ireland" => "United Kingdom",
            _ => "Elsewhere",
        },
        _ => value,
    }
}

#[test]
fn a_census_becomes_a_teaching_file_in_which_few_are_alone_in_the_population() {
    let folder = folder();
    run("census-teaching-file", folder.path());
    let path = folder.path().join("bundle/public/data.csv");
    let header = header(&path);
    let forbidden = ["name", "address", "postcode", "birth_date", "date_of", "nhs", "mail", "phone", "_id", "notes"];
    assert_eq!(forbidden.iter().find(|word| header.contains(**word)), None, "{header}");
    let published = records(&path, &CENSUS_KEYS);
    assert_eq!(published.len(), 10_000, "one in a hundred of a million");
    let categories = |at: usize| counts(&published, &[at]).len();
    assert_eq!(
        [2, 3, 4, 5, 6].map(categories),
        [8, 5, 12 + 1, 9 + 1, 8],
        "age, ethnic group, industry, activity, religion"
    );

    let census = records(&folder.path().join("census.csv"), &CENSUS_KEYS);
    let mut population: HashMap<Vec<&str>, u32> = HashMap::new();
    for person in &census {
        let keys = CENSUS_KEYS.iter().zip(person).map(|(key, value)| teaching_value(key, value)).collect();
        *population.entry(keys).or_default() += 1;
    }
    let alone_in_population = population.values().filter(|people| **people == 1).count();
    let alone_in_sample = counts(&published, &[0, 1, 2, 3, 4, 5, 6, 7]).values().filter(|n| **n == 1).count();
    assert!(alone_in_sample > 3_000, "many sample uniques: {alone_in_sample}");
    assert!(alone_in_population * 10 < census.len(), "few population uniques: {alone_in_population}");
    // Drawn at random, one in a hundred of those alone would be published where they are. They were swapped.
    let still_there = published
        .iter()
        .filter(|record| population.get(&record.iter().map(String::as_str).collect::<Vec<_>>()) == Some(&1));
    let (still_there, expected) = (still_there.count(), alone_in_population / 100);
    assert!(still_there * 3 < expected, "{still_there} of about {expected} look as if they were alone");
    let sexes =
        |records: &[Vec<String>]| counts(records, &[1]).values().max().copied().unwrap() as f64 / records.len() as f64;
    assert!((sexes(&census) - sexes(&published)).abs() < 0.02, "the tables are those of the census, nearly");
}

#[test]
fn energy_consumption_is_in_fives_and_swapping_keeps_the_regions() {
    let folder = folder();
    run("energy", folder.path());
    let path = folder.path().join("bundle/public/data.csv");
    let gone = header(&path);
    for word in ["epc_year", "address", "postcode", "property_id", "local_authority", "floor_area_m2"] {
        assert!(!gone.contains(word), "{gone}");
    }
    let consumption = records(&path, &["gas_kwh", "electricity_kwh"]);
    let numbers = consumption.iter().flatten().filter(|value| !value.is_empty());
    let off = numbers.clone().filter(|value| value.parse::<f64>().unwrap() % 5.0 != 0.0).count();
    assert!(numbers.count() > 50_000 && off == 0, "{off} are no multiples of 5");
    let kinds = records(&path, &["age_band", "floor_area_band"]);
    assert_eq!((counts(&kinds, &[0]).len(), counts(&kinds, &[1]).len()), (4, 4));

    // The same release up to its swap: nothing was left out before it, so the tables are those of the source.
    let text = std::fs::read_to_string(folder.path().join("outward.toml")).unwrap();
    let last = text.rfind("[[steps]]").unwrap();
    let unjudged = text[..last].replace("tier = \"open\"", "tier = \"open\"\nk = 1\nweak_k = []");
    assert!(text[last..].contains("suppress-records"));
    std::fs::write(folder.path().join("swapped.toml"), unjudged).unwrap();
    let made = outward(folder.path(), &["protect", "swapped.toml", "--out", "swapped"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let columns = ["region", "property_type", "main_fuel"];
    let before = records(&folder.path().join("energy.csv"), &columns);
    let after = records(&folder.path().join("swapped/public/data.csv"), &columns);
    assert_eq!(counts(&before, &[0]), counts(&after, &[0]), "properties by region");
    assert_eq!(counts(&before, &[0, 1]), counts(&after, &[0, 1]), "types of property by region");
    assert_ne!(counts(&before, &[0, 2]), counts(&after, &[0, 2]), "what is not held moves");
}

#[test]
fn enrolments_have_two_ages_no_sex_no_rare_aim_and_nobody_alone() {
    let folder = folder();
    run("further-education", folder.path());
    let path = folder.path().join("bundle/public/data.csv");
    let header = header(&path);
    for word in ["sex", "learner", "postcode", "enrolment_id"] {
        assert!(!header.contains(word), "{header}");
    }
    let enrolments = records(&path, &["age_group", "provider", "learning_aim", "region"]);
    assert!(enrolments.len() > 10_000);
    assert_eq!(counts(&enrolments, &[0]).len(), 2);
    assert!(counts(&enrolments, &[2, 3]).values().all(|enrolled| *enrolled >= 10), "an aim in a region");
    assert!(counts(&enrolments, &[0, 1, 2, 3]).values().all(|enrolled| *enrolled >= 2), "age, provider, aim, region");
}

#[test]
fn the_register_stops_a_request_and_releases_it_protected() {
    let folder = folder();
    run("register", folder.path());
    let table = |bundle: &str| std::fs::read_to_string(folder.path().join(bundle).join("public/ages.csv")).unwrap();
    let hidden = |bundle: &str| table(bundle).matches("[c]").count();
    assert_eq!((hidden("first"), hidden("second")), (0, 4));
    let demo = crate::outward(folder.path(), &["demo", "register", "--out", "demo"]);
    assert_eq!(demo.status.code(), Some(0), "{}", stderr(&demo));
    let said = crate::stdout(&demo);
    assert!(said.contains("leaves 1") && said.contains("Release 2 may become public"), "{said}");
    let again = crate::refused(&crate::outward(folder.path(), &["demo", "register", "--out", "demo"]));
    assert!(again.contains("a register is there already"), "{again}");
}

#[test]
fn a_cohort_serves_two_applications_and_loses_those_who_withdraw() {
    let folder = folder();
    run("biobank", folder.path());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let eids = |file: &str| column(&read(file), "eid").map(str::to_owned).collect::<BTreeSet<String>>();
    let tables = ["participants", "assessments", "admissions"].map(|table| format!("work/{table}/public/data.csv"));
    let work = eids(&tables[0]);
    assert_eq!(work.len(), 5_000);
    assert!(eids(&tables[2]).is_subset(&work) && eids(&tables[1]).is_subset(&work), "one set of identifiers");
    let (places, rest) = (eids("places/public/data.csv"), eids("rest/public/data.csv"));
    let by_chance = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.intersection(other).count();
    assert!(by_chance(&places, &rest) < 20 && by_chance(&places, &work) < 20);
    // Nothing of a person is in anything that goes out.
    let people = read("biobank_participants.csv");
    let secrets: BTreeSet<&str> = column(&people, "nhs_number").chain(column(&people, "date_of_birth")).collect();
    for file in tables.iter().map(String::as_str).chain(["places/public/data.csv", "rest/public/data.csv"]) {
        let released = read(file);
        assert!(released.split([',', '\n', '"']).all(|value| !secrets.contains(value)), "{file}");
    }
    let receipt: serde_json::Value = serde_json::from_str(&read("receipt.json")).unwrap();
    assert!(receipt["files"][0]["removed"].as_u64().unwrap() > 0, "{receipt}");
}

#[test]
fn the_demonstration_of_a_cohort_runs_as_its_example_does() {
    let folder = folder();
    let shown = outward(folder.path(), &["demo", "biobank", "--out", "demo"]);
    assert!(shown.status.success(), "{}", stderr(&shown));
    assert!(
        folder.path().join("demo/rest/manifest.json").is_file() && folder.path().join("demo/receipt.json").is_file()
    );
}
