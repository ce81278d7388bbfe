//! Sparse tables in which many variables cross.

use outward_audit::audit;
use outward_audit::{Cell, Status};
use outward_suppress::suppress::{SuppressionOptions, suppress};

use crate::sparse::{Sparse, table};

/// Five variables, the last with two levels.
fn five_variables() -> Sparse {
    table(&[&[2], &[2], &[3], &[3], &[2, 3]], 0.3, 1)
}

#[test]
fn a_sparse_table_of_five_variables_is_protected_with_bounded_work() {
    let Sparse { system, alone } = five_variables();
    let unsafe_cells = system.cells.iter().filter(|cell| cell.status == Status::Unsafe).count();
    assert!(system.cells.len() > 1000 && unsafe_cells > 200 && alone.len() > 20);
    let choice = SuppressionOptions { work: 1_000_000, exact_limit: 0, alone, ..SuppressionOptions::default() };
    let pattern = suppress(&system, &choice).unwrap();
    // The first choice took less than ten thousand steps for each unsafe cell, and improvement stopped when told to.
    let most = choice.work + 10_000 * unsafe_cells as u64;
    assert!(pattern.steps <= most, "{} steps", pattern.steps);
    let attack = outward_audit::AuditOptions { alone: choice.alone.clone(), ..outward_audit::AuditOptions::default() };
    assert!(audit(&system, &pattern.hidden, &attack).unwrap().holds());
    let nonzero = system.cells.iter().filter(|cell| cell.status == Status::Open).count();
    assert!(pattern.secondary.len() < nonzero, "{} of {nonzero}", pattern.secondary.len());
    assert_eq!(pattern, suppress(&system, &choice).unwrap());
}

#[test]
fn more_work_hides_no_more_cells_of_five_variables() {
    let Sparse { system, .. } = five_variables();
    let hidden = |work: u64| {
        let choice = SuppressionOptions { work, exact_limit: 0, ..SuppressionOptions::default() };
        suppress(&system, &choice).unwrap().secondary.len()
    };
    assert!(hidden(2_000_000) < hidden(0));
}

#[test]
fn a_frozen_total_that_five_variables_need_is_named() {
    let Sparse { mut system, alone } = five_variables();
    let stuck = system.cells.iter().position(|cell| cell.status == Status::Unsafe).unwrap();
    let places = system.by_cell();
    let (equation, _) = places[stuck][0];
    let line: Vec<u32> = system.terms(equation as usize).iter().map(|(cell, _)| *cell).collect();
    for cell in line.iter().filter(|cell| **cell as usize != stuck) {
        let Cell { value, .. } = system.cells[*cell as usize];
        system.cells[*cell as usize] = Cell { status: Status::Frozen, ..Cell::count(value) };
    }
    let error =
        suppress(&system, &SuppressionOptions { alone, ..SuppressionOptions::default() }).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cell {stuck} cannot be protected while cell")), "{error}");
    let named = error.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).skip(1);
    assert!(named.clone().count() > 0 && named.clone().any(|cell: u32| line.contains(&cell)), "{error}");
}
