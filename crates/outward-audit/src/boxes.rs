//! Tables near the true one where many variables cross: two categories of each variable, or some more with their
//! subtotals, and all combinations of these, raised and lowered in turn.
//!
//! Where d variables cross, no fewer than 2ᵈ cells can move and leave every sum as it is. The variables are not told: they are
//! read off the equations. A cell is moved along one of its equations to another; whatever has moved before is moved
//! beside it, each cell along an equation of its own to the one cell that lies in an equation with its neighbour's image;
//! and so on, variable by variable, until all equations hold. A way that meets a cell without room is given up at once, so
//! that few are gone to the end.

use super::attack::{Attack, FREE, NONE};
use super::reduce::Component;

/// Variables from which on boxes are looked for: where fewer cross it does to move cell by cell.
const FEWEST: usize = 3;
/// Cells beside the first along one variable.
const LONGEST: usize = 6;
/// Corners of a box.
const MOST: usize = 1024;
/// Terms of the equations of the first cell: where lines are longer, cells that make each other good are easily found.
const TERMS: usize = 64;
/// Neighbours in an equation that are looked at for squares.
const NEIGHBOURS: usize = 8;

/// The cells of a component in the equations as they were before it was made small.
#[derive(Debug)]
pub(super) struct Boxes<'a> {
    attack: &'a Attack,
    /// The class of each unknown, and whether it moves with it; none where it is not of the component.
    class_of: Vec<(u32, bool)>,
    /// Equations that some unknown makes good which stands in no other.
    slack: Vec<bool>,
    /// What equations sum to.
    sums: Vec<i128>,
    /// When an unknown was last found beside another.
    marks: Vec<u64>,
    round: u64,
    /// Unknowns that moved, and by how much; those of the box so far, then their images along the next variable, as many
    /// for each step along it.
    corners: Vec<(u32, i64)>,
    /// How many variables cross in the first of them.
    crossing: usize,
    /// The corner that each is an image of.
    parents: Vec<u32>,
    /// Images looked for, the measure of work, and how many may be.
    pub(super) steps: u64,
    end: u64,
}

impl<'a> Boxes<'a> {
    /// At the true table.
    pub(super) fn new(attack: &'a Attack, component: &Component) -> Self {
        let mut class_of = vec![(NONE, true); attack.cell.len()];
        for (class, members) in (0..).zip(&component.members) {
            members.iter().for_each(|(unknown, with)| class_of[*unknown as usize] = (class, *with));
        }
        let lone = |(unknown, _): &(u32, i64)| {
            let at = *unknown as usize;
            attack.of[at].len() == 1 && attack.low[at] <= -FREE && attack.high[at] >= FREE
        };
        Self {
            attack,
            class_of,
            slack: attack.equations.iter().map(|terms| terms.iter().any(lone)).collect(),
            sums: vec![0; attack.equations.len()],
            marks: vec![0; attack.cell.len()],
            round: 0,
            corners: Vec::new(),
            crossing: 0,
            parents: Vec::new(),
            steps: 0,
            end: 0,
        }
    }

