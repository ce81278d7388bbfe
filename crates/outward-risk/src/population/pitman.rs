//! Pitman's sampling formula: the more classes there are, the likelier the next person founds a new one.
//!
//! The two parameters are found by maximum likelihood,
//!   Σ_{i=1}^{u−1} 1/(θ+iα) = Σ_{i=1}^{n−1} 1/(θ+i)  and  Σ_{i=1}^{u−1} i/(θ+iα) = Σ_{s≥2} n_s Σ_{j=1}^{s−1} 1/(j−α),
//! and the uniques among N people are Γ(θ+1)/Γ(θ+α)·N^α (Hoshino 2001, "Applying Pitman's sampling formula to microdata
//! disclosure risk assessment", Journal of Official Statistics 17; METHODS I.8). The sums are differences of ψ, so the
//! cost is that of the histogram. For each α the first equation gives θ; the second then has one unknown.

use schemars::JsonSchema;
use serde::Serialize;

use super::estimate::{Estimate, SamplingFraction};
use super::gamma::{digamma_difference, ln_gamma_difference};
use super::histogram::Histogram;
use super::root::find_root;

/// The parameters of Pitman's formula. A negative α means a bounded number of classes, −θ/α.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Pitman {
    /// How fast new classes come at first.
    pub theta: f64,
    /// How long they go on coming; below 1.
    pub alpha: f64,
}

impl Pitman {
    /// Expected uniques among so many people, by the formula as published, which holds where θ is small beside them.
    pub fn uniques(&self, people: f64) -> f64 {
        let Self { theta, alpha } = *self;
        (self.alpha * people.ln() + ln_gamma_difference(theta + alpha, 1.0 - alpha)).exp()
    }
}

/// The share of the population that is unique, after Pitman.
pub fn estimate_pitman(histogram: &Histogram, fraction: SamplingFraction) -> Estimate {
    if let Some(known) = histogram.known(fraction) {
        return known;
    }
    share(&fit_pitman(histogram), fraction.population(histogram.records()))
}

/// The share among so many people under fitted parameters, or the reason why there are none.
pub(super) fn share(fit: &Result<Pitman, String>, people: f64) -> Estimate {
    match fit {
        Ok(pitman) => Estimate::of_uniques(pitman.uniques(people), people),
        Err(reason) => Estimate::Unavailable(reason.clone()),
    }
}

/// The parameters most likely to give this histogram, or why there are none.
pub fn fit_pitman(histogram: &Histogram) -> Result<Pitman, String> {
    if histogram.classes() < 2 {
        return Err("all records are in one class, from which no rate of new classes can be estimated".into());
    }
    if histogram.classes() == histogram.records() {
        return Err("no two records are alike, so nothing limits the rate of new classes".into());
    }
    let likelihood = Likelihood::new(histogram);
    let profile = |alpha: f64| match likelihood.theta(alpha) {
        Some(theta) => likelihood.by_alpha(theta, alpha),
        None => f64::NAN,
    };
    let unbounded = || "the likelihood of Pitman's formula has no maximum on this file".to_owned();
    let (from, to) = bracket(profile).ok_or_else(unbounded)?;
    let alpha = find_root(profile, from, to).ok_or_else(unbounded)?;
    let theta = likelihood.theta(alpha).ok_or_else(unbounded)?;
    Ok(Pitman { theta, alpha })
}

/// Two values of α between which the slope of the likelihood changes sign, looking upwards from 0 if it rises there,
/// else downwards.
fn bracket(slope: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
    const UP: [f64; 9] = [0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.999_99, 0.999_999_9];
    const DOWN: [f64; 9] = [0.0, -0.01, -0.1, -0.5, -2.0, -10.0, -50.0, -250.0, -1000.0];
    let rises = slope(0.0) > 0.0;
    let steps = if rises { UP } else { DOWN };
    let turned = (1..steps.len()).find(|at| (slope(steps[*at]) > 0.0) != rises)?;
    Some((steps[turned - 1], steps[turned]))
}

/// The slopes of the log-likelihood.
struct Likelihood<'a> {
    histogram: &'a Histogram,
    records: f64,
    /// Classes after the first.
    more: f64,
}

impl<'a> Likelihood<'a> {
    fn new(histogram: &'a Histogram) -> Self {
        Self { histogram, records: histogram.records() as f64, more: histogram.classes() as f64 - 1.0 }
    }

    /// Σ_{i=1}^{u−1} 1/(θ+iα).
    fn reciprocals(&self, theta: f64, alpha: f64) -> f64 {
        if alpha == 0.0 {
            self.more / theta
        } else if alpha > 0.0 {
            digamma_difference(theta / alpha + 1.0, self.more) / alpha
        } else {
            // The same terms from the last to the first.
            digamma_difference((theta + self.more * alpha) / -alpha, self.more) / -alpha
        }
    }

