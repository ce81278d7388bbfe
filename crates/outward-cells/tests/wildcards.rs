//! Wildcard counting against comparing every record with every other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells, compatible_counts, damped_counts, supporting_counts};
use proptest::prelude::*;

type Record = Vec<Option<String>>;

fn count(records: &[Record], keys: usize, weights: Option<&[f64]>) -> Cells {
    let column = |key: usize| -> ArrayRef {
        Arc::new(records.iter().map(|record| record[key].as_deref()).collect::<StringArray>())
    };
    let mut columns: Vec<(String, ArrayRef)> = (0..keys).map(|key| (format!("k{key}"), column(key))).collect();
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    columns
        .extend(weights.map(|weights| ("weight".into(), Arc::new(Float64Array::from(weights.to_vec())) as ArrayRef)));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let request = CellRequest::new(names).weight(weights.map(|_| "weight".into()));
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    counter.observe(&batch, &(1..=records.len() as u64).collect::<Vec<_>>()).unwrap();
    counter.finish().unwrap()
}

fn values(cells: &Cells, cell: usize) -> Record {
    (0..cells.keys().len()).map(|key| cells.value(cell, key).map(str::to_owned)).collect()
}

/// Records of one to six keys with every third value missing, which keys are wild, and weights in quarters, so that
/// plain sums are exact too.
fn samples() -> impl Strategy<Value = (Vec<Record>, Vec<bool>, Vec<f64>)> {
    (1..=6usize, 1..60usize).prop_flat_map(|(keys, records)| {
        let value = prop::option::weighted(0.65, (0..4u8).prop_map(|value| format!("v{value}")));
        (
            prop::collection::vec(prop::collection::vec(value, keys), records),
            prop::collection::vec(prop::bool::weighted(0.8), keys),
            prop::collection::vec((1..40u8).prop_map(|weight| f64::from(weight) * 0.25), records),
        )
    })
}

fn compatible(a: &Record, b: &Record, wild: &[bool]) -> bool {
    (0..wild.len()).all(|key| a[key] == b[key] || wild[key] && (a[key].is_none() || b[key].is_none()))
}

/// Whether `other` matches `own` only since a value is missing in `other`.
fn needs_their_wildcard(own: &Record, other: &Record, wild: &[bool]) -> bool {
    (0..wild.len()).any(|key| wild[key] && other[key].is_none() && own[key].is_some())
}

/// Whether `other` is in the class of `own`: both have most keys, or `other` has all that `own` has.
fn supports(own: &Record, other: &Record, wild: &[bool]) -> bool {
    let most = |record: &Record| {
        let lacking = (0..wild.len()).filter(|key| wild[*key] && record[*key].is_none()).count();
        wild.len() - lacking > wild.len() / 2
    };
    compatible(own, other, wild) && (most(own) && most(other) || !needs_their_wildcard(own, other, wild))
}

proptest! {
    #[test]
    fn class_sizes_equal_comparing_all_pairs_on_any_threads((records, wild, _) in samples()) {
        let cells = count(&records, wild.len(), None);
        let counts = supporting_counts(&cells, &wild, 1);
        for (cell, found) in counts.iter().enumerate() {
            let own = values(&cells, cell);
            let class = records.iter().filter(|other| supports(&own, other, &wild)).count();
            prop_assert_eq!(*found, class as u64);
        }
        prop_assert_eq!(supporting_counts(&cells, &wild, 4), counts);
    }

    #[test]
    fn records_of_a_class_share_a_value_with_a_record_that_has_any((records, _, _) in samples()) {
        let wild = vec![true; records[0].len()];
        for own in records.iter().filter(|own| own.iter().any(Option::is_some)) {
            for other in records.iter().filter(|other| supports(own, other, &wild)) {
                prop_assert!((0..wild.len()).any(|key| own[key].is_some() && own[key] == other[key]));
            }
        }
    }

    #[test]
    fn wildcard_counts_and_weights_equal_comparing_all_pairs_on_any_threads((records, wild, weights) in samples()) {
        let cells = count(&records, wild.len(), Some(&weights));
        let (counts, sums) = compatible_counts(&cells, &wild, 1);
        for cell in 0..cells.len() {
            let own = values(&cells, cell);
            let matching: Vec<usize> =
                (0..records.len()).filter(|at| compatible(&own, &records[*at], &wild)).collect();
            prop_assert_eq!(counts[cell], matching.len() as u64);
            prop_assert_eq!(sums[cell], matching.iter().map(|at| weights[*at]).sum::<f64>());
        }
        let unweighted = compatible_counts(&count(&records, wild.len(), None), &wild, 1);
        prop_assert_eq!(&unweighted.0, &counts);
        prop_assert_eq!(unweighted.1, counts.iter().map(|count| *count as f64).collect::<Vec<_>>());
        for threads in [2, 4] {
            prop_assert_eq!(compatible_counts(&cells, &wild, threads), (counts.clone(), sums.clone()));
        }
    }

    #[test]
    fn damped_counts_equal_comparing_all_pairs((records, wild, weights) in samples(), quarters in 0..=4u8) {
        let alpha = f64::from(quarters) / 4.0;
        let cells = count(&records, wild.len(), Some(&weights));
        let (counts, sums) = damped_counts(&cells, &wild, alpha, 1).unwrap();
        for cell in 0..cells.len() {
            let own = values(&cells, cell);
            let (mut count, mut sum) = (0.0, 0.0);
            for (other, weight) in records.iter().zip(&weights).filter(|(other, _)| compatible(&own, other, &wild)) {
                let share = if needs_their_wildcard(&own, other, &wild) { alpha } else { 1.0 };
                count += share;
                sum += share * weight;
            }
            prop_assert_eq!((counts[cell], sums[cell]), (count, sum));
        }
    }

    #[test]
    fn class_distributions_equal_comparing_all_pairs((mut records, wild, _) in samples()) {
        // The last variable is the one looked at; what it may match does not matter.
        records.iter_mut().enumerate().for_each(|(at, record)| record.push((at % 4 > 0).then(|| format!("s{}", at % 4))));
        let keys = wild.len();
        let cells = count(&records, keys + 1, None);
        let mut expected: BTreeMap<Record, (u64, BTreeMap<u32, u64>)> = BTreeMap::new();
        for record in &records {
            expected.entry(record[..keys].to_vec()).or_default().0 += 1;
        }
        for (own, (_, distribution)) in &mut expected {
            for other in records.iter().filter(|other| supports(own, &other[..keys].to_vec(), &wild)) {
                let code = other[keys].as_ref().map_or(0, |value| cells.keys()[keys].dictionary.code(value).unwrap());
                *distribution.entry(code).or_default() += 1;
            }
        }
        let mut expected: Vec<(u64, Vec<(u32, u64)>)> =
            expected.into_values().map(|(records, codes)| (records, codes.into_iter().collect())).collect();
        let mut found = Vec::new();
        cells.visit_classes(&wild, |records, codes| found.push((records, codes.to_vec())));
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }
}

