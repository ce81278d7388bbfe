//! What records have that conditions keep (P3): a cell of those who meet `district = 'n1'` is inside the cell of the region, though no table shows districts.

use std::collections::{BTreeMap, BTreeSet};

use outward_tables::protect::BesideConditions;

use super::conditions::Condition;
use super::places::Cells;

/// A variable with a set of its values, both by number.
type Entry = (u32, u32);

/// For each set of kinds of records that some cell counts, the values that these records can have of other variables, where they cannot have all.
pub(super) fn implied_sets(
    cells: &mut Cells,
    conditions: &[Condition],
    beside: &[BesideConditions],
) -> BTreeMap<Entry, Vec<Entry>> {
    let mut implied = BTreeMap::new();
    for unit in 0..cells.units.len() as u32 {
        let Some(records) = cells.known(unit, None) else { continue };
        let counted = cells.places.iter().flat_map(|place| &place.at).filter(|(variable, _)| *variable == records);
        for entry in counted.copied().collect::<BTreeSet<Entry>>() {
            let kinds: BTreeSet<u32> = cells.sets[entry.1 as usize].iter().copied().collect();
            let name = cells.units[unit as usize].clone();
            let mut excluded: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            let by_words = conditions.iter().filter(|of| of.unit == name).flat_map(|of| excluded_by_words(of, &kinds));
            let told = beside.iter().filter(|of| of.unit == name).flat_map(|of| excluded_beside(of, &kinds));
            for (source, value) in by_words.chain(told) {
                if let Some(variable) = cells.known(unit, Some(source)) {
                    excluded.entry(variable).or_default().insert(value);
                }
            }
            let mut own: Vec<Entry> = Vec::new();
            for (variable, excluded) in excluded {
                let sets = cells.everyone(variable);
                let all: BTreeSet<u32> =
                    sets.iter().flat_map(|set| cells.sets[*set as usize].iter().copied()).collect();
                let left: Vec<u32> = all.difference(&excluded).copied().collect();
                own.push((variable, cells.set(&left)));
            }
            implied.insert(entry, own);
        }
    }
    implied
}

/// A value, by what it is read from and its number.
type Value<'a> = (&'a outward_tables::ValueSource, u32);

/// The values that no record of some kinds has, as a condition is decided the other way for all with them.
fn excluded_by_words<'a>(condition: &'a Condition, kinds: &BTreeSet<u32>) -> Vec<Value<'a>> {
    let met = match (kinds.is_subset(&condition.kinds), kinds.is_disjoint(&condition.kinds)) {
        (true, _) => true,
        (_, true) => false,
        _ => return Vec::new(),
    };
    // Only of a condition on one variable it is known that all its values are decided.
    let [source] = &condition.reads[..] else { return Vec::new() };
    let other = condition.holds.iter().filter(|(_, holds)| **holds != met);
    other.filter_map(|(values, _)| Some((source, *values.first()?))).collect()
}

/// The values that go together with no record of some kinds.
fn excluded_beside<'a>(beside: &'a BesideConditions, kinds: &BTreeSet<u32>) -> Vec<Value<'a>> {
    let mut excluded = Vec::new();
    for (at, (source, classes)) in beside.reads.iter().enumerate() {
        let possible: BTreeSet<u32> = (beside.kinds.iter())
            .filter(|(_, own)| own.iter().any(|kind| kinds.contains(kind)))
            .filter_map(|(of, _)| of.get(at).copied())
            .collect();
        let known: BTreeSet<u32> = beside.kinds.iter().filter_map(|(of, _)| of.get(at).copied()).collect();
        let of_classes = |wanted: &dyn Fn(&u32) -> bool| -> BTreeSet<u32> {
            (0..).zip(classes).filter(|(class, _)| wanted(class)).flat_map(|(_, own)| own.iter().copied()).collect()
        };
        let (had, others) = (of_classes(&|class| possible.contains(class)), of_classes(&|class| known.contains(class)));
        excluded.extend(others.difference(&had).map(|value| (source, *value)));
    }
    excluded
}
