//! CSV files: comma, semicolon or tab, plain or compressed, UTF-8 or Windows-1252.
//!
//! The reader is our own and not `arrow-csv`. The record splitter of `arrow-csv` drops blank lines of one-column files and
//! takes a quote that is never closed for the end of the file. It counts records where people count lines.

mod column;
mod record;
mod records;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, SchemaRef};
use outward_spec::{Delimiter, Encoding, Error, Result, Source};

use self::column::TextColumn;
use self::record::{FieldSpan, guess_delimiter};
use self::records::CsvRecords;
use self::text::Text;
use super::missing::MissingTokens;
use super::names::check_names;
use super::typing::Typing;
use super::{Batches, ReadOptions, ReadRequest, RecordSource, regular_file, until_failure};

/// A batch ends early at this many bytes or cells, so that memory stays bounded.
const BATCH_BYTES: usize = 64 * 1024 * 1024;
const BATCH_CELLS: usize = 4 * 1024 * 1024;

/// A CSV file.
pub(super) struct CsvSource {
    path: PathBuf,
    bytes: u64,
    encoding: Option<Encoding>,
    delimiter: u8,
    typing: Arc<Typing>,
    missing: Arc<MissingTokens>,
    options: ReadOptions,
    progress: Arc<AtomicU64>,
}

impl CsvSource {
    /// Reads the header.
    pub(super) fn open(
        path: &Path,
        delimiter: Option<Delimiter>,
        encoding: Option<Encoding>,
        request: &ReadRequest<'_>,
    ) -> Result<Self> {
        let bytes = regular_file(path)?;
        let text = Text::open(path, encoding, Arc::default())?;
        let mut told = b',';
        let mut empty = false;
        let mut records = CsvRecords::new(text, path, |text| {
            empty = text.is_empty();
            told = match delimiter {
                Some(Delimiter::Comma) => b',',
                Some(Delimiter::Semicolon) => b';',
                Some(Delimiter::Tab) => b'\t',
                None => guess_delimiter(text),
            };
            told
        })?;
        if empty {
            return Err(Error::input("the file is empty")
                .file(path)
                .help("the first row must name the columns")
                .into());
        }
        let names = records.header()?;
        check_names(names.iter().map(String::as_str), path)?;
        let fields = names.into_iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        // Missing values are already null when text becomes another type.
        let typing = Arc::new(Typing::new(fields, request, MissingTokens::default(), Some(path))?);
        Ok(Self {
            path: path.to_owned(),
            bytes,
            encoding,
            delimiter: told,
            typing,
            missing: Arc::new(MissingTokens::new(request.missing)),
            options: request.options.clone(),
            progress: Arc::default(),
        })
    }
}

impl RecordSource for CsvSource {
    fn schema(&self) -> SchemaRef {
        self.typing.schema().clone()
    }

    fn settled(&self, source: &Source) -> Source {
        let delimiter = match self.delimiter {
            b';' => Delimiter::Semicolon,
            b'\t' => Delimiter::Tab,
            _ => Delimiter::Comma,
        };
        Source { delimiter: Some(delimiter), encoding: source.encoding.or(Some(Encoding::Utf8)), ..source.clone() }
    }

    fn rows(&self) -> Option<u64> {
        None
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
        self.typing.check(columns)?;
        let text = Text::open(&self.path, self.encoding, self.progress.clone())?;
        let mut records = CsvRecords::new(text, &self.path, |_| self.delimiter)?;
        let width = self.typing.schema().fields().len();
        if records.header()?.len() != width {
            let fault = Error::input("the first row changed while the file was being read").file(&self.path);
            return Err(fault.help("run again when nothing writes to the file").into());
        }
        let mut distinct = columns.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let mut slots = vec![usize::MAX; width];
        for (slot, column) in distinct.iter().enumerate() {
            slots[*column] = slot;
        }
        let columns: Vec<_> = columns.iter().map(|column| (*column, slots[*column])).collect();
        let mut batches = CsvBatches {
            records,
            slots,
            spans: vec![FieldSpan::default(); distinct.len()],
            filled: distinct.iter().map(|_| TextColumn::new()).collect(),
            columns,
            typing: self.typing.clone(),
            missing: self.missing.clone(),
            rows: self.options.batch_rows.min(BATCH_CELLS / distinct.len().max(1)).max(1),
            options: self.options.clone(),
            before: 0,
        };
        Ok(until_failure(move || batches.batch()))
    }

    fn progress(&self) -> u64 {
        self.progress.load(Ordering::Relaxed)
    }
}

/// A reading of the file in progress.
struct CsvBatches {
    records: CsvRecords,
    /// For each field of a record the place of its column among `filled`, or `usize::MAX`.
    slots: Vec<usize>,
    spans: Vec<FieldSpan>,
    filled: Vec<TextColumn>,
    /// The columns asked for, each with its place among `filled`.
    columns: Vec<(usize, usize)>,
    typing: Arc<Typing>,
    missing: Arc<MissingTokens>,
    options: ReadOptions,
    rows: usize,
    /// Records in the batches given so far.
    before: u64,
}

impl CsvBatches {
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        self.options.stop.check()?;
        let mut rows = 0;
        while rows < self.rows {
            // A blank line of a one-column file sets no span, and an empty one is missing.
            self.spans.fill(FieldSpan::default());
            let Some(text) = self.records.next(&self.slots, &mut self.spans)? else { break };
            let mut size = 0;
            for (column, span) in self.filled.iter_mut().zip(&self.spans) {
                column.push(text, *span, &self.missing)?;
                size += column.size();
            }
            rows += 1;
            if size > BATCH_BYTES {
                break;
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        let filled = self.filled.iter_mut().map(|column| Ok(Arc::new(column.finish()?) as ArrayRef));
        let filled = filled.collect::<Result<Vec<_>>>()?;
        let columns: Vec<usize> = self.columns.iter().map(|(column, _)| *column).collect();
        let arrays: Vec<ArrayRef> = self.columns.iter().map(|(_, slot)| filled[*slot].clone()).collect();
        let batch = self.typing.batch(&columns, &arrays, rows, self.before)?;
        self.before += rows as u64;
        Ok(Some(batch))
    }
}
