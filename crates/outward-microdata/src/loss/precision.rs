//! Precision lost: how far up its hierarchy each value went (Sweeney 2002).
//!
//! A record whose label is at level l of h costs l/h, and a suppressed one 1. The loss of a key is the mean over
//! records. Under a balance g and s: (Σ_kept g·l/h + s·suppressed)/N.

use super::{Balance, Facts, KeyFacts, Loss, LossForm, ROUNDING_TOLERANCE};

/// Loss by levels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Precision {
    /// How recoding and suppression weigh.
    pub balance: Balance,
    /// Whether suppressed records are lost, or counted at the level of the others.
    pub form: LossForm,
}

impl Precision {
    fn value(&self, facts: &Facts, key: &KeyFacts, kept: u64) -> f64 {
        let (g, s) = (self.balance.recoding(), self.balance.suppression());
        // The level is the mean over the kept records; of none kept it does not matter.
        let level = if key.height == 0 || facts.kept == 0 {
            0.0
        } else {
            key.steps as f64 / facts.kept as f64 / key.height as f64
        };
        match self.form {
            LossForm::Monotone => g * level,
            LossForm::Full => {
                let suppressed = (facts.records - kept) as f64;
                (g * level * kept as f64 + s * suppressed) / facts.records.max(1) as f64
            }
        }
    }
}

impl Loss for Precision {
    fn name(&self) -> &'static str {
        "precision"
    }

    fn values(&self, facts: &Facts, out: &mut Vec<f64>) {
        out.extend(facts.keys.iter().map(|key| self.value(facts, key, facts.kept)));
    }

    // If suppression is cheap, suppressing more can cost less than recoding. The loss is linear in the number kept, and
    // the smaller of both ends is a bound.
    fn bounds(&self, facts: &Facts, out: &mut Vec<f64>) {
        let least = facts.least_kept.min(facts.kept);
        let both = |key| self.value(facts, key, facts.kept).min(self.value(facts, key, least)) * ROUNDING_TOLERANCE;
        out.extend(facts.keys.iter().map(both));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{facts, key};
    use super::*;

    #[test]
    fn precision_worked_by_hand() {
        // 8 of 10 kept at level 1 of 2: (8·½ + 2)/10 = 0.6; a key without hierarchy loses what is suppressed.
        let facts = facts(vec![KeyFacts { steps: 8, ..key(4, 2, 22, 26) }, key(3, 0, 8, 10)]);
        let mut out = Vec::new();
        Precision::default().values(&facts, &mut out);
        assert_eq!(out, [0.6, 0.2]);
        out.clear();
        Precision { form: LossForm::Monotone, ..Precision::default() }.values(&facts, &mut out);
        assert_eq!(out, [0.5, 0.0]);
        out.clear();
        Precision { balance: Balance(0.1), form: LossForm::Full }.bounds(&facts, &mut out);
        assert_eq!(out, [0.2 * ROUNDING_TOLERANCE, 0.04 * ROUNDING_TOLERANCE]);
    }
}
