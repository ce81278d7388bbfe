//! The boxes through a cell that appears in three equations or more. In a plain table of d variables a box has 2ᵈ corners, two
//! categories of each variable, alternately raised and lowered.
//!
//! JJ files have no names of variables, so boxes are found from the equations. First comes one further cell in each
//! equation of the cell. Then come cells that balance two equations or more at once, until all are balanced.

use crate::suppress::incidence::{Incidence, RequiredDeviation};

/// The boxes of one cell, all of the same size; the cell itself is not listed.
pub(super) struct BoxCircuits {
    size: usize,
    cells: Vec<(u32, i8)>,
}

impl BoxCircuits {
    /// The boxes in which `cell` rises by one and every cell can move as far as `reach` requires. If there are more than about
    /// `most`, those that begin with the cheapest cells.
    pub(super) fn through(incidence: &Incidence<'_>, cell: u32, reach: RequiredDeviation, most: usize) -> Self {
        let places = incidence.equations_of(cell);
        let mut boxes = Self { size: (1 << places.len().min(5)) - 1, cells: Vec::new() };
        if !(3..=5).contains(&places.len()) || places.iter().any(|(_, by)| by.abs() != 1) {
            return boxes;
        }
        let cheapest = (2..most.max(3)).find(|each| each.pow(places.len() as u32) > most).map_or(1, |each| each - 1);
        let choices: Vec<Vec<(u32, i8)>> = places
            .iter()
            .map(|(equation, by)| balancing_cells(incidence, cell, *equation, *by, reach, cheapest))
            .collect();
        let mut open = Imbalance::default();
        open.shift(incidence, cell, 1);
        let mut chosen = Vec::with_capacity(boxes.size);
        boxes.choose(incidence, reach, &choices, &mut chosen, &open);
        boxes
    }

    fn choose(
        &mut self,
        incidence: &Incidence<'_>,
        reach: RequiredDeviation,
        choices: &[Vec<(u32, i8)>],
        chosen: &mut Vec<(u32, i8)>,
        open: &Imbalance,
    ) {
        let Some((choice, rest)) = choices.split_first() else {
            self.close_box(incidence, reach, chosen, open.clone());
            return;
        };
        for (cell, by) in choice {
            let mut open = open.clone();
            open.shift(incidence, *cell, *by);
            chosen.push((*cell, *by));
            self.choose(incidence, reach, rest, chosen, &open);
            chosen.pop();
        }
    }

    /// Adds the cells that are forced, and keeps the box if it closes.
    fn close_box(
        &mut self,
        incidence: &Incidence<'_>,
        reach: RequiredDeviation,
        chosen: &[(u32, i8)],
        mut open: Imbalance,
    ) {
        let start = self.cells.len();
        self.cells.extend_from_slice(chosen);
        while self.cells.len() - start < self.size && !open.0.is_empty() {
            let Some((cell, by)) = open.best_balancing_cell(incidence, reach, &self.cells[start..]) else { break };
            self.cells.push((cell, by));
            open.shift(incidence, cell, by);
        }
        if !open.0.is_empty() || self.cells.len() - start < self.size {
            self.cells.truncate(start);
        }
    }

    /// The cheapest box, if it costs less than `bound`.
    pub(super) fn cheapest(
        &self,
        incidence: &Incidence<'_>,
        bound: i64,
        work: &mut u64,
        barred: impl Fn(u32) -> bool,
    ) -> Option<(i64, &[(u32, i8)])> {
        let (mut least, mut best) = (bound, None);
        for corners in self.cells.chunks_exact(self.size) {
            let mut cost = 0;
            for (cell, _) in corners {
                *work += 1;
                cost += incidence.price(*cell);
                if cost >= least || barred(*cell) {
                    cost = i64::MAX;
                    break;
                }
            }
            if cost < least {
                (least, best) = (cost, Some(corners));
            }
        }
        best.map(|corners| (least, corners))
    }
}

/// The cells that can balance an equation after `cell` moves, cheapest first.
fn balancing_cells(
    incidence: &Incidence<'_>,
    cell: u32,
    equation: u32,
    by: i32,
    reach: RequiredDeviation,
    most: usize,
) -> Vec<(u32, i8)> {
    let degree = incidence.equations_of(cell).len();
    let mut cells: Vec<(u32, i8)> = incidence
        .system
        .terms(equation as usize)
        .iter()
        .filter(|(other, own)| *other != cell && own.abs() == 1 && incidence.equations_of(*other).len() == degree)
        .map(|(other, own)| (*other, if (by > 0) == (*own > 0) { -1 } else { 1 }))
        .filter(|(other, sign)| incidence.allows(*other, i64::from(*sign), reach))
        .collect();
    cells.sort_by_key(|(cell, _)| (incidence.weight[*cell as usize], *cell));
    cells.truncate(most);
    cells
}

/// The unbalanced equations, and by how much.
#[derive(Clone, Default)]
struct Imbalance(Vec<(u32, i32)>);

impl Imbalance {
    fn shift(&mut self, incidence: &Incidence<'_>, cell: u32, by: i8) {
        for (equation, own) in incidence.equations_of(cell) {
            let change = own * i32::from(by);
            match self.0.iter().position(|(open, _)| open == equation) {
                Some(at) => {
                    self.0[at].1 += change;
                    if self.0[at].1 == 0 {
                        self.0.swap_remove(at);
                    }
                }
                None => self.0.push((*equation, change)),
            }
        }
    }

    /// The cell that brings most equations nearer to balance, and at least two.
    fn best_balancing_cell(
        &self,
        incidence: &Incidence<'_>,
        reach: RequiredDeviation,
        used: &[(u32, i8)],
    ) -> Option<(u32, i8)> {
        let (mut most, mut best) = (1, None);
        for (equation, out) in &self.0 {
            for (cell, own) in incidence.system.terms(*equation as usize) {
                let by: i8 = if (*out > 0) == (*own > 0) { -1 } else { 1 };
                let gain: i32 = incidence
                    .equations_of(*cell)
                    .iter()
                    .map(|(equation, own)| match self.0.iter().find(|(open, _)| open == equation) {
                        Some((_, out)) if (*out > 0) != (own * i32::from(by) > 0) => 1,
                        Some(_) => -1,
                        None => 0,
                    })
                    .sum();
                if gain > most
                    && incidence.allows(*cell, i64::from(by), reach)
                    && used.iter().all(|(used, _)| used != cell)
                {
                    (most, best) = (gain, Some((*cell, by)));
                }
            }
        }
        best
    }
}
