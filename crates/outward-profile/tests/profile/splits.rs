//! The same records give the same profile, however they are cut and merged.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch};
use outward_profile::{Profile, Profiler};
use proptest::prelude::*;

use crate::table::{Draws, column, profile};

/// A table with few values, many values, numbers, dates, codes, notes and gaps.
fn mixed(records: u64) -> RecordBatch {
    let mut draws = Draws::new(7);
    let coded: DictionaryArray<Int32Type> = (0..records)
        .map(|_| Some(draws.among(&["North", "South", "East", " "])).filter(|text| *text != "East"))
        .collect();
    let numbers = Int64Array::from_iter(
        (0..records).map(|record| (record % 11 != 0).then(|| i64::try_from(draws.below(95)).unwrap())),
    );
    let amounts = Float64Array::from_iter((0..records).map(|_| Some(draws.below(1_000_000) as f64 / 100.0)));
    let columns: [(&str, ArrayRef); 7] = [
        ("id", column(records, |_, record| format!("R{record:07}"))),
        (
            "dob",
            column(records, |draws, _| {
                let (d, m, y) = draws.date(1930, 2010);
                format!("{d:02}/{m:02}/{y}")
            }),
        ),
        ("sex", column(records, |draws, _| draws.among(&["M", "F", ""]).to_owned())),
        ("region", Arc::new(coded)),
        ("age", Arc::new(numbers)),
        ("income", Arc::new(amounts)),
        (
            "notes",
            column(records, |draws, record| {
                format!("was seen {record} times by the nurse at 07700 90{:04}", draws.below(9_999))
            }),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Profiles the batch cut at these places, the pieces dealt to so many profilers, merged in this order.
fn cut(batch: &RecordBatch, cuts: &[usize], profilers: usize, reverse: bool) -> Profile {
    let mut ends: Vec<usize> = cuts.iter().map(|place| place % batch.num_rows()).chain([0, batch.num_rows()]).collect();
    ends.sort_unstable();
    let mut threads: Vec<Profiler> = (0..profilers).map(|_| Profiler::new(&batch.schema())).collect();
    for (number, piece) in ends.windows(2).enumerate() {
        let thread = &mut threads[number % profilers];
        thread.observe(piece[0] as u64, &batch.slice(piece[0], piece[1] - piece[0]));
    }
    if reverse {
        threads.reverse();
    }
    let mut whole = threads.remove(0);
    threads.into_iter().for_each(|other| whole.merge(other));
    whole.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_cut_into_batches_and_profilers_gives_the_same_profile(
        cuts in prop::collection::vec(0usize..6_000, 0..12), profilers in 1usize..5, reverse: bool,
    ) {
        let batch = mixed(6_000);
        prop_assert_eq!(cut(&batch, &cuts, profilers, reverse), profile(&batch));
    }
}

#[test]
fn a_file_too_long_to_examine_whole_gives_the_same_profile_however_it_is_cut() {
    let batch = mixed(130_000);
    let whole = profile(&batch);
    assert_eq!(whole.sample, 20_000);
    assert!(whole.column("id").unwrap().found.iter().all(|found| (30_000..35_000).contains(&found.examined)));
    let cuts: Vec<usize> = (1..40).map(|n| n * 3_301).collect();
    assert_eq!(cut(&batch, &cuts, 3, false), whole);
    assert_eq!(cut(&batch, &cuts[..5], 2, true), whole);
}

#[test]
fn coded_text_is_judged_like_plain_text() {
    let batch = mixed(2_000);
    let plain = arrow_cast::cast(batch.column_by_name("region").unwrap(), &arrow_schema::DataType::Utf8).unwrap();
    let plain = profile(&RecordBatch::try_from_iter([("region", plain)]).unwrap());
    let mut coded = profile(&batch).column("region").unwrap().clone();
    coded.read_as = plain.columns[0].read_as.clone();
    assert_eq!(coded, plain.columns[0]);
}
