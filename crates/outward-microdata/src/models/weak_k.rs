//! Weak k-anonymity: a separate k for some of the keys, or among some of the records only. Atzori 2006, "Weak
//! k-anonymity: a low-distortion model for protecting privacy".

use super::{Limit, Margin, Model};

/// Every combination of some keys, among some records, is shared by at least `k` of these records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakKAnonymity {
    /// Positions of the keys.
    pub keys: Vec<usize>,
    /// Which subset of the records; all if absent.
    pub subset: Option<usize>,
    /// The least count.
    pub k: u64,
    /// The keys and records in words, such as `age and sex among records where region is "North"`.
    pub of: String,
}

impl Model for WeakKAnonymity {
    fn says(&self) -> String {
        format!("weak k-anonymity with k = {} on {}", self.k, self.of)
    }

    fn margins(&self, _keys: usize) -> Vec<Margin> {
        vec![Margin { keys: self.keys.clone(), subset: self.subset, k: self.k }]
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn parts_fail_too(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_least(format!("records that share {}", self.of), "k", self.k as f64))
    }
}
