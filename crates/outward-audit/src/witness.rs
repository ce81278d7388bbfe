//! Witnesses: tables other than the true one that agree with everything published.
//!
//! A cell counts as protected only because witnesses show it elsewhere, and each is checked here, cell by cell and
//! equation by equation, in whole numbers and against the problem as it was before it was made small.

use super::attack::{Attack, FREE, Need};
use super::bag::Limits;
use super::reduce::Component;

/// A point other than the true table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Point {
    /// Deviations are in units of one over this.
    pub(super) scale: i64,
    /// Class and deviation; classes not named do not deviate.
    pub(super) moves: Vec<(u32, i128)>,
}

impl Point {
    /// How far a class deviates, in whole units rounded towards the truth: a unit must be reached to count.
    fn whole(&self, by: i128) -> i64 {
        (by / i128::from(self.scale)).clamp(i128::from(-FREE), i128::from(FREE)) as i64
    }

    /// The same rounded away from the truth.
    fn away(&self, by: i128) -> i64 {
        let part = by % i128::from(self.scale) != 0;
        self.whole(by).saturating_add(if part { by.signum() as i64 } else { 0 })
    }
}

/// A point that moves a class, and how far in whole units, rounded towards the truth and away from it.
#[derive(Debug, Clone, Copy)]
struct Through {
    point: u32,
    whole: i64,
    away: i64,
}

/// How far witnesses go, class by class.
#[derive(Debug)]
pub(super) struct Witnesses {
    /// The least deviation seen; 0 or less.
    pub(super) low: Vec<i64>,
    /// The largest.
    pub(super) high: Vec<i64>,
    points: Vec<Point>,
    /// The points that move each class, where they are asked for by class.
    through: Vec<Vec<Through>>,
}

impl Witnesses {
    /// The true table, and nothing else.
    pub(super) fn new(classes: usize) -> Self {
        Self { low: vec![0; classes], high: vec![0; classes], points: Vec::new(), through: Vec::new() }
    }

    /// Makes points findable by the classes they move.
    pub(super) fn index(&mut self) {
        self.through = vec![Vec::new(); self.low.len()];
        for number in 0..self.points.len() {
            self.enter(number);
        }
    }

    fn enter(&mut self, number: usize) {
        let point = &self.points[number];
        for (class, by) in point.moves.iter().filter(|(_, by)| *by != 0) {
            let through = Through { point: number as u32, whole: point.whole(*by), away: point.away(*by) };
            self.through[*class as usize].push(through);
        }
    }

    /// The points that are beyond what is known of some class, in order.
    pub(super) fn beyond(&self, limits: &Limits) -> Vec<u32> {
        let mut points = Vec::new();
        for (class, low, high) in limits.iter() {
            let through = self.through[class as usize].iter();
            points.extend(through.filter(|of| of.away < low || of.away > high).map(|of| of.point));
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

    /// How far a class goes in other points than these, where that is not enough.
    pub(super) fn lacks(&self, class: u32, need: &Need, points: &[u32]) -> Option<(i64, i64)> {
        let (mut low, mut high) = (0, 0);
        for Through { point, whole, .. } in &self.through[class as usize] {
            if (*whole < low || *whole > high) && points.binary_search(point).is_err() {
                (low, high) = (low.min(*whole), high.max(*whole));
                if need.met(low, high) {
                    return None;
                }
            }
        }
        (!need.met(low, high)).then_some((low, high))
    }

    /// The points themselves, without what they show.
    pub(super) fn take(&mut self) -> Vec<Point> {
        std::mem::take(&mut self.points)
    }

    /// Takes over the points of others, which hold.
    pub(super) fn absorb(&mut self, others: Vec<Point>) {
        for point in others {
            self.record(&point);
            self.points.push(point);
            self.enter(self.points.len() - 1);
        }
    }

    /// What was seen of a class goes on for ever that way.
    pub(super) fn endless(&mut self, class: usize, up: bool) {
        if up {
            self.high[class] = FREE;
        } else {
            self.low[class] = -FREE;
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

    fn further(&self, point: &Point) -> bool {
        point.moves.iter().any(|(class, by)| {
            let whole = point.whole(*by);
            whole < self.low[*class as usize] || whole > self.high[*class as usize]
        })
    }

    /// Takes a point that goes further in some class than those before. Whether it holds; a point that is not new is
    /// not looked at.
    pub(super) fn offer(&mut self, checker: &mut Checker<'_>, component: &Component, point: Point) -> bool {
        if !self.further(&point) {
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

/// Checks points against the attacker's problem itself.
#[derive(Debug)]
pub(super) struct Checker<'a> {
    attack: &'a Attack,
    /// What an equation sums to so far.
    sums: Vec<i128>,
    touched: Vec<u32>,
}

impl<'a> Checker<'a> {
    /// For this problem.
    pub(super) fn new(attack: &'a Attack) -> Self {
        Self { attack, sums: vec![0; attack.equations.len()], touched: Vec::new() }
    }

    /// Whether all bounds and equations hold, and counts are whole.
    fn holds(&mut self, component: &Component, point: &Point) -> bool {
        let scale = i128::from(point.scale);
        let mut good = point.scale == 1 || !self.attack.counts;
        self.touched.clear();
        for (class, by) in &point.moves {
            for (unknown, with) in &component.members[*class as usize] {
                let unknown = *unknown as usize;
                let by = if *with { *by } else { -*by };
                let (low, high) = (self.attack.low[unknown], self.attack.high[unknown]);
                good &= low <= -FREE || by >= i128::from(low) * scale;
                good &= high >= FREE || by <= i128::from(high) * scale;
                for (equation, times) in &self.attack.of[unknown] {
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
