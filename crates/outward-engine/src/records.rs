//! Records on their way from a source: which columns are read, and what is done to each batch before it is used.
//!
//! Steps are carried out in the order in which they were added. Each sees every record that is left at that point
//! exactly once, so that its counts are right. Every part of a source is read by itself, from its first record to its
//! last.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use outward_spec::{Error, Result, suggest};

use crate::failure::while_reading;
use crate::source::{Batches, RecordSource};
use crate::sql::Predicate;

/// Records in a batch: large enough to make the work per batch small, small enough to stay in the cache.
pub(crate) const BATCH_ROWS: usize = 8192;

/// How names of our own columns begin.
pub(crate) const RESERVED_PREFIX: &str = "__outward_";

/// The column that holds the number of the row, from 1.
pub(crate) const ROW_NUMBER: &str = "__outward_row";

/// Something that makes one column of others.
pub(crate) trait Change: Send + Sync {
    /// What it makes of columns of these types.
    fn data_type(&self, from: &[DataType]) -> Result<DataType>;

    /// The new values of a batch.
    fn change(&self, columns: &[ArrayRef]) -> Result<ArrayRef>;
}

/// Records, and what is done to them.
#[derive(Clone)]
pub(crate) struct Records {
    input: Input,
    operations: Vec<Operation>,
    schema: SchemaRef,
}

#[derive(Clone)]
enum Input {
    /// These columns of a source, and the number of the row after them.
    Source {
        source: Arc<dyn RecordSource>,
        read: Vec<usize>,
        schema: SchemaRef,
    },
    Memory(RecordBatch),
}

#[derive(Clone)]
enum Operation {
    /// Keeps the records that a condition accepts; counts those it is asked about and those it keeps.
    Keep { condition: Predicate, counts: Arc<[AtomicU64; 2]> },
    /// Makes other columns.
    Columns { columns: Vec<ProjectedColumn>, schema: SchemaRef },
}

#[derive(Clone)]
enum ProjectedColumn {
    Unchanged(usize),
    Changed { change: Arc<dyn Change>, inputs: Vec<usize> },
    Holds(Predicate),
}

impl Records {
    /// All columns of a source, and the number of the row.
    pub(crate) fn of_source(source: &Arc<dyn RecordSource>) -> Self {
        Self::reading(source.clone(), (0..source.schema().fields().len()).collect())
    }

    /// Records in memory.
    pub(crate) fn of_batch(records: RecordBatch) -> Self {
        Self { schema: records.schema(), input: Input::Memory(records), operations: Vec::new() }
    }

