//! `link` as others call it: duplicates and links, Splink's model in and out, what is refused.

use std::path::Path;

use serde_json::Value;

use crate::{folder, json, outward, refused, stderr, stdout};

/// 300 people, every third twice, with a slip in one letter of the second entry.
fn people() -> String {
    let mut text = "first,last,born,town,who\n".to_owned();
    let names = ["Ada", "Berta", "Carla", "Dora", "Emma", "Frida", "Gerda", "Hanna", "Ida", "Johanna"];
    for who in 0..300usize {
        let (first, last) = (names[who % 10], format!("L{}{}son", names[who / 10 % 10], who % 7));
        let born = format!("19{:02}-{:02}-{:02}", who * 7 % 90 + 10, who % 12 + 1, who * 5 % 28 + 1);
        let town = ["York", "Leeds", "Hull"][who % 3];
        text += &format!("{first},{last},{born},{town},P{who}\n");
        if who % 3 == 0 {
            text += &format!("{first},{},{born},{town},P{who}\n", last.replace("son", "sen"));
        }
    }
    text
}

fn desk() -> tempfile::TempDir {
    let folder = folder();
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    folder
}

fn link(folder: &Path, args: &[&str]) -> Value {
    let output = outward(folder, &[&["link"], args, &["--format", "json", "--quiet"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    json(&output)
}

#[test]
fn duplicates_are_found_and_their_share_that_is_right_is_said() {
    let desk = desk();
    let said = link(desk.path(), &["people.csv", "--truth", "who", "--out", "pairs.csv"]);
    assert_eq!((&said["pairs"], &said["clusters"]), (&100.into(), &100.into()), "{said}");
    assert_eq!((&said["precision"], &said["recall"]), (&1.0.into(), &1.0.into()));
    let pairs = std::fs::read_to_string(desk.path().join("pairs.csv")).unwrap();
    assert_eq!(pairs.lines().next(), Some("left_row,right_row,match_weight,match_probability,rule,cluster"));
    assert_eq!(pairs.lines().count(), 101);
    assert!(!["York", "Ada", "P0"].iter().any(|value| pairs.contains(value)), "row numbers and no values");
}

#[test]
fn two_files_are_linked_one_to_one() {
    let desk = desk();
    let (mut left, mut right) = (String::new(), String::new());
    let text = people();
    let mut seen = std::collections::BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        let is_first = seen.insert(line.rsplit_once(',').unwrap().1);
        let file = if is_first { &mut left } else { &mut right };
        *file += &format!("{line}\n");
        if at == 0 {
            right += &format!("{line}\n");
        }
    }
    std::fs::write(desk.path().join("left.csv"), left).unwrap();
    std::fs::write(desk.path().join("right.csv"), right).unwrap();
    let said = link(desk.path(), &["left.csv", "right.csv", "--truth", "who", "--one-to-one"]);
    assert_eq!(
        (&said["pairs"], &said["precision"], &said["recall"]),
        (&100.into(), &1.0.into(), &1.0.into()),
        "{said}"
    );
}

#[test]
fn a_saved_model_is_read_again_and_gives_the_same_pairs() {
    let desk = desk();
    let first = link(desk.path(), &["people.csv", "--save-model", "model.json"]);
    let model: Value = serde_json::from_str(&std::fs::read_to_string(desk.path().join("model.json")).unwrap()).unwrap();
    // The names that Splink gives these fields.
    assert_eq!(model["link_type"], "dedupe_only");
    let level = &model["comparisons"][0]["comparison_levels"][1];
    assert!(
        level["sql_condition"].is_string() && level["m_probability"].is_number() && level["u_probability"].is_number()
    );
    let again = link(desk.path(), &["people.csv", "--model", "model.json"]);
    assert_eq!((&first["pairs"], &first["thresholds"]), (&again["pairs"], &again["thresholds"]));
    assert!(again["training"].is_null(), "a trained model is not trained again");
}

#[test]
fn the_terms_of_a_pair_are_shown_and_add_up() {
    let desk = desk();
    let said = link(desk.path(), &["people.csv", "--waterfall", "1,2"]);
    let waterfall = &said["waterfalls"][0];
    let terms: f64 = waterfall["terms"].as_array().unwrap().iter().map(|term| term["weight"].as_f64().unwrap()).sum();
    assert!((terms - waterfall["weight"].as_f64().unwrap()).abs() < 1e-9);
    let report = outward(desk.path(), &["link", "people.csv", "--report", "link.html"]);
    assert_eq!(report.status.code(), Some(0), "{}", stderr(&report));
    let html = std::fs::read_to_string(desk.path().join("link.html")).unwrap();
    for part in [
        "Match weights",
        "Compared pairs by match weight",
        "Other thresholds",
        "How pairs come to their weight",
        "<svg",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("Berta") && !html.contains("1917"), "no value of a record");
}

#[test]
fn a_run_of_em_that_does_not_converge_is_told_with_its_history() {
    let desk = desk();
    link(desk.path(), &["people.csv", "--save-model", "model.json"]);
    let text = std::fs::read_to_string(desk.path().join("model.json")).unwrap();
    let mut model: Value = serde_json::from_str(&text).unwrap();
    model["max_iterations"] = 1.into();
    std::fs::write(desk.path().join("short.json"), model.to_string()).unwrap();
    let output = outward(desk.path(), &["link", "people.csv", "--model", "short.json", "--train"]);
    let said = stderr(&output);
    assert!(said.contains("did not converge in 1 steps") && said.contains("Largest change in each step: "), "{said}");
    assert!(stdout(&output).contains(" no\n") || stdout(&output).contains(" no "), "the table of runs says it too");
}

#[test]
fn what_cannot_be_linked_is_refused_with_what_to_do() {
    let desk = desk();
    let write = |name: &str, text: &str| std::fs::write(desk.path().join(name), text).unwrap();
    write("other.csv", "surname,years\nann,31\n");
    write("words.csv", &people().replace(",19", ",no"));
    write("empty.csv", "first,last\n,\n,\n");
    let said = |args: &[&str]| refused(&outward(desk.path(), &[&["link"], args].concat()));
    assert!(said(&["people.csv", "other.csv"]).contains("no column of the same name"));
    assert!(said(&["empty.csv"]).contains("no column is found"));
    assert!(said(&["people.csv", "--threshold", "1.5"]).contains("not a probability"));
    assert!(said(&["people.csv", "--truth", "whom"]).contains("`who`"));
    let many = said(&["people.csv", "--max-comparisons", "10"]);
    assert!(many.contains("more than the 10 that are allowed") && many.contains("--max-comparisons"), "{many}");
    let none = said(&["people.csv", "--deterministic", "l.first = r.last"]);
    assert!(none.contains("make no pair at all"), "{none}");
    link(desk.path(), &["people.csv", "--save-model", "model.json"]);
    let trained = said(&["people.csv", "--model", "model.json", "--train-on", "l.last = r.last"]);
    assert!(trained.contains("not used") && trained.contains("--train "), "{trained}");
    let other = said(&["people.csv", "words.csv"]);
    assert!(other.contains("dates in this column") && !other.contains("Berta"), "{other}");
    write("two.csv", "first,last\nann,lee\nben,orr\n");
    assert!(said(&["two.csv"]).contains("no two records agree in any column"));
}

#[test]
fn a_column_without_a_value_in_one_file_is_left_out_of_a_proposed_model_and_told() {
    const TOWN: usize = 3;
    let desk = desk();
    let text = people();
    let without = |line: &str| {
        let mut fields: Vec<&str> = line.split(',').collect();
        fields[TOWN] = "";
        fields.join(",")
    };
    let (header, lines) = text.split_once('\n').unwrap();
    let lines: Vec<String> = lines.lines().map(without).collect();
    std::fs::write(desk.path().join("empty_town.csv"), format!("{header}\n{}\n", lines.join("\n"))).unwrap();
    let run = outward(desk.path(), &["link", "people.csv", "empty_town.csv", "--truth", "who"]);
    let told = stderr(&run);
    assert_eq!(run.status.code(), Some(0), "{told}");
    assert!(told.contains("Not compared: `town` (no value in one of the files)"), "{told}");
}

#[test]
fn members_of_a_household_are_not_taken_for_one_person() {
    let desk = folder();
    let made = outward(desk.path(), &["generate", "census", "--rows", "3000", "--seed", "7", "--out", "census.csv"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let census = std::fs::read_to_string(desk.path().join("census.csv")).unwrap();
    // Every sixth person is there twice, with slips in a name, the date of birth, or the e-mail address.
    let slip = |(at, line): (usize, &str)| match at % 3 {
        0 => line.replace("son,", "sen,").replace("ee", "e"),
        1 => line.replacen("-1", "-2", 1),
        _ => line.replace("@mail", "@post"),
    };
    let again: Vec<String> = census.lines().skip(1).step_by(6).enumerate().map(slip).collect();
    std::fs::write(desk.path().join("people.csv"), format!("{census}{}\n", again.join("\n"))).unwrap();
    let output = outward(desk.path(), &["link", "people.csv", "--truth", "person_id", "--format", "json"]);
    let (said, told) = (json(&output), stderr(&output));
    assert!(said["precision"].as_f64() > Some(0.97) && said["recall"].as_f64() > Some(0.97), "{said}");
    // Different people share these together, so they are not compared beside each other.
    for column in ["household_id", "address", "postcode"] {
        assert!(told.contains(&format!("`{column}` (different people agree on it and")), "{told}");
    }
    let compared = said["model"]["comparisons"].to_string();
    assert!(compared.contains("last_name") && compared.contains("date_of_birth") && !compared.contains("address"));
}
