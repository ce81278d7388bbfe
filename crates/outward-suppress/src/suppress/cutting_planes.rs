//! Proves the cheapest pattern of a small system by cutting planes on the attacker problem (Fischetti & Salazar 2000).
//!
//! A master program chooses the cells to hide. The attacker's linear program finds how far each unsafe cell can move.
//! If that is not far enough, its dual y gives a cut: with r = c − yM, the cell can move no further than Σ (r⁺ · rise +
//! r⁻ · fall) over the hidden cells. This sum must reach the protection level in every pattern that protects. The cut
//! is valid for any y. So y is rounded to simple fractions and the cut computed in integers, and no tolerance of the
//! solver can cut off a good pattern. A pattern that violates no cut must then have integer witnesses. If it has none,
//! one further cell is hidden.

use highs::{HighsModelStatus, Model, RowProblem, Sense};
use outward_spec::{Error, Result};

use crate::suppress::attacker_program::{AttackerProgram, ProtectionCut, hide_another_cell};
use crate::suppress::deviation_program::set_options;
use crate::suppress::incidence::Incidence;
use crate::suppress::witness_cover::{ProtectionDemand, SearchEffort, WitnessCover};
use crate::suppress::{Cost, SuppressionOptions, protection_demands};
use outward_audit::{Cell, Status, System};

/// Most work, in simplex iterations on some hundred rows, and most rounds of cuts.
pub(super) const MAX_WORK: i64 = 40_000;
const MAX_ROUNDS: usize = 1000;
/// Effort for the witnesses of a pattern.
const WITNESS_EFFORT: SearchEffort = SearchEffort { states: (2000, 0), corners: 20_000, programs: true };

/// Whether the cheapest pattern is known.
pub(super) enum CheapestPattern {
    /// The pattern given is the cheapest.
    Proven,
    /// This pattern is cheaper, and the cheapest.
    Cheaper(Vec<bool>),
    /// The limits were reached first.
    Unknown,
}

/// Finds a pattern cheaper than `hidden`, or proves that there is none.
///
/// # Errors
/// Where the solver fails.
pub(super) fn find_cheapest(system: &System, choice: &SuppressionOptions, hidden: &[bool]) -> Result<CheapestPattern> {
    let (extended, demands) = with_virtual_cells(system, choice)?;
    let prices: Vec<i64> = extended.cells.iter().map(|cell| hiding_cost(cell, choice.cost)).collect();
    let cost =
        |hidden: &[bool]| -> i64 { hidden.iter().zip(&prices).map(|(hidden, price)| i64::from(*hidden) * price).sum() };
    let best = cost(hidden);
    let incidence = Incidence::new(&extended, choice.cost);
    let mut attacker = AttackerProgram::new(&incidence, choice)?;
    let mut master = MasterProgram::new(&incidence, prices.clone());
    let (mut shares, mut whole) = (master.only_required(), false);
    for _ in 0..MAX_ROUNDS {
        let before = master.cuts.len();
        for demand in &demands {
            attacker.cuts(&incidence, demand, choice, &shares, whole, &mut master.cuts)?;
        }
        if attacker.work + master.work > MAX_WORK {
            break;
        }
        if master.cuts.len() == before && whole {
            let pattern: Vec<bool> = shares[..system.cells.len()].iter().map(|share| *share > 0.5).collect();
            if witnessed(system, choice, &pattern)? {
                return Ok(if cost(&pattern) < best {
                    CheapestPattern::Cheaper(pattern)
                } else {
                    CheapestPattern::Proven
                });
            }
            master.cuts.push(hide_another_cell(&incidence, |cell| shares[cell as usize] > 0.5));
        }
        // Fractional shares first, which is quick; integer shares once no inequality is violated.
        whole = whole || master.cuts.len() == before;
        match master.solve(whole)? {
            Some((bound, _)) if (bound - 1e-6).ceil() >= best as f64 => return Ok(CheapestPattern::Proven),
            Some((_, found)) => shares = found,
            None => return Ok(CheapestPattern::Unknown),
        }
    }
    Ok(CheapestPattern::Unknown)
}

