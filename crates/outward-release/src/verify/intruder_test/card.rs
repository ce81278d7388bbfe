//! Checks the figures of a score card: whether they are consistent, and within the limits of the policy.

use std::collections::{BTreeMap, BTreeSet};

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
    looked_for: u64,
    pub(super) targets: u64,
    pub(super) in_release: u64,
    pub(super) used: Vec<String>,
    #[serde(default)]
    pub(super) unused: Vec<String>,
    claims: u64,
    verifiable: u64,
    correct: u64,
    no_claim: NoClaim,
    precision: Interval,
    recall: Interval,
    found: Interval,
    baseline: f64,
    pub(super) expected: f64,
    excess: Excess,
    pub(super) at_confidence: Vec<AtConfidence>,
    calibration: Vec<Band>,
    #[serde(default)]
    control: Option<Control>,
    #[serde(default)]
    otherwise: Option<Summary>,
    pub(super) attributes: Vec<Attribute>,
    groups: Vec<Group>,
    helped: Vec<String>,
    contributions: Vec<Contribution>,
}

#[derive(Deserialize)]
struct Excess {
    over_baseline: f64,
    over_expected: f64,
    #[serde(default)]
    over_control: Option<f64>,
}

#[derive(Deserialize)]
struct Control {
    held_out: bool,
    people: u64,
    claims: u64,
    false_positives: Interval,
    confident_claims: u64,
}

/// The same attack with the other assumption on response knowledge.
#[derive(Deserialize)]
struct Summary {
    targets: u64,
    claims: u64,
    correct: u64,
    mean_confidence: f64,
}

#[derive(Deserialize)]
struct Contribution {
    variable: String,
    shapley: f64,
    last: f64,
    alone: f64,
}

#[derive(Deserialize)]
struct NoClaim {
    no_record: u64,
    too_unsure: u64,
    too_many: u64,
}

#[derive(Deserialize)]
pub(super) struct AtConfidence {
    confidence: f64,
    claims: u64,
    pub(super) correct: u64,
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
    mean_confidence: f64,
    without_own_record: f64,
}

#[derive(Deserialize)]
struct Group {
    variable: String,
    targets: u64,
    claims: u64,
    correct: u64,
    precision: Interval,
    found: Interval,
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
        self.looked_for <= self.people
            && self.targets <= self.looked_for
            && self.in_release <= self.targets
            && (!self.response_knowledge || self.attack.is_none() || self.in_release == self.looked_for)
            && sum(parts) == Some(self.looked_for)
            && self.verifiable <= self.claims
            && self.correct <= self.verifiable.min(self.in_release)
            && self.precision.is_of(self.correct, self.verifiable)
            && self.recall.is_of(self.correct, self.in_release)
            && self.found.is_of(self.correct, self.targets)
            && (0.0..=self.claims as f64 + NEAR).contains(&self.expected)
            && self.baseline_fits()
            && self.excess_fits()
            && self.control.as_ref().is_none_or(|control| self.control_fits(control))
            && self.otherwise.as_ref().is_none_or(|other| other.is_consistent(self.people))
            && self.contributions_fit()
            && self.confidences_fit()
            && self.bands_fit()
            && self.attributes.iter().all(|of| of.is_consistent(self.targets))
            && self.groups_fit()
    }

    /// Whether the baseline is that of this many records: each claim about a person in the release is right with the chance
    /// 1/records, and those that are right are about such people.
    fn baseline_fits(&self) -> bool {
        let about_present = self.baseline * self.verifiable as f64 * self.records as f64;
        let is_whole = (about_present - about_present.round()).abs() < 1e-6 * about_present.max(1.0);
        let most = self.verifiable.min(self.in_release) as f64;
        is_whole && (self.correct as f64 - 0.5..=most + 0.5).contains(&about_present)
    }

    fn excess_fits(&self) -> bool {
        let correct = self.correct as f64;
        let by_chance = self.baseline * self.verifiable as f64;
        let over_control = self
            .control
            .as_ref()
            .map(|control| self.claims as f64 / self.looked_for.max(1) as f64 - control.false_positives.value);
        (self.excess.over_baseline - (correct - by_chance)).abs() < 1e-6
            && (self.excess.over_expected - (correct - self.expected)).abs() < 1e-6
            && match (self.excess.over_control, over_control) {
                (Some(said), Some(is)) => (said - is).abs() < NEAR,
                (said, is) => said.is_none() && is.is_none(),
            }
    }

    /// Whether the control has as many people as were looked for, if it is these, and no more otherwise.
    fn control_fits(&self, control: &Control) -> bool {
        control.people <= self.looked_for
            && (!control.held_out || control.people == self.looked_for)
            && control.false_positives.is_of(control.claims, control.people)
            && control.confident_claims <= control.claims
    }

    /// Whether what helped has each used variable once, in order. The values add up to the people found by all variables
    /// less those found by none, so to less than the people they were measured on.
    fn contributions_fit(&self) -> bool {
        let names = || self.contributions.iter().map(|of| of.variable.as_str());
        let used: BTreeSet<&str> = self.used.iter().map(String::as_str).collect();
        let most = self.in_release as f64 + NEAR;
        let all: f64 = self.contributions.iter().map(|of| of.shapley).sum();
        let is_within = |of: &Contribution| [of.shapley, of.last, of.alone].iter().all(|people| people.abs() <= most);
        self.attack.is_none() && self.contributions.is_empty() && self.helped.is_empty()
            || names().eq(self.helped.iter().map(String::as_str))
                && names().collect::<BTreeSet<_>>() == used
                && self.contributions.len() == used.len()
                && self.contributions.is_sorted_by(|more, less| more.shapley >= less.shapley)
                && self.contributions.iter().all(is_within)
                && all.abs() <= most
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
            let mut fits = counts.is_sorted_by(|more, fewer| more >= fewer)
                && group.precision.is_of(group.correct, group.claims)
                && group.found.is_of(group.correct, group.targets);
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

impl Summary {
    fn is_consistent(&self, people: u64) -> bool {
        self.targets <= people
            && self.claims <= people
            && self.correct <= self.claims.min(self.targets)
            && (0.0..=1.0).contains(&self.mean_confidence)
    }
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
            && (0.0..=1.0).contains(&self.mean_confidence)
            && (0.0..=1.0).contains(&self.without_own_record)
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
