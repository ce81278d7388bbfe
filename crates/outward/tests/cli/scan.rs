//! `outward scan`: what it finds, where, and what it never says.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use outward_generate::{Dataset, Generator};
use serde_json::Value;

use crate::{folder, json, outward, refused, stderr, stdout};

/// Column, row, kind, first character and length of an identifier.
type Sighting = (String, u64, String, u64, u64);

fn sightings(said: &Value) -> BTreeSet<Sighting> {
    let list = |value: &Value, name: &str| value[name].as_array().unwrap().clone();
    let mut all = BTreeSet::new();
    for column in list(&said["files"][0], "columns") {
        for found in list(&column, "found") {
            for place in list(&found, "places") {
                let number = |name: &str| place[name].as_u64().unwrap();
                let (column, kind) = (column["name"].as_str().unwrap(), found["kind"].as_str().unwrap());
                all.insert((column.to_owned(), number("row"), kind.to_owned(), number("character"), number("length")));
            }
        }
    }
    all
}

fn integers(batch: &RecordBatch, column: &str) -> Vec<i64> {
    batch[column].as_primitive::<Int64Type>().values().to_vec()
}

fn labels(batch: &RecordBatch, column: &str) -> Vec<String> {
    let codes = batch[column].as_dictionary::<Int32Type>();
    let values = codes.values().as_string::<i32>();
    codes.keys().iter().map(|code| values.value(code.unwrap() as usize).to_owned()).collect()
}

/// What the generator says that it planted in a table.
fn planted(rows: u64, seed: u64, table: usize, entry: &str) -> BTreeSet<Sighting> {
    let generator = Generator::new(Dataset::Biobank, rows, seed);
    let blocks: Vec<Vec<RecordBatch>> = (0..generator.blocks()).map(|block| generator.block(block)).collect();
    let keys = blocks
        .iter()
        .flat_map(|tables| integers(&tables[table], "participant_id").into_iter().zip(integers(&tables[table], entry)));
    let rows: std::collections::HashMap<(i64, i64), u64> = keys.zip(1..).collect();
    let name = Dataset::Biobank.tables()[table].name;
    let mut all = BTreeSet::new();
    for tables in &blocks {
        let truth = &tables[7];
        let (ids, entries) = (integers(truth, "participant_id"), integers(truth, "visit_or_admission"));
        let (starts, lengths) = (integers(truth, "start"), integers(truth, "length"));
        let (of, columns, kinds) = (labels(truth, "table"), labels(truth, "column"), labels(truth, "kind"));
        for at in (0..truth.num_rows()).filter(|at| of[*at] == name) {
            let row = rows[&(ids[at], entries[at])];
            all.insert((columns[at].clone(), row, kinds[at].clone(), starts[at] as u64, lengths[at] as u64));
        }
    }
    all
}

#[test]
fn every_planted_identifier_is_found_at_its_place_and_nothing_else() {
    let folder = folder();
    for (name, columns) in [("c.csv", "remarks,letter"), ("c.parquet", "remarks,letter")] {
        let made = outward(folder.path(), &["generate", "biobank", "--rows", "9000", "--seed", "4", "--out", name]);
        assert!(made.status.success(), "{columns}");
    }
    for (table, name, column, entry) in
        [(1, "assessments", "remarks", "visit"), (2, "admissions", "letter", "admission")]
    {
        for ending in ["csv", "parquet"] {
            let (file, people) = (format!("c_{name}.{ending}"), format!("c_participants.{ending}"));
            let mut args = vec!["scan", &file, "--columns", column, "--names", &people];
            args.extend(["--name-columns", "first_name,last_name", "--places", "100000", "--format", "json"]);
            let output = outward(folder.path(), &args);
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            let (found, truth) = (sightings(&json(&output)), planted(9_000, 4, table, entry));
            let (missed, more): (Vec<_>, Vec<_>) =
                (truth.difference(&found).collect(), found.difference(&truth).collect());
            assert!(missed.is_empty() && more.is_empty(), "{file}: missed {missed:?}, and found {more:?}");
            assert!(truth.len() > 400, "{file}: {}", truth.len());
        }
    }
}

