//! The classes of rows that agree on a subset of the keys, and how they split when the subset grows by a key.

use super::table::{KeyCodes, on_codes};

/// Rows that are not alone on a subset of the keys, each with the number of its class.
#[derive(Default)]
pub(super) struct Partition {
    /// Row numbers, ascending; with [`MERGED`] where a row stands for several.
    pub(super) rows: Vec<u32>,
    /// The class of each of them.
    pub(super) classes: Vec<u32>,
    /// How many classes there are at most.
    pub(super) count: usize,
}

/// Marks a row that stands for others equal to it on all keys that matter from there on. It is alone on none of them.
pub(super) const MERGED: u32 = 1 << 31;

/// The rows a table can have: their numbers and [`MERGED`] share 32 bits.
pub(super) const MAX_ROWS: usize = MERGED as usize;

impl Partition {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.classes.clear();
        self.count = 0;
    }
}

/// Buffers for splitting partitions, kept from one split to the next.
#[derive(Default)]
pub(super) struct Splitter {
    /// The rows examined, and where each is counted.
    rows: Vec<u32>,
    places: Vec<u32>,
    found: Vec<u32>,
    sorted: Vec<(u64, u32)>,
    /// Counts per place, zero between two splits.
    tallies: Vec<u8>,
    numbers: Vec<u32>,
}

/// Classes are counted in an array where it has at most so many places per row.
const PLACES_PER_ROW: usize = 32;
const FEW_PLACES: usize = 4096;

/// Marks a place that has been given the number of a class.
const NUMBERED: u32 = 1 << 31;

/// Whether an array of so many places is worth it for so many rows.
fn fits(places: usize, rows: usize) -> bool {
    places <= PLACES_PER_ROW * rows + FEW_PLACES && places < NUMBERED as usize
}

impl Splitter {
    /// Splits the rows of `parent` that are in `shared` by one more key. Returns the rows then alone, ascending; the
    /// others go to `child` where one is given.
    pub(super) fn split(
        &mut self,
        parent: &Partition,
        column: &KeyCodes,
        shared: &[u64],
        child: Option<&mut Partition>,
    ) -> &[u32] {
        let places = on_codes!(&column.codes, codes => self.place(parent, codes, column.size, shared));
        self.found.resize(self.rows.len(), 0);
        let found = match child {
            Some(child) => self.divide(places, child),
            None => self.single_out(places),
        };
        self.found.truncate(found);
        &self.found
    }

    /// Places the rows of `parent` in `shared` by class and code. Returns how many places there are.
    fn place<C: Copy + Into<u32>>(&mut self, parent: &Partition, codes: &[C], size: usize, shared: &[u64]) -> usize {
        let places = parent.count.saturating_mul(size);
        if !fits(places, parent.rows.len()) {
            return self.place_sorted(parent, codes, shared);
        }
        self.rows.resize(parent.rows.len(), 0);
        self.places.resize(parent.rows.len(), 0);
        let mut kept = 0;
        for (row, class) in parent.rows.iter().zip(&parent.classes) {
            let at = (row & !MERGED) as usize;
            // A row that is not shared is overwritten by the next one; its place is not used.
            self.rows[kept] = *row;
            self.places[kept] = class.wrapping_mul(size as u32).wrapping_add(codes[at].into());
            kept += (shared[at / 64] >> (at % 64) & 1) as usize;
        }
        self.rows.truncate(kept);
        self.places.truncate(kept);
        places
    }

    /// The same for places too many for an array: they are sorted and numbered without gaps.
    fn place_sorted<C: Copy + Into<u32>>(&mut self, parent: &Partition, codes: &[C], shared: &[u64]) -> usize {
        self.rows.clear();
        self.sorted.clear();
        for (row, class) in parent.rows.iter().zip(&parent.classes) {
            let at = (row & !MERGED) as usize;
            if shared[at / 64] >> (at % 64) & 1 == 1 {
                self.sorted.push((u64::from(*class) << 32 | u64::from(codes[at].into()), self.rows.len() as u32));
                self.rows.push(*row);
            }
        }
        self.sorted.sort_unstable();
        self.places.clear();
        self.places.resize(self.rows.len(), 0);
        let mut places = 0;
        for run in self.sorted.chunk_by(|a, b| a.0 == b.0) {
            run.iter().for_each(|(_, at)| self.places[*at as usize] = places);
            places += 1;
        }
        places as usize
    }

