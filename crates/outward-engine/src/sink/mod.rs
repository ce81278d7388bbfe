//! Where records go: CSV, Parquet and Excel files that appear whole or not at all.

mod csv;
mod excel;
mod parquet;
mod stage;

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use outward_spec::{Error, Format, Result};

use crate::source::format_of_name;

/// What a sink wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Records.
    pub rows: u64,
    /// The size of the file.
    pub bytes: u64,
}

/// A file being written. Dropped before [`finish`](Self::finish), it leaves nothing behind.
pub trait Sink: Send {
    /// Adds records.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Puts the file in its place, over one that is there already.
    fn finish(self: Box<Self>) -> Result<Written>;
}

/// Begins a file of records with this schema. The format is that of the name, unless it is given.
pub fn create(path: &Path, format: Option<Format>, schema: SchemaRef) -> Result<Box<dyn Sink>> {
    let Some(format) = format.or_else(|| format_of_name(path)) else {
        return Err(Error::input("the name does not say what kind of file to write")
            .file(path)
            .help("end it in .csv, .csv.gz, .csv.zst, .parquet or .xlsx")
            .into());
    };
    if format != Format::Parquet
        && let Some(field) = schema.fields().iter().find(|field| field.data_type().is_nested())
    {
        return Err(Error::input("a cell of this column holds more than one value")
            .file(path)
            .variable(field.name())
            .help("write .parquet, or leave the column out")
            .into());
    }
    match format {
        Format::Csv => csv::CsvSink::create(path, schema),
        Format::Parquet => parquet::ParquetSink::create(path, schema),
        Format::Excel => excel::ExcelSink::create(path, schema),
        Format::Stata | Format::Postgres => Err(Error::input("Outward does not write this format")
            .file(path)
            .help("write .csv, .parquet or .xlsx")
            .into()),
    }
}

/// The batch under the schema of the sink. Another set of columns is a bug.
fn under_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    if batch.schema_ref() == schema {
        return Ok(batch.clone());
    }
    let names = |schema: &SchemaRef| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    if names(batch.schema_ref()) != names(schema) {
        return Err(Error::bug("a batch has other columns than the file it is written to"));
    }
    RecordBatch::try_new(schema.clone(), batch.columns().to_vec()).map_err(Error::bug)
}
