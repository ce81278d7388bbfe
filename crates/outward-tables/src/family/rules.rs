//! Combinations of values that no record can have: those that a condition excludes (M2), and those that follow if a
//! variable reads one of several columns of another.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::axis::Axis;
use super::parts::Parts;
use super::places::{Places, VariableKind};
use crate::make::{Conditions, Reads, UnitKnowledge};

/// A rule that excludes combinations.
pub(super) enum Rule {
    /// The conditions of tables: the variable that says which of them a record meets, and the columns they read.
    Conditions { kinds: u32, reads: Vec<(u32, Option<usize>)>, conditions: Conditions },
    /// A variable reads one column of another variable, which has several answers. `values` maps each value here to its
    /// number there.
    Column { one: u32, of: u32, column: usize, values: BTreeMap<u32, u32> },
}

/// Parts that a record can have together. A variable that is not listed is not restricted.
pub(super) type Alternative = Vec<(u32, Rc<[u32]>)>;

/// The combinations of places of some axes that are excluded.
pub(super) struct Excluded {
    axes: Vec<(usize, usize)>,
    excluded: Vec<bool>,
}

impl Excluded {
    /// Whether a combination is excluded, by its place on each axis.
    pub(super) fn has(&self, place: &dyn Fn(usize) -> u32) -> bool {
        let at = self.axes.iter().fold(0, |at, (axis, count)| at * count + place(*axis) as usize);
        self.excluded[at]
    }
}

impl Rule {
    /// The rules for the records of a unit.
    pub(super) fn all(places: &Places, unit: &str, known: &UnitKnowledge) -> Vec<Self> {
        let mut rules: Vec<Self> = Vec::new();
        let kinds = places.number(unit, VariableKind::Kind);
        for (kinds, conditions) in kinds.iter().flat_map(|kinds| known.conditions.iter().map(move |of| (*kinds, of))) {
            // A variable that this family of tables does not show is not restricted.
            let shown = |read: &Reads| places.number_of(unit, &read.source).is_some();
            if conditions.beside.as_ref().is_some_and(|beside| places.number_of(unit, beside).is_none()) {
                continue;
            }
            let conditions = conditions.of_reads(shown);
            let read = |read: &Reads| Some((places.number_of(unit, &read.source)?, read.column));
            let reads: Vec<(u32, Option<usize>)> = conditions.reads.iter().filter_map(read).collect();
            if !reads.is_empty() {
                rules.push(Self::Conditions { kinds, reads, conditions });
            }
        }
        let mut seen: BTreeSet<(u32, u32)> = BTreeSet::new();
        for shared in &known.columns {
            let numbers = (places.number_of(unit, &shared.source), places.number_of(unit, &shared.of));
            if let (Some(one), Some(of)) = numbers
                && seen.insert((one, of))
            {
                rules.push(Self::Column { one, of, column: shared.column, values: shared.values.clone() });
            }
        }
        rules
    }

    /// Its variables, each once.
    pub(super) fn variables(&self) -> Vec<u32> {
        let all: BTreeSet<u32> = match self {
            Self::Conditions { kinds, reads, .. } => {
                reads.iter().map(|(variable, _)| *variable).chain([*kinds]).collect()
            }
            Self::Column { one, of, .. } => BTreeSet::from([*one, *of]),
        };
        all.into_iter().collect()
    }

    /// The single columns of variables with several answers that it is about.
    pub(super) fn columns(&self) -> Vec<(u32, usize)> {
        match self {
            Self::Conditions { reads, .. } => {
                reads.iter().filter_map(|(variable, column)| Some((*variable, (*column)?))).collect()
            }
            Self::Column { of, column, .. } => vec![(*of, *column)],
        }
    }

    /// The combinations of some axes that it excludes. Variables that conditions read and that have no axis are not
    /// restricted. `None` if there is no axis for the conditions, or for one of the two variables.
    pub(super) fn on(&self, axes: &[Axis], parts: &BTreeMap<u32, Parts>) -> Option<Excluded> {
        let find = |variable: u32| axes.iter().position(|axis| axis.variable == variable);
        let own = |at: usize| &parts[&axes[at].variable];
        match self {
            Self::Conditions { kinds, reads, conditions } => {
                let kinds = find(*kinds)?;
                let here: Vec<usize> = (0..reads.len()).filter(|at| find(reads[*at].0).is_some()).collect();
                let conditions = &conditions.of_places(&here);
                let reads = here.iter().filter_map(|at| Some((find(reads[*at].0)?, reads[*at].1)));
                let reads: Vec<(usize, Option<usize>)> = reads.collect();
                if reads.is_empty() {
                    return None;
                }
                let places: Vec<Vec<Vec<u32>>> = (reads.iter().zip(&conditions.reads))
                    .map(|((at, column), read)| places_of_classes(&axes[*at], own(*at), *column, read))
                    .collect();
                let sizes: Vec<usize> = reads.iter().map(|(at, _)| axes[*at].count).collect();
                let of_place: Vec<BTreeSet<u32>> = (axes[kinds].parts().iter())
                    .map(|parts| parts.iter().flat_map(|part| own(kinds).values_of(*part)).collect())
                    .collect();
                let there = kinds_at(conditions, &places, &sizes);
                let excludes = |there: &Option<BTreeSet<u32>>, kinds: &BTreeSet<u32>| {
                    there.as_ref().is_some_and(|there| there.is_disjoint(kinds))
                };
                let excluded = there.iter().flat_map(|there| of_place.iter().map(move |own| excludes(there, own)));
                let excluded = excluded.collect();
                let axes = reads.iter().map(|(at, _)| (*at, axes[*at].count)).chain([(kinds, axes[kinds].count)]);
                Some(Excluded { axes: axes.collect(), excluded })
            }
            Self::Column { one, of, column, values } => {
                let (one, of) = (find(*one)?, find(*of)?);
                let held: Vec<BTreeSet<u32>> = held_at(&axes[of], own(of), *column);
                let mut excluded = Vec::new();
                for mine in axes[one].parts() {
                    let there = mine.iter().flat_map(|part| own(one).values_of(*part));
                    let there: BTreeSet<u32> =
                        there.map(|value| values.get(&value).copied().unwrap_or_default()).collect();
                    excluded.extend(held.iter().map(|held| held.is_disjoint(&there)));
                }
                Some(Excluded { axes: vec![(one, axes[one].count), (of, axes[of].count)], excluded })
            }
        }
    }

