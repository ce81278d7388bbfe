//! Judging finished data: against plain recounts, against the measures of an assessment, and in words.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use outward_cells::{CellCounter, CellRequest, Cells};
use outward_microdata::judge::{CellTable, judge};
use outward_microdata::models::{AskedModels, Distance, DiversityKind, SensitiveVariable, WeakK};
use outward_risk::classes::Classes;
use outward_risk::diversity::measure_sensitive;
use proptest::prelude::*;

fn names(keys: usize) -> Vec<String> {
    (0..keys).map(|key| format!("key{key}")).collect()
}

/// Cells of rows of small numbers, of which 0 is missing.
fn cells(rows: &[Vec<u32>], variables: usize) -> Cells {
    let keys = names(variables);
    let fields: Vec<Field> = keys.iter().map(|name| Field::new(name, DataType::Int64, true)).collect();
    let column = |key: usize| -> ArrayRef {
        Arc::new(Int64Array::from_iter(rows.iter().map(|row| (row[key] > 0).then_some(i64::from(row[key])))))
    };
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), (0..variables).map(column).collect()).unwrap();
    let mut counter = CellCounter::new(&batch.schema(), &CellRequest::new(keys)).unwrap();
    counter.observe(&batch, &(1..=rows.len() as u64).collect::<Vec<_>>()).unwrap();
    counter.finish().unwrap()
}

/// One cell per row.
fn table(rows: &[Vec<u32>], keys: usize, wild: &[bool]) -> CellTable {
    let column = |key: usize| rows.iter().map(|row| row[key]).collect();
    CellTable::new((0..keys).map(column).collect(), vec![1; rows.len()]).unwrap().with_wild(wild.to_vec()).unwrap()
}

/// Whether `b` counts for `a`: they agree where both have a value, and both have most keys or `b` has all that `a` has.
fn supports(a: &[u32], b: &[u32], keys: &[usize], wild: &[bool]) -> bool {
    let has = |row: &[u32], key: usize| !wild[key] || row[key] != 0;
    let most = |row: &[u32]| keys.iter().filter(|key| has(row, **key)).count() * 2 > keys.len();
    let agree = keys.iter().all(|key| !has(a, *key) || !has(b, *key) || a[*key] == b[*key]);
    agree && (most(a) && most(b) || keys.iter().all(|key| !has(a, *key) || has(b, *key)))
}

/// Records of a subset below k on some keys, and the least count, by comparing all pairs.
fn recount(rows: &[Vec<u32>], keys: &[usize], wild: &[bool], within: &[bool], k: usize) -> (u64, usize) {
    let members: Vec<&Vec<u32>> = rows.iter().zip(within).filter(|(_, within)| **within).map(|(row, _)| row).collect();
    let size = |row: &&Vec<u32>| members.iter().filter(|other| supports(row, other, keys, wild)).count();
    let sizes: Vec<usize> = members.iter().map(size).collect();
    (sizes.iter().filter(|size| **size < k).count() as u64, sizes.iter().copied().min().unwrap_or(0))
}

fn rows(variables: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(0u32..4, variables), 1..40)
}

