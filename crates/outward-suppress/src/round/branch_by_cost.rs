//! Solves an integer program: relaxation, cuts, then one integer program per level of cost.
//!
//! The relaxation gives a bound and reduced costs. A solution that costs no more than a level differs from the relaxed
//! one only in columns whose reduced cost is at most level minus bound (Dantzig, Fulkerson and Johnson 1954). So the
//! programs of low levels are small. If a level has no solution, a solution that costs one more is optimal.

use super::Controlled;
use super::integer_program::{INTEGRALITY, IntegerProgram, integer_columns, run_solver, solver_error};
use super::zero_half_cuts::{self, ZeroHalfCut};
use highs::{HighsModelStatus, HighsSolutionStatus, Model};
use outward_spec::Result;

/// Tolerance for rounding errors of the linear program.
const TOLERANCE: f64 = 1e-5;
/// The most rounds of cuts.
const MAX_CUT_ROUNDS: usize = 4;
/// A solution this far above the bound is kept without proof of optimality.
const MAX_PROOF_GAP: i64 = 10;
/// Programs with more columns than this are branched on only if few are fractional.
const LARGE_PROGRAM: usize = 1_500;

/// The outcome of a program.
pub(super) enum Outcome {
    Best(Vec<i64>),
    Found(Vec<i64>),
    Nothing,
    Unknown,
}

/// The outcome of a relaxation: an outcome of the integer program, or fractional values.
enum Relaxed {
    Ended(Outcome),
    Fractional { values: Vec<f64>, reduced: Vec<f64>, bound: f64, cuts: Vec<ZeroHalfCut> },
}

/// Integer columns of least cost. If `nearest` is false, the first ones found that cost little more.
pub(super) fn minimise(program: &IntegerProgram, choice: &Controlled, nearest: bool) -> Result<Outcome> {
    if program.costs.is_empty() {
        return Ok(Outcome::Best(Vec::new()));
    }
    let (values, reduced, bound, cuts) = match relax(program, choice)? {
        Relaxed::Ended(outcome) => return Ok(outcome),
        Relaxed::Fractional { values, reduced, bound, cuts } => (values, reduced, bound, cuts),
    };
    if too_fractional(&values) {
        return Ok(Outcome::Unknown);
    }
    // Costs are integers: no solution costs less than the next integer above the bound.
    let least = (bound - TOLERANCE).ceil() as i64;
    let mut level = least;
    let mut known: Option<Vec<i64>> = None;
    loop {
        let bounds = fix_by_reduced_cost(program, &values, &reduced, level as f64 - bound + TOLERANCE);
        let all = bounds.iter().all(|(low, high)| low < high);
        match solve_integer(program, choice, &bounds, &cuts, known.take())? {
            // No other solution costs as little as the level, so a cost of at most one more is optimal.
            Outcome::Best(found) if all || program.cost(&found) <= level + 1 => return Ok(Outcome::Best(found)),
            Outcome::Best(found) if !nearest || program.cost(&found) - least > MAX_PROOF_GAP => {
                return Ok(Outcome::Found(found));
            }
            Outcome::Best(found) => {
                level = program.cost(&found) - 1;
                known = Some(found);
            }
            Outcome::Nothing if !all => level += 1 + (level - least),
            ended => return Ok(ended),
        }
    }
}

/// Whether a program is large and so fractional that branching would not end, as in dense tables of three or more variables.
fn too_fractional(values: &[f64]) -> bool {
    let between = values.iter().filter(|value| (*value - value.round()).abs() > INTEGRALITY).count();
    values.len() > LARGE_PROGRAM && 5 * between > 2 * values.len()
}

/// Bounds that contain every solution within the gap above the relaxed one: a column whose reduced cost exceeds the gap is
/// fixed.
fn fix_by_reduced_cost(program: &IntegerProgram, values: &[f64], reduced: &[f64], gap: f64) -> Vec<(f64, f64)> {
    let mut bounds = program.bounds();
    for ((bound, value), reduced) in bounds.iter_mut().zip(values).zip(reduced) {
        if reduced.abs() > gap {
            *bound = (value.round(), value.round());
        }
    }
    bounds
}

/// The linear program, tightened by cuts as long as there are any.
fn relax(program: &IntegerProgram, choice: &Controlled) -> Result<Relaxed> {
    let (model, columns) = program.model(false, &program.bounds(), &[])?;
    let mut solved = run_solver(model, choice)?;
    let mut all: Vec<ZeroHalfCut> = Vec::new();
    for round in 0..=MAX_CUT_ROUNDS {
        match solved.status() {
            HighsModelStatus::Optimal => {}
            HighsModelStatus::Infeasible => return Ok(Relaxed::Ended(Outcome::Nothing)),
            _ => return Ok(Relaxed::Ended(Outcome::Unknown)),
        }
        let solution = solved.get_solution();
        if let Some(found) = integer_columns(solution.columns()) {
            return Ok(Relaxed::Ended(Outcome::Best(found)));
        }
        let new =
            if round < MAX_CUT_ROUNDS { zero_half_cuts::separate(program, solution.columns()) } else { Vec::new() };
        if new.is_empty() {
            let (values, reduced) = (solution.columns().to_vec(), solution.dual_columns().to_vec());
            return Ok(Relaxed::Fractional { values, reduced, bound: solved.objective_value(), cuts: all });
        }
        let mut model = Model::from(solved);
        for cut in &new {
            let (least, terms) = cut.row(program, &columns);
            model.try_add_row(least.., terms).map_err(solver_error)?;
        }
        all.extend(new);
        solved = run_solver(model, choice)?;
    }
    Ok(Relaxed::Ended(Outcome::Unknown))
}

/// The integer program within bounds, from a known solution where there is one.
fn solve_integer(
    program: &IntegerProgram,
    choice: &Controlled,
    bounds: &[(f64, f64)],
    cuts: &[ZeroHalfCut],
    known: Option<Vec<i64>>,
) -> Result<Outcome> {
    let (mut model, _) = program.model(true, bounds, cuts)?;
    if let Some(known) = &known {
        let start: Vec<f64> = known.iter().map(|value| *value as f64).collect();
        model.try_set_solution(Some(&start), None, None, None).map_err(solver_error)?;
    }
    let solved = run_solver(model, choice)?;
    let found = match solved.primal_solution_status() {
        HighsSolutionStatus::Feasible => integer_columns(solved.get_solution().columns()),
        _ => None,
    };
    Ok(match (solved.status(), found.or(known)) {
        (HighsModelStatus::Optimal, Some(found)) => Outcome::Best(found),
        (_, Some(found)) => Outcome::Found(found),
        (HighsModelStatus::Infeasible, None) => Outcome::Nothing,
        _ => Outcome::Unknown,
    })
}
