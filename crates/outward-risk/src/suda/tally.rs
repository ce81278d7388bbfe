//! What is counted of the minimal uniques found: per record by size, and per level of a key by size. Counts are whole
//! numbers, so their sums over threads do not depend on who found what.

use super::table::{KeyTable, on_codes};
use super::walk::UniqueVisitor;

/// Counts on one thread.
pub(super) struct SudaTally<'a> {
    table: &'a KeyTable,
    /// Whether a row is the cell of one record.
    lone: &'a [bool],
    longest: usize,
    /// Of row r and size s at `r · longest + s − 1`.
    by_row: Vec<u32>,
    /// Of each column: of code c and size s at `c · longest + s − 1`.
    by_code: Vec<Vec<u64>>,
    alone: Vec<u32>,
}

impl<'a> SudaTally<'a> {
    pub(super) fn new(table: &'a KeyTable, lone: &'a [bool], longest: usize) -> Self {
        let by_code = table.columns.iter().map(|column| vec![0; column.size * longest]).collect();
        Self { table, lone, longest, by_row: vec![0; table.rows * longest], by_code, alone: Vec::new() }
    }

    /// The counts of two threads together.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.by_row.iter_mut().zip(&other.by_row).for_each(|(mine, theirs)| *mine += theirs);
        for (mine, theirs) in self.by_code.iter_mut().zip(&other.by_code) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self
    }

    /// Minimal uniques of a row, by size from 1 on.
    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.by_row[row * self.longest..(row + 1) * self.longest]
    }

    /// Minimal uniques that hold each code of a column, by size from 1 on.
    pub(super) fn codes(&self, column: usize) -> impl Iterator<Item = &[u64]> {
        self.by_code[column].chunks(self.longest)
    }
}

impl UniqueVisitor for SudaTally<'_> {
    fn found(&mut self, columns: &[usize], rows: &[u32]) {
        let (longest, size) = (self.longest, columns.len());
        self.alone.clear();
        // A cell of several records may be the only one of its kind, but none of its records is unique.
        self.alone.extend(rows.iter().filter(|row| self.lone[**row as usize]));
        for row in &self.alone {
            self.by_row[*row as usize * longest + size - 1] += 1;
        }
        for column in columns {
            let by_code = &mut self.by_code[*column];
            on_codes!(&self.table.columns[*column].codes, codes => for row in &self.alone {
                by_code[codes[*row as usize] as usize * longest + size - 1] += 1;
            });
        }
    }
}
