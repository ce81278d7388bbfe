//! How large a group may be so that a share of it has unique birthdays to a given confidence: the paper's Table 1.
//!
//! The chance that at least a share of N people is unique falls with N, but in a jagged line. The reason is that the
//! share has to be a whole number of people. Each time that number grows by one the chance drops; between two drops it
//! may climb. So "the largest group" is ambiguous, and each entry has three values. They are the last N that reaches
//! the level, the N up to which all groups reach it, and the last N whose chance *rounds* to the level.

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::check_share;
use super::distribution::{CountRule, Law, check};
use super::exact::ExactLaw;
use super::printed::PrintedScan;

/// Groups up to a size of two over the share are examined, so a tiny share would take for ever.
const SMALLEST_SHARE: f64 = 1e-4;

/// One group size of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ConfidencePoint {
    /// People in the group.
    pub people: u64,
    /// Chance that at least the share of them has a unique birthday.
    pub probability: f64,
}

/// One entry of a confidence table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ConfidenceCell {
    /// Share of the people that is to be unique.
    pub share: f64,
    /// Chance wanted.
    pub confidence: f64,
    /// The largest group that reaches it.
    pub largest: u64,
    /// Its chance.
    pub probability: f64,
    /// All groups up to this size reach it.
    pub unbroken: u64,
    /// The largest group whose chance, rounded to as many decimals as the confidence is written with, reaches it.
    pub largest_rounded: u64,
}

/// The largest groups for several shares and confidences.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ConfidenceTable {
    /// Which law.
    pub law: Law,
    /// How a share became a number of people.
    pub rule: CountRule,
    /// Days in the year.
    pub days: u32,
    /// The entries: for each share, in the order asked for, all confidences.
    pub cells: Vec<ConfidenceCell>,
}

/// The chance that at least `share` of the people has a unique birthday, for groups of 1 to `most` people: the paper's
/// Figure 2.
pub fn confidence_curve(share: f64, most: u64, days: u32, law: Law, rule: CountRule) -> Result<Vec<ConfidencePoint>> {
    check(most, days)?;
    check_share(share, "the share of people")?;
    let mut group = Growing::new(law, days);
    Ok((1..=most)
        .map(|people| {
            let probabilities = group.grow();
            ConfidencePoint { people, probability: tail(&probabilities, rule.count(share, people)) }
        })
        .collect())
}

/// The largest groups in which each share of the people has a unique birthday to each confidence.
pub fn confidence_table(
    shares: &[f64],
    confidences: &[f64],
    days: u32,
    law: Law,
    rule: CountRule,
) -> Result<ConfidenceTable> {
    check(1, days)?;
    if shares.is_empty() || confidences.is_empty() {
        return Err(Error::input("a confidence table needs at least one share and one confidence").into());
    }
    shares.iter().try_for_each(|share| check_share(*share, "the share of people"))?;
    if shares.iter().any(|share| *share < SMALLEST_SHARE) {
        return Err(Error::input(format!("a share of a confidence table must be at least {SMALLEST_SHARE}")).into());
    }
    confidences.iter().try_for_each(|confidence| check_share(*confidence, "the confidence"))?;
    let mut cells: Vec<(ConfidenceCell, bool)> = (shares.iter())
        .flat_map(|share| confidences.iter().map(|confidence| (ConfidenceCell::new(*share, *confidence), true)))
        .collect();
    let mut group = Growing::new(law, days);
    let mut people = 0;
    while cells.iter().any(|(cell, _)| cell.open(people, days)) {
        people += 1;
        let probabilities = group.grow();
        for (cell, unbroken) in &mut cells {
            let chance = tail(&probabilities, rule.count(cell.share, people));
            cell.see(people, chance, unbroken);
        }
    }
    Ok(ConfidenceTable { law, rule, days, cells: cells.into_iter().map(|(cell, _)| cell).collect() })
}

impl ConfidenceCell {
    fn new(share: f64, confidence: f64) -> Self {
        Self { share, confidence, largest: 0, probability: 0.0, unbroken: 0, largest_rounded: 0 }
    }

    fn see(&mut self, people: u64, chance: f64, unbroken: &mut bool) {
        let reached = chance >= self.confidence;
        *unbroken &= reached;
        if reached {
            (self.largest, self.probability) = (people, chance);
        }
        if *unbroken {
            self.unbroken = people;
        }
        let scale = 10_f64.powi(decimals(self.confidence));
        if (chance * scale).round() >= (self.confidence * scale).round() {
            self.largest_rounded = people;
        }
    }

