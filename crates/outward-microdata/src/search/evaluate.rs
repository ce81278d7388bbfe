//! Evaluates one recoding: which records it keeps, what it loses, and a bound on the loss of all recodings finer than it.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::loss::{Facts, KeyFacts, Measure, Score, spread};

use super::demands::{Demands, RowGroups};
use super::examine::{Examined, examine};
use super::grouping::Grouping;
use super::rows::{Levels, RowSums, SearchRows};
use super::table::SearchTable;

/// What is searched, and for what.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub(super) table: &'a SearchTable,
    pub(super) demands: Demands<'a>,
    pub(super) measure: &'a Measure,
    /// Most records that may be suppressed.
    pub(super) most_suppressed: u64,
    /// Bytes of rows that parts hold.
    pub(super) ledger: Arc<AtomicUsize>,
    /// Whether sums can be taken from the sizes of classes alone.
    by_class: bool,
}

/// A recoding that meets all demands.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    pub(super) score: Score,
    pub(super) levels: Levels,
}

impl Solution {
    /// By loss, then by levels.
    pub(super) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        self.score.compare(&other.score).then_with(|| self.levels.cmp(&other.levels))
    }
}

/// Sums no worse than those of any recoding of a sublattice. They give a lower bound on the loss.
#[derive(Debug, Clone)]
pub(super) struct OptimisticBound {
    /// Sums over records that margins and monotone models let stay.
    pub(super) sums: RowSums,
    pub(super) all_squares: u128,
    pub(super) spread: Vec<f64>,
}

/// What is known of a recoding: a bound for all finer ones, and the recoding itself if it is the best so far.
pub(super) struct Evaluation {
    pub(super) optimistic: OptimisticBound,
    pub(super) found: Option<Solution>,
}

/// Classes and margins of rows at their coarsest recoding.
pub(super) struct Groupings {
    classes: Grouping,
    margins: Vec<Grouping>,
}

/// Buffers that are used again for each recoding.
#[derive(Debug, Default)]
pub(super) struct SearchBuffers {
    /// The class of each row, where it is wanted.
    class_of: Vec<u32>,
    /// Sizes of classes; those below the least size are not kept.
    sizes: Vec<u64>,
    /// For each class the class of the coarser recoding that it is part of, and its label of the finer key.
    origins: Vec<(u32, u32)>,
    /// Σ of squared sizes of all classes.
    all_squares: u128,
    slots: Vec<(u32, u32)>,
    /// Rows that margins and monotone models do not let stay, with their classes at the coarser recoding.
    failing: Vec<(u32, u32)>,
    /// Rows that only the other models do not let stay.
    others: Vec<(u32, u32)>,
    /// Whether a class of the population that must have a record has none.
    lacks_class: bool,
    pub(super) values: Vec<f64>,
}

impl SearchBuffers {
    /// Empties the buffers for a recoding with so many labels.
    fn clear(&mut self, labels: usize) {
        self.class_of.clear();
        self.sizes.clear();
        self.origins.clear();
        self.failing.clear();
        self.others.clear();
        self.lacks_class = false;
        self.slots.clear();
        self.slots.resize(labels.max(1), (u32::MAX, 0));
    }

    /// Counts the records of one class by their labels.
    fn tally(&mut self, class: u32, rows: impl Iterator<Item = (u32, u64)>, note_classes: bool) {
        for (label, count) in rows {
            let slot = &mut self.slots[label as usize];
            if slot.0 != class {
                *slot = (class, self.sizes.len() as u32);
                self.sizes.push(0);
                self.origins.push((class, label));
            }
            self.sizes[slot.1 as usize] += count;
            if note_classes {
                self.class_of.push(slot.1);
            }
        }
    }
}

impl Groupings {
    /// Empty if only the sizes of classes are asked for: those are counted without.
    pub(super) fn new(task: &Task<'_>, rows: &SearchRows) -> Self {
        if task.demands.only_size().is_some() {
            return Self { classes: Grouping::default(), margins: Vec::new() };
        }
        Self { classes: rows.grouped(), margins: task.margins_of(rows, &rows.coarsest) }
    }
}

