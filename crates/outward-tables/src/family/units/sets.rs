//! The sets of answers behind linked tables. Where a linked record has the answers of its record of `[data]`, whatever the tables of either
//! tell of who has which answers together tells of the other too: casualties with both of two factors were hurt in collisions with both.

use std::collections::BTreeMap;

use outward_spec::Result;

use super::{DATA_UNIT, Shows};
use crate::family::parts::{Apart, Node, Parts, meets};
use crate::family::places::{Known, Places, Told};
use crate::family::{Extent, Family};
use crate::make::{Made, Records};
use crate::source::ValueSource;

/// More sets than this, over all places and units, are not reckoned with.
const MOST: usize = 1_000;

/// Where answers are shown: what they are read from, and of each variable beside them what it is read from and its set of values.
type Place<'a> = (ValueSource, Vec<(&'a ValueSource, u32)>);

/// Any value at all.
const ANY: u32 = u32::MAX;

/// A node of answers, or of pairs of them.
type Values = (bool, Vec<u32>);

/// The answers of one unit in a place.
#[derive(Default)]
struct Shown {
    nodes: Vec<(Values, u32)>,
    /// The cell of everyone, with whatever answers.
    whole: Option<u32>,
}

/// The sets of answers that nodes tell apart.
struct Sets {
    numbers: BTreeMap<Values, u32>,
    parts: Parts,
}

impl Sets {
    /// The sets that a node is made of.
    fn of(&self, values: &Values) -> &[u32] {
        self.numbers.get(values).map_or(&[], |number| self.parts.node(*number))
    }
}

impl Family {
    /// Ties the sets of answers of `[data]` to those of records linked to it, where tables of both show them beside the same.
    pub(super) fn add_sets(&mut self, made: &[Made]) -> Result<()> {
        let places = self.places.clone();
        let mut left = MOST;
        for ((source, beside), units) in shown(&places) {
            let Some(data) = units.get(DATA_UNIT) else { continue };
            for (unit, linked) in units.iter().filter(|(unit, _)| **unit != DATA_UNIT) {
                let sets = sets_of(&places, &source, [(DATA_UNIT, data), (*unit, linked)]);
                let Some(sets) = sets.filter(|sets| 2 * sets.parts.count <= left) else {
                    self.goes(Extent::Less, true);
                    continue;
                };
                left -= 2 * sets.parts.count;
                let count = |unit: &str| {
                    let made = self.tables.iter().map(|at| &made[*at]).find(|made| made.table.unit == unit)?;
                    // Everyone who is linked has a linked record.
                    let told = beside.iter().filter(|(_, set)| unit == DATA_UNIT || *set != ANY);
                    counted(made.records.as_deref()?, &places, &source, &told.copied().collect::<Vec<_>>(), &sets.parts)
                };
                let (Some(of_data), Some(of_linked)) = (count(DATA_UNIT), count(unit)) else { continue };
                if !self.holds(data, &sets, &of_data) || !self.holds(linked, &sets, &of_linked) {
                    continue;
                }
                let one = self.add_counts(data, &sets, &of_data)?;
                let other = self.add_counts(linked, &sets, &of_linked)?;
                let counts = || of_data.iter().zip(&of_linked);
                let shows = Shows {
                    at_most: counts().all(|(one, other)| one <= other),
                    told: counts().all(|(one, other)| *other == 0 || *one > 0),
                    both: counts().all(|(one, other)| (*one > 0) == (*other > 0)),
                    of_data: true,
                };
                self.tie_left_over(&one.into_iter().zip(other).collect::<Vec<_>>(), &shows)?;
            }
        }
        Ok(())
    }

    /// Whether cells are what their sets of answers add up to.
    fn holds(&self, shown: &Shown, sets: &Sets, counts: &[i64]) -> bool {
        let sum = |values: &Values| sets.of(values).iter().map(|set| counts[*set as usize]).sum::<i64>();
        shown.whole.is_none_or(|cell| counts.iter().sum::<i64>() == self.value(cell))
            && shown.nodes.iter().all(|(values, cell)| sum(values) == self.value(*cell))
    }

    /// A cell that nobody sees for each set of answers, and what the cells that are seen are sums of.
    fn add_counts(&mut self, shown: &Shown, sets: &Sets, counts: &[i64]) -> Result<Vec<u32>> {
        let cells: Vec<u32> = counts.iter().map(|count| self.add_unpublished(*count)).collect();
        let nodes = shown.nodes.iter().map(|(values, cell)| (*cell, sets.of(values).to_vec()));
        let whole = shown.whole.map(|cell| (cell, (0..cells.len() as u32).collect()));
        for (total, made_of) in nodes.chain(whole) {
            let terms = made_of.iter().map(|set| (cells[*set as usize], 1)).chain([(total, -1)]);
            self.system.add(0, terms.collect::<Vec<_>>())?;
        }
        Ok(cells)
    }
}

