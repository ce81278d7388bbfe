//! A partition of records into classes: records of a class have the same published values.

use std::collections::HashMap;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use outward_cells::{CellCounter, CellRequest, MISSING, supporting_counts};
use outward_engine::ReleasedColumns;
use outward_spec::{Error, Result};
use std::sync::Arc;

/// The class of every record. Records that are not in a release are a class too: an intruder who knows that a person is
/// not in it can exclude the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Partition {
    class_of: Vec<u32>,
    sizes: Vec<u64>,
    /// The class of the records that are in no release.
    outside: Option<u32>,
}

impl Partition {
    /// The classes of some columns of a release.
    pub(super) fn of_columns(released: &ReleasedColumns, columns: &[usize]) -> Self {
        let mut keys: Vec<u64> = released.present.iter().map(|present| u64::from(*present)).collect();
        let mut many: u64 = 2;
        for column in columns.iter().map(|at| &released.columns[*at]) {
            let values = column.dictionary.len() as u64 + 1;
            if many.checked_mul(values).is_none() {
                let (classes, sizes) = numbered(&keys);
                keys = classes.into_iter().map(u64::from).collect();
                many = sizes.len() as u64;
            }
            many = many.saturating_mul(values);
            keys.iter_mut().zip(&column.codes).for_each(|(key, code)| *key = *key * values + u64::from(*code));
        }
        let (class_of, sizes) = numbered(&keys);
        let outside = released.present.iter().position(|present| !present).map(|record| class_of[record]);
        Self { class_of, sizes, outside }
    }

    /// The joint classes of two releases.
    pub(super) fn join(&self, other: &Self) -> Self {
        let pair = |(a, b): (&u32, &u32)| u64::from(*a) << 32 | u64::from(*b);
        let keys: Vec<u64> = self.class_of.iter().zip(&other.class_of).map(pair).collect();
        let (class_of, sizes) = numbered(&keys);
        let both = self.outside.zip(other.outside).map(|(a, b)| pair((&a, &b)));
        let outside = both.and_then(|both| keys.iter().position(|key| *key == both)).map(|record| class_of[record]);
        Self { class_of, sizes, outside }
    }

    /// How many classes there are.
    pub(super) fn classes(&self) -> usize {
        self.sizes.len()
    }

    /// How many records are in the class of a record. A person who is in no release cannot be found, so their class
    /// counts as unlimited.
    pub(super) fn size(&self, record: usize) -> u64 {
        let class = self.class_of[record];
        if Some(class) == self.outside { u64::MAX } else { self.sizes[class as usize] }
    }

    /// As [`Self::size`], with missing values as the policy counts them. `wild` says for each column whether they match
    /// every value.
    pub(super) fn sizes_by_policy(
        &self,
        released: &ReleasedColumns,
        wild: &[bool],
        threads: usize,
    ) -> Result<Vec<u64>> {
        let mut sizes = self.sizes.clone();
        let is_missing = |at: usize| {
            let codes = released.columns[at].codes.iter().zip(&released.present);
            codes.into_iter().any(|(code, present)| *present && *code == MISSING)
        };
        if (0..wild.len()).any(|at| wild[at] && is_missing(at)) {
            let rows: Vec<usize> = (0..released.present.len()).filter(|record| released.present[*record]).collect();
            let cells = cells_of(released, wild.len(), &rows)?;
            let counts = supporting_counts(&cells, wild, threads);
            for (row, count) in cells.first_rows().iter().zip(counts) {
                sizes[self.class_of[*row as usize - 1] as usize] = count;
            }
        }
        Ok(sizes)
    }

    /// How many records are exactly like a record, whether or not any release has them.
    pub(super) fn members(&self, record: usize) -> u64 {
        self.sizes[self.class_of(record)]
    }

    /// The first record of each class.
    pub(super) fn first_records(&self) -> Vec<usize> {
        let mut firsts = Vec::with_capacity(self.sizes.len());
        for (record, class) in self.class_of.iter().enumerate() {
            // Classes are numbered in order of first occurrence.
            if *class as usize == firsts.len() {
                firsts.push(record);
            }
        }
        firsts
    }

    /// The number of the class of a record.
    pub(super) fn class_of(&self, record: usize) -> usize {
        self.class_of[record] as usize
    }

    /// Whether a record is in none of the releases.
    pub(super) fn is_outside(&self, record: usize) -> bool {
        Some(self.class_of[record]) == self.outside
    }
}

/// The cells of some records of a release on its first columns, by codes.
fn cells_of(released: &ReleasedColumns, columns: usize, rows: &[usize]) -> Result<outward_cells::Cells> {
    let names: Vec<String> = (0..columns).map(|at| at.to_string()).collect();
    let field = |name: &String| Field::new(name, DataType::UInt32, true);
    let schema = Arc::new(Schema::new(names.iter().map(field).collect::<Vec<_>>()));
    let known = |code: u32| (code != MISSING).then_some(code);
    let columns = released.columns.iter().take(columns).map(|column| -> ArrayRef {
        Arc::new(rows.iter().map(|row| known(column.codes[*row])).collect::<UInt32Array>())
    });
    let batch = RecordBatch::try_new(schema.clone(), columns.collect()).map_err(Error::bug)?;
    let mut counter = CellCounter::new(&schema, &CellRequest::new(names))?;
    counter.observe(&batch, &rows.iter().map(|row| *row as u64 + 1).collect::<Vec<_>>())?;
    counter.finish()
}

/// Numbers equal keys alike, in order of first occurrence, and counts them.
fn numbered(keys: &[u64]) -> (Vec<u32>, Vec<u64>) {
    let mut known: HashMap<u64, u32> = HashMap::new();
    let mut sizes: Vec<u64> = Vec::new();
    let number = |key: &u64| {
        let class = *known.entry(*key).or_insert_with(|| {
            sizes.push(0);
            sizes.len() as u32 - 1
        });
        sizes[class as usize] += 1;
        class
    };
    let classes = keys.iter().map(number).collect();
    (classes, sizes)
}
