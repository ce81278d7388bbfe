//! Tables of several versions of the data, and of copies of the data under other names.

use std::path::Path;

use crate::tables::desk;
use crate::{command, json, stderr, stdout};

const REGISTER: &str = "sqlite:register.db";

fn run(folder: &Path, args: &[&str]) -> std::process::Output {
    command(folder, args).env_remove("OUTWARD_REGISTER").env("OUTWARD_ACTOR", "ann").output().unwrap()
}

/// A spec of one table for each text.
fn spec(tables: &[&str]) -> String {
    let declared = ["area", "job", "sex"].map(|name| format!("[[variables]]\nname = \"{name}\"\n")).concat();
    let tables: String = tables.iter().map(|table| format!("[[tables]]\n{table}")).collect();
    format!(
        "title = \"A case\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n\
         {declared}[[variables]]\nname = \"pay\"\ntype = \"integer\"\nrole = \"sensitive\"\n{tables}"
    )
}

/// People, by area, job, sex and pay, and how many there are of each.
fn people(rows: &[(&str, usize)]) -> String {
    rows.iter().fold("area,job,sex,pay\n".to_owned(), |text, (row, count)| text + &format!("{row}\n").repeat(*count))
}

/// Makes a bundle, and takes it to the gate, approved by someone else.
fn publish(folder: &Path, spec: &str, bundle: &str, more: &[&str]) -> std::process::Output {
    let register: &[&str] = if folder.join("register.db").exists() { &["--register", REGISTER] } else { &[] };
    let made = run(folder, &[&["table", spec, "--out", bundle, "--force"][..], register, more].concat());
    assert_eq!(made.status.code(), Some(0), "{}{}", stdout(&made), stderr(&made));
    let submit = ["register", "submit", bundle, "--register", REGISTER, "--format", "json"];
    let submitted = run(folder, &[&submit[..], more].concat());
    let id = json(&submitted)["release"]["id"].to_string();
    run(folder, &["register", "approve", &id, "--register", REGISTER, "--actor", "bob"]);
    run(folder, &[&["release", bundle, "--register", REGISTER, "--format", "json"][..], more].concat())
}

/// The findings of a check, or the obstacles at the gate: rule, words and last line.
fn findings(output: &std::process::Output) -> Vec<[String; 3]> {
    let said = json(output);
    let all = said.get("obstacles").or(said.get("findings")).unwrap().as_array().unwrap().clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    all.iter()
        .map(|one| {
            let last = one["lines"].as_array().and_then(|lines| lines.last()).map(text).unwrap_or_default();
            [text(&one["rule"]), text(&one["says"]), last]
        })
        .collect()
}

/// Publishes tables of one version of the data. Returns what the check of a request and the gate find in tables of
/// another version, which is the same.
fn of_two_versions(tables: [&[&str]; 2], versions: [&[(&str, usize)]; 2]) -> Vec<[String; 3]> {
    let [old, new] = tables.map(spec);
    let desk = desk(&[("people.csv", &people(versions[0])), ("old.toml", &old), ("new.toml", &new)]);
    let folder = desk.path();
    let released = publish(folder, "old.toml", "old", &[]);
    assert_eq!(released.status.code(), Some(0), "{}{}", stdout(&released), stderr(&released));
    std::fs::write(folder.join("people.csv"), people(versions[1])).unwrap();
    let checked = run(folder, &["register", "check", "new.toml", "--register", REGISTER, "--format", "json"]);
    let released = publish(folder, "new.toml", "new", &[]);
    let (asked, found) = (findings(&checked), findings(&released));
    assert_eq!(asked, found, "{}{}", stderr(&checked), stderr(&released));
    assert_eq!(checked.status.code(), Some(i32::from(!found.is_empty())));
    found
}

