//! Numbers of a JSON file made as large, as small and as odd as JSON can write them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

/// What stands in the place of a number.
const EXTREMES: [&str; 8] =
    ["9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e30", "-1e308", "-1", "0", "\"NaN\""];

/// The places of some numbers: of those whose paths differ only by positions in lists, the first and the last.
fn places(value: &Value) -> Vec<String> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut open = vec![(String::new(), String::new(), value)];
    while let Some((place, kind, value)) = open.pop() {
        match value {
            Value::Number(_) => found.entry(kind).or_default().push(place),
            Value::Array(list) => {
                open.extend(list.iter().enumerate().map(|(at, of)| (format!("{place}/{at}"), format!("{kind}/*"), of)));
            }
            Value::Object(fields) => {
                let key = |name: &String| name.replace('~', "~0").replace('/', "~1");
                open.extend(
                    fields.iter().map(|(at, of)| (format!("{place}/{}", key(at)), format!("{kind}/{}", key(at)), of)),
                );
            }
            _ => {}
        }
    }
    let ends = |places: Vec<String>| [places.first().cloned(), places.last().cloned()];
    let mut places: Vec<String> = found.into_values().flat_map(ends).flatten().collect();
    places.dedup();
    places
}

/// Puts every extreme in the place of every number of a text of JSON. The answer is where `answers` panics.
pub fn panics(text: &str, answers: impl Fn(&str)) -> Vec<String> {
    let value: Value = serde_json::from_str(text).unwrap();
    let places = places(&value);
    assert!(places.len() > 3, "there are numbers to change");
    let mut wrong = Vec::new();
    for place in places {
        for extreme in EXTREMES {
            let mut changed = value.clone();
            *changed.pointer_mut(&place).unwrap() = "EXTREME".into();
            let changed = changed.to_string().replace("\"EXTREME\"", extreme);
            if catch_unwind(AssertUnwindSafe(|| answers(&changed))).is_err() {
                wrong.push(format!("{place} = {extreme}"));
            }
        }
    }
    wrong
}
