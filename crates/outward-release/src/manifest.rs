//! The manifest of a bundle: what went in, what was done, what came out, and the hash of every file.
//!
//! It is for the custodian. The seed, the steps and what they changed would help to undo swaps and noise. So the
//! manifest stays with the spec and the report outside `public/`.

use std::collections::BTreeMap;

use arrow_schema::{DataType, Schema};
use outward_spec::{Missing, Role, Rules, Spec, Step, Type, Variable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::inputs::InputRecord;

/// The form of the manifest that this version writes and reads.
pub const FORMAT: u32 = 1;

const NOTE: &str = "Only the folder `public` may be published. This manifest, the spec and the report are for the \
                    custodian: the seed and the steps would help to undo swaps and noise.";

/// The manifest of a bundle of records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The form of this manifest.
    pub format: u32,
    /// The tool and its version.
    pub tool: String,
    /// Which files may be published and which may not.
    pub note: String,
    /// The title of the release.
    pub title: String,
    /// The files the release was made from, the spec first.
    pub inputs: Vec<InputRecord>,
    /// What the release must meet, with the policy, its version and tier.
    pub rules: Rules,
    /// Thresholds that the spec sets instead of those of the policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_thresholds: Vec<String>,
    /// Subsets of keys and records that must meet a k of their own.
    pub subsets: Vec<Subset>,
    /// The seed of random steps.
    pub seed: u64,
    /// The share of the population that is in the published records, if known.
    pub sampling_fraction: Option<f64>,
    /// Records of the data as given.
    pub records_in: u64,
    /// Records published.
    pub records_out: u64,
    /// The file of the published records, within the bundle.
    pub data: String,
    /// The published columns, in order.
    pub columns: Vec<ColumnRecord>,
    /// What was done, in order.
    pub steps: Vec<StepRecord>,
    /// The measures of the records as given.
    pub before: Measures,
    /// The measures of the published records.
    pub after: Measures,
    /// The verdict on each privacy model when the bundle was made.
    pub verdicts: Vec<ModelVerdict>,
    /// The utility of each published variable.
    pub utility: Vec<VariableUtility>,
    /// Every file of the bundle except the manifest, in the order of the paths.
    pub files: Vec<FileRecord>,
}

impl Manifest {
    /// The manifest of a release of these columns; counts, steps and measures are to be filled in, files are added when
    /// the bundle is written.
    pub fn new(spec: &Spec, rules: Rules, columns: Vec<ColumnRecord>) -> Self {
        Self {
            format: FORMAT,
            tool: concat!("outward ", env!("CARGO_PKG_VERSION")).to_owned(),
            note: NOTE.to_owned(),
            title: spec.title.clone().unwrap_or_else(|| "Untitled release".to_owned()),
            inputs: Vec::new(),
            own_thresholds: own_thresholds(spec),
            subsets: Subset::of_spec(spec, &rules, &columns),
            rules,
            seed: spec.seed,
            sampling_fraction: None,
            records_in: 0,
            records_out: 0,
            data: String::new(),
            columns,
            steps: Vec::new(),
            before: Measures::default(),
            after: Measures::default(),
            verdicts: Vec::new(),
            utility: Vec::new(),
            files: Vec::new(),
        }
    }

    /// The JSON schema of a manifest.
    pub fn json_schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }

    /// The published column with this name.
    pub fn column(&self, name: &str) -> Option<&ColumnRecord> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The published columns an intruder may search with.
    pub fn keys(&self) -> impl Iterator<Item = &ColumnRecord> {
        self.columns.iter().filter(|column| column.is_key)
    }

    /// The models that did not hold when the bundle was made.
    pub fn failing(&self) -> impl Iterator<Item = &ModelVerdict> {
        self.verdicts.iter().filter(|verdict| !verdict.holds)
    }
}

/// The thresholds that a spec sets itself, by name.
pub(crate) fn own_thresholds(spec: &Spec) -> Vec<String> {
    let said = serde_json::to_value(&spec.policy.thresholds).unwrap_or_default();
    said.as_object().map(|said| said.keys().cloned().collect()).unwrap_or_default()
}

/// A published column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ColumnRecord {
    /// Its name in the data.
    pub name: String,
    /// Its label for readers.
    pub label: String,
    /// The type of its values.
    #[serde(rename = "type")]
    pub data_type: Type,
    /// Its role.
    pub role: Role,
    /// Whether an intruder may search with it.
    pub is_key: bool,
    /// How a missing value is compared.
    pub missing: Missing,
    /// The reason why it may be published although it looks like an identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<String>,
}

impl ColumnRecord {
    /// Whether a suspicion from the shape of its values alone is no reason to refuse it. It is none if the spec gives a
    /// reason, or for a weight or household, which have other rules.
    pub(crate) fn is_excused(&self) -> bool {
        self.allow.is_some() || matches!(self.role, Role::Weight | Role::Household)
    }

