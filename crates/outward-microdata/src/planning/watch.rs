//! Who follows the search for a plan, which is several searches one after the other.

use crate::search::Watch;

/// Follows the searches for a plan.
pub trait PlanWatch: Watch {
    /// A search begins; `left` searches are still to be done, this one among them. Whether it is to be done at all: the first always is.
    fn begins(&self, what: &str, left: usize) -> bool;
}
