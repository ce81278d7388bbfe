//! Variables: what each column of the data is, and what part it plays in a disclosure.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hierarchy::HierarchySpec;
use crate::source::Type;

/// One column of the data: a `[[variables]]` section.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The column's name, exactly as in the header of the data.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What the variable is called in reports. Its name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// `text`, `integer`, `number` or `date`. If absent, the type is the one in the file (Parquet, Stata, PostgreSQL).
    /// In files without types (CSV, Excel) it is text, so that codes keep their zeros.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub data_type: Option<Type>,
    /// Dates only: how a date is written, such as `%d/%m/%Y`. `YYYY-MM-DD` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub format: Option<String>,
    /// The part this variable plays in a disclosure. `plain` if absent.
    #[serde(default)]
    pub role: Role,
    /// Why a column that looks like an identifier may be published: one reason in words. For codes, running numbers and points on
    /// the map only; the statement shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub allow: Option<String>,
    /// How easily others can see or learn the value: a person's sex is highly visible, their income is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Rating>,
    /// How much harm it does if others learn the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Rating>,
    /// How a missing value of this variable is compared. As the whole spec says if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// How its values can be made coarser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchySpec>,
    /// Other ways its values can be made coarser, for the subtotals of tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_hierarchies: Vec<HierarchySpec>,
    /// Tables only: the columns it is read from. Of several columns each holds one of several answers, and a record
    /// counts for each of its answers. The column of its name if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Tables only: the linked files it is read from. `[data]` if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// Tables only: whether a record has the values of all records that belong to the same record of `[data]`, and not only its
    /// own. `false` if absent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shared: bool,
    /// Tables only: a CSV file that rates the values: value, visibility, sensitivity. Relative to the spec file, or a list
    /// that ships with Outward, such as `outward:contributory-factors`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<PathBuf>,
    /// Tables only: the level of geography of its values, in the words of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geography: Option<String>,
    /// Tables only: pairs of neighbouring values in the order in which a redesign may join them, such as fatal with
    /// serious before serious with slight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub join: Vec<[String; 2]>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Variable {
    /// A plain variable of this name.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// What to call the variable before people: its label, or its name.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// The type asked for: the one said, a number for weights (they are summed), otherwise none.
    pub fn wanted_type(&self) -> Option<Type> {
        self.data_type.or((self.role == Role::Weight).then_some(Type::Number))
    }

    /// Whether it is a column of `[data]`, and not one of a linked file or several columns taken together.
    pub fn is_column(&self) -> bool {
        self.columns.is_empty() && self.from.is_empty()
    }

    /// Whether a record may have several values of it.
    pub fn has_several_answers(&self) -> bool {
        self.columns.len() > 1
    }

    /// The columns it is read from.
    pub fn read_from(&self) -> &[String] {
        match self.columns.is_empty() {
            true => std::slice::from_ref(&self.name),
            false => &self.columns,
        }
    }

    /// All its hierarchies, the main one first.
    pub fn hierarchies(&self) -> impl Iterator<Item = &HierarchySpec> {
        self.hierarchy.iter().chain(&self.more_hierarchies)
    }

    /// The file that rates its values, where that is the user's own.
    pub fn own_ratings(&self) -> Option<&PathBuf> {
        self.ratings.as_ref().filter(|file| !crate::shipped::is_shipped(file))
    }

    /// Whether an intruder may know the value and search with it.
    pub fn is_key(&self) -> bool {
        self.role.is_key()
    }
}

/// The part a variable plays in a disclosure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names one person by itself: a name, an address, an account or health service number.
    Identifier,
    /// An intruder may know it and search with it, together with other keys.
    Key,
    /// What an intruder wants to learn: income, illness, an offence.
    Sensitive,
    /// Where the person lives or works. Takes part in the keys.
    Geography,
    /// The day a person was born. Takes part in the keys.
    DateOfBirth,
    /// Words someone typed, which may hold anything.
    FreeText,
    /// How many of the population a record stands for.
    Weight,
    /// The number that holds the members of a household together.
    Household,
    /// None of these.
    #[default]
    Plain,
}

impl Role {
    /// The role as a spec spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Key => "key",
            Self::Sensitive => "sensitive",
            Self::Geography => "geography",
            Self::DateOfBirth => "date-of-birth",
            Self::FreeText => "free-text",
            Self::Weight => "weight",
            Self::Household => "household",
            Self::Plain => "plain",
        }
    }

    /// Whether variables of this role are part of the key unless a scenario says otherwise.
    pub fn is_key(self) -> bool {
        matches!(self, Self::Key | Self::Geography | Self::DateOfBirth)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A person's judgement in three steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rating {
    /// Hardly.
    Low,
    /// Somewhat.
    Medium,
    /// Very much.
    High,
}

/// How a missing value is compared with others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Missing is a value of its own: it matches only missing.
    #[default]
    Category,
    /// Missing matches every value, as an intruder who does not know it must allow for all of them.
    Wildcard,
}
