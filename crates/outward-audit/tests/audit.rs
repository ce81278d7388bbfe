//! The audit against an attacker who simply tries every table.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "audit/crossed.rs"]
mod crossed;
#[path = "audit/large.rs"]
mod large;
#[path = "audit/rounded.rs"]
mod rounded;
#[path = "audit/small.rs"]
mod small;

use highs::{ColProblem, Sense};
use outward_audit::{Audit, AuditOptions, Certificate, Interval, Verdict, audit, recheck};
use outward_audit::{Cell, Inside, Status, System};
use outward_testing::random_cases::seeds;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rounded::{bounded, rounded};
use small::{flat, grouped, hide, linked, odd, stream, table, try_all};

/// What the audit says must be what trying all tables says.
fn agrees(system: &System, hidden: &[bool], found: &Audit) {
    let ends = try_all(system, hidden);
    for interval in &found.intervals {
        let (cell, end) = (&system.cells[interval.cell as usize], ends[interval.cell as usize]);
        assert!(interval.exact, "cell {} of a small table is not settled", interval.cell);
        assert_eq!((interval.lower, interval.upper), end, "cell {}", interval.cell);
        let enough = end.1 >= cell.value + cell.upper_protection
            && end.0 <= cell.value - cell.lower_protection
            && end.1 - end.0 >= cell.sliding_protection.max(1);
        let verdict = match (cell.status, enough) {
            (Status::Unsafe, true) => Verdict::Protected,
            (Status::Unsafe, false) if end.0 == end.1 => Verdict::Recoverable,
            (Status::Unsafe, false) => Verdict::TooTight,
            _ => Verdict::NotAsked,
        };
        assert_eq!(interval.verdict, verdict, "cell {}", interval.cell);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..ProptestConfig::default() })]

    #[test]
    fn intervals_are_those_of_all_tables_that_fit(seed in any::<u64>(), kind in 0..5, share in 30i64..90) {
        let mut draw = stream(seed);
        let mut system = match kind {
            0 => table(&[flat(3), flat(4)], 3, || draw() % 5),
            1 => table(&[grouped(), flat(2)], 3, || draw() % 5),
            2 => table(&[flat(2), flat(2), flat(2)], 3, || draw() % 5),
            3 => linked(3, 2, 3, || draw() % 5),
            _ => odd(7, 4, draw),
        };
        let hidden = hide(&mut system, share, 10, stream(seed ^ 77));
        let found = audit(&system, &hidden, &AuditOptions::default()).unwrap();
        agrees(&system, &hidden, &found);
        prop_assert_eq!(&found, &audit(&system, &hidden, &AuditOptions::default()).unwrap());
        if kind == 0 || kind == 1 {
            system.counts = false;
            agrees(&system, &hidden, &audit(&system, &hidden, &AuditOptions::default()).unwrap());
        }
    }

    #[test]
    fn a_contributor_sees_that_a_cell_is_no_less_than_what_is_theirs(seed in any::<u64>(), kind in 0..3) {
        let mut draw = stream(seed);
        let mut small = || draw() % 5;
        let mut system = match kind {
            0 => table(&[flat(3), flat(3)], 3, &mut small),
            1 => table(&[flat(2), flat(2), flat(2)], 3, &mut small),
            _ => linked(3, 2, 3, &mut small),
        };
        let hidden = hide(&mut system, 70, 10, stream(seed ^ 79));
        let mut dice = stream(seed ^ 80);
        let own: Vec<(usize, i64)> = (0..hidden.len())
            .filter(|cell| hidden[*cell] && system.cells[*cell].value > 0 && dice() % 2 == 0)
            .map(|cell| (cell, system.cells[cell].value / 2))
            .collect();
        let inside = |(cell, rest): &(usize, i64)| {
            Inside { cell: *cell as u32, person: 0, rest: *rest, up: i64::MAX, down: i64::MAX }
        };
        let choice = AuditOptions { inside: own.iter().map(inside).collect(), ..AuditOptions::default() };
        let found = audit(&system, &hidden, &choice).unwrap();
        for (cell, rest) in own {
            system.cells[cell].lower = system.cells[cell].value - rest;
        }
        let then = audit(&system, &hidden, &AuditOptions::default()).unwrap();
        agrees(&system, &hidden, &then);
        let protected = |cell: u32| found.intervals.iter().any(|i| i.cell == cell && i.verdict == Verdict::Protected);
        let lost = |verdict| then.intervals.iter().filter(|i| i.verdict == verdict && protected(i.cell)).count();
        let learned: (usize, usize) = found
            .alone
            .iter()
            .fold((0, 0), |sum, alone| (sum.0 + alone.recoverable, sum.1 + alone.too_tight));
        prop_assert_eq!(learned, (lost(Verdict::Recoverable), lost(Verdict::TooTight)));
    }

    #[test]
    fn a_contributor_who_knows_one_cell_sees_it_as_published(seed in any::<u64>(), kind in 0..3) {
        let mut draw = stream(seed);
        let mut small = || draw() % 5;
        let mut system = match kind {
            0 => table(&[flat(3), flat(3)], 3, &mut small),
            1 => table(&[flat(2), flat(2), flat(2)], 3, &mut small),
            _ => linked(3, 2, 3, &mut small),
        };
        let hidden = hide(&mut system, 70, 10, stream(seed ^ 78));
        let own = hidden.iter().position(|hidden| *hidden).unwrap_or(0);
        let found = audit(&system, &hidden, &AuditOptions { alone: vec![vec![own as u32]], ..AuditOptions::default() }).unwrap();
        let mut fewer = hidden.clone();
        fewer[own] = false;
        system.cells[own].status = Status::Open;
        let then = audit(&system, &fewer, &AuditOptions::default()).unwrap();
        agrees(&system, &fewer, &then);
        let protected = |cell: u32| found.intervals.iter().any(|i| i.cell == cell && i.verdict == Verdict::Protected);
        let lost = |verdict| then.intervals.iter().filter(|i| i.verdict == verdict && protected(i.cell)).count();
        let alone: (usize, usize) = found.alone.first().map_or((0, 0), |alone| (alone.recoverable, alone.too_tight));
        prop_assert_eq!(alone, (lost(Verdict::Recoverable), lost(Verdict::TooTight)));
    }
}