/// The system with an unpublished cell for each virtual cell, and the demands for protection in it.
fn with_virtual_cells(system: &System, choice: &SuppressionOptions) -> Result<(System, Vec<ProtectionDemand>)> {
    let mut extended = system.clone();
    let mut demands = protection_demands(system, choice)?;
    for demand in demands.iter_mut().filter(|demand| demand.cell().is_none()) {
        let number = extended.cells.len() as u32;
        let value = demand.sum.iter().map(|(cell, by)| system.cells[*cell as usize].value * i64::from(*by)).sum();
        let status = Status::Unpublished;
        extended.cells.push(Cell { status, lower: i64::MIN, ..Cell::count(value) });
        extended.add(0, demand.sum.iter().copied().chain([(number, -1)]))?;
        demand.sum = vec![(number, 1)];
    }
    Ok((extended, demands))
}

/// The cost of hiding a cell, without tie-breakers.
fn hiding_cost(cell: &Cell, cost: Cost) -> i64 {
    match cost {
        _ if cell.must_hide() => 0,
        Cost::AsGiven => cell.cost.max(0),
        Cost::ByOne => 1,
        Cost::ByValue => cell.value.saturating_abs(),
    }
}

/// Whether every demand has an integer witness within the pattern.
fn witnessed(system: &System, choice: &SuppressionOptions, pattern: &[bool]) -> Result<bool> {
    let mut shown = system.clone();
    for (cell, hidden) in shown.cells.iter_mut().zip(pattern) {
        if !hidden {
            cell.status = Status::Frozen;
        }
    }
    let mut cover = WitnessCover::new(Incidence::new(&shown, choice.cost), protection_demands(system, choice)?, choice);
    for demand in 0..cover.demands.len() {
        if !cover.choose(demand, &[], WITNESS_EFFORT)? {
            return Ok(false);
        }
    }
    cover.check().map(|()| true)
}

/// The program that chooses the cells to hide.
struct MasterProgram {
    prices: Vec<i64>,
    /// The choice where it is fixed; `None` where it is free.
    fixed: Vec<Option<f64>>,
    cuts: Vec<ProtectionCut>,
    work: i64,
}

impl MasterProgram {
    fn new(incidence: &Incidence<'_>, prices: Vec<i64>) -> Self {
        let fixed = |(number, cell): (usize, &Cell)| match cell.must_hide() {
            true => Some(1.0),
            false => (!incidence.moves(number as u32)).then_some(0.0),
        };
        Self {
            prices,
            fixed: incidence.system.cells.iter().enumerate().map(fixed).collect(),
            cuts: Vec::new(),
            work: 0,
        }
    }

    /// Hides only what must be.
    fn only_required(&self) -> Vec<f64> {
        self.fixed.iter().map(|fixed| fixed.unwrap_or(0.0)).collect()
    }

    /// The least cost under the inequalities so far, and the cells hidden for it, whole or in shares.
    fn solve(&mut self, whole: bool) -> Result<Option<(f64, Vec<f64>)>> {
        let mut problem = RowProblem::default();
        let mut columns = Vec::with_capacity(self.fixed.len());
        for (price, fixed) in self.prices.iter().zip(&self.fixed) {
            let (least, most) = fixed.map_or((0.0, 1.0), |fixed| (fixed, fixed));
            columns.push(problem.add_column_with_integrality(*price as f64, least..=most, whole));
        }
        for cut in &self.cuts {
            problem.add_row(1.0.., cut.weights.iter().map(|(cell, weight)| (columns[*cell as usize], *weight)));
        }
        let mut model = Model::try_new(problem).map_err(|_| Error::bug("HiGHS refuses a program"))?;
        set_options(&mut model)?;
        model.set_sense(Sense::Minimise);
        let solved = model.try_solve().map_err(|_| Error::bug("HiGHS cannot run a program"))?;
        self.work += solved.simplex_iteration_count() * (1 + self.cuts.len() as i64 / 100);
        if solved.status() != HighsModelStatus::Optimal {
            return Ok(None);
        }
        let shares = solved.get_solution().columns().to_vec();
        Ok(Some((solved.objective_value(), shares)))
    }
}
