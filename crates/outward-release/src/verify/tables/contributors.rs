//! Whoever is counted and contributors to hidden sums as attackers: each knows what is their own, which is in the certificate and nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use outward_audit::{Inside, Outside};
use outward_tables::protect::{ContributorRecord, FamilyCertificate};

use super::attack::Stop;

/// What contributors know of cells, by number.
#[derive(Default)]
pub(super) struct Contributors {
    /// For each of them the cells they are alone in, those they share, and what those must be able to be for them.
    people: Vec<Person>,
    /// What unsafe cells must be able to be for those who are not in them.
    outside: Vec<(u32, i64, i64)>,
    /// The published cells of the tables that records name.
    scopes: BTreeMap<Vec<String>, BTreeSet<u32>>,
}

struct Person {
    alone: Vec<(u32, i64)>,
    shared: Vec<(u32, i64)>,
    asked: BTreeMap<u32, (i64, i64)>,
    records: Vec<Record>,
}

/// A record of someone, or several that are in the same cells.
struct Record {
    /// The cells it is in; at first those that are no sums of others, then all.
    cells: BTreeSet<u32>,
    amount: i64,
    /// The tables in which it is in no other cell.
    tables: Vec<String>,
}

impl Contributors {
    pub(super) fn of(
        certificate: Option<&FamilyCertificate>,
        names: &BTreeMap<String, u32>,
    ) -> std::result::Result<Self, Stop> {
        let Some(family) = certificate else { return Ok(Self::default()) };
        let cell = |name: &String| {
            names.get(name).copied().ok_or_else(|| Stop::fails("the certificate names a cell that is not published"))
        };
        let own = |cells: &[(String, i64)]| {
            cells.iter().map(|(name, amount)| Ok((cell(name)?, *amount))).collect::<std::result::Result<_, Stop>>()
        };
        let ends = |cells: &[(String, i64, i64)]| {
            let of = |(name, least, most): &(String, i64, i64)| Ok((cell(name)?, *least, *most));
            cells.iter().map(of).collect::<std::result::Result<Vec<_>, Stop>>()
        };
        let record = |of: &ContributorRecord| {
            let cells = of.cells.iter().map(&cell).collect::<std::result::Result<_, Stop>>()?;
            Ok(Record { cells, amount: of.amount, tables: of.tables.clone() })
        };
        let mut people = Vec::new();
        for person in &family.contributors {
            let asked = ends(&person.asked)?.into_iter().map(|(cell, least, most)| (cell, (least, most))).collect();
            let records = person.records.iter().map(record).collect::<std::result::Result<_, Stop>>()?;
            people.push(Person { alone: own(&person.alone)?, shared: own(&person.shared)?, asked, records });
        }
        Ok(Self { people, outside: ends(&family.outside)?, scopes: BTreeMap::new() })
    }

    /// Finds the atoms of each record: in a cell it is in, it is in the one part that lies in no cell it is not in, where there is one such part.
    /// `tables` are the published cells by table. Amounts of several records add up; of counts an attacker knows one record at a time, and what the
    /// certificate tells of it by table may name a cell twice.
    pub(super) fn find_atoms(
        &mut self,
        equations: &[Vec<(u32, i32)>],
        tables: &BTreeMap<&str, &[u32]>,
        are_counts: bool,
    ) {
        let sums = Sums::of(equations);
        for person in &mut self.people {
            let mut own: BTreeMap<u32, i64> = BTreeMap::new();
            for record in &mut person.records {
                let scope = self.scopes.entry(record.tables.clone()).or_insert_with(|| {
                    let named = record.tables.iter().filter_map(|name| tables.get(name.as_str()));
                    named.flat_map(|cells| cells.iter().copied()).collect()
                });
                let found = sums.find_atoms(&record.cells, scope);
                for cell in found {
                    let sum = own.entry(cell).or_default();
                    *sum = if are_counts { (*sum).max(record.amount) } else { sum.saturating_add(record.amount) };
                }
                record.cells = sums.above(&record.cells);
            }
            person.shared.extend(own);
        }
    }

