//! The attacker's linear program: how far a cell can move within the hidden cells. If that is not far enough, its duals give
//! a violated inequality.

use highs::{Col, HighsModelStatus, Model, RowProblem, Sense};
use outward_spec::{Error, Result};

use crate::suppress::cutting_planes::MAX_WORK;
use crate::suppress::deviation_program::set_options;
use crate::suppress::incidence::Incidence;
use crate::suppress::witness_cover::ProtectionDemand;
use crate::suppress::{SuppressionOptions, VirtualCell};
use outward_audit::Status;
use outward_audit::{Allowance, Contributors, UNLIMITED};

/// An inequality: the weights of the hidden cells sum to 1 at least.
pub(super) struct ProtectionCut {
    pub(super) weights: Vec<(u32, f64)>,
}

impl ProtectionCut {
    /// Whether shares of hidden cells violate the inequality.
    fn is_violated(&self, shares: &[f64]) -> bool {
        self.weights.iter().map(|(cell, weight)| weight * shares[*cell as usize]).sum::<f64>() < 1.0 - 1e-6
    }
}

/// Duals are rounded to fractions with the first of these denominators that yields a violated inequality.
const DENOMINATORS: [f64; 4] = [1.0, 2.0, 12.0, 840.0];

/// The program, kept between solves so that each starts from the last basis.
pub(super) struct AttackerProgram {
    contributors: Contributors,
    model: Option<Model>,
    columns: Vec<Col>,
    /// The present bounds of each column.
    rooms: Vec<(f64, f64)>,
    /// Iterations of the simplex method so far, the measure of work.
    pub(super) work: i64,
}

/// Moving a cell up (1) or down (-1) by `amount`.
#[derive(Clone, Copy)]
struct CellMove {
    cell: u32,
    way: i64,
    amount: i64,
    /// The contributor whose knowledge applies, by number from 1; 0 for nobody.
    person: u32,
}

/// A solution: how far a cell moved up (1) or down (-1), and all other cells with it.
struct FoundMove {
    way: i64,
    far: f64,
    cells: Vec<f64>,
}

impl FoundMove {
    /// Whether the solution is possible given what a contributor knows.
    fn fits(&self, rooms: &[Allowance], shares: &[f64]) -> bool {
        rooms.iter().all(|room| {
            let (by, share) = (self.cells[room.cell as usize], shares[room.cell as usize]);
            // A cell that is not hidden does not move.
            by.abs() < 1e-9 || by <= limit(room.rise) * share + 1e-6 && -by <= limit(room.fall) * share + 1e-6
        })
    }
}

impl AttackerProgram {
    pub(super) fn new(incidence: &Incidence<'_>, choice: &SuppressionOptions) -> Result<Self> {
        let mut problem = RowProblem::default();
        let columns: Vec<Col> = incidence.rise.iter().map(|_| problem.add_column(0.0, 0.0..=0.0)).collect();
        for equation in 0..incidence.system.equations() {
            let terms =
                incidence.system.terms(equation).iter().map(|(cell, by)| (columns[*cell as usize], f64::from(*by)));
            problem.add_row(0.0..=0.0, terms);
        }
        let mut model = Model::try_new(problem).map_err(|_| Error::bug("HiGHS refuses a program"))?;
        set_options(&mut model)?;
        model.set_sense(Sense::Maximise);
        let rooms = vec![(0.0, 0.0); columns.len()];
        let contributors = Contributors::new(&choice.alone, &choice.inside, &choice.outside);
        Ok(Self { model: Some(model), columns, rooms, contributors, work: 0 })
    }

