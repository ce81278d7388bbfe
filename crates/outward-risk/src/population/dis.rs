//! DIS, data intrusion simulation: the chance that a match on a sample unique is correct, without a model.
//!
//! θ = Σ 1(f=1) / Σ F·1(f=1) over cells. A match could mean any of D = ΣF·1(f=1) people. D is estimated by D̂ = n₁ +
//! 2(1−φ)/φ·n₂, so θ̂ = φn₁/(φn₁ + 2(1−φ)n₂) (Skinner and Elliot 2002, "A measure of disclosure risk for microdata",
//! JRSS B 64; METHODS I.5 and IV.1). `docs/methods/population.md` derives the interval.

use schemars::JsonSchema;
use serde::Serialize;

use super::estimate::SamplingFraction;
use super::histogram::Histogram;

/// The chance that a match on a sample unique is correct.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Dis {
    /// From 0 to 1.
    pub chance: f64,
    /// Contains the true chance in 95 of 100 samples. It is from 0 to 1 if no records share their keys, as then nothing
    /// is known.
    pub interval: (f64, f64),
}

/// The chance that a match on a sample unique is correct; none if nobody is alone in the sample.
pub fn measure_dis(histogram: &Histogram, fraction: SamplingFraction) -> Option<Dis> {
    let [ones, twos, threes] = [1, 2, 3].map(|size| histogram.of_size(size) as f64);
    if ones == 0.0 {
        return None;
    }
    let taken = fraction.get();
    let left = 1.0 - taken;
    let people = ones + 2.0 * left / taken * twos;
    // The unbiased estimate of the variance of D̂ − D when each person is in the sample with chance φ.
    let variance = left / (taken * taken) * (2.0 * (2.0 - taken) * twos + 6.0 * left * threes);
    // Without a pair or a triple the sample does not show how many others there are outside it.
    if twos + threes == 0.0 && left > 0.0 {
        return Some(Dis { chance: 1.0, interval: (0.0, 1.0) });
    }
    let reach = 1.96 * variance.sqrt();
    let chance = |people: f64| ones / people.max(ones);
    Some(Dis { chance: chance(people), interval: (chance(people + reach), chance(people - reach)) })
}
