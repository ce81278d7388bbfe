//! Requests at the edge of what steps take, which once made them stop in the middle or refuse what they had advised.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_microdata::steps::{Setting, WholeStep};
use outward_microdata::suppress::{Blanks, Constraint, Request, Suppressed, suppress};
use outward_spec::Missing::{self, Category, Wildcard};
use outward_spec::{Result, Spec, Step};

const RECORDS: usize = 6;

/// Records of which the first differs from the others on the last `differing` keys.
fn suppress_on(keys: usize, differing: usize, missing: Missing, blanks: Blanks) -> Result<Suppressed> {
    let code = |row: usize, key: usize| if row == 0 && key >= keys - differing { 2 } else { 1 };
    let codes: Vec<Vec<u32>> = (0..keys).map(|key| (0..RECORDS).map(|row| code(row, key)).collect()).collect();
    suppress(&Request {
        keys: &codes.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        missing: &vec![missing; keys],
        constraints: &[Constraint { keys: (0..keys).collect(), k: 2, rows: None }],
        importance: &vec![1.0; keys],
        blanks,
        threads: 1,
    })
}

#[test]
fn a_record_that_differs_on_any_of_63_keys_loses_just_these() {
    for differing in [1, 2, 63] {
        for blanks in [Blanks::Shared, Blanks::Own] {
            let found = suppress_on(63, differing, Wildcard, blanks).unwrap();
            assert_eq!((found.below_k, found.cells), (1, differing as u64), "{blanks:?}");
            assert_eq!(found.masks[0], (u64::MAX >> 1) & !(u64::MAX >> 1 >> differing));
        }
    }
    // Where missing is a category, another record must become equal to it.
    let found = suppress_on(63, 1, Category, Blanks::Shared).unwrap();
    assert_eq!(found.cells, 2);
    assert_eq!(found.masks.iter().filter(|mask| **mask == 1 << 62).count(), 2);
}

#[test]
fn a_64th_key_is_refused_in_words() {
    for keys in [64, 65, 200] {
        for missing in [Wildcard, Category] {
            let error = suppress_on(keys, 1, missing, Blanks::Shared).unwrap_err();
            assert!(error.to_string().contains(&format!("{keys} keys are more")), "{error}");
            assert!(error.help().unwrap().contains("at most 63 keys"), "{error}");
        }
    }
}

/// A hundred people, of whom so many are alone in their ward.
fn people(alone: usize) -> RecordBatch {
    let ward = |row: usize| Some(if row < alone { format!("ward {row}") } else { "large".to_owned() });
    let wards: ArrayRef = Arc::new((0..100).map(ward).collect::<StringArray>());
    RecordBatch::try_from_iter([("ward", wards)]).unwrap()
}

#[test]
fn every_limit_that_is_advised_is_accepted() {
    let text = "data = { path = \"people.csv\" }\n[policy]\nk = 2\n[[variables]]\nname = \"ward\"\nrole = \"key\"\n";
    let setting = Arc::new(Setting::new(Spec::parse(text, "outward.toml").unwrap(), 1).unwrap());
    let rows: Vec<u64> = (1..=100).collect();
    for alone in 1..=98 {
        let leave_out = |limit: f64| {
            let step = WholeStep::new(Step::SuppressRecords { limit }, 0, setting.clone()).unwrap();
            step.apply(&people(alone), &rows)
        };
        // One record too few.
        let refused = leave_out((alone - 1) as f64 / 100.0).unwrap_err();
        let help = refused.help().unwrap();
        let limit = help.strip_prefix("raise the limit to ").unwrap().split_once(", ").unwrap().0;
        let left = leave_out(limit.parse().unwrap()).unwrap().records.num_rows();
        assert_eq!(left, 100 - alone, "a limit of {limit}");
    }
}
