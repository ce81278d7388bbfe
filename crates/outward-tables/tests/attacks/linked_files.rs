//! Tables of collisions beside tables of their casualties, attacked from what both show: no other collisions would do as well if
//! one told what the other hides.

use std::collections::BTreeMap;

use outward_fixtures::csv::csv_text;
use outward_fixtures::oracle::{Sum, another_fits};
use outward_fixtures::spec::{collisions_and_casualties, keys, linked, suppressed, table};
use outward_fixtures::tables::Release;
use outward_tables::{CountedTable, Figure, protected_together};
use outward_testing::random_cases::seed;

/// Variables of collisions, with the number of values of each; a kind of collision has one of each.
type Variables = [(&'static str, usize)];

const ROAD_AND_SEVERITY: &Variables = &[("road", 3), ("severity", 3)];

/// Three variables of which no table shows all.
const RING: &Variables = &[("road", 2), ("severity", 2), ("light", 2)];

/// Collisions and their casualties, of each kind.
type World = Vec<(i64, i64)>;

/// The values of a kind.
fn values(variables: &Variables, kind: usize) -> Vec<String> {
    let mut rest = kind;
    let mut values: Vec<String> = Vec::new();
    for (name, count) in variables.iter().rev() {
        values.push(format!("{name} {}", rest % count));
        rest /= count;
    }
    values.reverse();
    values
}

/// Files with one row for each collision and each casualty.
fn files(variables: &Variables, world: &World) -> [String; 2] {
    let (mut collisions, mut casualties) = (Vec::new(), Vec::new());
    for (kind, (count, hurt)) in world.iter().enumerate() {
        for number in 0..*count {
            let id = format!("{kind}-{number}");
            collisions.push([vec![id.clone()], values(variables, kind)].concat());
            // The first collision has all the casualties that the others leave.
            let own = if number == 0 { hurt - (count - 1) } else { 1 };
            casualties.extend((0..own).map(|_| [id.clone()]));
        }
    }
    let header: Vec<&str> = ["id"].into_iter().chain(variables.iter().map(|(name, _)| *name)).collect();
    [csv_text(&header, collisions), csv_text(&["id"], casualties)]
}

/// The spec of the tables of some variables: for three, collisions and casualties by each two of them.
fn spec(variables: &Variables) -> String {
    if variables.len() < 3 {
        return collisions_and_casualties();
    }
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    let two = [[names[0], names[1]], [names[1], names[2]], [names[0], names[2]]];
    let tables =
        |name: &str, unit: &str| (0..3).map(|at| table(&format!("{name}{at}"), &two[at], unit)).collect::<String>();
    let tables = tables("collisions", "") + &tables("casualties", "unit = \"casualties\"");
    suppressed("collisions.csv") + &linked("casualties") + &keys(&names) + &tables
}

/// None where the tables cannot be published.
fn release(variables: &Variables, world: &World) -> Option<Release> {
    Release::from_spec(&spec(variables), &files(variables, world).each_ref().map(String::as_str))
}

/// Which of the units a table counts.
fn unit_of(made: &CountedTable) -> usize {
    usize::from(made.table.unit == "casualties")
}

/// What a cell of a table counts.
fn kinds_of(variables: &Variables, made: &CountedTable, cell: usize) -> Vec<usize> {
    let nodes = made.table.nodes(cell);
    let accepted: Vec<(&str, Vec<&str>)> = (made.table.dimensions.iter().zip(&nodes).zip(&made.inner.bases))
        .map(|((dimension, node), base)| {
            let codes = dimension.nodes[*node].values.iter();
            (base.variable.as_str(), codes.map(|code| base.values[*code as usize - 1].as_str()).collect())
        })
        .collect();
    let stands = |kind: &usize| {
        let own: BTreeMap<&str, String> =
            variables.iter().map(|(name, _)| *name).zip(values(variables, *kind)).collect();
        accepted.iter().all(|(name, accepted)| accepted.contains(&own[name].as_str()))
    };
    (0..variables.iter().map(|(_, count)| count).product()).filter(stands).collect()
}

/// The sum that a cell of a table is.
fn sum(variables: &Variables, release: &Release, table: usize, cell: usize) -> Sum {
    let made = &release.made[table];
    Sum { unit: unit_of(made), kinds: kinds_of(variables, made, cell) }
}

/// What is shown, by unit and kinds.
fn shown(variables: &Variables, release: &Release) -> Vec<Sum> {
    let mut shown = Vec::new();
    for (table, published) in release.protected.published.iter().enumerate() {
        for (cell, figure) in published.figures.iter().enumerate() {
            if matches!(figure, Figure::Shown(_)) {
                shown.push(sum(variables, release, table, cell));
            }
        }
    }
    shown
}

/// Worlds near this one in which every collision has a casualty: how each kind can move.
fn moves(world: &World) -> Vec<Vec<[i64; 2]>> {
    let of = |(collisions, casualties): &(i64, i64)| {
        let moved = (0..9).map(|at| [at / 3 - 1, at % 3 - 1]);
        let fits = |by: &[i64; 2]| {
            let (collisions, casualties) = (collisions + by[0], casualties + by[1]);
            collisions >= 0 && casualties >= collisions && (collisions > 0 || casualties == 0)
        };
        moved.filter(fits).collect()
    };
    world.iter().map(of).collect()
}

fn secrets(variables: &Variables, release: &Release) -> Vec<Sum> {
    release.unsafe_cells().into_iter().map(|(table, cell)| sum(variables, release, table, cell)).collect()
}

fn worlds(kinds: usize) -> impl Iterator<Item = World> {
    let mut state = seed(23);
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as i64
    };
    std::iter::repeat_with(move || {
        let mut kind = || {
            let collisions = if draw(3) == 0 { draw(3) } else { 2 + draw(9) };
            (collisions, if collisions == 0 { 0 } else { collisions + draw(3) })
        };
        (0..kinds).map(|_| kind()).collect()
    })
}

/// Attacks releases of some worlds: how many secrets were attacked, and how many releases were refused.
fn attack(variables: &Variables, worlds: impl Iterator<Item = World>) -> (usize, usize) {
    let (mut attacked, mut refused) = (0, 0);
    for world in worlds {
        let Some(release) = release(variables, &world) else {
            refused += 1;
            continue;
        };
        let shown = shown(variables, &release);
        for secret in secrets(variables, &release) {
            attacked += 1;
            assert!(another_fits(&moves(&world), &shown, &secret), "{secret:?} of {world:?} is known from {shown:?}");
        }
    }
    (attacked, refused)
}

#[test]
fn no_count_of_collisions_is_undone_by_the_casualties_nor_the_other_way_round() {
    let (attacked, refused) = attack(ROAD_AND_SEVERITY, worlds(9).take(30));
    assert!(attacked > 80 && refused < 4, "{attacked} secrets attacked, {refused} releases refused");
}

#[test]
fn combinations_that_no_table_shows_hold_collisions_and_casualties_against_each_other() {
    let (attacked, refused) = attack(RING, worlds(8).take(60));
    assert!(attacked > 80 && refused < 4, "{attacked} secrets attacked, {refused} releases refused");
}

#[test]
fn every_collision_has_a_casualty_as_the_tables_show_and_the_certificate_says() {
    let release = worlds(9).find_map(|world| release(ROAD_AND_SEVERITY, &world)).unwrap();
    assert_eq!(protected_together(&release.made), [[0, 1]]);
    for certificate in &release.protected.certificates {
        assert_eq!(certificate.tables, ["collisions", "casualties"]);
        assert_eq!(certificate.every, ["casualties"]);
    }
}
