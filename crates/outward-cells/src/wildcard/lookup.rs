//! A table of distinct keys, numbered from 0 in the order in which they are added. It is probed far more often than it
//! is filled, and most probes find nothing, so its slots are many and small.

use crate::layout::Packed;

/// Distinct keys and their numbers.
#[derive(Debug)]
pub(super) struct Lookup<P> {
    /// Numbers of keys; [`NO_KEY`] where there is none. A power of two.
    slots: Vec<u32>,
    keys: Vec<P>,
    /// The high bits of a spread key that pick its slot: 64 less this.
    shift: u32,
}

/// No key has this number. So many cells would take more than 64 GiB.
const NO_KEY: u32 = u32::MAX;
/// Slots for each key at least.
const SLOTS_PER_KEY: usize = 4;

impl<P: Packed> Lookup<P> {
    /// A table for up to `most` keys.
    pub(super) fn with_room(most: usize) -> Self {
        let slots = (most * SLOTS_PER_KEY).next_power_of_two().max(2);
        Self { slots: vec![NO_KEY; slots], keys: Vec::with_capacity(most), shift: u64::BITS - slots.ilog2() }
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The number of a key, which is added if it is new.
    pub(super) fn insert(&mut self, key: P) -> usize {
        let mut at = (key.spread() >> self.shift) as usize;
        loop {
            let number = self.slots[at];
            if number == NO_KEY {
                self.slots[at] = self.keys.len() as u32;
                self.keys.push(key);
                return self.keys.len() - 1;
            }
            if self.keys[number as usize] == key {
                return number as usize;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The number of a key, if it is there.
    #[inline]
    pub(super) fn find(&self, key: P) -> Option<usize> {
        let mut at = (key.spread() >> self.shift) as usize;
        loop {
            let number = self.slots[at];
            if number == NO_KEY {
                return None;
            }
            if self.keys[number as usize] == key {
                return Some(number as usize);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }
}
