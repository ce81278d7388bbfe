//! The spec file, `outward.toml`: what the data are, what must hold, what is done, what comes out.

mod check;
mod join;
mod parts;
mod place;
mod scenario;
mod steps;
mod tables;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Document, read_text};
use crate::hierarchy::{Hierarchy, HierarchySpec};
use crate::policy::{PolicyChoice, Rules};
use crate::source::Source;
use crate::variable::{Missing, Role, Variable};
use outward_error::{Error, Result};

pub use parts::{Aggregate, LossMeasure, Output, PlanChoice, TrueTable};
pub use scenario::{AttackKind, Intruder, Known, KnownError, MistakeKind, Scenario};
pub use steps::{Centre, Extreme, GridForm, NoiseKind, Sampling, Step, Unknown};
pub use tables::{HidingCost, Linked, Measure, Protection, ProtectionMethod, Rounding, Table};

/// A release, as its spec file describes it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Outward spec file")]
pub struct Spec {
    /// What the release is called in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How missing values are compared, unless a variable says otherwise. `category` if absent.
    #[serde(default)]
    pub missing: Missing,
    /// Columns of `[data]` that are published as they are and need no `[[variables]]` section: variables with the role `plain`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plain: Vec<String>,
    /// The records to be released.
    pub data: Source,
    /// Other files whose records belong to records of `[data]`, for tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linked: Vec<Linked>,
    /// The population the records are from, with columns of the same names, where one is at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<Source>,
    /// The share of the population that is in the data, above 0 and at most 1, where the data are a sample. From the weights
    /// if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub sampling_fraction: Option<f64>,
    /// The policy the release must meet. `baseline` if absent.
    #[serde(default)]
    pub policy: PolicyChoice,
    /// What a plan should lose least of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub plan: PlanChoice,
    /// Where random steps begin: the same seed gives the same release. 1 if absent.
    #[serde(default = "one")]
    pub seed: u64,
    /// What the columns are. Columns that are not here are plain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// What intruders may know and how they may search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<Scenario>,
    /// What is done to the records, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Tables to be made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// How tables are protected.
    #[serde(default, skip_serializing_if = "is_default")]
    pub protection: Protection,
    /// Files to be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Output>,
    /// The folder of the spec file: what relative paths are relative to.
    #[serde(skip)]
    pub base: PathBuf,
}

