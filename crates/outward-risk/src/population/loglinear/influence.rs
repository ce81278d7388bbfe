//! How much the error of the fitted λ changes a risk sum: the influence of each record on it, squared and summed.
//!
//! If the pairs of keys form no cycle, the expected count of a cell is a product (Lauritzen 1996, "Graphical Models",
//! section 4.4). Its factors are the pair margins of the cell, each key's own margin to the power 1 − (pairs it is in),
//! and the number of records to a power that makes the whole homogeneous. A record adds one to each of its margins. The
//! slope of the sum in the logarithm of a margin is the sum of the slopes of the cells on it. With cycles the fit has
//! no such form and this is an approximation.

use super::grid::Grid;

/// The variance of a risk sum that comes from the fit. `slopes` has, for each occupied cell, the slope of its part of
/// the sum in the logarithm of its expected count; 0 if it is no part of the sum.
pub(super) fn fit_variance(grid: &Grid, slopes: &[f64], pairs: &[(usize, usize)]) -> f64 {
    let keys = grid.levels.len();
    let in_pairs = |key: usize| pairs.iter().filter(|(one, other)| *one == key || *other == key).count();
    let mut influence = vec![0.0; grid.occupied.len()];
    for key in 0..keys {
        let power = 1.0 - in_pairs(key) as f64;
        add_margin(grid, slopes, &mut influence, power, grid.levels[key], |cell| grid.value(cell, key));
    }
    for (one, other) in pairs {
        let (size, width) = (grid.levels[*one] * grid.levels[*other], grid.levels[*other]);
        let place = |cell: u64| grid.value(cell, *one) * width + grid.value(cell, *other);
        add_margin(grid, slopes, &mut influence, 1.0, size, place);
    }
    let power = 1.0 + pairs.len() as f64 - keys as f64;
    add_margin(grid, slopes, &mut influence, power, 1, |_| 0);
    grid.occupied.iter().zip(&influence).map(|((_, count), influence)| *count as f64 * influence * influence).sum()
}

/// Adds to each cell's records their influence through one margin, which enters expected counts to this power.
fn add_margin(
    grid: &Grid,
    slopes: &[f64],
    influence: &mut [f64],
    power: f64,
    size: usize,
    place: impl Fn(u64) -> usize,
) {
    if power == 0.0 {
        return;
    }
    let mut margin = vec![(0.0, 0.0); size];
    for ((cell, count), slope) in grid.occupied.iter().zip(slopes) {
        let at = &mut margin[place(*cell)];
        at.0 += slope;
        at.1 += *count as f64;
    }
    for ((cell, _), influence) in grid.occupied.iter().zip(influence) {
        let (slope, records) = margin[place(*cell)];
        *influence += power * slope / records;
    }
}
