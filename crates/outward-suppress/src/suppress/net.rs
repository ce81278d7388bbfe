//! The system as the search for patterns reads it: which equations a cell stands in, how far it may move, what it costs.

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

/// How far a deviation must be able to go: so many times forwards, so many times backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) up: i64,
    pub(super) down: i64,
}

/// The system, its columns, and what is hidden by whom.
pub(super) struct Net<'a> {
    pub(super) system: &'a System,
    starts: Vec<u32>,
    places: Vec<(u32, i32)>,
    link_starts: Vec<u32>,
    links: Vec<Link>,
    /// How far a cell may rise; 0 for frozen cells.
    pub(super) rise: Vec<i64>,
    /// How far a cell may fall; 0 for frozen cells.
    pub(super) fall: Vec<i64>,
    /// What it costs to hide a cell; 0 for those hidden whatever is chosen.
    pub(super) weight: Vec<i64>,
    /// How many chosen deviations run through a cell.
    uses: Vec<u32>,
    /// What it costs to hide a cell now: nothing where it is hidden anyway.
    prices: Vec<i64>,
    /// What the cells hidden by now cost together.
    pub(super) total: i64,
    /// Where not 0, prices are lowered by chance, so that a search does not always find the same.
    pub(super) blur: u64,
}

impl<'a> Net<'a> {
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
        let mut places = vec![(0, 0); starts[system.cells.len()] as usize];
        for equation in 0..system.equations() {
            for (cell, by) in system.terms(equation) {
                places[next[*cell as usize] as usize] = (equation as u32, *by);
                next[*cell as usize] += 1;
            }
        }
        let room = |status: Status, room: i64| if status == Status::Frozen { 0 } else { room };
        let cells = &system.cells;
        let weight = weights(system, cost);
        let mut net = Self {
            system,
            starts,
            places,
            link_starts: Vec::new(),
            links: Vec::new(),
            rise: cells.iter().map(|cell| room(cell.status, cell.upper.saturating_sub(cell.value))).collect(),
            fall: cells.iter().map(|cell| room(cell.status, cell.value.saturating_sub(cell.lower))).collect(),
            prices: weight.clone(),
            weight,
            uses: vec![0; cells.len()],
            total: 0,
            blur: 0,
        };
        net.link();
        net
    }

    /// Lists, for each equation, the cells that join it to one other, cheapest first.
    fn link(&mut self) {
        self.link_starts.push(0);
        for equation in 0..self.system.equations() {
            let start = self.links.len();
            for &(cell, own) in self.system.terms(equation) {
                let places = self.places(cell);
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

    /// The equations a cell stands in, with its coefficients.
    pub(super) fn places(&self, cell: u32) -> &[(u32, i32)] {
        &self.places[self.starts[cell as usize] as usize..self.starts[cell as usize + 1] as usize]
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
    pub(super) fn allows(&self, cell: u32, by: i64, reach: Reach) -> bool {
        let (rise, fall) = (self.rise[cell as usize], self.fall[cell as usize]);
        let (ahead, back) = if by > 0 { (rise, fall) } else { (fall, rise) };
        let by = by.saturating_abs();
        ahead >= reach.up.saturating_mul(by) && back >= reach.down.saturating_mul(by)
    }

    /// What it costs to hide a cell now: nothing where it is hidden anyway.
    pub(super) fn price(&self, cell: u32) -> i64 {
        let price = self.prices[cell as usize];
        if self.blur == 0 || price == 0 {
            return price;
        }
        let mixed = (u64::from(cell) ^ self.blur).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59;
        price - (price >> 8) * mixed as i64
    }

    /// One more deviation runs through the cell.
    pub(super) fn take(&mut self, cell: u32) {
        self.uses[cell as usize] += 1;
        self.total += std::mem::take(&mut self.prices[cell as usize]);
    }

    /// One deviation fewer runs through the cell.
    pub(super) fn give_back(&mut self, cell: u32) {
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

/// What each cell costs: first by the choice, then by a second thought that settles ties, both in one number. By one, the
/// cost as given settles; by cost or value, the number of cells.
fn weights(system: &System, cost: Cost) -> Vec<i64> {
    let number = system.cells.len() as i64 + 1;
    let given: Vec<i64> = match cost {
        Cost::AsGiven | Cost::ByOne => system.cells.iter().map(|cell| cell.cost.max(0)).collect(),
        Cost::ByValue => system.cells.iter().map(|cell| cell.value.saturating_abs()).collect(),
    };
    // All cells together, times their number, must stay a number: very large costs lose their last digits.
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
