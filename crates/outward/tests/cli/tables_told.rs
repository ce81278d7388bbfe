//! What is said beside the tables: which were left out, hierarchies that may begin with headings, and redesigns as they will be.

use std::path::Path;

use crate::tables::desk;
use crate::{json, outward, refused, stderr, stdout};

/// Words without the line ends of the terminal.
fn plain(said: &str) -> String {
    said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// What a run says on the screen beside the report, in the report, and in its page.
fn told(folder: &Path, names: &[&str]) -> [String; 3] {
    let args = [&["table", "outward.toml"], names, &["--report", "report.html"]].concat();
    let made = outward(folder, &args);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    let page = page.replace("<code>", "`").replace("</code>", "`");
    [plain(&stderr(&made)), plain(&stdout(&made)), plain(&page)]
}

/// Nine of each trade in each town.
fn people() -> String {
    let mut text = String::from("town,trade\n");
    for town in ["Ash", "Elm", "Oak"] {
        for trade in ["miller", "smith"] {
            text += &format!("{town},{trade}\n").repeat(9);
        }
    }
    text
}

fn spec(hierarchy: &str) -> String {
    format!(
        "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n\
         [[variables]]\nname = \"town\"\n{hierarchy}\n[[variables]]\nname = \"trade\"\n\
         [[tables]]\nname = \"towns\"\nvariables = [\"town\"]\n\
         [[tables]]\nname = \"trades\"\nvariables = [\"trade\"]\n\
         [[tables]]\nname = \"both\"\nvariables = [\"town\", \"trade\"]\n"
    )
}

#[test]
fn tables_of_the_spec_that_are_left_out_are_named_on_the_screen_and_in_the_report() {
    let desk = desk(&[("outward.toml", &spec("")), ("people.csv", &people())]);
    let of_towns = "ot included: trades, both. If you publish these tables of the spec too";
    for said in told(desk.path(), &["towns"]) {
        assert!(said.contains(of_towns) && said.contains("protect all of them together"), "{said}");
    }
    for said in told(desk.path(), &["trades", "both"]) {
        assert!(said.contains("ot included: towns. If"), "{said}");
    }
    for names in [&[][..], &["towns", "both", "trades"]] {
        assert!(told(desk.path(), names).iter().all(|said| !said.contains("ot included")), "{names:?}");
    }
}

/// A hierarchy of towns in a file, with or without a word on headings.
fn by_file(headed: bool) -> String {
    let more = if headed { ", header = true" } else { "" };
    spec(&format!("hierarchy = {{ file = \"regions.csv\"{more} }}"))
}

#[test]
fn headings_that_are_called_like_the_variable_do_not_become_a_row() {
    let regions = "Town,Region\nAsh,East\nElm,East\nOak,West\n";
    let files = |headed: bool| {
        [("outward.toml", by_file(headed)), ("people.csv", people()), ("regions.csv", regions.to_owned())]
    };
    let laid = |headed: bool| {
        let files = files(headed);
        desk(&files.iter().map(|(name, content)| (*name, content.as_str())).collect::<Vec<_>>())
    };
    let said = plain(&refused(&outward(laid(false).path(), &["table", "outward.toml", "--out", "bundle"])));
    assert!(said.contains("regions.csv, column `town`") && said.contains("the first row is one of headings"), "{said}");
    assert!(said.contains("help: write `header = true` next to `file`"), "{said}");
    let desk = laid(true);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let text = std::fs::read_to_string(desk.path().join("bundle/public/towns.csv")).unwrap();
    assert!(text.contains("East,36\n") && !text.contains("Town,") && !text.contains("Region,"), "{text}");
}

#[test]
fn a_first_row_that_may_be_headings_is_told_and_others_are_not() {
    let said_of = |regions: &str, headed: bool| {
        let desk = desk(&[("outward.toml", &by_file(headed)), ("people.csv", &people()), ("regions.csv", regions)]);
        told(desk.path(), &[])
    };
    let rows = "Ash,East\nElm,East\nOak,West\n";
    let headed = format!("place,part of the country\n{rows}");
    for said in said_of(&headed, false) {
        assert!(said.contains("obody in these tables has the first value of the hierarchy of `town`"), "{said}");
        assert!(said.contains("if the first row of regions.csv has headings, write `header = true`"), "{said}");
    }
    let silent = |said: [String; 3]| assert!(said.iter().all(|said| !said.contains("headings")), "{said:?}");
    silent(said_of(&headed, true));
    silent(said_of(rows, false));
    // A town without people in a region with others, and one that is its own region.
    silent(said_of(&format!("Fir,East\n{rows}"), false));
    silent(said_of(&format!("Unknown,Unknown\n{rows}"), false));
    // People of the only town in its region.
    silent(said_of("Oak,West\nAsh,East\nElm,East\n", false));
}

#[test]
fn a_redesign_is_shown_with_the_names_it_is_published_under() {
    let mut data = String::from("first,second,sex\nfog,,F\n");
    for sex in ["F", "M"] {
        data += &format!("ice,speed,{sex}\nspeed,,{sex}\n").repeat(8);
    }
    let head = "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n\
         [[variables]]\nname = \"cause\"\ncolumns = [\"first\", \"second\"]\n[[variables]]\nname = \"sex\"\n";
    let spec = format!("{head}[[tables]]\nname = \"causes\"\nvariables = [\"cause\", \"sex\"]\n");
    let desk = desk(&[("outward.toml", &spec), ("people.csv", &data)]);
    let said = json(&outward(desk.path(), &["table", "outward.toml", "--format", "json"]));
    let redesign = &said["tables"][0]["redesigns"][0];
    assert_eq!(redesign["changes"], serde_json::json!(["cause: total only"]), "{said}");
    let lines = redesign["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned() + "\n");
    std::fs::write(desk.path().join("pasted.toml"), format!("{head}{}", lines.collect::<String>())).unwrap();
    let made = outward(desk.path(), &["table", "pasted.toml", "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let published = std::fs::read_to_string(desk.path().join("bundle/public/causes.csv")).unwrap();
    assert_eq!(published.lines().skip(1).collect::<Vec<_>>(), ["All,F,17", "All,M,16", "All,Total,33"]);
    let report = stdout(&outward(desk.path(), &["table", "outward.toml"]));
    let preview = report.split("Redesign 1 of causes").nth(1).unwrap();
    let row = preview.lines().find(|line| line.contains("33")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["All", "17", "16", "33"], "{preview}");
}

#[test]
fn the_list_of_cells_for_argus_has_those_that_no_table_shows() {
    let table = |name: &str, more: &str| format!("[[tables]]\nname = \"{name}\"\nvariables = [\"town\"]\n{more}\n");
    let spec = "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[[variables]]\nname = \"town\"\n"
        .to_owned()
        + &table("all", "")
        + &table("smiths", "where = \"trade = 'smith'\"");
    let desk = desk(&[("outward.toml", &spec), ("people.csv", &people())]);
    let made = outward(desk.path(), &["table", "outward.toml", "--to-argus", "argus"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let read = |name: &str| std::fs::read_to_string(desk.path().join("argus").join(name)).unwrap();
    let (family, list) = (read("family-1.jj"), read("family-1-cells.tsv"));
    let cells: usize = family.lines().nth(1).unwrap().parse().unwrap();
    let numbers: Vec<usize> =
        list.lines().skip(1).map(|line| line.split('\t').next().unwrap().parse().unwrap()).collect();
    assert_eq!(numbers, (0..cells).collect::<Vec<_>>(), "{list}");
    assert!(list.lines().all(|line| line.split('\t').count() == 3), "{list}");
    // The millers are what is left between the two tables.
    assert!(list.contains("\tall\ttown Ash") && list.contains("nobody publishes this"), "{list}");
}

#[test]
fn one_table_is_one_table() {
    let desk = desk(&[("outward.toml", &spec("")), ("people.csv", &people())]);
    for (names, said) in [(&["towns"][..], "1 table is published"), (&["towns", "both"], "2 tables are published")] {
        let made = outward(desk.path(), &[&["table", "outward.toml", "--out", "bundle", "--force"], names].concat());
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        let verified = plain(&stdout(&outward(desk.path(), &["verify", "bundle"])));
        assert!(verified.contains(said), "{verified}");
    }
}
