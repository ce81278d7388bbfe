//! Rows of zeros and ones, and which rows are combinations of them with whole coefficients.
//!
//! Rows are brought into echelon form modulo a large prime. The result is computed again in whole numbers, so that
//! nothing is reported that does not follow.

use std::collections::BTreeSet;

/// The Mersenne prime 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;

/// Largest divisor and largest coefficient of a combination.
const LARGEST_DIVISOR: i64 = 12;
const LARGEST: i64 = 1_000;

/// A row in echelon form, and the given rows that it is a combination of.
struct Row {
    columns: Vec<u64>,
    made_of: Vec<u64>,
    pivot: usize,
}

/// The row space of some rows.
pub(super) struct RowSpace {
    rows: Vec<Row>,
    columns: usize,
    count: usize,
}

/// Rows by number, each with its multiplicity.
pub(super) type Taken = Vec<(usize, i64)>;

impl RowSpace {
    pub(super) fn new(columns: usize, rows: &[BTreeSet<usize>]) -> Self {
        let mut space = Self { rows: Vec::new(), columns, count: rows.len() };
        for (number, row) in rows.iter().enumerate() {
            let mut left = space.vector(row);
            let mut made_of = vec![0; space.count];
            made_of[number] = 1;
            space.reduce(&mut left, &mut made_of);
            let Some(pivot) = left.iter().position(|value| *value != 0) else { continue };
            let by = inverse(left[pivot]);
            left.iter_mut().chain(&mut made_of).for_each(|value| *value = times(*value, by));
            space.rows.push(Row { columns: left, made_of, pivot });
        }
        space
    }

    fn vector(&self, row: &BTreeSet<usize>) -> Vec<u64> {
        let mut vector = vec![0; self.columns];
        row.iter().for_each(|column| vector[*column] = 1);
        vector
    }

    /// Reduces a vector by the rows, and records the multiples subtracted.
    fn reduce(&self, left: &mut [u64], made_of: &mut [u64]) {
        for row in &self.rows {
            let by = PRIME - left[row.pivot];
            if by == PRIME {
                continue;
            }
            let add = |own: &mut [u64], other: &[u64]| {
                for (own, other) in own.iter_mut().zip(other).filter(|(_, other)| **other != 0) {
                    *own = (*own + times(*other, by)) % PRIME;
                }
            };
            add(left, &row.columns);
            add(made_of, &row.made_of);
        }
    }

    /// The rows whose combination is a group of columns, and the divisor; `None` if there are none, or numbers grow too
    /// large.
    pub(super) fn express(&self, group: &BTreeSet<usize>, rows: &[BTreeSet<usize>]) -> Option<(Taken, i64)> {
        let (mut left, mut made_of) = (self.vector(group), vec![0; self.count]);
        self.reduce(&mut left, &mut made_of);
        if left.iter().any(|value| *value != 0) {
            return None;
        }
        // The multiples subtracted are the combination.
        let whole = |divisor: i64| -> Option<Taken> {
            let all = made_of.iter().map(|value| small(times(PRIME - *value % PRIME, divisor as u64)));
            let all: Option<Vec<i64>> = all.collect();
            Some(all?.into_iter().enumerate().filter(|(_, by)| *by != 0).collect())
        };
        let (taken, divisor) =
            (1..=LARGEST_DIVISOR).find_map(|divisor| whole(divisor).map(|taken| (taken, divisor)))?;
        let mut sums = vec![0i64; self.columns];
        for (row, by) in &taken {
            rows[*row].iter().for_each(|column| sums[*column] += by);
        }
        let holds = |(column, sum): (usize, &i64)| *sum == if group.contains(&column) { divisor } else { 0 };
        sums.iter().enumerate().all(holds).then_some((taken, divisor))
    }
}

fn times(one: u64, other: u64) -> u64 {
    (u128::from(one % PRIME) * u128::from(other % PRIME) % u128::from(PRIME)) as u64
}

/// The inverse of a number (by Fermat's little theorem).
fn inverse(of: u64) -> u64 {
    let (mut result, mut base, mut power) = (1, of, PRIME - 2);
    while power > 0 {
        if power & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        power >>= 1;
    }
    result
}

/// The number as a small integer, positive or negative.
fn small(value: u64) -> Option<i64> {
    let value = value % PRIME;
    let signed = if value > PRIME / 2 { -((PRIME - value) as i64) } else { value as i64 };
    (signed.abs() <= LARGEST).then_some(signed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn rows(of: &[&[usize]]) -> Vec<BTreeSet<usize>> {
        of.iter().map(|row| row.iter().copied().collect()).collect()
    }

    #[test]
    fn those_with_one_and_the_other_less_those_with_either_are_those_with_both() {
        // Neither, the first alone, the second alone, both.
        let rows = rows(&[&[1, 3], &[2, 3], &[1, 2, 3]]);
        let both = RowSpace::new(4, &rows).express(&BTreeSet::from([3]), &rows).unwrap();
        assert_eq!(both, (vec![(0, 1), (1, 1), (2, -1)], 1));
        assert!(RowSpace::new(4, &rows[..2]).express(&BTreeSet::from([3]), &rows[..2]).is_none());
    }

    #[test]
    fn three_pairs_of_three_give_each_by_half_their_sum() {
        let rows = rows(&[&[0, 1], &[1, 2], &[0, 2]]);
        let (taken, divisor) = RowSpace::new(3, &rows).express(&BTreeSet::from([0]), &rows).unwrap();
        assert_eq!((taken, divisor), (vec![(0, 1), (1, -1), (2, 1)], 2));
    }
}
