//! Which unsafe cells have been dealt with, and how.

use std::collections::BTreeSet;

use outward_spec::ProtectionMethod;

use crate::protect::Protected;
use crate::table::Figure;

/// What was done about each cell of a table.
#[derive(Debug, Clone)]
pub struct Remedies {
    method: ProtectionMethod,
    hidden: Vec<bool>,
    /// Cells that an attacker can still work out or bound too closely; `None` if it is not known which.
    open: Option<BTreeSet<usize>>,
}

impl Remedies {
    /// What was done about the cells of the table at this position.
    pub fn new(method: ProtectionMethod, protected: &Protected, at: usize) -> Self {
        let hidden = protected.published[at].figures.iter().map(|figure| *figure == Figure::Hidden).collect();
        let outcome = &protected.outcomes[at];
        // The disclosure of a group, or to a contributor, belongs to no single cell.
        let known = outcome.open.len() == outcome.recoverable + outcome.too_tight;
        Self { method, hidden, open: known.then(|| outcome.open.clone()) }
    }

    /// A word for how a cell was dealt with; `None` if an attacker can still work it out.
    pub fn word(&self, cell: usize) -> Option<&'static str> {
        if self.open.as_ref().is_none_or(|open| open.contains(&cell)) {
            return None;
        }
        match self.method {
            ProtectionMethod::None => None,
            ProtectionMethod::Suppress => self.hidden[cell].then_some("hidden"),
            ProtectionMethod::Round => Some("rounded"),
            ProtectionMethod::CellKey => Some("perturbed by its cell key"),
        }
    }
}
