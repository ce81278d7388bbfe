//! The walk over the subsets of the keys that finds every minimal unique.
//!
//! A row that is alone on some keys is alone on any more of them, and no other row can share its values there. So on a
//! subset S only those rows need to be examined that are shared on each of S's subsets one key shorter. Of these, a row
//! that is alone on S is minimal unique on S: no test of minimality is left to do. The rows shared on a subset are kept as
//! a set of bits, and what is left to look at is an intersection.
//!
//! Subsets are walked as a tree, with `a b c` below `a b`. So the classes on S are those of its parent split by one
//! key. Later branches first: then every subset of S comes before S. Threads take the trees below pairs of keys in that
//! order, and one that needs a set another has not finished waits for it. The earliest unfinished tree never waits.
//!
//! Below a subset S, columns that were passed over do not come back. Rows that are equal on S and on all columns after
//! it are merged there. Nothing below S distinguishes them, and a merged row is never alone. If no row is left to
//! split, nothing is known of longer subsets ([`RowSet::All`]), and nothing is missed. A row that still matters to a
//! subset Q elsewhere was merged with another here. So it is alone on no part of Q that lies below S.
//!
//! The problem and the name SUDA: Elliot, Manning and Ford 2002, *A computational algorithm for handling the special
//! uniques problem*; Manning, Haglin and Keane 2008, *A recursive search algorithm for statistical disclosure
//! assessment*. Splitting classes without the rows that are alone is taken from Huhtala et al. 1999, *TANE*.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::partition::{KeySuffixes, Partition, Splitter};
use super::rowset::{RowSet, set, unset};
use super::subsets::SubsetNumbers;
use super::table::KeyTable;

/// Takes what the walk finds, on one thread.
pub(super) trait UniqueVisitor: Send {
    /// These rows, ascending, are minimal unique on these columns.
    fn found(&mut self, columns: &[usize], rows: &[u32]);
}

/// The most sets of shared rows that are kept: those of 24 keys without a cap.
pub(super) const MAX_SUBSETS: u64 = 1 << 24;

/// How many sets of shared rows a walk keeps.
pub(super) fn subsets_kept(columns: usize, longest: usize) -> u64 {
    SubsetNumbers::new(columns, longest.saturating_sub(1)).len()
}

/// Finds all minimal uniques of at most `longest` columns. Returns the reports of all threads.
pub(super) fn walk<R: UniqueVisitor>(
    table: &KeyTable,
    longest: usize,
    threads: usize,
    report: impl Fn() -> R + Sync,
) -> Vec<R> {
    let columns = table.columns.len();
    let longest = longest.min(columns);
    if longest == 0 || table.rows == 0 {
        return vec![report()];
    }
    let lattice = Lattice::new(table, longest);
    let mut first = Walker::new(&lattice, report());
    (0..columns).rev().for_each(|column| first.visit(&[column]));
    let pairs = match longest {
        1 => Vec::new(),
        _ => (0..columns).rev().flat_map(|a| (a + 1..columns).rev().map(move |b| (a, b))).collect::<Vec<_>>(),
    };
    let next = AtomicUsize::new(0);
    let work = |mut walker: Walker<'_, R>| {
        while let Some((a, b)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            walker.walk_pair(*a, *b);
        }
        walker.report
    };
    std::thread::scope(|scope| {
        let (work, lattice, report) = (&work, &lattice, &report);
        let others: Vec<_> =
            (1..threads.min(pairs.len())).map(|_| scope.spawn(move || work(Walker::new(lattice, report())))).collect();
        let mut reports = vec![work(first)];
        for other in others {
            match other.join() {
                Ok(report) => reports.push(report),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        reports
    })
}

/// What all threads see.
struct Lattice<'a> {
    table: &'a KeyTable,
    longest: usize,
    numbering: SubsetNumbers,
    /// The rows shared on each subset that has longer ones.
    shared: Vec<OnceLock<RowSet>>,
    /// The combinations of the last column, the last two and so on, where rows repeat.
    ends: Vec<KeySuffixes>,
    /// All rows in one class.
    all: MergedPartition,
}

impl<'a> Lattice<'a> {
    fn new(table: &'a KeyTable, longest: usize) -> Self {
        let numbering = SubsetNumbers::new(table.columns.len(), longest - 1);
        let shared = (0..numbering.len()).map(|_| OnceLock::new()).collect();
        let mut lattice =
            Self { table, longest, numbering, shared, ends: ends(table), all: MergedPartition::default() };
        let mut all = MergedPartition::default();
        *all.begin(0) = Partition { rows: (0..table.rows as u32).collect(), classes: vec![0; table.rows], count: 1 };
        all.merge(&lattice, 0, &mut Splitter::default());
        lattice.all = all;
        lattice
    }

    /// The rows shared on a subset, once they are known.
    fn shared(&self, columns: impl IntoIterator<Item = usize>) -> &RowSet {
        self.shared[self.numbering.number_of(columns)].wait()
    }

