//! Checks the figures of a score card: whether they are consistent, and within the limits of the policy.

use std::collections::BTreeMap;

use outward_spec::IntruderRules;
use serde::Deserialize;

/// Tolerance for two figures that should be equal.
const NEAR: f64 = 1e-9;

/// Confidences from which every card counts claims.
const CONFIDENCES: [f64; 3] = [0.6, 0.8, 0.95];

/// The parts of a card that are checked. The rest is for people.
#[derive(Deserialize)]
pub(super) struct Card {
    pub(super) scenario: String,
    /// `None` if people made the claims.
    #[serde(default)]
    pub(super) attack: Option<String>,
    pub(super) response_knowledge: bool,
    pub(super) records: u64,
    people: u64,
    pub(super) targets: u64,
    pub(super) used: Vec<String>,
    #[serde(default)]
    pub(super) unused: Vec<String>,
    claims: u64,
    verifiable: u64,
    correct: u64,
    no_claim: NoClaim,
    precision: Interval,
    found: Interval,
    expected: f64,
    at_confidence: Vec<AtConfidence>,
    calibration: Vec<Band>,
    pub(super) attributes: Vec<Attribute>,
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct NoClaim {
    no_record: u64,
    too_unsure: u64,
    too_many: u64,
}

#[derive(Deserialize)]
struct AtConfidence {
    confidence: f64,
    claims: u64,
    correct: u64,
    precision: Interval,
    found: Interval,
}

#[derive(Deserialize)]
struct Band {
    from: f64,
    to: f64,
    claims: u64,
    stated: f64,
    right: Interval,
}

#[derive(Deserialize)]
pub(super) struct Attribute {
    pub(super) variable: String,
    answered: u64,
    correct: u64,
    share: Interval,
    guess: f64,
    gain: f64,
}

#[derive(Deserialize)]
struct Group {
    variable: String,
    targets: u64,
    claims: u64,
    correct: u64,
}

#[derive(Deserialize)]
struct Interval {
    value: f64,
    low: f64,
    high: f64,
}

impl Card {
    /// Whether the figures are consistent.
    pub(super) fn is_consistent(&self) -> bool {
        let unclaimed = &self.no_claim;
        let parts = [self.claims, unclaimed.no_record, unclaimed.too_unsure, unclaimed.too_many];
        self.targets <= self.people
            && sum(parts) == Some(self.targets)
            && self.verifiable <= self.claims
            && self.correct <= self.verifiable
            && self.precision.is_of(self.correct, self.verifiable)
            && self.found.is_of(self.correct, self.targets)
            && (0.0..=self.claims as f64 + NEAR).contains(&self.expected)
            && self.confidences_fit()
            && self.bands_fit()
            && self.attributes.iter().all(|of| of.is_consistent(self.targets))
            && self.groups_fit()
    }

    /// Whether claims with more confidence are among those with less.
    fn confidences_fit(&self) -> bool {
        let mut before = (f64::NEG_INFINITY, self.verifiable, self.correct);
        for at in &self.at_confidence {
            let (confidence, claims, correct) = before;
            let fits = at.confidence > confidence
                && at.claims <= claims
                && at.correct <= correct.min(at.claims)
                && at.claims - at.correct <= claims - correct
                && at.precision.is_of(at.correct, at.claims)
                && at.found.is_of(at.correct, self.targets);
            if !fits {
                return false;
            }
            before = (at.confidence, at.claims, at.correct);
        }
        CONFIDENCES.iter().all(|known| self.at_confidence.iter().any(|at| at.confidence == *known))
    }

    /// Whether the bands of stated confidence have each claim once, and agree with the counts by least confidence.
    fn bands_fit(&self) -> bool {
        let mut end = 0.0;
        for band in &self.calibration {
            let is_within = band.stated >= band.from - NEAR && band.stated <= band.to + NEAR;
            if band.from < end
                || band.to <= band.from
                || !is_within
                || !band.right.is_of(band.right_claims(), band.claims)
            {
                return false;
            }
            end = band.to;
        }
        let from = |confidence: f64| {
            let above = || self.calibration.iter().filter(|band| band.from >= confidence);
            (sum(above().map(|band| band.claims)), sum(above().map(Band::right_claims)))
        };
        let counted = |at: &AtConfidence| {
            !CONFIDENCES.contains(&at.confidence) || from(at.confidence) == (Some(at.claims), Some(at.correct))
        };
        from(0.0) == (Some(self.verifiable), Some(self.correct)) && self.at_confidence.iter().all(counted)
    }

