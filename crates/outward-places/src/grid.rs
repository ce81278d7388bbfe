//! Positions on the British National Grid, made coarse enough to publish.
//!
//! A position is replaced by the south-west corner of the square cell it lies in. Positions come as eastings and
//! northings in metres ([`coarsen`]), as National Grid references ([`GridReference`]) or as latitude and longitude
//! ([`from_lat_lon`]). Nothing is ever made finer than it was given.

mod coverage;
mod error;
mod latitude;
mod projection;
mod reference;
mod shifts;

pub use error::GridError;
pub use latitude::from_lat_lon;
pub use reference::GridReference;

/// The grid is 7 squares of 100 km wide.
const WIDTH: u32 = 700_000;
/// The grid is 13 squares of 100 km high.
const HEIGHT: u32 = 1_300_000;

/// The side of a square cell, in whole metres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellSize(u32);

impl CellSize {
    /// Cells of one kilometre, the usual choice.
    pub const KILOMETRE: Self = Self(1_000);

    /// Cells of this many metres, at least one.
    pub fn new(metres: u32) -> Result<Self, GridError> {
        if metres == 0 { Err(GridError::CellSize) } else { Ok(Self(metres)) }
    }

    /// The side in metres.
    pub fn metres(self) -> u32 {
        self.0
    }
}

impl Default for CellSize {
    fn default() -> Self {
        Self::KILOMETRE
    }
}

/// The south-west corner, in metres, of the cell that a position lies in.
///
/// A position on the line between two cells belongs to the one north or east of it.
///
/// ```
/// use outward_places::grid::{CellSize, coarsen};
/// assert_eq!(coarsen(430_512.7, 434_999.9, CellSize::KILOMETRE), Ok((430_000, 434_000)));
/// ```
pub fn coarsen(easting: f64, northing: f64, cell: CellSize) -> Result<(u32, u32), GridError> {
    let (easting, northing) = whole_metres(easting, northing)?;
    Ok((easting - easting % cell.0, northing - northing % cell.0))
}

fn whole_metres(easting: f64, northing: f64) -> Result<(u32, u32), GridError> {
    if !easting.is_finite() || !northing.is_finite() {
        return Err(GridError::NotANumber);
    }
    if !(0.0..f64::from(WIDTH)).contains(&easting) {
        return Err(GridError::Easting);
    }
    if !(0.0..f64::from(HEIGHT)).contains(&northing) {
        return Err(GridError::Northing);
    }
    Ok((easting as u32, northing as u32))
}
