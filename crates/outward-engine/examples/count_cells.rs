//! Counts the finest cells of a file and nothing else: what `make bench` compares with a single GROUP BY.
//!
//! usage: count_cells FILE KEY,KEY,… [THREADS]

use std::process::ExitCode;

use outward_engine::{CountRequest, Data, Embedded, Engine};
use outward_spec::{Error, Result, Source};

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
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(keys)) = (args.next(), args.next()) else {
        return Err(Error::input("usage: count_cells FILE KEY,KEY,… [THREADS]").into());
    };
    let threads = args.next().and_then(|threads| threads.parse().ok()).unwrap_or(2);
    let data = Data { source: Source::file(file), columns: Vec::new() };
    let request = CountRequest { keys: keys.split(',').map(str::to_owned).collect(), ..CountRequest::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::bug)?;
    let cells = runtime.block_on(Embedded::new(threads).count_cells(&data, &[request]))?;
    let uniques: usize = cells.iter().map(|cells| cells.counts().iter().filter(|count| **count == 1).count()).sum();
    let all: usize = cells.iter().map(outward_cells::Cells::len).sum();
    Ok(format!("{{\"cells\": {all}, \"uniques\": {uniques}}}"))
}
