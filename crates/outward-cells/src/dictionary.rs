//! The values of one key variable and the codes that stand for them.

use std::cmp::Ordering;

/// The code of a missing value, in every dictionary.
pub const MISSING: u32 = 0;

/// The distinct values of a variable in order; the value at position `i` has code `i + 1`, code 0 is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dictionary {
    values: Vec<Box<str>>,
    numeric: bool,
}

impl Dictionary {
    /// Sorts and deduplicates values; numbers in numeric order where the variable is numeric.
    pub fn new(mut values: Vec<Box<str>>, numeric: bool) -> Self {
        values.sort_unstable_by(|a, b| compare(numeric, a, b));
        values.dedup();
        Self { values, numeric }
    }

    /// Values that are in order already, each once.
    pub(crate) fn of_sorted(values: Vec<Box<str>>, numeric: bool) -> Self {
        Self { values, numeric }
    }

    /// For each code of `self`, missing included, the code of the same value in another dictionary; missing where it does not occur there.
    pub fn codes_of_same(&self, other: &Self) -> Vec<u32> {
        if self.numeric != other.numeric {
            return self.codes_in(other);
        }
        // Both are in the same order, so one pass over both finds all.
        let mut at = 0;
        let code_of = |value: &str| {
            let is_before = |known: &str| compare(self.numeric, known, value).is_lt();
            while other.values.get(at).is_some_and(|known| is_before(known)) {
                at += 1;
            }
            if other.values.get(at).is_some_and(|known| **known == *value) { at as u32 + 1 } else { MISSING }
        };
        std::iter::once(MISSING).chain(self.values().map(code_of)).collect()
    }

    /// The values in code order, from code 1.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> {
        self.values.iter().map(|value| &**value)
    }

    /// How many values there are, missing not counted.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the variable had no value at all.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether the values are whole numbers.
    pub fn is_numeric(&self) -> bool {
        self.numeric
    }

    /// The value a code stands for; `None` for the missing code.
    pub fn value(&self, code: u32) -> Option<&str> {
        let position = (code as usize).checked_sub(1)?;
        self.values.get(position).map(|value| &**value)
    }

    /// The code of a value, if it occurs.
    pub fn code(&self, value: &str) -> Option<u32> {
        let position = self.values.binary_search_by(|known| compare(self.numeric, known, value)).ok()?;
        u32::try_from(position + 1).ok()
    }

    /// The dictionary of all values of several, numeric only where all of them are.
    pub(crate) fn union<'a>(dictionaries: impl IntoIterator<Item = &'a Self> + Clone) -> Self {
        let numeric = dictionaries.clone().into_iter().all(|dictionary| dictionary.numeric);
        let values = dictionaries.into_iter().flat_map(|dictionary| dictionary.values.iter().cloned()).collect();
        Self::new(values, numeric)
    }

    /// For each code of `self`, missing included, the code in `other`, which must hold every value.
    pub(crate) fn codes_in(&self, other: &Self) -> Vec<u32> {
        std::iter::once(MISSING).chain(self.values.iter().map(|value| other.code(value).unwrap_or(MISSING))).collect()
    }
}

fn compare(numeric: bool, a: &str, b: &str) -> Ordering {
    if numeric {
        let number = |text: &str| text.parse::<i128>().ok();
        number(a).cmp(&number(b)).then_with(|| a.cmp(b))
    } else {
        a.cmp(b)
    }
}
