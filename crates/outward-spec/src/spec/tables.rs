//! Tables to be made, the files they are linked from, and how they are protected.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::Source;

/// Another file of the release, linked to `[data]`: a `[[linked]]` section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Linked {
    /// What its records are called: vehicles, casualties.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The records.
    pub data: Source,
    /// The columns, of the same names in `[data]`, by which a record belongs to one of `[data]`.
    #[schemars(length(min = 1))]
    pub on: Vec<String>,
}

/// A table to be made: a `[[tables]]` section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What the table is called.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Its heading. The name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The variables that span it, those of the rows first; the last one heads the columns.
    #[schemars(length(min = 1))]
    pub variables: Vec<String>,
    /// The records counted, as an SQL condition on the columns of one file. All records if absent.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub condition: Option<String>,
    /// The linked file whose records are counted. Those of `[data]` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What a cell holds. `count` if absent.
    #[serde(default, skip_serializing_if = "is_count")]
    pub measure: Measure,
    /// Sums and means: the variable that is added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Sums and means: the variable that says whose a contribution is. Each record a contributor of its own if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contributor: Option<String>,
    /// Whether cells are estimates for the population, by the weight variable.
    #[serde(default, skip_serializing_if = "is_false")]
    pub weighted: bool,
    /// The levels shown of a variable's hierarchy, such as `{ age = [1, 2] }`; the finest of them is the detail of the table, the
    /// others are subtotals. The values themselves and all levels above if absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, Vec<usize>>,
    /// The values shown of a variable, at its finest level; records with others are not counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Vec<String>>,
    /// Suppression: cells that must be published, each by the values or groups it stands at, such as `{ severity = "Fatal" }`. A
    /// variable that is not named is at its total; `"*"` stands for every value at the finest level shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_show: Vec<BTreeMap<String, String>>,
    /// Suppression: cells that are hidden already, in an earlier release or by hand, named as in `must_show`. They stay hidden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub already_hidden: Vec<BTreeMap<String, String>>,
    /// Variables whose grand total is not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_total: Vec<String>,
    /// Cells as percentages of their total over these variables, beside the counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percent_of: Vec<String>,
    /// A variable of several answers counted in pairs: records that gave both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<String>,
    /// Only so many values of the first variable, those with the largest totals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub top: Option<usize>,
    /// The level of geography of the table, in the words of the policy. That of its finest geographical variable where
    /// absent, and the largest area of the policy where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geography: Option<String>,
    /// The column that holds the number in each cell, where the data are a table already. Rows that hold totals say
    /// `Total` in place of a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
}

fn is_count(measure: &Measure) -> bool {
    *measure == Measure::Count
}

fn is_false(value: &bool) -> bool {
    !value
}

/// What the cells of a table hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// How many.
    #[default]
    Count,
    /// The sum of a variable.
    Sum,
    /// The mean of a variable.
    Mean,
}

/// How the tables are protected: the `[protection]` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Protection {
    /// What is done. `none` if absent.
    pub method: ProtectionMethod,
    /// Rounding: the base. 5 if absent.
    #[schemars(range(min = 2))]
    pub base: u64,
    /// Rounding: how. `controlled` if absent.
    pub rounding: Rounding,
    /// Rounding: whether figures above zero that round to zero are marked `[low]`, which tells them from zeros. `false` where
    /// absent.
    pub mark_low: bool,
    /// Suppression: what it costs to hide a cell. `value` if absent.
    pub cost: HidingCost,
    /// Suppression by the cost of a variable: the variable, or a column that is a number. From 0 up; missing ones cost nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_of: Option<String>,
    /// Suppression: how far the interval an attacker can work out must reach to each side of a hidden count. 1 if absent.
    pub margin: u64,
    /// Cell keys: the largest change of a count. 5 if absent.
    #[schemars(range(min = 1))]
    pub noise: u32,
    /// Cell keys: the variance of the change. 2 if absent.
    #[schemars(range(min = 0))]
    pub variance: f64,
    /// Cell keys: counts from 1 to this are not published. 0 if absent.
    pub no_small: u32,
    /// Cell keys: whether counts nearer to the true one, below it, are never less likely than farther ones. `false` if absent.
    pub monotone: bool,
    /// Cell keys: the least chance that a count stays as it is, from 0 to 1. None if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub stay: Option<f64>,
    /// Cell keys: a p-table of one's own, as CSV. Relative to the spec file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_table: Option<PathBuf>,
    /// The column that tells records apart, from which keys are drawn, so that the same people get the same noise in every
    /// release. The whole record if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why tables may go out although they have more combinations together than can be checked. Without a reason they are not written; with one, the
    /// certificate, the report and the public statement say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_partial: Option<String>,
    /// Bundles of tables of the same data that are public already. The new tables are protected beside them. Relative to the spec file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<PathBuf>,
}

impl Default for Protection {
    fn default() -> Self {
        Self {
            method: ProtectionMethod::default(),
            base: 5,
            rounding: Rounding::default(),
            mark_low: false,
            cost: HidingCost::default(),
            cost_of: None,
            margin: 1,
            noise: 5,
            variance: 2.0,
            no_small: 0,
            monotone: false,
            stay: None,
            p_table: None,
            key: None,
            accept_partial: None,
            earlier: Vec::new(),
        }
    }
}

/// What is done to tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProtectionMethod {
    /// Nothing: a table with an unsafe cell is not written.
    #[default]
    None,
    /// Unsafe cells and as many others as needed are hidden.
    Suppress,
    /// Every cell is rounded to a base.
    Round,
    /// Every cell gets noise drawn from its cell key.
    CellKey,
}

impl ProtectionMethod {
    /// Its name in a spec.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Suppress => "suppress",
            Self::Round => "round",
            Self::CellKey => "cell-key",
        }
    }
}

/// How cells are rounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// Up or down so that all totals hold.
    #[default]
    Controlled,
    /// Up or down at random, right on average, the same for the same cell everywhere.
    Random,
    /// To the nearest multiple.
    Conventional,
}

/// What it costs to hide a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HidingCost {
    /// What is in it.
    #[default]
    Value,
    /// The same for every cell.
    One,
    /// What a variable adds up to over the records in it.
    Variable,
}
