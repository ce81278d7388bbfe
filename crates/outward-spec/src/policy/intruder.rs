//! What a policy asks of a simulated intruder: `[intruder]` of a policy.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far an intruder of a scenario may succeed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntruderRules {
    /// Claims made with at least this confidence are judged, from 0 to 1. 0.6 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// The largest share of these claims that may be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub most_correct_share: Option<f64>,
    /// The largest share of the people looked for of whom such a claim may be right. Judged by the upper end of its interval, so that few
    /// people looked for do not pass as few found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub most_found: Option<f64>,
    /// How much more often the intruder may be right about a variable they want to learn than by guessing its most
    /// frequent value. A difference of shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub most_attribute_gain: Option<f64>,
    /// The fewest people the intruder must have looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub least_targets: Option<u64>,
}

impl IntruderRules {
    /// The confidence where a policy says none: the line that testers of statistical offices draw below a firm claim.
    pub const DEFAULT_CONFIDENCE: f64 = 0.6;

    /// The confidence from which claims are judged.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.confidence.unwrap_or(Self::DEFAULT_CONFIDENCE)
    }
}