/// A node of the lattice, the recoding that is evaluated: the coarsest of some rows, with one key finer where one is given.
struct RecodingNode<'a> {
    rows: &'a SearchRows,
    finer: Option<usize>,
    levels: Levels,
}

impl<'a> Task<'a> {
    pub(super) fn new(
        table: &'a SearchTable,
        demands: Demands<'a>,
        measure: &'a Measure,
        most_suppressed: u64,
    ) -> Self {
        let loss = measure.loss();
        let by_class = demands.only_size().is_some()
            && !loss.reads_suppressed()
            && !loss.reads_classes()
            && (0..table.keys().len()).all(|key| table.is_exact(key));
        Self { table, demands, measure, most_suppressed, ledger: Arc::default(), by_class }
    }

    /// A recoding in full.
    pub(super) fn examined(&self, levels: &[u8]) -> Examined {
        let none = vec![false; self.table.len()];
        let group = |rows: &SearchRows, keys: &[usize]| rows.group(self.table, keys, levels);
        examine(self.table, &self.demands, group, |_, key| levels[key], none)
    }

    /// A recoding, where it meets all demands.
    pub(super) fn found_at(&self, levels: &[u8], scratch: &mut SearchBuffers) -> Option<Solution> {
        let examined = self.examined(levels);
        let enough = examined.facts.kept >= self.least_kept() && examined.holds;
        let score = self.measure.score(&examined.facts, &mut scratch.values);
        enough.then(|| Solution { score, levels: levels.to_vec() })
    }

    /// The groups of rows in each margin.
    pub(super) fn margins_of(&self, rows: &SearchRows, levels: &[u8]) -> Vec<Grouping> {
        self.demands.margins().iter().map(|margin| rows.group(self.table, &margin.keys, levels)).collect()
    }

    /// Whether rows that are suppressed must stay in the tables.
    pub(super) fn keeps_suppressed(&self) -> bool {
        self.measure.loss().reads_suppressed()
    }

    fn least_kept(&self) -> u64 {
        self.table.records().saturating_sub(self.most_suppressed)
    }

    /// A bound on the loss of all recodings from `finest` up.
    pub(super) fn bound(&self, optimistic: &OptimisticBound, finest: &[u8], scratch: &mut SearchBuffers) -> Score {
        // If nothing must be suppressed yet, suppressing a few records may let the others make one class more. This
        // matters for a measure that takes the suppressed records for a class.
        let spare = u64::from(optimistic.sums.records == self.table.records()) * (self.demands.least() - 1);
        let most = optimistic.sums.cells.min((optimistic.sums.records + spare) / self.demands.least());
        let facts = self.facts(optimistic, finest, &optimistic.sums.finest, most, optimistic.sums.squares);
        self.measure.bound(&facts, &mut scratch.values)
    }

    /// Facts of sums at some levels.
    fn facts(&self, optimistic: &OptimisticBound, levels: &[u8], leaves: &[u64], classes: u64, squares: u128) -> Facts {
        let key = |(key, (level, leaves)): (usize, (&u8, &u64))| KeyFacts {
            domain: self.table.keys()[key].domain,
            height: self.table.keys()[key].height() as u64,
            leaves: *leaves,
            all_leaves: self.table.all_leaves(key, *level),
            steps: optimistic.sums.records * u64::from(*level),
            entropy: self.table.entropy(key, *level),
            spread: optimistic.spread.get(key).copied().unwrap_or(0.0),
        };
        let keys = levels.iter().zip(leaves).enumerate().map(key).collect();
        let (records, kept, least_kept) = (self.table.records(), optimistic.sums.records, self.least_kept());
        Facts { records, kept, least_kept, classes, squares, all_squares: optimistic.all_squares, keys }
    }

