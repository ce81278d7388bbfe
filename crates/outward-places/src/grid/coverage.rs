//! Where OSTN15 holds.
//!
//! The table of OSTN15 fills a rectangle of 700 km by 1250 km. Beyond British waters its shifts only continue those
//! inside, and the table flags its points there: Ireland, France and the sea around them have the height datum flag 16.
//! The table of shifts kept here has no flags, only their bounds. For each 10 km of northing they are the kilometres of
//! easting between which no point has flag 16. All points of the datums on land are between them. Source: Ordnance
//! Survey, OSTN15 and OSGM15 developer pack, `OSTN15_OSGM15_DataFile.txt`.

const BAND_METRES: f64 = 10_000.0;

/// Whether OSTN15 holds at a position on the plane of ETRS89, in metres.
pub(super) fn covers(easting: f64, northing: f64) -> bool {
    if northing < 0.0 {
        return false;
    }
    let band = (northing / BAND_METRES) as usize;
    match (WEST.get(band), EAST.get(band)) {
        (Some(&west), Some(&east)) => (f64::from(west)..=f64::from(east)).contains(&(easting / 1_000.0)),
        _ => false,
    }
}

const WEST: [u16; 125] = [
    0, 0, 0, 0, 0, 0, 0, 0, 4, 33, 34, 45, 51, 76, 83, 87, 93, 99, 106, 113, 119, 125, 131, 135, 142, 148, 156, 159,
    171, 171, 169, 169, 171, 174, 178, 179, 180, 180, 180, 181, 183, 184, 186, 187, 156, 151, 155, 169, 179, 185, 188,
    189, 188, 184, 184, 173, 172, 171, 157, 154, 152, 146, 134, 100, 95, 89, 85, 79, 72, 65, 14, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24, 104,
    184, 246, 254, 260, 266, 272, 278, 283, 288, 293,
];

const EAST: [u16; 125] = [
    321, 328, 336, 513, 547, 582, 598, 606, 614, 622, 627, 630, 634, 645, 660, 669, 677, 681, 684, 690, 695, 700, 700,
    700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700,
    700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700, 700,
    700, 700, 700, 700, 694, 686, 681, 677, 674, 671, 667, 664, 661, 657, 654, 650, 647, 644, 640, 637, 633, 628, 622,
    616, 611, 605, 603, 603, 604, 605, 606, 607, 607, 608, 609, 610, 611, 613, 616, 618, 620, 623, 625, 626, 624, 623,
    621, 620, 618, 616, 615, 613, 612, 610, 608, 607,
];
