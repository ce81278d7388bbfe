//! One row of a p-table by maximum entropy.
//!
//! Of all chances `p` over the noises `v` that a count may get, with mean 0 and variance `V`, those of largest entropy
//! are `p ∝ exp(l₁ v + l₂ v²)`. The two numbers minimise the convex function `log Σ exp(l₁ v + l₂ v²) − l₂ V`, by
//! Newton's method. Its gradient is how far the moments are from those required. The chances may have to rise from
//! below towards `v = 0`. Neighbours that would fall are then pooled and share the mean of their exponents: isotonic
//! regression of the exponents. This follows from the conditions of Karush, Kuhn and Tucker, as multipliers cancel
//! within a pool.

use super::Noise;
use outward_spec::{Error, Result};

const ROUNDS: usize = 500;
const CONVERGED_WITHIN: f64 = 1e-12;

/// The noises that a count may get, and how many of them, from the left, must not fall.
pub(super) struct Shape {
    values: Vec<f64>,
    rising: usize,
}

impl Shape {
    /// From `max(0, i − D)` to `i + D` without the small counts, less `i`.
    pub(super) fn new(noise: &Noise, count: u32) -> Self {
        let (from, to) = (count.saturating_sub(noise.deviation), count + noise.deviation);
        let values: Vec<f64> = (from..=to)
            .filter(|to| !(1..=noise.small).contains(to))
            .map(|to| f64::from(to) - f64::from(count))
            .collect();
        let rising = if noise.monotone { values.iter().filter(|value| **value <= 0.0).count() } else { 0 };
        Self { values, rising }
    }

    /// The chances of one row, by noise.
    pub(super) fn chances(self, noise: &Noise, count: u32) -> Result<Vec<(i32, f64)>> {
        let whole = self.fit(noise.variance).ok_or_else(|| self.out_of_range(noise, count, 0.0))?;
        let stay = self.values.iter().position(|value| *value == 0.0);
        let chances = match (noise.stay, stay) {
            (Some(least), Some(at)) if whole[at] < least => self.staying(noise, count, least, at)?,
            _ => whole,
        };
        Ok(self.values.iter().map(|value| *value as i32).zip(chances).collect())
    }

    /// Fixes the chance of `v = 0` at its least. The other chances have the largest entropy for the rest of the
    /// moments.
    fn staying(&self, noise: &Noise, count: u32, least: f64, at: usize) -> Result<Vec<f64>> {
        let mut values = self.values.clone();
        values.remove(at);
        let rest = Self { values, rising: self.rising.saturating_sub(1) };
        let fit = if least < 1.0 { rest.fit(noise.variance / (1.0 - least)) } else { None };
        let mut chances = fit.ok_or_else(|| rest.out_of_range(noise, count, least))?;
        chances.iter_mut().for_each(|chance| *chance *= 1.0 - least);
        chances.insert(at, least);
        if self.rising > 1 && at > 0 && chances[at - 1] > least + CONVERGED_WITHIN {
            return Err(rest.out_of_range(noise, count, least));
        }
        Ok(chances)
    }

    /// The least and the largest variance at mean 0.
    ///
    /// Chances that rise up to 0 are a mixture of uniform chances on the last few noises up to 0 and of single noises
    /// above it. Each end of the range is a mixture of two of these.
    fn range(&self) -> Option<(f64, f64)> {
        let mut corners: Vec<(f64, f64)> = (0..self.rising)
            .map(|from| {
                let run = &self.values[from..self.rising];
                let mean = |power: i32| run.iter().map(|value| value.powi(power)).sum::<f64>() / run.len() as f64;
                (mean(1), mean(2))
            })
            .collect();
        corners.extend(self.values[self.rising..].iter().map(|value| (*value, value * value)));
        let mut range: Option<(f64, f64)> = None;
        for (left, low) in corners.iter().filter(|(mean, _)| *mean <= 0.0) {
            for (right, high) in corners.iter().filter(|(mean, _)| *mean >= 0.0) {
                let width = right - left;
                let variance = if width > 0.0 { (low * right - high * left) / width } else { low.min(*high) };
                range =
                    Some(range.map_or((variance, variance), |(least, most)| (least.min(variance), most.max(variance))));
            }
        }
        range
    }

    fn out_of_range(&self, noise: &Noise, count: u32, stay: f64) -> Error {
        let fault = Error::input(format!(
            "no noise up to {} has variance {} at count {count}{}{}",
            noise.deviation,
            noise.variance,
            if noise.small > 0 { format!(", with counts up to {} left out", noise.small) } else { String::new() },
            if stay > 0.0 { format!(", with a chance of {stay} to stay") } else { String::new() },
        ));
        match self.range() {
            Some((least, most)) if stay < 1.0 => fault.help(format!(
                "give a variance above {:.4} and below {:.4}, or change `noise`",
                least * (1.0 - stay),
                most * (1.0 - stay)
            )),
            _ => fault.help("give a larger `noise`, or a smaller `stay`"),
        }
        .into()
    }

