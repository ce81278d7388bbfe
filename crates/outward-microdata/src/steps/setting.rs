//! What steps know besides the records: the spec, its policy, the population.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use outward_cells::{CellCounter, CellRequest, Cells, Recoding};
use outward_risk::classes::Classes;
use outward_spec::{Error, Missing, Result, Rules, Spec, Step, Variable};

/// How the names of all columns begin that are added to the records and never published.
const RESERVED_PREFIX: &str = "__outward_";
/// How the names of columns begin that say where a condition holds.
const CONDITION_PREFIX: &str = "__outward_where_";

/// What steps know besides the records.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The spec.
    pub spec: Spec,
    /// What the release must meet.
    pub rules: Rules,
    /// The population file counted on the keys of the spec as they are in the file, where there is one.
    pub population: Option<Cells>,
    /// The share of the population that is in the data, where known.
    pub sampling_fraction: Option<f64>,
    /// What identifies the data, such as their hash. Random numbers depend on it, so that guessing the seed is not
    /// enough to draw them again.
    pub salt: String,
    /// Threads a step may use. They change no result.
    pub threads: usize,
}

impl Setting {
    /// A spec and the rules of its policy, without a population.
    pub fn new(spec: Spec, threads: usize) -> Result<Self> {
        let sampling_fraction = spec.sampling_fraction;
        Ok(Self { rules: spec.rules()?, spec, population: None, sampling_fraction, salt: String::new(), threads })
    }

    /// What distinguishes the release from others of the same data: its variables and steps. The file of a mapping has
    /// another name in a bundle, so it is left out.
    pub(super) fn release(&self) -> String {
        let names: Vec<&str> = self.spec.variables.iter().map(|variable| variable.name.as_str()).collect();
        let mut steps = self.spec.steps.clone();
        for step in &mut steps {
            if let Step::Place { mapping, .. } = step {
                *mapping = PathBuf::new();
            }
        }
        format!("{names:?} {steps:?}")
    }

    /// The conditions of the policy and the scenarios, each once: columns say of which records they hold.
    pub fn conditions(&self) -> Vec<String> {
        let mut conditions: Vec<String> = Vec::new();
        for scenario in self.spec.scenarios_with_k(&self.rules) {
            conditions.extend(scenario.condition.filter(|condition| !conditions.contains(condition)));
        }
        conditions
    }

    /// The name of the column that says where a condition holds.
    pub fn condition_column(at: usize) -> String {
        format!("{CONDITION_PREFIX}{at}")
    }

    /// Whether a column says where a condition holds.
    pub fn is_condition_column(name: &str) -> bool {
        name.starts_with(CONDITION_PREFIX)
    }

    /// Whether a column was added to the records and is not part of the data.
    pub(super) fn is_our_column(name: &str) -> bool {
        name.starts_with(RESERVED_PREFIX)
    }

    /// Which records meet a condition; none if the records do not have it.
    pub fn rows_where(&self, records: &RecordBatch, condition: &str) -> Option<Vec<bool>> {
        let at = self.conditions().iter().position(|known| known == condition)?;
        let holds = records.column_by_name(&Self::condition_column(at))?.as_boolean_opt()?;
        Some(holds.iter().map(|holds| holds == Some(true)).collect())
    }

    /// The keys of the spec that are still in the records.
    pub fn keys(&self, records: &RecordBatch) -> Vec<&Variable> {
        let there = |variable: &&Variable| records.schema_ref().index_of(&variable.name).is_ok();
        self.spec.keys().into_iter().filter(there).collect()
    }

    /// The cells of the keys that are still in the records; `rows` are the numbers of the records.
    pub fn cells(&self, records: &RecordBatch, rows: &[u64]) -> Result<Cells> {
        let keys = self.keys(records).iter().map(|variable| variable.name.clone()).collect();
        count(records, rows, keys)
    }

    /// Records alone on the keys that are still there; none if no key is.
    pub fn uniques(&self, records: &RecordBatch, rows: &[u64]) -> Result<Option<u64>> {
        let keys = self.keys(records);
        if keys.is_empty() {
            return Ok(None);
        }
        let wild: Vec<bool> = keys.iter().map(|key| self.spec.missing_of(key) == Missing::Wildcard).collect();
        let cells = self.cells(records, rows)?;
        let classes = Classes::on_threads(&cells, &wild, self.threads);
        Ok(Some(classes.records_where(|size| size == 1)))
    }

