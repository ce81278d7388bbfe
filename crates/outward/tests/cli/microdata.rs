//! `plan`, `protect`, `verify` and `suppress` as others call them: exit codes, JSON fields, bundles.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::{folder, json, listing, outward, stderr};

pub(crate) const REGIONS: [&str; 3] = ["North", "South", "West"];
const JOBS: [&str; 3] = ["baker", "nurse", "clerk"];

/// 240 people of whom some are alone on region, age, sex and job.
pub(crate) fn people() -> String {
    let mut text = "person_id,region,age,sex,job,income,note\n".to_owned();
    for i in 0..240usize {
        let (region, job) = (REGIONS[i * i % 7 % 3], JOBS[i / 5 % 3]);
        let (age, sex) = (20 + i * 7 % 60, if i % 2 == 0 { "F" } else { "M" });
        let note = if i % 4 == 0 { "likes long walks" } else { "no remark" };
        text += &format!("P{i:04},{region},{age},{sex},{job},{},{note}\n", 1000 + i * 37 % 900);
    }
    text
}

/// A spec for these people with this policy, dropping who they are and then doing these steps.
pub(crate) fn spec(policy: &str, steps: &str) -> String {
    format!(
        r#"[data]
path = "people.csv"

[policy]
{policy}

[[variables]]
name = "person_id"
role = "identifier"

[[variables]]
name = "region"
role = "geography"

[[variables]]
name = "age"
role = "key"
type = "integer"
hierarchy = {{ widths = [10, 20, 60] }}

[[variables]]
name = "sex"
role = "key"

[[variables]]
name = "job"
role = "key"
hierarchy = {{ tree = {{ kitchen = ["baker"], ward = ["nurse"], office = ["clerk"] }} }}

[[variables]]
name = "income"
type = "integer"

[[variables]]
name = "note"

[[steps]]
do = "drop"
variables = ["person_id"]

{steps}"#
    )
}

/// Steps after which nobody is alone.
pub(crate) const SAFE: &str = r#"[[steps]]
do = "recode"
variable = "age"
level = 2

[[steps]]
do = "suppress-records"
limit = 0.5
"#;

/// A folder with the people and a spec.
pub(crate) fn desk(spec: &str) -> tempfile::TempDir {
    let folder = folder();
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    std::fs::write(folder.path().join("outward.toml"), spec).unwrap();
    folder
}

fn code(folder: &Path, args: &[&str]) -> Option<i32> {
    outward(folder, args).status.code()
}

/// The records of a CSV file without quotes, by column.
fn columns(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut columns: BTreeMap<String, Vec<String>> = names.iter().map(|name| (name.to_string(), Vec::new())).collect();
    for line in lines {
        for (name, value) in names.iter().zip(line.split(',')) {
            columns.get_mut(*name).unwrap().push(value.to_owned());
        }
    }
    columns
}

/// A value at a level of the hierarchies of the spec, by rules of this test.
fn coarser(key: &str, value: &str, level: u64) -> String {
    let last = match key {
        "age" => 4,
        "job" => 2,
        _ => 1,
    };
    match (key, level) {
        (_, level) if level == last => "*".to_owned(),
        (_, 0) => value.to_owned(),
        ("age", level) => (value.parse::<u64>().unwrap() / [10, 20, 60][level as usize - 1]).to_string(),
        // Each job is a group of its own.
        _ => value.to_owned(),
    }
}

/// How many records have fewer than `k` with their keys at these levels.
fn rare(levels: &Value, k: u64) -> u64 {
    let people = columns(&people());
    let levels: Vec<(&str, u64)> =
        levels.as_object().unwrap().iter().map(|(key, level)| (key.as_str(), level.as_u64().unwrap())).collect();
    let mut classes: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    let class_of = |row: usize| levels.iter().map(|(key, level)| coarser(key, &people[*key][row], *level)).collect();
    (0..people["age"].len()).for_each(|row| *classes.entry(class_of(row)).or_default() += 1);
    classes.values().filter(|size| **size < k).sum()
}