    /// Looks at the coarsest recoding of rows, with one key one level finer where one is given. Nothing if it must
    /// suppress too much, and so must all finer ones.
    pub(super) fn evaluate(
        &self,
        rows: &SearchRows,
        groupings: &Groupings,
        finer: Option<usize>,
        best: Option<&Solution>,
        scratch: &mut SearchBuffers,
    ) -> Option<Evaluation> {
        let mut levels = rows.coarsest.clone();
        if let Some(key) = finer {
            levels[key] -= 1;
        }
        let node = RecodingNode { rows, finer, levels };
        match self.demands.only_size() {
            Some(least) => self.count(&node, least, scratch)?,
            None => self.judge(&node, groupings, scratch)?,
        }
        let sums = if self.by_class { self.sums_by_class(&node, scratch) } else { self.sums_by_row(&node, scratch) };
        let mut optimistic =
            OptimisticBound { sums, all_squares: scratch.all_squares, spread: self.spread(&node, &scratch.failing) };
        let found = if scratch.others.is_empty() {
            self.candidate(&optimistic, &node, best, scratch)
        } else {
            let mut kept = optimistic.clone();
            self.remove(&node, &mut kept.sums, &scratch.others);
            scratch.failing.append(&mut scratch.others);
            kept.spread = self.spread(&node, &scratch.failing);
            self.candidate(&kept, &node, best, scratch)
        };
        optimistic.all_squares = if self.keeps_suppressed() { rows.sums.squares } else { 0 };
        Some(Evaluation { optimistic, found })
    }

    /// The recoding, where it keeps enough, comes before the best, and the release holds as a whole.
    fn candidate(
        &self,
        kept: &OptimisticBound,
        node: &RecodingNode<'_>,
        best: Option<&Solution>,
        scratch: &mut SearchBuffers,
    ) -> Option<Solution> {
        if kept.sums.records < self.least_kept() || scratch.lacks_class {
            return None;
        }
        let least = self.demands.least();
        let (mut classes, mut squares) = (0, 0);
        for size in scratch.sizes.iter().filter(|size| **size >= least) {
            classes += 1;
            squares += u128::from(*size) * u128::from(*size);
        }
        let facts = self.facts(kept, &node.levels, &kept.sums.coarsest, classes, squares);
        let score = self.measure.score(&facts, &mut scratch.values);
        let found = Solution { score, levels: node.levels.clone() };
        if best.is_some_and(|best| best.compare(&found).is_le()) {
            return None;
        }
        let sizes = scratch.sizes.iter().copied().filter(|size| *size >= least);
        self.demands.release_holds(sizes, || self.table.people(&node.levels)).then_some(found)
    }

    /// Sums over the records that stay, if only sizes of classes are needed and every label of a finest level is one
    /// value.
    fn sums_by_class(&self, node: &RecodingNode<'_>, scratch: &SearchBuffers) -> RowSums {
        let (mut sums, least) = (node.rows.sums.clone(), self.demands.least());
        let leaves: Vec<&[u64]> =
            node.rows.coarsest.iter().enumerate().map(|(key, level)| self.table.leaves(key, *level)).collect();
        let finer = node.finer.map(|key| (key, self.table.leaves(key, node.levels[key])));
        let (mut lost, mut finer_sum) = (0, 0);
        for ((class, label), size) in scratch.origins.iter().zip(&scratch.sizes) {
            if *size >= least {
                finer_sum += finer.map_or(0, |(_, leaves)| size * leaves[*label as usize]);
                continue;
            }
            lost += size;
            let labels = node.rows.class_labels(*class as usize).iter().zip(&leaves);
            for (sum, (label, leaves)) in sums.coarsest.iter_mut().zip(labels) {
                *sum -= size * leaves[*label as usize];
            }
        }
        if let Some((key, _)) = finer {
            sums.coarsest[key] = finer_sum;
        }
        sums.records -= lost;
        // A label of a free key is one value; a settled key gets the sum of its one level when its sublattice is made.
        sums.finest.iter_mut().for_each(|sum| *sum -= lost);
        sums
    }

