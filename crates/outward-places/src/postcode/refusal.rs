//! Why a text is not a postcode: where it goes wrong and what was expected there. It never says what the text has
//! there.

use std::fmt;

/// Why a text is not a postcode.
///
/// Its words name a position and what is expected there. So an error message or a log shows nothing about the person
/// whose record it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAPostcode {
    /// The character from which on no postcode reads like this, counted from 1 in the text as it was given. One more
    /// than there are characters means that the text stops too soon.
    pub position: usize,
    /// What could have stood there.
    pub expected: Expected,
}

impl NotAPostcode {
    /// The same refusal of a text with this many more characters in front.
    pub(super) fn after(self, characters: usize) -> Self {
        Self { position: self.position + characters, ..self }
    }
}

impl fmt::Display for NotAPostcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a postcode: expected {} at character {}", self.expected, self.position)
    }
}

impl std::error::Error for NotAPostcode {}

/// What a postcode could have had at a place. The letters that never occur there are listed at
/// [`Postcode`](super::Postcode).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The letter that begins an area.
    FirstLetter,
    /// After one letter.
    SecondLetterOrDistrict,
    /// After the two letters of an area.
    District,
    /// After a letter and a digit.
    ThirdPlace,
    /// After two letters and a digit.
    FourthPlace,
    /// After a district that can have no more characters.
    Sector,
    /// After two digits.
    SectorOrUnit,
    /// After a district 0 and another digit.
    SpaceBeforeSector,
    /// After the space.
    SectorDigit,
    /// After the sector.
    UnitLetter,
    /// After an outward code that has only one inward code.
    OnlyInward,
    /// After `BFPO`.
    ForcesNumber,
    /// After a whole postcode.
    End,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstLetter => "a letter that can begin a postcode",
            Self::SecondLetterOrDistrict => "a letter that can stand second, or a district from 1 to 9",
            Self::District => "the digit of a district",
            Self::ThirdPlace => "a digit, a letter that can stand third, or a space",
            Self::FourthPlace => "a digit, a letter that can stand fourth, or a space",
            Self::Sector => "the digit of a sector, or a space",
            Self::SectorOrUnit => "the digit of a sector, a letter that is allowed in a unit, or a space",
            Self::SpaceBeforeSector => "a letter that is allowed in a unit (no district of two digits begins with 0)",
            Self::SectorDigit => "the digit of a sector",
            Self::UnitLetter => "a letter that is allowed in a unit",
            Self::OnlyInward => "the one inward code that this outward code has",
            Self::ForcesNumber => "a number of one to four digits",
            Self::End => "nothing more",
        })
    }
}
