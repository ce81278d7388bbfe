//! Ends in whole numbers, by integer programming (HiGHS), where the exact simplex gives a fraction or gives up.
//!
//! Limits are numbers of nodes, never time. A point that comes back is rounded and then checked like any other
//! witness; the bound is taken with a tolerance of 10⁻⁶, which whole numbers below 10⁹ survive.

use highs::{ColProblem, HighsModelStatus, Model, Sense};

use super::attack::FREE;
use super::bag::Limits;
use super::reduce::Component;
use super::witness::Point;

/// Nodes of the search tree before it is given up, and nodes times classes in a large component.
const NODES: usize = 2000;
const NODES_IN_ALL: usize = 1 << 23;
/// Steps of the simplex method in a large component, without whole numbers.
const STEPS: i32 = 4000;
/// Deviations from here on are too large for the solver's floating point.
const LARGE: i64 = 1_000_000_000;
/// How near a number must be to a whole one.
const TOLERANCE: f64 = 1e-6;

/// How a problem is put to the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// In whole numbers or not.
    Usual {
        /// Whether in whole numbers.
        whole: bool,
    },
    /// Without whole numbers, and given up where it takes long.
    Brief,
}

/// What the solver found.
#[derive(Debug)]
pub(super) struct Found {
    /// The point, rounded, not yet checked.
    pub(super) point: Point,
    /// The end, where it is proven: no point lies further out.
    pub(super) end: Option<i64>,
}

/// The point furthest up or down in one class, within what is known of others beside their bounds. The class is kept between
/// `within`, which must contain a feasible point. Nothing where the solver gives up.
pub(super) fn furthest(
    component: &Component,
    class: u32,
    up: bool,
    within: (i64, i64),
    limits: &Limits,
    way: Way,
) -> Option<Found> {
    let mut problem = ColProblem::new();
    let rows: Vec<_> = component.equations.iter().map(|_| problem.add_row(0.0..=0.0)).collect();
    let mut columns = vec![Vec::new(); component.members.len()];
    for (row, terms) in rows.iter().zip(&component.equations) {
        for (at, by) in terms {
            columns[*at as usize].push((*row, *by as f64));
        }
    }
    // One class of each equation that is in no other is in whole numbers if all others are.
    let mut left_over = vec![false; columns.len()];
    for terms in &component.equations {
        let alone = |(at, by): &&(u32, i64)| by.abs() == 1 && *at != class && columns[*at as usize].len() == 1;
        terms.iter().find(alone).into_iter().for_each(|(at, _)| left_over[*at as usize] = true);
    }
    for (at, terms) in columns.iter().enumerate() {
        let (mut low, mut high) = limits.of(at as u32, (component.low[at], component.high[at]));
        if at as u32 == class {
            (low, high) = (low.max(within.0), high.min(within.1));
        }
        if [low, high].iter().any(|bound| bound.abs() >= LARGE && bound.abs() < FREE) {
            return None;
        }
        let low = if low <= -FREE { f64::NEG_INFINITY } else { low as f64 };
        let high = if high >= FREE { f64::INFINITY } else { high as f64 };
        let cost = if at as u32 == class { 1.0 } else { 0.0 };
        let whole = way == Way::Usual { whole: true } && !left_over[at];
        problem.add_column_with_integrality(cost, low..=high, terms, whole);
    }
    solve(problem, class, up, way)
}

fn solve(problem: ColProblem, class: u32, up: bool, way: Way) -> Option<Found> {
    let sense = if up { Sense::Maximise } else { Sense::Minimise };
    let nodes = (NODES_IN_ALL / problem.num_cols().max(1)).min(NODES);
    let mut model: Model = problem.try_optimise(sense).ok()?;
    model.try_set_option("threads", 1).ok()?;
    model.try_set_option("parallel", "off").ok()?;
    model.try_set_option("random_seed", 0).ok()?;
    model.try_set_option("mip_rel_gap", 0.0).ok()?;
    // the objective is one whole number: less than 1 away is there
    model.try_set_option("mip_abs_gap", 0.5).ok()?;
    model.try_set_option("mip_max_nodes", nodes as i32).ok()?;
    if way == Way::Brief {
        model.try_set_option("simplex_iteration_limit", STEPS).ok()?;
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
    if columns.iter().any(|value| !value.is_finite() || value.abs() >= LARGE as f64) {
        return None;
    }
    let best = columns.get(class as usize)?;
    let end = if up { (best + TOLERANCE).floor() } else { (best - TOLERANCE).ceil() } as i64;
    let moves = columns.iter().enumerate().map(|(at, value)| (at as u32, value.round() as i128));
    let point = Point { scale: 1, moves: moves.filter(|(_, by)| *by != 0).collect() };
    Some(Found { point, end: proven.then_some(end) })
}
