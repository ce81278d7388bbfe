//! What a policy asks of tables: `[tables]` of a policy.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use outward_error::suggest;

/// What a policy asks of tables.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TableRules {
    /// The levels of geography a table may be for, the largest area first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub geographies: Vec<String>,
    /// What is unsafe in a table of each risk category, the lowest risk first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<RiskCategory>,
    /// Which category a table has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<TableCase>,
    /// Variables that alone decide the category.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub always: Vec<AlwaysCase>,
    /// A row or a column with at least this share of zeros, from 0 to 1, is dominated by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub zero_share: Option<f64>,
    /// Group disclosure: a total of which all but at most this many people are in one category. These few together know
    /// the category of everyone else. 0 for a total wholly in one category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coalition: Option<u64>,
    /// What is unsafe in tables of sums and means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub magnitude: Option<MagnitudeRules>,
}

impl TableRules {
    /// What is wrong with the rules by themselves, and what to do.
    pub(crate) fn fault(&self) -> Option<(String, String)> {
        let categories = || self.categories.iter().map(|category| category.name.as_str());
        let named = self.cases.iter().map(|case| &case.category).chain(self.always.iter().map(|case| &case.category));
        if let Some(name) = named.into_iter().find(|name| !categories().any(|known| known == name.as_str())) {
            return Some((format!("there is no category `{name}`"), suggest(name, categories(), "categories")));
        }
        let levels = || self.geographies.iter().map(String::as_str);
        let mut named = self.cases.iter().filter_map(|case| case.geography.as_deref());
        let name = named.find(|name| !levels().any(|known| known == *name))?;
        Some((format!("there is no level of geography `{name}`"), suggest(name, levels(), "geographies")))
    }
}

/// What is unsafe in a table of one risk category.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RiskCategory {
    /// What the category is called.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Counts from 1 to this are unsafe inside the table. 0 for none.
    #[serde(default)]
    pub cells: u64,
    /// Totals from 1 to this are unsafe. 0 for none.
    #[serde(default)]
    pub margins: u64,
    /// Whether rows and columns dominated by zeros, and groups that give their members away, are looked for.
    #[serde(default = "yes")]
    pub groups: bool,
    /// What the category means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

fn yes() -> bool {
    true
}

/// A row of the table that says which category a table has. The first that fits applies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableCase {
    /// What the policy's document calls the case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scenario: String,
    /// The level of geography. Any if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geography: Option<String>,
    /// The largest number of factual variables. Any if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<usize>,
    /// The rating of the rated values: `high` where they are both highly visible and highly sensitive, else `other`. Any
    /// if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<CaseRating>,
    /// The category, by its name.
    #[schemars(length(min = 1))]
    pub category: String,
    /// Whether anything is checked at all; where not, the table may be released as it is.
    #[serde(default = "yes")]
    pub check: bool,
    /// What to do, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// How to protect the table if that is needed, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub protection: String,
}

/// How the rated values of a table are rated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CaseRating {
    /// Medium or low in visibility or in sensitivity.
    #[default]
    Other,
    /// High in both.
    High,
}

/// A variable that alone decides the category.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlwaysCase {
    /// The names of the variable; blanks, hyphens and capitals do not matter.
    #[schemars(length(min = 1))]
    pub variables: Vec<String>,
    /// The category of tables that show it.
    #[schemars(length(min = 1))]
    pub category: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
}

/// What is unsafe in a table of sums: a cell is unsafe where any rule that is given says so.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MagnitudeRules {
    /// Cells with fewer contributors are unsafe.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub threshold: Option<u64>,
    /// Cells of which so few contributors make up such a share are unsafe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominance: Option<Dominance>,
    /// The p % rule: nobody may learn the largest contribution to within this percentage.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub p: Option<f64>,
    /// With `p`: how well others know each contribution beforehand, in per cent. 100 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub q: Option<f64>,
    /// With `p`: how many contributors put together what they know. 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub coalition: Option<usize>,
}

/// The (n, k) rule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dominance {
    /// How many of the largest contributors.
    #[schemars(range(min = 1))]
    pub n: usize,
    /// The share of the cell, in per cent, that they may not exceed.
    #[schemars(range(min = 0, max = 100))]
    pub k: f64,
}
