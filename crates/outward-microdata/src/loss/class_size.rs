//! Average class size: records for each class (LeFevre, DeWitt and Ramakrishnan 2006, without their division by k).
//!
//! N/(kept classes + 1 if any record is suppressed): the suppressed ones are one class of their own.

use super::{Facts, Loss};

/// Average class size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClassSize;

impl Loss for ClassSize {
    fn name(&self) -> &'static str {
        "class-size"
    }

    fn values(&self, facts: &Facts, out: &mut Vec<f64>) {
        let classes = facts.classes + u64::from(facts.kept < facts.records);
        out.push(facts.records as f64 / classes.max(1) as f64);
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
    fn class_size_worked_by_hand() {
        // Two classes kept and two records suppressed: 10/3.
        let mut out = Vec::new();
        ClassSize.values(&facts(Vec::new()), &mut out);
        assert_eq!(out, [10.0 / 3.0]);
    }
}
