//! Which variables drive the risk: how many records stay unique if a variable is left out.

use outward_cells::Cells;
use schemars::JsonSchema;
use serde::Serialize;

use crate::classes::{Classes, measure_table};

/// What one variable does to the risk.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Driver {
    /// The variable.
    pub variable: String,
    /// Records alone on all other keys.
    pub uniques_without: u64,
    /// Share of the records alone on all keys that are no longer alone without this one, from 0 to 1.
    pub share_of_uniques: f64,
}

/// Leaves each key out in turn; the variable that matters most first.
pub fn measure_drivers(cells: &Cells, wild: &[bool]) -> Vec<Driver> {
    let keys = cells.keys().len();
    if keys < 2 {
        return Vec::new();
    }
    let all = Classes::from_cells(cells, wild).measure(1).uniques;
    let mut drivers: Vec<Driver> = (0..keys)
        .map(|left| {
            let others: Vec<usize> = (0..keys).filter(|key| *key != left).collect();
            let uniques_without = measure_table(cells, wild, others, 1).uniques;
            Driver {
                variable: cells.keys()[left].name.clone(),
                uniques_without,
                share_of_uniques: if all == 0 { 0.0 } else { 1.0 - uniques_without as f64 / all as f64 },
            }
        })
        .collect();
    drivers.sort_by(|a, b| (a.uniques_without, &a.variable).cmp(&(b.uniques_without, &b.variable)));
    drivers
}
