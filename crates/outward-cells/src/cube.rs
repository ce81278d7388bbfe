//! Every m-way table of the keys, from the finest cells.
//!
//! Tables are walked in the order of their keys. The position of a cell in the table over `a, b, c` extends its
//! position in the table over `a, b` by one multiplication. The counts of a table are the sums of those of its first
//! longer table. So the number of passes over the cells is about the number of longest tables. Shorter tables add none.

use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cells::{Cells, on_packed};
use crate::layout::Packed;
use crate::radix::sort_by_bits;

/// One table of the keys, summed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tabulated {
    /// Positions of its keys, ascending.
    pub keys: Vec<usize>,
    /// Combinations that occur.
    pub cells: u64,
    /// Sample uniques: records alone in their cell.
    pub uniques: u64,
    /// Records that share their cell with exactly one other.
    pub pairs: u64,
    /// Records in cells of fewer than k.
    pub below_k: u64,
    /// Records in the smallest cell; 0 if there are no records.
    pub smallest: u64,
}

impl Tabulated {
    /// Sums up the counts of cells; empty cells do not count.
    pub fn from_counts(keys: Vec<usize>, counts: impl IntoIterator<Item = u64>, k: u64) -> Self {
        let mut table = Self { keys, cells: 0, uniques: 0, pairs: 0, below_k: 0, smallest: u64::MAX };
        for count in counts.into_iter().filter(|count| *count > 0) {
            table.cells += 1;
            table.smallest = table.smallest.min(count);
            if count < k.max(3) {
                table.uniques += u64::from(count == 1);
                table.pairs += 2 * u64::from(count == 2);
                table.below_k += if count < k { count } else { 0 };
            }
        }
        if table.cells == 0 {
            table.smallest = 0;
        }
        table
    }
}

/// All ascending combinations of `size` out of `n` positions, in lexicographic order.
pub fn combinations(n: usize, size: usize) -> Vec<Vec<usize>> {
    if size > n {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut current: Vec<usize> = (0..size).collect();
    loop {
        all.push(current.clone());
        let Some(at) = (0..size).rev().find(|at| current[*at] + size - at < n) else { return all };
        current[at] += 1;
        for next in at + 1..size {
            current[next] = current[next - 1] + 1;
        }
    }
}

/// Every table over as many keys as `orders` says, shortest first, on up to `threads` threads.
pub fn tables(cells: &Cells, orders: RangeInclusive<usize>, k: u64, threads: usize) -> Vec<Tabulated> {
    let longest = (*orders.end()).min(cells.keys().len());
    if orders.is_empty() || longest == 0 || *orders.start() > longest {
        return Vec::new();
    }
    if cells.is_empty() {
        let all = orders.flat_map(|size| combinations(cells.keys().len(), size));
        return all.map(|keys| Tabulated::from_counts(keys, [], k)).collect();
    }
    let columns: Vec<KeyCodes> = (0..cells.keys().len()).map(|key| KeyCodes::from_cells(cells, key)).collect();
    // The largest subtrees are those of the first pairs, so they are handed out first.
    let roots = combinations(columns.len(), longest.min(2));
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, roots.len()) {
            scope.spawn(|| {
                let mut walk = Walk { cells, columns: &columns, orders: &orders, longest, k, tables: Vec::new() };
                while let Some(root) = roots.get(next.fetch_add(1, Ordering::Relaxed)) {
                    walk.start(root);
                }
                if let Ok(mut found) = found.lock() {
                    found.append(&mut walk.tables);
                }
            });
        }
    });
    let mut tables = found.into_inner().unwrap_or_default();
    if *orders.start() <= 1 && longest >= 2 {
        let mut walk = Walk { cells, columns: &columns, orders: &orders, longest: 1, k, tables: Vec::new() };
        (0..columns.len()).for_each(|key| walk.start(&[key]));
        tables.append(&mut walk.tables);
    }
    tables.sort_unstable_by(|a, b| (a.keys.len(), &a.keys).cmp(&(b.keys.len(), &b.keys)));
    tables
}

