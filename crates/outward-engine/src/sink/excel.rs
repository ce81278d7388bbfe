//! Excel workbooks of one sheet. Text stays text, so a code keeps its zeros and nothing becomes a formula.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, SchemaRef};
use outward_spec::{Error, Result};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

use crate::source::quietly;

use super::stage::{StagedFile, StagingPlace};
use super::{Sink, Written, under_schema};

/// What a sheet holds, less the header.
const MAX_RECORDS: u64 = 1_048_575;
const MAX_COLUMNS: usize = 16_384;
const MAX_TEXT_LENGTH: usize = 32_767;

/// Excel keeps 15 digits of a number; a longer one is written as text.
const LARGEST_EXACT: i64 = 999_999_999_999_999;

/// Days from Excel's day 0 to 1970-01-01, and the first day after its 29 February 1900, which never was.
const DAYS_TO_1970: i32 = 25_569;
const FIRST_TRUE_DAY: i32 = 61;

/// A workbook being written.
pub(super) struct ExcelSink {
    stage: StagingPlace,
    file: StagedFile,
    book: Workbook,
    date: Format,
    schema: SchemaRef,
    rows: u64,
}

impl ExcelSink {
    pub(super) fn create(path: &Path, schema: SchemaRef) -> Result<Box<dyn Sink>> {
        let columns = schema.fields().len();
        if columns > MAX_COLUMNS {
            return Err(Error::input(format!("an Excel sheet holds {MAX_COLUMNS} columns, and there are {columns}"))
                .file(path)
                .help("write .csv or .parquet")
                .into());
        }
        let (stage, file) = StagingPlace::create(path)?;
        Ok(Box::new(Self::on(stage, file, schema)?))
    }

    fn on(stage: StagingPlace, file: StagedFile, schema: SchemaRef) -> Result<Self> {
        let mut book = Workbook::new();
        // A release has no time of day in it, and no records are written to the system's temporary folder.
        let dawn = ExcelDateTime::from_ymd(2000, 1, 1).map_err(Error::bug)?;
        book.set_properties(&DocProperties::new().set_creation_datetime(&dawn));
        book.set_tempdir(stage.folder()).map_err(|e| refused(&stage, e))?;
        let sheet = book.add_worksheet_with_constant_memory().map_err(|e| refused(&stage, e))?;
        for (column, field) in (0_u16..).zip(schema.fields()) {
            sheet.write_string(0, column, field.name()).map_err(|e| refused(&stage, e))?;
        }
        Ok(Self { stage, file, book, date: Format::new().set_num_format("yyyy-mm-dd"), schema, rows: 0 })
    }
}

impl Sink for ExcelSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = under_schema(batch, &self.schema)?;
        let rows = self.rows + batch.num_rows() as u64;
        if rows > MAX_RECORDS {
            return Err(Error::input(format!("an Excel sheet holds {MAX_RECORDS} records, and there are more"))
                .file(self.stage.target())
                .help("write .csv or .parquet")
                .into());
        }
        let options = FormatOptions::new();
        let columns =
            batch.columns().iter().map(|column| ExcelColumn::new(column, &options)).collect::<Result<Vec<_>>>()?;
        let sheet = self.book.worksheet_from_index(0).map_err(Error::bug)?;
        for (row, line) in (0..batch.num_rows()).zip(self.rows as u32 + 1..) {
            for (number, column) in (0_u16..).zip(&columns) {
                // The library panics where its own temporary file cannot take the rows before this one.
                let write = || column.write(sheet, row, (line, number), &self.date);
                let written = quietly(write).ok_or_else(|| full(&self.stage))?;
                if let Err(misfit) = written {
                    return Err(match misfit {
                        UnwritableValue::TooLong => {
                            Error::input(format!("an Excel cell holds {MAX_TEXT_LENGTH} characters"))
                                .file(self.stage.target())
                                .variable(self.schema.field(usize::from(number)).name())
                                .row(u64::from(line))
                                .help("write .csv or .parquet")
                                .into()
                        }
                        UnwritableValue::Refused(e) => refused(&self.stage, e),
                    });
                }
            }
        }
        self.rows = rows;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { stage, file, mut book, rows, .. } = *self;
        let saved = quietly(|| book.save_to_writer(file)).ok_or_else(|| full(&stage))?;
        saved.map_err(|e| refused(&stage, e))?;
        Ok(Written { rows, bytes: stage.publish()? })
    }
}

