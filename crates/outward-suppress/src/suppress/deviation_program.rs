//! Linear and integer programs on deviations, handed to HiGHS: one thread, a fixed seed, limits by work and never by time.

use std::collections::{BTreeMap, BTreeSet};

use highs::{ColProblem, HighsModelStatus, Model, Sense};
use outward_spec::{Error, Result};

use crate::suppress::incidence::Incidence;

/// Most branch-and-bound nodes, and most nodes times columns in large programs.
const MAX_NODES: i32 = 2000;
const MAX_NODE_COLUMNS: usize = 2_000_000;
/// A larger move is treated as unbounded.
const UNBOUNDED: f64 = 1e9;
/// The first integer program allows moves up to this many times the required amount.
const FIRST_STEPS: i64 = 64;

/// The answer of a program.
pub(super) enum ProgramAnswer {
    /// The cells that move, with integer moves.
    Found(Vec<(u32, i64)>),
    /// No deviation was found within the limits.
    None,
}

/// Finds deviations: min Σ price · |f| such that every equation keeps its balance and `sum` moves by at least `amount`.
pub(super) struct DeviationProgram<'a, 'b> {
    incidence: &'a Incidence<'b>,
    sum: &'a [(u32, i32)],
    amount: i64,
    columns: Vec<(u32, i64, i64, i64)>,
}

/// Sets the options that all programs share.
pub(super) fn set_options(model: &mut Model) -> Result<()> {
    let set = model
        .try_set_option("threads", 1)
        .and_then(|()| model.try_set_option("parallel", "off"))
        .and_then(|()| model.try_set_option("random_seed", 1))
        .and_then(|()| model.try_set_option("mip_max_nodes", MAX_NODES))
        .and_then(|()| model.try_set_option("mip_rel_gap", 0.0))
        .and_then(|()| model.try_set_option("mip_abs_gap", 1e-7));
    set.map_err(|_| Error::bug("HiGHS does not know an option"))
}

impl<'a, 'b> DeviationProgram<'a, 'b> {
    pub(super) fn new(incidence: &'a Incidence<'b>, sum: &'a [(u32, i32)], amount: i64) -> Self {
        Self { incidence, sum, amount, columns: Vec::new() }
    }

    /// Lets a cell move, at a price for each unit.
    pub(super) fn add(&mut self, cell: u32, price: i64, rise: i64, fall: i64) {
        self.columns.push((cell, price, rise, fall));
    }

    /// Solves the linear program, and the integer program if its solution is fractional.
    pub(super) fn solve(&self) -> Result<ProgramAnswer> {
        let Some(values) = self.run_solver(None)? else { return Ok(ProgramAnswer::None) };
        if let Some(cells) = self.integer_moves(&values) {
            return Ok(ProgramAnswer::Found(cells));
        }
        // Short moves are tried first: branching on long ones is slow.
        let near = self.amount.saturating_abs().saturating_mul(FIRST_STEPS) as f64;
        for far in [near, UNBOUNDED] {
            if let Some(cells) = self.run_solver(Some(far))?.and_then(|values| self.integer_moves(&values)) {
                return Ok(ProgramAnswer::Found(cells));
            }
        }
        Ok(ProgramAnswer::None)
    }

