//! The words around a place in a text, read only where they are needed.

/// A word without the punctuation around it; a bracket before a dialling code, and one that closes, stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the word ends with its punctuation.
    pub(super) raw_end: usize,
    pub(super) counts: Counts,
}

/// How many characters of each class a word or several words have: a sum with a field of twelve bits for each class, so that characters are counted without
/// a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts(u64);

const DIGIT: u64 = 1;
const LETTER: u64 = 1 << 12;
const AT_SIGN: u64 = 1 << 24;
const SMALL: u64 = 1 << 36;
const NOT_HEXADECIMAL: u64 = 1 << 48;
/// A word ends before this character.
const BREAK: u64 = 1 << 63;
/// The most characters that are counted of one word, far more than any identifier has. So no field runs over into the next.
const MAX_COUNTED: usize = 2_000;

/// What a byte adds to a sum.
static CLASSES: [u64; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let hexadecimal = if byte.is_ascii_hexdigit() { 0 } else { NOT_HEXADECIMAL };
        classes[at] = match byte {
            b'0'..=b'9' => DIGIT,
            b'@' => AT_SIGN,
            b'a'..=b'z' => LETTER + SMALL + hexadecimal,
            b'A'..=b'Z' | 0x80.. => LETTER + hexadecimal,
            b' ' | b'\t'..=b'\r' | b',' | b';' | b':' | b'<' | b'>' | b'"' | b'|' | b'/' | b'#' | b'=' | b'_' => BREAK,
            _ => 0,
        };
        at += 1;
    }
    classes
};

impl Counts {
    fn of_word(word: &[u8]) -> Self {
        Self(word.iter().take(MAX_COUNTED).fold(0, |sum, byte| sum.wrapping_add(CLASSES[usize::from(*byte)])))
    }

    fn field(self, class: u64) -> usize {
        (self.0 / class) as usize % (1 << 12)
    }

    pub(super) fn digits(self) -> usize {
        self.field(DIGIT)
    }

    pub(super) fn letters(self) -> usize {
        self.field(LETTER)
    }

    /// Signs `@`.
    pub(super) fn ats(self) -> usize {
        self.field(AT_SIGN)
    }

    /// Whether a letter is small.
    pub(super) fn has_small(self) -> bool {
        self.field(SMALL) > 0
    }

    /// Whether all letters are hexadecimal digits.
    pub(super) fn is_hexadecimal(self) -> bool {
        self.field(NOT_HEXADECIMAL) == 0
    }

