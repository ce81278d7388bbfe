//! A study of a population table: the result of a rule, what the others would cost, and which threshold to take. It is
//! what `outward places pool` prints.

use std::collections::BTreeMap;

use outward_spec::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cost::{Cost, costs};
use crate::headcounts::{CountedPopulation, System};
use crate::mapping::Mapping;
use crate::pool::{Difference, Group, Pooling, Reason, Rule, differences, pool};
use crate::population::Population;
use crate::sweep::{Recommendation, Rescue, Sweep, rescued_by, sweep};

/// The fewest codes, and the fewest thresholds, for which a curve is drawn.
const FEWEST_CODES: usize = 20;
const FEWEST_STEPS: usize = 5;
/// The paper asks what a threshold a quarter lower would do.
const A_QUARTER_LOWER: f64 = 0.75;

/// What a rule makes of a population table, beside the other rules and other thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Study {
    /// The source, as the user calls it.
    pub source: String,
    /// What its codes are.
    pub system: System,
    /// The rule.
    pub rule: Rule,
    /// The people a published code must stand for.
    pub threshold: u64,
    /// Codes in the table.
    pub codes: usize,
    /// People in the table.
    pub people: u64,
    /// Mean people per code.
    pub mean: f64,
    /// Median people per code.
    pub median: f64,
    /// People of the largest code.
    pub largest: u64,
    /// Mean people per whole postcode or ZIP code, where the table has those.
    pub mean_per_unit: Option<f64>,
    /// Codes under the threshold.
    pub below_before: usize,
    /// Groups under the threshold after pooling; they lose their location.
    pub below_after: usize,
    /// Groups there are after pooling, those under the threshold included.
    pub final_codes: usize,
    /// Pooled groups larger than the largest code was.
    pub above_former_largest: usize,
    /// People published without a location.
    pub people_without_location: u64,
    /// People to be left out: even all that have no location are too few.
    pub people_withheld: u64,
    /// Areas whose people are fewer than the threshold all together. They can have no location under any rule.
    pub areas_below: Vec<String>,
    /// SHA-256 of the population table.
    pub population_table: String,
    /// Codes and people by nation, where the table says the nation.
    pub nations: Vec<Nation>,
    /// Groups that are more than a code published under its own name.
    pub pools: Vec<Pool>,
    /// ZIP codes only: the prefixes that may not be published.
    pub restricted: Vec<String>,
    /// What each rule costs; the neighbour rule only where there are coordinates.
    pub costs: Vec<Cost>,
    /// What other thresholds cost under this rule.
    pub sweep: Sweep,
    /// The threshold to take, and why.
    pub recommendation: Option<Recommendation>,
    /// What a threshold a quarter lower does for the pools the UK rule leaves under the threshold. Postcodes only.
    pub rescue: Option<Rescue>,
    /// Groups under the threshold that follow by subtraction from this pooling and an earlier one, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differences: Option<Vec<Difference>>,
    /// People of each code, before and after, for the histograms.
    #[serde(skip)]
    pub before: Vec<u64>,
    /// People of each group after pooling.
    #[serde(skip)]
    pub after: Vec<u64>,
}

/// Codes and people of a nation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Nation {
    /// Its name; none for codes without one.
    pub name: Option<String>,
    /// Its codes.
    pub codes: usize,
    /// Its people.
    pub people: u64,
}

/// Codes that were put together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pool {
    /// The name the rule gave the group.
    pub code: String,
    /// What is published: the same, or `*` for no location.
    pub published: String,
    /// Its people.
    pub population: u64,
    /// Its codes.
    pub members: Vec<String>,
}

impl From<&Group> for Pool {
    fn from(group: &Group) -> Self {
        let Group { code, published, population, members, .. } = group.clone();
        Self { code, published, population, members }
    }
}

