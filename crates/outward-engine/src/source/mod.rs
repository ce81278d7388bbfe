//! Where records come from: CSV, Parquet, Excel, Stata and PostgreSQL behind one trait.

mod convert;
mod csv;
mod damage;
mod excel;
mod missing;
mod names;
mod parquet;
mod postgres;
mod stata;
mod stop;
mod typing;

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use outward_spec::{Error, Format, Result, Source, Type};

pub use damage::panic_means_damage;
pub(crate) use damage::quietly;
pub use stop::StopFlag;

/// Batches of records, in reading order.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// A column whose type the spec says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedColumn {
    /// Its name in the data.
    pub name: String,
    /// What its values are.
    pub data_type: Type,
    /// How its dates are spelt, in `strftime` notation; `%Y-%m-%d` if absent.
    pub date_format: Option<String>,
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The most records in a batch.
    pub batch_rows: usize,
    /// Checked between batches; reading ends with [`Error::Stopped`] once it is raised.
    pub stop: StopFlag,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { batch_rows: 8192, stop: StopFlag::default() }
    }
}

/// Records in reading order, in one or more parts that can be read at once.
///
/// Reading the same part again gives the same records: a run reads its data twice.
pub trait RecordSource: Send + Sync {
    /// The schema of the batches. A column's label, if the file has one, is in its field's metadata under `label`.
    fn schema(&self) -> SchemaRef;

    /// The source with what its reader found out about it, so that a later run does not guess.
    fn settled(&self, source: &Source) -> Source {
        source.clone()
    }

    /// How many records there are, where that is known without reading them.
    fn rows(&self) -> Option<u64>;

    /// The size on disk, where the records are in files.
    fn bytes(&self) -> Option<u64>;

    /// How many parts there are. A source without records may have none.
    fn parts(&self) -> usize;

    /// How many records come before this part.
    fn first_row(&self, part: usize) -> u64;

    /// Reads these columns (indices into the schema, in the order wanted) of a part.
    ///
    /// Blocking: call it, and the iterator, on a worker thread.
    fn read(&self, part: usize, columns: &[usize]) -> Result<Batches>;

    /// How much was read so far, over all calls of [`read`](Self::read): bytes where [`bytes`](Self::bytes) is known
    /// (one full reading adds up to it), records otherwise.
    fn progress(&self) -> u64;
}

/// What a reader needs to know besides where the file is.
struct ReadRequest<'a> {
    columns: &'a [TypedColumn],
    missing: &'a [String],
    options: &'a ReadOptions,
}

/// Opens a source. Columns that are not in `columns` keep their own type, which is text for CSV and Excel.
pub async fn open(
    source: &Source,
    columns: Option<&[TypedColumn]>,
    options: &ReadOptions,
) -> Result<Arc<dyn RecordSource>> {
    let request = ReadRequest { columns: columns.unwrap_or_default(), missing: &source.missing, options };
    let format = format_of(source)?;
    if format == Format::Postgres {
        return Ok(Arc::new(postgres::PostgresSource::open(source, &request).await?));
    }
    let path = source.path.as_deref().ok_or_else(no_path)?;
    Ok(match format {
        Format::Csv => Arc::new(csv::CsvSource::open(path, source.delimiter, source.encoding, &request)?),
        Format::Parquet => Arc::new(parquet::ParquetSource::open(path, &request)?),
        Format::Excel => Arc::new(excel::ExcelSource::open(path, source.sheet.as_deref(), &request)?),
        Format::Stata | Format::Postgres => Arc::new(stata::StataSource::open(path, &request)?),
    })
}

/// The format the source says, or else the one its name says.
fn format_of(source: &Source) -> Result<Format> {
    if let Some(format) = source.format {
        return Ok(format);
    }
    if source.database.is_some() {
        return Ok(Format::Postgres);
    }
    let path = source.path.as_deref().ok_or_else(no_path)?;
    if path.is_dir() {
        return Ok(Format::Parquet);
    }
    format_of_name(path).ok_or_else(|| {
        if let Err(error) = std::fs::metadata(path) {
            return Error::io("read", path, error);
        }
        Error::input("the name does not say what kind of file this is")
            .file(path)
            .help("end the name in .csv, .parquet, .xlsx or .dta, or say format = \"csv\", \"parquet\", \"excel\" or \"stata\" in a spec")
            .into()
    })
}

/// The format that the ending of a name stands for.
pub fn format_of_name(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).map_or((&*name, false), |n| (n, true));
    match name {
        (name, _) if [".csv", ".tsv", ".txt"].iter().any(|end| name.ends_with(end)) => Some(Format::Csv),
        (name, false) if name.ends_with(".parquet") => Some(Format::Parquet),
        (name, false) if [".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"].iter().any(|end| name.ends_with(end)) => {
            Some(Format::Excel)
        }
        (name, false) if name.ends_with(".dta") => Some(Format::Stata),
        _ => None,
    }
}

fn no_path() -> Error {
    Error::input("the source names no file").help("say path = \"...\", or database = \"...\" for PostgreSQL").into()
}

/// Batches until there are none, or up to the first failure.
fn until_failure(mut next: impl FnMut() -> Result<Option<RecordBatch>> + Send + 'static) -> Batches {
    let mut done = false;
    Box::new(std::iter::from_fn(move || {
        if done {
            return None;
        }
        let batch = next().transpose();
        done = !matches!(batch, Some(Ok(_)));
        batch
    }))
}

/// The size of a regular file. A pipe is refused, since records are read twice.
fn regular_file(path: &Path) -> Result<u64> {
    let about = std::fs::metadata(path).map_err(|e| Error::io("read", path, e))?;
    if about.is_dir() {
        return Err(Error::io("read", path, std::io::ErrorKind::IsADirectory.into()));
    }
    if !about.is_file() {
        let fault = Error::input("this is not a regular file, and records are read twice");
        return Err(fault.file(path).help("save the records to a file first").into());
    }
    Ok(about.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn the_ending_of_a_name_says_the_format() {
        let of = |name: &str| format_of_name(Path::new(name));
        for name in ["a.csv", "A.CSV", "a.tsv", "a.txt", "a.csv.gz", "a.tsv.zst"] {
            assert_eq!(of(name), Some(Format::Csv), "{name}");
        }
        assert_eq!(of("x/a.parquet"), Some(Format::Parquet));
        assert_eq!(of("a.ods"), Some(Format::Excel));
        assert_eq!(of("a.dta"), Some(Format::Stata));
        for name in ["a", "a.parquet.gz", "a.sav", "csv"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn an_unknown_ending_says_how_to_name_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let survey = folder.path().join("survey.sav");
        std::fs::write(&survey, "x").unwrap();
        let error = format_of(&Source::file(&survey)).unwrap_err();
        assert!(error.to_string().contains("survey.sav"), "{error}");
        assert!(error.help().unwrap().contains("format = \"csv\""));
        let absent = format_of(&Source::file(folder.path().join("absent"))).unwrap_err();
        assert!(matches!(absent, Error::Io { .. }), "a file that does not exist has no format: {absent}");
    }
}
