//! One sheet of an Excel or OpenDocument workbook; the first row names the columns.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, SchemaRef};
use calamine::{CellErrorType, Data, ExcelDateTime, Range, Reader, Sheets, open_workbook_auto_from_rs};
use outward_spec::{Error, Result, Source, suggest};

use super::damage::{damaged, guarded};
use super::missing::MissingTokens;
use super::names::check_names;
use super::typing::Typing;
use super::{Batches, ReadOptions, ReadRequest, RecordSource, regular_file};

/// A sheet, held in memory.
pub(super) struct ExcelSource {
    sheet: Arc<Sheet>,
    bytes: u64,
    rows: usize,
    options: ReadOptions,
    rows_read: Arc<AtomicU64>,
}

struct Sheet {
    name: String,
    cells: Range<Data>,
    /// Where in `cells` each record is.
    kept: Vec<usize>,
    typing: Typing,
    path: PathBuf,
}

impl ExcelSource {
    /// Reads the sheet of this name, or the first.
    pub(super) fn open(path: &Path, sheet: Option<&str>, request: &ReadRequest<'_>) -> Result<Self> {
        let bytes = regular_file(path)?;
        let content = std::fs::read(path).map_err(|e| Error::io("read", path, e))?;
        if content.is_empty() {
            return Err(Error::input("the file is empty").file(path).help("save the workbook again").into());
        }
        let (name, cells) = guarded(path, "Excel", || {
            let book = open_workbook_auto_from_rs(std::io::Cursor::new(content));
            let mut book = book.map_err(|_| damaged(path, "Excel"))?;
            let name = choose_sheet(&book, sheet, path)?;
            check_extent(&mut book, &name, path)?;
            let cells = book.worksheet_range(&name).map_err(|_| damaged(path, "Excel"))?;
            Ok((name, cells))
        })?;
        let names = header(&cells, path)?;
        let fields = names.into_iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        let typing = Typing::new(fields, request, MissingTokens::new(request.missing), Some(path))?;
        let kept = records(&cells);
        let rows = kept.len();
        let sheet = Arc::new(Sheet { name, cells, kept, typing, path: path.to_owned() });
        Ok(Self { sheet, bytes, rows, options: request.options.clone(), rows_read: Arc::default() })
    }
}

/// Cells a sheet may span. They are held in memory, empty ones too, and one stray cell in the last corner spans 17
/// thousand million of them.
const MAX_CELLS: u64 = 100_000_000;

fn check_extent<R: std::io::Read + std::io::Seek>(book: &mut Sheets<R>, sheet: &str, path: &Path) -> Result<()> {
    let Sheets::Xlsx(book) = book else { return Ok(()) };
    let mut cells = book.worksheet_cells_reader(sheet).map_err(|_| damaged(path, "Excel"))?;
    let (mut rows, mut columns) = (0, 0);
    while let Some(cell) = cells.next_cell().map_err(|_| damaged(path, "Excel"))? {
        let (row, column) = cell.get_position();
        rows = rows.max(u64::from(row) + 1);
        columns = columns.max(u64::from(column) + 1);
    }
    if rows * columns <= MAX_CELLS {
        return Ok(());
    }
    Err(Error::input(format!("the sheet spans {rows} rows and {columns} columns, more than can be held"))
        .file(path)
        .help("delete stray cells far from the data, or save the sheet as CSV")
        .into())
}

fn choose_sheet<R: std::io::Read + std::io::Seek>(
    book: &Sheets<R>,
    wanted: Option<&str>,
    path: &Path,
) -> Result<String> {
    let names = book.sheet_names();
    let Some(wanted) = wanted else {
        return names.into_iter().next().ok_or_else(|| Error::input("the workbook has no sheet").file(path).into());
    };
    if let Some(name) = names.iter().find(|name| *name == wanted) {
        return Ok(name.clone());
    }
    let help = suggest(wanted, names.iter().map(String::as_str), "sheets");
    Err(Error::input(format!("there is no sheet `{wanted}`")).file(path).help(help).into())
}

fn header(cells: &Range<Data>, path: &Path) -> Result<Vec<String>> {
    let Some(first) = cells.rows().next() else {
        return Err(Error::input("the sheet is empty").file(path).help("the first row must name the columns").into());
    };
    let names: Vec<String> = first.iter().map(|cell| text(cell).ok().flatten().unwrap_or_default()).collect();
    check_names(names.iter().map(String::as_str), path)?;
    Ok(names)
}

