//! The cheapest circuit through a cell where many variables cross, as a product: along each variable some cells that
//! balance each other (a category and another, or a category and its totals), and all combinations of these.
//!
//! No circuit of a full table has fewer cells than the smallest product, 2ᵈ for d variables, and the one of a cell with its
//! totals is always there. Products are searched variable by variable; one that costs too much, or that meets a cell that
//! may not move, is given up.

use crate::suppress::grid::Grid;
use crate::suppress::net::{Net, Reach};
use crate::suppress::search::Priced;

/// Most cells beside the first along one variable.
const LONGEST: usize = 6;
/// Lines looked at along one variable of each length, and how many of them are kept: the cheapest, and those that only
/// rise.
const LOOKED: usize = 120;
const KEPT: usize = 16;
/// Cells looked at among products of lines that only rise, where the search through all ends without any.
const RISING: u64 = 20_000;

/// A further cell along one variable: from which earlier one (0 is the first), on which bundle of lines to which position,
/// and its movement relative to the first.
#[derive(Clone, Copy)]
struct Node {
    from: u8,
    by: i8,
    bundle: u32,
    to: u32,
}

/// Cells along one variable that balance each other.
#[derive(Clone)]
struct Line {
    nodes: Vec<Node>,
    price: i64,
}

impl Line {
    /// Whether all move the same way: a cell, its totals and some part of it.
    fn rises(&self) -> bool {
        self.nodes.iter().all(|node| node.by > 0)
    }
}

/// What the search remembers.
#[derive(Default)]
pub(super) struct Products {
    best: Option<Priced>,
    bound: i64,
    end: u64,
    /// Cells looked at so far, the measure of work.
    pub(super) work: u64,
}

/// What is looked for: the cell that rises by one, how far, and which cells may not move.
struct Target<'a, F> {
    net: &'a Net<'a>,
    grid: &'a Grid,
    cell: u32,
    reach: Reach,
    barred: F,
}

impl Products {
    /// The cheapest product in which `cell` rises by one that costs less than `bound` and is found by looking at about
    /// `most` cells.
    pub(super) fn circuit(
        &mut self,
        net: &Net<'_>,
        grid: &Grid,
        ask: (u32, Reach),
        (bound, most): (i64, usize),
        barred: impl Fn(u32) -> bool,
    ) -> Option<Priced> {
        let (cell, reach) = ask;
        let target = Target { net, grid, cell, reach, barred };
        let variables = grid.variables(net, cell);
        let mut lines: Vec<Vec<Line>> = variables.iter().map(|own| self.lines(&target, own, &variables)).collect();
        lines.sort_by_key(Vec::len);
        (self.best, self.bound) = (None, bound);
        self.end = self.work + most as u64;
        self.extend(&target, &lines, &mut vec![(cell, 1)], 0);
        if self.best.is_none() && self.work >= self.end {
            lines.iter_mut().for_each(|lines| lines.retain(Line::rises));
            self.end = self.work + RISING;
            self.extend(&target, &lines, &mut vec![(cell, 1)], 0);
        }
        self.best.take()
    }

