//! The complete cross product of the keys' values, numbered, with the cells of it that occur in the sample.

use outward_cells::Cells;

/// The cross product: cell numbers run fastest in the last key.
pub(super) struct Grid {
    /// Values of each key that occur, missing among them where it does.
    pub(super) levels: Vec<usize>,
    /// Cells of the cross product.
    pub(super) size: u64,
    /// Numbers of the cells that occur, ascending, with their counts.
    pub(super) occupied: Vec<(u64, u64)>,
    /// Records of the sample.
    pub(super) records: f64,
    /// For each key, the share of records with each value.
    shares: Vec<Vec<f64>>,
}

impl Grid {
    /// Of the cells; none if their cross product exceeds what a number can count.
    pub(super) fn from_cells(cells: &Cells) -> Option<Self> {
        let records = cells.records() as f64;
        let (mut numbers, mut levels, mut shares) = (vec![0u64; cells.len()], Vec::new(), Vec::new());
        let mut size = 1u64;
        for key in 0..cells.keys().len() {
            let mut counts = vec![0u64; cells.keys()[key].dictionary.len() + 1];
            (0..cells.len()).for_each(|cell| counts[cells.code(cell, key) as usize] += cells.counts()[cell]);
            let mut place = vec![0u64; counts.len()];
            let mut values = 0u64;
            for (code, _) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                place[code] = values;
                values += 1;
            }
            size = size.checked_mul(values)?;
            for (cell, number) in numbers.iter_mut().enumerate() {
                *number = *number * values + place[cells.code(cell, key) as usize];
            }
            levels.push(values as usize);
            shares.push(counts.iter().filter(|count| **count > 0).map(|count| *count as f64 / records).collect());
        }
        let mut occupied: Vec<(u64, u64)> = numbers.into_iter().zip(cells.counts().iter().copied()).collect();
        occupied.sort_unstable();
        Some(Self { levels, size, occupied, records, shares })
    }

    /// Of counts of all cells in order; shares are left out.
    #[cfg(test)]
    pub(super) fn of_counts(levels: Vec<usize>, counts: &[u64]) -> Self {
        let occupied: Vec<(u64, u64)> = (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
        let records = counts.iter().sum::<u64>() as f64;
        Self { levels, size: counts.len() as u64, occupied, records, shares: Vec::new() }
    }

    /// All pairs of keys.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        (0..self.levels.len()).flat_map(|one| (one + 1..self.levels.len()).map(move |other| (one, other))).collect()
    }

    /// Cells that share the values of this key and of all before it.
    pub(super) fn stride(&self, key: usize) -> usize {
        self.levels[key + 1..].iter().product()
    }

    /// The value one key has in a cell, as a place among its values.
    pub(super) fn value(&self, cell: u64, key: usize) -> usize {
        cell as usize / self.stride(key) % self.levels[key]
    }

    /// Expected count of one cell in the sample if the keys are independent.
    pub(super) fn independent(&self, cell: u64) -> f64 {
        let mut rest = cell;
        let mut expected = self.records;
        for (levels, shares) in self.levels.iter().zip(&self.shares).rev() {
            expected *= shares[(rest % *levels as u64) as usize];
            rest /= *levels as u64;
        }
        expected
    }

    /// Expected counts of all cells in the sample if the keys are independent, in the order of their numbers.
    pub(super) fn independence(&self) -> impl Iterator<Item = f64> + '_ {
        let keys = self.levels.len();
        let mut at = vec![0usize; keys];
        // The product over the keys up to each; one before the first.
        let mut products = vec![self.records; keys + 1];
        let mut changed = 0;
        (0..self.size).map(move |_| {
            for key in changed..keys {
                products[key + 1] = products[key] * self.shares[key][at[key]];
            }
            let expected = products[keys];
            changed = keys;
            while changed > 0 {
                changed -= 1;
                at[changed] += 1;
                if at[changed] < self.levels[changed] {
                    break;
                }
                at[changed] = 0;
            }
            expected
        })
    }
}
