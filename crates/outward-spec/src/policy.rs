//! Policies: the thresholds a release must meet, kept as data so that a custodian can copy one and change it.

mod intruder;
mod tables;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::variable::{Rating, Role};
use outward_error::{Error, Result, suggest};

pub use intruder::IntruderRules;
pub use tables::{AlwaysCase, CaseRating, Dominance, MagnitudeRules, RiskCategory, TableCase, TableRules};

/// The policy that applies where a spec names none.
const DEFAULT: &str = "baseline";

/// The policies that ship with Outward.
const SHIPPED: [(&str, &str); 7] = [
    ("policies/baseline.toml", include_str!("../../../policies/baseline.toml")),
    ("policies/collins-postcodes.toml", include_str!("../../../policies/collins-postcodes.toml")),
    ("policies/dft-road-casualties.toml", include_str!("../../../policies/dft-road-casualties.toml")),
    ("policies/gss-tables.toml", include_str!("../../../policies/gss-tables.toml")),
    ("policies/hipaa-safe-harbor.toml", include_str!("../../../policies/hipaa-safe-harbor.toml")),
    ("policies/ons-open-microdata.toml", include_str!("../../../policies/ons-open-microdata.toml")),
    ("policies/uk-biobank.toml", include_str!("../../../policies/uk-biobank.toml")),
];

/// A policy file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Policy {
    /// The name a spec calls it by.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// Which edition of the policy this is.
    pub version: String,
    /// The day by which the policy is to be reviewed, as `2027-03-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// The document the policy follows.
    pub source: String,
    /// What it asks for and why.
    pub description: String,
    /// What every tier asks for unless it says otherwise.
    #[serde(flatten)]
    pub thresholds: Thresholds,
    /// Ways of giving access, each with thresholds of its own. The first one applies where a spec names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Tier>,
}

/// One way of giving access to data: `[[tiers]]` of a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tier {
    /// The name a spec calls it by.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// Who gets the data, and under what promises.
    pub description: String,
    /// What this tier asks for in place of what the policy says.
    #[serde(flatten)]
    pub thresholds: Thresholds,
}

/// What a release must meet. What is absent is taken from the policy, or is not asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Thresholds {
    /// Every combination of the keys must be shared by at least `k` records. 1 asks for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub k: Option<u64>,
    /// Higher values of k for some keys or some records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak_k: Option<Vec<WeakK>>,
    /// Records that share a key must have at least `l` different values of each sensitive variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub l: Option<u64>,
    /// How far a sensitive variable may be distributed otherwise among records that share a key than in the whole file:
    /// 0 not at all, 1 without limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub t: Option<f64>,
    /// How the different sensitive values are counted for `l`. `distinct` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l_measure: Option<Diversity>,
    /// Recursive diversity only: the most frequent value must be rarer than this many times the rare ones together. 2 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub l_factor: Option<f64>,
    /// How the distance is measured for `t`. `equal` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_distance: Option<Distance>,
    /// Every combination of any few keys must be shared, whichever keys they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_combinations: Option<AllCombinations>,
    /// Every combination of the keys must be shared by at least this many of the population file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub k_map: Option<u64>,
    /// How likely someone of the population file may be in the data, given their keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence: Option<Presence>,
    /// The largest share of the population that may be alone in it, as estimated from the data and the sampling fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub population_unique_share: Option<f64>,
    /// The largest mean risk of a record: classes over records.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub average_risk: Option<f64>,
    /// The largest risk of any record: one over the size of its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub highest_risk: Option<f64>,
    /// Whether someone must have tried to find people in the release before it goes out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intruder_test: Option<bool>,
    /// How far an intruder of a scenario may succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intruder: Option<IntruderRules>,
    /// How many people besides the author must approve a release before it goes out by a register. 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<u32>,
    /// The largest share of records that may be alone on the keys, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub max_unique_share: Option<f64>,
    /// Every place that is published must have at least this many residents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub place_population: Option<u64>,
    /// Roles whose variables may not be in a release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forbid: Option<Vec<Role>>,
    /// What is asked of tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<TableRules>,
}

impl Thresholds {
    /// These thresholds; those that are absent are taken from `below`.
    fn over(self, below: Self) -> Self {
        Self {
            k: self.k.or(below.k),
            weak_k: self.weak_k.or(below.weak_k),
            l: self.l.or(below.l),
            t: self.t.or(below.t),
            l_measure: self.l_measure.or(below.l_measure),
            l_factor: self.l_factor.or(below.l_factor),
            t_distance: self.t_distance.or(below.t_distance),
            all_combinations: self.all_combinations.or(below.all_combinations),
            k_map: self.k_map.or(below.k_map),
            presence: self.presence.or(below.presence),
            population_unique_share: self.population_unique_share.or(below.population_unique_share),
            average_risk: self.average_risk.or(below.average_risk),
            highest_risk: self.highest_risk.or(below.highest_risk),
            intruder_test: self.intruder_test.or(below.intruder_test),
            intruder: self.intruder.or(below.intruder),
            approvals: self.approvals.or(below.approvals),
            max_unique_share: self.max_unique_share.or(below.max_unique_share),
            place_population: self.place_population.or(below.place_population),
            forbid: self.forbid.or(below.forbid),
            tables: self.tables.or(below.tables),
        }
    }
}

