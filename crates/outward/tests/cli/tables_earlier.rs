//! Tables beside releases that are public already: what an earlier release and a new one tell together.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use crate::tables::desk;
use crate::{outward, stderr, stdout};

type Figures = BTreeMap<String, String>;

/// People by area, age and sex: of the 25-year-olds of the north there is one, of others there are many.
fn people() -> String {
    let mut text = String::from("area,age,sex,street\n");
    for (area, ages) in [("north", [9, 14, 1, 16]), ("south", [12, 10, 8, 11]), ("west", [7, 13, 9, 10])] {
        for (age, count) in [12, 20, 25, 40].into_iter().zip(ages) {
            for number in 0..count {
                let street = if number == 3 && age == 12 && area == "south" { "mews" } else { "high" };
                text += &format!("{area},{age},{},{street}\n", ["f", "m"][number % 2]);
            }
        }
    }
    text
}

const HEAD: &str = "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[[variables]]\nname = \"area\"\n\
                    [[variables]]\nname = \"sex\"\n";

fn bands(edges: &str, more: &str) -> String {
    format!(
        "{HEAD}[[variables]]\nname = \"age\"\ntype = \"integer\"\nhierarchy = {{ bands = {edges} }}\n\
         [[tables]]\nname = \"ages\"\nvariables = [\"area\", \"age\"]\nlevels = {{ age = [1] }}\n{more}"
    )
}

fn areas(more: &str) -> String {
    format!("{HEAD}[[tables]]\nname = \"areas\"\nvariables = [\"area\", \"sex\"]\n{more}")
}

/// Makes the tables of a spec into a bundle.
fn table(folder: &Path, spec: &str, bundle: &str, more: &[&str]) -> Output {
    std::fs::write(folder.join("outward.toml"), spec).unwrap();
    outward(folder, &[&["table", "outward.toml", "--out", bundle], more].concat())
}

/// The same, where it must be written and verify. What each table shows.
fn released(folder: &Path, spec: &str, bundle: &str, more: &[&str]) -> BTreeMap<String, Figures> {
    let made = table(folder, spec, bundle, more);
    assert_eq!(made.status.code(), Some(0), "{}{}", stdout(&made), stderr(&made));
    let verified = outward(folder, &["verify", bundle]);
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
    let files = std::fs::read_dir(folder.join(bundle).join("public")).unwrap().map(|file| file.unwrap().path());
    let tables = files.filter(|path| path.extension().is_some_and(|ending| ending == "csv"));
    let figures = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        let cell = |line: &str| line.rsplit_once(',').map(|(place, figure)| (place.to_owned(), figure.to_owned()));
        text.lines().skip(1).filter_map(cell).collect()
    };
    tables.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), figures(&path))).collect()
}

fn hidden(figures: &Figures) -> Vec<&str> {
    figures.iter().filter(|(_, figure)| *figure == "[c]").map(|(place, _)| place.as_str()).collect()
}

#[test]
fn a_shifted_age_band_does_not_tell_the_only_person_of_the_age_between() {
    let desk = desk(&[("people.csv", &people())]);
    let old = released(desk.path(), &bands("[0, 16, 25]", ""), "first", &["--suppress"]);
    assert!(hidden(&old["ages"]).is_empty());
    // By itself the new table is as harmless as the old one.
    let alone = released(desk.path(), &bands("[0, 16, 26]", ""), "alone", &["--suppress"]);
    assert!(hidden(&alone["ages"]).is_empty());
    let beside = released(desk.path(), &bands("[0, 16, 26]", ""), "second", &["--suppress", "--earlier", "first"]);
    assert!(hidden(&beside["ages"]).iter().any(|place| place.starts_with("north,")), "{beside:?}");
    // Nothing is left from which the north's part follows: 15 less 14.
    let figure = |place: &str| &beside["ages"][place];
    let others: Vec<&String> = ["north,0-15", "north,26 or over", "north,Total"].map(figure).to_vec();
    assert!(figure("north,16-25") == "[c]" && others.iter().any(|other| *other == "[c]"), "{beside:?}");
}

#[test]
fn a_table_without_one_street_does_not_tell_who_lives_in_it() {
    let desk = desk(&[("people.csv", &people())]);
    released(desk.path(), &areas(""), "first", &["--suppress"]);
    let spec = areas("where = \"street <> 'mews'\"\n");
    let alone = released(desk.path(), &spec, "alone", &["--suppress"]);
    assert!(hidden(&alone["areas"]).is_empty());
    let refused = table(desk.path(), &spec, "second", &["--earlier", "first"]);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(stdout(&refused).contains("first: areas"), "{}", stdout(&refused));
    let beside = released(desk.path(), &spec, "second", &["--suppress", "--earlier", "first"]);
    assert!(hidden(&beside["areas"]).iter().any(|place| place.starts_with("south,")), "{beside:?}");
}

#[test]
fn the_same_table_again_hides_the_same_cells() {
    let desk = desk(&[("people.csv", &people())]);
    let spec = bands("[0, 16, 25, 26]", "");
    let old = released(desk.path(), &spec, "first", &["--suppress"]);
    assert!(!hidden(&old["ages"]).is_empty());
    let again = released(desk.path(), &spec, "second", &["--suppress", "--earlier", "first"]);
    assert_eq!(old["ages"], again["ages"]);
}

