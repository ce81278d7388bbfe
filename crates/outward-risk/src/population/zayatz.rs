//! Zayatz's estimator takes population classes to have the sizes of the sample's classes. The chance that a class of one
//! comes from a population class of one follows by Bayes.
//!
//! P(F=1 | f=1) = n₁·h(1) / Σ_s n_s·h(s). Here h(s) is the chance that a sample of n out of N takes exactly one member
//! of a class of s. Then uniques = n₁·P/φ (Zayatz 1991, "Estimation of the percent of unique population elements on a
//! microdata file using the sample", US Bureau of the Census, SRD report 91/08; METHODS I.8).

use super::estimate::{Estimate, SamplingFraction};
use super::gamma::ln_gamma_difference;
use super::histogram::Histogram;

/// The share of the population that is unique, after Zayatz.
pub fn estimate_zayatz(histogram: &Histogram, fraction: SamplingFraction) -> Estimate {
    if let Some(known) = histogram.known(fraction) {
        return known;
    }
    let records = histogram.records();
    let people = fraction.population(records).round();
    let uniques = histogram.of_size(1) as f64;
    let taken_once: f64 = (histogram.sizes().iter())
        .map(|(size, classes)| *classes as f64 * taken_once_relative(*size, records as f64, people))
        .sum();
    // Uniques over people is n₁·P/φ ÷ n/φ.
    Estimate::of_uniques(uniques * uniques / taken_once, records as f64)
}

/// The chance that exactly one member of a class of `size` is among `records` drawn from `people`. It is divided by the
/// chance of a class of one, records/people: s·Π_{i=0}^{s−2} (N−n−i)/(N−1−i).
fn taken_once_relative(size: u64, records: f64, people: f64) -> f64 {
    let others = (size - 1) as f64;
    let outside = people - records;
    if others > outside {
        return 0.0;
    }
    const PRODUCT: u64 = 64;
    let missed = if size <= PRODUCT {
        (0..size - 1).map(|i| (outside - i as f64) / (people - 1.0 - i as f64)).product()
    } else {
        (ln_gamma_difference(outside - others + 1.0, others) - ln_gamma_difference(people - others, others)).exp()
    };
    size as f64 * missed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_to_be_taken_once_is_hypergeometric() {
        // 10 of 20, a class of 3: 3·C(17,9)/C(20,10) = 3·24310/184756, over the 1/2 of a class of one.
        let wanted = 3.0 * 24310.0 / 184_756.0 / 0.5;
        assert!((taken_once_relative(3, 10.0, 20.0) - wanted).abs() < 1e-14);
        assert_eq!(taken_once_relative(12, 10.0, 20.0), 0.0);
        // The product and the gamma function meet.
        let product: f64 = (0..99).map(|i| (9e5 - f64::from(i)) / (1e6 - 1.0 - f64::from(i))).product::<f64>() * 100.0;
        assert!((taken_once_relative(100, 1e5, 1e6) / product - 1.0).abs() < 1e-11);
    }
}
