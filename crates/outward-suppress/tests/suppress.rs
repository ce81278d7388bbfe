//! Suppression against an attacker who tries every table, and against every pattern.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "suppress/brute.rs"]
mod brute;
#[path = "suppress/crossed.rs"]
mod crossed;
#[path = "suppress/make.rs"]
mod make;
#[path = "suppress/real_data.rs"]
mod real_data;
#[path = "suppress/sparse.rs"]
mod sparse;

use make::{Dice, flat, grouped, linked, mark, overlapping, table};
use outward_audit::{Cell, Inside, Outside, Status, System};
use outward_suppress::suppress::{Cost, Failure, Pattern, SuppressionOptions, VirtualCell, suppress};
use outward_testing::random_cases::seeds;

fn shapes(dice: &mut Dice) -> Vec<System> {
    let mut count = || [0, 1, 1, 2, 2, 3, 4, 5][dice.below(8) as usize];
    vec![
        table(&[flat(2), flat(3)], &mut count),
        table(&[grouped(), flat(2)], &mut count),
        table(&[flat(2), flat(2), flat(2)], &mut count),
        linked(&mut count),
    ]
}

/// Hides all that may be hidden.
fn everything(system: &System) -> Vec<bool> {
    system.cells.iter().map(|cell| cell.status != Status::Frozen).collect()
}

fn assert_lawful(system: &System, pattern: &Pattern) {
    for (number, (cell, hidden)) in system.cells.iter().zip(&pattern.hidden).enumerate() {
        assert!(*hidden || !cell.must_hide());
        assert!(!*hidden || cell.status != Status::Frozen);
        assert_eq!(pattern.secondary.contains(&(number as u32)), *hidden && !cell.must_hide());
    }
}

fn hold_against_brute_force(choice: impl Fn(&System, &mut Dice) -> SuppressionOptions, times: u64) {
    hold_shapes_against_brute_force(shapes, choice, times);
}

