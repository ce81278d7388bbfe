//! Candidate keys in the order in which they tell records apart: greedy forward choice and leaving one out.
//!
//! Somebody who knows a record's key guesses right with a chance of one over the size of its class. Summed over the
//! records this is the number of classes. Each next key is the one that adds most classes. The first few keys leave
//! hardly any uniques, so the number of uniques alone would leave the choice to chance.

use hashbrown::HashMap;
use outward_spec::Rating;

use crate::column::Summary;
use crate::profile::{ColumnProfile, RankedKey};
use crate::sample::mix;
use outward_report::format::{count, share};

/// At most so many candidates are ranked, those with the most different values first: the work grows with the square.
const CANDIDATES: usize = 40;

/// Ranks the columns whose suggested role takes part in the keys. A missing value counts as a value of its own.
pub(crate) fn keys(columns: &[ColumnProfile], summaries: &[Summary]) -> Vec<RankedKey> {
    let mut candidates: Vec<KeyCandidate> = (columns.iter().zip(summaries))
        .enumerate()
        .filter(|(_, (column, _))| column.suggestion.role.is_key())
        .map(|(place, (column, summary))| KeyCandidate::new(place, column, &summary.kept))
        .collect();
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.column.distinct.count));
    candidates.truncate(CANDIDATES);
    candidates.sort_by_key(|candidate| candidate.place);
    let records = summaries.first().map_or(0, |summary| summary.kept.len());
    let mut all = vec![0u64; records];
    candidates.iter().for_each(|candidate| candidate.join(&mut all));
    let unique_on_all = KeyClasses::from_keys(all.iter().copied()).unique;

    let mut joined = vec![0u64; records];
    let mut before = 0;
    let mut ranked = Vec::new();
    while let Some((next, classes)) = best(&candidates, &joined) {
        let candidate = candidates.remove(next);
        candidate.join(&mut joined);
        let without =
            KeyClasses::from_keys(all.iter().zip(&candidate.codes).map(|(all, code)| all.wrapping_sub(*code))).unique;
        let share = |records_lost: u64| records_lost as f64 / records.max(1) as f64;
        // A record unique on some keys stays unique on more, so neither difference is negative.
        let (added, lost) = (share(classes.unique - before), share(unique_on_all - without));
        ranked.push(candidate.ranked(added, lost, records as u64, ranked.is_empty()));
        before = classes.unique;
    }
    ranked
}

/// The candidate that gives most classes together with those joined; then most uniques, then the first in the file.
fn best(candidates: &[KeyCandidate], joined: &[u64]) -> Option<(usize, KeyClasses)> {
    let with = |candidate: &KeyCandidate| {
        KeyClasses::from_keys(joined.iter().zip(&candidate.codes).map(|(key, code)| key.wrapping_add(*code)))
    };
    let tried = candidates.iter().enumerate().map(|(next, candidate)| (next, with(candidate)));
    tried.max_by_key(|(next, classes)| (classes.classes, classes.unique, std::cmp::Reverse(*next)))
}

struct KeyCandidate<'a> {
    place: usize,
    column: &'a ColumnProfile,
    /// The column's part of each record's key: keys are sums of parts, so that a part can be taken out again.
    codes: Vec<u64>,
    uniques_alone: u64,
}

impl<'a> KeyCandidate<'a> {
    fn new(place: usize, column: &'a ColumnProfile, hashes: &[u64]) -> Self {
        let salt = mix(place as u64);
        let codes: Vec<u64> = hashes.iter().map(|hash| mix(hash ^ salt)).collect();
        let uniques_alone = KeyClasses::from_keys(codes.iter().copied()).unique;
        Self { place, column, codes, uniques_alone }
    }

    fn join(&self, keys: &mut [u64]) {
        for (key, code) in keys.iter_mut().zip(&self.codes) {
            *key = key.wrapping_add(*code);
        }
    }

    fn ranked(&self, added: f64, lost: f64, records: u64, first: bool) -> RankedKey {
        let seen = match self.column.suggestion.visibility {
            Some(Rating::High) => "Others see it or find it in public sources",
            Some(Rating::Medium) => "Friends, neighbours or colleagues may know it",
            Some(Rating::Low) => "Few others know it",
            None => "Others may know it",
        };
        let mut adds = Vec::new();
        if self.uniques_alone > 0 {
            adds.push(format!(
                "By itself it makes {} of {} records unique.",
                count(self.uniques_alone),
                count(records)
            ));
        }
        if !first && added > 0.0 {
            adds.push(format!("Together with the keys above it makes {} more of the records unique.", share(added)));
        }
        if lost > 0.0 {
            adds.push(format!("Without it, {} of the records would no longer be unique.", share(lost)));
        }
        if adds.is_empty() {
            adds.push("It makes no further record unique.".to_owned());
        }
        let reason = format!("{seen}. {}", adds.join(" "));
        RankedKey { name: self.column.name.clone(), uniques_alone: self.uniques_alone, added, lost, reason }
    }
}

/// Records that share a key form a class.
struct KeyClasses {
    classes: u64,
    unique: u64,
}

impl KeyClasses {
    fn from_keys(keys: impl Iterator<Item = u64>) -> Self {
        let mut sizes: HashMap<u64, u32> = HashMap::with_capacity(keys.size_hint().0);
        keys.for_each(|key| *sizes.entry(key).or_default() += 1);
        let unique = sizes.values().filter(|size| **size == 1).count() as u64;
        Self { classes: sizes.len() as u64, unique }
    }
}
