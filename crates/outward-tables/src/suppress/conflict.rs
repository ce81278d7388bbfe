//! Says why a pattern cannot be found: which frozen cells stand in the way.

use outward_spec::{Error, Result};

use crate::suppress::cover::{Cover, Demand};
use crate::suppress::deviation::by_program;
use crate::suppress::net::Net;
use crate::suppress::program::{Answer, Program};
use crate::system::Status;

/// Most cells listed in a message.
const LISTED: usize = 12;

/// The error for a demand that nothing meets, or nothing that a contributor does not see through: as few frozen cells as would have to be
/// hidden too.
pub(super) fn explain(cover: &Cover<'_>, demand: usize) -> Error {
    conflict(cover, &cover.unmet(demand)).unwrap_or_else(|error| error)
}

fn conflict(cover: &Cover<'_>, demand: &Demand) -> Result<Error> {
    let room = |cell: u32| cover.contributors.room(cover.seen_by, cell);
    let cells = cover.contributors.cells(cover.seen_by).iter();
    let known = cells.min_by_key(|room| (room.fall, room.rise)).map(|room| room.cell);
    for amount in demand.splits.iter().flat_map(|reach| [reach.up, -reach.down]).filter(|amount| *amount != 0) {
        if by_program(&cover.net, &demand.sum, amount, room)?.is_none() {
            return Ok(message(demand, known, &thawed(&cover.net, demand, amount, room)?));
        }
    }
    Ok(message(demand, known, &[]))
}

/// The frozen cells that the cheapest deviation would run through if it could.
fn thawed(net: &Net<'_>, demand: &Demand, amount: i64, room: impl Fn(u32) -> (i64, i64)) -> Result<Vec<u32>> {
    let mut program = Program::new(net, &demand.sum, amount);
    for (number, cell) in net.system.cells.iter().enumerate() {
        let (fall, rise) = room(number as u32);
        let rise = rise.min(cell.upper.saturating_sub(cell.value));
        let fall = fall.min(cell.value.saturating_sub(cell.lower));
        if rise.max(fall) > 0 {
            program.add(number as u32, i64::from(cell.status == Status::Frozen), rise, fall);
        }
    }
    Ok(match program.solve()? {
        Answer::Found(cells) => {
            let frozen = |cell: &u32| net.system.cells[*cell as usize].status == Status::Frozen;
            cells.into_iter().map(|(cell, _)| cell).filter(frozen).collect()
        }
        Answer::None => Vec::new(),
    })
}

fn message(demand: &Demand, known: Option<u32>, frozen: &[u32]) -> Error {
    let list = |cells: &[u32]| {
        let shown: Vec<String> = cells.iter().take(LISTED).map(u32::to_string).collect();
        let more = cells.len().saturating_sub(LISTED);
        shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
    };
    let what = match demand.cell() {
        Some(cell) => format!("cell {cell} cannot be protected"),
        None => {
            let cells: Vec<u32> = demand.sum.iter().map(|(cell, _)| *cell).collect();
            format!("the sum of cells {} cannot be protected", list(&cells))
        }
    };
    let from = known.map_or(String::new(), |known| format!(" from a contributor to cell {known}"));
    if frozen.is_empty() {
        return Error::input(format!("{what}{from}, whatever is hidden"))
            .help("make the table coarser there, or publish fewer tables together; in a JJ file, lower its protection levels or widen bounds")
            .into();
    }
    let (noun, verb) = if frozen.len() == 1 { ("cell", "stays") } else { ("cells", "stay") };
    Error::input(format!("{what}{from} while {noun} {} {verb} published", list(frozen)))
        .help("allow one of them to be hidden, or make the table coarser there")
        .into()
}
