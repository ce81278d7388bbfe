//! Who knows a cell because it is her own.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::MagnitudeRules;

use crate::family::{Family, Rest};
use crate::judge::beside_largest;
use crate::make::Made;
use crate::system::{self, Inside, Status};

/// Who knows cells because they are her own, and how far she is kept from what she shares with others.
#[derive(Default)]
pub(super) struct Lone {
    /// Cells of one contributor, those of the same person together.
    pub(super) alone: Vec<Vec<u32>>,
    /// What one of these persons is in with others, or alone in between tables.
    pub(super) inside: Vec<Inside>,
}

impl Lone {
    /// Finds them. Nobody is taken to know that she is alone in what is left between tables, but she may learn of it, as it is her own.
    /// From the cells of `left` she is kept at least as far as they say, as that is for the sake of others.
    pub(super) fn of(
        family: &Family,
        made: &[Made],
        rests: &[&Rest],
        left: &BTreeMap<u32, i64>,
        rules: Option<&MagnitudeRules>,
    ) -> Self {
        let mut lone = Self::default();
        let mut inside: BTreeMap<(u32, u32), (i64, i64)> = BTreeMap::new();
        for cells in persons(family, made, rests) {
            let (published, between): (Vec<u32>, Vec<u32>) =
                cells.into_iter().partition(|cell| family.homes[*cell as usize].is_some());
            if !published.is_empty() {
                inside.extend(between.into_iter().map(|cell| ((cell, lone.alone.len() as u32), (0, 0))));
                lone.alone.push(published);
            }
        }
        for ((cell, person), (most, others)) in insiders(family, made, &lone.alone, rests, rules) {
            let distance = most.max(left.get(&cell).copied().unwrap_or_default());
            inside.entry((cell, person)).or_insert((distance, distance.min(others)));
        }
        for (at, down) in counted(family, made, &lone.alone) {
            inside.entry(at).or_insert((i64::MAX, down));
        }
        lone.inside =
            (inside.into_iter()).map(|((cell, person), (up, down))| Inside { cell, person, up, down }).collect();
        lone
    }
}

/// The cells that have one contributor, person by person: hidden, they are known to her. Two cells are the same person's where an inner
/// cell of one person is counted in both, or they have the same record.
fn persons(family: &Family, made: &[Made], rests: &[&Rest]) -> Vec<Vec<u32>> {
    let mut persons = Persons::default();
    // Whoever was in the only collision there was knows how many were hurt there.
    family.alone.iter().for_each(|(record, linked)| persons.add(&[*record, *linked]));
    let mut by_record: BTreeMap<(&str, u64), Vec<u32>> = BTreeMap::new();
    for rest in rests {
        let record = rest.record.as_ref().map(|(unit, record)| (unit.as_str(), *record));
        record.into_iter().for_each(|record| by_record.entry(record).or_default().push(rest.cell));
    }
    let mut by_contributor: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (place, at) in family.tables.iter().enumerate() {
        let Made { table, inner, .. } = &made[*at];
        let matrix = inner.matrix(&table.dimensions);
        let alone = |cell: usize| match &table.magnitudes {
            Some(magnitudes) => magnitudes.contributors[cell] == 1,
            None => table.counts[cell] == 1,
        };
        let cells_of = |inner: usize| -> Vec<u32> {
            let alone = matrix.row(inner).iter().filter(|cell| alone(**cell as usize));
            let numbers = alone.map(|cell| family.cells[place][*cell as usize]);
            numbers.collect()
        };
        for given in &inner.contributions {
            by_contributor.entry(given.contributor).or_default().extend(cells_of(given.cell as usize));
        }
        // A record without an amount contributes to no sum.
        let gave: BTreeSet<u32> = inner.contributions.iter().map(|given| given.cell).collect();
        let counts = |cell: usize| table.magnitudes.is_none() || gave.contains(&(cell as u32));
        let single = inner.tallies.iter().enumerate().filter(|(cell, tally)| tally.count == 1 && counts(*cell));
        for (cell, tally) in single {
            by_record.entry((&table.unit, tally.one)).or_default().extend(cells_of(cell));
        }
    }
    by_contributor.into_values().for_each(|cells| persons.add(&cells));
    by_record.into_values().for_each(|cells| persons.add(&cells));
    persons.lists()
}

