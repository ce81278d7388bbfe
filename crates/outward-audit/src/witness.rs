//! Witnesses: tables other than the true one that agree with everything published.
//!
//! A cell is protected only if witnesses show other values of it. Each witness is checked here in integer arithmetic, cell by
//! cell and equation by equation, against the problem before presolve.

use super::attacker_problem::{AttackerProblem, ProtectionLevels, UNBOUNDED};
use super::intervals::KnownBounds;
use super::presolve::Component;

/// A point other than the true table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Point {
    /// Deviations are in units of one over this.
    pub(super) scale: i64,
    /// Class and deviation; other classes do not deviate.
    pub(super) moves: Vec<(u32, i128)>,
}

impl Point {
    /// A deviation in whole units, rounded towards the true value.
    fn whole(&self, by: i128) -> i64 {
        (by / i128::from(self.scale)).clamp(i128::from(-UNBOUNDED), i128::from(UNBOUNDED)) as i64
    }

    /// A deviation in whole units, rounded away from the true value.
    fn away(&self, by: i128) -> i64 {
        let part = by % i128::from(self.scale) != 0;
        self.whole(by).saturating_add(if part { by.signum() as i64 } else { 0 })
    }
}

/// A point that moves a class, with its deviation in whole units, rounded towards the true value and away from it.
#[derive(Debug, Clone, Copy)]
struct ClassMove {
    point: u32,
    whole: i64,
    away: i64,
}

/// How far witnesses go, class by class.
#[derive(Debug)]
pub(super) struct Witnesses {
    /// The least deviation seen; 0 or less.
    pub(super) low: Vec<i64>,
    /// The largest deviation seen; 0 or more.
    pub(super) high: Vec<i64>,
    points: Vec<Point>,
    /// The points that move each class, once indexed.
    by_class: Vec<Vec<ClassMove>>,
}

impl Witnesses {
    /// No witness but the true table.
    pub(super) fn new(classes: usize) -> Self {
        Self { low: vec![0; classes], high: vec![0; classes], points: Vec::new(), by_class: Vec::new() }
    }

    /// Indexes the points by the classes they move.
    pub(super) fn index(&mut self) {
        self.by_class = vec![Vec::new(); self.low.len()];
        for number in 0..self.points.len() {
            self.index_point(number);
        }
    }

    fn index_point(&mut self, number: usize) {
        let point = &self.points[number];
        for (class, by) in point.moves.iter().filter(|(_, by)| *by != 0) {
            let moves = ClassMove { point: number as u32, whole: point.whole(*by), away: point.away(*by) };
            self.by_class[*class as usize].push(moves);
        }
    }

    /// The points that violate a known bound, in order.
    pub(super) fn points_beyond(&self, known: &KnownBounds) -> Vec<u32> {
        let mut points = Vec::new();
        for (class, low, high) in known.iter() {
            let moves = self.by_class[class as usize].iter();
            points.extend(moves.filter(|of| of.away < low || of.away > high).map(|of| of.point));
        }
        points.sort_unstable();
        points.dedup();
        points
    }

    /// The classes that some points move, by number.
    pub(super) fn moved_by(&self, points: &[u32]) -> Vec<u32> {
        let points = points.iter().map(|point| &self.points[*point as usize]);
        let mut classes: Vec<u32> = points.flat_map(|point| point.moves.iter().map(|(other, _)| *other)).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// How far a class goes in all other points; `None` if that meets its protection levels.
    pub(super) fn shortfall(&self, class: u32, levels: &ProtectionLevels, points: &[u32]) -> Option<(i64, i64)> {
        let (mut low, mut high) = (0, 0);
        for ClassMove { point, whole, .. } in &self.by_class[class as usize] {
            if (*whole < low || *whole > high) && points.binary_search(point).is_err() {
                (low, high) = (low.min(*whole), high.max(*whole));
                if levels.met(low, high) {
                    return None;
                }
            }
        }
        (!levels.met(low, high)).then_some((low, high))
    }

    /// Takes the points out. What they show is kept.
    pub(super) fn take_points(&mut self) -> Vec<Point> {
        std::mem::take(&mut self.points)
    }

    /// Adds points that were checked elsewhere.
    pub(super) fn absorb(&mut self, others: Vec<Point>) {
        for point in others {
            self.record(&point);
            self.points.push(point);
            self.index_point(self.points.len() - 1);
        }
    }

    /// Records that a class is unbounded up or down.
    pub(super) fn mark_unbounded(&mut self, class: usize, up: bool) {
        if up {
            self.high[class] = UNBOUNDED;
        } else {
            self.low[class] = -UNBOUNDED;
        }
    }

    /// How many points are kept.
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    fn record(&mut self, point: &Point) {
        for (class, by) in &point.moves {
            let (class, whole) = (*class as usize, point.whole(*by));
            self.low[class] = self.low[class].min(whole);
            self.high[class] = self.high[class].max(whole);
        }
    }

    fn extends(&self, point: &Point) -> bool {
        point.moves.iter().any(|(class, by)| {
            let whole = point.whole(*by);
            whole < self.low[*class as usize] || whole > self.high[*class as usize]
        })
    }

    /// Checks and keeps a point that goes further in some class than those before. Returns whether it holds. A point that
    /// shows nothing new is not checked and counts as holding.
    pub(super) fn offer(&mut self, checker: &mut Checker<'_>, component: &Component, point: Point) -> bool {
        if !self.extends(&point) {
            return true;
        }
        if !checker.holds(component, &point) {
            return false;
        }
        self.record(&point);
        self.points.push(point);
        true
    }
}

/// Checks points against the attacker's problem before presolve.
#[derive(Debug)]
pub(super) struct Checker<'a> {
    problem: &'a AttackerProblem,
    /// What an equation sums to so far.
    sums: Vec<i128>,
    touched: Vec<u32>,
}

impl<'a> Checker<'a> {
    /// A checker for this problem.
    pub(super) fn new(problem: &'a AttackerProblem) -> Self {
        Self { problem, sums: vec![0; problem.equations.len()], touched: Vec::new() }
    }

    /// Whether all bounds and equations hold, and counts are integers.
    fn holds(&mut self, component: &Component, point: &Point) -> bool {
        let scale = i128::from(point.scale);
        let mut good = point.scale == 1 || !self.problem.counts;
        self.touched.clear();
        for (class, by) in &point.moves {
            for (unknown, with) in &component.members[*class as usize] {
                let unknown = *unknown as usize;
                let by = if *with { *by } else { -*by };
                let (low, high) = (self.problem.low[unknown], self.problem.high[unknown]);
                good &= low <= -UNBOUNDED || by >= i128::from(low) * scale;
                good &= high >= UNBOUNDED || by <= i128::from(high) * scale;
                for (equation, times) in &self.problem.equations_of[unknown] {
                    self.touched.push(*equation);
                    match by.checked_mul(i128::from(*times)).and_then(|v| v.checked_add(self.sums[*equation as usize]))
                    {
                        Some(sum) => self.sums[*equation as usize] = sum,
                        None => good = false,
                    }
                }
            }
        }
        for equation in &self.touched {
            good &= std::mem::take(&mut self.sums[*equation as usize]) == 0;
        }
        good
    }
}
