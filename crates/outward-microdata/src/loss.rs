//! Loss measures: what a recoding costs those who use the release. Each measure is one file with its formula and source.
//!
//! A measure reads [`Facts`]: whole numbers summed over the records. So the same recoding has the same loss to the last
//! bit, however it was reached. During a search the same facts also describe the best that any recoding of a part of
//! the lattice could do. Then values are at their finest, and only records that must be suppressed are left out. The
//! measure of these facts is a lower bound, so no measure may fall when facts get worse.

mod class_size;
mod discernibility;
mod entropy;
mod numbers;
mod precision;
mod share;
mod tables;

use std::cmp::Ordering;
use std::fmt::Debug;

use outward_spec::{Error, Result};

pub use class_size::ClassSize;
pub use discernibility::Discernibility;
pub use entropy::Entropy;
pub(crate) use entropy::spread;
pub use numbers::{LabelNumber, NumberError, Numbers, measure_numbers};
pub use precision::Precision;
pub use share::Share;
pub use tables::{TableError, measure_table};

/// What a recoding leaves of one key.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct KeyFacts {
    /// How many values the key can have.
    pub domain: u64,
    /// How many steps up its coarsest level is.
    pub height: u64,
    /// Σ over the kept records of the leaves under their label.
    pub leaves: u64,
    /// The same over all records, as if none were suppressed.
    pub all_leaves: u64,
    /// Σ over the kept records of the level of their label.
    pub steps: u64,
    /// −Σ over all records of log₂(records with the value / records with its label).
    pub entropy: f64,
    /// Among the suppressed records, −Σ g log₂(g/S) over labels that g of them have, S being their number.
    pub spread: f64,
}

/// What a recoding leaves of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// All records.
    pub records: u64,
    /// Records that are not suppressed.
    pub kept: u64,
    /// The fewest records that can be kept within the limit on suppression.
    pub least_kept: u64,
    /// Classes of the kept records.
    pub classes: u64,
    /// Σ of squared sizes of those classes.
    pub squares: u128,
    /// The same over all classes, as if none were suppressed.
    pub all_squares: u128,
    /// Each key.
    pub keys: Vec<KeyFacts>,
}

/// What is subtracted from bounds that are not computed in whole numbers. Rounding must not lift a bound above a loss
/// that is equal to it.
const ROUNDING_TOLERANCE: f64 = 1.0 - 1e-12;

/// A loss measure.
pub trait Loss: Debug + Send + Sync {
    /// Its name, as a spec says it.
    fn name(&self) -> &'static str;

    /// The loss of each key, or one value if the measure is of all keys together.
    fn values(&self, facts: &Facts, out: &mut Vec<f64>);

    /// A lower bound on the loss of every recoding that is nowhere better than these facts.
    fn bounds(&self, facts: &Facts, out: &mut Vec<f64>) {
        self.values(facts, out);
    }

    /// Whether it reads `all_squares` or `spread`, for which suppressed records must be kept in the tables of the search.
    fn reads_suppressed(&self) -> bool {
        false
    }

    /// Whether it reads `classes` or `squares`.
    fn reads_classes(&self) -> bool {
        false
    }

    /// Whether it measures each key.
    fn is_per_key(&self) -> bool {
        true
    }
}

/// How much recoding and suppression weigh against each other, between 0 (suppression costs nothing) and 1 (recoding
/// costs nothing); 0.5 leaves both as they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance(f64);

impl Default for Balance {
    fn default() -> Self {
        Self(0.5)
    }
}

impl Balance {
    /// A balance from 0 to 1.
    pub fn new(balance: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&balance) {
            return Ok(Self(balance));
        }
        let help = "0.5 weighs recoding and suppression equally";
        Err(Error::input("the balance of recoding and suppression is not between 0 and 1").help(help).into())
    }

    /// What the loss of a kept record is multiplied by.
    pub(crate) fn recoding(self) -> f64 {
        if self.0 <= 0.5 { 1.0 } else { 1.0 - 2.0 * (self.0 - 0.5) }
    }

    /// What the loss of a suppressed record is multiplied by.
    pub(crate) fn suppression(self) -> f64 {
        if self.0 < 0.5 { 2.0 * self.0 } else { 1.0 }
    }
}

/// Whether a measure reads what is suppressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LossForm {
    /// It does: a suppressed record is lost. The loss may fall when a recoding is made coarser.
    #[default]
    Full,
    /// It does not, and so never falls when a recoding is made coarser.
    Monotone,
}

/// How the losses of keys become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aggregate {
    /// Their mean, each times its weight.
    #[default]
    Mean,
    /// (Π (w·x + 1))^(1/keys) − 1.
    GeometricMean,
    /// Their sum, each times its weight.
    Sum,
    /// The largest, each times its weight.
    Maximum,
    /// Sorted from largest to smallest and compared like words.
    Rank,
}

/// What a search makes small: a loss, how keys are joined, and what each key weighs.
#[derive(Debug)]
pub struct Measure {
    loss: Box<dyn Loss>,
    aggregate: Aggregate,
    weights: Vec<f64>,
}

/// A loss to compare by: one number, or a ranking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Score {
    One(f64),
    Ranked(Vec<f64>),
}

impl Score {
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::One(a), Self::One(b)) => a.total_cmp(b),
            (a, b) => {
                let (a, b) = (a.numbers(), b.numbers());
                let first = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
                first.unwrap_or_else(|| a.len().cmp(&b.len()))
            }
        }
    }

    fn numbers(&self) -> &[f64] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::Ranked(numbers) => numbers,
        }
    }
}

impl Measure {
    /// A measure of keys that weigh the same.
    pub fn new(loss: impl Loss + 'static, aggregate: Aggregate) -> Self {
        Self { loss: Box::new(loss), aggregate, weights: Vec::new() }
    }

