//! The shifted negative binomial: a population class has one member, and further members by a negative binomial law.
//!
//! There are K classes in the population, F − 1 ~ NB(α, β), and each person is in the sample with chance φ. With d =
//! (1−φ)(1−β), the expected sample classes of one and of two are c₁ = Kφ·(β/(1−d))^α·(1 + αd/(1−d)),   c₂ =
//! Kφ²·α(1−β)·β^α·(2 − (1−α)d) / (2(1−d)^(α+2)), and the uniques are Kβ^α (Chen and Keller-McNulty 1998, "Estimation of
//! identification disclosure risk in microdata", Journal of Official Statistics 14). K is Shlosser's modified estimator
//! (Haas and Stokes 1998, "Estimating the number of classes in a finite population", JASA 93). c₂/c₁ is a quadratic in
//! α for each β, which leaves one unknown.

use schemars::JsonSchema;
use serde::Serialize;

use super::estimate::{Estimate, SamplingFraction};
use super::histogram::Histogram;
use super::root::find_root;

/// The parameters of the shifted negative binomial.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Snb {
    /// Classes in the population.
    pub classes: f64,
    /// Shape of the law of a class's further members.
    pub alpha: f64,
    /// The larger, the fewer further members; between 0 and 1.
    pub beta: f64,
}

impl Snb {
    /// Classes of one in the population.
    pub fn uniques(&self) -> f64 {
        self.classes * (self.alpha * self.beta.ln()).exp()
    }

    /// People in all classes.
    pub fn people(&self) -> f64 {
        self.classes * (1.0 + self.alpha * (1.0 - self.beta) / self.beta)
    }
}

/// The share of the population that is unique, after the shifted negative binomial.
pub fn estimate_snb(histogram: &Histogram, fraction: SamplingFraction) -> Estimate {
    if let Some(known) = histogram.known(fraction) {
        return known;
    }
    share(&fit_snb(histogram, fraction), fraction.population(histogram.records()))
}

/// The share among so many people under fitted parameters, or the reason why there are none.
pub(super) fn share(fit: &Result<Snb, String>, people: f64) -> Estimate {
    match fit {
        Ok(snb) => Estimate::of_uniques(snb.uniques(), people),
        Err(reason) => Estimate::Unavailable(reason.clone()),
    }
}

/// The parameters that give the sample's classes of one and of two, or why there are none. Where several do, those
/// whose classes hold the number of people nearest to the population's.
pub fn fit_snb(histogram: &Histogram, fraction: SamplingFraction) -> Result<Snb, String> {
    let (uniques, pairs) = (histogram.of_size(1) as f64, histogram.of_size(2) as f64);
    if uniques == 0.0 || pairs == 0.0 {
        return Err("the shifted negative binomial needs classes of one and classes of two".into());
    }
    let classes = population_classes(histogram, fraction);
    let fraction_taken = fraction.get();
    let shape = |beta: f64| shape_for(beta, fraction_taken, pairs / uniques);
    let miss = |logit: f64| {
        let beta = 1.0 / (1.0 + (-logit).exp());
        let alpha = shape(beta);
        let d = (1.0 - fraction_taken) * (1.0 - beta);
        (classes * fraction_taken / uniques).ln() + alpha * (beta / (1.0 - d)).ln() + (alpha * d / (1.0 - d)).ln_1p()
    };
    let people = fraction.population(histogram.records());
    let solution = |logit: f64| {
        let beta = 1.0 / (1.0 + (-logit).exp());
        Snb { classes, alpha: shape(beta), beta }
    };
    (-120..120)
        .filter_map(|step| find_root(miss, f64::from(step) / 4.0, f64::from(step + 1) / 4.0))
        .map(solution)
        .filter(|snb| snb.uniques() <= people)
        .min_by(|one, other| off(one, people).total_cmp(&off(other, people)))
        .ok_or_else(|| "no shifted negative binomial gives this file's classes of one and of two".to_owned())
}

/// How far the people in the model's classes are from those there are.
fn off(snb: &Snb, people: f64) -> f64 {
    (snb.people() / people).ln().abs()
}

/// The α > 0 at which classes of two are `ratio` times those of one: with q = 1−β,
/// φqd·α² + (φq(2−d) − 2·ratio·(1−d)d)·α − 2·ratio·(1−d)² = 0.
fn shape_for(beta: f64, fraction: f64, ratio: f64) -> f64 {
    let q = 1.0 - beta;
    let d = (1.0 - fraction) * q;
    let square = fraction * q * d;
    let linear = fraction * q * (2.0 - d) - 2.0 * ratio * (1.0 - d) * d;
    let constant = 2.0 * ratio * (1.0 - d) * (1.0 - d);
    let root = (linear * linear + 4.0 * square * constant).sqrt();
    // The form that does not subtract nearly equal numbers.
    if linear > 0.0 { 2.0 * constant / (linear + root) } else { (root - linear) / (2.0 * square) }
}

/// Shlosser's modified estimator of the classes in the population.
fn population_classes(histogram: &Histogram, fraction: SamplingFraction) -> f64 {
    let q = fraction.get();
    let (mut both, mut some, mut none, mut once) = (0.0, 0.0, 0.0, 0.0);
    for (size, classes) in histogram.sizes() {
        let (i, classes) = (*size as f64, *classes as f64);
        let missed = (1.0 - q).powf(i);
        both += i * q * q * (1.0 - q * q).powf(i - 1.0) * classes;
        // (1−q)^i·((1+q)^i − 1), where the first part alone would be too small a number.
        some += ((1.0 - q * q).powf(i) - missed) * classes;
        none += missed * classes;
        once += i * q * (1.0 - q).powf(i - 1.0) * classes;
    }
    histogram.classes() as f64 + histogram.of_size(1) as f64 * (both / some) * (none / once).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitted_parameters_give_back_the_classes_of_one_and_two() {
        let fraction = 0.25;
        let histogram = Histogram::from_sizes([(1, 3000), (2, 700), (3, 200), (4, 60), (5, 10)]);
        let taken = SamplingFraction::new(fraction);
        let snb = taken.ok().and_then(|taken| fit_snb(&histogram, taken).ok());
        assert!(snb.is_some());
        let Some(Snb { classes, alpha, beta }) = snb else { return };
        // The law itself, class by class: P(F = j) and the binomial chance of one or two taken.
        let (mut one, mut two, mut share) = (0.0, 0.0, beta.powf(alpha));
        for j in 1..2000 {
            let size = f64::from(j);
            one += classes * share * size * fraction * (1.0 - fraction).powf(size - 1.0);
            two += classes * share * size * (size - 1.0) / 2.0 * fraction.powi(2) * (1.0 - fraction).powf(size - 2.0);
            share *= (1.0 - beta) * (size - 1.0 + alpha) / size;
        }
        assert!((one - 3000.0).abs() < 1e-6 && (two - 700.0).abs() < 1e-6, "{one} {two}");
    }
}