/// One table: the packed keys with all other keys cleared, sorted and summed.
pub fn tabulate(cells: &Cells, keys: &[usize], k: u64) -> Tabulated {
    on_packed!(cells.packed(), packed => {
        let wanted = cells.layout().bits_of(keys.iter().copied());
        let mut placed: Vec<_> = packed.iter().map(|key| key.and(wanted)).zip(cells.counts().iter().copied()).collect();
        if !placed.is_sorted_by_key(|(key, _)| *key) {
            Packed::sort(&mut placed, cells.layout().bits(), |(key, _)| *key);
        }
        let sums = placed.chunk_by(|a, b| a.0 == b.0).map(|run| run.iter().map(|(_, count)| count).sum());
        Tabulated::from_counts(keys.to_vec(), sums, k)
    })
}

/// The codes of one key over the cells, from 0, and how many there are.
struct KeyCodes {
    codes: Vec<u32>,
    size: u64,
}

impl KeyCodes {
    fn from_cells(cells: &Cells, key: usize) -> Self {
        let mut codes = cells.codes(key);
        let size = cells.keys()[key].dictionary.len() as u64;
        if codes.contains(&crate::MISSING) {
            return Self { codes, size: size + 1 };
        }
        codes.iter_mut().for_each(|code| *code -= 1);
        Self { codes, size }
    }
}

struct Walk<'a> {
    cells: &'a Cells,
    columns: &'a [KeyCodes],
    orders: &'a RangeInclusive<usize>,
    longest: usize,
    k: u64,
    tables: Vec<Tabulated>,
}

/// The position of every cell in a table: narrow where the table is small enough.
enum Positions {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

/// The counts of a table that is nearly full, by position.
type Dense = Vec<u32>;

impl Walk<'_> {
    fn start(&mut self, root: &[usize]) {
        let first = &self.columns[root[0]];
        let mut positions = Positions::Narrow(first.codes.clone());
        let mut domain = first.size;
        for key in &root[1..] {
            let Some(grown) = domain.checked_mul(self.columns[*key].size) else { return self.hashed(root) };
            positions = positions.extend(&self.columns[*key], grown);
            domain = grown;
        }
        self.visit(root, &positions, domain);
    }

    /// Sums up the table over `keys` and all longer ones that begin with it. Returns its counts if they are dense.
    fn visit(&mut self, keys: &[usize], positions: &Positions, domain: u64) -> Option<Dense> {
        let mut counts: Option<Dense> = None;
        if keys.len() < self.longest {
            for next in keys[keys.len() - 1] + 1..self.columns.len() {
                let column = &self.columns[next];
                let longer: Vec<usize> = keys.iter().copied().chain([next]).collect();
                let Some(grown) = domain.checked_mul(column.size) else {
                    self.hashed(&longer);
                    continue;
                };
                let child = if longer.len() == self.longest {
                    let dense = self.dense(grown).map(|mut dense| {
                        positions.count_extended(column, self.cells.counts(), &mut dense);
                        dense
                    });
                    match dense {
                        Some(dense) => {
                            self.sum_up(&longer, &dense);
                            Some(dense)
                        }
                        None => self.visit(&longer, &positions.extend(column, grown), grown),
                    }
                } else {
                    self.visit(&longer, &positions.extend(column, grown), grown)
                };
                if let (None, Some(child)) = (&counts, child) {
                    counts = Some(sum_last(&child, column.size as usize));
                }
            }
        }
        if counts.is_none() {
            counts = self.dense(domain).map(|mut dense| {
                positions.count(self.cells.counts(), &mut dense);
                dense
            });
        }
        match &counts {
            Some(dense) => self.sum_up(keys, dense),
            None if self.orders.contains(&keys.len()) => {
                let sparse = positions.count_sparse(self.cells.counts(), domain);
                self.tables.push(Tabulated::from_counts(keys.to_vec(), sparse, self.k));
            }
            None => {}
        }
        counts
    }

    /// An array for the counts of a table, if it is not much longer than the number of cells.
    fn dense(&self, domain: u64) -> Option<Dense> {
        let most = (8 * self.cells.len() + 4096).min(1 << 26) as u64;
        (domain <= most).then(|| vec![0; domain as usize])
    }

