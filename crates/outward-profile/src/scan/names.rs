//! Names that are known, found as whole words of a text, whatever their case, accents and spacing.
//!
//! The words of the text are looked up one after the other by a hash of their plain letters. The first look-up is in a filter of the first words of
//! names. If the filter has a word, the word and those behind it are looked up together, again by a hash. So one place in memory is read for a name,
//! and none for most words, and a list of a million names costs little more than one of ten. The automata of Aho and Corasick, which search for all
//! names together, have a state for each letter of the list. Each letter of the text would then wait for memory.
//!
//! Names are compared by 62 bits of their hash. Take a million names and a thousand million words. The probability that chance takes one of these words
//! for a name is 10⁶ · 10⁹ / 2⁶², about one in 5,000.

use super::filter::Filter;
use super::spelling::{TextWord, hash_of, is_letter, joined, words_of};
use super::{Sighting, Standing};
use crate::kind::Kind;

/// Characters that may stand between two words of a name: `Jones, Mary`, `Mary-Jane O'Neill`, `MARY.JONES`.
const MAX_CHARACTERS_BETWEEN: usize = 3;
/// How many last words may come first.
const MAX_WORDS_TURNED: usize = 4;

/// A list of names.
#[derive(Debug, Clone, Default)]
pub struct NameList {
    /// The first words of names.
    first: Filter,
    /// Names of one word.
    alone: Beginnings,
    /// Beginnings of names, of two words or more.
    longer: Beginnings,
}

impl NameList {
    /// A list of these names. One of two words or more is found with its last words first too. Names without a letter, and those of
    /// one letter, are left out.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut list = Self::default();
        let mut first = Vec::new();
        for name in names {
            let words = words_of(name);
            if words.iter().map(String::len).sum::<usize>() < 2 {
                continue;
            }
            let mut words: Vec<u64> = words.iter().map(|word| hash_of(word)).collect();
            list.add(&words);
            first.push(words[0]);
            // `JONES, Mary`, and with a surname of two words `VAN DIJK, Carmen`.
            for _ in 0..words.len().saturating_sub(1).min(MAX_WORDS_TURNED) {
                words.rotate_right(1);
                list.add(&words);
                first.push(words[0]);
            }
            if first.len() == first.capacity() {
                first.sort_unstable();
                first.dedup();
            }
        }
        first.sort_unstable();
        first.dedup();
        list.first = Filter::with_hashes(first.len(), first.into_iter());
        list
    }

    fn add(&mut self, words: &[u64]) {
        let [first, rest @ ..] = words else { return };
        if rest.is_empty() {
            self.alone.add(*first, Beginning { is_name: true, goes_on: false });
        }
        let mut hash = *first;
        for (at, word) in (1..).zip(rest) {
            hash = joined(hash, *word);
            let is_name = at == rest.len();
            self.longer.add(hash, Beginning { is_name, goes_on: !is_name });
        }
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.alone.count + self.longer.count == 0
    }

    /// Finds the names in a text; of several that begin with the same word, the longest.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Sighting>) {
        if self.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !is_letter(bytes[at]) {
                at += 1;
                continue;
            }
            let word = TextWord::at(text, at);
            if self.first.may_have(word.hash)
                && let Some(end) = self.longest_from(text, &word)
            {
                found.push(Sighting { kind: Kind::PersonName, start: at, end, standing: Standing::Certain });
            }
            at = word.end;
        }
    }

    /// Where the longest name ends that begins with this word.
    fn longest_from(&self, text: &str, word: &TextWord) -> Option<usize> {
        let mut longest = self.alone.get(word.hash).map(|_| word.end);
        let (mut hash, mut end) = (word.hash, word.end);
        while let Some(from) = next_word(text, end) {
            let next = TextWord::at(text, from);
            (hash, end) = (joined(hash, next.hash), next.end);
            let Some(Beginning { is_name, goes_on }) = self.longer.get(hash) else { break };
            if is_name {
                longest = Some(end);
            }
            if !goes_on {
                break;
            }
        }
        longest
    }
}

/// What words of a text are that names begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Beginning {
    /// They are a name.
    is_name: bool,
    /// There are names with more words.
    goes_on: bool,
}

/// Beginnings of names by their hash, each at the first free place from the one that its hash points to.
#[derive(Debug, Clone, Default)]
struct Beginnings {
    /// The hash but for two bits, which say what the beginning is; 0 where a place is free. A power of two of them, of which at least a third are free.
    places: Vec<u64>,
    count: usize,
}

const IS_NAME: u64 = 1;
const GOES_ON: u64 = 2;