    /// Bounds within which every contributor has their own amounts.
    pub(super) fn bounds(&self, bounds: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let mut own = bounds.to_vec();
        for person in &self.people {
            for (cell, amount) in &person.alone {
                let (lower, upper) = &mut own[*cell as usize];
                (*lower, *upper) = ((*lower).max(*amount), (*upper).min(*amount));
            }
            for (cell, amount) in &person.shared {
                let (lower, _) = &mut own[*cell as usize];
                *lower = (*lower).max(*amount);
            }
        }
        own
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// Those who are known to be in a cell and not in another inside it, by number.
    pub(super) fn beside(&self, whole: u32, inside: u32) -> impl Iterator<Item = u32> {
        let is_told =
            move |record: &Record| self.scopes.get(&record.tables).is_some_and(|scope| scope.contains(&inside));
        let differs =
            move |record: &Record| record.cells.contains(&whole) && !record.cells.contains(&inside) && is_told(record);
        let people = (0..).zip(&self.people).filter(move |(_, of)| of.records.iter().any(differs));
        people.map(|(person, _)| person)
    }

    /// Adds them to an attack on a table that has these values.
    pub(super) fn join(&self, choice: &mut outward_audit::Choice, values: &[i64], hidden: &[bool]) {
        let apart = |cell: u32, (least, most): (i64, i64)| {
            let value = values[cell as usize];
            (most.saturating_sub(value).max(0), value.saturating_sub(least).max(0))
        };
        for (person, of) in (0..).zip(&self.people) {
            let alone = of.alone.iter().map(|(cell, _)| *cell).filter(|cell| hidden[*cell as usize]);
            choice.alone.push(alone.collect());
            for (cell, amount) in of.shared.iter().filter(|(cell, _)| hidden[*cell as usize]) {
                let (up, down) = of.asked.get(cell).map_or((i64::MAX, i64::MAX), |ends| apart(*cell, *ends));
                let rest = values[*cell as usize].saturating_sub(*amount).max(0);
                choice.inside.push(Inside { cell: *cell, person, rest, up, down });
            }
        }
        choice.outside = (self.outside.iter().map(|(cell, least, most)| (*cell, apart(*cell, (*least, *most)))))
            .map(|(cell, (up, down))| Outside { cell, up, down })
            .collect();
    }
}

/// Which cells are sums of which.
struct Sums {
    /// For each cell those that it is a part of.
    totals: BTreeMap<u32, Vec<u32>>,
    /// For each cell the parts it is the sum of, once for each way to add it up.
    parts: BTreeMap<u32, Vec<Vec<u32>>>,
}

impl Sums {
    fn of(equations: &[Vec<(u32, i32)>]) -> Self {
        let mut sums = Self { totals: BTreeMap::new(), parts: BTreeMap::new() };
        for terms in equations {
            let mut whole = terms.iter().filter(|(_, by)| *by != 1);
            let (Some((total, -1)), None) = (whole.next(), whole.next()) else { continue };
            let parts: Vec<u32> = terms.iter().filter(|(_, by)| *by == 1).map(|(part, _)| *part).collect();
            parts.iter().for_each(|part| sums.totals.entry(*part).or_default().push(*total));
            sums.parts.entry(*total).or_default().push(parts);
        }
        sums
    }

    fn totals(&self, part: u32) -> &[u32] {
        self.totals.get(&part).map_or(&[], Vec::as_slice)
    }

    /// The cells of a record that are no sums of others, and the atoms it must be in, where these cells are all it is in of a `scope` but sums.
    fn find_atoms(&self, cells: &BTreeSet<u32>, scope: &BTreeSet<u32>) -> BTreeSet<u32> {
        let is_in = self.above(cells);
        let outside = |cell: &u32| scope.contains(cell) && !is_in.contains(cell);
        let mut found = cells.clone();
        for parts in cells.iter().filter_map(|cell| self.parts.get(cell)).flatten() {
            let excluded = |part: &u32| outside(part) || self.totals(*part).iter().any(outside);
            let mut possible = parts.iter().filter(|part| !excluded(part));
            if let (Some(part), None) = (possible.next(), possible.next()) {
                found.insert(*part);
            }
        }
        found
    }

    /// Some cells, and all that they are parts of.
    fn above(&self, cells: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut open: Vec<u32> = cells.iter().copied().collect();
        let mut found = cells.clone();
        while let Some(cell) = open.pop() {
            open.extend(self.totals(cell).iter().copied().filter(|total| found.insert(*total)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A ring of three tables of two values each: the cells of *a* by *b* are 0 to 3, of *b* by *c* 4 to 7, of *a* by *c* 8 to 11, and atoms follow.
    fn ring() -> Vec<Vec<(u32, i32)>> {
        let sum =
            |cell: u32, atoms: [u32; 2]| atoms.into_iter().map(|atom| (12 + atom, 1)).chain([(cell, -1)]).collect();
        let cells = (0..4).map(|at| {
            let (first, second) = (at / 2, at % 2);
            [
                sum(at, [4 * first + 2 * second, 4 * first + 2 * second + 1]),
                sum(4 + at, [2 * first + second, 4 + 2 * first + second]),
                sum(8 + at, [4 * first + second, 4 * first + 2 + second]),
            ]
        });
        cells.flatten().collect()
    }

    #[test]
    fn of_two_records_in_one_cell_each_is_found_in_its_atom() {
        // Both are at the first value of a and of b, one at each value of c.
        let record =
            |cells: [u32; 3], amount| Record { cells: BTreeSet::from(cells), amount, tables: vec!["all".to_owned()] };
        let records = vec![record([0, 4, 8], 30), record([0, 5, 9], 12)];
        let person = Person { alone: Vec::new(), shared: Vec::new(), asked: BTreeMap::new(), records };
        let mut contributors = Contributors { people: vec![person], ..Contributors::default() };
        let published: Vec<u32> = (0..12).collect();
        contributors.find_atoms(&ring(), &BTreeMap::from([("all", &published[..])]), false);
        let shared: BTreeMap<u32, i64> = contributors.people[0].shared.iter().copied().collect();
        assert_eq!(shared, BTreeMap::from([(0, 42), (4, 30), (5, 12), (8, 30), (9, 12), (12, 30), (13, 12)]));
    }
}
