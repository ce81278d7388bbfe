//! The labels of a row in one or more 64-bit words, a field for each key.

use super::levels::Key;

/// Where the field of each key is. No field straddles two words.
#[derive(Debug, Clone, Default)]
pub(super) struct Packing {
    fields: Vec<Field>,
    words: usize,
}

/// A field: its word, how far it is shifted, and its bits when shifted back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Field {
    /// The label of a row that is given by its words.
    pub(super) fn label(self, words: &[u64]) -> u32 {
        (words[self.word] >> self.shift & self.mask) as u32
    }

    /// The label of a row that has one word only.
    pub(super) fn only(self, word: u64) -> u32 {
        (word >> self.shift & self.mask) as u32
    }
}

impl Packing {
    /// Fields for the labels at the finest level of each key.
    pub(super) fn new(keys: &[Key]) -> Self {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::with_capacity(keys.len());
        for key in keys {
            let labels = key.levels.first().map_or(1, |level| level.len().max(1)) as u64;
            let bits = u64::BITS - (labels - 1).leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            // A key with one label has no bits, and its shift must not pass the end of the word.
            let shift = used.min(u64::BITS - 1);
            fields.push(Field { word, shift, mask: (1u64 << bits) - 1 });
            used += bits;
        }
        Self { fields, words: word + 1 }
    }

    /// Words of a row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn field(&self, key: usize) -> Field {
        self.fields[key]
    }

    /// Puts a label into the empty field of a key.
    pub(super) fn put(&self, words: &mut [u64], key: usize, label: u32) {
        let Field { word, shift, .. } = self.fields[key];
        words[word] |= u64::from(label) << shift;
    }

    /// For each word the bits of the fields of some keys.
    pub(super) fn masks(&self, keys: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut masks = vec![0; self.words];
        for Field { word, shift, mask } in keys.map(|key| self.fields[key]) {
            masks[word] |= mask << shift;
        }
        masks
    }
}