    /// A column of a type, as a spec describes it; a plain variable if the spec does not.
    pub fn new(spec: &Spec, name: &str, data_type: Type) -> Self {
        let plain = Variable::named(name);
        let variable = spec.variable(name).unwrap_or(&plain);
        Self {
            name: name.to_owned(),
            label: variable.label().to_owned(),
            data_type,
            role: variable.role,
            is_key: variable.is_key(),
            missing: spec.missing_of(variable),
            allow: variable.allow.clone(),
        }
    }

    /// The columns of a schema.
    pub fn of_schema(spec: &Spec, schema: &Schema) -> Vec<Self> {
        schema.fields().iter().map(|field| Self::new(spec, field.name(), type_of(field.data_type()))).collect()
    }
}

/// The type in a spec for an Arrow type.
pub(crate) fn type_of(data_type: &DataType) -> Type {
    match data_type {
        kind if kind.is_integer() => Type::Integer,
        kind if kind.is_floating() || kind.is_decimal() => Type::Number,
        DataType::Date32 | DataType::Date64 => Type::Date,
        DataType::Dictionary(_, values) => type_of(values),
        _ => Type::Text,
    }
}

/// One step and what it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// Which step it was, from 1.
    pub number: usize,
    /// The step as in the spec or the plan.
    pub step: Step,
    /// What was done, in a sentence.
    pub says: String,
    /// Records before it.
    pub records_before: u64,
    /// Records after it.
    pub records_after: u64,
    /// Values changed or left out, by variable.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changed: BTreeMap<String, u64>,
    /// Different values before and after, by variable.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub categories: BTreeMap<String, [u64; 2]>,
    /// Records alone on the keys before and after the step, if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniques: Option<[u64; 2]>,
    /// Other counts and amounts, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, f64>,
    /// If the step limits extremes by a share of the records: the lower and the upper limit that it computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[Option<f64>; 2]>,
    /// Further remarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl StepRecord {
    /// A step that left `records_after` of `records_before`; what it changed is to be filled in.
    pub fn new(number: usize, step: Step, says: impl Into<String>, records_before: u64, records_after: u64) -> Self {
        Self {
            number,
            step,
            says: says.into(),
            records_before,
            records_after,
            changed: BTreeMap::new(),
            categories: BTreeMap::new(),
            uniques: None,
            figures: BTreeMap::new(),
            limits: None,
            notes: Vec::new(),
        }
    }
}

/// Measures of risk on the keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measures {
    /// Records.
    pub records: u64,
    /// Different combinations of the keys.
    pub classes: u64,
    /// Records alone in their class.
    pub uniques: u64,
    /// If missing values match everything: the records that are alone if missing is treated as a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_exactly: Option<u64>,
    /// If missing values match everything: the size of the smallest class if missing is treated as a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_exactly: Option<u64>,
    /// If missing values match everything: the records below the policy's k if missing is treated as a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below_k_exactly: Option<u64>,
    /// Records in classes of two.
    pub pairs: u64,
    /// The size of the smallest class; 0 if there are no records.
    pub smallest_class: u64,
    /// Records in classes smaller than the policy's k.
    pub below_k: u64,
    /// The mean over records of one over the size of their class.
    pub average_risk: f64,
    /// One over the size of the smallest class.
    pub highest_risk: f64,
    /// Missing values by variable.
    pub missing: BTreeMap<String, u64>,
    /// Different values by variable, if they were counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub categories: BTreeMap<String, u64>,
    /// The estimated share of the population that is alone in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population_uniques: Option<f64>,
}

/// The verdict on a privacy model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelVerdict {
    /// What the model asks for.
    pub says: String,
    /// Whether it holds.
    pub holds: bool,
    /// The worst case found, in words.
    pub worst: String,
}

/// The utility of a published variable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariableUtility {
    /// The variable.
    pub variable: String,
    /// Different values before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories_before: Option<u64>,
    /// Different values published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories_after: Option<u64>,
    /// Missing values before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_before: Option<u64>,
    /// Missing values published.
    pub missing_after: u64,
    /// For a number: the mean before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_before: Option<f64>,
    /// For a number: the published mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_after: Option<f64>,
    /// A remark. May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Some keys, among some records, that must meet a k of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subset {
    /// Its name.
    pub name: String,
    /// The keys that are published.
    pub keys: Vec<String>,
    /// The records, as an SQL condition on the published columns; all if absent.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Every combination must be shared by at least this many records.
    pub k: u64,
}

impl Subset {
    /// The subsets of a spec, on the keys that are published. Subsets without a published key are left out.
    pub fn of_spec(spec: &Spec, rules: &Rules, columns: &[ColumnRecord]) -> Vec<Self> {
        let published = |key: &String| columns.iter().any(|column| column.name == *key);
        let subset = |scenario: outward_spec::Scenario| Self {
            name: scenario.name,
            keys: scenario.keys.into_iter().filter(published).collect(),
            condition: scenario.condition,
            k: scenario.k.unwrap_or(rules.k),
        };
        let all = spec.scenarios_with_k(rules).into_iter().map(subset);
        all.filter(|subset| !subset.keys.is_empty()).collect()
    }
}

/// A file of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileRecord {
    /// Its path within the bundle, with `/` between folders.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}
