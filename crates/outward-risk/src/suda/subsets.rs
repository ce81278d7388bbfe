//! A number for every subset of the keys up to a size. Shorter subsets come first; those of one size follow the
//! combinatorial number system (Knuth, TAOCP 4A, 7.2.1.3).

/// Numbers the subsets of `n` keys.
pub(super) struct SubsetNumbers {
    /// `choose[k][n]`: subsets of `k` out of `n`, at most `u64::MAX`.
    choose: Vec<Vec<u64>>,
    /// How many subsets are shorter than each size; the empty one is not counted.
    shorter: Vec<u64>,
}

impl SubsetNumbers {
    /// Numbers for subsets of 1 to `longest` out of `n` keys.
    pub(super) fn new(n: usize, longest: usize) -> Self {
        let mut choose = vec![vec![1u64; n + 1]];
        for size in 1..=longest {
            let mut row = vec![0u64; n + 1];
            for from in 1..=n {
                row[from] = row[from - 1].saturating_add(choose[size - 1][from - 1]);
            }
            choose.push(row);
        }
        let mut shorter = vec![0u64, 0];
        for size in 1..=longest {
            shorter.push(shorter[size].saturating_add(choose[size][n]));
        }
        Self { choose, shorter }
    }

    /// How many subsets have a number.
    pub(super) fn len(&self) -> u64 {
        self.shorter[self.shorter.len() - 1]
    }

    /// The number of a subset, its keys ascending.
    pub(super) fn number_of(&self, keys: impl IntoIterator<Item = usize>) -> usize {
        let (mut size, mut number) = (0, 0);
        for key in keys {
            size += 1;
            number += self.choose[size][key];
        }
        (self.shorter[size] + number) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subset_has_a_number_of_its_own() {
        for (n, longest) in [(1, 1), (6, 6), (7, 3), (9, 2)] {
            let numbering = SubsetNumbers::new(n, longest);
            let subsets = (1u32..1 << n).filter(|subset| subset.count_ones() as usize <= longest);
            let mut numbers: Vec<usize> =
                subsets.map(|subset| numbering.number_of((0..n).filter(|key| subset >> key & 1 == 1))).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..numbering.len() as usize).collect::<Vec<_>>());
        }
    }
}
