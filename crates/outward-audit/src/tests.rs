//! Audits small components as if they were large, and compares with the exact audit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{Audit, AuditOptions, Verdict, audit, audit_with};
use crate::system::{Cell, Status, System};

/// Numbers that are the same in every run.
fn stream(seed: u64) -> impl FnMut(i64) -> i64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64 % below
    }
}

/// A table with all its margins, the last code of each variable being its total.
fn table(parts: &[usize], mut draw: impl FnMut(i64) -> i64) -> System {
    let steps: Vec<usize> = (0..=parts.len()).map(|at| parts[..at].iter().map(|part| part + 1).product()).collect();
    let size = steps[parts.len()];
    let code = |cell: usize, at: usize| cell / steps[at] % (parts[at] + 1);
    let parts_of = |cell: usize, at: usize| {
        let (count, step) = (parts[at], steps[at]);
        (0..count).map(move |part| cell - (count - part) * step)
    };
    let mut values = vec![0; size];
    for cell in 0..size {
        values[cell] = match (0..parts.len()).find(|at| code(cell, *at) == parts[*at]) {
            Some(at) => parts_of(cell, at).map(|part| values[part]).sum(),
            None => draw(6),
        };
    }
    let mut system = System::new(values.into_iter().map(Cell::count).collect(), 1, true);
    for at in 0..parts.len() {
        for cell in (0..size).filter(|cell| code(*cell, at) == parts[at]) {
            let parts: Vec<u32> = parts_of(cell, at).map(|part| part as u32).collect();
            system.add_total(cell as u32, &parts).unwrap();
        }
    }
    system
}

/// Equations with many different coefficients.
fn odd(cells: usize, mut draw: impl FnMut(i64) -> i64) -> System {
    let values: Vec<i64> = (0..cells).map(|_| draw(5)).collect();
    let mut system =
        System::new(values.iter().map(|value| Cell { upper: value + 6, ..Cell::count(*value) }).collect(), 1, true);
    for _ in 0..cells / 3 {
        let weights = (0..cells as u32).map(|cell| (cell, [0, 1, 1, 2, -1, 3, -2][draw(7) as usize]));
        let terms: Vec<(u32, i32)> = weights.filter(|(_, by)| *by != 0).collect();
        let right = terms.iter().map(|(cell, by)| values[*cell as usize] * i64::from(*by)).sum();
        system.add(right, terms).unwrap();
    }
    system
}

/// Intervals of the audit for large components may be narrower than the exact ones, never wider. Verdicts that it
/// reached are the same.
fn agree(large: &Audit, exact: &Audit) -> usize {
    let pairs = large.intervals.iter().zip(&exact.intervals);
    for (large, exact) in pairs.clone().chain(large.virtual_cells.iter().zip(&exact.virtual_cells)) {
        assert!(exact.exact, "cell {} of a small table is not settled", exact.cell);
        assert!(large.lower >= exact.lower && large.upper <= exact.upper, "{large:?} {exact:?}");
        assert!(!large.exact || (large.lower, large.upper) == (exact.lower, exact.upper), "{large:?} {exact:?}");
        if large.verdict != Verdict::Undecided {
            assert_eq!(large.verdict, exact.verdict, "{large:?} {exact:?}");
        }
    }
    pairs.filter(|(large, _)| large.verdict == Verdict::Undecided).count()
}

#[test]
fn a_component_taken_as_large_is_judged_as_by_all_its_ends() {
    let (mut undecided, mut kinds) = (0, [0; 3]);
    // 302: there are integer values beyond a goal but none up to it; 1265: two cells of one class, one with lower
    // protection levels
    for seed in (0..160).chain([302, 1265]) {
        let mut draw = stream(seed);
        let mut system = match seed % 4 {
            0 => table(&[4, 5], &mut draw),
            1 => table(&[3, 3, 3], &mut draw),
            2 => odd(8, &mut draw),
            _ => table(&[2, 6], &mut draw),
        };
        let rounded = seed % 3 == 0;
        let mut choice = AuditOptions::default();
        for (number, cell) in (0..).zip(&mut system.cells) {
            if draw(3) == 0 {
                cell.status = Status::Unsafe;
                if !rounded {
                    (cell.lower_protection, cell.upper_protection) = (draw(2), draw(4));
                    cell.sliding_protection = draw(5);
                }
            }
            if rounded {
                let room = draw(4);
                choice.known.push((number, (cell.value - room).max(0), cell.value + 3 - room));
            }
        }
        let hidden: Vec<bool> = system.cells.iter().map(|_| rounded || draw(100) < 60).collect();
        choice.alone = (0..system.cells.len() as u32).step_by(7).map(|cell| vec![cell]).collect();
        choice.virtual_cells = vec![(vec![(0, 1), (1, 1)], 0, 1)];
        let large = audit_with(&system, &hidden, &choice, 0).unwrap();
        let exact = audit(&system, &hidden, &choice).unwrap();
        let left = agree(&large, &exact);
        undecided += left;
        if left == 0 {
            assert_eq!(large.alone, exact.alone, "seed {seed}");
        }
        for interval in &exact.intervals {
            match interval.verdict {
                Verdict::Protected => kinds[0] += 1,
                Verdict::TooTight => kinds[1] += 1,
                Verdict::Recoverable => kinds[2] += 1,
                Verdict::NotAsked | Verdict::Undecided => {}
            }
        }
    }
    assert_eq!(undecided, 0);
    assert!(kinds.iter().all(|kind| *kind > 80), "{kinds:?}");
}

