//! Words someone typed.

/// The short words that hold English sentences together, sorted.
const FUNCTION_WORDS: [&str; 46] = [
    "a", "after", "all", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "for", "from", "had", "has",
    "have", "he", "her", "him", "his", "i", "in", "is", "it", "my", "not", "of", "on", "or", "she", "so", "that",
    "the", "their", "they", "this", "to", "very", "was", "we", "were", "when", "with", "you",
];

/// Whether the value reads like a sentence or a note: at least five words, some of them the glue of sentences. A long
/// label of a category looks the same; only the column can tell, by how often its values repeat.
pub fn is_free_text(value: &str) -> bool {
    let value = value.trim();
    if value.len() < 20 {
        return false;
    }
    let (mut words, mut glue) = (0u32, 0u32);
    for word in value.split_whitespace().take(200) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        words += u32::from(word.chars().any(char::is_alphabetic));
        glue += u32::from(word.len() <= 5 && FUNCTION_WORDS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok());
    }
    let sentence = value.ends_with(['.', '!', '?']) || value.contains(". ");
    words >= 5 && (glue >= 2 || (sentence && words >= 6) || words >= 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glue_is_sorted() {
        assert!(FUNCTION_WORDS.is_sorted());
    }

    #[test]
    fn notes_are_found() {
        for value in [
            "Patient seen at home, daughter was present.",
            "called twice and left a message with the neighbour",
            "Fell off bike. Wrist swollen, sent for imaging today.",
        ] {
            assert!(is_free_text(value), "{value}");
        }
    }

    #[test]
    fn short_labels_names_and_addresses_are_not() {
        for value in [
            "Never married",
            "Mary Jane Watson",
            "12 Mill Lane, Leeds, LS6 1AA",
            "Adm-clerical",
            "",
            "Lower managerial occupations",
        ] {
            assert!(!is_free_text(value), "{value}");
        }
    }
}
