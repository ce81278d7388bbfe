//! The attacker's problem: the hidden cells as unknowns, and the equations between them.
//!
//! Unknowns are deviations from the true value. So the true table is the point 0 and every equation sums to 0. Published
//! cells do not deviate and drop out.

use outward_spec::{Error, Result};

use super::AuditOptions;
use crate::system::{Cell, Status, System};

/// Stands for no bound; every real bound is closer to 0.
pub(super) const UNBOUNDED: i64 = i64::MAX / 4;

/// Stands for no cell, class or row.
pub(super) const NONE: u32 = u32::MAX;

/// How far the interval of a protected cell must reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ProtectionLevels {
    /// Above the value.
    pub(super) up: i64,
    /// Below the value.
    pub(super) down: i64,
    /// From end to end; at least 1, because a cell with only one possible value is known.
    pub(super) width: i64,
}

impl ProtectionLevels {
    /// The levels seen from a class: exchanged if the unknown moves against it.
    pub(super) fn oriented(self, with: bool) -> Self {
        if with { self } else { Self { up: self.down, down: self.up, width: self.width } }
    }

    /// The larger of each pair of levels.
    pub(super) fn and(self, other: Self) -> Self {
        Self { up: self.up.max(other.up), down: self.down.max(other.down), width: self.width.max(other.width) }
    }

    /// Whether deviations from `low` to `high` meet the levels.
    pub(super) fn met(&self, low: i64, high: i64) -> bool {
        high >= self.up && -low >= self.down && high - low >= self.width
    }
}

/// The attacker's problem.
#[derive(Debug)]
pub(super) struct AttackerProblem {
    /// The cell of each unknown. Sums that must not be derivable have `NONE` and come last, in the order given.
    pub(super) cell: Vec<u32>,
    /// The true value of each unknown.
    pub(super) value: Vec<i64>,
    /// The least deviation of each unknown; 0 or less.
    pub(super) low: Vec<i64>,
    /// The largest deviation of each unknown; 0 or more.
    pub(super) high: Vec<i64>,
    /// The protection levels of each unknown, if it has any.
    pub(super) levels: Vec<Option<ProtectionLevels>>,
    /// Unknown and coefficient, equation by equation; each sums to 0.
    pub(super) equations: Vec<Vec<(u32, i64)>>,
    /// The equations of each unknown.
    pub(super) equations_of: Vec<Vec<(u32, i64)>>,
    /// Whether unknowns are integers.
    pub(super) counts: bool,
}

impl AttackerProblem {
    /// The problem that a pattern of hidden cells leaves to the attacker.
    pub(super) fn new(system: &System, hidden: &[bool], choice: &AuditOptions) -> Result<Self> {
        if hidden.len() != system.cells.len() {
            return Err(Error::input("the pattern of hidden cells is not as long as the table has cells").into());
        }
        let mut problem = Self {
            cell: Vec::new(),
            value: Vec::new(),
            low: Vec::new(),
            high: Vec::new(),
            levels: Vec::new(),
            equations: Vec::new(),
            equations_of: Vec::new(),
            counts: system.counts,
        };
        let mut unknown = vec![NONE; hidden.len()];
        for (number, cell) in system.cells.iter().enumerate() {
            if hidden[number] || cell.status == Status::Unpublished {
                unknown[number] =
                    problem.add(number as u32, cell.value, protection_levels(cell), (cell.lower, cell.upper));
            }
        }
        problem.apply_known_bounds(&unknown, &choice.known)?;
        for equation in 0..system.equations() {
            problem.add_equation(system.terms(equation), &unknown, None);
        }
        for (terms, lower, upper) in &choice.virtual_cells {
            problem.add_sum(system, terms, (*lower, *upper), &unknown)?;
            // A difference between tables is protected from contributors as unsafe cells are.
            if let [(cell, 1)] = terms[..]
                && system.cells[cell as usize].status == Status::Unpublished
            {
                let asked = Cell {
                    status: Status::Unsafe,
                    lower_protection: *lower,
                    upper_protection: *upper,
                    ..system.cells[cell as usize]
                };
                problem.levels[unknown[cell as usize] as usize] = protection_levels(&asked);
            }
        }
        if let Some(at) = (0..problem.cell.len()).find(|at| problem.low[*at] > 0 || problem.high[*at] < 0) {
            return Err(Error::input(format!("the value of cell {} is outside its bounds", problem.cell[at]))
                .help("give bounds that an attacker may rightly believe: the value lies between them")
                .into());
        }
        problem.equations_of = vec![Vec::new(); problem.cell.len()];
        for (number, terms) in problem.equations.iter().enumerate() {
            for (unknown, by) in terms {
                problem.equations_of[*unknown as usize].push((number as u32, *by));
            }
        }
        Ok(problem)
    }

