//! Who was in a collision: vehicles with their drivers, the people hurt, and what the police thought had led to it.

use std::sync::LazyLock;

use crate::columns::TableBuilder;
use crate::draw::{Choice, Draw};

use super::factors::{FACTORS, of_pedestrian};
use super::labels::{BUS, MOTORCYCLE, PEDAL_CYCLE, SERIOUS, SLIGHT};
use super::scene::Scene;

/// Factors of one vehicle or pedestrian, as indices into the list, none twice.
type Chosen = Vec<usize>;

/// A collision reports no more factors than this.
const MAX_FACTORS: usize = 6;

pub(super) struct Vehicle {
    kind: usize,
    manoeuvre: usize,
    sex: usize,
    age: Option<i64>,
    breath_test: usize,
    home_area: Option<usize>,
    factors: Chosen,
}

pub(super) struct Casualty {
    /// Of the vehicle the person was in, or which hit the pedestrian; the first is 1.
    vehicle: usize,
    class: usize,
    kind: usize,
    sex: usize,
    age: Option<i64>,
    severity: usize,
    home_area: Option<usize>,
    factors: Chosen,
}

pub(super) struct Users {
    pub(super) vehicles: Vec<Vehicle>,
    pub(super) casualties: Vec<Casualty>,
}

impl Users {
    /// A collision is as severe as the worst injury in it.
    pub(super) fn severity(&self) -> usize {
        self.casualties.iter().map(|casualty| casualty.severity).min().unwrap_or(SLIGHT)
    }
}

struct RoadUserShares {
    vehicles: Choice,
    kind: [Choice; 2],
    manoeuvre: Choice,
    breath_test: Choice,
    driver_factor: Choice,
    pedestrian_factor: Choice,
}

static ROAD_USER_SHARES: LazyLock<RoadUserShares> = LazyLock::new(|| {
    let factors = |pedestrian: bool| {
        let weight = |factor| if of_pedestrian(factor) == pedestrian { factor.frequency } else { 0 };
        Choice::new(&FACTORS.iter().map(weight).collect::<Vec<_>>())
    };
    RoadUserShares {
        vehicles: Choice::new(&[300, 610, 70, 20]),
        kind: [Choice::new(&[700, 100, 80, 62, 10, 20, 22, 6]), Choice::new(&[735, 40, 90, 75, 38, 6, 4, 12])],
        manoeuvre: Choice::new(&[520, 130, 55, 80, 75, 45, 60, 35]),
        breath_test: Choice::new(&[470, 400, 12, 3, 75, 40]),
        driver_factor: factors(false),
        pedestrian_factor: factors(true),
    }
});

/// Draws everybody in the collision; there is at least one casualty, since others are not recorded.
pub(super) fn users(draw: &mut Draw, scene: &Scene) -> Users {
    let pedestrian = draw.chance(if scene.rural { 60 } else { 240 });
    let count = if pedestrian { 1 } else { 1 + draw.choose(&ROAD_USER_SHARES.vehicles) };
    let vehicles: Vec<Vehicle> = (0..count).map(|_| vehicle(draw, scene)).collect();
    let mut users = Users { vehicles, casualties: Vec::new() };
    if pedestrian {
        let casualty = pedestrian_casualty(draw, scene);
        users.casualties.push(casualty);
    }
    for at in 0..users.vehicles.len() {
        occupants(draw, scene, at, pedestrian, &mut users);
    }
    if users.casualties.is_empty() {
        let driver = driver_casualty(draw, scene, 0, &users.vehicles[0]);
        users.casualties.push(driver);
    }
    if scene.attended && draw.chance(970) {
        report_factors(draw, &mut users);
    }
    users
}

