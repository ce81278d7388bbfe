//! Clusters: connected components of the pairs, by union–find with path halving (Tarjan and van Leeuwen 1984).

use super::scored::{Scored, ScoredPair};

/// Which records belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters {
    /// The cluster of each record, those of a second file after those of the first: the number of its lowest record, from 0.
    pub of_record: Vec<u32>,
    /// Clusters of two records or more.
    pub count: u64,
    /// Records in these.
    pub records: u64,
}

impl Clusters {
    /// The components that some pairs connect.
    pub fn new(scored: &Scored, pairs: &[ScoredPair]) -> Self {
        let mut lowest: Vec<u32> = (0..scored.rows as u32).collect();
        for pair in pairs {
            let (a, b) = (find(&mut lowest, pair.left), find(&mut lowest, scored.right_record(pair)));
            lowest[a.max(b) as usize] = a.min(b);
        }
        let of_record: Vec<u32> = (0..scored.rows as u32).map(|row| find(&mut lowest, row)).collect();
        let mut sizes = vec![0u32; scored.rows];
        of_record.iter().for_each(|cluster| sizes[*cluster as usize] += 1);
        let several = sizes.iter().filter(|size| **size > 1);
        Self { count: several.clone().count() as u64, records: several.map(|size| u64::from(*size)).sum(), of_record }
    }
}

fn find(lowest: &mut [u32], mut row: u32) -> u32 {
    while lowest[row as usize] != row {
        lowest[row as usize] = lowest[lowest[row as usize] as usize];
        row = lowest[row as usize];
    }
    row
}
