//! The records most at risk: those that can be singled out by few variables. They are named by row number, never by
//! value.

use outward_cells::{Cells, Tabulated};
use schemars::JsonSchema;
use serde::Serialize;

use crate::classes::Classes;

/// A record and the fewest variables on which it is alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RiskyRecord {
    /// Row in the source, from 1 below the header.
    pub row: u64,
    /// How many variables suffice to single it out; beyond four, all keys are given.
    pub variables: u64,
    /// In how many combinations of that many variables it is alone, as far as they were looked at.
    pub combinations: u64,
    /// One of them: the first in the order of the keys.
    pub keys: Vec<String>,
    /// Its values on these keys, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Option<String>>>,
}

/// Fills in the values of records at risk. The result is as confidential as the data.
pub fn reveal_values(cells: &Cells, records: &mut [RiskyRecord]) {
    for record in records {
        let keys: Vec<usize> = record.keys.iter().filter_map(|key| cells.key(key)).collect();
        // A record alone on some keys is alone on all of them, so its cell's first row is its own.
        if let Some(cell) = cells.first_rows().iter().position(|row| *row == record.row) {
            record.values = Some(keys.iter().map(|key| cells.value(cell, *key).map(str::to_owned)).collect());
        }
    }
}

/// The most records singled out by equally many variables that are compared with each other. Beyond it the tables with
/// fewest uniques, which come first, suffice.
const ENOUGH_ROWS: usize = 1 << 20;

/// The `most` records singled out by the fewest variables, then by the most combinations of so many, then by row.
/// `tables` are those of the cells, shortest first.
pub fn find_riskiest(cells: &Cells, wild: &[bool], tables: &[Tabulated], most: usize) -> Vec<RiskyRecord> {
    let mut found: Vec<RiskyRecord> = Vec::new();
    let mut sizes: Vec<usize> = tables.iter().map(|table| table.keys.len()).collect();
    sizes.dedup();
    for size in sizes {
        if found.len() >= most {
            break;
        }
        let mut alone: Vec<(u64, &Tabulated)> = Vec::new();
        let mut of_size: Vec<&Tabulated> =
            tables.iter().filter(|table| table.keys.len() == size && table.uniques > 0).collect();
        of_size.sort_by(|a, b| (a.uniques, &a.keys).cmp(&(b.uniques, &b.keys)));
        for table in of_size {
            if alone.len() >= ENOUGH_ROWS {
                break;
            }
            let margin = cells.margin(&table.keys);
            let wild: Vec<bool> = table.keys.iter().map(|key| wild[*key]).collect();
            let classes = Classes::from_cells(&margin, &wild);
            let rows = classes.sizes().iter().zip(margin.first_rows()).filter(|(size, _)| **size == 1);
            alone.extend(rows.map(|(_, row)| (*row, table)));
        }
        alone.sort_by(|a, b| (a.0, &a.1.keys).cmp(&(b.0, &b.1.keys)));
        let mut of_size: Vec<RiskyRecord> = alone
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|group| found.iter().all(|record| record.row != group[0].0))
            .map(|group| RiskyRecord {
                row: group[0].0,
                variables: size as u64,
                combinations: group.len() as u64,
                keys: group[0].1.keys.iter().map(|key| cells.keys()[*key].name.clone()).collect(),
                values: None,
            })
            .collect();
        of_size.sort_by(|a, b| b.combinations.cmp(&a.combinations).then(a.row.cmp(&b.row)));
        of_size.truncate(most - found.len());
        found.append(&mut of_size);
    }
    found
}
