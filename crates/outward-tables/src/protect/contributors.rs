//! What contributors know about cells because of their own amounts (K7 and M8 of `docs/methods/attacker.md`).

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::MagnitudeRules;

use super::counted::Totals;
use crate::family::{Difference, Family};
use crate::judge::beside_largest;
use crate::make::CountedTable;
use outward_audit::{Cell, Status, System};
use outward_audit::{Inside, Outside};

/// No cell needs to fall by more than this times the largest protection level. So only contributors matter who have
/// nearly all of a cell.
const FALL_FACTOR: i64 = 8;

/// How many of the largest contributors to a sum are treated one by one. Each of the others has at most a ninth of it.
/// For their sake the sum is taken to be at least the next largest contribution.
const LARGEST_CONTRIBUTORS: usize = 8;

/// What contributors know, and the protection levels against them.
#[derive(Default)]
pub(super) struct Known {
    /// Singletons: one list of cells for each person; empty for a person who is alone in no cell.
    pub(super) alone: Vec<Vec<u32>>,
    /// Cells that one of these persons shares with others, and differences in which they are alone.
    pub(super) inside: Vec<Inside>,
    /// The protection levels of unsafe sums against people who are not in them.
    pub(super) outside: Vec<Outside>,
    /// For each person their records in the tables that have atoms. `verify` finds the atoms by these.
    pub(super) records: BTreeMap<u32, Vec<OwnRecord>>,
    /// Lower bounds of cells, for the sake of people who are not treated one by one.
    pub(super) floors: Vec<(u32, i64)>,
}

/// A record of a person, or several records that are in the same atoms.
pub(super) struct OwnRecord {
    /// The published cells that count it and are no sums of others.
    pub(super) cells: Vec<u32>,
    /// Its amount in each of these.
    pub(super) amount: i64,
    /// The tables, by position in the family, that count it in no other cells except sums.
    pub(super) places: Vec<usize>,
}

impl Known {
    /// Finds what contributors know. Nobody is assumed to know that they are alone in a difference between tables, but
    /// they may learn the difference, as it is their own. `left` has protection levels of cells that also hold against
    /// contributors, for the sake of others. `differing` has counts that are unsafe only because of a difference with
    /// another table.
    pub(super) fn new(
        family: &Family,
        made: &[CountedTable],
        differences: &[&Difference],
        (left, differing): (&BTreeMap<u32, i64>, &BTreeSet<u32>),
        rules: Option<&MagnitudeRules>,
    ) -> Self {
        let mut known = Self::default();
        for cells in persons(family, made, differences) {
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
            true => known.add_counted(family, made, differences, differing),
            false => {
                let people = known.add_sums(family, made, differences, left, rules);
                known.leave_own_differences(family, differences, &people, (left, differing));
            }
        }
        known
    }

    /// Asks nothing of cells that are unsafe only because of differences for the sake of people who are in all of these.
    /// What others have in a difference is protected with the difference.
    fn leave_own_differences(
        &mut self,
        family: &Family,
        differences: &[&Difference],
        people: &BTreeMap<u64, u32>,
        (left, differing): (&BTreeMap<u32, i64>, &BTreeSet<u32>),
    ) {
        let own: BTreeMap<u32, u32> =
            self.inside.iter().filter(|of| of.up == 0 && of.down == 0).map(|of| (of.cell, of.person)).collect();
        let persons = |rest: &Difference| -> BTreeSet<u32> {
            let contributors = rest.contributors.iter().filter_map(|(who, _)| Some(people.get(who)? - 1));
            // A person who is alone in a difference of estimates.
            contributors.chain(own.get(&rest.cell).copied()).collect()
        };
        let mut of_cell: BTreeMap<u32, Vec<&Difference>> = BTreeMap::new();
        for rest in differences {
            let cells: BTreeSet<u32> = rest.left_by.iter().flatten().copied().collect();
            cells.into_iter().for_each(|cell| of_cell.entry(cell).or_default().push(rest));
        }
        for cell in differing {
            let Some((first, others)) = of_cell.get(cell).and_then(|of| of.split_first()) else { continue };
            // Differences that are not among these ask for more.
            let asked = [*first].into_iter().chain(others.iter().copied());
            let asked = asked.map(|rest| apart(family.system.cells[rest.cell as usize].value)).max();
            if left.get(cell).copied() > asked {
                continue;
            }
            for person in others.iter().fold(persons(first), |all, rest| &all & &persons(rest)) {
                match self.inside.iter_mut().find(|of| of.cell == *cell && of.person == person) {
                    Some(inside) => (inside.up, inside.down) = (0, 0),
                    None => self.inside.push(Inside { cell: *cell, person, rest: i64::MAX, up: 0, down: 0 }),
                }
            }
        }
    }

