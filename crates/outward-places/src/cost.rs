//! What a rule costs: how many people lose their location, and how much information on location is kept.
//!
//! Information is the Shannon entropy of the published code of a person drawn at random, −Σ p log₂ p over the shares p
//! of people with each code; `*` and `000` are codes like any other. A published code follows from the true one, so
//! this entropy is also the information the published code carries about the true one.

use std::collections::BTreeMap;

use outward_spec::Result;
use schemars::JsonSchema;
use serde::Serialize;

use crate::pool::{NATIONAL_POOL, Pooling, Rule, pool};
use crate::population::{NO_LOCATION, Place, Point, Population};

/// What one rule costs at one threshold.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cost {
    /// The rule.
    pub rule: Rule,
    /// The threshold.
    pub threshold: u64,
    /// Codes under the threshold before.
    pub below_before: usize,
    /// Groups under it after; they have no location.
    pub below_after: usize,
    /// Groups after pooling.
    pub final_codes: usize,
    /// People published without a location: `*`, or the national pool.
    pub people_without_location: u64,
    /// Of these, people to be left out, as they are too few even so.
    pub people_withheld: u64,
    /// People published under another code than their own, those without a location included.
    pub people_district_lost: u64,
    /// People published under their own code, which now stands for other codes too.
    pub people_district_shared: u64,
    /// People of the smallest code that is published and not withheld.
    pub smallest_group: Option<u64>,
    /// People of the largest code that is published.
    pub largest_group: u64,
    /// Entropy of the codes before, in bits.
    pub bits_before: f64,
    /// Entropy of the published codes, in bits.
    pub bits: f64,
    /// The share of it that is kept.
    pub information_kept: f64,
    /// Mean distance of a person's own code from the middle of the published one, over people with a location. Only if
    /// all codes have coordinates.
    pub mean_distance: Option<f64>,
}

impl Cost {
    /// The cost of a pooling of this table.
    pub fn measure(population: &Population, pooling: &Pooling) -> Self {
        let published = pooling.published();
        let withheld = pooling.people_withheld();
        let shown = |code: &str| code != NO_LOCATION || withheld == 0;
        let bits_before = entropy(population.places().iter().map(|place| place.population));
        let bits = entropy(published.values().copied());
        let shared: Vec<_> = pooling.groups.iter().filter(|g| g.members.len() > 1).map(|g| g.code.as_str()).collect();
        let own = |code: &str| shared.binary_search(&code).is_ok();
        Self {
            rule: pooling.rule,
            threshold: pooling.threshold,
            below_before: pooling.below_before(),
            below_after: pooling.below_after(),
            final_codes: pooling.final_codes(),
            people_without_location: pooling.people_without_location(),
            people_withheld: withheld,
            people_district_lost: pooling.people(|code| code.published != code.code),
            people_district_shared: pooling.people(|code| code.published == code.code && own(&code.code)),
            smallest_group: published.iter().filter(|(code, _)| shown(code)).map(|(_, people)| *people).min(),
            largest_group: published.values().copied().max().unwrap_or(0),
            bits_before,
            bits,
            information_kept: if bits_before > 0.0 { bits / bits_before } else { 1.0 },
            // The national pool has no position and all other codes keep theirs, so a mean distance would make the rule
            // look better than it is.
            mean_distance: mean_distance(population, pooling).filter(|_| pooling.rule != Rule::Us),
        }
    }

    /// People whose own district is no longer published: lost, or shared.
    pub fn people_without_own_district(&self) -> u64 {
        self.people_district_lost + self.people_district_shared
    }
}

/// The costs of rules side by side, in the order given.
pub fn costs(population: &Population, threshold: u64, rules: &[Rule]) -> Result<Vec<Cost>> {
    rules.iter().map(|rule| Ok(Cost::measure(population, &pool(population, threshold, *rule)?))).collect()
}

fn entropy(people: impl Iterator<Item = u64> + Clone) -> f64 {
    let all = people.clone().sum::<u64>() as f64;
    let bits: f64 = people.filter(|n| *n > 0).map(|n| n as f64 / all).map(|share| -share * share.log2()).sum();
    // A single code sums to minus nothing.
    bits.max(0.0)
}

fn mean_distance(population: &Population, pooling: &Pooling) -> Option<f64> {
    let mut groups: BTreeMap<&str, Vec<(Point, u64)>> = BTreeMap::new();
    for (place, code) in population.places().iter().zip(&pooling.assignments) {
        if has_location(place, &code.published, pooling.rule) {
            groups.entry(&code.published).or_default().push((place.at?, place.population));
        }
    }
    let (mut far, mut people) = (0.0, 0u64);
    for codes in groups.values() {
        let middle = Point::mean(codes.iter().copied())?;
        for (at, n) in codes {
            far += at.distance(middle) * *n as f64;
            people += n;
        }
    }
    (people > 0).then(|| far / people as f64)
}

fn has_location(place: &Place, published: &str, rule: Rule) -> bool {
    place.code != NO_LOCATION && published != NO_LOCATION && !(rule == Rule::Us && published == NATIONAL_POOL)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn on_a_line() -> Population {
        let codes = [("SM1", 40, 0.0), ("SM2", 20, 3.0), ("SM3", 10, 4.0), ("SM4", 10, 8.0)];
        let place = |(code, population, easting): (&str, u64, f64)| Place {
            code: code.into(),
            area: "SM".into(),
            population,
            nation: None,
            at: Some(Point { easting, northing: 0.0 }),
            row: 0,
        };
        Population::new(codes.map(place).into()).unwrap()
    }

    // Shares 1/2, 1/4, 1/8, 1/8 carry 1.75 bits; with the eighths pooled 1/2, 1/4, 1/4 carry 1.5.
    #[test]
    fn information_kept_is_that_of_the_shares_by_hand() {
        let cost = &costs(&on_a_line(), 20, &[Rule::Uk]).unwrap()[0];
        assert_eq!((cost.bits_before, cost.bits), (1.75, 1.5));
        assert_eq!(cost.information_kept, 1.5 / 1.75);
        // SM3 and SM4 lie 2 from their middle at 6: 20 of 80 people, so 0.5 a head.
        assert_eq!(cost.mean_distance, Some(0.5));
        assert_eq!((cost.people_district_lost, cost.people_district_shared), (20, 0));
    }

    #[test]
    fn a_code_that_takes_in_a_residual_shares_its_district() {
        let one = Population::new(on_a_line().places()[1..3].to_vec()).unwrap();
        let cost = &costs(&one, 15, &[Rule::UkResidual]).unwrap()[0];
        assert_eq!((cost.people_district_lost, cost.people_district_shared), (10, 20));
        assert_eq!((cost.people_without_own_district(), cost.bits, cost.final_codes), (30, 0.0, 1));
    }

    #[test]
    fn the_national_pool_has_no_location() {
        let cost = &costs(&on_a_line(), 11, &[Rule::Us]).unwrap()[0];
        assert_eq!((cost.people_without_location, cost.final_codes, cost.mean_distance), (20, 3, None));
    }

    #[test]
    fn withheld_people_are_no_group_that_is_published() {
        let small = Place { code: "TD1".into(), area: "TD".into(), population: 5, ..on_a_line().places()[0].clone() };
        let mut places = on_a_line().places().to_vec();
        places.push(small);
        let cost = &costs(&Population::new(places).unwrap(), 10, &[Rule::UkResidual]).unwrap()[0];
        assert_eq!((cost.people_withheld, cost.smallest_group, cost.below_after), (5, Some(10), 1));
    }
}
