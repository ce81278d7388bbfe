//! The six outward shapes with their inward codes, as a table of states with one look-up for each character. If no
//! state follows, the character and the state say what is wrong and what was expected.

use super::{Depth, Expected, NotAPostcode};

// The characters of each place.
pub(super) const DIGITS: &[u8] = b"0123456789";
pub(super) const NOT_ZERO: &[u8] = b"123456789";
pub(super) const FIRST: &[u8] = b"ABCDEFGHIJKLMNOPRSTUWYZ";
pub(super) const SECOND: &[u8] = b"ABCDEFGHKLMNOPQRSTUVWXY";
pub(super) const THIRD: &[u8] = b"ABCDEFGHJKMNPRSTUVWXY";
pub(super) const FOURTH: &[u8] = b"ABEHMNPRVWXY";
pub(super) const UNIT: &[u8] = b"ABDEFGHJLNPQRSTUWXYZ";

/// What has been read: the letters (`A`) and digits (`9`, or `0` where it matters) so far, or the part it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No postcode begins like this.
    Refused,
    Start,
    A,
    AA,
    A9,
    AA9,
    /// A district 0, which only areas of two letters have.
    AA0,
    /// Two digits: those of a district, or without a space the district's and the sector's.
    Two,
    /// A district 0 and a digit, which without a space are not enough: `SM00` is a pooled code.
    ZeroTwo,
    /// `A9A` or `AA9A`.
    Letter,
    Gap,
    Sector,
    UnitLetter,
    Unit,
}

use State::{A, A9, AA, AA0, AA9, Gap, Letter, Refused, Sector, Start, Two, Unit, UnitLetter, ZeroTwo};

const STATES: usize = 14;

/// Which characters lead from one state to another.
const STEPS: [(State, &[u8], State); 25] = [
    (Start, FIRST, A),
    (A, SECOND, AA),
    (A, NOT_ZERO, A9),
    (AA, NOT_ZERO, AA9),
    (AA, b"0", AA0),
    (A9, DIGITS, Two),
    (A9, THIRD, Letter),
    (A9, b" ", Gap),
    (AA9, DIGITS, Two),
    (AA9, FOURTH, Letter),
    (AA9, b" ", Gap),
    (AA0, DIGITS, ZeroTwo),
    (AA0, b" ", Gap),
    (Two, DIGITS, Sector),
    (Two, UNIT, UnitLetter),
    (Two, b" ", Gap),
    (ZeroTwo, UNIT, UnitLetter),
    (Letter, DIGITS, Sector),
    (Letter, b" ", Gap),
    (Gap, b" ", Gap),
    (Gap, DIGITS, Sector),
    (Sector, UNIT, UnitLetter),
    (UnitLetter, UNIT, Unit),
    // Nothing follows these two; the lines make the table whole.
    (Unit, b"", Refused),
    (Refused, b"", Refused),
];

/// Characters of a class lead to the same states. Each letter in either case is a class; the others are 0, 1 to 9, the
/// space, and everything else.
const CLASSES: usize = 32;
static CLASS: [u8; 256] = classes();
static NEXT: [[State; CLASSES]; STATES] = steps();

const fn class(byte: u8) -> u8 {
    match byte.to_ascii_uppercase() {
        letter @ b'A'..=b'Z' => letter - b'A',
        b'0' => 26,
        b'1'..=b'9' => 27,
        b' ' => 28,
        _ => 29,
    }
}

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = class(byte as u8);
        byte += 1;
    }
    classes
}

const fn steps() -> [[State; CLASSES]; STATES] {
    let mut next = [[Refused; CLASSES]; STATES];
    let mut step = 0;
    while step < STEPS.len() {
        let (from, characters, to) = STEPS[step];
        let mut place = 0;
        while place < characters.len() {
            next[from as usize][class(characters[place]) as usize] = to;
            place += 1;
        }
        step += 1;
    }
    next
}

impl State {
    #[inline]
    fn after(self, byte: u8) -> Self {
        NEXT[self as usize][usize::from(CLASS[usize::from(byte)]) % CLASSES]
    }

    /// What a code that ends here is.
    #[inline]
    fn depth(self) -> Option<Depth> {
        match self {
            A9 | AA9 | AA0 | Two | Letter => Some(Depth::Outward),
            Sector => Some(Depth::Sector),
            Unit => Some(Depth::Unit),
            _ => None,
        }
    }

    fn expected(self) -> Expected {
        match self {
            Refused | Start => Expected::FirstLetter,
            A => Expected::SecondLetterOrDistrict,
            AA => Expected::District,
            A9 => Expected::ThirdPlace,
            AA9 => Expected::FourthPlace,
            AA0 | Letter => Expected::Sector,
            Two => Expected::SectorOrUnit,
            ZeroTwo => Expected::SpaceBeforeSector,
            Gap => Expected::SectorDigit,
            Sector | UnitLetter => Expected::UnitLetter,
            Unit => Expected::End,
        }
    }
}

/// The letters and digits of a code, without its space.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// In capitals, the last in the lowest byte.
    pub(super) word: u64,
    pub(super) length: u8,
    pub(super) depth: Depth,
}

/// Reads a code without spaces around it. The positions of refusals are those of its bytes. A character that is not
/// ASCII is refused at its first byte, so they are the positions of its characters too.
#[inline]
pub(super) fn read(code: &[u8]) -> Result<Read, NotAPostcode> {
    let (mut state, mut word, mut length) = (Start, 0, 0);
    for (place, &byte) in code.iter().enumerate() {
        let next = state.after(byte);
        if next == Refused {
            return Err(NotAPostcode { position: place + 1, expected: state.expected() });
        }
        if byte != b' ' {
            word = word << 8 | u64::from(byte.to_ascii_uppercase());
            length += 1;
        }
        state = next;
    }
    match state.depth() {
        Some(depth) => Ok(Read { word, length, depth }),
        None => Err(NotAPostcode { position: code.len() + 1, expected: state.expected() }),
    }
}
