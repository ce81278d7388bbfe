//! Inequalities with a large slack. The slack is an unpublished cell that appears in one equation only. These equations are left
//! out while a pattern is chosen, and checked afterwards.

use crate::suppress::SuppressionOptions;
use crate::suppress::deviation::Deviation;
use outward_audit::{Status, System};

/// A slack is large if it is this many times the largest protection level.
const FAR_FACTOR: i64 = 20;

/// The equations that only bound a slack from below and have a large one, each with its slack.
pub(super) fn find_far_inequalities(system: &System, choice: &SuppressionOptions) -> Vec<(usize, u32)> {
    let asked = system.cells.iter().filter(|cell| cell.status == Status::Unsafe);
    let asked = asked.flat_map(|cell| [cell.lower_protection, cell.upper_protection, cell.sliding_protection]);
    let sums = choice.virtual_cells.iter();
    let sums = sums.flat_map(|sum| [sum.lower_protection, sum.upper_protection, sum.sliding_protection]);
    let enough = asked.chain(sums).max().unwrap_or_default().max(1).saturating_mul(FAR_FACTOR);
    let mut places = vec![0u32; system.cells.len()];
    for equation in 0..system.equations() {
        system.terms(equation).iter().for_each(|(cell, _)| places[*cell as usize] += 1);
    }
    choice.virtual_cells.iter().flat_map(|sum| &sum.terms).for_each(|(cell, _)| places[*cell as usize] += 1);
    let is_slack = |(number, by): &&(u32, i32)| {
        let cell = &system.cells[*number as usize];
        cell.status == Status::Unpublished
            && places[*number as usize] == 1
            && by.abs() == 1
            && cell.upper == i64::MAX
            && cell.value.saturating_sub(cell.lower) >= enough
    };
    let with_slack = |equation: usize| Some((equation, system.terms(equation).iter().find(is_slack)?.0));
    (0..system.equations()).filter_map(with_slack).collect()
}

/// Whether a deviation keeps all slacks above their lower bounds.
pub(super) fn allows_deviation(system: &System, far: &[(usize, u32)], deviation: &Deviation) -> bool {
    far.iter().all(|(equation, left)| {
        let terms = system.terms(*equation);
        let moved = |cell: u32| deviation.cells.iter().find(|(own, _)| *own == cell).map_or(0, |(_, by)| *by);
        let others = terms.iter().filter(|(cell, _)| cell != left);
        let sum: i128 = others.map(|(cell, by)| i128::from(moved(*cell)) * i128::from(*by)).sum();
        let by = terms.iter().find(|(cell, _)| cell == left).map_or(1, |(_, by)| i128::from(*by));
        // The slack moves against the others.
        let (cell, step) = (&system.cells[*left as usize], -sum * by);
        let room = i128::from(cell.value) - i128::from(cell.lower);
        let reach = if step < 0 { deviation.reach.up } else { deviation.reach.down };
        step.abs() * i128::from(reach.max(0)) <= room
    })
}
