//! The cheapest product circuit through a cell where many variables cross. Along each variable some cells balance each other: a
//! category and another, or a category and its totals. The circuit has all combinations of these.
//!
//! No circuit of a full table has fewer cells than the smallest product, 2ᵈ for d variables. The product of a cell with its
//! totals always exists. Products are built variable by variable. One that costs too much, or that meets a cell that may not
//! move, is given up.

use crate::suppress::circuit_search::PricedCircuit;
use crate::suppress::incidence::{Incidence, RequiredDeviation};
use crate::suppress::parallel_lines::ParallelLines;

/// Most further cells along one variable.
const MAX_LINE: usize = 6;
/// Most lines of each length found along one variable, and most kept: the cheapest, and those in which all cells rise.
const MAX_LINES: usize = 120;
const MAX_KEPT: usize = 16;
/// Most cells visited among products of rising lines, if the full search ends without a product.
const MAX_RISING_WORK: u64 = 20_000;

/// A further cell along one variable. It has the earlier cell it is reached from (0 is the first), the bundle and
/// position of its line, and its move relative to the first.
#[derive(Clone, Copy)]
struct LineCell {
    from: u8,
    by: i8,
    bundle: u32,
    to: u32,
}

/// Cells along one variable that balance each other.
#[derive(Clone)]
struct VariableLine {
    cells_along: Vec<LineCell>,
    price: i64,
}

impl VariableLine {
    /// Whether all cells move the same way: a cell, its totals and some part of it.
    fn rises(&self) -> bool {
        self.cells_along.iter().all(|step| step.by > 0)
    }
}

/// The best product so far, and the limits of the search.
#[derive(Default)]
pub(super) struct ProductSearch {
    best: Option<PricedCircuit>,
    bound: i64,
    end: u64,
    /// Cells visited so far, the measure of work.
    pub(super) work: u64,
}

/// The request: the cell that rises by one, how far, and which cells may not move.
struct Target<'a, F> {
    incidence: &'a Incidence<'a>,
    lines: &'a ParallelLines,
    cell: u32,
    reach: RequiredDeviation,
    barred: F,
}

impl ProductSearch {
    /// The cheapest product in which `cell` rises by one, if it costs less than `bound` and is found within about `most` visited
    /// cells.
    pub(super) fn cheapest_circuit(
        &mut self,
        incidence: &Incidence<'_>,
        lines: &ParallelLines,
        ask: (u32, RequiredDeviation),
        (bound, most): (i64, usize),
        barred: impl Fn(u32) -> bool,
    ) -> Option<PricedCircuit> {
        let (cell, reach) = ask;
        let target = Target { incidence, lines, cell, reach, barred };
        let variables = lines.variables(incidence, cell);
        let mut lines: Vec<Vec<VariableLine>> =
            variables.iter().map(|own| self.lines(&target, own, &variables)).collect();
        lines.sort_by_key(Vec::len);
        (self.best, self.bound) = (None, bound);
        self.end = self.work + most as u64;
        self.extend(&target, &lines, &mut vec![(cell, 1)], 0);
        if self.best.is_none() && self.work >= self.end {
            lines.iter_mut().for_each(|lines| lines.retain(VariableLine::rises));
            self.end = self.work + MAX_RISING_WORK;
            self.extend(&target, &lines, &mut vec![(cell, 1)], 0);
        }
        self.best.take()
    }

    /// Multiplies a face by each line of the next variable.
    fn extend<F: Fn(u32) -> bool>(
        &mut self,
        target: &Target<'_, F>,
        lines: &[Vec<VariableLine>],
        face: &mut Vec<(u32, i8)>,
        cost: i64,
    ) {
        let Some((next, rest)) = lines.split_first() else {
            let mut cells: Vec<(u32, i64)> = face.iter().map(|(cell, by)| (*cell, i64::from(*by))).collect();
            if balanced(target.incidence, &mut cells) {
                (self.best, self.bound) = (Some((cost, cells)), cost);
            }
            return;
        };
        let least: i64 = rest.iter().map(|lines| lines.first().map_or(0, |line| line.price)).sum();
        let size = face.len();
        for line in next {
            if self.work >= self.end || cost + line.price + least >= self.bound {
                return;
            }
            if let Some(cost) = self.multiply(target, face, line, cost, least) {
                self.extend(target, rest, face, cost);
            }
            face.truncate(size);
        }
    }

    /// Adds the images of a face along a line and returns the cost; `None` if it is too high or a cell cannot move.
    fn multiply<F: Fn(u32) -> bool>(
        &mut self,
        target: &Target<'_, F>,
        face: &mut Vec<(u32, i8)>,
        line: &VariableLine,
        mut cost: i64,
        least: i64,
    ) -> Option<i64> {
        let Target { incidence, lines, .. } = target;
        for at in 0..face.len() {
            let (cell, by) = face[at];
            let mut images = [cell; MAX_LINE + 1];
            for (number, step) in line.cells_along.iter().enumerate() {
                self.work += 1;
                let image = lines.cell_at(incidence, images[step.from as usize], step.bundle, step.to)?;
                let by = by * step.by;
                cost += incidence.price(image);
                if cost + least >= self.bound
                    || !incidence.allows(image, i64::from(by), target.reach)
                    || (target.barred)(image)
                {
                    return None;
                }
                images[number + 1] = image;
                face.push((image, by));
            }
        }
        Some(cost)
    }