    /// Sums over what stays, row by row.
    fn sums_by_row(&self, node: &RecodingNode<'_>, scratch: &SearchBuffers) -> RowSums {
        let mut sums = node.rows.sums.clone();
        if let Some(key) = node.finer {
            let (map, leaves) = (self.table.map(key, node.levels[key]), self.table.leaves(key, node.levels[key]));
            let label = |row: usize| map[node.rows.label(self.table, key, row) as usize];
            let counts = node.rows.counts.iter().enumerate();
            sums.coarsest[key] = counts.map(|(row, count)| count * leaves[label(row) as usize]).sum();
        }
        self.remove(node, &mut sums, &scratch.failing);
        sums
    }

    /// The label of a row at the levels of the node, given its class at the coarser recoding.
    fn label(&self, node: &RecodingNode<'_>, key: usize, (row, class): (u32, u32)) -> usize {
        if node.finer == Some(key) {
            let label = node.rows.label(self.table, key, row as usize);
            return self.table.map(key, node.levels[key])[label as usize] as usize;
        }
        node.rows.class_labels(class as usize)[key] as usize
    }

    /// Takes rows away from sums.
    fn remove(&self, node: &RecodingNode<'_>, sums: &mut RowSums, gone: &[(u32, u32)]) {
        let rows = node.rows;
        for (row, class) in gone {
            let count = rows.counts[*row as usize];
            sums.records -= count;
            sums.cells -= u64::from(count > 0);
            sums.squares -= u128::from(count) * u128::from(count);
            for (key, level) in node.levels.iter().enumerate() {
                let coarse = self.table.leaves(key, *level)[self.label(node, key, (*row, *class))];
                sums.coarsest[key] -= count * coarse;
                sums.finest[key] -= count
                    * match rows.free[key] {
                        true => self.table.leaves(key, 0)[rows.label(self.table, key, *row as usize) as usize],
                        false => coarse,
                    };
            }
        }
    }

    /// For each key the spread of the labels of suppressed rows, where the measure reads it.
    fn spread(&self, node: &RecodingNode<'_>, gone: &[(u32, u32)]) -> Vec<f64> {
        if !self.keeps_suppressed() {
            return Vec::new();
        }
        let of = |(key, level): (usize, &u8)| {
            let mut records = vec![0; self.table.leaves(key, *level).len()];
            for row in gone {
                records[self.label(node, key, *row)] += node.rows.counts[row.0 as usize];
            }
            spread(&records)
        };
        node.levels.iter().enumerate().map(of).collect()
    }

    /// Counts classes, which are those of the coarsest recoding split by one key, and finds the rows of small ones. Rows are in
    /// the order of the coarser classes, so that one array of labels serves all of them.
    fn count(&self, node: &RecodingNode<'_>, least: u64, scratch: &mut SearchBuffers) -> Option<()> {
        let rows = node.rows;
        let spare = rows.sums.records.checked_sub(self.least_kept())?;
        let key = node.finer.unwrap_or(0);
        scratch.clear(self.table.leaves(key, node.levels[key]).len());
        let mut lost = 0;
        for (class, range) in rows.classes().enumerate() {
            let first = scratch.sizes.len();
            self.split_class(node, class as u32, range.clone(), scratch);
            let small = scratch.sizes[first..].iter().filter(|size| **size < least).sum::<u64>();
            lost += small;
            if lost > spare {
                return None;
            }
            if small > 0 && !self.by_class {
                let SearchBuffers { sizes, failing, class_of, .. } = &mut *scratch;
                let part = range.clone().zip(&class_of[class_of.len() - range.len()..]);
                let fails = part.filter(|(_, class)| sizes[**class as usize] < least);
                failing.extend(fails.map(|(row, _)| (row as u32, class as u32)));
            }
        }
        if self.keeps_suppressed() {
            scratch.all_squares = scratch.sizes.iter().map(|size| u128::from(*size) * u128::from(*size)).sum();
        }
        Some(())
    }

