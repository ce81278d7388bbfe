//! Sources and sinks on real files: round trips, bad input, random input, a real PostgreSQL server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod csv;
mod csv_faults;
mod engine;
mod excel;
mod parquet;
mod places;
mod postgres;
mod random;
mod released;
mod sinks;
mod stata;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use outward_engine::source::{ReadOptions, RecordSource, TypedColumn, open};
use outward_engine::{sink, source};
use outward_spec::{Error, Result, Source, Type};
use tempfile::TempDir;

/// A value that must never show up in a message.
const SECRET: &str = "s3cret";

/// A table as text, the way a test reads it.
#[derive(Debug, PartialEq)]
struct Table {
    names: Vec<String>,
    types: Vec<DataType>,
    rows: Vec<Vec<Option<String>>>,
}

impl Table {
    fn column(&self, name: &str) -> Vec<Option<&str>> {
        let index = self.names.iter().position(|n| n == name).unwrap();
        self.rows.iter().map(|row| row[index].as_deref()).collect()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn open_with(source: &Source, columns: &[TypedColumn], batch_rows: usize) -> Result<Arc<dyn RecordSource>> {
    let options = ReadOptions { batch_rows, ..ReadOptions::default() };
    runtime().block_on(open(source, Some(columns), &options))
}

fn collect(source: &dyn RecordSource, columns: &[usize]) -> Result<Vec<RecordBatch>> {
    let mut batches = Vec::new();
    for part in 0..source.parts() {
        let before: usize = batches.iter().map(RecordBatch::num_rows).sum();
        assert_eq!(source.first_row(part), before as u64, "records before part {part}");
        for batch in source.read(part, columns)? {
            batches.push(batch?);
        }
    }
    Ok(batches)
}

fn rows_of(batches: &[RecordBatch]) -> Vec<Vec<Option<String>>> {
    let options = FormatOptions::new();
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<_> =
            batch.columns().iter().map(|c| (c, ArrayFormatter::try_new(c.as_ref(), &options).unwrap())).collect();
        for row in 0..batch.num_rows() {
            rows.push(columns.iter().map(|(c, f)| (!c.is_null(row)).then(|| f.value(row).to_string())).collect());
        }
    }
    rows
}

/// Reads everything, in batches small enough to be many.
fn read(source: &Source, columns: &[TypedColumn]) -> Result<Table> {
    read_opened(open_with(source, columns, 3)?.as_ref())
}

fn read_opened(source: &dyn RecordSource) -> Result<Table> {
    let schema = source.schema();
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let batches = collect(source, &all)?;
    for batch in &batches {
        assert_eq!(batch.schema(), schema);
    }
    Ok(Table {
        names: schema.fields().iter().map(|field| field.name().clone()).collect(),
        types: schema.fields().iter().map(|field| field.data_type().clone()).collect(),
        rows: rows_of(&batches),
    })
}

fn column(name: &str, data_type: Type) -> TypedColumn {
    TypedColumn { name: name.to_owned(), data_type, date_format: None }
}

/// A file of this content in a folder of its own.
fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

/// Writes batches through a sink.
fn write(path: &Path, batches: &[RecordBatch]) -> Result<sink::Written> {
    let mut sink = sink::create(path, None, batches[0].schema())?;
    for batch in batches {
        sink.write(batch)?;
    }
    sink.finish()
}

/// The error, after checking that it names the file and betrays no value.
fn fault_of(path: &Path, result: Result<Table>) -> Error {
    let error = result.unwrap_err();
    let said = format!("{error} {}", error.help().unwrap_or_default());
    assert!(said.contains(path.file_name().unwrap().to_str().unwrap()), "names the file: {said}");
    assert!(!said.contains(SECRET), "betrays a value: {said}");
    error
}

#[test]
fn a_raised_flag_stops_reading_between_batches() {
    let (_folder, path) = file("a.csv", "a\n1\n2\n3\n");
    let options = ReadOptions { batch_rows: 1, stop: source::StopFlag::default() };
    let opened = runtime().block_on(open(&Source::file(&path), None, &options)).unwrap();
    let mut batches = opened.read(0, &[0]).unwrap();
    assert!(batches.next().unwrap().is_ok());
    options.stop.stop();
    assert!(matches!(batches.next(), Some(Err(Error::Stopped))));
    assert!(batches.next().is_none());
}

#[test]
fn a_column_the_data_lack_is_named_with_its_neighbour() {
    let (_folder, path) = file("a.csv", "age,sex\n1,f\n");
    let error = fault_of(&path, read(&Source::file(&path), &[column("agee", Type::Integer)]));
    assert!(error.to_string().contains("no column `agee`"), "{error}");
    assert_eq!(error.help().unwrap(), "did you mean `age`?");
}

#[test]
fn a_source_without_a_place_says_so() {
    let error = read(&Source::default(), &[]).unwrap_err();
    assert!(error.to_string().contains("names no file"), "{error}");
}