    fn reading(source: Arc<dyn RecordSource>, read: Vec<usize>) -> Self {
        let own = source.schema();
        let row = Arc::new(Field::new(ROW_NUMBER, DataType::UInt64, false));
        let fields: Vec<_> = read.iter().map(|at| own.fields()[*at].clone()).chain([row]).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, own.metadata().clone()));
        Self { input: Input::Source { source, read, schema: schema.clone() }, operations: Vec::new(), schema }
    }

    /// Reads only those columns of the source that are named, in its order. To be said before anything is done to them.
    pub(crate) fn read_only(self, wanted: impl Fn(&str) -> bool) -> Self {
        match self.input {
            Input::Source { source, mut read, .. } if self.operations.is_empty() => {
                let own = source.schema();
                read.retain(|at| wanted(own.field(*at).name()));
                Self::reading(source, read)
            }
            _ => self,
        }
    }

    /// The columns as they are after all that is done.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// That a variable is there, or an error with the nearest name.
    pub(crate) fn must_have(&self, variable: &str) -> Result<usize> {
        self.schema.index_of(variable).map_err(|_| {
            let names = self.schema.fields().iter().map(|field| field.name().as_str());
            let known = names.filter(|name| !name.starts_with(RESERVED_PREFIX));
            let fault = Error::input(format!("there is no column `{variable}`")).missing_column(variable);
            fault.help(suggest(variable, known, "columns")).into()
        })
    }

    /// Keeps the records that a condition accepts, and counts.
    pub(crate) fn keep(mut self, condition: Predicate, counts: Arc<[AtomicU64; 2]>) -> Self {
        self.operations.push(Operation::Keep { condition, counts });
        self
    }

    /// Keeps the columns whose names are wanted.
    pub(crate) fn select(self, wanted: impl Fn(&str) -> bool) -> Self {
        let kept = (0..self.schema.fields().len()).filter(|at| wanted(self.schema.field(*at).name()));
        let (made, fields) = kept.map(|at| (ProjectedColumn::Unchanged(at), self.schema.field(at).clone())).unzip();
        self.make(made, fields)
    }

    /// Replaces variables by what is made of columns, all of them as they were before.
    pub(crate) fn replace(self, changes: &[(&str, Arc<dyn Change>, Vec<&str>)]) -> Result<Self> {
        changes.iter().try_for_each(|(variable, ..)| self.must_have(variable).map(drop))?;
        let (mut made, mut fields) = (Vec::new(), Vec::new());
        for (at, field) in self.schema.fields().iter().enumerate() {
            let Some((_, change, inputs)) = changes.iter().find(|(variable, ..)| variable == field.name()) else {
                made.push(ProjectedColumn::Unchanged(at));
                fields.push(field.as_ref().clone());
                continue;
            };
            let inputs: Vec<usize> = inputs.iter().map(|name| self.must_have(name)).collect::<Result<_>>()?;
            let types: Vec<DataType> = inputs.iter().map(|at| self.schema.field(*at).data_type().clone()).collect();
            fields.push(Field::new(field.name(), change.data_type(&types)?, true));
            made.push(ProjectedColumn::Changed { change: change.clone(), inputs });
        }
        Ok(self.make(made, fields))
    }

    /// Adds a column for each condition that says of which records it holds.
    pub(crate) fn with_conditions(self, conditions: Vec<(String, Predicate)>) -> Self {
        let unchanged = self.schema.fields().iter().enumerate();
        let (mut made, mut fields): (Vec<_>, Vec<_>) =
            unchanged.map(|(at, field)| (ProjectedColumn::Unchanged(at), field.as_ref().clone())).unzip();
        for (name, condition) in conditions {
            made.push(ProjectedColumn::Holds(condition));
            fields.push(Field::new(name, DataType::Boolean, true));
        }
        self.make(made, fields)
    }

    fn make(mut self, columns: Vec<ProjectedColumn>, fields: Vec<Field>) -> Self {
        let schema = Arc::new(Schema::new_with_metadata(fields, self.schema.metadata().clone()));
        self.schema = schema.clone();
        self.operations.push(Operation::Columns { columns, schema });
        self
    }

    /// How many parts can be read at once.
    pub(crate) fn parts(&self) -> usize {
        match &self.input {
            Input::Source { source, .. } => source.parts(),
            Input::Memory(_) => 1,
        }
    }

    /// Reads one part on this thread.
    pub(crate) fn for_each_batch(&self, part: usize, take: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        for batch in self.input.read(part)? {
            let mut batch = batch?;
            for operation in &self.operations {
                batch = operation.apply(batch)?;
                if batch.num_rows() == 0 {
                    break;
                }
            }
            if batch.num_rows() > 0 {
                take(batch)?;
            }
        }
        Ok(())
    }

    /// All records in the order of the source, read on this thread.
    pub(crate) fn batches(&self) -> Result<Vec<RecordBatch>> {
        let mut batches = Vec::new();
        for part in 0..self.parts() {
            self.for_each_batch(part, &mut |batch| {
                batches.push(batch);
                Ok(())
            })?;
        }
        Ok(batches)
    }
}

impl Input {
    fn read(&self, part: usize) -> Result<Batches> {
        match self {
            Self::Source { source, read, schema } => {
                let (schema, mut next) = (schema.clone(), source.first_row(part) + 1);
                let batches = source.read(part, read)?;
                Ok(Box::new(batches.map(move |batch| {
                    let batch = batch?;
                    let first = next;
                    next += batch.num_rows() as u64;
                    numbered(&batch, first, &schema)
                })))
            }
            Self::Memory(records) => {
                let (records, rows) = (records.clone(), records.num_rows());
                let starts = (0..rows).step_by(BATCH_ROWS);
                Ok(Box::new(starts.map(move |start| Ok(records.slice(start, BATCH_ROWS.min(rows - start))))))
            }
        }
    }
}

/// A batch with the numbers of its rows.
fn numbered(batch: &RecordBatch, first: u64, schema: &SchemaRef) -> Result<RecordBatch> {
    let rows: ArrayRef = Arc::new(UInt64Array::from_iter_values(first..first + batch.num_rows() as u64));
    let columns = batch.columns().iter().cloned().chain([rows]).collect();
    RecordBatch::try_new(schema.clone(), columns).map_err(Error::bug)
}

impl Operation {
    fn apply(&self, batch: RecordBatch) -> Result<RecordBatch> {
        match self {
            Self::Keep { condition, counts } => {
                let accepted = condition.evaluate(&batch).map_err(while_reading)?;
                counts[0].fetch_add(accepted.len() as u64, Ordering::Relaxed);
                counts[1].fetch_add(accepted.true_count() as u64, Ordering::Relaxed);
                filter_record_batch(&batch, &accepted).map_err(Error::bug)
            }
            Self::Columns { columns, schema } => {
                let made = columns.iter().map(|made| made.evaluate(&batch)).collect::<Result<_>>()?;
                let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
                RecordBatch::try_new_with_options(schema.clone(), made, &options).map_err(Error::bug)
            }
        }
    }
}

impl ProjectedColumn {
    fn evaluate(&self, batch: &RecordBatch) -> Result<ArrayRef> {
        match self {
            Self::Unchanged(at) => Ok(batch.column(*at).clone()),
            Self::Changed { change, inputs } => {
                let columns: Vec<ArrayRef> = inputs.iter().map(|at| batch.column(*at).clone()).collect();
                change.change(&columns)
            }
            Self::Holds(condition) => Ok(Arc::new(condition.evaluate(batch).map_err(while_reading)?)),
        }
    }
}
