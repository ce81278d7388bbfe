//! Digits out of text, for the recognisers of numbers.

/// The `N` digits of a value written in one run, or in these groups with one separator (space or hyphen) throughout.
pub(crate) fn grouped<const N: usize>(value: &str, groups: &[usize]) -> Option<[u8; N]> {
    let bytes = value.trim().as_bytes();
    let mut digits = [0; N];
    if bytes.len() == N {
        copy_digits(bytes, &mut digits)?;
        return Some(digits);
    }
    if bytes.len() != N + groups.len() - 1 {
        return None;
    }
    let separator = *bytes.get(*groups.first()?)?;
    if !matches!(separator, b' ' | b'-') {
        return None;
    }
    let mut filled = 0;
    let mut pieces = bytes.split(|byte| *byte == separator);
    for size in groups {
        let piece = pieces.next().filter(|piece| piece.len() == *size)?;
        copy_digits(piece, digits.get_mut(filled..filled + size)?)?;
        filled += size;
    }
    Some(digits)
}

fn copy_digits(from: &[u8], to: &mut [u8]) -> Option<()> {
    for (byte, digit) in from.iter().zip(to) {
        *digit = byte.is_ascii_digit().then(|| byte - b'0')?;
    }
    Some(())
}

/// Whether the digits satisfy the Luhn sum of ISO/IEC 7812: every second digit from the right doubled, total a ten.
pub(crate) fn luhn(digits: &[u8]) -> bool {
    let doubled = |digit: u8| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let sum: u32 = (digits.iter().rev().enumerate())
        .map(|(place, digit)| u32::from(if place % 2 == 1 { doubled(*digit) } else { *digit }))
        .sum();
    sum.is_multiple_of(10)
}
