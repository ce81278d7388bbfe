//! The rows of one part of the lattice: cells sorted by their class at the coarsest recoding. Rows leave out what can
//! no longer change, and cells that every recoding of the part suppresses.
//!
//! A key is free, from its finest level up to that of the coarsest recoding, or it is settled there. Rows hold the labels of
//! free keys; the labels of settled ones are those of the class. Rows that agree on all free keys are one.

use super::grouping::Grouping;
use super::table::{Histograms, SearchTable, summed};

/// Levels of all keys.
pub(super) type Levels = Vec<u8>;

/// The rows of the recodings up to `coarsest`.
#[derive(Debug, Default)]
pub(super) struct SearchRows {
    pub(super) coarsest: Levels,
    /// For each key whether it may still be finer than the coarsest.
    pub(super) free: Vec<bool>,
    /// Labels of the free keys at their finest level, packed; the fields of settled keys are 0.
    words: Vec<u64>,
    pub(super) counts: Vec<u64>,
    pub(super) subsets: Vec<u64>,
    pub(super) population: Vec<u64>,
    pub(super) sensitive: Vec<Histograms>,
    /// Where each class of the coarsest recoding starts, and after the last its end.
    starts: Vec<u32>,
    /// `class_labels[class * keys + key]`: the label at the coarsest level.
    class_labels: Vec<u32>,
    pub(super) sums: RowSums,
}

/// Sums over rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RowSums {
    pub(super) records: u64,
    /// Rows that have records.
    pub(super) cells: u64,
    /// Σ of squared counts.
    pub(super) squares: u128,
    /// For each key Σ of leaves at the finest level.
    pub(super) finest: Vec<u64>,
    /// For each key Σ of leaves at the coarsest level.
    pub(super) coarsest: Vec<u64>,
}

impl SearchRows {
    /// All cells of a table in their order, not yet sorted by class.
    pub(super) fn plain(table: &SearchTable) -> Self {
        let (counted, keys, packing) = (table.counted(), table.keys(), table.packing());
        let mut words = vec![0; table.len() * packing.words()];
        for (key, codes) in counted.codes.iter().enumerate() {
            let labels = &keys[key].levels[0].labels;
            for (row, code) in words.chunks_exact_mut(packing.words()).zip(codes) {
                packing.put(row, key, labels[*code as usize]);
            }
        }
        Self {
            coarsest: keys.iter().map(|key| key.height() as u8).collect(),
            free: vec![true; keys.len()],
            words,
            counts: counted.counts.clone(),
            subsets: counted.subsets.clone(),
            population: counted.population.clone(),
            sensitive: counted.sensitive.clone(),
            ..Self::default()
        }
    }

    /// All cells of a table, for all recodings.
    pub(super) fn whole(table: &SearchTable) -> Self {
        let rows = Self::plain(table);
        let all: Vec<usize> = (0..table.keys().len()).collect();
        let (finest, coarsest) = (vec![0; all.len()], rows.coarsest.clone());
        let classes = rows.group(table, &all, &coarsest);
        let sum = |level: &[u8]| all.iter().map(|key| table.all_leaves(*key, level[*key])).collect();
        let sums =
            RowSums { records: table.records(), finest: sum(&finest), coarsest: sum(&coarsest), ..RowSums::default() };
        let free: Vec<bool> = coarsest.iter().map(|level| *level > 0).collect();
        rows.part(table, &free, &coarsest, &classes, &vec![false; rows.len()], sums)
    }

