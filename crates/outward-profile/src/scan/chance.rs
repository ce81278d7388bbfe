//! Whether codes that pass a test do so by more than chance.

use crate::kind::Kind;

/// Fewer codes of a shape prove nothing against one that passes a check digit.
const MIN_SHAPED: usize = 20;

/// Whether `passed` of `shaped` codes are identifiers of the kind. Half of a shape is far more than chance for any kind. With a
/// check digit few of a shape prove nothing against one that passes.
pub fn is_beyond_chance(kind: Kind, passed: usize, shaped: usize) -> bool {
    let check_digit = matches!(kind, Kind::NhsNumber | Kind::CardNumber);
    passed > 0 && (passed * 2 >= shaped || (check_digit && shaped < MIN_SHAPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_eleven_is_chance_and_half_is_not() {
        assert!(!is_beyond_chance(Kind::NhsNumber, 9, 100) && is_beyond_chance(Kind::NhsNumber, 50, 100));
        assert!(!is_beyond_chance(Kind::Postcode, 0, 0) && is_beyond_chance(Kind::Postcode, 3, 3));
    }

    #[test]
    fn a_number_with_a_check_digit_among_few_of_its_shape_is_no_chance() {
        assert!(is_beyond_chance(Kind::NhsNumber, 1, 19) && !is_beyond_chance(Kind::NhsNumber, 1, 20));
        assert!(!is_beyond_chance(Kind::NumberPlate, 1, 19));
    }
}
