//! British telephone numbers (Ofcom national numbering plan: nine or ten digits after the 0 or +44).

use super::plain::is_separator;

/// Whether the whole value is a British telephone number, dialled from here (`0…`) or abroad (`+44…`, `0044…`).
pub fn is_uk_phone(value: &str) -> bool {
    let Some((international, digits)) = dialled(value.trim()) else { return false };
    let national: &[u8] = match &digits[..] {
        [4, 4, 0, rest @ ..] | [4, 4, rest @ ..] if international => rest,
        [0, 0, 4, 4, 0, rest @ ..] | [0, 0, 4, 4, rest @ ..] if !international => rest,
        [0, rest @ ..] if !international => rest,
        _ => return false,
    };
    is_national(national)
}

/// Whether this is a mobile number that lost its leading 0, as spreadsheets make of it: ten digits that start with 7.
/// One random ten-digit number in a dozen looks like it, so it says something only of a whole column.
pub fn is_mobile_without_zero(value: &str) -> bool {
    let bytes = value.trim().as_bytes();
    bytes.len() == 10
        && bytes.iter().all(u8::is_ascii_digit)
        && bytes[0] == b'7'
        && matches!(bytes[1], b'1'..=b'5' | b'7'..=b'9')
}

/// The digits, and whether a plus stood before them; nothing when other characters than the usual marks are there.
fn dialled(value: &str) -> Option<(bool, Vec<u8>)> {
    if !(10..=24).contains(&value.len()) {
        return None;
    }
    let (international, rest) = value.strip_prefix('+').map_or((false, value), |rest| (true, rest));
    // Dates and times have these marks too, but groups of two digits.
    let long_groups = || rest.split(|c: char| !c.is_ascii_digit()).all(|group| group.is_empty() || group.len() >= 3);
    let other_marks = rest.contains(['/', '_', ',', ':']);
    if other_marks && !long_groups() {
        return None;
    }
    let mut digits = Vec::with_capacity(15);
    let mut last_was_mark = false;
    for byte in rest.bytes() {
        let mark = matches!(byte, b' ' | b'-' | b'(' | b')' | b'.' | b'/' | b'_' | b',' | b':');
        match byte {
            b'0'..=b'9' => digits.push(byte - b'0'),
            b' ' | b'(' | b')' => {}
            b'-' | b'.' | b'/' | b'_' | b',' | b':' if !last_was_mark && digits.len() >= 2 => {}
            _ => return None,
        }
        last_was_mark = mark && byte != b' ';
    }
    (digits.len() <= 15).then_some((international, digits))
}

/// Whether the whole value is a telephone number of another country: with its `+` and code, or in the American groups
/// (`(212) 555-0123`, `212-555-0123`).
pub fn is_foreign_phone(value: &str) -> bool {
    let value = value.trim();
    if let Some(number) = value.strip_prefix('+') {
        let grouped = number.contains([' ', '-', '.', '/', '_']);
        let plain = number.chars().all(|c| c.is_ascii_digit() || is_separator(c) || matches!(c, '(' | ')'));
        let digits = number.bytes().filter(u8::is_ascii_digit).count();
        return plain && (8..=15).contains(&digits) && (grouped || digits >= 10) && !number.starts_with("44");
    }
    let value = value.strip_prefix("1-").or_else(|| value.strip_prefix("1 ")).unwrap_or(value);
    let (area, rest) = match value.strip_prefix('(') {
        Some(inside) => match inside.split_once(')') {
            Some((area, rest)) => (area, rest.trim_start()),
            None => return false,
        },
        None => match value.split_once(['-', '.']) {
            Some(parts) => parts,
            None => return false,
        },
    };
    let code = |part: &str| part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit()) && part.as_bytes()[0] >= b'2';
    let Some((exchange, line)) = rest.split_once(['-', '.', ' ']) else { return false };
    code(area) && code(exchange) && line.len() == 4 && line.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_national(digits: &[u8]) -> bool {
    match digits {
        [1, second, ..] => *second != 0 && matches!(digits.len(), 9 | 10),
        [2, second, ..] => matches!(second, 0 | 3 | 4 | 8 | 9) && digits.len() == 10,
        [3, second, ..] => matches!(second, 0 | 3 | 4 | 7) && digits.len() == 10,
        [7, second, ..] => *second != 0 && digits.len() == 10,
        [8, second, ..] => matches!(second, 0 | 4 | 7) && matches!(digits.len(), 9 | 10),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_as_people_write_them() {
        for value in [
            "07700900123",
            "07700 900123",
            "020 7946 0018",
            "(0117) 496 0123",
            "+44 7700 900123",
            "+44 (0)20 7946 0018",
            "0044 113 496 0999",
            "01632-960-123",
            "0800 001066",
            "07700/900/123",
            "0117_496_0123",
            "07700,900123",
        ] {
            assert!(is_uk_phone(value), "{value}");
        }
    }

    #[test]
    fn near_misses_are_not() {
        for value in [
            "7700900123",
            "0123",
            "2024-01-15 10:00",
            "05712345678",
            "077009001234",
            "+33 1 42 68 53 00",
            "1.23456789012",
            "00000000000",
            "0.7700900123",
            "07/12/2024 9:30",
            "07.12.2024 9:30",
            "01/12/2003 10",
        ] {
            assert!(!is_uk_phone(value), "{value}");
        }
        assert!(is_mobile_without_zero("7700900123"));
        assert!(!is_mobile_without_zero("1700900123"));
    }

    #[test]
    fn numbers_of_other_countries_are_found_by_their_code_or_groups() {
        for value in ["+33 1 42 68 53 00", "+4930123456789", "(212) 555-0123", "212-555-0123", "1-212-555-0123"] {
            assert!(is_foreign_phone(value), "{value}");
        }
        for value in ["+1234567", "+12.5", "943-476", "012-555-0123", "2024-01-15", "+44 7700 900123", "(a) b-c"] {
            assert!(!is_foreign_phone(value), "{value}");
        }
    }
}