impl Beginnings {
    fn add(&mut self, hash: u64, beginning: Beginning) {
        if 3 * self.count >= 2 * self.places.len() {
            let larger = vec![0; (2 * self.places.len()).max(64)];
            for entry in std::mem::replace(&mut self.places, larger).into_iter().filter(|entry| *entry != 0) {
                let at = self.place_of(entry);
                self.places[at] = entry;
            }
        }
        let at = self.place_of(hash);
        self.count += usize::from(self.places[at] == 0);
        let bits = if beginning.is_name { IS_NAME } else { 0 } | if beginning.goes_on { GOES_ON } else { 0 };
        self.places[at] |= hash & !(IS_NAME | GOES_ON) | bits;
    }

    fn get(&self, hash: u64) -> Option<Beginning> {
        if self.places.is_empty() {
            return None;
        }
        let entry = self.places[self.place_of(hash)];
        (entry != 0).then_some(Beginning { is_name: entry & IS_NAME != 0, goes_on: entry & GOES_ON != 0 })
    }

    /// Where the hash is, or else the free place where it would be.
    fn place_of(&self, hash: u64) -> usize {
        let last = self.places.len() - 1;
        let mut at = (hash >> 2) as usize & last;
        while self.places[at] != 0 && (self.places[at] ^ hash) >> 2 != 0 {
            at = (at + 1) & last;
        }
        at
    }
}

/// Where the next word of a name would begin, if no more stands between than between two words of a name.
fn next_word(text: &str, end: usize) -> Option<usize> {
    if let Some([b' ', b'A'..=b'Z' | b'a'..=b'z']) = text.as_bytes().get(end..end + 2) {
        return Some(end + 1);
    }
    let gap = text[end..].chars().take(MAX_CHARACTERS_BETWEEN + 1).take_while(|c| !c.is_alphanumeric());
    let (count, length) = gap.fold((0, 0), |(count, length), c| (count + 1, length + c.len_utf8()));
    ((1..=MAX_CHARACTERS_BETWEEN).contains(&count) && end + length < text.len()).then_some(end + length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [&str; 8] =
        ["Mary Jones", "Zoë O’Neill", "Jean-Luc Müller", "Ng", "Mary Jones Smith", "Bartholomew", "Li", "A Li B"];

    /// The same by the plainest search: every word in turn, every name compared letter by letter.
    fn by_every_word(text: &str) -> Vec<(usize, usize)> {
        let mut names: Vec<Vec<String>> = NAMES.iter().map(|name| words_of(name)).collect();
        for mut words in names.clone() {
            for _ in 1..words.len() {
                words.rotate_right(1);
                names.push(words.clone());
            }
        }
        let ends_at = |name: &Vec<String>, from: usize| {
            let (mut from, mut end) = (from, from);
            for (number, word) in name.iter().enumerate() {
                if number > 0 {
                    from = next_word(text, end)?;
                }
                end = TextWord::at(text, from).end;
                (words_of(&text[from..end]) == [word.clone()]).then_some(())?;
            }
            Some(end)
        };
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            if !is_letter(text.as_bytes()[at]) {
                at += 1;
                continue;
            }
            if let Some(end) = names.iter().filter_map(|name| ends_at(name, at)).max() {
                found.push((at, end));
            }
            at = TextWord::at(text, at).end;
        }
        found
    }

    proptest! {
        #[test]
        fn every_name_is_found_that_stands_there_and_no_other(
            pieces in prop::collection::vec((0..NAMES.len() + 14, 0..9_usize), 0..40),
        ) {
            let other = ["mary", "JONES", "Smith", "o'neill", "O", "Muller", "a", "the", "patient's", "—", "é", "'", "zoe", "\u{301}"];
            let gaps = [" ", ", ", "", "  ", "'", "\u{2019}", "-", "—", "    "];
            let text: String = pieces
                .iter()
                .flat_map(|(piece, gap)| [NAMES.get(*piece).copied().unwrap_or_else(|| other[*piece - NAMES.len()]), gaps[*gap]])
                .collect();
            let list = NameList::new(NAMES);
            let mut found = Vec::new();
            list.find(&text, &mut found);
            let found: Vec<(usize, usize)> = found.iter().map(|sighting| (sighting.start, sighting.end)).collect();
            prop_assert_eq!(found, by_every_word(&text), "{:?}", text);
        }
    }

    #[test]
    fn a_thousand_names_are_all_found_and_none_besides() {
        let name = |number: u64| format!("Anna{} Bell{}", number % 50, number);
        let names: Vec<String> = (0..1_000).map(name).collect();
        let list = NameList::new(names.iter().map(String::as_str));
        let is_found = |text: &str| {
            let mut found = Vec::new();
            list.find(text, &mut found);
            !found.is_empty()
        };
        assert!(names.iter().all(|name| is_found(&format!("and {name} came"))));
        assert!(!(1_000..3_000).any(|number| is_found(&format!("and {} came", name(number)))));
        assert!((0..1_000).all(|number| is_found(&format!("Bell{number}, Anna{}", number % 50))));
    }
}
