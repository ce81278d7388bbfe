//! What is known of participants: tables of records, kept by PID in the store without identities.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{Field, Schema};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use outward_error::{Error, Result, suggest};
use outward_ledger::{Value, bytes, number, values};
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::enrol::KnownPeople;
use crate::table::TableDescription;
use crate::vault::Vault;

/// The records of a table, batch by batch.
pub type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch>> + 'a>;

/// A table that is enrolled.
pub struct TableData<'a> {
    /// What it is called, and what its columns are.
    pub description: TableDescription,
    /// The column by which its records find their participant. It is not kept.
    pub id: String,
    /// What that column holds.
    pub id_is: IdIs,
    /// Whether its records replace all that there are.
    pub replace: bool,
    /// Its records.
    pub batches: Batches<'a>,
}

/// What the column holds by which records find their participant.
#[derive(Debug)]
pub enum IdIs {
    /// The identifier that the custodian's own files use.
    Local,
    /// A hash of the NHS number that a site made.
    Digest(crate::linkage::Linkage),
}

/// The column that stands for a participant in the store.
const PID: &str = "pid";
/// Records in one part of a table.
const RECORDS_AT_ONCE: usize = 1 << 17;

impl Vault {
    /// Writes a table of an enrolment. The answer is how many records were not taken, as their participants withdrew.
    pub(crate) async fn write_table(
        &mut self,
        table: &mut TableData<'_>,
        enrolment: i64,
        people: &KnownPeople,
        withdrawn: &HashSet<i64>,
    ) -> Result<u64> {
        let spec = table.description.spec()?;
        let fields: Vec<String> = spec.variables.iter().map(|variable| variable.name.clone()).collect();
        if table.replace {
            self.research.run("delete from data where name = $1", values![&table.description.name]).await?;
        }
        let known = self.schema_of(&table.description.name).await?;
        let finder = people.finder(&self.keys, &table.id_is)?;
        let (mut skipped, mut row, mut part) = (0, 0, 0);
        let mut waiting: Vec<RecordBatch> = Vec::new();
        loop {
            let batch = table.batches.next().transpose()?;
            if let Some(batch) = &batch {
                let pids = find_participants(batch, &table.description.name, &table.id, row, &finder)?;
                row += batch.num_rows() as u64;
                let kept = with_column(PID, Arc::new(Int64Array::from(pids.clone())), &chosen(batch, &fields)?)?;
                if let (0, Some(known)) = (part, &known) {
                    refuse_other_columns(&table.description.name, known, &kept.schema())?;
                }
                let stays: BooleanArray = pids.iter().map(|pid| Some(!withdrawn.contains(pid))).collect();
                let kept = filter_record_batch(&kept, &stays).map_err(Error::bug)?;
                skipped += (pids.len() - kept.num_rows()) as u64;
                waiting.push(kept);
            }
            let records: usize = waiting.iter().map(RecordBatch::num_rows).sum();
            if records >= RECORDS_AT_ONCE || (batch.is_none() && !waiting.is_empty()) {
                let whole = concat_batches(&waiting[0].schema(), &waiting).map_err(Error::bug)?;
                waiting.clear();
                let content = to_parquet(&whole)?;
                // If a custodian enrolled a file again, after a run that was killed or by mistake, every record would
                // be there twice.
                let same = "select part from data where name = $1 and content = $2";
                if self.research.row(same, values![&table.description.name, content.clone()]).await?.is_some() {
                    return Err(already_there(&table.description.name));
                }
                let row: &[Value] = values![&table.description.name, enrolment, part, whole.num_rows() as i64, content];
                let insert = "insert into data (name, enrolment, part, records, content) values ($1, $2, $3, $4, $5)";
                self.research.run(insert, row).await?;
                part += 1;
            }
            if batch.is_none() {
                return Ok(skipped);
            }
        }
    }

