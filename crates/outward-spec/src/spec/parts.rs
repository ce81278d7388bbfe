//! Smaller sections of a spec: the search for a plan, and outputs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::Format;

/// What a plan should preserve, and how far it may go: the `[plan]` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlanChoice {
    /// How the loss of a recoding is measured. `loss` if absent.
    pub loss: LossMeasure,
    /// How the losses of the keys become one number. `arithmetic-mean` if absent.
    pub aggregate: Aggregate,
    /// The largest share of the records that may be left out, from 0 to 1. 0.05 if absent.
    #[schemars(range(min = 0, max = 1))]
    pub suppression_limit: f64,
    /// Whether the search should rather leave out records (towards 1) or recode (towards 0). 0.5 if absent.
    #[schemars(range(min = 0, max = 1))]
    pub suppression_weight: f64,
    /// How much each key matters to the users; 1 for those not named.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f64>,
    /// The finest and the coarsest level each key may have; all levels for those not named.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, [usize; 2]>,
    /// Tables of keys that must stay true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TrueTable>,
    /// How many recodings may be looked at before the search ends with the best so far. 200,000 if absent.
    #[schemars(range(min = 1))]
    pub most_recodings: u64,
}

impl Default for PlanChoice {
    fn default() -> Self {
        Self {
            loss: LossMeasure::default(),
            aggregate: Aggregate::default(),
            suppression_limit: 0.05,
            suppression_weight: 0.5,
            weights: BTreeMap::new(),
            levels: BTreeMap::new(),
            tables: Vec::new(),
            most_recodings: 200_000,
        }
    }
}

/// A table that must stay true: an entry of `tables` in `[plan]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrueTable {
    /// The keys that span it.
    #[schemars(length(min = 1))]
    pub variables: Vec<String>,
    /// The largest share of its records that may stand in the wrong cell, from 0 to 1. 0.1 if absent.
    #[serde(default = "a_tenth")]
    #[schemars(range(min = 0, max = 1))]
    pub most_error: f64,
}

fn a_tenth() -> f64 {
    0.1
}

/// How the loss of a recoding is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossMeasure {
    /// The share of a key's domain that a published value leaves open.
    #[default]
    Loss,
    /// The level of each key as a share of its highest.
    Precision,
    /// For each record the number of records it cannot be distinguished from.
    Discernibility,
    /// The mean number of records in a class.
    ClassSize,
    /// How much less a published value says than the original one, in bits.
    Entropy,
}

/// How the losses of the keys become one number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// Their mean.
    #[default]
    ArithmeticMean,
    /// Their geometric mean, of one plus each, less one.
    GeometricMean,
    /// Their sum.
    Sum,
    /// The largest.
    Maximum,
    /// The largest, then the next, and so on.
    Rank,
}

/// A file to be written: an `[[outputs]]` section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The file. Relative to the spec file.
    pub path: PathBuf,
    /// `csv`, `parquet` or `excel`; from the ending of `path` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
}
