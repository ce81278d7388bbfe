//! ℓ-diversity: the records of a class have several values of a sensitive variable. Machanavajjhala et al. 2007,
//! "ℓ-Diversity: Privacy beyond k-anonymity"; formulas in METHODS I.6. The entropy corrected for small counts: Grassberger
//! 2003, "Entropy estimates from insufficient samplings".

use std::f64::consts::LN_2;

use super::values::{ValueCounts, measure};
use super::{Class, Limit, Model};

/// What counts as diverse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DiversityKind {
    /// At least `l` different values.
    Distinct {
        /// The least number of values.
        l: u64,
    },
    /// −Σ p ln p ≥ ln ℓ: worth at least `l` equally common values.
    Entropy {
        /// The least number of equally common values.
        l: f64,
    },
    /// As entropy, estimated after Grassberger: (Σ r·G(r))/n ≤ G(n) − ln ℓ. Counts of a few records understate the
    /// entropy of what they are drawn from.
    Grassberger {
        /// The least number of equally common values.
        l: f64,
    },
    /// r₁ < c·(r_ℓ + … + r_m), counts from the commonest down.
    Recursive {
        /// How many times the rest the commonest value may be.
        c: f64,
        /// From which rank on the rest is counted.
        l: u64,
    },
}

/// Every class is diverse in one sensitive variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Diversity {
    /// Position of the sensitive variable.
    pub variable: usize,
    /// Its name.
    pub name: String,
    /// Whether every record has a value of it.
    pub complete: bool,
    /// What counts as diverse.
    pub kind: DiversityKind,
}

/// Entropies of equally common values differ from ln ℓ by rounding.
const ROUNDING_TOLERANCE: f64 = 1e-9;

impl Diversity {
    fn figure(&self, values: ValueCounts<'_>) -> f64 {
        match self.kind {
            DiversityKind::Distinct { .. } => values.ranked().len() as f64,
            DiversityKind::Entropy { .. } => entropy(&values).exp(),
            DiversityKind::Grassberger { .. } => corrected_entropy(&values).exp(),
            DiversityKind::Recursive { c, .. } => recursive(&values, c) as f64,
        }
    }

    fn least(&self) -> f64 {
        match self.kind {
            DiversityKind::Distinct { l } | DiversityKind::Recursive { l, .. } => l as f64,
            DiversityKind::Entropy { l } | DiversityKind::Grassberger { l } => l,
        }
    }
}

impl Model for Diversity {
    fn says(&self) -> String {
        let name = &self.name;
        match self.kind {
            DiversityKind::Distinct { l } => format!("distinct l-diversity of `{name}` with l = {l}"),
            DiversityKind::Entropy { l } => format!("entropy l-diversity of `{name}` with l = {l}"),
            DiversityKind::Grassberger { l } => format!("corrected entropy l-diversity of `{name}` with l = {l}"),
            DiversityKind::Recursive { c, l } => {
                format!("recursive (c, l)-diversity of `{name}` with c = {c}, l = {l}")
            }
        }
    }

    fn reads_sensitive(&self) -> bool {
        true
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        self.class_figure(class).is_none_or(|figure| figure >= self.least() * (1.0 - ROUNDING_TOLERANCE))
    }

    fn class_figure(&self, class: &Class<'_>) -> Option<f64> {
        measure(class, self.variable, 0.0, |values| self.figure(values))
    }

    /// The entropy of a mixture is at least that of its parts. The commonest value of a mixture has at most as many
    /// records as those of its parts together. This does not hold for the corrected entropy.
    fn is_monotone(&self) -> bool {
        !matches!(self.kind, DiversityKind::Grassberger { .. })
    }

    /// Too few values are too few in every part; but a part without any value is skipped.
    fn parts_fail_too(&self) -> bool {
        self.complete && matches!(self.kind, DiversityKind::Distinct { .. })
    }

    fn limit(&self) -> Option<Limit> {
        let (what, name) = match self.kind {
            DiversityKind::Distinct { .. } => ("different values", &self.name),
            DiversityKind::Entropy { .. } | DiversityKind::Grassberger { .. } => {
                ("equally common values that the entropy is worth", &self.name)
            }
            DiversityKind::Recursive { .. } => ("rank up to which the commonest value is rare enough", &self.name),
        };
        Some(Limit::at_least(format!("{what} of `{name}` in a class"), "l", self.least()))
    }

    fn met_by(&self, worst: f64) -> Option<String> {
        (worst >= 1.0).then(|| self.limit()?.met_by(worst)).flatten()
    }
}

/// −Σ p ln p.
fn entropy(values: &ValueCounts<'_>) -> f64 {
    let counts = values.counts.iter().filter(|(_, count)| *count > 0);
    -counts.map(|(_, count)| values.share(*count)).map(|share| share * share.ln()).sum::<f64>()
}

/// G(n) − (Σ r·G(r))/n.
fn corrected_entropy(values: &ValueCounts<'_>) -> f64 {
    let counts = values.counts.iter().filter(|(_, count)| *count > 0);
    let sum: f64 = counts.map(|(_, count)| values.share(*count) * grassberger(*count)).sum();
    grassberger(values.total) - sum
}

/// Grassberger's G, which stands for the logarithm: G(2n) = ψ(n + ½) + ln 2, G(2n + 1) = G(2n), G(1) = ψ(½) + ln 2.
fn grassberger(count: u64) -> f64 {
    digamma((count / 2) as f64 + 0.5) + LN_2
}

