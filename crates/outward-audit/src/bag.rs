//! What is known of the classes of a component: deviations that witnesses show, and ends that are proven.

use super::attack::Need;
use super::witness::Witnesses;

/// What a hunt brought: deviations shown by witnesses, and ends proven.
#[derive(Debug)]
pub(super) struct Bag {
    /// What witnesses show.
    pub(super) seen: Witnesses,
    /// The end below of each class, where proven.
    pub(super) lowest: Vec<Option<i64>>,
    /// The end above.
    pub(super) highest: Vec<Option<i64>>,
    /// What is known of classes beside their bounds.
    pub(super) limits: Limits,
}

/// What someone knows of classes: how far each can deviate at least and at most, by class.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Limits(Vec<(u32, i64, i64)>);

impl Limits {
    /// Each class with all that is known of it.
    pub(super) fn new(mut known: Vec<(u32, i64, i64)>) -> Self {
        known.sort_unstable();
        let mut limits: Vec<(u32, i64, i64)> = Vec::new();
        for (class, low, high) in known {
            match limits.last_mut() {
                Some(last) if last.0 == class => *last = (class, last.1.max(low), last.2.min(high)),
                _ => limits.push((class, low, high)),
            }
        }
        Self(limits)
    }

    /// Classes that do not deviate.
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

    /// The bounds of a class, as far as they are not narrower already.
    pub(super) fn of(&self, class: u32, (low, high): (i64, i64)) -> (i64, i64) {
        match self.0.binary_search_by_key(&class, |(class, ..)| *class) {
            Ok(at) => (low.max(self.0[at].1), high.min(self.0[at].2)),
            Err(_) => (low, high),
        }
    }

    /// Whether a class does not deviate.
    pub(super) fn fix(&self, class: u32) -> bool {
        self.of(class, (i64::MIN, i64::MAX)) == (0, 0)
    }
}

impl Bag {
    /// Nothing proven.
    pub(super) fn new(seen: Witnesses, limits: Limits) -> Self {
        let count = seen.low.len();
        Self { seen, lowest: vec![None; count], highest: vec![None; count], limits }
    }

    /// Whether witnesses show enough of a class.
    pub(super) fn meets(&self, class: usize, need: &Need) -> bool {
        need.met(self.seen.low[class], self.seen.high[class])
    }

    /// How far witnesses go that way.
    pub(super) fn shown(&self, class: usize, up: bool) -> i64 {
        if up { self.seen.high[class] } else { self.seen.low[class] }
    }

    /// Takes an end as proven.
    pub(super) fn prove(&mut self, class: usize, up: bool, end: i64) {
        if up {
            self.highest[class] = Some(end);
        } else {
            self.lowest[class] = Some(end);
        }
    }

    /// Whether the end that way is proven.
    pub(super) fn proven(&self, class: usize, up: bool) -> bool {
        if up { self.highest[class].is_some() } else { self.lowest[class].is_some() }
    }
}
