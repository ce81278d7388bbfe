//! Branch and bound on parts of the lattice.
//!
//! A part is all recodings from a finest to a coarsest one. Whatever the coarsest must suppress, every other suppresses
//! too, and nobody publishes more than the finest, so both together bound the loss of the whole part. A part is split by
//! looking at the neighbours below its coarsest recoding, one for each key: what remains is the coarsest itself, which
//! has been looked at, and for each key the recodings where that key is finer while keys before it stay. So every
//! recoding is in one part and looked at once at most, and what is stored grows with the recodings looked at,
//! not with the lattice.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::loss::Score;

use super::demands::Placed;
use super::look::{Found, Groupings, Hope, Look, Room, Task};
use super::progress::Progress;
use super::rows::{Levels, Rows, Sums};

/// The recodings from `finest` to `coarsest`, the coarsest looked at.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) bound: Score,
    pub(super) finest: Levels,
    pub(super) coarsest: Levels,
    hope: Hope,
    /// Rows of this part or of one that holds it.
    rows: Arc<Stored>,
}

impl Part {
    /// Whether no recoding of the part comes before one that is found.
    pub(super) fn is_beaten_by(&self, found: Option<&Found>) -> bool {
        found.is_some_and(|found| match self.bound.compare(&found.score) {
            Ordering::Less => false,
            // Levels of the part are nowhere below the finest, so none comes before it.
            Ordering::Equal => found.levels <= self.finest,
            Ordering::Greater => true,
        })
    }

    /// In the order to look at: lowest bound first.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.bound.compare(&other.bound).then_with(|| self.coarsest.cmp(&other.coarsest))
    }

    /// How many rows opening it works on.
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }
}

/// What became of a part.
#[derive(Debug, Default)]
pub(super) struct Opened {
    pub(super) parts: Vec<Part>,
    pub(super) found: Option<Found>,
    pub(super) looks: u64,
}

/// Bytes of rows that may be stored; parts that come later work on the rows of a larger part.
const MOST_STORED: usize = 1 << 29;

