//! A first pattern by Gauss elimination: all cells are hidden, and cells are published one by one, the most expensive first
//! (GaussSuppression, Langsrud 2024).
//!
//! Every demand has a witness from the beginning. Before a cell is published, a multiple of another deviation is
//! subtracted from each witness that moves it, so that none moves it any more. If that fails for one witness, the cell
//! stays hidden. So every intermediate pattern is protected, and the search may end at any time.

use std::cmp::Reverse;

use crate::suppress::Cost;
use crate::suppress::deviation::Deviation;
use crate::suppress::incidence::{Incidence, RequiredDeviation};
use crate::suppress::kernel_basis::{KernelBasis, Vector, component_of, eliminate_cell, remove_number};
use crate::suppress::witness_cover::{ProtectionDemand, WitnessCover};

/// Most deviations tried to change a witness, and among how many successes the shortest is chosen: at first, and later.
const MAX_TRIED: (usize, usize) = (40, 4);
const MAX_TRIED_LATER: (usize, usize) = (2000, 8);
/// Most rounds over the cells that are still hidden.
const MAX_ROUNDS: usize = 6;
/// Most work for the basis of the kernel, and for publishing cells.
const MAX_BASIS_WORK: u64 = 10_000_000;
const MAX_WORK: u64 = 400_000_000;

impl WitnessCover<'_> {
    /// Chooses deviations for all demands at once. Returns false, and chooses nothing, if a demand has no witness to begin with or
    /// the system is too large.
    pub(super) fn choose_from_all_hidden(&mut self, cost: Cost) -> bool {
        let state = AllHidden::new(&self.incidence, &self.demands);
        let Some((found, work)) = state.and_then(|state| state.publish_all(cost)) else { return false };
        self.search.all_hidden_work += work;
        for (demand, deviation) in found.into_iter().enumerate() {
            self.keep(demand, vec![deviation]);
        }
        true
    }
}

/// The hidden cells, and a witness for every demand.
struct AllHidden<'a> {
    incidence: &'a Incidence<'a>,
    demands: &'a [ProtectionDemand],
    kernel: KernelBasis,
    /// Whether a demand is for each cell.
    asked: Vec<bool>,
    /// The witness of each demand.
    witnesses: Vec<Vector>,
    /// For each cell the demands whose witnesses move it.
    users: Vec<Vec<u32>>,
    work: u64,
}

impl<'a> AllHidden<'a> {
    fn new(incidence: &'a Incidence<'a>, demands: &'a [ProtectionDemand]) -> Option<Self> {
        let kernel = KernelBasis::new(incidence, MAX_BASIS_WORK)?;
        let count = incidence.system.cells.len();
        let mut asked = vec![false; count];
        demands.iter().filter_map(ProtectionDemand::cell).for_each(|cell| asked[cell as usize] = true);
        let mut state =
            Self { incidence, demands, kernel, asked, witnesses: Vec::new(), users: vec![Vec::new(); count], work: 0 };
        for (number, demand) in (0..).zip(demands) {
            let first = state.shortest_witness(demand)?;
            first.iter().for_each(|(cell, _)| state.users[*cell as usize].push(number));
            state.witnesses.push(first);
        }
        Some(state)
    }

    /// The shortest vector of the kernel that is a witness of a demand.
    fn shortest_witness(&self, demand: &ProtectionDemand) -> Option<Vector> {
        let through = demand.sum.iter().flat_map(|(cell, _)| self.kernel.through(*cell));
        let vectors = through.map(|number| self.kernel.vector(number));
        let best = vectors
            .filter(|vector| witness_reach(self.incidence, demand, vector).is_some())
            .min_by_key(|vector| vector.len());
        best.map(<[_]>::to_vec)
    }

