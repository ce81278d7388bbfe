//! What every estimator takes and gives: the sampling fraction, and a share or the reason why there is none.

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// The share of the population that is in the sample: above 0, at most 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, JsonSchema)]
pub struct SamplingFraction(f64);

impl SamplingFraction {
    /// Checks the fraction.
    pub fn new(fraction: f64) -> Result<Self> {
        if fraction > 0.0 && fraction <= 1.0 {
            return Ok(Self(fraction));
        }
        Err(Error::input(format!("the sampling fraction {fraction} is not above 0 and at most 1"))
            .help("give the share of the population that is in the file: 0.01 for one in a hundred, 1 for everyone")
            .into())
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }

    /// People in a population of which this many records are the sample.
    pub fn population(self, records: u64) -> f64 {
        records as f64 / self.0
    }

    /// Whether the sample is the whole population.
    pub fn is_whole(self) -> bool {
        self.0 == 1.0
    }
}

/// The share of the population that is unique in it, or why there is no estimate. In JSON it is a number or a text, so
/// that nobody takes a failed estimate for a low one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Estimate {
    /// From 0 to 1.
    Share(f64),
    /// Why there is no estimate.
    Unavailable(String),
}

impl Estimate {
    /// The estimate of `uniques` people in a population of `people`, or a reason where no population can have so many.
    pub(super) fn of_uniques(uniques: f64, people: f64) -> Self {
        let share = uniques / people;
        if !share.is_finite() || share < 0.0 {
            return Self::unavailable("the model's formula gives no number for this population");
        }
        // A share just above 1 is rounding.
        if share > 1.0 + 1e-9 {
            return Self::unavailable("the model gives more unique people than there are people");
        }
        Self::Share(share.min(1.0))
    }

    pub(super) fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable(reason.into())
    }

    /// The share, where there is one.
    pub fn share(&self) -> Option<f64> {
        match self {
            Self::Share(share) => Some(*share),
            Self::Unavailable(_) => None,
        }
    }

    /// Why there is no share, if there is none.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Share(_) => None,
            Self::Unavailable(reason) => Some(reason),
        }
    }
}
