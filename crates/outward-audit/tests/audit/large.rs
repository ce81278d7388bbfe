//! Large tables, and a crude way to hide cells in them.

use highs::Sense;
use outward_audit::{AuditOptions, Interval, Verdict, audit};
use outward_audit::{Status, System};

use crate::by_solver;
use crate::small::{flat, stream, table};

/// Hides, for each unsafe cell, the box of siblings that hides fewest new cells: crude, but enough to attack.
pub(crate) fn boxes(system: &System) -> Vec<bool> {
    let by_cell = system.by_cell();
    let mut hidden: Vec<bool> = system.cells.iter().map(|cell| cell.status == Status::Unsafe).collect();
    for cell in (0..hidden.len()).filter(|cell| system.cells[*cell].status == Status::Unsafe) {
        let mut corners = vec![vec![0i64]];
        for (equation, by) in &by_cell[cell] {
            let siblings =
                system.terms(*equation as usize).iter().filter(|(other, b)| b == by && *other as usize != cell);
            let steps: Vec<i64> = siblings.map(|(other, _)| i64::from(*other) - cell as i64).collect();
            if *by > 0 {
                let further = |corner: &Vec<i64>, step: &i64| corner.iter().flat_map(|at| [*at, at + step]).collect();
                corners = corners
                    .iter()
                    .flat_map(|corner| steps.iter().map(|s| further(corner, s)).collect::<Vec<_>>())
                    .collect();
            }
        }
        let corners =
            corners.into_iter().map(|c| c.iter().map(|step| (cell as i64 + step) as usize).collect::<Vec<_>>());
        let open = corners
            .filter(|c| c.iter().all(|at| system.cells.get(*at).is_some_and(|cell| cell.status != Status::Frozen)));
        if let Some(best) = open.min_by_key(|c| c.iter().filter(|at| !hidden[**at]).count()) {
            best.into_iter().for_each(|at| hidden[at] = true);
        }
    }
    hidden
}

/// A table of uneven counts that are known to within `room` above; 1 and 2 are unsafe.
fn uneven(rows: usize, columns: usize, room: i64, seed: u64) -> System {
    let mut draw = stream(seed);
    let mut system = table(&[flat(rows), flat(columns)], room, || (draw() % 9) * (draw() % 5) / 2);
    for cell in &mut system.cells {
        match cell.value {
            0 => cell.status = Status::Frozen,
            1..=2 => (cell.status, cell.upper_protection) = (Status::Unsafe, 1),
            _ => {}
        }
    }
    system
}

/// Hides far more than needed, and asks of every unsafe cell what some of them do not have.
fn judged_alike_by_witnesses_and_by_all_ends(mut system: System) {
    let (mut hidden, mut draw) = (boxes(&system), stream(9));
    for (hidden, cell) in hidden.iter_mut().zip(&mut system.cells) {
        *hidden |= draw() % 100 < 40;
        if cell.status == Status::Unsafe {
            (cell.upper_protection, cell.sliding_protection) = (3, 6);
        }
    }
    let unsafe_cells = system.cells.iter().filter(|cell| cell.status == Status::Unsafe).count();
    let quick = audit(&system, &hidden, &AuditOptions::default()).unwrap();
    let exact = audit(&system, &hidden, &AuditOptions { exact_all: true, ..AuditOptions::default() }).unwrap();
    assert!(
        quick.intervals.iter().any(|interval| !interval.exact) && exact.intervals.iter().all(|interval| interval.exact)
    );
    assert!(exact.too_tight > 0 && exact.too_tight < unsafe_cells, "some of both");
    for (quick, exact) in quick.intervals.iter().zip(&exact.intervals) {
        assert_eq!(quick.verdict, exact.verdict, "cell {}", quick.cell);
        assert!(quick.lower >= exact.lower && quick.upper <= exact.upper, "cell {}", quick.cell);
    }
    let few = exact.intervals.iter().filter(|interval| interval.upper - interval.lower > 1).step_by(100);
    for Interval { cell, lower, upper, .. } in few {
        let ends = [Sense::Minimise, Sense::Maximise].map(|sense| by_solver(&system, &hidden, *cell, sense));
        assert_eq!([*lower as f64, *upper as f64], ends.map(f64::round), "cell {cell}");
    }
}

/// Attacked from outside and by everyone who is alone in a cell. Returns how many cells are unsafe and how many hidden.
fn settled_to_the_last_cell(system: &System) -> (usize, usize) {
    let hidden = boxes(system);
    let ones = (0..hidden.len() as u32).filter(|cell| system.cells[*cell as usize].value == 1);
    let alone = ones.map(|cell| vec![cell]).collect();
    let found = audit(system, &hidden, &AuditOptions { alone, ..AuditOptions::default() }).unwrap();
    let protected = found.intervals.iter().filter(|i| i.verdict == Verdict::Protected).count();
    assert_eq!((found.recoverable, found.too_tight), (0, 0));
    assert!(found.intervals.iter().all(|interval| interval.exact));
    (protected, found.intervals.len())
}

#[test]
fn a_large_component_is_judged_alike_by_witnesses_and_by_all_ends() {
    // A cell of 1 is within 0 and 5, which is less than asked for; one of 2 may be within 0 and 6.
    judged_alike_by_witnesses_and_by_all_ends(uneven(40, 40, 4, 1));
}

#[test]
fn a_table_of_boxes_is_settled_to_the_last_cell() {
    let system = uneven(12, 12, 1_000, 2);
    let unsafe_cells = system.cells.iter().filter(|cell| cell.status == Status::Unsafe).count();
    let (protected, hidden) = settled_to_the_last_cell(&system);
    assert!(protected == unsafe_cells && hidden > protected && protected > 10, "{protected} of {hidden}");
}

mod real_data {
    use std::path::Path;

    use outward_audit::jj;
    use outward_testing::real_data;

    use super::*;

    fn read(name: &str) -> System {
        jj::read(&real_data::text(&format!("tables/{name}.jj.gz")), Path::new(name)).unwrap()
    }

    #[test]
    fn the_component_of_the_benchmark_is_judged_alike_by_witnesses_and_by_all_ends() {
        judged_alike_by_witnesses_and_by_all_ends(read("s50x50"));
    }

    #[test]
    fn the_benchmark_tables_are_settled_to_the_last_cell() {
        for (name, unsafe_cells, hidden_cells) in [("s10x10", 12, 22), ("s50x50", 147, 285), ("s20x20x20", 235, 860)] {
            assert_eq!(settled_to_the_last_cell(&read(name)), (unsafe_cells, hidden_cells), "{name}");
        }
    }
}
