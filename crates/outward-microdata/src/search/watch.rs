//! Who follows a search while it runs, and may end it early: with the best recoding so far and a bound that is proven.

use std::fmt::Debug;

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchState {
    /// Recodings looked at.
    pub nodes: u64,
    /// The smallest loss found, where any recoding meets the models.
    pub best: Option<f64>,
    /// No recoding has a loss below this.
    pub bound: f64,
    /// Parts of the lattice that have not been looked into.
    pub open: usize,
}

/// Follows a search. It is asked after every few recodings, so it must be quick. Clocks and keys pressed are its own: the search knows
/// neither.
pub trait Watch: Debug + Sync {
    /// Whether the search goes on. If not, it ends with the best recoding so far.
    fn goes_on(&self, state: &SearchState) -> bool;
}
