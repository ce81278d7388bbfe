//! The results of a verification.

use schemars::JsonSchema;
use serde::Serialize;

use crate::alone::UniqueRecords;

/// How many places a check names. Its sentence says how many there are.
pub(super) const MAX_PLACES_NAMED: usize = 5;

/// All checks of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Verification {
    /// The checks in the order they were made.
    pub checks: Vec<Check>,
    /// Records alone on their keys, if the policy asks for a k below 2 and so allows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<UniqueRecords>,
}

impl From<Vec<Check>> for Verification {
    fn from(checks: Vec<Check>) -> Self {
        Self { checks, alone: None }
    }
}

impl Verification {
    /// The worst outcome of all checks.
    pub fn outcome(&self) -> Outcome {
        self.checks.iter().map(|check| check.outcome).max().unwrap_or(Outcome::CannotTell)
    }

    /// The checks of this outcome.
    pub fn with(&self, outcome: Outcome) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.outcome == outcome)
    }
}

/// The outcome of a check, from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was checked and holds.
    Holds,
    /// It cannot be decided from the bundle.
    CannotTell,
    /// It does not hold.
    Fails,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// What was checked, in a word or two.
    pub name: String,
    /// Its outcome.
    pub outcome: Outcome,
    /// What was found, in a sentence that never contains a value of the data.
    pub says: String,
    /// The first few places where it does not hold.
    pub places: Vec<Place>,
}

impl Check {
    pub(super) fn holds(name: impl Into<String>, says: impl Into<String>) -> Self {
        Self { name: name.into(), outcome: Outcome::Holds, says: says.into(), places: Vec::new() }
    }

    pub(super) fn fails(name: impl Into<String>, says: impl Into<String>) -> Self {
        Self { name: name.into(), outcome: Outcome::Fails, says: says.into(), places: Vec::new() }
    }

    pub(super) fn cannot_tell(name: impl Into<String>, says: impl Into<String>) -> Self {
        Self { name: name.into(), outcome: Outcome::CannotTell, says: says.into(), places: Vec::new() }
    }

    /// The same check at the first few of these places.
    pub(super) fn at(mut self, places: impl IntoIterator<Item = Place>) -> Self {
        self.places = places.into_iter().take(MAX_PLACES_NAMED).collect();
        self
    }
}

/// A place where something does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// The file, by its path in the bundle.
    pub file: String,
    /// The record, from 1, not counting the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

impl Place {
    pub(super) fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), row: None, column: None }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        match &self.column {
            Some(column) => write!(f, ", column `{column}`"),
            None => Ok(()),
        }
    }
}
