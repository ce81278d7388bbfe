//! Road: collisions, the vehicles in them, and the people hurt, after the STATS19 form. The tables join on
//! `collision_index`, `vehicle_reference` and `casualty_reference`.

pub(crate) mod factors;
mod labels;
mod scene;
mod users;

use std::sync::LazyLock;

use arrow_array::RecordBatch;

use crate::Span;
use crate::columns::{ColumnDefinition, ColumnType, Layout, category, full, partial};
use crate::dates::Day;
use crate::draw::Draw;
use crate::places::{self, push_padded};

use factors::FACTORS;
use labels::*;

static LAYOUTS: LazyLock<[Layout; 3]> = LazyLock::new(|| {
    [
        Layout::new("collisions", collision_columns()),
        Layout::new("vehicles", vehicle_columns()),
        Layout::new("casualties", casualty_columns()),
    ]
});

fn collision_columns() -> Vec<ColumnDefinition> {
    vec![
        full("collision_index", ColumnType::Text),
        full("date", ColumnType::Date),
        full("day_of_week", category(&DAY)),
        partial("time", ColumnType::Text),
        full("police_force", category(&scene::FORCES.names)),
        full("region", category(&places::region_names())),
        full("local_authority", category(&places::authority_names())),
        partial("easting", ColumnType::Integer),
        partial("northing", ColumnType::Integer),
        full("severity", category(&SEVERITY)),
        full("number_of_vehicles", ColumnType::Integer),
        full("number_of_casualties", ColumnType::Integer),
        full("road_class", category(&ROAD_CLASS)),
        full("road_type", category(&ROAD_TYPE)),
        full("speed_limit", ColumnType::Integer),
        full("junction", category(&JUNCTION)),
        full("light", category(&LIGHT)),
        partial("weather", category(&WEATHER)),
        partial("surface", category(&SURFACE)),
        full("urban_or_rural", category(&SETTING)),
        full("police_attended", category(&YES_NO)),
    ]
}

fn vehicle_columns() -> Vec<ColumnDefinition> {
    let mut columns = vec![
        full("collision_index", ColumnType::Text),
        full("vehicle_reference", ColumnType::Integer),
        full("vehicle_type", category(&VEHICLE_TYPE)),
        full("manoeuvre", category(&MANOEUVRE)),
        partial("vehicle_age", ColumnType::Integer),
        partial("engine_cc", ColumnType::Integer),
        full("sex_of_driver", category(&SEX)),
        partial("age_of_driver", ColumnType::Integer),
        full("breath_test", category(&BREATH_TEST)),
        partial("home_area_of_driver", category(&HOME_AREA)),
    ];
    columns.extend(factor_columns());
    columns
}

fn casualty_columns() -> Vec<ColumnDefinition> {
    let mut columns = vec![
        full("collision_index", ColumnType::Text),
        full("vehicle_reference", ColumnType::Integer),
        full("casualty_reference", ColumnType::Integer),
        full("casualty_class", category(&CASUALTY_CLASS)),
        full("casualty_type", category(&CASUALTY_TYPE)),
        full("sex", category(&SEX)),
        partial("age", ColumnType::Integer),
        full("severity", category(&SEVERITY)),
        partial("home_area", category(&HOME_AREA)),
        partial("deprivation_decile", ColumnType::Integer),
    ];
    columns.extend(factor_columns());
    columns
}

/// The six factors of a vehicle or a pedestrian.
fn factor_columns() -> impl Iterator<Item = ColumnDefinition> {
    let values: Vec<String> = FACTORS.iter().map(factors::Factor::value).collect();
    ["factor_1", "factor_2", "factor_3", "factor_4", "factor_5", "factor_6"]
        .into_iter()
        .map(move |name| partial(name, category(&values)))
}

/// The columns of the three tables.
pub(crate) fn layouts() -> &'static [Layout] {
    &*LAYOUTS
}

/// The collisions of one block with their vehicles and casualties.
pub(crate) fn block(draw: &mut Draw, span: Span) -> Vec<RecordBatch> {
    let [collisions, vehicles, casualties] = &*LAYOUTS;
    let mut collisions = collisions.rows(span.units);
    let mut vehicles = vehicles.rows(span.units * 2);
    let mut casualties = casualties.rows(span.units * 3 / 2);
    let mut index = String::new();
    for number in span.start + 1..=span.start + span.units as u64 {
        let place = places::place(draw);
        let scene = scene::scene(draw, place);
        let users = users::users(draw, &scene);
        index.clear();
        push_padded(&mut index, Day::from_number(scene.date).year as u64, 4);
        push_padded(&mut index, number, 9);
        scene::write(draw, &index, &scene, &users, &mut collisions);
        users::write_vehicles(draw, &index, &users, &mut vehicles);
        users::write_casualties(draw, &index, &users, &mut casualties);
    }
    vec![collisions.finish(), vehicles.finish(), casualties.finish()]
}
