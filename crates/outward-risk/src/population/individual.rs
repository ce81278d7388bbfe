//! Individual risk from weights: the expected 1/F of a class with f records in the sample. F is its size in the
//! population, estimated by the sum of the weights.
//!
//! F given f is negative binomial with p = f/F, so r = (pᶠ/f)·₂F₁(f, f; f+1; 1−p) (Benedetti and Franconi 1998,
//! "Statistical and technological solutions for controlled data dissemination"; Rinott 2003; METHODS I.2). With
//! c = (1−p)/p the same number is ∫₀¹ y^(f−1)/(1+cy) dy, from which everything below follows.

use outward_cells::{Cells, compatible_counts};
use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::estimate::SamplingFraction;

/// How the risk of classes of three and more is computed; those of one and two always exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskFormula {
    /// p/(f − 1 + p), what sdcMicro computes unless asked otherwise.
    Approximate,
    /// The expectation itself.
    Exact,
}

/// Individual risk summed up: records expected to be found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct IndividualRisk {
    /// By the usual approximation for classes of three and more.
    pub approximate: f64,
    /// By the expectation itself.
    pub exact: f64,
    /// Risk of the record most at risk, exactly.
    pub highest: f64,
    /// Classes whose weights sum to fewer people than they have records; the population is taken to be the sample there.
    pub classes_below_sample: u64,
}

/// The risk of a record in a class of `sample` records that stand for `population` people. No fewer people than
/// records: a smaller number counts as the number of records, and the risk is then one over it.
pub fn individual_risk(sample: u64, population: f64, formula: RiskFormula) -> f64 {
    let f = sample as f64;
    let population = population.max(f);
    if formula == RiskFormula::Approximate && sample > 2 {
        let p = f / population;
        return p / (f - 1.0 + p);
    }
    expected_reciprocal(sample, population)
}

/// ∫₀¹ y^(f−1)/(1+cy) dy with c = (F−f)/f.
fn expected_reciprocal(sample: u64, population: f64) -> f64 {
    const SERIES_FROM: u64 = 32;
    let f = sample as f64;
    let (c, q) = ((population - f) / f, (population - f) / population);
    if sample == 1 {
        return if c == 0.0 { 1.0 } else { c.ln_1p() / c };
    }
    if c > 1.0 && sample < SERIES_FROM {
        // r(f+1) = (1/f − r(f))/c, which shrinks errors where c is above 1.
        return (1..sample).fold(c.ln_1p() / c, |risk, f| (1.0 / f as f64 - risk) / c);
    }
    // (p/f)·Σᵢ Π_{m≤i} m·q/(f+m): each term at most half the one before, or soon far less.
    let (mut sum, mut term, mut m) = (0.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        sum += term;
        m += 1.0;
        term *= m * q / (f + m);
    }
    sum / population
}

/// For each cell, the size of its class in the sample and the people the class stands for.
#[derive(Debug, Clone)]
pub struct SampleClasses<'a> {
    cells: &'a Cells,
    sizes: Vec<u64>,
    people: Vec<f64>,
    /// Whether the people were counted in a population file, so that nothing is to be estimated.
    counted: bool,
}

impl<'a> SampleClasses<'a> {
    /// The people a class stands for are the sum of its weights or, without weights, its records over the sampling
    /// fraction. `wild` says for each key whether its missing values match everything.
    pub fn from_cells(cells: &'a Cells, fraction: Option<SamplingFraction>, wild: &[bool], threads: usize) -> Self {
        let (sizes, weights) = match wild.contains(&true) {
            true => compatible_counts(cells, wild, threads),
            false => (cells.counts().to_vec(), (0..cells.len()).map(|cell| cells.weight(cell)).collect()),
        };
        // The weight of a cell without weights is its count.
        let people_each = if cells.is_weighted() { 1.0 } else { fraction.map_or(1.0, |fraction| 1.0 / fraction.get()) };
        let people = weights.into_iter().map(|weight| weight * people_each).collect();
        Self { cells, sizes, people, counted: false }
    }

    /// The people of each class as a population file has them. A missing key is a value of its own.
    pub fn of_population(cells: &'a Cells, population: &Cells) -> Result<Self> {
        let people = cells.counts_in(population)?.into_iter().map(|people| people as f64).collect();
        Ok(Self { cells, sizes: cells.counts().to_vec(), people, counted: true })
    }

    /// The risk of the records of each cell.
    pub fn risks(&self, formula: RiskFormula) -> impl Iterator<Item = f64> + '_ {
        self.sizes.iter().zip(&self.people).map(move |(size, people)| match self.counted {
            true => 1.0 / people.max(*size as f64),
            false => individual_risk(*size, *people, formula),
        })
    }

    /// Individual risk summed up.
    pub fn measure(&self) -> IndividualRisk {
        let sum = |formula| -> f64 {
            self.cells.counts().iter().zip(self.risks(formula)).map(|(members, risk)| *members as f64 * risk).sum()
        };
        // Weights are rounded in most files, so that a class of certain inclusion may sum to a little less than it has.
        let below = |(size, people): &(&u64, &f64)| **people < **size as f64 * (1.0 - 1e-9);
        IndividualRisk {
            approximate: sum(RiskFormula::Approximate),
            exact: sum(RiskFormula::Exact),
            highest: self.risks(RiskFormula::Exact).fold(0.0, f64::max),
            classes_below_sample: self.sizes.iter().zip(&self.people).filter(below).count() as u64,
        }
    }
}

