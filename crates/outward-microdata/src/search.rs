//! The recoding search: one level for each key. Of all choices that meet the privacy models with no more records
//! suppressed than allowed, it finds the one that loses least.
//!
//! It works on counted cells and never on records, by branch and bound on sublattices (`sublattice.rs`). If it
//! finishes, its answer is the best of all. If it is told to stop earlier, its answer is the best so far, with a proven
//! bound.

mod demands;
mod evaluate;
mod examine;
mod frontier;
mod grouping;
mod levels;
mod local;
mod progress;
mod rows;
mod sublattice;
mod table;
mod watch;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use outward_spec::{Error, Result};

use crate::loss::{Facts, Measure, Score};
use crate::models::Model;

use demands::Demands;
use evaluate::{SearchBuffers, Task};
use progress::Progress;
use sublattice::{OpenedSublattice, Sublattice};

pub use examine::{ModelShortfall, Shortfall};
pub use frontier::{RiskAndLoss, frontier, pareto};
pub(crate) use levels::text_ranks;
pub use levels::{Key, KeyLevel};
pub use local::{Improved, improve};
pub use progress::Recoded;
pub use table::{CountedCells, Histograms, SearchTable};
pub use watch::{SearchState, Watch};

/// What to search for.
#[derive(Debug)]
pub struct Search<'a> {
    /// What must hold.
    pub models: &'a [Box<dyn Model>],
    /// What is to be small.
    pub measure: &'a Measure,
    /// The largest share of records that may be suppressed.
    pub limit: f64,
    /// The share of the population that is in the data, where known.
    pub sampling_fraction: Option<f64>,
    /// Recodings to look at before the search stops unfinished.
    pub most_nodes: u64,
    /// Threads to use; the answer does not depend on it.
    pub threads: usize,
    /// Whether models that compare with the whole take the published records for the whole, as a reader of the release
    /// must. Otherwise they compare with the whole they were made for.
    pub fits: bool,
    /// Recodings that may be good, such as answers to similar questions: a good start makes a search shorter.
    pub start: Vec<Vec<usize>>,
    /// Who follows the search and may end it early.
    pub watch: Option<&'a dyn Watch>,
}

impl<'a> Search<'a> {
    /// A search that suppresses nothing and looks at up to a million recodings on one thread.
    pub fn new(models: &'a [Box<dyn Model>], measure: &'a Measure) -> Self {
        Self {
            models,
            measure,
            limit: 0.0,
            sampling_fraction: None,
            most_nodes: 1_000_000,
            threads: 1,
            fits: true,
            start: Vec::new(),
            watch: None,
        }
    }

    /// The same question, without what it starts from.
    pub fn again(&self) -> Self {
        Self { start: Vec::new(), ..*self }
    }
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct SearchAnswer {
    /// The best recoding, where any meets the models.
    pub best: Option<Candidate>,
    /// No recoding has a loss below this.
    pub bound: f64,
    /// Whether the best is proven to be the best of all (or that none meets the models).
    pub finished: bool,
    /// Whether someone who followed the search ended it.
    pub stopped: bool,
    /// Recodings looked at.
    pub nodes: u64,
    /// Where none meets the models: what is wrong at the coarsest levels.
    pub shortfall: Option<Shortfall>,
}

/// A recoding that meets the models.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The level of each key.
    pub levels: Vec<usize>,
    /// The loss, joined over keys.
    pub loss: f64,
    /// The loss of each key; empty for measures that do not tell keys apart.
    pub key_losses: Vec<f64>,
    /// Records that are suppressed.
    pub suppressed_records: u64,
    /// Classes that are published.
    pub classes: u64,
    /// The mean over published records of one in the size of their class.
    pub average_risk: f64,
    /// One in the size of the smallest class.
    pub highest_risk: f64,
    /// For each cell of the table whether its records are suppressed.
    pub suppressed: Vec<bool>,
    /// What the loss was measured from.
    pub facts: Facts,
}

/// Parts opened at a time: a fixed number, so that the answer does not depend on how many threads open them.
const PARTS_PER_BATCH: usize = 4;

/// Recodings looked at before a search that is not over yet goes for a good recoding first. Short searches are over sooner without.
const DIVE_AFTER: u64 = 3_000;

/// Rows looked at before it does so, where there are many: some seconds of work.
const DIVE_AFTER_ROWS: usize = 40_000_000;

/// Rows in a batch from which it is worth starting threads.
const ROWS_WORTH_THREADS: usize = 30_000;

