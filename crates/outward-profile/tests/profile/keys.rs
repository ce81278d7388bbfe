//! The ranking of keys, on tables small enough to count by hand.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};

use crate::table::profile;

fn text(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// Six records: on each column alone one is unique, on all of them every record but the first two; without the region
/// three are, without the occupation one.
fn six() -> RecordBatch {
    RecordBatch::try_from_iter([
        ("region", text(&["a", "a", "b", "b", "a", "c"])),
        ("occupation", text(&["x", "x", "x", "y", "z", "y"])),
        ("marital_status", text(&["s", "s", "s", "s", "s", "m"])),
    ])
    .unwrap()
}

#[test]
fn keys_are_ranked_by_how_far_they_tell_records_apart() {
    let profile = profile(&six());
    let names: Vec<&str> = profile.keys.iter().map(|key| key.name.as_str()).collect();
    assert_eq!(names, ["region", "occupation", "marital_status"]);
    let alone: Vec<u64> = profile.keys.iter().map(|key| key.uniques_alone).collect();
    assert_eq!(alone, [1, 1, 1]);
}

#[test]
fn what_a_key_adds_and_what_is_lost_without_it_are_shares_of_the_records() {
    let profile = profile(&six());
    let sixths = |share: f64| (share * 6.0).round() as i64;
    let added: Vec<i64> = profile.keys.iter().map(|key| sixths(key.added)).collect();
    let lost: Vec<i64> = profile.keys.iter().map(|key| sixths(key.lost)).collect();
    assert_eq!(added, [1, 3, 0]);
    assert_eq!(lost, [1, 3, 0]);
}

#[test]
fn a_key_that_adds_nothing_is_not_said_to_add_nought_per_cent() {
    let reasons: Vec<String> = profile(&six()).keys.into_iter().map(|key| key.reason).collect();
    assert!(reasons[1].ends_with(
        "By itself it makes 1 of 6 records unique. Together with the keys above it makes 50.0 % more of the records unique. \
         Without it, 50.0 % of the records would no longer be unique."
    ));
    assert!(reasons[2].ends_with("By itself it makes 1 of 6 records unique."), "{}", reasons[2]);
}

#[test]
fn identifiers_are_no_keys() {
    let ids: Vec<String> = (0..200).map(|n| format!("R{n:05}")).collect();
    let regions: Vec<&str> = (0..200).map(|n| if n % 2 == 0 { "a" } else { "b" }).collect();
    let ids: ArrayRef = Arc::new(StringArray::from(ids));
    let table = RecordBatch::try_from_iter([("id", ids), ("region", text(&regions))]).unwrap();
    let names: Vec<String> = profile(&table).keys.into_iter().map(|key| key.name).collect();
    assert_eq!(names, ["region"]);
}
