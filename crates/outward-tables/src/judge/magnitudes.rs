//! Rules for sums: threshold, (n, k) dominance, p % and p/q, with the protection level that each asks for.
//!
//! With contributions x₁ ≥ x₂ ≥ … to a sum X (Hundepool et al. 2012, *Statistical Disclosure Control*, chapter 4):
//! - (n, k): x₁ + … + xₙ > k/100·X is unsafe; the attacker's upper bound must reach 100/k·(x₁ + … + xₙ).
//! - p/q with a coalition of c: X − x₁ − (x₂ + … + x₁₊c) < p/q·x₁ is unsafe; the coalition's upper bound must be p/q·x₁
//!   less that remainder above X. The p % rule has q = 100 and c = 1.

use outward_spec::{Error, MagnitudeRules, Result};

use super::category::Graded;
use super::{Found, Rule};
use crate::table::Magnitudes;

/// How many of the largest contributions of each cell the rules look at.
pub fn largest_needed(rules: &MagnitudeRules) -> usize {
    let dominance = rules.dominance.map_or(0, |rule| rule.n);
    let coalition = if rules.p.is_some() { rules.coalition.unwrap_or(1) + 1 } else { 0 };
    dominance.max(coalition)
}

/// The sums that break a rule.
pub(super) fn unsafe_sums(sums: &Magnitudes, rules: &MagnitudeRules, graded: &Graded<'_>) -> Result<Vec<Found>> {
    let needed = largest_needed(rules);
    let mut found = Vec::new();
    for cell in (0..sums.sums.len()).filter(|cell| graded.grade(*cell).check) {
        let (contributors, largest) = (sums.contributors[cell], &sums.largest[cell]);
        if largest.len() < needed && (largest.len() as u64) < contributors {
            return Err(Error::bug(format!("{needed} of the largest contributions are needed of each cell")));
        }
        let sum = Sum { total: sums.sums[cell], contributors, largest };
        let broken = [
            (Rule::Threshold, sum.threshold(rules)),
            (Rule::Dominance, sum.dominance(rules)),
            (Rule::PPercent, sum.p_percent(rules)),
        ];
        for (rule, distance) in broken {
            if let Some(distance) = distance {
                found.push(Found { cell, rule, protection: Some((distance, distance)) });
            }
        }
    }
    Ok(found)
}

/// The protection level of a sum against one of its contributors, for the sake of the others. `others` has the
/// contributions of these, largest first. The contributor knows their own amount and is one of the coalition. They must
/// not know the sum exactly in any case.
pub(crate) fn beside_largest(others: &[i64], rules: &MagnitudeRules) -> i64 {
    let sum = Sum { total: others.iter().sum(), contributors: others.len() as u64, largest: others };
    let with_her = MagnitudeRules { coalition: Some(rules.coalition.unwrap_or(1).saturating_sub(1)), ..rules.clone() };
    [sum.dominance(rules), sum.p_percent(&with_her)].into_iter().flatten().max().unwrap_or(1)
}

struct Sum<'a> {
    total: i64,
    contributors: u64,
    largest: &'a [i64],
}

impl Sum<'_> {
    /// Each rule returns the protection level, at least one unit, if it is broken. With fewer contributors than the
    /// threshold, it is only required that the sum is not known exactly.
    fn threshold(&self, rules: &MagnitudeRules) -> Option<i64> {
        let threshold = rules.threshold?;
        (self.contributors > 0 && self.contributors < threshold).then_some(1)
    }

    fn dominance(&self, rules: &MagnitudeRules) -> Option<i64> {
        let rule = rules.dominance?;
        let largest = self.first(rule.n) as f64;
        if largest * 100.0 <= rule.k * self.total as f64 {
            return None;
        }
        // With k = 0 every sum is unsafe and no distance is enough. The level is then the sum itself.
        let bound = if rule.k > 0.0 { largest * 100.0 / rule.k } else { 2.0 * self.total as f64 };
        Some(at_least_one(bound - self.total as f64))
    }

    fn p_percent(&self, rules: &MagnitudeRules) -> Option<i64> {
        let (p, q) = (rules.p?, rules.q.unwrap_or(100.0));
        let known = self.first(rules.coalition.unwrap_or(1) + 1);
        let rest = (self.total - known) as f64;
        let largest = self.first(1) as f64;
        // Multiplied out, so that whole percentages of whole numbers are compared exactly.
        (rest * q < p * largest).then(|| at_least_one(p * largest / q - rest))
    }

    fn first(&self, n: usize) -> i64 {
        self.largest.iter().take(n).sum()
    }
}

fn at_least_one(distance: f64) -> i64 {
    (distance.ceil() as i64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outward_spec::Dominance;

    #[test]
    fn the_largest_contributor_is_kept_as_far_away_as_the_others_need() {
        let rules = |coalition| MagnitudeRules {
            dominance: Some(Dominance { n: 1, k: 75.0 }),
            p: Some(10.0),
            coalition,
            ..MagnitudeRules::default()
        };
        // Nobody dominates the others, so the sum must only not be known exactly.
        assert_eq!(beside_largest(&[50, 45, 40], &rules(None)), 1);
        // One other: 50/0.75 = 66.67.
        assert_eq!(beside_largest(&[50], &rules(None)), 17);
        // The contributor and the second of the others: 1 is left, and 10 % of 50 are 5.
        assert_eq!(beside_largest(&[50, 40, 1], &rules(Some(2))), 4);
        assert_eq!(beside_largest(&[0, 0], &rules(None)), 1);
    }
}
