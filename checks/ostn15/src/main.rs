//! Compares positions all over Great Britain with the library `lonlat_bng`, which has a table of OSTN15 and a projection of its own:
//!
//!     cargo run --release --manifest-path checks/ostn15/Cargo.toml
//!
//! Ends with an error where two positions are more than 3 mm apart.

use std::process::ExitCode;

use outward_places::grid::from_lat_lon;

fn main() -> ExitCode {
    let (mut compared, mut furthest) = (0u32, 0f64);
    for (north, east) in (0..2_700).flat_map(|north| (0..680).map(move |east| (north, east))) {
        let (latitude, longitude) = (49.93 + f64::from(north) * 0.004 + 0.0013, -8.5 + f64::from(east) * 0.015 + 0.0007);
        let Ok((easting, northing)) = from_lat_lon(latitude, longitude) else { continue };
        let Ok((other_easting, other_northing)) = lonlat_bng::convert_osgb36(longitude, latitude) else { continue };
        compared += 1;
        furthest = furthest.max((easting - other_easting).hypot(northing - other_northing));
    }
    println!("{compared} positions, at most {:.1} mm apart", furthest * 1_000.0);
    match compared > 500_000 && furthest < 0.003 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
