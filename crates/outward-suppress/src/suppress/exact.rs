//! The cheapest pattern of a small system, proven: cutting planes on the attacker problem (Fischetti & Salazar 2000).
//!
//! A master program chooses the cells to hide. The attacker's linear program then looks for the furthest an unsafe cell
//! can be moved. Where that is not far enough, its dual y says why: with r = c − yM, the cell can move no further than
//! Σ (r⁺ · rise + r⁻ · fall) over the hidden cells, so that this sum must reach the protection level in any good pattern.
//! Such an inequality holds for any y whatever, so y is first rounded to simple fractions and the inequality worked out
//! in whole numbers: no tolerance of the solver can make it cut off a good pattern. A pattern that passes is then given
//! witnesses in whole numbers; where there are none, one further cell must be hidden.

use highs::{HighsModelStatus, Model, RowProblem, Sense};
use outward_spec::{Error, Result};

use crate::suppress::attacker::{Attacker, Cut, another};
use crate::suppress::cover::{Cover, Demand, Effort};
use crate::suppress::net::Net;
use crate::suppress::program::quiet;
use crate::suppress::{Choice, Cost, demands};
use outward_audit::{Cell, Status, System};

/// Work after which the attempt is given up, in iterations of the simplex method on some hundred rows, and most rounds.
pub(super) const WORK: i64 = 40_000;
const ROUNDS: usize = 1000;
/// How the witnesses of a pattern are looked for.
const WITNESS: Effort = Effort { states: (2000, 0), corners: 20_000, programs: true };

/// What is known of the cheapest pattern.
pub(super) enum Verdict {
    /// The pattern given is the cheapest.
    Proven,
    /// This one is.
    Cheaper(Vec<bool>),
    /// The limits were reached first.
    Unknown,
}

/// Looks for a pattern cheaper than `hidden`.
///
/// # Errors
/// Where the solver fails.
pub(super) fn cheapest(system: &System, choice: &Choice, hidden: &[bool]) -> Result<Verdict> {
    let (extended, demands) = with_virtual_cells(system, choice)?;
    let prices: Vec<i64> = extended.cells.iter().map(|cell| price(cell, choice.cost)).collect();
    let cost =
        |hidden: &[bool]| -> i64 { hidden.iter().zip(&prices).map(|(hidden, price)| i64::from(*hidden) * price).sum() };
    let best = cost(hidden);
    let net = Net::new(&extended, choice.cost);
    let mut attacker = Attacker::new(&net, choice)?;
    let mut master = Master::new(&net, prices.clone());
    let (mut shares, mut whole) = (master.nothing(), false);
    for _ in 0..ROUNDS {
        let before = master.cuts.len();
        for demand in &demands {
            attacker.cuts(&net, demand, choice, &shares, whole, &mut master.cuts)?;
        }
        if attacker.work + master.work > WORK {
            break;
        }
        if master.cuts.len() == before && whole {
            let pattern: Vec<bool> = shares[..system.cells.len()].iter().map(|share| *share > 0.5).collect();
            if witnessed(system, choice, &pattern)? {
                return Ok(if cost(&pattern) < best { Verdict::Cheaper(pattern) } else { Verdict::Proven });
            }
            master.cuts.push(another(&net, |cell| shares[cell as usize] > 0.5));
        }
        // Fractions of cells first, as that is quick; once no inequality is broken, whole cells.
        whole = whole || master.cuts.len() == before;
        match master.solve(whole)? {
            Some((bound, _)) if (bound - 1e-6).ceil() >= best as f64 => return Ok(Verdict::Proven),
            Some((_, found)) => shares = found,
            None => return Ok(Verdict::Unknown),
        }
    }
    Ok(Verdict::Unknown)
}

/// The system with a cell nobody sees for each virtual cell, and what must be protected in it.
fn with_virtual_cells(system: &System, choice: &Choice) -> Result<(System, Vec<Demand>)> {
    let mut extended = system.clone();
    let mut demands = demands(system, choice)?;
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

/// What hiding a cell adds to the cost; ties are not looked at.
fn price(cell: &Cell, cost: Cost) -> i64 {
    match cost {
        _ if cell.must_hide() => 0,
        Cost::AsGiven => cell.cost.max(0),
        Cost::ByOne => 1,
        Cost::ByValue => cell.value.saturating_abs(),
    }
}

/// Whether every demand has a witness in whole numbers within the pattern.
fn witnessed(system: &System, choice: &Choice, pattern: &[bool]) -> Result<bool> {
    let mut shown = system.clone();
    for (cell, hidden) in shown.cells.iter_mut().zip(pattern) {
        if !hidden {
            cell.status = Status::Frozen;
        }
    }
    let mut cover = Cover::new(Net::new(&shown, choice.cost), demands(system, choice)?, choice);
    for demand in 0..cover.demands.len() {
        if !cover.choose(demand, &[], WITNESS)? {
            return Ok(false);
        }
    }
    cover.check().map(|()| true)
}

/// The program that chooses the cells to hide.
struct Master {
    prices: Vec<i64>,
    /// Whether the choice is free; where not, what it is.
    fixed: Vec<Option<f64>>,
    cuts: Vec<Cut>,
    work: i64,
}

impl Master {
    fn new(net: &Net<'_>, prices: Vec<i64>) -> Self {
        let fixed = |(number, cell): (usize, &Cell)| match cell.must_hide() {
            true => Some(1.0),
            false => (!net.moves(number as u32)).then_some(0.0),
        };
        Self { prices, fixed: net.system.cells.iter().enumerate().map(fixed).collect(), cuts: Vec::new(), work: 0 }
    }

    /// Hides only what must be.
    fn nothing(&self) -> Vec<f64> {
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
        quiet(&mut model)?;
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
