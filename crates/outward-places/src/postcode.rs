//! British postcodes: read from any spelling, written in one, cut at the area, the outward code or the sector.

mod area;
mod grammar;
mod refusal;
mod special;
mod whole;

use std::fmt;

pub use refusal::{Expected, NotAPostcode};

/// The longest normal form, `BFPO 5432`.
const LONGEST: usize = 9;

/// A postcode, or the first part of one, in its normal form: capitals, one space before the inward code.
///
/// A small value that is copied, not allocated. Codes sort as their text does: `M1`, `M1 1`, `M1 1AE`, `M11`, `M2`.
///
/// A postcode is an *outward* code (`SW1A`: the post area `SW` and its district `1A`) and an *inward* code (`1AA`: the
/// sector `1` and the unit `AA`). The letters before the first digit are the area: `N1C` is in `N`, `NE1` in `NE`.
/// These are two areas. [`parse`](Self::parse) takes:
///
/// - **Outward codes** of the shapes `A9`, `A99`, `A9A`, `AA9`, `AA99`, `AA9A`. Letters that never occur in a place are
///   refused: Q, V, X first; I, J, Z second; I, L, O, Q, Z third in `A9A`; fourth in `AA9A` only A, B, E, H, M, N, P,
///   R, V, W, X, Y; C, I, K, M, O, V in the unit. A district 0 has two letters before it (`BB0`, not `B0`), and no
///   district of two characters begins with 0. The shapes and letters are those of the Royal Mail's programmers' guide,
///   widened in one place. The guide leaves out M, N, R, V, X and Y third in `A9A`. But `W1M`, `W1N`, `W1R`, `W1V`,
///   `W1X` and `W1Y` were once given and occur in older records.
/// - **Codes outside the shapes**: `GIR 0AA`; the former Newport code `NPT`; `BFPO` with a number of up to four digits,
///   which counts as a unit; and the overseas territories `ASCN`, `BBND`, `BIQQ`, `FIQQ`, `PCRN`, `SIQQ`, `STHL`,
///   `TDCU` and `TKCA`, each with the one inward code `1ZZ`. `BF1`, `GX11` (Gibraltar), `GY`, `IM` and `JE` have the
///   usual shapes.
/// - **Spellings**: either case; spaces around the code; any number of spaces, or none, before the inward code. A
///   space anywhere else is an error. Only the space is a blank: tabs and other control characters are errors, and so
///   is all that is not ASCII.
/// - **Parts**: the outward code alone (`SW1A`), or with its sector (`SW1A 1`). Without a space, what can be an outward
///   code is one: `M11` and `LS11` are districts, `M1 1` and `LS1 1` are sectors, and so are `SW1A1` and `M111`
///   (`M11 1`).
///
/// Three kinds of codes are not postcodes and are refused. Codes made by pooling: in `SM00` no district is 00, and it
/// is not the sector `SM0 0`, since a sector of a district 0 needs its space. The `ZZ99` codes that health records use
/// for "no fixed abode" and similar cases. Codes of a territory's own system (`AI-2640`, `KY1-1001`, `VG1110`, `MSR
/// 1110`).
///
/// Only the form is checked. Whether the area is one in use, [`area_number`](Self::area_number) says; whether the code
/// was ever given to an address, only a directory can.
///
/// ```
/// use outward_places::{Depth, Postcode};
/// let code = Postcode::parse(" sw1a1aa ")?;
/// assert_eq!(code.as_str(), "SW1A 1AA");
/// assert_eq!((code.area(), code.outward(), code.sector()), ("SW", "SW1A", Some("SW1A 1")));
/// assert_eq!(code.depth(), Depth::Unit);
/// # Ok::<(), outward_places::NotAPostcode>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Postcode {
    /// The normal form, then zeros, so that comparing the bytes compares the texts.
    text: [u8; LONGEST],
    length: u8,
    outward: u8,
    area: u8,
    depth: Depth,
}

