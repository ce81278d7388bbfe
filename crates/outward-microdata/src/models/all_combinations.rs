//! k for all combinations of m keys at once: an intruder who knows any m of the keys finds at least k records. Asked of
//! sets of m variables in μ-ARGUS (Willenborg and de Waal 2001, "Elements of Statistical Disclosure Control", chapter 1);
//! as k^m-anonymity in Terrovitis, Mamoulis and Kalnis 2008.
//!
//! If a missing value is a category, sets of fewer than m keys need not be counted. The records that share some keys
//! include all that share these keys and a further one. If a missing value matches everything, smaller sets are counted
//! too. A record may then support another on three keys by its values on two of them, and not on the third alone.

use outward_cells::combinations;

use super::{Limit, Margin, Model};

/// Every combination of any up to `size` keys is shared by at least `k` records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllCombinations {
    /// How many keys an intruder knows; all keys where there are fewer.
    pub size: usize,
    /// The least count.
    pub k: u64,
}

impl AllCombinations {
    fn margins_of(&self, keys: usize, size: usize) -> Vec<Margin> {
        let margin = |keys| Margin { keys, subset: None, k: self.k };
        combinations(keys, size).into_iter().map(margin).collect()
    }
}

impl Model for AllCombinations {
    fn says(&self) -> String {
        format!("k = {} for every combination of up to {} keys", self.k, self.size)
    }

    fn margins(&self, keys: usize) -> Vec<Margin> {
        self.margins_of(keys, self.size.min(keys))
    }

    fn smaller_margins(&self, keys: usize) -> Vec<Margin> {
        (1..self.size.min(keys)).flat_map(|size| self.margins_of(keys, size)).collect()
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn parts_fail_too(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_least(format!("records that share any {} keys", self.size), "k", self.k as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_four_keys_is_asked_of_once() {
        let margins = AllCombinations { size: 2, k: 3 }.margins(4);
        let keys: Vec<_> = margins.iter().map(|margin| margin.keys.as_slice()).collect();
        assert_eq!(keys, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert!(margins.iter().all(|margin| margin.k == 3 && margin.subset.is_none()));
    }

    #[test]
    fn where_missing_matches_everything_single_keys_are_asked_of_beside_pairs() {
        let margins = AllCombinations { size: 2, k: 3 }.smaller_margins(3);
        let keys: Vec<_> = margins.iter().map(|margin| margin.keys.as_slice()).collect();
        assert_eq!(keys, [[0], [1], [2]]);
    }

    #[test]
    fn more_keys_than_there_are_means_all_keys() {
        let margins = AllCombinations { size: 5, k: 3 }.margins(2);
        assert_eq!(margins, [Margin { keys: vec![0, 1], subset: None, k: 3 }]);
    }
}
