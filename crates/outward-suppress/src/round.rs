//! Rounding to a base: conventional, random and unbiased from a cell key, and controlled.
//!
//! Controlled rounding keeps every sum of a family of linked tables. It moves each cell to a neighbouring multiple of
//! the base; zeros and multiples stay. A cell `z = u b + r` becomes `a = (u + w) b`, with `w` 0 or 1 (0 if `r = 0`). A
//! 0-1 program minimises the distance `Σ |a − z| = Σ r + Σ (b − 2 r) w` under the equations of the system (Cox 1987;
//! Salazar-González 2006). If no such rounding exists, cells may be up to `K` further multiples away.

mod annealing;
mod base_multiples;
mod branch_by_cost;
mod hierarchy_slices;
mod inner_sums;
mod integer_program;
mod subsystem_solver;
mod top_down;
mod zero_half_cuts;

use base_multiples::{BaseMultiples, Subsystem};
use outward_audit::{Status, System};
use outward_spec::{Error, Result};
use serde::Serialize;

/// The nearest multiple of the base; halves go up. The result is not additive, and differences of totals may reveal cells.
pub fn conventional(value: i64, base: i64) -> i64 {
    let rest = value.rem_euclid(base);
    value - rest + if 2 * rest >= base { base } else { 0 }
}

/// A neighbouring multiple of the base: the upper one with chance `r / b`. This is unbiased if keys are uniform in `[0,
/// 1)`.
///
/// The key belongs to the cell (see [`CellKey`](crate::perturb::CellKey)), so that the same cell rounds the same in every table.
pub fn random(value: i64, base: i64, key: f64) -> i64 {
    let rest = value.rem_euclid(base);
    value - rest + if key * (base as f64) < rest as f64 { base } else { 0 }
}

/// The least and the largest true count that a reader who knows base and steps must consider possible.
///
/// With `K` steps a cell moves by less than `(K + 1) b`. Zeros stay zero, so a rounded value above 0 had a count above 0.
pub fn interval(rounded: i64, base: i64, steps: u32) -> (i64, i64) {
    let reach = (i64::from(steps) + 1) * base - 1;
    (if rounded > 0 { (rounded - reach).max(1) } else { 0 }, rounded + reach)
}

/// Refuses a base below the threshold for unsafe counts. Every unsafe count must round to 0 or to the base.
///
/// # Errors
/// Where the base is below 2 or below the threshold.
pub fn minimum_base(base: i64, threshold: i64) -> Result<()> {
    if base < 2 {
        return Err(Error::input(format!("rounding to base {base} changes nothing"))
            .help("give a base of 2 or more")
            .into());
    }
    if base < threshold {
        return Err(Error::input(format!("rounding to base {base} does not hide counts below {threshold}"))
            .help(format!("give a base of {threshold} or more"))
            .into());
    }
    Ok(())
}

/// The options of controlled rounding. Limits are amounts of work, so that every run gives the same result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Controlled {
    /// The base, in the units of the system's values.
    pub base: i64,
    /// How many multiples beyond its neighbours a cell may go if no adjacent rounding is found.
    pub steps: u32,
    /// Systems with at most this many cells to round are solved as a whole; larger ones slice by slice.
    pub whole: usize,
    /// The most branch-and-bound nodes of one integer program.
    pub nodes: u32,
    /// The most simplex iterations of one linear program.
    pub iterations: u32,
    /// How often the local search visits each cell.
    pub sweeps: u32,
}

impl Controlled {
    /// Rounding to this base with one further step allowed and limits for tables of up to a few million cells.
    pub fn to(base: i64) -> Self {
        Self { base, steps: 1, whole: 9_000, nodes: 1_000, iterations: 12_000, sweeps: 400 }
    }
}

/// How a controlled rounding was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundingQuality {
    /// Adjacent, and proven to be the nearest.
    Optimal,
    /// Adjacent; a nearer one may exist.
    Feasible,
    /// Some cells are up to this many multiples beyond their neighbours, no more than allowed.
    Steps(u32),
    /// Inner cells are adjacent and totals are their sums, some further away than the steps allowed.
    Heuristic,
}

