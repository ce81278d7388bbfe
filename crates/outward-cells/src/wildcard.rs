//! Counts under the wildcard meaning of missing values. Two cells are compatible when every key is equal or missing in at
//! least one of them ([`compatible_counts`]; METHODS I.1; the counting of sdcMicro's `freqCalc`).
//!
//! A class needs more than that: otherwise a record without any value would be in every class. Two records support each
//! other if they are compatible and both have values on more than half of the keys. Otherwise a record supports another
//! only if it has every value that the other has ([`supporting_counts`]; rule and proof: `docs/methods/classes.md`).
//!
//! Cells are grouped by the keys they have ([`pattern`]). Two groups meet on the keys that both have. The smaller group
//! is put into a table over those keys, and each cell of the larger is looked up in it once. That adds to the sums of
//! both ([`matching`]). The cost is the number of pairs of patterns that occur times the cells in them, not the square
//! of the cells.

mod amount;
mod classes;
mod lookup;
mod matching;
mod pattern;

use outward_error::{Error, Result};

use crate::cells::{Cells, on_packed};
use crate::layout::Packed;
use amount::{Amount, Weighted};
use matching::GroupMatching;
use pattern::{Group, by_pattern};

/// For every cell, the records compatible with it and their weight sum. `wild` says for each key whether its missing
/// values match everything; where not, a missing value only matches another. The answer does not depend on `threads`.
pub fn compatible_counts(cells: &Cells, wild: &[bool], threads: usize) -> (Vec<u64>, Vec<f64>) {
    let sums = WildcardSums::from_cells(cells, wild, threads, Matches::All);
    (sums.counts, sums.weights)
}

/// For every cell the size of its class: the records that support it, its own included. `wild` and `threads` are as for
/// [`compatible_counts`].
pub fn supporting_counts(cells: &Cells, wild: &[bool], threads: usize) -> Vec<u64> {
    matched(cells, wild, cells.counts(), threads, Matches::Supporting)
}

/// Whether a record that lacks so many of some keys has values on more than half of them.
pub fn has_most_keys(keys: usize, lacking: usize) -> bool {
    2 * lacking < keys
}

/// As [`compatible_counts`], with a match that needs a missing value in the other record counted `alpha`, from 0 to 1,
/// instead of 1. With 0 a record with all its keys is not helped by those that lack some.
pub fn damped_counts(cells: &Cells, wild: &[bool], alpha: f64, threads: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    if !(0.0..=1.0).contains(&alpha) {
        return Err(Error::input("the share that a match with a missing value counts is not a number from 0 to 1")
            .help("give an alpha from 0 to 1; 1 counts every match fully")
            .into());
    }
    let all = WildcardSums::from_cells(cells, wild, threads, Matches::All);
    let full = WildcardSums::from_cells(cells, wild, threads, Matches::WithoutTheirWildcards);
    let damped = |all: f64, full: f64| full + alpha * (all - full);
    let counts = all.counts.iter().zip(&full.counts).map(|(all, full)| damped(*all as f64, *full as f64)).collect();
    let weights = all.weights.iter().zip(&full.weights).map(|(all, full)| damped(*all, *full)).collect();
    Ok((counts, weights))
}

/// Which matches of a cell are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Matches {
    All,
    /// Only with cells that have every key the cell itself has.
    WithoutTheirWildcards,
    /// Those, and matches of two cells that both have most keys.
    Supporting,
}

impl Matches {
    /// Whether cells of the group `own` count those of the group `other` that are compatible with them.
    fn count<P: Packed>(self, own: &Group<P>, other: &Group<P>) -> bool {
        let has_all = || own.known.and(other.known) == own.known;
        match self {
            Self::All => true,
            Self::WithoutTheirWildcards => has_all(),
            Self::Supporting => own.has_most && other.has_most || has_all(),
        }
    }
}

/// What matches each cell.
struct WildcardSums {
    counts: Vec<u64>,
    weights: Vec<f64>,
}

impl WildcardSums {
    fn from_cells(cells: &Cells, wild: &[bool], threads: usize, matches: Matches) -> Self {
        if cells.is_weighted() {
            let own: Vec<Weighted> = (0..cells.len()).map(|cell| Weighted::from_cells(cells, cell)).collect();
            let sums = matched(cells, wild, &own, threads, matches);
            let weights = sums.iter().map(|sum| sum.weight()).collect();
            Self { counts: sums.iter().map(|sum| sum.count).collect(), weights }
        } else {
            let counts = matched(cells, wild, cells.counts(), threads, matches);
            Self { weights: counts.iter().map(|count| *count as f64).collect(), counts }
        }
    }
}

fn matched<A: Amount>(cells: &Cells, wild: &[bool], own: &[A], threads: usize, matches: Matches) -> Vec<A> {
    on_packed!(cells.packed(), packed => {
        let groups = by_pattern(cells.layout(), packed, wild, wild.len());
        GroupMatching::new(&groups, own, matches).sums(threads)
    })
}
