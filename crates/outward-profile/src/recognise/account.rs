//! Payment cards and bank accounts, by their check digits.

use super::digits::{DigitGroups, groups, luhn};
use super::plain::is_separator;

/// Whether the whole value is a card number: 14 to 16 digits of a card scheme, in one run or in groups, Luhn sum right.
/// One number in ten passes by chance, so it says something only of a whole column.
pub fn is_card_number(value: &str) -> bool {
    if !(14..=28).contains(&value.trim().len()) {
        return false;
    }
    let Some(DigitGroups { digits, sizes }) = groups(value) else { return false };
    // A stop, a comma or a colon between two runs is a decimal or a time; cards have these groups.
    let meant = matches!(&sizes[..], [_] | [4, 4, 4, 4] | [4, 6, 4 | 5]);
    if !meant && !value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-')) {
        return false;
    }
    let scheme = match &digits[..] {
        [4, ..] | [5, 1..=5, ..] | [2, 2..=7, ..] | [6, ..] => digits.len() == 16,
        [3, 4 | 7, ..] => digits.len() == 15,
        [3, 0 | 6 | 8, ..] => digits.len() == 14,
        _ => false,
    };
    scheme && luhn(&digits)
}

/// Whether the whole value is an international bank account number: ISO 13616, remainder 1 modulo 97.
pub fn is_iban(value: &str) -> bool {
    let code: Vec<u8> = value
        .trim()
        .chars()
        .filter(|c| !is_separator(*c))
        .map(|c| u8::try_from(c.to_ascii_uppercase()).unwrap_or(0))
        .collect();
    let country = code.get(..2).is_some_and(|letters| letters.iter().all(u8::is_ascii_uppercase));
    let check = code.get(2..4).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit));
    if !(15..=34).contains(&code.len()) || !country || !check || !code.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let remainder = code[4..].iter().chain(&code[..4]).fold(0u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_pass_by_scheme_and_sum() {
        for value in [
            "4111111111111111",
            "5555 5555 5555 4444",
            "3782-822463-10005",
            "4111.1111.1111.1111",
            "4111/1111/1111/1111",
        ] {
            assert!(is_card_number(value), "{value}");
        }
        for value in ["4111111111111112", "1111111111111117", "411111111111111", "2024131449060"] {
            assert!(!is_card_number(value), "{value}");
        }
    }

    #[test]
    fn accounts_pass_by_the_remainder() {
        assert!(is_iban("GB82 WEST 1234 5698 7654 32") && is_iban("GB82-WEST-1234-5698-7654-32"));
        for value in ["GB82 WEST 1234 5698 7654 33", "GB82", "8282WEST12345698765432", "GB82-WEST-1234-5698"] {
            assert!(!is_iban(value), "{value}");
        }
    }
}
