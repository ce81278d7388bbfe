//! Suppression under wildcards as a covering problem.
//!
//! Every combination below k is a demand for so many more records that support it. A unit below k can meet its own
//! demands by one of its cures. A record that loses the keys of a cure also supports every demand that agrees with it
//! on the other keys, as long as both have most keys. Demands that agree on the keys left are one group, and all cures
//! that leave those keys share it.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::cures::{self, Needs};
use super::lists::Lists;
use super::recount::{has_most, supports};
use super::units::{UnitSuppression, Units};
use super::{Blanks, Problem, prices};
use crate::packing::{Packed, masked};

/// The covering problem. *Donors* are the units below k, *offers* their cures.
#[derive(Debug)]
pub(super) struct Cover {
    /// For each donor how many records it has.
    pub(super) size: Vec<u64>,
    /// For each donor the demands it has itself.
    pub(super) claims: Lists,
    /// For each donor the demands that it supports without losing a value.
    pub(super) near: Lists,
    /// For each donor its offers, cheapest first.
    pub(super) offers: Lists,
    /// For each offer the donor, the keys lost and their cost.
    pub(super) donor: Vec<u32>,
    pub(super) mask: Vec<u64>,
    pub(super) cost: Vec<f64>,
    /// For each offer the groups it counts for.
    pub(super) groups: Lists,
    /// For each group its demands, and for each demand its groups.
    pub(super) members: Lists,
    pub(super) groups_of: Lists,
    /// For each demand how many supporting records it wants.
    pub(super) wanted: Vec<u64>,
    /// For each demand the keys of its constraint.
    pub(super) keys: Vec<u64>,
}

/// What is suppressed, and a lower bound on the cost of every choice.
#[derive(Debug)]
pub(super) struct CoverSolution {
    pub(super) picks: Vec<UnitSuppression>,
    pub(super) lower_bound: f64,
}

/// Chooses wildcard cells so that every unit has its k supporting records. This holds as long as no unit that supported
/// others comes to lack most keys. None if all units have their k.
pub(super) fn blank<const W: usize>(problem: &Problem<'_>, units: &Units<W>) -> Option<CoverSolution> {
    let needs = cures::find(problem, units);
    if needs.units.is_empty() {
        return None;
    }
    let cheapest = problem.request.importance.iter().copied().fold(f64::INFINITY, f64::min);
    if problem.request.blanks == Blanks::Own {
        return Some(alone(problem, units, &needs, cheapest));
    }
    let cover = Cover::new(problem, units, &needs);
    let priced = prices::solve(&cover);
    let pick = |offer: &u32| UnitSuppression {
        unit: needs.units[cover.donor[*offer as usize] as usize],
        mask: cover.mask[*offer as usize],
        records: 1,
    };
    Some(CoverSolution {
        picks: priced.offers.iter().map(pick).collect(),
        lower_bound: if needs.all { whole_steps(problem, priced.lower_bound) } else { cheapest },
    })
}

/// Every record below k takes its own cheapest cure.
fn alone<const W: usize>(problem: &Problem<'_>, units: &Units<W>, needs: &Needs, cheapest: f64) -> CoverSolution {
    let picks: Vec<UnitSuppression> = needs
        .units
        .iter()
        .zip(&needs.cures)
        .map(|(unit, cures)| UnitSuppression { unit: *unit, mask: cures[0], records: units.size[*unit as usize] })
        .collect();
    let cost = picks.iter().map(|pick| problem.cost(pick.mask) * pick.records as f64).sum();
    CoverSolution { picks, lower_bound: if needs.all { cost } else { cheapest } }
}

/// Where all cells cost the same, the cost is a multiple of it, and so may the bound be.
fn whole_steps(problem: &Problem<'_>, bound: f64) -> f64 {
    // Rounding in the sums stays far below this part of them.
    let safe = bound * (1.0 - 1e-9);
    let step = problem.request.importance[0];
    let same = problem.request.importance.iter().all(|importance| *importance == step);
    if same { (safe / step - 1e-9).ceil().max(0.0) * step } else { safe.max(0.0) }
}

/// Where demands with the same wildcard keys lacking meet offers: the constraint, those keys, and the keys both have.
type MeetingPattern = (usize, u64, u64);

impl Cover {
    fn new<const W: usize>(problem: &Problem<'_>, units: &Units<W>, needs: &Needs) -> Self {
        let mut cover = Self {
            size: needs.units.iter().map(|unit| units.size[*unit as usize]).collect(),
            claims: Lists::new(),
            near: Lists::new(),
            offers: Lists::new(),
            donor: Vec::new(),
            mask: Vec::new(),
            cost: Vec::new(),
            groups: Lists::new(),
            members: Lists::new(),
            groups_of: Lists::new(),
            wanted: needs.demands.iter().map(|demand| demand.wanted).collect(),
            keys: needs.demands.iter().map(|demand| problem.keys[demand.constraint]).collect(),
        };
        for (donor, (claims, cures)) in needs.claims.iter().zip(&needs.cures).enumerate() {
            cover.claims.push(claims.iter().copied());
            let first = cover.donor.len() as u32;
            cover.offers.push(first..first + cures.len() as u32);
            cover.donor.extend(cures.iter().map(|_| donor as u32));
            cover.mask.extend(cures);
            cover.cost.extend(cures.iter().map(|cure| problem.cost(*cure)));
        }
        cover.gather(problem, units, needs);
        cover
    }

