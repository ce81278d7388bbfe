//! The boxes around a cell that stands in three equations or more: in a plain table of d variables, the 2ᵈ corners that
//! two categories of each variable make, alternately raised and lowered.
//!
//! JJ files have no names of variables, so boxes are found from the equations alone: one further cell in each equation of
//! the cell, and then whatever puts two equations or more back in balance at once, until all are.

use crate::suppress::net::{Net, Reach};

/// The boxes of one cell, all of the same size; the cell itself is not listed.
pub(super) struct Boxes {
    size: usize,
    cells: Vec<(u32, i8)>,
}

impl Boxes {
    /// The boxes in which `cell` rises by one and every cell can go as far as `reach` asks; where there are more than
    /// about `most`, those that begin with the cheapest cells.
    pub(super) fn around(net: &Net<'_>, cell: u32, reach: Reach, most: usize) -> Self {
        let places = net.places(cell);
        let mut boxes = Self { size: (1 << places.len().min(5)) - 1, cells: Vec::new() };
        if !(3..=5).contains(&places.len()) || places.iter().any(|(_, by)| by.abs() != 1) {
            return boxes;
        }
        let cheapest = (2..most.max(3)).find(|each| each.pow(places.len() as u32) > most).map_or(1, |each| each - 1);
        let choices: Vec<Vec<(u32, i8)>> =
            places.iter().map(|(equation, by)| beside(net, cell, *equation, *by, reach, cheapest)).collect();
        let mut open = Open::default();
        open.shift(net, cell, 1);
        let mut chosen = Vec::with_capacity(boxes.size);
        boxes.choose(net, reach, &choices, &mut chosen, &open);
        boxes
    }

    fn choose(
        &mut self,
        net: &Net<'_>,
        reach: Reach,
        choices: &[Vec<(u32, i8)>],
        chosen: &mut Vec<(u32, i8)>,
        open: &Open,
    ) {
        let Some((choice, rest)) = choices.split_first() else {
            self.close(net, reach, chosen, open.clone());
            return;
        };
        for (cell, by) in choice {
            let mut open = open.clone();
            open.shift(net, *cell, *by);
            chosen.push((*cell, *by));
            self.choose(net, reach, rest, chosen, &open);
            chosen.pop();
        }
    }

    /// Adds the cells that are forced, and keeps the box if it closes.
    fn close(&mut self, net: &Net<'_>, reach: Reach, chosen: &[(u32, i8)], mut open: Open) {
        let start = self.cells.len();
        self.cells.extend_from_slice(chosen);
        while self.cells.len() - start < self.size && !open.0.is_empty() {
            let Some((cell, by)) = open.crossing(net, reach, &self.cells[start..]) else { break };
            self.cells.push((cell, by));
            open.shift(net, cell, by);
        }
        if !open.0.is_empty() || self.cells.len() - start < self.size {
            self.cells.truncate(start);
        }
    }

    /// The cheapest box, if it costs less than `bound`.
    pub(super) fn cheapest(
        &self,
        net: &Net<'_>,
        bound: i64,
        work: &mut u64,
        barred: impl Fn(u32) -> bool,
    ) -> Option<(i64, &[(u32, i8)])> {
        let (mut least, mut best) = (bound, None);
        for corners in self.cells.chunks_exact(self.size) {
            let mut cost = 0;
            for (cell, _) in corners {
                *work += 1;
                cost += net.price(*cell);
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

/// The cells beside `cell` in an equation that may balance it, cheapest first.
fn beside(net: &Net<'_>, cell: u32, equation: u32, by: i32, reach: Reach, most: usize) -> Vec<(u32, i8)> {
    let degree = net.places(cell).len();
    let mut cells: Vec<(u32, i8)> = net
        .system
        .terms(equation as usize)
        .iter()
        .filter(|(other, own)| *other != cell && own.abs() == 1 && net.places(*other).len() == degree)
        .map(|(other, own)| (*other, if (by > 0) == (*own > 0) { -1 } else { 1 }))
        .filter(|(other, sign)| net.allows(*other, i64::from(*sign), reach))
        .collect();
    cells.sort_by_key(|(cell, _)| (net.weight[*cell as usize], *cell));
    cells.truncate(most);
    cells
}

/// The equations out of balance, and by how much.
#[derive(Clone, Default)]
struct Open(Vec<(u32, i32)>);

impl Open {
    fn shift(&mut self, net: &Net<'_>, cell: u32, by: i8) {
        for (equation, own) in net.places(cell) {
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

    /// The cell that brings most equations nearer to balance, at least two.
    fn crossing(&self, net: &Net<'_>, reach: Reach, used: &[(u32, i8)]) -> Option<(u32, i8)> {
        let (mut most, mut best) = (1, None);
        for (equation, out) in &self.0 {
            for (cell, own) in net.system.terms(*equation as usize) {
                let by: i8 = if (*out > 0) == (*own > 0) { -1 } else { 1 };
                let gain: i32 = net
                    .places(*cell)
                    .iter()
                    .map(|(equation, own)| match self.0.iter().find(|(open, _)| open == equation) {
                        Some((_, out)) if (*out > 0) != (own * i32::from(by) > 0) => 1,
                        Some(_) => -1,
                        None => 0,
                    })
                    .sum();
                if gain > most && net.allows(*cell, i64::from(by), reach) && used.iter().all(|(used, _)| used != cell) {
                    (most, best) = (gain, Some((*cell, by)));
                }
            }
        }
        best
    }
}
