//! `attack` as others call it: exit codes, JSON fields, evidence in the bundle, the gate.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::{folder, json, outward, refused, stderr, stdout};

/// 600 people. Each has a job and a day that nobody else has, and shares region, sex and age group with at least ten others.
fn people() -> String {
    let mut text = "person_id,region,sex,age,day,wage\n".to_owned();
    for i in 0..600usize {
        let (region, sex) = (["North", "South", "West"][i % 3], if i / 3 % 2 == 0 { "F" } else { "M" });
        text += &format!("P{i:04},{region},{sex},{},D{i:03},{}\n", 20 + i / 6 % 5 * 10, 100 * (i % 7));
    }
    text
}

/// A spec of the open tier for these people, whose keys are these and whose steps drop these.
fn spec(keys: &[&str], dropped: &[&str]) -> String {
    let mut text =
        "title = \"People\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"ons-open-microdata\"\ntier = \"open\"\n"
            .to_owned();
    if keys.contains(&"day") {
        text += "k = 1\n";
    }
    for name in ["person_id", "region", "sex", "age", "day", "wage"] {
        let role = match name {
            "person_id" => "role = \"identifier\"",
            "wage" => "role = \"sensitive\"",
            "day" if keys.contains(&name) => "role = \"key\"\nallow = \"a made-up code\"",
            _ if keys.contains(&name) => "role = \"key\"",
            _ => "allow = \"a made-up code\"",
        };
        text += &format!("[[variables]]\nname = \"{name}\"\n{role}\n");
    }
    let dropped: Vec<String> = dropped.iter().map(|name| format!("\"{name}\"")).collect();
    text + &format!(
        "[[scenarios]]\nname = \"colleague\"\nkeys = [\"region\", \"sex\", \"age\", \"day\"]\nresponse_knowledge = true\n\
         [[steps]]\ndo = \"drop\"\nvariables = [{}]\n",
        dropped.join(", ")
    )
}

/// A folder with these people and two releases of them: without the day, and with it.
fn desk() -> tempfile::TempDir {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("people.csv", &people());
    write("safe.toml", &spec(&["region", "sex", "age"], &["person_id", "day"]));
    write("open.toml", &spec(&["region", "sex", "age", "day"], &["person_id"]));
    folder
}

fn attack(folder: &Path, spec: &str, more: &[&str]) -> Output {
    let args = ["attack", spec, "--scenario", "colleague", "--authorised-by", "the custodian", "--format", "json"];
    outward(folder, &[&args[..], more].concat())
}

