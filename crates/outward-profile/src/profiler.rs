//! Reads batches of records into the profile of each column.

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use crate::column::{ColumnProfiler, Summary};
use crate::judge;
use crate::profile::Profile;
use crate::rank;
use crate::sample::{Kept, Rows, least_rarity};

/// Gathers what a profile needs, in memory that does not grow with the records.
pub struct Profiler {
    records: u64,
    columns: Vec<ColumnProfiler>,
    kept: Kept,
}

impl Profiler {
    /// A profiler for records of this schema that has seen none yet.
    pub fn new(schema: &Schema) -> Self {
        let columns = schema.fields().iter().map(|field| ColumnProfiler::new(field)).collect();
        Self { records: 0, columns, kept: Kept::new() }
    }

    /// Takes in a batch of records, the first of which is record `first_row` of the whole, counted from 0. Record
    /// numbers decide which records are looked at closely, so no two batches may share one.
    pub fn observe(&mut self, first_row: u64, batch: &RecordBatch) {
        let rows = Rows::choose(first_row, batch.num_rows(), least_rarity(self.records), self.kept.bound());
        for (column, array) in self.columns.iter_mut().zip(batch.columns()) {
            column.observe(array, &rows);
        }
        self.kept.extend(rows.kept.iter().map(|(_, mixed)| *mixed));
        self.records += batch.num_rows() as u64;
        if self.kept.is_full() {
            self.prune();
        }
    }

    /// Joins what another profiler of the same schema saw.
    pub fn merge(&mut self, other: Self) {
        self.records += other.records;
        for (column, other) in self.columns.iter_mut().zip(other.columns) {
            column.merge(other);
        }
        self.kept.append(other.kept);
        if self.kept.is_full() {
            self.prune();
        }
    }

    /// Says what was seen.
    pub fn finish(mut self) -> Profile {
        self.prune();
        let order = self.kept.order();
        let rarity = least_rarity(self.records);
        let summaries: Vec<Summary> = (self.columns.into_iter())
            .map(|mut column| {
                column.keep(&order);
                column.finish(rarity)
            })
            .collect();
        let columns = judge::columns(self.records, &summaries);
        let keys = rank::keys(&columns, &summaries);
        Profile { records: self.records, columns, sample: order.len() as u64, keys }
    }

    fn prune(&mut self) {
        if let Some(places) = self.kept.prune() {
            self.columns.iter_mut().for_each(|column| column.keep(&places));
        }
    }
}
