//! What records have that conditions keep (P3): a cell of those who meet `district = 'n1'` is inside the cell of the region, though no table shows districts.
//! And which conditions records meet that have some values: a cell of `place = 'x'` is inside those who meet `place = 'x' or job = 'p'`.

use std::collections::{BTreeMap, BTreeSet};

use outward_tables::ValueSource;
use outward_tables::protect::ConditionKinds;

use super::conditions::Condition;
use super::places::{Cells, Coordinates};

/// A variable with a set of its values, both by number.
type Entry = (u32, u32);

/// What cells say of variables that they do not show.
pub(super) struct Implied {
    /// For each set of kinds of records that some cell counts, the values that these records can have of other variables, where they cannot have all.
    pub(super) values: BTreeMap<Entry, Vec<Entry>>,
    /// For each cell the kinds of records that can have its values, where these are fewer than it names.
    pub(super) kinds: BTreeMap<u32, Entry>,
}

impl Implied {
    pub(super) fn new(cells: &mut Cells, conditions: &[Condition], certified: &[ConditionKinds]) -> Self {
        let kinds = implied_kinds(cells, conditions, certified);
        let values = implied_sets(cells, conditions, certified, &kinds);
        Self { values, kinds }
    }
}

fn implied_kinds(cells: &mut Cells, conditions: &[Condition], certified: &[ConditionKinds]) -> BTreeMap<u32, Entry> {
    let mut implied = BTreeMap::new();
    for unit in 0..cells.units.len() as u32 {
        let Some(records) = cells.known(unit, None) else { continue };
        let name = cells.units[unit as usize].clone();
        let conditions: Vec<&Condition> = conditions.iter().filter(|of| of.unit == name).collect();
        let certified: Vec<&ConditionKinds> = certified.iter().filter(|of| of.unit == name).collect();
        let sources = conditions.iter().flat_map(|of| &of.reads);
        let sources = sources.chain(certified.iter().flat_map(|of| of.reads.iter().map(|(source, _)| source)));
        let mut everyone: BTreeMap<&ValueSource, (u32, BTreeSet<u32>)> = BTreeMap::new();
        for source in sources {
            if let Some(variable) = cells.known(unit, Some(source)) {
                let sets = cells.everyone(variable);
                let all = sets.iter().flat_map(|set| cells.sets[*set as usize].iter().copied()).collect();
                everyone.insert(source, (variable, all));
            }
        }
        let read: BTreeSet<u32> = everyone.values().map(|(variable, _)| *variable).collect();
        let all_kinds = cells.variables[records as usize].shown.clone();
        let mut known: BTreeMap<Coordinates, Option<Entry>> = BTreeMap::new();
        let standing: Vec<(Coordinates, u32)> = cells.standing(unit).map(|(at, cell)| (at.clone(), cell)).collect();
        for (at, cell) in standing {
            let told: Coordinates =
                at.into_iter().filter(|(variable, _)| *variable == records || read.contains(variable)).collect();
            if !told.iter().any(|(variable, _)| *variable != records) {
                continue;
            }
            if !known.contains_key(&told) {
                let set = |wanted: u32| told.iter().find(|(variable, _)| *variable == wanted).map(|(_, set)| *set);
                let values = |set: u32| cells.sets[set as usize].iter().copied().collect::<BTreeSet<u32>>();
                let had = |source: &ValueSource| {
                    let (variable, all) = everyone.get(source)?;
                    Some(set(*variable).map_or_else(|| all.clone(), values))
                };
                let before = set(records).map_or_else(|| all_kinds.clone(), values);
                let mut left = before.clone();
                conditions.iter().for_each(|of| keep_by_words(of, &had, &mut left));
                certified.iter().for_each(|of| keep_certified(of, &had, &mut left));
                let left: Vec<u32> = left.into_iter().collect();
                let fewer = !left.is_empty() && left.len() < before.len();
                let found = fewer.then(|| (records, cells.set(&left)));
                known.insert(told.clone(), found);
            }
            implied.extend(known.get(&told).copied().flatten().map(|entry| (cell, entry)));
        }
    }
    implied
}

/// The values that records have of what is read from somewhere; none where no table shows that.
type Had<'a> = dyn Fn(&ValueSource) -> Option<BTreeSet<u32>> + 'a;