    /// Splits a class by the labels of the finer key.
    fn split_class(
        &self,
        node: &RecodingNode<'_>,
        class: u32,
        range: std::ops::Range<usize>,
        scratch: &mut SearchBuffers,
    ) {
        let key = node.finer.unwrap_or(0);
        let map = self.table.map(key, node.levels[key]);
        let counts = &node.rows.counts[range.clone()];
        let words = node.rows.words(self.table, range);
        let (field, width) = (self.table.packing().field(key), self.table.packing().words());
        match width {
            _ if node.finer.is_none() => scratch.tally(class, counts.iter().map(|count| (0, *count)), !self.by_class),
            1 => {
                let labels = words.iter().map(|word| map[field.code_in_word(*word) as usize]);
                scratch.tally(class, labels.zip(counts.iter().copied()), !self.by_class);
            }
            _ => {
                let labels = words.chunks_exact(width).map(|words| map[field.code(words) as usize]);
                scratch.tally(class, labels.zip(counts.iter().copied()), !self.by_class);
            }
        }
    }

    /// Finds the rows that margins and models of any kind do not let stay.
    fn judge(&self, node: &RecodingNode<'_>, groupings: &Groupings, scratch: &mut SearchBuffers) -> Option<()> {
        let rows = node.rows;
        let split = |grouping: &Grouping| match node.finer {
            Some(key) => rows.split(self.table, grouping, key, node.levels[key]),
            None => grouping.clone(),
        };
        let classes = split(&groupings.classes);
        let asked = self.demands.margins().iter().zip(&groupings.margins);
        let affected = |keys: &[usize]| node.finer.is_some_and(|key| keys.contains(&key));
        let margins: Vec<Grouping> = asked
            .map(|(margin, grouping)| if affected(&margin.keys) { split(grouping) } else { grouping.clone() })
            .collect();
        let placed = RowGroups { classes: &classes, margins: &margins, ranks: &|row| self.ranks(node, groupings, row) };
        let mut gone = vec![false; rows.len()];
        scratch.all_squares =
            sizes(rows, &classes, &gone).iter().map(|size| u128::from(*size) * u128::from(*size)).sum();
        self.demands.remove_surely(rows, &placed, &mut gone);
        let place = |row: usize| (row as u32, groupings.classes.group[row]);
        scratch.failing = (0..rows.len()).filter(|row| gone[*row]).map(place).collect();
        let lost: u64 = scratch.failing.iter().map(|(row, _)| rows.counts[*row as usize]).sum();
        // A class of the population without a record has none under a finer recoding either.
        if rows.sums.records - lost < self.least_kept() || self.demands.lacks_class(rows, &classes, &gone) {
            return None;
        }
        scratch.others.clear();
        if self.demands.has_others() {
            let surely = gone.clone();
            self.demands.remove_all(rows, &placed, &mut gone);
            scratch.others.extend((0..rows.len()).filter(|row| gone[*row] && !surely[*row]).map(place));
        }
        scratch.lacks_class = self.demands.lacks_class(rows, &classes, &gone);
        scratch.sizes = sizes(rows, &classes, &gone);
        Some(())
    }

    /// The labels of a row at the levels of the node, ranked by their texts.
    fn ranks(&self, node: &RecodingNode<'_>, groupings: &Groupings, row: usize) -> Vec<u32> {
        let place = (row as u32, groupings.classes.group[row]);
        let rank = |(key, level): (usize, &u8)| self.table.rank(key, *level, self.label(node, key, place) as u32);
        node.levels.iter().enumerate().map(rank).collect()
    }
}

/// Sizes of classes without the rows that are gone.
fn sizes(rows: &SearchRows, classes: &Grouping, gone: &[bool]) -> Vec<u64> {
    let mut sizes = vec![0u64; classes.groups];
    for (row, class) in classes.group.iter().enumerate().filter(|(row, _)| !gone[*row]) {
        sizes[*class as usize] += rows.counts[row];
    }
    sizes
}
