//! Highest risk, of the prosecutor: an intruder who knows that the person is in the file. Their chance of a correct
//! match is one over the size of the class (El Emam and Dankar 2008). A limit of x is k-anonymity with the least k for
//! which 1/k ≤ x.

use super::limit::{decimal, round_up};
use super::{Limit, Margin, Model};

/// The chance of a correct match is at most so high for every record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HighestRisk {
    /// The highest chance, above 0 and at most 1.
    pub most: f64,
}

impl HighestRisk {
    /// The least class size with a chance of at most [`HighestRisk::most`].
    pub fn k(&self) -> u64 {
        let k = (1.0 / self.most).floor().max(1.0);
        if 1.0 / k <= self.most { k as u64 } else { k as u64 + 1 }
    }
}

impl Model for HighestRisk {
    fn says(&self) -> String {
        format!("highest risk at most {} (k = {})", decimal(self.most), self.k())
    }

    fn margins(&self, keys: usize) -> Vec<Margin> {
        vec![Margin { keys: (0..keys).collect(), subset: None, k: self.k() }]
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn parts_fail_too(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_least("records that share all keys", "k", self.k() as f64))
    }

    fn met_by(&self, worst: f64) -> Option<String> {
        (worst >= 1.0).then(|| format!("highest risk = {}", decimal(round_up(1.0 / worst))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_highest_risk_of_a_fifth_asks_for_classes_of_five() {
        let k = |most| HighestRisk { most }.k();
        assert_eq!([1.0, 0.5, 0.34, 0.33, 0.2, 0.1, 0.09, 0.05, 0.01].map(k), [1, 2, 3, 4, 5, 10, 12, 20, 100]);
        assert_eq!((1..10_000u64).find(|size| k(1.0 / *size as f64) != *size), None);
    }
}