#[test]
fn the_answer_does_not_depend_on_threads_and_tells_no_value() {
    let folder = folder();
    assert!(outward(folder.path(), &["generate", "biobank", "--rows", "20000", "--out", "c.parquet"]).status.success());
    let run = |threads: &str, format: &str| {
        outward(folder.path(), &["scan", "c_assessments.parquet", "--threads", threads, "--format", format])
    };
    let one = run("1", "json");
    assert_eq!(stdout(&one), stdout(&run("3", "json")));
    let said = stdout(&run("2", "text"));
    assert!(said.contains("`remarks` holds") && said.contains("row "), "{said}");
    for text in [stdout(&one), said, stderr(&one)] {
        for value in ["07700", "@example", "999 ", "496 0"] {
            assert!(!text.contains(value), "{value} in {text}");
        }
    }
}

#[test]
fn what_scan_says_of_a_file() {
    let folder = folder();
    let notes = "id,note,weight\n1,rang from 07700 900123,70.5\n2,DOB 12/03/1950 and seen 12/03/2009,81\n3,Mary Jones rang,60\n4,\"JONES, Mary\",60\n";
    std::fs::write(folder.path().join("notes.csv"), notes).unwrap();
    std::fs::write(folder.path().join("names.txt"), "Mary Jones\n\nJohn Smith\n").unwrap();
    let output = outward(folder.path(), &["scan", "notes.csv", "--names", "names.txt"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(stdout(&output));
}

#[test]
fn a_file_without_identifiers_is_clean() {
    let folder = folder();
    std::fs::write(folder.path().join("a.csv"), "note\nBP 120/80 on 21/03/2024\nfine\n").unwrap();
    std::fs::write(folder.path().join("b.txt"), "order 077009001234 arrived, tube 943 476 5918\n").unwrap();
    let output = outward(folder.path(), &["scan", "a.csv", "b.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(
        stdout(&output),
        "a.csv: nothing found in 1 column of 2 records\nb.txt: nothing found in 1 column of 1 record\n"
    );
}

#[test]
fn a_text_is_read_by_lines_and_a_table_in_a_text_file_by_its_delimiter() {
    let folder = folder();
    std::fs::write(folder.path().join("log.md"), b"# Notes\r\n\nwrote to mary@example.org\r\n\xff07700 900123\n")
        .unwrap();
    let said = json(&outward(folder.path(), &["scan", "log.md", "--format", "json"]));
    let lines: Vec<u64> = sightings(&said).into_iter().map(|(_, row, ..)| row).collect();
    assert_eq!(lines, [3, 4], "{said}");
    std::fs::write(folder.path().join("t.txt"), "a;b\n1;mary@example.org\n").unwrap();
    let said = json(&outward(folder.path(), &["scan", "t.txt", "--delimiter", "semicolon", "--format", "json"]));
    assert_eq!(sightings(&said).first().unwrap().0, "b");
}

#[test]
fn numbers_and_dates_are_scanned_if_they_are_named() {
    let folder = folder();
    assert!(outward(folder.path(), &["generate", "biobank", "--rows", "200", "--out", "c.parquet"]).status.success());
    let output = outward(folder.path(), &["scan", "c_biomarkers.parquet"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("Not scanned in c_biomarkers.parquet: participant_id, sample_date"));
    let born = ["scan", "c_participants.parquet", "--columns", "date_of_birth", "--born", "1936-1970"];
    let output = outward(folder.path(), &born);
    assert!(
        stdout(&output).contains("`date_of_birth` holds dates of birth, 200 in 200 records"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_cannot_be_scanned_is_refused_with_advice() {
    let folder = folder();
    std::fs::write(folder.path().join("a.csv"), "note,first,last\nfine,Mary,Jones\n").unwrap();
    std::fs::write(folder.path().join("a.png"), b"\x89PNG\0\0\0").unwrap();
    std::fs::write(folder.path().join("none.txt"), "\n \n").unwrap();
    let said = |args: &[&str]| refused(&outward(folder.path(), &[&["scan"], args].concat()));
    assert!(said(&["nowhere.csv"]).contains("nowhere.csv"));
    assert!(said(&["nowhere.txt"]).contains("nowhere.txt"));
    assert!(said(&["a.png"]).contains("not a text"));
    assert!(said(&["a.csv", "--columns", "notes"]).contains("did you mean `note`?"));
    assert!(said(&["none.txt", "--columns", "note"]).contains("columns"));
    assert!(said(&["a.csv", "--names", "a.csv"]).contains("--name-columns first_name,last_name"));
    assert!(said(&["a.csv", "--names", "none.txt"]).contains("no name"));
    assert!(said(&["a.csv", "--born", "1970-1936"]).contains("1936-1970"));
}
