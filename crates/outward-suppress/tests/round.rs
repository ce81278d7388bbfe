//! What rounding promises: sums kept, cells beside their values, zeros and multiples in place, no bias, the best found.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "round/tables.rs"]
mod tables;

use outward_audit::{Cell, Status, System};
use outward_suppress::round::{
    Controlled, Rounded, RoundingQuality, controlled, conventional, interval, minimum_base, random,
};
use outward_testing::random_cases::seeds;
use proptest::prelude::*;
use tables::{Chance, table, table_of};

/// What every result must be, whatever made it, by code of its own.
fn check(system: &System, rounded: &Rounded, choice: &Controlled) {
    let base = choice.base;
    for equation in 0..system.equations() {
        let sum: i64 =
            system.terms(equation).iter().map(|(cell, by)| rounded.values[*cell as usize] * i64::from(*by)).sum();
        assert_eq!(sum, system.right(equation), "equation {equation}");
    }
    assert!(rounded.additive);
    let mut distance = 0;
    let mut apart = Vec::new();
    for (at, (cell, value)) in system.cells.iter().zip(&rounded.values).enumerate() {
        assert_eq!(value.rem_euclid(base), 0);
        assert!(cell.value != 0 || *value == 0, "zero moved");
        assert!(cell.value < 0 || *value >= 0, "a count became negative");
        if cell.status == Status::Unpublished {
            continue;
        }
        distance += (value - cell.value).abs();
        let below = cell.value.div_euclid(base) * base;
        let above = below + if cell.value == below { 0 } else { base };
        if *value != below && *value != above {
            apart.push(at as u32);
        }
        let (low, high) = interval(*value, base, rounded.steps);
        assert!(cell.value < 0 || (low <= cell.value && cell.value <= high), "the true value is not possible");
    }
    assert_eq!((distance, &apart), (rounded.distance, &rounded.apart));
    assert_eq!(apart.is_empty(), matches!(rounded.method, RoundingQuality::Optimal | RoundingQuality::Feasible));
}

/// Two tables of the same areas that share their margins and nothing else, and a third with a margin of both.
fn linked(areas: usize, mean: f64, seed: u64) -> System {
    let mut chance = Chance(seed);
    let mut cells = Vec::new();
    let mut sums = Vec::new();
    let mut new = |value: i64| {
        cells.push(Cell::count(value));
        cells.len() as u32 - 1
    };
    let mut rows = Vec::new();
    for _ in 0..areas {
        let people: Vec<(usize, usize)> = (0..chance.count(8.0 * mean))
            .map(|_| ((chance.unit() * 4.0) as usize, (chance.unit() * 3.0) as usize))
            .collect();
        let total = new(people.len() as i64);
        let ages: Vec<u32> = (0..4).map(|age| new(people.iter().filter(|who| who.0 == age).count() as i64)).collect();
        let jobs: Vec<u32> = (0..3).map(|job| new(people.iter().filter(|who| who.1 == job).count() as i64)).collect();
        sums.push((total, ages.clone()));
        sums.push((total, jobs.clone()));
        rows.push([vec![total], ages, jobs].concat());
    }
    for column in 0..8 {
        let parts: Vec<u32> = rows.iter().map(|row| row[column]).collect();
        let value = parts.iter().map(|part| cells[*part as usize].value).sum();
        cells.push(Cell::count(value));
        sums.push((cells.len() as u32 - 1, parts));
    }
    let mut system = System::new(cells, 1, true);
    for (total, parts) in sums {
        system.add_total(total, &parts).unwrap();
    }
    system
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn sums_hold_and_cells_stay_beside_their_values(
        shape in 0usize..8, base in 2i64..12, mean in 0.3f64..9.0, seed in any::<u64>(),
    ) {
        let system = match shape {
            0 => table(&[&[5], &[4]], mean, seed),
            1 => table(&[&[3, 3], &[4]], mean, seed),
            2 => table(&[&[3], &[3], &[3]], mean, seed),
            3 => table(&[&[3, 2], &[2, 2], &[2]], mean, seed),
            4 => table(&[&[2], &[2], &[2], &[2]], mean, seed),
            5 => linked(6, mean, seed),
            6 => table(&[&[3, 3], &[2, 2]], mean, seed),
            _ => table(&[&[12]], mean, seed),
        };
        let choice = Controlled::to(base);
        let rounded = controlled(&system, &choice).unwrap();
        check(&system, &rounded, &choice);
        if shape < 2 || shape == 7 {
            // A table of two variables, one of them with a hierarchy, is a network: an adjacent rounding always exists.
            prop_assert_eq!(rounded.method, RoundingQuality::Optimal);
        }
    }

    #[test]
    fn slices_and_search_promise_the_same(base in 3i64..11, mean in 0.5f64..6.0, seed in any::<u64>()) {
        let system = table(&[&[4, 3], &[2, 2], &[2]], mean, seed);
        let choice = Controlled { whole: 80, ..Controlled::to(base) };
        check(&system, &controlled(&system, &choice).unwrap(), &choice);
        let choice = Controlled { whole: 0, steps: 9, ..Controlled::to(base) };
        check(&system, &controlled(&system, &choice).unwrap(), &choice);
    }

    #[test]
    fn random_rounding_is_unbiased_with_the_known_variance(value in 0i64..500, base in 2i64..20) {
        let keys = base * 50;
        let rounded: Vec<i64> = (0..keys).map(|key| random(value, base, (key as f64 + 0.5) / keys as f64)).collect();
        let rest = value % base;
        prop_assert_eq!(rounded.iter().sum::<i64>(), value * keys);
        prop_assert_eq!(rounded.iter().map(|r| (r - value).pow(2)).sum::<i64>(), rest * (base - rest) * keys);
        prop_assert!(rounded.iter().all(|r| r % base == 0 && (r - value).abs() < base));
    }
}

