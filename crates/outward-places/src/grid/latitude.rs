//! Latitude and longitude to eastings and northings.
//!
//! The grid is not a formula. It comes from Ordnance Survey's triangulation of 1936, and since 2016 the table of shifts
//! OSTN15 defines it. Positions are projected on to a plane ([`super::projection`]). The table then moves them by some
//! hundred metres on to the grid. Source: Ordnance Survey, *Transformations and OSGM15 user guide*.

use std::ops::RangeInclusive;

use super::{GridError, coverage, projection, shifts, whole_metres};

/// A box around Britain, wide enough to hold the whole grid. The projection is not asked to work beyond it.
const LATITUDES: RangeInclusive<f64> = 49.0..=62.0;
const LONGITUDES: RangeInclusive<f64> = -10.0..=5.0;

/// Easting and northing, in metres to the millimetre, of a latitude and longitude in degrees. Degrees are those of
/// ETRS89; the WGS84 of satellite receivers differs from it by less than a metre.
///
/// Positions that OSTN15 does not cover are refused: anything abroad, and also Northern Ireland and the Channel Islands,
/// which have grids of their own.
pub fn from_lat_lon(latitude: f64, longitude: f64) -> Result<(f64, f64), GridError> {
    if !latitude.is_finite() || !longitude.is_finite() {
        return Err(GridError::NotANumber);
    }
    if !is_near_britain(latitude, longitude) {
        let swapped = is_near_britain(longitude, latitude);
        return Err(if swapped { GridError::Swapped } else { GridError::Uncovered });
    }
    let (easting, northing) = projection::project(latitude, longitude);
    if !coverage::covers(easting, northing) {
        return Err(GridError::Uncovered);
    }
    let (easting, northing) = shifts::to_grid(easting, northing).ok_or(GridError::Uncovered)?;
    whole_metres(easting, northing)?;
    Ok((easting, northing))
}

fn is_near_britain(latitude: f64, longitude: f64) -> bool {
    LATITUDES.contains(&latitude) && LONGITUDES.contains(&longitude)
}
