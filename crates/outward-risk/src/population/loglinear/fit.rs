//! Iterative proportional fitting: expected counts are scaled to the sample's two-way margins in turn until all agree
//! (Deming and Stephan 1940; Bishop, Fienberg and Holland 1975, chapter 3). If it starts inside the model, such as at
//! independence or a smaller model, the limit is the maximum likelihood fit.

use super::grid::Grid;

/// Rounds over all pairs at most.
const ROUNDS: usize = 100;
/// Records by which a margin may be off.
const TOLERANCE: f64 = 1e-2;
/// Places of cells in margins that may be remembered, four bytes each.
const MAX_POSITIONS_STORED: usize = 20_000_000;

/// Fits the pairs' margins, starting from what is in `expected`.
pub(super) fn fit_pairs(grid: &Grid, expected: &mut [f64], pairs: &[(usize, usize)]) {
    let round = |expected: &mut [f64]| {
        pairs.iter().map(|pair| scale_to_pair(grid, expected, *pair)).fold(0.0, f64::max) < TOLERANCE
    };
    // One pair is fitted at once, and the first round empties the cells on empty margins for good.
    if round(expected) || pairs.len() == 1 {
        return;
    }
    let live: Vec<usize> = (0..expected.len()).filter(|cell| expected[*cell] > 0.0).collect();
    if live.len() * pairs.len() > MAX_POSITIONS_STORED {
        let _ = (1..ROUNDS).find(|_| round(expected));
        return;
    }
    let mut margins: Vec<PairMargin> =
        pairs.iter().map(|pair| PairMargin::from_blocks(&PairBlocks::from_grid(grid, *pair), grid, &live)).collect();
    let mut means: Vec<f64> = live.iter().map(|cell| expected[*cell]).collect();
    for _ in 1..ROUNDS {
        let off = margins.iter_mut().map(|margin| margin.scale(&mut means)).fold(0.0, f64::max);
        if off < TOLERANCE {
            break;
        }
    }
    live.iter().zip(means).for_each(|(cell, mean)| expected[*cell] = mean);
}

/// One pair's margin and where in it each live cell is.
struct PairMargin {
    observed: Vec<f64>,
    ratios: Vec<f64>,
    places: Vec<u32>,
}

impl PairMargin {
    fn from_blocks(blocks: &PairBlocks, grid: &Grid, live: &[usize]) -> Self {
        let observed = blocks.observed(grid);
        let places = live.iter().map(|cell| blocks.place(*cell) as u32).collect();
        Self { ratios: observed.clone(), observed, places }
    }

    /// Scales the live cells to the margin, and says by how many records it was off.
    fn scale(&mut self, means: &mut [f64]) -> f64 {
        self.ratios.fill(0.0);
        self.places.iter().zip(&*means).for_each(|(place, mean)| self.ratios[*place as usize] += mean);
        let mut off = 0.0;
        for (ratio, observed) in self.ratios.iter_mut().zip(&self.observed) {
            off = f64::max(off, (*ratio - observed).abs());
            *ratio = if *ratio > 0.0 { observed / *ratio } else { 0.0 };
        }
        self.places.iter().zip(means).for_each(|(place, mean)| *mean *= self.ratios[*place as usize]);
        off
    }
}

/// Scales expected counts to the sample's margin over one pair of keys, and says by how many records it was off.
pub(super) fn scale_to_pair(grid: &Grid, expected: &mut [f64], pair: (usize, usize)) -> f64 {
    let blocks = PairBlocks::from_grid(grid, pair);
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
struct PairBlocks {
    /// Values of the first key and of the second.
    levels: (usize, usize),
    /// Runs between a change of the second key and one of the first.
    between: usize,
    /// Times the first key runs through all its values.
    times: usize,
    /// Cells in a run.
    block: usize,
}

impl PairBlocks {
    fn from_grid(grid: &Grid, (one, other): (usize, usize)) -> Self {
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

    /// The place of one cell in the margin.
    fn place(&self, cell: usize) -> usize {
        let (ones, others) = self.levels;
        let run = cell / self.block;
        run / others / self.between % ones * others + run % others
    }

    fn observed(&self, grid: &Grid) -> Vec<f64> {
        let mut margin = vec![0.0; self.levels.0 * self.levels.1];
        grid.occupied.iter().for_each(|(cell, count)| margin[self.place(*cell as usize)] += *count as f64);
        margin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_two_way_margins_of_a_table_are_fitted() {
        // Eight cells of 2 × 2 × 2, one of them empty in the sample.
        let counts = [9, 4, 0, 6, 3, 8, 7, 2];
        let grid = Grid::of_counts(vec![2, 2, 2], &counts);
        let mut expected = vec![39.0 / 8.0; 8];
        fit_pairs(&grid, &mut expected, &grid.pairs());
        for pair in grid.pairs() {
            let off = scale_to_pair(&grid, &mut expected.clone(), pair);
            assert!(off < 2.0 * TOLERANCE, "{pair:?} {off}");
        }
        // No three-way effect: the odds ratio is the same in both halves.
        let odds = |at: usize| expected[at] * expected[at + 3] / (expected[at + 1] * expected[at + 2]);
        assert!((odds(0) / odds(4) - 1.0).abs() < 1e-9);
    }
}
