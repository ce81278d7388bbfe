//! Sets of rows: bits while they are many, a list once they are few.

/// Rows that share their values on some keys with another row.
pub(super) enum RowSet {
    /// Every row, as far as is known. So it is for subsets that were not examined, as no row could be alone there.
    All,
    /// Ascending row numbers.
    Few(Vec<u32>),
    /// A bit per row.
    Many(Vec<u64>),
}

/// A list takes 32 bits for each row in it; bits take one for each row of the table.
const BITS_PER_LISTED: usize = 32;

impl RowSet {
    /// The set of the rows whose bits are set.
    pub(super) fn from_bits(bits: &[u64]) -> Self {
        let count: usize = bits.iter().map(|word| word.count_ones() as usize).sum();
        if count < bits.len() * 64 / BITS_PER_LISTED { Self::Few(list(bits)) } else { Self::Many(bits.to_vec()) }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Few(rows) if rows.is_empty())
    }

    /// Keeps in `bits` what is in this set too; `spare` is room for as many bits.
    pub(super) fn intersect(&self, bits: &mut [u64], spare: &mut Vec<u64>) {
        let mine = match self {
            Self::All => return,
            Self::Many(mine) => mine,
            Self::Few(rows) => {
                spare.clear();
                spare.resize(bits.len(), 0);
                set(spare, rows);
                &*spare
            }
        };
        bits.iter_mut().zip(mine).for_each(|(word, mine)| *word &= mine);
    }
}

fn list(bits: &[u64]) -> Vec<u32> {
    let mut rows = Vec::new();
    for (at, word) in bits.iter().enumerate() {
        let mut left = *word;
        while left != 0 {
            rows.push(at as u32 * 64 + left.trailing_zeros());
            left &= left - 1;
        }
    }
    rows
}

/// Sets the bits of rows.
pub(super) fn set(bits: &mut [u64], rows: &[u32]) {
    rows.iter().for_each(|row| bits[*row as usize / 64] |= 1 << (row % 64));
}

/// Clears the bits of rows.
pub(super) fn unset(bits: &mut [u64], rows: &[u32]) {
    rows.iter().for_each(|row| bits[*row as usize / 64] &= !(1 << (row % 64)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_its_rows_whether_listed_or_as_bits() {
        for rows in [vec![], vec![3], vec![0, 63, 64, 199], (0..200).collect::<Vec<u32>>()] {
            let mut bits = vec![0; 4];
            set(&mut bits, &rows);
            let kept = RowSet::from_bits(&bits);
            assert_eq!(list(&bits), rows);
            assert_eq!(kept.is_empty(), rows.is_empty());
            let mut all = vec![u64::MAX; 4];
            kept.intersect(&mut all, &mut Vec::new());
            assert_eq!(all, bits);
            unset(&mut all, &rows);
            assert!(RowSet::from_bits(&all).is_empty());
        }
    }
}