fn vehicle(draw: &mut Draw, scene: &Scene) -> Vehicle {
    let kind = draw.choose(&ROAD_USER_SHARES.kind[usize::from(scene.rural)]);
    let contacted = !draw.chance(70);
    let sex = match kind {
        _ if !contacted => 2,
        0 => usize::from(draw.chance(370)),
        PEDAL_CYCLE => usize::from(draw.chance(190)),
        _ => usize::from(draw.chance(80)),
    };
    let age = match kind {
        PEDAL_CYCLE => draw.bell_shaped(35, 15, 6, 88),
        MOTORCYCLE => draw.bell_shaped(34, 13, 16, 80),
        0 => draw.between(17, 52).min(draw.between(17, 89)) + draw.between(0, 24),
        _ => draw.bell_shaped(43, 12, 18, 74),
    };
    let breath_test = match (contacted, kind) {
        (false, _) => 4,
        (true, PEDAL_CYCLE) => 0,
        _ => draw.choose(&ROAD_USER_SHARES.breath_test),
    };
    Vehicle {
        kind,
        manoeuvre: draw.choose(&ROAD_USER_SHARES.manoeuvre),
        sex,
        age: (contacted && !draw.chance(20)).then_some(age.min(97)),
        breath_test,
        home_area: (contacted && !draw.chance(90)).then(|| home_area(draw, scene)),
        factors: Chosen::new(),
    }
}

fn home_area(draw: &mut Draw, scene: &Scene) -> usize {
    match draw.below(100) {
        0..60 => 2 * usize::from(scene.rural && draw.chance(420)),
        60..85 => 0,
        85..93 => 1,
        _ => 2,
    }
}

fn severity(draw: &mut Draw, scene: &Scene, vulnerable: bool, age: Option<i64>) -> usize {
    let mut fatal = if scene.speed_limit >= 60 { 16 } else { 4 };
    let mut serious = if scene.speed_limit >= 60 { 190 } else { 120 };
    if vulnerable {
        (fatal, serious) = (fatal * 2, serious + 130);
    }
    if age.is_some_and(|age| age >= 70) {
        (fatal, serious) = (fatal * 3, serious + 80);
    }
    match draw.below(1_000) {
        n if n < fatal => 0,
        n if n < fatal + serious => SERIOUS,
        _ => SLIGHT,
    }
}

fn pedestrian_casualty(draw: &mut Draw, scene: &Scene) -> Casualty {
    let age = if draw.chance(330) { draw.between(3, 17) } else { draw.between(18, 92) };
    let age = (!draw.chance(15)).then_some(age);
    Casualty {
        vehicle: 1,
        class: 2,
        kind: 0,
        sex: usize::from(draw.chance(430)),
        age,
        severity: severity(draw, scene, true, age),
        home_area: (!draw.chance(80)).then(|| home_area(draw, scene)),
        factors: Chosen::new(),
    }
}

/// The driver as a casualty: the same person, so the same sex, age and home.
fn driver_casualty(draw: &mut Draw, scene: &Scene, at: usize, vehicle: &Vehicle) -> Casualty {
    let vulnerable = matches!(vehicle.kind, PEDAL_CYCLE | MOTORCYCLE);
    Casualty {
        vehicle: at + 1,
        class: 0,
        kind: vehicle.kind + 1,
        sex: vehicle.sex,
        age: vehicle.age,
        severity: severity(draw, scene, vulnerable, vehicle.age),
        home_area: vehicle.home_area,
        factors: Chosen::new(),
    }
}

/// The people hurt in one vehicle.
fn occupants(draw: &mut Draw, scene: &Scene, at: usize, hit_pedestrian: bool, users: &mut Users) {
    let vehicle = &users.vehicles[at];
    let hurt = match vehicle.kind {
        PEDAL_CYCLE | MOTORCYCLE => 900,
        _ if hit_pedestrian => 15,
        0 => 480,
        _ => 260,
    };
    if draw.chance(hurt) {
        let casualty = driver_casualty(draw, scene, at, &users.vehicles[at]);
        users.casualties.push(casualty);
    }
    let seats = match users.vehicles[at].kind {
        PEDAL_CYCLE => 0,
        BUS => 6,
        MOTORCYCLE => 1,
        _ => 3,
    };
    for _ in 0..seats {
        if hit_pedestrian || !draw.chance(75) {
            continue;
        }
        let age = (!draw.chance(20)).then(|| draw.between(0, 85));
        let severity = severity(draw, scene, false, age);
        let home_area = (!draw.chance(100)).then(|| home_area(draw, scene));
        let kind = users.vehicles[at].kind + 1;
        let sex = usize::from(draw.chance(560));
        users.casualties.push(Casualty {
            vehicle: at + 1,
            class: 1,
            kind,
            sex,
            age,
            severity,
            home_area,
            factors: Chosen::new(),
        });
    }
}

