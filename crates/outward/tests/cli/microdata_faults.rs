//! Releases that cannot be made say why and leave nothing; releases that were tampered with are found out.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::microdata::{REGIONS, SAFE, desk, people, spec};
use crate::{json, listing, outward, refused, stderr, stdout};

/// What was said, without the marks and line ends of the terminal.
fn plain(said: &str) -> String {
    said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// That a release of this spec is refused with all of these words, and that nothing is left.
fn is_refused(spec: &str, words: &[&str]) {
    let desk = desk(spec);
    let said = plain(&refused(&outward(desk.path(), &["protect", "outward.toml", "--out", "bundle"])));
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert_eq!(listing(desk.path()), ["outward.toml", "people.csv"]);
}

/// The same, of a spec with one more step.
fn step_is_refused(step: &str, words: &[&str]) {
    is_refused(&spec("k = 3", &format!("[[steps]]\n{step}\n")), words);
}

#[test]
fn a_policy_that_is_not_met_says_which_model_by_how_much_and_what_would_hold() {
    let desk = desk(&spec("k = 3\nhighest_risk = 0.2", ""));
    let output = outward(desk.path(), &["protect", "outward.toml", "--out", "bundle", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("nothing was written"));
    assert_eq!(listing(desk.path()), ["outward.toml", "people.csv"]);
    let verdicts = json(&output)["verdicts"].clone();
    let verdict = |model: &str| {
        let of_model = |verdict: &&Value| verdict["says"].as_str().unwrap().contains(model);
        let verdict = verdicts.as_array().unwrap().iter().find(of_model).unwrap();
        assert_eq!(verdict["holds"], false);
        verdict["worst"].as_str().unwrap().to_owned()
    };
    let k = verdict("k-anonymity");
    assert!(k.contains("1 at worst, at least 3 asked") && k.contains("k = 1 would hold"), "{k}");
    let risk = verdict("risk");
    assert!(risk.contains("0.2") && risk.contains("would hold"), "{risk}");
}

#[test]
fn a_hierarchy_that_misses_values_is_named_with_its_variable() {
    let missing = |steps: &str| spec("k = 3", steps).replace(", office = [\"clerk\"]", "");
    let words = ["column `job`", "the hierarchy misses 1 of", "help: add"];
    is_refused(&missing("[[steps]]\ndo = \"recode\"\nvariable = \"job\"\nlevel = 1\n"), &words);
    is_refused(&missing("[[steps]]\ndo = \"recode-locally\"\nlimit = 1.0\n"), &words);
}

#[test]
fn a_suppression_limit_that_is_too_small_says_which_would_do() {
    let tight = |limit: &str| spec("k = 3", &SAFE.replace("0.5", limit));
    let tried = desk(&tight("0.001"));
    let said = plain(&refused(&outward(tried.path(), &["protect", "outward.toml", "--out", "bundle"])));
    assert!(said.contains("`suppress-records`") && said.contains("of 240 records would have to be left out"), "{said}");
    assert_eq!(listing(tried.path()), ["outward.toml", "people.csv"]);
    let (_, after) = said.split_once("raise the limit to ").unwrap();
    let limit = after.split_once(',').unwrap().0;
    let desk = desk(&tight(limit));
    let again = outward(desk.path(), &["protect", "outward.toml", "--out", "bundle"]);
    assert_eq!(again.status.code(), Some(0), "a limit of {limit} would do: {}", stderr(&again));
}

#[test]
fn nobody_can_be_swapped_out_of_the_only_region() {
    let steps = "[[steps]]\ndo = \"keep\"\nwhere = \"region = 'North'\"\n\n[[steps]]\ndo = \"swap\"\ngeography = [\"region\"]\nk = 3\n";
    is_refused(&spec("k = 3", steps), &["step 3 (`swap`)", "one region only", "help: swap between smaller regions"]);
}

#[test]
fn a_sample_is_no_larger_than_the_file() {
    step_is_refused(
        "do = \"sample\"\nsize = 1000",
        &["a sample of 1000 records", "only 240", "help: ask for 240 at most"],
    );
}

#[test]
fn a_step_on_an_unknown_variable_names_the_nearest() {
    let words = ["outward.toml:", "there is no variable `incom`", "help: did you mean `income`?"];
    step_is_refused("do = \"round\"\nvariables = [\"incom\"]\nbase = 5", &words);
}

#[test]
fn an_identifier_that_no_step_drops_is_not_published() {
    let spec = spec("k = 3", SAFE).replace("variables = [\"person_id\"]", "variables = [\"note\"]");
    is_refused(&spec, &["column `person_id`", "role `identifier`", "help: add a step: `do = \"drop\"`"]);
}

#[test]
fn noise_goes_on_numbers_only() {
    let words = ["column `note`", "is not a number", "help: say `type = \"number\"`"];
    step_is_refused("do = \"noise\"\nvariables = [\"note\"]", &words);
}

#[test]
fn nothing_is_a_multiple_of_nothing() {
    let words = ["a base must be above 0", "help: write a number such as 5"];
    step_is_refused("do = \"round\"\nvariables = [\"income\"]\nbase = 0", &words);
}

#[test]
fn a_swap_says_whom_to_swap() {
    let words = ["this step would swap nothing", "help: add `k = 3`"];
    step_is_refused("do = \"swap\"\ngeography = [\"region\"]", &words);
}

#[test]
fn nobody_is_rare_in_a_population_that_is_not_there() {
    let words = ["there is no population", "help: add a section `[population]`"];
    step_is_refused("do = \"swap\"\ngeography = [\"region\"]\npopulation_below = 2", &words);
}

#[test]
fn a_condition_of_the_policy_is_on_published_columns() {
    let policy = "k = 3\nweak_k = [{ name = \"women\", k = 4, where = \"sex = 'F'\" }]";
    let steps = format!("[[steps]]\ndo = \"drop\"\nvariables = [\"sex\"]\n\n{SAFE}");
    is_refused(&spec(policy, &steps), &["there is no column `sex`", "the condition `sex = 'F'`", "help: "]);
}

#[test]
fn what_is_there_already_is_not_overwritten() {
    let desk = desk(&spec("k = 3", SAFE));
    let at = |name: &str| desk.path().join(name);
    std::fs::create_dir(at("folder")).unwrap();
    std::fs::write(at("folder/thesis.txt"), "years of work").unwrap();
    std::fs::write(at("file"), "years of work").unwrap();
    let protect = |out: &str, more: &[&str]| {
        outward(desk.path(), &[&["protect", "outward.toml", "--out", out][..], more].concat())
    };
    assert_eq!(protect("bundle", &[]).status.code(), Some(0));
    let data = || std::fs::read(at("bundle/public/data.csv")).unwrap();
    let written = data();
    std::fs::write(at("bundle/public/data.csv"), "").unwrap();
    let mut others = vec!["folder", "file"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("bundle", at("link")).unwrap();
        others.push("link");
    }
    let before = listing(desk.path());
    for name in others.iter().chain(&["bundle"]) {
        let said = plain(&refused(&protect(name, &[])));
        assert!(said.contains("there is something of this name already") && said.contains("--force"), "{said}");
    }
    for name in &others {
        let said = plain(&refused(&protect(name, &["--force"])));
        assert!(said.contains("this is not a bundle, so it is not replaced"), "{name}: {said}");
    }
    assert_eq!(listing(desk.path()), before);
    assert!(data().is_empty());
    assert_eq!(std::fs::read(at("folder/thesis.txt")).unwrap(), b"years of work");
    assert_eq!(std::fs::read(at("file")).unwrap(), b"years of work");
    assert_eq!(protect("bundle", &["--force"]).status.code(), Some(0));
    assert_eq!(data(), written);
    assert_eq!(listing(desk.path()), before, "nothing of the old bundle is left beside it");
}

/// A bundle whose data `change` has tampered with; `mend` makes the manifest say that they are as they were written.
fn tampered(mend: bool, change: impl FnOnce(&mut Vec<Vec<String>>)) -> (tempfile::TempDir, Output) {
    let desk = desk(&spec("k = 3", SAFE));
    assert_eq!(outward(desk.path(), &["protect", "outward.toml", "--out", "bundle"]).status.code(), Some(0));
    let path = desk.path().join("bundle/public/data.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut records: Vec<Vec<String>> = text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    change(&mut records);
    let text: String = records.iter().map(|record| record.join(",") + "\n").collect();
    std::fs::write(&path, text).unwrap();
    if mend {
        mend_manifest(desk.path());
    }
    let verified = outward(desk.path(), &["verify", "bundle"]);
    (desk, verified)
}

/// Writes size and hash of the data as they are now into the manifest. A release that was to be made from that file knows them,
/// also where its policy is not met and nothing is written.
fn mend_manifest(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("bundle/public/data.csv")).unwrap();
    let key = |name: &str| format!("\n[[variables]]\nname = \"{name}\"\nrole = \"key\"\n");
    let keys: String = text.lines().next().unwrap().split(',').map(key).collect();
    let spec = format!("[data]\npath = \"bundle/public/data.csv\"\n\n[policy]\nk = 1000000\n{keys}");
    std::fs::write(folder.join("as-is.toml"), spec).unwrap();
    let made = json(&outward(folder, &["protect", "as-is.toml", "--out", "as-is", "--format", "json"]));
    let input = made["inputs"].as_array().unwrap().iter().find(|input| input["kind"] == "data").unwrap().clone();
    let path = folder.join("bundle/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let files = manifest["files"].as_array_mut().unwrap();
    let file = files.iter_mut().find(|file| file["path"] == "public/data.csv").unwrap();
    file["bytes"] = input["bytes"].clone();
    file["sha256"] = input["sha256"].clone();
    std::fs::write(&path, serde_json::to_vec_pretty(&manifest).unwrap()).unwrap();
}

/// The check of this name that does not hold, with everything else the verification printed.
fn failing(desk: &Path, verified: &Output, name: &str) -> Value {
    assert_eq!(verified.status.code(), Some(1), "{}", stderr(verified));
    let said = json(&outward(desk, &["verify", "bundle", "--format", "json"]));
    let checks = said["checks"].as_array().unwrap();
    let failing = checks.iter().find(|check| check["name"] == name && check["outcome"] == "fails");
    failing.unwrap_or_else(|| panic!("{said}")).clone()
}

#[test]
fn one_byte_changed_is_found_in_its_file() {
    let (desk, verified) = tampered(false, |records| {
        let income = &mut records[7][4];
        let digit = if income.ends_with('3') { '4' } else { '3' };
        income.pop();
        income.push(digit);
    });
    let check = failing(desk.path(), &verified, "files");
    assert_eq!(check["places"][0]["file"], "public/data.csv");
    assert!(stdout(&verified).contains("public/data.csv"));
}

#[test]
fn with_hashes_mended_an_untouched_bundle_still_verifies() {
    let (_desk, verified) = tampered(true, |_| {});
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
}

#[test]
fn one_record_made_unique_is_found_in_its_row_though_the_hash_is_right() {
    let (desk, verified) = tampered(true, |records| records[17][0] = "Zzyzx".to_owned());
    let check = failing(desk.path(), &verified, "k");
    assert_eq!(check["places"][0]["file"], "public/data.csv");
    assert!(check["places"].as_array().unwrap().iter().any(|place| place["row"] == 17), "{check}");
    assert!(!stdout(&verified).contains("Zzyzx"), "a value is not told");
}

#[test]
fn one_health_service_number_in_a_remark_is_found_in_its_row_and_column() {
    let note = "likes long walks with 943 476 5919";
    let (desk, verified) = tampered(true, |records| records[23][5] = note.to_owned());
    let check = failing(desk.path(), &verified, "identifiers");
    let place = serde_json::json!({ "file": "public/data.csv", "row": 23, "column": "note" });
    assert_eq!(check["places"], serde_json::json!([place]));
    let said = stdout(&verified);
    assert!(said.contains("NHS number") && said.contains("row 23, column `note`"), "{said}");
    assert!(!said.contains("943") && !said.contains("long walks"), "a value is not told: {said}");
}

#[test]
fn no_message_about_a_release_shows_who_is_in_it() {
    let desk = desk(&spec("k = 3", ""));
    let output = outward(desk.path(), &["protect", "outward.toml", "--out", "bundle"]);
    let said = stdout(&output) + &stderr(&output);
    let records = people();
    let values = records.lines().skip(1).map(|line| line.split(',').next().unwrap());
    assert_eq!(values.chain(REGIONS).find(|value| said.contains(value)), None);
}

#[test]
fn a_column_of_whole_postcodes_that_the_spec_does_not_name_is_not_published() {
    let folder = crate::folder();
    let rows: String = (0..60).map(|n| format!("{},LS6 {}AA\n", ["F", "M"][n % 2], n % 10)).collect();
    std::fs::write(folder.path().join("people.csv"), format!("sex,c7\n{rows}")).unwrap();
    let spec = "[data]\npath = \"people.csv\"\n\n[[variables]]\nname = \"sex\"\nrole = \"key\"\n";
    std::fs::write(folder.path().join("outward.toml"), spec).unwrap();
    let refused = outward(folder.path(), &["protect", "outward.toml", "--out", "bundle"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(said.contains("column `c7`") && said.contains("drop"), "{said}");
    assert!(!folder.path().join("bundle").exists());
}
