//! A cure for a record that is far from all others. It compares the record with every other one, since with many keys
//! there are too many sets to try.

use super::Problem;
use super::cures::Demand;
use super::recount::supports;
use super::units::Units;
use crate::packing::ones;

/// A cheap set of keys without which enough records support the demand, and no part of which would do.
pub(super) fn cure<const W: usize>(problem: &Problem<'_>, units: &Units<W>, demand: &Demand) -> u64 {
    let keys = problem.keys[demand.constraint];
    let asked = problem.request.constraints[demand.constraint].k;
    let apart = |unit: usize| {
        let both = keys & !units.blank[unit] & !demand.lacking;
        problem.packing.different(&units.packed[unit], &units.packed[demand.unit], both)
    };
    let mut others: Vec<PossibleSupporter> = units
        .counted_by(demand.constraint)
        .map(|unit| PossibleSupporter {
            apart: apart(unit),
            lacking: units.blank[unit] & keys,
            records: units.size[unit],
        })
        .filter(|other| other.apart & !problem.wild == 0)
        .collect();
    others.sort_by(|a, b| problem.cost(a.apart).total_cmp(&problem.cost(b.apart)).then(a.apart.cmp(&b.apart)));
    let cured = |set: u64| {
        let supports =
            |other: &&PossibleSupporter| other.apart & !set == 0 && supports(keys, other.lacking, demand.lacking | set);
        others.iter().filter(supports).map(|other| other.records).sum::<u64>() >= asked
    };
    let mut set = 0;
    for other in others.iter().map(|other| other.apart) {
        if other & !set != 0 {
            if cured(set) {
                break;
            }
            set |= other;
        }
    }
    if !cured(set) {
        set = keys & problem.wild & !demand.lacking;
    }
    let mut dear_first: Vec<usize> = ones(set).collect();
    let importance = problem.request.importance;
    dear_first.sort_by(|a, b| importance[*b].total_cmp(&importance[*a]).then(a.cmp(b)));
    for key in dear_first {
        if cured(set & !(1 << key)) {
            set &= !(1 << key);
        }
    }
    set
}

/// A unit that may come to support a demand.
struct PossibleSupporter {
    /// Keys in which they differ.
    apart: u64,
    /// Wildcard keys that it lacks.
    lacking: u64,
    records: u64,
}
