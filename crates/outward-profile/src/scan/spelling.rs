//! Words of a text as names are compared: in plain letters, and by a hash of them that is read eight letters at a time.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::eight::{EACH_SMALL, eight_at, letters_among, marked_first};

/// A word of a text: letters and digits, with the apostrophes within.
pub(super) struct TextWord {
    pub(super) end: usize,
    pub(super) hash: u64,
}

impl TextWord {
    /// The word that begins with the letter at `start`.
    pub(super) fn at(text: &str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let (mut hash, mut end) = (0, start);
        loop {
            let eight = eight_at(bytes, end);
            let count = marked_first(letters_among(eight));
            if count > 0 {
                let letters = (eight | EACH_SMALL) & (u64::MAX >> (64 - 8 * count));
                hash = mixed(hash ^ letters);
                end += count;
            }
            if count < 8 {
                break;
            }
        }
        match bytes.get(end) {
            Some(0x80..) => Self::with_accents(text, start),
            Some(b'\'') if bytes.get(end + 1).is_some_and(|next| is_letter(*next)) => {
                Self::with_apostrophes(text, start)
            }
            _ => Self { end, hash },
        }
    }

    fn with_apostrophes(text: &str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let mut hash = Hash::default();
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\'' if bytes.get(at + 1).is_some_and(|next| is_letter(*next)) => {}
                0x80.. => return Self::with_accents(text, start),
                byte if byte.is_ascii_alphanumeric() => hash.add(byte.to_ascii_lowercase()),
                _ => break,
            }
            at += 1;
        }
        Self { end: at, hash: hash.finish() }
    }

    /// The same where a character is not ASCII.
    fn with_accents(text: &str, start: usize) -> Self {
        let length: usize = text[start..].chars().take_while(|c| is_part_of_word(*c)).map(char::len_utf8).sum();
        let word = text[start..start + length].trim_end_matches(is_apostrophe);
        // A character that is no part of a word is passed over.
        let end = match word.len() {
            0 => start + text[start..].chars().next().map_or(1, char::len_utf8),
            length => start + length,
        };
        Self { end, hash: hash_of(&folded(word)) }
    }
}

/// Mixes eight bytes into a hash: both halves of a product, one upon the other (Wang Yi, wyhash).
fn mixed(eight: u64) -> u64 {
    let product = u128::from(eight ^ 0xe703_7ed1_a0b4_28db) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
    product as u64 ^ (product >> 64) as u64
}

/// The hash of [`TextWord`], a letter at a time.
#[derive(Default)]
struct Hash {
    hash: u64,
    eight: u64,
    filled: u32,
}

impl Hash {
    fn add(&mut self, letter: u8) {
        self.eight |= u64::from(letter) << (8 * self.filled);
        self.filled += 1;
        if self.filled == 8 {
            *self = Self { hash: mixed(self.hash ^ self.eight), ..Self::default() };
        }
    }

    fn finish(self) -> u64 {
        if self.filled == 0 { self.hash } else { mixed(self.hash ^ self.eight) }
    }
}

/// The hash of a word in plain letters.
pub(super) fn hash_of(letters: &str) -> u64 {
    let mut hash = Hash::default();
    letters.bytes().for_each(|letter| hash.add(letter));
    hash.finish()
}

/// The hash of words with one more behind them, from their hashes.
pub(super) fn joined(words: u64, next: u64) -> u64 {
    mixed(words.rotate_left(17) ^ next)
}

/// Whether a word may begin or go on with this byte.
pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{2bc}')
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c) || is_apostrophe(c)
}

/// The letters of a word without case, accents and apostrophes.
fn folded(word: &str) -> String {
    let plain = word.nfkd().filter(|c| !is_combining_mark(*c) && !is_apostrophe(*c));
    plain.flat_map(char::to_lowercase).collect()
}

/// The words of a name in plain letters.
pub(super) fn words_of(name: &str) -> Vec<String> {
    name.split(|c: char| !is_part_of_word(c)).map(folded).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_end_where_letters_and_digits_end() {
        for (text, word) in [
            ("Jones, Mary", "Jones"),
            ("ABCDEFGH next", "ABCDEFGH"),
            ("O'Neill's cat", "O'Neill's"),
            ("rock''n", "rock"),
            ("Zoë O'N", "Zoë"),
            ("a@b", "a"),
            ("x[y", "x"),
            ("z{", "z"),
            ("A`", "A"),
            ("12/03", "12"),
        ] {
            assert_eq!(TextWord::at(text, 0).end, word.len(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_word_has_the_hash_of_its_plain_letters(word in "[A-Za-z0-9]{1,30}", end in "[ ,.@\\[`{/:]?[a-zA-Z ]{0,9}") {
            let text = format!("{word}{end}");
            let found = TextWord::at(&text, 0);
            prop_assume!(end.is_empty() || !end.as_bytes()[0].is_ascii_alphanumeric());
            prop_assert_eq!(found.end, word.len());
            prop_assert_eq!(found.hash, hash_of(&word.to_ascii_lowercase()));
        }

        #[test]
        fn apostrophes_and_accents_do_not_count(one in "[a-z]{1,12}", other in "[a-z]{1,12}") {
            let plain = hash_of(&format!("{one}e{other}"));
            for text in [format!("{one}'e{other}"), format!("{one}\u{e9}{other}"), format!("{one}e\u{2019}{other}.")] {
                prop_assert_eq!(TextWord::at(&text, 0).hash, plain, "{}", text);
            }
        }
    }
}
