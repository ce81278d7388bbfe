//! What a perturbation did to numbers: cells changed, the loss to analysts, and how near the released numbers are to
//! the true ones.
//!
//! A missing number is NaN. Sums run over records in order, so that figures are the same in every run.

use outward_spec::{Error, Result};

/// What was changed, counted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Change {
    /// Cells with another value than before, for each column; those made missing are among them.
    pub cells: Vec<u64>,
    /// The largest difference between before and after, for each column.
    pub largest: Vec<f64>,
    /// Cells made missing, all columns together.
    pub suppressed: u64,
    /// Records with at least one cell changed.
    pub records: u64,
}

impl Change {
    /// The change from one set of columns to another of the same shape.
    pub fn between<A: AsRef<[f64]>, B: AsRef<[f64]>>(before: &[A], after: &[B]) -> Self {
        let rows = before.first().map_or(0, |column| column.as_ref().len());
        let mut moved = vec![false; rows];
        let mut change = Self::default();
        for (before, after) in before.iter().zip(after) {
            let (mut cells, mut largest) = (0, 0.0f64);
            for ((was, is), moved) in before.as_ref().iter().zip(after.as_ref()).zip(&mut moved) {
                if was == is || (was.is_nan() && is.is_nan()) {
                    continue;
                }
                cells += 1;
                *moved = true;
                change.suppressed += u64::from(is.is_nan());
                largest = largest.max((was - is).abs());
            }
            change.cells.push(cells);
            change.largest.push(largest);
        }
        change.records = moved.iter().filter(|moved| **moved).count() as u64;
        change
    }

    /// Cells changed, all columns together.
    pub fn all_cells(&self) -> u64 {
        self.cells.iter().sum()
    }
}

/// How many of a column's numbers are there, their mean and their standard deviation (divisor n − 1; 0 below two numbers).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Numbers that are not missing.
    pub count: u64,
    /// Their mean; 0 if there are none.
    pub mean: f64,
    /// Their standard deviation.
    pub sd: f64,
}

/// The moments of the numbers of a column that are not missing.
pub fn measure_moments(values: &[f64]) -> Moments {
    let known = || values.iter().filter(|value| !value.is_nan());
    let count = known().count();
    // Sums of differences from one of the values: a column of equal numbers has exactly that mean and no deviation.
    let origin = known().next().copied().unwrap_or(0.0);
    let mean = origin + known().map(|value| value - origin).sum::<f64>() / (count.max(1) as f64);
    let squares: f64 = known().map(|value| (value - mean) * (value - mean)).sum();
    let sd = if count < 2 { 0.0 } else { (squares / (count - 1) as f64).sqrt() };
    Moments { count: count as u64, mean, sd }
}

/// Pearson's correlations of columns, over the records with no missing number among them. A column that does not vary
/// has no correlation with others: 0.
pub fn measure_correlations<C: AsRef<[f64]>>(columns: &[C]) -> Vec<Vec<f64>> {
    let rows = columns.first().map_or(0, |column| column.as_ref().len());
    let complete: Vec<usize> =
        (0..rows).filter(|&row| columns.iter().all(|column| !column.as_ref()[row].is_nan())).collect();
    let centred: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let values: Vec<f64> = complete.iter().map(|&row| column.as_ref()[row]).collect();
            let Moments { mean, sd, .. } = measure_moments(&values);
            values.into_iter().map(|value| if sd > 0.0 { (value - mean) / sd } else { 0.0 }).collect()
        })
        .collect();
    let divisor = complete.len().saturating_sub(1).max(1) as f64;
    let product = |i: usize, j: usize| centred[i].iter().zip(&centred[j]).map(|(x, y)| x * y).sum::<f64>() / divisor;
    let correlation = |i: usize, j: usize| if i == j { 1.0 } else { product(i, j).clamp(-1.0, 1.0) };
    (0..columns.len()).map(|i| (0..columns.len()).map(|j| correlation(i, j)).collect()).collect()
}

/// What analysts lose by a perturbation of numbers, and how near the released numbers are to the true ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Utility {
    /// IL1s: Σ |x − y| / (√2 · sd(x)) over all cells known before and after (Yancey, Winkler and Creecy 2002; a sum, not a mean).
    pub il1s: f64,
    /// The same for an average cell.
    pub il1s_per_cell: f64,
    /// Mean after less mean before, in standard deviations before, for each column.
    pub means: Vec<f64>,
    /// Variance after as a multiple of the variance before, for each column; 1 if there was none before or after.
    pub variances: Vec<f64>,
    /// The largest change of a correlation between two columns.
    pub correlations: f64,
    /// Share of records whose true numbers all lie near the released ones ([`measure_nearness`] at 0.05).
    pub near: f64,
}

/// Compares columns before and after a perturbation.
///
/// # Errors
/// If the two have different numbers of columns or records.
pub fn measure_utility<A: AsRef<[f64]>, B: AsRef<[f64]>>(before: &[A], after: &[B]) -> Result<Utility> {
    check_shape(before, after)?;
    let (mut il1s, mut cells) = (0.0, 0u64);
    let (mut means, mut variances) = (Vec::new(), Vec::new());
    for (before, after) in before.iter().zip(after) {
        let (was, is) = (measure_moments(before.as_ref()), measure_moments(after.as_ref()));
        let scale = if was.sd > 0.0 { was.sd } else { 1.0 };
        let pairs = before.as_ref().iter().zip(after.as_ref()).filter(|(x, y)| !x.is_nan() && !y.is_nan());
        for (x, y) in pairs {
            il1s += (x - y).abs() / (std::f64::consts::SQRT_2 * scale);
            cells += 1;
        }
        means.push((is.mean - was.mean) / scale);
        variances.push(if was.sd > 0.0 { (is.sd / was.sd).powi(2) } else { 1.0 });
    }
    let (was, is) = (measure_correlations(before), measure_correlations(after));
    let correlations =
        was.iter().flatten().zip(is.iter().flatten()).map(|(was, is)| (was - is).abs()).fold(0.0, f64::max);
    let near = measure_nearness(before, after, 0.05)?;
    Ok(Utility { il1s, il1s_per_cell: il1s / cells.max(1) as f64, means, variances, correlations, near })
}

