//! Dates of birth in running text. Words beside them, or a range of years, distinguish them from other dates.

use std::ops::RangeInclusive;

use super::words::{next_word, previous_word};
use super::{Sighting, Standing};
use crate::kind::Kind;
use crate::recognise::{MONTHS, is_day};

/// Words that say that the date near them is one of birth.
static CUES: [u128; 8] = packed_all(["b.", "birth", "birthdate", "birthday", "born", "d.o.b", "d.o.b.", "dob"]);
/// Words between a cue and a date that make it another date.
static OTHER_DATES: [u128; 30] = packed_all([
    "admitted",
    "after",
    "appointment",
    "before",
    "between",
    "came",
    "consent",
    "consented",
    "diagnosed",
    "died",
    "discharged",
    "earlier",
    "examined",
    "from",
    "joined",
    "later",
    "measured",
    "next",
    "recruited",
    "referred",
    "reviewed",
    "scanned",
    "seen",
    "since",
    "to",
    "until",
    "visit",
    "visited",
    "weighed",
    "written",
]);
/// The words that may stand between a cue and its date.
const WORDS_BETWEEN: usize = 4;
/// The bytes in which they stand.
const REACH: usize = 60;

/// A date in a text.
struct Found {
    start: usize,
    end: usize,
    year: u16,
    /// Whether the year has four digits.
    whole_year: bool,
}

/// Looks at the digit at `at`, which begins a word: does a date of birth begin here?
pub(super) fn look_for_birth(text: &str, at: usize, years: Option<&RangeInclusive<u16>>, found: &mut Vec<Sighting>) {
    let Some(date) = date_at(text, at) else { return };
    let within = date.whole_year && years.is_some_and(|years| years.contains(&date.year));
    if within || cue_before(text, date.start) || cue_after(text, date.end) {
        found.push(Sighting { kind: Kind::DateOfBirth, start: date.start, end: date.end, standing: Standing::Certain });
    }
}

/// The date that begins with the digit at `at`, or with the month before it.
fn date_at(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let first = digits_at(bytes, at);
    let end = at + first;
    match (first, bytes.get(end)?) {
        (1 | 2 | 4, b'/' | b'.' | b'-') => in_numbers(text, at, end).or_else(|| named(text, at, end)),
        (1 | 2, b' ' | b',' | b's' | b'n' | b'r' | b't') => named(text, at, end).or_else(|| month_first(text, at, end)),
        _ => None,
    }
}

fn digits_at(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count()
}

/// A date in numbers with one mark between them: `12/03/1950`, `12.3.50`, `1950-03-12`; days before months, or else months before days.
fn in_numbers(text: &str, at: usize, end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let second = digits_at(bytes, end + 1);
    let middle = end + 1 + second;
    if !(1..=2).contains(&second) || bytes.get(middle) != bytes.get(end) {
        return None;
    }
    let third = digits_at(bytes, middle + 1);
    let last = middle + 1 + third;
    let number = |from: usize, to: usize| text[from..to].parse::<u16>().ok();
    let (a, b, c) = (number(at, end)?, number(end + 1, middle)?, number(middle + 1, last)?);
    let (days, year) = match (end - at, third) {
        (4, 1 | 2) => ([(c, b), (c, b)], a),
        (1 | 2, 4) => ([(a, b), (b, a)], c),
        (1 | 2, 2) => ([(a, b), (b, a)], 1900 + c),
        _ => return None,
    };
    let exists = days.iter().any(|(day, month)| is_day(*day, *month, year));
    exists.then_some(Found { start: at, end: last, year, whole_year: end - at == 4 || third == 4 })
}

/// A day before a month in words: `12 March 1950`, `12th of Mar. 1950`, `12-Mar-1950`.
fn named(text: &str, at: usize, end: usize) -> Option<Found> {
    let rest = without_ordinal(&text[end..]).trim_start_matches([' ', '-']);
    let rest = rest.strip_prefix("of ").unwrap_or(rest);
    let (month, length) = month(rest)?;
    let rest = rest[length..].trim_start_matches([' ', '-', '.', ',']);
    let year = year_at(rest)?;
    let exists = is_day(text[at..end].parse().ok()?, month, year);
    exists.then_some(Found { start: at, end: text.len() - rest.len() + 4, year, whole_year: true })
}

