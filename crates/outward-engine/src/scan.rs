//! Identifiers in columns of text: every value is scanned, and of each only the place is kept.

use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, Int32Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, SchemaRef};
use outward_profile::scan::{ColumnSightings, FoundInColumn, Scanner, Sighting};
use outward_spec::{Error, Result};
use serde::Serialize;

use crate::fold::fold;
use crate::records::{ROW_NUMBER, Records};
use crate::source::StopFlag;

/// What to scan.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The columns, of any type; all columns of text if there are none.
    pub columns: Vec<String>,
    /// What identifiers are.
    pub scanner: Arc<Scanner>,
    /// The most places that are told of each kind in each column.
    pub most_places: usize,
}

/// What a scan found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scanned {
    /// Records, or lines of a text.
    pub records: u64,
    /// The bytes of text that were scanned.
    pub bytes: u64,
    /// The columns that were scanned.
    pub columns: Vec<ScannedColumn>,
    /// The columns that were not, as they hold no text.
    pub not_scanned: Vec<String>,
}

/// A column and what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScannedColumn {
    /// Its name.
    pub name: String,
    /// The kinds of identifiers in it.
    pub found: Vec<FoundInColumn>,
}

/// The state of one thread.
struct Scanning {
    columns: Vec<ColumnSightings>,
    found: Vec<Sighting>,
    records: u64,
    bytes: u64,
}

impl Scanning {
    fn new(columns: usize, most_places: usize) -> Self {
        let columns = vec![ColumnSightings::new(most_places); columns];
        Self { columns, found: Vec::new(), records: 0, bytes: 0 }
    }

    fn scan_value(&mut self, scanner: &Scanner, column: usize, row: u64, value: &str) {
        self.bytes += value.len() as u64;
        scanner.scan_into(value, &mut self.found);
        if !self.found.is_empty() {
            self.columns[column].add(row, value, &self.found);
        }
    }

    fn scan_column(&mut self, scanner: &Scanner, column: usize, rows: &[u64], values: &ArrayRef) -> Result<()> {
        if let Some(dictionary) = values.as_dictionary_opt::<Int32Type>()
            && dictionary.values().len() <= dictionary.len()
        {
            return self.scan_dictionary(scanner, column, rows, dictionary);
        }
        let texts = cast(values, &DataType::Utf8).map_err(Error::bug)?;
        let texts: &StringArray = texts.as_string();
        for (row, value) in rows.iter().zip(texts) {
            if let Some(value) = value {
                self.scan_value(scanner, column, *row, value);
            }
        }
        Ok(())
    }

    /// Scans each value of a dictionary once.
    fn scan_dictionary<K: ArrowDictionaryKeyType>(
        &mut self,
        scanner: &Scanner,
        column: usize,
        rows: &[u64],
        dictionary: &DictionaryArray<K>,
    ) -> Result<()> {
        let texts = cast(dictionary.values(), &DataType::Utf8).map_err(Error::bug)?;
        let texts: &StringArray = texts.as_string();
        let seen: Vec<Vec<Sighting>> =
            (texts.iter()).map(|value| value.map_or_else(Vec::new, |value| scanner.scan(value))).collect();
        for (at, row) in rows.iter().enumerate() {
            let Some(code) = dictionary.key(at).filter(|code| texts.is_valid(*code)) else { continue };
            self.bytes += texts.value(code).len() as u64;
            if !seen[code].is_empty() {
                self.columns[column].add(*row, texts.value(code), &seen[code]);
            }
        }
        Ok(())
    }

    fn merge(mut self, other: Self) -> Self {
        self.columns.iter_mut().zip(other.columns).for_each(|(own, other)| own.merge(other));
        self.records += other.records;
        self.bytes += other.bytes;
        self
    }

    fn finish(self, names: &[String], not_scanned: Vec<String>) -> Scanned {
        let columns = names.iter().zip(self.columns);
        let columns = columns.map(|(name, seen)| ScannedColumn { name: name.clone(), found: seen.finish(name) });
        Scanned { records: self.records, bytes: self.bytes, columns: columns.collect(), not_scanned }
    }
}

/// The columns that a request is about, and those that it leaves out.
pub(crate) fn columns_to_scan(
    records: &Records,
    schema: &SchemaRef,
    request: &ScanRequest,
) -> Result<[Vec<String>; 2]> {
    if !request.columns.is_empty() {
        request.columns.iter().try_for_each(|name| records.must_have(name).map(drop))?;
        return Ok([request.columns.clone(), Vec::new()]);
    }
    let (text, other): (Vec<&Arc<Field>>, Vec<_>) =
        schema.fields().iter().partition(|field| holds_text(field.data_type()));
    Ok([text, other].map(|fields| fields.iter().map(|field| field.name().clone()).collect()))
}

fn holds_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => holds_text(values),
        _ => false,
    }
}

/// Scans the named columns of all records.
pub(crate) fn scan_records(
    records: &Records,
    threads: usize,
    names: &[String],
    not_scanned: Vec<String>,
    request: &ScanRequest,
) -> Result<Scanned> {
    let row = records.must_have(ROW_NUMBER)?;
    let places: Vec<usize> = names.iter().map(|name| records.must_have(name)).collect::<Result<_>>()?;
    let new = || Ok(Scanning::new(names.len(), request.most_places));
    let states = fold(records, threads, new, |state: &mut Scanning, batch: &RecordBatch| {
        let rows = crate::embedded::row_numbers(batch, row)?;
        state.records += rows.len() as u64;
        let columns = places.iter().enumerate();
        columns
            .into_iter()
            .try_for_each(|(column, place)| state.scan_column(&request.scanner, column, rows, batch.column(*place)))
    })?;
    let joined = states.into_iter().reduce(Scanning::merge);
    Ok(joined.unwrap_or_else(|| Scanning::new(names.len(), 0)).finish(names, not_scanned))
}

/// The name that the lines of a text go by.
const LINE: &str = "line";

/// Scans the lines of a plain text in UTF-8. Bytes that are not UTF-8 are read as an unknown character.
pub fn scan_text_file(path: &Path, scanner: &Scanner, most_places: usize, stop: &StopFlag) -> Result<Scanned> {
    let fail = |error: std::io::Error| Error::io("read", path, error);
    let file = std::fs::File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.is_dir() {
        return Err(fail(ErrorKind::IsADirectory.into()));
    }
    let mut lines = BufReader::with_capacity(1 << 18, file);
    let mut scanning = Scanning::new(1, most_places);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(fail)? == 0 {
            return Ok(scanning.finish(&[LINE.to_owned()], Vec::new()));
        }
        if line.contains(&0) {
            return Err(Error::input("this is not a text, and no kind of data file that can be read")
                .file(path)
                .help("scan text, CSV, Parquet, Excel or Stata files; a name must end as its kind does")
                .into());
        }
        scanning.records += 1;
        if scanning.records.is_multiple_of(8_192) {
            stop.check()?;
        }
        let text = String::from_utf8_lossy(&line);
        scanning.scan_value(scanner, 0, scanning.records, text.trim_end_matches(['\n', '\r']));
    }
}
