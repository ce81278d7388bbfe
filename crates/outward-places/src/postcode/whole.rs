//! Whole codes of the six shapes, the quick way. Nearly all codes that are read are whole. They are read from the end,
//! where the inward code has a fixed length, so each character can be checked independently. The states of
//! [`grammar`](super::grammar) depend on each other.

use super::Depth;
use super::grammar::{DIGITS, FIRST, FOURTH, NOT_ZERO, Read, SECOND, THIRD, UNIT};

/// In which places a character may stand, as bits.
static MAY_BE: [u8; 256] = places();
const IS_FIRST: u8 = 1;
const IS_SECOND: u8 = 2;
const IS_THIRD: u8 = 4;
const IS_FOURTH: u8 = 8;
const IS_UNIT: u8 = 16;
const IS_DIGIT: u8 = 32;
const IS_NOT_ZERO: u8 = 64;

const fn places() -> [u8; 256] {
    let sets = [
        (FIRST, IS_FIRST),
        (SECOND, IS_SECOND),
        (THIRD, IS_THIRD),
        (FOURTH, IS_FOURTH),
        (UNIT, IS_UNIT),
        (DIGITS, IS_DIGIT),
        (NOT_ZERO, IS_NOT_ZERO),
    ];
    let mut places = [0; 256];
    let mut set = 0;
    while set < sets.len() {
        let (characters, bit) = sets[set];
        let mut place = 0;
        while place < characters.len() {
            let character = characters[place];
            places[character as usize] |= bit;
            places[character.to_ascii_lowercase() as usize] |= bit;
            place += 1;
        }
        set += 1;
    }
    places
}

/// Reads a whole code without spaces around it. Anything else is left to the states.
#[inline]
pub(super) fn read(code: &[u8]) -> Option<Read> {
    let may_be = |byte: u8, places: u8| MAY_BE[usize::from(byte)] & places != 0;
    let &[ref outward @ .., sector, first, second] = code else { return None };
    let mut outward = outward;
    while let [rest @ .., b' '] = outward {
        outward = rest;
    }
    let (start, fits) = match *outward {
        [a, b] => (u32::from_be_bytes([0, 0, a, b]), may_be(a, IS_FIRST) & may_be(b, IS_NOT_ZERO)),
        [a, b, c] => {
            let one = may_be(b, IS_NOT_ZERO) & may_be(c, IS_DIGIT | IS_THIRD);
            let two = may_be(b, IS_SECOND) & may_be(c, IS_DIGIT);
            (u32::from_be_bytes([0, a, b, c]), may_be(a, IS_FIRST) & (one | two))
        }
        [a, b, c, d] => {
            let area = may_be(a, IS_FIRST) & may_be(b, IS_SECOND);
            (u32::from_be_bytes([a, b, c, d]), area & may_be(c, IS_NOT_ZERO) & may_be(d, IS_DIGIT | IS_FOURTH))
        }
        _ => return None,
    };
    if !(fits & may_be(sector, IS_DIGIT) & may_be(first, IS_UNIT) & may_be(second, IS_UNIT)) {
        return None;
    }
    let word = u64::from(start) << 24 | u64::from(u32::from_be_bytes([0, sector, first, second]));
    // Letters, not digits, have the bit 0x40; without the bit 0x20 they are capitals.
    let capitals = word & !((word & 0x4040_4040_4040_4040) >> 1);
    Some(Read { word: capitals, length: outward.len() as u8 + 3, depth: Depth::Unit })
}

#[cfg(test)]
mod tests {
    use super::super::grammar;
    use super::*;

    #[test]
    fn the_quick_way_reads_what_the_states_read() {
        const CHARACTERS: &[u8] = b"azCV01 ";
        let mut whole = 0;
        for length in 1..=7 {
            for number in 0..CHARACTERS.len().pow(length) {
                let digit = |place| number / CHARACTERS.len().pow(place) % CHARACTERS.len();
                let code: Vec<u8> = (0..length).map(|place| CHARACTERS[digit(place)]).collect();
                let by_states = grammar::read(&code).ok().filter(|read| read.depth == Depth::Unit);
                whole += u32::from(by_states.is_some());
                assert_eq!(read(&code), by_states, "{code:?}");
            }
        }
        assert!(whole > 0);
    }
}