const AREAS: &str = "name = \"areas\"\nvariables = [\"area\"]\n";
const PAY: &str = "name = \"pay\"\nvariables = [\"area\"]\nmeasure = \"sum\"\nof = \"pay\"\n";
const MEAN: &str = "name = \"mean\"\nvariables = [\"area\"]\nmeasure = \"mean\"\nof = \"pay\"\n";
const TOWN: [(&str, usize); 3] = [("north,smith,f,20", 30), ("north,baker,m,30", 25), ("south,smith,f,25", 40)];

#[test]
fn a_sum_or_a_mean_that_one_person_may_have_changed_is_a_finding() {
    let one_more =
        [("north,smith,f,20", 30), ("north,baker,m,30", 24), ("south,smith,f,25", 40), ("north,baker,m,37", 1)];
    for table in [PAY, MEAN] {
        let found = of_two_versions([&[table], &[table]], [&TOWN, &one_more]);
        let rules: Vec<&str> = found.iter().map(|[rule, ..]| rule.as_str()).collect();
        assert_eq!(rules, ["revision"; 2], "north and all: {found:?}");
        assert!(found.iter().all(|[_, says, _]| says.contains("changed since version 1")), "{found:?}");
    }
    let found = of_two_versions([&[PAY], &[PAY]], [&TOWN, &one_more]);
    assert!(found.iter().all(|[.., last]| last == "leaves 7"), "{found:?}");
}

#[test]
fn a_sum_that_many_people_changed_is_none_if_public_counts_show_it() {
    let many = [("north,smith,f,20", 39), ("north,baker,m,30", 25), ("south,smith,f,25", 40)];
    assert_eq!(of_two_versions([&[AREAS, PAY], &[AREAS, PAY]], [&TOWN, &many]), Vec::<[String; 3]>::new());
    assert_eq!(of_two_versions([&[PAY], &[PAY]], [&TOWN, &many]).len(), 2, "nothing shows how many they are");
    assert_eq!(of_two_versions([&[AREAS, PAY], &[AREAS, PAY]], [&TOWN, &TOWN]).len(), 0);
}

#[test]
fn a_total_that_a_table_leaves_out_is_compared_with_one_that_is_shown() {
    let without = "name = \"sexes\"\nvariables = [\"sex\"]\nwithout_total = [\"sex\"]\n";
    let one_more = [("north,smith,f,20", 30), ("north,baker,m,30", 26), ("south,smith,f,25", 40)];
    let found = of_two_versions([&[AREAS], &[without]], [&TOWN, &one_more]);
    assert!(
        found.iter().any(|[_, says, last]| says.contains("a cell changed by 1") && last == "leaves 1"),
        "{found:?}"
    );
}

#[test]
fn what_is_left_of_a_total_by_the_cells_that_both_versions_show_is_compared() {
    let jobs = "name = \"jobs\"\nvariables = [\"job\"]\n";
    let old = [("north,farrier,f,20", 1), ("north,baker,m,30", 40), ("south,smith,f,25", 12), ("south,cook,f,25", 60)];
    let one_more =
        [("north,farrier,f,20", 2), ("north,baker,m,30", 49), ("south,smith,f,25", 12), ("south,cook,f,25", 60)];
    let found = of_two_versions([&[jobs], &[jobs]], [&old, &one_more]);
    assert!(
        found.iter().any(|[_, says, last]| says.contains("left of a total changed by 1") && last == "leaves 1"),
        "{found:?}"
    );
    let more = [("north,farrier,f,20", 2), ("north,baker,m,30", 49), ("south,smith,f,25", 24), ("south,cook,f,25", 60)];
    assert_eq!(of_two_versions([&[jobs], &[jobs]], [&old, &more]), Vec::<[String; 3]>::new());
}

