//! Loss: the share of a key's domain that a label leaves open, averaged over records (Iyengar 2002).
//!
//! A label with L of the D values under it has share L/D, a suppressed record share 1. With T the sum over the N records,
//! the loss of a key is (T − N/D)/(N − N/D): 0 if all values are as they were, 1 if nothing is left. Under a
//! balance g and s weigh recoding and suppression: T = Σ_kept g·L/D + Σ_suppressed (L/D + s·(1 − L/D)), and N/D
//! becomes g·N/D.

use super::{Balance, Facts, Loss, LossForm, ROUNDING_TOLERANCE};

/// Loss by shares of the domain.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Share {
    /// How recoding and suppression weigh.
    pub balance: Balance,
    /// Whether suppressed records are lost, or counted at their labels like the others.
    pub form: LossForm,
}

impl Loss for Share {
    fn name(&self) -> &'static str {
        "loss"
    }

    fn values(&self, facts: &Facts, out: &mut Vec<f64>) {
        let (g, s) = (self.balance.recoding(), self.balance.suppression());
        let records = facts.records as f64;
        let suppressed = (facts.records - facts.kept) as f64;
        for key in &facts.keys {
            let domain = key.domain.max(1) as f64;
            let total = match self.form {
                LossForm::Monotone => g * (key.all_leaves as f64 / domain),
                // In whole numbers as far as possible: equal losses must give equal results.
                LossForm::Full if g == 1.0 && s == 1.0 => {
                    (key.leaves + key.domain.max(1) * (facts.records - facts.kept)) as f64 / domain
                }
                LossForm::Full => {
                    let open = (key.all_leaves - key.leaves) as f64 / domain;
                    g * (key.leaves as f64 / domain) + open * (1.0 - s) + s * suppressed
                }
            };
            let least = g * records / domain;
            let most = records - least;
            // A key with one value has nothing to lose but its records.
            out.push(if most > 0.0 { ((total - least) / most).max(0.0) } else { suppressed / records.max(1.0) });
        }
    }

    fn bounds(&self, facts: &Facts, out: &mut Vec<f64>) {
        self.values(facts, out);
        if self.balance != Balance::default() {
            out.iter_mut().for_each(|value| *value *= ROUNDING_TOLERANCE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{facts, key};
    use super::*;

    #[test]
    fn loss_worked_by_hand() {
        // 10 records, 8 kept: 5 with 2 of 4 values open, 3 with all 4. T = (5·2 + 3·4)/4 + 2 = 7.5, N/D = 2.5.
        let facts = facts(vec![key(4, 2, 22, 26)]);
        let value = |balance: f64| {
            let mut out = Vec::new();
            Share { balance: Balance(balance), form: LossForm::Full }.values(&facts, &mut out);
            out[0]
        };
        assert_eq!(value(0.5), (7.5 - 2.5) / 7.5);
        // Suppression at half: of the two suppressed, whose labels leave 4 leaves open, 1·0.5 + 0.5·2 = 1.5 is lost.
        assert_eq!(value(0.25), (5.5 + 1.5 - 2.5) / 7.5);
        // Recoding at half: T = 2.75 + 2 and N/D becomes 1.25.
        assert_eq!(value(0.75), (4.75 - 1.25) / 8.75);
        let mut out = Vec::new();
        Share { form: LossForm::Monotone, ..Share::default() }.values(&facts, &mut out);
        assert_eq!(out, [(6.5 - 2.5) / 7.5]);
    }
}