/// A controlled rounding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rounded {
    /// The rounded value of each cell of the system.
    pub values: Vec<i64>,
    /// How it was found.
    pub method: RoundingQuality,
    /// The sum of the distances of published cells from their values.
    pub distance: i64,
    /// The largest of these distances.
    pub largest: i64,
    /// The most multiples by which a published cell is beyond its neighbours; 0 where all are adjacent.
    pub steps: u32,
    /// The published cells that are not adjacent.
    pub apart: Vec<u32>,
    /// Whether every equation holds among the rounded values.
    pub additive: bool,
}

/// Rounds a system so that every equation still holds.
///
/// Small systems are solved to the proven optimum. Larger ones are cut into slices along the variable that makes the smallest
/// slices (mostly areas) and rounded from the top down. If neither gives an adjacent rounding, simulated annealing over the
/// inner cells gives one as near as it can.
///
/// # Errors
/// Where the base is below 2, or an equation has a constant that is no multiple of the base.
pub fn controlled(system: &System, choice: &Controlled) -> Result<Rounded> {
    minimum_base(choice.base, 2)?;
    let multiples = BaseMultiples::new(system, choice.base)?;
    let mut best: Option<Rounded> = None;
    let whole = Subsystem::whole(&multiples);
    if whole.free(&multiples) <= choice.whole {
        for steps in 0..=choice.steps {
            match subsystem_solver::solve(&multiples, &whole, steps, choice, true)? {
                subsystem_solver::Answer::Best(moves) => {
                    return Ok(checked_rounding(&multiples, &moves, choice, steps == 0));
                }
                subsystem_solver::Answer::Found(moves) => {
                    best = Some(checked_rounding(&multiples, &moves, choice, false));
                    break;
                }
                subsystem_solver::Answer::Nothing => {}
                subsystem_solver::Answer::Unknown => break,
            }
        }
    }
    if best.is_none()
        && let Some(moves) = top_down::round_top_down(&multiples, choice)?
    {
        best = Some(checked_rounding(&multiples, &moves, choice, false));
    }
    if best.as_ref().is_none_or(|found| found.steps > 0) {
        let found = checked_rounding(&multiples, &annealing::anneal(&multiples, choice), choice, false);
        if best.as_ref().is_none_or(|best| found.rank() < best.rank()) {
            best = Some(found);
        }
    }
    best.ok_or_else(|| Error::bug("controlled rounding ended without a result"))
}

impl Rounded {
    /// The rank of a rounding; the least is the best.
    fn rank(&self) -> (bool, u32, usize, i64) {
        (!self.additive, self.steps, self.apart.len(), self.distance)
    }
}

/// The rounding that moves make, with its distances and sums computed from the system.
fn checked_rounding(multiples: &BaseMultiples<'_>, moves: &[i64], choice: &Controlled, proven: bool) -> Rounded {
    let system = multiples.system;
    let values: Vec<i64> = (0..system.cells.len()).map(|cell| multiples.rounded(cell, moves[cell])).collect();
    let (mut distance, mut largest, mut steps, mut apart) = (0, 0, 0, Vec::new());
    for (at, (cell, rounded)) in system.cells.iter().zip(&values).enumerate() {
        if cell.status == Status::Unpublished {
            continue;
        }
        let off = (rounded - cell.value).abs();
        distance += off;
        largest = largest.max(off);
        let beyond = steps_beyond(off, cell.value, choice.base);
        steps = steps.max(beyond);
        if beyond > 0 {
            apart.push(at as u32);
        }
    }
    let additive = (0..system.equations()).all(|equation| {
        let sum: i128 =
            system.terms(equation).iter().map(|(cell, by)| i128::from(values[*cell as usize]) * i128::from(*by)).sum();
        sum == i128::from(system.right(equation))
    });
    let method = match steps {
        _ if !additive => RoundingQuality::Heuristic,
        0 if proven => RoundingQuality::Optimal,
        0 => RoundingQuality::Feasible,
        _ if steps <= choice.steps => RoundingQuality::Steps(steps),
        _ => RoundingQuality::Heuristic,
    };
    Rounded { values, method, distance, largest, steps, apart, additive }
}

/// How many multiples beyond its neighbours a cell is that moved by `off`. The only neighbour of a multiple is itself.
fn steps_beyond(off: i64, value: i64, base: i64) -> u32 {
    let steps = if value.rem_euclid(base) == 0 { off / base } else { off / base + i64::from(off % base != 0) - 1 };
    u32::try_from(steps).unwrap_or(u32::MAX)
}
