//! Rounds a large system slice by slice, from the top down.

use super::Controlled;
use super::base_multiples::{BaseMultiples, Row, Subsystem};
use super::hierarchy_slices::{Block, Slices};
use super::subsystem_solver::{self, Answer};
use outward_spec::Result;

/// The moves of all cells; `None` if the system has no small slices, or one of them has no rounding within the steps allowed.
pub(super) fn round_top_down(multiples: &BaseMultiples<'_>, choice: &Controlled) -> Result<Option<Vec<i64>>> {
    let Some(slices) = Slices::find(multiples.system, choice.whole) else { return Ok(None) };
    let mut moves = vec![0; multiples.system.cells.len()];
    let mut place = vec![u32::MAX; multiples.system.cells.len()];
    for block in &slices.blocks {
        let subsystem = block_subsystem(multiples, &slices, block, &moves, &mut place);
        let Some(found) = solve_with_fewest_steps(multiples, &subsystem, choice)? else { return Ok(None) };
        for (cell, by) in subsystem.cells.iter().zip(found) {
            moves[*cell as usize] = by;
        }
    }
    Ok(Some(moves))
}

/// Solves a subsystem with as few steps as possible.
fn solve_with_fewest_steps(
    multiples: &BaseMultiples<'_>,
    subsystem: &Subsystem,
    choice: &Controlled,
) -> Result<Option<Vec<i64>>> {
    for steps in 0..=choice.steps {
        match subsystem_solver::solve(multiples, subsystem, steps, choice, false)? {
            Answer::Best(found) | Answer::Found(found) => return Ok(Some(found)),
            Answer::Nothing => {}
            Answer::Unknown => return Ok(None),
        }
    }
    Ok(None)
}

/// The block as a subsystem: totals above it are known.
fn block_subsystem(
    multiples: &BaseMultiples<'_>,
    slices: &Slices,
    block: &Block,
    moves: &[i64],
    place: &mut [u32],
) -> Subsystem {
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
            let mut row = Row { terms: Vec::new(), right: multiples.rights[*equation as usize] };
            for (cell, by) in multiples.system.terms(*equation as usize) {
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
    Subsystem { cells, rows }
}
