//! Pooling: codes with too few people are published under a code that more people share.
//!
//! Four rules. [`Rule::Us`] is that of the HIPAA Safe Harbor (45 CFR 164.514(b)(2)(i)(B)): one pool for the nation.
//! [`Rule::Uk`] is the first step, and [`Rule::UkResidual`] the proposed second one, of Collins, *US Style Postcode
//! Privacy in the UK*: a pool for each area. [`Rule::Neighbour`] is ours: small codes join the nearest ones of their area.
//!
//! All of them keep three promises. Codes of two areas are never pooled, except without a location. Nobody is lost. No
//! code is published that stands for fewer people than the threshold. Groups that cannot reach the threshold are
//! published together without a location ([`NO_LOCATION`]). If even these are too few people, they are marked as
//! withheld.

mod area;
mod differences;
mod national;
mod neighbour;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use outward_spec::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::differences::{Difference, differences};
pub use self::national::NATIONAL_POOL;
use crate::mapping::Mapping;
use crate::population::{NO_LOCATION, Place, Point, Population};

/// How codes under the threshold are pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// All of them in one national pool, `000`.
    Us,
    /// Those of an area in one pool, `SM00`; a pool still under the threshold loses its location.
    Uk,
    /// The same, but a pool still under the threshold joins a code of its area.
    UkResidual,
    /// Each with its nearest codes in the same area.
    Neighbour,
}

impl Rule {
    /// All rules, in the order they are compared in.
    pub const ALL: [Self; 4] = [Self::Us, Self::Uk, Self::UkResidual, Self::Neighbour];

    /// The rule's name in specs, files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Us => "us",
            Self::Uk => "uk",
            Self::UkResidual => "uk-residual",
            Self::Neighbour => "neighbour",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| {
            let names = Self::ALL.iter().map(|rule| rule.name());
            Error::input("the rule is not known").help(outward_spec::suggest(name, names, "rules")).into()
        })
    }
}

/// Why a code is published as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It is published under its own name.
    Kept,
    /// It is under the threshold and went into the pool of its area or nation.
    Pooled,
    /// The pool of its area was under the threshold and joined another code.
    Residual,
    /// It is in a group of neighbours.
    Neighbour,
    /// It is in a group that did not reach the threshold with a location; all of these together reach it.
    NoLocation,
    /// It is in a group that did not reach the threshold, and nor do all of these together. Even without a location its
    /// people are too few, and should be left out.
    Withheld,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 6] =
        [Self::Kept, Self::Pooled, Self::Residual, Self::Neighbour, Self::NoLocation, Self::Withheld];

    /// The reason's word in a mapping file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Pooled => "pooled",
            Self::Residual => "residual",
            Self::Neighbour => "neighbour",
            Self::NoLocation => "no-location",
            Self::Withheld => "withheld",
        }
    }
}

/// Codes that a rule put together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Group {
    /// The name the rule gave the group: `SM1`, `SM00`, `SM1+2`, `000`.
    pub code: String,
    /// What is published: the same name, or `*` if the group did not reach the threshold.
    pub published: String,
    /// Its area, where all its codes are of one.
    pub area: Option<String>,
    /// Its people.
    pub population: u64,
    /// Its codes, in order.
    pub members: Vec<String>,
}

impl Group {
    /// Whether the group is more than a code published under its own name.
    pub fn is_pool(&self) -> bool {
        self.members.len() != 1 || self.members[0] != self.published
    }
}

/// What happens to one code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Assignment {
    /// The code.
    pub code: String,
    /// Its people.
    pub population: u64,
    /// What is published instead.
    pub published: String,
    /// Why.
    pub reason: Reason,
}

/// What a rule makes of a population table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pooling {
    /// The rule.
    pub rule: Rule,
    /// The people a published code must stand for.
    pub threshold: u64,
    /// SHA-256 of the population table, see [`Population::hash`].
    pub population_table: String,
    /// The groups, in the order of their names.
    pub groups: Vec<Group>,
    /// What happens to each code, in the order of the codes.
    pub assignments: Vec<Assignment>,
}

impl Pooling {
    /// What an earlier mapping made of the same population table.
    pub fn of_mapping(mapping: &Mapping, population: &Population) -> Result<Self> {
        if mapping.population_table != population.hash() {
            return Err(Error::input("the earlier mapping was made from another population table")
                .help("pool both from one table; with two tables it is not known what the difference would be")
                .into());
        }
        let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
        let mut assignments = Vec::with_capacity(population.len());
        // The hash says that both have the same codes, and both are in the order of the codes.
        for (place, entry) in population.places().iter().zip(mapping.entries()) {
            let group = groups.entry(&entry.published).or_insert_with(|| Group {
                code: entry.published.clone(),
                published: entry.published.clone(),
                area: Some(place.area.clone()),
                population: 0,
                members: Vec::new(),
            });
            group.population += place.population;
            group.area = group.area.take().filter(|area| *area == place.area);
            group.members.push(place.code.clone());
            assignments.push(Assignment {
                code: place.code.clone(),
                population: place.population,
                published: entry.published.clone(),
                reason: entry.reason,
            });
        }
        Ok(Self {
            rule: mapping.rule,
            threshold: mapping.threshold,
            population_table: mapping.population_table.clone(),
            groups: groups.into_values().collect(),
            assignments,
        })
    }

