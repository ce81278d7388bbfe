//! What is known of participants: tables of records, kept by PID in the store without identities.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::filter::filter_record_batch;
use outward_error::{Error, Result, suggest};
use outward_ledger::{Value, bytes, number, text, values};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::vault::Vault;

/// A table that is enrolled.
#[derive(Debug, Clone)]
pub struct TableData {
    /// What it is called.
    pub name: String,
    /// The column with the identifier that the custodian's own files use. It is not kept.
    pub id: String,
    /// Its records.
    pub batches: Vec<RecordBatch>,
}

/// The column that stands for a participant in the store.
const PID: &str = "pid";
/// Records in one part of a table.
const RECORDS_AT_ONCE: usize = 1 << 17;

impl Vault {
    /// Writes a table of an enrolment. The answer is how many records were not taken, as their participants withdrew.
    pub(crate) async fn write_table(
        &mut self,
        table: &TableData,
        enrolment: i64,
        by_local: &HashMap<String, i64>,
    ) -> Result<u64> {
        self.refuse_other_columns(table).await?;
        let withdrawn: HashSet<i64> = self.without_further_access().await?;
        let mut skipped = 0;
        let mut row = 0;
        let mut part = 0;
        for whole in &table.batches {
            for at in (0..whole.num_rows()).step_by(RECORDS_AT_ONCE) {
                let batch = whole.slice(at, RECORDS_AT_ONCE.min(whole.num_rows() - at));
                let pids = self.pids_of(table, &batch, row, by_local)?;
                row += batch.num_rows() as u64;
                let batch = with_column(PID, Arc::new(Int64Array::from(pids.clone())), &batch, &table.id)?;
                let stays: BooleanArray = pids.iter().map(|pid| Some(!withdrawn.contains(pid))).collect();
                let batch = filter_record_batch(&batch, &stays).map_err(Error::bug)?;
                skipped += (pids.len() - batch.num_rows()) as u64;
                let values: &[Value] =
                    values![&table.name, enrolment, part, batch.num_rows() as i64, to_parquet(&batch)?];
                let insert = "insert into data (name, enrolment, part, records, content) values ($1, $2, $3, $4, $5)";
                self.research.run(insert, values).await?;
                part += 1;
            }
        }
        Ok(skipped)
    }

    /// The PIDs of the records of a batch.
    fn pids_of(
        &self,
        table: &TableData,
        batch: &RecordBatch,
        rows_before: u64,
        by_local: &HashMap<String, i64>,
    ) -> Result<Vec<i64>> {
        let column = batch.column_by_name(&table.id).ok_or_else(|| {
            let schema = batch.schema();
            let known = schema.fields().iter().map(|field| field.name().as_str());
            Error::input(format!("there is no column `{}`", table.id)).help(suggest(&table.id, known, "columns"))
        })?;
        let options = FormatOptions::default();
        let shown = ArrayFormatter::try_new(column, &options).map_err(Error::bug)?;
        let pid = |at: usize| {
            let local = shown.value(at).to_string();
            let known = by_local.get(&self.keys.local_index(local.trim())).filter(|_| column.is_valid(at));
            known.copied().ok_or_else(|| {
                Error::input(format!("table `{}` has a record of somebody who is not enrolled", table.name))
                    .row(rows_before + at as u64 + 1)
                    .variable(&table.id)
                    .help("enrol them in the same run, or leave the record out; nobody was enrolled")
                    .into()
            })
        };
        (0..batch.num_rows()).map(pid).collect()
    }

    /// A table that is there already must have the same columns.
    async fn refuse_other_columns(&mut self, table: &TableData) -> Result<()> {
        let Some(known) = self.schema_of(&table.name).await? else { return Ok(()) };
        let Some(first) = table.batches.first() else { return Ok(()) };
        let schema = first.schema();
        let new = schema.fields().iter().filter(|field| *field.name() != table.id);
        let known = known.fields().iter().filter(|field| field.name() != PID);
        let pair = |field: &Arc<Field>| (field.name().clone(), field.data_type().clone());
        match new.map(pair).eq(known.map(pair)) {
            true => Ok(()),
            false => Err(Error::input(format!("table `{}` has other columns than before", table.name))
                .help("give it the same columns in the same order, or another name; nobody was enrolled")
                .into()),
        }
    }

