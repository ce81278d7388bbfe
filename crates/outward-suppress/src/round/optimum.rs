//! The strategy of an integer program: relax, cut, then search level by level of cost.
//!
//! The relaxed program gives a bound and reduced costs. A solution that costs no more than a level can only differ from
//! the relaxed one in columns whose reduced cost fits between bound and level (Dantzig, Fulkerson and Johnson 1954), so
//! that low levels are small programs. What is found one above a level that holds nothing is the best.

use super::Controlled;
use super::cuts::{self, Cut};
use super::program::{Program, WHOLE, refused, run, whole};
use highs::{HighsModelStatus, HighsSolutionStatus, Model};
use outward_spec::Result;

/// What rounding errors of the linear program may come to.
const NEAR: f64 = 1e-5;
/// The most rounds of cuts.
const ROUNDS: usize = 4;
/// What was found is kept without proof where the bound is further below it than this.
const HOPELESS: i64 = 10;
/// Programs with more columns than this are looked at before they are branched on.
const LARGE: usize = 1_500;

/// What came of a program.
pub(super) enum Outcome {
    Best(Vec<i64>),
    Found(Vec<i64>),
    Nothing,
    Unknown,
}

/// A linear program's end: solved whole or not at all, or values between whole numbers.
enum Relaxed {
    Ended(Outcome),
    Between { values: Vec<f64>, reduced: Vec<f64>, bound: f64, cuts: Vec<Cut> },
}

/// Whole columns of least cost; where the nearest is not asked for, the first that are near.
pub(super) fn optimum(program: &Program, choice: &Controlled, nearest: bool) -> Result<Outcome> {
    if program.costs.is_empty() {
        return Ok(Outcome::Best(Vec::new()));
    }
    let (values, reduced, bound, cuts) = match relax(program, choice)? {
        Relaxed::Ended(outcome) => return Ok(outcome),
        Relaxed::Between { values, reduced, bound, cuts } => (values, reduced, bound, cuts),
    };
    if hard(&values) {
        return Ok(Outcome::Unknown);
    }
    // Costs are whole: nothing can be had between the bound and the next whole number.
    let least = (bound - NEAR).ceil() as i64;
    let mut level = least;
    let mut known: Option<Vec<i64>> = None;
    loop {
        let bounds = within(program, &values, &reduced, level as f64 - bound + NEAR);
        let all = bounds.iter().all(|(low, high)| low < high);
        match search(program, choice, &bounds, &cuts, known.take())? {
            // Nothing costs as little as the level but what was found, or nothing at all: one more is the best.
            Outcome::Best(found) if all || program.cost(&found) <= level + 1 => return Ok(Outcome::Best(found)),
            Outcome::Best(found) if !nearest || program.cost(&found) - least > HOPELESS => {
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

/// Large, and so much between whole numbers that branching would not end: dense tables of three and more variables.
fn hard(values: &[f64]) -> bool {
    let between = values.iter().filter(|value| (*value - value.round()).abs() > WHOLE).count();
    values.len() > LARGE && 5 * between > 2 * values.len()
}

/// Bounds that hold everything that costs no more than the gap above the relaxed solution: a column whose reduced cost
/// exceeds the gap stays where it is.
fn within(program: &Program, values: &[f64], reduced: &[f64], gap: f64) -> Vec<(f64, f64)> {
    let mut bounds = program.bounds();
    for ((bound, value), reduced) in bounds.iter_mut().zip(values).zip(reduced) {
        if reduced.abs() > gap {
            *bound = (value.round(), value.round());
        }
    }
    bounds
}

/// The linear program, tightened by cuts as long as there are any.
fn relax(program: &Program, choice: &Controlled) -> Result<Relaxed> {
    let (model, columns) = program.model(false, &program.bounds(), &[])?;
    let mut solved = run(model, choice)?;
    let mut all: Vec<Cut> = Vec::new();
    for round in 0..=ROUNDS {
        match solved.status() {
            HighsModelStatus::Optimal => {}
            HighsModelStatus::Infeasible => return Ok(Relaxed::Ended(Outcome::Nothing)),
            _ => return Ok(Relaxed::Ended(Outcome::Unknown)),
        }
        let solution = solved.get_solution();
        if let Some(found) = whole(solution.columns()) {
            return Ok(Relaxed::Ended(Outcome::Best(found)));
        }
        let new = if round < ROUNDS { cuts::separate(program, solution.columns()) } else { Vec::new() };
        if new.is_empty() {
            let (values, reduced) = (solution.columns().to_vec(), solution.dual_columns().to_vec());
            return Ok(Relaxed::Between { values, reduced, bound: solved.objective_value(), cuts: all });
        }
        let mut model = Model::from(solved);
        for cut in &new {
            let (least, terms) = cut.row(program, &columns);
            model.try_add_row(least.., terms).map_err(refused)?;
        }
        all.extend(new);
        solved = run(model, choice)?;
    }
    Ok(Relaxed::Ended(Outcome::Unknown))
}

/// The integer program within bounds, from a known solution where there is one.
fn search(
    program: &Program,
    choice: &Controlled,
    bounds: &[(f64, f64)],
    cuts: &[Cut],
    known: Option<Vec<i64>>,
) -> Result<Outcome> {
    let (mut model, _) = program.model(true, bounds, cuts)?;
    if let Some(known) = &known {
        let start: Vec<f64> = known.iter().map(|value| *value as f64).collect();
        model.try_set_solution(Some(&start), None, None, None).map_err(refused)?;
    }
    let solved = run(model, choice)?;
    let found = match solved.primal_solution_status() {
        HighsSolutionStatus::Feasible => whole(solved.get_solution().columns()),
        _ => None,
    };
    Ok(match (solved.status(), found.or(known)) {
        (HighsModelStatus::Optimal, Some(found)) => Outcome::Best(found),
        (_, Some(found)) => Outcome::Found(found),
        (HighsModelStatus::Infeasible, None) => Outcome::Nothing,
        _ => Outcome::Unknown,
    })
}
