//! The file of pairs: row numbers, and names of records where these were asked for. No other value.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use outward_cells::Coded;
use outward_engine::sink;
use outward_intruder::linkage::{Clusters, Records, Scored, ScoredPair};
use outward_spec::{Error, Result};

/// Pairs in a batch.
const BATCH: usize = 65_536;

/// The column that names the records of each file.
pub(super) struct Ids<'a> {
    left: &'a Coded,
    right: Option<&'a Coded>,
}

impl<'a> Ids<'a> {
    pub(super) fn new(name: &str, left: &'a Records, right: Option<&'a Records>) -> Result<Self> {
        let find = |records: &'a Records| {
            let at = records.names.iter().position(|known| known == name);
            at.map(|at| &records.columns[at]).ok_or_else(|| Error::bug("the column of names was not read"))
        };
        Ok(Self { left: find(left)?, right: right.map(find).transpose()? })
    }

    /// The name of a record of both files, numbered through.
    fn name(&self, row: usize) -> Option<&str> {
        let first = self.left.codes.len();
        let (column, row) = match self.right {
            Some(right) if row >= first => (right, row - first),
            _ => (self.left, row),
        };
        column.dictionary.value(column.codes[row])
    }
}

/// Writes the pairs, in the format that the name of the file says.
pub(super) fn write_pairs(
    path: &Path,
    pairs: &[ScoredPair],
    scored: &Scored,
    clusters: &Clusters,
    ids: Option<Ids<'_>>,
) -> Result<()> {
    let numbers = |name: &str| Field::new(name, DataType::UInt64, false);
    let mut fields = vec![numbers("left_row"), numbers("right_row")];
    if ids.is_some() {
        fields.extend([Field::new("left_id", DataType::Utf8, true), Field::new("right_id", DataType::Utf8, true)]);
    }
    fields.extend(["match_weight", "match_probability"].map(|name| Field::new(name, DataType::Float64, false)));
    fields.extend([Field::new("rule", DataType::UInt64, false), numbers("cluster")]);
    let schema = Arc::new(Schema::new(fields));
    let mut sink = sink::create(path, None, schema.clone())?;
    for batch in pairs.chunks(BATCH) {
        let column = |of: &dyn Fn(&ScoredPair) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(batch.iter().map(of)))
        };
        let float = |of: &dyn Fn(&ScoredPair) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(batch.iter().map(of)))
        };
        let mut columns = vec![column(&|pair| u64::from(pair.left) + 1), column(&|pair| u64::from(pair.right) + 1)];
        if let Some(ids) = &ids {
            let left = batch.iter().map(|pair| ids.name(pair.left as usize));
            let right = batch.iter().map(|pair| ids.name(scored.right_record(pair) as usize));
            columns.push(Arc::new(StringArray::from_iter(left)));
            columns.push(Arc::new(StringArray::from_iter(right)));
        }
        columns.push(float(&|pair| pair.weight));
        columns.push(float(&ScoredPair::probability));
        columns.push(column(&|pair| u64::from(pair.rule) + 1));
        columns.push(column(&|pair| u64::from(clusters.of_record[pair.left as usize]) + 1));
        sink.write(&RecordBatch::try_new(schema.clone(), columns).map_err(Error::bug)?)?;
    }
    sink.finish()?;
    Ok(())
}