    /// The rows of a part, without those that are `gone`, given the classes at its coarsest levels.
    pub(super) fn part(
        &self,
        table: &SearchTable,
        free: &[bool],
        coarsest: &[u8],
        classes: &Grouping,
        gone: &[bool],
        sums: RowSums,
    ) -> Self {
        let (order, starts) = self.order(classes, gone);
        let width = table.packing().words();
        let masks = table.packing().masks((0..free.len()).filter(|key| free[*key]));
        let words = match masks[..] {
            [mask] => order.iter().map(|row| self.words[*row as usize] & mask).collect(),
            _ => {
                let masked = |row: &u32| {
                    let words = &self.words[*row as usize * width..][..width];
                    words.iter().zip(&masks).map(|(word, mask)| word & mask)
                };
                order.iter().flat_map(masked).collect()
            }
        };
        let count = |row: &u32| if gone[*row as usize] { 0 } else { self.counts[*row as usize] };
        let mut rows = Self {
            coarsest: coarsest.to_vec(),
            free: free.to_vec(),
            words,
            counts: order.iter().map(count).collect(),
            subsets: taken(&self.subsets, &order),
            population: taken(&self.population, &order),
            sensitive: taken(&self.sensitive, &order),
            class_labels: self.labels_of(table, coarsest, &order, &starts),
            starts,
            sums,
        };
        if free != self.free {
            rows.merge(width);
        }
        rows.sums.cells = rows.counts.iter().map(|count| u64::from(*count > 0)).sum();
        rows.sums.squares = sum_of_squares(&rows.counts, rows.sums.records);
        rows
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Bytes they take, sensitive values not counted in detail.
    pub(super) fn bytes(&self) -> usize {
        let long = self.words.len() + self.counts.len() + self.subsets.len() + self.population.len();
        8 * (long + 8 * self.sensitive.len()) + 4 * (self.starts.len() + self.class_labels.len())
    }

    /// Whether a row is in a subset; all rows are if none is named.
    pub(super) fn is_in(&self, row: usize, subset: Option<usize>) -> bool {
        let holds = |subset: usize| self.subsets.get(row).is_some_and(|held| subset < 64 && held >> subset & 1 == 1);
        subset.is_none_or(holds)
    }

    /// Classes of the coarsest recoding, each a range of rows.
    pub(super) fn classes(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize)
    }

    /// The labels of a class at the coarsest levels, for each key.
    pub(super) fn class_labels(&self, class: usize) -> &[u32] {
        let keys = self.coarsest.len();
        &self.class_labels[class * keys..(class + 1) * keys]
    }

    /// The rows grouped by their classes.
    pub(super) fn grouped(&self) -> Grouping {
        let mut grouping = Grouping { group: Vec::with_capacity(self.len()), groups: self.starts.len() - 1 };
        for (class, range) in self.classes().enumerate() {
            grouping.group.extend(range.map(|_| class as u32));
        }
        grouping
    }

    /// The words of some rows, those of a row next to each other.
    pub(super) fn words(&self, table: &SearchTable, rows: std::ops::Range<usize>) -> &[u64] {
        let width = table.packing().words();
        &self.words[rows.start * width..rows.end * width]
    }

    /// The label of a free key at its finest level.
    pub(super) fn label(&self, table: &SearchTable, key: usize, row: usize) -> u32 {
        let width = table.packing().words();
        table.packing().field(key).code(&self.words[row * width..(row + 1) * width])
    }

    /// Groups the rows by the labels of some keys at some levels.
    pub(super) fn group(&self, table: &SearchTable, keys: &[usize], levels: &[u8]) -> Grouping {
        let split = |grouping: Grouping, key: &usize| self.split(table, &grouping, *key, levels[*key]);
        keys.iter().fold(Grouping::whole(self.len()), split)
    }

    /// Splits groups by the labels of a key at a level, which for a settled key is that of the coarsest recoding.
    pub(super) fn split(&self, table: &SearchTable, grouping: &Grouping, key: usize, level: u8) -> Grouping {
        let many = table.leaves(key, level).len();
        if self.free[key] {
            if table.is_constant(key, level) {
                return grouping.clone();
            }
            let (map, packing) = (table.map(key, level), table.packing());
            let field = packing.field(key);
            if packing.words() == 1 {
                return grouping.split(self.words.iter().map(|word| map[field.code_in_word(*word) as usize]), many);
            }
            let labels = self.words.chunks_exact(packing.words()).map(|words| map[field.code(words) as usize]);
            return grouping.split(labels, many);
        }
        let of_class = |(class, range): (usize, std::ops::Range<usize>)| {
            std::iter::repeat_n(self.class_labels(class)[key], range.len())
        };
        grouping.split(self.classes().enumerate().flat_map(of_class), many)
    }

    /// The rows that stay in the order of their classes, and where each class starts. A row that is gone but has population
    /// stays, without records, as long as its class has records.
    fn order(&self, classes: &Grouping, gone: &[bool]) -> (Vec<u32>, Vec<u32>) {
        let mut alive = Vec::new();
        if !self.population.is_empty() {
            alive.resize(classes.groups, false);
            for (row, class) in classes.group.iter().enumerate() {
                alive[*class as usize] |= !gone[row] && self.counts[row] > 0;
            }
        }
        let people = |row: usize| self.population[row] > 0 && alive[classes.group[row] as usize];
        let stays = |row: usize| !gone[row] && self.counts[row] > 0 || !alive.is_empty() && people(row);
        let mut starts = vec![0u32; classes.groups + 1];
        let mut staying = Vec::with_capacity(self.len());
        for (row, class) in classes.group.iter().enumerate() {
            if stays(row) {
                starts[*class as usize + 1] += 1;
                staying.push(row as u32);
            }
        }
        for class in 0..classes.groups {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; staying.len()];
        for row in staying {
            let at = &mut next[classes.group[row as usize] as usize];
            order[*at as usize] = row;
            *at += 1;
        }
        starts.dedup();
        (order, starts)
    }

