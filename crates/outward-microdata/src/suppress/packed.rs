//! All codes of a record side by side in a few words, so that agreeing on some keys is one comparison under a mask.

use super::ones;

/// The codes of a record, each within one word.
pub(super) type Packed<const W: usize> = [u64; W];

/// Where the code of each key stands.
#[derive(Debug)]
pub(super) struct Layout {
    word: Vec<usize>,
    shift: Vec<u32>,
    width: Vec<u32>,
}

impl Layout {
    /// Room for the largest code of each key.
    pub(super) fn new(largest: impl Iterator<Item = u32>) -> Self {
        let width: Vec<u32> = largest.map(|largest| u32::BITS - largest.leading_zeros()).collect();
        let (mut at, mut used) = (0, 0);
        let (mut word, mut shift) = (Vec::new(), Vec::new());
        for bits in &width {
            if used + bits > u64::BITS {
                (at, used) = (at + 1, 0);
            }
            word.push(at);
            shift.push(used);
            used += bits;
        }
        Self { word, shift, width }
    }

    /// How many words a record takes.
    pub(super) fn words(&self) -> usize {
        self.word.last().map_or(0, |last| last + 1)
    }

    pub(super) fn pack<const W: usize>(&self, codes: impl Iterator<Item = u32>) -> Packed<W> {
        let mut packed = [0; W];
        for (key, code) in codes.enumerate().filter(|(_, code)| *code > 0) {
            packed[self.word[key]] |= u64::from(code) << self.shift[key];
        }
        packed
    }

    /// The bits of these keys.
    pub(super) fn mask<const W: usize>(&self, keys: u64) -> Packed<W> {
        let mut mask = [0; W];
        for key in ones(keys).filter(|key| self.width.get(*key).is_some_and(|width| *width > 0)) {
            mask[self.word[key]] |= (u64::MAX >> (u64::BITS - self.width[key])) << self.shift[key];
        }
        mask
    }

    /// Those of `keys` in which the codes of a record are missing.
    pub(super) fn missing<const W: usize>(&self, packed: &Packed<W>, keys: u64) -> u64 {
        let missing = |key: &usize| {
            self.width[*key] == 0
                || (packed[self.word[*key]] >> self.shift[*key]) & (u64::MAX >> (u64::BITS - self.width[*key])) == 0
        };
        ones(keys).filter(missing).fold(0, |bits, key| bits | 1 << key)
    }

    /// Those of `keys` in which two records differ.
    pub(super) fn different<const W: usize>(&self, a: &Packed<W>, b: &Packed<W>, keys: u64) -> u64 {
        let mut apart = [0; W];
        (0..W).for_each(|word| apart[word] = a[word] ^ b[word]);
        keys & !self.missing(&apart, keys)
    }
}

/// The codes under a mask.
#[inline]
pub(super) fn under<const W: usize>(packed: &Packed<W>, mask: &Packed<W>) -> Packed<W> {
    let mut under = [0; W];
    (0..W).for_each(|word| under[word] = packed[word] & mask[word]);
    under
}
