//! Measures of risk before and after.

use std::collections::BTreeMap;

use outward_cells::Cells;
use outward_engine::{CountRequest, CountRequests};
use outward_microdata::steps::Setting;
use outward_risk::classes::Classes;
use outward_risk::population::{Histogram, SamplingFraction, measure_uniqueness};
use outward_spec::{Missing, Spec};

use crate::manifest::{Measures, ModelVerdict, Subset};

/// The population behind some records: its file on their keys, or the share of it that they are.
#[derive(Debug, Default)]
pub(super) struct PopulationOfRecords {
    /// The population file, with the keys as the records have them.
    pub(super) population: Option<Cells>,
    /// The share of the population that the records are, if known.
    pub(super) sampling_fraction: Option<f64>,
}

impl PopulationOfRecords {
    /// The share of the population that is alone on the keys: counted in its file, or estimated from the classes.
    fn alone(&self, cells: &Cells) -> Option<f64> {
        if let Some(population) = self.population.as_ref().filter(|population| population.records() > 0) {
            let alone = population.counts().iter().filter(|people| **people == 1).count();
            return Some(alone as f64 / population.records() as f64);
        }
        let fraction = SamplingFraction::new(self.sampling_fraction?).ok()?;
        measure_uniqueness(&Histogram::from_class_sizes(cells.counts().iter().copied()), fraction).chosen.share()
    }
}

/// Measures the classes of records that were counted on their keys. Without keys there is only the number of records.
pub(super) fn measure(cells: &Cells, setting: &Setting, behind: &PopulationOfRecords) -> Measures {
    let (spec, rules, threads) = (&setting.spec, &setting.rules, setting.threads);
    let keys: Vec<String> = cells.keys().iter().map(|key| key.name.clone()).collect();
    let mut missing = BTreeMap::new();
    let mut categories = BTreeMap::new();
    for (at, key) in cells.keys().iter().enumerate() {
        let absent = (0..cells.len()).filter(|cell| cells.code(*cell, at) == 0);
        missing.insert(key.name.clone(), absent.map(|cell| cells.counts()[cell]).sum());
        categories.insert(key.name.clone(), key.dictionary.len() as u64);
    }
    let wild = wild(spec, &keys);
    let classes = Classes::on_threads(cells, &wild, threads);
    let chances = classes.prosecutor(rules.k);
    let classes = classes.measure(rules.k);
    let exactly = wild.contains(&true).then(|| Classes::from_cells(cells, &vec![false; keys.len()]).measure(rules.k));
    let records = cells.records();
    let no_keys = keys.is_empty();
    Measures {
        records,
        classes: if no_keys { 0 } else { classes.cells },
        alone_exactly: exactly.map(|classes| classes.uniques),
        smallest_exactly: exactly.map(|classes| classes.k),
        below_k_exactly: exactly.map(|classes| classes.below_k),
        uniques: if no_keys { 0 } else { classes.uniques },
        pairs: if no_keys { 0 } else { classes.pairs },
        smallest_class: if no_keys { 0 } else { classes.k },
        below_k: if no_keys { 0 } else { classes.below_k },
        average_risk: chances.filter(|_| !no_keys).map_or(0.0, |chances| chances.average),
        highest_risk: if classes.k == 0 || no_keys { 0.0 } else { 1.0 / classes.k as f64 },
        missing,
        categories,
        population_uniques: if no_keys { None } else { behind.alone(cells) },
    }
}

/// Subsets with variables that are no keys, such as tables of a sensitive variable. The search and local suppression
/// use keys only, so these subsets are judged here by their own count.
#[derive(Debug)]
pub(super) struct OtherSubsets<'a> {
    /// Each subset with the position of its request.
    subsets: Vec<(&'a Subset, usize)>,
}

impl<'a> OtherSubsets<'a> {
    /// Adds their requests to those of a pass.
    pub(super) fn add(requests: &mut CountRequests, subsets: &'a [Subset], keys: &[String]) -> Self {
        let others = subsets.iter().filter(|subset| subset.k > 1 && subset.keys.iter().any(|key| !keys.contains(key)));
        let mut request = |subset: &'a Subset| {
            let (keys, condition) = (subset.keys.clone(), subset.condition.clone());
            (subset, requests.add(CountRequest { keys, weight: None, condition }))
        };
        Self { subsets: others.map(&mut request).collect() }
    }

    /// The verdict on each, from the answers of the pass.
    pub(super) fn judge(&self, counted: &[Cells], spec: &Spec, threads: usize) -> Vec<ModelVerdict> {
        let judge = |(subset, place): &(&Subset, usize)| {
            let classes = Classes::on_threads(&counted[*place], &wild(spec, &subset.keys), threads);
            let smallest = classes.sizes().iter().copied().min();
            ModelVerdict {
                says: format!("weak k-anonymity with k = {} on {}", subset.k, subset.keys.join(", ")),
                holds: smallest.is_none_or(|smallest| smallest >= subset.k),
                worst: smallest.map(|smallest| format!("records that share these: {smallest}")).unwrap_or_default(),
            }
        };
        self.subsets.iter().map(judge).collect()
    }
}

/// For each variable whether its missing values match everything.
fn wild(spec: &Spec, names: &[String]) -> Vec<bool> {
    let missing = |name: &String| spec.variable(name).map_or(spec.missing, |variable| spec.missing_of(variable));
    names.iter().map(|name| missing(name) == Missing::Wildcard).collect()
}