/// Searches the lattice of a table.
pub fn search(table: &SearchTable, search: &Search<'_>) -> Result<SearchAnswer> {
    let task = task(table, search)?;
    let mut scratch = SearchBuffers::default();
    let mut progress = Progress::default();
    let starts = search.start.iter().filter_map(|levels| checked_levels(table, levels)).collect::<Vec<_>>();
    for levels in &starts {
        progress.nodes += 1;
        progress.keep(task.found_at(levels, &mut scratch));
    }
    let Some((whole, found)) = task.whole(&mut scratch) else {
        return Ok(progress.answer(&task, None, search));
    };
    progress.keep(found);
    let root = whole.clone();
    let mut dived = false;
    let mut rows_seen = 0;
    let mut stopped = false;
    let mut open = BinaryHeap::from([QueuedSublattice(whole)]);
    let mut rooms: Vec<SearchBuffers> = (0..search.threads.max(1)).map(|_| SearchBuffers::default()).collect();
    while progress.nodes < search.most_nodes {
        if open.peek().is_some_and(|QueuedSublattice(part)| stops(search, &task, &progress, &part.bound, open.len())) {
            stopped = true;
            break;
        }
        if !dived && (progress.nodes >= DIVE_AFTER.min(search.most_nodes / 2) || rows_seen >= DIVE_AFTER_ROWS) {
            task.dive(&root, &mut progress, &mut scratch);
            dived = true;
        }
        let mut batch = Vec::with_capacity(PARTS_PER_BATCH);
        while let Some(QueuedSublattice(part)) = open.pop() {
            if part.is_beaten_by(progress.best.as_ref()) {
                // The others have no lower bound; those with an equal one may still hold levels that come first.
                continue;
            }
            batch.push(part);
            if batch.len() == PARTS_PER_BATCH {
                break;
            }
        }
        if batch.is_empty() {
            break;
        }
        let rows: Vec<usize> = batch.iter().map(Sublattice::rows).collect();
        for (rows, opened) in rows.into_iter().zip(open_all(&task, batch, &progress, &mut rooms)) {
            progress.nodes += opened.evaluated;
            rows_seen += rows * opened.evaluated as usize;
            progress.keep(opened.found);
            open.extend(opened.parts.into_iter().map(QueuedSublattice));
        }
    }
    open.retain(|QueuedSublattice(part)| !part.is_beaten_by(progress.best.as_ref()));
    let rest = open.into_iter().map(|QueuedSublattice(part)| part.bound).min_by(|a, b| a.compare(b));
    let rest = rest.map(|bound| search.measure.number(&bound, table.keys().len()));
    // A search that is over anyway was not ended by its follower.
    let stopped = stopped && rest.is_some();
    Ok(SearchAnswer { stopped, ..progress.answer(&task, rest, search) })
}

/// Whether someone who follows the search ends it here.
fn stops(search: &Search<'_>, task: &Task<'_>, progress: &Progress, bound: &Score, open: usize) -> bool {
    let number = |score: &Score| search.measure.number(score, task.table.keys().len());
    let state = || {
        let best = progress.best.as_ref().map(|best| number(&best.score));
        let bound = number(bound).min(best.unwrap_or(f64::INFINITY));
        SearchState { nodes: progress.nodes, best, bound, open }
    };
    search.watch.is_some_and(|watch| !watch.goes_on(&state()))
}

/// The parts of a batch opened, in their order.
fn open_all(
    task: &Task<'_>,
    batch: Vec<Sublattice>,
    progress: &Progress,
    rooms: &mut [SearchBuffers],
) -> Vec<OpenedSublattice> {
    let best = progress.best.as_ref();
    let store = task.may_store();
    let work: usize = batch.iter().map(Sublattice::rows).sum();
    if rooms.len() == 1 || batch.len() == 1 || work < ROWS_WORTH_THREADS {
        let Some(scratch) = rooms.first_mut() else { return Vec::new() };
        return batch.into_iter().map(|part| task.open(part, best, store, scratch)).collect();
    }
    let mut shares: Vec<Vec<(usize, Sublattice)>> = rooms.iter().map(|_| Vec::new()).collect();
    for (at, part) in batch.into_iter().enumerate() {
        let share = at % shares.len();
        shares[share].push((at, part));
    }
    let mut opened: Vec<(usize, OpenedSublattice)> = std::thread::scope(|scope| {
        let threads: Vec<_> = shares
            .into_iter()
            .zip(rooms.iter_mut())
            .map(|(share, scratch)| {
                scope.spawn(move || {
                    let open = |(at, part)| (at, task.open(part, best, store, scratch));
                    share.into_iter().map(open).collect::<Vec<_>>()
                })
            })
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<(usize, OpenedSublattice)>>| match thread.join() {
            Ok(opened) => opened,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().flat_map(join).collect()
    });
    opened.sort_by_key(|(at, _)| *at);
    opened.into_iter().map(|(_, opened)| opened).collect()
}

/// A part in the heap, lowest bound on top.
struct QueuedSublattice(Sublattice);

impl Ord for QueuedSublattice {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.compare(&self.0)
    }
}

impl PartialOrd for QueuedSublattice {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueuedSublattice {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for QueuedSublattice {}

fn task<'a>(table: &'a SearchTable, search: &Search<'a>) -> Result<Task<'a>> {
    if table.keys().is_empty() || table.records() == 0 {
        let help = "name at least one key, and give data with at least one record";
        return Err(Error::input("there is nothing to recode").help(help).into());
    }
    if !(0.0..=1.0).contains(&search.limit) {
        let help = "give the limit on suppressed records as a share, such as 0.05";
        return Err(Error::input("the limit on suppressed records is not between 0 and 1").help(help).into());
    }
    search.measure.check(table.keys().len())?;
    // A share such as 0.29 of 100 records is 29 of them, though it multiplies to a little less.
    let most = (search.limit * table.records() as f64 * (1.0 + 1e-12)).floor() as u64;
    let models = search.models.iter().map(|model| &**model).collect();
    let demands = Demands::new(models, table, search.sampling_fraction, search.fits);
    Ok(Task::new(table, demands, search.measure, most.min(table.records())))
}

/// Levels as a start gives them, where the keys have them.
fn checked_levels(table: &SearchTable, levels: &[usize]) -> Option<Vec<u8>> {
    let fits = levels.len() == table.keys().len()
        && levels.iter().zip(table.keys()).all(|(level, key)| *level < key.levels.len());
    fits.then(|| levels.iter().map(|level| *level as u8).collect())
}
