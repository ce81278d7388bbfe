//! Equivalence classes: how many records share a record's key.
//!
//! The prosecutor knows that their target is in the file, so a record in a class of `f` is found with chance `1/f`
//! (METHODS I.7; El Emam and Dankar 2008, "Protecting privacy using k-anonymity").

use std::borrow::Cow;

use outward_cells::{Cells, Tabulated, compatible_counts, supporting_counts, tabulate};
use schemars::JsonSchema;
use serde::Serialize;

/// The size of the class of every cell's records. Where missing values match everything, classes overlap and a record's
/// class is all records that support it (`docs/methods/classes.md`).
#[derive(Debug, Clone)]
pub struct Classes<'a> {
    members: &'a [u64],
    sizes: Cow<'a, [u64]>,
    records: u64,
}

impl<'a> Classes<'a> {
    /// Classes of cells; `wild` says for each key whether its missing values match everything.
    pub fn from_cells(cells: &'a Cells, wild: &[bool]) -> Self {
        Self::on_threads(cells, wild, 1)
    }

    /// The same on up to `threads` threads.
    pub fn on_threads(cells: &'a Cells, wild: &[bool], threads: usize) -> Self {
        let members = cells.counts();
        let sizes = match wild.contains(&true) {
            true => Cow::Owned(supporting_counts(cells, wild, threads)),
            false => Cow::Borrowed(members),
        };
        Self { members, sizes, records: cells.records() }
    }

    /// All records compatible with each cell, whether they support it or not: the frequency counts of sdcMicro.
    pub fn compatible(cells: &'a Cells, wild: &[bool], threads: usize) -> Self {
        let sizes = Cow::Owned(compatible_counts(cells, wild, threads).0);
        Self { members: cells.counts(), sizes, records: cells.records() }
    }

    /// The class size of each cell.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Records in each cell with the size of their class.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.members.iter().copied().zip(self.sizes.iter().copied())
    }

    /// Records whose class has a size that `wanted` accepts.
    pub fn records_where(&self, wanted: impl Fn(u64) -> bool) -> u64 {
        self.pairs().filter(|(_, size)| wanted(*size)).map(|(members, _)| members).sum()
    }

    /// Sums the classes up.
    pub fn measure(&self, k: u64) -> ClassMeasure {
        ClassMeasure {
            records: self.records,
            cells: self.members.len() as u64,
            uniques: self.records_where(|size| size == 1),
            pairs: self.records_where(|size| size == 2),
            below_k: self.records_where(|size| size < k),
            k: self.sizes.iter().copied().min().unwrap_or(0),
        }
    }

    /// The prosecutor's chances.
    pub fn prosecutor(&self, k: u64) -> Option<Chances> {
        let (smallest, largest) = (self.sizes.iter().min()?, self.sizes.iter().max()?);
        let expected: f64 = self.pairs().map(|(members, size)| members as f64 / size as f64).sum();
        Some(Chances {
            highest: 1.0 / *smallest as f64,
            average: expected / self.records as f64,
            lowest: 1.0 / *largest as f64,
            at_risk: self.records_where(|size| size < k) as f64 / self.records as f64,
        })
    }

    /// Records and cells by size of class, in bands that double: 1, 2, 3–4, 5–9, 10–19 and so on.
    pub fn bands(&self) -> Vec<SizeBand> {
        const EDGES: [u64; 10] = [1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000];
        let band =
            |at: usize| SizeBand { from: EDGES[at], to: EDGES.get(at + 1).map(|next| next - 1), cells: 0, records: 0 };
        let mut bands: Vec<SizeBand> = (0..EDGES.len()).map(band).collect();
        for (members, size) in self.pairs() {
            let at = EDGES.partition_point(|edge| *edge <= size).saturating_sub(1);
            bands[at].cells += 1;
            bands[at].records += members;
        }
        while bands.len() > 4 && bands.last().is_some_and(|band| band.cells == 0) {
            bands.pop();
        }
        bands
    }
}

/// Classes by other ways to count than the one that k is judged on, if missing values match everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OtherClasses {
    /// If missing is a value like any other.
    pub exact: ClassMeasure,
    /// If every compatible record counts, however few values it has: the frequency counts of sdcMicro.
    pub compatible: ClassMeasure,
}

impl OtherClasses {
    /// None if no missing value matches everything.
    pub fn measure(cells: &Cells, wild: &[bool], k: u64, threads: usize) -> Option<Self> {
        wild.contains(&true).then(|| Self {
            exact: Classes::from_cells(cells, &vec![false; wild.len()]).measure(k),
            compatible: Classes::compatible(cells, wild, threads).measure(k),
        })
    }
}

/// One table of the cells, missing values compared as `wild` says for each key of the cells.
pub fn measure_table(cells: &Cells, wild: &[bool], keys: Vec<usize>, k: u64) -> Tabulated {
    if !keys.iter().any(|key| wild[*key]) {
        return tabulate(cells, &keys, k);
    }
    let wild: Vec<bool> = keys.iter().map(|key| wild[*key]).collect();
    let ClassMeasure { cells, uniques, pairs, below_k, k: smallest, .. } =
        Classes::from_cells(&cells.margin(&keys), &wild).measure(k);
    Tabulated { keys, cells, uniques, pairs, below_k, smallest }
}

/// Classes summed up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ClassMeasure {
    /// Records counted.
    pub records: u64,
    /// Combinations of the keys that occur.
    pub cells: u64,
    /// Records alone in their class.
    pub uniques: u64,
    /// Records in classes of two.
    pub pairs: u64,
    /// Records in classes smaller than the threshold.
    pub below_k: u64,
    /// Size of the smallest class; 0 without records.
    pub k: u64,
}

/// Chances of a correct match, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Chances {
    /// Of the record most at risk.
    pub highest: f64,
    /// Over all records.
    pub average: f64,
    /// Of the record least at risk.
    pub lowest: f64,
    /// Share of records whose chance is above 1/k.
    pub at_risk: f64,
}

/// Classes whose size lies within a band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SizeBand {
    /// Smallest size.
    pub from: u64,
    /// Largest size; none for the last band.
    pub to: Option<u64>,
    /// Cells in classes of such a size.
    pub cells: u64,
    /// Records in them.
    pub records: u64,
}
