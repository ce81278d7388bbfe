//! What a step counts: records, categories, changed values. Counted by the functions that carry it out, on any thread.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::Schema;

/// What one step did, all told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepCount {
    /// Records before the step.
    pub records_before: u64,
    /// Records after it.
    pub records_after: u64,
    /// Values that were changed or left out, by variable.
    pub changed: BTreeMap<String, u64>,
    /// Different values before and after, by variable.
    pub categories: BTreeMap<String, [u64; 2]>,
    /// Records alone on the keys before and after, where that was counted.
    pub uniques: Option<[u64; 2]>,
    /// Other counts and measures, by name.
    pub figures: BTreeMap<String, f64>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// What the functions of one step have counted so far.
#[derive(Debug, Default)]
pub(crate) struct StepCounter {
    kept: Option<Arc<[AtomicU64; 2]>>,
    reshaped: BTreeMap<String, Arc<Mutex<Totals>>>,
    categories: BTreeMap<String, Arc<Mutex<Categories>>>,
}

/// What became of the numbers of a variable.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) changed: u64,
    pub(crate) known: u64,
    pub(crate) sums: [f64; 2],
}

/// The values of a variable before and after.
#[derive(Debug, Default)]
pub(crate) struct Categories {
    pub(crate) before: HashSet<Box<str>>,
    pub(crate) after: HashSet<Box<str>>,
}

impl StepCounter {
    /// Records looked at, and those kept.
    pub(crate) fn kept(&mut self) -> Arc<[AtomicU64; 2]> {
        self.kept.insert(Arc::default()).clone()
    }

    pub(crate) fn reshaped(&mut self, variable: &str) -> Arc<Mutex<Totals>> {
        self.reshaped.entry(variable.to_owned()).or_default().clone()
    }

    pub(crate) fn categories(&mut self, variable: &str) -> Arc<Mutex<Categories>> {
        self.categories.entry(variable.to_owned()).or_default().clone()
    }

    /// What the step did, given the records that came to it. A step that keeps no count of records passes on all of them.
    pub(crate) fn settle(&self, records_before: u64) -> StepCount {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let sizes = |categories: &Arc<Mutex<Categories>>| {
            let categories = categories.lock().unwrap_or_else(PoisonError::into_inner);
            [categories.before.len() as u64, categories.after.len() as u64]
        };
        let mut changed = BTreeMap::new();
        let mut figures = BTreeMap::new();
        for (variable, totals) in &self.reshaped {
            let totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
            changed.insert(variable.clone(), totals.changed);
            for (when, sum) in ["before", "after"].into_iter().zip(totals.sums) {
                figures.insert(format!("mean_{when}.{variable}"), sum / totals.known.max(1) as f64);
            }
        }
        StepCount {
            records_before,
            records_after: self.kept.as_ref().map_or(records_before, |kept| load(&kept[1])),
            changed,
            categories: self.categories.iter().map(|(variable, seen)| (variable.clone(), sizes(seen))).collect(),
            uniques: None,
            figures,
            notes: Vec::new(),
        }
    }

    /// Records that came to the step, where it counts them.
    pub(crate) fn looked_at(&self) -> Option<u64> {
        self.kept.as_ref().map(|kept| kept[0].load(Ordering::Relaxed))
    }
}

/// Counts missing values by column; blanks are missing, as everywhere.
pub(crate) struct MissingCounter {
    columns: Vec<(String, u64)>,
}

impl MissingCounter {
    pub(crate) fn new(schema: &Schema) -> Self {
        Self { columns: schema.fields().iter().map(|field| (field.name().clone(), 0)).collect() }
    }

    pub(crate) fn observe(&mut self, batch: &RecordBatch) {
        for ((_, missing), column) in self.columns.iter_mut().zip(batch.columns()) {
            *missing += (column.logical_null_count() + blanks(column)) as u64;
        }
    }

    pub(crate) fn finish(self) -> BTreeMap<String, u64> {
        self.columns.into_iter().collect()
    }
}

/// Values of a column of text that are blank.
fn blanks(column: &ArrayRef) -> usize {
    let is_blank = |value: &str| value.trim().is_empty();
    if let Some(text) = column.as_string_opt::<i32>() {
        return text.iter().flatten().filter(|value| is_blank(value)).count();
    }
    let Some(coded) = column.as_dictionary_opt::<Int32Type>() else { return 0 };
    let Some(values) = coded.values().as_string_opt::<i32>() else { return 0 };
    let blank: Vec<bool> = values.iter().map(|value| value.is_some_and(is_blank)).collect();
    match blank.contains(&true) {
        true => coded.keys().iter().flatten().filter(|key| blank[*key as usize]).count(),
        false => 0,
    }
}