#[test]
fn a_mistake_in_a_scenario_is_shown_at_its_line_of_the_spec() {
    let folder = desk();
    let right = spec(&["region", "sex", "age"], &["person_id", "day"]);
    let mistakes = [
        ("response_knowledge = true", "truth = \"persn_id\"", "did you mean `person_id`?"),
        ("response_knowledge = true", "where = \"agee > 10\"", "did you mean `age`?"),
        ("response_knowledge = true", "where = \"age >\"", "the condition `age >`"),
        ("\"sex\"", "\"sexx\"", "did you mean `sex`?"),
    ];
    for (from, to, advice) in mistakes {
        let wrong = right.replace(from, to);
        let line = wrong[..wrong.find(to).unwrap()].matches('\n').count() + 1;
        std::fs::write(folder.path().join("wrong.toml"), &wrong).unwrap();
        let said = refused(&attack(folder.path(), "wrong.toml", &[]));
        assert!(said.contains(&format!("wrong.toml:{line}:")) && said.contains(advice), "{to}: {said}");
    }
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn nobody_is_looked_for_without_authority() {
    let desk = desk();
    let said = refused(&outward(desk.path(), &["attack", "safe.toml", "--scenario", "colleague"]));
    assert!(said.contains("nobody authorised this attack") && said.contains("--authorised-by"), "{said}");
    let blank = ["attack", "safe.toml", "--scenario", "colleague", "--authorised-by", "  "];
    assert!(refused(&outward(desk.path(), &blank)).contains("nobody authorised"));
    let spec = std::fs::read_to_string(desk.path().join("safe.toml")).unwrap();
    let authorised = spec.replace("keys = [\"region\"", "authorised_by = \"Ann, head of data\"\nkeys = [\"region\"");
    std::fs::write(desk.path().join("safe.toml"), authorised).unwrap();
    let said = json(&outward(desk.path(), &["attack", "safe.toml", "--scenario", "colleague", "--format", "json"]));
    assert_eq!(said["authorised_by"], "Ann, head of data");
}

#[test]
fn people_who_share_their_keys_with_twenty_are_found_one_time_in_twenty() {
    let desk = desk();
    let said = json(&attack(desk.path(), "safe.toml", &[]));
    // 30 combinations of region, sex and age, 20 people in each.
    assert_eq!((&said["claims"], &said["expected"]), (&600.into(), &30.0.into()));
    let (low, high) = (said["precision"]["low"].as_f64().unwrap(), said["precision"]["high"].as_f64().unwrap());
    assert!(low <= 0.05 && 0.05 <= high && said["correct"].as_u64().unwrap() > 0, "{said}");
    assert!((said["baseline"].as_f64().unwrap() - 1.0 / 600.0).abs() < 1e-9);
    assert_eq!(said["verdict"]["met"], true, "{said}");
}

#[test]
fn everyone_is_found_by_a_variable_that_nobody_shares_and_it_is_named_first() {
    let desk = desk();
    let output = attack(desk.path(), "open.toml", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = json(&output);
    assert_eq!((&said["claims"], &said["correct"]), (&600.into(), &600.into()));
    assert_eq!(names(&said["helped"])[0], "day");
    let without = json(&attack(desk.path(), "open.toml", &["--without", "day"]));
    assert_eq!(without["expected"], 30.0);
    assert_eq!(names(&without["unused"]), ["day"]);
}

#[test]
fn the_policy_asks_for_evidence_of_this_very_bundle_within_its_limits() {
    let desk = desk();
    let folder = desk.path();
    for name in ["safe", "open"] {
        let made = outward(folder, &["protect", &format!("{name}.toml"), "--out", name]);
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    }
    let check = |bundle: &str| -> (Option<i32>, String) {
        let verified = outward(folder, &["verify", bundle, "--format", "json"]);
        let said = json(&verified);
        let checks = said["checks"].as_array().unwrap().iter();
        let of_test = checks.clone().find(|check| check["name"] == "intruder-test").unwrap();
        let others = checks.filter(|check| check["name"] != "intruder-test" && check["outcome"] != "holds").count();
        assert_eq!(others, 0, "{said}");
        (verified.status.code(), format!("{}: {}", of_test["outcome"], of_test["says"]))
    };
    let (code, said) = check("safe");
    assert!(code == Some(1) && said.contains("has none"), "{said}");

    let made = attack(folder, "safe.toml", &["--out", "safe"]);
    assert_eq!(json(&made)["evidence"], "evidence/intruder-colleague.json");
    assert_eq!(check("safe").0, Some(0), "{}", check("safe").1);
    let found = attack(folder, "open.toml", &["--out", "open"]);
    assert_eq!(found.status.code(), Some(1), "{}", stderr(&found));
    assert!(check("open").1.contains("fails"), "{}", check("open").1);

    let evidence = |bundle: &str| folder.join(bundle).join("evidence/intruder-colleague.json");
    let good = std::fs::read_to_string(evidence("safe")).unwrap();
    std::fs::copy(evidence("safe"), evidence("open")).unwrap();
    assert!(check("open").1.contains("made on another bundle"), "{}", check("open").1);
    // Fewer right claims than there were, without the interval that goes with them.
    let mut forged: Value = serde_json::from_str(&good).unwrap();
    forged["card"]["correct"] = 1.into();
    std::fs::write(evidence("safe"), forged.to_string()).unwrap();
    assert!(check("safe").1.contains("do not fit each other"), "{}", check("safe").1);
    std::fs::write(evidence("safe"), good.replace("the custodian", " ")).unwrap();
    assert!(check("safe").1.contains("who authorised"), "{}", check("safe").1);
    std::fs::write(evidence("safe"), "{}").unwrap();
    assert!(check("safe").1.contains("not the form"), "{}", check("safe").1);
}

#[test]
fn evidence_is_made_on_the_bundle_that_its_spec_made_of_the_data() {
    let desk = desk();
    let folder = desk.path();
    assert_eq!(outward(folder, &["protect", "safe.toml", "--out", "safe", "--seed", "7"]).status.code(), Some(0));
    let said = refused(&attack(folder, "open.toml", &["--out", "safe"]));
    assert!(said.contains("made by another spec"), "{said}");
    let data = folder.join("safe/public/data.csv");
    let records = std::fs::read_to_string(&data).unwrap();
    std::fs::write(&data, records.replacen("North", "South", 1)).unwrap();
    let said = refused(&attack(folder, "safe.toml", &["--out", "safe"]));
    assert!(said.contains("not those that its spec makes"), "{said}");
    std::fs::write(&data, records).unwrap();
    assert_eq!(attack(folder, "safe.toml", &["--out", "safe"]).status.code(), Some(0));
    std::fs::write(folder.join("people.csv"), people() + "P9999,North,F,20,D999,100\n").unwrap();
    let said = refused(&attack(folder, "safe.toml", &["--out", "safe"]));
    assert!(said.contains("made from other data"), "{said}");
    let said = refused(&attack(folder, "safe.toml", &["--out", "none"]));
    assert!(said.contains("cannot read none"), "{said}");
    std::fs::create_dir(folder.join("empty")).unwrap();
    let said = refused(&attack(folder, "safe.toml", &["--out", "empty"]));
    assert!(said.contains("this is not a bundle"), "{said}");
}

#[test]
fn a_bundle_with_its_test_goes_through_the_gate_and_the_log_lists_the_attack() {
    let desk = desk();
    let folder = desk.path();
    let within = ["--register", "sqlite:register.db", "--actor"];
    let run = |args: &[&str], actor: &str| outward(folder, &[args, &within, &[actor]].concat());
    assert_eq!(outward(folder, &["protect", "safe.toml", "--out", "safe"]).status.code(), Some(0));
    let rules = |output: &Output| -> Vec<String> {
        let said = json(output);
        let all = said["obstacles"].as_array().unwrap().iter();
        all.map(|one| one["rule"].as_str().unwrap().to_owned()).collect()
    };
    let stopped = run(&["release", "safe", "--format", "json"], "ann");
    assert_eq!(rules(&stopped), ["intruder-test", "approvals"]);
    // The card is part of what is frozen: with it the bundle is entered anew.
    let tested = outward(
        folder,
        &[
            &["attack", "safe.toml", "--scenario", "colleague", "--authorised-by", "Cy"],
            &within[..],
            &["ann", "--out", "safe"],
        ]
        .concat(),
    );
    assert_eq!(tested.status.code(), Some(0), "{}", stderr(&tested));
    let stopped = run(&["release", "safe", "--format", "json"], "ann");
    assert_eq!(rules(&stopped), ["approvals"]);
    let entered = stdout(&run(&["register", "list", "--format", "json"], "ann"));
    let id = serde_json::from_str::<Value>(&entered).unwrap()["releases"].as_array().unwrap().len().to_string();
    for actor in ["bob", "cyd"] {
        let approved = run(&["register", "approve", &id], actor);
        assert_eq!(approved.status.code(), Some(0), "{}", stderr(&approved));
    }
    let released = run(&["release", "safe", "--format", "json"], "ann");
    assert_eq!(released.status.code(), Some(0), "{}", stdout(&released));
    assert_eq!(run(&["register", "audit"], "ann").status.code(), Some(0));
    let log = std::fs::read(folder.join("register.db")).unwrap();
    let logged = |text: &str| log.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(logged("\"authorised_by\":\"Cy\"") && logged("attack"));
}

#[cfg(unix)]
#[test]
fn claims_are_row_numbers_in_a_folder_that_nobody_else_can_read_and_only_where_a_log_lists_them() {
    use std::os::unix::fs::PermissionsExt;
    let desk = desk();
    let folder = desk.path();
    let said = refused(&attack(folder, "safe.toml", &["--claims", "claims"]));
    assert!(said.contains("only where a log can list them"), "{said}");
    let nowhere = ["--claims", "claims", "--register", "sqlite:none.db", "--actor", "ann"];
    let said = refused(&attack(folder, "safe.toml", &nowhere));
    assert!(said.contains("none.db") && !folder.join("claims").exists(), "{said}");
    assert_eq!(outward(folder, &["protect", "safe.toml", "--out", "safe"]).status.code(), Some(0));
    let within = ["--register", "sqlite:register.db", "--actor", "ann"];
    assert_eq!(outward(folder, &[&["register", "submit", "safe"], &within[..]].concat()).status.code(), Some(0));
    let made = attack(folder, "safe.toml", &[&["--claims", "claims"], &within[..]].concat());
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let mode = std::fs::metadata(folder.join("claims")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let claims = std::fs::read_to_string(folder.join("claims/claims.csv")).unwrap();
    assert_eq!(claims.lines().count(), 601);
    let log = std::fs::read(folder.join("register.db")).unwrap();
    let listed = |text: &str| log.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(listed("\"kind\":\"claims\"") && listed("\"path\":\"claims\"") && listed("\"claims\":600"));
    assert!(!["North", "P0001", "D001"].iter().any(|value| claims.contains(value)), "{claims}");
}

#[test]
fn claims_open_the_right_rows_of_a_release_that_left_records_out_and_shuffled_the_rest() {
    let desk = desk();
    let folder = desk.path();
    let steps = "[[steps]]\ndo = \"keep\"\nwhere = \"region <> 'South'\"\n[[steps]]\ndo = \"shuffle\"\n";
    std::fs::write(folder.join("open.toml"), spec(&["region", "sex", "age", "day"], &["person_id"]) + steps).unwrap();
    assert_eq!(outward(folder, &["protect", "open.toml", "--out", "open"]).status.code(), Some(0));
    let within = ["--register", "sqlite:register.db", "--actor", "ann"];
    let entered = outward(folder, &[&["register", "submit", "open", "--draft"], &within[..]].concat());
    assert_eq!(entered.status.code(), Some(0), "{}", stderr(&entered));
    let said = json(&attack(folder, "open.toml", &[&["--claims", "claims"], &within[..]].concat()));
    assert_eq!((&said["claims"], &said["correct"]), (&400.into(), &400.into()));
    let lines = |path: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(folder.join(path)).unwrap();
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let (people, published, claims) = (lines("people.csv"), lines("open/public/data.csv"), lines("claims/claims.csv"));
    let row = |text: &str| text.parse::<usize>().unwrap() - 1;
    for claim in &claims {
        // The day, which nobody shares, is the fifth column of the data and the fourth of the release.
        assert_eq!(people[row(&claim[0])][4], published[row(&claim[1])][3], "{claim:?}");
    }
    assert!(
        claims.iter().filter(|claim| claim[0] == claim[1]).count() < 20,
        "the numbers do not give right claims away"
    );
    // What is written can be read: the same claims, with the same confidence.
    let again = json(&attack(folder, "open.toml", &["--import", "claims/claims.csv"]));
    for figure in ["claims", "correct", "precision", "at_confidence", "calibration"] {
        assert_eq!(again[figure], said[figure], "{figure}");
    }
}

#[cfg(unix)]
#[test]
fn the_report_of_an_attack_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let desk = desk();
    let made = attack(desk.path(), "safe.toml", &["--report", "attack.html"]);
    let mode = std::fs::metadata(desk.path().join("attack.html")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(stderr(&made).contains("no log lists this attack"), "{}", stderr(&made));
    let said = refused(&attack(desk.path(), "safe.toml", &["--report", "people.csv"]));
    assert!(said.contains("this file is read"), "{said}");
}

#[test]
fn a_test_of_another_release_is_no_evidence_of_a_bundle() {
    let desk = desk();
    let folder = desk.path();
    assert_eq!(outward(folder, &["protect", "open.toml", "--out", "open"]).status.code(), Some(0));
    for more in [["--without", "day"], ["--coarser", "age=1"], ["--with", "safe.toml"]] {
        let said = refused(&attack(folder, "open.toml", &[&["--out", "open"], &more[..]].concat()));
        assert!(said.contains("evidence") && said.contains("leave --out out"), "{said}");
    }
}

#[test]
fn two_releases_that_are_harmless_alone_are_attacked_together() {
    let desk = desk();
    let folder = desk.path();
    // Each release shows one half of the day.
    let halves: Vec<String> = people()
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 => format!("{line},tens,units"),
            // Of the twenty who share region, sex and age, four or five share a half.
            _ => format!("{line},T{},U{}", (at - 1) / 30 / 5, (at - 1) / 30 % 5),
        })
        .collect();
    std::fs::write(folder.join("people.csv"), halves.join("\n") + "\n").unwrap();
    let release = |shown: &str, other: &str| {
        let base = spec(&["region", "sex", "age"], &["person_id", "day", other])
            .replace("\"day\"]\nresponse", "\"tens\", \"units\"]\nresponse");
        let variable = |name: &str| format!("[[variables]]\nname = \"{name}\"\nrole = \"key\"\n");
        let text = base.replace("[[scenarios]]", &format!("{}{}[[scenarios]]", variable("tens"), variable("units")));
        std::fs::write(folder.join(format!("{shown}.toml")), text).unwrap();
    };
    release("tens", "units");
    release("units", "tens");
    let alone = json(&attack(folder, "tens.toml", &[]));
    let together = json(&attack(folder, "tens.toml", &["--with", "units.toml"]));
    assert_eq!(names(&together["releases"]).len(), 2);
    // Alone one in five. Together the records of both are joined by the wage, and of the 2 or 3 that fit one is the person's.
    let expected = |said: &Value| said["expected"].as_f64().unwrap();
    assert!((expected(&alone) - 120.0).abs() < 1e-9, "{}", expected(&alone));
    assert!((expected(&together) - 210.0).abs() < 1e-9, "{}", expected(&together));
    assert!(together["correct"].as_u64() > alone["correct"].as_u64());
    let other = "title = \"x\"\n[data]\npath = \"other.csv\"\n[[variables]]\nname = \"region\"\nrole = \"key\"\n";
    std::fs::write(folder.join("other.toml"), other).unwrap();
    std::fs::write(folder.join("other.csv"), "region\nNorth\n").unwrap();
    assert!(refused(&attack(folder, "tens.toml", &["--with", "other.toml"])).contains("of other data"));
}

#[test]
fn two_releases_with_trees_of_their_own_are_joined_by_what_both_labels_can_stand_for() {
    let desk = desk();
    let folder = desk.path();
    // Both show the day, by which their records can be joined, and the intruder does not know it.
    let release = |name: &str, tree: &str| {
        let text = spec(&["region", "sex", "age"], &["person_id"])
            .replace("name = \"age\"\n", &format!("name = \"age\"\nhierarchy = {{ tree = {{ {tree} }} }}\n"))
            .replace("\"age\", \"day\"]", "\"age\"]");
        let recoded = text + "[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1\n";
        std::fs::write(folder.join(name), recoded).unwrap();
    };
    release("halves.toml", "Young = [\"20\", \"30\", \"40\"], Old = [\"50\", \"60\"]");
    release("others.toml", "Low = [\"20\", \"30\"], High = [\"40\", \"50\", \"60\"]");
    // 100 people of each region and sex, 20 of each age. Alone 60 and 40 share a label; together 40, 20 and 40 do.
    let expected = |more: &[&str]| json(&attack(folder, "halves.toml", more))["expected"].as_f64().unwrap();
    assert_eq!(expected(&[]), 12.0);
    assert!((expected(&["--with", "others.toml"]) - 18.0).abs() < 1e-9, "{}", expected(&["--with", "others.toml"]));
}

#[test]
fn claims_of_human_testers_are_scored_on_the_same_card() {
    let desk = desk();
    let folder = desk.path();
    std::fs::write(folder.join("claims.csv"), "person,record,confidence\nP0000,1,0.8\nP0001,2,60%\nP0002,7,0.1\n")
        .unwrap();
    let said = json(&attack(folder, "safe.toml", &["--import", "claims.csv", "--truth", "person_id"]));
    assert_eq!((&said["claims"], &said["correct"], &said["targets"]), (&3.into(), &2.into(), &3.into()));
    assert_eq!(said["at_confidence"][0]["correct"], 2);
    for (line, what) in [
        ("P0000,0,0.8", "no row"),
        ("P0000,1,eighty", "not a number from 0 to 1"),
        ("P0000,1,80", "80%"),
        ("X9,1,0.8", "not in the list"),
        ("P0000,9999,0.8", "the release has 600"),
    ] {
        std::fs::write(folder.join("claims.csv"), format!("person,record,confidence\n{line}\n")).unwrap();
        let said = refused(&attack(folder, "safe.toml", &["--import", "claims.csv", "--truth", "person_id"]));
        assert!(
            said.contains(what) && said.contains("claims.csv") && !said.contains("eighty") && !said.contains("X9"),
            "{said}"
        );
    }
}

#[test]
fn an_intruder_with_a_file_of_their_own_is_scored_by_a_column_that_both_share() {
    let desk = desk();
    let folder = desk.path();
    let known: Vec<String> = people().lines().step_by(2).map(str::to_owned).collect();
    let header = people().lines().next().unwrap().to_owned();
    std::fs::write(folder.join("theirs.csv"), format!("{header}\n{}\nX1,North,F,20,D999,0\n", known[1..].join("\n")))
        .unwrap();
    let said = refused(&attack(folder, "open.toml", &["--file", "theirs.csv"]));
    assert!(said.contains("it is not known which record each person"), "{said}");
    let said = json(&attack(folder, "open.toml", &["--file", "theirs.csv", "--truth", "person_id"]));
    assert_eq!((&said["claims"], &said["correct"], &said["targets"]), (&300.into(), &300.into(), &300.into()));
    let said = refused(&attack(folder, "open.toml", &["--file", "theirs.csv", "--truth", "persn_id"]));
    assert!(said.contains("persn_id") && said.contains("person_id"), "{said}");
    std::fs::write(folder.join("theirs.csv"), "person_id,town\nP0001,York\n").unwrap();
    let said = refused(&attack(folder, "open.toml", &["--file", "theirs.csv", "--truth", "person_id"]));
    assert!(said.contains("no variable that the intruder is said"), "{said}");
    std::fs::write(folder.join("theirs.csv"), "person_id,region\nQ1,North\n").unwrap();
    let said = refused(&attack(folder, "open.toml", &["--file", "theirs.csv", "--truth", "person_id"]));
    assert!(said.contains("nobody of the intruder's file is in the data"), "{said}");
    let said = refused(&attack(folder, "open.toml", &["--truth", "person_id"]));
    assert!(said.contains("--truth") && said.contains("--file"), "{said}");
}

#[test]
fn a_file_of_strangers_or_of_one_person_is_no_test() {
    let desk = desk();
    let folder = desk.path();
    let text = std::fs::read_to_string(folder.join("safe.toml")).unwrap();
    std::fs::write(folder.join("safe.toml"), text.replace("response_knowledge = true", "response_knowledge = false"))
        .unwrap();
    let file = |rows: &mut dyn Iterator<Item = String>| {
        let text: String = rows.map(|id| format!("{id},North,F,20\n")).collect();
        std::fs::write(folder.join("theirs.csv"), format!("person_id,region,sex,age\n{text}")).unwrap();
        json(&attack(folder, "safe.toml", &["--file", "theirs.csv", "--truth", "person_id"]))
    };
    let strangers = file(&mut (0..2000).map(|i| if i == 7 { "P0000".to_owned() } else { format!("X{i}") }));
    let once = file(&mut (0..600).map(|_| "P0000".to_owned()));
    for said in [strangers, once] {
        let unmet: Vec<&Value> =
            said["verdict"]["limits"].as_array().unwrap().iter().filter(|limit| limit["met"] == false).collect();
        assert_eq!(said["targets"], 1);
        assert!(unmet.iter().any(|limit| limit["limit"] == "least_targets"), "{said}");
        assert!(unmet.iter().any(|limit| limit["limit"] == "most_found"), "{said}");
    }
}

#[test]
fn a_file_that_lacks_a_known_variable_is_matched_by_the_rest_and_is_no_evidence() {
    let desk = desk();
    let folder = desk.path();
    let without: Vec<String> = people().lines().map(|line| line.rsplitn(3, ',').last().unwrap().to_owned()).collect();
    std::fs::write(folder.join("theirs.csv"), without.join("\n") + "\n").unwrap();
    let said = json(&attack(folder, "open.toml", &["--file", "theirs.csv", "--truth", "person_id"]));
    assert_eq!((names(&said["used"]), names(&said["unused"])), (vec!["region", "sex", "age"], vec!["day"]));
    assert_eq!(said["expected"], 30.0);
    assert!(said["remarks"].to_string().contains("no column `day`"), "{said}");
    assert_eq!(outward(folder, &["protect", "open.toml", "--out", "open"]).status.code(), Some(0));
    let said =
        refused(&attack(folder, "open.toml", &["--file", "theirs.csv", "--truth", "person_id", "--out", "open"]));
    assert!(said.contains("did not use `day`") && !folder.join("open/evidence").exists(), "{said}");
}

#[test]
fn a_scenario_of_the_spec_under_a_shipped_name_is_told_apart() {
    let desk = desk();
    let folder = desk.path();
    let text = std::fs::read_to_string(folder.join("safe.toml")).unwrap();
    std::fs::write(folder.join("safe.toml"), text.replace("\"colleague\"", "\"worst-case\"")).unwrap();
    let args = ["attack", "safe.toml", "--scenario", "worst-case", "--authorised-by", "us", "--format", "json"];
    let said = json(&outward(folder, &args));
    assert!(said["remarks"].to_string().contains("`worst-case` is the spec's own"), "{said}");
}

#[test]
fn protect_leaves_the_intruder_test_to_the_verification() {
    let desk = desk();
    let folder = desk.path();
    let made = outward(folder, &["protect", "safe.toml", "--out", "safe"]);
    assert!(stderr(&made).contains("outward verify safe") && !stderr(&made).contains("attack"), "{}", stderr(&made));
    let report = std::fs::read_to_string(folder.join("safe/report.html")).unwrap();
    assert!(report.contains("which also asks for an intruder test") && !report.contains("still to be made"));
}

/// The energy case of Tudor, Lowthian and Spicer (2015): the friendly intruders found the year of the certificate most useful.
#[test]
fn in_the_energy_case_the_year_of_the_certificate_helps_most_and_few_are_found_without_it() {
    let folder = folder();
    let made = outward(folder.path(), &["generate", "energy", "--rows", "20000", "--seed", "1", "--out", "energy.csv"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let key = |name: &str| format!("[[variables]]\nname = \"{name}\"\nrole = \"key\"\nvisibility = \"medium\"\n");
    let keys: String = ["region", "property_type", "built_form", "age_band", "epc_year"].map(key).concat();
    let spec =
        format!("[data]\npath = \"energy.csv\"\n[policy]\nname = \"ons-open-microdata\"\ntier = \"open\"\n{keys}");
    std::fs::write(folder.path().join("energy.toml"), spec).unwrap();
    let attack = |more: &[&str]| {
        let args =
            ["attack", "energy.toml", "--scenario", "inside-knowledge", "--authorised-by", "us", "--format", "json"];
        json(&outward(folder.path(), &[&args[..], more].concat()))
    };
    let (with, without) = (attack(&[]), attack(&["--without", "epc_year"]));
    assert_eq!(names(&with["helped"])[0], "epc_year");
    let correct = |said: &Value| said["correct"].as_u64().unwrap();
    assert!(
        correct(&with) > 150 && correct(&without) * 4 < correct(&with),
        "{} and {}",
        with["correct"],
        without["correct"]
    );
}

#[test]
fn linkage_by_a_column_that_is_written_otherwise_is_refused_by_its_name() {
    let desk = desk();
    let folder = desk.path();
    let text = std::fs::read_to_string(folder.join("safe.toml")).unwrap();
    std::fs::write(
        folder.join("safe.toml"),
        text.replace("response_knowledge", "attack = \"linkage\"\nresponse_knowledge"),
    )
    .unwrap();
    std::fs::write(folder.join("theirs.csv"), people().replace(",F,", ",1,").replace(",M,", ",2,")).unwrap();
    let said = refused(&attack(folder, "safe.toml", &["--file", "theirs.csv", "--truth", "person_id"]));
    assert!(said.contains("column `sex`") && said.contains("agrees"), "{said}");
}

#[test]
fn the_same_attack_says_the_same_on_any_number_of_threads() {
    let desk = desk();
    let said = |threads: &str| stdout(&attack(desk.path(), "safe.toml", &["--threads", threads]));
    assert_eq!(said("1"), said("3"));
    assert_ne!(json(&attack(desk.path(), "safe.toml", &["--seed", "5"]))["correct"], Value::Null);
}