proptest! {
    #[test]
    fn weak_k_agrees_with_comparing_all_pairs(
        rows in rows(3), wild in prop::collection::vec(any::<bool>(), 3), within in prop::collection::vec(any::<bool>(), 40), k in 1u64..6,
    ) {
        let asked = AskedModels {
            keys: names(3),
            subsets: vec!["marked".into()],
            weak: vec![
                WeakK { keys: vec![0, 2], subset: None, k },
                WeakK { keys: vec![2, 1], subset: Some(0), k },
            ],
            ..AskedModels::default()
        };
        let within = &within[..rows.len()];
        let table = table(&rows, 3, &wild).with_subset(within.iter().map(|within| u64::from(*within)).collect()).unwrap();
        let verdicts = judge(&asked.models().unwrap(), &table).unwrap();
        let all = vec![true; rows.len()];
        for (verdict, (keys, within)) in verdicts.iter().zip([(vec![0, 2], &all[..]), (vec![2, 1], within)]) {
            let (below, least) = recount(&rows, &keys, &wild, within, k as usize);
            prop_assert_eq!((verdict.records, verdict.holds), (below, below == 0));
            prop_assert_eq!(verdict.worst.unwrap_or(0.0), least as f64);
        }
    }

    #[test]
    fn all_pairs_of_keys_holding_means_single_keys_hold_too(
        rows in rows(4), wild in prop::collection::vec(any::<bool>(), 4), k in 1u64..6,
    ) {
        let ask = |size| AskedModels { keys: names(4), all_combinations: Some((size, k)), ..AskedModels::default() }.models().unwrap();
        let table = table(&rows, 4, &wild);
        let of = |size| judge(&ask(size), &table).unwrap().remove(0);
        let (singles, pairs, whole) = (of(1), of(2), of(9));
        prop_assert!(singles.holds || !pairs.holds);
        prop_assert!(pairs.holds || !whole.holds);
        prop_assert!(singles.records <= pairs.records && pairs.records <= whole.records);
        let every: Vec<Vec<usize>> =
            (0..4).flat_map(|a| (a + 1..4).map(move |b| vec![a, b]).chain([vec![a]])).collect();
        let all = vec![true; rows.len()];
        let least = every.iter().map(|keys| recount(&rows, keys, &wild, &all, 0).1).min();
        prop_assert_eq!(pairs.worst.map(|worst| worst as usize), least);
    }

    #[test]
    fn classes_and_averages_agree_with_an_assessment(rows in rows(3), wild in prop::collection::vec(any::<bool>(), 3)) {
        let cells = cells(&rows, 3);
        let (classes, k) = (Classes::from_cells(&cells, &wild), 3);
        let asked = AskedModels {
            keys: names(3),
            k: Some(k),
            average_risk: Some(0.5),
            max_unique_share: Some(0.1),
            sampling_fraction: Some(1.0),
            population_unique_share: Some(0.1),
            ..AskedModels::default()
        };
        let table = CellTable::of_cells(&cells, 3).unwrap().with_wild(wild).unwrap().with_sampling_fraction(Some(1.0));
        let verdicts = judge(&asked.models().unwrap(), &table).unwrap();
        let (measure, chances) = (classes.measure(k), classes.prosecutor(k).unwrap());
        prop_assert_eq!((verdicts[0].records, verdicts[0].worst), (measure.below_k, Some(measure.k as f64)));
        prop_assert!((verdicts[1].worst.unwrap() - chances.average).abs() < 1e-12);
        prop_assert_eq!(verdicts[2].worst, Some(measure.uniques as f64 / measure.records as f64));
        let alone = cells.counts().iter().filter(|count| **count == 1).count();
        prop_assert!((verdicts[3].worst.unwrap() - alone as f64 / rows.len() as f64).abs() < 1e-12);
    }

    #[test]
    fn diversity_and_closeness_agree_with_an_assessment(
        rows in rows(4), wild in prop::collection::vec(any::<bool>(), 3), l in 1u64..4, t in 0.0f64..0.6,
    ) {
        let cells = cells(&rows, 4);
        let measured = measure_sensitive(&cells, &wild, Some(l), Some(t));
        let table = CellTable::of_cells(&cells, 3).unwrap().with_wild(wild).unwrap();
        let verdict = |distance, diversity, t| {
            let sensitive = vec![SensitiveVariable { name: "illness".into(), complete: false, whole: vec![(1, 1)], distance }];
            judge(&AskedModels { sensitive, diversity, t, ..AskedModels::default() }.models().unwrap(), &table).unwrap().remove(0)
        };
        let diverse = |kind| verdict(Distance::Equal, Some(kind), None);
        let distinct = diverse(DiversityKind::Distinct { l });
        let equal = verdict(Distance::Equal, None, Some(t));
        let Some(measured) = measured else {
            prop_assert!(distinct.holds && equal.holds && distinct.worst.is_none());
            return Err(TestCaseError::reject("no class has an illness"));
        };
        prop_assert_eq!((distinct.worst, distinct.records), (Some(measured.distinct_l as f64), measured.below_l));
        prop_assert_eq!(diverse(DiversityKind::Recursive { c: 2.0, l }).worst, Some(measured.recursive_l as f64));
        let entropy = diverse(DiversityKind::Entropy { l: 2.0 }).worst.unwrap();
        prop_assert!((entropy - measured.entropy_l).abs() < 1e-9);
        prop_assert!((equal.worst.unwrap() - measured.t_equal).abs() < 1e-12);
        prop_assert_eq!(equal.records, measured.above_t);
        let ordered = verdict(Distance::Ordered, None, Some(t)).worst.unwrap();
        prop_assert!((ordered - measured.t_ordered.unwrap()).abs() < 1e-12);
    }
}

/// Ten people by sex and age: F30 three, F40 one, M30 two, M40 three, M50 one.
fn ten_people() -> CellTable {
    CellTable::new(vec![vec![1, 1, 2, 2, 2], vec![30, 40, 30, 40, 50]], vec![3, 1, 2, 3, 1]).unwrap()
}