fn hold_shapes_against_brute_force(
    shapes: impl Fn(&mut Dice) -> Vec<System>,
    choice: impl Fn(&System, &mut Dice) -> SuppressionOptions,
    times: u64,
) {
    let (mut protected, mut refused) = (0, 0);
    for seed in seeds(times) {
        let mut dice = Dice(seed);
        for mut system in shapes(&mut dice) {
            mark(&mut system, &mut dice);
            let choice = choice(&system, &mut dice);
            match suppress(&system, &choice) {
                Ok(pattern) => {
                    assert_lawful(&system, &pattern);
                    assert!(brute::protected(&system, &pattern.hidden, &choice), "seed {seed}: {system:?} {pattern:?}");
                    protected += 1;
                }
                Err(error) => {
                    assert!(matches!(error, Failure::Unprotectable(_)), "{error}");
                    let all = everything(&system);
                    assert!(!brute::protected(&system, &all, &choice), "seed {seed}: {error} {system:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(protected > times && refused > 0, "{protected} {refused}");
}

/// Three people who are in some cells with others, and are to be kept from some of them less than others are.
fn contributors(system: &System, dice: &mut Dice) -> SuppressionOptions {
    let mut choice = SuppressionOptions::default();
    for (cell, of) in (0..).zip(&system.cells).filter(|(_, of)| of.value > 1) {
        for person in 0..3 {
            if dice.below(3) == 0 {
                let rest = dice.below(of.value as u64) as i64;
                let up = if dice.below(2) == 0 { i64::MAX } else { 1 };
                choice.inside.push(Inside { cell, person, rest, up, down: up.min(rest) });
            }
        }
        if dice.below(2) == 0 {
            choice.outside.push(Outside { cell, up: 1, down: dice.below(2) as i64 });
        }
    }
    choice
}

#[test]
fn no_contributor_learns_more_of_an_unsafe_cell_than_they_may() {
    hold_against_brute_force(|system, dice| SuppressionOptions { exact_limit: 0, ..contributors(system, dice) }, 40);
    hold_against_brute_force(contributors, 25);
}

#[test]
fn groupings_that_overlap_betray_no_unsafe_cell() {
    let shapes = |dice: &mut Dice| {
        let mut count = || [0, 1, 1, 2, 2, 3, 4, 5][dice.below(8) as usize];
        (0..3).map(|_| table(&[overlapping(), flat(2)], &mut count)).collect()
    };
    hold_shapes_against_brute_force(
        shapes,
        |_, _| SuppressionOptions { exact_limit: 0, ..SuppressionOptions::default() },
        30,
    );
}

#[test]
fn no_table_of_whole_numbers_betrays_an_unsafe_cell_whichever_way_the_pattern_was_found() {
    hold_against_brute_force(|_, _| SuppressionOptions { exact_limit: 0, ..SuppressionOptions::default() }, 40);
    hold_against_brute_force(|_, _| SuppressionOptions { cost: Cost::AsGiven, ..SuppressionOptions::default() }, 15);
}

#[test]
fn lone_contributors_and_virtual_cells_are_held_against_brute_force_too() {
    let choice = |limit: usize| {
        move |system: &System, dice: &mut Dice| {
            let unsafe_cells =
                (0..system.cells.len() as u32).filter(|c| system.cells[*c as usize].status == Status::Unsafe);
            let alone = unsafe_cells.filter(|_| dice.below(2) == 0).map(|cell| vec![cell]).collect();
            let first = dice.below(system.cells.len() as u64 - 1) as u32;
            let terms = vec![(first, 1), (first + 1, if dice.below(2) == 0 { 1 } else { -1 })];
            let virtual_cell = VirtualCell {
                terms,
                lower_protection: 0,
                upper_protection: dice.below(2) as i64,
                sliding_protection: 0,
            };
            let virtual_cells = if dice.below(2) == 0 { vec![virtual_cell] } else { Vec::new() };
            SuppressionOptions { exact_limit: limit, alone, virtual_cells, ..SuppressionOptions::default() }
        }
    };
    hold_against_brute_force(choice(0), 20);
    hold_against_brute_force(choice(250), 10);
}

/// What hiding a cell costs.
fn price(cell: &Cell, cost: Cost) -> i64 {
    match cost {
        Cost::AsGiven => cell.cost,
        Cost::ByOne => 1,
        Cost::ByValue => cell.value,
    }
}

#[test]
fn each_cost_is_smallest_when_it_is_what_is_made_small() {
    const COSTS: [Cost; 3] = [Cost::AsGiven, Cost::ByOne, Cost::ByValue];
    for exact_limit in [0, 250] {
        let mut sums = [[0; 3]; 3];
        for seed in 0..60 {
            let mut dice = Dice(seed);
            let mut count = || 1 + [0, 0, 1, 3, 6, 9, 14, 20][dice.below(8) as usize];
            let mut system = table(&[flat(4), flat(4)], &mut count);
            for cell in &mut system.cells {
                cell.cost = 1 + dice.below(30) as i64;
                if cell.value == 1 {
                    *cell = Cell { status: Status::Unsafe, lower_protection: 1, upper_protection: 1, ..*cell };
                }
            }
            let patterns = COSTS.map(|cost| {
                suppress(&system, &SuppressionOptions { cost, exact_limit, ..SuppressionOptions::default() })
            });
            for (made_small, pattern) in patterns.iter().enumerate() {
                let secondary = &pattern.as_ref().unwrap().secondary;
                for (of, cost) in COSTS.into_iter().enumerate() {
                    let spent: i64 = secondary.iter().map(|cell| price(&system.cells[*cell as usize], cost)).sum();
                    sums[of][made_small] += spent;
                }
            }
        }
        for (of, spent) in sums.iter().enumerate() {
            let others = (0..3).filter(|made_small| *made_small != of);
            assert!(others.map(|other| spent[other]).all(|other| spent[of] < other), "{exact_limit} {sums:?}");
        }
    }
}

#[test]
fn small_systems_get_the_cheapest_of_all_patterns() {
    let mut proven = 0;
    for seed in seeds(40) {
        let mut dice = Dice(seed);
        let mut count = || [0, 1, 1, 2, 3, 4][dice.below(6) as usize];
        let mut system = table(&[flat(2), flat(if seed % 2 == 0 { 2 } else { 3 })], &mut count);
        mark(&mut system, &mut dice);
        for cost in [Cost::AsGiven, Cost::ByOne, Cost::ByValue] {
            let choice = SuppressionOptions { cost, ..SuppressionOptions::default() };
            let Ok(pattern) = suppress(&system, &choice) else { continue };
            let price = |cell: &Cell| price(cell, cost);
            let open: Vec<usize> =
                (0..system.cells.len()).filter(|c| system.cells[*c].status == Status::Open).collect();
            let ours: i64 = pattern.secondary.iter().map(|cell| price(&system.cells[*cell as usize])).sum();
            assert!(pattern.proven_optimal);
            proven += 1;
            for chosen in 0_u32..1 << open.len() {
                let picked: Vec<usize> =
                    (0..open.len()).filter(|at| chosen >> at & 1 == 1).map(|at| open[at]).collect();
                if picked.iter().map(|cell| price(&system.cells[*cell])).sum::<i64>() < ours {
                    let mut hidden: Vec<bool> = system.cells.iter().map(Cell::must_hide).collect();
                    picked.iter().for_each(|cell| hidden[*cell] = true);
                    assert!(
                        !brute::protected(&system, &hidden, &choice),
                        "seed {seed} {cost:?}: {picked:?} {system:?}"
                    );
                }
            }
        }
    }
    assert!(proven > 60, "{proven}");
}

/// The benchmark asks the same of tables that no solver proves (`real_data`).
#[test]
fn patterns_found_step_by_step_cost_little_more_than_the_cheapest_of_all() {
    let (mut found, mut cheapest) = (0, 0);
    for seed in 0..12 {
        let mut dice = Dice(seed);
        let mut count = || [0, 1, 2, 3, 5, 8, 13, 21][dice.below(8) as usize];
        let mut system = table(&[flat(5), flat(5)], &mut count);
        for cell in &mut system.cells {
            match cell.value {
                0 => cell.status = Status::Frozen,
                1..=2 => (cell.status, cell.upper_protection) = (Status::Unsafe, 1),
                _ => {}
            }
        }
        let cells = |exact_limit| {
            let choice = SuppressionOptions { cost: Cost::ByOne, exact_limit, ..SuppressionOptions::default() };
            let pattern = suppress(&system, &choice).unwrap();
            assert!(exact_limit == 0 || pattern.proven_optimal);
            pattern.secondary.len()
        };
        found += cells(0);
        cheapest += cells(250);
    }
    println!("{found} cells, {cheapest} at least");
    assert!(cheapest > 20 && found >= cheapest && 10 * found <= 11 * cheapest, "{found} {cheapest}");
}

#[test]
fn two_cells_that_can_only_be_one_are_not_a_protection() {
    // 15 = 10 + 3 + x + x where both are known to be 1 at least: whole numbers leave no doubt.
    let mut cells: Vec<Cell> = [10, 3, 1, 1, 15].map(Cell::count).to_vec();
    for x in [2, 3] {
        cells[x] = Cell { status: Status::Unsafe, lower: 1, ..cells[x] };
    }
    let mut system = System::new(cells, 1, true);
    system.add_total(4, &[0, 1, 2, 3]).unwrap();
    for exact_limit in [0, 250] {
        let pattern = suppress(&system, &SuppressionOptions { exact_limit, ..SuppressionOptions::default() }).unwrap();
        assert_eq!(pattern.secondary, [1]);
    }
}

/// Two rows of four and their totals; (A, X2) and (A, X4) are unsafe, as in the example of the Handbook.
fn singleton_example() -> System {
    let mut values = vec![52, 15, 62, 17, 146, 24, 18, 31, 8, 81];
    values.extend((0..5).map(|column| values[column] + values[column + 5]).collect::<Vec<i64>>());
    let mut system = System::new(values.into_iter().map(Cell::count).collect(), 1, true);
    for row in [0, 5, 10] {
        system.add_total(row + 4, &[row, row + 1, row + 2, row + 3]).unwrap();
    }
    for column in 0..5 {
        system.add_total(column + 10, &[column, column + 5]).unwrap();
    }
    for cell in [1, 3] {
        system.cells[cell] =
            Cell { status: Status::Unsafe, upper_protection: 1, lower_protection: 1, ..system.cells[cell] };
    }
    system
}

#[test]
fn two_unsafe_cells_of_a_row_do_not_protect_each_other_from_one_who_knows_his_own() {
    let system = singleton_example();
    let in_row = |pattern: &Pattern| pattern.hidden[..4].iter().filter(|hidden| **hidden).count();
    assert_eq!(in_row(&suppress(&system, &SuppressionOptions::default()).unwrap()), 2);
    for exact_limit in [0, 250] {
        let alone = suppress(
            &system,
            &SuppressionOptions { exact_limit, alone: vec![vec![1]], ..SuppressionOptions::default() },
        )
        .unwrap();
        assert!(in_row(&alone) >= 3);
        let terms = vec![(1, 1), (3, 1)];
        let sum = VirtualCell { terms, lower_protection: 0, upper_protection: 1, sliding_protection: 0 };
        let choice = SuppressionOptions { exact_limit, virtual_cells: vec![sum], ..SuppressionOptions::default() };
        assert!(in_row(&suppress(&system, &choice).unwrap()) >= 3);
    }
}

#[test]
fn frozen_cells_that_stand_in_the_way_are_named() {
    let mut system = singleton_example();
    system.cells[3].status = Status::Open;
    for cell in [0, 2, 3, 4] {
        system.cells[cell].status = Status::Frozen;
    }
    let error = suppress(&system, &SuppressionOptions::default()).unwrap_err().to_string();
    assert!(error.contains("cell 1 cannot be protected while cell "), "{error}");
    let named: u32 = error.split("while cell ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!([0, 2, 3, 4].contains(&named), "{error}");
    system.cells[named as usize].status = Status::Open;
    suppress(&system, &SuppressionOptions::default()).unwrap();
}

#[test]
fn what_no_hiding_can_protect_is_said() {
    let mut system = singleton_example();
    system.cells[1].upper_protection = 1000;
    system.cells.iter_mut().for_each(|cell| cell.upper = cell.value + 5);
    let error = suppress(&system, &SuppressionOptions::default()).unwrap_err().to_string();
    assert_eq!(error, "cell 1 cannot be protected, whatever is hidden");
}

#[test]
fn cells_hidden_already_are_used_first() {
    let mut system = singleton_example();
    system.cells[3].status = Status::Open;
    for cell in [2, 6, 7] {
        system.cells[cell].status = Status::Hidden;
    }
    assert!(suppress(&system, &SuppressionOptions::default()).unwrap().secondary.is_empty());
}