/// Share of records whose true numbers all lie within `width` standard deviations of the released ones, either side
/// (Templ 2008, the interval risk of sdcMicro). A number missing on one side alone is not near; missing on both, it is.
///
/// # Errors
/// If the two have different numbers of columns or records.
pub fn measure_nearness<A: AsRef<[f64]>, B: AsRef<[f64]>>(before: &[A], after: &[B], width: f64) -> Result<f64> {
    let rows = check_shape(before, after)?;
    let mut near = vec![true; rows];
    for (before, after) in before.iter().zip(after) {
        let half = width * measure_moments(after.as_ref()).sd;
        for ((x, y), near) in before.as_ref().iter().zip(after.as_ref()).zip(&mut near) {
            *near &= (x.is_nan() && y.is_nan()) || (x - y).abs() <= half;
        }
    }
    Ok(near.iter().filter(|near| **near).count() as f64 / rows.max(1) as f64)
}

fn check_shape<A: AsRef<[f64]>, B: AsRef<[f64]>>(before: &[A], after: &[B]) -> Result<usize> {
    let rows = before.first().map_or(0, |column| column.as_ref().len());
    let even = before.len() == after.len()
        && before.iter().all(|column| column.as_ref().len() == rows)
        && after.iter().all(|column| column.as_ref().len() == rows);
    if even {
        return Ok(rows);
    }
    Err(Error::input("the columns before and after do not have the same number of records")
        .help("compare a file with its own release before records are dropped or sampled")
        .into())
}

/// The number of records of columns that are to be perturbed together. All must have the same number, and no number may
/// be infinite or have an infinite square.
pub(crate) fn check_columns(columns: &[&[f64]]) -> Result<usize> {
    let rows = columns.first().map_or(0, |column| column.len());
    if columns.iter().any(|column| column.len() != rows) {
        return Err(Error::bug("columns of different lengths were to be perturbed together"));
    }
    for column in columns {
        if let Some(row) = column.iter().position(|value| value.abs() > LARGEST_NUMBER) {
            return Err(Error::input("the number is too large to be perturbed")
                .row(row as u64 + 1)
                .help("numbers beyond 1e150 either side are likely to be mistakes: mend them or make them missing")
                .into());
        }
    }
    Ok(rows)
}

/// Squares of numbers up to here, and sums of them over any file, are finite.
const LARGEST_NUMBER: f64 = 1e150;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn changes_are_counted_by_column_and_by_record() {
        let before = [vec![1.0, 2.0, f64::NAN, 4.0], vec![5.0, 5.0, 5.0, 5.0]];
        let after = [vec![1.5, 2.0, f64::NAN, f64::NAN], vec![5.0, 2.0, 5.0, 6.0]];
        let change = Change::between(&before, &after);
        assert_eq!((change.cells.as_slice(), change.largest.as_slice()), ([2, 2].as_slice(), [0.5, 3.0].as_slice()));
        assert_eq!((change.records, change.suppressed, change.all_cells()), (3, 1, 4));
    }

    #[test]
    fn moments_of_equal_numbers_are_exact() {
        assert_eq!(measure_moments(&[0.1; 7]), Moments { count: 7, mean: 0.1, sd: 0.0 });
        assert_eq!(measure_moments(&[2.0, f64::NAN, 4.0, 6.0]), Moments { count: 3, mean: 4.0, sd: 2.0 });
        assert_eq!(measure_moments(&[]), Moments { count: 0, mean: 0.0, sd: 0.0 });
    }

    #[test]
    fn the_loss_of_four_records_worked_by_hand() {
        // x: mean 3, sum of squares 20, sd √(20/3); one cell moves by 2.
        let (x, y) = ([0.0, 2.0, 4.0, 6.0], [0.0, 2.0, 4.0, 8.0]);
        let utility = measure_utility(&[x], &[y]).unwrap();
        let sd = (20.0f64 / 3.0).sqrt();
        assert!((utility.il1s - 2.0 / (std::f64::consts::SQRT_2 * sd)).abs() < 1e-15);
        assert!((utility.means[0] - 0.5 / sd).abs() < 1e-15);
        // y: mean 3.5, sum of squares 35.
        assert!((utility.variances[0] - 35.0 / 20.0).abs() < 1e-15);
        assert_eq!(utility.near, 0.75);
        assert!(measure_utility(&[[1.0]], &[[1.0, 2.0].as_slice()]).is_err());
    }

    #[test]
    fn correlations_are_taken_over_complete_records_alone() {
        let table =
            measure_correlations(&[vec![1.0, 2.0, 3.0, 9.0], vec![2.0, 4.0, 6.0, f64::NAN], vec![3.0, 3.0, 3.0, 3.0]]);
        assert!((table[0][1] - 1.0).abs() < 1e-15 && table[0][2] == 0.0 && table[2][2] == 1.0);
    }
}