    /// The same with a weight for each key.
    pub fn weighted(self, weights: Vec<f64>) -> Result<Self> {
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
            let what = format!("the weight of key {} is not a number from 0 up", at + 1);
            return Err(Error::input(what).help("give each key a weight such as 1, 2 or 0.5").into());
        }
        Ok(Self { weights, ..self })
    }

    /// The loss measure.
    pub fn loss(&self) -> &dyn Loss {
        &*self.loss
    }

    /// The loss of facts, joined over keys, and that of each key.
    pub fn measure(&self, facts: &Facts) -> (f64, Vec<f64>) {
        let mut values = Vec::new();
        self.loss.values(facts, &mut values);
        let score = self.joined(&values);
        (self.number(&score, values.len()), if self.loss.is_per_key() { values } else { Vec::new() })
    }

    /// Which of two loses less. Losses may be equal as numbers and still differ as rankings.
    pub fn compare(&self, a: &Facts, b: &Facts) -> Ordering {
        let mut room = Vec::new();
        self.score(a, &mut room).compare(&self.score(b, &mut room))
    }

    pub(crate) fn check(&self, keys: usize) -> Result<()> {
        if self.weights.is_empty() || self.weights.len() == keys {
            return Ok(());
        }
        let what = format!("there are {} weights for {keys} keys", self.weights.len());
        Err(Error::input(what).help("give each key one weight, or none at all").into())
    }

    pub(crate) fn score(&self, facts: &Facts, room: &mut Vec<f64>) -> Score {
        room.clear();
        self.loss.values(facts, room);
        self.joined(room)
    }

    pub(crate) fn bound(&self, facts: &Facts, room: &mut Vec<f64>) -> Score {
        room.clear();
        self.loss.bounds(facts, room);
        self.joined(room)
    }

    /// The number a score stands for. Roots are taken here and not in scores, as they need not keep order to the last bit.
    pub(crate) fn number(&self, score: &Score, keys: usize) -> f64 {
        match (score, self.aggregate) {
            (Score::One(product), Aggregate::GeometricMean) if self.loss.is_per_key() => {
                product.powf(1.0 / keys.max(1) as f64) - 1.0
            }
            (score, _) => score.numbers().first().copied().unwrap_or(0.0),
        }
    }

    fn joined(&self, values: &[f64]) -> Score {
        let weighted = || values.iter().enumerate().map(|(key, value)| value * self.weights.get(key).unwrap_or(&1.0));
        if !self.loss.is_per_key() {
            return Score::One(values.first().copied().unwrap_or(0.0));
        }
        match self.aggregate {
            Aggregate::Sum => Score::One(weighted().sum()),
            Aggregate::Mean => Score::One(weighted().sum::<f64>() / values.len().max(1) as f64),
            Aggregate::GeometricMean => Score::One(weighted().map(|value| value + 1.0).product()),
            Aggregate::Maximum => Score::One(weighted().fold(0.0, f64::max)),
            Aggregate::Rank => {
                let mut ranked: Vec<f64> = weighted().collect();
                ranked.sort_unstable_by(|a, b| b.total_cmp(a));
                Score::Ranked(ranked)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    /// Ten records: classes of 5 and 3 kept, one of 2 suppressed.
    pub(super) fn facts(keys: Vec<KeyFacts>) -> Facts {
        Facts { records: 10, kept: 8, least_kept: 0, classes: 2, squares: 34, all_squares: 38, keys }
    }

    pub(super) fn key(domain: u64, height: u64, leaves: u64, all_leaves: u64) -> KeyFacts {
        KeyFacts { domain, height, leaves, all_leaves, ..KeyFacts::default() }
    }

    #[derive(Debug)]
    struct Given;

    impl Loss for Given {
        fn name(&self) -> &'static str {
            "given"
        }

        fn values(&self, facts: &Facts, out: &mut Vec<f64>) {
            out.extend(facts.keys.iter().map(|key| key.entropy));
        }
    }

    #[test]
    fn keys_are_joined_as_the_aggregate_says() {
        let given = |losses: &[f64]| {
            facts(losses.iter().map(|loss| KeyFacts { entropy: *loss, ..KeyFacts::default() }).collect())
        };
        let measured = |aggregate: Aggregate, weights: &[f64]| {
            Measure::new(Given, aggregate).weighted(weights.to_vec()).unwrap().measure(&given(&[0.5, 0.125])).0
        };
        assert_eq!(measured(Aggregate::Mean, &[]), 0.3125);
        assert_eq!(measured(Aggregate::Mean, &[1.0, 4.0]), 0.5);
        assert_eq!(measured(Aggregate::Sum, &[]), 0.625);
        assert_eq!(measured(Aggregate::Maximum, &[0.0, 1.0]), 0.125);
        assert!((measured(Aggregate::GeometricMean, &[2.0, 0.0]) - (2.0f64.sqrt() - 1.0)).abs() < 1e-15);
        let rank = Measure::new(Given, Aggregate::Rank);
        let score = |losses: &[f64]| rank.score(&given(losses), &mut Vec::new());
        assert_eq!(score(&[0.1, 0.9]).compare(&score(&[0.9, 0.2])), Ordering::Less);
        assert_eq!(score(&[0.1, 0.9]).compare(&score(&[0.9, 0.1])), Ordering::Equal);
    }

    #[test]
    fn weights_below_nought_and_balances_outside_nought_to_one_are_refused() {
        assert!(Measure::new(Given, Aggregate::Sum).weighted(vec![-1.0]).is_err());
        assert!(Balance::new(1.5).is_err() && Balance::new(f64::NAN).is_err());
        assert!(Measure::new(Given, Aggregate::Sum).weighted(vec![1.0]).unwrap().check(2).is_err());
    }
}
