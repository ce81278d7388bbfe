//! Units: records that do not differ. They have the same codes in every key and are counted by the same constraints.
//! All work is done on units; suppressed masks are given to single records only in the end.

use hashbrown::HashMap;

use super::{Problem, recount};
use crate::packing::Packed;

/// Distinct records and how many there are of each.
pub(super) struct Units<const W: usize> {
    pub(super) packed: Vec<Packed<W>>,
    pub(super) size: Vec<u64>,
    /// Wildcard keys that are missing.
    pub(super) blank: Vec<u64>,
    /// For each constraint whether it counts the unit; `None` if it counts all.
    counted: Vec<Option<Vec<bool>>>,
    /// The unit of each record.
    pub(super) of_row: Vec<u32>,
}

/// Records of one unit that lose the same keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitSuppression {
    pub(super) unit: u32,
    pub(super) mask: u64,
    pub(super) records: u64,
}

impl<const W: usize> Units<W> {
    /// The units of the records with the keys of `masks` missing.
    pub(super) fn new(problem: &Problem<'_>, masks: &[u64]) -> Self {
        let keys = problem.request.keys;
        let circles = circles(problem);
        let mut number: HashMap<(Packed<W>, u32), u32> = HashMap::new();
        let (mut packed, mut size, mut first) = (Vec::new(), Vec::new(), Vec::new());
        let mut of_row = Vec::with_capacity(problem.rows);
        for (row, mask) in masks.iter().enumerate() {
            let code = |(key, codes): (usize, &&[u32])| if mask >> key & 1 == 1 { 0 } else { codes[row] };
            let codes: Packed<W> = problem.packing.pack(keys.iter().enumerate().map(code));
            let unit = *number.entry((codes, circles[row])).or_insert_with(|| {
                packed.push(codes);
                size.push(0);
                first.push(row);
                packed.len() as u32 - 1
            });
            size[unit as usize] += 1;
            of_row.push(unit);
        }
        let counted = problem.request.constraints.iter().map(|constraint| {
            constraint.rows.as_ref().map(|counted| first.iter().map(|row| counted[*row]).collect::<Vec<bool>>())
        });
        let blank = packed.iter().map(|codes| problem.packing.zeros(codes, problem.wild)).collect();
        Self { counted: counted.collect(), packed, size, blank, of_row }
    }

    pub(super) fn len(&self) -> usize {
        self.packed.len()
    }

    /// Whether a constraint counts a unit.
    pub(super) fn counts(&self, constraint: usize, unit: usize) -> bool {
        self.counted[constraint].as_ref().is_none_or(|counted| counted[unit])
    }

    /// Which units have fewer supporting records than some constraint asks for.
    pub(super) fn below_k(&self, problem: &Problem<'_>) -> Vec<bool> {
        let mut below = vec![false; self.len()];
        for (constraint, asked) in problem.request.constraints.iter().enumerate() {
            let counts = recount::supporting(problem, self, constraint);
            for unit in (0..self.len()).filter(|unit| self.counts(constraint, *unit)) {
                below[unit] |= counts[unit] < asked.k;
            }
        }
        below
    }

    /// Gives each pick its records: the first of the unit, in the order of the file.
    pub(super) fn spread(&self, picks: &[UnitSuppression], masks: &mut [u64]) {
        let mut queues: Vec<Vec<UnitSuppression>> = vec![Vec::new(); self.len()];
        picks.iter().rev().for_each(|pick| queues[pick.unit as usize].push(*pick));
        for (unit, mask) in self.of_row.iter().zip(masks) {
            let queue = &mut queues[*unit as usize];
            while queue.last().is_some_and(|pick| pick.records == 0) {
                queue.pop();
            }
            if let Some(pick) = queue.last_mut() {
                pick.records -= 1;
                *mask |= pick.mask;
            }
        }
    }

    /// The units that a constraint counts.
    pub(super) fn counted_by(&self, constraint: usize) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(move |unit| self.counts(constraint, *unit))
    }
}

/// For each record a number for the set of constraints that count it.
fn circles(problem: &Problem<'_>) -> Vec<u32> {
    let mut circles = vec![0u32; problem.rows];
    for counted in problem.request.constraints.iter().filter_map(|constraint| constraint.rows.as_ref()) {
        let mut number: HashMap<(u32, bool), u32> = HashMap::new();
        for (circle, counted) in circles.iter_mut().zip(counted) {
            let next = number.len() as u32;
            *circle = *number.entry((*circle, *counted)).or_insert(next);
        }
    }
    circles
}
