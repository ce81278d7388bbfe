//! Codes of statistical areas (the nine-character codes of the Government Statistical Service).

/// Whether the whole value is an area code: a nation letter and eight digits, such as `E08000035`.
pub fn is_area_code(value: &str) -> bool {
    matches!(value.trim().as_bytes(), [b'E' | b'W' | b'S' | b'N' | b'K' | b'J', entity, rest @ ..]
        if rest.len() == 7 && entity.is_ascii_digit() && rest.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_codes_are_found_and_part_numbers_are_not() {
        for value in ["E08000035", "S92000003", "W06000015", "N09000003", "E01010949"] {
            assert!(is_area_code(value), "{value}");
        }
        for value in ["X08000035", "E0800003", "E080000355", "EE8000035", "e08000035"] {
            assert!(!is_area_code(value), "{value}");
        }
    }
}