    /// Codes under the threshold before pooling.
    pub fn below_before(&self) -> usize {
        self.assignments.iter().filter(|code| code.population < self.threshold).count()
    }

    /// The groups the rule left under the threshold. They are published without a location.
    pub fn left(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.population < self.threshold)
    }

    /// Groups under the threshold after pooling.
    pub fn below_after(&self) -> usize {
        self.left().count()
    }

    /// Groups there are after pooling, also those left under the threshold.
    pub fn final_codes(&self) -> usize {
        self.groups.len()
    }

    /// The groups that are more than a code published under its own name.
    pub fn pools(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.is_pool())
    }

    /// The people of each code that is published, `*` among them.
    pub fn published(&self) -> BTreeMap<&str, u64> {
        let mut people = BTreeMap::new();
        for group in &self.groups {
            *people.entry(group.published.as_str()).or_insert(0) += group.population;
        }
        people
    }

    /// The people of the codes that satisfy a condition.
    pub(crate) fn people(&self, of: impl Fn(&Assignment) -> bool) -> u64 {
        self.assignments.iter().filter(|code| of(code)).map(|code| code.population).sum()
    }

    /// People without a location: those of `*`, and of the national pool.
    pub fn people_without_location(&self) -> u64 {
        let national = self.rule == Rule::Us;
        self.people(|code| code.published == NO_LOCATION || national && code.published == NATIONAL_POOL)
    }

    /// People who should be left out, as even all that have no location are fewer than the threshold.
    pub fn people_withheld(&self) -> u64 {
        self.people(|code| code.reason == Reason::Withheld)
    }

    /// The population table of the published codes. Pooling it again changes nothing.
    pub fn population(&self, before: &Population) -> Result<Population> {
        let area = |group: &Group| group.area.clone().filter(|_| group.published != NO_LOCATION);
        let areas: BTreeMap<_, _> = self.groups.iter().map(|group| (group.published.as_str(), area(group))).collect();
        let parts = before.places().iter().zip(&self.assignments).map(|(place, code)| Place {
            code: code.published.clone(),
            area: areas.get(code.published.as_str()).cloned().flatten().unwrap_or_else(|| code.published.clone()),
            ..place.clone()
        });
        Population::add_up(parts.collect())
    }
}

/// Pools the codes of a population table so that every published code stands for at least `threshold` people.
pub fn pool(population: &Population, threshold: u64, rule: Rule) -> Result<Pooling> {
    if threshold == 0 {
        return Err(Error::input("the threshold is 0").help("say how many people a code must represent").into());
    }
    let scene = PoolingInput::new(population, threshold);
    let mut drafts = match rule {
        Rule::Us => national::pool(&scene),
        Rule::Uk => area::pool(&scene),
        Rule::UkResidual => area::pool_residual(&scene),
        Rule::Neighbour => neighbour::pool(&scene)?,
    };
    let nowhere = population.places().iter().position(|place| place.code == NO_LOCATION);
    drafts.extend(nowhere.map(|at| Draft::nowhere(vec![at])));
    scene.finish(drafts, rule)
}

/// What the rules work on: the table, the threshold, and the codes of each area by their index in the table.
struct PoolingInput<'a> {
    places: &'a [Place],
    threshold: u64,
    population: &'a Population,
    areas: BTreeMap<&'a str, Vec<usize>>,
}

/// A group in the making.
struct Draft {
    code: String,
    located: bool,
    members: Vec<(usize, Reason)>,
}

impl Draft {
    fn new(code: impl Into<String>, members: Vec<usize>, reason: Reason) -> Self {
        Self { code: code.into(), located: true, members: members.into_iter().map(|at| (at, reason)).collect() }
    }

    fn nowhere(members: Vec<usize>) -> Self {
        Self { located: false, ..Self::new(NO_LOCATION, members, Reason::NoLocation) }
    }
}

