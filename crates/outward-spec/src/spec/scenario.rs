//! Scenarios: who the intruder is, what they know and how well, and how they match.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::Source;
use crate::variable::{Rating, Role, Variable};

/// One kind of intruder: a `[[scenarios]]` section.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the scenario is called in findings and reports.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The variables the intruder knows. All keys of the spec where this and `known` are absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The records they look among, as an SQL condition. All records if absent.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub condition: Option<String>,
    /// Every combination of these keys among these records must be shared by at least `k` records (weak k-anonymity).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub k: Option<u64>,
    /// Who the intruder is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intruder: Option<Intruder>,
    /// The story in a sentence or two, for the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How well the intruder knows variables, which are keys of the scenario beside those of `keys`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Known>,
    /// How the intruder matches people with records. `exact` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack: Option<AttackKind>,
    /// Whether the intruder knows of the people they look for that they are in the release. `false` if absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub response_knowledge: bool,
    /// The share of the population that is in the intruder's file, above 0 and at most 1. 1 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub share: Option<f64>,
    /// The intruder's own file, with columns of the same names. Made from the population, or from the data, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Source>,
    /// The column that identifies people. The same value in the intruder's file (or the population) and in the data is
    /// the same person. For scoring only; the intruder does not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub truth: Option<String>,
    /// Who authorised attacks by this scenario: without an authority no attack is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub authorised_by: Option<String>,
    /// The variables the intruder wants to learn. The sensitive variables of the spec if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learn: Vec<String>,
    /// How many people the intruder looks for. Everyone in their file if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub targets: Option<u64>,
    /// The least confidence with which the intruder makes a claim, from 0 to 1. 0, a claim whenever a record fits, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// Where the intruder's mistakes and choices begin: the same seed gives the same attack. The seed of the spec if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// How well the intruder knows a variable, or all variables of a kind: an entry of `known`.
///
/// It says one of `variable`, `visibility` and `role`, or the last two together. Of several entries for a variable the first counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The variable, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub variable: Option<String>,
    /// All keys of the spec that are rated at least this visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Rating>,
    /// All variables of this role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// How coarsely the intruder knows it: a level of the variable's hierarchy. 0, the value itself, if absent.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub level: usize,
    /// The mistakes in what the intruder knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<KnownError>,
}

fn is_nought(level: &usize) -> bool {
    *level == 0
}

impl Known {
    /// Whether this entry is about a variable.
    #[must_use]
    pub fn picks(&self, variable: &Variable) -> bool {
        if let Some(name) = &self.variable {
            return *name == variable.name;
        }
        let visible = |least| variable.is_key() && variable.visibility.is_some_and(|rating| rating >= least);
        variable.is_column()
            && (self.visibility.is_some() || self.role.is_some())
            && self.visibility.is_none_or(visible)
            && self.role.is_none_or(|role| variable.role == role)
    }
}

/// A mistake in what the intruder knows of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownError {
    /// What kind of mistake.
    pub kind: MistakeKind,
    /// The share of people whose value has it, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub rate: f64,
}

/// What can be wrong with a value the intruder knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MistakeKind {
    /// The next larger or smaller value in the file: an age wrong by one.
    Adjacent,
    /// One character is another.
    Typo,
    /// The value of another person of the file: an address the person has left.
    Stale,
    /// The intruder does not know the value.
    Unknown,
}

/// How an intruder matches people with records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttackKind {
    /// Records that agree with everything the intruder knows.
    #[default]
    Exact,
    /// Records that are likely to be the person's although some values disagree (Fellegi and Sunter 1969).
    Linkage,
    /// Records whose numbers are nearest, among those that agree in everything else.
    Nearest,
}

/// Who tries to find someone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Intruder {
    /// Someone with time, skill and other data who wants to find anyone at all.
    Motivated,
    /// A person who looks for their own record and tells others that they found it.
    #[serde(rename = "self")]
    Oneself,
    /// Someone who knows a particular person: a neighbour, a relative, a colleague.
    Neighbour,
}
