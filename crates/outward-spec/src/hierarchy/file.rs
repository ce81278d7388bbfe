//! A hierarchy file: CSV, one row per value, the value first and its labels from finer to coarser after it.

use std::path::Path;

use crate::document::utf8;
use crate::hrc;
use crate::source::Delimiter;
use outward_error::{Error, Result};

use super::nodes::{Builder, ListedNodes};

/// Read a hierarchy file.
pub(super) fn read(path: &Path, header: bool, delimiter: Option<Delimiter>) -> Result<ListedNodes> {
    let bytes = std::fs::read(path).map_err(|error| Error::io("read", path, error))?;
    if is_hrc(path) {
        let rows = hrc::hrc_to_csv(&utf8(bytes, path)?).map_err(|error| error.with_fault(|fault| fault.file(path)))?;
        return parse(rows.into_bytes(), path, false, Some(Delimiter::Comma));
    }
    parse(bytes, path, header, delimiter)
}

/// Whether a file is a hierarchy of τ-ARGUS, which has no headings.
pub(super) fn is_hrc(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("hrc"))
}

/// A hierarchy from the bytes of a file; `path` is only for messages.
pub(super) fn parse(bytes: Vec<u8>, path: &Path, header: bool, delimiter: Option<Delimiter>) -> Result<ListedNodes> {
    let text = utf8(bytes, path)?;
    let mut rows = CsvRows { rest: &text, line: 1, delimiter: delimiter.map_or_else(|| detect(&text), character) };
    let fault = |what: String, line: u64| Error::input(what).file(path).line(line);
    let mut builder: Option<(usize, Builder)> = None;
    let mut skip = header;
    while let Some((line, row)) = rows.next_row() {
        let row = row.ok_or_else(|| {
            fault("a quote is opened here and never closed".to_owned(), line).help("close it, or double it: `\"\"`")
        })?;
        if std::mem::take(&mut skip) {
            continue;
        }
        let (columns, builder) = builder.get_or_insert_with(|| (row.len(), Builder::new(row.len())));
        if row.len() != *columns {
            let what = format!("this row has {} labels where the first has {columns}", row.len());
            return Err(fault(what, line).help("give every value a label at every level").into());
        }
        if let Some(level) = row.iter().position(|label| label.is_empty()) {
            let help = "write a label; missing values need no row, `missing` in the spec says how they compare";
            return Err(fault(format!("the label at level {level} is empty"), line).help(help).into());
        }
        builder.add(&row, Some(line)).map_err(|error| error.with_fault(|fault| fault.file(path).line(line)))?;
    }
    match builder {
        Some((_, builder)) => Ok(builder.finish()),
        None => {
            let help = "write one row per value: the value, then its labels from finer to coarser";
            Err(Error::input("this hierarchy has no rows").file(path).help(help).into())
        }
    }
}

/// The rows of a CSV text with the lines they begin in; `path` is only for messages.
pub(crate) fn csv_rows(text: &str, path: &Path) -> Result<Vec<(u64, Vec<String>)>> {
    let mut rows = CsvRows { rest: text, line: 1, delimiter: detect(text) };
    let mut all: Vec<(u64, Vec<String>)> = Vec::new();
    while let Some((line, row)) = rows.next_row() {
        let fault = |what: &str| Error::input(what).file(path).line(line);
        let row = row.ok_or_else(|| fault("a quote is opened here and never closed").help("close it, or double it"))?;
        if all.first().is_some_and(|(_, first)| first.len() != row.len()) {
            return Err(fault("this row has not as many fields as the first").help("give every row all fields").into());
        }
        all.push((line, row));
    }
    Ok(all)
}

/// One row of a CSV text, with quotes where they are needed.
pub(crate) fn csv_line(labels: &[String]) -> String {
    let field = |label: &String| match label.contains([',', ';', '\t', '"', '\n', '\r']) {
        true => format!("\"{}\"", label.replace('"', "\"\"")),
        false => label.clone(),
    };
    labels.iter().map(field).collect::<Vec<_>>().join(",") + "\n"
}

fn character(delimiter: Delimiter) -> char {
    match delimiter {
        Delimiter::Comma => ',',
        Delimiter::Semicolon => ';',
        Delimiter::Tab => '\t',
    }
}

/// Labels hardly ever contain `;` or tabs and often contain commas, so the delimiter is looked for in this order.
fn detect(text: &str) -> char {
    let mut quoted = false;
    let mut found = ',';
    for c in text.trim_start_matches(['\r', '\n']).chars() {
        match c {
            '"' => quoted = !quoted,
            '\n' if !quoted => break,
            ';' if !quoted => return ';',
            '\t' if !quoted => found = '\t',
            _ => {}
        }
    }
    found
}

/// The rows of a CSV text, empty lines left out.
struct CsvRows<'a> {
    rest: &'a str,
    line: u64,
    delimiter: char,
}

impl CsvRows<'_> {
    /// The next row with the line it starts in; no row if a quote is never closed.
    fn next_row(&mut self) -> Option<(u64, Option<Vec<String>>)> {
        while let Some(rest) = self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix('\n')) {
            self.rest = rest;
            self.line += 1;
        }
        if self.rest.is_empty() {
            return None;
        }
        let start = self.line;
        let mut row = Vec::new();
        loop {
            let Some(field) = self.field() else { return Some((start, None)) };
            row.push(field);
            if let Some(rest) = self.rest.strip_prefix(self.delimiter) {
                self.rest = rest;
            } else {
                // At the end of the line or of the text: the line end is left for the next call to skip.
                return Some((start, Some(row)));
            }
        }
    }

    /// One field, up to a delimiter, a line end or the end of the text.
    fn field(&mut self) -> Option<String> {
        let mut field = String::new();
        if let Some(rest) = self.rest.strip_prefix('"') {
            self.rest = rest;
            loop {
                let end = self.rest.find('"')?;
                field.push_str(&self.rest[..end]);
                self.line += self.rest[..end].matches('\n').count() as u64;
                self.rest = &self.rest[end + 1..];
                match self.rest.strip_prefix('"') {
                    Some(rest) => {
                        field.push('"');
                        self.rest = rest;
                    }
                    None => break,
                }
            }
        }
        let end = self.rest.find([self.delimiter, '\n']).unwrap_or(self.rest.len());
        let mut tail = &self.rest[..end];
        self.rest = &self.rest[end..];
        if !self.rest.starts_with(self.delimiter) {
            tail = tail.strip_suffix('\r').unwrap_or(tail);
        }
        field.push_str(tail);
        Some(field)
    }
}
