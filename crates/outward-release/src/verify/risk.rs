//! Checks the risks of the release as a whole: average, highest, records alone.

use outward_risk::population::{Histogram, SamplingFraction, measure_uniqueness};

use super::release::{PublishedClasses, Release};
use super::{Check, population};
use crate::alone::UniqueRecords;

/// Tolerance for rounding errors.
const ROUNDING_TOLERANCE: f64 = 1e-9;

/// The checks the rules ask for.
pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let rules = &release.manifest.rules;
    let PublishedClasses { groups, sizes } = release.classes();
    let (average, highest) = risks(&groups.records, sizes);
    let alone: u64 = sizes.iter().zip(&groups.records).filter(|(size, _)| **size == 1).map(|(_, n)| n).sum();
    let alone = alone as f64 / (release.records.rows as f64).max(1.0);
    let limits = [
        ("average risk", rules.average_risk, average),
        ("highest risk", rules.highest_risk, highest),
        ("unique share", rules.max_unique_share, alone),
    ];
    let mut checks: Vec<Check> =
        limits.into_iter().filter_map(|(name, most, is)| Some(at_most(name, is, most?))).collect();
    if let Some(most) = rules.population_unique_share.filter(|_| !population::counts_uniques(release)) {
        checks.push(population_uniques(release, most));
    }
    checks
}

/// The mean and the highest over records of one over the size of their class; 0 if there are no records.
pub(super) fn risks(records: &[u64], sizes: &[u64]) -> (f64, f64) {
    let all: u64 = records.iter().sum();
    let expected: f64 = records.iter().zip(sizes).map(|(records, size)| *records as f64 / *size as f64).sum();
    let highest = sizes.iter().min().map_or(0.0, |least| 1.0 / *least as f64);
    (if all == 0 { 0.0 } else { expected / all as f64 }, highest)
}

pub(super) fn at_most(name: &str, is: f64, most: f64) -> Check {
    match is <= most + ROUNDING_TOLERANCE {
        true => Check::holds(name, format!("{is:.6}, at most {most} is allowed")),
        false => Check::fails(name, format!("{is:.6}, and at most {most} is allowed")),
    }
}

/// Records alone on their keys, if the policy asks for a k below 2 and there are any.
pub(super) fn alone(release: &Release<'_>) -> Option<UniqueRecords> {
    let k = release.manifest.rules.k;
    if k > 1 || release.keys().is_empty() {
        return None;
    }
    let PublishedClasses { groups, sizes } = release.classes();
    let records: u64 = sizes.iter().zip(&groups.records).filter(|(size, _)| **size == 1).map(|(_, n)| n).sum();
    // The population file is not in the bundle. The manifest has the share that was counted in it when the release was
    // made.
    let counted = release.spec.is_some_and(|spec| spec.population.is_some());
    let population_share = match counted {
        true => release.manifest.after.population_uniques,
        false => population_share(release),
    };
    (records > 0).then_some(UniqueRecords { records, of: release.records.rows as u64, k, population_share, counted })
}

/// The share of the population that is alone on the keys, estimated from the published classes.
pub(super) fn population_share(release: &Release<'_>) -> Option<f64> {
    let classes = release.classes().groups.records.iter().copied();
    measure_uniqueness(&Histogram::from_class_sizes(classes), fraction(release)?).chosen.share()
}

/// The share of the population that is published, if the manifest gives it.
fn fraction(release: &Release<'_>) -> Option<SamplingFraction> {
    release.manifest.sampling_fraction.and_then(|fraction| SamplingFraction::new(fraction).ok())
}

fn population_uniques(release: &Release<'_>, most: f64) -> Check {
    let name = "population uniques";
    if fraction(release).is_none() {
        return Check::cannot_tell(name, "the manifest does not say what share of the population is published");
    }
    match population_share(release) {
        Some(share) => at_most(name, share, most),
        None if release.records.rows == 0 => Check::holds(name, "there are no records"),
        None => Check::cannot_tell(name, "no estimator has a value for these classes"),
    }
}
