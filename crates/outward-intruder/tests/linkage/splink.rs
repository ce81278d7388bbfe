//! Models that Splink wrote (4.0.17), on made-up data and without parameters, or trained on public data.

use outward_intruder::linkage::{Linker, Model, Records, Settings};
use serde_json::Value;

use crate::fixtures::records;

/// The comparisons of Splink's library, as its `save_model_to_json` writes them.
const LIBRARY: &str = include_str!("splink_library.json");

fn people() -> Records {
    records(&[
        ("first_name", vec!["Ann", "Smith", "Anne", "Bob", "Ann"]),
        ("surname", vec!["Smith", "Ann", "Smyth", "Brown", ""]),
        ("dob", vec!["1980-01-31", "1980-01-31", "1980-02-20", "1989-12-31", "31/01/1980"]),
        ("email", vec!["ann@a.org", "ann@b.org", "anne@a.org", "", "ann@a.org"]),
        ("postcode", vec!["SW1A 2AA", "SW1A 2AB", "SW1A 3AA", "SE1 2AA", "LS1 1AA"]),
        ("city", vec!["London", "Londno", "London", "Leeds", "Lleeds"]),
        ("amount", vec!["100", "104", "109", "300", "100"]),
        ("lat", vec!["51.5", "51.5001", "51.55", "53.8", "51.5"]),
        ("long", vec!["-0.12", "-0.12", "-0.12", "-1.55", "-0.12"]),
    ])
}

/// The level of a pair in the comparison at a position.
fn level(linker: &Linker, comparison: usize, left: usize, right: usize) -> String {
    linker
        .waterfall(left, right)
        .unwrap()
        .terms
        .into_iter()
        .filter(|term| !term.name.ends_with(", rarity"))
        .nth(comparison + 1)
        .unwrap()
        .level
}

#[test]
fn every_field_of_a_splink_model_comes_back() {
    let model = Model::from_json(LIBRARY).unwrap();
    let (before, after): (Value, Value) =
        (serde_json::from_str(LIBRARY).unwrap(), serde_json::from_str(&model.to_json().unwrap()).unwrap());
    assert_eq!(before, after);
}

#[test]
fn the_comparisons_of_splinks_library_are_understood() {
    let model = Model::from_json(LIBRARY).unwrap();
    let linker = Linker::new(model, &people(), None, Settings::default()).unwrap();
    let expect = |comparison: usize, left: usize, right: usize, wanted: &str| {
        let found = level(&linker, comparison, left, right);
        assert!(found.contains(wanted), "comparison {comparison}, rows {left} and {right}: {found}, expected {wanted}");
    };
    // Forename and surname: exchanged, both alike, one missing.
    expect(0, 0, 1, "Match on reversed cols");
    // Smith and Smyth: 0.867 + 2 · 0.1 · 0.133 = 0.893.
    expect(0, 0, 2, "surname >= 0.88");
    expect(0, 0, 4, "Exact match on first_name");
    expect(0, 0, 3, "All other comparisons");
    // Jaro–Winkler of Ann and Anne is 0.942.
    expect(1, 0, 2, "first_name >= 0.92");
    // Jaro of Smith and Smyth is 0.867.
    expect(2, 0, 2, "All other comparisons");
    // Dates: the same, within a month (20 days), within ten years, no date of this form.
    expect(3, 0, 1, "Exact match on date of birth");
    expect(3, 0, 2, "<= 1 month");
    expect(3, 0, 3, "<= 10 year");
    expect(3, 0, 4, "is NULL");
    expect(4, 0, 2, "<= 2 month");
    expect(5, 0, 1, "Exact match on username");
    expect(5, 0, 2, "Jaro-Winkler distance of email");
    expect(5, 0, 3, "is NULL");
    expect(5, 0, 4, "Exact match on email");
    expect(6, 0, 1, "Exact match on sector");
    expect(6, 0, 2, "Exact match on district");
    expect(6, 0, 3, "All other comparisons");
    expect(7, 0, 2, "Exact match on city");
    // London and Londno: two substitutions, or one exchange.
    expect(8, 0, 1, "<= 2");
    expect(9, 0, 1, "<= 1");
    // The same letters: o, n, l, d.
    expect(10, 0, 1, ">= 0.9");
    // A ten-thousandth of a degree is 11 m, a twentieth 5.6 km.
    expect(11, 0, 1, "less than 1km");
    expect(11, 0, 2, "less than 10km");
    expect(11, 0, 3, "All other comparisons");
    // 4 of 104 is below a tenth; 9 of 109 too; 200 of 300 is not.
    expect(12, 0, 1, "Percentage difference");
    expect(12, 0, 3, "All other comparisons");
    // A surname must be small letters, or it counts as missing: all are.
    expect(13, 0, 1, "is NULL");
    // smi and smy: Jaro–Winkler 0.822.
    expect(14, 0, 2, ">= 0.8");
}
