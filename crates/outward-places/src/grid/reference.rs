//! National Grid references: two letters and up to ten digits.
//!
//! The letters name a square of 100 km and the digits a square within it, so a reference is a place *and* a precision:
//! `SE 30 34` is the whole kilometre, not its corner. Source: Ordnance Survey, *A guide to coordinate systems in Great
//! Britain*, section 7.

use std::fmt;
use std::iter::{Peekable, Zip};
use std::ops::RangeFrom;
use std::str::Chars;

use super::{CellSize, GridError, HEIGHT, WIDTH, whole_metres};

const SQUARE: u32 = 100_000;

/// A square of the National Grid of 1 m, 10 m, 100 m, 1 km, 10 km or 100 km.
///
/// It is written `SE3034`, or `SE 30 34` with `{:#}`.
///
/// ```
/// use outward_places::grid::{CellSize, GridReference};
/// let reference = GridReference::parse("se 3051 3499")?;
/// assert_eq!(reference.coarsen(CellSize::KILOMETRE)?.to_string(), "SE3034");
/// # Ok::<(), outward_places::grid::GridError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GridReference {
    easting: u32,
    northing: u32,
    /// Digits of each of the two numbers, 0 to 5.
    digits: u8,
}

impl GridReference {
    /// Reads a reference: two letters in either case, then no digits, one group of digits or two of equal length. Spaces
    /// may stand around the letters and between the groups.
    pub fn parse(text: &str) -> Result<Self, GridError> {
        let mut characters = text.chars().zip(1..).peekable();
        while characters.next_if(|(c, _)| c.is_whitespace()).is_some() {}
        let (easting, northing) = read_square(&mut characters)?;
        let (along, up, digits) = read_digits(characters)?;
        let size = 10_u32.pow(5 - u32::from(digits));
        Ok(Self { easting: easting + along * size, northing: northing + up * size, digits })
    }

    /// The name of the cell that a position lies in. Only cells of 1, 10, 100, 1000, 10000 and 100000 metres have one.
    pub fn from_metres(easting: f64, northing: f64, cell: CellSize) -> Result<Self, GridError> {
        let (easting, northing) = whole_metres(easting, northing)?;
        Self { easting, northing, digits: 5 }.coarsen(cell)
    }

    /// The side of the square in metres.
    pub fn size(self) -> CellSize {
        CellSize(10_u32.pow(5 - u32::from(self.digits)))
    }

    /// The south-west corner of the square in metres.
    pub fn corner(self) -> (u32, u32) {
        (self.easting, self.northing)
    }

    /// The reference of the cell that the square lies in. A reference that is as coarse or coarser is left unchanged:
    /// it already says no more than may be published. A finer one would have to be invented.
    pub fn coarsen(self, cell: CellSize) -> Result<Self, GridError> {
        let size = cell.metres();
        if size > SQUARE || !is_power_of_ten(size) {
            return Err(GridError::Unnamed);
        }
        let digits = (SQUARE / size).ilog10() as u8;
        if digits >= self.digits {
            return Ok(self);
        }
        Ok(Self { easting: self.easting - self.easting % size, northing: self.northing - self.northing % size, digits })
    }

    /// The south-west corner of the cell, of any size, that the square lies in. Refused if the square need not be in
    /// one cell: the size has to be a multiple of the reference's own.
    pub fn corner_of(self, cell: CellSize) -> Result<(u32, u32), GridError> {
        let (own, size) = (self.size().metres(), cell.metres());
        if size < own {
            return Err(GridError::TooCoarse);
        }
        if size % own != 0 {
            return Err(GridError::Straddles);
        }
        Ok((self.easting - self.easting % size, self.northing - self.northing % size))
    }
}

