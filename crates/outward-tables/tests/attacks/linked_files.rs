//! Tables of collisions beside tables of their casualties, attacked from what both show: no other collisions would do as well if
//! one told what the other hides.

use outward_fixtures::csv::csv_text;
use outward_fixtures::oracle::{Sum, another_fits};
use outward_fixtures::spec::collisions_and_casualties;
use outward_fixtures::tables::Release;
use outward_tables::{Figure, Made, protected_together};
use outward_testing::random_cases::seed;

const ROADS: usize = 3;
const SEVERITIES: usize = 3;
const KINDS: usize = ROADS * SEVERITIES;

/// Collisions and their casualties, on each road and of each severity.
type World = [(i64, i64); KINDS];

/// Files with one row for each collision and each casualty.
fn files(world: &World) -> [String; 2] {
    let (mut collisions, mut casualties) = (Vec::new(), Vec::new());
    for (kind, (count, hurt)) in world.iter().enumerate() {
        for number in 0..*count {
            let id = format!("{kind}-{number}");
            collisions.push([
                id.clone(),
                format!("road {}", kind / SEVERITIES),
                format!("grade {}", kind % SEVERITIES),
            ]);
            // The first collision has all the casualties that the others leave.
            let own = if number == 0 { hurt - (count - 1) } else { 1 };
            casualties.extend((0..own).map(|_| [id.clone()]));
        }
    }
    [csv_text(&["id", "road", "severity"], collisions), csv_text(&["id"], casualties)]
}

/// None where the tables cannot be published.
fn release(world: &World) -> Option<Release> {
    Release::from_spec(&collisions_and_casualties(), &files(world).each_ref().map(String::as_str))
}

/// What a cell of a table counts: roads and severities that occur stand in their order, with totals last.
fn kinds_of(made: &Made, cell: usize) -> Vec<usize> {
    let nodes = made.table.nodes(cell);
    let accepted: Vec<Vec<&str>> = (made.table.dimensions.iter().zip(&nodes).zip(&made.inner.bases))
        .map(|((dimension, node), base)| {
            dimension.nodes[*node].values.iter().map(|code| base.values[*code as usize - 1].as_str()).collect()
        })
        .collect();
    let stands = |kind: &usize| {
        let (road, grade) = (format!("road {}", kind / SEVERITIES), format!("grade {}", kind % SEVERITIES));
        accepted[0].contains(&road.as_str()) && accepted[1].contains(&grade.as_str())
    };
    (0..KINDS).filter(stands).collect()
}

/// What is shown, by table and kinds.
fn shown(release: &Release) -> Vec<Sum> {
    let mut shown = Vec::new();
    for (unit, published) in release.protected.published.iter().enumerate() {
        for (cell, figure) in published.figures.iter().enumerate() {
            if matches!(figure, Figure::Shown(_)) {
                shown.push(Sum { unit, kinds: kinds_of(&release.made[unit], cell) });
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

fn secrets(release: &Release) -> Vec<Sum> {
    let cells = release.unsafe_cells().into_iter();
    cells.map(|(unit, cell)| Sum { unit, kinds: kinds_of(&release.made[unit], cell) }).collect()
}

fn worlds() -> impl Iterator<Item = World> {
    let mut state = seed(23);
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as i64
    };
    std::iter::repeat_with(move || {
        std::array::from_fn(|_| {
            let collisions = if draw(3) == 0 { draw(3) } else { 2 + draw(9) };
            (collisions, if collisions == 0 { 0 } else { collisions + draw(3) })
        })
    })
}

#[test]
fn no_count_of_collisions_is_undone_by_the_casualties_nor_the_other_way_round() {
    let (mut attacked, mut refused) = (0, 0);
    for world in worlds().take(30) {
        let Some(release) = release(&world) else {
            refused += 1;
            continue;
        };
        let shown = shown(&release);
        for secret in secrets(&release) {
            attacked += 1;
            assert!(another_fits(&moves(&world), &shown, &secret), "{secret:?} of {world:?} is known from {shown:?}");
        }
    }
    assert!(attacked > 80 && refused < 4, "{attacked} secrets attacked, {refused} releases refused");
}

#[test]
fn every_collision_has_a_casualty_as_the_tables_show_and_the_certificate_says() {
    let release = worlds().find_map(|world| release(&world)).unwrap();
    assert_eq!(protected_together(&release.made), [[0, 1]]);
    for certificate in &release.protected.certificates {
        assert_eq!(certificate.tables, ["collisions", "casualties"]);
        assert_eq!(certificate.every, ["casualties"]);
    }
}
