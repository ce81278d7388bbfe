//! The codes of a record side by side in a few 64-bit words, a field for each key. Whether two records agree on some
//! keys is then one comparison under a mask. The recoding search and local suppression both work on records in this
//! form.

/// The codes of a record in as many words as the method was built for.
pub(crate) type Packed<const W: usize> = [u64; W];

/// Where the field of each key is. No field straddles two words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Packing {
    fields: Vec<Field>,
    words: usize,
}

/// A field: its word, how far it is shifted, and its bits when shifted back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Field {
    /// The code of a record that is given by its words.
    pub(crate) fn code(self, words: &[u64]) -> u32 {
        (words[self.word] >> self.shift & self.mask) as u32
    }

    /// The code of a record that has one word only.
    pub(crate) fn code_in_word(self, word: u64) -> u32 {
        (word >> self.shift & self.mask) as u32
    }
}

impl Packing {
    /// A field for each key that holds codes up to its largest.
    pub(crate) fn new(largest_codes: impl IntoIterator<Item = u32>) -> Self {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::new();
        for largest in largest_codes {
            let bits = u32::BITS - largest.leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            // A key whose only code is 0 has no bits, and its shift must not pass the end of the word.
            let shift = used.min(u64::BITS - 1);
            fields.push(Field { word, shift, mask: (1u64 << bits) - 1 });
            used += bits;
        }
        Self { fields, words: word + 1 }
    }

    /// Words of a record.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    pub(crate) fn field(&self, key: usize) -> Field {
        self.fields[key]
    }

    /// Puts a code into the empty field of a key.
    pub(crate) fn put(&self, words: &mut [u64], key: usize, code: u32) {
        let Field { word, shift, .. } = self.fields[key];
        words[word] |= u64::from(code) << shift;
    }

    /// The record with these codes, one for each key.
    pub(crate) fn pack<const W: usize>(&self, codes: impl Iterator<Item = u32>) -> Packed<W> {
        let mut packed = [0; W];
        codes.enumerate().for_each(|(key, code)| self.put(&mut packed, key, code));
        packed
    }

    /// For each word the bits of the fields of some keys.
    pub(crate) fn masks(&self, keys: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut masks = vec![0; self.words];
        self.add_masks(&mut masks, keys);
        masks
    }

    /// The same for a set of keys that is given as bits.
    pub(crate) fn mask<const W: usize>(&self, keys: u64) -> Packed<W> {
        let mut mask = [0; W];
        self.add_masks(&mut mask, ones(keys));
        mask
    }

    fn add_masks(&self, masks: &mut [u64], keys: impl Iterator<Item = usize>) {
        for Field { word, shift, mask } in keys.map(|key| self.fields[key]) {
            masks[word] |= mask << shift;
        }
    }

    /// Those of `keys` whose code is 0 in a record.
    pub(crate) fn zeros<const W: usize>(&self, packed: &Packed<W>, keys: u64) -> u64 {
        ones(keys).filter(|key| self.fields[*key].code(packed) == 0).fold(0, |bits, key| bits | 1 << key)
    }

    /// Those of `keys` in which two records differ.
    pub(crate) fn different<const W: usize>(&self, a: &Packed<W>, b: &Packed<W>, keys: u64) -> u64 {
        let mut apart = [0; W];
        (0..W).for_each(|word| apart[word] = a[word] ^ b[word]);
        keys & !self.zeros(&apart, keys)
    }
}

/// The codes under a mask.
#[inline]
pub(crate) fn masked<const W: usize>(packed: &Packed<W>, mask: &Packed<W>) -> Packed<W> {
    let mut masked = [0; W];
    (0..W).for_each(|word| masked[word] = packed[word] & mask[word]);
    masked
}

/// The numbers of the bits that are set, the lowest first.
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        first
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back_as_they_were_put_in_also_from_keys_of_one_value_at_the_end_of_a_word() {
        let largest = [u32::MAX, u32::MAX, 0, 5, 0, 1];
        let packing = Packing::new(largest);
        assert_eq!(packing.words(), 2);
        let codes = [7, u32::MAX, 0, 5, 0, 1];
        let packed: Packed<2> = packing.pack(codes.into_iter());
        let read: Vec<u32> = (0..codes.len()).map(|key| packing.field(key).code(&packed)).collect();
        assert_eq!(read, codes);
    }

    #[test]
    fn records_differ_in_the_keys_whose_codes_differ() {
        let packing = Packing::new([3, 0, 200, u32::MAX, u32::MAX]);
        let [one, other]: [Packed<2>; 2] =
            [[1, 0, 150, 0, 9], [1, 0, 151, 0, 8]].map(|codes| packing.pack(codes.into_iter()));
        assert_eq!(packing.different(&one, &other, 0b11111), 0b10100);
        assert_eq!(packing.different(&one, &other, 0b01011), 0);
        assert_eq!(packing.zeros(&one, 0b11111), 0b01010);
        assert_eq!(masked(&one, &packing.mask(0b01011)), masked(&other, &packing.mask(0b01011)));
        assert_eq!(packing.masks([0, 1, 3].into_iter()), packing.mask::<2>(0b01011));
    }
}
