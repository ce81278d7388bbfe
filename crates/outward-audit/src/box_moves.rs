//! Box moves: witnesses where many variables cross. A box takes two categories of each variable, or more with their
//! subtotals. Its corners are all combinations of these, raised and lowered in turn.
//!
//! If d variables cross, at least 2ᵈ cells must move to keep every sum. The variables are read off the equations. A
//! cell is moved along one of its equations to another cell. Every other corner is moved in parallel, to the one cell
//! that shares an equation with the image of its neighbour. This is repeated for each variable until all equations
//! hold. A search path that meets a cell that cannot move is given up at once.

use super::attacker_problem::{AttackerProblem, NONE, UNBOUNDED};
use super::presolve::Component;

/// Boxes are searched if at least this many variables cross. With fewer, single moves suffice.
const MIN_VARIABLES: usize = 3;
/// Most further cells along one variable.
const MAX_LINE: usize = 6;
/// Most corners of a box.
const MAX_CORNERS: usize = 1024;
/// Most terms of the equations of the first cell. In longer ones single moves find a balance easily.
const MAX_TERMS: usize = 64;
/// Most neighbours in an equation that are tried for squares.
const MAX_NEIGHBOURS: usize = 8;

/// The search for boxes among the cells of a component, in the equations before presolve.
#[derive(Debug)]
pub(super) struct BoxSearch<'a> {
    problem: &'a AttackerProblem,
    /// The class of each unknown, and whether it moves with the class; `NONE` outside the component.
    class_of: Vec<(u32, bool)>,
    /// Whether an equation has a slack: an unbounded unknown that appears in no other equation.
    has_slack: Vec<bool>,
    /// What equations sum to.
    sums: Vec<i128>,
    /// The round in which an unknown was last marked.
    marks: Vec<u64>,
    round: u64,
    /// Corners and their moves: those of the box so far, then their images along the next variable, step by step.
    corners: Vec<(u32, i64)>,
    /// How many variables cross in the first corner.
    crossing: usize,
    /// The corner of which each corner is an image.
    parents: Vec<u32>,
    /// Images searched, the measure of work, and the most allowed.
    pub(super) steps: u64,
    step_limit: u64,
}

impl<'a> BoxSearch<'a> {
    /// Starts at the true table.
    pub(super) fn new(problem: &'a AttackerProblem, component: &Component) -> Self {
        let mut class_of = vec![(NONE, true); problem.cell.len()];
        for (class, members) in (0..).zip(&component.members) {
            members.iter().for_each(|(unknown, with)| class_of[*unknown as usize] = (class, *with));
        }
        let is_slack = |(unknown, _): &(u32, i64)| {
            let at = *unknown as usize;
            problem.equations_of[at].len() == 1 && problem.low[at] <= -UNBOUNDED && problem.high[at] >= UNBOUNDED
        };
        Self {
            problem,
            class_of,
            has_slack: problem.equations.iter().map(|terms| terms.iter().any(is_slack)).collect(),
            sums: vec![0; problem.equations.len()],
            marks: vec![0; problem.cell.len()],
            round: 0,
            corners: Vec::new(),
            crossing: 0,
            parents: Vec::new(),
            steps: 0,
            step_limit: 0,
        }
    }