#[test]
fn rounded_figures_of_two_versions_are_compared_as_intervals() {
    let rounded = |tables: &[&str]| spec(tables).replace("method = \"suppress\"", "method = \"round\"\nbase = 2");
    let (old, new) =
        (people(&TOWN), people(&[("north,smith,f,20", 31), ("north,baker,m,30", 26), ("south,smith,f,25", 40)]));
    for (second, expected) in [(rounded(&[AREAS]), 0), (spec(&[AREAS]), 1)] {
        let first = if expected == 0 { rounded(&[AREAS]) } else { spec(&[AREAS]) };
        let desk = desk(&[("people.csv", &old), ("old.toml", &first), ("new.toml", &second)]);
        let folder = desk.path();
        assert_eq!(publish(folder, "old.toml", "old", &[]).status.code(), Some(0));
        std::fs::write(folder.join("people.csv"), &new).unwrap();
        let released = publish(folder, "new.toml", "new", &[]);
        // Two more people: certain by exact counts, and not by counts that are rounded to even ones.
        assert_eq!(released.status.code(), Some(expected), "{}", stdout(&released));
    }
}

#[test]
fn a_copy_of_the_data_under_another_name_is_recognised_by_its_figures() {
    let text = spec(&[AREAS]);
    let other_town = people(&[("north,smith,f,20", 31), ("south,smith,f,25", 44)]);
    for (copy, expected) in [(people(&TOWN) + "\n", 1), (other_town, 0)] {
        let desk = desk(&[("people.csv", &people(&TOWN)), ("old.toml", &text), ("new.toml", &text)]);
        let folder = desk.path();
        assert_eq!(publish(folder, "old.toml", "old", &[]).status.code(), Some(0));
        std::fs::write(folder.join("people.csv"), copy).unwrap();
        let named = ["--dataset", "other.csv"];
        let check = ["register", "check", "new.toml", "--register", REGISTER, "--format", "json"];
        let checked = run(folder, &[&check[..], &named].concat());
        let released = publish(folder, "new.toml", "new", &named);
        for found in [&checked, &released] {
            assert_eq!(found.status.code(), Some(expected), "{}{}", stdout(found), stderr(found));
            let rules: Vec<[String; 3]> = findings(found);
            assert!(
                rules.iter().all(|[rule, says, _]| rule == "earlier-releases" && says.contains("two names")),
                "{rules:?}"
            );
        }
    }
}

#[test]
fn a_table_that_is_public_already_can_be_asked_for_again_with_a_note() {
    let desk = desk(&[("people.csv", &people(&TOWN)), ("old.toml", &spec(&[AREAS]))]);
    let folder = desk.path();
    let again = spec(&[&AREAS.replace("\"areas\"", "\"areas again\"")]);
    std::fs::write(folder.join("new.toml"), again).unwrap();
    assert_eq!(publish(folder, "old.toml", "old", &[]).status.code(), Some(0));
    let checked = run(folder, &["register", "check", "new.toml", "--register", REGISTER]);
    assert_eq!(checked.status.code(), Some(0), "{}", stdout(&checked));
    let said = stdout(&checked).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("has the cells of table `areas` of release 1, which is public"), "{said}");
    assert_eq!(publish(folder, "new.toml", "new", &[]).status.code(), Some(0));
}

#[test]
fn two_maps_that_are_not_called_places_are_noted() {
    let rows = "authority,force\n".to_owned()
        + &[("a,x", 58), ("a,y", 1), ("b,y", 45)].map(|(row, count)| format!("{row}\n").repeat(count)).concat();
    let text = |name: &str| {
        format!(
            "title = \"A case\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[[variables]]\nname = \"{name}\"\n\
             [[tables]]\nname = \"{name}\"\nvariables = [\"{name}\"]\n"
        )
    };
    let desk = desk(&[("people.csv", &rows), ("old.toml", &text("authority")), ("new.toml", &text("force"))]);
    let folder = desk.path();
    assert_eq!(publish(folder, "old.toml", "old", &[]).status.code(), Some(0));
    let checked = run(folder, &["register", "check", "new.toml", "--register", REGISTER]);
    let said = stdout(&checked).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("`force` and `authority` overlap like two maps of one area") && said.contains("Release 1"),
        "{said}"
    );
}

