//! Integer programs of a rounding: columns from 0 to a bound, rows that are equations.

use super::Controlled;
use super::zero_half_cuts::ZeroHalfCut;
use highs::{Col, HighsStatus, Model, RowProblem, Sense, SolvedModel};
use outward_spec::{Error, Result};

/// How near to an integer a column must be.
pub(super) const INTEGRALITY: f64 = 1e-6;

/// Minimises the total cost of integer columns under equations.
#[derive(Debug, Default)]
pub(super) struct IntegerProgram {
    pub(super) costs: Vec<i64>,
    pub(super) uppers: Vec<i64>,
    pub(super) rows: Vec<Equation>,
}

/// Terms, each a column and its coefficient, that sum to `right`.
#[derive(Debug)]
pub(super) struct Equation {
    pub(super) terms: Vec<(u32, i32)>,
    pub(super) right: i64,
}

impl IntegerProgram {
    pub(super) fn add_column(&mut self, cost: i64, upper: i64) -> u32 {
        self.costs.push(cost);
        self.uppers.push(upper);
        self.costs.len() as u32 - 1
    }

    /// Adds an equation. Returns false if it has no columns and does not hold.
    pub(super) fn add_row(&mut self, right: i64, terms: Vec<(u32, i32)>) -> bool {
        if terms.is_empty() {
            return right == 0;
        }
        self.rows.push(Equation { terms, right });
        true
    }

    /// The model within bounds, integer or relaxed, and its columns.
    pub(super) fn model(
        &self,
        integer: bool,
        bounds: &[(f64, f64)],
        cuts: &[ZeroHalfCut],
    ) -> Result<(Model, Vec<Col>)> {
        let mut problem = RowProblem::new();
        let columns: Vec<Col> = (self.costs.iter().zip(bounds))
            .map(|(cost, (low, high))| problem.add_column_with_integrality(*cost as f64, *low..=*high, integer))
            .collect();
        for row in &self.rows {
            let right = row.right as f64;
            problem.add_row(
                right..=right,
                row.terms.iter().map(|(column, by)| (columns[*column as usize], f64::from(*by))),
            );
        }
        for cut in cuts {
            let (least, terms) = cut.row(self, &columns);
            problem.add_row(least.., terms);
        }
        Ok((problem.try_optimise(Sense::Minimise).map_err(solver_error)?, columns))
    }

    /// The bounds of all columns.
    pub(super) fn bounds(&self) -> Vec<(f64, f64)> {
        self.uppers.iter().map(|upper| (0.0, *upper as f64)).collect()
    }

    /// What a solution costs.
    pub(super) fn cost(&self, found: &[i64]) -> i64 {
        self.costs.iter().zip(found).map(|(cost, value)| cost * value).sum()
    }
}

/// Solves on one thread with limits by work. Costs are integers, so that a gap below 1 is none.
pub(super) fn run_solver(mut model: Model, choice: &Controlled) -> Result<SolvedModel> {
    let limit = |limit: u32| i32::try_from(limit).unwrap_or(i32::MAX);
    for (option, value) in [
        ("threads", 1),
        ("random_seed", 0),
        ("simplex_iteration_limit", limit(choice.iterations)),
        ("mip_max_nodes", limit(choice.nodes)),
    ] {
        model
            .try_set_option(option, value)
            .map_err(|e| Error::bug(format!("HiGHS refuses the option {option}: {e:?}")))?;
    }
    for (option, value) in [("mip_rel_gap", 0.0), ("mip_abs_gap", 0.999)] {
        model
            .try_set_option(option, value)
            .map_err(|e| Error::bug(format!("HiGHS refuses the option {option}: {e:?}")))?;
    }
    model.make_quiet();
    model.try_solve().map_err(solver_error)
}

pub(super) fn solver_error(status: HighsStatus) -> Error {
    Error::bug(format!("HiGHS refuses the program of a rounding: {status:?}"))
}

/// The columns as integers, if all are.
pub(super) fn integer_columns(columns: &[f64]) -> Option<Vec<i64>> {
    columns.iter().map(|value| ((value - value.round()).abs() < INTEGRALITY).then(|| value.round() as i64)).collect()
}