/// How far someone who is alone in one cell must be kept from an unsafe sum that she is in too, and what others have in it, as it is no less than
/// her own. Where she has most of it, a rule asks for the rest of its distance for her own sake.
fn insiders(
    family: &Family,
    made: &[Made],
    alone: &[Vec<u32>],
    rests: &[&Rest],
    rules: Option<&MagnitudeRules>,
) -> BTreeMap<(u32, u32), (i64, i64)> {
    let whose = system::lone_contributors(alone, family.system.cells.len());
    let (persons, mut amounts) = amounts(family, made, rests, &whose);
    for rest in rests {
        let published = |cell: &u32| family.homes[*cell as usize].is_some();
        let Some([whole, inside]) = rest.between.filter(|two| two.iter().all(published)) else { continue };
        let mut left = amounts.get(&whole).cloned().unwrap_or_default();
        for (contributor, amount) in amounts.get(&inside).into_iter().flatten() {
            *left.entry(*contributor).or_default() -= amount;
        }
        left.retain(|_, amount| *amount > 0);
        amounts.insert(rest.cell, left);
    }
    let mut found = BTreeMap::new();
    let asked = |cell: u32| matches!(family.system.cells[cell as usize].status, Status::Unsafe | Status::Unpublished);
    for (cell, amounts) in amounts.into_iter().filter(|(cell, _)| asked(*cell)) {
        let mut largest: Vec<i64> = amounts.values().copied().collect();
        largest.sort_unstable_by(|a, b| b.cmp(a));
        let sum: i64 = largest.iter().sum();
        for (person, own) in amounts.iter().filter_map(|(who, amount)| Some((persons.get(who)?, *amount))) {
            let most = match rules {
                _ if amounts.len() == 1 => 0,
                Some(rules) if largest.first() == Some(&own) => beside_largest(&largest[1..], rules),
                _ => i64::MAX,
            };
            found.insert((cell, person - 1), (most, sum - own));
        }
    }
    found
}

/// How far below an unsafe count someone who is alone in another and counted in it too must be kept at most: she knows that it is no less
/// than one.
fn counted(family: &Family, made: &[Made], alone: &[Vec<u32>]) -> BTreeMap<(u32, u32), i64> {
    let whose = system::lone_contributors(alone, family.system.cells.len());
    let mut persons: BTreeMap<(&str, u64), u32> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for looks_for_persons in [true, false].into_iter().filter(|_| family.system.counts) {
        for (place, at) in family.tables.iter().enumerate().filter(|(_, at)| made[**at].table.magnitudes.is_none()) {
            let Made { table, inner, .. } = &made[*at];
            let matrix = inner.matrix(&table.dimensions);
            for (cell, tally) in inner.tallies.iter().enumerate().filter(|(_, tally)| tally.count == 1) {
                let record = (table.unit.as_str(), tally.one);
                for at in matrix.row(cell) {
                    let (cell, count) = (family.cells[place][*at as usize], table.counts[*at as usize]);
                    if looks_for_persons {
                        persons
                            .extend((count == 1 && whose[cell as usize] != 0).then(|| (record, whose[cell as usize])));
                    } else if let Some(person) = persons.get(&record)
                        && count > 1
                        && family.system.cells[cell as usize].status == Status::Unsafe
                    {
                        found.insert((cell, person - 1), count as i64 - 1);
                    }
                }
            }
        }
    }
    found
}

/// What each contributor gave to a cell, by number.
type Amounts = BTreeMap<u32, BTreeMap<u64, i64>>;

/// For contributors who are alone in a cell who they are, and what each contributor gave to unsafe cells and those that something is left
/// between.
fn amounts(family: &Family, made: &[Made], rests: &[&Rest], whose: &[u32]) -> (BTreeMap<u64, u32>, Amounts) {
    let between: BTreeSet<u32> = rests.iter().filter_map(|rest| rest.between).flatten().collect();
    let (mut persons, mut amounts) = (BTreeMap::new(), Amounts::new());
    for (place, at) in family.tables.iter().enumerate() {
        let Made { table, inner, .. } = &made[*at];
        let matrix = inner.matrix(&table.dimensions);
        let Some(magnitudes) = &table.magnitudes else { continue };
        for given in &inner.contributions {
            for at in matrix.row(given.cell as usize) {
                let cell = family.cells[place][*at as usize];
                let person = whose[cell as usize];
                if magnitudes.contributors[*at as usize] == 1 && person != 0 {
                    persons.insert(given.contributor, person);
                }
                let asked = family.system.cells[cell as usize].status == Status::Unsafe || between.contains(&cell);
                if asked && family.homes[cell as usize] == Some((place, *at as usize)) {
                    *amounts.entry(cell).or_default().entry(given.contributor).or_default() += given.amount;
                }
            }
        }
    }
    (persons, amounts)
}

/// Cells that are known to one person, put together as it is found that they are the same person's.
#[derive(Default)]
struct Persons {
    /// For each cell another of the same person, or itself.
    next: BTreeMap<u32, u32>,
}

impl Persons {
    fn first(&self, mut cell: u32) -> u32 {
        while let Some(next) = self.next.get(&cell).filter(|next| **next != cell) {
            cell = *next;
        }
        cell
    }

    fn add(&mut self, cells: &[u32]) {
        let Some(first) = cells.iter().map(|cell| self.first(*cell)).min() else { return };
        for cell in cells {
            let last = self.first(*cell);
            self.next.insert(last, first);
            self.next.insert(*cell, first);
        }
    }

    fn lists(&self) -> Vec<Vec<u32>> {
        let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        self.next.keys().for_each(|cell| lists.entry(self.first(*cell)).or_default().push(*cell));
        lists.into_values().collect()
    }
}
