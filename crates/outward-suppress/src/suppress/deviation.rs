//! A deviation: what could be added to the cells so that every equation still holds. It is the witness that an attacker
//! cannot tell the true table from another.

use outward_spec::Result;

use crate::suppress::net::{Net, Reach};
use crate::suppress::program::{Answer, Program};
use outward_audit::Contributors;

/// A deviation in which what is protected rises.
#[derive(Clone, Debug)]
pub(super) struct Deviation {
    /// The cells that move, and by how much.
    pub(super) cells: Vec<(u32, i64)>,
    /// How many times it may be added and taken away.
    pub(super) reach: Reach,
}

impl Deviation {
    /// Whether it keeps every equation and every bound, in whole numbers.
    pub(super) fn holds(&self, net: &Net<'_>) -> bool {
        let mut sums: Vec<(u32, i128)> = self
            .cells
            .iter()
            .flat_map(|(cell, by)| {
                net.places(*cell).iter().map(move |(e, own)| (*e, i128::from(*own) * i128::from(*by)))
            })
            .collect();
        sums.sort_unstable_by_key(|(equation, _)| *equation);
        sums.chunk_by(|a, b| a.0 == b.0).all(|terms| terms.iter().map(|(_, by)| by).sum::<i128>() == 0)
            && self.cells.iter().all(|(cell, by)| net.allows(*cell, *by, self.reach))
    }

    /// How often it may be added and taken away in the eyes of a contributor.
    pub(super) fn seen_by(&self, contributors: &Contributors, person: u32) -> Reach {
        let mut reach = self.reach;
        for (cell, by) in &self.cells {
            let (fall, rise) = contributors.allowance(person, *cell);
            let (ahead, back) = if *by > 0 { (rise, fall) } else { (fall, rise) };
            reach.up = reach.up.min(ahead / by.saturating_abs().max(1));
            reach.down = reach.down.min(back / by.saturating_abs().max(1));
        }
        reach
    }

    /// By how much a sum of cells changes.
    pub(super) fn shift(&self, sum: &[(u32, i32)]) -> i64 {
        let moved = |cell: u32| self.cells.iter().find(|(other, _)| *other == cell).map_or(0, |(_, by)| *by);
        sum.iter().fold(0, |shift, (cell, by)| shift.saturating_add(moved(*cell).saturating_mul(i64::from(*by))))
    }
}

/// Neighbourhoods that are tried, in cells, before the whole system is.
const AROUND: [usize; 2] = [300, 3000];

/// The cheapest deviation in which `sum` rises by at least `amount` (falls, where `amount` is negative), by linear
/// programming: min Σ price · |f| over deviations f, first close by, then in the whole system. `room` says how far a cell may fall and rise
/// beside its bounds.
///
/// # Errors
/// Where the solver fails.
pub(super) fn by_program(
    net: &Net<'_>,
    sum: &[(u32, i32)],
    amount: i64,
    room: impl Fn(u32) -> (i64, i64),
) -> Result<Option<Deviation>> {
    let all = net.system.cells.len();
    for most in AROUND.into_iter().filter(|most| *most < all).chain([all]) {
        let near = neighbourhood(net, sum, most);
        let mut program = Program::new(net, sum, amount);
        for cell in near {
            let (fall, rise) = room(cell);
            let (fall, rise) = (fall.min(net.fall[cell as usize]), rise.min(net.rise[cell as usize]));
            if fall.max(rise) > 0 {
                program.add(cell, net.price(cell), rise, fall);
            }
        }
        if let Answer::Found(cells) = program.solve()? {
            return Ok(Some(oriented(cells, amount)));
        }
    }
    Ok(None)
}

fn oriented(cells: Vec<(u32, i64)>, amount: i64) -> Deviation {
    if amount > 0 {
        return Deviation { cells, reach: Reach { up: 1, down: 0 } };
    }
    let cells = cells.into_iter().map(|(cell, by)| (cell, -by)).collect();
    Deviation { cells, reach: Reach { up: 0, down: 1 } }
}

/// About `most` cells around a sum, nearest first by the number of equations between.
pub(super) fn neighbourhood(net: &Net<'_>, sum: &[(u32, i32)], most: usize) -> Vec<u32> {
    let mut seen = vec![false; net.system.cells.len()];
    let mut seen_equation = vec![false; net.system.equations()];
    let mut near: Vec<u32> = sum.iter().map(|(cell, _)| *cell).collect();
    near.iter().for_each(|cell| seen[*cell as usize] = true);
    let mut at = 0;
    while at < near.len() && near.len() < most {
        for (equation, _) in net.places(near[at]) {
            if std::mem::replace(&mut seen_equation[*equation as usize], true) {
                continue;
            }
            for (cell, _) in net.system.terms(*equation as usize) {
                if !std::mem::replace(&mut seen[*cell as usize], true) {
                    near.push(*cell);
                }
            }
        }
        at += 1;
    }
    near
}