    /// The columns of a table; none where it has no records.
    async fn schema_of(&mut self, name: &str) -> Result<Option<Schema>> {
        let statement = "select content from data where name = $1 order by enrolment, part limit 1";
        let Some(row) = self.research.row(statement, values![name]).await? else { return Ok(None) };
        let reader = ParquetRecordBatchReaderBuilder::try_new(content(&row)?).map_err(|_| damaged())?;
        Ok(Some(reader.schema().as_ref().clone()))
    }

    /// The records of a table from the enrolments up to this number, with these columns only. Returns the PIDs, and the
    /// rest in one batch.
    pub(crate) async fn read_table(&mut self, name: &str, columns: &[String]) -> Result<(Vec<i64>, RecordBatch)> {
        let statement = "select enrolment, part from data where name = $1 order by enrolment, part";
        let places: Vec<(i64, i64)> = {
            let rows = self.research.rows(statement, values![name]).await?;
            rows.iter().map(|row| Ok((number(row, "enrolment")?, number(row, "part")?))).collect::<Result<_>>()?
        };
        let mut contents = Vec::with_capacity(places.len());
        for (enrolment, part) in places {
            let statement = "select content from data where name = $1 and enrolment = $2 and part = $3";
            let row = self.research.row(statement, values![name, enrolment, part]).await?.ok_or_else(damaged)?;
            contents.push(content(&row)?);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = contents.len().div_ceil(threads).max(1);
        let batches = std::thread::scope(|scope| {
            let read = |part: &[bytes::Bytes]| {
                let read = part.iter().map(|content| read_part(content.clone(), columns));
                Ok(read.collect::<Result<Vec<_>>>()?.concat())
            };
            let running: Vec<_> = contents.chunks(share).map(|part| scope.spawn(move || read(part))).collect();
            let joined =
                running.into_iter().map(|thread| thread.join().map_err(|_| Error::bug("reading a table panicked"))?);
            joined.collect::<Result<Vec<Vec<RecordBatch>>>>()
        })?
        .concat();
        let Some(first) = batches.first() else {
            return Err(Error::input(format!("table `{name}` has no records")).help("enrol some first").into());
        };
        let whole = concat_batches(&first.schema(), &batches).map_err(|_| too_much(name))?;
        let pids = whole.column_by_name(PID).and_then(|column| column.as_primitive_opt::<Int64Type>());
        let pids = pids.ok_or_else(damaged)?.values().to_vec();
        let order: Option<Vec<usize>> = columns.iter().map(|name| whole.schema().index_of(name).ok()).collect();
        Ok((pids, whole.project(&order.ok_or_else(damaged)?).map_err(Error::bug)?))
    }
}

fn already_there(name: &str) -> Error {
    Error::input(format!("these records are in table `{name}` already"))
        .help("give only what is new, or replace the whole table with `replace = true`; nothing was changed")
        .into()
}

fn too_much(name: &str) -> Error {
    Error::input(format!("the records of table `{name}` do not fit into memory at once"))
        .help("ask for fewer fields")
        .into()
}

fn content(row: &outward_ledger::AnyRow) -> Result<bytes::Bytes> {
    Ok(bytes::Bytes::from(bytes(row, "content")?.unwrap_or_default()))
}

/// The records of one part with these columns and the PID.
fn read_part(content: bytes::Bytes, columns: &[String]) -> Result<Vec<RecordBatch>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(content).map_err(|_| damaged())?;
    let schema = reader.parquet_schema();
    let wanted = schema.columns().iter().enumerate().filter(|(_, column)| {
        let name = column.name();
        name == PID || columns.iter().any(|wanted| wanted == name)
    });
    let mask = ProjectionMask::leaves(schema, wanted.map(|(at, _)| at).collect::<Vec<_>>());
    let reader = reader.with_projection(mask).with_batch_size(RECORDS_AT_ONCE).build().map_err(|_| damaged())?;
    reader.map(|batch| batch.map_err(|_| damaged())).collect()
}

