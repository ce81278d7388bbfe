//! Suppresses cells of a file of persons for k = 3 on seven keys and prints what it took as JSON.
//!
//!     suppress FILE.csv[.gz] [ROWS] [--own] [--category] [--missing PERCENT] [--threads N]
//!
//! With ROWS the file is first blown up to that many records: each is a record of the file with every key, one time in
//! ten, taken from another. With PERCENT so many of the values are set missing beforehand. CPU seconds are those of all threads, as the kernel counts them in ticks of 10 ms.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::ExitCode;

use outward_microdata::random::Random;
use outward_microdata::suppress::{Blanks, Constraint, Request, suppress};
use outward_spec::Missing;

type Failure = Box<dyn std::error::Error>;

const KEYS: [&str; 7] = ["sex", "age", "race", "marital", "education", "country", "workclass"];
const K: u64 = 3;

fn main() -> ExitCode {
    match run() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<String, Failure> {
    let mut plain = Vec::new();
    let (mut blanks, mut missing, mut percent, mut threads) = (Blanks::Shared, Missing::Wildcard, 0, 1);
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--own" => blanks = Blanks::Own,
            "--category" => missing = Missing::Category,
            "--missing" => percent = given.next().ok_or("--missing needs a number")?.parse()?,
            "--threads" => threads = given.next().ok_or("--threads needs a number")?.parse()?,
            _ => plain.push(argument),
        }
    }
    let file = plain
        .first()
        .ok_or("usage: suppress FILE.csv[.gz] [ROWS] [--own] [--category] [--missing PERCENT] [--threads N]")?;
    let mut columns = read(file)?;
    if let Some(rows) = plain.get(1) {
        columns = blow_up(&columns, rows.parse()?);
    }
    lose(&mut columns, percent);
    let rows = columns[0].len();
    let constraint = Constraint { keys: (0..KEYS.len()).collect(), k: K, rows: None };
    let keys: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    let start = cpu_seconds()?;
    let found = suppress(&Request {
        keys: &keys,
        missing: &[missing; KEYS.len()],
        constraints: &[constraint],
        importance: &[1.0; KEYS.len()],
        blanks,
        threads,
    })?;
    let seconds = cpu_seconds()? - start;
    let per_key = KEYS.iter().zip(&found.per_key).map(|(key, cells)| format!("\"{key}\": {cells}"));
    Ok(format!(
        "{{\"rows\": {rows}, \"below_k\": {}, \"suppressed_cells\": {}, \"lower_bound\": {}, \"left_whole\": {}, \
         \"per_key\": {{{}}}, \"cpu_seconds\": {seconds:.2}}}",
        found.below_k,
        found.cells,
        found.lower_bound,
        found.whole,
        per_key.collect::<Vec<_>>().join(", "),
    ))
}

/// The codes of the keys, in the order in which values come.
fn read(file: &str) -> Result<Vec<Vec<u32>>, Failure> {
    let bytes = std::fs::read(file)?;
    let mut text = String::new();
    if file.ends_with(".gz") {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text)?;
    } else {
        text = String::from_utf8(bytes)?;
    }
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().ok_or("the file is empty")?.split(',').collect();
    let place = |key: &&str| header.iter().position(|name| name == key).ok_or(format!("there is no column {key}"));
    let places = KEYS.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let mut codes: Vec<BTreeMap<&str, u32>> = vec![BTreeMap::new(); KEYS.len()];
    let mut columns = vec![Vec::new(); KEYS.len()];
    for line in lines {
        let values: Vec<&str> = line.split(',').collect();
        for ((codes, column), place) in codes.iter_mut().zip(&mut columns).zip(&places) {
            let value = *values.get(*place).ok_or("a line is too short")?;
            let next = codes.len() as u32 + 1;
            column.push(if value.is_empty() { 0 } else { *codes.entry(value).or_insert(next) });
        }
    }
    Ok(columns)
}

fn blow_up(columns: &[Vec<u32>], rows: usize) -> Vec<Vec<u32>> {
    let mut random = Random::new(1, "blow up");
    let mut blown = vec![Vec::with_capacity(rows); columns.len()];
    for _ in 0..rows {
        let record = random.below(columns[0].len() as u64);
        for (blown, column) in blown.iter_mut().zip(columns) {
            let from = if random.below(10) == 0 { random.below(column.len() as u64) } else { record };
            blown.push(column[from as usize]);
        }
    }
    blown
}

fn lose(columns: &mut [Vec<u32>], percent: u64) {
    let mut random = Random::new(1, "lose");
    for code in columns.iter_mut().flatten() {
        *code = if random.below(100) < percent { 0 } else { *code };
    }
}

/// User and system time of the process so far: fields 14 and 15 of its line, in hundredths of a second.
fn cpu_seconds() -> Result<f64, Failure> {
    let line = std::fs::read_to_string("/proc/self/stat")?;
    let fields = line.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}
