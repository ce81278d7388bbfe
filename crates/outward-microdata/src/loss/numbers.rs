//! What an analyst sees of numeric keys: their means, how much of their variance is lost, and their correlations.
//!
//! A label is read as one number, the mean of the published records that have it or the middle of the values under it.
//! The loss of variance is SSE/SST: Σ(x − x′)² over Σ(x − x̄)². A suppressed record counts (x − x̄)², as if the mean
//! were all that is known of it. Means and correlations after are those of the published records.

use crate::search::{Recoded, SearchTable};

/// A numeric key.
#[derive(Debug, Clone, Copy)]
pub struct Numbers<'a> {
    /// Its position among the keys.
    pub key: usize,
    /// The number of each code; none for missing or where a value is no number.
    pub values: &'a [Option<f64>],
}

/// The number that stands for a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelNumber {
    /// The mean of the published records that have the label.
    #[default]
    Mean,
    /// The middle between the smallest and the largest value under the label.
    Middle,
}

/// The error of numeric keys.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberError {
    /// For each key its mean before and after.
    pub means: Vec<(f64, f64)>,
    /// For each key SSE/SST.
    pub lost_variance: Vec<f64>,
    /// For each pair of keys, in order, their correlation before and after.
    pub correlations: Vec<(f64, f64)>,
}

/// The error of numeric keys.
pub fn measure_numbers(
    table: &SearchTable,
    recoded: &Recoded,
    keys: &[Numbers<'_>],
    stand_in: LabelNumber,
) -> NumberError {
    let counts: Vec<f64> = table.counted().counts.iter().map(|count| *count as f64).collect();
    let before: Vec<Vec<Option<f64>>> = keys.iter().map(|numbers| values(table, *numbers)).collect();
    let after: Vec<Vec<Option<f64>>> =
        keys.iter().zip(&before).map(|(numbers, x)| read(table, recoded, numbers.key, x, stand_in)).collect();
    let pairs = || (0..keys.len()).flat_map(|a| (a + 1..keys.len()).map(move |b| (a, b)));
    NumberError {
        means: before.iter().zip(&after).map(|(x, y)| (mean(&counts, x), mean(&counts, y))).collect(),
        lost_variance: before.iter().zip(&after).map(|(x, y)| lost_variance(&counts, x, y)).collect(),
        correlations: pairs()
            .map(|(a, b)| (correlation(&counts, &before[a], &before[b]), correlation(&counts, &after[a], &after[b])))
            .collect(),
    }
}

fn values(table: &SearchTable, numbers: Numbers<'_>) -> Vec<Option<f64>> {
    let codes = &table.counted().codes[numbers.key];
    codes.iter().map(|code| numbers.values.get(*code as usize).copied().flatten()).collect()
}

/// The numbers that labels are read as; none for what is suppressed.
fn read(
    table: &SearchTable,
    recoded: &Recoded,
    key: usize,
    x: &[Option<f64>],
    stand_in: LabelNumber,
) -> Vec<Option<f64>> {
    let (codes, counts) = (&table.counted().codes[key], &table.counted().counts);
    let mut read = vec![None; x.len()];
    for (number, levels) in recoded.rounds.iter().enumerate() {
        let level = &table.keys()[key].levels[levels[key]];
        let label = |cell: usize| level.labels[codes[cell] as usize] as usize;
        let published = |cell: &usize| recoded.round[*cell] == Some(number as u32);
        let mut sums = vec![(0.0, 0.0); level.len()];
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); level.len()];
        for (cell, value) in x.iter().enumerate() {
            let Some(value) = value else { continue };
            let (low, high) = &mut ranges[label(cell)];
            (*low, *high) = (low.min(*value), high.max(*value));
            if published(&cell) {
                let (sum, records) = &mut sums[label(cell)];
                *sum += value * counts[cell] as f64;
                *records += counts[cell] as f64;
            }
        }
        for cell in (0..x.len()).filter(published).filter(|cell| x[*cell].is_some()) {
            let ((sum, records), (low, high)) = (sums[label(cell)], ranges[label(cell)]);
            read[cell] = match stand_in {
                LabelNumber::Mean => (records > 0.0).then(|| sum / records),
                LabelNumber::Middle => Some(low + (high - low) / 2.0),
            };
        }
    }
    read
}

fn mean(counts: &[f64], x: &[Option<f64>]) -> f64 {
    let terms = || counts.iter().zip(x).filter_map(|(count, x)| Some((*count, (*x)?)));
    terms().map(|(count, x)| count * x).sum::<f64>() / terms().map(|(count, _)| count).sum::<f64>()
}

fn lost_variance(counts: &[f64], x: &[Option<f64>], y: &[Option<f64>]) -> f64 {
    let centre = mean(counts, x);
    let terms = || counts.iter().zip(x.iter().zip(y)).filter_map(|(count, (x, y))| Some((*count, (*x)?, *y)));
    let lost: f64 = terms().map(|(count, x, y)| count * (x - y.unwrap_or(centre)).powi(2)).sum();
    let all: f64 = terms().map(|(count, x, _)| count * (x - centre).powi(2)).sum();
    if all > 0.0 { lost / all } else { 0.0 }
}

/// Pearson's correlation over records that have both numbers; 0 if one does not vary.
fn correlation(counts: &[f64], x: &[Option<f64>], y: &[Option<f64>]) -> f64 {
    let pairs: Vec<(f64, f64, f64)> =
        counts.iter().zip(x.iter().zip(y)).filter_map(|(count, (x, y))| Some((*count, (*x)?, (*y)?))).collect();
    let records: f64 = pairs.iter().map(|(count, _, _)| count).sum();
    let mean_x = pairs.iter().map(|(count, x, _)| count * x).sum::<f64>() / records;
    let mean_y = pairs.iter().map(|(count, _, y)| count * y).sum::<f64>() / records;
    let mut sums = (0.0, 0.0, 0.0);
    for (count, x, y) in &pairs {
        let (x, y) = (x - mean_x, y - mean_y);
        sums = (sums.0 + count * x * x, sums.1 + count * y * y, sums.2 + count * x * y);
    }
    let spread = (sums.0 * sums.1).sqrt();
    if spread > 0.0 { sums.2 / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_read_as_its_mean_keeps_the_mean_and_loses_the_variance_within() {
        // Values 1, 3 and 8 with 1, 1 and 2 records; 1 and 3 are read as 2. x̄ = 5, SST = 16 + 4 + 18 = 38, SSE = 2.
        let (counts, x) = ([1.0, 1.0, 2.0], [Some(1.0), Some(3.0), Some(8.0)]);
        let y = [Some(2.0), Some(2.0), Some(8.0)];
        assert_eq!((mean(&counts, &x), mean(&counts, &y)), (5.0, 5.0));
        assert_eq!(lost_variance(&counts, &x, &y), 2.0 / 38.0);
        // The first suppressed instead: (1 − 5)² of 38.
        assert_eq!(lost_variance(&counts, &x, &[None, Some(3.0), Some(8.0)]), 16.0 / 38.0);
    }

    #[test]
    fn correlations_are_of_records_that_have_both_numbers() {
        let (counts, x) = ([1.0, 2.0, 1.0, 9.0], [Some(1.0), Some(2.0), Some(3.0), None]);
        let opposite = [Some(-2.0), Some(-4.0), Some(-6.0), Some(7.0)];
        assert!((correlation(&counts, &x, &opposite) + 1.0).abs() < 1e-15);
        assert_eq!(correlation(&counts, &x, &[Some(1.0); 4]), 0.0);
    }
}