/// The least distance over all adjacent roundings, by trying them all.
fn by_trying(system: &System, base: i64) -> Option<i64> {
    let free: Vec<usize> = (0..system.cells.len()).filter(|cell| system.cells[*cell].value % base != 0).collect();
    assert!(free.len() < 24);
    let mut values: Vec<i64> = system.cells.iter().map(|cell| cell.value / base * base).collect();
    let floors = values.clone();
    let mut best = None;
    for choice in 0u32..1 << free.len() {
        for (bit, cell) in free.iter().enumerate() {
            values[*cell] = floors[*cell] + if choice >> bit & 1 == 1 { base } else { 0 };
        }
        let holds = |equation: usize| {
            system.terms(equation).iter().map(|(cell, by)| values[*cell as usize] * i64::from(*by)).sum::<i64>() == 0
        };
        if (0..system.equations()).all(holds) {
            let distance = system.cells.iter().zip(&values).map(|(cell, value)| (cell.value - value).abs()).sum();
            best = Some(best.map_or(distance, |best: i64| best.min(distance)));
        }
    }
    best
}

#[test]
fn the_optimum_is_that_of_trying_every_rounding() {
    for seed in seeds(24) {
        let system = match seed % 3 {
            0 => table(&[&[2], &[3]], 3.0, seed),
            1 => table(&[&[2, 2], &[2]], 2.0, seed),
            _ => table(&[&[2], &[2], &[1]], 4.0, seed),
        };
        let rounded = controlled(&system, &Controlled::to(5)).unwrap();
        assert_eq!(Some(rounded.distance), by_trying(&system, 5), "table {seed}");
        assert_eq!(rounded.method, RoundingQuality::Optimal);
    }
}

#[test]
fn a_table_without_adjacent_rounding_is_rounded_in_steps() {
    // Two by two by three, base 3: found by search, and none of the 4,096 ways to round the inner cells will do.
    let counts = [8, 0, 3, 0, 5, 5, 3, 4, 2, 1, 6, 1];
    let mut left = counts.to_vec();
    let system = table_of(&[&[2], &[2], &[3]], || left.pop().unwrap());
    let any_way = (0u32..1 << counts.len()).any(|ways| {
        let mut cell = counts.len();
        let rounded = table_of(&[&[2], &[2], &[3]], || {
            cell -= 1;
            let (floor, rest) = (counts[cell] / 3 * 3, counts[cell] % 3);
            floor + if rest > 0 && ways >> cell & 1 == 1 { 3 } else { 0 }
        });
        let beside = |(old, new): (&Cell, &Cell)| (old.value - new.value).abs() < 3;
        system.cells.iter().zip(&rounded.cells).all(beside)
    });
    assert!(!any_way);
    let choice = Controlled::to(3);
    let rounded = controlled(&system, &choice).unwrap();
    assert_eq!(rounded.method, RoundingQuality::Steps(1));
    assert!(!rounded.apart.is_empty());
    check(&system, &rounded, &choice);
    let choice = Controlled { steps: 0, ..choice };
    let rounded = controlled(&system, &choice).unwrap();
    assert_eq!(rounded.method, RoundingQuality::Heuristic);
    check(&system, &rounded, &choice);
}

