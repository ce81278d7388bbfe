//! Steps: what is done to the records on their way to a release.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hierarchy::Number;

/// One thing done to the records: a `[[steps]]` section. Steps are done in the order of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Leave variables out.
    Drop {
        /// The variables to leave out.
        #[schemars(length(min = 1))]
        variables: Vec<String>,
    },
    /// Replace each value of a variable by its label at a level of the variable's hierarchy.
    Recode {
        /// The variable.
        variable: String,
        /// The level: 0 is the value as it is, the last level is `*`.
        level: usize,
    },
    /// Replace each postcode or ZIP code by the code that may be published for it, as a mapping says.
    Place {
        /// The variable that holds the codes: whole or in part, in any spelling.
        variable: String,
        /// The mapping, as `outward places pool` writes it. Relative to the spec file.
        mapping: PathBuf,
        /// What becomes of values that are not codes, or that the mapping does not know. `refuse` if absent.
        #[serde(default)]
        unknown: Unknown,
    },
    /// Move each point to the south-west corner of its cell of the British National Grid.
    Grid {
        /// The variables that hold the place. Either an easting and a northing in metres, or a latitude and a longitude
        /// in degrees, or one grid reference such as `SE 30 34`.
        #[schemars(length(min = 1, max = 2))]
        variables: Vec<String>,
        /// How the variables say it. Where absent: `metres` for two variables, `reference` for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<GridForm>,
        /// The width of a cell in metres.
        #[serde(default = "kilometre")]
        #[schemars(range(min = 1, max = 100_000))]
        cell: u32,
        /// What becomes of values that are no place on the grid. `refuse` if absent.
        #[serde(default)]
        unknown: Unknown,
    },
    /// Keep some records and leave the others out.
    Keep {
        /// The records to keep, as an SQL condition.
        #[serde(rename = "where")]
        #[schemars(length(min = 1))]
        condition: String,
    },
    /// Limit extremes: values from `bottom` down and from `top` up are not published as they are.
    Limit {
        /// The variable, a number.
        variable: String,
        /// This value and everything below is an extreme.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bottom: Option<Number>,
        /// This value and everything above is an extreme.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        top: Option<Number>,
        /// In place of `bottom`: this share of the records are extremes at the lower end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 1))]
        bottom_share: Option<f64>,
        /// In place of `top`: this share of the records are extremes at the upper end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 1))]
        top_share: Option<f64>,
        /// What is published in place of an extreme. `limit` if absent.
        #[serde(default)]
        publish: Extreme,
    },
    /// Round numbers to multiples of a base.
    Round {
        /// The variables, numbers.
        #[schemars(length(min = 1))]
        variables: Vec<String>,
        /// The base, above 0.
        base: Number,
        /// Whether to round up or down at random, so that sums stay right on average. `false`, to the nearest, if absent.
        #[serde(default, skip_serializing_if = "is_false")]
        unbiased: bool,
    },
    /// Leave single values out of records until every combination of the keys is shared.
    SuppressCells {
        /// The keys. All keys of the spec that are still there if absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        keys: Vec<String>,
        /// Every combination must be shared by at least this many records. The policy's k, and its weak k, if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        k: Option<u64>,
        /// What it costs to leave out a value of each key; 1 for those not named.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        importance: BTreeMap<String, f64>,
        /// Whether a rare record must lose values itself. Where it need not, and missing matches everything, it may stay whole
        /// because values left out of others make them match it. `false` if absent.
        #[serde(default, skip_serializing_if = "is_false")]
        own: bool,
    },
    /// Leave out records until the policy holds.
    SuppressRecords {
        /// The largest share of the records that may be left out, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        limit: f64,
    },
    /// Recode the keys by their hierarchies, some records further than others, until the policy holds.
    RecodeLocally {
        /// The largest share of the records that may be left out, from 0 to 1. 0 if absent.
        #[serde(default)]
        #[schemars(range(min = 0, max = 1))]
        limit: f64,
    },
    /// Leave out records whose category has few records in its region.
    RemoveRare {
        /// The variable whose categories are counted.
        variable: String,
        /// The variables that say the region. The whole file if absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        within: Vec<String>,
        /// A category with fewer records than this in its region is left out there.
        #[schemars(range(min = 1))]
        least: u64,
    },
    /// Leave out records that are alone, or nearly so, on some keys in their region.
    RemoveUniques {
        /// The keys.
        #[schemars(length(min = 1))]
        keys: Vec<String>,
        /// The variables that say the region. The whole file if absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        within: Vec<String>,
        /// Records that share their keys with fewer than this many, themselves counted, are left out. 2 if absent.
        #[serde(default = "two")]
        #[schemars(range(min = 2))]
        k: u64,
    },
    /// Keep a random sample of the records.
    Sample {
        /// How it is drawn. `simple` if absent.
        #[serde(default)]
        method: Sampling,
        /// The share of the records to keep, above 0 and at most 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 1))]
        fraction: Option<f64>,
        /// In place of `fraction`: how many records to keep.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        size: Option<u64>,
        /// `stratified`: the variables that make the strata. `systematic`: the variables to sort by first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by: Vec<String>,
        /// Whether households are sampled whole. `false` if absent.
        #[serde(default, skip_serializing_if = "is_false")]
        households: bool,
    },
    /// Swap the places of records: the risky ones and a random share, each with one like it elsewhere. The records are then
    /// put into a random order, since their neighbours in the file would tell who was swapped.
    Swap {
        /// The variables that say where, from coarse to fine.
        #[schemars(length(min = 1))]
        geography: Vec<String>,
        /// The keys whose combination makes a record risky in its place. All other keys of the spec if absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        keys: Vec<String>,
        /// Records that share these keys with fewer than this many in their place, themselves counted, are risky. 0, none, if absent.
        #[serde(default)]
        k: u64,
        /// Records whose keys are shared by fewer than this many in the population file are risky too. 0, none, if absent.
        #[serde(default)]
        population_below: u64,
        /// The share of the other records that is swapped besides, from 0 to 1. 0 if absent.
        #[serde(default)]
        #[schemars(range(min = 0, max = 1))]
        share: f64,
        /// What two records must have in common to be swapped: lists of variables, tried in this order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        similar: Vec<Vec<String>>,
        /// Tables that must not change: lists of variables, each counted by place.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hold: Vec<Vec<String>>,
    },
    /// Put the records into a random order. Their order in a file may tell who lives together, or who was swapped.
    Shuffle {},
    /// Replace numbers by the means of groups of similar records.
    Microaggregate {
        /// The variables, numbers.
        #[schemars(length(min = 1))]
        variables: Vec<String>,
        /// How many records a group has at least. 3 if absent.
        #[serde(default = "three")]
        #[schemars(range(min = 2))]
        k: u64,
        /// What is published of a group. `mean` if absent.
        #[serde(default)]
        publish: Centre,
    },
    /// Change categories at random, so that each stays as frequent as it is on average (PRAM).
    Pram {
        /// The variables.
        #[schemars(length(min = 1))]
        variables: Vec<String>,
        /// The least probability that a category stays as it is, before `share` is applied. 0.8 if absent.
        #[serde(default = "four_fifths")]
        #[schemars(range(min = 0, max = 1))]
        keep: f64,
        /// How far the change goes, from 0 (none) to 1. 0.5 if absent.
        #[serde(default = "half")]
        #[schemars(range(min = 0, max = 1))]
        share: f64,
        /// The variables within whose combinations categories change. The whole file if absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        within: Vec<String>,
    },
    /// Add noise to numbers.
    Noise {
        /// The variables, numbers.
        #[schemars(length(min = 1))]
        variables: Vec<String>,
        /// The size of the noise as a share of each variable's standard deviation. 0.1 if absent.
        #[serde(default = "tenth")]
        #[schemars(range(min = 0))]
        amount: f64,
        /// What kind of noise. `preserving` if absent.
        #[serde(default)]
        kind: NoiseKind,
    },
    /// Swap numbers with others of nearly the same rank.
    RankSwap {
        /// The variables, numbers, each swapped by itself.
        #[schemars(length(min = 1))]
        variables: Vec<String>,
        /// How far apart ranks may be, as a share of the records. 0.05 if absent.
        #[serde(default = "twentieth")]
        #[schemars(range(min = 0, max = 1))]
        distance: f64,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}

