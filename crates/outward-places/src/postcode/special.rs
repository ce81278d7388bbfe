//! Codes outside the six shapes: Girobank, the former Newport code, British Forces numbers, overseas territories.

use super::grammar::UNIT;
use super::{Depth, Expected, LONGEST, NotAPostcode, Postcode};

/// The word that stands before a British Forces Post Office number.
pub(super) const FORCES: &str = "BFPO";

/// The outward codes, each an area of its own, and what follows them.
pub(super) const WORDS: [(&str, Inward); 12] = [
    ("GIR", Inward::Only(b"0AA")),
    ("NPT", Inward::Any),
    (FORCES, Inward::Number),
    ("ASCN", Inward::Only(b"1ZZ")),
    ("BBND", Inward::Only(b"1ZZ")),
    ("BIQQ", Inward::Only(b"1ZZ")),
    ("FIQQ", Inward::Only(b"1ZZ")),
    ("PCRN", Inward::Only(b"1ZZ")),
    ("SIQQ", Inward::Only(b"1ZZ")),
    ("STHL", Inward::Only(b"1ZZ")),
    ("TDCU", Inward::Only(b"1ZZ")),
    ("TKCA", Inward::Only(b"1ZZ")),
];

/// What may follow a word.
#[derive(Clone, Copy)]
pub(super) enum Inward {
    /// This inward code and no other.
    Only(&'static [u8; 3]),
    /// Any inward code.
    Any,
    /// A number of up to four digits.
    Number,
}

impl Inward {
    /// Whether this capital or digit may stand at this place, and if not, what may.
    fn check(self, place: usize, byte: u8) -> Result<(), Expected> {
        let (fits, expected) = match (self, place) {
            (Self::Only(code), 0..3) => (byte == code[place], Expected::OnlyInward),
            (Self::Any, 0) => (byte.is_ascii_digit(), Expected::SectorDigit),
            (Self::Any, 1 | 2) => (UNIT.contains(&byte), Expected::UnitLetter),
            (Self::Number, 0) => (matches!(byte, b'1'..=b'9'), Expected::ForcesNumber),
            (Self::Number, 1..4) => (byte.is_ascii_digit(), Expected::ForcesNumber),
            _ => (false, Expected::End),
        };
        if fits { Ok(()) } else { Err(expected) }
    }

    /// What the code is when this many characters follow the word, or what is missing.
    fn depth(self, length: usize) -> Result<Depth, Expected> {
        match (self, length) {
            (_, 0) => Ok(Depth::Outward),
            (Self::Number, _) | (_, 3) => Ok(Depth::Unit),
            (_, 1) => Ok(Depth::Sector),
            (Self::Only(_), _) => Err(Expected::OnlyInward),
            (Self::Any, _) => Err(Expected::UnitLetter),
        }
    }
}

/// Reads a code without spaces around it, if it begins with one of the words.
#[cold]
pub(super) fn read(code: &[u8]) -> Option<Result<Postcode, NotAPostcode>> {
    // All the words have a letter here. Most texts that are not postcodes have none and are refused at once.
    if !code.get(2)?.is_ascii_alphabetic() {
        return None;
    }
    let (word, inward) = WORDS
        .iter()
        .find(|(word, _)| code.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes())))?;
    Some(read_after(word, *inward, code))
}

fn read_after(word: &str, inward: Inward, code: &[u8]) -> Result<Postcode, NotAPostcode> {
    let gap = code[word.len()..].iter().take_while(|byte| **byte == b' ').count();
    let start = word.len() + gap;
    let mut text = [0; LONGEST];
    text[..word.len()].copy_from_slice(word.as_bytes());
    let mut length = word.len();
    for (place, &byte) in code[start..].iter().enumerate() {
        let byte = byte.to_ascii_uppercase();
        inward.check(place, byte).map_err(|expected| NotAPostcode { position: start + place + 1, expected })?;
        if place == 0 {
            text[length] = b' ';
            length += 1;
        }
        text[length] = byte;
        length += 1;
    }
    let depth =
        inward.depth(code.len() - start).map_err(|expected| NotAPostcode { position: code.len() + 1, expected })?;
    // Both are at most 9.
    Ok(Postcode { text, length: length as u8, outward: word.len() as u8, area: word.len() as u8, depth })
}