/// The largest risk that may stay if riskier records are brought down to it and the file's rate of expected
/// re-identifications must fall below `rate`. It is the largest r among the risks with Σ min(rᵢ, r) < rate·n (METHODS I.2).
/// None if even the lowest risk is too high. Takes pairs of a risk and the number of records that have it.
pub fn threshold_for_rate(risks: impl IntoIterator<Item = (f64, u64)>, rate: f64) -> Result<Option<f64>> {
    if !(rate > 0.0 && rate <= 1.0) {
        return Err(Error::input(format!("the target rate {rate} is not above 0 and at most 1"))
            .help("give the share of records that may be found, such as 0.01")
            .into());
    }
    let mut risks: Vec<(f64, u64)> = risks.into_iter().collect();
    risks.sort_by(|one, other| other.0.total_cmp(&one.0));
    let records: u64 = risks.iter().map(|(_, records)| records).sum();
    let mut remaining: f64 = risks.iter().map(|(risk, records)| risk * *records as f64).sum();
    let mut unsafe_records = 0.0;
    for (risk, records_at) in risks {
        remaining -= risk * records_at as f64;
        unsafe_records += records_at as f64;
        if remaining + risk * unsafe_records < rate * records as f64 {
            return Ok(Some(risk));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use RiskFormula::{Approximate, Exact};

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-12 * wanted, "{found} is not {wanted}");
    }

    #[test]
    fn exact_risk_equals_the_closed_forms_of_one_two_and_three() {
        for p in [1e-6f64, 0.01, 0.2, 0.5, 0.6, 0.9] {
            let q = 1.0 - p;
            near(individual_risk(1, 1.0 / p, Exact), p / q * (1.0 / p).ln());
            if p < 0.8 {
                near(individual_risk(2, 2.0 / p, Exact), p / q - (p / q).powi(2) * (1.0 / p).ln());
                // μ-ARGUS writes the third out (METHODS I.2).
                let third = p * (q * (3.0 * q - 2.0) - 2.0 * p * p * p.ln()) / (2.0 * q.powi(3));
                near(individual_risk(3, 3.0 / p, Exact), third);
            }
        }
    }

    #[test]
    fn exact_risk_is_the_mean_of_one_over_the_population_class() {
        for (f, p) in [(1u64, 0.3f64), (2, 0.05), (5, 0.4), (5, 0.9), (31, 0.1), (32, 0.1), (60, 0.02)] {
            // P(F = j | f) = C(j−1, f−1)·pᶠ·(1−p)^(j−f).
            let (mut chance, mut mean) = (p.powi(f as i32), 0.0);
            for j in f..100_000 {
                mean += chance / j as f64;
                chance *= j as f64 / (j + 1 - f) as f64 * (1.0 - p);
            }
            assert!((individual_risk(f, f as f64 / p, Exact) / mean - 1.0).abs() < 1e-10, "{f} {p}");
        }
    }

    #[test]
    fn a_sample_that_is_its_class_has_risk_one_over_it() {
        for f in [1, 2, 3, 10, 50, 1_000_000] {
            for formula in [Exact, Approximate] {
                near(individual_risk(f, f as f64, formula), 1.0 / f as f64);
                near(individual_risk(f, f as f64 / 2.0, formula), 1.0 / f as f64);
            }
        }
    }

    #[test]
    fn the_approximation_is_close_for_larger_classes() {
        for f in [10u64, 100, 1000] {
            let (rough, exact) =
                (individual_risk(f, 50.0 * f as f64, Approximate), individual_risk(f, 50.0 * f as f64, Exact));
            assert!((rough / exact - 1.0).abs() < 0.2 / f as f64 * 10.0);
        }
    }

    #[test]
    fn a_threshold_brings_the_file_below_its_target() {
        let risks = [(0.5, 2), (0.1, 10), (0.01, 100)];
        // Untouched 1 + 1 + 1 = 3 of 112. Brought down to 0.1: 0.2 + 1 + 1 = 2.2; to 0.01: 1.12.
        assert_eq!(threshold_for_rate(risks, 0.03).ok(), Some(Some(0.5)));
        assert_eq!(threshold_for_rate(risks, 0.02).ok(), Some(Some(0.1)));
        assert_eq!(threshold_for_rate(risks, 0.011).ok(), Some(Some(0.01)));
        assert_eq!(threshold_for_rate(risks, 0.0099).ok(), Some(None));
        assert!(threshold_for_rate(risks, 0.0).is_err());
    }
}
