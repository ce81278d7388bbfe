//! What the attacker is up against: the hidden cells as unknowns, and the equations left between them.
//!
//! Unknowns are deviations from the true value, so that the true table is the point 0 and every equation sums to 0.
//! Published cells do not deviate and fall out.

use outward_spec::{Error, Result};

use super::Choice;
use crate::system::{Cell, Status, System};

/// No bound; every bound there is lies closer to 0.
pub(super) const FREE: i64 = i64::MAX / 4;

/// Nothing at this place.
pub(super) const NONE: u32 = u32::MAX;

/// How far an interval must reach for its cell to count as protected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Need {
    /// Above the value.
    pub(super) up: i64,
    /// Below the value.
    pub(super) down: i64,
    /// From end to end; at least 1, as a cell with one possible value is known.
    pub(super) width: i64,
}

impl Need {
    /// The same for what moves with a class, or against it.
    pub(super) fn turned(self, with: bool) -> Self {
        if with { self } else { Self { up: self.down, down: self.up, width: self.width } }
    }

    /// What meets both.
    pub(super) fn and(self, other: Self) -> Self {
        Self { up: self.up.max(other.up), down: self.down.max(other.down), width: self.width.max(other.width) }
    }

    /// Whether deviations from `low` to `high` are enough.
    pub(super) fn met(&self, low: i64, high: i64) -> bool {
        high >= self.up && -low >= self.down && high - low >= self.width
    }
}

/// The attacker's problem.
#[derive(Debug)]
pub(super) struct Attack {
    /// The cell of each unknown; sums that must not be derivable have none and come last, in the order given.
    pub(super) cell: Vec<u32>,
    /// The true value of each unknown.
    pub(super) value: Vec<i64>,
    /// The least deviation the attacker takes for possible; 0 or less.
    pub(super) low: Vec<i64>,
    /// The largest; 0 or more.
    pub(super) high: Vec<i64>,
    /// What is asked of the interval, where anything is.
    pub(super) need: Vec<Option<Need>>,
    /// Unknown and coefficient, equation by equation; each sums to 0.
    pub(super) equations: Vec<Vec<(u32, i64)>>,
    /// The equations of each unknown.
    pub(super) of: Vec<Vec<(u32, i64)>>,
    /// Whether unknowns are whole numbers.
    pub(super) counts: bool,
}

impl Attack {
    /// The unknowns that a pattern leaves.
    pub(super) fn new(system: &System, hidden: &[bool], choice: &Choice) -> Result<Self> {
        if hidden.len() != system.cells.len() {
            return Err(Error::input("the pattern of hidden cells is not as long as the table has cells").into());
        }
        let mut attack = Self {
            cell: Vec::new(),
            value: Vec::new(),
            low: Vec::new(),
            high: Vec::new(),
            need: Vec::new(),
            equations: Vec::new(),
            of: Vec::new(),
            counts: system.counts,
        };
        let mut unknown = vec![NONE; hidden.len()];
        for (number, cell) in system.cells.iter().enumerate() {
            if hidden[number] || cell.status == Status::Unpublished {
                unknown[number] = attack.add(number as u32, cell.value, need(cell), (cell.lower, cell.upper));
            }
        }
        attack.know(&unknown, &choice.known)?;
        for equation in 0..system.equations() {
            attack.relate(system.terms(equation), &unknown, None);
        }
        for (terms, lower, upper) in &choice.virtual_cells {
            attack.add_sum(system, terms, (*lower, *upper), &unknown)?;
            // What is left between tables is kept from contributors as unsafe cells are.
            if let [(cell, 1)] = terms[..]
                && system.cells[cell as usize].status == Status::Unpublished
            {
                let asked = Cell {
                    status: Status::Unsafe,
                    lower_protection: *lower,
                    upper_protection: *upper,
                    ..system.cells[cell as usize]
                };
                attack.need[unknown[cell as usize] as usize] = need(&asked);
            }
        }
        if let Some(at) = (0..attack.cell.len()).find(|at| attack.low[*at] > 0 || attack.high[*at] < 0) {
            return Err(Error::input(format!("the value of cell {} is outside its bounds", attack.cell[at]))
                .help("give bounds that an attacker may rightly believe: the value lies between them")
                .into());
        }
        attack.of = vec![Vec::new(); attack.cell.len()];
        for (number, terms) in attack.equations.iter().enumerate() {
            for (unknown, by) in terms {
                attack.of[*unknown as usize].push((number as u32, *by));
            }
        }
        Ok(attack)
    }

    fn add(&mut self, cell: u32, value: i64, need: Option<Need>, bounds: (i64, i64)) -> u32 {
        self.cell.push(cell);
        self.value.push(value);
        self.need.push(need);
        let (low, high) = deviations(value, bounds);
        self.low.push(low);
        self.high.push(high);
        self.cell.len() as u32 - 1
    }

    /// Puts the bounds an attacker knows from elsewhere in the place of the cell's own.
    fn know(&mut self, unknown: &[u32], known: &[(u32, i64, i64)]) -> Result<()> {
        for (cell, lower, upper) in known {
            let Some(at) = unknown.get(*cell as usize) else {
                return Err(Error::input(format!("bounds are given for cell {cell}, which is not there")).into());
            };
            if *at != NONE {
                let at = *at as usize;
                (self.low[at], self.high[at]) = deviations(self.value[at], (*lower, *upper));
            }
        }
        Ok(())
    }

    /// Keeps what is unknown of an equation, and the sum it makes where it makes one.
    fn relate(&mut self, terms: &[(u32, i32)], unknown: &[u32], sum: Option<u32>) {
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
        let need = Some(Need { up: upper.max(0), down: lower.max(0), width: 1 });
        let sum = self.add(NONE, value, need, (i64::MIN, i64::MAX));
        let mut terms = terms.to_vec();
        terms.sort_unstable();
        if terms.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::input("a sum of cells names a cell twice").into());
        }
        self.relate(&terms, unknown, Some(sum));
        Ok(())
    }
}

/// What is asked of a cell's interval.
fn need(cell: &Cell) -> Option<Need> {
    (cell.status == Status::Unsafe).then(|| Need {
        up: cell.upper_protection.max(0),
        down: cell.lower_protection.max(0),
        width: cell.sliding_protection.max(1),
    })
}

/// Bounds as deviations from the value.
fn deviations(value: i64, (lower, upper): (i64, i64)) -> (i64, i64) {
    let low = if lower == i64::MIN { -FREE } else { lower.saturating_sub(value).clamp(-FREE, FREE) };
    let high = if upper == i64::MAX { FREE } else { upper.saturating_sub(value).clamp(-FREE, FREE) };
    (low, high)
}
