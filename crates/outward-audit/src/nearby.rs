//! Tables near the true one: few cells moved, and every sum made good at once.
//!
//! Where every cell of a large table is in doubt, another table that fits is almost always at hand: a person more here
//! is one fewer there. One cell is moved; of the cells in the equations that no longer hold, the one is moved that brings
//! them nearest to holding; and so on until all hold. Where several are as good, a number drawn from cell and attempt
//! decides, so that another attempt goes another way and every run the same. First no cell is moved twice; where that
//! finds nothing, cells may be moved again after a while (Glover 1989), for longer. Where three variables cross or more,
//! such cells are many and seldom found one by one: there boxes are looked for first.

use std::collections::BTreeSet;

use super::attack::Attack;
use super::bag::Limits;
use super::boxes::Boxes;
use super::reduce::Component;
use super::witness::Point;

/// How an attempt is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Attempts for a move of one unit, and of more.
    attempts: [u32; 2],
    /// Moves before an attempt is given up.
    longest: usize,
    /// Moves after which a class may be moved again; up to seven more, by the attempt.
    rest: u64,
    /// Steps in the search for a box, where one is looked for.
    corners: u64,
}

/// Boxes only.
pub(super) const BOXED: Effort = Effort { attempts: [0, 0], longest: 0, rest: 0, corners: 4000 };
/// A few moves, each of another class.
pub(super) const BRIEF: Effort = Effort { attempts: [6, 3], longest: 48, rest: u64::MAX / 2, corners: 0 };
/// Where that finds nothing.
pub(super) const PATIENT: Effort = Effort { attempts: [64, 12], longest: 600, rest: 16, corners: 60_000 };

/// Every so many attempts go straight; those between take a class that leaves up to one or two equations more open as if it
/// did not, or the best would always be a neighbour and never a total.
const DETOURS: u32 = 3;
/// Terms of an equation that are looked at in one step; of a longer one so many, from a place drawn.
const WINDOW: usize = 64;

/// Classes weighed in a component before attempts are given up: so many, and so many for each class. The search for boxes
/// takes as long with a quarter of that.
const WEIGHED: (u64, u64) = (1 << 27, 1 << 14);

/// A component, and a point of it that fits.
#[derive(Debug)]
pub(super) struct Nearby<'a> {
    component: &'a Component,
    /// Where the equations of each class begin in `of`.
    starts: Vec<u32>,
    /// Equation and coefficient, class by class.
    of: Vec<(u32, i64)>,
    /// The present point.
    at: Vec<i64>,
    /// Classes that deviate at the present point, or have.
    named: Vec<u32>,
    /// What equations sum to.
    sums: Vec<i64>,
    /// Equations that do not sum to 0.
    open: Vec<u32>,
    /// Classes moved in this attempt, and by how much.
    moved: Vec<(u32, i64)>,
    /// From when on a class may be moved: moves are counted over all attempts.
    when: Vec<u64>,
    now: u64,
    limits: Limits,
    /// Where boxes are looked for.
    boxes: Option<Boxes<'a>>,
    /// Classes weighed so far, the measure of work.
    weighed: u64,
}

