//! NHS numbers: what is done with one whose check digit is wrong.

use outward_error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What is done with an NHS number that cannot be one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NhsRule {
    /// The enrolment is refused.
    #[default]
    Reject,
    /// The number is kept, and counted in a warning.
    Warn,
    /// The number is kept, and the rows that have one are listed.
    Report,
}

/// An NHS number in its one spelling: ten digits, whatever blanks and marks stood between them.
pub(crate) fn normalised(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let is_spelt = text.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || "-./".contains(c));
    (is_spelt && digits.len() == 10).then_some(digits)
}

/// Whether the last of ten digits checks the other nine: weights 10 down to 2, the remainder by 11, and 10 is never issued.
pub fn is_nhs_number(digits: &str) -> bool {
    let Some(digits) = digits.chars().map(|digit| digit.to_digit(10)).collect::<Option<Vec<u32>>>() else {
        return false;
    };
    let sum: u32 = digits.iter().zip((2..=10).rev()).map(|(digit, weight)| digit * weight).sum();
    digits.len() == 10 && (11 - sum % 11) % 11 == digits[9]
}

/// The refusal of a number at a row.
pub(crate) fn refused(row: u64) -> Error {
    Error::input("the check digit of this NHS number is wrong")
        .row(row)
        .help("correct it, or say `nhs = \"warn\"` or `nhs = \"report\"` to keep such numbers")
        .into()
}

/// The number as it is kept, and whether its check digit is right.
pub(crate) fn check(text: &str, row: u64, rule: NhsRule) -> Result<(String, bool)> {
    let number = normalised(text);
    let is_valid = number.as_deref().is_some_and(is_nhs_number);
    if !is_valid && rule == NhsRule::Reject {
        return Err(refused(row));
    }
    Ok((number.unwrap_or_else(|| text.trim().to_owned()), is_valid))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_national_documents_are_told_apart() {
        for valid in ["9434765919", "4010232137", "0123456789"] {
            assert!(is_nhs_number(valid), "{valid}");
        }
        for invalid in ["1234567890", "9876544321", "943476591", "94347659190", "9000543664", ""] {
            assert!(!is_nhs_number(invalid), "{invalid}");
        }
    }

    #[test]
    fn no_number_that_begins_with_123456789_is_valid() {
        assert!((0..10).all(|last| !is_nhs_number(&format!("123456789{last}"))));
    }

    #[test]
    fn a_number_is_kept_in_one_spelling() {
        for spelt in ["943 476 5919", "943-476-5919", " 9434765919 "] {
            assert_eq!(check(spelt, 1, NhsRule::Reject).unwrap(), ("9434765919".to_owned(), true));
        }
        assert!(check("943 476 5918", 7, NhsRule::Reject).is_err());
        assert_eq!(check("943 476 5918", 7, NhsRule::Warn).unwrap(), ("9434765918".to_owned(), false));
        assert_eq!(check("not known", 7, NhsRule::Report).unwrap(), ("not known".to_owned(), false));
    }
}
