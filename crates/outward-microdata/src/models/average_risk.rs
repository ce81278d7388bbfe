//! Average risk: the mean over records of one over the size of a record's class. It is the expected share of correct
//! matches of an intruder who tries everyone (METHODS I.7). Without wildcards: classes over records.

use super::limit::decimal;
use super::{ClassSizes, Limit, Model, Release};

/// The average chance of a correct match is at most so high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AverageRisk {
    /// The highest average.
    pub most: f64,
}

impl Model for AverageRisk {
    fn says(&self) -> String {
        format!("average risk at most {}", decimal(self.most))
    }

    fn asks_of_release(&self) -> bool {
        true
    }

    fn release_holds(&self, release: &Release) -> bool {
        self.sizes_hold(&ClassSizes::from(release))
    }

    fn sizes_hold(&self, spread: &ClassSizes) -> bool {
        self.release_figure(spread).is_none_or(|average| average <= self.most)
    }

    fn release_figure(&self, spread: &ClassSizes) -> Option<f64> {
        let records: u64 = spread.records.values().sum();
        let expected: f64 = spread.records.iter().map(|(size, records)| *records as f64 / *size as f64).sum();
        (records > 0).then(|| expected / records as f64)
    }

    /// A coarser recoding has no more classes of the same records.
    fn is_monotone(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_most("average risk", "average risk", self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_classes_of_ten_people_have_an_average_of_a_half() {
        let release = Release { sizes: [(1, 2), (2, 1), (3, 2)].into(), sampling_fraction: None, population: None };
        assert_eq!(AverageRisk { most: 0.5 }.release_figure(&ClassSizes::from(&release)), Some(0.5));
        assert!(AverageRisk { most: 0.5 }.release_holds(&release));
        assert!(!AverageRisk { most: 0.49 }.release_holds(&release));
    }
}
