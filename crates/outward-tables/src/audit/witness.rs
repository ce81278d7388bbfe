//! Witnesses: tables other than the true one that agree with everything published.
//!
//! A cell counts as protected only because witnesses show it elsewhere, and each is checked here, cell by cell and
//! equation by equation, in whole numbers and against the problem as it was before it was made small.

use super::attack::{Attack, FREE};
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
    /// Whether this class does not deviate.
    fn spares(&self, class: u32) -> bool {
        self.moves.iter().all(|(other, by)| *other != class || *by == 0)
    }
}

/// How far witnesses go, class by class.
#[derive(Debug)]
pub(super) struct Witnesses {
    /// The least deviation seen; 0 or less.
    pub(super) low: Vec<i64>,
    /// The largest.
    pub(super) high: Vec<i64>,
    points: Vec<Point>,
}

impl Witnesses {
    /// The true table, and nothing else.
    pub(super) fn new(classes: usize) -> Self {
        Self { low: vec![0; classes], high: vec![0; classes], points: Vec::new() }
    }

    /// Those that leave one class where it is.
    pub(super) fn sparing(&self, class: u32) -> Self {
        let mut left = Self::new(self.low.len());
        for point in self.points.iter().filter(|point| point.spares(class)) {
            left.record(point);
        }
        left
    }

    /// How many points are kept.
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    fn record(&mut self, point: &Point) {
        for (class, by) in &point.moves {
            // rounded towards the truth: a whole unit must be reached to count
            let whole = (by / i128::from(point.scale)).clamp(i128::from(-FREE), i128::from(FREE)) as i64;
            let class = *class as usize;
            self.low[class] = self.low[class].min(whole);
            self.high[class] = self.high[class].max(whole);
        }
    }

    fn further(&self, point: &Point) -> bool {
        point.moves.iter().any(|(class, by)| {
            let whole = by / i128::from(point.scale);
            whole < i128::from(self.low[*class as usize]) || whole > i128::from(self.high[*class as usize])
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
