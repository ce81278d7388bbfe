//! Branch and bound on sublattices of recodings.
//!
//! A sublattice is all recodings from a finest to a coarsest one. What the coarsest must suppress, every other one
//! suppresses too, and none publishes more than the finest. Both together bound the loss of the whole sublattice. It is
//! split by evaluating the neighbours below its coarsest recoding, one for each key. The coarsest recoding itself is
//! evaluated already. What remains is, for each key, the recodings in which that key is finer and the keys before it
//! stay. So every recoding is in one sublattice and is evaluated once at most. Memory grows with the recodings that are
//! evaluated, not with the lattice.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::loss::Score;

use super::demands::RowGroups;
use super::evaluate::{Evaluation, Groupings, OptimisticBound, SearchBuffers, Solution, Task};
use super::progress::Progress;
use super::rows::{Levels, RowSums, SearchRows};

/// The recodings from `finest` to `coarsest`, the coarsest evaluated.
#[derive(Debug, Clone)]
pub(super) struct Sublattice {
    pub(super) bound: Score,
    pub(super) finest: Levels,
    pub(super) coarsest: Levels,
    optimistic: OptimisticBound,
    /// Rows of this sublattice or of one that holds it.
    rows: Arc<StoredRows>,
}

impl Sublattice {
    /// Whether no recoding of the sublattice comes before one that is found.
    pub(super) fn is_beaten_by(&self, found: Option<&Solution>) -> bool {
        found.is_some_and(|found| match self.bound.compare(&found.score) {
            Ordering::Less => false,
            // Levels of the sublattice are nowhere below the finest, so none comes before it.
            Ordering::Equal => found.levels <= self.finest,
            Ordering::Greater => true,
        })
    }

    /// In the order of evaluation: lowest bound first.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.bound.compare(&other.bound).then_with(|| self.coarsest.cmp(&other.coarsest))
    }

    /// How many rows opening it works on.
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }
}

/// What became of a sublattice.
#[derive(Debug, Default)]
pub(super) struct OpenedSublattice {
    pub(super) parts: Vec<Sublattice>,
    pub(super) found: Option<Solution>,
    pub(super) evaluated: u64,
}

/// Bytes of rows that may be stored; sublattices that come later work on the rows of a larger one.
const MAX_STORED: usize = 1 << 29;