    /// Multiplies a face by each line of the next variable.
    fn extend<F: Fn(u32) -> bool>(
        &mut self,
        target: &Target<'_, F>,
        lines: &[Vec<Line>],
        face: &mut Vec<(u32, i8)>,
        cost: i64,
    ) {
        let Some((next, rest)) = lines.split_first() else {
            let mut cells: Vec<(u32, i64)> = face.iter().map(|(cell, by)| (*cell, i64::from(*by))).collect();
            if balanced(target.net, &mut cells) {
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

    /// Adds the images of a face along a line, and what they cost; nothing if that is too much or they cannot move.
    fn multiply<F: Fn(u32) -> bool>(
        &mut self,
        target: &Target<'_, F>,
        face: &mut Vec<(u32, i8)>,
        line: &Line,
        mut cost: i64,
        least: i64,
    ) -> Option<i64> {
        let Target { net, grid, .. } = target;
        for at in 0..face.len() {
            let (cell, by) = face[at];
            let mut images = [cell; LONGEST + 1];
            for (number, node) in line.nodes.iter().enumerate() {
                self.work += 1;
                let image = grid.moved(net, images[node.from as usize], node.bundle, node.to)?;
                let by = by * node.by;
                cost += net.price(image);
                if cost + least >= self.bound
                    || !net.allows(image, i64::from(by), target.reach)
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
    fn lines<F: Fn(u32) -> bool>(&mut self, target: &Target<'_, F>, own: &[u32], all: &[Vec<u32>]) -> Vec<Line> {
        let across: Vec<u32> = all.iter().filter(|other| *other != own).flatten().copied().collect();
        let mut walk = Walk { target, across, cells: vec![target.cell], nodes: Vec::new(), found: Vec::new(), work: 0 };
        let mut lines = Vec::new();
        for length in 1..=LONGEST {
            walk.on(&walk.opened(&[], target.cell, 1), length);
            lines.append(&mut walk.found);
        }
        self.work += walk.work;
        lines.sort_by_key(|line| line.price);
        let (mut cheap, mut rising) = (0, 0);
        lines.retain(|line| {
            cheap += 1;
            rising += usize::from(line.rises());
            cheap <= KEPT || line.rises() && rising <= KEPT
        });
        lines
    }
}

/// Finds the lines along one variable, which is to say what is left when the variables across are held.
struct Walk<'a, F> {
    target: &'a Target<'a, F>,
    across: Vec<u32>,
    cells: Vec<u32>,
    nodes: Vec<Node>,
    found: Vec<Line>,
    work: u64,
}

impl<F: Fn(u32) -> bool> Walk<'_, F> {
    /// Mends the last of the equations out of balance in every way, with exactly `length` cells more.
    fn on(&mut self, open: &[(u32, i32)], length: usize) {
        let Target { net, grid, reach, .. } = *self.target;
        let Some(&(equation, out)) = open.last() else {
            if length == 0 {
                let price = self.cells[1..].iter().map(|cell| net.price(*cell)).sum();
                self.found.push(Line { nodes: self.nodes.clone(), price });
            }
            return;
        };
        if length == 0 || open.len() > length {
            return;
        }
        let bundle = grid.bundle(equation);
        let inside = |cell: &u32| net.places(*cell).iter().any(|(other, _)| *other == equation);
        let Some(from) = self.cells.iter().rposition(inside) else { return };
        for (to, cell) in grid.line(equation) {
            if self.found.len() >= LOOKED {
                return;
            }
            self.work += 2;
            let places = net.places(cell);
            let own = places.iter().find(|(other, _)| *other == equation).map_or(0, |(_, own)| *own);
            let by: i8 = if (out > 0) == (own > 0) { -1 } else { 1 };
            let crosses = |bundle: &u32| places.iter().any(|(other, _)| grid.bundle(*other) == *bundle);
            if own.abs() != out.abs()
                || self.cells.contains(&cell)
                || !net.allows(cell, i64::from(by), reach)
                || (self.target.barred)(cell)
                || !self.across.iter().all(crosses)
            {
                continue;
            }
            let next = self.opened(open, cell, by);
            self.cells.push(cell);
            self.nodes.push(Node { from: from as u8, by, bundle, to });
            self.on(&next, length - 1);
            self.cells.pop();
            self.nodes.pop();
        }
    }

    /// What is out of balance along the variable once a cell has moved.
    fn opened(&self, open: &[(u32, i32)], cell: u32, by: i8) -> Vec<(u32, i32)> {
        let mut open = open.to_vec();
        for (equation, own) in self.target.net.places(cell) {
            if self.across.contains(&self.target.grid.bundle(*equation)) {
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

/// Whether every equation keeps its balance and no cell moves twice.
fn balanced(net: &Net<'_>, cells: &mut [(u32, i64)]) -> bool {
    cells.sort_unstable_by_key(|(cell, _)| *cell);
    let mut sums: Vec<(u32, i64)> = cells
        .iter()
        .flat_map(|(cell, by)| net.places(*cell).iter().map(move |(equation, own)| (*equation, i64::from(*own) * by)))
        .collect();
    sums.sort_unstable_by_key(|(equation, _)| *equation);
    cells.windows(2).all(|pair| pair[0].0 != pair[1].0)
        && sums.chunk_by(|a, b| a.0 == b.0).all(|terms| terms.iter().map(|(_, by)| by).sum::<i64>() == 0)
}
