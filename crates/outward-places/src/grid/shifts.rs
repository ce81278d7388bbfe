//! The table of OSTN15: by how much the grid is shifted against the plane of ETRS89, at every kilometre.
//!
//! `ostn15.bin` holds the shifts in millimetres, first all eastings, then all northings, from the south-west corner row
//! by row. Shifts change slowly from point to point. So the file holds only by how much each differs from a prediction
//! from its neighbours, low bytes before high bytes, compressed with zlib. `examples/ostn15.rs` makes it from Ordnance
//! Survey's own file.

use std::io::Read;
use std::sync::LazyLock;

use flate2::read::ZlibDecoder;

/// Points from west to east, and from south to north.
const POINTS_EAST: usize = 701;
const POINTS_NORTH: usize = 1251;

/// The smallest shifts to the east and to the north, in millimetres: what the table counts from.
const SMALLEST_SHIFTS: [i32; 2] = [82_140, -84_180];

static SHIFTS: LazyLock<Option<[Vec<u16>; 2]>> = LazyLock::new(|| {
    let mut bytes = Vec::with_capacity(4 * POINTS_EAST * POINTS_NORTH);
    ZlibDecoder::new(&include_bytes!("ostn15.bin")[..]).read_to_end(&mut bytes).ok()?;
    let (east, north) = bytes.split_at_checked(2 * POINTS_EAST * POINTS_NORTH)?;
    Some([table(east)?, table(north)?])
});

/// The shifts of one direction, each from those before it.
fn table(bytes: &[u8]) -> Option<Vec<u16>> {
    let (low, high) =
        bytes.split_at_checked(POINTS_EAST * POINTS_NORTH).filter(|(low, high)| low.len() == high.len())?;
    let mut table: Vec<u16> = Vec::with_capacity(POINTS_EAST * POINTS_NORTH);
    for (at, (low, high)) in low.iter().zip(high).enumerate() {
        let expected = expect(&table, at);
        table.push(expected.wrapping_add(u16::from_le_bytes([*low, *high])));
    }
    Some(table)
}

/// The prediction from the neighbours to the west and south.
fn expect(table: &[u16], at: usize) -> u16 {
    match (at % POINTS_EAST, at / POINTS_EAST) {
        (0, 0) => 0,
        (0, _) => table[at - POINTS_EAST],
        (_, 0) => table[at - 1],
        _ => table[at - 1].wrapping_add(table[at - POINTS_EAST]).wrapping_sub(table[at - POINTS_EAST - 1]),
    }
}

/// The position on the grid, to the millimetre, of one on the plane of ETRS89; none outside the table. Shifts between four points
/// are interpolated from theirs.
pub(super) fn to_grid(easting: f64, northing: f64) -> Option<(f64, f64)> {
    let inside = |value: f64, points: usize| (0.0..=(points - 1) as f64 * 1_000.0).contains(&value);
    if !inside(easting, POINTS_EAST) || !inside(northing, POINTS_NORTH) {
        return None;
    }
    let tables = SHIFTS.as_ref()?;
    let west = ((easting / 1_000.0) as usize).min(POINTS_EAST - 2);
    let south = ((northing / 1_000.0) as usize).min(POINTS_NORTH - 2);
    let t = (easting - (west * 1_000) as f64) / 1_000.0;
    let u = (northing - (south * 1_000) as f64) / 1_000.0;
    let shift = |direction: usize| {
        let at = |point: usize| f64::from(SMALLEST_SHIFTS[direction] + i32::from(tables[direction][point])) / 1_000.0;
        let first = west + south * POINTS_EAST;
        let (near, far) = ([at(first), at(first + 1)], [at(first + POINTS_EAST), at(first + POINTS_EAST + 1)]);
        (1.0 - t) * (1.0 - u) * near[0] + t * (1.0 - u) * near[1] + (1.0 - t) * u * far[0] + t * u * far[1]
    };
    Some((to_millimetres(easting + shift(0)), to_millimetres(northing + shift(1))))
}

fn to_millimetres(metres: f64) -> f64 {
    (metres * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_table_is_the_one_that_was_compared_with_another_library() {
        let mut hash = Sha256::new();
        for shift in SHIFTS.as_ref().unwrap().iter().flatten() {
            hash.update(shift.to_le_bytes());
        }
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, "2906c365ef7a02a6856d7ef9c050a3727e40ad99a7d05603dacffabaf8772395");
    }

    #[test]
    fn a_position_outside_the_table_has_no_shift() {
        assert_eq!(to_grid(-0.1, 0.0), None);
        assert_eq!(to_grid(700_000.1, 0.0), None);
        assert_eq!(to_grid(0.0, 1_250_000.1), None);
        assert_eq!(to_grid(f64::NAN, 0.0), None);
    }
}
