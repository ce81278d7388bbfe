//! Too few effects or too many: the criterion of Skinner and Shlomo (2008, section 4).
//!
//! A risk sum Σ h(λ̂) over sample uniques is off by about B = Σ_k λe^(−φλ)·{−h'(λ)(f−φλ) + h''(λ)((f−φλ)²−f)/(2φ)}. The
//! sum is over all cells of the cross product, with the fitted λ. For this h(λ̂) is expanded about the true λ; the
//! count f estimates the distance between λ and λ̂ without bias. Its variance, were the model true, is v = Σ a²φλ +
//! 2b²(φλ)² with a and b the coefficients of the two parts. B/√v far above 0 means too few effects and risk overstated;
//! far below 0, too many and understated.

use schemars::JsonSchema;
use serde::Serialize;

use super::super::estimate::SamplingFraction;
use super::grid::Grid;

/// How well a log-linear model fits for measuring risk. Between −1.96 and 1.96 it will do. Above, it lacks effects and
/// overstates the risk; below, it has too many and understates it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ModelFit {
    /// By how much the expected population uniques are overstated.
    pub uniques_overstated: f64,
    /// The same over its standard error.
    pub uniques_standardised: f64,
    /// By how much the expected correct matches are overstated.
    pub matches_overstated: f64,
    /// The same over its standard error.
    pub matches_standardised: f64,
}

/// The sums of the criterion.
#[derive(Default)]
pub(super) struct Criterion {
    uniques: (f64, f64),
    matches: (f64, f64),
}

impl Criterion {
    /// Over all cells of the cross product, given their expected sample counts in order.
    pub(super) fn from_fit(grid: &Grid, expected: impl Iterator<Item = f64>, fraction: SamplingFraction) -> Self {
        let mut sums = Self::default();
        let mut occupied = grid.occupied.iter().peekable();
        for (cell, mean) in (0u64..).zip(expected) {
            let count = occupied.next_if(|(at, _)| *at == cell).map_or(0.0, |(_, count)| *count as f64);
            if mean > 0.0 {
                sums.add(mean, count, fraction.get());
            }
        }
        sums
    }

    fn add(&mut self, mean: f64, count: f64, fraction: f64) {
        let lambda = mean / fraction;
        // e^(−λ) is then nothing, and so is every term.
        if lambda > 700.0 {
            return;
        }
        let x = (1.0 - fraction) * lambda;
        let (none, none_else) = ((-mean).exp(), (-x).exp());
        let residual = count - mean;
        let spread = residual * residual - count;
        let sum = |to: &mut (f64, f64), a: f64, b: f64| {
            to.0 += a * residual + b * spread;
            to.1 += a * a * mean + 2.0 * b * b * mean * mean;
        };
        // h = e^(−x).
        let a = x * none * none_else;
        sum(&mut self.uniques, a, a * (1.0 - fraction) / (2.0 * fraction));
        // h = (1−e^(−x))/x; near 0 its series, as the differences lose their digits there.
        let (slope, bend) = if x < 1e-3 {
            (x / 2.0 - x * x / 3.0 + x.powi(3) / 8.0, x * x / 6.0 - x.powi(3) / 8.0 + x.powi(4) / 20.0)
        } else {
            let mean_reciprocal = (1.0 - none_else) / x;
            (mean_reciprocal - none_else, mean_reciprocal - none_else * (1.0 + x / 2.0))
        };
        sum(&mut self.matches, none * slope, none * bend / mean);
    }

    pub(super) fn fit(&self) -> ModelFit {
        let standardised = |(bias, variance): (f64, f64)| if variance > 0.0 { bias / variance.sqrt() } else { 0.0 };
        ModelFit {
            uniques_overstated: self.uniques.0,
            uniques_standardised: standardised(self.uniques),
            matches_overstated: self.matches.0,
            matches_standardised: standardised(self.matches),
        }
    }
}
