//! NHS numbers: ten digits, the last of which checks the other nine (modulus 11, NHS Data Dictionary).

use super::digits::grouped;

/// Whether this is an NHS number: `9434765919`, or in groups of 3, 3 and 4 with blanks or marks between (`943 476 5919`,
/// `943/476/5919`), with a valid check digit.
pub fn is_nhs_number(value: &str) -> bool {
    (10..=20).contains(&value.len()) && grouped::<10>(value, &[3, 3, 4]).is_some_and(|digits| checks(&digits))
}

/// Weights 10 down to 2 on the first nine; the check is 11 less the remainder, 11 counts as 0 and 10 is never issued.
pub(crate) fn checks(digits: &[u8; 10]) -> bool {
    if digits.iter().all(|digit| *digit == digits[0]) {
        return false; // placeholders such as 0000000000 satisfy the sum
    }
    let sum: u32 = digits.iter().zip((2..=10).rev()).map(|(digit, weight)| u32::from(*digit) * weight).sum();
    (11 - sum % 11) % 11 == u32::from(digits[9])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_right_check_digit_are_found_in_each_spelling() {
        for value in [
            "9434765919",
            "4010232137",
            "0123456789",
            "943 476 5919",
            "943-476-5919",
            " 9434765919 ",
            "943.476.5919",
            "943/476/5919",
            "943_476_5919",
            "943,476,5919",
            "943:476:5919",
            "943 476-5919",
        ] {
            assert!(is_nhs_number(value), "{value}");
        }
    }

    #[test]
    fn numbers_with_a_wrong_check_digit_or_another_shape_are_not() {
        for value in
            ["1234567890", "9876544321", "943476591", "94347659190", "9434 765919", "943 476x5919", "0000000000"]
        {
            assert!(!is_nhs_number(value), "{value}");
        }
    }

    #[test]
    fn about_one_number_in_eleven_passes_by_chance() {
        let passed = (0..11_000u64).filter(|n| is_nhs_number(&(4_000_000_000 + n * 7919).to_string())).count();
        assert!((900..1100).contains(&passed), "{passed}");
    }
}
