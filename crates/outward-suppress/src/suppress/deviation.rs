//! A deviation: amounts that can be added to the cells so that every equation still holds. It is a witness that an attacker
//! cannot tell the true table from another.

use outward_spec::Result;

use crate::suppress::deviation_program::{DeviationProgram, ProgramAnswer};
use crate::suppress::incidence::{Incidence, RequiredDeviation};
use outward_audit::Contributors;

/// A deviation in which the protected cell rises.
#[derive(Clone, Debug)]
pub(super) struct Deviation {
    /// The cells that move, and by how much.
    pub(super) cells: Vec<(u32, i64)>,
    /// How many times it may be added and subtracted.
    pub(super) reach: RequiredDeviation,
}

impl Deviation {
    /// Whether it keeps every equation and every bound, in exact arithmetic.
    pub(super) fn holds(&self, incidence: &Incidence<'_>) -> bool {
        let mut sums: Vec<(u32, i128)> = self
            .cells
            .iter()
            .flat_map(|(cell, by)| {
                incidence.equations_of(*cell).iter().map(move |(e, own)| (*e, i128::from(*own) * i128::from(*by)))
            })
            .collect();
        sums.sort_unstable_by_key(|(equation, _)| *equation);
        sums.chunk_by(|a, b| a.0 == b.0).all(|terms| terms.iter().map(|(_, by)| by).sum::<i128>() == 0)
            && self.cells.iter().all(|(cell, by)| incidence.allows(*cell, *by, self.reach))
    }

    /// How often it may be added and subtracted, given what a contributor knows.
    pub(super) fn reach_for(&self, contributors: &Contributors, person: u32) -> RequiredDeviation {
        let mut reach = self.reach;
        for (cell, by) in &self.cells {
            let (fall, rise) = contributors.allowance(person, *cell);
            let (ahead, back) = if *by > 0 { (rise, fall) } else { (fall, rise) };
            reach.up = reach.up.min(ahead / by.saturating_abs().max(1));
            reach.down = reach.down.min(back / by.saturating_abs().max(1));
        }
        reach
    }

    /// By how much it changes a sum of cells.
    pub(super) fn shift(&self, sum: &[(u32, i32)]) -> i64 {
        let moved = |cell: u32| self.cells.iter().find(|(other, _)| *other == cell).map_or(0, |(_, by)| *by);
        sum.iter().fold(0, |shift, (cell, by)| shift.saturating_add(moved(*cell).saturating_mul(i64::from(*by))))
    }
}

/// Sizes of the neighbourhoods tried before the whole system, in cells.
const NEIGHBOURHOOD_SIZES: [usize; 2] = [300, 3000];

/// The cheapest deviation in which `sum` rises by at least `amount`, or falls if `amount` is negative. It minimises
/// Σ price · |f| over deviations f by linear programming, first in a neighbourhood, then in the whole system. `room` gives
/// further limits on how far a cell may fall and rise.
///
/// # Errors
/// Where the solver fails.
pub(super) fn cheapest_deviation(
    incidence: &Incidence<'_>,
    sum: &[(u32, i32)],
    amount: i64,
    room: impl Fn(u32) -> (i64, i64),
) -> Result<Option<Deviation>> {
    let all = incidence.system.cells.len();
    for most in NEIGHBOURHOOD_SIZES.into_iter().filter(|most| *most < all).chain([all]) {
        let near = neighbourhood(incidence, sum, most);
        let mut program = DeviationProgram::new(incidence, sum, amount);
        for cell in near {
            let (fall, rise) = room(cell);
            let (fall, rise) = (fall.min(incidence.fall[cell as usize]), rise.min(incidence.rise[cell as usize]));
            if fall.max(rise) > 0 {
                program.add(cell, incidence.price(cell), rise, fall);
            }
        }
        if let ProgramAnswer::Found(cells) = program.solve()? {
            return Ok(Some(oriented(cells, amount)));
        }
    }
    Ok(None)
}

fn oriented(cells: Vec<(u32, i64)>, amount: i64) -> Deviation {
    if amount > 0 {
        return Deviation { cells, reach: RequiredDeviation { up: 1, down: 0 } };
    }
    let cells = cells.into_iter().map(|(cell, by)| (cell, -by)).collect();
    Deviation { cells, reach: RequiredDeviation { up: 0, down: 1 } }
}

/// About `most` cells around a sum, nearest first by the number of equations between them.
pub(super) fn neighbourhood(incidence: &Incidence<'_>, sum: &[(u32, i32)], most: usize) -> Vec<u32> {
    let mut seen = vec![false; incidence.system.cells.len()];
    let mut seen_equation = vec![false; incidence.system.equations()];
    let mut near: Vec<u32> = sum.iter().map(|(cell, _)| *cell).collect();
    near.iter().for_each(|cell| seen[*cell as usize] = true);
    let mut at = 0;
    while at < near.len() && near.len() < most {
        for (equation, _) in incidence.equations_of(near[at]) {
            if std::mem::replace(&mut seen_equation[*equation as usize], true) {
                continue;
            }
            for (cell, _) in incidence.system.terms(*equation as usize) {
                if !std::mem::replace(&mut seen[*cell as usize], true) {
                    near.push(*cell);
                }
            }
        }
        at += 1;
    }
    near
}