    /// Whether a group larger than `people` might still reach the level. Markov's inequality: P(M ≥ k) ≤ E M / k, and k
    /// is at least half of share · N once share · N ≥ 2, rounded up or down. The mean of either law is below max(N,
    /// D)·e^(1 − N/D), which falls from N = D on.
    fn open(&self, people: u64, days: u32) -> bool {
        let (people, days) = (people as f64, f64::from(days));
        let mean = people.max(days) * (1.0 - people / days).exp();
        let count = self.share * people / 2.0;
        people <= days || count < 1.0 || mean / count >= self.confidence / 2.0
    }
}

/// Decimals a number is written with.
fn decimals(number: f64) -> i32 {
    number.to_string().split_once('.').map_or(0, |(_, digits)| digits.len().min(12) as i32)
}

fn tail(probabilities: &[f64], unique: u64) -> f64 {
    let from = usize::try_from(unique).unwrap_or(usize::MAX).min(probabilities.len());
    probabilities[from..].iter().rev().sum::<f64>().clamp(0.0, 1.0)
}

/// Either law for a growing group.
enum Growing {
    Exact(ExactLaw),
    Printed(PrintedScan),
}

impl Growing {
    fn new(law: Law, days: u32) -> Self {
        match law {
            Law::Exact => Self::Exact(ExactLaw::new(days as usize)),
            Law::Printed => Self::Printed(PrintedScan::new(days as usize)),
        }
    }

    /// Adds one person and gives the law.
    fn grow(&mut self) -> Vec<f64> {
        match self {
            Self::Exact(law) => {
                law.advance();
                law.probabilities()
            }
            Self::Printed(law) => {
                law.advance();
                law.probabilities()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SURE_SHARES: [f64; 2] = [0.05, 0.95];
    const CONFIDENCES: [f64; 3] = [0.8, 0.9, 0.95];
    const TABLE_1: [u64; 6] = [972, 952, 940, 14, 11, 6];

    fn table(law: Law, rule: CountRule) -> Vec<ConfidenceCell> {
        confidence_table(&SURE_SHARES, &CONFIDENCES, 365, law, rule).unwrap().cells
    }

    fn largest(cells: &[ConfidenceCell]) -> Vec<u64> {
        cells.iter().map(|cell| cell.largest).collect()
    }

    #[test]
    fn table_1_follows_from_the_printed_law_to_within_its_rounding() {
        let strict = table(Law::Printed, CountRule::Nearest);
        assert_eq!(largest(&strict), [970, 950, 938, 13, 9, 6]);
        for (found, printed) in largest(&strict).into_iter().zip(TABLE_1) {
            assert!(found.abs_diff(printed) <= 2);
        }
        // Chances rounded as the levels are written give five of the six entries to the person; 960 stands for 952.
        let rounded: Vec<u64> = table(Law::Printed, CountRule::Up).iter().map(|cell| cell.largest_rounded).collect();
        assert_eq!(rounded, [972, 960, 940, 14, 11, 6]);
    }

    #[test]
    fn the_exact_table_allows_larger_groups_in_the_five_per_cent_column() {
        assert_eq!(largest(&table(Law::Exact, CountRule::Nearest)), [1_063, 1_047, 1_030, 13, 9, 6]);
        assert_eq!(largest(&table(Law::Exact, CountRule::Up)), [1_060, 1_040, 1_025, 13, 9, 6]);
    }

    #[test]
    fn rounding_down_lets_larger_groups_in_again_after_a_break() {
        let cells = table(Law::Exact, CountRule::Down);
        assert_eq!((cells[3].unbroken, cells[3].largest), (13, 25));
    }

    #[test]
    fn at_972_people_the_printed_law_says_three_in_four_and_the_exact_one_nearly_surely() {
        let at = |law| confidence_curve(0.05, 972, 365, law, CountRule::Nearest).unwrap()[971].probability;
        assert!((0.75..0.80).contains(&at(Law::Printed)));
        // The alternating sum in whole numbers.
        assert!((at(Law::Exact) - 0.998_792_026_761_523_8).abs() < 1e-12);
    }

    #[test]
    fn shares_and_confidences_outside_nought_to_one_are_refused() {
        let of = |share: &[f64], confidence: &[f64]| {
            confidence_table(share, confidence, 365, Law::Exact, CountRule::Up).is_err()
        };
        assert!(of(&[0.0], &[0.8]) && of(&[0.5], &[1.2]) && of(&[], &[0.8]) && of(&[0.5], &[]) && of(&[1e-5], &[0.8]));
        assert!(confidence_curve(0.05, 0, 365, Law::Exact, CountRule::Up).is_err());
    }
}