    /// Adds the inequalities that the shares of hidden cells violate for one demand. If `whole`, shares are 0 and 1.
    pub(super) fn cuts(
        &mut self,
        incidence: &Incidence<'_>,
        demand: &ProtectionDemand,
        choice: &SuppressionOptions,
        shares: &[f64],
        whole: bool,
        cuts: &mut Vec<ProtectionCut>,
    ) -> Result<()> {
        let Some(cell) = demand.cell() else { return Err(Error::bug("a sum is attacked that is no cell")) };
        // Differences between tables are protected from contributors as unsafe cells are; sums of groups are not.
        let alone = |sum: &VirtualCell| sum.terms == [(cell, 1)];
        let left = || {
            incidence.system.cells[cell as usize].status == Status::Unpublished
                && choice.virtual_cells.iter().any(alone)
        };
        let asked = incidence.system.cells[cell as usize].status == Status::Unsafe || left();
        // Published cells are known to everyone.
        let hidden = |cell: u32| shares[cell as usize] > 1e-9;
        let others = self.contributors.people().filter(|person| {
            let mut own = self.contributors.cells(*person).iter();
            asked && own.any(|room| room.cell != cell && hidden(room.cell))
        });
        let people: Vec<(u32, (i64, i64))> = [(0, UNLIMITED)]
            .into_iter()
            .chain(others.map(|other| (other, self.contributors.asked(cell, other))))
            .collect();
        let mut seen: Vec<FoundMove> = Vec::new();
        for (person, most) in people {
            let (up, down, both) = demand.minimum_reach(most);
            // A solution found for another contributor may serve this one.
            let rooms = self.contributors.cells(person);
            let reached = |way: i64| {
                let fit = seen.iter().filter(|moved| moved.way == way && moved.fits(rooms, shares));
                fit.map(|moved| moved.far).fold(0.0, f64::max) + 1e-6
            };
            let ends = (reached(1), reached(-1));
            if person != 0 && ends.0 >= up as f64 && ends.1 >= down as f64 && ends.0 + ends.1 >= both as f64 {
                continue;
            }
            let ways = [(1, up), (-1, down)].map(|(way, least)| {
                let amount = if both > up + down { both } else { least };
                (CellMove { cell, way, amount, person }, least)
            });
            if self.work > MAX_WORK {
                return Ok(());
            }
            let (mut furthest, mut sides) = (0.0, Vec::new());
            for (step, least) in ways.into_iter().filter(|(step, _)| step.amount > 0) {
                let (moved, duals) = self.furthest_move(incidence, step, shares, whole)?;
                furthest += moved.far;
                if moved.far < least as f64 - 1e-6 {
                    self.add_cut(
                        incidence,
                        &[(CellMove { amount: least, ..step }, &duals)],
                        least,
                        shares,
                        whole,
                        cuts,
                    );
                }
                seen.push(moved);
                sides.push((step, duals));
            }
            if both > up + down && furthest < both as f64 - 1e-6 {
                let sides: Vec<_> = sides.iter().map(|(step, duals)| (*step, &duals[..])).collect();
                self.add_cut(incidence, &sides, both, shares, whole, cuts);
            }
        }
        Ok(())
    }

    /// Adds the inequality that duals give. If there is none and the pattern is integer, requires one further cell to be hidden.
    fn add_cut(
        &self,
        incidence: &Incidence<'_>,
        sides: &[(CellMove, &[f64])],
        least: i64,
        shares: &[f64],
        whole: bool,
        cuts: &mut Vec<ProtectionCut>,
    ) {
        let cut = |denominator: &f64| {
            cut_from_duals(incidence, &self.contributors, sides, least, *denominator)
                .filter(|cut| cut.is_violated(shares))
        };
        match DENOMINATORS.iter().find_map(cut) {
            Some(cut) => cuts.push(cut),
            None if whole => cuts.push(hide_another_cell(incidence, |cell| shares[cell as usize] > 0.5)),
            None => {}
        }
    }

