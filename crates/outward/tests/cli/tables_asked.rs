//! What a spec can ask of protection: cells that must be shown or are hidden already, costs, and the shape of noise.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::tables::desk;
use crate::{json, outward, stderr, stdout};

/// People by town and trade: one miller in Ash, and no more than three others anywhere near.
fn people() -> String {
    let mut text = String::from("town,trade,age,worth,pay\n");
    let counts = [("Ash", [1, 8, 9]), ("Elm", [7, 6, 9]), ("Oak", [9, 7, 8])];
    for (town, counts) in counts {
        for (trade, count) in ["miller", "smith", "tailor"].into_iter().zip(counts) {
            for number in 0..count {
                // Tailors are what readers want to see, smiths are not.
                let worth = if trade == "tailor" { 100 } else { 1 };
                text += &format!("{town},{trade},{},{worth},{}\n", 20 + number, 1000 + 7 * number);
            }
        }
    }
    text
}

fn spec(table: &str, protection: &str) -> String {
    format!(
        "seed = 271828182\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n\
         [[variables]]\nname = \"town\"\n[[variables]]\nname = \"trade\"\n\
         [[variables]]\nname = \"worth\"\ntype = \"number\"\n[[variables]]\nname = \"pay\"\ntype = \"number\"\n\
         [protection]\n{protection}\n\
         [[tables]]\nname = \"trades\"\nvariables = [\"town\", \"trade\"]\n{table}\n"
    )
}

/// The figures of a table by town and trade, and what was said, from a bundle that verifies.
fn published(spec: &str, data: &str) -> (BTreeMap<(String, String), String>, Value) {
    let desk = desk(&[("outward.toml", spec), ("people.csv", data)]);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle", "--format", "json"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let verified = outward(desk.path(), &["verify", "bundle"]);
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
    let text = std::fs::read_to_string(desk.path().join("bundle/public/trades.csv")).unwrap();
    let cell = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        ((fields[0].to_owned(), fields[1].to_owned()), fields[2].to_owned())
    };
    (text.lines().skip(1).map(cell).collect(), json(&made))
}

fn hidden(figures: &BTreeMap<(String, String), String>) -> Vec<String> {
    let hidden = figures.iter().filter(|(_, figure)| *figure == "[c]");
    hidden.map(|((town, trade), _)| format!("{town} {trade}")).collect()
}

fn refused(spec: &str, words: &[&str]) {
    let desk = desk(&[("outward.toml", spec), ("people.csv", &people())]);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(2), "{}{}", stdout(&made), stderr(&made));
    let said = stderr(&made).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
    assert!(!desk.path().join("bundle").exists());
}

#[test]
fn the_one_miller_is_hidden_with_three_others() {
    let (figures, said) = published(&spec("", "method = \"suppress\""), &people());
    assert_eq!(hidden(&figures).len(), 4, "{figures:?}");
    assert_eq!((&said["tables"][0]["primary"], &said["tables"][0]["secondary"]), (&1.into(), &3.into()));
}

#[test]
fn a_cell_that_must_be_shown_is_shown_and_another_is_hidden_for_it() {
    let (before, _) = published(&spec("", "method = \"suppress\""), &people());
    let beside: Vec<String> =
        hidden(&before).into_iter().filter(|cell| cell.starts_with("Ash") && cell != "Ash miller").collect();
    let trade = beside[0].split(' ').nth(1).unwrap();
    let shown = format!("must_show = [{{ town = \"Ash\", trade = \"{trade}\" }}]");
    let (after, said) = published(&spec(&shown, "method = \"suppress\""), &people());
    assert!(!hidden(&after).contains(&beside[0]), "{after:?}");
    assert_eq!(said["tables"][0]["secondary"], 3);
}

#[test]
fn a_cell_that_is_hidden_already_stays_hidden_and_serves_the_others() {
    let hide = "already_hidden = [{ town = \"Oak\", trade = \"tailor\" }, { town = \"Ash\", trade = \"tailor\" }]";
    let (figures, said) = published(&spec(hide, "method = \"suppress\""), &people());
    assert_eq!(hidden(&figures), ["Ash miller", "Ash tailor", "Oak miller", "Oak tailor"]);
    // Those that were hidden before are no new loss.
    assert_eq!(said["tables"][0]["secondary"], 1);
}

