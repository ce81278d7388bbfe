//! The two risk sums over sample uniques, and how far by chance the true sum is from its expectation.
//!
//! Given λ, whether a sample unique is alone in the population is a coin with chance e^(−x), and 1/F has a known
//! variance; cells are independent. That is the interval of Rinott and Shlomo (2007, "Variances and confidence
//! intervals for sample disclosure risk measures", 56th session of the ISI). The error of the fitted λ is added to it.

use schemars::JsonSchema;
use serde::Serialize;

/// An expected sum over sample uniques.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RiskSum {
    /// The expectation.
    pub expected: f64,
    /// Contains the true sum in 95 of 100 samples if the model is true and its effects have enough records.
    pub interval: (f64, f64),
}

/// What a sample unique with `x` others expected in its cell adds to a risk sum.
pub(super) struct RiskTerm {
    /// Its mean.
    mean: f64,
    /// Its variance, given x.
    variance: f64,
    /// The slope of the mean in ln x.
    pub(super) slope: f64,
}

impl RiskTerm {
    /// Alone in the population, or not.
    pub(super) fn alone(x: f64) -> Self {
        let mean = (-x).exp();
        Self { mean, variance: mean * (1.0 - mean), slope: -x * mean }
    }

    /// The chance of a correct match.
    pub(super) fn matched(x: f64) -> Self {
        let mean = if x > 0.0 { -(-x).exp_m1() / x } else { 1.0 };
        Self { mean, variance: (mean_square_reciprocal(x) - mean * mean).max(0.0), slope: (-x).exp() - mean }
    }
}

impl RiskSum {
    /// Of these parts, given the variance that the fitted expectations add.
    pub(super) fn from_parts<'a>(parts: impl Iterator<Item = &'a RiskTerm>, of_fit: f64) -> Self {
        let (mut expected, mut variance, mut most) = (0.0, of_fit, 0.0);
        for part in parts {
            expected += part.mean;
            variance += part.variance;
            most += 1.0;
        }
        let reach = 1.96 * f64::sqrt(variance);
        Self { expected, interval: ((expected - reach).max(0.0), (expected + reach).min(most)) }
    }
}

/// E(1/F²) for F − 1 ~ Poisson(x): (e^(−x)/x)·Σ_{m≥1} x^m/(m·m!), and its asymptotic series where x is large.
fn mean_square_reciprocal(x: f64) -> f64 {
    if x > 40.0 {
        let mut term = 1.0;
        return (1..12).fold(1.0, |sum, k| {
            term *= f64::from(k) / x;
            sum + term
        }) / (x * x);
    }
    let (mut chance, mut sum, mut m) = ((-x).exp(), 0.0, 1.0);
    while m < 200.0 && (chance > 1e-18 || m < x) {
        sum += chance / (m * m);
        chance *= x / m;
        m += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_square_reciprocal_is_one_alone_and_falls_with_company() {
        assert!((mean_square_reciprocal(0.0) - 1.0).abs() < 1e-15);
        // Σ_{m≥1} 1/(m·m!) = 1.317902151454404 at x = 1.
        assert!((mean_square_reciprocal(1.0) - 1.317_902_151_454_404 / std::f64::consts::E).abs() < 1e-14);
        let (series, far) = (mean_square_reciprocal(40.0), mean_square_reciprocal(40.000_001));
        assert!((series / far - 1.0).abs() < 1e-6);
    }
}