    /// Σ_{i=1}^{u−1} i/(θ+iα).
    fn weighted_reciprocals(&self, theta: f64, alpha: f64) -> f64 {
        let m = self.more;
        let small = alpha / theta;
        if (small * m).abs() >= 1e-3 {
            return (m - theta * self.reciprocals(theta, alpha)) / alpha;
        }
        // i/(θ+iα) = (i − i²·(α/θ) + i³·(α/θ)² …)/θ; the sums of powers are Faulhaber's.
        let (pair, odd, both) = (m * (m + 1.0), 2.0 * m + 1.0, m * m + m);
        let powers = [
            pair / 2.0,
            pair * odd / 6.0,
            pair * pair / 4.0,
            pair * odd * (3.0 * both - 1.0) / 30.0,
            pair * pair * (2.0 * both - 1.0) / 12.0,
            pair * odd * (3.0 * m.powi(4) + 6.0 * m.powi(3) - 3.0 * m + 1.0) / 42.0,
        ];
        powers.iter().rev().fold(0.0, |sum, power| power - small * sum) / theta
    }

    fn by_theta(&self, theta: f64, alpha: f64) -> f64 {
        self.reciprocals(theta, alpha) - digamma_difference(theta + 1.0, self.records - 1.0)
    }

    fn by_alpha(&self, theta: f64, alpha: f64) -> f64 {
        // Sizes ascend, so the inner sum goes on from one to the next.
        let (mut inside, mut inner, mut last) = (0.0, 0.0, 1);
        for (size, classes) in self.histogram.sizes() {
            inner += reciprocals_between(last, *size, alpha);
            inside += *classes as f64 * inner;
            last = *size;
        }
        self.weighted_reciprocals(theta, alpha) - inside
    }

    /// The most likely θ for this α. The slope falls from +∞ at the smallest θ allowed to below 0 far out.
    fn theta(&self, alpha: f64) -> Option<f64> {
        let smallest = if alpha >= 0.0 { -alpha } else { -alpha * self.more };
        let slope = |log: f64| self.by_theta(smallest + log.exp(), alpha);
        let middle = self.records.ln() / 2.0;
        let step = if slope(middle) > 0.0 { 1.0 } else { -1.0 };
        let mut reach = 1.0;
        while reach < 600.0 {
            let (near, far) = (middle + step * (reach - 1.0), middle + step * (2.0 * reach));
            if (slope(far) > 0.0) != (step > 0.0) {
                return find_root(slope, near, far).map(|log| smallest + log.exp());
            }
            reach *= 2.0;
        }
        None
    }
}

/// Σ_{j=from}^{to−1} 1/(j−α).
fn reciprocals_between(from: u64, to: u64, alpha: f64) -> f64 {
    const SUMMED_DIRECTLY: u64 = 8;
    match to - from {
        few @ 0..=SUMMED_DIRECTLY => (from..from + few).map(|j| 1.0 / (j as f64 - alpha)).sum(),
        many => digamma_difference(from as f64 - alpha, many as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_equal_the_sums_of_the_likelihood_equations() {
        let histogram = Histogram::from_sizes([(1, 40), (2, 9), (7, 3), (30, 1)]);
        let likelihood = Likelihood::new(&histogram);
        for (theta, alpha) in [(2.5, 0.4), (-0.2, 0.3), (80.0, 1e-6), (80.0, -1e-6), (1e5, 0.5), (60.0, -1.0)] {
            let terms = || (1..histogram.classes()).map(|i| (i as f64, theta + i as f64 * alpha));
            let (plain, weighted): (f64, f64) = (terms().map(|t| 1.0 / t.1).sum(), terms().map(|t| t.0 / t.1).sum());
            assert!((likelihood.reciprocals(theta, alpha) / plain - 1.0).abs() < 1e-11, "{theta} {alpha}");
            assert!((likelihood.weighted_reciprocals(theta, alpha) / weighted - 1.0).abs() < 1e-9, "{theta} {alpha}");
        }
    }

    #[test]
    fn no_parameters_near_the_fitted_ones_are_likelier() {
        let histogram = Histogram::from_sizes([(1, 40), (2, 9), (3, 5), (7, 3), (30, 1)]);
        let log_likelihood = |theta: f64, alpha: f64| -> f64 {
            let founded: f64 = (1..histogram.classes()).map(|i| (theta + i as f64 * alpha).ln()).sum();
            let records: f64 = (1..histogram.records()).map(|i| (theta + i as f64).ln()).sum();
            let joined: f64 = (histogram.sizes().iter())
                .map(|(size, classes)| *classes as f64 * (1..*size).map(|j| (j as f64 - alpha).ln()).sum::<f64>())
                .sum();
            founded - records + joined
        };
        let Pitman { theta, alpha } = fit_pitman(&histogram).unwrap_or(Pitman { theta: f64::NAN, alpha: f64::NAN });
        let best = log_likelihood(theta, alpha);
        for (more_theta, more_alpha) in [(0.1, 0.0), (-0.1, 0.0), (0.0, 0.01), (0.0, -0.01), (0.1, -0.01)] {
            assert!(best > log_likelihood(theta + more_theta, alpha + more_alpha));
        }
    }
}
