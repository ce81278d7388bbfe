//! A tabu search (Glover 1989) for tables near the true one that agree with everything published.
//!
//! If every cell of a large table is uncertain, another table that fits is almost always near: one person more here, one
//! fewer there. The search moves one class. It then repeatedly moves the class that brings the broken equations nearest to
//! balance, until all hold. Ties are broken by a pseudo-random number of class and attempt, so that attempts differ and
//! runs do not. Short attempts move no class twice. Long ones may move a class again after its tabu tenure. If three
//! variables or more cross, single moves seldom succeed, and boxes are tried first.

use std::collections::BTreeSet;

use super::attacker_problem::AttackerProblem;
use super::box_moves::BoxSearch;
use super::intervals::KnownBounds;
use super::presolve::Component;
use super::witness::Point;

/// How long the search goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchEffort {
    /// Attempts for a move of one unit, and of more.
    attempts: [u32; 2],
    /// Most moves of one attempt.
    max_moves: usize,
    /// Tabu tenure: moves after which a class may be moved again, and up to seven more by attempt.
    tenure: u64,
    /// Most steps of the search for a box; 0 for none.
    box_steps: u64,
    /// Most evaluations for one goal. Beyond them the solver is quicker.
    evaluations: u64,
}

/// Boxes only.
pub(super) const BOXES_ONLY: SearchEffort =
    SearchEffort { attempts: [0, 0], max_moves: 0, tenure: 0, box_steps: 4000, evaluations: 0 };
/// Few moves, each of another class.
pub(super) const BRIEF: SearchEffort =
    SearchEffort { attempts: [6, 3], max_moves: 48, tenure: u64::MAX / 2, box_steps: 0, evaluations: 1 << 21 };
/// Many moves, if the brief search finds nothing.
pub(super) const PATIENT: SearchEffort =
    SearchEffort { attempts: [64, 12], max_moves: 600, tenure: 16, box_steps: 60_000, evaluations: 1 << 21 };

/// Every third attempt is greedy. In the others, one or two equations that a move unbalances do not count against it:
/// otherwise a neighbour would always be preferred to a total.
const DETOUR_CYCLE: u32 = 3;
/// Most terms of an equation evaluated in one step. In a longer one they begin at a pseudo-random place.
const MAX_TERMS_SCANNED: usize = 64;

/// Most evaluations in a component: a fixed number, and more for each class. The search for boxes has a quarter as many
/// steps, which take as long.
const MAX_EVALUATIONS: (u64, u64) = (1 << 27, 1 << 14);

/// The search in one component, and its present point.
#[derive(Debug)]
pub(super) struct TabuSearch<'a> {
    component: &'a Component,
    /// Where the equations of each class begin in `entries`.
    starts: Vec<u32>,
    /// Equation and coefficient, class by class.
    entries: Vec<(u32, i64)>,
    /// The present point.
    point: Vec<i64>,
    /// Classes that were moved.
    touched: Vec<u32>,
    /// What equations sum to.
    sums: Vec<i64>,
    /// Equations that do not sum to 0.
    unbalanced: Vec<u32>,
    /// Classes moved in this attempt, and by how much.
    moved: Vec<(u32, i64)>,
    /// The iteration from which a class may be moved again. Iterations are counted over all attempts.
    tabu_until: Vec<u64>,
    iteration: u64,
    known: KnownBounds,
    /// The search for boxes, if there is one.
    boxes: Option<BoxSearch<'a>>,
    /// Moves evaluated so far, the measure of work.
    evaluations: u64,
    /// The number of evaluations at which the search for the present goal ends.
    goal_limit: u64,
}

