//! What a profile says. No value of the data is in it: only counts, shares, and ranges of years and ages.

use outward_spec::{HierarchySpec, Rating, Role, Type};
use serde::Serialize;

use crate::kind::{FoundKind, Kind};

/// What a file contains.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// Records seen.
    pub records: u64,
    /// Each column, in the order of the file.
    pub columns: Vec<ColumnProfile>,
    /// Records the ranking of keys is based on: all, or a sample of 20,000.
    pub sample: u64,
    /// The candidate keys, the one that tells most records apart first.
    pub keys: Vec<RankedKey>,
}

impl Profile {
    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&ColumnProfile> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// What one column contains.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnProfile {
    /// The column's name.
    pub name: String,
    /// The type it had when it was read, as Arrow calls it.
    pub read_as: String,
    /// Records without a value; blank text counts as missing.
    pub missing: u64,
    /// How many values differ.
    pub distinct: Distinct,
    /// How long the texts are; absent for columns of numbers and dates.
    pub lengths: Option<Lengths>,
    /// What was recognised in it.
    pub found: Vec<FoundKind>,
    /// Why its values lead to single persons or records, where they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifies: Option<Identifies>,
    /// What it should be in a spec, and why.
    pub suggestion: Suggestion,
}

/// What makes the values of a column identifiers. A release under a policy that forbids identifiers must not have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identifies {
    /// What tells it.
    pub by: Basis,
    /// Why, in a sentence without values.
    pub because: String,
}

/// How an identifier was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// What the values are: NHS numbers, e-mail addresses, names.
    Content,
    /// How they are written and repeat, and what the heading says. A person may know better and say why it can be published.
    Shape,
}

impl ColumnProfile {
    /// The forbidden role that the column certainly has and why, even if a spec gives it another role. `excused`
    /// columns are not refused for what only their shape shows: codes, running numbers, points on the map.
    pub fn forbidden_role(&self, forbidden: &[Role], excused: bool) -> Option<(Role, &str)> {
        let identifies = self.identifies.as_ref().filter(|_| forbidden.contains(&Role::Identifier));
        if let Some(identifies) = identifies.filter(|identifies| !excused || identifies.by == Basis::Content) {
            return Some((Role::Identifier, &identifies.because));
        }
        let Suggestion { role, confidence, evidence, .. } = &self.suggestion;
        let certain = *confidence == Confidence::Certain && *role != Role::Identifier && forbidden.contains(role);
        certain.then(|| (*role, evidence.first().map_or("", String::as_str)))
    }

    /// The share of examined values of a kind, inside longer text or not; 0 if none was found.
    pub fn share(&self, kind: Kind) -> f64 {
        self.found.iter().filter(|found| found.kind == kind).map(|found| found.share).fold(0.0, f64::max)
    }
}

/// How many different values a column has, missing ones left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Distinct {
    /// How many.
    pub count: u64,
    /// Whether they were counted; otherwise the count is an estimate with a standard error of 1.6 %.
    pub exact: bool,
}

/// How long the texts of a column are, in bytes, blank ones left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Lengths {
    /// The shortest.
    pub shortest: u64,
    /// The longest.
    pub longest: u64,
    /// All of them together.
    pub total: u64,
    /// How many there are.
    pub texts: u64,
}

impl Lengths {
    /// The mean length, 0 if there is no text.
    pub fn mean(&self) -> f64 {
        if self.texts == 0 { 0.0 } else { self.total as f64 / self.texts as f64 }
    }

    pub(crate) fn add(&mut self, length: u64, times: u64) {
        self.merge(&Self { shortest: length, longest: length, total: length * times, texts: times });
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.shortest = if self.texts == 0 { other.shortest } else { self.shortest.min(other.shortest) };
        self.longest = self.longest.max(other.longest);
        self.total += other.total;
        self.texts += other.texts;
    }
}

/// What a column should be in a spec.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// Its role.
    pub role: Role,
    /// Its type.
    pub data_type: Type,
    /// How its dates are written; absent if it has none, or if the file itself has dates.
    pub date_format: Option<&'static str>,
    /// How it can be made coarser, where its content says so.
    pub hierarchy: Option<HierarchySpec>,
    /// How easily others learn it, where its name or content says so.
    pub visibility: Option<Rating>,
    /// How much harm it does if others learn it, where its name says so.
    pub sensitivity: Option<Rating>,
    /// How sure the role is.
    pub confidence: Confidence,
    /// Why, in sentences without values.
    pub evidence: Vec<String>,
}

/// How sure a suggestion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A person should look.
    Possible,
    /// The content says so, or the content does not contradict the name.
    Likely,
    /// The content leaves no doubt.
    Certain,
}

/// A candidate key and what it adds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankedKey {
    /// The column.
    pub name: String,
    /// Records of the sample that are unique on this column alone.
    pub uniques_alone: u64,
    /// Share of the sample that becomes unique when the column joins those ranked before it.
    pub added: f64,
    /// Share of the sample that is no longer unique when the column alone is left out of all candidates.
    pub lost: f64,
    /// Why it is a candidate, and what it adds, in a sentence.
    pub reason: String,
}