    fn keep(&self, columns: &[usize], rows: RowSet) {
        if columns.len() < self.longest {
            // A subset is visited once, so nothing is there yet.
            let _ = self.shared[self.numbering.number_of(columns.iter().copied())].set(rows);
        }
    }

    /// The rows shared on every subset one column shorter. False if there are none.
    fn intersect_shorter(&self, columns: &[usize], bits: &mut [u64], spare: &mut Vec<u64>) -> bool {
        if let [column] = columns {
            bits.fill(0);
            set(bits, &self.table.columns[*column].known());
            return true;
        }
        bits.fill(u64::MAX);
        // The last column alone leaves out the rows that miss it, even if nothing is known of the others.
        self.shared([columns[columns.len() - 1]]).intersect(bits, spare);
        for left in columns {
            let shorter = self.shared(columns.iter().copied().filter(|column| column != left));
            if shorter.is_empty() {
                return false;
            }
            shorter.intersect(bits, spare);
        }
        true
    }

    /// Whether rows that differ only before `column` are worth merging below a subset of so many columns: subsets that
    /// would gain must be several.
    fn worth_merging(&self, size: usize, column: usize, from: &Partition) -> Option<&KeySuffixes> {
        let left = self.table.columns.len() - column;
        let ends = self.ends.get(left - 1)?;
        let gain = if self.longest - size == 1 { left } else { left * (left + 1) / 2 };
        let small = from.count.saturating_mul(ends.len()) <= from.rows.len();
        (gain >= 8 || gain >= 3 && small).then_some(ends)
    }
}

/// The combinations of the last column, the last two and so on, as long as rows repeat. The first column is in none of
/// them: it is never passed over.
fn ends(table: &KeyTable) -> Vec<KeySuffixes> {
    let mut ends: Vec<KeySuffixes> = Vec::new();
    for column in table.columns.iter().skip(1).rev() {
        let longer = ends.last().map_or_else(|| KeySuffixes::none(table.rows).with(column), |ends| ends.with(column));
        let Some(longer) = longer else { break };
        ends.push(longer);
    }
    ends
}

/// The partition on a subset, for the columns it may grow by: the later the column, the more rows are merged.
#[derive(Default)]
struct MergedPartition {
    partitions: Vec<Partition>,
    /// From which column on each partition is meant; those beyond are left over from another subset.
    firsts: Vec<usize>,
}

impl MergedPartition {
    /// A buffer for the partition on another subset that grows from `first` on.
    fn begin(&mut self, first: usize) -> &mut Partition {
        self.firsts.clear();
        self.next(first)
    }

    fn next(&mut self, first: usize) -> &mut Partition {
        self.firsts.push(first);
        if self.partitions.len() < self.firsts.len() {
            self.partitions.push(Partition::default());
        }
        &mut self.partitions[self.firsts.len() - 1]
    }

    fn for_column(&self, column: usize) -> &Partition {
        let at = self.firsts.iter().rposition(|first| *first <= column).unwrap_or(0);
        &self.partitions[at]
    }

    /// Merges rows that differ only on columns that are passed over. The subset has `size` columns.
    fn merge(&mut self, lattice: &Lattice<'_>, size: usize, splitter: &mut Splitter) {
        for column in self.firsts[0] + 1..lattice.table.columns.len() {
            let at = self.firsts.len() - 1;
            self.next(column);
            let (from, to) = self.partitions.split_at_mut(at + 1);
            let ends = lattice.worth_merging(size, column, &from[at]);
            if !ends.is_some_and(|ends| splitter.merge(&from[at], ends, &mut to[0])) {
                self.firsts.pop();
            }
        }
    }
}

/// One thread's walk.
struct Walker<'a, R> {
    lattice: &'a Lattice<'a>,
    report: R,
    splitter: Splitter,
    /// The partitions on the way down, from one column on.
    path: Vec<MergedPartition>,
    /// The column of the first step.
    root: Option<usize>,
    bits: Vec<u64>,
    spare: Vec<u64>,
}

impl<'a, R: UniqueVisitor> Walker<'a, R> {
    fn new(lattice: &'a Lattice<'a>, report: R) -> Self {
        let path = (0..lattice.longest).map(|_| MergedPartition::default()).collect();
        let bits = vec![0; lattice.table.rows.div_ceil(64)];
        Self { lattice, report, splitter: Splitter::default(), path, root: None, spare: Vec::new(), bits }
    }

    /// The subsets that begin with two columns.
    fn walk_pair(&mut self, a: usize, b: usize) {
        if self.root != Some(a) {
            self.root = Some(a);
            let Lattice { table, all, .. } = self.lattice;
            self.bits.fill(u64::MAX);
            self.lattice.shared([a]).intersect(&mut self.bits, &mut self.spare);
            let child = self.path[0].begin(a + 1);
            self.splitter.split(all.for_column(a), &table.columns[a], &self.bits, Some(child));
            self.path[0].merge(self.lattice, 1, &mut self.splitter);
        }
        self.walk_below(&mut vec![a], b);
    }