#[test]
fn the_best_plan_says_levels_loss_and_the_records_it_leaves_out() {
    let desk = desk(&spec("k = 3", ""));
    let found = json(&outward(desk.path(), &["plan", "outward.toml", "--format", "json"]));
    let best = &found["best"];
    let keys: Vec<&String> = best["levels"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["age", "job", "region", "sex"]);
    assert!((0.0..1.0).contains(&best["loss"].as_f64().unwrap()), "{best}");
    assert_eq!(best["suppressed_records"], rare(&best["levels"], 3), "{best}");
    assert!(best["suppressed_records"].as_f64().unwrap() <= 0.05 * 240.0, "5 % is the limit where none is said");
    let frontier = found["frontier"].as_array().unwrap();
    assert!(frontier.contains(best));
    for candidate in frontier.iter().filter(|one| one["local"] == false && one["suppressed_cells"] == 0) {
        let k = candidate["k"].as_u64().unwrap();
        assert_eq!(candidate["suppressed_records"], rare(&candidate["levels"], k), "{candidate}");
    }
    let none = json(&outward(desk.path(), &["plan", "outward.toml", "--suppression-limit", "0", "--format", "json"]));
    assert_eq!(none["best"]["suppressed_records"], 0);
    assert!(none["best"]["loss"].as_f64() >= best["loss"].as_f64(), "with less freedom the loss is no smaller");
}

#[test]
fn every_candidate_that_meets_the_policy_becomes_a_release_that_verifies() {
    let desk = desk(&spec("k = 3", ""));
    let found = json(&outward(desk.path(), &["plan", "outward.toml", "--format", "json"]));
    let mut made = 0;
    for candidate in found["frontier"].as_array().unwrap().iter().filter(|one| one["meets_policy"] == true) {
        let number = candidate["number"].to_string();
        let (out, bundle) = (format!("chosen{number}.toml"), format!("bundle{number}"));
        let planned = outward(desk.path(), &["plan", "outward.toml", "--choose", &number, "--out", &out]);
        assert_eq!(planned.status.code(), Some(0), "{}", stderr(&planned));
        let protected = outward(desk.path(), &["protect", &out, "--out", &bundle]);
        assert_eq!(protected.status.code(), Some(0), "candidate {number}: {}", stderr(&protected));
        assert_eq!(code(desk.path(), &["verify", &bundle]), Some(0));
        made += 1;
    }
    assert!(made >= 2, "{found}");
}

/// The plan of a spec, as JSON.
fn plan(folder: &Path, args: &[&str]) -> Value {
    json(&outward(folder, &[&["plan", "outward.toml", "--format", "json"], args].concat()))
}

