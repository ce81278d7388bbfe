//! The number of people with a unique birthday, among N people on D days.
//!
//! Two laws. [`Law::Exact`] is the true one. [`Law::Printed`] is equation (2) of Gibbon and Aisbett, which puts the
//! people left over evenly on the days already taken. People do not fall on days like that, so its tails differ.

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::exact::ExactLaw;
use super::printed::printed;

/// States less likely than this are dropped from a recursion, and their chance is added up in `dropped`.
pub(super) const NEGLIGIBLE: f64 = 1e-30;

/// More days than this would need too many states for the law of a whole group.
const MAX_DAYS: u32 = 2_000;

/// Which law of the number of unique birthdays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// The true law.
    #[default]
    Exact,
    /// Equation (2) as the paper prints it.
    Printed,
}

/// How a share of the people becomes a number of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountRule {
    /// Rounded up: at least the share, in the plain sense of the words.
    #[default]
    Up,
    /// To the nearest, halves down: so the paper, where 0.95 × 30 is the first that "rounds down to N−2".
    Nearest,
    /// Rounded down.
    Down,
}

impl CountRule {
    /// The number of people that stands for a share of them.
    pub fn count(self, share: f64, people: u64) -> u64 {
        let exact = share * people as f64;
        // 0.07 × 100 is 7.000000000000001 in binary; that is 7.
        let slack = 1e-14 * exact.max(1.0);
        let count = match self {
            Self::Up => (exact - slack).ceil(),
            Self::Nearest => (exact - 0.5 - slack).ceil(),
            Self::Down => (exact + slack).floor(),
        };
        count.max(0.0) as u64
    }
}

/// The law of the number of people with a unique birthday.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Distribution {
    /// Which law.
    pub law: Law,
    /// People in the group.
    pub people: u64,
    /// Days in the year.
    pub days: u32,
    /// The chance that exactly m people have a unique birthday, m = 0, 1, 2 …; more have chance 0 or are in `dropped`.
    pub probabilities: Vec<f64>,
    /// Chance of all that was left out because it is negligible. No figure here is further from the law than this and
    /// `rounding` together.
    pub dropped: f64,
    /// Bound on the relative error of a probability that rounding can have caused.
    pub rounding: f64,
}

impl Distribution {
    /// The true law.
    ///
    /// ```
    /// use outward_risk::birthdays::Distribution;
    /// let law = Distribution::exact(972, 365)?;
    /// assert!((law.at_least(0.05, Default::default())? - 0.9988).abs() < 1e-4);
    /// # Ok::<(), outward_risk::Error>(())
    /// ```
    pub fn exact(people: u64, days: u32) -> Result<Self> {
        check(people, days)?;
        let mut law = ExactLaw::new(days as usize);
        let steps = law.run_to(people);
        Ok(Self::new(Law::Exact, people, days, law.probabilities(), law.dropped(), steps))
    }

    /// The law as equation (2) prints it.
    pub fn printed(people: u64, days: u32) -> Result<Self> {
        check(people, days)?;
        let (probabilities, dropped, steps) = printed(people, days as usize);
        Ok(Self::new(Law::Printed, people, days, probabilities, dropped, steps))
    }

    /// Either law.
    pub fn from_law(law: Law, people: u64, days: u32) -> Result<Self> {
        match law {
            Law::Exact => Self::exact(people, days),
            Law::Printed => Self::printed(people, days),
        }
    }

    fn new(law: Law, people: u64, days: u32, probabilities: Vec<f64>, dropped: f64, steps: u64) -> Self {
        // Only sums and products of positive numbers, so relative errors add: at most five roundings a step.
        let rounding = 5.0 * f64::EPSILON / 2.0 * steps as f64;
        Self { law, people, days, probabilities, dropped, rounding }
    }

    /// The expected number of people with a unique birthday.
    pub fn mean(&self) -> f64 {
        self.moment(|unique| unique)
    }