impl<'a> Nearby<'a> {
    /// At the true table; boxes are looked for in the problem it was made from, where that is given.
    pub(super) fn new(attack: Option<&'a Attack>, component: &'a Component) -> Self {
        let count = component.members.len();
        let mut starts = vec![0u32; count + 1];
        for (class, _) in component.equations.iter().flatten() {
            starts[*class as usize + 1] += 1;
        }
        for class in 0..count {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut of = vec![(0, 0); starts[count] as usize];
        for (equation, terms) in component.equations.iter().enumerate() {
            for (class, by) in terms {
                let place = &mut next[*class as usize];
                of[*place as usize] = (equation as u32, *by);
                *place += 1;
            }
        }
        Self {
            component,
            starts,
            of,
            at: vec![0; count],
            named: Vec::new(),
            sums: vec![0; component.equations.len()],
            open: Vec::new(),
            moved: Vec::new(),
            when: vec![0; count],
            now: 1,
            limits: Limits::default(),
            boxes: attack.map(|attack| Boxes::new(attack, component)),
            weighed: 0,
        }
    }

    /// A table in which a class deviates by `goal`, or some way towards it, within what is known of all.
    pub(super) fn reach(&mut self, class: u32, goal: i64, limits: &Limits, effort: &Effort) -> Option<Point> {
        if self.limits != *limits {
            self.limits.clone_from(limits);
        }
        let mut step = goal;
        while step != 0 {
            let attempts = effort.attempts[usize::from(step.abs() > 1)];
            step = if self.boxed(class, step, effort)
                || (0..attempts).any(|attempt| self.circuit(class, step, attempt, effort))
            {
                goal - self.at[class as usize]
            } else {
                step / 2
            };
        }
        let mut moves: Vec<(u32, i128)> = Vec::new();
        self.named.sort_unstable();
        for class in self.named.drain(..) {
            let by = std::mem::take(&mut self.at[class as usize]);
            if by != 0 {
                moves.push((class, i128::from(by)));
            }
        }
        (!moves.is_empty()).then_some(Point { scale: 1, moves })
    }

    /// Equations around a class, the nearest first, as many as `most` terms allow; its own in any case.
    pub(super) fn around(&self, class: u32, most: usize) -> Vec<u32> {
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

    /// How many classes may be weighed in all.
    fn most(&self) -> u64 {
        WEIGHED.0 + WEIGHED.1 * self.at.len() as u64
    }

    fn equations_of(&self, class: u32) -> &[(u32, i64)] {
        &self.of[self.starts[class as usize] as usize..self.starts[class as usize + 1] as usize]
    }

    /// Moves a class from the present point, and others so that all equations hold. Where that fails nothing is moved.
    fn circuit(&mut self, class: u32, by: i64, attempt: u32, effort: &Effort) -> bool {
        self.moved.clear();
        if self.room(class, by) != by {
            return false;
        }
        self.shift(class, by, u64::MAX / 2);
        let unit = by.saturating_abs();
        while !self.open.is_empty() {
            let more = self.moved.len() < effort.longest && self.weighed < self.most();
            let next = if more { self.choose(attempt, unit) } else { None };
            let Some((class, by)) = next else {
                self.undo();
                return false;
            };
            self.shift(class, by, effort.rest + u64::from(attempt % 8));
        }
        self.named.extend(self.moved.iter().map(|(class, _)| *class));
        self.end();
        true
    }

    /// Moves a class from the present point and the other corners of a box with it. Where there is none nothing is moved.
    fn boxed(&mut self, class: u32, by: i64, effort: &Effort) -> bool {
        let most = self.most() / 4;
        let Some(mut boxes) = self.boxes.take_if(|boxes| effort.corners > 0 && boxes.steps < most) else {
            return false;
        };
        let members = &self.component.members[class as usize];
        let found = boxes.around(members, by, effort.corners, |class, by| self.room(class, by) == by);
        self.boxes = Some(boxes);
        let Some(moves) = found else { return false };
        self.moved.clear();
        moves.into_iter().for_each(|(class, by)| self.shift(class, by, 0));
        // what is left open are sums that nothing else holds
        while let Some(equation) = self.open.last() {
            let sum = self.sums[*equation as usize];
            let lone = |(class, times): &&(u32, i64)| {
                let by = sum.saturating_neg().saturating_mul(*times);
                self.equations_of(*class).len() == 1 && times.abs() == 1 && self.room(*class, by) == by
            };
            let Some((class, times)) = self.component.equations[*equation as usize].iter().find(lone) else {
                self.undo();
                return false;
            };
            self.shift(*class, sum.saturating_neg().saturating_mul(*times), 0);
        }
        self.named.extend(self.moved.iter().map(|(class, _)| *class));
        self.end();
        true
    }

    /// How much of a move a class has room for; nothing where it was moved of late.
    fn room(&self, class: u32, by: i64) -> i64 {
        let at = class as usize;
        if self.when[at] > self.now {
            return 0;
        }
        let (low, high) = self.limits.of(class, (self.component.low[at], self.component.high[at]));
        self.at[at].saturating_add(by).clamp(low, high) - self.at[at]
    }

    fn shift(&mut self, class: u32, by: i64, rest: u64) {
        self.now += 1;
        self.when[class as usize] = self.now + rest;
        self.at[class as usize] += by;
        self.moved.push((class, by));
        for place in self.starts[class as usize]..self.starts[class as usize + 1] {
            let (equation, times) = self.of[place as usize];
            let sum = &mut self.sums[equation as usize];
            let before = *sum;
            // an overflow is no table: the sum stays wrong, and the attempt is given up
            *sum = before.saturating_add(times.saturating_mul(by));
            if before == 0 && *sum != 0 {
                self.open.push(equation);
            } else if before != 0 && *sum == 0 {
                self.open.retain(|other| *other != equation);
            }
        }
    }

    /// What was moved may be moved again.
    fn end(&mut self) {
        for (class, _) in &self.moved {
            self.when[*class as usize] = 0;
        }
    }

    fn undo(&mut self) {
        for (class, by) in &self.moved {
            self.at[*class as usize] -= by;
        }
        self.end();
        for equation in self.open.drain(..) {
            self.sums[equation as usize] = 0;
        }
    }

    /// The class and move that mend an open equation, or some of it, and leave least open. Of long equations some classes are
    /// looked at, and all that two of them share.
    fn choose(&mut self, attempt: u32, unit: i64) -> Option<(u32, i64)> {
        let mut best = Best { attempt, unit, held: None, weighed: 0 };
        for (place, equation) in self.open.iter().enumerate() {
            let (sum, terms) = (self.sums[*equation as usize], &self.component.equations[*equation as usize][..]);
            if terms.len() <= WINDOW {
                terms.iter().for_each(|term| self.weigh(&mut best, *term, sum));
                continue;
            }
            let first = mixed(*equation, attempt) as usize % terms.len();
            let window = terms[first..].iter().chain(&terms[..first]).take(WINDOW);
            window.for_each(|term| self.weigh(&mut best, *term, sum));
            for other in &self.open[place + 1..] {
                let others = &self.component.equations[*other as usize];
                if others.len() > WINDOW {
                    shared(terms, others).for_each(|term| self.weigh(&mut best, term, sum));
                }
            }
        }
        self.weighed += best.weighed;
        best.held.map(|(_, found)| found)
    }

    /// Keeps a class and the move that mends an equation with this sum, if it is the best so far.
    fn weigh(&self, best: &mut Best, (class, times): (u32, i64), sum: i64) {
        best.weighed += 1;
        let wanted = match times {
            1 => sum.saturating_neg(),
            -1 => sum,
            _ => (sum / times).saturating_neg(),
        };
        let by = self.room(class, wanted);
        if by == 0 {
            return;
        }
        let drawn = mixed(class, best.attempt);
        let detour = i64::from(drawn % (1 + best.attempt % DETOURS)).saturating_mul(best.unit);
        let key = (self.opens(class, by).saturating_add(detour), drawn);
        if best.held.is_none_or(|(held, _)| key < held) {
            best.held = Some((key, (class, by)));
        }
    }

    /// How much further from holding the equations of a class are after a move.
    fn opens(&self, class: u32, by: i64) -> i64 {
        let change = |(equation, times): &(u32, i64)| {
            let before = self.sums[*equation as usize];
            let after = before.saturating_add(times.saturating_mul(by));
            after.saturating_abs().saturating_sub(before.saturating_abs())
        };
        self.equations_of(class).iter().map(change).fold(0, i64::saturating_add)
    }
}

/// The best class and move so far, and what it is by.
struct Best {
    attempt: u32,
    unit: i64,
    held: Option<((i64, u32), (u32, i64))>,
    weighed: u64,
}

/// The terms of one equation whose classes another has too; both are in order of classes.
fn shared<'t>(mut one: &'t [(u32, i64)], mut other: &'t [(u32, i64)]) -> impl Iterator<Item = (u32, i64)> + 't {
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

/// A number that looks drawn (the last steps of splitmix64, Steele et al. 2014).
fn mixed(class: u32, attempt: u32) -> u32 {
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
        let mut nearby = Nearby::new(None, &component);
        let point = nearby.reach(7, 1, &Limits::fixed(&[]), &BRIEF).unwrap();
        assert!(point.moves.contains(&(7, 1)) && point.moves.len() <= 12, "{:?}", point.moves);
        assert!(nearby.reach(7, 2, &Limits::fixed(&[]), &BRIEF).is_some_and(|point| point.moves.contains(&(7, 1))));
        assert_eq!(nearby.reach(7, 1, &Limits::fixed(&[7]), &BRIEF), None);
    }

    #[test]
    fn a_cell_without_another_to_make_up_for_it_stays() {
        // no cell of the first row but one has room
        let component = square(5, |cell| if cell < 6 && cell != 2 { (0, 0) } else { (-2, 2) });
        let mut nearby = Nearby::new(None, &component);
        assert_eq!(nearby.reach(2, 1, &Limits::fixed(&[]), &PATIENT), None);
        assert!(nearby.reach(8, -2, &Limits::fixed(&[]), &PATIENT).is_some());
    }

    #[test]
    fn equations_share_the_classes_that_both_name() {
        let row: Vec<(u32, i64)> = (100..200).map(|class| (class, 1)).collect();
        let column: Vec<(u32, i64)> = (0..50).map(|step| (step * 9 + 1, -1)).collect();
        let found: Vec<u32> = shared(&row, &column).map(|(class, _)| class).collect();
        assert_eq!(found, (100..200).filter(|class| class % 9 == 1).collect::<Vec<u32>>());
    }
}