/// How different sensitive values are counted (Machanavajjhala et al. 2007).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Diversity {
    /// At least l different values.
    #[default]
    Distinct,
    /// The entropy of the values is at least that of l equally frequent ones.
    Entropy,
    /// The most frequent value is rarer than `l_factor` times all values from the l-th on together.
    Recursive,
}

/// How far apart two distributions of a sensitive variable are (Li, Li and Venkatasubramanian 2007).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// All values are equally far from each other.
    #[default]
    Equal,
    /// Values are as far apart as they are in their order.
    Ordered,
    /// Values are as far apart as the level at which their hierarchy joins them.
    Hierarchical,
}

/// Every combination of any few keys must be shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllCombinations {
    /// How many keys at a time, and fewer.
    #[schemars(range(min = 1))]
    pub keys: usize,
    /// Every combination must be shared by at least this many records.
    #[schemars(range(min = 1))]
    pub k: u64,
}

/// The share of a class of the population that may be in the data (δ-presence; Nergiz, Atzori and Clifton 2007).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Presence {
    /// The least share.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub least: f64,
    /// The largest share.
    #[schemars(range(min = 0, max = 1))]
    pub most: f64,
}

/// A higher k asked of some keys or some records only (Atzori 2006, "Weak k-anonymity").
///
/// The keys are those named in `keys`; otherwise the keys of the spec, narrowed by `roles` and `visibility`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeakK {
    /// What it is called in findings and reports.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Every combination must be shared by at least this many records.
    #[schemars(range(min = 1))]
    pub k: u64,
    /// The variables, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Only keys of these roles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Only keys rated at least this visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Rating>,
    /// Only these records, as an SQL condition.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub condition: Option<String>,
}

/// The `[policy]` section of a spec: a policy, a tier of it, and values of one's own in place of theirs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct PolicyChoice {
    /// A policy that ships with Outward. `baseline` where neither this nor `file` is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A policy file of one's own instead. Relative to the spec file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The tier of the policy. Its first one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Values in place of the policy's.
    #[serde(flatten)]
    pub thresholds: Thresholds,
}

/// What a release must meet, all told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rules {
    /// The policy.
    pub policy: String,
    /// Its version.
    pub version: String,
    /// The tier, where the policy has tiers.
    pub tier: Option<String>,
    /// Every combination of the keys must be shared by at least this many records; 1 asks for nothing.
    pub k: u64,
    /// Higher values of k for some keys or some records.
    pub weak_k: Vec<WeakK>,
    /// Fewest different sensitive values among records that share a key.
    pub l: Option<u64>,
    /// Farthest a sensitive variable may be distributed from the whole.
    pub t: Option<f64>,
    /// How different sensitive values are counted.
    pub l_measure: Diversity,
    /// The factor of recursive diversity.
    pub l_factor: f64,
    /// How the distance of distributions is measured.
    pub t_distance: Distance,
    /// Every combination of any few keys must be shared.
    pub all_combinations: Option<AllCombinations>,
    /// Fewest of the population file that share the keys of a record.
    pub k_map: Option<u64>,
    /// Shares of a class of the population file that may be in the data.
    pub presence: Option<Presence>,
    /// Largest share of the population that may be alone in it, as estimated.
    pub population_unique_share: Option<f64>,
    /// Largest mean risk of a record.
    pub average_risk: Option<f64>,
    /// Largest risk of any record.
    pub highest_risk: Option<f64>,
    /// Whether someone must have tried to find people in the release.
    pub intruder_test: bool,
    /// How far an intruder of a scenario may succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intruder: Option<IntruderRules>,
    /// How many people besides the author must approve it.
    #[serde(default = "one_approval", skip_serializing_if = "is_one_approval")]
    pub approvals: u32,
    /// Largest share of records that may be alone on the keys.
    pub max_unique_share: Option<f64>,
    /// Fewest residents of a place that is published.
    pub place_population: Option<u64>,
    /// Roles whose variables may not be in a release.
    pub forbid: Vec<Role>,
    /// What is asked of tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<TableRules>,
}

/// What a policy requires if it does not say: one person besides the author.
fn one_approval() -> u32 {
    1
}

fn is_one_approval(approvals: &u32) -> bool {
    *approvals == one_approval()
}

