//! β-likeness: no value of a sensitive variable is much commoner in a class than in the whole. Cao and Karras 2012,
//! "Publishing microdata with a robust privacy guarantee". Basic: (q − p)/p ≤ β for every value, with share q in the class
//! and p in the whole. Enhanced: ≤ min(β, −ln p), which asks more of common values.

use super::values::{WholeShares, measure};
use super::{Class, Limit, Model};

/// Which bound is set to the relative gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LikenessKind {
    /// β.
    Basic,
    /// The smaller of β and −ln p.
    Enhanced,
}

/// In every class each value's share is at most 1 + β times that in the whole.
#[derive(Debug, Clone)]
pub struct Likeness {
    variable: usize,
    name: String,
    kind: LikenessKind,
    beta: f64,
    whole: WholeShares,
}

/// Gains that differ from the bound by rounding only.
const ROUNDING_TOLERANCE: f64 = 1e-12;

impl Likeness {
    /// Of the sensitive variable at this position; `whole` has its codes with their numbers of records.
    pub fn new(variable: usize, name: &str, kind: LikenessKind, beta: f64, whole: &[(u32, u64)]) -> Self {
        Self { variable, name: name.to_owned(), kind, beta, whole: WholeShares::from_codes(whole) }
    }

    /// The least β that allows a gain of this much in a value with share `p`; infinite if none does.
    fn needed(&self, gain: f64, p: f64) -> f64 {
        match self.kind {
            LikenessKind::Enhanced if gain > -p.ln() * (1.0 + ROUNDING_TOLERANCE) => f64::INFINITY,
            _ => gain,
        }
    }
}

impl Model for Likeness {
    fn says(&self) -> String {
        let kind = match self.kind {
            LikenessKind::Basic => "basic",
            LikenessKind::Enhanced => "enhanced",
        };
        format!("{kind} β-likeness of `{}` with β = {}", self.name, self.beta)
    }

    fn reads_sensitive(&self) -> bool {
        true
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        self.class_figure(class).is_none_or(|gain| gain <= self.beta * (1.0 + ROUNDING_TOLERANCE))
    }

    fn class_figure(&self, class: &Class<'_>) -> Option<f64> {
        measure(class, self.variable, f64::INFINITY, |values| {
            let gains = values.counts.iter().filter(|(_, count)| *count > 0).map(|(code, count)| {
                let p = self.whole.share(*code);
                self.needed((values.share(*count) - p) / p, p)
            });
            gains.fold(0.0, f64::max)
        })
    }

    /// A mixture's share of a value is at most the largest of its parts'.
    fn is_monotone(&self) -> bool {
        true
    }

    fn fitted(&self, whole: &[Vec<(u32, u64)>]) -> Option<Box<dyn Model>> {
        Some(Box::new(Self { whole: WholeShares::from_codes(whole.get(self.variable)?), ..self.clone() }))
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_most(format!("relative gain of a value of `{}` in a class", self.name), "β", self.beta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole has shares .5, .3, .2; the class .5, .1, .4: the gain is (.4 − .2)/.2 = 1.
    #[test]
    fn a_value_twice_as_common_as_in_the_whole_has_gained_one() {
        let whole = [(1, 5), (2, 3), (3, 2)];
        let sensitive = [vec![(0, 4), (1, 5), (2, 1), (3, 4)]];
        let class = Class { records: 14, population: None, sensitive: &sensitive };
        let basic = |beta| Likeness::new(0, "illness", LikenessKind::Basic, beta, &whole);
        assert!(basic(1.0).class_holds(&class) && !basic(0.9).class_holds(&class));
        assert!((basic(1.0).class_figure(&class).unwrap_or(0.0) - 1.0).abs() < 1e-12);
    }

    /// A class all of value 1: the gain is 1, and −ln .5 = .693 is the most for any β.
    #[test]
    fn enhanced_likeness_bounds_common_values_more_tightly() {
        let whole = [(1, 5), (2, 3), (3, 2)];
        let sensitive = [vec![(1, 6)]];
        let class = Class { records: 6, population: None, sensitive: &sensitive };
        assert!(Likeness::new(0, "illness", LikenessKind::Basic, 2.0, &whole).class_holds(&class));
        assert!(!Likeness::new(0, "illness", LikenessKind::Enhanced, 2.0, &whole).class_holds(&class));
        // All of value 3: the gain is 4, more than −ln .2 = 1.609. Half of it: 1.5, which is allowed.
        let half = [vec![(1, 3), (2, 1), (3, 4)]];
        let class = Class { records: 8, population: None, sensitive: &half };
        assert!(Likeness::new(0, "illness", LikenessKind::Enhanced, 2.0, &whole).class_holds(&class));
    }
}
