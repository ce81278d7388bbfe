//! How the codes of several keys are packed into one integer. The first key is in the highest bits. So sorting the
//! packed keys sorts the cells by the first key, then by the second, and so on.

use std::fmt::Debug;
use std::hash::Hash;

use crate::radix::sort_by_bits;

/// An integer that holds the codes of all keys of a cell.
pub(crate) trait Packed: Copy + Ord + Hash + Debug + Default + Send + Sync + 'static {
    fn field(code: u32, shift: u32) -> Self;
    fn or(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn code(self, shift: u32, mask: u32) -> u32;
    /// Spreads the bits so that the high ones can pick a slot.
    fn spread(self) -> u64;
    /// Sorts items by a packed key of so many bits.
    fn sort<T: Copy>(items: &mut Vec<T>, bits: u32, key: impl Fn(&T) -> Self);
}

/// 2⁶⁴ divided by the golden ratio, made odd: the usual multiplier of multiplicative hashing (Knuth, TAOCP 6.4).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

fn fold(value: u64) -> u64 {
    let product = u128::from(value ^ (value >> 32)) * u128::from(GOLDEN);
    (product as u64) ^ ((product >> 64) as u64)
}

macro_rules! fields_in {
    ($integer:ty) => {
        #[inline]
        fn field(code: u32, shift: u32) -> Self {
            <$integer>::from(code) << shift
        }
        #[inline]
        fn or(self, other: Self) -> Self {
            self | other
        }
        #[inline]
        fn and(self, other: Self) -> Self {
            self & other
        }
        #[inline]
        fn code(self, shift: u32, mask: u32) -> u32 {
            ((self >> shift) as u32) & mask
        }
    };
}

impl Packed for u64 {
    fields_in!(u64);

    #[inline]
    fn spread(self) -> u64 {
        fold(self)
    }

    fn sort<T: Copy>(items: &mut Vec<T>, bits: u32, key: impl Fn(&T) -> Self) {
        sort_by_bits(items, bits, key);
    }
}

impl Packed for u128 {
    fields_in!(u128);

    #[inline]
    fn spread(self) -> u64 {
        fold(self as u64 ^ fold((self >> 64) as u64))
    }

    fn sort<T: Copy>(items: &mut Vec<T>, bits: u32, key: impl Fn(&T) -> Self) {
        sort_by_bits(items, bits.min(u64::BITS), |item| key(item) as u64);
        sort_by_bits(items, bits.saturating_sub(u64::BITS), |item| (key(item) >> u64::BITS) as u64);
    }
}

/// Where each key's code lies in a packed integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    widths: Vec<u32>,
    shifts: Vec<u32>,
}

impl Layout {
    /// A layout with these widths in bits.
    pub(crate) fn new(widths: Vec<u32>) -> Self {
        let mut shifts = vec![0; widths.len()];
        let mut shift = 0;
        for (slot, width) in shifts.iter_mut().zip(&widths).rev() {
            // A field without bits may lie anywhere, but not at the very end, where a shift would leave the integer.
            *slot = if *width == 0 { 0 } else { shift };
            shift += width;
        }
        Self { widths, shifts }
    }

    /// The tightest layout for keys whose largest codes are these.
    pub(crate) fn tight(largest: impl IntoIterator<Item = u32>) -> Self {
        Self::new(largest.into_iter().map(bits_for).collect())
    }

    pub(crate) fn keys(&self) -> usize {
        self.widths.len()
    }

    /// Bits needed in all.
    pub(crate) fn bits(&self) -> u32 {
        self.widths.iter().sum()
    }

    pub(crate) fn width(&self, key: usize) -> u32 {
        self.widths[key]
    }

    pub(crate) fn shift(&self, key: usize) -> u32 {
        self.shifts[key]
    }

    #[inline]
    pub(crate) fn code<P: Packed>(&self, packed: P, key: usize) -> u32 {
        packed.code(self.shifts[key], mask(self.widths[key]))
    }

    /// All bits of some keys.
    pub(crate) fn bits_of<P: Packed>(&self, keys: impl IntoIterator<Item = usize>) -> P {
        let bits = |key: usize| P::field(mask(self.widths[key]), self.shifts[key]);
        keys.into_iter().fold(P::default(), |all, key| all.or(bits(key)))
    }

    /// Packs codes, one per key.
    pub(crate) fn pack<P: Packed>(&self, codes: &[u32]) -> P {
        codes.iter().zip(&self.shifts).fold(P::default(), |packed, (code, shift)| packed.or(P::field(*code, *shift)))
    }

    /// Reads a packed key and packs it anew, each code changed by `map(key, code)`.
    #[inline]
    pub(crate) fn repack<P: Packed, Q: Packed>(&self, packed: P, to: &Layout, map: impl Fn(usize, u32) -> u32) -> Q {
        let mut out = Q::default();
        for key in 0..self.keys() {
            out = out.or(Q::field(map(key, self.code(packed, key)), to.shifts[key]));
        }
        out
    }
}

/// Bits needed for codes up to `largest`; a key with only one code needs none.
pub(crate) fn bits_for(largest: u32) -> u32 {
    u32::BITS - largest.leading_zeros()
}

fn mask(width: u32) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_without_values_does_not_shift_out_of_a_full_integer() {
        let layout = Layout::new(vec![0, 32, 32]);
        let packed: u64 = layout.pack(&[0, u32::MAX, 7]);
        assert_eq!([0, 1, 2].map(|key| layout.code(packed, key)), [0, u32::MAX, 7]);
    }
}