impl<'a> TabuSearch<'a> {
    /// Starts at the true table. Boxes are searched in the problem before presolve, if it is given.
    pub(super) fn new(problem: Option<&'a AttackerProblem>, component: &'a Component) -> Self {
        let count = component.members.len();
        let mut starts = vec![0u32; count + 1];
        for (class, _) in component.equations.iter().flatten() {
            starts[*class as usize + 1] += 1;
        }
        for class in 0..count {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0); starts[count] as usize];
        for (equation, terms) in component.equations.iter().enumerate() {
            for (class, by) in terms {
                let place = &mut next[*class as usize];
                entries[*place as usize] = (equation as u32, *by);
                *place += 1;
            }
        }
        Self {
            component,
            starts,
            entries,
            point: vec![0; count],
            touched: Vec::new(),
            sums: vec![0; component.equations.len()],
            unbalanced: Vec::new(),
            moved: Vec::new(),
            tabu_until: vec![0; count],
            iteration: 1,
            known: KnownBounds::default(),
            boxes: problem.map(|problem| BoxSearch::new(problem, component)),
            evaluations: 0,
            goal_limit: 0,
        }
    }

    /// A table in which a class deviates by `goal` or part of it, within the known bounds.
    pub(super) fn reach(&mut self, class: u32, goal: i64, known: &KnownBounds, effort: &SearchEffort) -> Option<Point> {
        if self.known != *known {
            self.known.clone_from(known);
        }
        self.goal_limit = self.evaluation_limit().min(self.evaluations.saturating_add(effort.evaluations));
        let mut step = goal;
        while step != 0 {
            let attempts = effort.attempts[usize::from(step.abs() > 1)];
            step = if self.close_box(class, step, effort)
                || (0..attempts).any(|attempt| self.close_circuit(class, step, attempt, effort))
            {
                goal - self.point[class as usize]
            } else {
                step / 2
            };
        }
        let mut moves: Vec<(u32, i128)> = Vec::new();
        self.touched.sort_unstable();
        for class in self.touched.drain(..) {
            let by = std::mem::take(&mut self.point[class as usize]);
            if by != 0 {
                moves.push((class, i128::from(by)));
            }
        }
        (!moves.is_empty()).then_some(Point { scale: 1, moves })
    }

    /// Equations near a class, nearest first, up to `most` terms in all. The equations of the class itself are always
    /// included.
    pub(super) fn equations_near(&self, class: u32, most: usize) -> Vec<u32> {
        let mut found: Vec<u32> = self.equations_of(class).iter().map(|(equation, _)| *equation).collect();
        let length = |equation: u32| self.component.equations[equation as usize].len();
        let mut terms: usize = found.iter().map(|equation| length(*equation)).sum();
        let mut taken: BTreeSet<u32> = found.iter().copied().collect();
        let mut at = 0;
        while at < found.len() && terms < most {
            for (other, _) in &self.component.equations[found[at] as usize] {
                for (equation, _) in self.equations_of(*other) {
                    if terms + length(*equation) <= most && taken.insert(*equation) {
                        terms += length(*equation);
                        found.push(*equation);
                    }
                }
            }
            at += 1;
        }
        found
    }

    /// Most evaluations in this component.
    fn evaluation_limit(&self) -> u64 {
        MAX_EVALUATIONS.0 + MAX_EVALUATIONS.1 * self.point.len() as u64
    }

    fn equations_of(&self, class: u32) -> &[(u32, i64)] {
        &self.entries[self.starts[class as usize] as usize..self.starts[class as usize + 1] as usize]
    }

    /// Moves a class, then others until all equations hold. If that fails nothing is moved.
    fn close_circuit(&mut self, class: u32, by: i64, attempt: u32, effort: &SearchEffort) -> bool {
        self.moved.clear();
        if self.allowed_move(class, by) != by {
            return false;
        }
        self.shift(class, by, u64::MAX / 2);
        let unit = by.saturating_abs();
        while !self.unbalanced.is_empty() {
            let more = self.moved.len() < effort.max_moves && self.evaluations < self.goal_limit;
            let next = if more { self.choose_move(attempt, unit) } else { None };
            let Some((class, by)) = next else {
                self.undo_moves();
                return false;
            };
            self.shift(class, by, effort.tenure + u64::from(attempt % 8));
        }
        self.touched.extend(self.moved.iter().map(|(class, _)| *class));
        self.lift_tabu();
        true
    }

    /// Moves a class and the other corners of a box with it. If there is no box nothing is moved.
    fn close_box(&mut self, class: u32, by: i64, effort: &SearchEffort) -> bool {
        let most = self.evaluation_limit() / 4;
        let Some(mut boxes) = self.boxes.take_if(|boxes| effort.box_steps > 0 && boxes.steps < most) else {
            return false;
        };
        let members = &self.component.members[class as usize];
        let found = boxes.find_box(members, by, effort.box_steps, |class, by| self.allowed_move(class, by) == by);
        self.boxes = Some(boxes);
        let Some(moves) = found else { return false };
        self.moved.clear();
        moves.into_iter().for_each(|(class, by)| self.shift(class, by, 0));
        // what is still unbalanced are sums with a slack of their own
        while let Some(equation) = self.unbalanced.last() {
            let sum = self.sums[*equation as usize];
            let slack = |(class, times): &&(u32, i64)| {
                let by = sum.saturating_neg().saturating_mul(*times);
                self.equations_of(*class).len() == 1 && times.abs() == 1 && self.allowed_move(*class, by) == by
            };
            let Some((class, times)) = self.component.equations[*equation as usize].iter().find(slack) else {
                self.undo_moves();
                return false;
            };
            self.shift(*class, sum.saturating_neg().saturating_mul(*times), 0);
        }
        self.touched.extend(self.moved.iter().map(|(class, _)| *class));
        self.lift_tabu();
        true
    }

    /// The part of a move that the bounds of a class allow; 0 while it is tabu.
    fn allowed_move(&self, class: u32, by: i64) -> i64 {
        let at = class as usize;
        if self.tabu_until[at] > self.iteration {
            return 0;
        }
        let (low, high) = self.known.tighten(class, (self.component.low[at], self.component.high[at]));
        self.point[at].saturating_add(by).clamp(low, high) - self.point[at]
    }

    fn shift(&mut self, class: u32, by: i64, tenure: u64) {
        self.iteration += 1;
        self.tabu_until[class as usize] = self.iteration + tenure;
        self.point[class as usize] += by;
        self.moved.push((class, by));
        for place in self.starts[class as usize]..self.starts[class as usize + 1] {
            let (equation, times) = self.entries[place as usize];
            let sum = &mut self.sums[equation as usize];
            let before = *sum;
            // after an overflow the sum stays unbalanced, and the attempt fails
            *sum = before.saturating_add(times.saturating_mul(by));
            if before == 0 && *sum != 0 {
                self.unbalanced.push(equation);
            } else if before != 0 && *sum == 0 {
                self.unbalanced.retain(|other| *other != equation);
            }
        }
    }

    /// Lets the classes of this attempt be moved again.
    fn lift_tabu(&mut self) {
        for (class, _) in &self.moved {
            self.tabu_until[*class as usize] = 0;
        }
    }

    fn undo_moves(&mut self) {
        for (class, by) in &self.moved {
            self.point[*class as usize] -= by;
        }
        self.lift_tabu();
        for equation in self.unbalanced.drain(..) {
            self.sums[equation as usize] = 0;
        }
    }

    /// The move that best balances an unbalanced equation, in whole or in part. Of long equations some terms are evaluated, and
    /// all that two of them share.
    fn choose_move(&mut self, attempt: u32, unit: i64) -> Option<(u32, i64)> {
        let mut best = BestMove { attempt, unit, found: None, evaluations: 0 };
        for (place, equation) in self.unbalanced.iter().enumerate() {
            let (sum, terms) = (self.sums[*equation as usize], &self.component.equations[*equation as usize][..]);
            if terms.len() <= MAX_TERMS_SCANNED {
                terms.iter().for_each(|term| self.evaluate(&mut best, *term, sum));
                continue;
            }
            let first = pseudo_random(*equation, attempt) as usize % terms.len();
            let window = terms[first..].iter().chain(&terms[..first]).take(MAX_TERMS_SCANNED);
            window.for_each(|term| self.evaluate(&mut best, *term, sum));
            for other in &self.unbalanced[place + 1..] {
                let others = &self.component.equations[*other as usize];
                if others.len() > MAX_TERMS_SCANNED {
                    shared_terms(terms, others).for_each(|term| self.evaluate(&mut best, term, sum));
                }
            }
        }
        self.evaluations += best.evaluations;
        best.found.map(|(_, found)| found)
    }

    /// Evaluates the move of a class that balances an equation with this sum, and keeps it if it is the best so far.
    fn evaluate(&self, best: &mut BestMove, (class, times): (u32, i64), sum: i64) {
        best.evaluations += 1;
        let wanted = match times {
            1 => sum.saturating_neg(),
            -1 => sum,
            _ => (sum / times).saturating_neg(),
        };
        let by = self.allowed_move(class, wanted);
        if by == 0 {
            return;
        }
        let drawn = pseudo_random(class, best.attempt);
        let detour = i64::from(drawn % (1 + best.attempt % DETOUR_CYCLE)).saturating_mul(best.unit);
        let key = (self.imbalance_change(class, by).saturating_add(detour), drawn);
        if best.found.is_none_or(|(found, _)| key < found) {
            best.found = Some((key, (class, by)));
        }
    }

    /// How much a move adds to the imbalance of the equations of a class.
    fn imbalance_change(&self, class: u32, by: i64) -> i64 {
        let change = |(equation, times): &(u32, i64)| {
            let before = self.sums[*equation as usize];
            let after = before.saturating_add(times.saturating_mul(by));
            after.saturating_abs().saturating_sub(before.saturating_abs())
        };
        self.equations_of(class).iter().map(change).fold(0, i64::saturating_add)
    }
}

