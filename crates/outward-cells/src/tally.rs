//! The table that counts packed keys: open addressing with linear probing. Counting a record touches one cache line; what
//! is needed only when a cell is first met lies beside it.

use crate::layout::Packed;
use crate::weight::WeightSum;

/// What is known of a cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedKey<P> {
    pub(crate) key: P,
    pub(crate) count: u64,
    pub(crate) first_row: u64,
}

/// A place in the table; a count of zero marks an empty one.
#[derive(Debug, Clone, Copy, Default)]
struct Slot<P> {
    key: P,
    count: u64,
}

/// Counts, first rows and weight sums by packed key.
#[derive(Debug)]
pub(crate) struct Tally<P> {
    slots: Vec<Slot<P>>,
    /// Beside `slots`: the smallest row number of each cell.
    first_rows: Vec<u64>,
    /// The largest row number met. Rows beyond it, which is nearly all of them, cannot be a cell's smallest.
    last_row: u64,
    /// Beside `slots` where records have weights, else empty.
    weights: Vec<WeightSum>,
    weighted: bool,
    used: usize,
}

const MIN_SLOTS: usize = 1024;

impl<P: Packed> Tally<P> {
    pub(crate) fn new(weighted: bool) -> Self {
        Self::with_slots(MIN_SLOTS, weighted)
    }

    fn with_slots(slots: usize, weighted: bool) -> Self {
        Self {
            slots: vec![Slot::default(); slots],
            first_rows: vec![0; slots],
            last_row: 0,
            weights: vec![WeightSum::default(); if weighted { slots } else { 0 }],
            weighted,
            used: 0,
        }
    }

    /// Distinct keys so far.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    pub(crate) fn is_weighted(&self) -> bool {
        self.weighted
    }

    /// Bytes held by a table with this many slots.
    fn bytes_of(slots: usize, weighted: bool) -> usize {
        slots * (size_of::<Slot<P>>() + size_of::<u64>() + if weighted { size_of::<WeightSum>() } else { 0 })
    }

    /// Bytes held while growing to take `more` keys, which is when the table needs most.
    pub(crate) fn bytes_to_take(&self, more: usize) -> usize {
        let now = Self::bytes_of(self.slots.len(), self.weighted);
        let needed = self.slots_for(more);
        if needed > self.slots.len() { now + Self::bytes_of(needed, self.weighted) } else { now }
    }

    fn slots_for(&self, more: usize) -> usize {
        let mut slots = self.slots.len();
        // A table grows by half. So one that has just grown is at least four ninths full.
        while (self.used + more) * 3 > slots * 2 {
            slots += slots / 2;
        }
        slots
    }

    /// Makes room so that `more` new keys fit without growing in between.
    pub(crate) fn reserve(&mut self, more: usize) {
        let slots = self.slots_for(more);
        if slots > self.slots.len() {
            let mut grown = Self::with_slots(slots, self.weighted);
            self.drain(|entry, weight| grown.add(entry, weight));
            *self = grown;
        }
    }

    /// Counts one entry. Room must have been reserved.
    #[inline]
    pub(crate) fn add(&mut self, entry: CountedKey<P>, weight: WeightSum) {
        // The slot is in the high bits of the product of a spread key and the number of slots. This saves a division
        // (Lemire 2019, "Fast random integer generation in an interval").
        let slots = self.slots.len();
        let mut at = ((u128::from(entry.key.spread()) * slots as u128) >> 64) as usize;
        loop {
            let slot = &mut self.slots[at];
            if slot.count == 0 {
                *slot = Slot { key: entry.key, count: entry.count };
                self.first_rows[at] = entry.first_row;
                self.used += 1;
                break;
            }
            if slot.key == entry.key {
                slot.count += entry.count;
                if entry.first_row < self.last_row {
                    self.first_rows[at] = self.first_rows[at].min(entry.first_row);
                }
                break;
            }
            at += 1;
            if at == slots {
                at = 0;
            }
        }
        self.last_row = self.last_row.max(entry.first_row);
        if self.weighted {
            self.weights[at].add(weight);
        }
    }

    /// Every entry with its weight, in no particular order.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(CountedKey<P>, WeightSum)) {
        let weights = std::mem::take(&mut self.weights);
        let first_rows = std::mem::take(&mut self.first_rows);
        for (at, Slot { key, count }) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            if count > 0 {
                let weight = weights.get(at).copied().unwrap_or_default();
                take(CountedKey { key, count, first_row: first_rows[at] }, weight);
            }
        }
        self.used = 0;
    }
}
