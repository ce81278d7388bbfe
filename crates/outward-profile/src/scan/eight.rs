//! Eight bytes of a text at once, as one number: the marks of a class of bytes are the highest bits of those that belong to it.

/// The highest bit of each of eight bytes.
pub(super) const EACH_HIGH_BIT: u64 = 0x8080_8080_8080_8080;
/// The bit that small letters and digits have and capitals lack.
pub(super) const EACH_SMALL: u64 = 0x2020_2020_2020_2020;
const EACH: u64 = 0x0101_0101_0101_0101;

/// Eight bytes from a place, the first lowest; zeros behind the end.
pub(super) fn eight_at(bytes: &[u8], at: usize) -> u64 {
    let rest = &bytes[at..];
    match rest.first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => rest.iter().rev().fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
    }
}

/// Marks bytes between two that are ASCII.
fn between(eight: u64, from: u8, to: u8) -> u64 {
    let low = eight & !EACH_HIGH_BIT;
    // No sum carries into the next byte.
    let is_from = |from: u8| low.wrapping_add(EACH * u64::from(0x80 - from));
    is_from(from) & !is_from(to + 1) & !eight & EACH_HIGH_BIT
}

/// Marks ASCII letters and digits.
pub(super) fn letters_among(eight: u64) -> u64 {
    // Bytes above 127 stay above it.
    between(eight | EACH_SMALL, b'a', b'z') | digits_among(eight)
}

/// Marks digits.
pub(super) fn digits_among(eight: u64) -> u64 {
    between(eight, b'0', b'9')
}

/// Where the next digit or `@` is.
pub(super) fn next_telling(bytes: &[u8], from: usize) -> Option<usize> {
    next_marked(bytes, from, |eight| digits_among(eight) | between(eight, b'@', b'@'))
}

/// Where the next digit is.
pub(super) fn next_digit(bytes: &[u8], from: usize) -> Option<usize> {
    next_marked(bytes, from, digits_among)
}

fn next_marked(bytes: &[u8], from: usize, marks: impl Fn(u64) -> u64) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        let marked = marks(eight_at(bytes, at));
        if marked != 0 {
            return Some(at + marked.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    None
}

/// How many bytes from the first are marked.
pub(super) fn marked_first(marks: u64) -> usize {
    (!marks & EACH_HIGH_BIT).trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_marked_at_every_place_as_it_is() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                for other in [0, b'0', b'@', b'z', 0x7f, 0xff] {
                    let mut bytes = [other; 8];
                    bytes[place] = byte;
                    let is_marked = |marks: u64| marks >> (8 * place + 7) & 1 == 1;
                    let eight = eight_at(&bytes, 0);
                    assert_eq!(is_marked(letters_among(eight)), byte.is_ascii_alphanumeric(), "{byte} at {place}");
                    assert_eq!(is_marked(digits_among(eight)), byte.is_ascii_digit(), "{byte} at {place}");
                }
            }
        }
    }

    #[test]
    fn the_next_digit_is_found_over_the_ends_of_eights() {
        let text = b"no digit here, but one at the end: 7";
        assert_eq!((next_digit(text, 0), next_telling(text, 0)), (Some(35), Some(35)));
        assert_eq!((next_digit(text, 36), next_telling(b"ab@", 0), next_digit(b"ab@", 0)), (None, Some(2), None));
        assert_eq!(marked_first(letters_among(eight_at(b"abc, def", 0))), 3);
        assert_eq!(marked_first(letters_among(eight_at(b"abcdefgh", 0))), 8);
    }
}
