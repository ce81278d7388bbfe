//! Numbering combinations: records that agree on some columns get the same number.

use hashbrown::HashMap;

/// A combination that has no number yet.
const UNSEEN: u32 = u32::MAX;

/// Records by what they agree on: a number for each, from 0 in the order in which combinations first occur.
pub(crate) struct RecordGroups {
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

impl RecordGroups {
    /// Groups of records that agree on all columns; one group where there is no column.
    pub(crate) fn of_columns(columns: &[&[u32]], rows: usize) -> Self {
        let mut packed = vec![0u64; rows];
        let mut range = 1u64;
        for column in columns {
            let base = u64::from(column.iter().copied().max().unwrap_or(0)) + 1;
            if range.checked_mul(base).is_none() {
                let groups = Self::of_packed(&packed, range);
                packed.iter_mut().zip(&groups.of).for_each(|(packed, group)| *packed = u64::from(*group));
                range = groups.count as u64;
            }
            // A renumbered range has at most as many numbers as records, fewer than 2³², and a base at most 2³².
            range *= base;
            packed.iter_mut().zip(*column).for_each(|(packed, code)| *packed = *packed * base + u64::from(*code));
        }
        Self::of_packed(&packed, range)
    }

    /// The groups of equal keys; all keys are below `range`.
    fn of_packed(packed: &[u64], range: u64) -> Self {
        let mut count = 0;
        let mut number = |seen: &mut u32| {
            if *seen == UNSEEN {
                *seen = count;
                count += 1;
            }
            *seen
        };
        let of = if range <= 4 * packed.len() as u64 + 1024 {
            let mut numbers = vec![UNSEEN; range as usize];
            packed.iter().map(|key| number(&mut numbers[*key as usize])).collect()
        } else {
            let mut numbers = HashMap::<u64, u32>::new();
            packed.iter().map(|key| number(numbers.entry(*key).or_insert(UNSEEN))).collect()
        };
        Self { of, count: count as usize }
    }

    /// How many records each group has.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.count];
        self.of.iter().for_each(|group| sizes[*group as usize] += 1);
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_agree_on_all_columns_share_a_number() {
        let groups = RecordGroups::of_columns(&[&[1, 2, 1, 1], &[0, 5, 0, 5]], 4);
        assert_eq!((groups.of.as_slice(), groups.count), ([0, 1, 0, 2].as_slice(), 3));
        assert_eq!(groups.sizes(), [2, 1, 1]);
    }

    #[test]
    fn codes_too_large_for_one_number_are_told_apart() {
        let wide = [u32::MAX, 7, u32::MAX, u32::MAX];
        let last = [u32::MAX, u32::MAX, u32::MAX, 1];
        assert_eq!(RecordGroups::of_columns(&[&wide, &wide, &wide, &last], 4).of, [0, 1, 0, 2]);
    }

    #[test]
    fn without_columns_all_records_agree() {
        assert_eq!(RecordGroups::of_columns(&[], 3).of, [0, 0, 0]);
        assert_eq!(RecordGroups::of_columns(&[], 0).count, 0);
    }
}
