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
    /// Classes taken as known.
    pub(super) known: Vec<u32>,
}

impl Bag {
    /// Nothing proven; `known` are classes taken as known.
    pub(super) fn new(seen: Witnesses, known: Vec<u32>) -> Self {
        let count = seen.low.len();
        Self { seen, lowest: vec![None; count], highest: vec![None; count], known }
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