    /// The subset of `columns` and `next`, then all that begin with it.
    fn walk_below(&mut self, columns: &mut Vec<usize>, next: usize) {
        columns.push(next);
        self.visit(columns);
        let size = columns.len();
        if size < self.lattice.longest && next + 1 < self.lattice.table.columns.len() {
            self.path[size - 1].merge(self.lattice, size, &mut self.splitter);
            for further in (next + 1..self.lattice.table.columns.len()).rev() {
                self.walk_below(columns, further);
            }
        }
        columns.pop();
    }

    /// Splits the classes of the parent and reports who is then alone.
    fn visit(&mut self, columns: &[usize]) {
        let (size, last) = (columns.len(), columns[columns.len() - 1]);
        let Lattice { table, longest, all, .. } = self.lattice;
        let (shorter, longer) = self.path.split_at_mut(size - 1);
        let parent = shorter.last().unwrap_or(all).for_column(last);
        let child = longer[0].begin(last + 1);
        child.clear();
        if parent.rows.is_empty() {
            return self.lattice.keep(columns, RowSet::All);
        }
        if !self.lattice.intersect_shorter(columns, &mut self.bits, &mut self.spare) {
            return self.lattice.keep(columns, RowSet::Few(Vec::new()));
        }
        let grows = size > 1 && size < *longest && last + 1 < table.columns.len();
        let found = self.splitter.split(parent, &table.columns[last], &self.bits, grows.then_some(child));
        if !found.is_empty() {
            self.report.found(columns, found);
        }
        if size < *longest {
            unset(&mut self.bits, found);
            self.lattice.keep(columns, RowSet::from_bits(&self.bits));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::table::{KeyCodes, on_codes};
    use super::*;

    /// Writes down every minimal unique: columns and row.
    impl UniqueVisitor for Vec<(Vec<usize>, u32)> {
        fn found(&mut self, columns: &[usize], rows: &[u32]) {
            self.extend(rows.iter().map(|row| (columns.to_vec(), *row)));
        }
    }

    /// Distinct rows of up to seven columns; a code of 0 is missing. Sizes up to a million make places be sorted.
    fn tables() -> impl Strategy<Value = KeyTable> {
        let shape = prop::collection::vec((1u32..6, 0u32..4), 1..8);
        (shape, any::<u64>(), 1usize..60).prop_map(|(shape, seed, rows)| {
            let mut state = seed;
            let mut draw = |below: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as u32 % below
            };
            let records: BTreeSet<Vec<u32>> =
                (0..rows).map(|_| shape.iter().map(|(values, _)| draw(values + 1)).collect()).collect();
            let spread = |wide: u32| [1, 1, 200, 200_000][wide as usize];
            let column = |at: usize| {
                let (values, wide) = shape[at];
                let code = |record: &Vec<u32>| record[at].checked_sub(1).map_or(u32::MAX, |code| code * spread(wide));
                KeyCodes::new(records.iter().map(code), (values * spread(wide)) as usize)
            };
            KeyTable {
                columns: (0..shape.len()).map(column).collect(),
                rows: records.len(),
                keys: (0..shape.len()).collect(),
            }
        })
    }

    /// Every subset of the columns, shortest first, against every pair of rows.
    fn brute_force(table: &KeyTable, longest: usize) -> Vec<(Vec<usize>, u32)> {
        let columns = table.columns.len();
        let code = |column: usize, row: usize| {
            let code = on_codes!(&table.columns[column].codes, codes => codes[row] as usize);
            (code < table.columns[column].size).then_some(code)
        };
        let mut subsets: Vec<u32> =
            (1..1 << columns).filter(|set: &u32| set.count_ones() as usize <= longest).collect();
        subsets.sort_by_key(|set| set.count_ones());
        let mut found = Vec::new();
        for row in 0..table.rows {
            let mut minimal: Vec<u32> = Vec::new();
            for set in &subsets {
                let keys: Vec<usize> = (0..columns).filter(|column| set >> column & 1 == 1).collect();
                let equal = |other: usize| keys.iter().all(|key| code(*key, row) == code(*key, other));
                let known = keys.iter().all(|key| code(*key, row).is_some());
                let alone = known && (0..table.rows).all(|other| other == row || !equal(other));
                if alone && minimal.iter().all(|smaller| smaller & set != *smaller) {
                    minimal.push(*set);
                    found.push((keys, row as u32));
                }
            }
        }
        found.sort();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_walk_finds_exactly_the_minimal_uniques(table in tables(), cap in 1usize..8, threads in 1usize..5) {
            let reports = walk(&table, cap, threads, Vec::new);
            let mut found: Vec<_> = reports.into_iter().flatten().collect();
            found.sort();
            prop_assert_eq!(found, brute_force(&table, cap));
        }
    }
}