    /// How far the cell can be moved, and the duals of the equations.
    fn furthest_move(
        &mut self,
        incidence: &Incidence<'_>,
        step: CellMove,
        shares: &[f64],
        whole: bool,
    ) -> Result<(FoundMove, Vec<f64>)> {
        let mut model = self.model.take().ok_or_else(|| Error::bug("the attacker's program is gone"))?;
        for (number, column) in self.columns.iter().enumerate() {
            let share = shares[number];
            let own = self.contributors.allowance(step.person, number as u32);
            // While shares are fractional, no cell moves further than required: this makes the inequalities stronger.
            let most = if !whole || number as u32 == step.cell { step.amount as f64 } else { f64::INFINITY };
            let room = |room: i64| if share < 1e-9 { 0.0 } else { limit(room).min(most) * share };
            let rooms = (room(incidence.fall[number].min(own.0)), room(incidence.rise[number].min(own.1)));
            if std::mem::replace(&mut self.rooms[number], rooms) != rooms {
                model.change_column_bounds(*column, -rooms.0..=rooms.1);
            }
        }
        let column = self.columns[step.cell as usize];
        model.change_column_cost(column, step.way as f64);
        let solved = model.try_solve().map_err(|_| Error::bug("HiGHS cannot run a program"))?;
        if solved.status() != HighsModelStatus::Optimal {
            return Err(Error::bug("HiGHS cannot solve an attacker's program"));
        }
        let equations = incidence.system.equations() as i64;
        self.work += solved.simplex_iteration_count() * (1 + equations / 200) + 1 + equations / 50;
        let solution = solved.get_solution();
        let far = solution.columns()[step.cell as usize] * step.way as f64;
        let moved = FoundMove { way: step.way, far, cells: solution.columns().to_vec() };
        let duals = solution.dual_rows().to_vec();
        let mut model = Model::from(solved);
        model.change_column_cost(column, 0.0);
        self.model = Some(model);
        Ok((moved, duals))
    }
}

/// A bound as the solver takes it: infinite if very large.
fn limit(room: i64) -> f64 {
    if room > 1 << 50 { f64::INFINITY } else { room as f64 }
}

/// The inequality that at least one cell not yet hidden must be.
pub(super) fn hide_another_cell(incidence: &Incidence<'_>, hidden: impl Fn(u32) -> bool) -> ProtectionCut {
    let outside = (0..incidence.rise.len() as u32).filter(|cell| !hidden(*cell) && incidence.moves(*cell));
    ProtectionCut { weights: outside.map(|cell| (cell, 1.0)).collect() }
}

/// The inequality that duals y give, in integers. With r = c − yM, hidden cells allow a move of at most
/// Σ (r⁺ rise + r⁻ fall), which must reach `least`.
fn cut_from_duals(
    incidence: &Incidence<'_>,
    contributors: &Contributors,
    sides: &[(CellMove, &[f64])],
    least: i64,
    denominator: f64,
) -> Option<ProtectionCut> {
    let cells = &incidence.system.cells;
    let mut carried = vec![0_i128; cells.len()];
    for (step, duals) in sides {
        let duals: Vec<i128> = duals.iter().map(|dual| (dual * denominator).round() as i128).collect();
        for (number, carried) in carried.iter_mut().enumerate() {
            if !incidence.moves(number as u32) {
                continue;
            }
            let (fall, rise) = contributors.allowance(step.person, number as u32);
            let own = if step.cell as usize == number { i128::from(step.way) * denominator as i128 } else { 0 };
            let places = incidence.equations_of(number as u32).iter();
            let rest = own - places.map(|(equation, by)| duals[*equation as usize] * i128::from(*by)).sum::<i128>();
            let room = if rest > 0 { incidence.rise[number].min(rise) } else { incidence.fall[number].min(fall) };
            let room = if step.cell as usize == number { room.min(step.amount) } else { room };
            *carried += rest.abs().saturating_mul(i128::from(room));
        }
    }
    let hidden: i128 = carried.iter().zip(cells).filter(|(_, cell)| cell.must_hide()).map(|(carried, _)| carried).sum();
    let missing = i128::from(least) * denominator as i128 - hidden;
    if missing <= 0 {
        return None;
    }
    let open = carried.iter().enumerate().filter(|(number, carried)| **carried > 0 && !cells[*number].must_hide());
    let weight = |carried: i128| if carried >= missing { 1.0 } else { carried as f64 / missing as f64 };
    Some(ProtectionCut { weights: open.map(|(number, carried)| (number as u32, weight(*carried))).collect() })
}
