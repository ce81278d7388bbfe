//! People who are counted, and contributors to hidden sums, as attackers. Each knows what is their own, which is in the certificate and nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use outward_audit::{Inside, Outside};
use outward_tables::protect::{ContributorRecord, FamilyCertificate};

use super::attack::Stop;

/// A cell is raised no more often than this with what its parts are at least.
const MOST_RAISED: usize = 50;

/// Lists of tables, and of each whether a cell is published in one of them.
type Scopes = Vec<(Vec<String>, Vec<bool>)>;

/// What contributors know of cells, by number.
#[derive(Default)]
pub(super) struct Contributors {
    /// For each of them the cells they are alone in, those they share, and what those must be able to be for them.
    people: Vec<Person>,
    /// What unsafe cells must be able to be for those who are not in them.
    outside: Vec<(u32, i64, i64)>,
    /// The lists of tables that records name, and of each whether a cell is published in one of them.
    scopes: Scopes,
    sums: Sums,
}

struct Person {
    alone: Vec<(u32, i64)>,
    shared: Vec<(u32, i64)>,
    asked: BTreeMap<u32, (i64, i64)>,
    records: Vec<Record>,
}

/// A record of someone, or several that are in the same cells.
struct Record {
    /// The cells it is in, ascending; at first those that are no sums of others, then all.
    cells: Vec<u32>,
    amount: i64,
    /// The tables in which it is in no other cell, by the number of their list.
    scope: usize,
}

impl Contributors {
    pub(super) fn new<'a>(
        certificate: Option<&'a FamilyCertificate>,
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
        let mut scopes = Scopes::new();
        let mut numbers: BTreeMap<&[String], usize> = BTreeMap::new();
        let mut record = |of: &'a ContributorRecord| {
            let mut cells = of.cells.iter().map(&cell).collect::<std::result::Result<Vec<u32>, Stop>>()?;
            cells.sort_unstable();
            let scope = *numbers.entry(&of.tables[..]).or_insert_with(|| {
                scopes.push((of.tables.clone(), Vec::new()));
                scopes.len() - 1
            });
            Ok(Record { cells, amount: of.amount, scope })
        };
        let mut people = Vec::new();
        for person in &family.contributors {
            let asked = ends(&person.asked)?.into_iter().map(|(cell, least, most)| (cell, (least, most))).collect();
            let records = person.records.iter().map(&mut record).collect::<std::result::Result<_, Stop>>()?;
            people.push(Person { alone: own(&person.alone)?, shared: own(&person.shared)?, asked, records });
        }
        Ok(Self { people, outside: ends(&family.outside)?, scopes, sums: Sums::default() })
    }

    /// Finds the atoms of each record: in a cell it is in, it is in the one part that lies in no cell it is not in, where there is one such part.
    /// `tables` are the published cells by table. Amounts of several records add up; of counts an attacker knows one record at a time, and what the
    /// certificate tells of it by table may name a cell twice.
    pub(super) fn find_atoms(
        &mut self,
        (equations, cells): (&[Vec<(u32, i32)>], usize),
        tables: &BTreeMap<&str, &[u32]>,
        are_counts: bool,
    ) {
        self.sums = Sums::new(equations, cells);
        for (names, scope) in &mut self.scopes {
            *scope = vec![false; cells];
            let named = names.iter().filter_map(|name| tables.get(name.as_str()));
            named.flat_map(|cells| cells.iter()).for_each(|cell| scope[*cell as usize] = true);
        }
        for person in &mut self.people {
            let mut own: BTreeMap<u32, i64> = BTreeMap::new();
            for record in &mut person.records {
                let is_in = self.sums.above(&record.cells);
                for cell in self.sums.find_atoms(&record.cells, &is_in, &self.scopes[record.scope].1) {
                    let sum = own.entry(cell).or_default();
                    *sum = if are_counts { (*sum).max(record.amount) } else { sum.saturating_add(record.amount) };
                }
                record.cells = is_in;
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
        let is_in = |record: &Record, cell: u32| record.cells.binary_search(&cell).is_ok();
        let is_told = move |record: &Record| self.scopes[record.scope].1[inside as usize];
        let differs = move |record: &Record| is_in(record, whole) && !is_in(record, inside) && is_told(record);
        let people = (0..).zip(&self.people).filter(move |(_, of)| of.records.iter().any(differs));
        people.map(|(person, _)| person)
    }

    /// What someone knows to be in a cell, and the most that can be in it as it is a part of cells they know whole.
    pub(super) fn ends_for(&self, person: u32, cell: u32) -> (i64, i64) {
        let Some(of) = self.people.get(person as usize) else { return (0, i64::MAX) };
        let own = of.shared.iter().filter(|(shared, _)| *shared == cell).map(|(_, amount)| *amount).max();
        let above = self.sums.above(&[cell]);
        let whole = of.alone.iter().filter(|(known, _)| above.binary_search(known).is_ok()).map(|(_, value)| *value);
        (own.unwrap_or_default(), whole.min().unwrap_or(i64::MAX))
    }

    /// The least that cells are said to be, with what totals are at least as their parts are.
    pub(super) fn raise_totals(&self, mut least: Vec<i64>) -> Vec<i64> {
        self.sums.raise_totals(&mut least);
        least
    }

    /// Adds them to an attack on a table that has these values.
    pub(super) fn join(&self, choice: &mut outward_audit::AuditOptions, values: &[i64], hidden: &[bool]) {
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
            // They are in a difference, and not in the hidden cell that leaves it: they know no more of the cell than others do.
            let is_own = |cell: &u32| of.shared.iter().chain(&of.alone).any(|(own, _)| own == cell);
            for (cell, ends) in of.asked.iter().filter(|(cell, _)| hidden[**cell as usize] && !is_own(cell)) {
                let (up, down) = apart(*cell, *ends);
                choice.inside.push(Inside { cell: *cell, person, rest: i64::MAX, up, down });
            }
        }
        choice.outside = (self.outside.iter().map(|(cell, least, most)| (*cell, apart(*cell, (*least, *most)))))
            .map(|(cell, (up, down))| Outside { cell, up, down })
            .collect();
    }
}

