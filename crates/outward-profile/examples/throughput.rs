//! How fast a profiler takes in records: 27 columns as a census file has them, on one thread.
//!
//! Run with `cargo run --release -p outward-profile --example throughput`.

use std::sync::Arc;
use std::time::Instant;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use outward_profile::Profiler;

const RECORDS: u64 = 8_192;
const BATCHES: u64 = 250;

fn main() -> Result<(), ArrowError> {
    let batches: Vec<RecordBatch> = (0..16).map(batch).collect::<Result<_, _>>()?;
    let Some(first) = batches.first() else { return Ok(()) };
    let start = Instant::now();
    let mut profiler = Profiler::new(&first.schema());
    for (number, batch) in (0..BATCHES).zip(batches.iter().cycle()) {
        profiler.observe(number * RECORDS, batch);
    }
    let watched = start.elapsed();
    let profile = profiler.finish();
    let records = RECORDS * BATCHES;
    let rate = records as f64 / start.elapsed().as_secs_f64();
    println!("{records} records x {} columns", profile.columns.len());
    println!("{watched:.2?} to watch, {:.2?} in all, {rate:.0} records a second", start.elapsed());
    println!("{:.1} ns a value", 1e9 / rate / profile.columns.len() as f64);
    Ok(())
}

/// A third of the columns coded, a third text with few or many values, the rest numbers.
fn batch(number: u64) -> Result<RecordBatch, ArrowError> {
    let draw = |column: u64, record: u64, limit: u64| {
        let mixed = (number * RECORDS + record).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ column.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 20) % limit
    };
    let text = |column: u64, limit: u64, shape: fn(u64) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..RECORDS).map(|record| shape(draw(column, record, limit)))))
    };
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for column in 0..9 {
        let labels: Vec<String> = (0..RECORDS).map(|record| format!("category {}", draw(column, record, 12))).collect();
        let coded: DictionaryArray<Int32Type> = labels.iter().map(|label| Some(label.as_str())).collect();
        columns.push((format!("coded{column}"), Arc::new(coded)));
    }
    for column in 9..13 {
        columns.push((format!("few{column}"), text(column, 40, |n| format!("group {n}"))));
    }
    columns.push((
        "date".to_owned(),
        text(13, 30_000, |n| format!("{:02}/{:02}/{}", 1 + n % 28, 1 + n % 12, 1930 + n % 80)),
    ));
    columns.push(("postcode".to_owned(), text(14, 1 << 40, |n| format!("LS{} {}AB", 1 + n % 28, n % 10))));
    columns.push(("name".to_owned(), text(15, 1 << 40, |n| format!("Mary Jones{n}"))));
    columns.push(("number".to_owned(), text(16, 1 << 40, |n| (4_000_000_000 + n % 999_999_999).to_string())));
    columns.push((
        "note".to_owned(),
        text(17, 1 << 40, |n| format!("seen on ward {n} and was well at the time of the visit")),
    ));
    for column in 18..23 {
        let whole = Int64Array::from_iter_values((0..RECORDS).map(|record| draw(column, record, 90) as i64));
        columns.push((format!("whole{column}"), Arc::new(whole)));
    }
    for column in 23..27 {
        let real =
            Float64Array::from_iter_values((0..RECORDS).map(|record| draw(column, record, 1 << 40) as f64 / 100.0));
        columns.push((format!("real{column}"), Arc::new(real)));
    }
    RecordBatch::try_from_iter(columns)
}