    /// Whether the categories of a variable have each person at most once.
    fn groups_fit(&self) -> bool {
        let most = [self.targets, self.verifiable, self.correct];
        let mut by_variable: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
        self.groups.iter().all(|group| {
            let counts = [group.targets, group.claims, group.correct];
            let all = by_variable.entry(&group.variable).or_default();
            let mut fits = counts.is_sorted_by(|more, fewer| more >= fewer);
            for ((all, count), most) in all.iter_mut().zip(counts).zip(most) {
                *all = all.saturating_add(count);
                fits &= *all <= most;
            }
            fits
        })
    }
}

/// A sum of counts; `None` after an overflow, as a forger may have written very large counts.
fn sum(counts: impl IntoIterator<Item = u64>) -> Option<u64> {
    counts.into_iter().try_fold(0u64, u64::checked_add)
}

impl Band {
    fn right_claims(&self) -> u64 {
        (self.right.value * self.claims as f64).round() as u64
    }
}

impl Attribute {
    fn is_consistent(&self, targets: u64) -> bool {
        let guessed = self.guess * self.answered as f64;
        self.answered <= targets
            && self.correct <= self.answered
            && (0.0..=1.0).contains(&self.guess)
            && (guessed - guessed.round()).abs() < 1e-6
            && self.share.is_of(self.correct, self.answered)
            && (self.gain - (self.share.value - self.guess)).abs() < NEAR
    }
}

/// Compares a card with the limits of the policy.
pub(super) fn within(card: &Card, limits: &IntruderRules) -> Result<(), String> {
    if limits.least_targets.is_some_and(|least| card.targets < least) {
        return Err("the intruder looked for fewer people than the policy asks".to_owned());
    }
    let confidence = limits.confidence();
    if limits.most_correct_share.is_some() || limits.most_found.is_some() {
        let Some(at) = card.at_confidence.iter().find(|at| at.confidence == confidence) else {
            return Err(format!("the test does not say what was claimed with a confidence of {confidence}"));
        };
        if limits.most_correct_share.is_some_and(|most| at.precision.value > most) {
            return Err("more of the intruder's confident claims are right than the policy allows".to_owned());
        }
        if limits.most_found.is_some_and(|most| at.found.high > most) {
            return Err("the intruder may find more people than the policy allows".to_owned());
        }
    }
    let gain = |of: &Attribute| of.correct as f64 / of.answered.max(1) as f64 - of.guess;
    let told = |most: f64| card.attributes.iter().find(|of| of.answered > 0 && gain(of) > most);
    match limits.most_attribute_gain.and_then(told) {
        Some(of) => Err(format!("the intruder learns more of `{}` than the policy allows", of.variable)),
        None => Ok(()),
    }
}

impl Interval {
    /// Whether it is the share `part` of `all`, with its 95 % interval. Both ends solve (p − share)² = z² p (1 − p) / n
    /// for p (Wilson 1927).
    fn is_of(&self, part: u64, all: u64) -> bool {
        const Z_SQUARED: f64 = 3.841_458_820_694_124;
        if all == 0 {
            return self.value == 0.0 && self.low == 0.0 && self.high == 1.0;
        }
        let (share, all) = (part as f64 / all as f64, all as f64);
        let solves = |end: f64| ((end - share).powi(2) - Z_SQUARED * end * (1.0 - end) / all).abs() < NEAR;
        (self.value - share).abs() < NEAR
            && solves(self.low)
            && solves(self.high)
            && (0.0..=share).contains(&self.low)
            && (share..=1.0).contains(&self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_an_interval_are_those_of_wilson() {
        // Newcombe 1998, table I, method 3: 81 of 263 and 15 of 148, with more digits by hand.
        let of = |value, low, high| Interval { value, low, high };
        assert!(of(0.5, 0.236_593_091, 0.763_406_909).is_of(5, 10));
        assert!(!of(0.5, 0.23, 0.763_406_909).is_of(5, 10));
        assert!(of(0.0, 0.0, 1.0).is_of(0, 0));
        // Two equal ends on one side solve the equation too.
        assert!(!of(0.5, 0.236_593_091, 0.236_593_091).is_of(5, 10));
    }
}
