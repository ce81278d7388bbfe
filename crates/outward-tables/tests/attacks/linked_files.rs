//! Tables of collisions beside tables of their casualties, attacked from what both show: no other collisions would do as well if
//! one told what the other hides.

use std::collections::BTreeMap;

use outward_fixtures::collisions::{RING, Variables, World, files, spec, values};
use outward_fixtures::oracle::{Sum, another_fits};
use outward_fixtures::spec::{keys, linked, suppressed, table};
use outward_fixtures::tables::Release;
use outward_tables::{CountedTable, Figure, protected_together};
use outward_testing::random_cases::seed;

const ROAD_AND_SEVERITY: &Variables = &[("road", 3), ("severity", 3)];

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

/// What the certificate says of the collisions in a cell.
fn certified(release: &Release, labels: &str) -> (i64, i64) {
    let lines = &release.protected.certificates[0].certificate.cells;
    let line = lines.iter().find(|line| line.name.starts_with("collisions") && line.name.ends_with(labels));
    line.map(|line| (line.lower.unwrap(), line.upper.unwrap())).expect("the cell is hidden")
}

#[test]
fn casualties_of_which_nothing_is_hidden_bound_collisions_in_combinations_that_no_table_shows() {
    // Of casualties all three tables are shown, and nobody is hurt at road 1, severity 0, light 1.
    let world = vec![(2, 2), (4, 6), (1, 3), (6, 8), (5, 7), (0, 0), (6, 6), (2, 4)];
    let release = release(RING, &world).unwrap();
    let hides = |at: usize| release.protected.published[at].figures.contains(&Figure::Hidden);
    assert_eq!((0..6).map(hides).collect::<Vec<_>>(), [true, false, true, false, false, false]);
    // By integer programs over the sixteen counts of both files: the ends of each, and with the collisions of road 0, severity 0 shown,
    // the two at road 1, light 1 would be two at least.
    assert_eq!(certified(&release, "road road 1, light light 1"), (1, 4));
    assert_eq!(certified(&release, "road road 0, severity severity 0"), (4, 6));
}

/// A spec of collisions by two variables, and of casualties by each two of three, of so many values each.
fn ring_of_casualties() -> String {
    let by = |at: usize, two: [&str; 2]| table(&format!("casualties{at}"), &two, "unit = \"casualties\"");
    let casualties = by(0, ["a", "b"]) + &by(1, ["b", "c"]) + &by(2, ["a", "c"]);
    suppressed("collisions.csv")
        + &linked("casualties")
        + &keys(&["a", "b", "c"])
        + &table("collisions", &["a", "b"], "")
        + &casualties
}

/// Five collisions with fifty casualties of each kind, and two with fifty of one; *b* and *c* have so many values, *a* has two.
fn many_combinations(values: usize) -> [String; 2] {
    let (mut collisions, mut casualties) = ("id,a,b,c\n".to_owned(), "id\n".to_owned());
    for (kind, value) in (0..values).flat_map(|value| [(0, value), (1, value)]) {
        let (count, each) = if (kind, value) == (0, 0) { (2, 25) } else { (5, 10) };
        for number in 0..count {
            let c = (value + number % 2) % values;
            collisions += &format!("{kind}-{value}-{number},a{kind},b{value},c{c}\n");
            casualties += &format!("{kind}-{value}-{number}\n").repeat(each);
        }
    }
    [collisions, casualties]
}

#[test]
fn a_linked_file_with_too_many_combinations_is_told_though_nothing_of_it_is_hidden() {
    for (values, is_too_large) in [(8, false), (160, true)] {
        let files = many_combinations(values);
        let release = Release::attempt(&ring_of_casualties(), &files.each_ref().map(String::as_str)).unwrap();
        let too_large = [["casualties0", "casualties1", "casualties2"].map(str::to_owned).to_vec()];
        let hides = |at: usize| release.protected.published[at].figures.contains(&Figure::Hidden);
        assert!(hides(0) && !(1..4).any(hides));
        assert_eq!(release.protected.too_large, &too_large[..usize::from(is_too_large)], "{values} values");
        assert_eq!(release.protected.holds(), !is_too_large);
    }
}