#[test]
fn a_rounding_leaves_the_values_of_all_tables_that_round_alike() {
    for seed in seeds(60) {
        let mut draw = stream(seed);
        let mut system = if seed % 2 == 0 {
            table(&[flat(2), flat(3)], 3, || draw() % 4)
        } else {
            table(&[flat(2), flat(2)], 3, || draw() % 7)
        };
        let choice = rounded(&mut system, 3, seed % 3 == 0, stream(seed ^ 5));
        let hidden = vec![true; system.cells.len()];
        let found = audit(&system, &hidden, &choice).unwrap();
        agrees(&bounded(&system, &choice), &hidden, &found);
    }
}

#[test]
fn every_cell_of_a_large_rounded_table_is_audited() {
    let mut draw = stream(4);
    let mut system = table(&[flat(18), flat(18), flat(18)], 3, || (draw() % 4) * (draw() % 3));
    let choice = rounded(&mut system, 5, false, stream(6));
    let asked = system.cells.iter().filter(|cell| cell.status == Status::Unsafe).count();
    let found = audit(&system, &vec![true; system.cells.len()], &choice).unwrap();
    assert!(found.holds() && found.work.largest > 6000 && asked > 1200, "{asked} unsafe, {:?}", found.work);
    assert_eq!(found.intervals.iter().filter(|interval| interval.verdict == Verdict::Protected).count(), asked);
    for (interval, (_, lower, upper)) in found.intervals.iter().zip(&choice.known) {
        assert!(interval.lower >= *lower && interval.upper <= *upper, "cell {}", interval.cell);
    }
    assert_eq!(found, audit(&system, &vec![true; system.cells.len()], &choice).unwrap());
}

#[test]
fn a_large_table_rounded_to_nearest_gives_away_what_its_totals_give_away() {
    // three of 2 show as 0, so that each is at most 2, and their total of 6 as 5: whoever knows besides that it is above 5 has them all
    let mut draw = stream(8);
    let mut system = table(&[flat(40), flat(40)], 3, || 3 + draw() % 40);
    let first = system.cells.len() as u32;
    let all = system.cells[first as usize - 1].value + 6;
    system.cells.extend([2, 2, 2].map(|value| Cell { status: Status::Unsafe, ..Cell::count(value) }));
    system.cells.extend([6, all].map(Cell::count));
    system.add_total(first + 3, &[first, first + 1, first + 2]).unwrap();
    system.add_total(first + 4, &[first - 1, first + 3]).unwrap();
    let mut choice = rounded(&mut system, 5, true, || 0);
    let hidden = vec![true; system.cells.len()];
    let found = audit(&system, &hidden, &choice).unwrap();
    assert!(found.holds());
    choice.known[first as usize + 3] = (first + 3, 6, 7);
    assert_eq!(audit(&system, &hidden, &choice).unwrap().recoverable, 3);
}