#[test]
fn four_crossed_variables_taken_as_large_are_judged_alike() {
    let mut protected = 0;
    for seed in 0..60 {
        let mut draw = stream(seed);
        let mut system = table(&[2, 2, 2, 3], &mut draw);
        for cell in &mut system.cells {
            cell.upper = cell.value + 1 + draw(4);
            if draw(4) == 0 {
                cell.status = Status::Unsafe;
                cell.upper_protection = draw(3);
            }
        }
        let hidden: Vec<bool> = system.cells.iter().map(|_| draw(100) < 75).collect();
        let choice = AuditOptions { virtual_cells: vec![(vec![(0, 1), (4, -1)], 0, 1)], ..AuditOptions::default() };
        let exact = audit(&system, &hidden, &choice).unwrap();
        assert_eq!(agree(&audit_with(&system, &hidden, &choice, 0).unwrap(), &exact), 0, "seed {seed}");
        protected += exact.intervals.iter().filter(|interval| interval.verdict == Verdict::Protected).count();
    }
    assert!(protected > 200, "{protected}");
}

#[test]
fn magnitudes_taken_as_large_are_judged_alike() {
    for seed in 0..60 {
        let mut draw = stream(seed);
        let mut system = table(&[4, 4], |_| 1 + draw(1_000_000_000_000));
        system.counts = false;
        for cell in &mut system.cells {
            let share = cell.value / 10;
            if draw(3) == 0 {
                cell.status = Status::Unsafe;
                (cell.lower_protection, cell.upper_protection) = (share, share);
            }
            (cell.lower, cell.upper) = (cell.value / 2, cell.value * 3 / 2);
        }
        let hidden: Vec<bool> = system.cells.iter().map(|_| draw(100) < 70).collect();
        let exact = audit(&system, &hidden, &AuditOptions::default()).unwrap();
        assert_eq!(agree(&audit_with(&system, &hidden, &AuditOptions::default(), 0).unwrap(), &exact), 0);
    }
}

#[test]
fn counts_that_nothing_bounds_do_not_keep_the_audit_walking() {
    let mut endless = 0;
    for seed in 0..12 {
        let mut draw = stream(seed);
        let mut system = odd(8, &mut draw);
        system.cells.iter_mut().for_each(|cell| cell.upper = i64::MAX);
        let found = audit(&system, &[true; 8], &AuditOptions::default()).unwrap();
        endless += found.intervals.iter().filter(|interval| interval.upper == i64::MAX).count();
    }
    assert!(endless > 20, "{endless}");
}

#[test]
fn counts_that_can_only_rise_in_turn_are_seen_to_have_no_largest_value() {
    // Any two of the three counts sum to at most one, so each can be a half if fractions are allowed. Cells 6 and 7
    // differ by at most one and can rise together without limit. Cell 9 is three times each of the first three plus
    // these two.
    let count = Cell::count;
    let near = Cell { lower: -1, upper: 1, ..count(0) };
    let cells = vec![count(0), count(0), count(0), count(1), count(1), count(1), count(5), count(5), near, count(10)];
    let mut system = System::new(cells, 1, true);
    for (one, other, left) in [(0, 1, 3), (1, 2, 4), (0, 2, 5)] {
        system.add(1, [(one, 1), (other, 1), (left, 1)]).unwrap();
    }
    system.add(0, [(6, 1), (7, -1), (8, -1)]).unwrap();
    system.add(0, [(0, 3), (1, 3), (2, 3), (6, 1), (7, 1), (9, -1)]).unwrap();
    let audit = audit(&system, &[true; 10], &AuditOptions { exact_all: true, ..AuditOptions::default() }).unwrap();
    let found = audit.intervals.iter().find(|found| found.cell == 9).unwrap();
    assert_eq!((found.lower, found.upper, found.exact), (0, i64::MAX, true));
}
