//! Finds parallel lines: equations that add up the same categories of one variable at other values of the other variables.
//! A position on one line corresponds to the same position on all lines parallel to it.
//!
//! JJ files have no names of variables, so lines are read off the equations. Two equations through a cell **cross** if the cell
//! and its next cells in both are three corners of a square. Opposite sides of the square are then parallel. Equations that
//! do not cross belong to one variable, such as those of a total and of a subtotal.

use hashbrown::HashSet;

use crate::suppress::incidence::Incidence;

const NONE: u32 = u32::MAX;

/// The lines of a system and the positions on them.
pub(super) struct ParallelLines {
    /// The bundle of parallel lines that each equation belongs to.
    bundles: Vec<u32>,
    /// Where the positions of each equation begin in `cells`, with one entry more for the end.
    starts: Vec<u32>,
    /// The cell at each position of each equation; `NONE` at a gap.
    cells: Vec<u32>,
    crossing: HashSet<(u32, u32)>,
}

impl ParallelLines {
    /// Finds the lines if at least `variables` variables cross in some of the cells.
    pub(super) fn find(incidence: &Incidence<'_>, cells: impl Iterator<Item = u32>, variables: usize) -> Option<Self> {
        let mut squares = SquareFinder::new(incidence);
        let mut cells = cells.filter(|cell| incidence.equations_of(*cell).len() >= variables);
        cells.any(|cell| squares.variables(incidence, cell) >= variables).then(|| Self::new(incidence, squares))
    }

    fn new(incidence: &Incidence<'_>, mut squares: SquareFinder) -> Self {
        let equations = incidence.system.equations();
        let mut starts = vec![0];
        for equation in 0..equations {
            starts.push(starts[equation] + incidence.system.terms(equation).len() as u32);
        }
        let mut lines = UnionFind::new(equations);
        let mut slots = UnionFind::new(starts[equations] as usize);
        let slot = |equation: u32, cell: u32| {
            let terms = incidence.system.terms(equation as usize);
            starts[equation as usize] + terms.binary_search_by_key(&cell, |(cell, _)| *cell).unwrap_or(0) as u32
        };
        let mut crossing = Vec::new();
        for cell in 0..incidence.system.cells.len() as u32 {
            for (own, _) in incidence.equations_of(cell) {
                squares.mark(incidence, cell, *own);
                for (other, _) in incidence.equations_of(cell).iter().filter(|(other, _)| other != own) {
                    let Some((next, beside)) = squares.beside(incidence, cell, *other) else { continue };
                    lines.join(*own, beside);
                    slots.join(slot(*own, cell), slot(beside, next));
                    crossing.push((*own, *other));
                }
            }
        }
        let bundles: Vec<u32> = (0..equations as u32).map(|equation| lines.root(equation)).collect();
        let crossing = crossing.into_iter().map(|(a, b)| (bundles[a as usize], bundles[b as usize])).collect();
        let mut lines = Self { bundles, starts: vec![0], cells: Vec::new(), crossing };
        lines.place_cells(incidence, &mut slots);
        lines
    }

    /// Numbers the positions of each bundle and places the cells of its lines there. A bundle with two cells in one position is
    /// not one of parallel lines and stays empty.
    fn place_cells(&mut self, incidence: &Incidence<'_>, slots: &mut UnionFind) {
        let equations = incidence.system.equations();
        let (mut number, mut widths) = (vec![NONE; slots.0.len()], vec![0_u32; equations]);
        let mut at = Vec::with_capacity(slots.0.len());
        for (equation, bundle) in self.bundles.iter().enumerate() {
            for _ in incidence.system.terms(equation) {
                let first = slots.root(at.len() as u32) as usize;
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
            for (cell, _) in incidence.system.terms(equation) {
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
    pub(super) fn cell_at(&self, incidence: &Incidence<'_>, cell: u32, bundle: u32, to: u32) -> Option<u32> {
        let (equation, _) =
            incidence.equations_of(cell).iter().find(|(equation, _)| self.bundle(*equation) == bundle)?;
        let cell = *self.cells.get((self.starts[*equation as usize] + to) as usize)?;
        (cell != NONE).then_some(cell)
    }

    /// The bundles through a cell, grouped by variable.
    pub(super) fn variables(&self, incidence: &Incidence<'_>, cell: u32) -> Vec<Vec<u32>> {
        let bundles = incidence.equations_of(cell).iter().map(|(equation, _)| self.bundle(*equation));
        group_by_crossing(bundles, |a, b| self.crossing.contains(&(a, b)))
    }
}

/// Groups lines so that any two of different groups cross.
fn group_by_crossing(lines: impl Iterator<Item = u32>, mut cross: impl FnMut(u32, u32) -> bool) -> Vec<Vec<u32>> {
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
struct SquareFinder {
    round: u32,
    marks: Vec<u32>,
}

impl SquareFinder {
    fn new(incidence: &Incidence<'_>) -> Self {
        Self { round: 0, marks: vec![0; incidence.system.cells.len()] }
    }

    /// Marks the cells that share another equation with the next cell in an equation of `cell`.
    fn mark(&mut self, incidence: &Incidence<'_>, cell: u32, equation: u32) {
        self.round += 1;
        let Some(next) = next(incidence, equation, cell) else { return };
        for (other, _) in incidence.equations_of(next).iter().filter(|(other, _)| *other != equation) {
            for (met, _) in incidence.system.terms(*other as usize).iter().filter(|(met, _)| *met != next) {
                self.marks[*met as usize] = self.round;
            }
        }
    }

    /// The next cell in another equation of `cell`, and the equation through it that is parallel to the marked one, if
    /// the two cross.
    fn beside(&self, incidence: &Incidence<'_>, cell: u32, equation: u32) -> Option<(u32, u32)> {
        let next = next(incidence, equation, cell)?;
        let meets = |other: u32| {
            let mut terms = incidence.system.terms(other as usize).iter();
            terms.any(|(met, _)| *met != next && self.marks[*met as usize] == self.round)
        };
        let mut others =
            incidence.equations_of(next).iter().map(|(other, _)| *other).filter(|other| *other != equation);
        others.find(|other| meets(*other)).map(|other| (next, other))
    }

    /// How many variables cross in a cell.
    fn variables(&mut self, incidence: &Incidence<'_>, cell: u32) -> usize {
        let lines = incidence.equations_of(cell).iter().map(|(equation, _)| *equation);
        let cross = |a: u32, b: u32| {
            self.mark(incidence, cell, a);
            self.beside(incidence, cell, b).is_some()
        };
        group_by_crossing(lines, cross).len()
    }
}

/// The cell after `cell` in an equation, the first after the last.
fn next(incidence: &Incidence<'_>, equation: u32, cell: u32) -> Option<u32> {
    let terms = incidence.system.terms(equation as usize);
    let at = terms.binary_search_by_key(&cell, |(cell, _)| *cell).ok()?;
    (terms.len() > 1).then(|| terms[(at + 1) % terms.len()].0)
}

/// Disjoint sets (union-find, Galler & Fischer 1964); the smallest member is the root.
struct UnionFind(Vec<u32>);

impl UnionFind {
    fn new(items: usize) -> Self {
        Self((0..items as u32).collect())
    }

    fn root(&mut self, mut item: u32) -> u32 {
        while self.0[item as usize] != item {
            let above = self.0[self.0[item as usize] as usize];
            self.0[item as usize] = above;
            item = above;
        }
        item
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}
