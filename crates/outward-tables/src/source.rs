//! The source of a variable: the files and columns its values are read from. Variables of several tables with the same
//! source are one (K1 of `docs/methods/attacker.md`).
//!
//! Two variables with different names that read the same columns of the same files have the same values. A name may
//! contain any character, so a source is never written as one text.

use outward_spec::Variable;
use serde::{Deserialize, Serialize};

/// The source of the values of a variable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueSource {
    /// The linked files, by name; none for `[data]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// The columns, in the order of the spec.
    pub columns: Vec<String>,
    /// Whether a linked record has the values of all records that belong to the same record of `[data]`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Whether the values are pairs of the values read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pairs: bool,
}

/// The columns that values are read from, in whichever files, and whether values are pairs: what two files can have in
/// common.
pub(crate) type ColumnsRead = (Vec<String>, bool);

impl ValueSource {
    /// The source of a variable of a spec.
    pub fn of_variable(variable: &Variable) -> Self {
        Self {
            from: variable.from.clone(),
            columns: variable.read_from().to_vec(),
            shared: variable.shared,
            pairs: false,
        }
    }

    /// Whether the source is not given.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The source of the pairs of these values.
    pub fn in_pairs(&self) -> Self {
        Self { pairs: true, ..self.clone() }
    }

    /// The source of the values that pairs consist of; the source itself if its values are no pairs.
    pub fn answers(&self) -> Self {
        Self { pairs: false, ..self.clone() }
    }

    /// The columns read, in whichever file.
    pub(crate) fn columns_read(&self) -> ColumnsRead {
        (self.columns.clone(), self.pairs)
    }

    /// Whether it is read from `[data]` alone.
    pub fn is_of_data(&self) -> bool {
        self.from.is_empty()
    }

    /// Whether a linked record has the same values as its record of `[data]`.
    pub(crate) fn is_about_data(&self) -> bool {
        self.shared || self.is_of_data()
    }

    /// The linked file it is read from, if it is only one.
    pub(crate) fn linked_file(&self) -> Option<&str> {
        match &self.from[..] {
            [file] => Some(file),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn source(from: &[&str], columns: &[&str]) -> ValueSource {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        ValueSource { from: owned(from), columns: owned(columns), ..ValueSource::default() }
    }

    #[test]
    fn a_name_with_a_comma_or_a_slash_is_one_column() {
        assert_ne!(source(&[], &["Age, years"]), source(&[], &["Age", " years"]));
        assert_ne!(source(&[], &["a/b"]), source(&["a"], &["b"]));
        assert_ne!(source(&[], &["x/pairs"]), source(&[], &["x"]).in_pairs());
        assert!(source(&[], &["a/b"]).is_of_data());
        assert_eq!(source(&[], &["x/pairs"]).answers(), source(&[], &["x/pairs"]));
    }

    #[test]
    fn pairs_of_answers_are_another_variable_than_the_answers() {
        let answers = source(&[], &["first", "second", "third"]);
        let pairs = answers.in_pairs();
        assert_ne!(pairs, answers);
        assert_eq!(pairs.answers(), answers);
        assert_ne!(pairs.columns_read(), answers.columns_read());
    }

    #[test]
    fn what_linked_records_share_is_about_their_record_of_data() {
        let own = source(&["vehicles"], &["type"]);
        assert_eq!((own.linked_file(), own.is_about_data()), (Some("vehicles"), false));
        let shared = ValueSource { shared: true, ..own };
        assert!(shared.is_about_data() && !shared.is_of_data());
        assert_eq!(source(&["a", "b"], &["type"]).linked_file(), None);
    }

    #[test]
    fn a_source_is_written_and_read_whole() {
        let odd = ValueSource { shared: true, ..source(&["a,b", "c/d"], &["Age, years", "x/pairs", ""]) }.in_pairs();
        let text = serde_json::to_string(&odd).unwrap();
        assert_eq!(serde_json::from_str::<ValueSource>(&text).unwrap(), odd);
        assert_eq!(serde_json::to_string(&source(&[], &["a/b"])).unwrap(), r#"{"columns":["a/b"]}"#);
        assert!(serde_json::from_str::<ValueSource>("\"/a/false\"").is_err());
    }
}