#[test]
fn a_verdict_says_what_fails_by_how_much_and_what_would_hold() {
    let asked = AskedModels {
        keys: vec!["sex".into(), "age".into()],
        sensitive: vec![SensitiveVariable {
            name: "illness".into(),
            complete: false,
            whole: Vec::new(),
            distance: Distance::Equal,
        }],
        k: Some(3),
        weak: vec![WeakK { keys: vec![0], subset: None, k: 4 }],
        t: Some(0.2),
        average_risk: Some(0.2),
        highest_risk: Some(0.5),
        max_unique_share: Some(0.1),
        sampling_fraction: Some(0.1),
        population_unique_share: Some(0.01),
        ..AskedModels::default()
    };
    let illnesses = [(0, 1, 3), (1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1), (3, 0, 2), (4, 1, 1)];
    let table = ten_people().with_sensitive(illnesses).unwrap();
    let words: Vec<String> =
        judge(&asked.models().unwrap(), &table).unwrap().iter().map(|verdict| verdict.words()).collect();
    let expected = [
        "k-anonymity with k = 3 does not hold: 3 combinations fail, with 4 records; records that share all keys: 1 at worst, \
         at least 3 asked; k = 1 would hold",
        "weak k-anonymity with k = 4 on sex holds",
        "t-closeness of `illness` with t = 0.2 (equal distance) does not hold: 5 combinations fail, with 10 records; \
         distance of `illness` in a class from the whole: 0.7500 at worst, at most 0.2 asked; t = 0.75 would hold",
        "highest risk at most 0.5 (k = 2) does not hold: 2 combinations fail, with 2 records; records that share all keys: \
         1 at worst, at least 2 asked; highest risk = 1 would hold",
        "average risk at most 0.2 does not hold: average risk: 0.5000 at worst, at most 0.2 asked; average risk = 0.5 would \
         hold",
        "share of records alone at most 0.1 does not hold: share of records alone: 0.2000 at worst, at most 0.1 asked; \
         share of records alone = 0.2 would hold",
        "share of population uniques at most 0.01 does not hold: estimated share of population uniques cannot be computed",
    ];
    assert_eq!(words, expected);
}

#[test]
fn without_a_sampling_fraction_population_uniques_cannot_be_told() {
    let asked = AskedModels {
        keys: names(2),
        sampling_fraction: Some(0.1),
        population_unique_share: Some(0.5),
        ..AskedModels::default()
    };
    let verdict = judge(&asked.models().unwrap(), &ten_people()).unwrap().remove(0);
    assert!(!verdict.holds && verdict.worst.is_none() && verdict.met_by.is_none());
    assert!(verdict.words().ends_with("estimated share of population uniques cannot be computed"));
}

#[test]
fn a_population_is_compared_class_by_class() {
    let asked = AskedModels {
        keys: names(2),
        has_population: true,
        k_map: Some(5),
        presence: Some((0.0, 0.5)),
        ..AskedModels::default()
    };
    let table = ten_people().with_population(vec![10, 4, 4, 6, 9]).unwrap();
    let verdicts = judge(&asked.models().unwrap(), &table).unwrap();
    // Shares in the file: 3/10, 1/4, 2/4, 3/6, 1/9.
    assert!(verdicts[0].holds && verdicts[0].worst == Some(0.5));
    // People: 4 with F40 and 4 with M30.
    assert_eq!((verdicts[1].failing, verdicts[1].records, verdicts[1].worst), (2, 3, Some(4.0)));
}

#[test]
fn a_file_without_records_meets_everything() {
    let empty = CellTable::new(vec![Vec::new(), Vec::new()], Vec::new()).unwrap().with_sensitive([]).unwrap();
    let asked = AskedModels {
        keys: names(2),
        sensitive: vec![SensitiveVariable {
            name: "illness".into(),
            complete: false,
            whole: Vec::new(),
            distance: Distance::Ordered,
        }],
        k: Some(3),
        t: Some(0.1),
        average_risk: Some(0.1),
        sampling_fraction: Some(0.1),
        population_unique_share: Some(0.0),
        ..AskedModels::default()
    };
    assert!(judge(&asked.models().unwrap(), &empty).unwrap().iter().all(|verdict| verdict.holds));
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    assert!(CellTable::new(vec![vec![1, 2], vec![1]], vec![1, 1]).is_err());
    assert!(ten_people().with_population(vec![1]).is_err());
    assert!(ten_people().with_subset(vec![9; 5]).is_err());
    assert!(ten_people().with_sensitive([(7, 1, 1)]).is_err());
    let wide = CellTable::new(vec![vec![u32::MAX]; 5], vec![1]).unwrap();
    assert!(judge(&[], &wide).unwrap_err().to_string().contains("128 is the most"));
}