#[test]
fn a_nested_table_of_nine_thousand_cells_is_rounded_to_the_proven_optimum() {
    let system = table(&[&[8, 56], &[4], &[3]], 2.0, 1);
    assert_eq!(system.cells.len(), 9_140);
    let choice = Controlled::to(5);
    let rounded = controlled(&system, &choice).unwrap();
    assert_eq!(rounded.method, RoundingQuality::Optimal);
    check(&system, &rounded, &choice);
}

/// Areas in three or four levels by age in two and sex, as a census publishes them.
fn census(levels: &[usize]) -> System {
    table(&[levels, &[5, 4], &[2]], 2.0, 1)
}

#[test]
fn a_family_of_many_areas_is_rounded_area_by_area() {
    let system = census(&[10, 20]);
    let choice = Controlled { whole: 4_000, ..Controlled::to(5) };
    let rounded = controlled(&system, &choice).unwrap();
    assert_eq!(rounded.method, RoundingQuality::Feasible);
    check(&system, &rounded, &choice);
}

#[test]
fn every_run_gives_the_same() {
    let system = table(&[&[4, 3], &[3], &[3]], 3.0, 5);
    for whole in [9_000, 100, 0] {
        let choice = Controlled { whole, ..Controlled::to(5) };
        assert_eq!(controlled(&system, &choice).unwrap(), controlled(&system, &choice).unwrap());
    }
}

#[test]
fn unpublished_cells_keep_sums_but_cost_nothing() {
    // 1 + 1 + 1 = 3 and 2 + 3 = 5 by base 5: with the parts unseen, only the totals count.
    let mut cells: Vec<Cell> = [3, 1, 1, 1].into_iter().map(Cell::count).collect();
    for part in &mut cells[1..] {
        part.status = Status::Unpublished;
    }
    let mut system = System::new(cells, 1, true);
    system.add_total(0, &[1, 2, 3]).unwrap();
    let rounded = controlled(&system, &Controlled::to(5)).unwrap();
    assert_eq!((rounded.values[0], rounded.distance, rounded.additive), (5, 2, true));
}

#[test]
fn a_constant_that_is_no_multiple_is_refused() {
    let mut system = System::new(vec![Cell::count(3), Cell::count(4)], 1, true);
    system.add(7, [(0, 1), (1, 1)]).unwrap();
    assert!(controlled(&system, &Controlled::to(5)).unwrap_err().to_string().contains("equation 1"));
    assert!(controlled(&system, &Controlled::to(7)).is_ok());
    assert!(controlled(&system, &Controlled::to(1)).is_err());
}

#[test]
fn the_base_must_reach_the_threshold() {
    assert!(minimum_base(5, 5).is_ok() && minimum_base(10, 3).is_ok());
    assert!(minimum_base(3, 5).unwrap_err().help().unwrap().contains('5'));
    assert!(minimum_base(1, 0).is_err() && minimum_base(-5, 0).is_err());
}

#[test]
fn conventional_rounding_goes_to_the_nearest() {
    assert_eq!([0, 2, 3, 5, 7, 8].map(|value| conventional(value, 5)), [0, 0, 5, 5, 5, 10]);
    assert_eq!([1, 2, 3].map(|value| conventional(value, 4)), [0, 4, 4]);
    assert_eq!([-2, -3].map(|value| conventional(value, 5)), [0, -5]);
}

#[test]
fn the_interval_holds_exactly_the_values_that_could_have_been() {
    for base in [3i64, 5] {
        for steps in 0u32..3 {
            for rounded in (0..8).map(|times| times * base) {
                let far = i64::from(steps) * base;
                let possible: Vec<i64> = (0i64..100)
                    .filter(|value| {
                        let floor = value / base * base;
                        let high = floor + far + if value % base == 0 { 0 } else { base };
                        if *value == 0 { rounded == 0 } else { (floor - far).max(0) <= rounded && rounded <= high }
                    })
                    .collect();
                let (low, high) = interval(rounded, base, steps);
                // A multiple itself moves by whole bases, so that the ends are reached by the values beside it.
                assert_eq!((possible[0], *possible.last().unwrap()), (low, high), "{rounded} {base} {steps}");
            }
        }
    }
}