fn full(stage: &StagingPlace) -> Error {
    Error::io("write", stage.target(), std::io::ErrorKind::StorageFull.into())
}

/// The workbook library also writes to a temporary file of its own, whose refusal only it knows.
fn refused(stage: &StagingPlace, e: XlsxError) -> Error {
    match e {
        XlsxError::IoError(source) => Error::io("write", stage.target(), source),
        e => stage.refused(e),
    }
}

enum UnwritableValue {
    TooLong,
    Refused(XlsxError),
}

/// The values of a column as Excel takes them.
enum ExcelColumn<'a> {
    Integer(ArrayRef),
    Number(ArrayRef),
    Date(&'a ArrayRef, ArrayFormatter<'a>),
    Truth(&'a ArrayRef),
    Text(&'a ArrayRef, ArrayFormatter<'a>),
}

impl<'a> ExcelColumn<'a> {
    fn new(column: &'a ArrayRef, options: &FormatOptions<'a>) -> Result<Self> {
        let formatter = || ArrayFormatter::try_new(column.as_ref(), options).map_err(Error::bug);
        Ok(match column.data_type() {
            DataType::Boolean => Self::Truth(column),
            DataType::Date32 => Self::Date(column, formatter()?),
            DataType::UInt64 => Self::Text(column, formatter()?),
            kind if kind.is_integer() => Self::Integer(cast(column, &DataType::Int64).map_err(Error::bug)?),
            kind if kind.is_floating() => Self::Number(cast(column, &DataType::Float64).map_err(Error::bug)?),
            _ => Self::Text(column, formatter()?),
        })
    }

    fn write(&self, sheet: &mut Worksheet, row: usize, at: (u32, u16), date: &Format) -> Result<(), UnwritableValue> {
        let (line, column) = at;
        let missing = match self {
            Self::Integer(values) | Self::Number(values) => values.is_null(row),
            Self::Date(values, _) | Self::Truth(values) | Self::Text(values, _) => values.is_null(row),
        };
        if missing {
            return Ok(());
        }
        let written = match self {
            Self::Integer(values) => match values.as_primitive::<Int64Type>().value(row) {
                value if value.abs_diff(0) <= LARGEST_EXACT as u64 => sheet.write_number(line, column, value as f64),
                value => sheet.write_string(line, column, value.to_string()),
            },
            Self::Number(values) => match values.as_primitive::<Float64Type>().value(row) {
                value if value.is_finite() => sheet.write_number(line, column, value),
                value => sheet.write_string(line, column, value.to_string()),
            },
            Self::Date(values, text) => {
                match values.as_primitive::<Date32Type>().value(row).checked_add(DAYS_TO_1970) {
                    Some(day) if (FIRST_TRUE_DAY..2_958_466).contains(&day) => {
                        sheet.write_number_with_format(line, column, day, date)
                    }
                    _ => sheet.write_string(line, column, text.value(row).to_string()),
                }
            }
            Self::Truth(values) => sheet.write_boolean(line, column, values.as_boolean().value(row)),
            Self::Text(_, text) => {
                let text = text.value(row).to_string();
                if text.encode_utf16().count() > MAX_TEXT_LENGTH {
                    return Err(UnwritableValue::TooLong);
                }
                sheet.write_string(line, column, text)
            }
        };
        written.map(|_| ()).map_err(UnwritableValue::Refused)
    }
}
