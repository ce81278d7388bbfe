//! The different values of a column, by their hashes. While they are few, all are kept with their counts. After that,
//! those with the smallest hashes are kept.
//!
//! Hashes are spread evenly over 0 to 1, so the k-th smallest of n is near k/n. Therefore (k − 1)/(the k-th smallest)
//! estimates n with a relative standard error of 1/√(k − 2) (Beyer et al. 2007, "On synopses for distinct-value
//! estimation"). A hash among the smallest at the end was among them from its first appearance, so its count is exact
//! too. One small sample gives both the number of different values and how often a value repeats.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use crate::reading::Reading;

/// How many hashes are kept: exact up to here, 1.6 % standard error beyond.
pub(crate) const MAX_HASHES: usize = 4_096;

#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    seen: HashMap<u64, Seen, BuildHasherDefault<Spread>>,
    /// Hashes from here on are no longer among the smallest. Absent if no hash has been left out yet.
    bound: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    count: u64,
    reading: Reading,
}

/// How values repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Repeats {
    /// Different values, counted or estimated.
    pub(crate) distinct: u64,
    pub(crate) exact: bool,
    /// Records to a value, on average over the values.
    pub(crate) mean: f64,
    /// Records of the commonest value seen (of the sample, where not exact).
    pub(crate) most: u64,
}

impl Values {
    /// Whether every value so far is held.
    pub(crate) fn is_exact(&self) -> bool {
        self.bound.is_none() && self.seen.len() <= MAX_HASHES
    }

    /// Counts a value. The reading is made at its first appearance, while all values are held.
    pub(crate) fn note(&mut self, hash: u64, count: u64, reading: impl FnOnce() -> Reading) {
        if self.bound.is_some_and(|bound| hash >= bound) {
            return;
        }
        let exact = self.is_exact();
        match self.seen.entry(hash) {
            Entry::Occupied(mut seen) => seen.get_mut().count += count,
            Entry::Vacant(place) => {
                let reading = if exact { reading() } else { Reading::default() };
                place.insert(Seen { count, reading });
            }
        }
        if self.seen.len() > 2 * MAX_HASHES {
            self.prune();
        }
    }

    /// The reading of a value, where all are held.
    pub(crate) fn reading(&self, hash: u64) -> Option<Reading> {
        if self.is_exact() { self.seen.get(&hash).map(|seen| seen.reading) } else { None }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        if let Some(bound) = other.bound {
            self.bound = Some(self.bound.map_or(bound, |own| own.min(bound)));
        }
        for (hash, seen) in other.seen {
            self.seen.entry(hash).and_modify(|own| own.count += seen.count).or_insert(seen);
        }
        if let Some(bound) = self.bound {
            self.seen.retain(|hash, _| *hash < bound);
        }
        if self.seen.len() > 2 * MAX_HASHES {
            self.prune();
        }
    }

    /// Every reading with its count, where all values are held.
    pub(crate) fn readings(&self) -> Option<impl Iterator<Item = (Reading, u64)> + '_> {
        self.is_exact().then(|| self.seen.values().map(|seen| (seen.reading, seen.count)))
    }

    /// How the values repeat.
    pub(crate) fn repeats(mut self) -> Repeats {
        let exact = self.is_exact();
        let distinct = if exact { self.seen.len() as u64 } else { self.estimate() };
        let held = self.seen.len().max(1) as f64;
        let total: u64 = self.seen.values().map(|seen| seen.count).sum();
        let most = self.seen.values().map(|seen| seen.count).max().unwrap_or(0);
        Repeats { distinct, exact, mean: total as f64 / held, most }
    }

    fn estimate(&mut self) -> u64 {
        self.prune();
        let largest = self.bound.unwrap_or(u64::MAX) as f64 / u64::MAX as f64;
        ((MAX_HASHES - 1) as f64 / largest).round() as u64
    }

    fn prune(&mut self) {
        if self.seen.len() <= MAX_HASHES {
            return;
        }
        let mut hashes: Vec<u64> = self.seen.keys().copied().collect();
        let (_, largest, _) = hashes.select_nth_unstable(MAX_HASHES - 1);
        let bound = largest.saturating_add(1);
        self.bound = Some(bound);
        self.seen.retain(|hash, _| *hash < bound);
    }
}

/// The values are hashes already, but those kept share their leading bits: one multiplication spreads them again.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, hash: u64) {
        let wide = u128::from(hash) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (wide >> 64) as u64 ^ wide as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::mix;

    fn values(numbers: impl Iterator<Item = u64>) -> Values {
        let mut values = Values::default();
        for number in numbers {
            values.note(mix(number), 1, Reading::default);
        }
        values
    }

    #[test]
    fn few_values_are_counted_exactly() {
        let repeats = values((0..9_000).map(|n| n % 3_000)).repeats();
        assert_eq!(repeats, Repeats { distinct: 3_000, exact: true, mean: 3.0, most: 3 });
    }

    #[test]
    fn many_values_are_estimated_within_four_standard_errors_and_their_repeats_are_exact() {
        for distinct in [5_000u64, 60_000, 400_000] {
            let repeats = values((0..2 * distinct).map(|n| n % distinct)).repeats();
            assert!(!repeats.exact);
            let error = (repeats.distinct as f64 / distinct as f64 - 1.0).abs();
            assert!(error < 0.064, "{distinct}: {error}");
            assert_eq!((repeats.mean, repeats.most), (2.0, 2));
        }
    }

    #[test]
    fn merging_in_any_order_gives_the_same_as_counting_at_once() {
        let whole = values(0..30_000).repeats();
        for cut in [1, 4_000, 9_000, 29_999] {
            let mut front = values(0..cut);
            front.merge(values(cut..30_000));
            let mut back = values(cut..30_000);
            back.merge(values(0..cut));
            assert_eq!(front.repeats(), whole);
            assert_eq!(back.repeats(), whole);
        }
    }
}
