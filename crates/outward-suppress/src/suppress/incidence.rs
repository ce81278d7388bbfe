//! The system by cell, for the search: the equations a cell appears in, how far it may move, what it costs to hide.

use crate::suppress::Cost;
use outward_audit::{Status, System};

/// A cell that joins two equations, seen from one of them.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) cell: u32,
    pub(super) other: u32,
    /// The coefficient here.
    pub(super) own: i8,
    /// The product of the two coefficients.
    pub(super) cross: i8,
}

/// How many times a deviation must be possible forwards (`up`) and backwards (`down`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequiredDeviation {
    pub(super) up: i64,
    pub(super) down: i64,
}

/// The system by cell, the costs of hiding, and how many witnesses use each cell.
pub(super) struct Incidence<'a> {
    pub(super) system: &'a System,
    starts: Vec<u32>,
    entries: Vec<(u32, i32)>,
    link_starts: Vec<u32>,
    links: Vec<Link>,
    /// How far a cell may rise; 0 for frozen cells.
    pub(super) rise: Vec<i64>,
    /// How far a cell may fall; 0 for frozen cells.
    pub(super) fall: Vec<i64>,
    /// The cost of hiding a cell; 0 for cells hidden in every pattern.
    pub(super) weight: Vec<i64>,
    /// How many chosen deviations use a cell.
    uses: Vec<u32>,
    /// The cost of hiding a cell now; 0 if it is hidden already.
    prices: Vec<i64>,
    /// The cost of all cells hidden so far.
    pub(super) total: i64,
    /// If not 0, prices are lowered pseudo-randomly by this seed, so that searches differ.
    pub(super) price_seed: u64,
}

impl<'a> Incidence<'a> {
    pub(super) fn new(system: &'a System, cost: Cost) -> Self {
        let mut starts = vec![0_u32; system.cells.len() + 1];
        for equation in 0..system.equations() {
            for (cell, _) in system.terms(equation) {
                starts[*cell as usize + 1] += 1;
            }
        }
        for cell in 0..system.cells.len() {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0); starts[system.cells.len()] as usize];
        for equation in 0..system.equations() {
            for (cell, by) in system.terms(equation) {
                entries[next[*cell as usize] as usize] = (equation as u32, *by);
                next[*cell as usize] += 1;
            }
        }
        let room = |status: Status, room: i64| if status == Status::Frozen { 0 } else { room };
        let cells = &system.cells;
        let weight = hiding_costs(system, cost);
        let mut incidence = Self {
            system,
            starts,
            entries,
            link_starts: Vec::new(),
            links: Vec::new(),
            rise: cells.iter().map(|cell| room(cell.status, cell.upper.saturating_sub(cell.value))).collect(),
            fall: cells.iter().map(|cell| room(cell.status, cell.value.saturating_sub(cell.lower))).collect(),
            prices: weight.clone(),
            weight,
            uses: vec![0; cells.len()],
            total: 0,
            price_seed: 0,
        };
        incidence.build_links();
        incidence
    }

    /// Lists, for each equation, the cells that join it to one other, cheapest first.
    fn build_links(&mut self) {
        self.link_starts.push(0);
        for equation in 0..self.system.equations() {
            let start = self.links.len();
            for &(cell, own) in self.system.terms(equation) {
                let places = self.equations_of(cell);
                if places.len() != 2 || !self.moves(cell) || places.iter().any(|(_, by)| by.abs() != 1) {
                    continue;
                }
                let (other, by) = if places[0].0 as usize == equation { places[1] } else { places[0] };
                self.links.push(Link { cell, other, own: own as i8, cross: (own * by) as i8 });
            }
            self.links[start..].sort_by_key(|link| (self.weight[link.cell as usize], link.cell));
            self.link_starts.push(self.links.len() as u32);
        }
    }

    /// The equations a cell appears in, with its coefficients.
    pub(super) fn equations_of(&self, cell: u32) -> &[(u32, i32)] {
        &self.entries[self.starts[cell as usize] as usize..self.starts[cell as usize + 1] as usize]
    }

    pub(super) fn links(&self, equation: u32) -> &[Link] {
        let range = self.link_starts[equation as usize] as usize..self.link_starts[equation as usize + 1] as usize;
        &self.links[range]
    }

    /// Whether a cell can take part in any deviation.
    pub(super) fn moves(&self, cell: u32) -> bool {
        self.rise[cell as usize] > 0 || self.fall[cell as usize] > 0
    }

    /// Whether a cell may move by `by` as often as `reach` asks, forwards and backwards.
    pub(super) fn allows(&self, cell: u32, by: i64, reach: RequiredDeviation) -> bool {
        let (rise, fall) = (self.rise[cell as usize], self.fall[cell as usize]);
        let (ahead, back) = if by > 0 { (rise, fall) } else { (fall, rise) };
        let by = by.saturating_abs();
        ahead >= reach.up.saturating_mul(by) && back >= reach.down.saturating_mul(by)
    }

    /// The cost of hiding a cell now; 0 if it is hidden already.
    pub(super) fn price(&self, cell: u32) -> i64 {
        let price = self.prices[cell as usize];
        if self.price_seed == 0 || price == 0 {
            return price;
        }
        let mixed = (u64::from(cell) ^ self.price_seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59;
        price - (price >> 8) * mixed as i64
    }

    /// Counts one more deviation that uses the cell.
    pub(super) fn add_use(&mut self, cell: u32) {
        self.uses[cell as usize] += 1;
        self.total += std::mem::take(&mut self.prices[cell as usize]);
    }

    /// Counts one deviation fewer that uses the cell.
    pub(super) fn remove_use(&mut self, cell: u32) {
        self.uses[cell as usize] -= 1;
        if self.uses[cell as usize] == 0 {
            self.prices[cell as usize] = self.weight[cell as usize];
            self.total -= self.weight[cell as usize];
        }
    }

    pub(super) fn hidden(&self) -> Vec<bool> {
        self.system.cells.iter().zip(&self.uses).map(|(cell, uses)| cell.must_hide() || *uses > 0).collect()
    }
}

/// The cost of hiding each cell, with a tie-breaker in its last digits. If cells are counted, the given costs break ties;
/// otherwise the number of cells does.
fn hiding_costs(system: &System, cost: Cost) -> Vec<i64> {
    let number = system.cells.len() as i64 + 1;
    let given: Vec<i64> = match cost {
        Cost::AsGiven | Cost::ByOne => system.cells.iter().map(|cell| cell.cost.max(0)).collect(),
        Cost::ByValue => system.cells.iter().map(|cell| cell.value.saturating_abs()).collect(),
    };
    // The sum of all costs times the number of cells must not overflow: very large costs lose their last digits.
    let sum: i128 = given.iter().map(|cost| i128::from(*cost)).sum();
    let shift = (0..63).find(|shift| (sum >> shift) * i128::from(number) < 1 << 60).unwrap_or(63);
    let rest = (sum >> shift) as i64 + 1;
    let weigh = |given: i64| match cost {
        Cost::ByOne => rest + (given >> shift),
        Cost::AsGiven | Cost::ByValue => (given >> shift) * number + 1,
    };
    let weigh = |(cell, given): (&outward_audit::Cell, &i64)| if cell.must_hide() { 0 } else { weigh(*given) };
    system.cells.iter().zip(&given).map(weigh).collect()
}