    /// A system with the lower bounds that people know who are not treated one by one.
    pub(super) fn bounded(&self, system: &System) -> System {
        let mut bounded = system.clone();
        for (cell, floor) in &self.floors {
            let cell = &mut bounded.cells[*cell as usize];
            cell.lower = cell.lower.max(*floor);
        }
        bounded
    }

    /// For each cell the number of the person who is alone in it, from 1; 0 if there is none.
    pub(super) fn whose(&self, cells: usize) -> Vec<u32> {
        let mut whose = vec![0; cells];
        for (person, own) in (1..).zip(&self.alone) {
            own.iter().for_each(|cell| whose[*cell as usize] = person);
        }
        whose
    }

    /// Adds what contributors to sums know: a sum is no less than their own amount in it. They must not be able to
    /// estimate the amounts of others more closely than the rules allow. Returns the contributors by number, from 1.
    fn add_sums(
        &mut self,
        family: &Family,
        made: &[CountedTable],
        differences: &[&Difference],
        left: &BTreeMap<u32, i64>,
        rules: Option<&MagnitudeRules>,
    ) -> BTreeMap<u64, u32> {
        let cells = &family.system.cells;
        let between: BTreeSet<u32> = differences.iter().map(|rest| rest.cell).collect();
        let asked = |cell: u32| cells[cell as usize].status == Status::Unsafe || between.contains(&cell);
        let is_atom = |cell: u32| family.homes[cell as usize].is_none() && !between.contains(&cell);
        let far = if rules.is_some() { far(cells, differences) } else { FALL_FACTOR };
        let (mut people, amounts) = amounts(family, made, differences, &self.whose(cells.len()), far);
        let atoms: Vec<u32> = amounts.keys().copied().filter(|cell| is_atom(*cell)).collect();
        let near = |cell: u32, shares: &[(i64, u64)], own: i64| {
            let Cell { value, lower, .. } = cells[cell as usize];
            // Nobody knows that they are alone in an atom.
            let several = shares.len() > 1 || is_atom(cell);
            rules.is_some() && lower >= 0 && several && value - own < far && !between.contains(&cell)
        };
        let by_size = |(cell, amounts): (u32, BTreeMap<u64, i64>)| {
            let mut shares: Vec<(i64, u64)> = amounts.into_iter().map(|(who, amount)| (amount, who)).collect();
            shares.sort_unstable_by(|a, b| b.cmp(a));
            (cell, shares)
        };
        let amounts: Vec<(u32, Vec<(i64, u64)>)> = amounts.into_iter().map(by_size).collect();
        for (cell, shares) in &amounts {
            for (_, who) in shares.iter().take(LARGEST_CONTRIBUTORS).filter(|(own, _)| near(*cell, shares, *own)) {
                people.entry(*who).or_insert_with(|| {
                    self.alone.push(Vec::new());
                    self.alone.len() as u32
                });
            }
        }
        for (cell, shares) in amounts {
            let sum: i64 = shares.iter().map(|(amount, _)| amount).sum();
            let beside = |who: Option<u64>| {
                let others: Vec<i64> =
                    shares.iter().filter(|(_, other)| Some(*other) != who).map(|(amount, _)| *amount).collect();
                let most = match rules {
                    _ if others.is_empty() => 0,
                    Some(rules) => beside_largest(&others, rules),
                    None => i64::MAX,
                };
                most.max(left.get(&cell).copied().unwrap_or_default())
            };
            for (at, (own, who)) in shares.iter().enumerate() {
                let Some(person) = people.get(who) else { continue };
                let listed = at < LARGEST_CONTRIBUTORS && near(cell, &shares, *own);
                if asked(cell) || listed {
                    let up = if asked(cell) { beside(Some(*who)) } else { i64::MAX };
                    let rest = if listed { cells[cell as usize].value - own } else { i64::MAX };
                    self.inside.push(Inside { cell, person: person - 1, rest, up, down: up.min(sum - own) });
                }
            }
            if asked(cell) && rules.is_some() {
                let up = beside(None);
                self.outside.push(Outside { cell, up, down: up.min(sum) });
            }
            if let Some((own, _)) = shares.get(LARGEST_CONTRIBUTORS).filter(|(own, _)| near(cell, &shares, *own)) {
                self.floors.push((cell, *own));
            }
        }
        self.add_records(family, made, &people);
        let published = (0..cells.len() as u32).filter(|cell| family.homes[*cell as usize].is_some());
        let sums = published.chain(atoms).filter(|cell| rules.is_some() && cells[*cell as usize].lower >= 0);
        self.floors.extend(sums.map(|cell| (cell, cells[cell as usize].value.saturating_sub(far))));
        people
    }
}

