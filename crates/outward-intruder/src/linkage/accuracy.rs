//! How right the pairs are, against a column that says who each record is.
//!
//! Precision is the share of the pairs that are true, recall the share of all true pairs that are found, F1 their harmonic mean. True pairs
//! that no blocking rule makes count as missed.

use outward_cells::MISSING;
use serde::Serialize;

use super::model::LinkType;
use super::records::Joint;

/// Precision, recall and F1 over pairs. What has no meaning, such as the precision of no pair, is absent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Accuracy {
    /// Pairs that are one person.
    pub correct: u64,
    /// Of the pairs, the share that is.
    pub precision: Option<f64>,
    /// Of all true pairs, the share that is found.
    pub recall: Option<f64>,
    /// The harmonic mean of the two.
    pub f1: Option<f64>,
}

impl Accuracy {
    /// From counts of pairs, of correct pairs among them, and of all true pairs.
    pub fn new(pairs: u64, correct: u64, all_true: u64) -> Self {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        Self {
            correct,
            precision: share(correct, pairs),
            recall: share(correct, all_true),
            f1: share(2 * correct, pairs + all_true),
        }
    }
}

/// How many pairs are one person by the truth.
pub(crate) fn true_pairs(joint: &Joint, column: usize) -> u64 {
    let column = &joint.columns[column];
    let mut counts = vec![[0u64; 2]; column.dictionary.len() + 1];
    for (row, code) in column.codes.iter().enumerate().filter(|(_, code)| **code != MISSING) {
        counts[*code as usize][usize::from(row >= joint.first)] += 1;
    }
    let pairs = |[first, second]: [u64; 2]| match joint.link_type {
        LinkType::LinkOnly => first * second,
        LinkType::DedupeOnly | LinkType::LinkAndDedupe => (first + second) * (first + second).saturating_sub(1) / 2,
    };
    counts.into_iter().map(pairs).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_pairs_and_of_the_truth() {
        let accuracy = Accuracy::new(4, 3, 6);
        assert_eq!((accuracy.precision, accuracy.recall, accuracy.f1), (Some(0.75), Some(0.5), Some(0.6)));
        assert_eq!(Accuracy::new(0, 0, 6).precision, None);
    }
}