#[test]
fn a_hidden_cell_known_exactly_is_as_good_as_published() {
    for seed in seeds(40) {
        let mut draw = stream(seed);
        let mut system = table(&[grouped(), flat(3)], 4, || draw() % 5);
        let mut hidden = hide(&mut system, 70, 14, stream(seed ^ 79));
        let known: Vec<usize> = (0..hidden.len())
            .filter(|at| hidden[*at] && at % 3 == 0 && system.cells[*at].status == Status::Open)
            .collect();
        // bounds of cells that are published say nothing new, and none that does
        let exactly = |at: &usize| (*at as u32, system.cells[*at].value, system.cells[*at].value);
        let published = (0..hidden.len()).filter(|at| !hidden[*at] && system.cells[*at].status == Status::Open);
        let bounds: Vec<(u32, i64, i64)> = known.iter().copied().chain(published).map(|at| exactly(&at)).collect();
        let told = audit(&system, &hidden, &AuditOptions { known: bounds, ..AuditOptions::default() }).unwrap();
        known.iter().for_each(|at| hidden[*at] = false);
        let shown = audit(&system, &hidden, &AuditOptions::default()).unwrap();
        agrees(&system, &hidden, &shown);
        let rest: Vec<Interval> =
            told.intervals.iter().filter(|found| !known.contains(&(found.cell as usize))).copied().collect();
        assert_eq!(rest, shown.intervals, "seed {seed}");
    }
}

#[test]
fn hundreds_of_lone_contributors_are_each_an_attacker() {
    let mut draw = stream(12);
    let mut system = table(&[flat(120), flat(60)], 1000, || (draw() % 5) * (draw() % 4));
    let mut hidden = Vec::new();
    for cell in &mut system.cells {
        hidden.push((1..=2).contains(&cell.value) || cell.value > 0 && draw() % 100 < 12);
        if (1..=2).contains(&cell.value) {
            cell.status = Status::Unsafe;
        }
    }
    let singles: Vec<u32> = (0..hidden.len() as u32).filter(|cell| system.cells[*cell as usize].value == 1).collect();
    let alone = singles.iter().map(|cell| vec![*cell]).collect();
    let found = audit(&system, &hidden, &AuditOptions { alone, ..AuditOptions::default() }).unwrap();
    assert!(found.work.largest > 1000 && found.alone.len() > 300, "{:?}", found.work);
    for learned in found.alone.iter().step_by(60) {
        let at = learned.cell as usize;
        hidden[at] = false;
        system.cells[at].status = Status::Open;
        let then = audit(&system, &hidden, &AuditOptions::default()).unwrap();
        assert_eq!((learned.recoverable, learned.too_tight), (then.recoverable, then.too_tight), "cell {at}");
        hidden[at] = true;
        system.cells[at].status = Status::Unsafe;
    }
}

/// The row of a table, its total last, with the cells named hidden and unsafe.
fn row(values: &[i64], hide: &[usize]) -> (System, Vec<bool>) {
    let mut cells: Vec<Cell> = values.iter().map(|value| Cell::count(*value)).collect();
    hide.iter().for_each(|at| cells[*at].status = Status::Unsafe);
    let hidden = (0..cells.len()).map(|at| hide.contains(&at)).collect();
    let last = cells.len() as u32 - 1;
    let mut system = System::new(cells, 1, true);
    system.add_total(last, &(0..last).collect::<Vec<_>>()).unwrap();
    (system, hidden)
}

#[test]
fn fifteen_less_ten_and_three_is_one_and_one_to_who_knows_that_neither_is_nothing() {
    let (system, hidden) = row(&[10, 3, 1, 1, 15], &[2, 3]);
    let ignorant = audit(&system, &hidden, &AuditOptions::default()).unwrap();
    assert_eq!((ignorant.recoverable, ignorant.intervals[0].lower, ignorant.intervals[0].upper), (0, 0, 2));
    let known = vec![(2, 1, 4), (3, 1, 4)];
    let found = audit(&system, &hidden, &AuditOptions { known, ..AuditOptions::default() }).unwrap();
    assert_eq!(found.recoverable, 2);
    assert!(!found.holds());
}