    /// The variance of that number.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.moment(|unique| (unique - mean).powi(2))
    }

    /// The smallest number that is not exceeded with at least this chance.
    pub fn quantile(&self, chance: f64) -> Result<u64> {
        super::check_share(chance, "the chance of a quantile")?;
        let mut below = 0.0;
        let found = self.probabilities.iter().position(|probability| {
            below += probability;
            below >= chance
        });
        let last = self.probabilities.iter().rposition(|probability| *probability > 0.0).unwrap_or(0);
        Ok(found.unwrap_or(last) as u64)
    }

    /// The chance that at least this share of the people have a unique birthday.
    pub fn at_least(&self, share: f64, rule: CountRule) -> Result<f64> {
        super::check_share(share, "the share of people")?;
        Ok(self.at_least_count(rule.count(share, self.people)))
    }

    /// The chance that at least this many people have a unique birthday.
    pub fn at_least_count(&self, unique: u64) -> f64 {
        // The larger half comes from its complement, so that a chance near 1 is as good as one near 0.
        let from = usize::try_from(unique).unwrap_or(usize::MAX).min(self.probabilities.len());
        let (below, above) = self.probabilities.split_at(from);
        let (below, above): (f64, f64) = (below.iter().sum(), above.iter().rev().sum());
        if above <= 0.5 { above.max(0.0) } else { (1.0 - below).clamp(0.0, 1.0) }
    }

    fn moment(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.probabilities.iter().enumerate().rev().map(|(unique, probability)| of(unique as f64) * probability).sum()
    }
}

pub(super) fn check(people: u64, days: u32) -> Result<()> {
    if people == 0 {
        return Err(Error::input("a group needs at least one person").help("give a number of people from 1 up").into());
    }
    match days {
        0 => Err(Error::input("a year needs at least one day").into()),
        1..=MAX_DAYS => Ok(()),
        _ => Err(Error::input(format!("the law of a whole group is worked out for at most {MAX_DAYS} days"))
            .help("for more days ask for one person's chance, or for the mean and variance")
            .into()),
    }
}

/// The expected number of people with a unique birthday, N(1 − 1/D)^(N−1), for any N.
pub fn expected_unique(people: f64, days: f64) -> f64 {
    match people > 1.0 {
        true => people * ((people - 1.0) * (-1.0 / days).ln_1p()).exp(),
        false => people,
    }
}

/// The variance of the number of people with a unique birthday.
///
/// Two people both have one with chance (1 − 1/D)(1 − 2/D)^(N−2), so E M(M−1) = N(N−1)(1 − 1/D)(1 − 2/D)^(N−2).
pub fn variance_of_unique(people: f64, days: f64) -> f64 {
    let mean = expected_unique(people, days);
    if people < 2.0 {
        return 0.0;
    }
    let others_elsewhere = match people > 2.0 {
        true => ((people - 2.0) * (-2.0 / days).max(-1.0).ln_1p()).exp(),
        false => 1.0,
    };
    let pairs = people * (people - 1.0) * (1.0 - 1.0 / days) * others_elsewhere;
    (pairs + mean - mean * mean).max(0.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_papers_rounding_first_leaves_a_pair_at_thirty() {
        let first = (2..100).find(|people| CountRule::Nearest.count(0.95, *people) == people - 2);
        assert_eq!(first, Some(30));
        assert_eq!(CountRule::Up.count(0.07, 100), 7);
        assert_eq!((CountRule::Up.count(0.05, 972), CountRule::Down.count(0.05, 972)), (49, 48));
    }

    #[test]
    fn two_people_are_both_unique_or_neither_is() {
        let law = Distribution::exact(2, 365).unwrap();
        assert!((law.probabilities[2] - 364.0 / 365.0).abs() < 1e-15);
        assert_eq!(law.probabilities[1], 0.0);
        assert_eq!((law.quantile(0.002).unwrap(), law.quantile(0.003).unwrap()), (0, 2));
        assert_eq!(law.at_least_count(3), 0.0);
        assert_eq!(law.at_least_count(u64::MAX), 0.0);
    }

    #[test]
    fn groups_without_people_and_years_without_days_are_refused() {
        for law in [Law::Exact, Law::Printed] {
            assert!(Distribution::from_law(law, 0, 365).is_err());
            assert!(Distribution::from_law(law, 10, 0).is_err());
            assert!(Distribution::from_law(law, 10, MAX_DAYS + 1).is_err());
        }
        let law = Distribution::exact(10, 365).unwrap();
        for share in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(law.at_least(share, CountRule::Up).is_err());
            assert!(law.quantile(share).is_err());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_exact_law_has_the_mean_and_variance_of_the_closed_form(people in 1_u64..3_000, days in 1_u32..120) {
            let law = Distribution::exact(people, days).unwrap();
            let (mean, variance) =
                (expected_unique(people as f64, days.into()), variance_of_unique(people as f64, days.into()));
            prop_assert!((law.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-11);
            prop_assert!((law.mean() - mean).abs() < 1e-9 * (1.0 + mean));
            prop_assert!((law.variance() - variance).abs() < 1e-7 * (1.0 + variance), "{} {variance}", law.variance());
        }

        #[test]
        fn the_printed_law_sums_to_one(people in 1_u64..800, days in 1_u32..60) {
            let law = Distribution::printed(people, days).unwrap();
            prop_assert!((law.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-11);
        }
    }
}
