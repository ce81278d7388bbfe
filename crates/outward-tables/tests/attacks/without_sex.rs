//! Combinations that follow from three tables: all people, those who are men or in one area, and those who are women or in this area. In another area the
//! three tell how many people have no sex, though no table shows sex (K3, P3).

use outward_fixtures::csv::csv_text;
use outward_fixtures::oracle::{Sum, another_fits};
use outward_fixtures::spec::{keys, suppressed, table};
use outward_fixtures::tables::Release;
use outward_tables::Figure;
use outward_testing::random_cases::seed;

const AREAS: [&str; 3] = ["n", "s", "e"];
const SEXES: [&str; 3] = ["F", "M", ""];

/// How many people there are of each area and sex, the sexes fastest.
type People = [usize; 9];

/// One person in area s has no sex.
const PLANTED: People = [4, 8, 0, 9, 11, 1, 13, 6, 3];

fn release(people: &People) -> Option<Release> {
    let with = |sex: &str| format!("where = \"sex = '{sex}' or area = 'e'\"");
    let tables =
        table("all", &["area"], "") + &table("men", &["area"], &with("M")) + &table("women", &["area"], &with("F"));
    let kinds = (0..9).flat_map(|kind| std::iter::repeat_n(kind, people[kind]));
    let records = kinds.map(|kind| [AREAS[kind / 3], SEXES[kind % 3]]);
    Release::from_spec(
        &(suppressed("people.csv") + &keys(&["area"]) + &tables),
        &[&csv_text(&["area", "sex"], records)],
    )
}

/// The kinds of people that a cell of a table counts.
fn kinds(release: &Release, table: usize, cell: usize) -> Vec<usize> {
    let dimension = &release.made[table].table.dimensions[0];
    let node = &dimension.nodes[cell];
    let is_met = |kind: usize| table == 0 || AREAS[kind / 3] == "e" || SEXES[kind % 3] == ["", "M", "F"][table];
    (0..9).filter(|kind| (node.total || node.label == AREAS[kind / 3]) && is_met(*kind)).collect()
}

/// The areas in which the figures shown tell how many people have no sex, of those where these are few. Other people near the true ones are tried.
fn told(people: &People, release: &Release) -> Vec<usize> {
    let mut shown = Vec::new();
    for (table, published) in release.protected.published.iter().enumerate() {
        for (cell, figure) in published.figures.iter().enumerate() {
            let own = kinds(release, table, cell);
            if let Figure::Shown(figure) = figure {
                assert_eq!(*figure, own.iter().map(|kind| people[*kind] as i64).sum::<i64>());
                shown.push(Sum { unit: 0, kinds: own });
            }
        }
    }
    let moves: Vec<Vec<[i64; 2]>> = people
        .iter()
        .map(|count| [0, 1, -1].into_iter().filter(|by| *count as i64 + by >= 0).map(|by| [by, 0]).collect())
        .collect();
    let few = (0..2).filter(|area| (1..=2).contains(&people[area * 3 + 2]));
    few.filter(|area| !another_fits(&moves, &shown, &Sum { unit: 0, kinds: vec![area * 3 + 2] })).collect()
}

#[test]
fn how_many_people_of_an_area_have_no_sex_does_not_follow_from_men_and_women_of_it() {
    let release = release(&PLANTED).unwrap();
    assert!(release.unsafe_cells().is_empty(), "no cell is unsafe by itself");
    assert_eq!(told(&PLANTED, &release), [0; 0]);
}

#[test]
fn in_no_random_areas_it_follows_by_any_sum_of_figures() {
    let mut state = seed(41);
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as usize
    };
    let mut attacked = 0;
    for _ in 0..60 {
        let people: People = std::array::from_fn(|kind| if kind % 3 == 2 { draw(4) } else { 3 + draw(12) });
        let Some(release) = release(&people) else { continue };
        assert_eq!(told(&people, &release), [0; 0], "{people:?}");
        attacked += usize::from((0..2).any(|area| (1..=2).contains(&people[area * 3 + 2])));
    }
    assert!(attacked > 30, "only {attacked} releases had something to hide and could be published");
}
