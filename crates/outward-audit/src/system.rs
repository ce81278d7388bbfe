//! The system of cells and equations on which suppression, rounding and the audit work.
//!
//! A family of linked tables becomes one [`System`]. A cell that appears in two tables is one cell, and every total is an
//! equation over the cells it adds up. Values are integers, so that sums are exact: counts as they are, magnitudes in units
//! of `1 / scale`.

use outward_spec::{Error, Result};

/// Whether a cell may, must or must not be hidden.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// May be published or hidden.
    #[default]
    Open,
    /// Unsafe by a primary rule: must be hidden, and its interval must be wide enough.
    Unsafe,
    /// Hidden already or by hand: stays hidden, without protection levels.
    Hidden,
    /// Must be published.
    Frozen,
    /// Not part of any table: neither published, counted nor written. It represents a sum that tables share.
    Unpublished,
}

/// A published cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The value, in units of `1 / scale`.
    pub value: i64,
    /// The cost of hiding the cell; 0 or more.
    pub cost: i64,
    /// Whether it may be hidden.
    pub status: Status,
    /// The least value an attacker believes possible before seeing the table.
    pub lower: i64,
    /// The largest value an attacker believes possible before seeing the table; `i64::MAX` for none.
    pub upper: i64,
    /// How far below the value the attacker's interval must reach.
    pub lower_protection: i64,
    /// How far above the value the attacker's interval must reach.
    pub upper_protection: i64,
    /// How wide the attacker's interval must be, wherever it lies.
    pub sliding_protection: i64,
}

impl Cell {
    /// An open count without protection levels, whose cost is its value.
    pub fn count(value: i64) -> Self {
        Self {
            value,
            cost: value,
            status: Status::Open,
            lower: 0,
            upper: i64::MAX,
            lower_protection: 0,
            upper_protection: 0,
            sliding_protection: 0,
        }
    }

    /// Whether the cell is hidden in every pattern.
    pub fn must_hide(&self) -> bool {
        matches!(self.status, Status::Unsafe | Status::Hidden | Status::Unpublished)
    }
}

/// Cells and the equations between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct System {
    /// The cells.
    pub cells: Vec<Cell>,
    /// Where the terms of each equation begin in `terms`, and where the last one ends: one more than there are equations.
    starts: Vec<usize>,
    /// Cell and coefficient, equation by equation.
    terms: Vec<(u32, i32)>,
    /// The right-hand side of each equation.
    rights: Vec<i64>,
    /// Values are in units of one over this.
    pub scale: i64,
    /// Whether values are counts, which the attacker knows to be integers.
    pub counts: bool,
}

impl System {
    /// Cells without equations.
    pub fn new(cells: Vec<Cell>, scale: i64, counts: bool) -> Self {
        Self { cells, starts: vec![0], terms: Vec::new(), rights: Vec::new(), scale, counts }
    }

    /// Adds an equation: the terms, each a cell and its coefficient, sum to `right`.
    ///
    /// # Errors
    /// Where a term names no cell, names one twice, or the values do not satisfy the equation.
    pub fn add(&mut self, right: i64, terms: impl IntoIterator<Item = (u32, i32)>) -> Result<()> {
        let start = self.terms.len();
        self.terms.extend(terms);
        let new = &mut self.terms[start..];
        new.sort_unstable_by_key(|(cell, _)| *cell);
        let number = self.rights.len() + 1;
        if new.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::input(format!("equation {number} names a cell twice")).into());
        }
        if new.last().is_some_and(|(cell, _)| *cell as usize >= self.cells.len()) {
            return Err(Error::input(format!("equation {number} names a cell that is not there")).into());
        }
        let sum: i128 =
            new.iter().map(|(cell, by)| i128::from(self.cells[*cell as usize].value) * i128::from(*by)).sum();
        if sum != i128::from(right) {
            return Err(Error::input(format!("equation {number} does not hold: a total disagrees with its parts"))
                .help("give totals that are the sums of their parts, or leave the totals out")
                .into());
        }
        self.starts.push(self.terms.len());
        self.rights.push(right);
        Ok(())
    }

    /// Adds the equation of a total: its parts sum to it.
    ///
    /// # Errors
    /// As [`System::add`].
    pub fn add_total(&mut self, total: u32, parts: &[u32]) -> Result<()> {
        self.add(0, parts.iter().map(|part| (*part, 1)).chain([(total, -1)]))
    }

    /// The system without some equations, each given with one of its cells, in order.
    pub fn without(&self, equations: &[(usize, u32)]) -> Self {
        let mut fewer = Self::new(self.cells.clone(), self.scale, self.counts);
        let mut left_out = equations.iter().map(|(equation, _)| *equation).peekable();
        for equation in 0..self.equations() {
            if left_out.next_if_eq(&equation).is_some() {
                continue;
            }
            fewer.terms.extend(self.terms(equation));
            fewer.starts.push(fewer.terms.len());
            fewer.rights.push(self.right(equation));
        }
        fewer
    }

    /// How many equations there are.
    pub fn equations(&self) -> usize {
        self.rights.len()
    }

    /// The terms of an equation, by cell.
    pub fn terms(&self, equation: usize) -> &[(u32, i32)] {
        &self.terms[self.starts[equation]..self.starts[equation + 1]]
    }

    /// The right-hand side of an equation.
    pub fn right(&self, equation: usize) -> i64 {
        self.rights[equation]
    }

    /// For each cell the equations it appears in, with its coefficient.
    pub fn by_cell(&self) -> Vec<Vec<(u32, i32)>> {
        let mut by_cell = vec![Vec::new(); self.cells.len()];
        for equation in 0..self.equations() {
            for (cell, by) in self.terms(equation) {
                by_cell[*cell as usize].push((equation as u32, *by));
            }
        }
        by_cell
    }

    /// How many cells are published or hidden in a table: all but the unpublished.
    pub fn published(&self) -> usize {
        self.cells.iter().filter(|cell| cell.status != Status::Unpublished).count()
    }
}
