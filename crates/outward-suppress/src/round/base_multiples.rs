//! A system in multiples of the base: each cell between two multiples, and the equations of the moves.

use super::Error;
use outward_audit::{Status, System};
use outward_spec::Result;

/// A system and a base. A cell `u b + r` that makes the move `w` becomes `(u + w) b`.
pub(super) struct BaseMultiples<'a> {
    pub(super) system: &'a System,
    pub(super) base: i64,
    /// For each equation what the moves must sum to.
    pub(super) rights: Vec<i64>,
}

impl<'a> BaseMultiples<'a> {
    pub(super) fn new(system: &'a System, base: i64) -> Result<Self> {
        let mut rights = Vec::with_capacity(system.equations());
        for equation in 0..system.equations() {
            let right = system.right(equation);
            if right % base != 0 {
                return Err(Error::input(format!(
                    "equation {} has a constant that is no multiple of {base}",
                    equation + 1
                ))
                .help("make the constant a cell, so that it can be rounded too")
                .into());
            }
            let floors: i64 = system
                .terms(equation)
                .iter()
                .map(|(cell, by)| i64::from(*by) * system.cells[*cell as usize].value.div_euclid(base))
                .sum();
            rights.push(right / base - floors);
        }
        Ok(Self { system, base, rights })
    }

    /// The remainder of a cell above the multiple below it.
    pub(super) fn remainder(&self, cell: usize) -> i64 {
        self.system.cells[cell].value.rem_euclid(self.base)
    }

    /// The value of a cell after a move.
    pub(super) fn rounded(&self, cell: usize, by: i64) -> i64 {
        (self.system.cells[cell].value.div_euclid(self.base) + by) * self.base
    }

    /// The moves a cell may make with so many steps. Zeros stay, and no other cell becomes negative.
    pub(super) fn range(&self, cell: usize, steps: u32) -> (i64, i64) {
        let value = self.system.cells[cell].value;
        if value == 0 {
            return (0, 0);
        }
        let steps = i64::from(steps);
        let low = if value > 0 { (-steps).max(-value.div_euclid(self.base)) } else { -steps };
        (low, steps + i64::from(self.remainder(cell) != 0))
    }

    /// Whether the distance of a cell counts.
    pub(super) fn distance_counts(&self, cell: usize) -> bool {
        self.system.cells[cell].status != Status::Unpublished
    }
}

/// Some cells and the equations between them. All other cells have made their moves.
pub(super) struct Subsystem {
    pub(super) cells: Vec<u32>,
    pub(super) rows: Vec<Row>,
}

/// An equation of a subsystem: positions in `cells` with coefficients, and what their moves sum to.
pub(super) struct Row {
    pub(super) terms: Vec<(u32, i32)>,
    pub(super) right: i64,
}

impl Subsystem {
    pub(super) fn whole(multiples: &BaseMultiples<'_>) -> Self {
        let rows = (0..multiples.system.equations())
            .map(|equation| Row { terms: multiples.system.terms(equation).to_vec(), right: multiples.rights[equation] })
            .collect();
        Self { cells: (0..multiples.system.cells.len() as u32).collect(), rows }
    }

    /// How many cells can move if all stay adjacent.
    pub(super) fn free(&self, multiples: &BaseMultiples<'_>) -> usize {
        self.cells.iter().filter(|cell| multiples.remainder(**cell as usize) != 0).count()
    }
}
