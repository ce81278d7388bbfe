//! Small tables of every kind, and the attacker who tries all values.

use outward_audit::{Cell, Status, System};

/// A variable of a table: how many codes it has, and which are sums of which.
pub(crate) struct Axis {
    codes: usize,
    totals: Vec<(usize, Vec<usize>)>,
}

/// Codes `0..parts` and their total.
pub(crate) fn flat(parts: usize) -> Axis {
    Axis { codes: parts + 1, totals: vec![(parts, (0..parts).collect())] }
}

/// Four codes in two groups of two, and a total.
pub(crate) fn grouped() -> Axis {
    Axis { codes: 7, totals: vec![(4, vec![0, 1]), (5, vec![2, 3]), (6, vec![4, 5])] }
}

/// The table of some variables, with inner cells drawn from `draw`, all margins, and cells bounded at `room` above.
pub(crate) fn table(axes: &[Axis], room: i64, mut draw: impl FnMut() -> i64) -> System {
    let size: usize = axes.iter().map(|axis| axis.codes).product();
    let code = |cell: usize, at: usize| {
        let before: usize = axes[..at].iter().map(|axis| axis.codes).product();
        (cell / before) % axes[at].codes
    };
    let with = |cell: usize, at: usize, new: usize| {
        let before: usize = axes[..at].iter().map(|axis| axis.codes).product();
        cell - code(cell, at) * before + new * before
    };
    let mut value = vec![0; size];
    for (cell, value) in value.iter_mut().enumerate() {
        if (0..axes.len()).all(|at| axes[at].totals.iter().all(|(total, _)| *total != code(cell, at))) {
            *value = draw();
        }
    }
    let mut sums = Vec::new();
    for (at, axis) in axes.iter().enumerate() {
        for (total, parts) in &axis.totals {
            for cell in (0..size).filter(|cell| code(*cell, at) == *total) {
                let parts: Vec<usize> = parts.iter().map(|part| with(cell, at, *part)).collect();
                value[cell] = parts.iter().map(|part| value[*part]).sum();
                sums.push((cell, parts));
            }
        }
    }
    let cells = value.iter().map(|value| Cell { upper: value + room, ..Cell::count(*value) }).collect();
    let mut system = System::new(cells, 1, true);
    for (total, parts) in sums {
        system.add_total(total as u32, &parts.iter().map(|part| *part as u32).collect::<Vec<_>>()).unwrap();
    }
    system
}

/// Two tables that share their rows: cells 0.. of a table of rows by columns, and a split of every row in two.
pub(crate) fn linked(rows: usize, columns: usize, room: i64, mut draw: impl FnMut() -> i64) -> System {
    let mut system = table(&[flat(columns), flat(rows)], room, &mut draw);
    let width = columns + 1;
    let first = system.cells.len();
    for row in 0..=rows {
        let total = system.cells[row * width + columns].value;
        let one =
            if row < rows { draw().min(total) } else { (0..rows).map(|r| system.cells[first + 2 * r].value).sum() };
        for value in [one, total - one] {
            system.cells.push(Cell { upper: value + room, ..Cell::count(value) });
        }
    }
    for row in 0..=rows {
        let parts = [(first + 2 * row) as u32, (first + 2 * row + 1) as u32];
        system.add_total((row * width + columns) as u32, &parts).unwrap();
    }
    for side in 0..2 {
        let parts: Vec<u32> = (0..rows).map(|row| (first + 2 * row + side) as u32).collect();
        system.add_total((first + 2 * rows + side) as u32, &parts).unwrap();
    }
    system
}

/// Cells with equations of odd coefficients, where ends without whole numbers are fractions.
pub(crate) fn odd(cells: usize, room: i64, mut draw: impl FnMut() -> i64) -> System {
    let cells: Vec<Cell> = (0..cells).map(|_| draw() % 5).map(|v| Cell { upper: v + room, ..Cell::count(v) }).collect();
    let mut system = System::new(cells.clone(), 1, true);
    for _ in 0..cells.len() / 3 + 1 {
        let by = [0, 0, 1, 1, 2, -1, 3, -2];
        let terms: Vec<(u32, i32)> =
            (0..cells.len() as u32).map(|cell| (cell, by[draw() as usize % by.len()])).collect();
        let terms: Vec<(u32, i32)> = terms.into_iter().filter(|(_, by)| *by != 0).collect();
        let right = terms.iter().map(|(cell, by)| cells[*cell as usize].value * i64::from(*by)).sum();
        system.add(right, terms).unwrap();
    }
    system
}

/// The least and largest value of every cell over all tables that agree with what is published.
pub(crate) fn try_all(system: &System, hidden: &[bool]) -> Vec<(i64, i64)> {
    let unknown = |cell: usize| hidden[cell] || system.cells[cell].status == Status::Unpublished;
    let mut values: Vec<Option<i64>> =
        system.cells.iter().enumerate().map(|(at, cell)| (!unknown(at)).then_some(cell.value)).collect();
    let mut ends: Vec<(i64, i64)> = system.cells.iter().map(|cell| (cell.value, cell.value)).collect();
    fill(system, &mut values, &mut ends);
    ends
}

fn fill(system: &System, values: &mut Vec<Option<i64>>, ends: &mut [(i64, i64)]) {
    let mut forced = None;
    for equation in 0..system.equations() {
        let (mut left, mut open) = (system.right(equation), None);
        let mut missing = 0;
        for (cell, by) in system.terms(equation) {
            match values[*cell as usize] {
                Some(value) => left -= value * i64::from(*by),
                None => {
                    missing += 1;
                    open = Some((*cell as usize, i64::from(*by)));
                }
            }
        }
        match open {
            None if left != 0 => return,
            Some((_, by)) if missing == 1 && left % by != 0 => return,
            Some((cell, by)) if missing == 1 => forced = Some((cell, left / by)),
            _ => {}
        }
    }
    let (cell, from, to) = match forced {
        Some((cell, value)) => (cell, value, value),
        None => match values.iter().position(Option::is_none) {
            Some(cell) => (cell, system.cells[cell].lower, system.cells[cell].upper),
            None => {
                for (end, value) in ends.iter_mut().zip(values.iter()) {
                    *end = (end.0.min(value.unwrap()), end.1.max(value.unwrap()));
                }
                return;
            }
        },
    };
    for value in from.max(system.cells[cell].lower)..=to.min(system.cells[cell].upper) {
        values[cell] = Some(value);
        fill(system, values, ends);
    }
    values[cell] = None;
}

/// A stream of small numbers from a seed.
pub(crate) fn stream(seed: u64) -> impl FnMut() -> i64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64
    }
}

/// Hides about `share` in a hundred cells, at most `most`; some are unsafe, some in no table.
pub(crate) fn hide(system: &mut System, share: i64, most: usize, mut draw: impl FnMut() -> i64) -> Vec<bool> {
    let mut hidden = vec![false; system.cells.len()];
    let mut unknown = 0;
    for (hidden, cell) in hidden.iter_mut().zip(&mut system.cells) {
        *hidden = draw() % 100 < share && unknown < most;
        if !*hidden {
            continue;
        }
        unknown += 1;
        match draw() % 6 {
            0..=2 => {
                cell.status = Status::Unsafe;
                (cell.lower_protection, cell.upper_protection) = (draw() % 2, draw() % 3);
                cell.sliding_protection = draw() % 3;
            }
            3 => {
                cell.status = Status::Unpublished;
                *hidden = draw() % 2 == 0;
            }
            _ => {}
        }
        cell.lower = (draw() % 2).min(cell.value);
    }
    hidden
}