#[test]
fn values_that_a_plan_leaves_out_are_those_that_protect_leaves_out() {
    let desk = desk(&spec("k = 3", "").replace("[data]", "missing = \"wildcard\"\n\n[data]"));
    let found = plan(desk.path(), &[]);
    let candidates = found["frontier"].as_array().unwrap();
    let cells = candidates.iter().find(|one| one["suppressed_cells"].as_u64() > Some(0)).unwrap();
    assert!(cells["meets_policy"] == true && cells["suppressed_records"] == 0, "{cells}");
    assert!(rare(&cells["levels"], 3) > 0, "the recoding alone does not meet the policy");
    let number = cells["number"].to_string();
    assert!(outward(desk.path(), &["plan", "outward.toml", "--choose", &number, "--out", "c.toml"]).status.success());
    let made = outward(desk.path(), &["protect", "c.toml", "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let text = std::fs::read_to_string(desk.path().join("bundle/public/data.csv")).unwrap();
    let blanks: usize = ["region", "age", "sex", "job"]
        .iter()
        .map(|key| columns(&text)[*key].iter().filter(|value| value.is_empty()).count())
        .sum();
    assert_eq!(cells["suppressed_cells"], blanks);
    // A value that is left out loses all, a band the share of the ages that it leaves open: the loss by hand.
    let ages: std::collections::BTreeSet<u64> =
        columns(&people())["age"].iter().map(|age| age.parse().unwrap()).collect();
    let domain = ages.len() as f64;
    let open = |band: &String| match band.split_once('-') {
        Some((from, to)) => ages.range(from.parse::<u64>().unwrap()..=to.parse().unwrap()).count() as f64,
        None if band.is_empty() || band == "*" => domain,
        None => 1.0,
    };
    let total: f64 = columns(&text)["age"].iter().map(|band| open(band) / domain).sum();
    let loss = (total - 240.0 / domain) / (240.0 - 240.0 / domain);
    assert!((cells["key_losses"]["age"].as_f64().unwrap() - loss).abs() < 1e-9, "{cells} {loss}");
}

#[test]
fn a_plan_says_what_its_levels_mean() {
    let desk = desk(&spec("k = 3", ""));
    let found = plan(desk.path(), &[]);
    for (key, levels) in found["meanings"].as_object().unwrap() {
        for (level, meaning) in levels.as_object().unwrap() {
            let column = &columns(&people())[key.as_str()];
            let labels: std::collections::BTreeSet<String> =
                column.iter().map(|value| coarser(key, value, level.parse().unwrap())).collect();
            assert_eq!(meaning["labels"], labels.len(), "{key} at level {level}");
            let named = if level == "0" { 0 } else { labels.len().min(4) };
            assert_eq!(meaning["named"].as_array().unwrap().len(), named, "labels are shown, values are not");
        }
    }
    let said = outward(desk.path(), &["plan", "outward.toml"]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("What the levels mean"), "{text}");
    // In words: bands of ten and twenty years, and one label for all.
    let bands = ["20-29, 30-39, 40-49, … 70-79", "20-39, 40-59, 60-79", "0-59, 60-119"];
    for (level, words) in bands.iter().enumerate() {
        let is_used = !found["meanings"]["age"][(level + 1).to_string()].is_null();
        assert_eq!(text.contains(words), is_used, "{words}: {text}");
    }
}

#[test]
fn a_level_that_equals_the_one_before_is_not_tried() {
    let desk = desk(&spec("k = 3", "").replace(
        r#"hierarchy = { tree = { kitchen = ["baker"], ward = ["nurse"], office = ["clerk"] } }"#,
        r#"hierarchy = { file = "jobs.csv" }"#,
    ));
    let lines = ["baker;food;food;food;*", "nurse;care;care;care;*", "clerk;care;care;care;*"];
    std::fs::write(desk.path().join("jobs.csv"), lines.join("\n") + "\n").unwrap();
    let found = plan(desk.path(), &[]);
    let levels: Vec<u64> =
        found["frontier"].as_array().unwrap().iter().map(|one| one["levels"]["job"].as_u64().unwrap()).collect();
    assert!(levels.iter().all(|level| [0, 1, 4].contains(level)), "{levels:?}");
    // Three levels of `job`, five of `age`.
    assert_eq!(found["recodings"], 15.0);
}

#[test]
fn a_plan_says_which_key_it_gives_up_and_what_keeping_it_costs() {
    // Nobody can be told by `a` or `b`, which say nearly the same of a record; both together make too many classes.
    let mut text = "a,b\n".to_owned();
    for i in 0..400usize {
        text += &format!("a{},b{}\n", i % 20, i / 20);
    }
    let tree = |of: char| {
        let values: Vec<String> = (0..20).map(|at| format!("\"{of}{at}\"")).collect();
        format!(
            "[[variables]]\nname = \"{of}\"\nrole = \"key\"\nhierarchy = {{ tree = {{ all = [{}] }} }}\n",
            values.join(", ")
        )
    };
    let folder = folder();
    std::fs::write(folder.path().join("people.csv"), text).unwrap();
    let spec = format!(
        "[data]\npath = \"people.csv\"\n[policy]\nk = 20\n[plan]\nsuppression_limit = 0.0\n{}{}",
        tree('a'),
        tree('b')
    );
    std::fs::write(folder.path().join("outward.toml"), spec).unwrap();
    let found = plan(folder.path(), &[]);
    let best = &found["best"];
    let given_up = best["blanked"][0].as_str().unwrap();
    assert_eq!(best["blanked"].as_array().unwrap().len(), 1, "{best}");
    let candidates = found["frontier"].as_array().unwrap();
    let keeps = candidates.iter().find(|one| one["keeps"][0] == given_up).unwrap();
    assert_eq!(keeps["loss"], best["loss"], "the two keys are alike");
    let why = found["why"].as_str().unwrap();
    let said = format!("nothing is published of `{given_up}`, but candidate {} keeps `{given_up}`", keeps["number"]);
    assert!(why.contains(&said), "{why}");
}

#[test]
fn suppression_says_how_many_values_of_each_key_it_left_out() {
    let desk = desk(&spec("k = 3", ""));
    let args = ["suppress", "people.csv", "--keys", "region,age,sex,job", "--k", "3", "--out", "out.csv"];
    let said = json(&outward(desk.path(), &[&args[..], &["--format", "json"]].concat()));
    let text = std::fs::read_to_string(desk.path().join("out.csv")).unwrap();
    let (before, after) = (columns(&people()), columns(&text));
    let keys = ["region", "age", "sex", "job"];
    let blanks = |key: &str| after[key].iter().filter(|value| value.is_empty()).count();
    for key in keys {
        assert_eq!(said["per_key"][key], blanks(key), "{key}");
        let changed = |(was, is): &(&String, &String)| !is.is_empty() && was != is;
        assert_eq!(before[key].iter().zip(&after[key]).filter(changed).count(), 0, "what is left is as it was");
    }
    assert_eq!(said["suppressed_cells"], keys.iter().map(|key| blanks(key)).sum::<usize>());
    assert!(said["suppressed_cells"].as_u64() > Some(0));
    // A missing value matches everything, so every record must be compatible with two others.
    let agree = |key: &str, a: usize, b: usize| {
        let (a, b) = (&after[key][a], &after[key][b]);
        a.is_empty() || b.is_empty() || a == b
    };
    for row in 0..240 {
        let like = (0..240).filter(|other| keys.iter().all(|key| agree(key, row, *other))).count();
        assert!(like >= 3, "record {row} is like {like}");
    }
}

#[test]
fn protect_ends_with_0_when_written_1_when_the_policy_is_not_met_and_2_when_it_cannot_run() {
    let desk = desk(&spec("k = 3", SAFE));
    std::fs::write(desk.path().join("open.toml"), spec("k = 3", "")).unwrap();
    std::fs::write(desk.path().join("wrong.toml"), "[data]\n").unwrap();
    assert_eq!(code(desk.path(), &["protect", "outward.toml", "--out", "bundle"]), Some(0));
    assert_eq!(code(desk.path(), &["protect", "open.toml", "--out", "none"]), Some(1));
    assert_eq!(code(desk.path(), &["protect", "wrong.toml", "--out", "none"]), Some(2));
    assert_eq!(listing(desk.path()), ["bundle", "open.toml", "outward.toml", "people.csv", "wrong.toml"]);
}

#[test]
fn verify_ends_with_0_when_all_holds_1_when_something_does_not_and_2_when_that_cannot_be_told() {
    let population = "k = 3\nk_map = 3\n\n[population]\npath = \"people.csv\"";
    let desk = desk(&spec(population, SAFE));
    assert_eq!(code(desk.path(), &["protect", "outward.toml", "--out", "bundle"]), Some(0));
    assert_eq!(code(desk.path(), &["verify", "bundle", "--population", "people.csv"]), Some(0));
    assert_eq!(code(desk.path(), &["verify", "bundle"]), Some(2), "the population is not in the bundle");
    assert_eq!(code(desk.path(), &["verify", "people.csv"]), Some(2));
    std::fs::write(desk.path().join("bundle/public/more.txt"), "more").unwrap();
    assert_eq!(code(desk.path(), &["verify", "bundle", "--population", "people.csv"]), Some(1));
}

#[test]
fn a_bundle_keeps_what_may_go_out_apart_from_what_the_custodian_keeps() {
    let desk = desk(&spec("k = 3", SAFE));
    assert_eq!(code(desk.path(), &["protect", "outward.toml", "--out", "bundle"]), Some(0));
    let bundle = desk.path().join("bundle");
    assert_eq!(listing(&bundle), ["manifest.json", "public", "report.html", "spec.toml"]);
    assert_eq!(listing(&bundle.join("public")), ["data.csv", "dictionary.csv", "mappings", "statement.md"]);
    assert_eq!(listing(&bundle.join("public/mappings")), ["age.csv"]);
    let read = |name: &str| std::fs::read_to_string(bundle.join(name)).unwrap();
    assert_eq!(read("spec.toml"), std::fs::read_to_string(desk.path().join("outward.toml")).unwrap());
    assert!(read("public/data.csv").starts_with("region,age,sex,job,income,note\n"));
}
