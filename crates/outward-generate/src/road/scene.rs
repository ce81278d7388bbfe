//! Where and when a collision happened, and what the road was like.

use std::sync::LazyLock;

use crate::columns::TableBuilder;
use crate::dates::Day;
use crate::draw::{Choice, Draw};
use crate::places::{self, AUTHORITIES, LONDON, LocalAuthority, push_padded};

use super::users::Users;

/// Time, place and road of a collision.
pub(super) struct Scene {
    place: LocalAuthority,
    pub(super) date: i32,
    minute: u32,
    pub(super) rural: bool,
    road_class: usize,
    road_type: usize,
    pub(super) speed_limit: i64,
    junction: usize,
    pub(super) dark: bool,
    lit: bool,
    weather: usize,
    surface: usize,
    pub(super) attended: bool,
}

/// Police forces in the order in which they first occur among the authorities, and the force of each authority.
pub(super) struct Forces {
    pub(super) names: Vec<&'static str>,
    of: Vec<usize>,
}

pub(super) static FORCES: LazyLock<Forces> = LazyLock::new(|| {
    let mut names: Vec<&'static str> = Vec::new();
    let mut of = Vec::new();
    for authority in AUTHORITIES.iter().flat_map(|list| list.iter()) {
        let at = names.iter().position(|&name| name == authority.force).unwrap_or(names.len());
        if at == names.len() {
            names.push(authority.force);
        }
        of.push(at);
    }
    Forces { names, of }
});

struct SceneShares {
    hour: [Choice; 2],
    class: [Choice; 2],
    kind: Choice,
    junction: [Choice; 2],
    weather: [Choice; 2],
}

static SCENE_SHARES: LazyLock<SceneShares> = LazyLock::new(|| SceneShares {
    // Two peaks on working days, one broad hump and late nights at the weekend.
    hour: [
        Choice::new(&[9, 6, 4, 3, 4, 10, 25, 62, 88, 50, 45, 50, 57, 58, 64, 85, 90, 98, 72, 52, 38, 30, 24, 16]),
        Choice::new(&[28, 24, 18, 15, 11, 10, 13, 18, 28, 42, 58, 67, 72, 70, 68, 66, 66, 64, 60, 52, 44, 38, 34, 30]),
    ],
    class: [Choice::new(&[3, 470, 125, 402]), Choice::new(&[110, 480, 140, 270])],
    kind: Choice::new(&[65, 22, 150, 740, 23]),
    junction: [Choice::new(&[360, 370, 130, 90, 50]), Choice::new(&[680, 190, 50, 60, 20])],
    weather: [Choice::new(&[830, 120, 0, 15, 5, 30]), Choice::new(&[720, 190, 15, 22, 18, 35])],
});

/// Draws the scene of a collision in this place.
pub(super) fn scene(draw: &mut Draw, place: LocalAuthority) -> Scene {
    let date =
        draw.between(i64::from(Day::new(2019, 1, 1).number()), i64::from(Day::new(2021, 12, 31).number())) as i32;
    let month = Day::from_number(date).month;
    let weekend = weekday(date) >= 5;
    let minute = 60 * draw.choose(&SCENE_SHARES.hour[usize::from(weekend)]) as u32 + draw.below(60);
    let rural = draw.chance(if place.region == LONDON { 10 } else { 380 });
    let road_class = draw.choose(&SCENE_SHARES.class[usize::from(rural)]);
    let road_type = if road_class == 0 { 2 } else { draw.choose(&SCENE_SHARES.kind) };
    let junction = match (road_class, road_type) {
        (0, _) => 0,
        (_, 0) => 3,
        _ => draw.choose(&SCENE_SHARES.junction[usize::from(rural)]),
    };
    let (sunrise, sunset) = daylight(month);
    let dark = minute < sunrise || minute >= sunset;
    let winter = matches!(month, 11 | 12 | 1 | 2);
    let weather = draw.choose(&SCENE_SHARES.weather[usize::from(winter)]);
    let surface = match weather {
        1 => 1,
        2 => 2,
        _ if winter && draw.chance(60) => 3,
        _ => usize::from(draw.chance(if winter { 420 } else { 110 })),
    };
    Scene {
        place,
        date,
        minute: if draw.chance(350) { minute / 5 * 5 } else { minute },
        rural,
        road_class,
        road_type,
        speed_limit: speed_limit(draw, rural, road_class, road_type),
        junction,
        dark,
        lit: !rural || draw.chance(300),
        weather,
        surface,
        attended: draw.chance(800),
    }
}

/// Monday is 0; the first of January 1970 was a Thursday.
fn weekday(date: i32) -> usize {
    (date + 3).rem_euclid(7) as usize
}

/// Sunrise and sunset in minutes by month, for the middle of England, by the clock of the season.
fn daylight(month: i32) -> (u32, u32) {
    const SUN: [(u32, u32); 12] = [
        (490, 980),
        (440, 1_035),
        (380, 1_090),
        (370, 1_200),
        (310, 1_250),
        (285, 1_290),
        (305, 1_275),
        (350, 1_220),
        (400, 1_150),
        (450, 1_080),
        (440, 975),
        (485, 950),
    ];
    SUN[(month - 1) as usize]
}

fn speed_limit(draw: &mut Draw, rural: bool, road_class: usize, road_type: usize) -> i64 {
    match (road_class, rural, road_type) {
        (0, ..) => 70,
        (_, false, 2) => [30, 40, 40, 50][draw.below(4) as usize],
        (_, false, _) => [20, 30, 30, 30, 30, 30, 30, 40][draw.below(8) as usize],
        (_, true, 2) => [50, 60, 70, 70, 70][draw.below(5) as usize],
        (_, true, _) => [30, 30, 40, 50, 60, 60, 60, 60][draw.below(8) as usize],
    }
}

/// Writes the row of the collision.
pub(super) fn write(draw: &mut Draw, index: &str, scene: &Scene, users: &Users, rows: &mut TableBuilder) {
    rows.text(index);
    rows.date(scene.date);
    rows.code(weekday(scene.date));
    if draw.chance(3) {
        rows.missing();
    } else {
        let mut time = String::with_capacity(5);
        push_padded(&mut time, u64::from(scene.minute / 60), 2);
        time.push(':');
        push_padded(&mut time, u64::from(scene.minute % 60), 2);
        rows.text(&time);
    }
    rows.code(FORCES.of[scene.place.authority]);
    rows.code(scene.place.region);
    rows.code(scene.place.authority);
    let (easting, northing) = places::position(draw, scene.place);
    let located = !draw.chance(4);
    rows.integer_or_missing(located.then_some(easting));
    rows.integer_or_missing(located.then_some(northing));
    rows.code(users.severity());
    rows.integer(users.vehicles.len() as i64);
    rows.integer(users.casualties.len() as i64);
    rows.code(scene.road_class);
    rows.code(scene.road_type);
    rows.integer(scene.speed_limit);
    rows.code(scene.junction);
    rows.code(match (scene.dark, scene.lit) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => 2,
    });
    rows.code_or_missing((!draw.chance(20)).then_some(scene.weather));
    rows.code_or_missing((!draw.chance(12)).then_some(scene.surface));
    rows.code(usize::from(scene.rural));
    rows.code(usize::from(scene.attended));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weekdays_start_on_monday() {
        assert_eq!(weekday(Day::new(2021, 3, 21).number()), 6);
        assert_eq!(weekday(Day::new(2021, 3, 22).number()), 0);
    }
}
