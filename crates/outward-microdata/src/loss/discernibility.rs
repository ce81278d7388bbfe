//! Discernibility: each record costs the number of records it cannot be distinguished from (Bayardo and Agrawal 2005).
//!
//! A kept class of c records costs c², a suppressed record all N. The monotone form is Σ c² over all classes.

use super::{Facts, Loss, LossForm};

/// Discernibility.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Discernibility {
    /// Whether a suppressed record costs all records, or its class like any other.
    pub form: LossForm,
}

impl Loss for Discernibility {
    fn name(&self) -> &'static str {
        "discernibility"
    }

    fn values(&self, facts: &Facts, out: &mut Vec<f64>) {
        let suppressed = u128::from(facts.records - facts.kept);
        out.push(match self.form {
            LossForm::Full => (facts.squares + u128::from(facts.records) * suppressed) as f64,
            LossForm::Monotone => facts.all_squares as f64,
        });
    }

    fn reads_suppressed(&self) -> bool {
        self.form == LossForm::Monotone
    }

    fn reads_classes(&self) -> bool {
        true
    }

    fn is_per_key(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::facts;
    use super::*;

    #[test]
    fn discernibility_worked_by_hand() {
        // Classes of 5 and 3 kept, one of 2 suppressed, 10 records: 25 + 9 + 2·10, and 25 + 9 + 4.
        let facts = facts(Vec::new());
        let mut out = Vec::new();
        Discernibility::default().values(&facts, &mut out);
        Discernibility { form: LossForm::Monotone }.values(&facts, &mut out);
        assert_eq!(out, [54.0, 38.0]);
    }
}
