//! A filter that knows which hashes it surely lacks: one of Bloom, with all bits of a hash in one word of memory.
//!
//! Source: Bloom (1970), *Space/time trade-offs in hash coding with allowable errors*; in blocks by Putze, Sanders and Singler (2007).

/// Bits of memory for each hash, and bits set of them. About one in a hundred hashes that are not there passes.
const BITS_OF_EACH: usize = 16;

/// Hashes, of which a few bits are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Filter {
    /// A power of two of them, or none.
    words: Vec<u64>,
}

impl Filter {
    /// A filter of these hashes.
    pub(super) fn with_hashes(count: usize, hashes: impl Iterator<Item = u64>) -> Self {
        let words = (count * BITS_OF_EACH / 64).next_power_of_two();
        let mut filter = Self { words: vec![0; words] };
        for hash in hashes {
            let (word, bits) = filter.place(hash);
            filter.words[word] |= bits;
        }
        filter
    }

    /// False only if the hash is not there.
    pub(super) fn may_have(&self, hash: u64) -> bool {
        let (word, bits) = self.place(hash);
        self.words.get(word).is_some_and(|own| own & bits == bits)
    }

    /// The word of a hash and its three bits there.
    fn place(&self, hash: u64) -> (usize, u64) {
        let word = (hash >> 20) as usize & self.words.len().wrapping_sub(1);
        (word, 1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers spread over all 64 bits (Steele, Lea and Flood 2014, SplitMix).
    fn spread(number: u64) -> u64 {
        let mut hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    }

    #[test]
    fn what_is_there_passes_and_of_the_rest_about_one_in_a_hundred() {
        let filter = Filter::with_hashes(10_000, (0..10_000).map(spread));
        assert!((0..10_000).all(|number| filter.may_have(spread(number))));
        let passed = (10_000..110_000).filter(|number| filter.may_have(spread(*number))).count();
        assert!(passed < 2_000, "{passed} of 100,000");
        assert!(!Filter::default().may_have(1));
    }
}