/// Studies a population table. `thresholds` are those to sweep beside the chosen one; a range around it where there are
/// none. `earlier` is the mapping of a release that is out already.
pub fn study(
    source: &str,
    counted: &CountedPopulation,
    rule: Rule,
    threshold: u64,
    thresholds: &[u64],
    earlier: Option<&Mapping>,
) -> Result<(Study, Pooling)> {
    let CountedPopulation { system, population, .. } = counted;
    if *system == System::Zips && rule != Rule::Us {
        let what = format!("the rule `{rule}` is for postcodes, and these are ZIP codes");
        return Err(Error::input(what).help("say --rule us").into());
    }
    let pooling = pool(population, threshold, rule)?;
    let mut swept: Vec<u64> = if thresholds.is_empty() { thresholds_around(threshold) } else { thresholds.to_vec() };
    swept.push(threshold);
    let sweep = sweep(population, &swept, rule)?;
    let meaningful = population.len() >= FEWEST_CODES && sweep.steps.len() >= FEWEST_STEPS;
    let largest = population.largest();
    let study = Study {
        source: source.to_owned(),
        system: *system,
        rule,
        threshold,
        codes: population.len(),
        people: population.people(),
        mean: population.mean(),
        median: population.median(),
        largest,
        mean_per_unit: counted.mean_per_unit,
        below_before: pooling.below_before(),
        below_after: pooling.below_after(),
        final_codes: pooling.final_codes(),
        above_former_largest: pooling.pools().filter(|group| group.population > largest).count(),
        people_without_location: pooling.people_without_location(),
        people_withheld: pooling.people_withheld(),
        population_table: pooling.population_table.clone(),
        nations: nations(population),
        pools: pooling.pools().map(Pool::from).collect(),
        restricted: match system {
            System::Zips => restricted(&pooling),
            System::Postcodes => Vec::new(),
        },
        costs: costs(population, threshold, &rules(*system, population))?,
        recommendation: sweep.recommend(threshold).filter(|_| meaningful),
        differences: match earlier {
            Some(earlier) => Some(differences(&pooling, &Pooling::of_mapping(earlier, population)?)?),
            None => None,
        },
        areas_below: match system {
            System::Postcodes => areas_below(population, threshold),
            System::Zips => Vec::new(),
        },
        rescue: match system {
            System::Zips => None,
            System::Postcodes => {
                Some(rescued_by(population, threshold, (threshold as f64 * A_QUARTER_LOWER).ceil() as u64)?)
            }
        },
        before: population.places().iter().map(|place| place.population).collect(),
        after: pooling.groups.iter().map(|group| group.population).collect(),
        sweep,
    };
    Ok((study, pooling))
}

/// The rules a table can be pooled by.
fn rules(system: System, population: &Population) -> Vec<Rule> {
    let located = population.places().iter().all(|place| place.at.is_some());
    match system {
        System::Zips => vec![Rule::Us],
        System::Postcodes => Rule::ALL.into_iter().filter(|rule| *rule != Rule::Neighbour || located).collect(),
    }
}

/// A twentieth of the threshold to two and a half times, in steps of a twentieth up to it and a quarter beyond.
fn thresholds_around(threshold: u64) -> Vec<u64> {
    let twentieths = (1..=20).chain((25..=50).step_by(5));
    twentieths
        .map(|n: u64| (u128::from(threshold) * u128::from(n) / 20).clamp(1, u128::from(u64::MAX)) as u64)
        .collect()
}

fn areas_below(population: &Population, threshold: u64) -> Vec<String> {
    let mut areas: BTreeMap<&str, u64> = BTreeMap::new();
    for place in population.places() {
        *areas.entry(&place.area).or_default() += place.population;
    }
    areas.into_iter().filter(|(_, people)| *people < threshold).map(|(area, _)| area.to_owned()).collect()
}

fn restricted(pooling: &Pooling) -> Vec<String> {
    pooling.assignments.iter().filter(|code| code.reason != Reason::Kept).map(|code| code.code.clone()).collect()
}

fn nations(population: &Population) -> Vec<Nation> {
    let nations = population.by_nation();
    if nations.keys().all(Option::is_none) {
        return Vec::new();
    }
    let nation =
        |(name, (codes, people)): (Option<&str>, (usize, u64))| Nation { name: name.map(str::to_owned), codes, people };
    nations.into_iter().map(nation).collect()
}
