//! Counts a million generated records on seven keys, one value in a hundred missing, and then under wildcards: what
//! `make bench` measures. Prints CPU seconds.
//!
//! usage: wildcards [ROWS] [THREADS]

use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells, MISSING, compatible_counts};
use outward_error::{Error, Result};

/// How many values each key has.
const VALUES: [u64; 7] = [2, 90, 6, 5, 12, 40, 9];
/// Records to a batch, as a reader of files gives them.
const BATCH: usize = 8192;

fn main() -> ExitCode {
    match run() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<String> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let usage = |_| Error::input("usage: wildcards [ROWS] [THREADS]");
    let rows = args.next().transpose().map_err(usage)?.unwrap_or(1_000_000);
    let threads = args.next().transpose().map_err(usage)?.unwrap_or(1);
    let batches = generate(rows)?;
    let start = cpu_seconds()?;
    let cells = count(&batches)?;
    let counted = cpu_seconds()?;
    let (counts, _) = compatible_counts(&cells, &[true; VALUES.len()], threads);
    let end = cpu_seconds()?;
    let uniques = counts.iter().filter(|count| **count == 1).count();
    Ok(format!(
        "{{\"rows\": {rows}, \"cells\": {}, \"patterns\": {}, \"uniques\": {uniques}, \"count_seconds\": {:.2}, \
         \"wildcard_seconds\": {:.2}, \"total_cpu_seconds\": {:.2}}}",
        cells.len(),
        patterns(&cells),
        counted - start,
        end - counted,
        end - start
    ))
}

/// Congruential random numbers (Knuth, TAOCP 3.3.4): the upper bits of each state.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) * limit) >> 31
    }
}

/// Each key has the smaller of two draws, so that low values are commoner than high ones.
fn generate(rows: usize) -> Result<Vec<RecordBatch>> {
    let mut random = Random(20_240_229);
    let texts: Vec<ArrayRef> = VALUES
        .iter()
        .map(|values| {
            Arc::new(StringArray::from_iter_values((0..*values).map(|value| format!("v{value}")))) as ArrayRef
        })
        .collect();
    let mut batch = |rows: usize| -> Result<RecordBatch> {
        let mut columns: Vec<(String, ArrayRef)> = Vec::new();
        for (key, values) in VALUES.iter().enumerate() {
            let draw = |_| (random.below(100) > 0).then(|| random.below(*values).min(random.below(*values)) as i32);
            let codes: Int32Array = (0..rows).map(draw).collect();
            let column = DictionaryArray::<Int32Type>::try_new(codes, texts[key].clone()).map_err(Error::bug)?;
            columns.push((format!("k{key}"), Arc::new(column)));
        }
        RecordBatch::try_from_iter(columns).map_err(Error::bug)
    };
    (0..rows).step_by(BATCH).map(|start| batch(BATCH.min(rows - start))).collect()
}

fn count(batches: &[RecordBatch]) -> Result<Cells> {
    let first = batches.first().ok_or_else(|| Error::input("no rows were asked for"))?;
    let keys: Vec<String> = (0..VALUES.len()).map(|key| format!("k{key}")).collect();
    let mut counter = CellCounter::new(&first.schema(), &CellRequest::new(keys))?;
    let mut row = 0;
    for batch in batches {
        let rows: Vec<u64> = (row + 1..=row + batch.num_rows() as u64).collect();
        row += batch.num_rows() as u64;
        counter.observe(batch, &rows)?;
    }
    counter.finish()
}

/// How many different sets of keys are missing.
fn patterns(cells: &Cells) -> usize {
    let pattern = |cell: usize| (0..VALUES.len()).map(|key| cells.code(cell, key) == MISSING).collect::<Vec<_>>();
    let mut patterns: Vec<Vec<bool>> = (0..cells.len()).map(pattern).collect();
    patterns.sort_unstable();
    patterns.dedup();
    patterns.len()
}

/// User and system time of the process so far: fields 14 and 15 of its line, in hundredths of a second.
fn cpu_seconds() -> Result<f64> {
    let path = "/proc/self/stat";
    let line = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    let fields = line.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).map(|field| field.parse::<f64>().map_err(Error::bug)).sum::<Result<f64>>()?;
    Ok(ticks / 100.0)
}
