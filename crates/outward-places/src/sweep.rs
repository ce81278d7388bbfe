//! Which threshold? What each of a list of thresholds costs, and where the cost begins to climb.
//!
//! The bend is found in a simple way. Draw the share of people whose own district is no longer published against the
//! threshold. Join the first and the last point by a straight line (the chord). The bend is the threshold that lies
//! furthest below it. Below it protection costs less than on average over the range, above it more. A bend depends on
//! the range swept; where no point lies a hundredth of the cost's rise below the chord, there is none.

use outward_report::format::{count, share};
use outward_spec::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cost::Cost;
use crate::pool::{Group, Pooling, Rule, pool};
use crate::population::Population;

/// A point must be at least this share of the cost's rise below the chord to be a bend.
const NO_BEND: f64 = 0.01;

/// What one threshold costs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ThresholdCost {
    /// The threshold.
    pub threshold: u64,
    /// Codes under it.
    pub codes_below: usize,
    /// Groups under it after pooling.
    pub below_after: usize,
    /// Groups after pooling.
    pub final_codes: usize,
    /// People published without a location.
    pub people_without_location: u64,
    /// People published under another code than their own.
    pub people_district_lost: u64,
    /// People of the smallest code that is published.
    pub smallest_group: Option<u64>,
    /// Share of people published with a location.
    pub share_with_location: f64,
    /// Share of people whose own district is no longer published.
    pub share_without_own_district: f64,
    /// Share of the information on location that is kept.
    pub information_kept: f64,
}

/// What a list of thresholds costs under one rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sweep {
    /// The rule.
    pub rule: Rule,
    /// The thresholds, rising.
    pub steps: Vec<ThresholdCost>,
    /// The threshold where the cost begins to climb, where there is one.
    pub bend: Option<u64>,
}

/// A threshold to take, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recommendation {
    /// The threshold.
    pub threshold: u64,
    /// Why, in a sentence or two.
    pub reason: String,
}

/// Pools at each threshold. The order of the list does not matter, and a threshold given twice counts once.
pub fn sweep(population: &Population, thresholds: &[u64], rule: Rule) -> Result<Sweep> {
    let mut thresholds = thresholds.to_vec();
    thresholds.sort_unstable();
    thresholds.dedup();
    if thresholds.is_empty() {
        return Err(Error::input("there are no thresholds to sweep").help("give at least one threshold").into());
    }
    let steps = thresholds.iter().map(|threshold| step(population, *threshold, rule)).collect::<Result<Vec<_>>>()?;
    let bend = bend(&steps);
    Ok(Sweep { rule, steps, bend })
}

fn step(population: &Population, threshold: u64, rule: Rule) -> Result<ThresholdCost> {
    let cost = Cost::measure(population, &pool(population, threshold, rule)?);
    let share = |people: u64| if population.people() == 0 { 0.0 } else { people as f64 / population.people() as f64 };
    Ok(ThresholdCost {
        threshold,
        codes_below: cost.below_before,
        below_after: cost.below_after,
        final_codes: cost.final_codes,
        people_without_location: cost.people_without_location,
        people_district_lost: cost.people_district_lost,
        smallest_group: cost.smallest_group,
        share_with_location: 1.0 - share(cost.people_without_location),
        share_without_own_district: share(cost.people_without_own_district()),
        information_kept: cost.information_kept,
    })
}

fn bend(steps: &[ThresholdCost]) -> Option<u64> {
    let (first, last) = (steps.first()?, steps.last()?);
    let rise = last.share_without_own_district - first.share_without_own_district;
    if rise <= 0.0 {
        return None;
    }
    let run = (last.threshold - first.threshold) as f64;
    // On axes scaled to 0..1 the chord is the diagonal, and the distance from it goes with x - y.
    let below = |step: &ThresholdCost| {
        let along = (step.threshold - first.threshold) as f64 / run;
        along - (step.share_without_own_district - first.share_without_own_district) / rise
    };
    let furthest = steps.iter().reduce(|best, step| if below(step) > below(best) { step } else { best })?;
    (below(furthest) >= NO_BEND).then_some(furthest.threshold)
}

impl Sweep {
    /// The threshold to take if at least `floor` people are required. It is the bend. If that is lower, or there is
    /// none, it is the lowest threshold of the list that is not under the floor. None if all of them are.
    pub fn recommend(&self, floor: u64) -> Option<Recommendation> {
        let lowest = self.steps.iter().find(|step| step.threshold >= floor)?;
        let bend = self.bend.filter(|bend| *bend > lowest.threshold);
        let chosen = self.steps.iter().find(|step| Some(step.threshold) == bend).unwrap_or(lowest);
        let costs = format!(
            "at {}, {} of people lose their own district, {} have no location, and {} of the information on location is \
             kept",
            count(chosen.threshold),
            share(chosen.share_without_own_district),
            share(1.0 - chosen.share_with_location),
            share(chosen.information_kept),
        );
        let why = match (bend, self.bend) {
            (Some(_), _) => {
                let (before, after) = (self.slope(true, chosen), self.slope(false, chosen));
                format!(
                    "up to here each further 1,000 people cost {before:.2} % of people their own district, from here on \
                     {after:.2} %"
                )
            }
            (None, Some(bend)) if bend < lowest.threshold => format!(
                "the cost begins to climb at {}, below the {} asked for, so the lowest threshold from there on is the \
                 cheapest",
                count(bend),
                count(floor)
            ),
            (None, Some(_)) => "it is the lowest one asked for, and the cost begins to climb here".to_owned(),
            (None, None) => "the cost rises evenly, so the lowest threshold asked for is the cheapest".to_owned(),
        };
        Some(Recommendation { threshold: chosen.threshold, reason: format!("{why}; {costs}") })
    }