/// ψ by recurrence up to 10 and the asymptotic series from there (Abramowitz and Stegun 1964, 6.3.5 and 6.3.18).
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square / 240.0)));
    sum + x.ln() - 0.5 / x - series
}

/// The largest ℓ with r₁ < c·(r_ℓ + … + r_m); 0 if there is none.
fn recursive(values: &ValueCounts<'_>, c: f64) -> u64 {
    let counts = values.ranked();
    let mut rest = values.total;
    let mut reached = 0;
    for count in &counts {
        if counts[0] as f64 >= c * rest as f64 {
            break;
        }
        reached += 1;
        rest -= count;
    }
    reached
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn model(kind: DiversityKind) -> Diversity {
        Diversity { variable: 0, name: "illness".into(), complete: false, kind }
    }

    fn figure(kind: DiversityKind, counts: &[(u32, u64)]) -> Option<f64> {
        let sensitive = [counts.to_vec()];
        let records = counts.iter().map(|(_, count)| count).sum();
        model(kind).class_figure(&Class { records, population: None, sensitive: &sensitive })
    }

    fn holds(kind: DiversityKind, counts: &[(u32, u64)]) -> bool {
        let sensitive = [counts.to_vec()];
        model(kind).class_holds(&Class { records: 0, population: None, sensitive: &sensitive })
    }

    const RARE: [(u32, u64); 4] = [(1, 5), (2, 3), (4, 1), (9, 1)];

    #[test]
    fn ten_records_with_four_illnesses_worked_by_hand() {
        assert_eq!(figure(DiversityKind::Distinct { l: 2 }, &RARE), Some(4.0));
        // Shares .5, .3, .1, .1: entropy .34657 + .36119 + 2·.23026 = 1.16828.
        assert!((figure(DiversityKind::Entropy { l: 2.0 }, &RARE).unwrap() - 3.216_454).abs() < 1e-5);
        // c = 2: 5 < 2·(3 + 1 + 1) for rank 2, 5 ≥ 2·(1 + 1) for rank 3. c = 3: 5 < 3·2 for rank 3, 5 ≥ 3·1 for rank 4.
        assert_eq!(figure(DiversityKind::Recursive { c: 2.0, l: 2 }, &RARE), Some(2.0));
        assert_eq!(figure(DiversityKind::Recursive { c: 3.0, l: 2 }, &RARE), Some(3.0));
    }

    #[test]
    fn the_recursive_inequality_is_strict() {
        let counts = [(1, 4), (2, 2)];
        assert!(!holds(DiversityKind::Recursive { c: 2.0, l: 2 }, &counts));
        assert!(holds(DiversityKind::Recursive { c: 2.001, l: 2 }, &counts));
        assert!(!holds(DiversityKind::Recursive { c: 100.0, l: 3 }, &counts));
    }

    #[test]
    fn equally_common_values_are_worth_their_number() {
        for values in 1..200u32 {
            let counts: Vec<(u32, u64)> = (1..=values).map(|code| (code, 3)).collect();
            assert!(holds(DiversityKind::Entropy { l: f64::from(values) }, &counts));
            assert!(!holds(DiversityKind::Entropy { l: f64::from(values) + 0.01 }, &counts));
        }
    }

    #[test]
    fn missing_values_are_passed_over() {
        assert_eq!(figure(DiversityKind::Distinct { l: 2 }, &[(0, 7), (3, 1)]), Some(1.0));
        assert_eq!(figure(DiversityKind::Distinct { l: 2 }, &[(0, 7)]), None);
        assert!(holds(DiversityKind::Distinct { l: 2 }, &[(0, 7)]));
    }

    #[test]
    fn a_class_not_told_of_the_variable_does_not_hold() {
        let class = Class { records: 9, population: None, sensitive: &[] };
        assert!(!model(DiversityKind::Distinct { l: 1 }).class_holds(&class));
    }

    /// By the recursion of the source: G(1) = −γ − ln 2, G(2) = G(1) + 2, G(2n + 2) = G(2n) + 2/(2n + 1).
    #[test]
    fn grassbergers_function_follows_its_recursion() {
        let first = -0.577_215_664_901_532_9 - LN_2;
        assert!((grassberger(1) - first).abs() < 1e-12);
        let mut expected = first + 2.0;
        for n in 1..2_000u64 {
            assert!((grassberger(2 * n) - expected).abs() < 1e-11, "{n}");
            assert_eq!(grassberger(2 * n + 1), grassberger(2 * n));
            expected += 2.0 / (2 * n + 1) as f64;
        }
        assert!((grassberger(1_000_000) - 1_000_000f64.ln()).abs() < 1e-6);
    }

    #[test]
    fn the_corrected_entropy_of_few_records_is_larger() {
        let plain = figure(DiversityKind::Entropy { l: 2.0 }, &RARE).unwrap();
        assert!(figure(DiversityKind::Grassberger { l: 2.0 }, &RARE).unwrap() > plain);
        let many: Vec<(u32, u64)> = RARE.iter().map(|(code, count)| (*code, count * 1_000_000)).collect();
        assert!((figure(DiversityKind::Grassberger { l: 2.0 }, &many).unwrap() - plain).abs() < 1e-5);
    }
}