impl Task<'_> {
    /// Whether more rows may be stored.
    pub(super) fn may_store(&self) -> bool {
        self.ledger.load(Relaxed) < MOST_STORED
    }

    /// Goes down from the coarsest recoding, each time to the best neighbour, as long as that is better: a first recoding to
    /// beat.
    pub(super) fn dive(&self, whole: &Part, progress: &mut Progress, room: &mut Room) {
        let mut rows = self.rows_of(whole);
        loop {
            let groupings = Groupings::new(self, &rows);
            let mut below = None;
            for key in (0..rows.free.len()).filter(|key| rows.free[*key] && rows.coarsest[*key] > 0) {
                progress.nodes += 1;
                let look = self.look(&rows, &groupings, Some(key), progress.best.as_ref(), room);
                if let Some(Look { hope, found: Some(found) }) = look {
                    below = Some((hope, found.levels.clone()));
                    progress.keep(Some(found));
                }
            }
            let Some((hope, coarsest)) = below else { return };
            rows = self.rows_of(&self.part(hope, whole.finest.clone(), coarsest, rows, room));
        }
    }

    /// The whole lattice, its coarsest recoding looked at. Nothing where that must suppress too much or lacks a class of the
    /// population.
    pub(super) fn whole(&self, room: &mut Room) -> Option<(Part, Option<Found>)> {
        let rows = Rows::plain(self.table);
        let keys: Vec<usize> = (0..rows.coarsest.len()).collect();
        let classes = rows.group(self.table, &keys, &rows.coarsest);
        // Rows of a part keep no class without records, so that it is missed here or never.
        if self.demands.lacks_class(&rows, &classes, &vec![false; rows.len()]) {
            return None;
        }
        let rows = Rows::whole(self.table);
        let Look { hope, found } = self.look(&rows, &Groupings::new(self, &rows), None, None, room)?;
        let (finest, coarsest) = (vec![0; rows.coarsest.len()], rows.coarsest.clone());
        let rows = Stored::new(rows, &self.ledger);
        Some((self.part(hope, finest, coarsest, rows, room), found))
    }

    fn part(&self, mut hope: Hope, finest: Levels, coarsest: Levels, rows: Arc<Stored>, room: &mut Room) -> Part {
        settle(&mut hope.sums, &finest, &coarsest);
        let bound = self.bound(&hope, &finest, room);
        Part { bound, finest, coarsest, hope, rows }
    }

    /// Looks at the neighbours below the coarsest recoding of a part and splits it. The parts keep its rows where they may be
    /// stored, else the rows it had.
    pub(super) fn open(&self, part: Part, best: Option<&Found>, store: bool, room: &mut Room) -> Opened {
        let mut opened = Opened::default();
        let rows = self.rows_of(&part);
        let Part { mut hope, finest, coarsest, rows: given, .. } = part;
        if self.keeps_suppressed() {
            hope.all_squares = rows.sums.squares;
        } else {
            hope.sums = rows.sums.clone();
        }
        let part = self.part(hope, finest, coarsest, if store { rows.clone() } else { given }, room);
        if part.is_beaten_by(best) {
            return opened;
        }
        let groupings = Groupings::new(self, &rows);
        let mut looks = Vec::new();
        for key in (0..part.finest.len()).filter(|key| part.finest[*key] < part.coarsest[*key]) {
            opened.looks += 1;
            let look = self.look(&rows, &groupings, Some(key), opened.found.as_ref().or(best), room);
            looks.push((
                key,
                look.map(|look| {
                    opened.found = look.found.or(opened.found.take());
                    look.hope
                }),
            ));
        }
        let known = opened.found.clone();
        opened.parts = self.split(&part, looks, known.as_ref().or(best), room);
        opened
    }

    /// One part for each key that may become finer, keys before it staying. Those come first whose part is bad, as it may soon
    /// be beaten, and that make the parts after them bad by staying.
    fn split(
        &self,
        part: &Part,
        looks: Vec<(usize, Option<Hope>)>,
        best: Option<&Found>,
        room: &mut Room,
    ) -> Vec<Part> {
        let mut finest = part.finest.clone();
        // A key that cannot be made finer at all stays from the start.
        looks.iter().filter(|(_, hope)| hope.is_none()).for_each(|(key, _)| finest[*key] = part.coarsest[*key]);
        let mut open: Vec<(usize, Hope)> = looks.into_iter().filter_map(|(key, hope)| Some((key, hope?))).collect();
        let gains: Vec<f64> = (0..finest.len()).map(|key| self.gain(part, key, room)).collect();
        let mut parts = Vec::new();
        while !open.is_empty() {
            let mut children: Vec<Part> = open
                .iter()
                .map(|(key, hope)| {
                    let mut coarsest = part.coarsest.clone();
                    coarsest[*key] -= 1;
                    self.part(hope.clone(), finest.clone(), coarsest, part.rows.clone(), room)
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

    /// By how much the bound of a part rises when a key stays at its coarsest level.
    fn gain(&self, part: &Part, key: usize, room: &mut Room) -> f64 {
        let number = |score: &Score| self.measure.number(score, part.finest.len());
        let mut finest = part.finest.clone();
        finest[key] = part.coarsest[key];
        let mut hope = part.hope.clone();
        settle(&mut hope.sums, &finest, &part.coarsest);
        number(&self.bound(&hope, &finest, room)) - number(&part.bound)
    }

    /// The rows of a part, rolled up from those it was given.
    fn rows_of(&self, part: &Part) -> Arc<Stored> {
        let rows = &part.rows;
        let free: Vec<bool> = part.finest.iter().zip(&part.coarsest).map(|(low, high)| low < high).collect();
        if rows.free == free && rows.coarsest == part.coarsest && rows.sums.records == part.hope.sums.records {
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
            Sums {
                records: self.table.records(),
                finest: sum(&part.finest),
                coarsest: sum(&part.coarsest),
                ..Sums::default()
            }
        } else {
            // Where as many records stay as there are, none is gone.
            if part.hope.sums.records < rows.sums.records {
                let margins = self.margins_of(rows, &part.coarsest);
                self.demands.remove_surely(
                    rows,
                    &Placed { classes: &classes, margins: &margins, ranks: &|_| Vec::new() },
                    &mut gone,
                );
            }
            part.hope.sums.clone()
        };
        let rows = rows.part(self.table, &free, &part.coarsest, &classes, &gone, sums);
        Stored::new(rows, &self.ledger)
    }
}

/// Where a key cannot change any more, its finest sum is its coarsest.
fn settle(sums: &mut Sums, finest: &[u8], coarsest: &[u8]) {
    for key in (0..finest.len()).filter(|key| finest[*key] == coarsest[*key]) {
        sums.finest[key] = sums.coarsest[key];
    }
}

/// Rows, with a note of how many bytes are stored in all.
#[derive(Debug)]
pub(super) struct Stored {
    rows: Rows,
    bytes: usize,
    ledger: Arc<AtomicUsize>,
}

impl Stored {
    fn new(rows: Rows, ledger: &Arc<AtomicUsize>) -> Arc<Self> {
        let bytes = rows.bytes();
        ledger.fetch_add(bytes, Relaxed);
        Arc::new(Self { rows, bytes, ledger: ledger.clone() })
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        self.ledger.fetch_sub(self.bytes, Relaxed);
    }
}

impl std::ops::Deref for Stored {
    type Target = Rows;

    fn deref(&self) -> &Rows {
        &self.rows
    }
}