    /// Whether there is something that identifiers have and words do not.
    pub(super) fn telling(self) -> bool {
        self.digits() + self.ats() > 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl Word {
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether an identifier may begin with this word although it has no digit: the letters of an insurance number or a
    /// plate, and hexadecimal digits.
    pub(super) fn may_begin(&self) -> bool {
        self.len() <= 3 || (self.counts.is_hexadecimal() && self.counts.letters() == self.len())
    }
}

/// Whether a word ends before this byte.
fn is_break(byte: u8) -> bool {
    CLASSES[usize::from(byte)] == BREAK
}

/// How many of these bytes come before a break, and what they count.
fn up_to_break<'a>(bytes: impl Iterator<Item = &'a u8>) -> (usize, Counts) {
    let (mut length, mut sum) = (0, 0_u64);
    for byte in bytes {
        let class = CLASSES[usize::from(*byte)];
        if class == BREAK {
            break;
        }
        length += 1;
        sum = if length <= MAX_COUNTED { sum.wrapping_add(class) } else { sum };
    }
    (length, Counts(sum))
}

/// The word that has the byte at `at`, not beginning before `floor`.
pub(super) fn word_around(text: &str, at: usize, floor: usize) -> Option<Word> {
    let (before, first) = up_to_break(text.as_bytes()[floor..at].iter().rev());
    let (after, rest) = up_to_break(text.as_bytes()[at..].iter());
    // Two words as long as can be counted still fit into the fields.
    trimmed(text, at - before, at + after, first.with(rest))
}

/// The first word that begins at `from` or later, if it ends before `limit`.
pub(super) fn next_word(text: &str, from: usize, limit: usize) -> Option<Word> {
    let bytes = &text.as_bytes()[..limit.min(text.len())];
    let mut start = from;
    while start < bytes.len() {
        start += bytes[start..].iter().take_while(|byte| is_break(**byte)).count();
        let (length, counts) = up_to_break(bytes[start..].iter());
        let cut = start + length == bytes.len() && limit < text.len() && !is_break(text.as_bytes()[limit]);
        if length == 0 || cut {
            return None;
        }
        if let Some(word) = trimmed(text, start, start + length, counts) {
            return Some(word);
        }
        start += length;
    }
    None
}

/// Whether the word that ends before `to` is surely a long one that no hexadecimal number is: told from its last letters, without reading it.
pub(super) fn follows_long_word(text: &str, to: usize, floor: usize) -> bool {
    let before = &text.as_bytes()[floor..to];
    let gap = before.iter().rev().take_while(|byte| is_break(**byte)).count();
    let Some(last) = before[..before.len() - gap].last_chunk::<4>() else { return false };
    last.iter().all(u8::is_ascii_alphanumeric)
        && last.iter().any(|byte| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit())
}

/// Whether the word that begins behind `from` surely has a small letter that no hexadecimal number has: told from its first letter.
pub(super) fn goes_on_in_small_letters(text: &str, from: usize) -> bool {
    let first = text.as_bytes()[from..].iter().find(|byte| !is_break(**byte));
    first.is_some_and(|byte| byte.is_ascii_lowercase() && !byte.is_ascii_hexdigit())
}

/// The longest word that is looked at backwards.
const LONGEST_BEFORE: usize = 64;

/// The last word that ends at `to` or earlier and begins at `floor` or later; nothing if it is a long one.
pub(super) fn previous_word(text: &str, to: usize, floor: usize) -> Option<Word> {
    let bytes = text.as_bytes();
    let mut end = to;
    while end > floor {
        end -= bytes[floor..end].iter().rev().take_while(|byte| is_break(**byte)).count();
        let stretch = &bytes[floor.max(end.saturating_sub(LONGEST_BEFORE))..end];
        let (length, counts) = up_to_break(stretch.iter().rev());
        if length == 0 || length == LONGEST_BEFORE {
            return None;
        }
        if let Some(word) = trimmed(text, end - length, end, counts) {
            return Some(word);
        }
        end -= length;
    }
    None
}

/// The stretch without punctuation around it; nothing if it has nothing else. `raw` is what all of it counts.
fn trimmed(text: &str, start: usize, raw_end: usize, raw: Counts) -> Option<Word> {
    let stretch = &text.as_bytes()[start..raw_end];
    let plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    match plain(stretch.first()) && plain(stretch.last()) {
        true => Some(Word { start, end: raw_end, raw_end, counts: raw }),
        false => trimmed_slowly(text, start, raw_end),
    }
}

fn trimmed_slowly(text: &str, start: usize, raw_end: usize) -> Option<Word> {
    let stretch = text.get(start..raw_end)?;
    let word = stretch.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == ')'));
    let core = word.trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '+' || c == '('));
    let end = start + word.len();
    let counts = Counts::of_word(core.as_bytes());
    (!core.is_empty()).then(|| Word { start: end - core.len(), end, raw_end, counts })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_are_read_forwards_and_backwards_alike() {
        let text = "Rang (0117) 496 0123; \u{201c}NHS: 943/476\u{201d}, at 5.";
        let mut forwards = Vec::new();
        let mut from = 0;
        while let Some(word) = next_word(text, from, text.len()) {
            forwards.push(word);
            from = word.raw_end;
        }
        let said: Vec<&str> = forwards.iter().map(|word| &text[word.start..word.end]).collect();
        assert_eq!(said, ["Rang", "(0117)", "496", "0123", "NHS", "943", "476", "at", "5"]);
        let mut backwards = Vec::new();
        let mut to = text.len();
        while let Some(word) = previous_word(text, to, 0) {
            backwards.push(word);
            to = word.start;
        }
        backwards.reverse();
        assert_eq!(backwards, forwards);
        for word in &forwards {
            assert_eq!(word_around(text, word.start, 0), Some(*word));
        }
    }

    #[test]
    fn a_long_word_counts_as_long_and_no_count_runs_over() {
        let (letters, digits) = ("x".repeat(70_000), "7".repeat(70_000));
        let word = word_around(&(letters + &digits), 70_000, 0).unwrap();
        assert_eq!((word.len(), word.counts.ats(), word.counts.has_small()), (140_000, 0, true));
        assert_eq!((word.counts.letters(), word.counts.digits()), (MAX_COUNTED, MAX_COUNTED));
    }

    #[test]
    fn a_word_that_does_not_end_before_the_limit_is_none() {
        assert_eq!(next_word("ab cdef", 2, 5), None);
        assert_eq!(next_word("ab cdef", 2, 7).unwrap().counts.letters(), 4);
        assert_eq!(previous_word(&"x".repeat(70), 70, 0), None);
    }
}
