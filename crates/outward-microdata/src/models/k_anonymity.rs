//! k-anonymity: every combination of the keys that occurs is shared by at least k records. Samarati and Sweeney 1998,
//! "Protecting privacy when disclosing information".

use super::{Limit, Margin, Model};

/// Every combination of all keys is shared by at least `k` records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KAnonymity {
    /// The least size of a class.
    pub k: u64,
}

impl Model for KAnonymity {
    fn says(&self) -> String {
        format!("k-anonymity with k = {}", self.k)
    }

    fn margins(&self, keys: usize) -> Vec<Margin> {
        vec![Margin { keys: (0..keys).collect(), subset: None, k: self.k }]
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn parts_fail_too(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_least("records that share all keys", "k", self.k as f64))
    }
}
