//! Non-uniform entropy: the bits that are needed to get the values back from their labels (De Waal and Willenborg 1999;
//! Gionis and Tassa 2009).
//!
//! Per key −Σ over records of log₂(records with the value / records with its label). For the S suppressed records the
//! full form adds −Σ g log₂(g/S) over labels that g of them have. These are the bits needed to get their labels back.

use super::{Balance, Facts, Loss, LossForm, ROUNDING_TOLERANCE};

/// Non-uniform entropy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Entropy {
    /// How recoding and suppression weigh.
    pub balance: Balance,
    /// Whether suppressed records cost more than the others.
    pub form: LossForm,
}

impl Loss for Entropy {
    fn name(&self) -> &'static str {
        "entropy"
    }

    fn values(&self, facts: &Facts, out: &mut Vec<f64>) {
        let (g, s) = (self.balance.recoding(), self.balance.suppression());
        let value = |key: &super::KeyFacts| match self.form {
            LossForm::Full => g * key.entropy + s * key.spread,
            LossForm::Monotone => g * key.entropy,
        };
        out.extend(facts.keys.iter().map(value));
    }

    fn bounds(&self, facts: &Facts, out: &mut Vec<f64>) {
        self.values(facts, out);
        out.iter_mut().for_each(|value| *value *= ROUNDING_TOLERANCE);
    }

    fn reads_suppressed(&self) -> bool {
        self.form == LossForm::Full
    }
}

/// −Σ g log₂(g/S) over counts g with sum S.
pub(crate) fn spread(counts: &[u64]) -> f64 {
    let all: u64 = counts.iter().sum();
    let bits = |count: u64| if count == 0 { 0.0 } else { count as f64 * (all as f64 / count as f64).log2() };
    counts.iter().map(|count| bits(*count)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::KeyFacts;
    use super::super::tests::{facts, key};
    use super::*;

    #[test]
    fn entropy_worked_by_hand() {
        // Values 4, 4 and 8 under one label of 16: 4·2 + 4·2 + 8·1 = 24 bits, and as much for suppressed labels 4, 4, 8.
        assert_eq!(spread(&[4, 0, 4, 8]), 24.0);
        assert_eq!(spread(&[]), 0.0);
        let facts = facts(vec![KeyFacts { entropy: 24.0, spread: 6.0, ..key(3, 1, 8, 10) }]);
        let mut out = Vec::new();
        Entropy::default().values(&facts, &mut out);
        Entropy { form: LossForm::Monotone, ..Entropy::default() }.values(&facts, &mut out);
        Entropy { balance: Balance(0.25), form: LossForm::Full }.values(&facts, &mut out);
        assert_eq!(out, [30.0, 24.0, 27.0]);
    }
}
