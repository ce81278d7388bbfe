//! The Transverse Mercator projection of the National Grid on the ellipsoid GRS80.
//!
//! The series in the third flattening *n*, to its fourth power: C. F. F. Karney, *Transverse Mercator with an accuracy of a
//! few nanometers*, Journal of Geodesy 85 (2011), equations 7 to 12 and 35. What is left out is below a thousandth of a
//! millimetre. The numbers of the grid are in Ordnance Survey, *A guide to coordinate systems in Great Britain*, annexe A.
//!
//! `lonlat_bng` projects too, but refuses latitudes below 49.922, where the main town of the Isles of Scilly is.

use std::sync::LazyLock;

const SEMI_MAJOR: f64 = 6_378_137.0;
const SEMI_MINOR: f64 = 6_356_752.314_1;
const SCALE: f64 = 0.999_601_271_7;
const ORIGIN_LATITUDE: f64 = 49.0;
const ORIGIN_LONGITUDE: f64 = -2.0;
const FALSE_EASTING: f64 = 400_000.0;
const FALSE_NORTHING: f64 = -100_000.0;

const N: f64 = (SEMI_MAJOR - SEMI_MINOR) / (SEMI_MAJOR + SEMI_MINOR);
const N2: f64 = N * N;
const N3: f64 = N2 * N;
const N4: f64 = N2 * N2;
const RADIUS: f64 = SCALE * SEMI_MAJOR / (1.0 + N) * (1.0 + N2 / 4.0 + N4 / 64.0);
const SERIES: [f64; 4] = [
    N / 2.0 - N2 * 2.0 / 3.0 + N3 * 5.0 / 16.0 + N4 * 41.0 / 180.0,
    N2 * 13.0 / 48.0 - N3 * 3.0 / 5.0 + N4 * 557.0 / 1_440.0,
    N3 * 61.0 / 240.0 - N4 * 103.0 / 140.0,
    N4 * 49_561.0 / 161_280.0,
];

/// How far north of the equator the origin of the projection is.
static ORIGIN: LazyLock<f64> = LazyLock::new(|| from_equator(ORIGIN_LATITUDE, 0.0).1);

/// Easting and northing in metres on the plane of ETRS89, before the shifts of OSTN15.
pub(super) fn project(latitude: f64, longitude: f64) -> (f64, f64) {
    let (east, north) = from_equator(latitude, longitude - ORIGIN_LONGITUDE);
    (FALSE_EASTING + east, FALSE_NORTHING + north - *ORIGIN)
}

/// Metres east of the central meridian and north of the equator.
fn from_equator(latitude: f64, longitude: f64) -> (f64, f64) {
    let (sine, longitude) = (latitude.to_radians().sin(), longitude.to_radians());
    let eccentricity = 2.0 * N.sqrt() / (1.0 + N);
    // The tangent of the conformal latitude.
    let tangent = (sine.atanh() - eccentricity * (eccentricity * sine).atanh()).sinh();
    let north = tangent.atan2(longitude.cos());
    let east = (longitude.sin() / tangent.hypot(longitude.cos())).asinh();
    let mut sum = (east, north);
    for (term, order) in SERIES.into_iter().zip([2.0, 4.0, 6.0, 8.0]) {
        sum.0 += term * (order * north).cos() * (order * east).sinh();
        sum.1 += term * (order * north).sin() * (order * east).cosh();
    }
    (RADIUS * sum.0, RADIUS * sum.1)
}
