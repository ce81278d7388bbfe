//! A condition on records, as the engine parsed it.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// An SQL condition on one record. Two conditions are the same if they parse to the same expression, even if they are
/// written differently.
#[derive(Debug, Clone)]
pub struct Condition {
    /// As its author wrote it.
    pub text: String,
    /// As the engine parsed it, in one way of writing.
    pub parsed: String,
    /// The columns it reads, each once, in ascending order.
    pub columns: Vec<String>,
}

impl Condition {
    /// Whether it reads a column.
    pub fn reads(&self, column: &str) -> bool {
        self.columns.iter().any(|own| own == column)
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.parsed == other.parsed
    }
}

impl Eq for Condition {}

impl PartialOrd for Condition {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Condition {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parsed.cmp(&other.parsed)
    }
}

impl Hash for Condition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parsed.hash(state);
    }
}
