//! The exact number of records that support each unit. Units are grouped by the wildcard keys they lack, and two groups
//! are compared on the keys both have.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use outward_cells::has_most_keys;

use super::Problem;
use super::units::Units;
use crate::packing::{Packed, masked};

/// Whether a record that lacks the wildcard keys `lacking` has more than half of `keys`.
pub(super) fn has_most(keys: u64, lacking: u64) -> bool {
    has_most_keys(keys.count_ones() as usize, (keys & lacking).count_ones() as usize)
}

/// Whether a record that lacks `theirs` of the keys supports one that lacks `own`, where they are compatible
/// (`docs/methods/classes.md`).
pub(super) fn supports(keys: u64, theirs: u64, own: u64) -> bool {
    has_most(keys, theirs) && has_most(keys, own) || keys & theirs & !own == 0
}

/// For each unit that the constraint counts, the records that support it on the constraint's keys; 0 for others.
pub(super) fn supporting<const W: usize>(problem: &Problem<'_>, units: &Units<W>, constraint: usize) -> Vec<u64> {
    let keys = problem.keys[constraint];
    let patterns = by_pattern(units, constraint, keys);
    let mut counts = vec![0; units.len()];
    for (lacking, theirs) in &patterns {
        let mut tables: BTreeMap<u64, HashMap<Packed<W>, u64>> = BTreeMap::new();
        for (own_lacking, own) in patterns.iter().filter(|(own, _)| supports(keys, *lacking, **own)) {
            let mask = problem.packing.mask(keys & !lacking & !own_lacking);
            let table = tables.entry(keys & !lacking & !own_lacking).or_insert_with(|| tally(units, theirs, &mask));
            for unit in own {
                counts[*unit] += table.get(&masked(&units.packed[*unit], &mask)).copied().unwrap_or(0);
            }
        }
    }
    counts
}

/// The counted units by the wildcard keys of the constraint that they lack.
pub(super) fn by_pattern<const W: usize>(units: &Units<W>, constraint: usize, keys: u64) -> BTreeMap<u64, Vec<usize>> {
    let mut patterns: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for unit in units.counted_by(constraint) {
        patterns.entry(units.blank[unit] & keys).or_default().push(unit);
    }
    patterns
}

/// How many records have each combination under the mask.
pub(super) fn tally<const W: usize>(units: &Units<W>, members: &[usize], mask: &Packed<W>) -> HashMap<Packed<W>, u64> {
    let mut table = HashMap::with_capacity(members.len());
    for unit in members {
        *table.entry(masked(&units.packed[*unit], mask)).or_insert(0) += units.size[*unit];
    }
    table
}
