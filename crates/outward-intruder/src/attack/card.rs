//! The score card: what an intruder claimed, and how often they were right.
//!
//! It has counts, shares, and the categories of variables by which groups were requested. It has no row and no value of
//! a person.

use outward_spec::AttackKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wilson::Interval;

/// How successful an intruder was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreCard {
    /// The scenario.
    pub scenario: String,
    /// How people were matched with records. `None` if people made the claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack: Option<AttackKind>,
    /// Whether the intruder knew that the people they looked for are in the release.
    pub response_knowledge: bool,
    /// The seed of random choices.
    pub seed: u64,
    /// The releases attacked; several if they were attacked together.
    pub releases: Vec<String>,
    /// Records of the first release.
    pub records: u64,
    /// People in the intruder's file.
    pub people: u64,
    /// People the intruder looked for, whether they are in the data or not.
    pub looked_for: u64,
    /// Those of them who are in the data, by the column that says who is who. The limits of a policy are about these.
    pub targets: u64,
    /// Those of them whose record is in the release.
    pub in_release: u64,
    /// The variables the intruder used, in the order of the scenario.
    pub used: Vec<String>,
    /// Variables the intruder knows by the scenario that were not used: the call left them out, no release has them, or
    /// the intruder's file has no such column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
    /// Claims: this record is this person.
    pub claims: u64,
    /// Claims about people whose record is known, so that the claims can be verified.
    pub verifiable: u64,
    /// Verifiable claims that are right.
    pub correct: u64,
    /// People looked for without a claim, by reason.
    pub no_claim: NoClaim,
    /// Correct claims as a share of verifiable claims.
    pub precision: Interval,
    /// Correct claims as a share of the people looked for who are in the release.
    pub recall: Interval,
    /// Correct claims as a share of the people of the data who were looked for.
    pub found: Interval,
    /// The share of verifiable claims that would be right if each named a record of the release at random.
    pub baseline: f64,
    /// The expected number of correct claims if each names one of its candidates at random. This is the sum of one over
    /// the number of candidates, for people whose own record is among them.
    pub expected: f64,
    /// How much better the intruder was than chance and than on people who are not in the release.
    pub excess: Excess,
    /// Correct claims among those made with at least some confidence.
    pub at_confidence: Vec<AtConfidence>,
    /// Claims by stated confidence, and how often they were right.
    pub calibration: Vec<CalibrationBand>,
    /// The same attack on people who are not in the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// The same attack with the other assumption on response knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Summary>,
    /// Each release attacked alone, if several were attacked together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Summary>,
    /// What the intruder would infer for variables they want to learn.
    pub attributes: Vec<AttributeScore>,
    /// Success by category, for the variables by which groups were requested.
    pub groups: Vec<GroupScore>,
    /// The variables in order of how much they helped, the most helpful first.
    pub helped: Vec<String>,
    /// How much each of them helped.
    pub contributions: Vec<Contribution>,
    /// The verdict of the policy, if it sets limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<super::Verdict>,
    /// Remarks on how it was measured.
    pub remarks: Vec<String>,
}

/// People looked for without a claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoClaim {
    /// No record fits.
    pub no_record: u64,
    /// The intruder was not confident enough.
    pub too_unsure: u64,
    /// Too many combinations of records fit to try all.
    pub too_many: u64,
}

/// How much better the intruder was than without the release.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Excess {
    /// Correct claims beyond those of claims that name a record at random.
    pub over_baseline: f64,
    /// Correct claims beyond those expected from a random choice among the candidates.
    pub over_expected: f64,
    /// The share of people with a claim, less the same share of the control file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_control: Option<f64>,
}

/// Claims with at least some confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtConfidence {
    /// The least confidence.
    pub confidence: f64,
    /// Verifiable claims made with it.
    pub claims: u64,
    /// Those that are right.
    pub correct: u64,
    /// Their share.
    pub precision: Interval,
    /// Correct claims as a share of the people of the data who were looked for.
    pub found: Interval,
}

/// Claims whose stated confidence is in a band.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationBand {
    /// From this confidence.
    pub from: f64,
    /// Up to but not including this confidence; the last band includes it.
    pub to: f64,
    /// Verifiable claims.
    pub claims: u64,
    /// Their mean stated confidence.
    pub stated: f64,
    /// The share that is right.
    pub right: Interval,
}

/// The attack on people who are not in the release. Their claims cannot be right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// Whether these are people in the release whose own records were held out.
    pub held_out: bool,
    /// How many people.
    pub people: u64,
    /// Claims about them, all false.
    pub claims: u64,
    /// The share of people with a claim.
    pub false_positives: Interval,
    /// Claims about them at or above the confidence at which the policy judges.
    pub confident_claims: u64,
}

/// A summary of an attack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// What was attacked, or how.
    pub name: String,
    /// People looked for who are in the data.
    pub targets: u64,
    /// Claims.
    pub claims: u64,
    /// Those that are right.
    pub correct: u64,
    /// Correct claims as a share of verifiable ones.
    pub precision: Interval,
    /// The mean stated confidence of the claims.
    pub mean_confidence: f64,
}

/// What the intruder would infer for a variable they want to learn: the most frequent value among the records that fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttributeScore {
    /// The variable.
    pub variable: String,
    /// People for whom there is an inference that can be checked.
    pub answered: u64,
    /// People for whom it is right.
    pub correct: u64,
    /// Their share.
    pub share: Interval,
    /// The mean stated confidence: the share of the fitting records that have the value.
    pub mean_confidence: f64,
    /// The share that would be right if the release's most frequent value was guessed for everyone.
    pub guess: f64,
    /// The share less the guess.
    pub gain: f64,
    /// The share that is right if each person's own record is held out: what could be inferred about them if they had
    /// not taken part. If no other record fits, it is the guess.
    pub without_own_record: f64,
}

/// Success with people of one category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupScore {
    /// The variable.
    pub variable: String,
    /// The category. `None` for people for whom it is missing, and for people of the data who are not in the release.
    pub category: Option<String>,
    /// People of the category who were looked for.
    pub targets: u64,
    /// Verifiable claims about them.
    pub claims: u64,
    /// Those that are right.
    pub correct: u64,
    /// Their share.
    pub precision: Interval,
    /// Correct claims as a share of the people looked for.
    pub found: Interval,
}

/// How much a variable helped the intruder, in people found on average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contribution {
    /// The variable.
    pub variable: String,
    /// Its Shapley value: what it adds to the expected number of correct claims, averaged over all orders in which the variables could come.
    pub shapley: f64,
    /// What the intruder loses without it.
    pub last: f64,
    /// What the intruder gains if it is all they know.
    pub alone: f64,
}