fn two() -> u64 {
    2
}

fn three() -> u64 {
    3
}

fn four_fifths() -> f64 {
    0.8
}

fn half() -> f64 {
    0.5
}

fn tenth() -> f64 {
    0.1
}

fn twentieth() -> f64 {
    0.05
}

impl Step {
    /// Whether the step leaves this variable out of the release.
    pub fn drops(&self, variable: &str) -> bool {
        matches!(self, Self::Drop { variables } if variables.iter().any(|name| name == variable))
    }

    /// The word the spec uses for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Drop { .. } => "drop",
            Self::Recode { .. } => "recode",
            Self::Place { .. } => "place",
            Self::Grid { .. } => "grid",
            Self::Keep { .. } => "keep",
            Self::Limit { .. } => "limit",
            Self::Round { .. } => "round",
            Self::SuppressCells { .. } => "suppress-cells",
            Self::SuppressRecords { .. } => "suppress-records",
            Self::RecodeLocally { .. } => "recode-locally",
            Self::RemoveRare { .. } => "remove-rare",
            Self::RemoveUniques { .. } => "remove-uniques",
            Self::Sample { .. } => "sample",
            Self::Swap { .. } => "swap",
            Self::Shuffle {} => "shuffle",
            Self::Microaggregate { .. } => "microaggregate",
            Self::Pram { .. } => "pram",
            Self::Noise { .. } => "noise",
            Self::RankSwap { .. } => "rank-swap",
        }
    }

    /// Whether it looks at one record at a time. The others need the whole file at once.
    pub fn is_record_wise(&self) -> bool {
        match self {
            Self::Drop { .. } | Self::Recode { .. } | Self::Place { .. } | Self::Grid { .. } | Self::Keep { .. } => {
                true
            }
            Self::Limit { bottom_share, top_share, publish, .. } => {
                bottom_share.is_none() && top_share.is_none() && *publish != Extreme::Mean
            }
            Self::Round { .. } => true,
            _ => false,
        }
    }

    /// Every variable the step names, with the field that names it.
    pub fn variables(&self) -> Vec<(&'static str, &String)> {
        fn all<'a>(field: &'static str, names: &'a [String]) -> Vec<(&'static str, &'a String)> {
            names.iter().map(|name| (field, name)).collect()
        }
        fn lists<'a>(field: &'static str, lists: &'a [Vec<String>]) -> Vec<(&'static str, &'a String)> {
            lists.iter().flatten().map(|name| (field, name)).collect()
        }
        match self {
            Self::Drop { variables }
            | Self::Grid { variables, .. }
            | Self::Round { variables, .. }
            | Self::Microaggregate { variables, .. }
            | Self::Noise { variables, .. }
            | Self::RankSwap { variables, .. } => all("variables", variables),
            Self::Recode { variable, .. } | Self::Place { variable, .. } | Self::Limit { variable, .. } => {
                vec![("variable", variable)]
            }
            Self::Keep { .. } | Self::SuppressRecords { .. } | Self::RecodeLocally { .. } | Self::Shuffle {} => {
                Vec::new()
            }
            Self::SuppressCells { keys, importance, .. } => {
                all("keys", keys).into_iter().chain(importance.keys().map(|name| ("importance", name))).collect()
            }
            Self::RemoveRare { variable, within, .. } => [vec![("variable", variable)], all("within", within)].concat(),
            Self::RemoveUniques { keys, within, .. } => [all("keys", keys), all("within", within)].concat(),
            Self::Sample { by, .. } => all("by", by),
            Self::Swap { geography, keys, similar, hold, .. } => {
                [all("geography", geography), all("keys", keys), lists("similar", similar), lists("hold", hold)]
                    .concat()
            }
            Self::Pram { variables, within, .. } => [all("variables", variables), all("within", within)].concat(),
        }
    }
}

