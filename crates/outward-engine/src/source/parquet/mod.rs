//! Parquet files: one, or a folder of them, each row group a part of its own.
//!
//! Text that the file holds as a dictionary comes out as `Dictionary(Int32, Utf8)`. So counting works on small whole
//! numbers and never rebuilds a string.

mod files;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::basic::Encoding;
use ::parquet::file::metadata::ColumnChunkMetaData;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use outward_spec::{Error, Result};

use super::damage::{damaged, guarded};
use super::missing::MissingTokens;
use super::names::check_names;
use super::typing::Typing;
use super::{Batches, ReadOptions, ReadRequest, RecordSource, until_failure};

/// A row group of a file.
struct RowGroup {
    file: usize,
    row_group: usize,
    rows: u64,
    before: u64,
}

/// A Parquet file or folder.
pub(super) struct ParquetSource {
    files: Vec<(PathBuf, ArrowReaderMetadata)>,
    parts: Vec<RowGroup>,
    rows: u64,
    bytes: u64,
    typing: Arc<Typing>,
    options: ReadOptions,
    rows_read: Arc<AtomicU64>,
}

impl ParquetSource {
    /// Reads the metadata of every file, once.
    pub(super) fn open(path: &Path, request: &ReadRequest<'_>) -> Result<Self> {
        let files = files::find(path)?;
        let loaded = files.iter().map(|file| files::load(file)).collect::<Result<Vec<_>>>()?;
        let schemas = loaded.iter().map(|metadata| plain_schema(metadata.schema())).collect::<Vec<_>>();
        for (file, schema) in files.iter().zip(&schemas).skip(1) {
            same_columns((&files[0], &schemas[0]), (file, schema))?;
        }
        check_names(schemas[0].fields().iter().map(|field| field.name().as_str()), &files[0])?;
        let dictionaries = dictionary_columns(&schemas[0], &loaded);
        let fields: Vec<Field> = as_dictionaries(&schemas[0], &dictionaries);
        let mut parts = Vec::new();
        let mut read = Vec::with_capacity(files.len());
        let (mut rows, mut bytes) = (0, 0);
        for (number, ((file, metadata), schema)) in files.into_iter().zip(loaded).zip(&schemas).enumerate() {
            for (row_group, about) in metadata.metadata().row_groups().iter().enumerate() {
                let here = u64::try_from(about.num_rows()).map_err(|_| damaged(&file, "Parquet"))?;
                parts.push(RowGroup { file: number, row_group, rows: here, before: rows });
                rows += here;
            }
            bytes += std::fs::metadata(&file).map_err(|e| Error::io("read", &file, e))?.len();
            // Files may differ in which columns can be null, so each is read under its own schema.
            let schema = Schema::new(as_dictionaries(schema, &dictionaries));
            let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
            let metadata = guarded(&file, "Parquet", || {
                let metadata = ArrowReaderMetadata::try_new(metadata.metadata().clone(), options);
                metadata.map_err(|_| damaged(&file, "Parquet"))
            })?;
            read.push((file, metadata));
        }
        let typing = Arc::new(Typing::new(fields, request, MissingTokens::new(request.missing), Some(path))?);
        let options = request.options.clone();
        Ok(Self { files: read, parts, rows, bytes, typing, options, rows_read: Arc::default() })
    }
}

