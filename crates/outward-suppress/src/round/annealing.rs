//! Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983), used if programs give no adjacent rounding. Inner cells
//! are adjacent. Totals are their sums, and the search brings these as near to their values as it can.
//!
//! Small count rounding (Langsrud and Heldal 2018) likewise changes inner cells only, so that the result is additive by
//! construction. The search starts where all sums are near. A step flips one cell between its two multiples, or two cells of
//! one sum in opposite directions.

use super::Controlled;
use super::base_multiples::BaseMultiples;
use super::inner_sums::InnerSums;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Most flips of one search.
const MAX_FLIPS: u64 = 40_000_000;
/// Sums with more inner cells than this are not searched for a partner.
const MAX_SUM_SEARCHED: usize = 256;

/// The moves of all cells.
pub(super) fn anneal(multiples: &BaseMultiples<'_>, choice: &Controlled) -> Vec<i64> {
    let sums = InnerSums::new(multiples.system);
    let mut state = State::start(multiples, &sums);
    state.run(choice);
    state.moves()
}

/// The rounding error of a sum, and what it costs.
struct SumError {
    by: i64,
    rest: i64,
    /// Per unit of distance.
    weight: i64,
    /// Per square of the multiples beyond the neighbours: two cells one step away beat one cell two steps away.
    penalty: i64,
}

impl SumError {
    fn cost(&self, base: i64, by: i64) -> i64 {
        let beyond = (-by).max(by - i64::from(self.rest != 0)).max(0);
        self.weight * (by * base - self.rest).abs() + self.penalty * beyond * beyond
    }
}

struct State<'a> {
    multiples: &'a BaseMultiples<'a>,
    sums: &'a InnerSums,
    errors: Vec<SumError>,
    up: Vec<bool>,
    /// Inner cells between two multiples. The others are multiples and stay.
    free: Vec<u32>,
}

impl<'a> State<'a> {
    /// Starts with each cell at the multiple that keeps the sums seen so far nearest to their true values.
    fn start(multiples: &'a BaseMultiples<'a>, sums: &'a InnerSums) -> Self {
        let base = multiples.base;
        let floor = |cell: u32| multiples.system.cells[cell as usize].value.div_euclid(base);
        let errors = sums.sums.iter().map(|sum| {
            let floors: i64 = sum.terms.iter().map(|(at, by)| i64::from(*by) * floor(sums.inner[*at as usize])).sum();
            match sum.cell {
                Some(cell) => {
                    let weight = i64::from(multiples.distance_counts(cell as usize));
                    let rest = multiples.remainder(cell as usize);
                    SumError { by: floors - floor(cell), rest, weight, penalty: 4 * base * weight }
                }
                None => SumError { by: floors - sum.right / base, rest: 0, weight: 0, penalty: 16 * base },
            }
        });
        let errors = errors.collect();
        let free: Vec<u32> = (0..sums.inner.len() as u32)
            .filter(|at| multiples.remainder(sums.inner[*at as usize] as usize) != 0)
            .collect();
        let mut state = Self { multiples, sums, errors, up: vec![false; sums.inner.len()], free };
        let mut drift = vec![0i64; sums.sums.len()];
        for at in state.free.clone() {
            let rest = multiples.remainder(sums.inner[at as usize] as usize);
            let with = sums.of_cell(at as usize);
            // Going up beats staying where Σ (d + by (b − r))² < Σ (d − by r)², in units of 1.
            let gain: i64 = with
                .iter()
                .map(|(sum, by)| 2 * drift[*sum as usize] * i64::from(*by) + i64::from(by * by) * (base - 2 * rest))
                .sum();
            let up = gain + base - 2 * rest < 0;
            for (sum, by) in with {
                drift[*sum as usize] += i64::from(*by) * (if up { base - rest } else { -rest });
            }
            if up {
                state.flip(at);
            }
        }
        state
    }

    /// Flips a cell. Returns the change in cost.
    fn flip(&mut self, at: u32) -> i64 {
        let base = self.multiples.base;
        let cell = self.sums.inner[at as usize] as usize;
        let sign = if self.up[at as usize] { -1 } else { 1 };
        self.up[at as usize] = !self.up[at as usize];
        let mut change =
            if self.multiples.distance_counts(cell) { sign * (base - 2 * self.multiples.remainder(cell)) } else { 0 };
        for (sum, by) in self.sums.of_cell(at as usize) {
            let error = &mut self.errors[*sum as usize];
            let next = error.by + sign * i64::from(*by);
            change += error.cost(base, next) - error.cost(base, error.by);
            error.by = next;
        }
        change
    }

    /// Anneals from warm to cold, with `sweeps` visits per cell or as many as `MAX_FLIPS` allows.
    fn run(&mut self, choice: &Controlled) {
        if self.free.is_empty() {
            return;
        }
        let sweeps = u64::from(choice.sweeps).min(MAX_FLIPS / self.free.len() as u64).max(1);
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let (warm, cold) = (2.0 * choice.base as f64, 0.1 * choice.base as f64);
        for sweep in 0..sweeps {
            let temperature = warm * (cold / warm).powf(sweep as f64 / sweeps as f64);
            let temperature = if sweep * 20 >= sweeps * 19 { 0.0 } else { temperature };
            for _ in 0..self.free.len() {
                let at = self.free[random_below(&mut rng, self.free.len())];
                let other = self.partner(at, &mut rng);
                let change = self.flip(at) + other.map_or(0, |other| self.flip(other));
                let kept =
                    change <= 0 || (temperature > 0.0 && random_unit(&mut rng) < (-change as f64 / temperature).exp());
                if !kept {
                    self.flip(at);
                    other.map(|other| self.flip(other));
                }
            }
        }
    }

    /// In half of all calls, a cell of one of the same sums that can be flipped in the opposite direction.
    fn partner(&self, at: u32, rng: &mut ChaCha8Rng) -> Option<u32> {
        let with = self.sums.of_cell(at as usize);
        if with.is_empty() || rng.next_u32() & 1 == 0 {
            return None;
        }
        let (sum, _) = with[random_below(rng, with.len())];
        let terms = &self.sums.sums[sum as usize].terms;
        if terms.len() > MAX_SUM_SEARCHED {
            return None;
        }
        let (other, _) = terms[random_below(rng, terms.len())];
        let cell = self.sums.inner[other as usize] as usize;
        (self.up[other as usize] != self.up[at as usize] && self.multiples.remainder(cell) != 0).then_some(other)
    }

    fn moves(&self) -> Vec<i64> {
        let mut moves = vec![0; self.multiples.system.cells.len()];
        for (cell, up) in self.sums.inner.iter().zip(&self.up) {
            moves[*cell as usize] = i64::from(*up);
        }
        for (sum, error) in self.sums.sums.iter().zip(&self.errors) {
            if let Some(cell) = sum.cell {
                moves[cell as usize] = error.by;
            }
        }
        moves
    }
}

/// A number below `count`.
fn random_below(rng: &mut ChaCha8Rng, count: usize) -> usize {
    ((u64::from(rng.next_u32()) * count as u64) >> 32) as usize
}

/// A number in `[0, 1)`.
fn random_unit(rng: &mut ChaCha8Rng) -> f64 {
    f64::from(rng.next_u32()) / 4_294_967_296.0
}
