//! Why a position could not be placed. Small, because it is made per record; it never holds what was read.

use std::fmt;

/// Why a position, a grid reference or a cell was refused. Places in a text are counted in characters from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GridError {
    /// A coordinate is not a finite number.
    NotANumber,
    /// The easting lies outside the National Grid.
    Easting,
    /// The northing lies outside the National Grid.
    Northing,
    /// A cell has no size.
    CellSize,
    /// The size asked for has no grid reference.
    Unnamed,
    /// The reference stands for a larger square than the cell asked for.
    TooCoarse,
    /// The square of the reference could lie across two cells of the size asked for.
    Straddles,
    /// There is no text.
    Empty,
    /// A character cannot stand where it stands.
    Character {
        /// Where it stands.
        position: usize,
    },
    /// The letter I, which the grid leaves out.
    LetterI {
        /// Where it stands.
        position: usize,
    },
    /// The square has one letter, as on the Irish Grid.
    OneLetter,
    /// The letters name a square that is not on the National Grid.
    Square {
        /// The position of the letter that leads off the grid.
        position: usize,
    },
    /// Easting and northing cannot have equally many digits.
    OddDigits,
    /// The two groups of digits differ in length.
    UnevenDigits,
    /// The digits fall into more than two groups.
    DigitGroups {
        /// Where the third group starts.
        position: usize,
    },
    /// There are more than ten digits.
    TooManyDigits {
        /// Where the eleventh stands.
        position: usize,
    },
    /// Latitude and longitude would fit if they changed places.
    Swapped,
    /// The position lies where Ordnance Survey's transformation does not hold.
    Uncovered,
}

impl GridError {
    /// What to do about it.
    pub fn help(self) -> &'static str {
        match self {
            Self::NotANumber => "leave the row out, or mark the position as missing",
            Self::Easting => "eastings are metres from 0 up to, but not including, 700000",
            Self::Northing => "northings are metres from 0 up to, but not including, 1300000",
            Self::CellSize => "ask for cells of at least 1 metre; 1000 is usual",
            Self::Unnamed => "ask for 1, 10, 100, 1000, 10000 or 100000 metres, or publish eastings and northings",
            Self::TooCoarse => "ask for cells at least as large as the coarsest reference",
            Self::Straddles => "ask for a multiple of the precision of the references",
            Self::OneLetter => {
                "give two letters; positions on the Irish Grid, Northern Ireland's among them, have no place here"
            }
            Self::Swapped => "give the latitude first",
            Self::Uncovered => {
                "only Great Britain, the Isle of Man and the sea around them are covered; leave other positions out"
            }
            Self::Empty
            | Self::Character { .. }
            | Self::LetterI { .. }
            | Self::Square { .. }
            | Self::OddDigits
            | Self::UnevenDigits
            | Self::DigitGroups { .. }
            | Self::TooManyDigits { .. } => {
                "write two letters and an even number of digits up to ten, such as SE3034 or SE 30 34"
            }
        }
    }
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber => f.write_str("a coordinate is not a number"),
            Self::Easting => f.write_str("the easting lies outside the National Grid"),
            Self::Northing => f.write_str("the northing lies outside the National Grid"),
            Self::CellSize => f.write_str("a cell has no size"),
            Self::Unnamed => f.write_str("cells of this size have no grid reference"),
            Self::TooCoarse => f.write_str("the grid reference is coarser than the cell asked for"),
            Self::Straddles => f.write_str("the square of the grid reference may lie across two cells"),
            Self::Empty => f.write_str("the grid reference is empty"),
            Self::Character { position } => {
                write!(f, "character {position} is not allowed there in a grid reference")
            }
            Self::LetterI { position } => write!(f, "character {position} is the letter I, which the grid leaves out"),
            Self::OneLetter => f.write_str("the square has one letter, as on the Irish Grid, and not two"),
            Self::Square { position } => {
                write!(f, "the letter at character {position} leads off the National Grid")
            }
            Self::OddDigits => f.write_str("the grid reference has an odd number of digits"),
            Self::UnevenDigits => f.write_str("easting and northing of the grid reference differ in digits"),
            Self::DigitGroups { position } => {
                write!(f, "a third group of digits starts at character {position} of the grid reference")
            }
            Self::TooManyDigits { position } => {
                write!(f, "character {position} is the eleventh digit of the grid reference")
            }
            Self::Swapped => f.write_str("latitude and longitude have changed places"),
            Self::Uncovered => f.write_str("the position lies outside Ordnance Survey's transformation OSTN15"),
        }
    }
}

impl std::error::Error for GridError {}

impl From<GridError> for outward_spec::Error {
    fn from(error: GridError) -> Self {
        Self::input(error.to_string()).help(error.help()).into()
    }
}