    /// Solves with two columns per cell, up and down. `whole` makes them integer and bounds them.
    fn run_solver(&self, whole: Option<f64>) -> Result<Option<Vec<f64>>> {
        let mut problem = ColProblem::default();
        let mut rows = BTreeMap::new();
        for (cell, ..) in &self.columns {
            for (equation, _) in self.incidence.equations_of(*cell) {
                rows.entry(*equation).or_insert(());
            }
        }
        let rows: BTreeMap<u32, _> = rows.into_keys().map(|equation| (equation, problem.add_row(0.0..=0.0))).collect();
        let target = problem.add_row(self.amount.unsigned_abs() as f64..);
        let implied_integer = self.implied_integer();
        let dearest = self.columns.iter().map(|(_, price, ..)| *price).max().unwrap_or(1).max(1) as f64;
        for (cell, price, rise, fall) in &self.columns {
            let own = self.sum.iter().find(|(other, _)| other == cell).map_or(0, |(_, by)| *by);
            let own = f64::from(own) * if self.amount > 0 { 1.0 } else { -1.0 };
            // A small price even for hidden cells, so that no cell moves in vain.
            let price = *price as f64 / dearest + 1e-6;
            let own_whole = whole.filter(|_| !implied_integer.contains(cell));
            let far = own_whole.unwrap_or(UNBOUNDED);
            for (sign, room) in [(1.0, rise), (-1.0, fall)] {
                let terms = self
                    .incidence
                    .equations_of(*cell)
                    .iter()
                    .map(|(equation, by)| (rows[equation], sign * f64::from(*by)));
                let terms: Vec<_> = terms.chain((own != 0.0).then_some((target, sign * own))).collect();
                problem.add_column_with_integrality(price, 0.0..=(*room as f64).min(far), terms, own_whole.is_some());
            }
        }
        let mut model = Model::try_new(problem).map_err(|_| Error::bug("HiGHS refuses a program"))?;
        set_options(&mut model)?;
        let nodes = (MAX_NODE_COLUMNS / (2 * self.columns.len()).max(1)).clamp(10, MAX_NODES as usize);
        let set = model.try_set_option("mip_max_nodes", nodes as i32);
        // The zero solution violates one row only, so that a few dual simplex steps suffice.
        let set = set.and_then(|()| model.try_set_option("presolve", if whole.is_some() { "on" } else { "off" }));
        set.map_err(|_| Error::bug("HiGHS does not know an option"))?;
        model.set_sense(Sense::Minimise);
        let solved = model.try_solve().map_err(|_| Error::bug("HiGHS cannot run a program"))?;
        let fine = matches!(solved.status(), HighsModelStatus::Optimal)
            || whole.is_some() && solved.primal_solution_status() == highs::HighsSolutionStatus::Feasible;
        Ok(fine.then(|| solved.get_solution().columns().to_vec()))
    }

    /// The cells that are integer if all others are: one per equation that appears in no other.
    fn implied_integer(&self) -> BTreeSet<u32> {
        let mut equations = BTreeSet::new();
        let alone = |cell: &u32| match self.incidence.equations_of(*cell) {
            [(equation, 1 | -1)] => self.sum.iter().all(|(own, _)| own != cell) && equations.insert(*equation),
            _ => false,
        };
        self.columns.iter().map(|(cell, ..)| *cell).filter(alone).collect()
    }

    /// The integer moves of a solution, if it is integer and holds exactly.
    fn integer_moves(&self, values: &[f64]) -> Option<Vec<(u32, i64)>> {
        let mut cells = Vec::new();
        for ((cell, _, rise, fall), pair) in self.columns.iter().zip(values.chunks_exact(2)) {
            let by = pair[0] - pair[1];
            if (by - by.round()).abs() > 1e-4 {
                return None;
            }
            let by = by.round() as i64;
            if by > *rise || -by > *fall {
                return None;
            }
            if by != 0 {
                cells.push((*cell, by));
            }
        }
        let mut sums = BTreeMap::new();
        for (cell, by) in &cells {
            for (equation, own) in self.incidence.equations_of(*cell) {
                *sums.entry(*equation).or_insert(0_i128) += i128::from(*own) * i128::from(*by);
            }
        }
        let moved: i64 = cells
            .iter()
            .map(|(cell, by)| {
                self.sum.iter().find(|(other, _)| other == cell).map_or(0, |(_, own)| i64::from(*own) * by)
            })
            .sum();
        let far = if self.amount > 0 { moved >= self.amount } else { moved <= self.amount };
        (far && sums.values().all(|sum| *sum == 0)).then_some(cells)
    }
}