/// What is published in place of an extreme value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Extreme {
    /// The limit itself.
    #[default]
    Limit,
    /// The mean of the extremes.
    Mean,
    /// Words, such as `85 or over`; the variable then is text.
    Label,
}

/// How a sample is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// Every record is as likely as the next.
    #[default]
    Simple,
    /// The same share of each stratum.
    Stratified,
    /// Every so many records from a random start.
    Systematic,
}

/// What is published of a group of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Centre {
    /// The mean.
    #[default]
    Mean,
    /// The median.
    Median,
}

/// A kind of noise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoiseKind {
    /// To each variable by itself.
    Additive,
    /// With the correlations of the variables.
    Correlated,
    /// Such that means and variances stay as they are on average.
    #[default]
    Preserving,
}

fn kilometre() -> u32 {
    1000
}

/// What becomes of a value that a step cannot place. It is never passed through as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// Nothing is written, and the records are counted.
    #[default]
    Refuse,
    /// The value is left out of the record, and the records are counted.
    Blank,
}

/// How variables say where something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GridForm {
    /// An easting and a northing, in metres.
    Metres,
    /// A latitude and a longitude, in degrees (WGS84 or ETRS89). The latitude becomes the northing, the longitude the easting.
    Degrees,
    /// A grid reference, such as `SE 30 34`.
    Reference,
}

impl GridForm {
    /// What so many variables usually are.
    pub fn usual(variables: usize) -> Self {
        if variables == 1 { Self::Reference } else { Self::Metres }
    }

    /// How many variables say it.
    pub fn variables(self) -> usize {
        if self == Self::Reference { 1 } else { 2 }
    }
}
