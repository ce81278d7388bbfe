//! Which unsafe cells have been dealt with, and how.

use std::collections::BTreeSet;

use outward_spec::Method;

use crate::audit::Verdict as Audited;
use crate::protect::Protected;
use crate::table::Figure;

/// What was done about each cell of a table.
#[derive(Debug, Clone)]
pub struct Remedies {
    method: Method,
    hidden: Vec<bool>,
    /// Cells that can be worked out, or told too closely, after all that was done; none where it is not known which.
    open: Option<BTreeSet<usize>>,
}

impl Remedies {
    /// What was done about the cells of the table at this place.
    pub fn of(method: Method, protected: &Protected, at: usize) -> Self {
        let hidden = protected.published[at].figures.iter().map(|figure| *figure == Figure::Hidden).collect();
        Self { method, hidden, open: open_cells(protected, at) }
    }

    /// How a cell was dealt with, in a word; none where an attacker can still work it out.
    pub fn word(&self, cell: usize) -> Option<&'static str> {
        if self.open.as_ref().is_none_or(|open| open.contains(&cell)) {
            return None;
        }
        match self.method {
            Method::None => None,
            Method::Suppress => self.hidden[cell].then_some("hidden"),
            Method::Round => Some("rounded"),
            Method::CellKey => Some("perturbed by its cell key"),
        }
    }
}

/// The cells of a table that the audit found open. A cell that stands in several tables is named by one of them, so that some may
/// not be found by name: then all are taken for open.
fn open_cells(protected: &Protected, at: usize) -> Option<BTreeSet<usize>> {
    let outcome = &protected.outcomes[at];
    let table = &protected.published[at].table;
    let failed = |verdict: Audited| !matches!(verdict, Audited::NotAsked | Audited::Protected);
    let lines = protected.certificates.iter().flat_map(|family| &family.certificate.cells);
    let start = format!("{}[", table.name);
    let place = |name: &str| name.strip_prefix(&start)?.split_once("]: ")?.0.parse::<usize>().ok();
    let open: BTreeSet<usize> =
        lines.filter(|line| failed(line.verdict)).filter_map(|line| place(&line.name)).collect();
    (open.len() == outcome.recoverable + outcome.too_tight).then_some(open)
}