    fn add(&mut self, cell: u32, value: i64, levels: Option<ProtectionLevels>, bounds: (i64, i64)) -> u32 {
        self.cell.push(cell);
        self.value.push(value);
        self.levels.push(levels);
        let (low, high) = bounds_as_deviations(value, bounds);
        self.low.push(low);
        self.high.push(high);
        self.cell.len() as u32 - 1
    }

    /// Replaces the bounds of cells by those the attacker knows from elsewhere.
    fn apply_known_bounds(&mut self, unknown: &[u32], known: &[(u32, i64, i64)]) -> Result<()> {
        for (cell, lower, upper) in known {
            let Some(at) = unknown.get(*cell as usize) else {
                return Err(Error::input(format!("bounds are given for cell {cell}, which is not there")).into());
            };
            if *at != NONE {
                let at = *at as usize;
                (self.low[at], self.high[at]) = bounds_as_deviations(self.value[at], (*lower, *upper));
            }
        }
        Ok(())
    }

    /// Adds the unknown terms of an equation, and the sum they make if there is one.
    fn add_equation(&mut self, terms: &[(u32, i32)], unknown: &[u32], sum: Option<u32>) {
        let mut left: Vec<(u32, i64)> = terms
            .iter()
            .filter(|(cell, _)| unknown[*cell as usize] != NONE)
            .map(|(cell, by)| (unknown[*cell as usize], i64::from(*by)))
            .collect();
        left.extend(sum.map(|sum| (sum, -1)));
        if !left.is_empty() {
            self.equations.push(left);
        }
    }

    /// Adds a sum of cells as an unknown of its own.
    fn add_sum(
        &mut self,
        system: &System,
        terms: &[(u32, i32)],
        (lower, upper): (i64, i64),
        unknown: &[u32],
    ) -> Result<()> {
        let mut value = 0i128;
        for (cell, by) in terms {
            let Some(cell) = system.cells.get(*cell as usize) else {
                return Err(Error::input(format!("a sum names cell {cell}, which is not there")).into());
            };
            value += i128::from(cell.value) * i128::from(*by);
        }
        let value = i64::try_from(value).map_err(|_| Error::input("a sum of cells is too large"))?;
        let levels = Some(ProtectionLevels { up: upper.max(0), down: lower.max(0), width: 1 });
        let sum = self.add(NONE, value, levels, (i64::MIN, i64::MAX));
        let mut terms = terms.to_vec();
        terms.sort_unstable();
        if terms.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::input("a sum of cells names a cell twice").into());
        }
        self.add_equation(&terms, unknown, Some(sum));
        Ok(())
    }
}

/// The protection levels of a cell; `None` if it is not unsafe.
fn protection_levels(cell: &Cell) -> Option<ProtectionLevels> {
    (cell.status == Status::Unsafe).then(|| ProtectionLevels {
        up: cell.upper_protection.max(0),
        down: cell.lower_protection.max(0),
        width: cell.sliding_protection.max(1),
    })
}

/// Bounds as deviations from the value.
fn bounds_as_deviations(value: i64, (lower, upper): (i64, i64)) -> (i64, i64) {
    let low = if lower == i64::MIN { -UNBOUNDED } else { lower.saturating_sub(value).clamp(-UNBOUNDED, UNBOUNDED) };
    let high = if upper == i64::MAX { UNBOUNDED } else { upper.saturating_sub(value).clamp(-UNBOUNDED, UNBOUNDED) };
    (low, high)
}