    /// Publishes as many cells as possible. Returns the witnesses and the work done.
    fn publish_all(mut self, cost: Cost) -> Option<(Vec<Deviation>, u64)> {
        let open = |cell: &u32| self.incidence.moves(*cell) && !self.incidence.system.cells[*cell as usize].must_hide();
        let mut left: Vec<u32> = (0..self.users.len() as u32).filter(open).collect();
        // If cells are counted, sums of most cells come first: they are moved by most witnesses.
        let parts = |cell: u32| if cost == Cost::ByOne { self.kernel.count(cell) } else { 0 };
        left.sort_by_cached_key(|cell| (Reverse((parts(*cell), self.incidence.weight[*cell as usize])), *cell));
        let mut tried = MAX_TRIED;
        for _ in 0..MAX_ROUNDS {
            let before = left.len();
            let mut kept = Vec::new();
            for cell in left {
                if self.work + self.kernel.work > MAX_WORK || !self.publish(cell, tried)? {
                    kept.push(cell);
                }
            }
            left = kept;
            if left.len() == before {
                break;
            }
            left.sort_by_key(|cell| (self.users[*cell as usize].len(), *cell));
            tried = MAX_TRIED_LATER;
        }
        let work = self.work + self.kernel.work;
        let found = self.demands.iter().zip(self.witnesses).map(|(demand, cells)| {
            let reach = witness_reach(self.incidence, demand, &cells)?;
            Some(rising_deviation(demand, cells, reach))
        });
        Some((found.collect::<Option<_>>()?, work))
    }

    /// Publishes a cell if every demand keeps a witness. `None` after an overflow.
    fn publish(&mut self, cell: u32, tried: (usize, usize)) -> Option<bool> {
        let asked = &self.asked;
        if self.kernel.determines(cell, |other| asked[other as usize]) {
            return Some(false);
        }
        let through = self.kernel.through(cell);
        let mut mended: Vec<(u32, Vector)> = Vec::new();
        for user in self.users[cell as usize].clone() {
            let Some(vector) = self.witness_without(cell, user, &through, &mended, tried) else { return Some(false) };
            mended.push((user, vector));
        }
        for (user, vector) in mended {
            let old = std::mem::replace(&mut self.witnesses[user as usize], vector);
            old.iter().for_each(|(other, _)| remove_number(&mut self.users[*other as usize], user));
            let new = &self.witnesses[user as usize];
            new.iter().for_each(|(other, _)| self.users[*other as usize].push(user));
        }
        self.kernel.publish(cell)?;
        Some(true)
    }

    /// A witness of a demand that does not move a cell. It may be one found for another demand.
    fn witness_without(
        &mut self,
        cell: u32,
        user: u32,
        through: &[u32],
        mended: &[(u32, Vector)],
        (tried, enough): (usize, usize),
    ) -> Option<Vector> {
        let (incidence, demand, own) = (self.incidence, &self.demands[user as usize], &self.witnesses[user as usize]);
        let both = demand.splits.iter().all(|reach| reach.up > 0 && reach.down > 0);
        let fits = |cell: u32, by: i64| {
            let (rise, fall) = (incidence.rise[cell as usize], incidence.fall[cell as usize]);
            by.abs() <= if both { rise.min(fall) } else { rise.max(fall) }
        };
        let mut work = 0;
        let mut less = |other: &[(u32, i64)]| {
            work += (own.len() + other.len()) as u64;
            eliminate_cell(own, other, cell, fits).filter(|vector| witness_reach(incidence, demand, vector).is_some())
        };
        let vectors = through.iter().take(tried).map(|number| self.kernel.vector(*number));
        let mut best = vectors.filter_map(&mut less).take(enough).min_by_key(Vec::len);
        if best.is_none() {
            let others = self.users[cell as usize].iter().filter(|other| **other != user).take(tried);
            best = others.filter_map(|other| less(&self.witnesses[*other as usize])).next();
        }
        if best.is_none() {
            let serves = |vector: &&Vector| witness_reach(incidence, demand, vector).is_some();
            best = mended.iter().rev().take(tried).map(|(_, vector)| vector).find(serves).cloned();
        }
        if best.is_none() {
            let vectors = demand.sum.iter().flat_map(|(cell, _)| self.kernel.through(*cell));
            let vectors = vectors.take(tried).map(|number| self.kernel.vector(number));
            let mut serving = vectors
                .filter(|vector| component_of(vector, cell) == 0 && witness_reach(incidence, demand, vector).is_some());
            best = serving.next().map(<[_]>::to_vec);
        }
        self.work += work;
        best
    }
}