/// Where tables show several answers of `[data]`, unit by unit: of all records, beside variables of `[data]`, and beside one of a linked file,
/// of which a record of `[data]` has the values of all records linked to it.
fn shown(places: &Places) -> BTreeMap<Place<'_>, BTreeMap<&str, Shown>> {
    let mut found: BTreeMap<Place<'_>, BTreeMap<&str, Shown>> = BTreeMap::new();
    for ((rest, variable), nodes) in places.lines() {
        let (unit, source) = (places.unit(variable), places.source(variable));
        let Some(source) = source.filter(|source| source.is_of_data() && !places.adds_up(variable)) else { continue };
        let (mut beside, mut linked, mut other) = (Vec::new(), Vec::new(), false);
        for (own, set) in rest.iter().filter(|(own, _)| *places.told(*own) != Told::Unit) {
            // Whoever has any of the values has a linked record, whichever it is.
            let any = !places.adds_up(*own) && places.sets[*set as usize].len() == places.all(*own).len();
            match places.source(*own) {
                Some(own) if !own.is_of_data() => linked.push((own, if any { ANY } else { *set })),
                Some(source) if places.adds_up(*own) => beside.push((source, *set)),
                _ => other = true,
            }
        }
        if other || linked.len() > 1 {
            continue;
        }
        let of_unit = |own: &&ValueSource| own.linked_file() == Some(unit);
        let any: Vec<(&ValueSource, u32)> = match linked.is_empty() {
            true => places.sources().filter(of_unit).map(|own| (own, ANY)).collect(),
            false => Vec::new(),
        };
        let mut alike: Vec<Vec<(&ValueSource, u32)>> = any.into_iter().map(|any| vec![any]).collect();
        alike.push(linked);
        alike.sort_unstable();
        alike.dedup();
        for linked in alike {
            let mut beside: Vec<(&ValueSource, u32)> = beside.iter().copied().chain(linked).collect();
            beside.sort_unstable();
            let shown = found.entry((source.answers(), beside)).or_default().entry(unit).or_default();
            shown.whole = shown.whole.or(places.cells.get(&rest).copied());
            let nodes = nodes.iter().map(|(values, cell)| ((source.pairs, values.clone()), *cell));
            shown.nodes.extend(nodes);
        }
    }
    found
}

/// The sets of answers that the nodes of two units tell apart; none where there are too many.
fn sets_of(places: &Places, source: &ValueSource, units: [(&str, &Shown); 2]) -> Option<Sets> {
    let known_as = |source: &ValueSource| {
        let numbers = units.iter().filter_map(|(unit, _)| places.number_of(unit, source));
        numbers.map(|variable| &places.known_variables[variable as usize]).collect::<Vec<&Known>>()
    };
    let answers = known_as(source);
    let mut values: Vec<u32> = answers.iter().flat_map(|known| known.values.clone()).collect();
    values.sort_unstable();
    values.dedup();
    let known = Known { values, several: true, most: answers.first()?.most, ..Known::default() };
    let pairs = known_as(&source.in_pairs()).into_iter().find_map(|known| known.pairs.as_ref());
    let (mut numbers, mut apart) = (BTreeMap::new(), Apart { listed: pairs, ..Apart::default() });
    for (values, _) in units.iter().flat_map(|(_, shown)| &shown.nodes) {
        let next = numbers.len() as u32;
        if *numbers.entry(values.clone()).or_insert(next) < next {
            continue;
        }
        let node = match (values, pairs) {
            ((true, values), Some(pairs)) => {
                Node::Pairs(values.iter().filter_map(|pair| pairs.halves.get(pair).copied()).collect())
            }
            ((_, values), _) => Node::Any(values.clone()),
        };
        apart.nodes.insert(next, node);
    }
    Some(Sets { numbers, parts: Parts::of(&known, apart)? })
}

/// How many records of a unit have each set of answers, of those that have the values beside them; none where that is not known.
fn counted(
    records: &Records,
    places: &Places,
    source: &ValueSource,
    beside: &[(&ValueSource, u32)],
    parts: &Parts,
) -> Option<Vec<i64>> {
    let column = |source: &ValueSource| records.sources.iter().position(|own| own == source);
    let answers = column(source)?;
    let beside = beside.iter().map(|(source, set)| Some((column(source)?, places.sets.get(*set as usize))));
    let beside: Vec<(usize, Option<&Vec<u32>>)> = beside.collect::<Option<_>>()?;
    let mut counts = vec![0; parts.count];
    for (codes, count) in records.codes.iter().zip(records.amounts.get(&(None, false))?) {
        let values = |column: usize| &records.values[column][codes[column] as usize];
        let has = |(column, set): &(usize, Option<&Vec<u32>>)| match set {
            Some(set) => meets(values(*column), set),
            None => !values(*column).is_empty(),
        };
        if beside.iter().all(has) {
            counts[parts.part_of(values(answers), |_| None)? as usize] += count;
        }
    }
    Some(counts)
}
