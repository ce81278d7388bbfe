//! National Insurance numbers: two letters, six digits, a final letter A to D (HMRC, NIM39110).

use super::plain::is_separator;

/// Whether the whole value is a National Insurance number, with or without the usual gaps.
pub fn is_national_insurance(value: &str) -> bool {
    let mut code = [0u8; 9];
    let mut length = 0;
    for byte in value.trim().bytes() {
        if is_separator(char::from(byte)) {
            // Gaps stand between pairs only.
            if !matches!(length, 2 | 4 | 6 | 8) {
                return false;
            }
            continue;
        }
        let Some(slot) = code.get_mut(length) else { return false };
        *slot = byte.to_ascii_uppercase();
        length += 1;
    }
    length == 9
        && is_prefix(code[0], code[1])
        && code[2..8].iter().all(u8::is_ascii_digit)
        && matches!(code[8], b'A'..=b'D')
}

fn is_prefix(first: u8, second: u8) -> bool {
    let never = |letter: u8| b"DFIQUV".contains(&letter);
    first.is_ascii_uppercase()
        && second.is_ascii_uppercase()
        && !never(first)
        && !never(second)
        && second != b'O'
        && ![b"BG", b"GB", b"NK", b"KN", b"TN", b"NT", b"ZZ"].contains(&&[first, second])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        for value in ["AB123456C", "ab 12 34 56 c", "JG-10-37-59-A", "JG.10.37.59.A", "JG_103759_A"] {
            assert!(is_national_insurance(value), "{value}");
        }
    }

    #[test]
    fn prefixes_never_issued_and_other_shapes_are_not() {
        for value in ["GB123456A", "QQ123456C", "AO123456C", "AB123456E", "AB12345C", "A B123456C", "AB1234567"] {
            assert!(!is_national_insurance(value), "{value}");
        }
    }
}
