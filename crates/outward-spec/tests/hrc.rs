//! Hierarchy files of τ-ARGUS become hierarchies, and hierarchies become hierarchy files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use outward_spec::Hierarchy;
use outward_spec::hrc::{Code, LEAD, from_hierarchy, hrc_to_csv, read, rows, write};
use proptest::prelude::*;

const REGIONS: &str = "North\n@Leeds\n@@LS1\n@@LS2\n@York\nSouth\n@Kent\nAbroad\n";

fn row(labels: &[&str]) -> Vec<String> {
    labels.iter().map(|label| (*label).to_owned()).collect()
}

#[test]
fn the_depth_of_a_code_is_the_number_of_its_leading_characters() {
    let codes = read(REGIONS, LEAD).unwrap();
    let depths: Vec<(&str, usize)> = codes.iter().map(|code| (code.code.as_str(), code.depth)).collect();
    let expected =
        [("North", 0), ("Leeds", 1), ("LS1", 2), ("LS2", 2), ("York", 1), ("South", 0), ("Kent", 1), ("Abroad", 0)];
    assert_eq!(depths, expected);
}

#[test]
fn short_branches_stay_themselves_until_their_first_group() {
    let rows = rows(&read(REGIONS, LEAD).unwrap());
    assert_eq!(rows[0], ["LS1", "Leeds", "North"]);
    assert_eq!(rows[2], ["York", "York", "North"]);
    assert_eq!(rows[3], ["Kent", "Kent", "South"]);
    assert_eq!(rows[4], ["Abroad", "Abroad", "Abroad"]);
    assert_eq!(rows.len(), 5);
}

#[test]
fn an_hrc_file_can_be_named_as_a_hierarchy_once_it_is_csv() {
    let csv = hrc_to_csv("A, with a comma\n@x;y\n@\"quoted\"\nB\n").unwrap();
    let hierarchy = Hierarchy::from_bytes(csv.into_bytes(), Path::new("a.csv"), false, None).unwrap();
    assert_eq!(hierarchy.levels(), 3);
    assert_eq!(hierarchy.recode("x;y", 1).unwrap(), "A, with a comma");
    assert_eq!(hierarchy.recode("\"quoted\"", 1).unwrap(), "A, with a comma");
    assert_eq!(hierarchy.recode("B", 1).unwrap(), "B");
    assert!(!hierarchy.covers("A, with a comma"));
    let back = from_hierarchy(&hierarchy).unwrap();
    assert_eq!(rows(&read(&back, LEAD).unwrap()).len(), 3);
    assert!(back.contains("A, with a comma\n@"));
}

#[test]
fn a_flat_list_of_codes_is_a_hierarchy_too() {
    assert_eq!(hrc_to_csv("a\nb\n").unwrap(), "a\nb\n");
}

#[test]
fn files_of_other_systems_are_read_as_their_own() {
    let windows = format!("\u{feff}{}", REGIONS.replace('\n', "  \r\n"));
    assert_eq!(read(&windows, LEAD).unwrap(), read(REGIONS, LEAD).unwrap());
    assert_eq!(read(&REGIONS.replace('@', "--"), "--").unwrap(), read(REGIONS, LEAD).unwrap());
    assert_eq!(read(&format!("\n\n{REGIONS}\n\n"), LEAD).unwrap(), read(REGIONS, LEAD).unwrap());
}

#[test]
fn what_is_wrong_in_a_file_is_said_with_its_line() {
    let error = |text: &str| read(text, LEAD).unwrap_err().to_string();
    assert_eq!(error("a\n@@b\n"), "line 2: this code has 2 leading `@` where at most 1 can be");
    assert_eq!(error("@a\n"), "line 1: this code has 1 leading `@` where at most 0 can be");
    assert_eq!(error("a\n\n@b\nc\n@b\n"), "line 5: `b` is here and in line 3");
    assert_eq!(error("a\n@\n"), "line 2: there is no code after the leading characters");
    assert_eq!(error(" \n"), "this hierarchy has no codes");
    assert!(read("a\n", "").is_err());
}

#[test]
fn rows_in_any_order_become_groups_before_their_values() {
    let given = [row(&["a1", "A", "*"]), row(&["b1", "B", "*"]), row(&["a2", "A", "*"]), row(&["c", "c", "*"])];
    assert_eq!(write(&given, LEAD).unwrap(), "A\n@a1\n@a2\nB\n@b1\nc\n");
}

#[test]
fn rows_that_no_hierarchy_file_can_hold_are_refused_with_their_row() {
    let error = |rows: &[Vec<String>]| write(rows, LEAD).unwrap_err().to_string();
    assert_eq!(error(&[row(&["a", "A"]), row(&["a", "B"])]), "row 2: `a` is in two places of the hierarchy");
    assert_eq!(error(&[row(&["A", "A"]), row(&["b", "A"])]), "row 1: `A` is a value here and a group elsewhere");
    assert_eq!(error(&[row(&["a", "A"]), row(&["b"])]), "row 2: this row has no labels, or not as many as the first");
    assert_eq!(error(&[row(&["@a", "A"])]), "row 1: `@a` cannot be a code of a hierarchy file");
    assert_eq!(error(&[row(&["", "A"])]), "row 1: `` cannot be a code of a hierarchy file");
    assert_eq!(error(&[]), "this hierarchy has no values");
    assert!(write(&[Vec::new()], LEAD).is_err());
}

/// Any tree: each code at most one deeper than the one before it.
fn trees() -> impl Strategy<Value = Vec<Code>> {
    prop::collection::vec(0usize..5, 1..40).prop_map(|depths| {
        let mut codes: Vec<Code> = Vec::new();
        for (number, wanted) in depths.into_iter().enumerate() {
            let depth = wanted.min(codes.last().map_or(0, |before| before.depth + 1));
            codes.push(Code { code: format!("c{number}"), depth });
        }
        codes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(6), ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_hierarchy_file_comes_back_as_it_was(codes in trees()) {
        let text: String = codes.iter().map(|code| format!("{}{}\n", LEAD.repeat(code.depth), code.code)).collect();
        prop_assert_eq!(&read(&text, LEAD).unwrap(), &codes);
        prop_assert_eq!(write(&rows(&codes), LEAD).unwrap(), text);
    }

    #[test]
    fn rows_nest_as_the_hierarchy_of_a_spec_wants_them(codes in trees()) {
        let text: String = codes.iter().map(|code| format!("{}{}\n", LEAD.repeat(code.depth), code.code)).collect();
        let csv = hrc_to_csv(&text).unwrap();
        let hierarchy = Hierarchy::from_bytes(csv.into_bytes(), Path::new("a.csv"), false, None).unwrap();
        prop_assert_eq!(hierarchy.leaves().unwrap(), rows(&codes).len());
    }
}
