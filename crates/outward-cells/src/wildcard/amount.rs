//! What is summed over compatible cells: counts, or counts and weights. Both are integers, so a sum does not depend on
//! the order in which threads add to it.

use std::ops::AddAssign;

use crate::cells::Cells;

/// Something to sum over cells.
pub(super) trait Amount: Copy + Default + AddAssign + Send + Sync {}

impl Amount for u64 {}

/// A count and a weight sum. The weight has 64 bits behind the point, as in the cells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weighted {
    pub(super) count: u64,
    fixed: i128,
}

/// Steps of the fixed-point weight in 1.
const ONE: f64 = 18_446_744_073_709_551_616.0;

impl Weighted {
    pub(super) fn from_cells(cells: &Cells, cell: usize) -> Self {
        Self { count: cells.counts()[cell], fixed: (cells.weight(cell) * ONE) as i128 }
    }

    pub(super) fn weight(self) -> f64 {
        self.fixed as f64 / ONE
    }
}

impl AddAssign for Weighted {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.fixed = self.fixed.saturating_add(other.fixed);
    }
}

impl Amount for Weighted {}