    /// Records alone in the population on the keys that are still there, before step `at`. None if there is no
    /// population or it can no longer be compared.
    pub fn population_uniques(&self, records: &RecordBatch, rows: &[u64], at: usize) -> Result<Option<u64>> {
        let keys = self.keys(records);
        if keys.is_empty() || self.population.is_none() {
            return Ok(None);
        }
        let Ok(Some(population)) = self.population(&keys, at) else { return Ok(None) };
        let cells = self.cells(records, rows)?;
        let shared = cells.counts_in(&population)?;
        Ok(Some(cells.counts().iter().zip(shared).filter(|(_, people)| *people == 1).map(|(records, _)| records).sum()))
    }

    /// The population on these keys as the records have them before step `at`: recoded as the steps before it recode the
    /// data. None if there is no population file.
    pub fn population(&self, keys: &[&Variable], at: usize) -> Result<Option<Cells>> {
        let Some(population) = &self.population else { return Ok(None) };
        let position = |variable: &&Variable| {
            population.key(&variable.name).ok_or_else(|| {
                let help = "give the population file a column of this name, or leave the key out";
                Error::from(Error::input("the population does not have this key").variable(&variable.name).help(help))
            })
        };
        let positions: Vec<usize> = keys.iter().map(position).collect::<Result<_>>()?;
        let mut population = population.margin(&positions);
        for step in self.spec.steps.iter().take(at) {
            if let Step::Recode { variable, level } = step {
                let Some(key) = population.key(variable) else { continue };
                let hierarchy = self.spec.variable(variable).map(|known| self.spec.hierarchy(known)).transpose()?;
                let Some(hierarchy) = hierarchy.flatten() else { continue };
                let recoding = Recoding::new(&population.keys()[key].dictionary, |value| {
                    hierarchy.recode(value, *level).map(std::borrow::Cow::into_owned)
                });
                population = population.recode(&[(key, &recoding)]);
            } else if let Some(name) = self.changes(step).into_iter().find(|name| population.key(name).is_some()) {
                return Err(Error::input(format!(
                    "step `{}` changes a key that the population has as it was, so that they cannot be compared",
                    step.name()
                ))
                .variable(name)
                .help(
                    "recode the key by its hierarchy instead, with a step `recode`, or do not ask about the population",
                )
                .into());
            }
        }
        Ok(Some(population))
    }

    /// The variables whose values a step changes. Recoding by a hierarchy that is the same for all records does not
    /// count.
    fn changes<'s>(&'s self, step: &'s Step) -> Vec<&'s String> {
        let keys = || self.spec.keys().into_iter().map(|key| &key.name).collect();
        match step {
            Step::Drop { .. }
            | Step::Recode { .. }
            | Step::Keep { .. }
            | Step::RemoveRare { .. }
            | Step::RemoveUniques { .. }
            | Step::Sample { .. }
            | Step::Shuffle {} => Vec::new(),
            Step::RecodeLocally { .. } => keys(),
            Step::SuppressCells { keys: named, .. } if named.is_empty() => keys(),
            Step::Swap { geography, .. } => geography.iter().collect(),
            Step::Pram { variables, .. } => variables.iter().collect(),
            other => other.variables().into_iter().map(|(_, name)| name).collect(),
        }
    }

    /// The share of the population that is in the records before step `at`, where known: that of the data, less what samples
    /// left out.
    pub fn fraction_at(&self, at: usize) -> Option<f64> {
        let drawn = self.spec.steps.iter().take(at).filter_map(|step| match step {
            Step::Sample { fraction, .. } => *fraction,
            _ => None,
        });
        let drawn: Vec<f64> = drawn.collect();
        match (self.sampling_fraction, drawn.is_empty()) {
            (fraction, true) => fraction,
            (fraction, false) => Some(fraction.unwrap_or(1.0) * drawn.iter().product::<f64>()),
        }
    }
}

/// Counts records on some variables.
pub(super) fn count(records: &RecordBatch, rows: &[u64], keys: Vec<String>) -> Result<Cells> {
    let mut counter = CellCounter::new(records.schema_ref(), &CellRequest::new(keys))?;
    counter.observe(records, rows)?;
    counter.finish()
}