    /// The columns of a table; none where there is no such table.
    pub(crate) async fn schema_of(&mut self, name: &str) -> Result<Option<Schema>> {
        let statement = "select content from data where name = $1 order by enrolment, part limit 1";
        let Some(row) = self.research.row(statement, values![name]).await? else { return Ok(None) };
        let content = bytes(&row, "content")?.unwrap_or_default();
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(content)).map_err(|_| damaged())?;
        Ok(Some(reader.schema().as_ref().clone()))
    }

    /// The names of all tables.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn tables(&mut self) -> Result<Vec<String>> {
        let rows = self.research.rows("select distinct name from data order by name", &[]).await?;
        rows.iter().map(|row| text(row, "name")).collect()
    }

    /// The parts of a table, in the order in which they were enrolled.
    pub(crate) async fn parts_of(&mut self, name: &str) -> Result<Vec<(i64, i64)>> {
        let statement = "select enrolment, part from data where name = $1 order by enrolment, part";
        let rows = self.research.rows(statement, values![name]).await?;
        rows.iter().map(|row| Ok((number(row, "enrolment")?, number(row, "part")?))).collect()
    }

    /// The records of one part of a table, with these columns alone: the PIDs, and the rest.
    pub(crate) async fn read_part(
        &mut self,
        name: &str,
        (enrolment, part): (i64, i64),
        columns: &[String],
    ) -> Result<Vec<(Vec<i64>, RecordBatch)>> {
        let statement = "select content from data where name = $1 and enrolment = $2 and part = $3";
        let row = self.research.row(statement, values![name, enrolment, part]).await?.ok_or_else(damaged)?;
        let content = bytes(&row, "content")?.unwrap_or_default();
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(content)).map_err(|_| damaged())?;
        let schema = reader.parquet_schema();
        let wanted = schema.columns().iter().enumerate().filter(|(_, column)| {
            let name = column.name();
            name == PID || columns.iter().any(|wanted| wanted == name)
        });
        let mask = parquet::arrow::ProjectionMask::leaves(schema, wanted.map(|(at, _)| at).collect::<Vec<_>>());
        let reader = reader.with_projection(mask).with_batch_size(RECORDS_AT_ONCE).build().map_err(|_| damaged())?;
        let batch = |batch: std::result::Result<RecordBatch, _>| {
            let batch: RecordBatch = batch.map_err(|_| damaged())?;
            let pids = batch.column_by_name(PID).and_then(|column| column.as_any().downcast_ref::<Int64Array>());
            let pids = pids.ok_or_else(damaged)?.values().to_vec();
            let order: Option<Vec<usize>> = columns.iter().map(|name| batch.schema().index_of(name).ok()).collect();
            let batch = batch.project(&order.ok_or_else(damaged)?).map_err(Error::bug)?;
            Ok((pids, batch))
        };
        reader.map(batch).collect()
    }
}

/// A batch with a column in front, and another left out.
pub(crate) fn with_column(name: &str, column: ArrayRef, batch: &RecordBatch, without: &str) -> Result<RecordBatch> {
    let mut fields = vec![Arc::new(Field::new(name, column.data_type().clone(), false))];
    let mut columns = vec![column];
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if field.name() == name {
            return Err(Error::input(format!("a column is called `{name}`, which the vault uses itself"))
                .variable(name)
                .help("give it another name")
                .into());
        }
        if field.name() != without {
            fields.push(Arc::clone(field));
            columns.push(Arc::clone(column));
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(Error::bug)
}

fn to_parquet(batch: &RecordBatch) -> Result<Vec<u8>> {
    let failed = |_| Error::input("a table has a column of a type that cannot be kept").help("make it text or numbers");
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut content = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut content, batch.schema(), Some(properties)).map_err(failed)?;
    writer.write(batch).map_err(failed)?;
    writer.close().map_err(failed)?;
    Ok(content)
}

fn damaged() -> Error {
    Error::input("records in the store of the vault are damaged").help("restore the store from a copy").into()
}

/// Whether a type can be told apart as text when records are joined.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}
