//! Energy: dwellings with their type, age, size and insulation, and a year's gas and electricity.
//!
//! The shape follows the National Energy Efficiency Data framework. Consumption is skewed, rises with floor area and
//! with the age of the dwelling, and falls with insulation.

use std::sync::LazyLock;

use arrow_array::RecordBatch;

use crate::Span;
use crate::columns::{ColumnType, Layout, TableBuilder, category, full, partial};
use crate::draw::{Choice, Draw};
use crate::places::{self, LONDON, LocalAuthority};

const PROPERTY_TYPE: [&str; 4] = ["House", "Flat", "Bungalow", "Maisonette"];
const BUILT_FORM: [&str; 5] = ["Detached", "Semi-detached", "Mid terrace", "End terrace", "Not recorded"];
const AGE_BAND: [&str; 8] = [
    "Before 1900",
    "1900 to 1929",
    "1930 to 1949",
    "1950 to 1966",
    "1967 to 1982",
    "1983 to 1995",
    "1996 to 2011",
    "2012 onwards",
];
const AREA_BAND: [&str; 6] = ["Up to 50", "51 to 75", "76 to 100", "101 to 150", "151 to 200", "Over 200"];
const MAIN_FUEL: [&str; 4] = ["Mains gas", "Electricity", "Oil or bottled gas", "Other"];
const DEPRIVATION: [&str; 5] = ["1 most deprived", "2", "3", "4", "5 least deprived"];
const YES_NO: [&str; 2] = ["No", "Yes"];

static ENERGY_LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    Layout::new(
        "properties",
        vec![
            full("property_id", ColumnType::Integer),
            full("address", ColumnType::Text),
            full("postcode", ColumnType::Text),
            full("region", category(&places::region_names())),
            full("local_authority", category(&places::authority_names())),
            full("property_type", category(&PROPERTY_TYPE)),
            full("built_form", category(&BUILT_FORM)),
            full("age_band", category(&AGE_BAND)),
            full("floor_area_band", category(&AREA_BAND)),
            full("floor_area_m2", ColumnType::Integer),
            partial("epc_year", ColumnType::Integer),
            full("main_fuel", category(&MAIN_FUEL)),
            full("loft_insulation", category(&YES_NO)),
            partial("cavity_wall_insulation", category(&YES_NO)),
            full("solar_panels", category(&YES_NO)),
            full("deprivation_quintile", category(&DEPRIVATION)),
            full("fuel_poor", category(&YES_NO)),
            partial("gas_kwh", ColumnType::Integer),
            partial("electricity_kwh", ColumnType::Integer),
        ],
    )
});

struct DwellingShares {
    kind: [Choice; 2],
    form: [Choice; 2],
    age: [Choice; 2],
}

static DWELLING_SHARES: LazyLock<DwellingShares> = LazyLock::new(|| DwellingShares {
    kind: [Choice::new(&[720, 165, 100, 15]), Choice::new(&[440, 500, 20, 40])],
    form: [Choice::new(&[220, 350, 280, 120, 0]), Choice::new(&[520, 390, 30, 60, 0])],
    age: [Choice::new(&[120, 120, 140, 190, 200, 100, 95, 35]), Choice::new(&[200, 200, 160, 130, 120, 70, 85, 35])],
});

/// The columns of `properties`.
pub(crate) fn layout() -> &'static Layout {
    &ENERGY_LAYOUT
}

/// A dwelling before its meters are read.
struct Dwelling {
    kind: usize,
    form: usize,
    age: usize,
    area: i64,
    fuel: usize,
    loft: bool,
    cavity: Option<bool>,
    solar: bool,
    deprivation: usize,
}

/// The dwellings of one block.
pub(crate) fn block(draw: &mut Draw, span: Span) -> RecordBatch {
    let mut rows = layout().rows(span.units);
    let mut text = String::new();
    for index in 0..span.units as u64 {
        let place = places::place(draw);
        rows.integer((span.start + index) as i64 + 1);
        text.clear();
        places::write_address(draw, place, &mut text);
        rows.text(&text);
        text.clear();
        places::write_postcode(draw, place, &mut text);
        rows.text(&text);
        rows.code(place.region);
        rows.code(place.authority);
        let dwelling = dwelling(draw, place);
        write(draw, &dwelling, &mut rows);
    }
    rows.finish()
}

