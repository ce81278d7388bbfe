//! The records of a CSV file one after the other, with their row and line numbers.

use std::path::{Path, PathBuf};

use outward_spec::{Error, Fault, Result};

use super::super::names::{MAX_COLUMNS, check_width};
use super::record::{Delimiters, FieldSpan, RecordScan};
use super::text::Text;

/// A record longer than this is taken for a quote that was never closed. Otherwise it would be read into memory without
/// end.
const MAX_RECORD_BYTES: usize = 256 * 1024 * 1024;

/// The records of a file, the header first.
pub(super) struct CsvRecords {
    text: Text,
    buffer: Vec<u8>,
    at: usize,
    ended: bool,
    grammar: Delimiters,
    path: PathBuf,
    /// Number of the next record; the header is 0.
    row: u64,
    /// Line on which the next record begins.
    line: u64,
}

impl CsvRecords {
    /// Begins with the first stretch of text, from which `delimiter` may be told.
    pub(super) fn new(mut text: Text, path: &Path, delimiter: impl FnOnce(&[u8]) -> u8) -> Result<Self> {
        let mut buffer = Vec::new();
        let ended = !text.append_to(&mut buffer)?;
        let grammar = Delimiters::new(delimiter(&buffer));
        Ok(Self { text, buffer, at: 0, ended, grammar, path: path.to_owned(), row: 0, line: 1 })
    }

    /// The names in the header.
    pub(super) fn header(&mut self) -> Result<Vec<String>> {
        let mut spans = Vec::new();
        loop {
            spans.clear();
            let keep = |number: usize, span: FieldSpan| {
                if number < MAX_COLUMNS {
                    spans.push(span);
                }
            };
            match self.grammar.record(&self.buffer, self.at, self.ended, keep) {
                RecordScan::Record { fields, lines, next } => {
                    check_width(fields, &self.path)?;
                    let names = spans.iter().map(|span| self.name(*span)).collect::<Result<_>>()?;
                    self.pass(next, lines);
                    return Ok(names);
                }
                RecordScan::Blank { next } => {
                    self.pass(next, 1);
                    return Ok(vec![String::new()]);
                }
                other => self.go_on(other)?,
            }
        }
    }

    fn name(&self, span: FieldSpan) -> Result<String> {
        let text = std::str::from_utf8(&self.buffer[span.start..span.end]).map_err(Error::bug)?;
        Ok(if span.doubled { text.replace("\"\"", "\"") } else { text.to_owned() })
    }

    /// The next record of `width` fields: fills `spans` for the fields that have a slot, and gives the text they are
    /// in; `None` at the end.
    ///
    /// A blank line is no record, unless the file has one column only: there it is a missing value.
    #[inline]
    pub(super) fn next(&mut self, slots: &[usize], spans: &mut [FieldSpan]) -> Result<Option<&[u8]>> {
        let width = slots.len();
        loop {
            if self.ended && self.at == self.buffer.len() {
                return Ok(None);
            }
            let found = self.grammar.record(&self.buffer, self.at, self.ended, |number, span| {
                if let Some(slot) = slots.get(number).and_then(|slot| spans.get_mut(*slot)) {
                    *slot = span;
                }
            });
            match found {
                RecordScan::Record { fields, lines, next } if fields == width => {
                    self.pass(next, lines);
                    return Ok(Some(&self.buffer));
                }
                RecordScan::Record { fields, .. } => return Err(self.ragged(width, fields)),
                RecordScan::Blank { next } => {
                    self.line += 1;
                    self.at = next;
                    if width == 1 {
                        self.row += 1;
                        return Ok(Some(&self.buffer));
                    }
                }
                other => self.go_on(other)?,
            }
        }
    }

    #[inline]
    fn pass(&mut self, next: usize, lines: u64) {
        self.at = next;
        self.line += lines;
        self.row += 1;
    }

    /// Reads more text if the record is not complete.
    #[cold]
    fn go_on(&mut self, found: RecordScan) -> Result<()> {
        match found {
            RecordScan::More => self.more(),
            RecordScan::Unclosed { lines } => Err(self.unclosed(lines)),
            RecordScan::AfterQuote { lines } => Err(self
                .fault("text follows a closing quote", lines)
                .help("inside a quoted field, write each quote twice")
                .into()),
            RecordScan::Record { .. } | RecordScan::Blank { .. } => Ok(()),
        }
    }

    /// Doubles the text at hand when a record does not fit, so that a long one is not scanned too often.
    fn more(&mut self) -> Result<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        if self.buffer.len() > MAX_RECORD_BYTES {
            return Err(self.unclosed(0));
        }
        let wanted = 2 * self.buffer.len();
        loop {
            self.ended = !self.text.append_to(&mut self.buffer)?;
            if self.ended || self.buffer.len() >= wanted {
                return Ok(());
            }
        }
    }

    fn fault(&self, what: impl Into<String>, lines: u64) -> Fault {
        let fault = Error::input(what).file(&self.path).line(self.line + lines);
        if self.row == 0 { fault } else { fault.row(self.row) }
    }

    fn unclosed(&self, lines: u64) -> Error {
        let what = "a quoted field is never closed";
        self.fault(what, lines).help("add the closing quote, or write a quote inside a field twice").into()
    }

    fn ragged(&self, expected: usize, found: usize) -> Error {
        let fields = |n| if n == 1 { "1 field".to_owned() } else { format!("{n} fields") };
        self.fault(format!("expected {}, as in the first row, found {}", fields(expected), fields(found)), 0)
            .help("put quotes around a field that contains the delimiter, and check for a record cut in two")
            .into()
    }
}
