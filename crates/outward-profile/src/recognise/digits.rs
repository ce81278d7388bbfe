//! Digits out of text, for the recognisers of numbers.

use super::plain::is_separator;

/// A number written in groups: its digits, and how many each group has.
pub(crate) struct DigitGroups {
    pub(crate) digits: Vec<u8>,
    pub(crate) sizes: Vec<usize>,
}

/// The digits of a value that consists of groups of digits only: between two groups a mark, blanks, or both.
pub(crate) fn groups(value: &str) -> Option<DigitGroups> {
    let bytes = value.trim().as_bytes();
    let (mut digits, mut sizes) = (Vec::with_capacity(20), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        let size = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if size == 0 || digits.len() + size > 40 {
            return None;
        }
        digits.extend(bytes[at..at + size].iter().map(|byte| byte - b'0'));
        sizes.push(size);
        at += size;
        let gap = bytes[at..].iter().take_while(|byte| is_separator(char::from(**byte))).count();
        let marks = bytes[at..at + gap].iter().filter(|byte| **byte != b' ').count();
        if (gap == 0 && at < bytes.len()) || gap > 3 || marks > 1 || (gap > 0 && at + gap == bytes.len()) {
            return None;
        }
        at += gap;
    }
    (!sizes.is_empty()).then_some(DigitGroups { digits, sizes })
}

/// The `N` digits of a value written in one run or in these groups.
pub(crate) fn grouped<const N: usize>(value: &str, sizes: &[usize]) -> Option<[u8; N]> {
    let found = groups(value).filter(|found| found.sizes == [N] || found.sizes == sizes)?;
    found.digits.try_into().ok()
}

/// Whether the digits satisfy the Luhn sum of ISO/IEC 7812: every second digit from the right doubled, total a ten.
pub(crate) fn luhn(digits: &[u8]) -> bool {
    let doubled = |digit: u8| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let sum: u32 = (digits.iter().rev().enumerate())
        .map(|(place, digit)| u32::from(if place % 2 == 1 { doubled(*digit) } else { *digit }))
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_with_any_separator_and_with_no_other_characters() {
        for value in
            ["943 476 5919", "943.476.5919", "943/476/5919", "943_476-5919", "943 - 476 - 5919", "943,476,5919"]
        {
            assert_eq!(groups(value).map(|found| found.sizes), Some(vec![3, 3, 4]), "{value}");
        }
        for value in ["", "943..476", "943 476 ", "-943", "943x476", "943 , , 476"] {
            assert!(groups(value).is_none_or(|found| found.sizes == [3, 3]), "{value}");
        }
    }
}