/// A month in words before the day: `March 12, 1950`.
fn month_first(text: &str, at: usize, end: usize) -> Option<Found> {
    let rest = without_ordinal(&text[end..]);
    let rest = rest.strip_prefix(',').unwrap_or(rest).strip_prefix(' ')?;
    let year = year_at(rest)?;
    let word = previous_word(text, at, at.saturating_sub(LONGEST_MONTH))?;
    let (month, length) = month(&text[word.start..])?;
    let beside = text[word.start + length..at].trim_matches(['.', ' ']).is_empty();
    let exists = beside && is_day(text[at..end].parse().ok()?, month, year);
    exists.then_some(Found { start: word.start, end: text.len() - rest.len() + 4, year, whole_year: true })
}

/// The year of four digits that a text begins with.
fn year_at(text: &str) -> Option<u16> {
    if digits_at(text.as_bytes(), 0) == 4 { text[..4].parse().ok() } else { None }
}

/// The text behind the ending of an ordinal number.
fn without_ordinal(text: &str) -> &str {
    ["st", "nd", "rd", "th"].iter().find_map(|ending| text.strip_prefix(ending)).unwrap_or(text)
}

/// `September` and what may stand behind it.
const LONGEST_MONTH: usize = 12;

/// The months in three letters, as numbers.
static THREE_LETTERS: [u128; 12] =
    packed_all(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]);

/// The month that a text begins with, and how long it is written: in full or in three letters.
fn month(text: &str) -> Option<(u16, usize)> {
    let bytes = text.as_bytes();
    let three = bytes.get(..3)?;
    let at = THREE_LETTERS.iter().position(|month| *month == packed(three))?;
    let length = bytes.iter().take(10).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let written = &text[..length];
    let known = length == 3 || MONTHS[at].eq_ignore_ascii_case(written) || written.eq_ignore_ascii_case("sept");
    known.then_some((at as u16 + 1, length))
}

/// Whether a cue stands at most [`WORDS_BETWEEN`] words before, in the same sentence, and no word says that it is another date.
fn cue_before(text: &str, start: usize) -> bool {
    let floor = start.saturating_sub(REACH);
    let mut to = start;
    for _ in 0..=WORDS_BETWEEN {
        let Some(word) = previous_word(text, to, floor) else { return false };
        let gap = &text[word.end..to];
        let written = &text[word.start..word.end + usize::from(gap.starts_with('.'))];
        if is_cue(written) {
            return true;
        }
        let sentence_ends = gap.contains(['.', '!', '?', ';']) && word.len() > 3;
        if sentence_ends || word.counts.digits() > 0 || is_listed(&OTHER_DATES, written.trim_end_matches('.')) {
            return false;
        }
        to = word.start;
    }
    false
}

/// Whether a cue stands behind the date in brackets or as the next word: `12/03/1950 (DOB)`.
fn cue_after(text: &str, end: usize) -> bool {
    let gap = text[end..].bytes().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    let bracket = text[end..end + gap].ends_with('(');
    let Some(word) = next_word(text, end + gap, end + REACH).filter(|_| bracket) else { return false };
    let first = &text[word.start..word.end];
    let rest = text[word.end..].trim_start().as_bytes();
    let of =
        first.eq_ignore_ascii_case("date") && rest.get(..8).is_some_and(|rest| rest.eq_ignore_ascii_case(b"of birth"));
    is_cue(first.trim_matches(['(', ')'])) || of
}

fn is_cue(word: &str) -> bool {
    is_listed(&CUES, word.trim_start_matches('('))
}

/// Whether the word is in a list, whatever its case.
fn is_listed(list: &[u128], word: &str) -> bool {
    let packed = packed(word.as_bytes());
    word.len() <= MAX_PACKED && list.iter().fold(false, |found, entry| found | (*entry == packed))
}

/// The longest word that a number holds.
const MAX_PACKED: usize = 16;

/// Words as numbers, so that they are compared in one step.
const fn packed_all<const N: usize>(words: [&str; N]) -> [u128; N] {
    let (mut all, mut at) = ([0; N], 0);
    while at < N {
        assert!(words[at].len() <= MAX_PACKED);
        all[at] = packed(words[at].as_bytes());
        at += 1;
    }
    all
}

/// The first letters of a word, small, as a number.
const fn packed(word: &[u8]) -> u128 {
    let (mut number, mut at) = (0, 0);
    while at < word.len() && at < MAX_PACKED {
        number = number << 8 | word[at].to_ascii_lowercase() as u128;
        at += 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_listed_whatever_their_case_and_parts_of_them_are_not() {
        for word in ["born", "DOB", "d.o.b.", "(b.", "Birthdate"] {
            assert!(is_cue(word), "{word}");
        }
        for word in ["", "bor", "bornx", "birthdatebirthdatebirthdate"] {
            assert!(!is_cue(word), "{word}");
        }
        assert!(is_listed(&OTHER_DATES, "Appointment") && !is_listed(&OTHER_DATES, "t"));
    }
}
