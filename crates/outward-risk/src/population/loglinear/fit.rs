//! Iterative proportional fitting: expected counts are scaled to the sample's two-way margins in turn until all agree
//! (Deming and Stephan 1940; Bishop, Fienberg and Holland 1975, chapter 3). From a start inside the model, such as
//! independence or a smaller model, the limit is the maximum likelihood fit.

use super::grid::Grid;

/// Rounds over all pairs at most.
const ROUNDS: usize = 100;
/// Records by which a margin may be off.
const TOLERANCE: f64 = 1e-3;

/// Fits the pairs' margins, starting from what is in `expected`.
pub(super) fn fit_pairs(grid: &Grid, expected: &mut [f64], pairs: &[(usize, usize)]) {
    let rounds = if pairs.len() == 1 { 1 } else { ROUNDS };
    for _ in 0..rounds {
        let off = pairs.iter().map(|pair| scale_to_pair(grid, expected, *pair)).fold(0.0, f64::max);
        if off < TOLERANCE {
            return;
        }
    }
}

/// Scales expected counts to the sample's margin over one pair of keys, and says by how many records it was off.
pub(super) fn scale_to_pair(grid: &Grid, expected: &mut [f64], pair: (usize, usize)) -> f64 {
    let blocks = Blocks::of(grid, pair);
    let observed = blocks.observed(grid);
    let mut fitted = vec![0.0; observed.len()];
    for (at, block) in blocks.places().zip(expected.chunks_exact(blocks.block)) {
        fitted[at] += block.iter().sum::<f64>();
    }
    let off = observed.iter().zip(&fitted).map(|(seen, fit)| (seen - fit).abs()).fold(0.0, f64::max);
    // A margin that is empty in the sample empties its cells.
    let ratio = |(seen, fit): (&f64, &f64)| if *fit > 0.0 { seen / fit } else { 0.0 };
    let ratios: Vec<f64> = observed.iter().zip(&fitted).map(ratio).collect();
    for (at, block) in blocks.places().zip(expected.chunks_exact_mut(blocks.block)) {
        block.iter_mut().for_each(|cell| *cell *= ratios[at]);
    }
    off
}

/// Runs of neighbouring cells that agree on both keys of a pair.
struct Blocks {
    /// Values of the first key and of the second.
    levels: (usize, usize),
    /// Runs between a change of the second key and one of the first.
    between: usize,
    /// Times the first key runs through all its values.
    times: usize,
    /// Cells in a run.
    block: usize,
}

impl Blocks {
    fn of(grid: &Grid, (one, other): (usize, usize)) -> Self {
        let levels = (grid.levels[one], grid.levels[other]);
        let block = grid.stride(other);
        let between = grid.stride(one) / (block * levels.1);
        Self { levels, between, times: grid.size as usize / (grid.stride(one) * levels.0), block }
    }

    /// The place in the margin of each run, in order.
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let (ones, others) = self.levels;
        (0..self.times)
            .flat_map(move |_| 0..ones)
            .flat_map(move |one| (0..self.between).map(move |_| one))
            .flat_map(move |one| (0..others).map(move |other| one * others + other))
    }

    fn observed(&self, grid: &Grid) -> Vec<f64> {
        let (ones, others) = self.levels;
        let mut margin = vec![0.0; ones * others];
        for (cell, count) in &grid.occupied {
            let run = *cell as usize / self.block;
            let (other, one) = (run % others, run / others / self.between % ones);
            margin[one * others + other] += *count as f64;
        }
        margin
    }
}