#[test]
fn whole_numbers_betray_what_fractions_would_not() {
    // a + b + c = 2·d with b = c known to move together: an odd sum is not possible
    let cells = vec![
        Cell { status: Status::Unsafe, upper: 3, lower: 2, ..Cell::count(2) },
        Cell { upper: 5, ..Cell::count(3) },
        Cell { upper: 9, ..Cell::count(4) },
    ];
    let mut system = System::new(cells, 1, true);
    system.add(0, [(0, 1), (1, 2), (2, -2)]).unwrap();
    let found = audit(&system, &[true; 3], &AuditOptions::default()).unwrap();
    assert_eq!((found.recoverable, found.work.integer > 0), (1, true));
    system.counts = false;
    assert_eq!(audit(&system, &[true; 3], &AuditOptions::default()).unwrap().recoverable, 0);
}

#[test]
fn a_secondary_taken_away_is_caught() {
    let mut draw = stream(5);
    let mut system = table(&[flat(4), flat(4)], 1000, || 1 + draw() % 9);
    let mut hidden = vec![false; system.cells.len()];
    for cell in [0, 2, 5, 7] {
        hidden[cell] = true;
    }
    (system.cells[0].status, system.cells[0].upper_protection) = (Status::Unsafe, 1);
    assert!(audit(&system, &hidden, &AuditOptions::default()).unwrap().holds());
    for cell in [2, 5, 7] {
        hidden[cell] = false;
        assert_eq!(audit(&system, &hidden, &AuditOptions::default()).unwrap().recoverable, 1);
        hidden[cell] = true;
    }
    hidden[0] = false;
    let found = audit(&system, &hidden, &AuditOptions::default()).unwrap();
    assert_eq!((found.recoverable, found.holds()), (1, false), "an unsafe cell that is published");
}

#[test]
fn tables_safe_alone_are_not_safe_together() {
    // two rows of two cells with totals; each table hides a square, the second adds the sum of one hidden diagonal
    let mut system = table(&[flat(2), flat(2)], 1000, || 4);
    system.cells[0].status = Status::Unsafe;
    let mut hidden = vec![false; 9];
    for cell in [0, 1, 3, 4] {
        hidden[cell] = true;
    }
    assert!(audit(&system, &hidden, &AuditOptions::default()).unwrap().holds());
    let diagonal = system.cells.len() as u32;
    system.cells.push(Cell::count(8));
    system.add_total(diagonal, &[0, 4]).unwrap();
    hidden.push(false);
    assert_eq!(audit(&system, &hidden, &AuditOptions::default()).unwrap().recoverable, 1);
}

#[test]
fn the_only_contributor_to_a_cell_finds_its_neighbour() {
    // 52, 15, 62, 17 of 146: whoever is the 15 works out the 17, and only a third hidden cell helps
    let (mut system, mut hidden) = row(&[52, 15, 62, 17, 146], &[1, 3]);
    let choice = AuditOptions { alone: vec![vec![1]], ..AuditOptions::default() };
    let found = audit(&system, &hidden, &choice).unwrap();
    assert_eq!((found.recoverable, found.alone[0].recoverable, found.holds()), (0, 1, false));
    let sum = AuditOptions { virtual_cells: vec![(vec![(1, 1), (3, 1)], 0, 1)], ..AuditOptions::default() };
    assert_eq!(audit(&system, &hidden, &sum).unwrap().virtual_cells[0].verdict, Verdict::Recoverable);
    hidden[0] = true;
    assert!(audit(&system, &hidden, &choice).unwrap().holds());
    assert!(audit(&system, &hidden, &sum).unwrap().holds());
    system.cells[0].upper = 52;
    system.cells[0].lower = 52;
    assert!(!audit(&system, &hidden, &choice).unwrap().holds());
}

#[test]
fn magnitudes_beyond_floating_point_are_still_exact() {
    let big = 1_000_000_000_000_007;
    let (mut system, hidden) = row(&[big, 3, big + 1, 2 * big + 4], &[0, 1]);
    system.counts = false;
    system.cells[1].upper_protection = 1;
    system.cells[0].lower = big - 5;
    let found = audit(&system, &hidden, &AuditOptions::default()).unwrap();
    assert_eq!((found.intervals[0].lower, found.intervals[0].upper), (big - 5, big + 3));
    assert_eq!((found.intervals[1].lower, found.intervals[1].upper), (0, 8));
    assert!(found.holds());
}

