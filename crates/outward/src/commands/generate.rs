//! `outward generate`: made-up data of a realistic shape.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use arrow_array::RecordBatch;
use outward_engine::sink::{self, Sink};
use outward_generate::{Dataset, Generator};
use outward_report::format::count;
use outward_spec::{Error, Result, suggest};
use serde::Serialize;

use crate::cli::{GenerateArgs, OutputFormat};
use crate::output::{Outcome, print, print_json};
use crate::session::Session;

/// Blocks each thread may be ahead of the writing.
const BLOCKS_AHEAD: usize = 4;

/// A file that was made.
#[derive(Debug, Serialize)]
pub(crate) struct GeneratedFile {
    table: &'static str,
    path: PathBuf,
    rows: u64,
    bytes: u64,
}

pub(crate) fn run(session: &Session, args: &GenerateArgs) -> Result<Outcome> {
    let made = make(session, args)?;
    match session.format {
        OutputFormat::Json => print_json(&made)?,
        OutputFormat::Text => {
            let line = |made: &GeneratedFile| format!("{}: {} {}\n", made.path.display(), count(made.rows), made.table);
            print(&made.iter().map(line).collect::<String>())?;
        }
    }
    Ok(Outcome::Clean)
}

fn dataset(name: &str) -> Result<Dataset> {
    name.parse().map_err(|_| {
        let known = Dataset::ALL.iter().map(|dataset| dataset.name());
        Error::input(format!("there is no dataset `{name}`")).help(suggest(name, known, "datasets")).into()
    })
}

/// Makes the tables of a dataset, blocks on many threads and written in their order.
pub(crate) fn make(session: &Session, args: &GenerateArgs) -> Result<Vec<GeneratedFile>> {
    let GenerateArgs { rows, seed, out, .. } = args;
    let dataset = dataset(&args.dataset)?;
    let tables = dataset.tables();
    let paths: Vec<PathBuf> = match &tables[..] {
        [_] => vec![out.clone()],
        _ => tables.iter().map(|table| with_table_name(out, table.name)).collect(),
    };
    let mut sinks: Vec<Box<dyn Sink>> = tables
        .iter()
        .zip(&paths)
        .map(|(table, path)| sink::create(path, None, table.schema.clone()))
        .collect::<Result<_>>()?;
    let generator = Generator::new(dataset, *rows, *seed);
    let progress = session.progress();
    progress.started("making", Some(*rows));
    let mut written = 0;
    let made = in_order(&generator, session.threads, |batches| {
        session.stop.check()?;
        written += batches.first().map_or(0, |batch| batch.num_rows() as u64);
        progress.advanced(written);
        sinks.iter_mut().zip(&batches).try_for_each(|(sink, batch)| sink.write(batch))
    });
    progress.finished();
    made?;
    let written: Vec<_> = sinks.into_iter().map(Sink::finish).collect::<Result<_>>()?;
    let made = tables.iter().zip(paths).zip(written).map(|((table, path), written)| GeneratedFile {
        table: table.name,
        path,
        rows: written.rows,
        bytes: written.bytes,
    });
    Ok(made.collect())
}

/// `road.csv.gz` for the table `vehicles` is `road_vehicles.csv.gz`.
fn with_table_name(out: &Path, table: &str) -> PathBuf {
    let name = out.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (stem, ending) =
        name.split_once('.').map_or((name.as_str(), String::new()), |(stem, end)| (stem, format!(".{end}")));
    out.with_file_name(format!("{stem}_{table}{ending}"))
}

/// Makes blocks on `threads` threads and hands them over in order. Thread `t` makes the blocks `t`, `t + threads`, … and
/// waits when it is too far ahead, so memory stays bounded.
fn in_order(generator: &Generator, threads: usize, mut take: impl FnMut(Vec<RecordBatch>) -> Result<()>) -> Result<()> {
    let blocks = generator.blocks();
    std::thread::scope(|scope| {
        let channels: Vec<Receiver<Vec<RecordBatch>>> = (0..threads as u64)
            .map(|thread| {
                let (sender, receiver) = sync_channel(BLOCKS_AHEAD);
                scope.spawn(move || {
                    // Sending fails if the receiver has stopped; then there is nothing left to do.
                    (thread..blocks)
                        .step_by(threads)
                        .try_for_each(|block| sender.send(generator.block(block)).map_err(|_| ()))
                });
                receiver
            })
            .collect();
        (0..blocks).try_for_each(|block| {
            let made = channels[(block % threads as u64) as usize].recv();
            take(made.map_err(|_| Error::bug("a block of data was not made"))?)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_s_name_stands_before_the_ending() {
        assert_eq!(with_table_name(Path::new("a/road.csv.gz"), "vehicles"), Path::new("a/road_vehicles.csv.gz"));
        assert_eq!(with_table_name(Path::new("road"), "vehicles"), Path::new("road_vehicles"));
    }
}