impl<'a> PoolingInput<'a> {
    fn new(population: &'a Population, threshold: u64) -> Self {
        let mut areas: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, place) in population.places().iter().enumerate() {
            if place.code != NO_LOCATION {
                areas.entry(&place.area).or_default().push(at);
            }
        }
        Self { places: population.places(), threshold, population, areas }
    }

    fn people(&self, codes: &[usize]) -> u64 {
        codes.iter().map(|at| self.places[*at].population).sum()
    }

    fn is_small(&self, code: usize) -> bool {
        self.places[code].population < self.threshold
    }

    fn kept(&self, code: usize) -> Draft {
        Draft::new(&self.places[code].code, vec![code], Reason::Kept)
    }

    /// Where codes lie together; nothing unless each of them has a point.
    fn middle(&self, codes: &[usize]) -> Option<Point> {
        let points: Option<Vec<_>> =
            codes.iter().map(|at| Some((self.places[*at].at?, self.places[*at].population))).collect();
        Point::mean(points?.into_iter())
    }

    /// Small codes, which go into the pool `name`, and the others, which stay. A code that has the pool's name already
    /// goes with the small ones, so that the name stands for one group.
    fn split(&self, codes: &[usize], name: &str) -> (Vec<usize>, Vec<usize>) {
        let (small, large): (Vec<_>, Vec<_>) = codes.iter().partition(|at| self.is_small(**at));
        if small.is_empty() {
            return (small, large);
        }
        codes.iter().partition(|at| self.is_small(**at) || self.places[**at].code == name)
    }

    fn finish(&self, drafts: Vec<Draft>, rule: Rule) -> Result<Pooling> {
        let mut drafts = together(drafts);
        drafts.sort_by(|a, b| a.code.cmp(&b.code));
        self.check_names(&drafts)?;
        let codes = |draft: &Draft| draft.members.iter().map(|(at, _)| *at).collect::<Vec<_>>();
        let nowhere: u64 = drafts.iter().filter(|d| !d.located).map(|d| self.people(&codes(d))).sum();
        let no_location = if nowhere < self.threshold { Reason::Withheld } else { Reason::NoLocation };
        let mut assigned = vec![(String::new(), Reason::Kept); self.places.len()];
        let mut groups = Vec::with_capacity(drafts.len());
        for mut draft in drafts {
            draft.members.sort_unstable();
            let published = if draft.located { draft.code.clone() } else { NO_LOCATION.to_owned() };
            for (at, reason) in &draft.members {
                assigned[*at] = (published.clone(), if draft.located { *reason } else { no_location });
            }
            groups.push(self.group(draft.code.clone(), published, &codes(&draft)));
        }
        let assignments = self.places.iter().zip(assigned).map(|(place, (published, reason))| Assignment {
            code: place.code.clone(),
            population: place.population,
            published,
            reason,
        });
        let population_table = self.population.hash();
        let pooling =
            Pooling { rule, threshold: self.threshold, population_table, groups, assignments: assignments.collect() };
        pooling.check()?;
        Ok(pooling)
    }

    fn group(&self, code: String, published: String, members: &[usize]) -> Group {
        let mut areas: Vec<_> = members.iter().map(|at| &self.places[*at].area).collect();
        areas.dedup();
        Group {
            code,
            published,
            area: if let [one] = areas[..] { Some(one.clone()) } else { None },
            population: self.people(members),
            members: members.iter().map(|at| self.places[*at].code.clone()).collect(),
        }
    }

    /// A group's name must not be that of another group, nor that of a code outside it.
    fn check_names(&self, drafts: &[Draft]) -> Result<()> {
        let taken = drafts.iter().find_map(|draft| {
            let place = self.population.place(&draft.code)?;
            draft.members.iter().all(|(at, _)| self.places[*at].code != draft.code).then_some(place)
        });
        if let Some(place) = taken {
            let what = "the code has the name that a pool of other codes would get";
            return Err(Error::input(what).row(place.row).help("leave the code out, or correct its area").into());
        }
        if drafts.windows(2).any(|pair| pair[0].code == pair[1].code) {
            let help = "check the areas: one may end in the digits that name a pool";
            return Err(Error::input("two pools would get the same name").help(help).into());
        }
        Ok(())
    }
}

/// All drafts without a name of their own in one.
fn together(drafts: Vec<Draft>) -> Vec<Draft> {
    let (nowhere, mut drafts): (Vec<_>, Vec<_>) = drafts.into_iter().partition(|draft| draft.code == NO_LOCATION);
    let members: Vec<_> = nowhere.into_iter().flat_map(|draft| draft.members).map(|(at, _)| at).collect();
    if !members.is_empty() {
        drafts.push(Draft::nowhere(members));
    }
    drafts
}

impl Pooling {
    /// Checks the promise of this file on the result.
    fn check(&self) -> Result<()> {
        let mut members: Vec<_> = self.groups.iter().flat_map(|group| &group.members).collect();
        members.sort_unstable();
        if !members.into_iter().eq(self.assignments.iter().map(|code| &code.code)) {
            return Err(Error::bug("pooling lost a code or counted one twice"));
        }
        let small = self.left().any(|group| group.published != NO_LOCATION);
        if small { Err(Error::bug("pooling would publish a code under the threshold")) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
