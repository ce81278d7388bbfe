//! Integer ends by integer programming (HiGHS), where the exact simplex method ends in a fraction or overflows.
//!
//! Limits are numbers of nodes, never time. The point that HiGHS returns is rounded and checked like any other witness.
//! Its bound is taken with a tolerance of 10⁻⁶, which is safe for integers below 10⁹.

use highs::{ColProblem, HighsModelStatus, Model, Sense};

use super::attacker_problem::UNBOUNDED;
use super::intervals::KnownBounds;
use super::presolve::Component;
use super::witness::Point;

/// Most branch-and-bound nodes, and most nodes times classes in a large component.
const MAX_NODES: usize = 2000;
const MAX_NODE_CLASSES: usize = 1 << 23;
/// Most simplex iterations of a linear trial.
const MAX_TRIAL_ITERATIONS: i32 = 4000;
/// Deviations of this size are too large for the solver's floating point.
const LARGEST_DEVIATION: i64 = 1_000_000_000;
/// How near to an integer a number must be.
const INTEGRALITY_TOLERANCE: f64 = 1e-6;

/// How a program is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolveMode {
    /// To the end, or to the limit of nodes.
    Full {
        /// Whether deviations are integers.
        integer: bool,
    },
    /// As a linear program, up to a limit of iterations.
    LinearTrial,
}

/// What the solver found.
#[derive(Debug)]
pub(super) struct SolverResult {
    /// The point, rounded, not yet checked.
    pub(super) point: Point,
    /// The end, if it is proven that no point lies further out.
    pub(super) end: Option<i64>,
}

/// The point with the largest or least deviation of one class, within all bounds. The class is kept between `within`, which
/// must contain a feasible point. `None` if the solver gives up.
pub(super) fn furthest_deviation(
    component: &Component,
    class: u32,
    up: bool,
    within: (i64, i64),
    known: &KnownBounds,
    mode: SolveMode,
) -> Option<SolverResult> {
    let mut problem = ColProblem::new();
    let rows: Vec<_> = component.equations.iter().map(|_| problem.add_row(0.0..=0.0)).collect();
    let mut columns = vec![Vec::new(); component.members.len()];
    for (row, terms) in rows.iter().zip(&component.equations) {
        for (at, by) in terms {
            columns[*at as usize].push((*row, *by as f64));
        }
    }
    // A class that appears in one equation only, with coefficient 1, is integer if all others of the equation are.
    let mut implied_integer = vec![false; columns.len()];
    for terms in &component.equations {
        let alone = |(at, by): &&(u32, i64)| by.abs() == 1 && *at != class && columns[*at as usize].len() == 1;
        terms.iter().find(alone).into_iter().for_each(|(at, _)| implied_integer[*at as usize] = true);
    }
    for (at, terms) in columns.iter().enumerate() {
        let (mut low, mut high) = known.tighten(at as u32, (component.low[at], component.high[at]));
        if at as u32 == class {
            (low, high) = (low.max(within.0), high.min(within.1));
        }
        if [low, high].iter().any(|bound| bound.abs() >= LARGEST_DEVIATION && bound.abs() < UNBOUNDED) {
            return None;
        }
        let low = if low <= -UNBOUNDED { f64::NEG_INFINITY } else { low as f64 };
        let high = if high >= UNBOUNDED { f64::INFINITY } else { high as f64 };
        let cost = if at as u32 == class { 1.0 } else { 0.0 };
        let integer = mode == SolveMode::Full { integer: true } && !implied_integer[at];
        problem.add_column_with_integrality(cost, low..=high, terms, integer);
    }
    solve(problem, class, up, mode)
}

fn solve(problem: ColProblem, class: u32, up: bool, mode: SolveMode) -> Option<SolverResult> {
    let sense = if up { Sense::Maximise } else { Sense::Minimise };
    let nodes = (MAX_NODE_CLASSES / problem.num_cols().max(1)).min(MAX_NODES);
    let mut model: Model = problem.try_optimise(sense).ok()?;
    model.try_set_option("threads", 1).ok()?;
    model.try_set_option("parallel", "off").ok()?;
    model.try_set_option("random_seed", 0).ok()?;
    model.try_set_option("mip_rel_gap", 0.0).ok()?;
    // the objective is an integer: a gap below 1 is none
    model.try_set_option("mip_abs_gap", 0.5).ok()?;
    model.try_set_option("mip_max_nodes", nodes as i32).ok()?;
    if mode == SolveMode::LinearTrial {
        model.try_set_option("simplex_iteration_limit", MAX_TRIAL_ITERATIONS).ok()?;
    }
    let solved = model.try_solve().ok()?;
    let proven = match solved.status() {
        HighsModelStatus::Optimal => true,
        HighsModelStatus::ReachedSolutionLimit
        | HighsModelStatus::ReachedIterationLimit
        | HighsModelStatus::ReachedInterrupt => false,
        _ => return None,
    };
    let solution = solved.get_solution();
    let columns = solution.columns();
    if columns.iter().any(|value| !value.is_finite() || value.abs() >= LARGEST_DEVIATION as f64) {
        return None;
    }
    let best = columns.get(class as usize)?;
    let end = if up { (best + INTEGRALITY_TOLERANCE).floor() } else { (best - INTEGRALITY_TOLERANCE).ceil() } as i64;
    let moves = columns.iter().enumerate().map(|(at, value)| (at as u32, value.round() as i128));
    let point = Point { scale: 1, moves: moves.filter(|(_, by)| *by != 0).collect() };
    Some(SolverResult { point, end: proven.then_some(end) })
}