impl Policy {
    /// All policies that ship with Outward, in alphabetical order.
    pub fn shipped() -> Result<Vec<Self>> {
        SHIPPED.iter().map(|(file, text)| Self::parse(text, Path::new(file))).collect()
    }

    /// The shipped policy of this name.
    pub fn named(name: &str) -> Result<Self> {
        let policies = Self::shipped()?;
        if let Some(policy) = policies.iter().find(|policy| policy.name == name) {
            return Ok(policy.clone());
        }
        let names = policies.iter().map(|policy| policy.name.as_str());
        Err(Error::input(format!("there is no policy `{name}`")).help(suggest(name, names, "policies")).into())
    }

    /// The file of the shipped policy of this name, comments and all, to be copied and edited.
    pub fn shipped_text(name: &str) -> Result<&'static str> {
        let policy = Self::named(name)?;
        let file = format!("policies/{}.toml", policy.name);
        let text = SHIPPED.iter().find(|(path, _)| *path == file).map(|(_, text)| *text);
        text.ok_or_else(|| Error::bug(format!("policy `{name}` is not in {file}")))
    }

    /// A custodian's own policy file.
    pub fn load(path: &Path) -> Result<Self> {
        Self::parse(&crate::document::read_text(path)?, path)
    }

    /// A policy from its text; `file` is only for messages.
    pub fn parse(text: &str, file: &Path) -> Result<Self> {
        let document = Document::parse(text, file)?;
        let policy: Self = document.read()?;
        for (i, tier) in policy.tiers.iter().enumerate() {
            if policy.tiers[..i].iter().any(|other| other.name == tier.name) {
                let place = ["tiers".into(), i.into(), "name".into()];
                return Err(document.fault_at(&place, format!("tier `{}` is there twice", tier.name)).into());
            }
        }
        let all = policy.tiers.iter().map(|tier| &tier.thresholds).chain([&policy.thresholds]);
        if let Some((what, help)) = all.filter_map(|thresholds| thresholds.tables.as_ref()).find_map(TableRules::fault)
        {
            return Err(document.fault_at(&["tables".into()], what).help(help).into());
        }
        Ok(policy)
    }

    /// The tier of this name, or the first one.
    pub fn tier(&self, name: Option<&str>) -> Result<Option<&Tier>> {
        let Some(name) = name else { return Ok(self.tiers.first()) };
        if let Some(tier) = self.tiers.iter().find(|tier| tier.name == name) {
            return Ok(Some(tier));
        }
        let what = format!("policy `{}` has no tier `{name}`", self.name);
        let help = match self.tiers.is_empty() {
            true => "remove `tier`: this policy asks the same of every release".to_owned(),
            false => suggest(name, self.tiers.iter().map(|tier| tier.name.as_str()), "tiers"),
        };
        Err(Error::input(what).help(help).into())
    }
}

impl PolicyChoice {
    /// The chosen policy; `base` is the folder that `file` is relative to.
    pub fn policy(&self, base: &Path) -> Result<Policy> {
        match &self.file {
            Some(file) => Policy::load(&base.join(file)),
            None => Policy::named(self.name.as_deref().unwrap_or(DEFAULT)),
        }
    }

    /// What the release must meet: own values over the tier's over the policy's.
    pub fn rules(&self, base: &Path) -> Result<Rules> {
        let policy = self.policy(base)?;
        let tier = policy.tier(self.tier.as_deref())?.cloned();
        let below = match &tier {
            Some(tier) => tier.thresholds.clone().over(policy.thresholds),
            None => policy.thresholds,
        };
        // A spec may ask for more people than its policy, and never for fewer.
        let asked_by_policy = below.approvals.unwrap_or_else(one_approval);
        let all = self.thresholds.clone().over(below);
        Ok(Rules {
            policy: policy.name,
            version: policy.version,
            tier: tier.map(|tier| tier.name),
            k: all.k.unwrap_or(1),
            weak_k: all.weak_k.unwrap_or_default(),
            l: all.l,
            t: all.t,
            l_measure: all.l_measure.unwrap_or_default(),
            l_factor: all.l_factor.unwrap_or(2.0),
            t_distance: all.t_distance.unwrap_or_default(),
            all_combinations: all.all_combinations,
            k_map: all.k_map,
            presence: all.presence,
            population_unique_share: all.population_unique_share,
            average_risk: all.average_risk,
            highest_risk: all.highest_risk,
            intruder_test: all.intruder_test.unwrap_or(false),
            intruder: all.intruder,
            approvals: all.approvals.unwrap_or_else(one_approval).max(asked_by_policy),
            max_unique_share: all.max_unique_share,
            place_population: all.place_population,
            forbid: all.forbid.unwrap_or_default(),
            tables: all.tables,
        })
    }
}

#[cfg(test)]
mod tests;