/// How much of a postcode is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// The outward code, that is the area and its district: `SW1A`.
    Outward,
    /// The outward code and the sector: `SW1A 1`.
    Sector,
    /// The whole postcode, some fifteen addresses: `SW1A 1AA`.
    Unit,
}

impl Postcode {
    /// Reads a postcode or its first part, as said [above](Self).
    pub fn parse(text: &str) -> Result<Self, NotAPostcode> {
        Self::parse_bytes(text.as_bytes())
    }

    /// Reads a postcode from bytes, which need not be valid UTF-8 to be refused.
    pub fn parse_bytes(text: &[u8]) -> Result<Self, NotAPostcode> {
        let mut code = text;
        while let [b' ', rest @ ..] = code {
            code = rest;
        }
        let blanks = text.len() - code.len();
        while let [rest @ .., b' '] = code {
            code = rest;
        }
        if let Some(whole) = whole::read(code) {
            return Ok(Self::from_shape(whole));
        }
        match grammar::read(code) {
            Ok(read) => Ok(Self::from_shape(read)),
            Err(refusal) => special::read(code).unwrap_or(Err(refusal)).map_err(|refusal| refusal.after(blanks)),
        }
    }

    /// Puts the space before the inward code, and the text to the left.
    fn from_shape(read: grammar::Read) -> Self {
        let inward: u8 = match read.depth {
            Depth::Outward => 0,
            Depth::Sector => 1,
            Depth::Unit => 3,
        };
        let (mut word, mut length) = (read.word, read.length);
        if inward > 0 {
            let bits = 8 * inward;
            let spaced = (word >> bits) << 8 | u64::from(b' ');
            word = spaced << bits | word & ((1 << bits) - 1);
            length += 1;
        }
        let left = (word << (64 - 8 * length)).to_be_bytes();
        let mut text = [0; LONGEST];
        text[..left.len()].copy_from_slice(&left);
        let area = 1 + u8::from(left[1].is_ascii_uppercase());
        Self { text, length, outward: read.length - inward, area, depth: read.depth }
    }

    /// The normal form.
    pub fn as_str(&self) -> &str {
        self.first(self.length)
    }

    /// Writes the normal form at the end of a buffer, the quickest way to write many.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let end = out.len() + usize::from(self.length);
        // Copying a fixed number of bytes and taking some back costs less than copying a number that varies.
        out.extend_from_slice(&self.text);
        out.truncate(end);
    }

    /// The post area, the letters the code begins with: `SW` of `SW1A`, `W` of `W1A`, `N` of `N1C`.
    pub fn area(&self) -> &str {
        self.first(self.area)
    }

    /// The number of the area among the areas in use, if it is one of them; it says that `AA1` is no place.
    ///
    /// The codes outside the six shapes come last, each an area of its own.
    pub fn area_number(&self) -> Option<u8> {
        area::number(self.area())
    }

    /// The outward code, which names the district: `SW1A`.
    pub fn outward(&self) -> &str {
        self.first(self.outward)
    }

    /// The code as far as the sector, `SW1A 1`; a `BFPO` number has none.
    pub fn sector(&self) -> Option<&str> {
        (self.depth >= Depth::Sector && self.outward() != special::FORCES).then(|| self.first(self.outward + 2))
    }

    /// The code, where it is whole.
    pub fn unit(&self) -> Option<&str> {
        (self.depth == Depth::Unit).then(|| self.as_str())
    }

    /// How much of a postcode this is.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    fn first(&self, length: u8) -> &str {
        // Checking all the bytes, whose number is fixed, is quicker than checking as many as there are.
        std::str::from_utf8(&self.text).ok().and_then(|text| text.get(..usize::from(length))).unwrap_or_default()
    }
}

impl AsRef<str> for Postcode {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Postcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Postcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Postcode").field(&self.as_str()).finish()
    }
}