#[test]
fn a_register_with_a_broken_log_decides_nothing_and_says_so_when_it_is_viewed() {
    let desk = desk(&[("people.csv", &people(&TOWN)), ("old.toml", &spec(&[AREAS]))]);
    let folder = desk.path();
    run(folder, &["table", "old.toml", "--out", "old"]);
    run(folder, &["register", "submit", "old", "--register", REGISTER, "--purpose", "a bulletin"]);
    run(folder, &["register", "return", "1", "--register", REGISTER, "--actor", "bob", "--reason", "too fine a grid"]);
    let whole = run(folder, &["register", "list", "--register", REGISTER]);
    assert!(whole.status.code() == Some(0) && !stderr(&whole).contains("Warning"), "{}", stderr(&whole));
    let file = folder.join("register.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let (was, is) = (b"too fine a grid", b"nothing at all!");
    let places: Vec<usize> = (0..bytes.len() - was.len()).filter(|at| bytes[*at..].starts_with(was)).collect();
    assert!(places.len() >= 2, "in the log and among the decisions");
    places.iter().for_each(|at| bytes[*at..at + was.len()].copy_from_slice(is));
    std::fs::write(&file, bytes).unwrap();
    for args in [
        &["register", "recall", "1", "--reason", "no"][..],
        &["register", "approve", "1", "--actor", "bob"],
        &["register", "submit", "old"],
        &["register", "check", "old.toml"],
        &["register", "check", "old"],
        &["register", "statement", "1"],
        &["table", "old.toml", "--out", "new"],
        &["release", "old"],
    ] {
        let tried = run(folder, &[args, &["--register", REGISTER]].concat());
        assert_eq!(tried.status.code(), Some(2), "{args:?}: {}", stdout(&tried));
        assert!(stderr(&tried).contains("cannot be relied on: entry"), "{args:?}: {}", stderr(&tried));
    }
    for args in [&["register", "list"][..], &["register", "show", "1"]] {
        let viewed = run(folder, &[args, &["--register", REGISTER]].concat());
        assert_eq!(viewed.status.code(), Some(0), "{args:?}: {}", stderr(&viewed));
        assert!(stderr(&viewed).contains("Warning: the register cannot be relied on"), "{args:?}: {}", stderr(&viewed));
    }
}

#[test]
fn the_answer_of_a_group_is_kept_over_two_releases_as_in_one() {
    // All twelve of the north are bakers. People by area and job do not show it, and bakers by area may not either.
    let rows = [("north,baker,f,20", 12), ("south,baker,f,20", 30), ("south,cook,f,20", 25), ("south,smith,m,20", 40)];
    let more = [("west,baker,f,20", 14), ("west,cook,m,20", 21), ("west,smith,m,20", 33)];
    let jobs = "name = \"jobs\"\nvariables = [\"area\", \"job\"]\n";
    let bakers = "name = \"bakers\"\nvariables = [\"area\"]\nwhere = \"job = 'baker'\"\n";
    let desk = desk(&[
        ("people.csv", &people(&[&rows[..], &more].concat())),
        ("jobs.toml", &spec(&[jobs])),
        ("bakers.toml", &spec(&[bakers])),
        ("both.toml", &spec(&[jobs, bakers])),
    ]);
    let folder = desk.path();
    assert_eq!(publish(folder, "jobs.toml", "jobs", &[]).status.code(), Some(0));
    assert_eq!(publish(folder, "bakers.toml", "bakers", &[]).status.code(), Some(0));
    assert_eq!(run(folder, &["table", "both.toml", "--out", "both"]).status.code(), Some(0));
    let figures = |bundle: &str| {
        let read = |name: &str| std::fs::read_to_string(folder.join(bundle).join("public").join(name));
        ["jobs.csv", "bakers.csv"].map(|name| read(name).ok())
    };
    let [jobs, _] = figures("jobs");
    let [_, bakers] = figures("bakers");
    assert!(bakers.as_ref().unwrap().contains("north,[c]"), "{bakers:?}");
    assert_eq!(figures("both"), [jobs, bakers]);
}