#[test]
fn an_unsafe_cell_cannot_be_one_that_must_be_shown() {
    let shown = "must_show = [{ town = \"Ash\", trade = \"miller\" }]";
    refused(&spec(shown, "method = \"suppress\""), &["trades", "must show", "unsafe", "town Ash, trade miller"]);
}

#[test]
fn cells_that_must_be_shown_and_leave_nothing_to_hide_are_named() {
    let shown = "must_show = [{ town = \"Ash\", trade = \"smith\" }, { town = \"Ash\", trade = \"tailor\" }, { town = \"Ash\" }]";
    refused(&spec(shown, "method = \"suppress\""), &["cannot be protected", "town Ash, trade miller", "published"]);
}

#[test]
fn what_is_rounded_or_perturbed_cannot_be_shown_as_it_is() {
    let shown = spec("must_show = [{ town = \"Elm\", trade = \"tailor\" }]", "method = \"suppress\"");
    for method in [&["--round", "5"][..], &["--cell-keys"]] {
        let desk = desk(&[("outward.toml", &shown), ("people.csv", &people())]);
        let made = outward(desk.path(), &[&["table", "outward.toml", "--out", "bundle"], method].concat());
        let said = crate::refused(&made);
        assert!(said.contains("table `trades` has cells that must be shown as they are"), "{said}");
        assert!(said.contains("remove `must_show`") && !desk.path().join("bundle").exists(), "{said}");
    }
}

#[test]
fn means_have_no_percentages() {
    let of = |measure: &str| {
        let table = format!("measure = \"{measure}\"\nof = \"pay\"\npercent_of = [\"trade\"]");
        spec(&table, "method = \"suppress\"")
    };
    refused(&of("mean"), &["means have no percentages", "remove `percent_of`, or write `measure = \"sum\"`"]);
    published(&of("sum"), &people());
}

#[test]
fn a_cell_that_is_not_in_the_table_cannot_be_asked_for() {
    refused(&spec("must_show = [{ town = \"Asch\" }]", "method = \"suppress\""), &["trades", "Ash"]);
    refused(&spec("already_hidden = [{ village = \"Ash\" }]", "method = \"suppress\""), &["village", "town"]);
}

#[test]
fn what_readers_want_most_is_hidden_least_where_a_variable_says_what_cells_cost() {
    let by_worth = "method = \"suppress\"\ncost = \"variable\"\ncost_of = \"worth\"";
    let (figures, _) = published(&spec("", by_worth), &people());
    assert!(hidden(&figures).iter().all(|cell| !cell.ends_with("tailor")), "{figures:?}");
    refused(&spec("", "method = \"suppress\"\ncost = \"variable\""), &["cost_of"]);
}

#[test]
fn noise_can_be_asked_to_stay_and_to_fall_off_and_its_variance_is_told_row_by_row() {
    let keys = "method = \"cell-key\"\nnoise = 3\nvariance = 1.5\nmonotone = true\nstay = 0.4";
    let (figures, said) = published(&spec("", keys), &people());
    let rows = said["noise"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert!(
            (row["variance"].as_f64().unwrap() - 1.5).abs() < 1e-6 && row["mean"].as_f64().unwrap().abs() < 1e-6,
            "{row}"
        );
        assert!(row["stay"].as_f64().unwrap() >= 0.4 - 1e-9, "{row}");
    }
    assert!(figures.values().all(|figure| figure.parse::<u64>().is_ok()));
    refused(&spec("", "method = \"cell-key\"\nstay = 1.5"), &["stay"]);
    refused(&spec("", "method = \"cell-key\"\nnoise = 1\nvariance = 0.5\nstay = 0.9"), &["variance"]);
}

/// Counts, sums and means of the same people.
fn measures() -> String {
    let more = "[[tables]]\nname = \"sums\"\nvariables = [\"town\", \"trade\"]\nmeasure = \"sum\"\nof = \"pay\"\n\
                [[tables]]\nname = \"means\"\nvariables = [\"town\", \"trade\"]\nmeasure = \"mean\"\nof = \"pay\"\n";
    spec("", "method = \"suppress\"") + more
}

