//! Postcodes: how many people and households live at each, after the headcounts that statistical offices publish from
//! a census.
//!
//! A file fills area after area and district after district, so that all its districts but the last are complete.

mod areas;
mod districts;

use std::sync::LazyLock;

use arrow_array::RecordBatch;

use crate::Span;
use crate::columns::{ColumnType, Layout, TableBuilder, category, full};
use crate::draw::Draw;
use crate::places::push_inward;
use districts::District;

static POSTCODES_LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    Layout::new(
        "postcodes",
        vec![
            full("postcode", ColumnType::Text),
            full("nation", category(&areas::NATIONS)),
            full("easting", ColumnType::Integer),
            full("northing", ColumnType::Integer),
            full("residents", ColumnType::Integer),
            full("households", ColumnType::Integer),
        ],
    )
});

/// The columns of `postcodes`.
pub(crate) fn layout() -> &'static Layout {
    &POSTCODES_LAYOUT
}

/// The postcodes of one block, in a file of `rows`. A block past the last district is empty.
pub(crate) fn block(draw: &mut Draw, span: Span, rows: u64) -> RecordBatch {
    let table = districts::districts(span.seed, rows);
    let end = span.start + span.units as u64;
    let mut out = layout().rows(span.units);
    let mut text = String::new();
    let reached = table.partition_point(|district| district.first + u64::from(district.size) <= span.start);
    for district in &table[reached..] {
        let (from, to) = (span.start.max(district.first), end.min(district.first + u64::from(district.size)));
        for row in from..to {
            text.clear();
            text.push_str(&district.outward);
            push_inward(district.inward((row - district.first) as u32), &mut text);
            out.text(&text);
            write_headcount(draw, district, &mut out);
        }
    }
    out.finish()
}

fn write_headcount(draw: &mut Draw, district: &District, out: &mut TableBuilder) {
    out.code(district.nation);
    let coordinate = |draw: &mut Draw, centre: i64| (centre + district.spread * draw.bell() / 1_000).max(500);
    out.integer(coordinate(draw, district.centre.0));
    out.integer(coordinate(draw, district.centre.1));
    // A log-normal of median m and deviation s has mean m · e^(s²/2): 33.9 and 0.7 give 43.3, less a half for the
    // fraction cut off.
    let residents = ((33.9 * draw.skewed(700)) as i64).max(1);
    let persons_per_thousand_households = draw.bell_shaped(2_360, 380, 1_000, 5_000);
    out.integer(residents);
    out.integer((residents * 1_000 / persons_per_thousand_households).max(1));
}
