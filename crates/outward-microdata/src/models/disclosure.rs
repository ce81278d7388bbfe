//! δ-disclosure privacy: |log₂(q/p)| < δ for every value that a class has, with share q in the class and p in the
//! whole. Brickell and Shmatikov 2008, "The cost of privacy". As in ARX, the logarithm is to base 2. Values that the
//! class lacks have no logarithm and are skipped.

use super::limit::{decimal, round_up};
use super::values::{WholeShares, measure};
use super::{Class, Limit, Model};

/// The share of every value in a class differs from that in the whole by a factor of less than 2^δ.
#[derive(Debug, Clone)]
pub struct Disclosure {
    variable: usize,
    name: String,
    delta: f64,
    whole: WholeShares,
}

impl Disclosure {
    /// Of the sensitive variable at this position; `whole` has its codes with their numbers of records.
    pub fn new(variable: usize, name: &str, delta: f64, whole: &[(u32, u64)]) -> Self {
        Self { variable, name: name.to_owned(), delta, whole: WholeShares::from_codes(whole) }
    }
}

impl Model for Disclosure {
    fn says(&self) -> String {
        format!("δ-disclosure privacy of `{}` with δ = {}", self.name, self.delta)
    }

    fn reads_sensitive(&self) -> bool {
        true
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        self.class_figure(class).is_none_or(|difference| difference < self.delta)
    }

    fn class_figure(&self, class: &Class<'_>) -> Option<f64> {
        measure(class, self.variable, f64::INFINITY, |values| {
            let present = values.counts.iter().filter(|(_, count)| *count > 0);
            present
                .map(|(code, count)| (values.share(*count) / self.whole.share(*code)).log2().abs())
                .fold(0.0, f64::max)
        })
    }

    /// A value that one part lacks may be too rare in the mixture.
    fn is_monotone(&self) -> bool {
        false
    }

    fn fitted(&self, whole: &[Vec<(u32, u64)>]) -> Option<Box<dyn Model>> {
        Some(Box::new(Self { whole: WholeShares::from_codes(whole.get(self.variable)?), ..self.clone() }))
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_most(format!("log₂ ratio of the shares of a value of `{}`", self.name), "δ", self.delta))
    }

    /// The bound itself is not allowed, so the next decimal above is.
    fn met_by(&self, worst: f64) -> Option<String> {
        worst.is_finite().then(|| format!("δ = {}", decimal(round_up(worst) + 1e-4)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_twice_as_common_differs_by_one_and_one_is_not_below_one() {
        let sensitive = [vec![(1, 5), (2, 1), (3, 4)]];
        let class = Class { records: 10, population: None, sensitive: &sensitive };
        let model = |delta| Disclosure::new(0, "illness", delta, &[(1, 5), (2, 3), (3, 2)]);
        // Shares .5, .1, .4 against .5, .3, .2: |log₂| is 0, 1.585, 1.
        assert!(model(1.6).class_holds(&class) && !model(1.58).class_holds(&class));
        let even = [vec![(1, 4), (3, 4)]];
        let class = Class { records: 8, population: None, sensitive: &even };
        let quarters = Disclosure::new(0, "illness", 1.0, &[(1, 1), (2, 2), (3, 1)]);
        assert!(!quarters.class_holds(&class), "½ against ¼ is exactly 1");
    }
}
