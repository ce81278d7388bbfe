//! Values that mean "missing", such as `NA` or `-9`, turned into nulls.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, DictionaryArray, StringArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrow_select::nullif::nullif;

/// The tokens of one source.
#[derive(Debug, Clone, Default)]
pub(super) struct MissingTokens {
    tokens: Vec<String>,
    integers: Vec<i64>,
    numbers: Vec<f64>,
}

impl MissingTokens {
    pub(super) fn new(tokens: &[String]) -> Self {
        Self {
            tokens: tokens.to_vec(),
            integers: tokens.iter().filter_map(|token| token.parse().ok()).collect(),
            numbers: tokens.iter().filter_map(|token| token.parse().ok()).collect(),
        }
    }

    /// Whether this text is one of the tokens.
    #[inline]
    pub(super) fn has(&self, text: &[u8]) -> bool {
        self.tokens.iter().any(|token| token.as_bytes() == text)
    }

    /// The column with its tokens made null. A numeric column compares as numbers, so `-9` also means `-9.0`.
    pub(super) fn remove(&self, column: ArrayRef) -> Result<ArrayRef, ArrowError> {
        if self.tokens.is_empty() {
            return Ok(column);
        }
        let hits: Vec<bool> = match column.data_type() {
            DataType::Dictionary(key, value) if **key == DataType::Int32 && **value == DataType::Utf8 => {
                return self.remove_from_dictionary(&column);
            }
            DataType::Utf8 => {
                let text = column.as_string::<i32>();
                text.iter().map(|value| value.is_some_and(|v| self.has(v.as_bytes()))).collect()
            }
            kind if kind.is_integer() && !self.integers.is_empty() => {
                let wide = cast(&column, &DataType::Int64)?;
                let wide = wide.as_primitive::<Int64Type>();
                wide.iter().map(|value| value.is_some_and(|v| self.integers.contains(&v))).collect()
            }
            kind if (kind.is_floating() || kind.is_decimal()) && !self.numbers.is_empty() => {
                let wide = cast(&column, &DataType::Float64)?;
                let wide = wide.as_primitive::<Float64Type>();
                wide.iter().map(|value| value.is_some_and(|v| self.numbers.contains(&v))).collect()
            }
            _ => return Ok(column),
        };
        if hits.contains(&true) { nullif(&column, &BooleanArray::from(hits)) } else { Ok(column) }
    }

    /// Looks at the few distinct values instead of every record.
    fn remove_from_dictionary(&self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let dictionary = column.as_dictionary::<Int32Type>();
        let values: &StringArray = dictionary.values().as_string();
        let hit: Vec<bool> = values.iter().map(|value| value.is_some_and(|v| self.has(v.as_bytes()))).collect();
        if !hit.contains(&true) {
            return Ok(column.clone());
        }
        let is_hit = |key: Option<i32>| key.and_then(|k| hit.get(k as usize)).is_some_and(|h| *h);
        let mask: BooleanArray = dictionary.keys().iter().map(|key| Some(is_hit(key))).collect();
        let keys = nullif(dictionary.keys(), &mask)?;
        let keys = keys.as_primitive::<Int32Type>().clone();
        Ok(Arc::new(DictionaryArray::try_new(keys, dictionary.values().clone())?))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use arrow_array::{Float64Array, Int32Array};

    fn missing() -> MissingTokens {
        MissingTokens::new(&["NA".to_owned(), "-9".to_owned()])
    }

    #[test]
    fn a_token_is_missing_in_text_and_in_numbers() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["NA", "a", "-9", "-9.0"]));
        assert_eq!(missing().remove(text).unwrap().null_count(), 2);
        let whole: ArrayRef = Arc::new(Int32Array::from(vec![-9, 9, 0]));
        assert_eq!(missing().remove(whole).unwrap().null_count(), 1);
        let number: ArrayRef = Arc::new(Float64Array::from(vec![-9.0, 9.5]));
        assert_eq!(missing().remove(number).unwrap().null_count(), 1);
    }

    #[test]
    fn a_token_is_missing_in_a_dictionary_wherever_it_is_used() {
        let column: DictionaryArray<Int32Type> = vec!["a", "NA", "b", "NA"].into_iter().collect();
        let out = missing().remove(Arc::new(column)).unwrap();
        assert_eq!(out.null_count(), 2);
        assert!(out.is_null(1) && out.is_null(3) && out.is_valid(0));
    }
}
