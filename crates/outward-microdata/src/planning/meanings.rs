//! What the levels of a plan mean: the labels that are published in place of the values.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::PlanCandidate;
use crate::search::{Key, KeyLevel, SearchTable};

/// Labels of a level that are named before the last one.
const LABELS_NAMED: usize = 3;

/// What the levels of one key mean.
pub type KeyMeanings = BTreeMap<usize, LevelMeaning>;

/// What a level of a key means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LevelMeaning {
    /// How many labels the records have at this level.
    pub labels: usize,
    /// The first of them and the last, in the order of their values. Empty for values as they are.
    pub named: Vec<String>,
}

impl LevelMeaning {
    fn new(level: &KeyLevel, number: usize) -> Self {
        let texts: Vec<&str> = level.texts.iter().filter_map(Option::as_deref).collect();
        let named = match (number, texts.as_slice()) {
            // The values themselves are of the data, and no report shows these.
            (0, _) => Vec::new(),
            (_, texts) if texts.len() <= LABELS_NAMED + 1 => texts.to_vec(),
            (_, [first @ .., last]) => first.iter().take(LABELS_NAMED).chain([last]).copied().collect(),
            (_, []) => Vec::new(),
        };
        Self { labels: texts.len(), named: named.into_iter().map(str::to_owned).collect() }
    }

    /// In words, such as `0-19, 20-39, 40-59, … 80-99`.
    pub fn words(&self) -> String {
        match self.named.as_slice() {
            [] => "values as they are".to_owned(),
            [one] if self.labels == 1 => format!("one label for all: {one}"),
            [first @ .., last] if self.labels > LABELS_NAMED + 1 => format!("{}, … {last}", first.join(", ")),
            all => all.join(", "),
        }
    }
}

/// For each key what the levels mean that candidates have.
pub(super) fn meanings(table: &SearchTable, candidates: &[PlanCandidate]) -> BTreeMap<String, KeyMeanings> {
    let of_key = |key: &Key| {
        let used: BTreeSet<usize> = candidates.iter().filter_map(|plan| plan.levels.get(&key.name).copied()).collect();
        let meaning = |at: usize| Some((at, LevelMeaning::new(key.levels.get(at)?, at)));
        (key.name.clone(), used.into_iter().filter_map(meaning).collect())
    };
    table.keys().iter().map(of_key).collect()
}

/// The keys of which some levels publish nothing: one label for values that are not one.
pub(super) fn blanked(table: &SearchTable, levels: &[usize]) -> Vec<String> {
    let labels = |key: &Key, at: usize| key.levels.get(at).map_or(0, |level| level.texts.iter().flatten().count());
    let blank = table.keys().iter().zip(levels).filter(|(key, level)| labels(key, **level) < 2 && labels(key, 0) > 1);
    blank.map(|(key, _)| key.name.clone()).collect()
}
