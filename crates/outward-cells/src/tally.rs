//! The table that counts packed keys: open addressing with linear probing, one cache line touched per record.

use crate::layout::Packed;
use crate::weight::WeightSum;

/// What is known of a cell while counting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<P> {
    pub(crate) key: P,
    /// Zero marks an empty slot.
    pub(crate) count: u64,
    pub(crate) first_row: u64,
}

impl<P: Packed> Entry<P> {
    fn empty() -> Self {
        Self { key: P::default(), count: 0, first_row: 0 }
    }
}

/// Counts, first rows and weight sums by packed key.
#[derive(Debug)]
pub(crate) struct Tally<P> {
    slots: Vec<Entry<P>>,
    /// Beside `slots` where records have weights, else empty.
    weights: Vec<WeightSum>,
    weighted: bool,
    used: usize,
}

const SMALLEST: usize = 1024;

impl<P: Packed> Tally<P> {
    pub(crate) fn new(weighted: bool) -> Self {
        Self::with_slots(SMALLEST, weighted)
    }

    fn with_slots(slots: usize, weighted: bool) -> Self {
        Self {
            slots: vec![Entry::empty(); slots],
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
        slots * (size_of::<Entry<P>>() + if weighted { size_of::<WeightSum>() } else { 0 })
    }

    /// Bytes held while growing to take `more` keys, which is when the table needs most.
    pub(crate) fn bytes_to_take(&self, more: usize) -> usize {
        let now = Self::bytes_of(self.slots.len(), self.weighted);
        let needed = self.slots_for(more);
        if needed > self.slots.len() { now + Self::bytes_of(needed, self.weighted) } else { now }
    }

    fn slots_for(&self, more: usize) -> usize {
        let mut slots = self.slots.len();
        while (self.used + more) * 3 > slots * 2 {
            slots *= 2;
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
    pub(crate) fn add(&mut self, entry: Entry<P>, weight: WeightSum) {
        let mask = self.slots.len() - 1;
        let mut at = (entry.key.spread() >> 20) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.count == 0 {
                *slot = entry;
                self.used += 1;
                break;
            }
            if slot.key == entry.key {
                slot.count += entry.count;
                slot.first_row = slot.first_row.min(entry.first_row);
                break;
            }
            at = (at + 1) & mask;
        }
        if self.weighted {
            self.weights[at].add(weight);
        }
    }

    /// Every entry with its weight, in no order that means anything.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(Entry<P>, WeightSum)) {
        let weights = std::mem::take(&mut self.weights);
        for (at, entry) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            if entry.count > 0 {
                take(entry, weights.get(at).copied().unwrap_or_default());
            }
        }
        self.used = 0;
    }
}