    /// Per cent of people who lose their own district for each 1,000 the threshold rises, before or after a step.
    fn slope(&self, before: bool, at: &ThresholdCost) -> f64 {
        let end = if before { self.steps.first() } else { self.steps.last() }.unwrap_or(at);
        let run = at.threshold as f64 - end.threshold as f64;
        100_000.0 * (at.share_without_own_district - end.share_without_own_district) / run
    }
}

/// What a lower threshold does for the pools that the UK rule leaves under the threshold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rescue {
    /// The threshold.
    pub threshold: u64,
    /// The lower threshold.
    pub lower: u64,
    /// The pools left under the threshold, and their people.
    pub left: Vec<(String, u64)>,
    /// Of these, the ones that have at least the lower threshold.
    pub rescued: Vec<(String, u64)>,
    /// The pools left under the lower threshold if everything is pooled anew at it.
    pub left_anew: Vec<(String, u64)>,
    /// Of these, the ones that were not left before: codes of their own at the lower threshold leave the pool behind.
    pub fallen: Vec<(String, u64)>,
}

/// The pools the UK rule leaves under `threshold`: which of them reach `lower`, and what pooling anew at it would leave.
pub fn rescued_by(population: &Population, threshold: u64, lower: u64) -> Result<Rescue> {
    if lower > threshold {
        let help = "to rescue codes, lower the threshold";
        return Err(Error::input("the other threshold is not lower").help(help).into());
    }
    let name = |group: &Group| (group.code.clone(), group.population);
    let left = |pooling: &Pooling| pooling.left().map(name).collect::<Vec<_>>();
    let before = left(&pool(population, threshold, Rule::Uk)?);
    let left_anew = left(&pool(population, lower, Rule::Uk)?);
    let rescued = before.iter().filter(|(_, people)| *people >= lower).cloned().collect();
    let fallen = left_anew.iter().filter(|(code, _)| before.iter().all(|(old, _)| old != code)).cloned().collect();
    Ok(Rescue { threshold, lower, left: before, rescued, left_anew, fallen })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::population::Place;

    fn codes(sizes: impl IntoIterator<Item = u64>) -> Population {
        let place = |(at, population)| Place {
            code: format!("SM{at}"),
            area: "SM".into(),
            population,
            nation: None,
            at: None,
            row: 0,
        };
        Population::new((1..).zip(sizes).map(place).collect()).unwrap()
    }

    fn step(threshold: u64, share: f64) -> ThresholdCost {
        ThresholdCost {
            threshold,
            codes_below: 0,
            below_after: 0,
            final_codes: 0,
            people_without_location: 0,
            people_district_lost: 0,
            smallest_group: None,
            share_with_location: 1.0,
            share_without_own_district: share,
            information_kept: 1.0,
        }
    }

    #[test]
    fn the_bend_lies_furthest_below_the_chord() {
        let bent = [step(10, 0.0), step(20, 0.05), step(30, 0.1), step(40, 0.5), step(50, 0.9)];
        assert_eq!(bend(&bent), Some(30));
        let straight = [step(10, 0.1), step(20, 0.2), step(30, 0.3)];
        assert_eq!(bend(&straight), None);
        let dear_at_first = [step(10, 0.1), step(20, 0.8), step(30, 0.9)];
        assert_eq!(bend(&dear_at_first), None);
        assert_eq!(bend(&[step(10, 0.1)]), None);
        assert_eq!(bend(&[step(10, 0.1), step(20, 0.1)]), None);
    }

    #[test]
    fn a_recommendation_is_never_under_the_floor() {
        let steps = vec![step(10, 0.0), step(20, 0.05), step(30, 0.1), step(40, 0.5), step(50, 0.9)];
        let sweep = Sweep { rule: Rule::Uk, steps, bend: Some(30) };
        assert_eq!(sweep.recommend(15).unwrap().threshold, 30);
        assert_eq!(sweep.recommend(30).unwrap().threshold, 30);
        let high = sweep.recommend(35).unwrap();
        assert_eq!(high.threshold, 40);
        assert!(high.reason.contains("begins to climb at 30, below the 35 asked for"), "{}", high.reason);
        assert_eq!(sweep.recommend(51), None);
    }

    #[test]
    fn a_higher_threshold_never_leaves_more_codes_nor_more_information() {
        let sweep = sweep(&codes([3, 5, 8, 13, 21, 34, 55, 89]), &[50, 10, 30, 10, 20], Rule::UkResidual).unwrap();
        assert_eq!(sweep.steps.iter().map(|s| s.threshold).collect::<Vec<_>>(), [10, 20, 30, 50]);
        for pair in sweep.steps.windows(2) {
            assert!(pair[0].final_codes >= pair[1].final_codes);
            assert!(pair[0].information_kept >= pair[1].information_kept);
        }
        assert!(sweep.steps.iter().all(|step| step.smallest_group >= Some(step.threshold)));
    }

    #[test]
    fn a_lower_threshold_can_leave_a_pool_behind_that_was_safe() {
        let rescue = rescued_by(&codes([16, 8, 40]), 20, 15).unwrap();
        assert!(rescue.left.is_empty() && rescue.rescued.is_empty());
        assert_eq!(rescue.fallen, [("SM00".to_owned(), 8)]);
        let rescue = rescued_by(&codes([16, 40]), 20, 15).unwrap();
        assert_eq!((rescue.left.len(), rescue.rescued.len(), rescue.left_anew.len()), (1, 1, 0));
        assert!(rescued_by(&codes([16, 40]), 20, 21).is_err());
    }
}
