//! A release that would not pass its own verification never gets its name.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use outward_engine::{Embedded, Progress};
use outward_release::Outcome;
use outward_spec::Error;

use outward_fixtures::desk::Desk;

const SPEC: &str = r#"
[policy]
k = 3
[[variables]]
name = "age"
role = "key"
type = "integer"
[[variables]]
name = "sex"
role = "key"
[[variables]]
name = "notes"
"#;

fn people(ages: [&str; 2]) -> String {
    let people = |age: &str, sex: &str| format!("{age},{sex},well\n").repeat(4);
    format!("age,sex,notes\n{}{}", people(ages[0], "F"), people(ages[1], "M"))
}

/// Adds a record to a file when the records are rewritten.
struct Grows(PathBuf);

impl Progress for Grows {
    fn started(&self, what: &str, _: Option<u64>) {
        if what == "writing" {
            let mut file = std::fs::OpenOptions::new().append(true).open(&self.0).unwrap();
            file.write_all(b"30,F,late\n").unwrap();
        }
    }
    fn advanced(&self, _: u64) {}
    fn finished(&self) {}
}

#[test]
fn data_that_grow_while_they_are_read_are_refused_by_name() {
    let desk = Desk::new(SPEC, &people(["30", "40"]));
    let engine = Embedded::new(1).progress(Arc::new(Grows(desk.path("people.csv"))));
    let error = desk.protect_with(&engine).unwrap_err();
    assert!(error.to_string().contains("`people.csv` changed while it was read"), "{error}");
    assert!(error.help().unwrap().contains("copy"), "{:?}", error.help());
    assert!(!desk.bundle().exists());
}

#[test]
fn an_identifier_that_only_the_verification_finds_is_not_written() {
    let desk = Desk::new(SPEC, &people(["30", "40"]).replacen("well", "NHS no 943 476 5919", 1));
    let error = desk.protect().unwrap_err();
    assert!(matches!(error, Error::Input(_)), "{error}");
    assert!(error.to_string().contains("`identifiers`") && !error.to_string().contains("5919"), "{error}");
    let place = &error.fault().unwrap().place;
    assert_eq!((place.variable.as_deref(), place.row), (Some("notes"), Some(1)));
    assert!(!desk.bundle().exists());
}

#[test]
fn numbers_and_gaps_with_odd_blanks_are_read_alike_by_who_makes_and_who_checks() {
    // A key that lacks some values, which are spelt as no blanks, spaces, and blanks of other kinds.
    let blanks = ["", " ", "\u{a0}", "\u{2003}\u{a0}", "\u{b}", "\u{3000}"];
    let spec = SPEC.replace("type = \"integer\"\n", "");
    for blank in blanks {
        let desk = Desk::new(&spec, &people(["", blank]));
        assert!(desk.protect().unwrap().written);
        assert_eq!(desk.verify().outcome(), Outcome::Holds, "{blank:?}: {:#?}", desk.verify());
    }
    for [one, other] in [["\u{a0}30", "40"], ["30\t", "\u{a0}40"], [" 30\u{202f}", "4\u{2007}"]] {
        let desk = Desk::new(SPEC, &people([one, other]));
        assert!(desk.protect().unwrap().written);
        assert_eq!(desk.verify().outcome(), Outcome::Holds, "{one:?} {other:?}: {:#?}", desk.verify());
        assert!(desk.published("data.csv").contains("\n30,F"), "a number is published as a number");
    }
}

#[test]
fn a_population_with_odd_blanks_is_the_same_population() {
    let spec = SPEC.replace("k = 3\n", "k = 3\nk_map = 4\n") + "[population]\npath = \"all.csv\"\n";
    let desk = Desk::new(&spec, &people(["30", "40"]));
    std::fs::write(desk.path("all.csv"), people(["\u{a0}30", "040.0"])).unwrap();
    let protected = desk.protect().unwrap();
    assert!(protected.written && protected.unsettled.is_empty(), "{:?}", protected.unsettled);
}
