//! Who knows something of a cell because it is their own (K7 and M8 of `docs/methods/attacker.md`).

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::MagnitudeRules;

use crate::contributors::{Inside, Outside};
use crate::family::{Family, Rest};
use crate::judge::beside_largest;
use crate::make::Made;
use crate::system::{Cell, Status, System};

/// No sum needs to fall by more than so many times the most that is asked of any, so that only those matter who have nearly all of one.
const FURTHER: i64 = 8;

/// As many of those who have most of a sum are looked at one by one. The others have a ninth of it at most, and the sum is not taken to be
/// less than what the next of them has.
const LARGEST: usize = 8;

/// What contributors know of their own, and how far they are kept from what they share with others.
#[derive(Default)]
pub(super) struct Known {
    /// Cells of one contributor, those of the same person together; none for those who are alone in no cell.
    pub(super) alone: Vec<Vec<u32>>,
    /// What one of these persons is in with others, or alone in between tables.
    pub(super) inside: Vec<Inside>,
    /// How far unsafe sums are kept from those who are not in them.
    pub(super) outside: Vec<Outside>,
    /// What sums are not taken to be less than, for the sake of those who are not looked at one by one.
    floors: Vec<(u32, i64)>,
}

impl Known {
    /// Finds them. Nobody is taken to know that they are alone in what is left between tables, but they may learn of it, as it is their own.
    /// From the cells of `left` they are kept at least as far as they say, as that is for the sake of others.
    pub(super) fn of(
        family: &Family,
        made: &[Made],
        rests: &[&Rest],
        left: &BTreeMap<u32, i64>,
        rules: Option<&MagnitudeRules>,
    ) -> Self {
        let mut known = Self::default();
        for cells in persons(family, made, rests) {
            let (published, between): (Vec<u32>, Vec<u32>) =
                cells.into_iter().partition(|cell| family.homes[*cell as usize].is_some());
            if !published.is_empty() {
                let person = known.alone.len() as u32;
                let own = between.into_iter().map(|cell| Inside { cell, person, rest: i64::MAX, up: 0, down: 0 });
                known.inside.extend(own);
                known.alone.push(published);
            }
        }
        match family.system.counts {
            true => known.add_counted(family, made),
            false => known.add_sums(family, made, rests, left, rules),
        }
        known
    }

    /// A system in which no sum is less than those who are not looked at one by one know it to be.
    pub(super) fn bounded(&self, system: &System) -> System {
        let mut bounded = system.clone();
        for (cell, floor) in &self.floors {
            let cell = &mut bounded.cells[*cell as usize];
            cell.lower = cell.lower.max(*floor);
        }
        bounded
    }

    /// For each cell the number of the person who is alone in it, from 1; 0 for none.
    fn whose(&self, cells: usize) -> Vec<u32> {
        let mut whose = vec![0; cells];
        for (person, own) in (1..).zip(&self.alone) {
            own.iter().for_each(|cell| whose[*cell as usize] = person);
        }
        whose
    }

