//! An attacker without cleverness: every table of whole numbers that agrees with what is published.

use outward_audit::{Status, System};
use outward_suppress::suppress::SuppressionOptions;

/// What an attacker looks for: a sum of cells, and how far its interval must reach below, above and in width.
struct Target {
    sum: Vec<(u32, i32)>,
    least: (i64, i64, i64),
    cell: Option<u32>,
}

/// Whether everything that must be protected is, against the public and each contributor.
pub(crate) fn protected(system: &System, hidden: &[bool], choice: &SuppressionOptions) -> bool {
    let mut targets: Vec<Target> = Vec::new();
    for (number, cell) in system.cells.iter().enumerate() {
        if cell.status == Status::Unsafe {
            let least = (cell.lower_protection, cell.upper_protection, cell.sliding_protection.max(1));
            targets.push(Target { sum: vec![(number as u32, 1)], least, cell: Some(number as u32) });
        }
    }
    for cell in &choice.virtual_cells {
        let least = (cell.lower_protection, cell.upper_protection, cell.sliding_protection.max(1));
        targets.push(Target { sum: cell.terms.clone(), least, cell: None });
    }
    let people = choice.inside.iter().map(|inside| inside.person as usize + 1).max().unwrap_or(0);
    out_of_reach(system, hidden, &[], &targets)
        && (0..people.max(choice.alone.len())).all(|person| {
            let own: &[u32] = choice.alone.get(person).map_or(&[], Vec::as_slice);
            let inside = |cell: u32| choice.inside.iter().find(|of| (of.cell, of.person) == (cell, person as u32));
            let mut seen = system.clone();
            for (number, cell) in seen.cells.iter_mut().enumerate() {
                cell.lower = inside(number as u32).map_or(cell.lower, |of| cell.lower.max(cell.value - of.rest));
            }
            let asked = targets.iter().filter_map(|target| {
                let cell = target.cell.filter(|cell| !own.contains(cell))?;
                let outside = choice.outside.iter().find(|of| of.cell == cell).map(|of| (of.up, of.down));
                let most = inside(cell).map(|of| (of.up, of.down)).or(outside).unwrap_or((i64::MAX, i64::MAX));
                let (below, above, width) = target.least;
                let least = (below.min(most.1), above.min(most.0), width.min(most.0.saturating_add(most.1)));
                Some(Target { sum: target.sum.clone(), least, cell: target.cell })
            });
            out_of_reach(&seen, hidden, own, &asked.collect::<Vec<_>>())
        })
}

fn out_of_reach(system: &System, hidden: &[bool], known: &[u32], targets: &[Target]) -> bool {
    let mut values: Vec<Option<i64>> = system
        .cells
        .iter()
        .enumerate()
        .map(|(number, cell)| (!hidden[number] || known.contains(&(number as u32))).then_some(cell.value))
        .collect();
    let add = |target: &Target, value: &dyn Fn(u32) -> i64| -> i64 {
        target.sum.iter().map(|(cell, by)| value(*cell) * i64::from(*by)).sum()
    };
    let truth: Vec<i64> = targets.iter().map(|target| add(target, &|cell| system.cells[cell as usize].value)).collect();
    let mut ranges: Vec<(i64, i64)> = truth.iter().map(|truth| (*truth, *truth)).collect();
    let satisfied = |ranges: &[(i64, i64)]| {
        targets.iter().zip(&truth).zip(ranges).all(|((target, truth), (low, high))| {
            let (below, above, width) = target.least;
            truth - low >= below && high - truth >= above && high - low >= width
        })
    };
    if satisfied(&ranges) {
        return true;
    }
    every_table(system, &mut values, &mut |table: &[i64]| {
        for (target, range) in targets.iter().zip(&mut ranges) {
            let value = add(target, &|cell| table[cell as usize]);
            *range = (range.0.min(value), range.1.max(value));
        }
        satisfied(&ranges)
    })
}

/// Goes through all tables that complete `values`, until `stop` says so; whether it did.
fn every_table(system: &System, values: &mut Vec<Option<i64>>, stop: &mut dyn FnMut(&[i64]) -> bool) -> bool {
    let mut forced = None;
    for equation in 0..system.equations() {
        let terms = system.terms(equation);
        let unknown: Vec<_> = terms.iter().filter(|(cell, _)| values[*cell as usize].is_none()).collect();
        let known: i64 = terms.iter().map(|(cell, by)| values[*cell as usize].unwrap_or(0) * i64::from(*by)).sum();
        let rest = system.right(equation) - known;
        match unknown[..] {
            [] if rest != 0 => return false,
            [(_, by)] if rest % i64::from(*by) != 0 => return false,
            [(cell, by)] => forced = Some((*cell as usize, rest / i64::from(*by))),
            _ => {}
        }
    }
    let (cell, range) = match forced {
        Some((cell, value)) => (cell, value..=value),
        None => match values.iter().position(Option::is_none) {
            Some(cell) => (cell, system.cells[cell].lower..=system.cells[cell].upper),
            None => {
                let table: Vec<i64> = values.iter().map(|value| value.unwrap_or(0)).collect();
                return stop(&table);
            }
        },
    };
    for value in range {
        if value < system.cells[cell].lower || value > system.cells[cell].upper {
            continue;
        }
        values[cell] = Some(value);
        let stopped = every_table(system, values, stop);
        values[cell] = None;
        if stopped {
            return true;
        }
    }
    false
}
