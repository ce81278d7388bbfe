//! A whole column as codes, for steps that look at all records at once.

use arrow_array::ArrayRef;
use outward_error::Result;

use crate::dictionary::Dictionary;
use crate::intern::Interner;

/// The code of every value of a column, and the values. Blank text is missing, as in cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coded {
    /// The code of each row; 0 is missing.
    pub codes: Vec<u32>,
    /// The values, in the order of their codes.
    pub dictionary: Dictionary,
}

impl Coded {
    /// Codes a column.
    pub fn from_column(column: &ArrayRef) -> Result<Self> {
        let mut interner = Interner::new(column.data_type());
        let mut codes = Vec::new();
        interner.codes(column, &mut codes)?;
        let (dictionary, sorted) = interner.finish()?;
        codes.iter_mut().for_each(|code| *code = sorted[*code as usize]);
        Ok(Self { codes, dictionary })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use arrow_array::{Int64Array, StringArray};

    use super::*;

    #[test]
    fn codes_follow_the_order_of_the_values_and_blanks_are_missing() {
        let text: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), None, Some("a"), Some(" "), Some("b")]));
        let coded = Coded::from_column(&text).unwrap();
        assert_eq!(coded.codes, [2, 0, 1, 0, 2]);
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(10), Some(9), None]));
        assert_eq!(Coded::from_column(&numbers).unwrap().codes, [2, 1, 0]);
    }
}
