//! What the surroundings of an address are like: air, noise, green space, roads.
//!
//! Values follow the place and the distance to the next large road. Two decimals make most of them unique to an
//! address, and a few addresses are near a source that no other has. Somebody who knows an address knows these values:
//! this is the attack on a phased release.

use std::sync::LazyLock;

use crate::columns::TableBuilder;
use crate::draw::{Choice, Draw};
use crate::places::{LONDON, LocalAuthority};

/// The values of one address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Environment {
    no2: f64,
    pm25: f64,
    noise: f64,
    greenspace: i64,
    road: i64,
    source: usize,
}

/// Sources per million addresses; the last ones have a few addresses in a cohort of half a million.
static SOURCES: LazyLock<Choice> =
    LazyLock::new(|| Choice::new(&[962_990, 22_000, 9_000, 3_500, 1_800, 500, 150, 40, 20]));

/// Draws the surroundings of an address of the place.
pub(super) fn environment(draw: &mut Draw, place: LocalAuthority) -> Environment {
    let urban = if place.region == LONDON { 10.0 } else { 0.0 };
    let road = (180.0 * draw.skewed(1_100)).clamp(2.0, 9_000.0);
    let source = draw.choose(&SOURCES);
    let near = if source == 0 { 0.0 } else { 2.0 + source as f64 };
    let traffic = 1_200.0 / (road + 60.0);
    let hundredths = |value: f64| (value * 100.0).round() / 100.0;
    Environment {
        no2: hundredths((17.0 + urban + traffic + near) * draw.skewed(160)),
        pm25: hundredths((8.6 + 0.25 * urban + 0.08 * traffic + 0.4 * near) * draw.skewed(80)),
        noise: (10.0 * (52.0 + 0.7 * traffic + 0.4 * near) * draw.skewed(40)).round() / 10.0,
        greenspace: draw.bell_shaped(if place.region == LONDON { 28 } else { 42 }, 17, 2, 97),
        road: road as i64,
        source,
    }
}

impl Environment {
    /// Writes the values of the address of a participant.
    pub(super) fn write(&self, participant: i64, rows: &mut TableBuilder) {
        rows.integer(participant);
        rows.real(self.no2);
        rows.real(self.pm25);
        rows.real(self.noise);
        rows.integer(self.greenspace);
        rows.integer(self.road);
        rows.code(self.source);
    }
}
