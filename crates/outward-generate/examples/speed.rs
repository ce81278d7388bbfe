//! Prints how many main units of each dataset one core makes in a second. Also prints how many distinct combinations
//! the eight census keys have among as many persons as asked for: `cargo run --release --example speed -- 10000000`.

use std::collections::HashSet;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use outward_generate::{Dataset, Generator};

const CATEGORIES: [&str; 7] =
    ["region", "sex", "ethnic_group", "industry", "economic_activity", "religion", "country_of_birth"];

fn main() {
    for dataset in Dataset::ALL {
        let generator = Generator::new(dataset, 400 * 1024, 1);
        generator.block(0);
        let start = Instant::now();
        let rows: usize = (0..generator.blocks()).map(|block| generator.block(block)[0].num_rows()).sum();
        println!("{dataset}: {:.0} {} a second", rows as f64 / start.elapsed().as_secs_f64(), dataset.unit());
    }
    let rows = std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(100_000);
    let generator = Generator::new(Dataset::Census, rows, 1);
    let mut seen = HashSet::new();
    for block in 0..generator.blocks() {
        add_keys(&generator.block(block)[0], &mut seen);
    }
    println!("census: {} combinations of eight keys among {rows} persons", seen.len());
}

/// Packs the keys of each person into one number.
fn add_keys(batch: &RecordBatch, seen: &mut HashSet<u64>) {
    let ages = batch["age"].as_primitive::<Int64Type>();
    let codes = CATEGORIES.map(|name| batch[name].as_dictionary::<Int32Type>());
    for row in 0..batch.num_rows() {
        let age = ages.value(row) as u64;
        let pack = |key: u64, column: &arrow_array::DictionaryArray<Int32Type>| {
            key * column.values().len() as u64 + column.keys().value(row) as u64
        };
        seen.insert(codes.iter().fold(age, |key, column| pack(key, column)));
    }
}