/// How often a vector must be possible forwards and backwards to meet a demand; `None` if it is not. The vector is
/// oriented so that the demand rises.
fn witness_reach(
    incidence: &Incidence<'_>,
    demand: &ProtectionDemand,
    vector: &[(u32, i64)],
) -> Option<RequiredDeviation> {
    let shift = demand.sum.iter().try_fold(0_i64, |shift, (cell, by)| {
        shift.checked_add(component_of(vector, *cell).checked_mul(i64::from(*by))?)
    })?;
    if shift == 0 {
        return None;
    }
    let times = |far: i64| far / shift.abs() + i64::from(far % shift.abs() != 0);
    let mut reaches =
        demand.splits.iter().map(|split| RequiredDeviation { up: times(split.up), down: times(split.down) });
    reaches.find(|reach| vector.iter().all(|(cell, by)| incidence.allows(*cell, by * shift.signum(), *reach)))
}

/// The deviation in which a demand rises.
fn rising_deviation(demand: &ProtectionDemand, mut cells: Vector, reach: RequiredDeviation) -> Deviation {
    let shift: i64 = demand.sum.iter().map(|(cell, by)| component_of(&cells, *cell) * i64::from(*by)).sum();
    cells.iter_mut().for_each(|(_, by)| *by *= shift.signum());
    Deviation { cells, reach }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::suppress::{SuppressionOptions, protection_demands};
    use outward_audit::{Cell, Status, System};

    /// Four by four counts with their totals. Counts below three are unsafe, with protection levels of one.
    fn table(inner: [[i64; 4]; 4]) -> System {
        let at = |row: usize, column: usize| (5 * row + column) as u32;
        let sum = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| -> i64 {
            rows.flat_map(|row| columns.clone().map(move |column| inner[row][column])).sum()
        };
        let range = |at: usize| if at < 4 { at..at + 1 } else { 0..4 };
        let values = (0..5).flat_map(|row| (0..5).map(move |column| (row, column)));
        let values = values.map(|(row, column)| sum(range(row), range(column)));
        let mut system = System::new(values.map(Cell::count).collect(), 1, true);
        for line in 0..5 {
            system.add_total(at(line, 4), &[0, 1, 2, 3].map(|column| at(line, column))).unwrap();
            system.add_total(at(4, line), &[0, 1, 2, 3].map(|row| at(row, line))).unwrap();
        }
        for cell in system.cells.iter_mut().filter(|cell| cell.value < 3) {
            cell.status = if cell.value == 0 { Status::Frozen } else { Status::Unsafe };
            (cell.lower_protection, cell.upper_protection) = (1, 1);
        }
        system
    }

    #[test]
    fn what_is_left_hidden_from_above_is_protected_and_no_more_than_a_square_each() {
        let system = table([[1, 9, 8, 7], [6, 5, 4, 9], [8, 7, 2, 6], [5, 9, 0, 8]]);
        let choice = SuppressionOptions::default();
        let mut cover = WitnessCover::new(
            Incidence::new(&system, Cost::ByOne),
            protection_demands(&system, &choice).unwrap(),
            &choice,
        );
        assert!(cover.choose_from_all_hidden(Cost::ByOne));
        cover.check().unwrap();
        let hidden = cover.incidence.hidden();
        assert!(hidden[0] && hidden[12] && !hidden[24]);
        assert!(hidden.iter().filter(|hidden| **hidden).count() <= 8, "{hidden:?}");
    }

    #[test]
    fn a_cell_that_cannot_move_has_no_pattern_from_above() {
        // The only cell of its row and column that may move.
        let mut system = table([[1, 9, 8, 7], [6, 5, 4, 9], [8, 7, 9, 6], [5, 9, 9, 8]]);
        (1..5).for_each(|column| system.cells[column].status = Status::Frozen);
        let choice = SuppressionOptions::default();
        let mut cover = WitnessCover::new(
            Incidence::new(&system, Cost::ByOne),
            protection_demands(&system, &choice).unwrap(),
            &choice,
        );
        assert!(!cover.choose_from_all_hidden(Cost::ByOne));
    }
}