/// The protection level of a difference of sums or estimates: a fifth of it, as by the p % rule with p = 20.
pub(super) fn apart(difference: i64) -> i64 {
    i64::try_from(difference.unsigned_abs().div_ceil(5)).unwrap_or(i64::MAX).max(1)
}

impl Known {
    /// The records of contributors to sums.
    fn add_records(&mut self, family: &Family, made: &[CountedTable], people: &BTreeMap<u64, u32>) {
        if family.people.is_empty() {
            return;
        }
        let (totals, finest) = (Totals::new(&family.system), family.finest_cells(made));
        for of in &family.people {
            for given in &of.contributions {
                let Some(person) = people.get(&given.contributor) else { continue };
                let all = totals.above(&of.records[given.cell as usize]);
                self.records.entry(person - 1).or_default().push(OwnRecord {
                    cells: all.into_iter().filter(|cell| finest.contains(cell)).collect(),
                    amount: given.amount,
                    places: family.places_with_atoms(of),
                });
            }
        }
    }
}

/// The singletons of each person, who knows them although they are hidden. Two cells belong to the same person if both
/// count an inner cell of one person, or if they have the same record.
fn persons(family: &Family, made: &[CountedTable], differences: &[&Difference]) -> Vec<Vec<u32>> {
    let mut persons = Persons::default();
    // A person who was in the only collision of a cell knows how many were hurt there.
    family.alone.iter().for_each(|(record, linked)| persons.add(&[*record, *linked]));
    let mut by_record: BTreeMap<(&str, u64), Vec<u32>> = BTreeMap::new();
    for rest in differences {
        let record = rest.record.as_ref().map(|(unit, record)| (unit.as_str(), *record));
        record.into_iter().for_each(|record| by_record.entry(record).or_default().push(rest.cell));
    }
    let mut by_contributor: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (place, at) in family.tables.iter().enumerate() {
        let CountedTable { table, inner, .. } = &made[*at];
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

/// The amount of each contributor in a cell, by number.
type Amounts = BTreeMap<u32, BTreeMap<u64, i64>>;

/// The contributor of each singleton, and the amounts of each contributor in some cells. These are unsafe cells,
/// differences, and cells in which all contributors except the largest have less than `far`.
fn amounts(
    family: &Family,
    made: &[CountedTable],
    differences: &[&Difference],
    whose: &[u32],
    far: i64,
) -> (BTreeMap<u64, u32>, Amounts) {
    let (mut persons, mut amounts) = (BTreeMap::new(), Amounts::new());
    for (place, at) in family.tables.iter().enumerate() {
        let CountedTable { table, inner, .. } = &made[*at];
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
                let asked = near || family.system.cells[cell as usize].status == Status::Unsafe;
                if asked && family.homes[cell as usize] == Some((place, *at as usize)) {
                    *amounts.entry(cell).or_default().entry(given.contributor).or_default() += given.amount;
                }
            }
        }
    }
    add_atoms(family, &mut amounts);
    for rest in differences.iter().filter(|rest| !rest.contributors.is_empty()) {
        amounts.insert(rest.cell, rest.contributors.iter().copied().collect());
    }
    (persons, amounts)
}

/// Adds what contributors have in unpublished atoms.
fn add_atoms(family: &Family, amounts: &mut Amounts) {
    for of in &family.people {
        for given in &of.contributions {
            let atoms = of.records[given.cell as usize].iter();
            for atom in atoms.filter(|atom| family.homes[**atom as usize].is_none()) {
                *amounts.entry(*atom).or_default().entry(given.contributor).or_default() += given.amount;
            }
        }
    }
}

/// A distance that no cell needs to fall: [`FALL_FACTOR`] times the largest protection level of a cell or a difference.
pub(super) fn far(cells: &[Cell], differences: &[&Difference]) -> i64 {
    let asked = cells.iter().filter(|cell| cell.status == Status::Unsafe);
    let asked = asked.map(|cell| cell.lower_protection.max(cell.upper_protection).max(cell.sliding_protection));
    let left = differences.iter().map(|rest| cells[rest.cell as usize].value.saturating_abs());
    asked.chain(left).max().unwrap_or(0).max(1).saturating_mul(FALL_FACTOR)
}

/// Cells that one person knows. Lists are joined once they are found to belong to the same person.
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
