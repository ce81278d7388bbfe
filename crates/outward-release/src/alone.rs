//! Records alone on their keys, if the policy allows these. A k below 2 protects nobody from being singled out, and
//! reports say so first.

use outward_report::format::{count, share};
use schemars::JsonSchema;
use serde::Serialize;

/// Published records that are alone on their keys under a policy that asks for a k below 2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct UniqueRecords {
    /// Records alone on their keys.
    pub records: u64,
    /// All published records.
    pub of: u64,
    /// The k that the policy asks for.
    pub k: u64,
    /// The share of the population that is alone on the keys, if it is known or can be estimated.
    pub population_share: Option<f64>,
    /// Whether that share was counted in a population file; otherwise it is an estimate.
    pub counted: bool,
}

impl UniqueRecords {
    /// The first sentence of a report.
    pub(crate) fn headline(&self) -> String {
        format!(
            "Only k = {} is asked for: {} of {} records are alone on the keys",
            self.k,
            count(self.records),
            count(self.of)
        )
    }

    /// What this means for the people of the population.
    pub(crate) fn in_population(&self) -> String {
        match self.population_share {
            Some(alone) if self.counted => format!("In the population file {} are alone on these keys.", share(alone)),
            Some(alone) => format!("An estimated {} of the population is alone on these keys.", share(alone)),
            None => "It is not known what share of the population is alone on these keys. To estimate it, write \
                     `sampling_fraction = ...` at the top of the spec, or add a section `[population]`."
                .to_owned(),
        }
    }
}
