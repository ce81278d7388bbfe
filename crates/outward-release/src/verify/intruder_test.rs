//! The intruder test, where the policy asks for one: it is there, it is of this bundle, and its figures stay within the policy's limits.
//!
//! Only the custodian's data can show whether the claims of a test were right. The files show which bundle a card was
//! made on, whether its counts fit each other, its intervals, and whether it meets the policy's limits. These are
//! checked.

use std::path::Path;

use outward_spec::IntruderRules;
use serde::Deserialize;

use super::{Check, Place};
use crate::bundle::read_ordinary;
use crate::evidence::{EVIDENCE_FORMAT, evidence_files, manifest_hash};
use crate::manifest::Manifest;

/// The name of the check, and of the rule at the gate of a register.
pub const NAME: &str = "intruder-test";

/// What is read of a test. The rest is for people.
#[derive(Deserialize)]
struct Test {
    format: u32,
    bundle: String,
    authorised_by: String,
    card: Card,
}

#[derive(Deserialize)]
struct Card {
    targets: u64,
    claims: u64,
    verifiable: u64,
    correct: u64,
    precision: CardInterval,
    at_confidence: Vec<AtConfidence>,
    attributes: Vec<Attribute>,
    #[serde(default)]
    unused: Vec<String>,
}

#[derive(Deserialize)]
struct AtConfidence {
    confidence: f64,
    claims: u64,
    correct: u64,
    precision: CardInterval,
    found: CardInterval,
}

#[derive(Deserialize)]
struct Attribute {
    variable: String,
    answered: u64,
    correct: u64,
    guess: f64,
}

#[derive(Deserialize)]
struct CardInterval {
    value: f64,
    low: f64,
    high: f64,
}

/// Checks the tests of a bundle. None if the policy asks for none and there is none.
pub(super) fn check(bundle: &Path, manifest: &Manifest) -> outward_spec::Result<Option<Check>> {
    let files = evidence_files(bundle)?;
    if files.is_empty() {
        let missing = "the policy asks for an intruder test, and the bundle has none: run `outward attack SPEC --scenario NAME --authorised-by WHO --out BUNDLE` (`outward scenarios` lists them)";
        return Ok(manifest.rules.intruder_test.then(|| Check::fails(NAME, missing)));
    }
    let hash = manifest_hash(bundle)?;
    for file in &files {
        if let Err(what) = holds(&bundle.join(file), &hash, manifest) {
            return Ok(Some(Check::fails(NAME, what).at([Place::file(file)])));
        }
    }
    let tests = if files.len() == 1 { "1 intruder test".to_owned() } else { format!("{} intruder tests", files.len()) };
    Ok(Some(Check::holds(NAME, format!("{tests} of this bundle, within the limits of the policy"))))
}

/// Why a test is none of this bundle, or found too much.
fn holds(file: &Path, hash: &str, manifest: &Manifest) -> Result<(), String> {
    let text = read_ordinary(file).map_err(|_| "the file cannot be read as text".to_owned())?;
    let test: Test = serde_json::from_str(&text).map_err(|_| "this is not the form of an intruder test".to_owned())?;
    if test.format > EVIDENCE_FORMAT {
        return Err("a newer version of Outward wrote this test".to_owned());
    }
    if test.bundle != hash {
        return Err(
            "this test was made on another bundle, or the bundle was made again since: attack it again".to_owned()
        );
    }
    if test.authorised_by.trim().is_empty() {
        return Err("the test does not say who authorised it".to_owned());
    }
    if !is_consistent(&test.card) {
        return Err("the figures of the test do not fit each other".to_owned());
    }
    if let Some(variable) = test.card.unused.iter().find(|name| manifest.column(name).is_some()) {
        return Err(format!("the test was made without `{variable}`, which is in the release"));
    }
    manifest.rules.intruder.as_ref().map_or(Ok(()), |limits| within(&test.card, limits))
}

fn is_consistent(card: &Card) -> bool {
    let Card { targets, claims, verifiable, correct, precision, at_confidence, attributes, .. } = card;
    let confident = |at: &AtConfidence| {
        at.claims <= *verifiable
            && at.correct <= at.claims
            && at.correct <= *correct
            && at.precision.is_of(at.correct, at.claims)
            && at.found.is_of(at.correct, *targets)
    };
    claims <= targets
        && verifiable <= claims
        && correct <= verifiable
        && precision.is_of(*correct, *verifiable)
        && at_confidence.iter().all(confident)
        && attributes.iter().all(|of| of.correct <= of.answered && of.answered <= *targets)
}

/// Holds a card against the limits of the policy.
fn within(card: &Card, limits: &IntruderRules) -> Result<(), String> {
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

impl CardInterval {
    /// Whether it is the share of so many, with its 95 % interval: the two ends solve (p − share)² = z² p (1 − p) / n for p (Wilson 1927).
    fn is_of(&self, part: u64, all: u64) -> bool {
        const Z_SQUARED: f64 = 3.841_458_820_694_124;
        const NEAR: f64 = 1e-9;
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
        let of = |value, low, high| CardInterval { value, low, high };
        assert!(of(0.5, 0.236_593_091, 0.763_406_909).is_of(5, 10));
        assert!(!of(0.5, 0.23, 0.763_406_909).is_of(5, 10));
        assert!(of(0.0, 0.0, 1.0).is_of(0, 0));
        // Both ends on one side solve the equation too.
        assert!(!of(0.5, 0.236_593_091, 0.236_593_091).is_of(5, 10));
    }
}