/// The PIDs of the records of a batch.
fn find_participants(
    batch: &RecordBatch,
    table: &str,
    id: &str,
    rows_before: u64,
    finder: &dyn Fn(&str) -> Option<i64>,
) -> Result<Vec<i64>> {
    let column = batch.column_by_name(id).ok_or_else(|| {
        let schema = batch.schema();
        let known = schema.fields().iter().map(|field| field.name().as_str());
        Error::input(format!("the data of table `{table}` have no column `{id}`")).help(suggest(id, known, "columns"))
    })?;
    let options = FormatOptions::default();
    let shown = ArrayFormatter::try_new(column, &options).map_err(Error::bug)?;
    let mut pids = Vec::with_capacity(batch.num_rows());
    let mut text = String::new();
    for at in 0..batch.num_rows() {
        text.clear();
        shown.value(at).write(&mut text).map_err(Error::bug)?;
        let pid = if column.is_valid(at) { finder(text.trim()) } else { None };
        pids.push(pid.ok_or_else(|| {
            Error::input(format!("table `{table}` has a record of somebody who is not enrolled"))
                .row(rows_before + at as u64 + 1)
                .variable(id)
                .help("enrol them in the same run, or leave the record out; nobody was enrolled")
        })?);
    }
    Ok(pids)
}

/// A table that is there already must have the same columns.
fn refuse_other_columns(table: &str, known: &Schema, new: &Schema) -> Result<()> {
    let pair = |field: &Arc<Field>| (field.name().clone(), field.data_type().clone());
    match new.fields().iter().map(pair).eq(known.fields().iter().map(pair)) {
        true => Ok(()),
        false => Err(Error::input(format!("table `{table}` has other columns than before, or columns of other types"))
            .help("give it the same columns in the same order, or another name; nobody was enrolled")
            .into()),
    }
}

/// These columns of a batch.
fn chosen(batch: &RecordBatch, columns: &[String]) -> Result<RecordBatch> {
    let schema = batch.schema();
    let place = |name: &String| {
        schema.index_of(name).map_err(|_| {
            let known = schema.fields().iter().map(|field| field.name().as_str());
            Error::input("the data have no column of this name")
                .variable(name)
                .help(suggest(name, known, "columns"))
                .into()
        })
    };
    let places: Vec<usize> = columns.iter().map(place).collect::<Result<_>>()?;
    batch.project(&places).map_err(Error::bug)
}

/// A batch with a column in front.
pub(crate) fn with_column(name: &str, column: ArrayRef, batch: &RecordBatch) -> Result<RecordBatch> {
    if batch.schema().index_of(name).is_ok() {
        return Err(Error::input(format!("a column is called `{name}`, which the vault uses itself"))
            .variable(name)
            .help("give it another name")
            .into());
    }
    let schema = batch.schema();
    let first = Arc::new(Field::new(name, column.data_type().clone(), false));
    let fields: Vec<Arc<Field>> = std::iter::once(first).chain(schema.fields().iter().map(Arc::clone)).collect();
    let columns = std::iter::once(column).chain(batch.columns().iter().map(Arc::clone)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(Error::bug)
}

/// A batch as a Parquet file.
pub(crate) fn to_parquet(batch: &RecordBatch) -> Result<Vec<u8>> {
    let failed = |_| Error::input("a table has a column of a type that cannot be kept").help("make it text or numbers");
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut content = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut content, batch.schema(), Some(properties)).map_err(failed)?;
    writer.write(batch).map_err(failed)?;
    writer.close().map_err(failed)?;
    Ok(content)
}

/// Writes a batch as a Parquet file that is read once and then gone: quickly, in groups that threads share.
///
/// # Errors
/// Where the machine refuses.
pub fn write_parquet(batch: &RecordBatch, out: impl std::io::Write + Send) -> Result<()> {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(RECORDS_AT_ONCE)).build();
    let failed =
        |_| Error::input("the records could not be written").help("see whether there is space left beside the bundle");
    let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties)).map_err(failed)?;
    writer.write(batch).map_err(failed)?;
    writer.close().map_err(failed)?;
    Ok(())
}

fn damaged() -> Error {
    Error::input("records in the store of the vault are damaged").help("restore the store from a copy").into()
}