/// Congruential random numbers, so that larger data are the same in every run.
fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

fn large(rows: usize, keys: usize) -> Vec<Record> {
    let mut state = 7;
    let mut value = || (random(&mut state, 20) > 0).then(|| random(&mut state, 9).to_string());
    (0..rows).map(|_| (0..keys).map(|_| value()).collect()).collect()
}

#[test]
fn enough_cells_for_several_threads_are_counted_as_on_one() {
    let records = large(40_000, 6);
    let weights: Vec<f64> = (0..records.len()).map(|at| 0.1 + at as f64 / 7.0).collect();
    let cells = count(&records, 6, Some(&weights));
    let one = compatible_counts(&cells, &[true; 6], 1);
    for threads in [2, 4] {
        assert_eq!(compatible_counts(&cells, &[true; 6], threads), one);
    }
}

#[test]
fn keys_beyond_64_bits_are_met_as_narrow_ones_are() {
    let records = large(60, 30);
    let cells = count(&records, 30, None);
    let (counts, _) = compatible_counts(&cells, &[true; 30], 2);
    for (cell, found) in counts.iter().enumerate() {
        let own = values(&cells, cell);
        let matching = records.iter().filter(|other| compatible(&own, other, &[true; 30])).count();
        assert_eq!(*found, matching as u64);
    }
}

#[test]
fn a_record_without_any_key_is_compatible_with_everyone_whatever_alpha_is() {
    let text = |value: &str| Some(value.to_owned());
    let records: Vec<Record> = vec![vec![text("F"), text("30")], vec![text("F"), None], vec![None, None]];
    let cells = count(&records, 2, Some(&[2.0, 3.0, 4.0]));
    let empty = (0..cells.len()).find(|cell| values(&cells, *cell) == [None, None]).unwrap();
    let (counts, sums) = compatible_counts(&cells, &[true, true], 1);
    assert_eq!((counts[empty], sums[empty]), (3, 9.0));
    let (counts, sums) = damped_counts(&cells, &[true, true], 0.0, 1).unwrap();
    assert_eq!((counts[empty], sums[empty]), (3.0, 9.0));
    // The complete record is not helped by the other two, and the one without age only by the complete one.
    let complete = (0..cells.len()).find(|cell| values(&cells, *cell) == [text("F"), text("30")]).unwrap();
    assert_eq!((counts[complete], sums[complete]), (1.0, 2.0));
    let without_age = (0..cells.len()).find(|cell| values(&cells, *cell) == [text("F"), None]).unwrap();
    assert_eq!((counts[without_age], sums[without_age]), (2.0, 5.0));
}

#[test]
fn blank_records_and_those_that_lack_most_keys_are_in_nobodys_class() {
    let text = |value: String| Some(value);
    let people = (0..200).map(|at| vec![text(format!("a{at}")), text(format!("b{}", at % 7)), text("c".to_owned())]);
    let blank = std::iter::repeat_n(vec![None, None, None], 10);
    let mostly = std::iter::repeat_n(vec![None, None, text("c".to_owned())], 10);
    let records: Vec<Record> = people.chain(blank).chain(mostly).collect();
    let cells = count(&records, 3, None);
    let sizes = supporting_counts(&cells, &[true; 3], 1);
    let alone = (0..cells.len()).filter(|cell| values(&cells, *cell)[0].is_some());
    assert!(alone.into_iter().all(|cell| sizes[cell] == 1));
    // Everyone could be a record that shows nothing, and all but the blank ones one that shows what all have.
    let of = |record: &[Option<String>]| (0..cells.len()).find(|cell| values(&cells, *cell) == record).unwrap();
    assert_eq!(sizes[of(&[None, None, None])], 220);
    assert_eq!(sizes[of(&[None, None, text("c".to_owned())])], 210);
}

#[test]
fn an_alpha_outside_0_to_1_is_refused() {
    let cells = count(&[vec![Some("a".to_owned())]], 1, None);
    for alpha in [-0.1, 1.1, f64::NAN] {
        let error = damped_counts(&cells, &[true], alpha, 1).unwrap_err();
        assert!(error.help().unwrap().contains("from 0 to 1"), "{error}");
    }
}

#[test]
fn no_records_have_no_counts() {
    let cells = count(&[], 2, None);
    assert_eq!(compatible_counts(&cells, &[true, true], 2), (vec![], vec![]));
    cells.visit_classes(&[true], |_, _| panic!("there is no class"));
}
