//! Stata `.dta` files: value labels become the values, variable labels go into the field's metadata.

mod variable;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use dta::stata::dta::dta_error::{DtaError, FormatErrorKind};
use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::record_reader::RecordReader;
use dta::stata::dta::schema::Schema;
use dta::stata::dta::value_label_table::ValueLabelTable;
use outward_spec::{Error, Result};

use self::variable::{ColumnBuilder, LongStrings, StataVariable};
use super::damage::{damaged, guarded};
use super::missing::MissingTokens;
use super::names::check_names;
use super::typing::Typing;
use super::{Batches, ReadOptions, ReadRequest, RecordSource, regular_file, until_failure};

/// A `.dta` file.
pub(super) struct StataSource {
    file: Arc<StataFile>,
    rows: u64,
    bytes: u64,
    options: ReadOptions,
    rows_read: Arc<AtomicU64>,
}

struct StataFile {
    path: PathBuf,
    variables: Vec<StataVariable>,
    long_strings: LongStrings,
    typing: Typing,
}

impl StataSource {
    /// Reads everything but the records: labels and long strings come after them in the file.
    pub(super) fn open(path: &Path, request: &ReadRequest<'_>) -> Result<Self> {
        let bytes = regular_file(path)?;
        if bytes == 0 {
            return Err(Error::input("the file is empty").file(path).help("save it again from Stata").into());
        }
        let Contents { schema, rows, long_strings, labels } = guarded(path, "Stata", || contents(path))?;
        check_names(schema.variables().iter().map(|variable| variable.name()), path)?;
        let variables: Vec<_> = schema.variables().iter().map(|v| StataVariable::new(v, &labels)).collect();
        let fields = variables.iter().map(StataVariable::field).collect();
        let typing = Typing::new(fields, request, MissingTokens::new(request.missing), Some(path))?;
        let file = Arc::new(StataFile { path: path.to_owned(), variables, long_strings, typing });
        Ok(Self { file, rows, bytes, options: request.options.clone(), rows_read: Arc::default() })
    }
}

/// All that a file holds but its records.
struct Contents {
    schema: Schema,
    rows: u64,
    long_strings: LongStrings,
    labels: ValueLabelTable,
}

fn contents(path: &Path) -> Result<Contents> {
    let broken = |e| broken(path, e);
    let mut records = begin(path)?;
    let (schema, rows) = (records.schema().clone(), records.header().observation_count());
    records.skip_to_end().map_err(broken)?;
    let mut long = records.into_long_string_reader().map_err(broken)?;
    let mut long_strings = LongStrings::new();
    let encoding = long.encoding();
    while let Some(entry) = long.read_long_string().map_err(broken)? {
        // A long string ends with a NUL that is not part of it; one of bytes alone is not text and stays missing.
        if let Some(text) = entry.data_str(encoding) {
            let text = text.trim_end_matches('\0').to_owned();
            long_strings.insert((entry.variable(), entry.observation()), text);
        }
    }
    let mut labels = ValueLabelTable::new();
    long.into_value_label_reader().map_err(broken)?.read_remaining_into(&mut labels).map_err(broken)?;
    Ok(Contents { schema, rows, long_strings, labels })
}

/// A reader at the first record.
fn begin(path: &Path) -> Result<RecordReader<BufReader<File>>> {
    let file = File::open(path).map_err(|e| Error::io("read", path, e))?;
    let read = || {
        let mut reader = DtaReader::new().from_file(file).read_header()?.read_schema()?;
        reader.skip_to_end()?;
        reader.into_record_reader()
    };
    read().map_err(|e| broken(path, e))
}

fn broken(path: &Path, e: DtaError) -> Error {
    match e {
        DtaError::Io { source, .. } if source.kind() != std::io::ErrorKind::UnexpectedEof => {
            Error::io("read", path, source)
        }
        DtaError::Format(e) if matches!(e.kind(), FormatErrorKind::InvalidMagic) => {
            Error::input("this is not a Stata file").file(path).help("check the name and the format").into()
        }
        _ => damaged(path, "Stata"),
    }
}

impl RecordSource for StataSource {
    fn schema(&self) -> SchemaRef {
        self.file.typing.schema().clone()
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn bytes(&self) -> Option<u64> {
        Some(self.bytes)
    }

    fn parts(&self) -> usize {
        1
    }

    fn first_row(&self, _part: usize) -> u64 {
        0
    }

    fn read(&self, _part: usize, columns: &[usize]) -> Result<Batches> {
        self.file.typing.check(columns)?;
        let file = self.file.clone();
        let mut batches = StataBatches {
            records: guarded(&self.file.path, "Stata", || begin(&self.file.path))?,
            file: self.file.clone(),
            columns: columns.to_vec(),
            options: self.options.clone(),
            before: 0,
            rows_read: self.rows_read.clone(),
        };
        Ok(until_failure(move || guarded(&file.path, "Stata", || batches.batch())))
    }

    fn progress(&self) -> u64 {
        let read = u128::from(self.rows_read.load(Ordering::Relaxed));
        (read * u128::from(self.bytes)).checked_div(u128::from(self.rows)).unwrap_or(0) as u64
    }
}

/// A reading of the file in progress.
struct StataBatches {
    records: RecordReader<BufReader<File>>,
    file: Arc<StataFile>,
    columns: Vec<usize>,
    options: ReadOptions,
    before: u64,
    rows_read: Arc<AtomicU64>,
}

impl StataBatches {
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        self.options.stop.check()?;
        let file = &self.file;
        let broken = |e| broken(&file.path, e);
        let mut filling: Vec<ColumnBuilder> =
            self.columns.iter().map(|column| file.variables[*column].filling()).collect();
        let mut rows = 0;
        while rows < self.options.batch_rows.max(1) {
            let Some(record) = self.records.read_lazy_record().map_err(broken)? else { break };
            for (column, out) in self.columns.iter().zip(&mut filling) {
                let value = record.value(*column).map_err(broken)?;
                out.push(&file.variables[*column], &value, &file.long_strings);
            }
            rows += 1;
        }
        if rows == 0 {
            return Ok(None);
        }
        let arrays: Vec<ArrayRef> = filling.iter_mut().map(ColumnBuilder::finish).collect();
        let batch = file.typing.batch(&self.columns, &arrays, rows, self.before)?;
        self.before += rows as u64;
        self.rows_read.fetch_add(rows as u64, Ordering::Relaxed);
        Ok(Some(batch))
    }
}