/// The rows that hold a record: not the header, and none without any value, as a CSV file skips empty lines. In a sheet of
/// one column an empty cell is a missing value, unless nothing follows it.
fn records(cells: &Range<Data>) -> Vec<usize> {
    let filled = |row: &[Data]| row.iter().any(|cell| !matches!(text(cell), Ok(None)));
    let filled: Vec<bool> = cells.rows().map(filled).collect();
    let used = filled.iter().rposition(|filled| *filled).map_or(0, |last| last + 1);
    (1..used).filter(|row| filled[*row] || cells.width() == 1).collect()
}

/// A cell as text: no decimals behind a whole number, dates in ISO form. An empty cell and #N/A are missing.
fn text(cell: &Data) -> Result<Option<String>, ()> {
    Ok(match cell {
        Data::Empty | Data::Error(CellErrorType::NA) => None,
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => Some(text.clone()),
        Data::Int(value) => Some(value.to_string()),
        Data::Float(value) => Some(value.to_string()),
        Data::Bool(value) => Some(if *value { "TRUE" } else { "FALSE" }.to_owned()),
        Data::DateTime(moment) => Some(moment_text(moment)),
        Data::Error(_) => return Err(()),
    }
    .filter(|text| !text.trim().is_empty()))
}

fn moment_text(moment: &ExcelDateTime) -> String {
    if moment.is_duration() {
        return moment.as_f64().to_string();
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    match (moment.as_f64(), hour, minute, second, milli) {
        (_, 0, 0, 0, 0) => date,
        (value, ..) if (0.0..1.0).contains(&value) => time,
        (.., 0) => format!("{date}T{time}"),
        _ => format!("{date}T{time}.{milli:03}"),
    }
}

impl RecordSource for ExcelSource {
    fn schema(&self) -> SchemaRef {
        self.sheet.typing.schema().clone()
    }

    fn settled(&self, source: &Source) -> Source {
        Source { sheet: Some(self.sheet.name.clone()), ..source.clone() }
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows as u64)
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
        self.sheet.typing.check(columns)?;
        let (sheet, columns, options) = (self.sheet.clone(), columns.to_vec(), self.options.clone());
        let (rows, step, read) = (self.rows, self.options.batch_rows.max(1), self.rows_read.clone());
        let mut failed = false;
        Ok(Box::new((0..rows).step_by(step).map_while(move |start| {
            if failed {
                return None;
            }
            let end = (start + step).min(rows);
            let batch = options.stop.check().and_then(|()| sheet.batch(&columns, start, end));
            read.fetch_add((end - start) as u64, Ordering::Relaxed);
            failed = batch.is_err();
            Some(batch)
        })))
    }

    fn progress(&self) -> u64 {
        let read = u128::from(self.rows_read.load(Ordering::Relaxed));
        (read * u128::from(self.bytes)).checked_div(self.rows as u128).unwrap_or(0) as u64
    }
}

impl Sheet {
    fn batch(&self, columns: &[usize], start: usize, end: usize) -> Result<RecordBatch> {
        let arrays = columns.iter().map(|column| Ok(Arc::new(self.column(*column, start, end)?) as ArrayRef));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        self.typing.batch(columns, &arrays, end - start, start as u64)
    }

    fn column(&self, column: usize, start: usize, end: usize) -> Result<StringArray> {
        let mut out = StringBuilder::new();
        for row in start..end {
            let cell = self.cells.get((self.kept[row], column)).unwrap_or(&Data::Empty);
            out.append_option(text(cell).map_err(|()| self.broken_cell(row, column))?);
        }
        Ok(out.finish())
    }

    fn broken_cell(&self, row: usize, column: usize) -> Error {
        Error::input("the formula in this cell has no value")
            .file(&self.path)
            .variable(self.typing.schema().field(column).name())
            .row(row as u64 + 1)
            .help("mend the formula in the workbook, or clear the cell")
            .into()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use calamine::ExcelDateTimeType;

    #[test]
    fn cells_read_as_a_person_would_write_them() {
        let of = |cell: Data| text(&cell).unwrap();
        assert_eq!(of(Data::Float(5.0)).as_deref(), Some("5"));
        assert_eq!(of(Data::Float(0.25)).as_deref(), Some("0.25"));
        assert_eq!(of(Data::String("007".to_owned())).as_deref(), Some("007"));
        assert_eq!(of(Data::String(String::new())), None);
        assert_eq!(of(Data::Error(CellErrorType::NA)), None);
        assert!(text(&Data::Error(CellErrorType::Ref)).is_err());
        let moment = |value| Data::DateTime(ExcelDateTime::new(value, ExcelDateTimeType::DateTime, false));
        assert_eq!(of(moment(45943.0)).as_deref(), Some("2025-10-13"));
        assert_eq!(of(moment(45943.5)).as_deref(), Some("2025-10-13T12:00:00"));
        assert_eq!(of(moment(0.5)).as_deref(), Some("12:00:00"));
    }
}
