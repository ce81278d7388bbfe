//! Measures of risk before and after.

use std::collections::BTreeMap;

use outward_engine::{CountRequest, Data, Engine};
use outward_risk::classes::Classes;
use outward_spec::{Missing, Result, Rules, Spec};

use crate::manifest::Measures;

/// Counts records on their keys and measures the classes. Without a key only the records are counted.
pub(super) async fn count(
    engine: &dyn Engine,
    data: &Data,
    spec: &Spec,
    rules: &Rules,
    keys: &[String],
    threads: usize,
) -> Result<Measures> {
    let request = CountRequest { keys: keys.to_vec(), ..CountRequest::default() };
    let Some(cells) = engine.count_cells(data, &[request]).await?.into_iter().next() else {
        return Ok(Measures::default());
    };
    let mut missing = BTreeMap::new();
    let mut categories = BTreeMap::new();
    for (at, key) in cells.keys().iter().enumerate() {
        let absent = (0..cells.len()).filter(|cell| cells.code(*cell, at) == 0);
        missing.insert(key.name.clone(), absent.map(|cell| cells.counts()[cell]).sum());
        categories.insert(key.name.clone(), key.dictionary.len() as u64);
    }
    let wild: Vec<bool> = keys
        .iter()
        .map(|name| spec.variable(name).map_or(spec.missing, |v| spec.missing_of(v)) == Missing::Wildcard)
        .collect();
    let classes = Classes::on_threads(&cells, &wild, threads);
    let chances = classes.prosecutor(rules.k);
    let classes = classes.measure(rules.k);
    let records = cells.records();
    let no_keys = keys.is_empty();
    Ok(Measures {
        records,
        classes: if no_keys { 0 } else { classes.cells },
        alone_exactly: wild
            .contains(&true)
            .then(|| Classes::of(&cells, &vec![false; keys.len()]).records_where(|size| size == 1)),
        uniques: if no_keys { 0 } else { classes.uniques },
        pairs: if no_keys { 0 } else { classes.pairs },
        smallest_class: if no_keys { 0 } else { classes.k },
        below_k: if no_keys { 0 } else { classes.below_k },
        average_risk: chances.filter(|_| !no_keys).map_or(0.0, |chances| chances.average),
        highest_risk: if classes.k == 0 || no_keys { 0.0 } else { 1.0 / classes.k as f64 },
        missing,
        categories,
        population_uniques: None,
    })
}
