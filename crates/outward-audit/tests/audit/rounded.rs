//! Tables as they are after rounding: every cell in doubt, each known to within the base.

use outward_audit::AuditOptions;
use outward_audit::{Status, System};
use outward_suppress::round::{conventional, interval, random};

/// Marks the cells of 1 or 2 as unsafe, and gives what an attacker knows once the table is rounded: at random with chances
/// from `draw`, or to the nearest multiple.
pub(crate) fn rounded(system: &mut System, base: i64, nearest: bool, mut draw: impl FnMut() -> i64) -> AuditOptions {
    let mut known = Vec::new();
    for (number, cell) in (0..).zip(&mut system.cells) {
        (cell.lower, cell.upper) = (0, i64::MAX);
        if (1..=2).contains(&cell.value) {
            cell.status = Status::Unsafe;
        }
        let (lower, upper) = if nearest {
            let value = conventional(cell.value, base);
            ((value - base / 2).max(0), value + (base - 1) / 2)
        } else {
            interval(random(cell.value, base, (draw() % 1000) as f64 / 1000.0), base, 0)
        };
        known.push((number, lower, upper));
    }
    AuditOptions { known, ..AuditOptions::default() }
}

/// The same attacker as a system whose cells have these bounds.
pub(crate) fn bounded(system: &System, choice: &AuditOptions) -> System {
    let mut bounded = system.clone();
    for (cell, lower, upper) in &choice.known {
        let cell = &mut bounded.cells[*cell as usize];
        (cell.lower, cell.upper) = (*lower, *upper);
    }
    bounded
}
