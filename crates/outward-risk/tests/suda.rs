//! Special uniques against brute force, numbers worked out by hand and the figures of a peer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells};
use outward_risk::suda::{Options, Score, Suda, find_special_uniques};
use proptest::prelude::*;

type Record = Vec<Option<String>>;

fn count(names: &[&str], records: &[Record]) -> Cells {
    let column = |at: usize| Arc::new(records.iter().map(|record| record[at].as_deref()).collect::<StringArray>());
    let columns = names.iter().enumerate().map(|(at, name)| (*name, column(at) as ArrayRef));
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap();
    let request = CellRequest::new(names.iter().copied());
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    counter.observe(&batch, &(1..=records.len() as u64).collect::<Vec<_>>()).unwrap();
    counter.finish().unwrap()
}

/// The records of a text with a header; `missing` stands for a missing value.
fn read(text: &str, separator: impl Fn(char) -> bool + Copy, missing: &str) -> (Vec<String>, Vec<Record>) {
    let mut lines = text.trim().lines().map(|line| line.split(separator).map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let value = |value: String| (value != missing).then_some(value);
    (names, lines.map(|line| line.into_iter().map(value).collect()).collect())
}

/// The ten records of `docs/methods/suda.md`.
const TEN: &str = "
sex age job area
F 30 nurse N
F 30 nurse N
F 30 smith S
F 40 nurse S
M 30 nurse S
M 30 nurse S
M 40 smith N
M 40 smith S
M 40 - N
M 50 smith N";

fn ten() -> Cells {
    let (names, records) = read(TEN, char::is_whitespace, "-");
    count(&names.iter().map(String::as_str).collect::<Vec<_>>(), &records)
}

/// Row, number of minimal uniques, size of the smallest, score; by row.
fn by_row(cells: &Cells, suda: &Suda) -> Vec<(u64, u64, usize, f64)> {
    let row = |cell: usize| cells.first_rows()[cell];
    let mut rows: Vec<_> = suda
        .uniques
        .iter()
        .map(|unique| (row(unique.cell), unique.minimal_uniques, unique.smallest, unique.score))
        .collect();
    rows.sort_by_key(|unique| unique.0);
    rows
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn ten_records_worked_by_hand() {
    let cells = ten();
    let suda = find_special_uniques(&cells, &Options { sampling_fraction: 0.5, ..Options::default() }).unwrap();
    assert_eq!(
        by_row(&cells, &suda),
        [(3, 3, 2, 5.0), (4, 3, 2, 5.0), (7, 1, 3, 1.0), (8, 3, 3, 3.0), (10, 1, 1, 6.0)]
    );
    assert_eq!((suda.minimal_uniques, suda.records, suda.score_sum, suda.capped), (11, 5, 20.0, None));
    assert_eq!(suda.by_size, [1, 4, 6, 0]);
    let percents: Vec<(&str, f64)> = suda.variables.iter().map(|one| (one.variable.as_str(), one.percent)).collect();
    assert_eq!(percents, [("sex", 40.0), ("age", 80.0), ("job", 50.0), ("area", 30.0)]);
    let ages: Vec<(&str, f64)> = suda.variables[1]
        .levels
        .iter()
        .map(|level| (cells.keys()[1].dictionary.value(level.code).unwrap(), level.percent))
        .collect();
    assert_eq!(ages, [("30", 18.75), ("40", 43.75), ("50", 37.5)]);
    assert!(close(suda.dis, 0.6));
    let mut chances: Vec<(u64, f64)> =
        suda.uniques.iter().map(|unique| (cells.first_rows()[unique.cell], unique.dis)).collect();
    chances.sort_by_key(|chance| chance.0);
    let expected = [(3, 0.742734), (4, 0.742734), (7, 0.295025), (8, 0.609982), (10, 0.782281)];
    for ((row, chance), (expected_row, expected)) in chances.iter().zip(expected) {
        assert_eq!(*row, expected_row);
        assert!((chance - expected).abs() < 1e-6);
    }
    assert!((suda.dis_sum - 3.172756).abs() < 1e-6);
}

#[test]
fn a_cap_leaves_out_larger_minimal_uniques_and_keeps_the_ratios_of_the_weights() {
    let cells = ten();
    let suda = find_special_uniques(&cells, &Options { max_size: Some(2), ..Options::default() }).unwrap();
    // Weights 3·2 for one key and 2 for two.
    assert_eq!(by_row(&cells, &suda), [(3, 2, 2, 4.0), (4, 2, 2, 4.0), (10, 1, 1, 6.0)]);
    assert_eq!((suda.by_size, suda.capped), (vec![1, 4], Some(2)));
    let beyond = find_special_uniques(&cells, &Options { max_size: Some(4), ..Options::default() }).unwrap();
    assert_eq!(beyond, find_special_uniques(&cells, &Options::default()).unwrap());
}

#[test]
fn the_ihsn_form_gives_no_weight_to_a_unique_that_needs_all_keys() {
    // Two records per value of each key, so that only both keys together single them out.
    let (_, records) = read("a b\n1 1\n1 2\n2 1\n2 2", char::is_whitespace, "-");
    let cells = count(&["a", "b"], &records);
    let suda = find_special_uniques(&cells, &Options { form: Score::Ihsn, ..Options::default() }).unwrap();
    assert_eq!((suda.minimal_uniques, suda.records, suda.score_sum, suda.dis_sum), (4, 4, 0.0, 0.0));
    assert_eq!(suda.variables[0].percent, 0.0);
}

#[test]
fn files_without_records_or_uniques_have_nothing_to_score() {
    let (_, twice) = read("a b\n1 1\n1 1", char::is_whitespace, "-");
    for cells in [count(&["a", "b"], &[]), count(&["a", "b"], &twice)] {
        let suda = find_special_uniques(&cells, &Options::default()).unwrap();
        assert_eq!((suda.minimal_uniques, suda.records, suda.score_sum, suda.dis_sum, suda.dis), (0, 0, 0.0, 0.0, 0.0));
        assert!(suda.score_sum.is_sign_positive() && suda.dis_sum.is_sign_positive());
    }
    let single = find_special_uniques(&count(&["a", "b"], &twice[..1]), &Options::default()).unwrap();
    assert_eq!((single.by_size, single.score_sum, single.dis_sum), (vec![2, 0], 2.0, 1.0));
}

#[test]
fn senseless_questions_are_refused() {
    let cells = ten();
    for sampling_fraction in [0.0, -0.1, 1.5, f64::NAN] {
        let refused = find_special_uniques(&cells, &Options { sampling_fraction, ..Options::default() }).unwrap_err();
        assert!(refused.fault().is_some_and(|fault| fault.help.is_some()));
    }
    assert!(find_special_uniques(&cells, &Options { max_size: Some(0), ..Options::default() }).is_err());
    let names: Vec<String> = (0..30).map(|key| format!("k{key}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let wide = count(&names, &[vec![Some("1".to_owned()); 30], vec![Some("2".to_owned()); 30]]);
    assert!(find_special_uniques(&wide, &Options::default()).unwrap_err().to_string().contains("30 keys"));
    let capped = find_special_uniques(&wide, &Options { max_size: Some(3), ..Options::default() }).unwrap();
    assert_eq!(capped.by_size, [60, 0, 0]);
}

mod real_data {
    use outward_testing::real_data::text;

    use super::*;

    #[test]
    fn seven_keys_of_ten_thousand_people_score_as_in_sdcmicro() {
        let text = text("keys_10k.csv.gz");
        let (names, records) = read(&text, |character| character == ',', "");
        let keys = ["sex", "age", "race", "marital", "education", "country", "workclass"];
        let positions: Vec<usize> = keys.iter().map(|key| names.iter().position(|name| name == key).unwrap()).collect();
        let records: Vec<Record> =
            records.iter().map(|record| positions.iter().map(|at| record[*at].clone()).collect()).collect();
        let cells = count(&keys, &records);
        let suda = find_special_uniques(&cells, &Options::default()).unwrap();
        assert_eq!(suda.score_sum, 221_906.0);
        for threads in [2, 4] {
            assert_eq!(find_special_uniques(&cells, &Options { threads, ..Options::default() }).unwrap(), suda);
        }
    }

    #[test]
    fn adult_has_the_same_special_uniques_on_any_number_of_threads() {
        let text = text("adult/arx_adult_30162.csv.gz");
        let (names, records) = read(&text, |character| character == ';', "?");
        let cells = count(&names.iter().map(String::as_str).collect::<Vec<_>>(), &records);
        let suda = find_special_uniques(&cells, &Options::default()).unwrap();
        assert_eq!((suda.minimal_uniques, suda.score_sum), (62_809, 20_402_731.0));
        for threads in [2, 4] {
            assert_eq!(find_special_uniques(&cells, &Options { threads, ..Options::default() }).unwrap(), suda);
        }
    }
}

/// What brute force finds: per row its minimal uniques as sets of keys.
fn brute_force(records: &[Record], longest: usize) -> BTreeMap<u64, Vec<u32>> {
    let keys = records[0].len();
    let mut subsets: Vec<u32> = (1..1 << keys).filter(|set: &u32| set.count_ones() as usize <= longest).collect();
    subsets.sort_by_key(|set| set.count_ones());
    let mut found = BTreeMap::new();
    for (row, record) in (1..).zip(records) {
        let mut minimal: Vec<u32> = Vec::new();
        for set in &subsets {
            let of = |key: &usize| set >> key & 1 == 1;
            let equal =
                |other: &&Record| (0..keys).filter(of).all(|key| record[key].is_some() && other[key] == record[key]);
            if records.iter().filter(equal).count() == 1 && minimal.iter().all(|smaller| smaller & set != *smaller) {
                minimal.push(*set);
            }
        }
        if !minimal.is_empty() {
            found.insert(row, minimal);
        }
    }
    found
}

fn files() -> impl Strategy<Value = Vec<Record>> {
    prop::collection::vec(1u8..5, 1..7).prop_flat_map(|values| {
        let value = |most: u8| prop::option::weighted(0.9, (0..most).prop_map(|value| value.to_string()));
        prop::collection::vec(values.into_iter().map(value).collect::<Vec<_>>(), 1..40)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn scores_and_contributions_are_those_of_brute_force(records in files(), cap in 1usize..8, threads in 1usize..4) {
        let keys = records[0].len();
        let names: Vec<String> = (0..keys).map(|key| format!("k{key}")).collect();
        let cells = count(&names.iter().map(String::as_str).collect::<Vec<_>>(), &records);
        let options = Options { max_size: Some(cap), form: Score::Ihsn, threads, ..Options::default() };
        let suda = find_special_uniques(&cells, &options).unwrap();
        let expected = brute_force(&records, cap);

        let factorial = |n: usize| (1..=n).map(|factor| factor as f64).product::<f64>();
        let weight = |set: &u32| {
            let size = set.count_ones() as usize;
            ((1u64 << (keys - size)) - 1) as f64 * factorial(size) * factorial(keys - size) / factorial(keys)
        };
        let mut rows: BTreeMap<u64, (u64, f64)> = BTreeMap::new();
        for unique in &suda.uniques {
            rows.insert(cells.first_rows()[unique.cell], (unique.minimal_uniques, unique.score));
        }
        prop_assert_eq!(rows.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (row, minimal) in &expected {
            let (number, score) = rows[row];
            prop_assert_eq!(number, minimal.len() as u64);
            prop_assert!(close(score, minimal.iter().map(weight).sum()));
        }
        let total: f64 = expected.values().flatten().map(weight).sum();
        prop_assert!(close(suda.score_sum, total));
        for (key, contribution) in suda.variables.iter().enumerate() {
            let with = |set: &&u32| *set >> key & 1 == 1;
            let own: f64 = expected.values().flatten().filter(with).map(weight).sum();
            let percent = if total > 0.0 { 100.0 * own / total } else { 0.0 };
            prop_assert!(close(contribution.percent, percent));
            for level in &contribution.levels {
                let value = cells.keys()[key].dictionary.value(level.code);
                let here = |(row, _): &(&u64, &Vec<u32>)| records[**row as usize - 1][key].as_deref() == value;
                let part: f64 =
                    expected.iter().filter(here).flat_map(|(_, minimal)| minimal).filter(with).map(weight).sum();
                prop_assert!(close(level.percent, 100.0 * part / own));
            }
        }
    }
}
