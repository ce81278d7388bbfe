//! Which equations run side by side. In a table of several variables every line along one variable is the same equation
//! with the other variables held elsewhere; what lies where on one line lies there on all of them.
//!
//! JJ files have no names of variables, so this is read off the equations: two equations through a cell **cross** if there
//! is a fourth corner to the cell and its next cells in both. Then opposite sides of that square run side by side. Where
//! equations do not cross they belong to one variable, such as a total's and a subtotal's.

use hashbrown::HashSet;

use crate::suppress::net::Net;

const NONE: u32 = u32::MAX;

/// The lines of a system and the positions on them.
pub(super) struct Grid {
    /// For each equation the bundle of lines it is one of.
    bundles: Vec<u32>,
    /// Where the positions of each equation begin in `cells`, and of the one after the last.
    starts: Vec<u32>,
    /// For each equation, position by position, the cell; `NONE` where the line has a gap.
    cells: Vec<u32>,
    crossing: HashSet<(u32, u32)>,
}

impl Grid {
    /// The grid, if some of the cells lie where at least so many variables cross.
    pub(super) fn of(net: &Net<'_>, cells: impl Iterator<Item = u32>, variables: usize) -> Option<Self> {
        let mut squares = Squares::new(net);
        let mut cells = cells.filter(|cell| net.places(*cell).len() >= variables);
        cells.any(|cell| squares.variables(net, cell) >= variables).then(|| Self::new(net, squares))
    }

    fn new(net: &Net<'_>, mut squares: Squares) -> Self {
        let equations = net.system.equations();
        let mut starts = vec![0];
        for equation in 0..equations {
            starts.push(starts[equation] + net.system.terms(equation).len() as u32);
        }
        let mut lines = Joined::new(equations);
        let mut slots = Joined::new(starts[equations] as usize);
        let slot = |equation: u32, cell: u32| {
            let terms = net.system.terms(equation as usize);
            starts[equation as usize] + terms.binary_search_by_key(&cell, |(cell, _)| *cell).unwrap_or(0) as u32
        };
        let mut crossing = Vec::new();
        for cell in 0..net.system.cells.len() as u32 {
            for (own, _) in net.places(cell) {
                squares.mark(net, cell, *own);
                for (other, _) in net.places(cell).iter().filter(|(other, _)| other != own) {
                    let Some((next, beside)) = squares.beside(net, cell, *other) else { continue };
                    lines.join(*own, beside);
                    slots.join(slot(*own, cell), slot(beside, next));
                    crossing.push((*own, *other));
                }
            }
        }
        let bundles: Vec<u32> = (0..equations as u32).map(|equation| lines.first(equation)).collect();
        let crossing = crossing.into_iter().map(|(a, b)| (bundles[a as usize], bundles[b as usize])).collect();
        let mut grid = Self { bundles, starts: vec![0], cells: Vec::new(), crossing };
        grid.place(net, &mut slots);
        grid
    }

    /// Numbers the positions of each bundle, and puts the cells of its lines there. Bundles with two cells in one place
    /// are no lines after all and stay empty.
    fn place(&mut self, net: &Net<'_>, slots: &mut Joined) {
        let equations = net.system.equations();
        let (mut number, mut widths) = (vec![NONE; slots.0.len()], vec![0_u32; equations]);
        let mut at = Vec::with_capacity(slots.0.len());
        for (equation, bundle) in self.bundles.iter().enumerate() {
            for _ in net.system.terms(equation) {
                let first = slots.first(at.len() as u32) as usize;
                if number[first] == NONE {
                    number[first] = widths[*bundle as usize];
                    widths[*bundle as usize] += 1;
                }
                at.push(number[first]);
            }
        }
        let (mut slot, mut broken) = (0, vec![false; equations]);
        for (equation, bundle) in self.bundles.iter().enumerate() {
            let start = self.cells.len();
            self.cells.resize(start + widths[*bundle as usize] as usize, NONE);
            for (cell, _) in net.system.terms(equation) {
                let place = &mut self.cells[start + at[slot] as usize];
                broken[*bundle as usize] |= *place != NONE;
                *place = *cell;
                slot += 1;
            }
            self.starts.push(self.cells.len() as u32);
        }
        for (equation, bundle) in self.bundles.iter().enumerate() {
            if broken[*bundle as usize] {
                self.cells[self.starts[equation] as usize..self.starts[equation + 1] as usize].fill(NONE);
            }
        }
    }

