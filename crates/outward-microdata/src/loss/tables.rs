//! What an analyst sees of a table: its cells before the release, and the same cells estimated from the release.
//!
//! A label stands for the values under it, each equally likely. So a published record counts 1/(L₁·L₂·…) in every cell
//! whose values are under its labels; suppressed records are missing. Let b and a be the counts before and after, and N
//! the records. The mean absolute error is Σ|b − a| over the cells that had records. The distance of Hellinger is √(½ Σ
//! (√(b/N) − √(a/N))²). Both sums run over all cells; the part of a that belongs to cells without a record is the rest
//! of a.

use crate::search::{Recoded, SearchTable};

/// The error of one table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableError {
    /// Cells that had records.
    pub cells: u64,
    /// Σ|b − a| for each of them.
    pub mean_absolute: f64,
    /// The share of all records that stands in the wrong cell or is missing: Σ max(b − a, 0)/N.
    pub misplaced: f64,
    /// The distance of Hellinger.
    pub hellinger: f64,
}

/// The error of the table of some keys.
pub fn measure_table(table: &SearchTable, recoded: &Recoded, keys: &[usize]) -> TableError {
    let finest = vec![0; table.keys().len()];
    let before = table.group(keys, &finest);
    let counts = &table.counted().counts;
    let mut first = vec![usize::MAX; before.groups];
    let mut b = vec![0u64; before.groups];
    for (cell, group) in before.group.iter().enumerate() {
        b[*group as usize] += counts[cell];
        first[*group as usize] = first[*group as usize].min(cell);
    }
    let mut a = vec![0.0; before.groups];
    for (round, levels) in recoded.rounds.iter().enumerate() {
        let levels: Vec<u8> = levels.iter().map(|level| *level as u8).collect();
        let labels = table.group(keys, &levels);
        let mut published = vec![0u64; labels.groups];
        for (cell, label) in labels.group.iter().enumerate() {
            if recoded.round[cell] == Some(round as u32) {
                published[*label as usize] += counts[cell];
            }
        }
        for (at, cell) in first.iter().enumerate() {
            let values: f64 = keys.iter().map(|key| leaves(table, *key, levels[*key], *cell) as f64).product();
            a[at] += published[labels.group[*cell] as usize] as f64 / values;
        }
    }
    compare(&b, &a, table.records(), kept(counts, recoded))
}

fn leaves(table: &SearchTable, key: usize, level: u8, cell: usize) -> u64 {
    let level = &table.keys()[key].levels[level as usize];
    level.leaves[level.labels[table.counted().codes[key][cell] as usize] as usize]
}

fn kept(counts: &[u64], recoded: &Recoded) -> u64 {
    counts.iter().zip(&recoded.round).filter(|(_, round)| round.is_some()).map(|(count, _)| count).sum()
}

fn compare(before: &[u64], after: &[f64], records: u64, kept: u64) -> TableError {
    let all = records.max(1) as f64;
    let elsewhere = (kept as f64 - after.iter().sum::<f64>()).max(0.0);
    let pairs = || before.iter().map(|count| *count as f64).zip(after.iter().copied());
    let absolute: f64 = elsewhere + pairs().map(|(b, a)| (b - a).abs()).sum::<f64>();
    let squares: f64 =
        elsewhere / all + pairs().map(|(b, a)| ((b / all).sqrt() - (a / all).sqrt()).powi(2)).sum::<f64>();
    let cells = before.iter().filter(|count| **count > 0).count() as u64;
    TableError {
        cells,
        mean_absolute: absolute / cells.max(1) as f64,
        misplaced: pairs().map(|(b, a)| (b - a).max(0.0)).sum::<f64>() / all,
        hellinger: (squares / 2.0).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_spread_over_two_values_are_off_by_half_their_difference() {
        // 6 and 2 records under one label of two values become 4 and 4; with 3 values, 8/3 each and 8/3 elsewhere.
        let two = compare(&[6, 2], &[4.0, 4.0], 8, 8);
        assert_eq!((two.cells, two.mean_absolute, two.misplaced), (2, 2.0, 0.25));
        let by_hand = ((0.75f64.sqrt() - 0.5f64.sqrt()).powi(2) + (0.25f64.sqrt() - 0.5f64.sqrt()).powi(2)) / 2.0;
        assert!((two.hellinger - by_hand.sqrt()).abs() < 1e-15);
        let three = compare(&[6, 2], &[8.0 / 3.0, 8.0 / 3.0], 8, 8);
        assert!((three.mean_absolute - (10.0 / 3.0 + 2.0 / 3.0 + 8.0 / 3.0) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn records_that_are_suppressed_are_missing() {
        let error = compare(&[6, 2], &[6.0, 0.0], 8, 6);
        assert_eq!((error.mean_absolute, error.misplaced, error.hellinger), (1.0, 0.25, 0.125f64.sqrt()));
    }
}