    /// Finds a box in which an unknown of `members` moves and its class moves by `by`. Returns the classes of its corners with
    /// their moves; `None` if there is none within `most` steps. `room` says whether a class can make a move.
    pub(super) fn find_box(
        &mut self,
        members: &[(u32, bool)],
        by: i64,
        most: u64,
        room: impl Fn(u32, i64) -> bool,
    ) -> Option<Vec<(u32, i64)>> {
        self.step_limit = self.steps + most;
        if let Some((head, with)) = self.first_corner(members) {
            return self.find_from(head, if with { by } else { -by }, &room);
        }
        // a slack moves with one of the terms of its equation
        let (sum, with) = members[0];
        let [(equation, own)] = self.problem.equations_of[sum as usize][..] else { return None };
        let by = if with { by } else { -by };
        let terms = &self.problem.equations[equation as usize];
        for (term, times) in terms.iter().filter(|(term, times)| *term != sum && times.abs() == own.abs()) {
            let others = terms.iter().filter(|(other, _)| other != term);
            let barred: Vec<u32> = others.map(|(other, _)| self.class_of[*other as usize].0).collect();
            let by = if (*times > 0) == (own > 0) { -by } else { by };
            let found = self.find_from(*term, by, &|class: u32, by: i64| !barred.contains(&class) && room(class, by));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The unknown to start from.
    fn first_corner(&self, members: &[(u32, bool)]) -> Option<(u32, bool)> {
        members.iter().copied().find(|(unknown, _)| self.tight_equations(*unknown).count() >= MIN_VARIABLES)
    }

    /// The equations of an unknown by variable, if enough variables cross and the equations are short.
    fn crossing_variables(&mut self, unknown: u32) -> Option<Vec<Vec<u32>>> {
        let long = |(equation, _): (u32, i64)| self.problem.equations[equation as usize].len() > MAX_TERMS;
        if self.tight_equations(unknown).any(long) {
            return None;
        }
        Some(self.variables(unknown)).filter(|variables| variables.len() >= MIN_VARIABLES)
    }

    /// The equations of an unknown that have no slack.
    fn tight_equations(&self, unknown: u32) -> impl Iterator<Item = (u32, i64)> + '_ {
        self.problem.equations_of[unknown as usize]
            .iter()
            .copied()
            .filter(|(equation, _)| !self.has_slack[*equation as usize])
    }

    fn find_from(&mut self, head: u32, by: i64, room: &impl Fn(u32, i64) -> bool) -> Option<Vec<(u32, i64)>> {
        if !self.can_move(head, by, room) {
            return None;
        }
        let mut variables = self.crossing_variables(head)?;
        self.crossing = variables.len();
        self.corners.clear();
        self.parents.clear();
        self.push((head, by), 0);
        self.shift(head, by);
        variables
            .sort_by_cached_key(|own| own.iter().map(|equation| self.neighbours(head, *equation, room).len()).min());
        let found = self.extend(&variables, room);
        self.shift_corners(0, -1);
        let moves = |(corner, by): &(u32, i64)| {
            let (class, with) = self.class_of[*corner as usize];
            (class, if with { *by } else { -*by })
        };
        let mut moves: Vec<(u32, i64)> = self.corners.iter().map(moves).collect();
        moves.sort_unstable();
        moves.dedup();
        found.then_some(moves)
    }

    /// The equations of an unknown, grouped by variable. Two are of different variables if some square of unknowns has a side
    /// in each.
    fn variables(&mut self, unknown: u32) -> Vec<Vec<u32>> {
        let mut variables: Vec<Vec<u32>> = Vec::new();
        let equations: Vec<u32> = self.tight_equations(unknown).map(|(equation, _)| equation).collect();
        for equation in equations {
            self.mark_squares(unknown, equation);
            let (apart, with): (Vec<_>, Vec<_>) =
                variables.into_iter().partition(|own| own.iter().all(|other| self.crosses(unknown, *other)));
            variables = apart;
            variables.push(with.into_iter().flatten().chain([equation]).collect());
        }
        variables
    }

    /// Marks the unknowns two steps from an unknown, the first step along this equation.
    fn mark_squares(&mut self, unknown: u32, equation: u32) {
        self.round += 1;
        let beside = self.problem.equations[equation as usize].iter().filter(|(next, _)| *next != unknown);
        for (next, _) in beside.take(MAX_NEIGHBOURS) {
            for (other, _) in self.problem.equations_of[*next as usize].iter().filter(|(other, _)| *other != equation) {
                if self.has_slack[*other as usize] {
                    continue;
                }
                for (far, _) in self.problem.equations[*other as usize].iter().filter(|(far, _)| far != next) {
                    self.marks[*far as usize] = self.round;
                }
            }
        }
    }

    /// Whether a marked unknown lies two steps from an unknown, the first step along this equation.
    fn crosses(&self, unknown: u32, equation: u32) -> bool {
        let seen = |next: u32, other: u32| {
            let mut far = self.problem.equations[other as usize].iter().map(|(far, _)| *far);
            far.any(|far| far != next && far != unknown && self.marks[far as usize] == self.round)
        };
        let terms = self.problem.equations[equation as usize].iter().map(|(next, _)| *next);
        let mut beside = terms.filter(|next| *next != unknown).take(MAX_NEIGHBOURS);
        beside.any(|next| self.tight_equations(next).any(|(other, _)| other != equation && seen(next, other)))
    }

    /// The equations of an unknown that run along the same variable as one of them.
    fn parallel_equations(&mut self, unknown: u32, equation: u32) -> Vec<u32> {
        if self.tight_equations(unknown).count() == self.crossing {
            return vec![equation];
        }
        self.mark_squares(unknown, equation);
        let same = |other: &u32| *other == equation || !self.crosses(unknown, *other);
        self.tight_equations(unknown).map(|(other, _)| other).filter(same).collect()
    }

    /// Whether an unknown can make a move.
    fn can_move(&self, unknown: u32, by: i64, room: &impl Fn(u32, i64) -> bool) -> bool {
        let (class, with) = self.class_of[unknown as usize];
        class != NONE && room(class, if with { by } else { -by })
    }

    /// The unknowns that can balance an equation; those that are in the fewest equations come first.
    fn neighbours(&self, head: u32, equation: u32, room: &impl Fn(u32, i64) -> bool) -> Vec<u32> {
        let sum = self.sums[equation as usize];
        let fits = |(other, own): &&(u32, i64)| {
            *other != head && balancing_move(sum, *own).is_some_and(|by| self.can_move(*other, by, room))
        };
        let terms = &self.problem.equations[equation as usize];
        let mut beside: Vec<u32> = terms.iter().filter(fits).map(|(other, _)| *other).collect();
        beside.sort_by_key(|other| self.problem.equations_of[*other as usize].len());
        beside
    }

    fn shift(&mut self, unknown: u32, by: i64) {
        for (equation, own) in &self.problem.equations_of[unknown as usize] {
            self.sums[*equation as usize] += i128::from(by) * i128::from(*own);
        }
    }

    /// Moves the corners from one on, forwards or back.
    fn shift_corners(&mut self, from: usize, sign: i64) {
        for at in from..self.corners.len() {
            let (corner, by) = self.corners[at];
            self.shift(corner, sign * by);
        }
    }

    fn push(&mut self, corner: (u32, i64), parent: usize) {
        self.corners.push(corner);
        self.parents.push(parent as u32);
    }

    /// Extends the box along the next variable and all further ones. Returns whether all equations hold then.
    fn extend(&mut self, variables: &[Vec<u32>], room: &impl Fn(u32, i64) -> bool) -> bool {
        let Some((own, others)) = variables.split_first() else {
            let holds =
                |corner: u32| self.tight_equations(corner).all(|(equation, _)| self.sums[equation as usize] == 0);
            return self.corners.iter().all(|(corner, _)| holds(*corner));
        };
        let mut line = own.iter().map(|equation| (*equation, 0)).collect();
        self.extend_along(self.corners.len(), &mut line, others, room)
    }

    /// Balances the equations along one variable, step by step. The line lists the equations along it, each with the step in
    /// which it was met. `size` is the number of corners before this variable.
    fn extend_along(
        &mut self,
        size: usize,
        line: &mut Vec<(u32, usize)>,
        others: &[Vec<u32>],
        room: &impl Fn(u32, i64) -> bool,
    ) -> bool {
        let open = line.iter().rev().find(|(equation, _)| self.sums[*equation as usize] != 0);
        let Some((equation, from)) = open.copied() else { return self.extend(others, room) };
        let (corners, equations) = (self.corners.len(), line.len());
        if corners / size > MAX_LINE || corners + size > MAX_CORNERS {
            return false;
        }
        for first in self.neighbours(self.corners[from * size].0, equation, room) {
            let met = (0..corners).step_by(size).any(|at| self.corners[at].0 == first);
            if !met && self.add_images(size, from, (equation, first), room) {
                self.shift_corners(corners, 1);
                let along = self.parallel_equations(first, equation);
                line.extend(along.into_iter().map(|equation| (equation, corners / size)));
                if self.extend_along(size, line, others, room) {
                    return true;
                }
                line.truncate(equations);
                self.shift_corners(corners, -1);
            }
            self.corners.truncate(corners);
            self.parents.truncate(corners);
            if self.steps >= self.step_limit {
                return false;
            }
        }
        false
    }

    /// Adds the images of the corners of one step; the first is given. Returns whether every corner has one.
    fn add_images(
        &mut self,
        size: usize,
        from: usize,
        (equation, first): (u32, u32),
        room: &impl Fn(u32, i64) -> bool,
    ) -> bool {
        let (from, to) = (from * size, self.corners.len());
        let own = self.tight_equations(first).find(|(other, _)| *other == equation).map_or(0, |(_, own)| own);
        let Some(by) = balancing_move(self.sums[equation as usize], own) else { return false };
        self.push((first, by), from);
        for at in 1..size {
            self.steps += 1;
            let parent = self.parents[at] as usize;
            let corner = |at: usize| self.corners[at].0;
            let (corner, neighbour, image) = (corner(from + at), corner(from + parent), corner(to + parent));
            match self.find_image(corner, neighbour, image) {
                Some((image, by)) if self.can_move(image, by, room) => self.push((image, by), from + at),
                _ => return false,
            }
        }
        true
    }

    /// The image of a corner: the cell in an unbalanced equation of it that shares an equation with its neighbour's image.
    fn find_image(&mut self, corner: u32, neighbour: u32, image: u32) -> Option<(u32, i64)> {
        self.round += 1;
        for (equation, _) in &self.problem.equations_of[image as usize] {
            if self.has_slack[*equation as usize] {
                continue;
            }
            for (other, _) in &self.problem.equations[*equation as usize] {
                self.marks[*other as usize] = self.round;
            }
        }
        for (equation, _) in &self.problem.equations_of[corner as usize] {
            let sum = self.sums[*equation as usize];
            if sum == 0 || self.has_slack[*equation as usize] {
                continue;
            }
            for (other, own) in &self.problem.equations[*equation as usize] {
                if self.marks[*other as usize] == self.round && *other != corner && *other != neighbour {
                    return balancing_move(sum, *own).map(|by| (*other, by));
                }
            }
        }
        None
    }
}

/// The move that balances an equation with this sum, by an unknown with coefficient 1 or −1.
fn balancing_move(sum: i128, own: i64) -> Option<i64> {
    if own.abs() == 1 { i64::try_from(-sum * i128::from(own)).ok() } else { None }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::super::presolve::presolve;
    use super::super::{AttackerProblem, AuditOptions};
    use super::*;
    use crate::system::{Cell, System};

    /// Categories of a variable, of which each total is the sum of its parts.
    type Variable<'a> = (usize, &'a [(usize, &'a [usize])]);

    /// A table whose inner cells are all 5, with its totals. Every cell may be hidden.
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

    /// Hides some cells, raises the first by one, and returns the cells that move with it.
    fn found(system: &System, hidden: impl Fn(u32) -> bool) -> Option<Vec<(u32, i64)>> {
        let hidden: Vec<bool> = (0..system.cells.len() as u32).map(hidden).collect();
        let problem = AttackerProblem::new(system, &hidden, &AuditOptions::default()).unwrap();
        let component = &presolve(&problem)[0];
        let mut boxes = BoxSearch::new(&problem, component);
        let room = |class: u32, by: i64| (component.low[class as usize]..=component.high[class as usize]).contains(&by);
        let members =
            component.members.iter().find(|members| members.iter().any(|(unknown, _)| *unknown == 0)).unwrap();
        let moves = boxes.find_box(members, 1, 1000, room)?;
        assert!(boxes.sums.iter().all(|sum| *sum == 0), "all is as it was");
        let cells = moves.iter().flat_map(|(class, by)| {
            let signed = move |with: bool| if with { *by } else { -*by };
            component.members[*class as usize].iter().map(move |(unknown, with)| (*unknown, signed(*with)))
        });
        let mut cells: Vec<(u32, i64)> = cells.map(|(unknown, by)| (problem.cell[unknown as usize], by)).collect();
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
