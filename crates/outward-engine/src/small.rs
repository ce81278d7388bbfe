//! Small tables, read whole: populations of places, age–sex tables, lookups. They are about places and groups, not about
//! people; records are never read this way.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use arrow_select::concat::concat;
use outward_spec::{Error, Result};

/// Rows beyond which a table is not small. There are 1.8 million postcodes in use.
pub(crate) const MAX_ROWS: usize = 10_000_000;

/// A small table as text, with the numbers of its rows.
#[derive(Debug, Clone)]
pub struct SmallTable {
    columns: Vec<StringArray>,
    rows: Vec<u64>,
}

impl SmallTable {
    /// Joins batches whose last column is the number of the row.
    pub(crate) fn from_batches(batches: &[RecordBatch], columns: usize, rows: Vec<u64>) -> Result<Self> {
        let column = |at: usize| -> Result<StringArray> {
            let parts: Vec<ArrayRef> = batches
                .iter()
                .map(|batch| cast(batch.column(at), &DataType::Utf8).map_err(Error::bug))
                .collect::<Result<_>>()?;
            if parts.is_empty() {
                return Ok(StringArray::new_null(0));
            }
            let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            Ok(concat(&parts).map_err(Error::bug)?.as_string::<i32>().clone())
        };
        Ok(Self { columns: (0..columns).map(column).collect::<Result<_>>()?, rows })
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of a row in the file it was read from, from 1.
    pub fn row(&self, at: usize) -> u64 {
        self.rows[at]
    }

    /// A value without the blanks around it; none if it is missing. Columns are numbered as they were asked for.
    pub fn value(&self, at: usize, column: usize) -> Option<&str> {
        let column = &self.columns[column];
        (!column.is_null(at)).then(|| column.value(at).trim()).filter(|value| !value.is_empty())
    }
}