    /// Finds the groups, and what every donor supports without losing a value.
    fn gather<const W: usize>(&mut self, problem: &Problem<'_>, units: &Units<W>, needs: &Needs) {
        let mut grouping = PatternGrouping::new(problem, units, needs);
        let as_it_stands: Vec<Vec<u32>> =
            needs.units.iter().map(|unit| grouping.groups(*unit as usize, None)).collect();
        for (donor, mask) in self.donor.iter().zip(&self.mask) {
            let groups = grouping.groups(needs.units[*donor as usize] as usize, Some(*mask));
            self.groups.push(groups);
        }
        self.members = grouping.members();
        self.groups_of = self.members.turned(needs.demands.len());
        for groups in &as_it_stands {
            let mut near: Vec<u32> =
                groups.iter().flat_map(|group| self.members.get(*group as usize)).copied().collect();
            near.sort_unstable();
            self.near.push(near);
        }
    }

    /// The demands that an offer brings one more supporting record.
    pub(super) fn brings(&self, offer: usize) -> impl Iterator<Item = usize> {
        let near = self.near.get(self.donor[offer] as usize);
        let groups = self.groups.get(offer).iter();
        groups
            .flat_map(|group| self.members.get(*group as usize))
            .filter(move |demand| near.binary_search(demand).is_err())
            .map(|demand| *demand as usize)
    }

    /// The sum of a value of each demand over those that an offer brings a record, from the sums over groups.
    pub(super) fn sum(&self, offer: usize, groups: &[f64], demands: &[f64]) -> f64 {
        let near = self.near.get(self.donor[offer] as usize).iter();
        let among = near.filter(|demand| self.keys[**demand as usize] & self.mask[offer] != 0);
        self.groups.get(offer).iter().map(|group| groups[*group as usize]).sum::<f64>()
            - among.map(|demand| demands[*demand as usize]).sum::<f64>()
    }
}

/// Groups as they are asked for.
struct PatternGrouping<'a, const W: usize> {
    problem: &'a Problem<'a>,
    units: &'a Units<W>,
    needs: &'a Needs,
    /// For each constraint its demands by the wildcard keys they lack.
    demands: Vec<BTreeMap<u64, Vec<u32>>>,
    tables: BTreeMap<MeetingPattern, HashMap<Packed<W>, u32>>,
    groups: u32,
}

impl<'a, const W: usize> PatternGrouping<'a, W> {
    fn new(problem: &'a Problem<'a>, units: &'a Units<W>, needs: &'a Needs) -> Self {
        let mut demands: Vec<BTreeMap<u64, Vec<u32>>> = vec![BTreeMap::new(); problem.keys.len()];
        for (number, demand) in needs.demands.iter().enumerate() {
            demands[demand.constraint].entry(demand.lacking).or_default().push(number as u32);
        }
        Self { problem, units, needs, demands, tables: BTreeMap::new(), groups: 0 }
    }

    /// The groups of demands that a unit supports without the keys of `mask`, or with all its values if it would
    /// support fewer without them. A constraint with no key in the mask sees nothing new; without a mask all
    /// constraints are looked at.
    fn groups(&mut self, unit: usize, mask: Option<u64>) -> Vec<u32> {
        let mut found = Vec::new();
        for (constraint, demands) in self.demands.iter().enumerate() {
            let keys = self.problem.keys[constraint];
            if !self.units.counts(constraint, unit) || mask.is_some_and(|mask| mask & keys == 0) {
                continue;
            }
            let blank = self.units.blank[unit];
            let lost = mask.filter(|mask| has_most(keys, blank | mask)).unwrap_or(0);
            for lacking in demands.keys().filter(|lacking| supports(keys, blank, **lacking)) {
                let lost = if has_most(keys, *lacking) { lost } else { 0 };
                let both = keys & !lacking & !blank & !lost;
                let table = self.tables.entry((constraint, *lacking, both)).or_default();
                let codes = masked(&self.units.packed[unit], &self.problem.packing.mask(both));
                found.push(*table.entry(codes).or_insert(self.groups));
                self.groups = self.groups.max(found.last().map_or(0, |last| last + 1));
            }
        }
        found
    }

    /// The demands of each group.
    fn members(&self) -> Lists {
        let mut pairs = Vec::new();
        for ((constraint, lacking, both), table) in &self.tables {
            let mask = self.problem.packing.mask(*both);
            for demand in self.demands[*constraint].get(lacking).into_iter().flatten() {
                let codes = masked(&self.units.packed[self.needs.demands[*demand as usize].unit], &mask);
                pairs.extend(table.get(&codes).map(|group| (*group, *demand)));
            }
        }
        Lists::from_pairs(self.groups as usize, &pairs)
    }
}