    pub(super) fn bundle(&self, equation: u32) -> u32 {
        self.bundles[equation as usize]
    }

    /// The cells of an equation with their positions.
    pub(super) fn line(&self, equation: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.starts[equation as usize] as usize..self.starts[equation as usize + 1] as usize;
        (0..).zip(&self.cells[range]).filter(|(_, cell)| **cell != NONE).map(|(at, cell)| (at, *cell))
    }

    /// The cell at a position of the bundle's line through `cell`.
    pub(super) fn moved(&self, net: &Net<'_>, cell: u32, bundle: u32, to: u32) -> Option<u32> {
        let (equation, _) = net.places(cell).iter().find(|(equation, _)| self.bundle(*equation) == bundle)?;
        let cell = *self.cells.get((self.starts[*equation as usize] + to) as usize)?;
        (cell != NONE).then_some(cell)
    }

    /// The bundles through a cell, those of one variable together.
    pub(super) fn variables(&self, net: &Net<'_>, cell: u32) -> Vec<Vec<u32>> {
        let bundles = net.places(cell).iter().map(|(equation, _)| self.bundle(*equation));
        apart(bundles, |a, b| self.crossing.contains(&(a, b)))
    }
}

/// Groups lines such that any two of different groups cross.
fn apart(lines: impl Iterator<Item = u32>, mut cross: impl FnMut(u32, u32) -> bool) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for line in lines {
        let mut joined = vec![line];
        let mut at = 0;
        while at < groups.len() {
            if groups[at].iter().all(|other| cross(*other, line)) {
                at += 1;
            } else {
                joined.extend(groups.remove(at));
            }
        }
        groups.push(joined);
    }
    groups
}

/// Looks for squares.
struct Squares {
    round: u32,
    marks: Vec<u32>,
}

impl Squares {
    fn new(net: &Net<'_>) -> Self {
        Self { round: 0, marks: vec![0; net.system.cells.len()] }
    }

    /// Marks what the next cell in an equation of `cell` meets in its other equations.
    fn mark(&mut self, net: &Net<'_>, cell: u32, equation: u32) {
        self.round += 1;
        let Some(next) = next(net, equation, cell) else { return };
        for (other, _) in net.places(next).iter().filter(|(other, _)| *other != equation) {
            for (met, _) in net.system.terms(*other as usize).iter().filter(|(met, _)| *met != next) {
                self.marks[*met as usize] = self.round;
            }
        }
    }

    /// The next cell in another equation of `cell`, and the equation through it beside the one marked, if they cross.
    fn beside(&self, net: &Net<'_>, cell: u32, equation: u32) -> Option<(u32, u32)> {
        let next = next(net, equation, cell)?;
        let meets = |other: u32| {
            let mut terms = net.system.terms(other as usize).iter();
            terms.any(|(met, _)| *met != next && self.marks[*met as usize] == self.round)
        };
        let mut others = net.places(next).iter().map(|(other, _)| *other).filter(|other| *other != equation);
        others.find(|other| meets(*other)).map(|other| (next, other))
    }

    /// How many variables cross in a cell.
    fn variables(&mut self, net: &Net<'_>, cell: u32) -> usize {
        let lines = net.places(cell).iter().map(|(equation, _)| *equation);
        let cross = |a: u32, b: u32| {
            self.mark(net, cell, a);
            self.beside(net, cell, b).is_some()
        };
        apart(lines, cross).len()
    }
}

/// The cell after `cell` in an equation, the first after the last.
fn next(net: &Net<'_>, equation: u32, cell: u32) -> Option<u32> {
    let terms = net.system.terms(equation as usize);
    let at = terms.binary_search_by_key(&cell, |(cell, _)| *cell).ok()?;
    (terms.len() > 1).then(|| terms[(at + 1) % terms.len()].0)
}

/// Things found to belong together (union-find, Galler & Fischer 1964): each points towards the first of its kind.
struct Joined(Vec<u32>);

impl Joined {
    fn new(things: usize) -> Self {
        Self((0..things as u32).collect())
    }

    fn first(&mut self, mut thing: u32) -> u32 {
        while self.0[thing as usize] != thing {
            let above = self.0[self.0[thing as usize] as usize];
            self.0[thing as usize] = above;
            thing = above;
        }
        thing
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.first(one), self.first(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}
