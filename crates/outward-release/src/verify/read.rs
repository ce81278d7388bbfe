//! Records read back: every column as text, each value once and a number for it in every record.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_cast::cast;
use arrow_schema::DataType;
use outward_engine::source::{self, ReadOptions, RecordSource};
use outward_engine::{Data, Embedded, Engine};
use outward_spec::{Error, Result, Source, Type};

use super::release::Release;
use crate::bundle::is_within;
use crate::manifest::type_of;

/// The number of a missing value. The others are counted from 1 in the order they are met.
pub(super) const MISSING: u32 = 0;

/// All records of a file.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
}

/// One column of records.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    pub(super) name: String,
    /// What the file says its values are; text for files that do not say.
    pub(super) data_type: Type,
    /// The different values; the first has number 1.
    pub(super) values: Vec<String>,
    /// For each record the number of its value.
    pub(super) codes: Vec<u32>,
}

impl Records {
    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl Column {
    /// The value of this number; none for a missing one.
    pub(super) fn value(&self, code: u32) -> Option<&str> {
        self.values.get((code as usize).checked_sub(1)?).map(String::as_str)
    }

    /// Records without a value.
    pub(super) fn missing(&self) -> u64 {
        self.codes.iter().filter(|code| **code == MISSING).count() as u64
    }

    /// The rows, from 0, whose value one of `wanted` accepts. It is asked once for each different value.
    pub(super) fn rows_where(&self, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let hits: Vec<bool> = self.values.iter().map(|value| wanted(value)).collect();
        let hit = |code: u32| (code as usize).checked_sub(1).is_some_and(|at| hits[at]);
        if !hits.contains(&true) {
            return Vec::new();
        }
        (0..self.codes.len()).filter(|row| hit(self.codes[*row])).collect()
    }
}

/// The published records of a bundle.
pub(super) async fn bundled(bundle: &Path, data: &str, threads: usize) -> Result<Records> {
    if !is_within(data) || !bundle.join(data).is_file() || bundle.join(data).is_symlink() {
        return Err(Error::input("there is no such file in the bundle").file(data).into());
    }
    all(&Data { source: Source::file(bundle.join(data)), columns: Vec::new() }, None, threads).await
}

/// The records of some data: these columns, or all.
pub(super) async fn all(data: &Data, columns: Option<&[String]>, threads: usize) -> Result<Records> {
    let source = source::open(&data.source, Some(&data.columns), &ReadOptions::default()).await?;
    let schema = source.schema();
    let wanted: Vec<usize> = match columns {
        None => (0..schema.fields().len()).collect(),
        Some(names) => names
            .iter()
            .map(|name| schema.index_of(name).map_err(|_| Error::input(format!("there is no column `{name}`")).into()))
            .collect::<Result<_>>()?,
    };
    let share = wanted.len().div_ceil(threads.max(1)).max(1);
    let read: Vec<Records> = std::thread::scope(|scope| {
        let source = &source;
        let running: Vec<_> =
            wanted.chunks(share).map(|columns| scope.spawn(move || read_columns(source, columns))).collect();
        let joined = running.into_iter().map(|thread| thread.join().map_err(|_| Error::bug("a reader panicked"))?);
        joined.collect::<Result<_>>()
    })?;
    let rows = read.first().map_or(0, |records| records.rows);
    Ok(Records { columns: read.into_iter().flat_map(|records| records.columns).collect(), rows })
}

fn read_columns(source: &Arc<dyn RecordSource>, wanted: &[usize]) -> Result<Records> {
    let schema = source.schema();
    let mut columns: Vec<Column> = wanted
        .iter()
        .map(|at| {
            let field = schema.field(*at);
            Column { name: field.name().clone(), data_type: type_of(field.data_type()), ..Column::default() }
        })
        .collect();
    let mut numbers: Vec<HashMap<String, u32>> = vec![HashMap::new(); columns.len()];
    let mut rows = 0;
    for part in 0..source.parts() {
        for batch in source.read(part, wanted)? {
            let batch = batch?;
            rows += batch.num_rows();
            for ((column, numbers), array) in columns.iter_mut().zip(&mut numbers).zip(batch.columns()) {
                let text = cast(array, &DataType::Utf8).map_err(|_| {
                    Error::from(Error::input("values of this kind cannot be compared").variable(&column.name))
                })?;
                let text = text.as_string::<i32>();
                column.codes.extend(text.iter().map(|value| number(value, numbers, &mut column.values)));
            }
        }
    }
    Ok(Records { columns, rows })
}

/// The number of a value. Blanks of any script are missing, as everywhere.
fn number(value: Option<&str>, numbers: &mut HashMap<String, u32>, values: &mut Vec<String>) -> u32 {
    let Some(value) = value.filter(|value| !value.trim().is_empty()) else {
        return MISSING;
    };
    if let Some(number) = numbers.get(value) {
        return *number;
    }
    values.push(value.to_owned());
    let number = values.len() as u32;
    numbers.insert(value.to_owned(), number);
    number
}

/// For each published record whether it meets an SQL condition.
pub(super) async fn matching(release: &Release<'_>, condition: &str, threads: usize) -> Result<Vec<bool>> {
    let in_file = |name: &str| release.records.column(name).map(|column| column.data_type);
    // A file that does not say types has text only; the manifest knows which of its columns are numbers and dates.
    let typed = release
        .manifest
        .columns
        .iter()
        .filter(|column| column.data_type != Type::Text && in_file(&column.name) == Some(Type::Text));
    let columns = typed.map(|column| source::Column {
        name: column.name.clone(),
        data_type: column.data_type,
        date_format: None,
    });
    let source = Source::file(release.bundle.join(&release.manifest.data));
    let data = Data { source, columns: columns.collect() };
    let first = release.records.columns.first().map(|column| column.name.clone());
    let table = Embedded::new(threads).read_table(&data, &Vec::from_iter(first), Some(condition)).await?;
    let mut matches = vec![false; release.records.rows];
    for at in 0..table.len() {
        let row = (table.row(at) as usize).checked_sub(1).and_then(|row| matches.get_mut(row));
        *row.ok_or_else(|| Error::bug("a condition was met by a record that is not there"))? = true;
    }
    Ok(matches)
}
