//! Identifiers inside text and their places, such as in a note that says "the number is 943 476 5919".
//!
//! A [`Scanner`] reads a text once. At a digit, an `@` or a disguised character it examines the words around. It uses
//! only the recognisers whose kind has so many digits and letters. Names are looked up by their words. No sighting
//! holds a value of the text.
//!
//! ```
//! use outward_profile::Kind;
//! use outward_profile::scan::{NameList, Scanner};
//!
//! let scanner = Scanner::new().with_names(NameList::new(["Mary Jones"]));
//! let found = scanner.scan("JONES, Mary (born 12.3.1950) rang from 07700 900123.");
//! let kinds: Vec<Kind> = found.iter().map(|sighting| sighting.kind).collect();
//! assert_eq!(kinds, [Kind::PersonName, Kind::DateOfBirth, Kind::UkPhone]);
//! assert_eq!((found[0].start, found[0].end), (0, 11));
//! ```

mod births;
mod chance;
mod column;
mod disguise;
mod eight;
mod filter;
mod names;
mod phrases;
mod spelling;
mod whole;
mod words;

use std::ops::RangeInclusive;

use crate::kind::Kind;

pub use chance::is_beyond_chance;
pub use column::{ColumnSightings, FoundInColumn, Place};
pub use names::NameList;

/// That an identifier, or something of its shape, stands at a place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    /// What it is.
    pub kind: Kind,
    /// Its first byte in the text.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// How sure it is.
    pub standing: Standing,
}

/// How sure a sighting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It leaves nothing to chance.
    Certain,
    /// It passes its test, as one of ten or so of any such codes do. A column of them is judged by [`is_beyond_chance`].
    ByChance,
    /// It has the shape of the kind and fails the test.
    Missed,
}

/// Finds identifiers in texts.
#[derive(Debug, Clone, Default)]
pub struct Scanner {
    births: Option<RangeInclusive<u16>>,
    names: NameList,
}

impl Scanner {
    /// A scanner that knows no names, and dates of birth by the words beside them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes every date in these years for a date of birth.
    pub fn with_births(self, years: RangeInclusive<u16>) -> Self {
        Self { births: Some(years), ..self }
    }

    /// Finds these names too.
    pub fn with_names(self, names: NameList) -> Self {
        Self { names, ..self }
    }

    /// Everything that has the shape of an identifier, in order. Sightings of one kind do not overlap.
    pub fn scan(&self, text: &str) -> Vec<Sighting> {
        let mut found = Vec::new();
        self.scan_into(text, &mut found);
        found
    }

    /// The same, into a list that is emptied first and can be used again.
    pub fn scan_into(&self, text: &str, found: &mut Vec<Sighting>) {
        found.clear();
        let signs = disguise::look_for_signs(text);
        if signs.telling {
            let plain = signs.plain(text);
            find(&plain, |at, found| births::look_for_birth(&plain, at, self.births.as_ref(), found), found);
            whole::look_at_value(&plain, found);
            if signs.disguised && !found.is_empty() {
                let places = disguise::places_in(text, &plain);
                for sighting in found.iter_mut() {
                    (sighting.start, sighting.end) = (places[sighting.start], end_in(text, &places, sighting.end));
                }
            }
        }
        self.names.find(text, found);
        if found.len() > 1 {
            join(found);
        }
    }
}

/// Where a place's end in the plain writing is in the text: behind the character that its last byte comes from.
fn end_in(text: &str, places: &[usize], end: usize) -> usize {
    let last = places[end.saturating_sub(1)];
    last + text[last..].chars().next().map_or(0, char::len_utf8)
}

/// Looks at every digit and every `@`, and at each word once. `at_digit` looks at the first digit of a word.
fn find(text: &str, mut at_digit: impl FnMut(usize, &mut Vec<Sighting>), found: &mut Vec<Sighting>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(here) = eight::next_telling(bytes, at) {
        if bytes[here] != b'@' && !here.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric()) {
            at_digit(here, found);
        }
        at = phrases::look_around(text, here, at, found);
    }
}

/// Sorts sightings by place and joins those of one kind that overlap; the surer one says how sure they are.
fn join(found: &mut Vec<Sighting>) {
    found.sort_unstable_by_key(|sighting| (sighting.kind as u8, sighting.standing, sighting.start, sighting.end));
    let mut kept = 0;
    for at in 0..found.len() {
        let next = found[at];
        let same = |own: &&mut Sighting| own.kind == next.kind && own.start < next.end && next.start < own.end;
        match found[..kept].iter_mut().rev().take_while(|own| own.kind == next.kind).find(same) {
            Some(own) if own.standing == next.standing => {
                (own.start, own.end) = (own.start.min(next.start), own.end.max(next.end));
            }
            Some(_) => {}
            None => {
                found[kept] = next;
                kept += 1;
            }
        }
    }
    found.truncate(kept);
    found.sort_unstable_by_key(|sighting| (sighting.start, sighting.end, sighting.kind as u8));
}

/// The kinds that [`scan_text`] looks for, in the order in which they are reported.
pub(crate) const SEARCHED_KINDS: [Kind; 11] = [
    Kind::NhsNumber,
    Kind::NationalInsurance,
    Kind::Email,
    Kind::UkPhone,
    Kind::Postcode,
    Kind::CardNumber,
    Kind::Iban,
    Kind::IpAddress,
    Kind::SocialSecurity,
    Kind::NumberPlate,
    Kind::MachineKey,
];

/// The kinds of identifiers that stand somewhere in this text, dates and names aside, each once and in a fixed order. What passes
/// by chance one time in ten counts, but not cards in one run.
///
/// ```
/// use outward_profile::{Kind, scan::scan_text};
/// let found: Vec<Kind> = scan_text("Rang 07700 900123, NHS no 943 476 5919.").collect();
/// assert_eq!(found, [Kind::NhsNumber, Kind::UkPhone]);
/// ```
pub fn scan_text(text: &str) -> impl Iterator<Item = Kind> + use<> {
    let signs = disguise::look_for_signs(text);
    let mut kinds = [false; SEARCHED_KINDS.len()];
    if signs.telling {
        let plain = signs.plain(text);
        let mut found = Vec::new();
        find(&plain, |_, _| {}, &mut found);
        for Sighting { kind, start, end, standing } in found {
            let run = plain[start..end].bytes().all(|byte| byte.is_ascii_digit());
            let counts = standing != Standing::Missed && !(run && kind == Kind::CardNumber);
            let place = SEARCHED_KINDS.iter().position(|searched| *searched == kind);
            place.filter(|_| counts).into_iter().for_each(|place| kinds[place] = true);
        }
    }
    SEARCHED_KINDS.into_iter().zip(kinds).filter_map(|(kind, found)| found.then_some(kind))
}

#[cfg(test)]
mod tests;