/// Which cells are sums of which.
#[derive(Default)]
struct Sums {
    /// For each cell those that it is a part of.
    totals: Vec<Vec<u32>>,
    /// For each cell the parts it is the sum of, once for each way to add it up.
    parts: Vec<Vec<Vec<u32>>>,
}

impl Sums {
    fn new(equations: &[Vec<(u32, i32)>], cells: usize) -> Self {
        let mut sums = Self { totals: vec![Vec::new(); cells], parts: vec![Vec::new(); cells] };
        for terms in equations {
            let mut whole = terms.iter().filter(|(_, by)| *by != 1);
            let (Some((total, -1)), None) = (whole.next(), whole.next()) else { continue };
            let parts: Vec<u32> = terms.iter().filter(|(_, by)| *by == 1).map(|(part, _)| *part).collect();
            parts.iter().for_each(|part| sums.totals[*part as usize].push(*total));
            sums.parts[*total as usize].push(parts);
        }
        sums
    }

    /// The cells of a record that are no sums of others, and the atoms it must be in, where these cells are all it is in of a `scope` but sums.
    fn find_atoms(&self, cells: &[u32], is_in: &[u32], scope: &[bool]) -> Vec<u32> {
        let outside = |cell: &u32| scope[*cell as usize] && is_in.binary_search(cell).is_err();
        let mut found = cells.to_vec();
        for parts in cells.iter().flat_map(|cell| &self.parts[*cell as usize]) {
            let excluded = |part: &u32| outside(part) || self.totals[*part as usize].iter().any(outside);
            let mut possible = parts.iter().filter(|part| !excluded(part));
            if let (Some(part), None) = (possible.next(), possible.next()) {
                found.push(*part);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Some cells, and all that they are parts of, ascending.
    fn above(&self, cells: &[u32]) -> Vec<u32> {
        let mut open: Vec<u32> = cells.to_vec();
        let mut found: BTreeSet<u32> = cells.iter().copied().collect();
        while let Some(cell) = open.pop() {
            // What cells leave between them is no part of any.
            let totals = self.totals.get(cell as usize).into_iter().flatten();
            open.extend(totals.copied().filter(|total| found.insert(*total)));
        }
        found.into_iter().collect()
    }

    /// Raises the least that totals can be to what their parts are at least.
    fn raise_totals(&self, least: &mut [i64]) {
        let mut open: Vec<u32> = (0..).zip(&*least).filter(|(_, least)| **least > 0).map(|(cell, _)| cell).collect();
        // Sums nest, so that this ends soon; those of a forged file need not.
        for _ in 0..least.len().saturating_mul(MOST_RAISED) {
            let Some(cell) = open.pop() else { return };
            for total in &self.totals[cell as usize] {
                let sum =
                    |parts: &Vec<u32>| parts.iter().map(|part| least[*part as usize]).fold(0, i64::saturating_add);
                let most = self.parts[*total as usize].iter().map(sum).max().unwrap_or_default();
                if most > least[*total as usize] {
                    least[*total as usize] = most;
                    open.push(*total);
                }
            }
        }
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
        let record = |cells: [u32; 3], amount| Record { cells: cells.to_vec(), amount, scope: 0 };
        let records = vec![record([0, 4, 8], 30), record([0, 5, 9], 12)];
        let person = Person { alone: Vec::new(), shared: Vec::new(), asked: BTreeMap::new(), records };
        let scopes = vec![(vec!["all".to_owned()], Vec::new())];
        let mut contributors = Contributors { people: vec![person], scopes, ..Contributors::default() };
        let published: Vec<u32> = (0..12).collect();
        contributors.find_atoms((&ring(), 20), &BTreeMap::from([("all", &published[..])]), false);
        let shared: BTreeMap<u32, i64> = contributors.people[0].shared.iter().copied().collect();
        assert_eq!(shared, BTreeMap::from([(0, 42), (4, 30), (5, 12), (8, 30), (9, 12), (12, 30), (13, 12)]));
    }
}
