//! The share of records that are alone on all keys, the sample uniques of an assessment.

use super::limit::decimal;
use super::{ClassSizes, Limit, Margin, Model, Release};

/// At most this share of the records is alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordsAlone {
    /// The largest share.
    pub most: f64,
}

impl Model for RecordsAlone {
    fn says(&self) -> String {
        format!("share of records alone at most {}", decimal(self.most))
    }

    /// That nobody at all may be alone can be met by suppression too, so it is asked of classes.
    fn margins(&self, keys: usize) -> Vec<Margin> {
        let nobody = Margin { keys: (0..keys).collect(), subset: None, k: 2 };
        if self.most <= 0.0 { vec![nobody] } else { Vec::new() }
    }

    fn asks_of_release(&self) -> bool {
        true
    }

    fn release_holds(&self, release: &Release) -> bool {
        self.sizes_hold(&ClassSizes::from(release))
    }

    fn sizes_hold(&self, spread: &ClassSizes) -> bool {
        self.release_figure(spread).is_none_or(|share| share <= self.most)
    }

    fn release_figure(&self, spread: &ClassSizes) -> Option<f64> {
        let records: u64 = spread.records.values().sum();
        let alone = spread.records.get(&1).copied().unwrap_or(0);
        (records > 0).then(|| alone as f64 / records as f64)
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn parts_fail_too(&self) -> bool {
        self.most <= 0.0
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_most("share of records alone", "share of records alone", self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_ten_people_are_alone() {
        let release = Release { sizes: [(1, 2), (2, 1), (3, 2)].into(), sampling_fraction: None, population: None };
        assert!(RecordsAlone { most: 0.2 }.release_holds(&release));
        assert!(!RecordsAlone { most: 0.19 }.release_holds(&release));
    }

    #[test]
    fn nobody_alone_is_asked_of_classes() {
        assert_eq!(RecordsAlone { most: 0.0 }.margins(2), [Margin { keys: vec![0, 1], subset: None, k: 2 }]);
        assert!(RecordsAlone { most: 0.1 }.margins(2).is_empty());
    }
}