fn dwelling(draw: &mut Draw, place: LocalAuthority) -> Dwelling {
    let capital = usize::from(place.region == LONDON);
    let kind = draw.choose(&DWELLING_SHARES.kind[capital]);
    let flat = matches!(kind, 1 | 3);
    let form = if flat { 4 } else { draw.choose(&DWELLING_SHARES.form[usize::from(kind == 2)]) };
    let age = draw.choose(&DWELLING_SHARES.age[capital]);
    let middle = match (flat, form) {
        (true, _) => 56.0,
        (_, 0) => 132.0,
        (_, 1) => 92.0,
        _ => 80.0,
    };
    let area = (middle * draw.skewed(if form == 0 { 330 } else { 230 })) as i64;
    let on_gas = if flat { 720 } else { 900 } - if place.region == 8 || place.region == 9 { 80 } else { 0 };
    let fuel = if draw.chance(on_gas) {
        0
    } else if flat || draw.chance(350) {
        1
    } else {
        2 + usize::from(draw.chance(150))
    };
    // Walls with a cavity came in between the wars; before that there is nothing to fill.
    let cavity = (age >= 2).then(|| draw.chance(if age >= 6 { 930 } else { 620 }));
    let wealth = draw.below(100) as i64 + (area - 90).clamp(-40, 60) / 2;
    let deprivation = (wealth / 20).clamp(0, 4) as usize;
    Dwelling {
        kind,
        form,
        age,
        area: area.clamp(18, 900),
        fuel,
        loft: !flat && draw.chance(640 + 35 * age as u32),
        cavity,
        solar: !flat && draw.chance(35),
        deprivation,
    }
}

fn write(draw: &mut Draw, dwelling: &Dwelling, rows: &mut TableBuilder) {
    let area_band = [50, 75, 100, 150, 200].iter().filter(|&&to| dwelling.area > to).count();
    rows.code(dwelling.kind);
    rows.code(dwelling.form);
    rows.code(dwelling.age);
    rows.code(area_band);
    rows.integer(dwelling.area);
    let certified = draw.chance(620);
    let year = draw.between(2008, 2021);
    rows.integer_or_missing(certified.then_some(year));
    rows.code(dwelling.fuel);
    rows.code(usize::from(dwelling.loft));
    rows.code_or_missing(dwelling.cavity.map(usize::from));
    rows.code(usize::from(dwelling.solar));
    rows.code(dwelling.deprivation);
    let gas = gas(draw, dwelling);
    let poor = [240, 170, 110, 70, 40][dwelling.deprivation] + if dwelling.age < 3 { 40 } else { 0 };
    rows.code(usize::from(draw.chance(poor)));
    rows.integer_or_missing(gas);
    let meter_failed = draw.chance(18);
    let electricity = electricity(draw, dwelling);
    rows.integer_or_missing((!meter_failed).then_some(electricity));
}

/// A year's gas: missing without a connection or where the meter was not read, zero where the dwelling stood empty.
fn gas(draw: &mut Draw, dwelling: &Dwelling) -> Option<i64> {
    const AGE_PERCENT: [i64; 8] = [128, 124, 115, 104, 98, 88, 76, 58];
    if dwelling.fuel != 0 || draw.chance(25) {
        return None;
    }
    if draw.chance(8) {
        return Some(0);
    }
    let mut expected = (3_200 + 115 * dwelling.area) * AGE_PERCENT[dwelling.age] / 100;
    if dwelling.cavity == Some(true) {
        expected = expected * 88 / 100;
    }
    if dwelling.loft {
        expected = expected * 94 / 100;
    }
    expected = expected * (88 + 6 * dwelling.deprivation as i64) / 100;
    Some((expected as f64 * draw.skewed(400)) as i64)
}

/// A year's electricity: more where it heats the dwelling, less where panels help.
fn electricity(draw: &mut Draw, dwelling: &Dwelling) -> i64 {
    let mut expected = 1_500 + 19 * dwelling.area;
    if dwelling.fuel == 1 {
        expected += 2_400 + 22 * dwelling.area;
    }
    if dwelling.solar {
        expected = expected * 78 / 100;
    }
    (expected as f64 * draw.skewed(480)) as i64
}
