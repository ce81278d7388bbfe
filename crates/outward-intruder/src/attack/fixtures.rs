//! Columns and files for the tests of this module.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use outward_cells::{Coded, Dictionary};

use super::people::NamedColumn;

/// A column of these values. Numbers are in numerical order if all are whole.
pub(super) fn coded<S: AsRef<str>>(values: impl IntoIterator<Item = Option<S>>) -> Coded {
    let values: Vec<Option<String>> = values.into_iter().map(|v| v.map(|v| v.as_ref().to_owned())).collect();
    let text: ArrayRef = Arc::new(StringArray::from(values));
    let coded = Coded::from_column(&text).unwrap();
    if coded.dictionary.values().any(|value| value.parse::<i64>().is_err()) {
        return coded;
    }
    let dictionary = Dictionary::new(coded.dictionary.values().map(Box::from).collect(), true);
    let moved = |code: &u32| coded.dictionary.value(*code).map_or(0, |value| dictionary.code(value).unwrap());
    Coded { codes: coded.codes.iter().map(moved).collect(), dictionary }
}

/// A column of this name.
pub(super) fn column<S: AsRef<str>>(name: &str, values: impl IntoIterator<Item = S>) -> NamedColumn {
    NamedColumn { name: name.to_owned(), values: coded(values.into_iter().map(Some)) }
}
