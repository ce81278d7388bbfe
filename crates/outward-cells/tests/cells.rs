//! Cells against the plainest possible counting: a map from the values of a record to a number.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells, Recoding, Tabulated, combinations, tables};
use proptest::prelude::*;

type Record = Vec<Option<String>>;

fn names(keys: usize) -> Vec<String> {
    (0..keys).map(|key| format!("k{key}")).collect()
}

/// Records as a batch, the last column the weight. Odd keys are dictionary arrays, so both paths are taken.
fn batch(records: &[Record], weights: &[f64], keys: usize) -> RecordBatch {
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for key in 0..keys {
        let values: Vec<Option<&str>> = records.iter().map(|record| record[key].as_deref()).collect();
        let array: ArrayRef = if key % 2 == 1 {
            Arc::new(values.into_iter().collect::<DictionaryArray<arrow_array::types::Int32Type>>())
        } else {
            Arc::new(StringArray::from(values))
        };
        columns.push((format!("k{key}"), array));
    }
    columns.push(("weight".into(), Arc::new(Float64Array::from(weights.to_vec()))));
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Counts in `parts` counters, batches of `step` records dealt out in turn.
fn count(records: &[Record], weights: &[f64], keys: usize, step: usize, parts: usize) -> Cells {
    let request = CellRequest::new(names(keys)).weight(Some("weight".into()));
    let schema = batch(&[], &[], keys).schema();
    let mut counters: Vec<_> = (0..parts).map(|_| CellCounter::new(&schema, &request).unwrap()).collect();
    for (turn, start) in (0..records.len()).step_by(step).enumerate() {
        let end = (start + step).min(records.len());
        let rows: Vec<u64> = (start as u64 + 1..=end as u64).collect();
        counters[turn % parts].observe(&batch(&records[start..end], &weights[start..end], keys), &rows).unwrap();
    }
    Cells::merge(counters.into_iter().map(|counter| counter.finish().unwrap()).collect()).unwrap()
}

type Expected = BTreeMap<Record, (u64, u64, f64)>;

fn by_hand(records: &[Record], weights: &[f64], of: impl Fn(&Record) -> Record) -> Expected {
    let mut expected = Expected::new();
    for (at, record) in records.iter().enumerate() {
        let cell = expected.entry(of(record)).or_insert((0, u64::MAX, 0.0));
        cell.0 += 1;
        cell.1 = cell.1.min(at as u64 + 1);
        cell.2 += weights[at];
    }
    expected
}

fn listed(cells: &Cells) -> Expected {
    (0..cells.len())
        .map(|cell| {
            let values = (0..cells.keys().len()).map(|key| cells.value(cell, key).map(str::to_owned)).collect();
            (values, (cells.counts()[cell], cells.first_rows()[cell], cells.weight(cell)))
        })
        .collect()
}

fn records(keys: usize) -> impl Strategy<Value = Vec<Record>> {
    let value = prop::option::weighted(0.85, (0..6u8).prop_map(|value| format!("v{value}")));
    prop::collection::vec(prop::collection::vec(value, keys), 0..80)
}

/// Multiples of a quarter, so that plain sums are exact too.
fn weights(records: &[Record]) -> Vec<f64> {
    (0..records.len()).map(|at| f64::from(at as u32 % 7) * 0.25 + 0.5).collect()
}

fn coarse(value: &str) -> Option<String> {
    (value != "v5").then(|| if value < "v3" { "low".to_owned() } else { "high".to_owned() })
}

proptest! {
    #[test]
    fn cells_equal_counting_records_whatever_the_batches_and_threads(
        records in records(4), step in 1..20usize, parts in 1..4usize
    ) {
        let weights = weights(&records);
        let cells = count(&records, &weights, 4, step, parts);
        prop_assert_eq!(cells.records(), records.len() as u64);
        prop_assert_eq!(listed(&cells), by_hand(&records, &weights, Clone::clone));
        prop_assert_eq!(cells, count(&records, &weights, 4, records.len().max(1), 1));
    }

    #[test]
    fn margins_from_cells_equal_margins_from_records(
        records in records(4), selected in Just(vec![0usize, 1, 2, 3]).prop_shuffle(), size in 0..5usize
    ) {
        let weights = weights(&records);
        let selected = &selected[..size];
        let margin = count(&records, &weights, 4, 7, 2).margin(selected);
        let expected = by_hand(&records, &weights, |record| selected.iter().map(|key| record[*key].clone()).collect());
        prop_assert_eq!(listed(&margin), expected);
    }

    #[test]
    fn recoded_cells_equal_cells_of_recoded_records(records in records(3)) {
        let weights = weights(&records);
        let cells = count(&records, &weights, 3, 5, 2);
        let recoding = Recoding::new(&cells.keys()[1].dictionary, coarse);
        let recoded = cells.recode(&[(1, &recoding)]);
        let expected = by_hand(&records, &weights, |record| {
            let mut record = record.clone();
            record[1] = record[1].as_deref().and_then(coarse);
            record
        });
        prop_assert_eq!(listed(&recoded), expected);
    }

    #[test]
    fn every_m_way_table_equals_its_margin(records in records(5), k in 2..6u64, threads in 1..4usize) {
        let cells = count(&records, &weights(&records), 5, 9, 1);
        let expected: Vec<Tabulated> = (1..=4)
            .flat_map(|size| combinations(5, size))
            .map(|keys| Tabulated::from_counts(keys.clone(), cells.margin(&keys).counts().iter().copied(), k))
            .collect();
        prop_assert_eq!(tables(&cells, 1..=4, k, threads), expected);
    }
}

#[test]
fn twenty_wide_keys_are_counted_in_128_bits() {
    let records: Vec<Record> =
        (0..300).map(|at| (0..20).map(|key| Some(format!("{}", (at * (key + 1)) % 41))).collect()).collect();
    let weights = weights(&records);
    let cells = count(&records, &weights, 20, 16, 2);
    assert_eq!(listed(&cells), by_hand(&records, &weights, Clone::clone));
    assert_eq!(listed(&cells.margin(&[3, 17])).len(), cells.margin(&[3, 17]).len());
}

#[test]
fn keys_beyond_128_bits_are_refused_with_the_number() {
    let keys = 20;
    let records: Vec<Record> = (0..300).map(|at| (0..keys).map(|_| Some(format!("{at}"))).collect()).collect();
    let request = CellRequest::new(names(keys));
    let batch = batch(&records, &weights(&records), keys);
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    let rows: Vec<u64> = (1..=300).collect();
    let error = counter.observe(&batch, &rows).unwrap_err();
    assert!(error.to_string().contains("20 keys"), "{error}");
    assert!(error.to_string().contains("180 bits"), "{error}");
}

#[test]
fn cells_that_do_not_fit_are_refused_with_how_many_they_are() {
    let records: Vec<Record> = (0..20_000).map(|at| vec![Some(format!("{at}"))]).collect();
    let request = CellRequest::new(names(1)).memory(Some(1 << 20));
    let batch = batch(&records, &weights(&records), 1);
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    let rows: Vec<u64> = (1..=20_000).collect();
    let error = counter.observe(&batch, &rows).unwrap_err();
    assert!(error.to_string().contains("do not fit"), "{error}");
    assert!(error.help().unwrap().contains("--memory"));
}

#[test]
fn a_key_that_does_not_exist_is_answered_with_the_nearest_name() {
    let schema = batch(&[], &[], 2).schema();
    let request = CellRequest::new(["wieght"]);
    let error = CellCounter::new(&schema, &request).unwrap_err();
    assert_eq!(error.help().unwrap(), "did you mean `weight`?");
}

#[test]
fn a_weight_that_stands_for_nobody_is_refused_with_its_row() {
    let word = "not above 0";
    for weights in [[1.0, f64::NAN], [1.0, -2.0], [1.0, 0.0]] {
        let batch = batch(&[vec![Some("a".into())], vec![Some("b".into())]], &weights, 1);
        let request = CellRequest::new(names(1)).weight(Some("weight".into()));
        let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
        let error = counter.observe(&batch, &[7, 8]).unwrap_err();
        assert!(error.to_string().contains("row 8") && error.to_string().contains(word), "{error}");
    }
}

#[test]
fn whole_numbers_sort_as_numbers_and_dates_as_dates() {
    let ages: ArrayRef = Arc::new(Int64Array::from(vec![Some(100), Some(9), None, Some(-1), Some(20_000)]));
    let days: ArrayRef = Arc::new(arrow_array::Date32Array::from(vec![Some(0), Some(-1), Some(365), None, Some(0)]));
    let batch = RecordBatch::try_from_iter([("age", ages), ("born", days)]).unwrap();
    let request = CellRequest::new(["age", "born"]);
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    counter.observe(&batch, &[1, 2, 3, 4, 5]).unwrap();
    let cells = counter.finish().unwrap();
    assert_eq!(cells.keys()[0].dictionary.values().collect::<Vec<_>>(), ["-1", "9", "100", "20000"]);
    assert_eq!(cells.keys()[1].dictionary.values().collect::<Vec<_>>(), ["1969-12-31", "1970-01-01", "1971-01-01"]);
    assert_eq!(cells.value(0, 0), None);
}
