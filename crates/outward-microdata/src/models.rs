//! Privacy models: what must hold of a release. Each model is one file with its definition and source.
//!
//! A model asks in one or more of three ways. Of **margins**: every combination of some keys, among some records, must be
//! shared by at least k. Of a **class**, the records that share all keys: its sensitive values, its population. Of the
//! **release** as a whole: averages and estimates over its classes. Records in margins and classes that do not hold can be
//! suppressed. If a release does not hold as a whole, its smallest classes are suppressed until it does.

mod all_combinations;
mod asked;
mod average_risk;
mod closeness;
mod disclosure;
mod diversity;
mod highest_risk;
mod k_anonymity;
mod k_map;
mod likeness;
mod limit;
mod population_uniques;
mod presence;
mod records_alone;
mod values;
mod weak_k;

use std::collections::BTreeMap;
use std::fmt::Debug;

pub use all_combinations::AllCombinations;
pub use asked::{AskedModels, SensitiveVariable, WeakK};
pub use average_risk::AverageRisk;
pub use closeness::{Closeness, Distance};
pub use disclosure::Disclosure;
pub use diversity::{Diversity, DiversityKind};
pub use highest_risk::HighestRisk;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use likeness::{Likeness, LikenessKind};
pub use limit::Limit;
pub use population_uniques::PopulationUniques;
pub use presence::Presence;
pub use records_alone::RecordsAlone;
pub use weak_k::WeakKAnonymity;

/// The records of a release that share all keys.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// How many they are.
    pub records: u64,
    /// How many of the population have the same keys, where there is a population file.
    pub population: Option<u64>,
    /// For each sensitive variable its codes in ascending order (0 is missing), with the number of records that have each.
    pub sensitive: &'a [Vec<(u32, u64)>],
}

/// A release as a whole, without the records that are suppressed.
#[derive(Debug, Clone)]
pub struct Release {
    /// Sizes of the classes, and how many classes have each.
    pub sizes: BTreeMap<u64, u64>,
    /// The share of the population that is in the data before protection, where known.
    pub sampling_fraction: Option<f64>,
    /// The population file as the release has its keys, where there is one.
    pub population: Option<PopulationUniqueness>,
}

/// A population file on the keys of a release. Suppressing records changes nothing of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PopulationUniqueness {
    /// People in it.
    pub people: u64,
    /// People whose combination of the keys nobody else has.
    pub uniques: u64,
}

impl PopulationUniqueness {
    /// From the numbers of people that have each combination of the keys.
    pub(crate) fn of_counts(counts: impl IntoIterator<Item = u64>) -> Self {
        counts.into_iter().fold(Self::default(), |sum, people| Self {
            people: sum.people + people,
            uniques: sum.uniques + u64::from(people == 1),
        })
    }
}

/// How the records of a release spread over classes. Where missing values match everything classes overlap, and the
/// size of a record's class is no longer the number of records that have its keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClassSizes {
    /// How many combinations of the keys are had by so many records.
    pub combinations: BTreeMap<u64, u64>,
    /// How many records are in a class of each size.
    pub records: BTreeMap<u64, u64>,
    /// The share of the population that is in the data before protection, where known.
    pub sampling_fraction: Option<f64>,
    /// The population file as the release has its keys, where there is one.
    pub population: Option<PopulationUniqueness>,
}

impl From<&Release> for ClassSizes {
    fn from(release: &Release) -> Self {
        Self {
            combinations: release.sizes.clone(),
            records: release.sizes.iter().map(|(size, classes)| (*size, size * classes)).collect(),
            sampling_fraction: release.sampling_fraction,
            population: release.population,
        }
    }
}

/// Every combination of some keys, among some records, must be shared by at least `k` records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Margin {
    /// Positions of the keys.
    pub keys: Vec<usize>,
    /// Which of the named subsets of records; all records if absent. Records outside the subset are neither counted nor asked of.
    pub subset: Option<usize>,
    /// The least count.
    pub k: u64,
}

/// What must hold of a release.
pub trait Model: Debug + Send + Sync {
    /// What it requires, in words, such as `k-anonymity with k = 5`.
    fn says(&self) -> String;

    /// The margins it reads, for this number of keys.
    fn margins(&self, _keys: usize) -> Vec<Margin> {
        Vec::new()
    }

    /// Margins of fewer keys. They follow from these if missing is a value, and must be counted if it matches
    /// everything.
    fn smaller_margins(&self, _keys: usize) -> Vec<Margin> {
        Vec::new()
    }

    /// Whether it reads the sensitive values of classes.
    fn reads_sensitive(&self) -> bool {
        false
    }

    /// Whether it reads the population of classes.
    fn reads_population(&self) -> bool {
        false
    }

    /// Whether a class holds.
    fn class_holds(&self, _class: &Class<'_>) -> bool {
        true
    }

    /// Whether the release as a whole holds.
    fn release_holds(&self, _release: &Release) -> bool {
        true
    }

    /// Whether it asks of the release as a whole.
    fn asks_of_release(&self) -> bool {
        false
    }

    /// Whether a release that does not hold as a whole may hold once records are suppressed.
    fn suppression_helps(&self) -> bool {
        true
    }

    /// Whether a recoding that holds still holds when it is made coarser.
    fn is_monotone(&self) -> bool;

    /// Whether every part of a class that fails fails too. Then records suppressed under a recoding are suppressed
    /// under every finer one. A count that is too small is too small in every part. A mixture of values can fail
    /// because of one part while the other would hold.
    fn parts_fail_too(&self) -> bool {
        false
    }

    /// As [`Model::release_holds`], also where classes overlap.
    fn sizes_hold(&self, spread: &ClassSizes) -> bool {
        self.release_holds(&Release {
            sizes: spread.combinations.clone(),
            sampling_fraction: spread.sampling_fraction,
            population: spread.population,
        })
    }

    /// The same model for a release whose sensitive variables have these values as a whole; none if it does not
    /// compare with the whole.
    fn fitted(&self, _whole: &[Vec<(u32, u64)>]) -> Option<Box<dyn Model>> {
        None
    }

    /// What it measures, and the limit it sets.
    fn limit(&self) -> Option<Limit> {
        None
    }

    /// What it measures of a class; none if the class has nothing to measure.
    fn class_figure(&self, _class: &Class<'_>) -> Option<f64> {
        None
    }

    /// What it measures of the release as a whole; none if that cannot be measured.
    fn release_figure(&self, _spread: &ClassSizes) -> Option<f64> {
        None
    }

    /// The requirement that would hold if the worst figure is this, such as `k = 2`.
    fn met_by(&self, worst: f64) -> Option<String> {
        self.limit().and_then(|limit| limit.met_by(worst))
    }
}