impl fmt::Display for GridReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (column, row) = (self.easting / SQUARE, self.northing / SQUARE);
        write!(f, "{}{}", letter(2 + column / 5, 1 + row / 5), letter(column % 5, row % 5))?;
        if self.digits == 0 {
            return Ok(());
        }
        let (size, width) = (self.size().metres(), usize::from(self.digits));
        let gap = if f.alternate() { " " } else { "" };
        let (along, up) = (self.easting % SQUARE / size, self.northing % SQUARE / size);
        write!(f, "{gap}{along:0width$}{gap}{up:0width$}")
    }
}

type Characters<'a> = Peekable<Zip<Chars<'a>, RangeFrom<usize>>>;

fn is_power_of_ten(size: u32) -> bool {
    10_u32.checked_pow(size.ilog10()) == Some(size)
}

/// The corner of the 100 km square named by the next two letters.
fn read_square(characters: &mut Characters<'_>) -> Result<(u32, u32), GridError> {
    let (first, first_at) = characters.next().ok_or(GridError::Empty)?;
    let first = place(first, first_at)?;
    let (second, second_at) = match characters.next() {
        None => return Err(GridError::OneLetter),
        Some((c, _)) if c.is_whitespace() || c.is_ascii_digit() => return Err(GridError::OneLetter),
        Some(second) => second,
    };
    let second = place(second, second_at)?;
    // The origin of the grid is the corner of S, which is 2 squares of 500 km east and 1 north of the letters' own.
    let (column, row) =
        first.0.checked_sub(2).zip(first.1.checked_sub(1)).ok_or(GridError::Square { position: first_at })?;
    if column * 5 * SQUARE >= WIDTH || row * 5 * SQUARE >= HEIGHT {
        return Err(GridError::Square { position: first_at });
    }
    let (easting, northing) = ((column * 5 + second.0) * SQUARE, (row * 5 + second.1) * SQUARE);
    if easting >= WIDTH || northing >= HEIGHT {
        return Err(GridError::Square { position: second_at });
    }
    Ok((easting, northing))
}

/// Column from the west and row from the south of a letter in the square of 25, which starts with A in the north-west.
fn place(c: char, position: usize) -> Result<(u32, u32), GridError> {
    let index = match c.to_ascii_uppercase() {
        'I' => return Err(GridError::LetterI { position }),
        c @ 'A'..='H' => u32::from(c) - u32::from('A'),
        c @ 'J'..='Z' => u32::from(c) - u32::from('B'),
        _ => return Err(GridError::Character { position }),
    };
    Ok((index % 5, 4 - index / 5))
}

fn letter(column: u32, row: u32) -> char {
    let index = (4 - row) * 5 + column;
    char::from(b"ABCDEFGHJKLMNOPQRSTUVWXYZ"[index as usize % 25])
}

/// The two numbers that follow the letters, and how many digits each has.
fn read_digits(characters: Characters<'_>) -> Result<(u32, u32, u8), GridError> {
    let mut groups = [(0_u64, 0_u8); 2];
    let mut group = 0;
    let mut gap = false;
    for (c, position) in characters {
        if c.is_whitespace() {
            gap = groups[0].1 > 0;
            continue;
        }
        let digit = c.to_digit(10).ok_or(GridError::Character { position })?;
        if gap {
            group += 1;
            gap = false;
        }
        if groups[0].1 + groups[1].1 == 10 {
            return Err(GridError::TooManyDigits { position });
        }
        let (number, digits) = groups.get_mut(group).ok_or(GridError::DigitGroups { position })?;
        *number = *number * 10 + u64::from(digit);
        *digits += 1;
    }
    let [(along, along_digits), (up, up_digits)] = groups;
    if (along_digits + up_digits) % 2 != 0 {
        return Err(GridError::OddDigits);
    }
    if up_digits == 0 {
        let half = 10_u64.pow(u32::from(along_digits / 2));
        return Ok(((along / half) as u32, (along % half) as u32, along_digits / 2));
    }
    if along_digits != up_digits {
        return Err(GridError::UnevenDigits);
    }
    Ok((along as u32, up as u32, along_digits))
}