#[test]
fn a_cell_that_nothing_bounds_has_no_end() {
    let mut system = table(&[flat(2)], 5, || 3);
    system.cells.iter_mut().for_each(|cell| cell.upper = i64::MAX);
    let found = audit(&system, &[true, false, true], &AuditOptions::default()).unwrap();
    assert_eq!((found.intervals[0].lower, found.intervals[0].upper), (0, i64::MAX));
    assert_eq!((found.intervals[1].lower, found.intervals[1].upper), (3, i64::MAX));
    assert!(found.intervals.iter().all(|interval| interval.exact));
}

#[test]
fn wrong_patterns_and_bounds_are_refused() {
    let (system, hidden) = row(&[10, 3, 1, 1, 15], &[2, 3]);
    assert!(audit(&system, &hidden[1..], &AuditOptions::default()).is_err());
    for known in [vec![(2, 2, 4)], vec![(99, 0, 4)]] {
        assert!(audit(&system, &hidden, &AuditOptions { known, ..AuditOptions::default() }).is_err());
    }
    for terms in [vec![(99, 1)], vec![(1, 1), (1, 1)]] {
        assert!(
            audit(&system, &hidden, &AuditOptions { virtual_cells: vec![(terms, 0, 0)], ..AuditOptions::default() })
                .is_err()
        );
    }
}

#[test]
fn a_certificate_is_found_again_and_a_false_one_is_not() {
    let (system, mut hidden) = row(&[52, 15, 62, 17, 146], &[1, 3]);
    let choice = AuditOptions {
        alone: vec![vec![1]],
        virtual_cells: vec![(vec![(1, 1), (3, 1)], 0, 1)],
        ..AuditOptions::default()
    };
    let found = audit(&system, &hidden, &choice).unwrap();
    let written =
        toml::to_string(&Certificate::new(&system, &choice, &found, |cell| format!("A, X{}", cell + 1))).unwrap();
    let certificate: Certificate = toml::from_str(&written).unwrap();
    assert_eq!(recheck(&system, &hidden, &certificate).unwrap(), Vec::<String>::new());
    let mut wider = certificate.clone();
    wider.cells[0].upper = Some(33);
    assert_eq!(recheck(&system, &hidden, &wider).unwrap(), ["A, X2: another interval"]);
    hidden[0] = true;
    assert!(recheck(&system, &hidden, &certificate).unwrap().len() > 2);
}

#[test]
fn weights_too_large_for_exact_fractions_go_to_the_solver() {
    let mut draw = stream(3);
    let cells: Vec<Cell> =
        (0..6).map(|_| draw() % 3).map(|value| Cell { upper: value + 2, ..Cell::count(value) }).collect();
    let mut system = System::new(cells.clone(), 1, true);
    for _ in 0..3 {
        // cells 0 and 1 always weigh the same, so that one may stand for the other
        let weight = 1_000_000 + (draw() % 1_000_000) as i32;
        let mut terms = vec![(0, weight), (1, weight)];
        terms.extend((2..6).map(|cell| (cell, 1_000_000 + (draw() % 1_000_000) as i32)));
        let right = terms.iter().map(|(cell, by)| cells[*cell as usize].value * i64::from(*by)).sum();
        system.add(right, terms).unwrap();
    }
    let found = audit(&system, &[true; 6], &AuditOptions::default()).unwrap();
    assert!(found.work.integer > found.work.linear);
    agrees(&system, &[true; 6], &found);
    assert!(found.intervals[0].upper > found.intervals[0].lower);
}

/// The least or largest value of a cell by a solver that is told everything and nothing is taken from it.
fn by_solver(system: &System, hidden: &[bool], cell: u32, sense: Sense) -> f64 {
    let mut problem = ColProblem::new();
    let rows: Vec<_> =
        (0..system.equations()).map(|at| problem.add_row(system.right(at) as f64..=system.right(at) as f64)).collect();
    for (at, equations) in system.by_cell().iter().enumerate() {
        let found = &system.cells[at];
        let (lower, upper) = if hidden[at] { (found.lower, found.upper) } else { (found.value, found.value) };
        let terms: Vec<_> = equations.iter().map(|(equation, by)| (rows[*equation as usize], f64::from(*by))).collect();
        problem.add_column(f64::from(u8::from(at as u32 == cell)), lower as f64..=upper as f64, terms);
    }
    let mut model = problem.optimise(sense);
    model.set_option("threads", 1);
    model.solve().objective_value()
}
