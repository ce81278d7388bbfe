//! Where programs give no adjacent rounding: inner cells adjacent, totals their sums, as near as a search gets them.
//!
//! Small count rounding (Langsrud and Heldal 2018) likewise changes inner cells only and watches the totals, so that the
//! result is additive by construction. Here a start that keeps all sums near is improved by annealing (Kirkpatrick,
//! Gelatt and Vecchi 1983): one cell is turned over, or two of one sum are exchanged.

use super::Controlled;
use super::grid::Grid;
use super::sums::Sums;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The most turns of one search, however many cells there are.
const TURNS: u64 = 40_000_000;
/// Sums with more inner cells than this are not searched for a cell to exchange.
const SHORT: usize = 256;

/// The moves of all cells.
pub(super) fn search(grid: &Grid<'_>, choice: &Controlled) -> Vec<i64> {
    let sums = Sums::of(grid.system);
    let mut state = State::start(grid, &sums);
    state.anneal(choice);
    state.moves()
}

/// How far a sum is from where it should be, and what that costs.
struct Gauge {
    by: i64,
    rest: i64,
    /// Per unit of distance.
    weight: i64,
    /// Per square of the multiples beyond the neighbours: two cells one step away beat one cell two steps away.
    penalty: i64,
}

impl Gauge {
    fn cost(&self, base: i64, by: i64) -> i64 {
        let beyond = (-by).max(by - i64::from(self.rest != 0)).max(0);
        self.weight * (by * base - self.rest).abs() + self.penalty * beyond * beyond
    }
}

struct State<'a> {
    grid: &'a Grid<'a>,
    sums: &'a Sums,
    gauges: Vec<Gauge>,
    up: Vec<bool>,
    /// Inner cells between two multiples: the others stay.
    free: Vec<u32>,
}

impl<'a> State<'a> {
    /// Each cell goes where it keeps the sums seen so far nearest to their true values.
    fn start(grid: &'a Grid<'a>, sums: &'a Sums) -> Self {
        let base = grid.base;
        let floor = |cell: u32| grid.system.cells[cell as usize].value.div_euclid(base);
        let gauges = sums.sums.iter().map(|sum| {
            let floors: i64 = sum.terms.iter().map(|(at, by)| i64::from(*by) * floor(sums.inner[*at as usize])).sum();
            match sum.cell {
                Some(cell) => {
                    let weight = i64::from(grid.counts(cell as usize));
                    let rest = grid.rest(cell as usize);
                    Gauge { by: floors - floor(cell), rest, weight, penalty: 4 * base * weight }
                }
                None => Gauge { by: floors - sum.right / base, rest: 0, weight: 0, penalty: 16 * base },
            }
        });
        let gauges = gauges.collect();
        let free: Vec<u32> =
            (0..sums.inner.len() as u32).filter(|at| grid.rest(sums.inner[*at as usize] as usize) != 0).collect();
        let mut state = Self { grid, sums, gauges, up: vec![false; sums.inner.len()], free };
        let mut drift = vec![0i64; sums.sums.len()];
        for at in state.free.clone() {
            let rest = grid.rest(sums.inner[at as usize] as usize);
            let with = sums.with(at as usize);
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
                state.turn(at);
            }
        }
        state
    }

    /// Turns a cell over; by how much everything then costs more.
    fn turn(&mut self, at: u32) -> i64 {
        let base = self.grid.base;
        let cell = self.sums.inner[at as usize] as usize;
        let sign = if self.up[at as usize] { -1 } else { 1 };
        self.up[at as usize] = !self.up[at as usize];
        let mut change = if self.grid.counts(cell) { sign * (base - 2 * self.grid.rest(cell)) } else { 0 };
        for (sum, by) in self.sums.with(at as usize) {
            let gauge = &mut self.gauges[*sum as usize];
            let next = gauge.by + sign * i64::from(*by);
            change += gauge.cost(base, next) - gauge.cost(base, gauge.by);
            gauge.by = next;
        }
        change
    }

    /// From warm to cold, each cell as often as asked for or as there are turns.
    fn anneal(&mut self, choice: &Controlled) {
        if self.free.is_empty() {
            return;
        }
        let sweeps = u64::from(choice.sweeps).min(TURNS / self.free.len() as u64).max(1);
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let (warm, cold) = (2.0 * choice.base as f64, 0.1 * choice.base as f64);
        for sweep in 0..sweeps {
            let heat = warm * (cold / warm).powf(sweep as f64 / sweeps as f64);
            let heat = if sweep * 20 >= sweeps * 19 { 0.0 } else { heat };
            for _ in 0..self.free.len() {
                let at = self.free[below(&mut rng, self.free.len())];
                let other = self.partner(at, &mut rng);
                let change = self.turn(at) + other.map_or(0, |other| self.turn(other));
                let kept = change <= 0 || (heat > 0.0 && unit(&mut rng) < (-change as f64 / heat).exp());
                if !kept {
                    self.turn(at);
                    other.map(|other| self.turn(other));
                }
            }
        }
    }

    /// Every other time, a cell of one of the same sums that can take the opposite turn.
    fn partner(&self, at: u32, rng: &mut ChaCha8Rng) -> Option<u32> {
        let with = self.sums.with(at as usize);
        if with.is_empty() || rng.next_u32() & 1 == 0 {
            return None;
        }
        let (sum, _) = with[below(rng, with.len())];
        let terms = &self.sums.sums[sum as usize].terms;
        if terms.len() > SHORT {
            return None;
        }
        let (other, _) = terms[below(rng, terms.len())];
        let cell = self.sums.inner[other as usize] as usize;
        (self.up[other as usize] != self.up[at as usize] && self.grid.rest(cell) != 0).then_some(other)
    }

    fn moves(&self) -> Vec<i64> {
        let mut moves = vec![0; self.grid.system.cells.len()];
        for (cell, up) in self.sums.inner.iter().zip(&self.up) {
            moves[*cell as usize] = i64::from(*up);
        }
        for (sum, gauge) in self.sums.sums.iter().zip(&self.gauges) {
            if let Some(cell) = sum.cell {
                moves[cell as usize] = gauge.by;
            }
        }
        moves
    }
}

/// A number below `count`.
fn below(rng: &mut ChaCha8Rng, count: usize) -> usize {
    ((u64::from(rng.next_u32()) * count as u64) >> 32) as usize
}

/// A number in `[0, 1)`.
fn unit(rng: &mut ChaCha8Rng) -> f64 {
    f64::from(rng.next_u32()) / 4_294_967_296.0
}
