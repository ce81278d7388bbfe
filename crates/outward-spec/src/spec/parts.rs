//! The smaller sections of a spec: scenarios, steps, tables and outputs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::Format;

/// One way an intruder might go about it: a `[[scenarios]]` section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the scenario is called in findings and reports.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The variables the intruder knows. All keys of the spec where absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The records she looks among, as an SQL condition. All records where absent.
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
}

/// Who tries to find someone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Intruder {
    /// Someone with time, skill and other data who wants to find anyone at all.
    Motivated,
    /// A person who looks for herself and tells others that she was found.
    #[serde(rename = "self")]
    Oneself,
    /// Someone who knows a particular person: a neighbour, a relative, a colleague.
    Neighbour,
}

/// One thing done to the records: a `[[steps]]` section. Steps are done in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        /// What becomes of values that are not codes, or that the mapping does not know. `refuse` where absent.
        #[serde(default)]
        unknown: Unknown,
    },
    /// Move each point to the south-west corner of its cell of the British National Grid.
    Grid {
        /// The variables that say where: an easting and a northing in metres, a latitude and a longitude in degrees, or
        /// one grid reference such as `SE 30 34`.
        #[schemars(length(min = 1, max = 2))]
        variables: Vec<String>,
        /// How the variables say it. Where absent: `metres` for two variables, `reference` for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<GridForm>,
        /// The width of a cell in metres.
        #[serde(default = "kilometre")]
        #[schemars(range(min = 1, max = 100_000))]
        cell: u32,
        /// What becomes of values that are no place on the grid. `refuse` where absent.
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

/// A table to be counted: a `[[tables]]` section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What the table is called.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The variables that span it.
    #[schemars(length(min = 1))]
    pub variables: Vec<String>,
    /// The records counted, as an SQL condition. All records where absent.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub condition: Option<String>,
}

/// A file to be written: an `[[outputs]]` section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The file. Relative to the spec file.
    pub path: PathBuf,
    /// `csv`, `parquet` or `excel`; from the ending of `path` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
}
