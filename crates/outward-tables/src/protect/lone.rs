//! Who knows a cell because it is her own.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::MagnitudeRules;

use crate::family::{Family, Rest};
use crate::judge::beside_largest;
use crate::make::Made;
use crate::system::{self, Inside, Status};

/// Who knows cells because they are her own, and what need not be kept from her.
#[derive(Default)]
pub(super) struct Lone {
    /// Cells of one contributor, those of the same person together.
    pub(super) alone: Vec<Vec<u32>>,
    /// What one of these persons is alone in, or contributes most to.
    pub(super) inside: Vec<Inside>,
}

impl Lone {
    /// Finds them. Nobody is taken to know that she is alone in what is left between tables, but she may learn of it, as it is her own.
    pub(super) fn of(family: &Family, made: &[Made], rests: &[&Rest], rules: Option<&MagnitudeRules>) -> Self {
        let mut lone = Self::default();
        let mut inside: BTreeMap<(u32, u32), i64> = BTreeMap::new();
        for cells in persons(family, made, rests) {
            let (published, left): (Vec<u32>, Vec<u32>) =
                cells.into_iter().partition(|cell| family.homes[*cell as usize].is_some());
            if !published.is_empty() {
                inside.extend(left.into_iter().map(|cell| ((cell, lone.alone.len() as u32), 0)));
                lone.alone.push(published);
            }
        }
        for (cell, person, distance) in
            rules.map(|rules| insiders(family, made, &lone.alone, rests, rules)).into_iter().flatten()
        {
            inside.entry((cell, person)).or_insert(distance);
        }
        lone.inside = inside.into_iter().map(|((cell, person), distance)| Inside { cell, person, distance }).collect();
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
        let single = inner.tallies.iter().enumerate().filter(|(_, tally)| tally.count == 1);
        for (cell, tally) in single {
            by_record.entry((&table.unit, tally.one)).or_default().extend(cells_of(cell));
        }
    }
    by_contributor.into_values().for_each(|cells| persons.add(&cells));
    by_record.into_values().for_each(|cells| persons.add(&cells));
    persons.lists()
}

/// The unsafe sums that someone who is alone in another cell contributes most to, with who she is and how far from them she must be kept:
/// not for her own sake.
fn insiders(
    family: &Family,
    made: &[Made],
    alone: &[Vec<u32>],
    rests: &[&Rest],
    rules: &MagnitudeRules,
) -> Vec<(u32, u32, i64)> {
    let whose = system::lone_contributors(alone, family.system.cells.len());
    let between: BTreeSet<u32> = rests.iter().filter_map(|rest| rest.between).flatten().collect();
    let mut persons: BTreeMap<u64, u32> = BTreeMap::new();
    let mut amounts: BTreeMap<u32, BTreeMap<u64, i64>> = BTreeMap::new();
    for (place, at) in family.tables.iter().enumerate() {
        let Made { table, inner, .. } = &made[*at];
        let (Some(magnitudes), matrix) = (&table.magnitudes, inner.matrix(&table.dimensions)) else { continue };
        let at_home = |cell: u32, at: u32| family.homes[cell as usize] == Some((place, at as usize));
        for given in &inner.contributions {
            for at in matrix.row(given.cell as usize) {
                let cell = family.cells[place][*at as usize];
                let person = whose[cell as usize];
                if magnitudes.contributors[*at as usize] == 1 && person != 0 {
                    persons.insert(given.contributor, person);
                }
                let asked = family.system.cells[cell as usize].status == Status::Unsafe || between.contains(&cell);
                if asked && at_home(cell, *at) {
                    *amounts.entry(cell).or_default().entry(given.contributor).or_default() += given.amount;
                }
            }
        }
    }
    for rest in rests {
        let Some([whole, inside]) = rest.between else { continue };
        let mut left = amounts.get(&whole).cloned().unwrap_or_default();
        for (contributor, amount) in amounts.get(&inside).into_iter().flatten() {
            *left.entry(*contributor).or_default() -= amount;
        }
        left.retain(|_, amount| *amount > 0);
        amounts.insert(rest.cell, left);
    }
    let mut found = Vec::new();
    for (cell, amounts) in amounts {
        let largest = amounts.values().copied().max();
        let most = amounts.iter().filter(|(_, amount)| Some(**amount) == largest);
        for (person, contributor) in most.filter_map(|(who, _)| Some((persons.get(who)?, who))) {
            let others = amounts.iter().filter(|(other, _)| *other != contributor).map(|(_, amount)| *amount);
            let mut others: Vec<i64> = others.collect();
            others.sort_unstable_by(|a, b| b.cmp(a));
            found.push((cell, person - 1, beside_largest(&others, rules)));
        }
    }
    found
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
