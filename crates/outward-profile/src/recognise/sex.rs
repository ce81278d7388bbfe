//! Sex and gender, written in words or the usual letters.

/// Whether the value is one of the usual words or letters for a sex or gender.
pub fn is_sex(value: &str) -> bool {
    const WORDS: [&str; 15] = [
        "m",
        "f",
        "male",
        "female",
        "man",
        "woman",
        "men",
        "women",
        "boy",
        "girl",
        "males",
        "females",
        "trans man",
        "trans woman",
        "non-binary",
    ];
    let value = value.trim();
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_letters_are_found_and_codes_are_not() {
        for value in ["M", "female", "Woman", " F "] {
            assert!(is_sex(value), "{value}");
        }
        for value in ["1", "2", "X", "Manchester", ""] {
            assert!(!is_sex(value), "{value}");
        }
    }
}