    /// The corners of a box in which some unknown of `members` moves, and its class by `by`: classes, and how they move. `room`
    /// says whether a class can. Nothing where none is found in so many steps.
    pub(super) fn around(
        &mut self,
        members: &[(u32, bool)],
        by: i64,
        most: u64,
        room: impl Fn(u32, i64) -> bool,
    ) -> Option<Vec<(u32, i64)>> {
        self.end = self.steps + most;
        if let Some((head, with)) = self.head(members) {
            return self.from(head, if with { by } else { -by }, &room);
        }
        // a sum that nothing else holds moves with one of its terms
        let (sum, with) = members[0];
        let [(equation, own)] = self.attack.of[sum as usize][..] else { return None };
        let by = if with { by } else { -by };
        let terms = &self.attack.equations[equation as usize];
        for (term, times) in terms.iter().filter(|(term, times)| *term != sum && times.abs() == own.abs()) {
            let others = terms.iter().filter(|(other, _)| other != term);
            let barred: Vec<u32> = others.map(|(other, _)| self.class_of[*other as usize].0).collect();
            let by = if (*times > 0) == (own > 0) { -by } else { by };
            let found = self.from(*term, by, &|class: u32, by: i64| !barred.contains(&class) && room(class, by));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The unknown to begin with.
    fn head(&self, members: &[(u32, bool)]) -> Option<(u32, bool)> {
        members.iter().copied().find(|(unknown, _)| self.fixed(*unknown).count() >= FEWEST)
    }

    /// The equations of an unknown by variables, where these are enough and the equations short.
    fn crossing_variables(&mut self, unknown: u32) -> Option<Vec<Vec<u32>>> {
        let long = |(equation, _): (u32, i64)| self.attack.equations[equation as usize].len() > TERMS;
        if self.fixed(unknown).any(long) {
            return None;
        }
        Some(self.variables(unknown)).filter(|variables| variables.len() >= FEWEST)
    }

    /// The equations of an unknown that others must make good.
    fn fixed(&self, unknown: u32) -> impl Iterator<Item = (u32, i64)> + '_ {
        self.attack.of[unknown as usize].iter().copied().filter(|(equation, _)| !self.slack[*equation as usize])
    }

    fn from(&mut self, head: u32, by: i64, room: &impl Fn(u32, i64) -> bool) -> Option<Vec<(u32, i64)>> {
        if !self.can(head, by, room) {
            return None;
        }
        let mut variables = self.crossing_variables(head)?;
        self.crossing = variables.len();
        self.corners.clear();
        self.parents.clear();
        self.push((head, by), 0);
        self.shift(head, by);
        variables.sort_by_cached_key(|own| own.iter().map(|equation| self.beside(head, *equation, room).len()).min());
        let found = self.extend(&variables, room);
        self.turn(0, -1);
        let moves = |(corner, by): &(u32, i64)| {
            let (class, with) = self.class_of[*corner as usize];
            (class, if with { *by } else { -*by })
        };
        let mut moves: Vec<(u32, i64)> = self.corners.iter().map(moves).collect();
        moves.sort_unstable();
        moves.dedup();
        found.then_some(moves)
    }

    /// The equations of an unknown, those of one variable together: two are of different variables if some square of
    /// unknowns has a side in each.
    fn variables(&mut self, unknown: u32) -> Vec<Vec<u32>> {
        let mut variables: Vec<Vec<u32>> = Vec::new();
        let equations: Vec<u32> = self.fixed(unknown).map(|(equation, _)| equation).collect();
        for equation in equations {
            self.mark_squares(unknown, equation);
            let (apart, with): (Vec<_>, Vec<_>) =
                variables.into_iter().partition(|own| own.iter().all(|other| self.crossed(unknown, *other)));
            variables = apart;
            variables.push(with.into_iter().flatten().chain([equation]).collect());
        }
        variables
    }

    /// Marks what lies two steps from an unknown, the first along this equation.
    fn mark_squares(&mut self, unknown: u32, equation: u32) {
        self.round += 1;
        let beside = self.attack.equations[equation as usize].iter().filter(|(next, _)| *next != unknown);
        for (next, _) in beside.take(NEIGHBOURS) {
            for (other, _) in self.attack.of[*next as usize].iter().filter(|(other, _)| *other != equation) {
                if self.slack[*other as usize] {
                    continue;
                }
                for (far, _) in self.attack.equations[*other as usize].iter().filter(|(far, _)| far != next) {
                    self.marks[*far as usize] = self.round;
                }
            }
        }
    }

    /// Whether something marked lies two steps from an unknown, the first along this equation.
    fn crossed(&self, unknown: u32, equation: u32) -> bool {
        let seen = |next: u32, other: u32| {
            let mut far = self.attack.equations[other as usize].iter().map(|(far, _)| *far);
            far.any(|far| far != next && far != unknown && self.marks[far as usize] == self.round)
        };
        let terms = self.attack.equations[equation as usize].iter().map(|(next, _)| *next);
        let mut beside = terms.filter(|next| *next != unknown).take(NEIGHBOURS);
        beside.any(|next| self.fixed(next).any(|(other, _)| other != equation && seen(next, other)))
    }

    /// The equations of an unknown that run along the same variable as one of them.
    fn along_with(&mut self, unknown: u32, equation: u32) -> Vec<u32> {
        if self.fixed(unknown).count() == self.crossing {
            return vec![equation];
        }
        self.mark_squares(unknown, equation);
        let same = |other: &u32| *other == equation || !self.crossed(unknown, *other);
        self.fixed(unknown).map(|(other, _)| other).filter(same).collect()
    }

    /// Whether an unknown has room for a move.
    fn can(&self, unknown: u32, by: i64, room: &impl Fn(u32, i64) -> bool) -> bool {
        let (class, with) = self.class_of[unknown as usize];
        class != NONE && room(class, if with { by } else { -by })
    }

    /// The unknowns in an equation that can make up for what it is out by, those in fewest equations first.
    fn beside(&self, head: u32, equation: u32, room: &impl Fn(u32, i64) -> bool) -> Vec<u32> {
        let sum = self.sums[equation as usize];
        let fits = |(other, own): &&(u32, i64)| {
            *other != head && mended(sum, *own).is_some_and(|by| self.can(*other, by, room))
        };
        let terms = &self.attack.equations[equation as usize];
        let mut beside: Vec<u32> = terms.iter().filter(fits).map(|(other, _)| *other).collect();
        beside.sort_by_key(|other| self.attack.of[*other as usize].len());
        beside
    }

    fn shift(&mut self, unknown: u32, by: i64) {
        for (equation, own) in &self.attack.of[unknown as usize] {
            self.sums[*equation as usize] += i128::from(by) * i128::from(*own);
        }
    }

    /// Moves the corners from one on, or moves them back.
    fn turn(&mut self, from: usize, sign: i64) {
        for at in from..self.corners.len() {
            let (corner, by) = self.corners[at];
            self.shift(corner, sign * by);
        }
    }

    fn push(&mut self, corner: (u32, i64), parent: usize) {
        self.corners.push(corner);
        self.parents.push(parent as u32);
    }

    /// Moves all corners so far along the next variable of the first, and on from there. Whether all equations hold then.
    fn extend(&mut self, variables: &[Vec<u32>], room: &impl Fn(u32, i64) -> bool) -> bool {
        let Some((own, rest)) = variables.split_first() else {
            let holds = |corner: u32| self.fixed(corner).all(|(equation, _)| self.sums[equation as usize] == 0);
            return self.corners.iter().all(|(corner, _)| holds(*corner));
        };
        let mut line = own.iter().map(|equation| (*equation, 0)).collect();
        self.along(self.corners.len(), &mut line, rest, room)
    }

    /// Mends what is open along a variable, step by step. The line is what equations there are along it, and in which step they
    /// were met; `size` is the number of corners before it.
    fn along(
        &mut self,
        size: usize,
        line: &mut Vec<(u32, usize)>,
        rest: &[Vec<u32>],
        room: &impl Fn(u32, i64) -> bool,
    ) -> bool {
        let open = line.iter().rev().find(|(equation, _)| self.sums[*equation as usize] != 0);
        let Some((equation, from)) = open.copied() else { return self.extend(rest, room) };
        let (corners, equations) = (self.corners.len(), line.len());
        if corners / size > LONGEST || corners + size > MOST {
            return false;
        }
        for first in self.beside(self.corners[from * size].0, equation, room) {
            let met = (0..corners).step_by(size).any(|at| self.corners[at].0 == first);
            if !met && self.images(size, from, (equation, first), room) {
                self.turn(corners, 1);
                let along = self.along_with(first, equation);
                line.extend(along.into_iter().map(|equation| (equation, corners / size)));
                if self.along(size, line, rest, room) {
                    return true;
                }
                line.truncate(equations);
                self.turn(corners, -1);
            }
            self.corners.truncate(corners);
            self.parents.truncate(corners);
            if self.steps >= self.end {
                return false;
            }
        }
        false
    }

    /// Adds the images of the corners of one step along a variable, the first of which is given. Whether each has one.
    fn images(
        &mut self,
        size: usize,
        from: usize,
        (equation, first): (u32, u32),
        room: &impl Fn(u32, i64) -> bool,
    ) -> bool {
        let (from, to) = (from * size, self.corners.len());
        let own = self.fixed(first).find(|(other, _)| *other == equation).map_or(0, |(_, own)| own);
        let Some(by) = mended(self.sums[equation as usize], own) else { return false };
        self.push((first, by), from);
        for at in 1..size {
            self.steps += 1;
            let parent = self.parents[at] as usize;
            let corner = |at: usize| self.corners[at].0;
            let (corner, neighbour, image) = (corner(from + at), corner(from + parent), corner(to + parent));
            match self.image(corner, neighbour, image) {
                Some((image, by)) if self.can(image, by, room) => self.push((image, by), from + at),
                _ => return false,
            }
        }
        true
    }

    /// What lies along an open equation of a corner and in one equation with the image of its neighbour.
    fn image(&mut self, corner: u32, neighbour: u32, image: u32) -> Option<(u32, i64)> {
        self.round += 1;
        for (equation, _) in &self.attack.of[image as usize] {
            if self.slack[*equation as usize] {
                continue;
            }
            for (other, _) in &self.attack.equations[*equation as usize] {
                self.marks[*other as usize] = self.round;
            }
        }
        for (equation, _) in &self.attack.of[corner as usize] {
            let sum = self.sums[*equation as usize];
            if sum == 0 || self.slack[*equation as usize] {
                continue;
            }
            for (other, own) in &self.attack.equations[*equation as usize] {
                if self.marks[*other as usize] == self.round && *other != corner && *other != neighbour {
                    return mended(sum, *own).map(|by| (*other, by));
                }
            }
        }
        None
    }
}

/// The move that brings an equation with this sum back to 0, by an unknown that counts once in it.
fn mended(sum: i128, own: i64) -> Option<i64> {
    if own.abs() == 1 { i64::try_from(-sum * i128::from(own)).ok() } else { None }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::super::reduce::reduce;
    use super::super::{Attack, Choice};
    use super::*;
    use crate::system::{Cell, System};

    /// Categories of a variable, of which each total is the sum of its parts.
    type Variable<'a> = (usize, &'a [(usize, &'a [usize])]);

    /// Where every cell is 5 and totals are what they come to; all of it may be hidden.
    fn cross(variables: &[Variable<'_>]) -> System {
        let steps: Vec<usize> =
            (0..=variables.len()).map(|at| variables[..at].iter().map(|(codes, _)| codes).product()).collect();
        let code = |cell: usize, at: usize| cell / steps[at] % variables[at].0;
        let mut cells = vec![5; steps[variables.len()]];
        let mut sums: Vec<(usize, Vec<usize>)> = Vec::new();
        for (at, (_, totals)) in variables.iter().enumerate() {
            for (total, parts) in *totals {
                for cell in (0..cells.len()).filter(|cell| code(*cell, at) == *total) {
                    let parts: Vec<usize> =
                        parts.iter().map(|part| cell + part * steps[at] - total * steps[at]).collect();
                    cells[cell] = parts.iter().map(|part| cells[*part]).sum();
                    sums.push((cell, parts));
                }
            }
        }
        let mut system = System::new(cells.into_iter().map(Cell::count).collect(), 1, true);
        for (total, parts) in sums {
            system.add_total(total as u32, &parts.iter().map(|part| *part as u32).collect::<Vec<_>>()).unwrap();
        }
        system
    }

    /// The cells that move with the first, which rises by one, if only these are hidden.
    fn found(system: &System, hidden: impl Fn(u32) -> bool) -> Option<Vec<(u32, i64)>> {
        let hidden: Vec<bool> = (0..system.cells.len() as u32).map(hidden).collect();
        let attack = Attack::new(system, &hidden, &Choice::default()).unwrap();
        let component = &reduce(&attack)[0];
        let mut boxes = Boxes::new(&attack, component);
        let room = |class: u32, by: i64| (component.low[class as usize]..=component.high[class as usize]).contains(&by);
        let members =
            component.members.iter().find(|members| members.iter().any(|(unknown, _)| *unknown == 0)).unwrap();
        let moves = boxes.around(members, 1, 1000, room)?;
        assert!(boxes.sums.iter().all(|sum| *sum == 0), "all is as it was");
        let cells = moves.iter().flat_map(|(class, by)| {
            let signed = move |with: bool| if with { *by } else { -*by };
            component.members[*class as usize].iter().map(move |(unknown, with)| (*unknown, signed(*with)))
        });
        let mut cells: Vec<(u32, i64)> = cells.map(|(unknown, by)| (attack.cell[unknown as usize], by)).collect();
        cells.sort_unstable();
        Some(cells)
    }

    const PLAIN: Variable<'_> = (4, &[(3, &[0, 1, 2])]);

    #[test]
    fn three_plain_variables_make_a_box_of_eight() {
        let system = cross(&[PLAIN, PLAIN, PLAIN]);
        // categories 0 and 2 of each variable, and some cells that are no corner of any box
        let corner = |cell: u32| [1, 4, 16].iter().all(|step| [0, 2].contains(&(cell / step % 4)));
        let sign =
            |cell: u32| if [1, 4, 16].iter().filter(|step| cell / *step % 4 == 2).count() % 2 == 0 { 1 } else { -1 };
        let moves = found(&system, |cell| corner(cell) || [1, 4, 17, 20].contains(&cell)).unwrap();
        assert_eq!(moves, (0..64).filter(|cell| corner(*cell)).map(|cell| (cell, sign(cell))).collect::<Vec<_>>());
    }

    #[test]
    fn where_a_category_has_no_other_beside_it_its_subtotal_moves_with_it() {
        // 0 and 1 make 4, 2 and 3 make 5, both make 6; hidden are 0, 4, 2 and 5
        const GROUPED: Variable<'_> = (7, &[(4, &[0, 1]), (5, &[2, 3]), (6, &[4, 5])]);
        let system = cross(&[GROUPED, PLAIN, PLAIN]);
        let hides = |cell: u32| [0, 2, 4, 5].contains(&(cell % 7)) && cell / 7 % 4 < 2 && cell / 28 < 2;
        let extra = |cell: u32| cell == 3 || cell == 14 || cell == 56;
        let moves = found(&system, |cell| hides(cell) || extra(cell)).unwrap();
        assert_eq!(moves.len(), 16);
        for (cell, by) in moves {
            let turns = u32::from([2, 5].contains(&(cell % 7))) + cell / 7 % 4 + cell / 28;
            assert_eq!(by, if turns % 2 == 0 { 1 } else { -1 }, "cell {cell}");
        }
    }
}
