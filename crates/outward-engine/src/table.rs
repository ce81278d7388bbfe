//! A source as a table DataFusion can plan on, with one column more: the number of the row.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

use crate::failure::carried;
use crate::source::RecordSource;

/// How names of our own columns begin.
pub(crate) const OURS: &str = "__outward_";

/// The column that holds the number of the row, from 1.
pub(crate) const ROW: &str = "__outward_row";

/// A source as a table.
pub(crate) struct SourceTable {
    source: Arc<dyn RecordSource>,
    schema: SchemaRef,
}

impl SourceTable {
    pub(crate) fn new(source: Arc<dyn RecordSource>) -> Self {
        let own = source.schema();
        let row = Arc::new(Field::new(ROW, DataType::UInt64, false));
        let fields: Vec<_> = own.fields().iter().cloned().chain([row]).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, own.metadata().clone()));
        Self { source, schema }
    }
}

impl fmt::Debug for SourceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceTable").field("schema", &self.schema).finish_non_exhaustive()
    }
}

#[async_trait]
impl TableProvider for SourceTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns: Vec<usize> = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let schema = Arc::new(self.schema.project(&columns)?);
        let part = |part: usize| -> Arc<dyn PartitionStream> {
            Arc::new(Part { source: self.source.clone(), part, columns: columns.clone(), schema: schema.clone() })
        };
        // DataFusion wants at least one partition; a source without records gives it one that is empty.
        let parts = (0..self.source.parts().max(1)).map(part).collect();
        Ok(Arc::new(StreamingTableExec::try_new(schema.clone(), parts, None, [], false, limit)?))
    }
}

/// One part of a source under a projection.
struct Part {
    source: Arc<dyn RecordSource>,
    part: usize,
    /// Positions in the table's schema; the last one of that is the row number.
    columns: Vec<usize>,
    schema: SchemaRef,
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "part {}", self.part)
    }
}

impl PartitionStream for Part {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batches: Box<dyn Iterator<Item = Result<RecordBatch>> + Send> = match self.batches() {
            Ok(batches) => batches,
            Err(error) => Box::new(std::iter::once(Err(error))),
        };
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), futures::stream::iter(batches)))
    }
}

impl Part {
    fn batches(&self) -> Result<Box<dyn Iterator<Item = Result<RecordBatch>> + Send>> {
        if self.part >= self.source.parts() {
            return Ok(Box::new(std::iter::empty()));
        }
        let row = self.source.schema().fields().len();
        let read: Vec<usize> = self.columns.iter().copied().filter(|column| *column != row).collect();
        let columns = self.columns.clone();
        let schema = self.schema.clone();
        let mut next = self.source.first_row(self.part) + 1;
        let batches = self.source.read(self.part, &read).map_err(carried)?;
        Ok(Box::new(batches.map(move |batch| {
            let batch = batch.map_err(carried)?;
            let first = next;
            next += batch.num_rows() as u64;
            numbered(&batch, &columns, row, first, &schema)
        })))
    }
}

/// Puts the row numbers where the projection wants them.
fn numbered(batch: &RecordBatch, columns: &[usize], row: usize, first: u64, schema: &SchemaRef) -> Result<RecordBatch> {
    let mut read = batch.columns().iter();
    let rows = batch.num_rows();
    let arrays: Option<Vec<ArrayRef>> = columns
        .iter()
        .map(|column| {
            if *column == row {
                Some(Arc::new(UInt64Array::from_iter_values(first..first + rows as u64)) as ArrayRef)
            } else {
                read.next().cloned()
            }
        })
        .collect();
    let arrays = arrays.ok_or_else(|| DataFusionError::Internal("a source gave too few columns".to_owned()))?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?)
}