/// Leaves the kinds of records there can be where a condition is decided the same way for all values.
fn keep_by_words(condition: &Condition, had: &Had, left: &mut BTreeSet<u32>) {
    let Some(values) = condition.reads.iter().map(had).collect::<Option<Vec<_>>>() else { return };
    let is_had = |of: &Vec<u32>| of.iter().zip(&values).all(|(value, own)| own.contains(value));
    let said: Vec<bool> = condition.holds.iter().filter(|(of, _)| is_had(of)).map(|(_, met)| *met).collect();
    let Some(met) = said.first().filter(|first| said.iter().all(|met| met == *first)) else { return };
    if said.len() == values.iter().map(BTreeSet::len).product::<usize>() {
        left.retain(|kind| condition.kinds.contains(kind) == *met);
    }
}

/// Leaves the kinds of records that go together with the values.
fn keep_certified(certified: &ConditionKinds, had: &Had, left: &mut BTreeSet<u32>) {
    let mut possible: Vec<BTreeSet<u32>> = Vec::new();
    for (source, classes) in &certified.reads {
        let Some(values) = had(source) else {
            possible.push((0..classes.len() as u32).collect());
            continue;
        };
        // Of values that no record has nothing is said.
        if !values.iter().any(|value| classes.iter().any(|class| class.contains(value))) {
            return;
        }
        let of_values = |(_, class): &(u32, &Vec<u32>)| class.iter().any(|value| values.contains(value));
        possible.push((0..).zip(classes).filter(of_values).map(|(class, _)| class).collect());
    }
    let can_be = |of: &Vec<u32>| of.iter().zip(&possible).all(|(class, possible)| possible.contains(class));
    let kinds: BTreeSet<u32> =
        certified.kinds.iter().filter(|(of, _)| can_be(of)).flat_map(|(_, kinds)| kinds.iter().copied()).collect();
    left.retain(|kind| kinds.contains(kind));
}

fn implied_sets(
    cells: &mut Cells,
    conditions: &[Condition],
    certified: &[ConditionKinds],
    kinds: &BTreeMap<u32, Entry>,
) -> BTreeMap<Entry, Vec<Entry>> {
    let mut implied = BTreeMap::new();
    for unit in 0..cells.units.len() as u32 {
        let Some(records) = cells.known(unit, None) else { continue };
        let named = cells.places.iter().flat_map(|place| &place.at).chain(kinds.values());
        let counted = named.filter(|(variable, _)| *variable == records);
        for entry in counted.copied().collect::<BTreeSet<Entry>>() {
            let kinds: BTreeSet<u32> = cells.sets[entry.1 as usize].iter().copied().collect();
            let name = cells.units[unit as usize].clone();
            let mut excluded: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            let by_words = conditions.iter().filter(|of| of.unit == name).flat_map(|of| excluded_by_words(of, &kinds));
            let told = certified.iter().filter(|of| of.unit == name).flat_map(|of| excluded_by_certificate(of, &kinds));
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
type Value<'a> = (&'a ValueSource, u32);

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
fn excluded_by_certificate<'a>(certified: &'a ConditionKinds, kinds: &BTreeSet<u32>) -> Vec<Value<'a>> {
    let mut excluded = Vec::new();
    for (at, (source, classes)) in certified.reads.iter().enumerate() {
        let possible: BTreeSet<u32> = (certified.kinds.iter())
            .filter(|(_, own)| own.iter().any(|kind| kinds.contains(kind)))
            .filter_map(|(of, _)| of.get(at).copied())
            .collect();
        let known: BTreeSet<u32> = certified.kinds.iter().filter_map(|(of, _)| of.get(at).copied()).collect();
        let of_classes = |wanted: &dyn Fn(&u32) -> bool| -> BTreeSet<u32> {
            (0..).zip(classes).filter(|(class, _)| wanted(class)).flat_map(|(_, own)| own.iter().copied()).collect()
        };
        let (had, others) = (of_classes(&|class| possible.contains(class)), of_classes(&|class| known.contains(class)));
        excluded.extend(others.difference(&had).map(|value| (source, *value)));
    }
    excluded
}
