//! British telephone numbers (Ofcom national numbering plan: nine or ten digits after the 0 or +44).

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
    let mut digits = Vec::with_capacity(15);
    let mut last_was_mark = false;
    for byte in rest.bytes() {
        let mark = matches!(byte, b' ' | b'-' | b'(' | b')' | b'.');
        match byte {
            b'0'..=b'9' => digits.push(byte - b'0'),
            b' ' | b'(' | b')' => {}
            b'-' | b'.' if !last_was_mark && digits.len() >= 2 => {}
            _ => return None,
        }
        last_was_mark = mark && byte != b' ';
    }
    (digits.len() <= 15).then_some((international, digits))
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
        ] {
            assert!(!is_uk_phone(value), "{value}");
        }
        assert!(is_mobile_without_zero("7700900123"));
        assert!(!is_mobile_without_zero("1700900123"));
    }
}