#[test]
fn what_is_hidden_of_counts_is_hidden_of_their_sums_and_means() {
    let desk = desk(&[("outward.toml", &measures()), ("people.csv", &people())]);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let verified = outward(desk.path(), &["verify", "bundle"]);
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
    let gaps = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(desk.path().join(format!("bundle/public/{name}.csv"))).unwrap();
        text.lines().filter_map(|line| line.strip_suffix(",[c]").map(str::to_owned)).collect()
    };
    assert!(gaps("trades").contains(&"Ash,miller".to_owned()));
    assert_eq!(gaps("trades"), gaps("sums"));
    assert_eq!(gaps("trades"), gaps("means"));
}

#[test]
fn the_cells_that_are_said_to_be_hidden_are_those_hidden_for_any_measure() {
    // One tailor of Oak has nearly all pay there, which is no matter to the counts.
    let rich = people().replace("Oak,tailor,20,100,1000", "Oak,tailor,20,100,900000");
    let desk = desk(&[("outward.toml", &measures()), ("people.csv", &rich)]);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle", "--format", "json"]);
    let said = json(&made);
    let mut for_another = 0;
    for table in said["tables"].as_array().unwrap() {
        let name = table["name"].as_str().unwrap();
        let text = std::fs::read_to_string(desk.path().join(format!("bundle/public/{name}.csv"))).unwrap();
        let gaps = text.lines().filter(|line| line.contains(",[c]")).count();
        let notes: Vec<&str> = table["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
        assert!(notes.iter().any(|note| note.starts_with(&format!("{gaps} cells hidden in all"))), "{gaps}: {notes:?}");
        let told = "of them because the same records are hidden in another measure";
        for_another += notes.iter().filter(|note| note.contains(told)).count();
        assert_eq!(table["primary"].as_u64().unwrap() + table["secondary"].as_u64().unwrap(), gaps as u64, "{table}");
    }
    assert!(for_another > 0, "{said}");
}

#[test]
fn sums_are_not_rounded_nor_perturbed() {
    for method in ["method = \"round\"", "method = \"cell-key\""] {
        refused(&measures().replace("method = \"suppress\"", method), &["sums, means or estimates", "suppress"]);
    }
}

#[test]
fn a_key_that_does_not_tell_people_apart_is_refused() {
    refused(&spec("", "method = \"cell-key\"\nkey = \"town\""), &["key", "town", "distinguish records"]);
}

#[test]
fn people_of_whom_nothing_is_known_keep_their_noise_too() {
    let gaps = people().replace("Elm,smith,21,", "Elm,,21,").replace("Oak,miller,22,", ",miller,,");
    let (figures, _) = published(&spec("", "method = \"cell-key\""), &gaps);
    let again = published(&spec("", "method = \"cell-key\""), &gaps).0;
    assert_eq!(figures, again);
    let missing = |(town, trade): &(String, String)| town == "Missing" || trade == "Missing";
    assert!(figures.keys().any(missing), "{figures:?}");
}

#[test]
fn the_sum_of_an_amount_that_is_0_or_1_is_a_count_and_its_mean_is_refused() {
    let people = "area,working\n".to_owned()
        + &"north,1\n".repeat(40)
        + &"north,0\n".repeat(22)
        + &"south,1.0\n".repeat(50)
        + &"south,\n".repeat(9);
    let spec = |measure: &str| {
        format!(
            "title = \"A case\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[[variables]]\nname = \"area\"\n\
             [[variables]]\nname = \"working\"\n[[tables]]\nname = \"t\"\nvariables = [\"area\"]\nmeasure = \"{measure}\"\nof = \"working\"\n"
        )
    };
    let desk = desk(&[("people.csv", &people), ("sum.toml", &spec("sum")), ("mean.toml", &spec("mean"))]);
    let made = outward(desk.path(), &["table", "sum.toml", "--out", "sum"]);
    assert_eq!(made.status.code(), Some(0), "{}{}", stdout(&made), stderr(&made));
    let tables = std::fs::read_to_string(desk.path().join("sum/public/tables.json")).unwrap();
    let table = &serde_json::from_str::<serde_json::Value>(&tables).unwrap()["tables"][0];
    assert_eq!(table["condition"], "working in ('1', '1.0')", "{table}");
    assert_eq!(table["figures"], serde_json::json!([40, 50, 90]), "{table}");
    let said = crate::refused(&outward(desk.path(), &["table", "mean.toml", "--out", "mean"]));
    assert!(said.contains("0 or 1 for every record") && said.contains("percent_of = [\"working\"]"), "{said}");
}