    /// The labels of new classes, given their first rows among those of `self`.
    fn labels_of(&self, table: &SearchTable, coarsest: &[u8], order: &[u32], starts: &[u32]) -> Vec<u32> {
        let keys = coarsest.len();
        let mut labels = Vec::with_capacity(keys * starts.len());
        for start in &starts[..starts.len() - 1] {
            let row = order[*start as usize] as usize;
            // The class of the row among those of `self`; there is none as long as all keys are free.
            let class = self.starts.partition_point(|start| *start as usize <= row).saturating_sub(1);
            labels.extend((0..keys).map(|key| match self.free[key] {
                true => table.map(key, coarsest[key])[self.label(table, key, row) as usize],
                false => self.class_labels(class)[key],
            }));
        }
        labels
    }

    /// Joins rows of one class that agree on subsets and on every free key.
    fn merge(&mut self, width: usize) {
        let mut kept: Vec<u32> = Vec::with_capacity(self.len());
        let mut starts = Vec::with_capacity(self.starts.len());
        let mut slots: Vec<u32> = Vec::new();
        starts.push(0);
        for class in 0..self.starts.len() - 1 {
            let range = self.starts[class] as usize..self.starts[class + 1] as usize;
            // Open addressing in a table twice as large as the class, so that most classes stay in the nearest cache.
            let size = (2 * range.len()).next_power_of_two();
            slots.clear();
            slots.resize(size, u32::MAX);
            for row in range {
                let mut at = self.hash(row, width) as usize & (size - 1);
                while slots[at] != u32::MAX && !self.agree(slots[at] as usize, row, width) {
                    at = (at + 1) & (size - 1);
                }
                if slots[at] == u32::MAX {
                    slots[at] = row as u32;
                    kept.push(row as u32);
                } else {
                    self.join(slots[at] as usize, row);
                }
            }
            starts.push(kept.len() as u32);
        }
        self.starts = starts;
        if kept.len() < self.len() {
            let words = |row: &u32| &self.words[*row as usize * width..][..width];
            self.words = kept.iter().flat_map(words).copied().collect();
            self.counts = taken(&self.counts, &kept);
            self.subsets = taken(&self.subsets, &kept);
            self.population = taken(&self.population, &kept);
            self.sensitive = taken(&self.sensitive, &kept);
        }
    }

    fn hash(&self, row: usize, width: usize) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut hash = self.subsets.get(row).copied().unwrap_or(0);
        for word in &self.words[row * width..(row + 1) * width] {
            hash = (hash.rotate_left(29) ^ word).wrapping_mul(FACTOR);
        }
        hash >> 32
    }

    fn agree(&self, a: usize, b: usize, width: usize) -> bool {
        (0..width).all(|word| self.words[a * width + word] == self.words[b * width + word])
            && (self.subsets.is_empty() || self.subsets[a] == self.subsets[b])
    }

    /// Adds a row to another. Sensitive values of a row without records do not count.
    fn join(&mut self, to: usize, from: usize) {
        if !self.sensitive.is_empty() && self.counts[from] > 0 {
            let values = std::mem::take(&mut self.sensitive[from]);
            if self.counts[to] == 0 {
                self.sensitive[to] = values;
            } else {
                for (mine, theirs) in self.sensitive[to].iter_mut().zip(values) {
                    mine.extend(theirs);
                    *mine = summed(std::mem::take(mine));
                }
            }
        }
        self.counts[to] += self.counts[from];
        if !self.population.is_empty() {
            self.population[to] += self.population[from];
        }
    }
}

/// Σ of squared counts that sum up to so many records.
fn sum_of_squares(counts: &[u64], records: u64) -> u128 {
    if u32::try_from(records).is_ok() {
        return u128::from(counts.iter().map(|count| count * count).sum::<u64>());
    }
    counts.iter().map(|count| u128::from(*count) * u128::from(*count)).sum()
}

/// The entries of a column at these places; of an empty column none.
fn taken<T: Clone>(column: &[T], places: &[u32]) -> Vec<T> {
    if column.is_empty() { Vec::new() } else { places.iter().map(|place| column[*place as usize].clone()).collect() }
}
