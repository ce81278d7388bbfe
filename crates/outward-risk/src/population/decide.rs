//! Chooses the estimator by the rule of Dankar, El Emam, Neisa and Roffey (2012, "Estimating the re-identification risk
//! of clinical data sets", BMC Medical Informatics and Decision Making 12), as ARX applies it (METHODS I.8).
//!
//! Up to a tenth of the population it takes Pitman, and Zayatz if Pitman fails. Above, it takes the smaller of Zayatz
//! and the shifted negative binomial. It takes Zayatz if the latter fails or if its classes hold fewer people than
//! there are.

use outward_report::format::count;
use schemars::JsonSchema;
use serde::Serialize;

use super::estimate::{Estimate, SamplingFraction};
use super::file::PopulationMeasure;
use super::histogram::Histogram;
use super::pitman::{self, Pitman, fit_pitman};
use super::snb::{self, Snb, fit_snb};
use super::zayatz::estimate_zayatz;

/// The largest fraction at which Pitman is chosen.
const PITMAN_UP_TO: f64 = 0.1;

/// Rounding leaves nobody out.
const ROUNDING: f64 = 1e-9;

/// An estimator of population uniques.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Estimator {
    /// [`super::estimate_zayatz`].
    Zayatz,
    /// [`super::estimate_pitman`].
    Pitman,
    /// [`super::estimate_snb`].
    Snb,
    /// No model: nobody is alone in the sample, the sample is the population, or the share is counted in a population
    /// file.
    Counted,
}

/// The share of the population that is unique in it, by each estimator.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Uniqueness {
    /// After Zayatz.
    pub zayatz: Estimate,
    /// After Pitman.
    pub pitman: Estimate,
    /// After the shifted negative binomial.
    pub snb: Estimate,
    /// Why the shifted negative binomial is not used although it has a value; none if it may be used.
    pub snb_caution: Option<String>,
    /// The one the decision rule takes.
    pub chosen: Estimate,
    /// Which one that is; none if no estimator has a value.
    pub chosen_estimator: Option<Estimator>,
    /// The figures behind the estimates.
    pub details: UniquenessDetails,
}

impl Uniqueness {
    /// Whether the share is counted, and not the estimate of a model.
    pub fn is_counted(&self) -> bool {
        self.chosen_estimator == Some(Estimator::Counted)
    }
}

/// The figures behind estimates of population uniques.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct UniquenessDetails {
    /// The share of the population in the sample.
    pub sampling_fraction: SamplingFraction,
    /// People in the population: records over the fraction.
    pub people: f64,
    /// Records alone in the sample.
    pub sample_uniques: u64,
    /// People alone in the population, by the chosen estimator.
    pub uniques: Option<f64>,
    /// Parameters of Pitman's formula, where it was fitted.
    pub pitman: Option<Pitman>,
    /// Parameters of the shifted negative binomial, where it was fitted.
    pub snb: Option<Snb>,
}

/// The share of the population that is unique as a population file has it. Nothing is estimated where it can be counted. None
/// where the file has fewer people than the sample has records.
pub fn count_uniqueness(histogram: &Histogram, population: &PopulationMeasure) -> Option<Uniqueness> {
    let people = population.records as f64;
    let fraction = SamplingFraction::new(histogram.records() as f64 / people).ok()?;
    let counted = Estimate::of_uniques(population.uniques as f64, people);
    let [zayatz, pitman, snb] = [(); 3].map(|()| counted.clone());
    let details = UniquenessDetails {
        sampling_fraction: fraction,
        people,
        sample_uniques: histogram.of_size(1),
        uniques: Some(population.uniques as f64),
        pitman: None,
        snb: None,
    };
    let chosen_estimator = Some(Estimator::Counted);
    Some(Uniqueness { zayatz, pitman, snb, snb_caution: None, chosen: counted, chosen_estimator, details })
}

/// Estimates the share of the population that is unique, by all estimators, and chooses one.
pub fn measure_uniqueness(histogram: &Histogram, fraction: SamplingFraction) -> Uniqueness {
    let people = fraction.population(histogram.records());
    let mut details = UniquenessDetails {
        sampling_fraction: fraction,
        people,
        sample_uniques: histogram.of_size(1),
        uniques: None,
        pitman: None,
        snb: None,
    };
    if let Some(known) = histogram.known(fraction) {
        details.uniques = known.share().map(|share| share * people);
        let chosen_estimator = known.share().map(|_| Estimator::Counted);
        let [zayatz, pitman, snb] = [(); 3].map(|()| known.clone());
        return Uniqueness { zayatz, pitman, snb, snb_caution: None, chosen: known, chosen_estimator, details };
    }
    let (pitman_fit, snb_fit) = (fit_pitman(histogram), fit_snb(histogram, fraction));
    let zayatz = estimate_zayatz(histogram, fraction);
    let (pitman, snb) = (pitman::share(&pitman_fit, people), snb::share(&snb_fit, people));
    let snb_caution = snb_fit.as_ref().ok().and_then(|fit| caution(fit, people));
    let believed = if snb_caution.is_none() { snb.share() } else { None };
    let (chosen, chosen_estimator) = choose(&zayatz, &pitman, (&snb, believed), fraction);
    details.uniques = chosen.share().map(|share| share * people);
    (details.pitman, details.snb) = (pitman_fit.ok(), snb_fit.ok());
    Uniqueness { zayatz, pitman, snb, snb_caution, chosen, chosen_estimator, details }
}

/// A fit whose classes hold fewer people than there are leaves people out, and with them uniques.
fn caution(fit: &Snb, people: f64) -> Option<String> {
    let whole = |people: f64| count(people.round() as u64);
    let implied = fit.people();
    (implied < people * (1.0 - ROUNDING))
        .then(|| format!("not plausible: its classes hold {} people, and there are {}", whole(implied), whole(people)))
}

/// The estimate to take. That of the shifted negative binomial comes with its share if it may be used.
fn choose(
    zayatz: &Estimate,
    pitman: &Estimate,
    (snb, believed): (&Estimate, Option<f64>),
    fraction: SamplingFraction,
) -> (Estimate, Option<Estimator>) {
    let (chosen, estimator) = match (fraction.get() <= PITMAN_UP_TO, pitman.share(), believed, zayatz.share()) {
        (true, Some(_), _, _) => (pitman, Estimator::Pitman),
        (false, _, Some(small), Some(other)) if small <= other => (snb, Estimator::Snb),
        _ => (zayatz, Estimator::Zayatz),
    };
    (chosen.clone(), chosen.share().map(|_| estimator))
}
