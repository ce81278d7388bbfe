//! Names that are known, found as whole words of a text, whatever their case, accents and spacing.
//!
//! The words of the text are looked up one after the other by a hash of their plain letters. The first look-up is in a
//! filter of the first words of names. Only if the filter has a word is it looked up in a table of the first two words.
//! So a list of a million names costs little more than one of ten. The automata of Aho and Corasick, which search for
//! all names together, have a state for each letter of the list. Each letter of the text would then wait for memory.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::{Sighting, Standing};
use crate::kind::Kind;

/// Characters that may stand between two words of a name: `Jones, Mary`, `Mary-Jane O'Neill`, `MARY.JONES`.
const MAX_CHARACTERS_BETWEEN: usize = 3;

/// A list of names.
#[derive(Debug, Clone, Default)]
pub struct NameList {
    /// The words of all names in plain letters, each name ended by a line end and its words by blanks.
    letters: String,
    /// Where names begin in `letters`, by the hash of their first two words, or of the only one.
    names: HashMap<u64, Vec<u32>>,
    /// The hashes of first words, and whether a name consists of that word.
    first: HashMap<u64, bool>,
    /// A few bits of these hashes.
    filter: Vec<u64>,
}

impl NameList {
    /// A list of these names. One of two words or more is found with its last word first too. Names without a letter, and those of
    /// one letter, are left out.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut list = Self::default();
        for name in names {
            let words: Vec<String> = words_of(name);
            if words.iter().map(String::len).sum::<usize>() < 2 {
                continue;
            }
            list.add(&words);
            if let [first @ .., last] = &words[..]
                && !first.is_empty()
            {
                list.add(&[std::slice::from_ref(last), first].concat());
            }
        }
        let bits = (16 * list.first.len()).next_power_of_two().max(1 << 12);
        list.filter = vec![0; bits / 64];
        for hash in list.first.keys() {
            let bit = *hash as usize & (bits - 1);
            list.filter[bit / 64] |= 1 << (bit % 64);
        }
        list
    }

    fn add(&mut self, words: &[String]) {
        let Ok(start) = u32::try_from(self.letters.len()) else { return };
        let first = hash(words[0].bytes());
        *self.first.entry(first).or_default() |= words.len() == 1;
        let key = words.get(1).map_or(first, |second| pair(first, hash(second.bytes())));
        let places = self.names.entry(key).or_default();
        let name = words.join(" ");
        let known = |place: &u32| self.letters[*place as usize..].split('\n').next() == Some(&name);
        if !places.iter().any(known) {
            places.push(start);
            self.letters.push_str(&name);
            self.letters.push('\n');
        }
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Finds the names in a text; of several that begin with the same word, the longest.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Sighting>) {
        if self.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        let bits = self.filter.len() * 64 - 1;
        let mut at = 0;
        while at < bytes.len() {
            if !is_letter(bytes[at]) {
                at += 1;
                continue;
            }
            let word = TextWord::at(text, at);
            let bit = word.hash as usize & bits;
            if self.filter[bit / 64] & (1 << (bit % 64)) != 0
                && let Some(alone) = self.first.get(&word.hash)
            {
                let two = next_word(text, word.end).map(|next| pair(word.hash, TextWord::at(text, next).hash));
                let keys = two.into_iter().chain(alone.then_some(word.hash));
                let places = keys.filter_map(|key| self.names.get(&key)).flatten();
                if let Some(end) = places.filter_map(|place| self.end_of(*place as usize, text, at)).max() {
                    found.push(Sighting { kind: Kind::PersonName, start: at, end, standing: Standing::Certain });
                }
            }
            at = word.end;
        }
    }

    /// Where the name ends in the text if it stands at `at`.
    fn end_of(&self, place: usize, text: &str, at: usize) -> Option<usize> {
        let name = self.letters[place..].split('\n').next()?;
        let mut from = at;
        let mut end = at;
        for (number, word) in name.split(' ').enumerate() {
            if number > 0 {
                from = next_word(text, end)?;
            }
            end = TextWord::at(text, from).end;
            if from >= end || !is_spelt(&text[from..end], word) {
                return None;
            }
        }
        Some(end)
    }
}

/// Where the next word of a name would begin, if no more stands between than between two words of a name.
fn next_word(text: &str, end: usize) -> Option<usize> {
    let gap = text[end..].chars().take(MAX_CHARACTERS_BETWEEN + 1).take_while(|c| !c.is_alphanumeric());
    let (count, length) = gap.fold((0, 0), |(count, length), c| (count + 1, length + c.len_utf8()));
    ((1..=MAX_CHARACTERS_BETWEEN).contains(&count) && end + length < text.len()).then_some(end + length)
}

/// The key of two words.
fn pair(first: u64, second: u64) -> u64 {
    first.rotate_left(17) ^ second.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A word of a text: letters and digits, with the apostrophes within.
struct TextWord {
    end: usize,
    hash: u64,
}

impl TextWord {
    fn at(text: &str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let mut hash = Hash::default();
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            match FOLDED[usize::from(byte)] {
                0 if byte == b'\'' && bytes.get(at + 1).is_some_and(|next| is_letter(*next)) => {}
                0 if byte < 0x80 => break,
                0 => return Self::with_accents(text, start),
                letter => hash.add(letter),
            }
            at += 1;
        }
        Self { end: at, hash: hash.0 }
    }

    /// The same where a character is not ASCII.
    fn with_accents(text: &str, start: usize) -> Self {
        let part = |c: char| c.is_alphanumeric() || is_combining_mark(c) || is_apostrophe(c);
        let length: usize = text[start..].chars().take_while(|c| part(*c)).map(char::len_utf8).sum();
        let word = text[start..start + length].trim_end_matches(is_apostrophe);
        // A character that is no part of a word is passed over.
        let end = match word.len() {
            0 => start + text[start..].chars().next().map_or(1, char::len_utf8),
            length => start + length,
        };
        Self { end, hash: hash(folded(word).bytes()) }
    }
}

/// ASCII letters and digits in small letters; 0 for everything else.
static FOLDED: [u8; 256] = {
    let mut folded = [0; 256];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        if byte.is_ascii_alphanumeric() {
            folded[at] = byte.to_ascii_lowercase();
        }
        at += 1;
    }
    folded
};

fn is_letter(byte: u8) -> bool {
    FOLDED[usize::from(byte)] != 0 || byte >= 0x80
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{2bc}')
}

/// The letters of a word without case, accents and apostrophes.
fn folded(word: &str) -> String {
    let plain = word.nfkd().filter(|c| !is_combining_mark(*c) && !is_apostrophe(*c));
    plain.flat_map(char::to_lowercase).collect()
}

/// Whether a word of a text has these plain letters.
fn is_spelt(word: &str, letters: &str) -> bool {
    match word.is_ascii() {
        true => word.bytes().filter(|byte| *byte != b'\'').map(|byte| FOLDED[usize::from(byte)]).eq(letters.bytes()),
        false => folded(word) == letters,
    }
}

/// The words of a name in plain letters.
fn words_of(name: &str) -> Vec<String> {
    let part = |c: char| c.is_alphanumeric() || is_combining_mark(c) || is_apostrophe(c);
    name.split(|c: char| !part(c)).map(folded).filter(|word| !word.is_empty()).collect()
}

/// A hash that takes a byte at a time.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, byte: u8) {
        // FNV-1a.
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut hash = Hash::default();
    bytes.for_each(|byte| hash.add(byte));
    hash.0
}
