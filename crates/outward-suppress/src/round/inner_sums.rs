//! Totals as sums of inner cells.

use super::hierarchy_slices::Totals;
use outward_audit::System;

/// Inner cells, and for each the sums it appears in.
pub(super) struct InnerSums {
    /// The cells that no equation makes from parts.
    pub(super) inner: Vec<u32>,
    /// The sums: totals, and other equations that must hold.
    pub(super) sums: Vec<Sum>,
    /// For each inner cell where its entries begin in `entries`, and where the last one ends.
    starts: Vec<usize>,
    /// Sum and coefficient.
    entries: Vec<(u32, i32)>,
}

/// A sum of inner cells.
pub(super) struct Sum {
    /// The total; `None` for another equation that must hold.
    pub(super) cell: Option<u32>,
    /// Inner cells, by position, with coefficients.
    pub(super) terms: Vec<(u32, i32)>,
    /// The value of the sum if it is not a cell.
    pub(super) right: i64,
}

impl InnerSums {
    pub(super) fn new(system: &System) -> Self {
        let totals = Totals::new(system);
        let (order, making) = parts_before_totals(system, &totals);
        let mut inner = Vec::new();
        let mut made: Vec<Vec<(u32, i32)>> = vec![Vec::new(); system.cells.len()];
        for cell in order {
            made[cell as usize] = match making[cell as usize] {
                None => {
                    inner.push(cell);
                    vec![(inner.len() as u32 - 1, 1)]
                }
                Some(equation) => expand(system, equation as usize, Some(cell), &made),
            };
        }
        let mut sums: Vec<Sum> = Vec::new();
        for equation in 0..system.equations() {
            let makes = totals.total[equation].is_some_and(|total| making[total as usize] == Some(equation as u32));
            let terms = if makes { Vec::new() } else { expand(system, equation, None, &made) };
            if !terms.is_empty() {
                sums.push(Sum { cell: None, terms, right: system.right(equation) });
            }
        }
        for (cell, terms) in made.into_iter().enumerate().filter(|(cell, _)| making[*cell].is_some()) {
            sums.push(Sum { cell: Some(cell as u32), terms, right: 0 });
        }
        let (starts, entries) = by_inner(inner.len(), &sums);
        Self { inner, sums, starts, entries }
    }

    /// The sums an inner cell appears in, with its coefficient.
    pub(super) fn of_cell(&self, inner: usize) -> &[(u32, i32)] {
        &self.entries[self.starts[inner]..self.starts[inner + 1]]
    }
}

/// An equation over inner cells, solved for one of its cells if that is given.
fn expand(system: &System, equation: usize, but: Option<u32>, made: &[Vec<(u32, i32)>]) -> Vec<(u32, i32)> {
    let terms = system.terms(equation);
    let sign = but.and_then(|but| terms.iter().find(|(cell, _)| *cell == but)).map_or(1, |(_, by)| -by);
    let mut sum: Vec<(u32, i32)> = terms
        .iter()
        .filter(|(cell, _)| Some(*cell) != but)
        .flat_map(|(cell, by)| made[*cell as usize].iter().map(move |(at, times)| (*at, times * by * sign)))
        .collect();
    sum.sort_unstable_by_key(|(at, _)| *at);
    sum.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    sum.retain(|(_, by)| *by != 0);
    sum
}

/// Cells with parts before totals, and for each cell the equation that makes it. A cell that would be made from itself
/// counts as inner.
fn parts_before_totals(system: &System, totals: &Totals) -> (Vec<u32>, Vec<Option<u32>>) {
    let mut making: Vec<Option<u32>> = totals.made.iter().map(|made| made.first().copied()).collect();
    let mut state = vec![0u8; system.cells.len()];
    let mut order = Vec::with_capacity(system.cells.len());
    let mut stack = Vec::new();
    for cell in 0..system.cells.len() as u32 {
        stack.push(cell);
        while let Some(at) = stack.pop() {
            let here = at as usize;
            match state[here] {
                0 => {
                    state[here] = 1;
                    stack.push(at);
                    let Some(equation) = making[here] else { continue };
                    let parts =
                        system.terms(equation as usize).iter().map(|(part, _)| *part).filter(|part| *part != at);
                    if parts.clone().any(|part| state[part as usize] == 1) {
                        making[here] = None;
                    } else {
                        stack.extend(parts.filter(|part| state[*part as usize] == 0));
                    }
                }
                1 => {
                    state[here] = 2;
                    order.push(at);
                }
                _ => {}
            }
        }
    }
    (order, making)
}

fn by_inner(inner: usize, sums: &[Sum]) -> (Vec<usize>, Vec<(u32, i32)>) {
    let mut starts = vec![0; inner + 1];
    for (at, _) in sums.iter().flat_map(|sum| &sum.terms) {
        starts[*at as usize + 1] += 1;
    }
    for at in 0..inner {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut entries = vec![(0, 0); starts[inner]];
    for (number, sum) in sums.iter().enumerate() {
        for (at, by) in &sum.terms {
            entries[next[*at as usize]] = (number as u32, *by);
            next[*at as usize] += 1;
        }
    }
    (starts, entries)
}
