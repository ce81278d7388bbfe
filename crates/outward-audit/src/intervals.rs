//! The feasibility intervals of the classes of a component: deviations that witnesses show, and ends that are proven.

use super::attacker_problem::ProtectionLevels;
use super::witness::Witnesses;

/// The deviations of each class: as far as witnesses show, and the ends where proven.
#[derive(Debug)]
pub(super) struct DeviationIntervals {
    /// How far witnesses go.
    pub(super) witnesses: Witnesses,
    /// The lower end of each class, where proven.
    pub(super) proven_low: Vec<Option<i64>>,
    /// The upper end of each class, where proven.
    pub(super) proven_high: Vec<Option<i64>>,
    /// Further bounds, those that a contributor knows.
    pub(super) known: KnownBounds,
}

/// Bounds on the deviation of classes that a contributor knows, by class.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KnownBounds(Vec<(u32, i64, i64)>);

impl KnownBounds {
    /// Joins all bounds of a class into one.
    pub(super) fn new(mut known: Vec<(u32, i64, i64)>) -> Self {
        known.sort_unstable();
        let mut joined: Vec<(u32, i64, i64)> = Vec::new();
        for (class, low, high) in known {
            match joined.last_mut() {
                Some(last) if last.0 == class => *last = (class, last.1.max(low), last.2.min(high)),
                _ => joined.push((class, low, high)),
            }
        }
        Self(joined)
    }

    /// Bounds that fix classes at their true value.
    #[cfg(test)]
    pub(super) fn fixed(classes: &[u32]) -> Self {
        Self::new(classes.iter().map(|class| (*class, 0, 0)).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, i64, i64)> + '_ {
        self.0.iter().copied()
    }

    /// Tightens the bounds of a class by those known here.
    pub(super) fn tighten(&self, class: u32, (low, high): (i64, i64)) -> (i64, i64) {
        match self.0.binary_search_by_key(&class, |(class, ..)| *class) {
            Ok(at) => (low.max(self.0[at].1), high.min(self.0[at].2)),
            Err(_) => (low, high),
        }
    }

    /// Whether a class is fixed at its true value.
    pub(super) fn fixes(&self, class: u32) -> bool {
        self.tighten(class, (i64::MIN, i64::MAX)) == (0, 0)
    }
}

impl DeviationIntervals {
    /// Nothing proven.
    pub(super) fn new(witnesses: Witnesses, known: KnownBounds) -> Self {
        let count = witnesses.low.len();
        Self { witnesses, proven_low: vec![None; count], proven_high: vec![None; count], known }
    }

    /// Whether witnesses show that a class meets its protection levels.
    pub(super) fn meets(&self, class: usize, need: &ProtectionLevels) -> bool {
        need.met(self.witnesses.low[class], self.witnesses.high[class])
    }

    /// How far witnesses go up or down.
    pub(super) fn shown(&self, class: usize, up: bool) -> i64 {
        if up { self.witnesses.high[class] } else { self.witnesses.low[class] }
    }

    /// Records an end as proven.
    pub(super) fn prove(&mut self, class: usize, up: bool, end: i64) {
        if up {
            self.proven_high[class] = Some(end);
        } else {
            self.proven_low[class] = Some(end);
        }
    }

    /// Whether the upper or lower end is proven.
    pub(super) fn proven(&self, class: usize, up: bool) -> bool {
        if up { self.proven_high[class].is_some() } else { self.proven_low[class].is_some() }
    }
}