    /// The alternatives it allows. A record has the parts of one of them.
    pub(super) fn alternatives(&self, parts: &BTreeMap<u32, Parts>) -> Vec<Alternative> {
        let joined = |by_value: &BTreeMap<u32, Vec<u32>>, values: &mut dyn Iterator<Item = &u32>| -> Rc<[u32]> {
            let own: BTreeSet<u32> = values.filter_map(|value| by_value.get(value)).flatten().copied().collect();
            own.into_iter().collect()
        };
        match self {
            Self::Conditions { kinds, reads, conditions } => {
                let mut alternatives: Vec<Alternative> = Vec::new();
                let mut of_classes: Vec<Vec<Rc<[u32]>>> = Vec::new();
                for ((variable, column), read) in reads.iter().zip(&conditions.reads) {
                    let by_value = parts_by_value(&parts[variable], *column);
                    of_classes.push(read.numbers.iter().map(|class| joined(&by_value, &mut class.iter())).collect());
                    // Parts are not restricted if no record has their values, which are then in no class.
                    let said: BTreeSet<u32> = read.numbers.iter().flatten().copied().collect();
                    let restricted = joined(&by_value, &mut said.iter());
                    let others = joined(&by_value, &mut by_value.keys());
                    let open = others.iter().copied().filter(|part| restricted.binary_search(part).is_err()).collect();
                    alternatives.push(vec![(*variable, open)]);
                }
                let of_kinds = parts_by_value(&parts[kinds], None);
                let together = conditions.kinds.iter().map(|(classes, own)| {
                    let at = reads.iter().zip(&of_classes).zip(classes);
                    let at = at.map(|(((variable, _), of), class)| (*variable, Rc::clone(&of[*class as usize])));
                    at.chain([(*kinds, joined(&of_kinds, &mut own.iter()))]).collect()
                });
                alternatives.extend(together);
                alternatives
            }
            Self::Column { one, of, column, values } => {
                let (mine, held) = (parts_by_value(&parts[one], None), parts_by_value(&parts[of], Some(*column)));
                let with = |value: &u32| {
                    let there = values.get(value).copied().unwrap_or_default();
                    vec![(*one, joined(&mine, &mut [*value].iter())), (*of, joined(&held, &mut [there].iter()))]
                };
                mine.keys().map(with).collect()
            }
        }
    }
}

/// For each value, or for each value of a column, the parts that have it.
fn parts_by_value(parts: &Parts, column: Option<usize>) -> BTreeMap<u32, Vec<u32>> {
    let mut by_value: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for part in 0..parts.count as u32 {
        match column {
            Some(column) => {
                parts.held(part, column).into_iter().for_each(|value| by_value.entry(value).or_default().push(part))
            }
            None => parts.values_of(part).for_each(|value| by_value.entry(value).or_default().push(part)),
        }
    }
    by_value
}

/// For each combination of places the kinds of records that are possible; `None` if it is not restricted.
fn kinds_at(conditions: &Conditions, places: &[Vec<Vec<u32>>], sizes: &[usize]) -> Vec<Option<BTreeSet<u32>>> {
    let mut there: Vec<Option<BTreeSet<u32>>> = vec![None; sizes.iter().product()];
    for (classes, kinds) in &conditions.kinds {
        let mut here = vec![0usize];
        for ((class, places), size) in classes.iter().zip(places).zip(sizes) {
            let with = |before: usize| places[*class as usize].iter().map(move |place| before * size + *place as usize);
            here = here.into_iter().flat_map(with).collect();
        }
        here.into_iter().for_each(|at| there[at].get_or_insert_default().extend(kinds));
    }
    there
}

/// For each class of the values that conditions read the places of an axis it may have.
fn places_of_classes(axis: &Axis, parts: &Parts, column: Option<usize>, read: &Reads) -> Vec<Vec<u32>> {
    let mut places: HashMap<u32, Vec<u32>> = HashMap::new();
    match column {
        Some(column) => {
            for (place, held) in (0..).zip(held_at(axis, parts, column)) {
                held.into_iter().for_each(|value| places.entry(value).or_default().push(place));
            }
        }
        None => {
            for (place, own) in (0..).zip(axis.parts()) {
                let values = own.iter().flat_map(|part| parts.values_of(*part));
                values.for_each(|value| places.entry(value).or_default().push(place));
            }
        }
    }
    let of = |numbers: &Vec<u32>| {
        let own: BTreeSet<u32> = numbers.iter().filter_map(|number| places.get(number)).flatten().copied().collect();
        own.into_iter().collect()
    };
    read.numbers.iter().map(of).collect()
}

/// For each place of an axis the values a column may have; 0 for none.
fn held_at(axis: &Axis, parts: &Parts, column: usize) -> Vec<BTreeSet<u32>> {
    axis.parts().iter().map(|own| own.iter().filter_map(|part| parts.held(*part, column)).collect()).collect()
}
