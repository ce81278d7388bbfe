//! Counts under the wildcard meaning of missing values: two cells are compatible when every key is equal or missing in
//! at least one of them, and a cell's count is the number of records compatible with it (METHODS I.1 with α = 1; the
//! counting of sdcMicro's `freqCalc`).
//!
//! Cells are grouped by which keys are missing. Two groups meet on the keys both have: one group is summed over those
//! keys and the other looks itself up. The cost is the number of pairs of patterns that occur times the cells in them,
//! not the square of the cells.

use hashbrown::HashMap;

use crate::cells::{Cells, on_packed};
use crate::dictionary::MISSING;
use crate::layout::{Layout, Packed};

/// For every cell, the records compatible with it and their weight sum. `wild` says for each key whether its missing
/// values match everything; where not, a missing value only matches another.
pub fn compatible_counts(cells: &Cells, wild: &[bool]) -> (Vec<u64>, Vec<f64>) {
    on_packed!(cells.packed(), packed => compatible(cells, packed, wild))
}

fn compatible<P: Packed>(cells: &Cells, packed: &[P], wild: &[bool]) -> (Vec<u64>, Vec<f64>) {
    let groups = by_pattern(cells.layout(), packed, wild);
    let mut counts = vec![0u64; packed.len()];
    let mut weights = vec![0f64; packed.len()];
    for (mine, members) in &groups {
        let mut sums: HashMap<Vec<bool>, HashMap<P, (u64, f64)>> = HashMap::new();
        for (theirs, others) in &groups {
            let shared: Vec<bool> = mine.iter().zip(theirs).map(|(a, b)| !a && !b).collect();
            let sums = sums.entry(shared.clone()).or_default();
            let bits = bits(cells.layout(), &shared);
            for other in others {
                let sum = sums.entry(packed[*other].and(bits)).or_default();
                sum.0 += cells.counts()[*other];
                sum.1 += cells.weight(*other);
            }
        }
        // Patterns that share the same keys with mine were summed together; fixed order keeps the weights repeatable.
        let mut shared: Vec<_> = sums.into_iter().collect();
        shared.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (shared, sums) in &shared {
            let bits = bits(cells.layout(), shared);
            for member in members {
                if let Some((count, weight)) = sums.get(&packed[*member].and(bits)) {
                    counts[*member] += count;
                    weights[*member] += weight;
                }
            }
        }
    }
    (counts, weights)
}

/// Cells by the keys on which they match everything, patterns in order.
fn by_pattern<P: Packed>(layout: &Layout, packed: &[P], wild: &[bool]) -> Vec<(Vec<bool>, Vec<usize>)> {
    let mut groups: HashMap<Vec<bool>, Vec<usize>> = HashMap::new();
    for (cell, key) in packed.iter().enumerate() {
        let missing: Vec<bool> = (0..layout.keys()).map(|at| wild[at] && layout.code(*key, at) == MISSING).collect();
        groups.entry(missing).or_default().push(cell);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    groups
}

/// The bits of the keys that are shared.
fn bits<P: Packed>(layout: &Layout, shared: &[bool]) -> P {
    layout.bits_of(shared.iter().enumerate().filter(|(_, shared)| **shared).map(|(key, _)| key))
}
