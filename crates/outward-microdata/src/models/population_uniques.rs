//! The share of the population that is unique in it. If there is a population file, it is counted. Otherwise it is
//! estimated from the sizes of the classes and the sampling fraction. The rule of Dankar et al. 2012 chooses the
//! estimator (METHODS I.8, `outward_risk::population`). Without an estimate the model does not hold.

use outward_risk::population::{Histogram, SamplingFraction, measure_uniqueness};

use super::limit::decimal;
use super::{ClassSizes, Limit, Model, Release};

/// At most this share of the population is unique in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationUniques {
    /// The largest share.
    pub most: f64,
    /// Whether it is counted in a population file, and not estimated.
    pub counted: bool,
}

/// The share of a population file that is unique in it. None if the file has fewer people than the release has records:
/// it is then not the population.
fn counted_share(spread: &ClassSizes) -> Option<f64> {
    let records: u64 = spread.combinations.iter().map(|(size, classes)| size * classes).sum();
    let file = spread.population.filter(|file| file.people >= records)?;
    Some(file.uniques as f64 / file.people as f64)
}

impl Model for PopulationUniques {
    fn says(&self) -> String {
        format!("share of population uniques at most {}", decimal(self.most))
    }

    fn asks_of_release(&self) -> bool {
        true
    }

    /// Somebody unique in a population file stays so, whether their record is published or not.
    fn suppression_helps(&self) -> bool {
        !self.counted
    }

    fn release_holds(&self, release: &Release) -> bool {
        self.sizes_hold(&ClassSizes::from(release))
    }

    /// Nobody is unique in a release without records.
    fn sizes_hold(&self, spread: &ClassSizes) -> bool {
        spread.combinations.is_empty() || self.release_figure(spread).is_some_and(|share| share <= self.most)
    }

    fn release_figure(&self, spread: &ClassSizes) -> Option<f64> {
        if self.counted {
            return counted_share(spread);
        }
        let fraction = SamplingFraction::new(spread.sampling_fraction?).ok()?;
        let sizes = spread.combinations.iter().map(|(size, classes)| (*size, *classes));
        measure_uniqueness(&Histogram::from_sizes(sizes), fraction).chosen.share()
    }

    /// The rule may choose another estimator for a coarser recoding. Coarser keys make nobody unique.
    fn is_monotone(&self) -> bool {
        self.counted
    }

    fn limit(&self) -> Option<Limit> {
        let measured =
            if self.counted { "counted share of population uniques" } else { "estimated share of population uniques" };
        Some(Limit::at_most(measured, "share of population uniques", self.most))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn release(sizes: &[(u64, u64)], sampling_fraction: Option<f64>) -> Release {
        Release { sizes: sizes.iter().copied().collect(), sampling_fraction, population: None }
    }

    fn estimated(most: f64) -> PopulationUniques {
        PopulationUniques { most, counted: false }
    }

    #[test]
    fn a_population_file_is_counted_whatever_the_sample_would_suggest() {
        let model = PopulationUniques { most: 0.03, counted: true };
        let mut alone = release(&[(1, 50)], Some(0.05));
        alone.population = Some(super::super::PopulationUniqueness { people: 1_000, uniques: 30 });
        assert_eq!(model.release_figure(&ClassSizes::from(&alone)), Some(0.03));
        assert!(model.release_holds(&alone));
        assert!(!PopulationUniques { most: 0.029, counted: true }.release_holds(&alone));
        alone.population = Some(super::super::PopulationUniqueness { people: 49, uniques: 0 });
        assert!(!model.release_holds(&alone), "a file of fewer people than records is not the population");
    }

    #[test]
    fn nobody_alone_in_the_sample_is_an_estimate_of_nobody() {
        assert!(estimated(0.0).release_holds(&release(&[(2, 40), (7, 3)], Some(0.1))));
    }

    #[test]
    fn in_a_whole_population_uniques_are_counted() {
        let whole = release(&[(1, 10), (2, 20), (5, 10)], Some(1.0));
        assert!(estimated(0.1).release_holds(&whole));
        assert!(!estimated(0.0999).release_holds(&whole));
    }

    #[test]
    fn a_sample_goes_by_the_rule_of_the_assessment() {
        let sizes = [(1, 300), (2, 120), (3, 60), (4, 30), (9, 20)];
        let spread = ClassSizes::from(&release(&sizes, Some(0.05)));
        let chosen = measure_uniqueness(&Histogram::from_sizes(sizes), SamplingFraction::new(0.05).unwrap()).chosen;
        assert_eq!(estimated(0.1).release_figure(&spread), chosen.share());
        assert!(chosen.share().unwrap() > 0.0);
    }

    #[test]
    fn without_a_fraction_it_cannot_be_said_to_hold() {
        assert!(!estimated(1.0).release_holds(&release(&[(1, 1)], None)));
    }
}
