//! Which records are examined. The choice depends on the record number alone, and not on batches, threads or the order
//! of merging.

/// The records kept for ranking keys.
pub(crate) const RANKING_SAMPLE: usize = 20_000;

/// Up to this many records, every value is examined.
const MAX_RECORDS_IN_FULL: u64 = 50_000;

/// In larger files at most this many records are examined, and more than half as many.
const MAX_SAMPLE: u64 = 50_000;

/// A permutation of the 64-bit numbers that leaves no pattern of the record numbers (the finaliser of SplitMix64,
/// Steele, Lea and Flood 2014). Since it is a permutation, no two records tie.
pub(crate) fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// How rare a record is: one in 2^rarity is at least this rare.
pub(crate) fn rarity(mixed: u64) -> usize {
    mixed.leading_zeros() as usize
}

/// The least rarity at which a record is examined, in a file of so many records. It never falls as the number of
/// records grows. So a profiler that has read a part of the file has examined all its records that are in the sample of
/// the whole file.
pub(crate) fn least_rarity(records: u64) -> usize {
    if records <= MAX_RECORDS_IN_FULL {
        return 0;
    }
    (1..64).find(|shift| records >> shift <= MAX_SAMPLE).unwrap_or(63)
}

/// The rows of one batch, with those chosen for a closer look.
pub(crate) struct Rows {
    /// Rows whose values are examined, with the record's rarity.
    pub(crate) examined: Vec<(usize, usize)>,
    /// Rows kept for ranking keys, with the mixed record number.
    pub(crate) kept: Vec<(usize, u64)>,
}

impl Rows {
    /// Chooses among `rows` records from `first` on: those of at least this rarity are examined, those whose mixed
    /// number is below the bound are kept.
    pub(crate) fn choose(first: u64, rows: usize, rarest: usize, bound: u64) -> Self {
        let mut chosen = Self { examined: Vec::new(), kept: Vec::new() };
        for row in 0..rows {
            let mixed = mix(first.wrapping_add(row as u64));
            if rarity(mixed) >= rarest {
                chosen.examined.push((row, rarity(mixed)));
            }
            if mixed <= bound {
                chosen.kept.push((row, mixed));
            }
        }
        chosen
    }
}

/// The records with the smallest mixed numbers so far; each column holds its values of them in the same order.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    mixed: Vec<u64>,
    bound: u64,
}

impl Kept {
    pub(crate) fn new() -> Self {
        Self { mixed: Vec::new(), bound: u64::MAX }
    }

    /// Records with a greater mixed number can no longer be among the smallest.
    pub(crate) fn bound(&self) -> u64 {
        self.bound
    }

    pub(crate) fn extend(&mut self, mixed: impl Iterator<Item = u64>) {
        self.mixed.extend(mixed);
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.mixed.extend(other.mixed);
        self.bound = self.bound.min(other.bound);
    }

    /// Whether so many are held that [`Kept::prune`] is worth its while.
    pub(crate) fn is_full(&self) -> bool {
        self.mixed.len() > 2 * RANKING_SAMPLE
    }

    /// Drops all but the smallest; the places of those that stay, in their order, or nothing when all stay.
    pub(crate) fn prune(&mut self) -> Option<Vec<usize>> {
        if self.mixed.len() <= RANKING_SAMPLE {
            return None;
        }
        let mut ordered = self.mixed.clone();
        let (_, bound, _) = ordered.select_nth_unstable(RANKING_SAMPLE - 1);
        self.bound = *bound;
        let places: Vec<usize> = (0..self.mixed.len()).filter(|place| self.mixed[*place] <= self.bound).collect();
        self.mixed = places.iter().map(|place| self.mixed[*place]).collect();
        Some(places)
    }

    /// The places in the order of the mixed numbers, which no batch or merge can change.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.mixed.len()).collect();
        places.sort_unstable_by_key(|place| self.mixed[*place]);
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_small_file_is_examined_and_a_bounded_sample_of_a_large_one() {
        assert_eq!(least_rarity(50_000), 0);
        for records in [100_001, 1_000_000, 10_000_000, 3_000_000_000] {
            let expected = records >> least_rarity(records);
            assert!((25_000..=50_000).contains(&expected), "{records}: {expected}");
        }
    }

    #[test]
    fn a_part_examines_what_the_whole_asks_for() {
        assert!((0..40).map(|power| least_rarity(1 << power)).is_sorted());
    }

    #[test]
    fn the_sample_is_close_to_its_size() {
        let rows = Rows::choose(5, 1_000_000, least_rarity(1_000_000), 0);
        assert!((30_000..32_500).contains(&rows.examined.len()), "{}", rows.examined.len());
    }
}
