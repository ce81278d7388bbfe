//! Weights of minimal uniques, and what they say about the chance of a match.
//!
//! The fewer keys suffice, the more special the unique. Weight of a minimal unique of size s among M keys:
//!
//! - (M − s)!, the number of paths from it to the set of all keys (Elliot, Manning and Ford 2002). With a cap K on the
//!   size it is the product of M − i for i from s to K. This differs only by a constant factor.
//! - (2^(M−s) − 1)·s!·(M−s)!/M!, the form of the guide of the International Household Survey Network (IHSN).
//!
//! DIS and DIS-SUDA: Elliot 2000, *DIS: a new approach to the measurement of statistical disclosure risk*.

use schemars::JsonSchema;
use serde::Serialize;

/// How a minimal unique is weighed by its size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Score {
    /// (M − s)!, or with a cap K the product of M − i for i from s to K.
    #[default]
    Elliot,
    /// (2^(M−s) − 1)·s!·(M−s)!/M!.
    Ihsn,
}

impl Score {
    /// The weight of each size from 1 on, among so many keys. `cap` is below the number of keys.
    pub(super) fn weights(self, keys: usize, cap: Option<usize>) -> Vec<f64> {
        let product = |from: usize, to: usize| (from..=to).map(|factor| factor as f64).product::<f64>();
        let weight = |size: usize| match (self, cap) {
            (Self::Elliot, None) => product(1, keys - size),
            (Self::Elliot, Some(cap)) => product(keys - cap, keys - size),
            (Self::Ihsn, _) => {
                let choose = product(keys - size + 1, keys) / product(1, size);
                (2f64.powf((keys - size) as f64) - 1.0) / choose
            }
        };
        (1..=cap.unwrap_or(keys)).map(weight).collect()
    }
}

/// DIS: the chance that a match with a unique of the sample is right, Uφ / (Uφ + P(1 − φ)); 0 without uniques.
/// `uniques` and `pairs` are numbers of records, φ is the share of the population that is in the sample.
pub(super) fn dis(uniques: u64, pairs: u64, fraction: f64) -> f64 {
    if uniques == 0 {
        return 0.0;
    }
    let unique = uniques as f64 * fraction;
    unique / (unique + pairs as f64 * (1.0 - fraction))
}

/// DIS-SUDA of each score: 1 / (1 + (U/DIS − U) / (score^Q · A)). Q is 1 + (8 − M)/20, and A is the sum of score^−Q
/// over the scores above 0. A score of 0 gives 0.
pub(super) fn dis_suda(scores: &[f64], keys: usize, uniques: u64, dis: f64) -> Vec<f64> {
    // From 28 keys on the formula would give the more special record the smaller chance; it was made for fewer.
    let exponent = (1.0 + (8.0 - keys as f64) / 20.0).max(0.05);
    let inverse: Vec<f64> = scores.iter().map(|score| if *score > 0.0 { score.powf(-exponent) } else { 0.0 }).collect();
    let sum: f64 = inverse.iter().sum();
    let excess = uniques as f64 / dis - uniques as f64;
    let chance = |inverse: &f64| if *inverse > 0.0 { 1.0 / (1.0 + excess * inverse / sum) } else { 0.0 };
    inverse.iter().map(chance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_four_keys() {
        assert_eq!(Score::Elliot.weights(4, None), [6.0, 2.0, 1.0, 1.0]);
        // (2³ − 1)/4, (2² − 1)/6, (2 − 1)/4, 0.
        assert_eq!(Score::Ihsn.weights(4, None), [1.75, 0.5, 0.25, 0.0]);
        // 3·2, 2.
        assert_eq!(Score::Elliot.weights(4, Some(2)), [6.0, 2.0]);
        assert_eq!(Score::Elliot.weights(6, Some(3)), [60.0, 12.0, 3.0]);
    }

    #[test]
    fn without_pairs_every_match_is_right() {
        assert_eq!(dis(3, 0, 0.1), 1.0);
        assert_eq!(dis_suda(&[1.0, 5.0, 0.0], 4, 3, 1.0), [1.0, 1.0, 0.0]);
        assert_eq!(dis(0, 4, 0.1), 0.0);
    }
}