    /// What contributors to sums know: that a sum is no less than their own amount in it. They must not come nearer to the amounts of
    /// others than the rules ask.
    fn add_sums(
        &mut self,
        family: &Family,
        made: &[Made],
        rests: &[&Rest],
        left: &BTreeMap<u32, i64>,
        rules: Option<&MagnitudeRules>,
    ) {
        let cells = &family.system.cells;
        let asked = |status: Status| matches!(status, Status::Unsafe | Status::Unpublished);
        let far = cells.iter().filter(|cell| cell.status == Status::Unsafe);
        let far = far.map(|cell| cell.lower_protection.max(cell.upper_protection).max(cell.sliding_protection)).max();
        let far = rules.and(far).unwrap_or(0).max(1).saturating_mul(FURTHER);
        let (mut people, amounts) = amounts(family, made, rests, &self.whose(cells.len()), far);
        for (cell, amounts) in amounts {
            let Cell { status, value, lower, .. } = cells[cell as usize];
            let mut largest: Vec<(i64, u64)> = amounts.iter().map(|(who, amount)| (*amount, *who)).collect();
            largest.sort_unstable_by(|a, b| b.cmp(a));
            let sum: i64 = largest.iter().map(|(amount, _)| amount).sum();
            let beside = |who: Option<u64>| {
                let others: Vec<i64> =
                    largest.iter().filter(|(_, other)| Some(*other) != who).map(|(amount, _)| *amount).collect();
                let most = match rules {
                    _ if others.is_empty() => 0,
                    Some(rules) => beside_largest(&others, rules),
                    None => i64::MAX,
                };
                most.max(left.get(&cell).copied().unwrap_or_default())
            };
            let near = |own: i64| rules.is_some() && lower >= 0 && largest.len() > 1 && value - own < far;
            for (at, (own, who)) in largest.iter().enumerate() {
                let listed = at < LARGEST && near(*own) && status != Status::Unpublished;
                let person = match people.get(who) {
                    Some(person) => *person,
                    None if listed => {
                        self.alone.push(Vec::new());
                        people.insert(*who, self.alone.len() as u32);
                        self.alone.len() as u32
                    }
                    None => continue,
                };
                if asked(status) || listed {
                    let up = if asked(status) { beside(Some(*who)) } else { i64::MAX };
                    let rest = if listed { value - own } else { i64::MAX };
                    self.inside.push(Inside { cell, person: person - 1, rest, up, down: up.min(sum - own) });
                }
            }
            if asked(status) && rules.is_some() {
                let up = beside(None);
                self.outside.push(Outside { cell, up, down: up.min(sum) });
            }
            if let Some((own, _)) = largest.get(LARGEST).filter(|(own, _)| near(*own)) {
                self.floors.push((cell, *own));
            }
        }
        let sums = (0..).zip(cells).filter(|(cell, of)| of.lower >= 0 && family.homes[*cell as usize].is_some());
        self.floors.extend(sums.filter(|_| rules.is_some()).map(|(cell, of)| (cell, of.value.saturating_sub(far))));
    }

    /// Whoever is alone in one count and is in an unsafe one too knows that it is no less than one.
    fn add_counted(&mut self, family: &Family, made: &[Made]) {
        let whose = self.whose(family.system.cells.len());
        let mut people: BTreeMap<(&str, u64), u32> = BTreeMap::new();
        let mut found = BTreeMap::new();
        for looks_for_people in [true, false] {
            for (place, at) in family.tables.iter().enumerate().filter(|(_, at)| made[**at].table.magnitudes.is_none())
            {
                let Made { table, inner, .. } = &made[*at];
                let matrix = inner.matrix(&table.dimensions);
                for (cell, tally) in inner.tallies.iter().enumerate().filter(|(_, tally)| tally.count == 1) {
                    let record = (table.unit.as_str(), tally.one);
                    for at in matrix.row(cell) {
                        let (cell, count) = (family.cells[place][*at as usize], table.counts[*at as usize]);
                        if looks_for_people {
                            let own = (count == 1 && whose[cell as usize] != 0).then(|| (record, whose[cell as usize]));
                            people.extend(own);
                        } else if let Some(person) = people.get(&record)
                            && count > 1
                            && family.system.cells[cell as usize].status == Status::Unsafe
                        {
                            found.insert((cell, person - 1), count as i64 - 1);
                        }
                    }
                }
            }
        }
        let inside =
            found.into_iter().map(|((cell, person), rest)| Inside { cell, person, rest, up: i64::MAX, down: rest });
        self.inside.extend(inside);
    }
}

/// The cells that have one contributor, person by person: hidden, they are known to them. Two cells are the same person's where an inner
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

/// What each contributor gave to a cell, by number.
type Amounts = BTreeMap<u32, BTreeMap<u64, i64>>;

/// For contributors who are alone in a cell who they are, and what each contributor gave to unsafe cells, those that something is left
/// between, and those of which the others have less than `far` beside the largest.
fn amounts(family: &Family, made: &[Made], rests: &[&Rest], whose: &[u32], far: i64) -> (BTreeMap<u64, u32>, Amounts) {
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
                let largest = magnitudes.largest[*at as usize].first().copied().unwrap_or_default();
                let near = magnitudes.sums[*at as usize].saturating_sub(largest) < far;
                let asked =
                    near || family.system.cells[cell as usize].status == Status::Unsafe || between.contains(&cell);
                if asked && family.homes[cell as usize] == Some((place, *at as usize)) {
                    *amounts.entry(cell).or_default().entry(given.contributor).or_default() += given.amount;
                }
            }
        }
    }
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
