//! Explains why no pattern protects a cell: the frozen cells that stand in the way.

use std::fmt;

use outward_spec::{Error, Result};

use crate::suppress::Failure;
use crate::suppress::deviation::cheapest_deviation;
use crate::suppress::deviation_program::{DeviationProgram, ProgramAnswer};
use crate::suppress::incidence::Incidence;
use crate::suppress::witness_cover::{ProtectionDemand, WitnessCover};
use outward_audit::Status;

/// Most cells listed in a message.
const MAX_LISTED: usize = 12;

/// Cells that no choice of hidden cells protects, all by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unprotectable {
    /// The cell, or the cells of the sum.
    pub cells: Vec<u32>,
    /// A cell of the contributor from whom they cannot be protected, if it is one.
    pub contributor: Option<u32>,
    /// As few frozen cells as would have to be hidden too; none if that would not help.
    pub frozen: Vec<u32>,
}

/// Explains a demand that cannot be met at all, or not against a contributor.
pub(super) fn explain_failure(cover: &WitnessCover<'_>, demand: usize) -> Failure {
    find_conflict(cover, &cover.unmet(demand)).map_or_else(Failure::Other, Failure::Unprotectable)
}

fn find_conflict(cover: &WitnessCover<'_>, demand: &ProtectionDemand) -> Result<Unprotectable> {
    let room = |cell: u32| cover.contributors.allowance(cover.unmet_against, cell);
    let cells = cover.contributors.cells(cover.unmet_against).iter();
    let contributor = cells.min_by_key(|room| (room.fall, room.rise)).map(|room| room.cell);
    let cells = demand.sum.iter().map(|(cell, _)| *cell).collect();
    let stuck = Unprotectable { cells, contributor, frozen: Vec::new() };
    for amount in demand.splits.iter().flat_map(|reach| [reach.up, -reach.down]).filter(|amount| *amount != 0) {
        if cheapest_deviation(&cover.incidence, &demand.sum, amount, room)?.is_none() {
            return Ok(Unprotectable { frozen: frozen_in_the_way(&cover.incidence, demand, amount, room)?, ..stuck });
        }
    }
    Ok(stuck)
}

/// The frozen cells that the cheapest deviation would use if it could.
fn frozen_in_the_way(
    incidence: &Incidence<'_>,
    demand: &ProtectionDemand,
    amount: i64,
    room: impl Fn(u32) -> (i64, i64),
) -> Result<Vec<u32>> {
    let mut program = DeviationProgram::new(incidence, &demand.sum, amount);
    for (number, cell) in incidence.system.cells.iter().enumerate() {
        let (fall, rise) = room(number as u32);
        let rise = rise.min(cell.upper.saturating_sub(cell.value));
        let fall = fall.min(cell.value.saturating_sub(cell.lower));
        if rise.max(fall) > 0 {
            program.add(number as u32, i64::from(cell.status == Status::Frozen), rise, fall);
        }
    }
    Ok(match program.solve()? {
        ProgramAnswer::Found(cells) => {
            let frozen = |cell: &u32| incidence.system.cells[*cell as usize].status == Status::Frozen;
            cells.into_iter().map(|(cell, _)| cell).filter(frozen).collect()
        }
        ProgramAnswer::None => Vec::new(),
    })
}

impl Unprotectable {
    /// The error with advice, with each cell called by its name.
    pub fn named(&self, name: impl Fn(u32) -> String) -> Error {
        let help = match self.frozen[..] {
            [] => {
                "make the table coarser there, or publish fewer tables together; in a JJ file, lower its protection levels or widen bounds"
            }
            _ => "allow one of them to be hidden, or make the table coarser there",
        };
        Error::input(self.sentence(name)).help(help).into()
    }

    fn sentence(&self, name: impl Fn(u32) -> String) -> String {
        let list = |cells: &[u32]| {
            let shown: Vec<String> = cells.iter().take(MAX_LISTED).map(|cell| name(*cell)).collect();
            let more = cells.len().saturating_sub(MAX_LISTED);
            shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
        };
        let what = match self.cells[..] {
            [cell] => format!("cell {} cannot be protected", name(cell)),
            _ => format!("the sum of cells {} cannot be protected", list(&self.cells)),
        };
        let from = self.contributor.map(|known| format!(" from a contributor to cell {}", name(known)));
        let from = from.unwrap_or_default();
        match self.frozen[..] {
            [] => format!("{what}{from}, whatever is hidden"),
            [frozen] => format!("{what}{from} while cell {} stays published", name(frozen)),
            _ => format!("{what}{from} while cells {} stay published", list(&self.frozen)),
        }
    }
}

impl fmt::Display for Unprotectable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(|cell| cell.to_string()))
    }
}