    /// Finds the rows alone in their place. Returns how many.
    fn single_out(&mut self, places: usize) -> usize {
        if self.tallies.len() < places {
            self.tallies.resize(places, 0);
        }
        let tallies = &mut self.tallies[..places];
        for place in &self.places {
            let tally = &mut tallies[*place as usize];
            *tally = tally.saturating_add(1);
        }
        let mut found = 0;
        for (row, place) in self.rows.iter().zip(&self.places) {
            self.found[found] = *row;
            found += usize::from(tallies[*place as usize] == 1 && *row < MERGED);
        }
        if places < 8 * self.places.len() {
            tallies.fill(0);
        } else {
            self.places.iter().for_each(|place| tallies[*place as usize] = 0);
        }
        found
    }

    /// Finds the rows alone in their place and numbers the places of the others as classes. Returns how many are alone.
    fn divide(&mut self, places: usize, child: &mut Partition) -> usize {
        if self.numbers.len() < places {
            self.numbers.resize(places, 0);
        }
        let numbers = &mut self.numbers[..places];
        self.places.iter().for_each(|place| numbers[*place as usize] += 1);
        child.rows.resize(self.rows.len(), 0);
        child.classes.resize(self.rows.len(), 0);
        let (mut found, mut kept, mut next) = (0, 0, NUMBERED);
        for (row, place) in self.rows.iter().zip(&self.places) {
            let number = &mut numbers[*place as usize];
            let alone = *number == 1;
            let fresh = !alone && *number < NUMBERED;
            *number = if fresh { next } else { *number };
            next += u32::from(fresh);
            self.found[found] = *row;
            child.rows[kept] = *row;
            child.classes[kept] = *number & !NUMBERED;
            found += usize::from(alone && *row < MERGED);
            kept += usize::from(!alone);
        }
        child.rows.truncate(kept);
        child.classes.truncate(kept);
        child.count = (next & !NUMBERED) as usize;
        if places < 2 * self.places.len() {
            numbers.fill(0);
        } else {
            self.places.iter().for_each(|place| numbers[*place as usize] = 0);
        }
        found
    }

    /// Merges rows of one class that are equal on the keys still to come, whose combinations are `ends`. False if
    /// that would not pay.
    pub(super) fn merge(&mut self, from: &Partition, ends: &KeySuffixes, merged: &mut Partition) -> bool {
        let places = from.count.saturating_mul(ends.count);
        if !fits(places, from.rows.len()) {
            return false;
        }
        if self.tallies.len() < places {
            self.tallies.resize(places, 0);
        }
        let tallies = &mut self.tallies[..places];
        self.places.clear();
        self.places.extend(
            from.rows.iter().zip(&from.classes).map(|(row, class)| {
                class.wrapping_mul(ends.count as u32).wrapping_add(ends.of[(row & !MERGED) as usize])
            }),
        );
        for (place, row) in self.places.iter().zip(&from.rows) {
            let tally = &mut tallies[*place as usize];
            *tally = tally.saturating_add(1 + (row >> 31) as u8);
        }
        merged.rows.resize(from.rows.len(), 0);
        merged.classes.resize(from.rows.len(), 0);
        let mut kept = 0;
        for ((row, class), place) in from.rows.iter().zip(&from.classes).zip(&self.places) {
            let tally = std::mem::take(&mut tallies[*place as usize]);
            merged.rows[kept] = row & !MERGED | if tally > 1 { MERGED } else { 0 };
            merged.classes[kept] = *class;
            kept += usize::from(tally > 0);
        }
        merged.rows.truncate(kept);
        merged.classes.truncate(kept);
        merged.count = from.count;
        kept < from.rows.len() - from.rows.len() / 8
    }
}

/// For every row the number of its combination of values on the last keys, missing ones included.
pub(super) struct KeySuffixes {
    of: Vec<u32>,
    count: usize,
}

impl KeySuffixes {
    /// All rows equal: no keys at all.
    pub(super) fn none(rows: usize) -> Self {
        Self { of: vec![0; rows], count: 1 }
    }

    /// The same with one more key in front. None if rows hardly repeat, so that merging them is not worth it.
    pub(super) fn with(&self, column: &KeyCodes) -> Option<Self> {
        // Missing values share the place after the last code.
        let width = column.size + 1;
        let places = self.count.saturating_mul(width);
        if !fits(places, self.of.len()) {
            return None;
        }
        let mut numbers = vec![0; places];
        let mut count = 0;
        let mut number = |end: u32, code: usize| -> u32 {
            let number = &mut numbers[end as usize * width + code.min(column.size)];
            if *number == 0 {
                count += 1;
                *number = count;
            }
            *number - 1
        };
        let of: Vec<u32> = on_codes!(&column.codes, codes => {
            self.of.iter().zip(codes).map(|(end, code)| number(*end, *code as usize)).collect()
        });
        let repeat = (count as usize) < of.len() - of.len() / 8;
        repeat.then_some(Self { of, count: count as usize })
    }

    /// How many combinations there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }
}