    /// The chances of largest entropy with mean 0 and this variance; `None` if no chances have them.
    fn fit(&self, variance: f64) -> Option<Vec<f64>> {
        let (least, most) = self.range()?;
        let slack = 1e-9 * most.max(1.0);
        if variance <= least + slack || variance >= most - slack {
            return None;
        }
        let mut at = (0.0, 0.0);
        let mut here = self.at(at, variance);
        for _ in 0..ROUNDS {
            if here.gradient.0.abs().max(here.gradient.1.abs()) < CONVERGED_WITHIN {
                break;
            }
            let step = here.step();
            let slope = step.0 * here.gradient.0 + step.1 * here.gradient.1;
            let mut length = 1.0;
            let next = loop {
                let to = (at.0 + length * step.0, at.1 + length * step.1);
                let there = self.at(to, variance);
                if there.value <= here.value + 1e-4 * length * slope || length < 1e-9 {
                    break (to, there);
                }
                length /= 2.0;
            };
            (at, here) = next;
        }
        (here.gradient.0.abs().max(here.gradient.1.abs()) < 1e-7).then_some(here.chances)
    }

    /// The dual function and its derivatives.
    fn at(&self, (first, second): (f64, f64), variance: f64) -> Point {
        let pools = self.pools(first, second);
        let top = pools.iter().map(|pool| pool.exponent).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = pools.iter().map(|pool| pool.count as f64 * (pool.exponent - top).exp()).sum();
        let mut chances = Vec::with_capacity(self.values.len());
        let (mut mean, mut square) = (0.0, 0.0);
        let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
        for pool in &pools {
            let chance = (pool.exponent - top).exp() / total;
            let mass = chance * pool.count as f64;
            chances.extend(std::iter::repeat_n(chance, pool.count));
            mean += mass * pool.mean;
            square += mass * pool.square;
            a += mass * pool.mean * pool.mean;
            b += mass * pool.mean * pool.square;
            c += mass * pool.square * pool.square;
        }
        Point {
            value: top + total.ln() - second * variance,
            gradient: (mean, square - variance),
            curvature: (a - mean * mean, b - mean * square, c - square * square),
            chances,
        }
    }

    /// The exponents from left to right. Neighbours are pooled until the exponents rise as they must.
    fn pools(&self, first: f64, second: f64) -> Vec<Pool> {
        let mut pools: Vec<Pool> = Vec::with_capacity(self.values.len());
        for (at, value) in self.values.iter().enumerate() {
            let mut new = Pool {
                count: 1,
                mean: *value,
                square: value * value,
                exponent: first * value + second * value * value,
            };
            while at < self.rising && pools.last().is_some_and(|last| last.exponent > new.exponent) {
                if let Some(last) = pools.pop() {
                    new = last.with(&new);
                }
            }
            pools.push(new);
        }
        pools
    }
}

/// Noises of one chance: how many, and the means of `v`, `v²` and the exponent.
struct Pool {
    count: usize,
    mean: f64,
    square: f64,
    exponent: f64,
}

impl Pool {
    fn with(&self, other: &Self) -> Self {
        let count = self.count + other.count;
        let share = other.count as f64 / count as f64;
        let mix = |one: f64, two: f64| one + share * (two - one);
        Self {
            count,
            mean: mix(self.mean, other.mean),
            square: mix(self.square, other.square),
            exponent: mix(self.exponent, other.exponent),
        }
    }
}

struct Point {
    value: f64,
    gradient: (f64, f64),
    curvature: (f64, f64, f64),
    chances: Vec<f64>,
}

impl Point {
    /// Newton's step. If there is almost no curvature, a little is added.
    fn step(&self) -> (f64, f64) {
        let (a, b, c) = self.curvature;
        let (a, c) = (a + 1e-12 * (1.0 + a), c + 1e-12 * (1.0 + c));
        let determinant = (a * c - b * b).max(f64::MIN_POSITIVE);
        let (x, y) = self.gradient;
        ((b * y - c * x) / determinant, (b * x - a * y) / determinant)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_exponent_of_the_known_row_is_the_known_one() {
        let shape = Shape::new(&Noise::new(3, 1.0), 3);
        let chances = shape.fit(1.0).unwrap();
        // p ∝ exp(l₁ v + l₂ v²) with l₁ = 0 by symmetry, so that l₂ is the logarithm of p(1) over p(0).
        assert!(((chances[4] / chances[3]).ln() + 0.498).abs() < 5e-4);
    }

    #[test]
    fn the_range_of_variances_is_that_of_two_point_noise() {
        assert_eq!(Shape::new(&Noise::new(3, 1.0), 1).range(), Some((0.0, 3.0)));
        let noise = Noise { small: 2, ..Noise::new(3, 1.0) };
        assert_eq!(Shape::new(&noise, 1).range(), Some((2.0, 3.0)));
    }
}
