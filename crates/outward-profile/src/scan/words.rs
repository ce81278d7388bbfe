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

/// What characters a word or several words have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) digits: usize,
    pub(super) letters: usize,
    pub(super) ats: usize,
    /// Whether a letter is small.
    pub(super) small: bool,
    /// Whether all letters are hexadecimal digits.
    pub(super) hexadecimal: bool,
}

impl Counts {
    fn of_word(word: &[u8]) -> Self {
        let mut counts = Self { digits: 0, letters: 0, ats: 0, small: false, hexadecimal: true };
        for byte in word {
            match byte {
                b'0'..=b'9' => counts.digits += 1,
                b'@' => counts.ats += 1,
                b'a'..=b'z' => {
                    counts.letters += 1;
                    counts.small = true;
                    counts.hexadecimal &= *byte <= b'f';
                }
                b'A'..=b'Z' => {
                    counts.letters += 1;
                    counts.hexadecimal &= *byte <= b'F';
                }
                0x80.. => {
                    counts.letters += 1;
                    counts.hexadecimal = false;
                }
                _ => {}
            }
        }
        counts
    }

    /// Whether there is something that identifiers have and words do not.
    pub(super) fn telling(&self) -> bool {
        self.digits + self.ats > 0
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.digits += other.digits;
        self.letters += other.letters;
        self.ats += other.ats;
        self.small |= other.small;
        self.hexadecimal &= other.hexadecimal;
    }
}

impl Word {
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether an identifier may begin with this word although it has no digit: the letters of an insurance number or a
    /// plate, and hexadecimal digits.
    pub(super) fn may_begin(&self) -> bool {
        self.len() <= 3 || (self.counts.hexadecimal && self.counts.letters == self.len())
    }
}

/// Whether a word ends before this byte.
pub(super) fn is_break(byte: u8) -> bool {
    BREAKS[usize::from(byte)]
}

static BREAKS: [bool; 256] = {
    let mut breaks = [false; 256];
    let mut at = 0;
    let of = b" \t\n\x0b\x0c\r,;:<>\"|/#=_";
    while at < of.len() {
        breaks[of[at] as usize] = true;
        at += 1;
    }
    breaks
};

/// The word that has the byte at `at`, not beginning before `floor`.
pub(super) fn word_around(text: &str, at: usize, floor: usize) -> Option<Word> {
    let before = text.as_bytes()[floor..at].iter().rev().take_while(|byte| !is_break(**byte)).count();
    let after = text.as_bytes()[at..].iter().take_while(|byte| !is_break(**byte)).count();
    trimmed(text, at - before, at + after)
}

/// The first word that begins at `from` or later, if it ends before `limit`.
pub(super) fn next_word(text: &str, from: usize, limit: usize) -> Option<Word> {
    let bytes = &text.as_bytes()[..limit.min(text.len())];
    let mut start = from;
    while start < bytes.len() {
        start += bytes[start..].iter().take_while(|byte| is_break(**byte)).count();
        let length = bytes[start..].iter().take_while(|byte| !is_break(**byte)).count();
        let cut = start + length == bytes.len() && limit < text.len() && !is_break(text.as_bytes()[limit]);
        if length == 0 || cut {
            return None;
        }
        if let Some(word) = trimmed(text, start, start + length) {
            return Some(word);
        }
        start += length;
    }
    None
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
        let length = stretch.iter().rev().take_while(|byte| !is_break(**byte)).count();
        if length == 0 || length == LONGEST_BEFORE {
            return None;
        }
        if let Some(word) = trimmed(text, end - length, end) {
            return Some(word);
        }
        end -= length;
    }
    None
}

/// The stretch without punctuation around it; nothing if it has nothing else.
fn trimmed(text: &str, start: usize, raw_end: usize) -> Option<Word> {
    let raw = text.get(start..raw_end)?;
    let counts = |core: &str| Counts::of_word(core.as_bytes());
    let plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if plain(raw.as_bytes().first()) && plain(raw.as_bytes().last()) {
        return Some(Word { start, end: raw_end, raw_end, counts: counts(raw) });
    }
    let word = raw.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == ')'));
    let core = word.trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '+' || c == '('));
    let end = start + word.len();
    (!core.is_empty()).then(|| Word { start: end - core.len(), end, raw_end, counts: counts(core) })
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
    fn a_word_that_does_not_end_before_the_limit_is_none() {
        assert_eq!(next_word("ab cdef", 2, 5), None);
        assert_eq!(next_word("ab cdef", 2, 7).unwrap().counts.letters, 4);
        assert_eq!(previous_word(&"x".repeat(70), 70, 0), None);
    }
}
