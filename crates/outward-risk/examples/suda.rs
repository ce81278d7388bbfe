//! Times the search for special uniques alone, from cells to result, and prints it as JSON.
//!
//!     suda FILE.csv[.gz] KEY,KEY,… [--max-size K] [--threads N] [--rows N] [--separator C] [--repeat N]
//!
//! CPU seconds are those of all threads, as the kernel counts them in ticks of 10 ms; of several runs, their mean.

use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells};
use outward_risk::suda::{Options, Suda, find_special_uniques};

type Failure = Box<dyn std::error::Error>;

struct Arguments {
    file: String,
    keys: Vec<String>,
    options: Options,
    rows: usize,
    separator: char,
    repeat: u32,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}

fn arguments() -> Result<Arguments, Failure> {
    let mut given = std::env::args().skip(1);
    let (Some(file), Some(keys)) = (given.next(), given.next()) else {
        return Err("usage: suda FILE KEY,KEY,… [--max-size K] [--threads N] [--rows N] [--separator C]".into());
    };
    let keys = keys.split(',').map(str::to_owned).collect();
    let mut arguments =
        Arguments { file, keys, options: Options::default(), rows: usize::MAX, separator: ',', repeat: 1 };
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--max-size" => arguments.options.max_size = Some(value.parse()?),
            "--threads" => arguments.options.threads = value.parse()?,
            "--rows" => arguments.rows = value.parse()?,
            "--separator" => arguments.separator = value.parse()?,
            "--repeat" => arguments.repeat = value.parse::<u32>()?.max(1),
            _ => return Err(format!("there is no option {name}").into()),
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let cells = count(arguments)?;
    let (wall, cpu) = (Instant::now(), cpu_seconds()?);
    let mut found: Option<Suda> = None;
    for _ in 0..arguments.repeat {
        found = Some(find_special_uniques(&cells, &arguments.options)?);
    }
    let runs = f64::from(arguments.repeat);
    let (wall, cpu) = (wall.elapsed().as_secs_f64() / runs, (cpu_seconds()? - cpu) / runs);
    let Some(suda) = found else { return Ok(()) };
    println!(
        "{{\"records\": {}, \"cells\": {}, \"keys\": {}, \"minimal_uniques\": {}, \"score_sum\": {}, \"dis_sum\": {}, \
         \"cpu_seconds\": {cpu:.3}, \"wall_seconds\": {wall:.3}}}",
        cells.records(),
        cells.len(),
        cells.keys().len(),
        suda.minimal_uniques,
        suda.score_sum,
        suda.dis_sum,
    );
    Ok(())
}

/// The cells of the file; an empty field is missing.
fn count(arguments: &Arguments) -> Result<Cells, Failure> {
    let file = std::fs::File::open(&arguments.file)?;
    let mut text = String::new();
    if arguments.file.ends_with(".gz") {
        flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    } else {
        std::io::BufReader::new(file).read_to_string(&mut text)?;
    }
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap_or_default(), arguments.separator);
    let position = |key: &String| header.iter().position(|name| name == key).ok_or_else(|| format!("no column {key}"));
    let positions = arguments.keys.iter().map(position).collect::<Result<Vec<_>, _>>()?;
    let mut columns: Vec<Vec<Option<&str>>> = vec![Vec::new(); positions.len()];
    for line in lines.take(arguments.rows) {
        let fields = fields(line, arguments.separator);
        for (column, position) in columns.iter_mut().zip(&positions) {
            column.push(fields.get(*position).copied().filter(|value| !value.is_empty()));
        }
    }
    let rows: Vec<u64> = (1..=columns.first().map_or(0, Vec::len) as u64).collect();
    let arrays = columns.into_iter().map(|column| Arc::new(StringArray::from(column)) as ArrayRef);
    let batch = RecordBatch::try_from_iter(arguments.keys.iter().zip(arrays))?;
    let request = CellRequest::new(arguments.keys.clone());
    let mut counter = CellCounter::new(&batch.schema(), &request)?;
    counter.observe(&batch, &rows)?;
    Ok(counter.finish()?)
}

/// The fields of a line; a separator within quotes does not separate.
fn fields(line: &str, separator: char) -> Vec<&str> {
    let mut quoted = false;
    let split = line.split(|character| {
        quoted ^= character == '"';
        character == separator && !quoted
    });
    split.map(|field| field.trim_matches('"')).collect()
}

/// User and system time of this process so far, of ended threads too: fields 14 and 15 of its `stat`.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}