fn one() -> u64 {
    Spec::DEFAULT_SEED
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Spec {
    /// The seed where a spec says none.
    pub const DEFAULT_SEED: u64 = 1;

    /// Read a spec file, and the hierarchy and policy files it names.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = read_text(path)?;
        let document = Document::parse(&text, path)?;
        let spec = Self::from_document(&document, path)?;
        check::with_files(&spec, &document)?;
        Ok(spec)
    }

    /// Reads a spec from its text without opening any other file. `file` is its path, whether or not it exists.
    pub fn parse(text: &str, file: impl AsRef<Path>) -> Result<Self> {
        let file = file.as_ref();
        Self::from_document(&Document::parse(text, file)?, file)
    }

    fn from_document(document: &Document<'_>, file: &Path) -> Result<Self> {
        let mut spec: Self = document.read()?;
        spec.base = file.parent().map(Path::to_owned).unwrap_or_default();
        check::plain(&spec, document)?;
        spec.variables.extend(std::mem::take(&mut spec.plain).into_iter().map(Variable::named));
        check::by_itself(&spec, document)?;
        Ok(spec)
    }

    /// The spec as TOML, without comments. The last variables of which there is only the name to say are listed in `plain`.
    pub fn to_toml(&self) -> Result<String> {
        let mut spec = self.clone();
        let says_more = |variable: &Variable| *variable != Variable::named(&variable.name);
        let sections = spec.variables.iter().rposition(says_more).map_or(0, |last| last + 1);
        spec.plain.extend(spec.variables.split_off(sections).into_iter().map(|variable| variable.name));
        toml::to_string(&spec).map_err(|error| Error::bug(format!("a spec could not be written: {error}")))
    }

    /// The JSON schema of the spec file.
    pub fn json_schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }

    /// A path of the spec as seen from where the program runs.
    pub fn resolve(&self, path: impl AsRef<Path>) -> PathBuf {
        self.base.join(path)
    }

    /// A source with its path as seen from where the program runs.
    pub fn resolve_source(&self, source: &Source) -> Source {
        Source { path: source.path.as_ref().map(|path| self.resolve(path)), ..source.clone() }
    }

    /// Every file the spec reads: data, population, files of intruders, hierarchies, mappings and policy, as seen from where the program runs.
    pub fn files(&self) -> Vec<PathBuf> {
        let data = [Some(&self.data), self.population.as_ref()]
            .into_iter()
            .flatten()
            .chain(self.linked.iter().map(|file| &file.data))
            .chain(self.scenarios.iter().filter_map(|scenario| scenario.file.as_ref()));
        let data = data.filter_map(|data| data.path.as_ref());
        let hierarchies = self.variables.iter().flat_map(Variable::hierarchies).filter_map(HierarchySpec::own_file);
        let hierarchies = hierarchies.chain(self.variables.iter().filter_map(Variable::own_ratings));
        let mappings = self.steps.iter().filter_map(|step| match step {
            Step::Place { mapping, .. } => Some(mapping),
            _ => None,
        });
        data.chain(hierarchies)
            .chain(mappings)
            .chain(&self.policy.file)
            .chain(&self.protection.p_table)
            .map(|path| self.resolve(path))
            .collect()
    }

    /// The variable of this name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The variables an intruder may search with, in the order of the file: keys, geography and dates of birth that are
    /// columns of `[data]`.
    pub fn keys(&self) -> Vec<&Variable> {
        self.variables.iter().filter(|variable| variable.is_key() && variable.is_column()).collect()
    }

    /// The keys that no step drops: those of the release.
    pub fn published_keys(&self) -> Vec<&Variable> {
        self.keys().into_iter().filter(|key| self.is_published(&key.name)).collect()
    }

    /// Whether a variable is declared and no step drops it.
    pub fn is_published(&self, variable: &str) -> bool {
        self.variable(variable).is_some() && !self.steps.iter().any(|step| step.drops(variable))
    }

    /// The variables an intruder wants to learn that are columns of `[data]`, in the order of the file.
    pub fn sensitive(&self) -> Vec<&Variable> {
        self.with_role(Role::Sensitive).filter(|variable| variable.is_column()).collect()
    }

    /// The variables of this role, in the order of the file.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(move |variable| variable.role == role)
    }

    /// The variable that says how many of the population a record stands for.
    pub fn weight(&self) -> Option<&Variable> {
        self.with_role(Role::Weight).next()
    }

    /// The variable that holds households together.
    pub fn household(&self) -> Option<&Variable> {
        self.with_role(Role::Household).next()
    }

    /// How missing values of this variable are compared.
    pub fn missing_of(&self, variable: &Variable) -> Missing {
        variable.missing.unwrap_or(self.missing)
    }

    /// The hierarchy of this variable, ready for use, if it has one.
    pub fn hierarchy(&self, variable: &Variable) -> Result<Option<Hierarchy>> {
        let compile = |spec| Hierarchy::compile(spec, &self.base, &variable.name);
        variable.hierarchy.as_ref().map(compile).transpose()
    }

    /// What the release must meet.
    pub fn rules(&self) -> Result<Rules> {
        self.policy.rules(&self.base)
    }

    /// What the release must meet on each subset of keys and records: the weak k of the policy, then the scenarios and
    /// the tables. A scenario or table that names no k must meet the policy's. Those for which this spec has no key are
    /// left out.
    pub fn scenarios_with_k(&self, rules: &Rules) -> Vec<Scenario> {
        let of_policy = rules.weak_k.iter().map(|weak| {
            let chosen = |variable: &&&Variable| {
                (weak.roles.is_empty() || weak.roles.contains(&variable.role))
                    && weak.visibility.is_none_or(|least| variable.visibility.is_some_and(|rating| rating >= least))
            };
            let keys = match weak.keys.is_empty() {
                true => self.keys().iter().filter(chosen).map(|variable| variable.name.clone()).collect(),
                false => weak.keys.clone(),
            };
            Scenario {
                name: weak.name.clone(),
                keys,
                condition: weak.condition.clone(),
                k: Some(weak.k),
                ..Scenario::default()
            }
        });
        let of_spec = self.scenarios.iter().map(|scenario| Scenario {
            keys: self.scenario_keys(scenario),
            k: scenario.k.or(Some(rules.k)),
            ..scenario.clone()
        });
        let columns = |table: &&Table| {
            let mut named = table.variables.iter().filter_map(|name| self.variable(name));
            table.unit.is_none() && table.given.is_none() && named.all(Variable::is_column)
        };
        let of_tables = self.tables.iter().filter(columns).map(|table| Scenario {
            name: table.name.clone(),
            keys: table.variables.clone(),
            condition: table.condition.clone(),
            k: Some(rules.k),
            ..Scenario::default()
        });
        of_policy.chain(of_spec).chain(of_tables).filter(|scenario| !scenario.keys.is_empty()).collect()
    }

    /// The names of the variables that the intruder of a scenario knows, in the order of the spec. These are those of
    /// `keys`, and those that `known` names or picks. If the scenario has neither, they are all keys of the spec.
    pub fn scenario_keys(&self, scenario: &Scenario) -> Vec<String> {
        if scenario.known.is_empty() {
            return match scenario.keys.is_empty() {
                true => self.keys().iter().map(|variable| variable.name.clone()).collect(),
                false => scenario.keys.clone(),
            };
        }
        let knows = |variable: &&Variable| {
            scenario.keys.contains(&variable.name) || scenario.known.iter().any(|known| known.picks(variable))
        };
        self.variables.iter().filter(knows).map(|variable| variable.name.clone()).collect()
    }
}
