//! A cure for a record that is far from all others, by looking at every one of them: with many keys the sets that would
//! have to be tried are too many.

use super::cures::Demand;
use super::units::Units;
use super::{Problem, ones};

/// A cheap set of keys without which enough records match the demand, and no part of which would do.
pub(super) fn cure<const W: usize>(problem: &Problem<'_>, units: &Units<W>, demand: &Demand) -> u64 {
    let keys = problem.keys[demand.constraint];
    let asked = problem.request.constraints[demand.constraint].k;
    let apart = |unit: usize| {
        let both = keys & !(units.blank[unit] & problem.wild) & !demand.lacking;
        problem.layout.different(&units.packed[unit], &units.packed[demand.unit], both)
    };
    let mut others: Vec<(u64, u64)> = units
        .counted_by(demand.constraint)
        .map(|unit| (apart(unit), units.size[unit]))
        .filter(|(apart, _)| apart & !problem.wild == 0)
        .collect();
    others.sort_by(|(a, _), (b, _)| problem.cost(*a).total_cmp(&problem.cost(*b)).then(a.cmp(b)));
    let matches = |set: u64| others.iter().filter(|(apart, _)| apart & !set == 0).map(|(_, size)| size).sum::<u64>();
    let mut set = 0;
    for (apart, _) in &others {
        if apart & !set != 0 {
            if matches(set) >= asked {
                break;
            }
            set |= apart;
        }
    }
    let mut dear_first: Vec<usize> = ones(set).collect();
    let importance = problem.request.importance;
    dear_first.sort_by(|a, b| importance[*b].total_cmp(&importance[*a]).then(a.cmp(b)));
    for key in dear_first {
        if matches(set & !(1 << key)) >= asked {
            set &= !(1 << key);
        }
    }
    set
}
