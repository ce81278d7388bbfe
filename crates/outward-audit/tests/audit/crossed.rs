//! Tables of five crossed variables, where no fewer than 32 cells can make each other good.

use highs::Sense;
use outward_audit::{Audit, AuditOptions, Verdict, audit};
use outward_audit::{Status, System};
use outward_suppress::suppress::{self, suppress};

use crate::by_solver;
use crate::small::{Axis, flat, grouped, stream, table};

/// A table in which the inner cells of 1 and 2 are unsafe and nobody doubts a zero; and the cells of one person.
fn crossed(axes: &[Axis], seed: u64) -> (System, Vec<Vec<u32>>) {
    let mut draw = stream(seed);
    let mut system = table(axes, 40, || if draw() % 12 == 0 { 0 } else { 1 + draw() % 9 });
    let places = system.by_cell();
    let mut alone = Vec::new();
    for (number, cell) in system.cells.iter_mut().enumerate() {
        let total = places[number].iter().any(|(_, by)| *by < 0);
        match cell.value {
            0 => cell.status = Status::Frozen,
            1..=2 if !total => {
                cell.status = Status::Unsafe;
                (cell.lower_protection, cell.upper_protection) = (1, 1);
                if cell.value == 1 {
                    alone.push(vec![number as u32]);
                }
            }
            _ => {}
        }
    }
    (system, alone)
}

/// What the solver says of every so many cells of one verdict must be what the audit says of them.
fn solver_agrees(system: &System, hidden: &[bool], found: &Audit, verdict: Verdict, every: usize) {
    let judged = found.intervals.iter().filter(|found| found.verdict == verdict);
    for interval in judged.step_by(every) {
        let end = |sense| by_solver(system, hidden, interval.cell, sense).round() as i64;
        let (least, most) = (end(Sense::Minimise), end(Sense::Maximise));
        assert!(least <= interval.lower && interval.upper <= most, "{interval:?} beyond {least} to {most}");
        assert!(!interval.exact || (least, most) == (interval.lower, interval.upper), "{interval:?}");
        let value = system.cells[interval.cell as usize].value;
        let ends = match (least < value && value < most, least == most) {
            (true, _) => Verdict::Protected,
            (_, true) => Verdict::Recoverable,
            _ => Verdict::TooTight,
        };
        assert_eq!(verdict, ends, "{interval:?}");
    }
}

/// A pattern that protects all of it.
fn pattern(system: &System, alone: &[Vec<u32>]) -> Vec<bool> {
    let choice =
        suppress::SuppressionOptions { work: 100_000, exact_limit: 0, alone: alone.to_vec(), ..Default::default() };
    suppress(system, &choice).unwrap().hidden
}

#[test]
fn five_crossed_variables_are_shown_protected_by_other_tables_alone() {
    for last in [flat(6), grouped()] {
        let (system, alone) = crossed(&[flat(4), flat(4), flat(4), flat(5), last], 3);
        let (hidden, people) = (pattern(&system, &alone), alone.len());
        let found = audit(&system, &hidden, &AuditOptions { alone, ..AuditOptions::default() }).unwrap();
        assert!(system.cells.len() > 5000 && people > 100 && found.work.largest > 1000, "{:?}", found.work);
        assert!(found.holds() && found.alone.len() == people);
        assert_eq!((found.work.linear, found.work.integer), (0, 0), "nothing had to be solved");
        solver_agrees(&system, &hidden, &found, Verdict::Protected, 200);
    }
}

#[test]
fn corners_that_are_published_give_cells_of_five_variables_away() {
    let (system, _) = crossed(&[flat(3), flat(4), flat(4), flat(5), flat(5)], 3);
    let mut hidden = pattern(&system, &[]);
    let corners = (0..hidden.len()).filter(|at| hidden[*at] && system.cells[*at].status == Status::Open);
    corners.step_by(40).collect::<Vec<_>>().into_iter().for_each(|at| hidden[at] = false);
    let found = audit(&system, &hidden, &AuditOptions::default()).unwrap();
    assert!(found.recoverable > 5, "{} recoverable", found.recoverable);
    solver_agrees(&system, &hidden, &found, Verdict::Recoverable, 3);
    solver_agrees(&system, &hidden, &found, Verdict::Protected, 200);
}
