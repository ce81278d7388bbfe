//! Columns of codes into a list of texts: each text is hashed once, and codes are counted.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, StringArray};
use xxhash_rust::xxh3::xxh3_64;

use super::{ColumnProfiler, filled};
use crate::reading::Reading;
use crate::sample::Rows;

/// A list of texts with the hash of each that is not blank.
pub(super) struct TextDictionary {
    values: ArrayRef,
    hashes: Vec<Option<u64>>,
}

impl TextDictionary {
    fn new(values: &ArrayRef) -> Self {
        let texts = values.as_string::<i32>();
        let hashes = (0..texts.len()).map(|code| text(texts, code).map(|text| xxh3_64(text.as_bytes()))).collect();
        Self { values: Arc::clone(values), hashes }
    }
}

impl ColumnProfiler {
    /// Counts the codes of a batch, then each text once with its count.
    pub(super) fn walk_codes(&mut self, array: &DictionaryArray<Int32Type>, rows: &Rows) {
        let (keys, texts) = (array.keys(), array.values().as_string::<i32>());
        let get = |row: usize| if keys.is_valid(row) { text(texts, code(keys.value(row))) } else { None };
        // If the list is far longer than the batch, most of its texts are not in the batch. The texts of the batch are
        // then read instead.
        if texts.len() > 4 * array.len() {
            self.walk(array.len(), rows, get);
            return;
        }
        // The same list is often handed on from batch to batch.
        let last = self.dictionary.take().filter(|last| Arc::ptr_eq(&last.values, array.values()));
        let dictionary = last.unwrap_or_else(|| TextDictionary::new(array.values()));
        let mut counts = vec![0u64; texts.len()];
        for row in 0..array.len() {
            match counts.get_mut(code(keys.value(row))) {
                Some(count) if keys.is_valid(row) => *count += 1,
                _ => self.missing += 1,
            }
        }
        for (code, (hash, count)) in dictionary.hashes.iter().zip(counts).enumerate().filter(|(_, (_, n))| *n > 0) {
            match (hash, text(texts, code)) {
                (Some(hash), Some(text)) => {
                    self.values.note(*hash, count, || Reading::from_value(text));
                    self.measure(Some(text.len() as u64), None, count);
                }
                _ => self.missing += count,
            }
        }
        self.dictionary = Some(dictionary);
        self.examine(rows, get);
    }
}

fn code(key: i32) -> usize {
    usize::try_from(key).unwrap_or(usize::MAX)
}

fn text(texts: &StringArray, code: usize) -> Option<&str> {
    if code < texts.len() && texts.is_valid(code) { filled(texts.value(code)) } else { None }
}
