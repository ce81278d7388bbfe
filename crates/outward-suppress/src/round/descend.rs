//! Rounds a large system slice by slice, from the top down.

use super::Controlled;
use super::exact::{self, Answer};
use super::grid::{Grid, Part, Row};
use super::slices::{Block, Slices};
use outward_spec::Result;

/// The moves of all cells, or none where the system has no small slices or one of them has no rounding within the
/// steps allowed.
pub(super) fn descend(grid: &Grid<'_>, choice: &Controlled) -> Result<Option<Vec<i64>>> {
    let Some(slices) = Slices::of(grid.system, choice.whole) else { return Ok(None) };
    let mut moves = vec![0; grid.system.cells.len()];
    let mut place = vec![u32::MAX; grid.system.cells.len()];
    for block in &slices.blocks {
        let part = part(grid, &slices, block, &moves, &mut place);
        let Some(found) = within(grid, &part, choice)? else { return Ok(None) };
        for (cell, by) in part.cells.iter().zip(found) {
            moves[*cell as usize] = by;
        }
    }
    Ok(Some(moves))
}

/// With as few steps as will do.
fn within(grid: &Grid<'_>, part: &Part, choice: &Controlled) -> Result<Option<Vec<i64>>> {
    for steps in 0..=choice.steps {
        match exact::solve(grid, part, steps, choice, false)? {
            Answer::Best(found) | Answer::Found(found) => return Ok(Some(found)),
            Answer::Nothing => {}
            Answer::Unknown => return Ok(None),
        }
    }
    Ok(None)
}

/// The block as a part: totals above it are known.
fn part(grid: &Grid<'_>, slices: &Slices, block: &Block, moves: &[i64], place: &mut [u32]) -> Part {
    let mut cells = Vec::new();
    for slice in &block.slices {
        for cell in &slices.cells[*slice as usize] {
            place[*cell as usize] = cells.len() as u32;
            cells.push(*cell);
        }
    }
    let inside = block.slices.iter().flat_map(|slice| &slices.within[*slice as usize]);
    let rows = inside
        .chain(&block.ties)
        .map(|equation| {
            let mut row = Row { terms: Vec::new(), right: grid.rights[*equation as usize] };
            for (cell, by) in grid.system.terms(*equation as usize) {
                match place[*cell as usize] {
                    u32::MAX => row.right -= i64::from(*by) * moves[*cell as usize],
                    at => row.terms.push((at, *by)),
                }
            }
            row
        })
        .collect();
    for cell in &cells {
        place[*cell as usize] = u32::MAX;
    }
    Part { cells, rows }
}