impl Task<'_> {
    /// Whether more rows may be stored.
    pub(super) fn may_store(&self) -> bool {
        self.ledger.load(Relaxed) < MAX_STORED
    }

    /// Goes down from the coarsest recoding, each time to the best neighbour, as long as that is better: a first recoding to
    /// beat.
    pub(super) fn dive(&self, whole: &Sublattice, progress: &mut Progress, scratch: &mut SearchBuffers) {
        let mut rows = self.rows_of(whole);
        loop {
            let groupings = Groupings::new(self, &rows);
            let mut below = None;
            for key in (0..rows.free.len()).filter(|key| rows.free[*key] && rows.coarsest[*key] > 0) {
                progress.nodes += 1;
                let evaluation = self.evaluate(&rows, &groupings, Some(key), progress.best.as_ref(), scratch);
                if let Some(Evaluation { optimistic, found: Some(found) }) = evaluation {
                    below = Some((optimistic, found.levels.clone()));
                    progress.keep(Some(found));
                }
            }
            let Some((optimistic, coarsest)) = below else { return };
            rows = self.rows_of(&self.sublattice(optimistic, whole.finest.clone(), coarsest, rows, scratch));
        }
    }

    /// The whole lattice, its coarsest recoding evaluated. Nothing if that must suppress too much or lacks a class of the
    /// population.
    pub(super) fn whole(&self, scratch: &mut SearchBuffers) -> Option<(Sublattice, Option<Solution>)> {
        let rows = SearchRows::plain(self.table);
        let keys: Vec<usize> = (0..rows.coarsest.len()).collect();
        let classes = rows.group(self.table, &keys, &rows.coarsest);
        // Rows of a sublattice keep no class without records. So a class of the population without records must be
        // found here.
        if self.demands.lacks_class(&rows, &classes, &vec![false; rows.len()]) {
            return None;
        }
        let rows = SearchRows::whole(self.table);
        let Evaluation { optimistic, found } =
            self.evaluate(&rows, &Groupings::new(self, &rows), None, None, scratch)?;
        let (finest, coarsest) = (vec![0; rows.coarsest.len()], rows.coarsest.clone());
        let rows = StoredRows::new(rows, &self.ledger);
        Some((self.sublattice(optimistic, finest, coarsest, rows, scratch), found))
    }

    fn sublattice(
        &self,
        mut optimistic: OptimisticBound,
        finest: Levels,
        coarsest: Levels,
        rows: Arc<StoredRows>,
        scratch: &mut SearchBuffers,
    ) -> Sublattice {
        settle(&mut optimistic.sums, &finest, &coarsest);
        let bound = self.bound(&optimistic, &finest, scratch);
        Sublattice { bound, finest, coarsest, optimistic, rows }
    }

    /// Evaluates the neighbours below the coarsest recoding of a sublattice and splits it. The new ones keep its rows where they may be
    /// stored, else the rows it had.
    pub(super) fn open(
        &self,
        part: Sublattice,
        best: Option<&Solution>,
        store: bool,
        scratch: &mut SearchBuffers,
    ) -> OpenedSublattice {
        let mut opened = OpenedSublattice::default();
        let rows = self.rows_of(&part);
        let Sublattice { mut optimistic, finest, coarsest, rows: given, .. } = part;
        if self.keeps_suppressed() {
            optimistic.all_squares = rows.sums.squares;
        } else {
            optimistic.sums = rows.sums.clone();
        }
        let part = self.sublattice(optimistic, finest, coarsest, if store { rows.clone() } else { given }, scratch);
        if part.is_beaten_by(best) {
            return opened;
        }
        let groupings = Groupings::new(self, &rows);
        let mut evaluated = Vec::new();
        for key in (0..part.finest.len()).filter(|key| part.finest[*key] < part.coarsest[*key]) {
            opened.evaluated += 1;
            let evaluation = self.evaluate(&rows, &groupings, Some(key), opened.found.as_ref().or(best), scratch);
            evaluated.push((
                key,
                evaluation.map(|evaluation| {
                    opened.found = evaluation.found.or(opened.found.take());
                    evaluation.optimistic
                }),
            ));
        }
        let known = opened.found.clone();
        opened.parts = self.split(&part, evaluated, known.as_ref().or(best), scratch);
        opened
    }

    /// One sublattice for each key that may become finer, keys before it staying. Two kinds of keys come first. One has
    /// a sublattice with a high bound, which may soon be excluded. The other raises the bounds of the parts after it by
    /// staying.
    fn split(
        &self,
        part: &Sublattice,
        evaluated: Vec<(usize, Option<OptimisticBound>)>,
        best: Option<&Solution>,
        scratch: &mut SearchBuffers,
    ) -> Vec<Sublattice> {
        let mut finest = part.finest.clone();
        // A key that cannot be made finer at all stays from the start.
        evaluated
            .iter()
            .filter(|(_, optimistic)| optimistic.is_none())
            .for_each(|(key, _)| finest[*key] = part.coarsest[*key]);
        let mut open: Vec<(usize, OptimisticBound)> =
            evaluated.into_iter().filter_map(|(key, optimistic)| Some((key, optimistic?))).collect();
        let gains: Vec<f64> = (0..finest.len()).map(|key| self.gain(part, key, scratch)).collect();
        let mut parts = Vec::new();
        while !open.is_empty() {
            let mut children: Vec<Sublattice> = open
                .iter()
                .map(|(key, optimistic)| {
                    let mut coarsest = part.coarsest.clone();
                    coarsest[*key] -= 1;
                    self.sublattice(optimistic.clone(), finest.clone(), coarsest, part.rows.clone(), scratch)
                })
                .collect();
            let number = |score: &Score| self.measure.number(score, finest.len());
            let weight = |at: usize| number(&children[at].bound) + gains[open[at].0];
            let first = (1..children.len()).fold(0, |first, at| if weight(at) > weight(first) { at } else { first });
            let child = children.swap_remove(first);
            let (key, _) = open.remove(first);
            if child.finest != child.coarsest && !child.is_beaten_by(best) {
                parts.push(child);
            }
            finest[key] = part.coarsest[key];
        }
        parts
    }

    /// By how much the bound of a sublattice rises when a key stays at its coarsest level.
    fn gain(&self, part: &Sublattice, key: usize, scratch: &mut SearchBuffers) -> f64 {
        let number = |score: &Score| self.measure.number(score, part.finest.len());
        let mut finest = part.finest.clone();
        finest[key] = part.coarsest[key];
        let mut optimistic = part.optimistic.clone();
        settle(&mut optimistic.sums, &finest, &part.coarsest);
        number(&self.bound(&optimistic, &finest, scratch)) - number(&part.bound)
    }

    /// The rows of a sublattice, rolled up from those it was given.
    fn rows_of(&self, part: &Sublattice) -> Arc<StoredRows> {
        let rows = &part.rows;
        let free: Vec<bool> = part.finest.iter().zip(&part.coarsest).map(|(low, high)| low < high).collect();
        if rows.free == free && rows.coarsest == part.coarsest && rows.sums.records == part.optimistic.sums.records {
            return rows.clone();
        }
        let mut classes = rows.grouped();
        for key in 0..free.len() {
            if part.coarsest[key] < rows.coarsest[key] {
                classes = rows.split(self.table, &classes, key, part.coarsest[key]);
            }
        }
        let mut gone = vec![false; rows.len()];
        let sums = if self.keeps_suppressed() {
            let sum =
                |levels: &[u8]| levels.iter().enumerate().map(|(key, at)| self.table.all_leaves(key, *at)).collect();
            RowSums {
                records: self.table.records(),
                finest: sum(&part.finest),
                coarsest: sum(&part.coarsest),
                ..RowSums::default()
            }
        } else {
            // If the number of records that stay is the number of records, none is gone.
            if part.optimistic.sums.records < rows.sums.records {
                let margins = self.margins_of(rows, &part.coarsest);
                self.demands.remove_surely(
                    rows,
                    &RowGroups { classes: &classes, margins: &margins, ranks: &|_| Vec::new() },
                    &mut gone,
                );
            }
            part.optimistic.sums.clone()
        };
        let rows = rows.part(self.table, &free, &part.coarsest, &classes, &gone, sums);
        StoredRows::new(rows, &self.ledger)
    }
}

/// Where a key cannot change any more, its finest sum is its coarsest.
fn settle(sums: &mut RowSums, finest: &[u8], coarsest: &[u8]) {
    for key in (0..finest.len()).filter(|key| finest[*key] == coarsest[*key]) {
        sums.finest[key] = sums.coarsest[key];
    }
}

/// Rows, with a note of how many bytes are stored in all.
#[derive(Debug)]
pub(super) struct StoredRows {
    rows: SearchRows,
    bytes: usize,
    ledger: Arc<AtomicUsize>,
}

impl StoredRows {
    fn new(rows: SearchRows, ledger: &Arc<AtomicUsize>) -> Arc<Self> {
        let bytes = rows.bytes();
        ledger.fetch_add(bytes, Relaxed);
        Arc::new(Self { rows, bytes, ledger: ledger.clone() })
    }
}

impl Drop for StoredRows {
    fn drop(&mut self) {
        self.ledger.fetch_sub(self.bytes, Relaxed);
    }
}

impl std::ops::Deref for StoredRows {
    type Target = SearchRows;

    fn deref(&self) -> &SearchRows {
        &self.rows
    }
}
