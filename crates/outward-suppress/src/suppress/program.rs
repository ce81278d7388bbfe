//! Linear and integer programs on deviations, handed to HiGHS: one thread, a fixed seed, limits by work and never by time.

use std::collections::{BTreeMap, BTreeSet};

use highs::{ColProblem, HighsModelStatus, Model, Sense};
use outward_spec::{Error, Result};

use crate::suppress::net::Net;

/// Branching stops after so many nodes; in large programs after so many nodes times columns.
const NODES: i32 = 2000;
const BRANCHED: usize = 2_000_000;
/// A movement beyond this is as good as unbounded.
const FAR: f64 = 1e9;
/// In whole numbers what moves at most so many times as far as is asked is looked for first.
const STEPS: i64 = 64;

/// What came of it.
pub(super) enum Answer {
    /// The cells that move, in whole numbers.
    Found(Vec<(u32, i64)>),
    /// There is none, or none was found within the limits.
    None,
}

/// Finds deviations: min Σ price · |f| such that every equation keeps its balance and `sum` moves by at least `amount`.
pub(super) struct Program<'a, 'b> {
    net: &'a Net<'b>,
    sum: &'a [(u32, i32)],
    amount: i64,
    columns: Vec<(u32, i64, i64, i64)>,
}

/// Sets what all programs share.
pub(super) fn quiet(model: &mut Model) -> Result<()> {
    let set = model
        .try_set_option("threads", 1)
        .and_then(|()| model.try_set_option("parallel", "off"))
        .and_then(|()| model.try_set_option("random_seed", 1))
        .and_then(|()| model.try_set_option("mip_max_nodes", NODES))
        .and_then(|()| model.try_set_option("mip_rel_gap", 0.0))
        .and_then(|()| model.try_set_option("mip_abs_gap", 1e-7));
    set.map_err(|_| Error::bug("HiGHS does not know an option"))
}

impl<'a, 'b> Program<'a, 'b> {
    pub(super) fn new(net: &'a Net<'b>, sum: &'a [(u32, i32)], amount: i64) -> Self {
        Self { net, sum, amount, columns: Vec::new() }
    }

    /// Lets a cell move, at a price for each unit.
    pub(super) fn add(&mut self, cell: u32, price: i64, rise: i64, fall: i64) {
        self.columns.push((cell, price, rise, fall));
    }

    /// Solves it; where the linear program does not end in whole numbers, once more over whole numbers.
    pub(super) fn solve(&self) -> Result<Answer> {
        let Some(values) = self.run(None)? else { return Ok(Answer::None) };
        if let Some(cells) = self.whole(&values) {
            return Ok(Answer::Found(cells));
        }
        // The solver takes each step by itself, so that short movements are tried first.
        let near = self.amount.saturating_abs().saturating_mul(STEPS) as f64;
        for far in [near, FAR] {
            if let Some(cells) = self.run(Some(far))?.and_then(|values| self.whole(&values)) {
                return Ok(Answer::Found(cells));
            }
        }
        Ok(Answer::None)
    }

    /// Each cell as two columns, up and down; in whole numbers where it is said how far.
    fn run(&self, whole: Option<f64>) -> Result<Option<Vec<f64>>> {
        let mut problem = ColProblem::default();
        let mut rows = BTreeMap::new();
        for (cell, ..) in &self.columns {
            for (equation, _) in self.net.places(*cell) {
                rows.entry(*equation).or_insert(());
            }
        }
        let rows: BTreeMap<u32, _> = rows.into_keys().map(|equation| (equation, problem.add_row(0.0..=0.0))).collect();
        let target = problem.add_row(self.amount.unsigned_abs() as f64..);
        let left_over = self.left_over();
        let dearest = self.columns.iter().map(|(_, price, ..)| *price).max().unwrap_or(1).max(1) as f64;
        for (cell, price, rise, fall) in &self.columns {
            let own = self.sum.iter().find(|(other, _)| other == cell).map_or(0, |(_, by)| *by);
            let own = f64::from(own) * if self.amount > 0 { 1.0 } else { -1.0 };
            // A little even where it is hidden already, so that nothing moves in vain.
            let price = *price as f64 / dearest + 1e-6;
            let own_whole = whole.filter(|_| !left_over.contains(cell));
            let far = own_whole.unwrap_or(FAR);
            for (sign, room) in [(1.0, rise), (-1.0, fall)] {
                let terms = self.net.places(*cell).iter().map(|(equation, by)| (rows[equation], sign * f64::from(*by)));
                let terms: Vec<_> = terms.chain((own != 0.0).then_some((target, sign * own))).collect();
                problem.add_column_with_integrality(price, 0.0..=(*room as f64).min(far), terms, own_whole.is_some());
            }
        }
        let mut model = Model::try_new(problem).map_err(|_| Error::bug("HiGHS refuses a program"))?;
        quiet(&mut model)?;
        let nodes = (BRANCHED / (2 * self.columns.len()).max(1)).clamp(10, NODES as usize);
        let set = model.try_set_option("mip_max_nodes", nodes as i32);
        // Nothing moving is the cheapest but for one row, from which a few steps of the dual method lead on.
        let set = set.and_then(|()| model.try_set_option("presolve", if whole.is_some() { "on" } else { "off" }));
        set.map_err(|_| Error::bug("HiGHS does not know an option"))?;
        model.set_sense(Sense::Minimise);
        let solved = model.try_solve().map_err(|_| Error::bug("HiGHS cannot run a program"))?;
        let fine = matches!(solved.status(), HighsModelStatus::Optimal)
            || whole.is_some() && solved.primal_solution_status() == highs::HighsSolutionStatus::Feasible;
        Ok(fine.then(|| solved.get_solution().columns().to_vec()))
    }

    /// The cells that are in whole numbers if all others are: one of each equation that is in no other.
    fn left_over(&self) -> BTreeSet<u32> {
        let mut equations = BTreeSet::new();
        let alone = |cell: &u32| match self.net.places(*cell) {
            [(equation, 1 | -1)] => self.sum.iter().all(|(own, _)| own != cell) && equations.insert(*equation),
            _ => false,
        };
        self.columns.iter().map(|(cell, ..)| *cell).filter(alone).collect()
    }

    /// The solution in whole numbers, if it is one and holds exactly.
    fn whole(&self, values: &[f64]) -> Option<Vec<(u32, i64)>> {
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
            for (equation, own) in self.net.places(*cell) {
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