    /// The lines through the cell along one variable, cheapest first.
    fn lines<F: Fn(u32) -> bool>(
        &mut self,
        target: &Target<'_, F>,
        own: &[u32],
        all: &[Vec<u32>],
    ) -> Vec<VariableLine> {
        let across: Vec<u32> = all.iter().filter(|other| *other != own).flatten().copied().collect();
        let mut walk = LineSearch {
            target,
            across,
            cells: vec![target.cell],
            cells_along: Vec::new(),
            found: Vec::new(),
            work: 0,
        };
        let mut lines = Vec::new();
        for length in 1..=MAX_LINE {
            walk.extend_line(&walk.imbalance_after(&[], target.cell, 1), length);
            lines.append(&mut walk.found);
        }
        self.work += walk.work;
        lines.sort_by_key(|line| line.price);
        let (mut cheap, mut rising) = (0, 0);
        lines.retain(|line| {
            cheap += 1;
            rising += usize::from(line.rises());
            cheap <= MAX_KEPT || line.rises() && rising <= MAX_KEPT
        });
        lines
    }
}

/// Finds the lines along one variable, with the variables across held fixed.
struct LineSearch<'a, F> {
    target: &'a Target<'a, F>,
    across: Vec<u32>,
    cells: Vec<u32>,
    cells_along: Vec<LineCell>,
    found: Vec<VariableLine>,
    work: u64,
}

impl<F: Fn(u32) -> bool> LineSearch<'_, F> {
    /// Balances the last unbalanced equation in every way, with exactly `length` more cells.
    fn extend_line(&mut self, open: &[(u32, i32)], length: usize) {
        let Target { incidence, lines, reach, .. } = *self.target;
        let Some(&(equation, out)) = open.last() else {
            if length == 0 {
                let price = self.cells[1..].iter().map(|cell| incidence.price(*cell)).sum();
                self.found.push(VariableLine { cells_along: self.cells_along.clone(), price });
            }
            return;
        };
        if length == 0 || open.len() > length {
            return;
        }
        let bundle = lines.bundle(equation);
        let inside = |cell: &u32| incidence.equations_of(*cell).iter().any(|(other, _)| *other == equation);
        let Some(from) = self.cells.iter().rposition(inside) else { return };
        for (to, cell) in lines.line(equation) {
            if self.found.len() >= MAX_LINES {
                return;
            }
            self.work += 2;
            let places = incidence.equations_of(cell);
            let own = places.iter().find(|(other, _)| *other == equation).map_or(0, |(_, own)| *own);
            let by: i8 = if (out > 0) == (own > 0) { -1 } else { 1 };
            let crosses = |bundle: &u32| places.iter().any(|(other, _)| lines.bundle(*other) == *bundle);
            if own.abs() != out.abs()
                || self.cells.contains(&cell)
                || !incidence.allows(cell, i64::from(by), reach)
                || (self.target.barred)(cell)
                || !self.across.iter().all(crosses)
            {
                continue;
            }
            let next = self.imbalance_after(open, cell, by);
            self.cells.push(cell);
            self.cells_along.push(LineCell { from: from as u8, by, bundle, to });
            self.extend_line(&next, length - 1);
            self.cells.pop();
            self.cells_along.pop();
        }
    }

    /// The unbalanced equations along the variable after a cell moves.
    fn imbalance_after(&self, open: &[(u32, i32)], cell: u32, by: i8) -> Vec<(u32, i32)> {
        let mut open = open.to_vec();
        for (equation, own) in self.target.incidence.equations_of(cell) {
            if self.across.contains(&self.target.lines.bundle(*equation)) {
                continue;
            }
            let change = own * i32::from(by);
            match open.iter().position(|(other, _)| other == equation) {
                Some(at) if open[at].1 + change == 0 => drop(open.remove(at)),
                Some(at) => open[at].1 += change,
                None => open.push((*equation, change)),
            }
        }
        open
    }
}

/// Whether every equation is balanced and no cell moves twice.
fn balanced(incidence: &Incidence<'_>, cells: &mut [(u32, i64)]) -> bool {
    cells.sort_unstable_by_key(|(cell, _)| *cell);
    let mut sums: Vec<(u32, i64)> = cells
        .iter()
        .flat_map(|(cell, by)| {
            incidence.equations_of(*cell).iter().map(move |(equation, own)| (*equation, i64::from(*own) * by))
        })
        .collect();
    sums.sort_unstable_by_key(|(equation, _)| *equation);
    cells.windows(2).all(|pair| pair[0].0 != pair[1].0)
        && sums.chunk_by(|a, b| a.0 == b.0).all(|terms| terms.iter().map(|(_, by)| by).sum::<i64>() == 0)
}
