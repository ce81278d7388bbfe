//! Whoever is counted and contributors to hidden sums as attackers: each knows what is their own, which is in the certificate and nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use outward_audit::{Inside, Outside};
use outward_tables::protect::FamilyCertificate;

use super::attack::Stop;

/// What contributors know of cells, by number.
#[derive(Default)]
pub(super) struct Contributors {
    /// For each of them the cells they are alone in, those they share, and what those must be able to be for them.
    people: Vec<Person>,
    /// What unsafe cells must be able to be for those who are not in them.
    outside: Vec<(u32, i64, i64)>,
}

struct Person {
    alone: Vec<(u32, i64)>,
    shared: Vec<(u32, i64)>,
    asked: BTreeMap<u32, (i64, i64)>,
    /// All they have in the finest cells of these tables.
    own: Vec<(u32, i64)>,
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
        let mut people = Vec::new();
        for person in &family.contributors {
            let asked = ends(&person.asked)?.into_iter().map(|(cell, least, most)| (cell, (least, most))).collect();
            people.push(Person {
                alone: own(&person.alone)?,
                shared: own(&person.shared)?,
                asked,
                own: own(&person.own)?,
                tables: person.tables.clone(),
            });
        }
        Ok(Self { people, outside: ends(&family.outside)? })
    }

    /// Finds the atoms of each: in a cell they are in, all they have is in the one part that lies in no cell they are not in, where there is
    /// one such part. `tables` are the published cells by table.
    pub(super) fn find_atoms(&mut self, equations: &[Vec<(u32, i32)>], tables: &BTreeMap<&str, &[u32]>) {
        let sums = Sums::of(equations);
        let mut scopes: BTreeMap<Vec<String>, BTreeSet<u32>> = BTreeMap::new();
        for person in self.people.iter_mut().filter(|person| !person.own.is_empty()) {
            let scope = scopes.entry(person.tables.clone()).or_insert_with(|| {
                let named = person.tables.iter().filter_map(|name| tables.get(name.as_str()));
                named.flat_map(|cells| cells.iter().copied()).collect()
            });
            let is_in = sums.above(person.own.iter().map(|(cell, _)| *cell));
            let outside = |cell: &u32| scope.contains(cell) && !is_in.contains(cell);
            for (cell, amount) in &person.own {
                person.shared.push((*cell, *amount));
                for parts in sums.parts.get(cell).into_iter().flatten() {
                    let excluded = |part: &u32| outside(part) || sums.totals(*part).iter().any(outside);
                    let mut possible = parts.iter().filter(|part| !excluded(part));
                    if let (Some(part), None) = (possible.next(), possible.next()) {
                        person.shared.push((*part, *amount));
                    }
                }
            }
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

    /// Some cells, and all that they are parts of.
    fn above(&self, cells: impl Iterator<Item = u32>) -> BTreeSet<u32> {
        let mut open: Vec<u32> = cells.collect();
        let mut found: BTreeSet<u32> = open.iter().copied().collect();
        while let Some(cell) = open.pop() {
            open.extend(self.totals(cell).iter().copied().filter(|total| found.insert(*total)));
        }
        found
    }
}
