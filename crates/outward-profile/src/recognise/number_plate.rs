//! Number plates of the United Kingdom (DVLA, INF104): the current style and the two before it.

/// Words of three letters that stand behind a code in ordinary text, sorted.
const WORDS: [&str; 16] =
    ["AND", "ARE", "BUT", "DAY", "FOR", "HAD", "HAS", "NEW", "NOT", "OLD", "ONE", "PER", "THE", "TWO", "WAS", "YRS"];

/// Whether the whole value is a number plate: `AB12 CDE` (since 2001), `A123 BCD` (1983) or `ABC 123D` (1963).
pub fn is_number_plate(value: &str) -> bool {
    let value = value.trim();
    if !(7..=8).contains(&value.len()) || !value.is_ascii() {
        return false;
    }
    let (front, back) = match value.split_once([' ', '-']) {
        Some((front, back)) => (front, back),
        None if value.as_bytes()[..3].iter().all(u8::is_ascii_alphabetic) => value.split_at(3),
        None => value.split_at(value.len() - 3),
    };
    let (front, back) = (front.to_ascii_uppercase(), back.to_ascii_uppercase());
    if WORDS.binary_search(&back.as_str()).is_ok() {
        return false;
    }
    let letters = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'Q'));
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    match (front.as_bytes(), back.as_bytes()) {
        ([a, b, tens, ones], [x, y, z]) if b.is_ascii_uppercase() && digits(&[*tens, *ones]) => {
            // The digits are the year, or the year and fifty.
            let age = 10 * (tens - b'0') + (ones - b'0');
            letters(&[*a, *b, *x, *y, *z]) && (matches!(age, 2..=29) || matches!(age, 51..=79))
        }
        ([a, number @ ..], [x, y, z]) if number.len() == 3 => letters(&[*a, *x, *y, *z]) && digits(number),
        ([a, b, c], [number @ .., year]) if number.len() == 3 => letters(&[*a, *b, *c, *year]) && digits(number),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn plates_are_found_and_other_codes_are_not() {
        for value in ["AB12 CDE", "ab12cde", "LS24-XYZ", "A123 BCD", "ABC 123D", "ABC123D"] {
            assert!(is_number_plate(value), "{value}");
        }
        for value in
            ["PM10 AND", "AB12 3CD", "SW1A 1AA", "AB00 CDE", "AI12 CDE", "E01000001", "ABC 1234", "é12 CDE", ""]
        {
            assert!(!is_number_plate(value), "{value}");
        }
    }
}
