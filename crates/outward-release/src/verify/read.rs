//! Reads records back: every column as text, with each value once and its number in every record.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_cast::cast;
use arrow_schema::{DataType, Field};
use outward_engine::source::{self, ReadOptions, RecordSource};
use outward_engine::{Data, Embedded, Engine};
use outward_profile::{Profile, Profiler};
use outward_spec::{Error, Result, Source, Type};

use super::release::Release;
use crate::bundle::is_within;
use crate::manifest::type_of;

/// The number of a missing value. Other values have numbers from 1 in order of first occurrence.
pub(super) const MISSING: u32 = 0;

/// Batches that may wait for a thread: enough that the parser seldom waits, few enough to stay small.
const WAITING_BATCHES: usize = 4;

/// All records of a file.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) columns: Vec<CodedColumn>,
    pub(super) rows: usize,
}

/// One column of records.
#[derive(Debug, Clone, Default)]
pub(super) struct CodedColumn {
    pub(super) name: String,
    /// The type that the file gives its values; text if the file gives none.
    pub(super) data_type: Type,
    /// The different values; the first has number 1.
    pub(super) values: Vec<String>,
    /// For each record the number of its value.
    pub(super) codes: Vec<u32>,
}

impl Records {
    pub(super) fn column(&self, name: &str) -> Option<&CodedColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl CodedColumn {
    /// A column of a file, before its records are read.
    fn of_field(field: &Field) -> Self {
        Self { name: field.name().clone(), data_type: type_of(field.data_type()), ..Self::default() }
    }

    /// The value with this number; `None` if it is missing.
    pub(super) fn value(&self, code: u32) -> Option<&str> {
        self.values.get((code as usize).checked_sub(1)?).map(String::as_str)
    }

    /// Records without a value.
    pub(super) fn missing(&self) -> u64 {
        self.codes.iter().filter(|code| **code == MISSING).count() as u64
    }

    /// The rows, from 0, whose value `wanted` accepts. It is called once for each different value.
    pub(super) fn rows_where(&self, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let hits: Vec<bool> = self.values.iter().map(|value| wanted(value)).collect();
        let hit = |code: u32| (code as usize).checked_sub(1).is_some_and(|at| hits[at]);
        if !hits.contains(&true) {
            return Vec::new();
        }
        (0..self.codes.len()).filter(|row| hit(self.codes[*row])).collect()
    }
}

/// The published records of a bundle, and the profile of their columns.
pub(super) async fn bundled(bundle: &Path, data: &str, threads: usize) -> Result<(Records, Profile)> {
    let source = source::open(&source_of_bundle(bundle, data)?, None, &ReadOptions::default()).await?;
    let schema = source.schema();
    let mut profiler = Profiler::new(&schema);
    let columns: Vec<usize> = (0..schema.fields().len()).collect();
    let records = read_records(&source, &columns, threads, |first_row, batch| profiler.observe(first_row, batch))?;
    Ok((records, profiler.finish()))
}

/// A file of a bundle to be read: one that is in it, and no link to another.
pub(super) fn source_of_bundle(bundle: &Path, data: &str) -> Result<Source> {
    if !is_within(data) || !bundle.join(data).is_file() || bundle.join(data).is_symlink() {
        return Err(Error::input("there is no such file in the bundle").file(data).into());
    }
    Ok(Source::file(bundle.join(data)))
}

/// Some columns of the records of some data.
pub(super) async fn columns(data: &Data, names: &[String], threads: usize) -> Result<Records> {
    let source = source::open(&data.source, Some(&data.columns), &ReadOptions::default()).await?;
    let schema = source.schema();
    let place = |name: &String| {
        schema.index_of(name).map_err(|_| Error::from(Error::input(format!("there is no column `{name}`"))))
    };
    let wanted: Vec<usize> = names.iter().map(place).collect::<Result<_>>()?;
    read_records(&source, &wanted, threads, |_, _| {})
}

/// Parses the records once on any number of threads, which share the columns of each batch. `observe` sees every batch
/// and the number of its first record, from 1.
fn read_records(
    source: &Arc<dyn RecordSource>,
    wanted: &[usize],
    threads: usize,
    observe: impl FnMut(u64, &RecordBatch),
) -> Result<Records> {
    let schema = source.schema();
    let share = wanted.len().div_ceil(threads.max(1)).max(1);
    let places: Vec<usize> = (0..wanted.len()).collect();
    std::thread::scope(|scope| {
        let (mut queues, mut running) = (Vec::new(), Vec::new());
        for columns in places.chunks(share) {
            let (queue, batches) = sync_channel(WAITING_BATCHES);
            let named = columns.iter().map(|at| (*at, CodedColumn::of_field(schema.field(wanted[*at]))));
            let named: Vec<(usize, CodedColumn)> = named.collect();
            queues.push(queue);
            running.push(scope.spawn(move || number_columns(named, &batches)));
        }
        let rows = pass_on(source, wanted, &queues, observe);
        drop(queues);
        let mut columns = Vec::with_capacity(wanted.len());
        for thread in running {
            columns.extend(thread.join().map_err(|_| Error::bug("a reader panicked"))??);
        }
        Ok(Records { columns, rows: rows? })
    })
}

/// Passes every batch to all threads that number columns. Returns the number of records. It ends early if one of the
/// threads failed.
fn pass_on(
    source: &Arc<dyn RecordSource>,
    wanted: &[usize],
    queues: &[SyncSender<RecordBatch>],
    mut observe: impl FnMut(u64, &RecordBatch),
) -> Result<usize> {
    let mut rows = 0;
    for part in 0..source.parts() {
        for batch in source.read(part, wanted)? {
            let batch = batch?;
            observe(rows as u64 + 1, &batch);
            rows += batch.num_rows();
            if queues.iter().any(|queue| queue.send(batch.clone()).is_err()) {
                return Ok(rows);
            }
        }
    }
    Ok(rows)
}

/// Numbers the values of some columns of the batches, each given with its position.
fn number_columns(mut columns: Vec<(usize, CodedColumn)>, batches: &Receiver<RecordBatch>) -> Result<Vec<CodedColumn>> {
    let mut numbers: Vec<HashMap<String, u32>> = vec![HashMap::new(); columns.len()];
    for batch in batches {
        for ((at, column), numbers) in columns.iter_mut().zip(&mut numbers) {
            let text = cast(batch.column(*at), &DataType::Utf8).map_err(|_| {
                Error::from(Error::input("values of this kind cannot be compared").variable(&column.name))
            })?;
            let text = text.as_string::<i32>();
            column.codes.extend(text.iter().map(|value| number(value, numbers, &mut column.values)));
        }
    }
    Ok(columns.into_iter().map(|(_, column)| column).collect())
}

/// The number of a value. Blank text is missing, in any script.
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
    // A file without types has only text. The manifest says which columns are numbers and dates.
    let typed = release
        .manifest
        .columns
        .iter()
        .filter(|column| column.data_type != Type::Text && in_file(&column.name) == Some(Type::Text));
    let columns = typed.map(|column| source::TypedColumn {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::atomic::{AtomicUsize, Ordering};

    use arrow_array::{Int64Array, StringArray};
    use arrow_schema::{Schema, SchemaRef};
    use outward_engine::source::Batches;

    use super::*;

    /// Two parts of three records each; counts how often records are read.
    struct CountingSource {
        readings: AtomicUsize,
    }

    impl RecordSource for CountingSource {
        fn schema(&self) -> SchemaRef {
            let field = |name, data_type| Field::new(name, data_type, true);
            Arc::new(Schema::new(vec![field("place", DataType::Utf8), field("age", DataType::Int64)]))
        }

        fn rows(&self) -> Option<u64> {
            Some(6)
        }

        fn bytes(&self) -> Option<u64> {
            None
        }

        fn parts(&self) -> usize {
            2
        }

        fn first_row(&self, part: usize) -> u64 {
            3 * part as u64
        }

        fn read(&self, part: usize, columns: &[usize]) -> Result<Batches> {
            self.readings.fetch_add(1, Ordering::Relaxed);
            let places = StringArray::from(vec![Some("N"), None, Some(if part == 0 { "S" } else { "N" })]);
            let ages = Int64Array::from(vec![Some(30 + part as i64), Some(30), Some(50)]);
            let batch = RecordBatch::try_new(self.schema(), vec![Arc::new(places), Arc::new(ages)]).unwrap();
            Ok(Box::new(std::iter::once(Ok(batch.project(columns).unwrap()))))
        }

        fn progress(&self) -> u64 {
            0
        }
    }

    #[test]
    fn records_are_parsed_once_whatever_the_threads() {
        for threads in [1, 2, 8] {
            let counting = Arc::new(CountingSource { readings: AtomicUsize::new(0) });
            let source: Arc<dyn RecordSource> = counting.clone();
            let mut seen = Vec::new();
            let records =
                read_records(&source, &[0, 1], threads, |first, batch| seen.push((first, batch.num_rows()))).unwrap();
            assert_eq!(counting.readings.load(Ordering::Relaxed), 2, "one reading of each part");
            assert_eq!(seen, [(1, 3), (4, 3)]);
            let places = records.column("place").unwrap();
            assert_eq!((places.values.join(" "), &places.codes[..]), ("N S".to_owned(), &[1, 0, 2, 1, 0, 1][..]));
            let ages = records.column("age").unwrap();
            assert_eq!((ages.values.join(" "), &ages.codes[..]), ("30 50 31".to_owned(), &[1, 1, 2, 3, 1, 2][..]));
            assert_eq!((records.rows, ages.data_type), (6, Type::Integer));
        }
    }
}
