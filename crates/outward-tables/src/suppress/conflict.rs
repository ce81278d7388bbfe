//! Says why a pattern cannot be found: which frozen cells stand in the way.

use outward_spec::{Error, Result};

use crate::suppress::cover::Demand;
use crate::suppress::deviation::by_program;
use crate::suppress::net::Net;
use crate::suppress::program::{Answer, Program};
use crate::system::Status;

/// Most cells listed in a message.
const LISTED: usize = 12;

/// The error for a demand that nothing meets, or nothing that the contributor of a `known` cell, who knows all her `own`, does not see through: as
/// few frozen cells as would have to be hidden too.
pub(super) fn explain(net: &Net<'_>, demand: &Demand, known: Option<u32>, own: &[u32]) -> Error {
    conflict(net, demand, known, own).unwrap_or_else(|error| error)
}

fn conflict(net: &Net<'_>, demand: &Demand, known: Option<u32>, own: &[u32]) -> Result<Error> {
    let barred = |other: u32| own.contains(&other);
    for amount in demand.splits.iter().flat_map(|reach| [reach.up, -reach.down]).filter(|amount| *amount != 0) {
        if by_program(net, &demand.sum, amount, barred)?.is_none() {
            return Ok(message(demand, known, &thawed(net, demand, amount, barred)?));
        }
    }
    Ok(message(demand, known, &[]))
}

/// The frozen cells that the cheapest deviation would run through if it could.
fn thawed(net: &Net<'_>, demand: &Demand, amount: i64, barred: impl Fn(u32) -> bool) -> Result<Vec<u32>> {
    let mut program = Program::new(net, &demand.sum, amount);
    for (number, cell) in net.system.cells.iter().enumerate() {
        let (rise, fall) = (cell.upper.saturating_sub(cell.value), cell.value.saturating_sub(cell.lower));
        if !barred(number as u32) && rise.max(fall) > 0 {
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
    let from = known.map_or(String::new(), |known| format!(" from the contributor of cell {known}"));
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