impl RecordSource for ParquetSource {
    fn schema(&self) -> SchemaRef {
        self.typing.schema().clone()
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn bytes(&self) -> Option<u64> {
        Some(self.bytes)
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn first_row(&self, part: usize) -> u64 {
        self.parts.get(part).map_or(self.rows, |part| part.before)
    }

    fn read(&self, part: usize, columns: &[usize]) -> Result<Batches> {
        self.typing.check(columns)?;
        let part = self.parts.get(part).ok_or_else(|| Error::bug(format!("the source has no part {part}")))?;
        let (path, metadata) = &self.files[part.file];
        let file = File::open(path).map_err(|e| Error::io("read", path, e))?;
        let reader = guarded(path, "Parquet", || {
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
            let builder = builder.with_row_groups(vec![part.row_group]).with_projection(mask);
            let reader = builder.with_batch_size(self.options.batch_rows.max(1)).build();
            reader.map_err(|_| damaged(path, "Parquet"))
        })?;
        // The reader gives columns in the order of the file, not in the order asked for.
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let places = columns.iter().filter_map(|column| sorted.binary_search(column).ok()).collect();
        let mut batches = ParquetBatches {
            reader,
            columns: columns.to_vec(),
            places,
            typing: self.typing.clone(),
            options: self.options.clone(),
            path: path.clone(),
            before: part.before,
            left: part.rows,
            rows_read: self.rows_read.clone(),
        };
        Ok(until_failure(move || batches.batch()))
    }

    fn progress(&self) -> u64 {
        let read = u128::from(self.rows_read.load(Ordering::Relaxed));
        (read * u128::from(self.bytes)).checked_div(u128::from(self.rows)).unwrap_or(0) as u64
    }
}

/// A reading of a row group in progress.
struct ParquetBatches {
    reader: ParquetRecordBatchReader,
    columns: Vec<usize>,
    /// Where each column asked for is in the reader's batches.
    places: Vec<usize>,
    typing: Arc<Typing>,
    options: ReadOptions,
    path: PathBuf,
    before: u64,
    /// Records the metadata promise and that have not come yet.
    left: u64,
    rows_read: Arc<AtomicU64>,
}

impl ParquetBatches {
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        self.options.stop.check()?;
        let reader = &mut self.reader;
        let next = || reader.next().transpose().map_err(|_| damaged(&self.path, "Parquet"));
        let Some(batch) = guarded(&self.path, "Parquet", next)? else {
            // A file that gives fewer records than it says would be taken for a smaller population.
            return if self.left == 0 { Ok(None) } else { Err(damaged(&self.path, "Parquet")) };
        };
        let rows = batch.num_rows();
        self.left = self.left.checked_sub(rows as u64).ok_or_else(|| damaged(&self.path, "Parquet"))?;
        let arrays: Vec<ArrayRef> = self.places.iter().map(|place| batch.column(*place).clone()).collect();
        let out = self.typing.batch(&self.columns, &arrays, rows, self.before)?;
        self.before += rows as u64;
        self.rows_read.fetch_add(rows as u64, Ordering::Relaxed);
        Ok(Some(out))
    }
}

/// The schema with every spelling of text as `Utf8`, and of metadata only the labels.
fn plain_schema(schema: &Schema) -> Schema {
    let plain = |field: &Field| {
        let kind = if is_text(field.data_type()) { DataType::Utf8 } else { field.data_type().clone() };
        let label = field.metadata().get("label").map(|label| ("label".to_owned(), label.clone()));
        Field::new(field.name(), kind, field.is_nullable()).with_metadata(label.into_iter().collect())
    };
    Schema::new(schema.fields().iter().map(|field| plain(field)).collect::<Vec<_>>())
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

/// Fails where two files of a folder differ in a column's name or type.
fn same_columns(first: (&Path, &Schema), other: (&Path, &Schema)) -> Result<()> {
    let differ = |what: String, column: &str| {
        let fault = Error::input(what).file(other.0).variable(column);
        Err(fault.help("all Parquet files of a folder must have the same columns in the same order").into())
    };
    let width = first.1.fields().len().max(other.1.fields().len());
    for index in 0..width {
        match (first.1.fields().get(index), other.1.fields().get(index)) {
            (Some(a), Some(b)) if a.name() == b.name() && a.data_type() == b.data_type() => {}
            (Some(a), Some(b)) if a.name() == b.name() => {
                let what = format!("this column is {}, but {} in {}", b.data_type(), a.data_type(), first.0.display());
                return differ(what, b.name());
            }
            (Some(a), _) if other.1.index_of(a.name()).is_err() => {
                return differ(format!("this column of {} is not here", first.0.display()), a.name());
            }
            (_, Some(b)) => {
                return differ(format!("this column is not at this place in {}", first.0.display()), b.name());
            }
            (Some(a), None) => return differ("this column is missing".to_owned(), a.name()),
            (None, None) => {}
        }
    }
    Ok(())
}

/// Which text columns every row group of every file holds as a dictionary from end to end. Where a writer gave up its
/// dictionary half-way, building one here would cost more than it saves.
fn dictionary_columns(schema: &Schema, files: &[ArrowReaderMetadata]) -> Vec<bool> {
    let mut dictionary: Vec<bool> = schema.fields().iter().map(|field| *field.data_type() == DataType::Utf8).collect();
    for file in files {
        let description = file.metadata().file_metadata().schema_descr();
        for chunks in file.metadata().row_groups().iter().map(|group| group.columns()) {
            for (leaf, chunk) in chunks.iter().enumerate() {
                dictionary[description.get_column_root_idx(leaf)] &= is_dictionary(chunk);
            }
        }
    }
    dictionary
}

fn as_dictionaries(schema: &Schema, dictionary: &[bool]) -> Vec<Field> {
    let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let field = |(field, dictionary): (&Arc<Field>, &bool)| match dictionary {
        true => field.as_ref().clone().with_data_type(kind.clone()),
        false => field.as_ref().clone(),
    };
    schema.fields().iter().zip(dictionary).map(field).collect()
}

fn is_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    let dictionary = |encoding| matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    match chunk.page_encoding_stats_mask() {
        Some(mask) => mask.encodings().all(dictionary),
        // Without statistics PLAIN may stand for the dictionary page itself.
        None => chunk.encodings().any(dictionary),
    }
}