#[test]
fn what_an_earlier_release_hides_does_not_follow_from_a_new_table() {
    let desk = desk(&[("people.csv", &people())]);
    let old = released(desk.path(), &bands("[0, 16, 25, 26]", ""), "first", &["--suppress"]);
    let other_hidden: Vec<&str> = hidden(&old["ages"]).into_iter().filter(|place| *place != "north,25").collect();
    // Bands that join the hidden ones with a neighbour give hidden cells by difference, and are all above the limit.
    let spec = bands("[0, 25]", "");
    let alone = released(desk.path(), &spec, "alone", &["--suppress"]);
    assert!(hidden(&alone["ages"]).is_empty());
    let beside = released(desk.path(), &spec, "second", &["--suppress", "--earlier", "first"]);
    assert!(!other_hidden.is_empty() && beside["ages"].values().any(|figure| figure == "[c]"), "{old:?} {beside:?}");
}

#[test]
fn exact_counts_beside_rounded_ones_are_still_protected() {
    let desk = desk(&[("people.csv", &people())]);
    let spec = bands("[0, 16, 25, 26]", "");
    released(desk.path(), &spec, "first", &["--round", "3"]);
    let beside = released(desk.path(), &spec, "second", &["--suppress", "--earlier", "first"]);
    assert_eq!(beside["ages"]["north,25"], "[c]");
    // And the other way round: a rounded count beside the exact table.
    let rounded = released(desk.path(), &spec, "third", &["--round", "3", "--earlier", "second"]);
    assert_ne!(rounded["ages"]["north,25"], "1");
}

#[test]
fn an_unsafe_count_that_is_public_already_stops_the_new_table() {
    let desk = desk(&[("people.csv", &people())]);
    let low = bands("[0, 16, 25, 26]", "").replace("\"gss-tables\"", "\"gss-tables\"\ntier = \"low\"");
    let old = released(desk.path(), &low, "first", &[]);
    assert_eq!(old["ages"]["north,25"], "1");
    let refused = table(desk.path(), &bands("[0, 16, 25, 26]", ""), "second", &["--suppress", "--earlier", "first"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    let said = stderr(&refused).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("public already: area north, age 25"), "{said}");
    assert!(said.contains("first: ages"), "{said}");
}

#[test]
fn a_table_that_is_public_already_can_be_asked_for_again_beside_one_that_leaves_few_people() {
    let rows = [("w1,f", 30), ("w1,m", 28), ("e2,f", 2)];
    let people =
        rows.iter().fold("village,sex\n".to_owned(), |text, (row, count)| text + &format!("{row}\n").repeat(*count));
    let text = |name: &str, more: &str| {
        format!(
            "title = \"A case\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[[variables]]\nname = \"sex\"\n\
             [[tables]]\nname = \"{name}\"\nvariables = [\"sex\"]\n{more}"
        )
    };
    let most = "where = \"village <> 'e2'\"\n";
    let desk = desk(&[("people.csv", &people)]);
    // Each by itself, as nobody should: together they leave two women.
    let county = released(desk.path(), &text("county", ""), "county", &["--suppress"]);
    released(desk.path(), &text("most", most), "most", &["--suppress"]);
    let beside = ["--suppress", "--earlier", "county", "--earlier", "most"];
    let again = released(desk.path(), &text("county", ""), "again", &beside);
    assert_eq!(county["county"], again["county"]);
}

#[test]
fn an_earlier_release_of_other_data_or_a_changed_bundle_is_an_error_that_says_so() {
    let desk = desk(&[("people.csv", &people())]);
    let spec = areas("");
    released(desk.path(), &spec, "first", &["--suppress"]);
    std::fs::write(desk.path().join("people.csv"), people() + "north,20,f,high\n").unwrap();
    let changed = table(desk.path(), &spec, "second", &["--suppress", "--earlier", "first"]);
    assert_eq!(changed.status.code(), Some(2));
    assert!(stderr(&changed).contains("other figures now than in the earlier release"), "{}", stderr(&changed));
    std::fs::write(desk.path().join("people.csv"), people()).unwrap();
    let tables = desk.path().join("first/public/tables.json");
    let text = std::fs::read_to_string(&tables).unwrap();
    std::fs::write(&tables, text.replace("areas", "places")).unwrap();
    let forged = table(desk.path(), &spec, "second", &["--suppress", "--earlier", "first"]);
    assert_eq!(forged.status.code(), Some(2));
    assert!(stderr(&forged).contains("was changed since it was written"), "{}", stderr(&forged));
    let missing = table(desk.path(), &spec, "second", &["--suppress", "--earlier", "frist"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("frist"), "{}", stderr(&missing));
    assert!(!desk.path().join("second").exists());
}

#[test]
fn a_bundle_does_not_take_the_place_of_one_it_is_protected_beside() {
    let desk = desk(&[("people.csv", &people())]);
    released(desk.path(), &areas(""), "first", &["--suppress"]);
    let itself = table(desk.path(), &areas(""), "first", &["--suppress", "--force", "--earlier", "first"]);
    assert_eq!(itself.status.code(), Some(2), "{}", stderr(&itself));
    assert!(stderr(&itself).contains("take into account"), "{}", stderr(&itself));
}