/// Gives out factors: most to the first vehicle, those of pedestrians to the pedestrian, six at most in all.
fn report_factors(draw: &mut Draw, users: &mut Users) {
    let mut left = MAX_FACTORS;
    for casualty in users.casualties.iter_mut().filter(|casualty| casualty.class == 2) {
        choose_factors(draw, &ROAD_USER_SHARES.pedestrian_factor, 780, &mut left, &mut casualty.factors);
    }
    for (at, vehicle) in users.vehicles.iter_mut().enumerate() {
        let share = if at == 0 { 800 } else { 260 };
        choose_factors(draw, &ROAD_USER_SHARES.driver_factor, share, &mut left, &mut vehicle.factors);
        // A driver over the limit is reported as impaired by alcohol, unless the form is full.
        let alcohol = FACTORS.iter().position(|factor| factor.code == 501);
        if let Some(alcohol) = alcohol
            && vehicle.breath_test == 2
            && left > 0
            && !vehicle.factors.contains(&alcohol)
        {
            vehicle.factors.push(alcohol);
            left -= 1;
        }
    }
}

fn choose_factors(draw: &mut Draw, choice: &Choice, any: u32, left: &mut usize, chosen: &mut Chosen) {
    let mut share = any;
    while *left > 0 && draw.chance(share) {
        let factor = draw.choose(choice);
        if !chosen.contains(&factor) {
            chosen.push(factor);
            *left -= 1;
        }
        share = 480;
    }
}

/// Writes the rows of the vehicles.
pub(super) fn write_vehicles(draw: &mut Draw, index: &str, users: &Users, rows: &mut TableBuilder) {
    for (vehicle, reference) in users.vehicles.iter().zip(1..) {
        rows.text(index);
        rows.integer(reference);
        rows.code(vehicle.kind);
        rows.code(vehicle.manoeuvre);
        let powered = vehicle.kind != PEDAL_CYCLE;
        let age = draw.between(0, 11) + draw.between(0, 7);
        rows.integer_or_missing((powered && !draw.chance(180)).then_some(age));
        let size = match vehicle.kind {
            MOTORCYCLE => [50, 125, 125, 125, 300, 600, 650, 1_000][draw.below(8) as usize],
            0 => [998, 1_199, 1_248, 1_390, 1_461, 1_598, 1_598, 1_968, 1_995, 2_993][draw.below(10) as usize],
            _ => [1_598, 1_968, 2_198, 6_692, 9_300, 12_777][draw.below(6) as usize],
        };
        rows.integer_or_missing((powered && !draw.chance(200)).then_some(size));
        rows.code(vehicle.sex);
        rows.integer_or_missing(vehicle.age);
        rows.code(vehicle.breath_test);
        rows.code_or_missing(vehicle.home_area);
        write_factors(&vehicle.factors, rows);
    }
}

/// Writes the rows of the casualties.
pub(super) fn write_casualties(draw: &mut Draw, index: &str, users: &Users, rows: &mut TableBuilder) {
    for (casualty, reference) in users.casualties.iter().zip(1..) {
        rows.text(index);
        rows.integer(casualty.vehicle as i64);
        rows.integer(reference);
        rows.code(casualty.class);
        rows.code(casualty.kind);
        rows.code(casualty.sex);
        rows.integer_or_missing(casualty.age);
        rows.code(casualty.severity);
        rows.code_or_missing(casualty.home_area);
        let decile = draw.between(1, 10);
        rows.integer_or_missing(casualty.home_area.map(|_| decile));
        write_factors(&casualty.factors, rows);
    }
}

fn write_factors(chosen: &Chosen, rows: &mut TableBuilder) {
    for at in 0..MAX_FACTORS {
        rows.code_or_missing(chosen.get(at).copied());
    }
}