    fn sum_up(&mut self, keys: &[usize], dense: &Dense) {
        if self.orders.contains(&keys.len()) {
            let counts = dense.iter().map(|count| u64::from(*count));
            self.tables.push(Tabulated::from_counts(keys.to_vec(), counts, self.k));
        }
    }

    /// Tables so large that a position does not fit 64 bits are made as margins, one by one.
    fn hashed(&mut self, keys: &[usize]) {
        if self.orders.contains(&keys.len()) {
            let margin = self.cells.margin(keys);
            self.tables.push(Tabulated::from_counts(keys.to_vec(), margin.counts().iter().copied(), self.k));
        }
        if keys.len() < self.longest {
            for next in keys[keys.len() - 1] + 1..self.columns.len() {
                let longer: Vec<usize> = keys.iter().copied().chain([next]).collect();
                self.hashed(&longer);
            }
        }
    }
}

/// Only counts of 1, of 2 and below k are distinguished, so a count may stop at the largest `u32`.
#[inline]
fn add(slot: &mut u32, count: u64) {
    *slot = slot.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
}

impl Positions {
    fn extend(&self, column: &KeyCodes, domain: u64) -> Self {
        let fits = domain <= u64::from(u32::MAX);
        match self {
            Self::Narrow(positions) if fits => {
                let size = column.size as u32;
                Self::Narrow(
                    positions
                        .iter()
                        .zip(&column.codes)
                        .map(|(at, code)| at.wrapping_mul(size).wrapping_add(*code))
                        .collect(),
                )
            }
            Self::Narrow(positions) => Self::Wide(
                positions
                    .iter()
                    .zip(&column.codes)
                    .map(|(at, code)| u64::from(*at) * column.size + u64::from(*code))
                    .collect(),
            ),
            Self::Wide(positions) => Self::Wide(
                positions.iter().zip(&column.codes).map(|(at, code)| at * column.size + u64::from(*code)).collect(),
            ),
        }
    }

    fn count(&self, counts: &[u64], dense: &mut Dense) {
        match self {
            Self::Narrow(positions) => {
                positions.iter().zip(counts).for_each(|(at, count)| add(&mut dense[*at as usize], *count));
            }
            Self::Wide(positions) => {
                positions.iter().zip(counts).for_each(|(at, count)| add(&mut dense[*at as usize], *count));
            }
        }
    }

    /// Counts the table one key longer without writing its positions down.
    fn count_extended(&self, column: &KeyCodes, counts: &[u64], dense: &mut Dense) {
        let size = column.size as usize;
        let places = column.codes.iter().zip(counts);
        match self {
            Self::Narrow(positions) => positions.iter().zip(places).for_each(|(at, (code, count))| {
                add(&mut dense[(*at as usize).wrapping_mul(size).wrapping_add(*code as usize)], *count);
            }),
            Self::Wide(positions) => positions.iter().zip(places).for_each(|(at, (code, count))| {
                add(&mut dense[(*at as usize).wrapping_mul(size).wrapping_add(*code as usize)], *count);
            }),
        }
    }

    /// The counts of a table too sparse for an array: its cells sorted by position and summed.
    fn count_sparse(&self, counts: &[u64], domain: u64) -> Vec<u64> {
        let mut placed: Vec<(u64, u64)> = match self {
            Self::Narrow(positions) => positions.iter().map(|at| u64::from(*at)).zip(counts.iter().copied()).collect(),
            Self::Wide(positions) => positions.iter().copied().zip(counts.iter().copied()).collect(),
        };
        sort_by_bits(&mut placed, u64::BITS - domain.leading_zeros(), |(at, _)| *at);
        placed.chunk_by(|a, b| a.0 == b.0).map(|run| run.iter().map(|(_, count)| count).sum()).collect()
    }
}

/// The table without its last key.
fn sum_last(dense: &Dense, size: usize) -> Dense {
    dense.chunks(size).map(|row| row.iter().fold(0, |sum: u32, count| sum.saturating_add(*count))).collect()
}