/// The best move so far, with its rank.
struct BestMove {
    attempt: u32,
    unit: i64,
    found: Option<((i64, u32), (u32, i64))>,
    evaluations: u64,
}

/// The terms of one equation whose classes appear in another too. Both are sorted by class.
fn shared_terms<'t>(mut one: &'t [(u32, i64)], mut other: &'t [(u32, i64)]) -> impl Iterator<Item = (u32, i64)> + 't {
    std::iter::from_fn(move || {
        loop {
            let term = *one.first()?;
            other = &other[other.partition_point(|(class, _)| *class < term.0)..];
            let next = other.first()?.0;
            if next == term.0 {
                one = &one[1..];
                return Some(term);
            }
            one = &one[one.partition_point(|(class, _)| *class < next)..];
        }
    })
}

/// A pseudo-random number (the last steps of splitmix64, Steele et al. 2014).
fn pseudo_random(class: u32, attempt: u32) -> u32 {
    let mut bits = (u64::from(attempt) << 32 | u64::from(class)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) as u32
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    /// A table of counts with all its totals free to move within `room`, cell by cell.
    fn square(side: u32, room: impl Fn(u32) -> (i64, i64)) -> Component {
        let width = side + 1;
        let along = |cells: Vec<u32>| {
            cells.iter().map(|cell| (*cell, if *cell == cells[side as usize] { -1 } else { 1 })).collect()
        };
        let rows = (0..width).map(|row| along((0..width).map(|column| row * width + column).collect()));
        let columns = (0..width).map(|column| along((0..width).map(|row| row * width + column).collect()));
        let cells = 0..width * width;
        Component {
            members: cells.clone().map(|cell| vec![(cell, true)]).collect(),
            low: cells.clone().map(|cell| room(cell).0).collect(),
            high: cells.clone().map(|cell| room(cell).1).collect(),
            equations: rows.chain(columns).collect(),
            unknowns: cells.len(),
        }
    }

    #[test]
    fn long_equations_are_closed_where_they_cross() {
        let component = square(400, |_| (-1, 1));
        let mut tabu = TabuSearch::new(None, &component);
        let point = tabu.reach(7, 1, &KnownBounds::fixed(&[]), &BRIEF).unwrap();
        assert!(point.moves.contains(&(7, 1)) && point.moves.len() <= 12, "{:?}", point.moves);
        assert!(tabu.reach(7, 2, &KnownBounds::fixed(&[]), &BRIEF).is_some_and(|point| point.moves.contains(&(7, 1))));
        assert_eq!(tabu.reach(7, 1, &KnownBounds::fixed(&[7]), &BRIEF), None);
    }

    #[test]
    fn a_cell_without_another_to_make_up_for_it_stays() {
        // no cell of the first row but one has room
        let component = square(5, |cell| if cell < 6 && cell != 2 { (0, 0) } else { (-2, 2) });
        let mut tabu = TabuSearch::new(None, &component);
        assert_eq!(tabu.reach(2, 1, &KnownBounds::fixed(&[]), &PATIENT), None);
        assert!(tabu.reach(8, -2, &KnownBounds::fixed(&[]), &PATIENT).is_some());
    }

    #[test]
    fn equations_share_the_classes_that_both_name() {
        let row: Vec<(u32, i64)> = (100..200).map(|class| (class, 1)).collect();
        let column: Vec<(u32, i64)> = (0..50).map(|step| (step * 9 + 1, -1)).collect();
        let found: Vec<u32> = shared_terms(&row, &column).map(|(class, _)| class).collect();
        assert_eq!(found, (100..200).filter(|class| class % 9 == 1).collect::<Vec<u32>>());
    }
}
