//! Class sizes and how many classes have each. Every estimator of population uniques reads this and nothing else, so it
//! costs the same for a thousand records and for a thousand million.

use std::collections::BTreeMap;

use super::estimate::{Estimate, SamplingFraction};

/// How many classes there are of each size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    sizes: Vec<(u64, u64)>,
    records: u64,
    classes: u64,
}

/// Sizes up to here are counted in an array: nearly all classes are small.
const SMALL: usize = 1024;

impl Histogram {
    /// Of the sizes of all classes, such as `cells.counts()`. Empty classes are not classes.
    pub fn from_class_sizes(sizes: impl IntoIterator<Item = u64>) -> Self {
        let mut small = [0u64; SMALL];
        let mut large: BTreeMap<u64, u64> = BTreeMap::new();
        for size in sizes {
            match small.get_mut(usize::try_from(size).unwrap_or(usize::MAX)) {
                Some(classes) => *classes += 1,
                None => *large.entry(size).or_default() += 1,
            }
        }
        let small = small.into_iter().enumerate().map(|(size, classes)| (size as u64, classes));
        Self::from_sizes(small.chain(large))
    }

    /// Of pairs of a size and the number of classes that have it.
    pub fn from_sizes(sizes: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut all: BTreeMap<u64, u64> = BTreeMap::new();
        for (size, classes) in sizes {
            if size > 0 && classes > 0 {
                *all.entry(size).or_default() += classes;
            }
        }
        let sizes: Vec<(u64, u64)> = all.into_iter().collect();
        let records = sizes.iter().map(|(size, classes)| size * classes).sum();
        let classes = sizes.iter().map(|(_, classes)| classes).sum();
        Self { sizes, records, classes }
    }

    /// Sizes that occur, smallest first, with the number of classes.
    pub fn sizes(&self) -> &[(u64, u64)] {
        &self.sizes
    }

    /// Records in all classes.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Classes of all sizes.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// Classes of one size.
    pub fn of_size(&self, size: u64) -> u64 {
        self.sizes.binary_search_by_key(&size, |(size, _)| *size).map_or(0, |at| self.sizes[at].1)
    }

    /// The answers that need no model: no records, nobody alone in the sample, or a sample that is the population. If
    /// nobody is alone in the sample, the estimate is 0 and not a failure.
    pub(super) fn known(&self, fraction: SamplingFraction) -> Option<Estimate> {
        if self.records == 0 {
            return Some(Estimate::unavailable("there are no records"));
        }
        let uniques = self.of_size(1);
        (uniques == 0 || fraction.is_whole()).then(|| Estimate::Share(uniques as f64 / self.records as f64))
    }
}
