//! The cells as columns of codes, the key with most values first.

use outward_cells::{Cells, MISSING};

/// What stands in a column where the value is missing.
pub(super) const NO_CODE: u32 = u32::MAX;

/// The distinct rows of the keys. A row stands for a cell, whatever its count: two records of one cell are never told
/// apart, so counts matter only when a unique row is reported.
#[derive(Debug)]
pub(super) struct Table {
    /// Codes from 0, one column per key; [`NO_CODE`] where missing.
    pub(super) columns: Vec<Vec<u32>>,
    /// How many codes each column can have.
    pub(super) sizes: Vec<usize>,
    /// How many rows there are.
    pub(super) rows: usize,
    /// The position among the cells' keys that each column had.
    pub(super) keys: Vec<usize>,
}

impl Table {
    /// Keys with many values come first: a subset is grown by its key of fewest values, so the table in which its
    /// classes are counted stays as small as it can be.
    pub(super) fn of(cells: &Cells) -> Self {
        let values = |key: usize| cells.keys()[key].dictionary.len();
        let mut keys: Vec<usize> = (0..cells.keys().len()).collect();
        keys.sort_by_key(|key| (std::cmp::Reverse(values(*key)), *key));
        let column = |key: usize| -> Vec<u32> {
            let code = |cell| cells.code(cell, key).wrapping_sub(MISSING + 1);
            (0..cells.len()).map(code).collect()
        };
        Self {
            columns: keys.iter().map(|key| column(*key)).collect(),
            sizes: keys.iter().map(|key| values(*key)).collect(),
            rows: cells.len(),
            keys,
        }
    }
}
