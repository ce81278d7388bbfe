//! Everyone who is counted is an attacker who knows where they are counted: none of their cells is empty (K7, P5 and M8
//! of `docs/methods/attacker.md`).

use std::collections::{BTreeMap, BTreeSet};

use super::contributors::{Known, OwnRecord, far};
use crate::family::{Counted, Difference, Family, Implied, Surplus};
use crate::make::CountedTable;
use outward_audit::Inside;
use outward_audit::{Status, System};

impl Known {
    /// Lists the people who are in atoms of few people. A person counts once in each of their atoms, so a cell that
    /// they share cannot fall by more than the number of others. For everyone else, `floors` has lower bounds of their
    /// atoms.
    ///
    /// Cells of `differing` are unsafe only because of a difference with another table. A person who makes up the whole
    /// difference may learn them.
    pub(super) fn add_counted(
        &mut self,
        family: &Family,
        made: &[CountedTable],
        differences: &[&Difference],
        differing: &BTreeSet<u32>,
    ) {
        let System { cells, .. } = &family.system;
        let (whose, far, totals) = (self.whose(cells.len()), far(cells, differences), Totals::new(&family.system));
        let surpluses = Surpluses::new(family, &totals);
        let (mut links, lists) = (LinkedCounts::new(family, &surpluses.told), self.alone.clone());
        let others = |cell: u32| cells[cell as usize].value - 1;
        let finest = FinestCells::new(family, made, &surpluses);
        let lone: Vec<(&Difference, [u32; 2])> = differences
            .iter()
            .filter(|rest| rest.people == 1)
            .filter_map(|rest| Some((*rest, rest.between?)))
            .collect();
        let mut atoms: BTreeSet<u32> = BTreeSet::new();
        let mut all = OwnCells::new(cells.len());
        for Counted { own, parent, places } in family.counted(made) {
            atoms.extend(&own);
            let narrow = |cell: &u32| others(*cell) < far && cells[*cell as usize].status != Status::Frozen;
            let narrow: Vec<u32> = own.iter().chain(&parent).copied().filter(narrow).collect();
            // Their record of `[data]` is known to them as well.
            let (own, parent) = (totals.above(&own), totals.above(&parent));
            all.set(&[&own[..], &parent[..]].concat());
            let mut inside: BTreeMap<u32, i64> = narrow.into_iter().map(|cell| (cell, others(cell))).collect();
            let without = surpluses.own(&all).into_iter().map(|(cell, own)| (cell, cells[cell as usize].value - own));
            inside.extend(without.filter(|(_, rest)| *rest < far));
            if inside.is_empty() {
                continue;
            }
            // They know that an unsafe count which they are in is at least one.
            let asked = |cell: u32, others: i64| {
                let of = &cells[cell as usize];
                of.status == Status::Unsafe && others < of.lower_protection.max(of.sliding_protection)
            };
            let asked_of = all.sorted.iter().map(|cell| (*cell, others(*cell)));
            inside.extend(asked_of.filter(|(cell, others)| asked(*cell, *others)));
            let has_atoms = surpluses.have_atoms(&places);
            let is_outside = |cell: u32| !all.has(cell) && (!has_atoms || surpluses.told[cell as usize]);
            let is_left = |(_, [whole, part]): &&(&Difference, [u32; 2])| all.has(*whole) && is_outside(*part);
            let left: Vec<&Difference> = lone.iter().filter(is_left).map(|(rest, _)| *rest).collect();
            inside.extend(left.iter().map(|rest| (rest.cell, 0)));
            let between = left.iter().flat_map(|rest| rest.between.iter().chain(&rest.also)).flatten().copied();
            let told: BTreeSet<u32> = between.filter(|cell| differing.contains(cell)).collect();
            let beside = |cell: u32| if all.has(cell) { others(cell) } else { i64::MAX };
            inside.extend(told.iter().map(|cell| (*cell, beside(*cell))));
            // A person may know the value of a cell that others are in as well. They are alone in it only if its value
            // is one.
            let alone = |cell: &&u32| whose[**cell as usize] != 0 && cells[**cell as usize].value == 1;
            let known = own.iter().find(alone).map(|cell| whose[*cell as usize]);
            let person = known.unwrap_or_else(|| {
                self.alone.push(Vec::new());
                self.alone.len() as u32
            });
            // If their record of `[data]` is alone in a cell, they know everything that follows from it. Other people
            // linked to it are other attackers.
            let parents = parent.iter().filter(alone).map(|cell| &lists[whose[*cell as usize] as usize - 1]);
            let known = &mut self.alone[person as usize - 1];
            known.extend(parents.flatten());
            known.sort_unstable();
            known.dedup();
            if !family.people.is_empty() {
                let cells = all.sorted.iter().copied().filter(|cell| finest.cells[*cell as usize]).collect();
                let places = places.into_iter().filter(|place| finest.all_told[*place]).collect();
                self.records.entry(person - 1).or_default().push(OwnRecord { cells, amount: 1, places });
            }
            // They may learn cells that nobody else is in.
            self.inside.extend(inside.into_iter().map(|(cell, rest)| Inside {
                cell,
                person: person - 1,
                rest,
                up: if rest == 0 || told.contains(&cell) { 0 } else { i64::MAX },
                down: if told.contains(&cell) { 0 } else { rest },
            }));
            // What links imply about counts that they are not in is certain too (M7).
            let told = links.least(&all, &totals).into_iter().filter(|(cell, _)| !all.has(*cell));
            let told = told.map(|(cell, least)| (cell, cells[cell as usize].value - least));
            self.inside.extend(told.filter(|(cell, rest)| asked(*cell, *rest)).map(|(cell, rest)| Inside {
                cell,
                person: person - 1,
                rest,
                up: i64::MAX,
                down: rest,
            }));
        }
        self.leave_what_is_known(&family.system, &totals);
        let published = (0..).zip(&family.homes).filter(|(_, home)| home.is_some()).map(|(cell, _)| cell);
        self.floors.extend(atoms.into_iter().chain(published).map(|cell| (cell, cells[cell as usize].value - far)));
    }
}

/// The cells of a system that a person is in.
struct OwnCells {
    sorted: Vec<u32>,
    has: Vec<bool>,
}

impl OwnCells {
    /// Empty, for a system of so many cells.
    fn new(cells: usize) -> Self {
        Self { sorted: Vec::new(), has: vec![false; cells] }
    }

    /// Replaces the cells by these.
    fn set(&mut self, cells: &[u32]) {
        self.sorted.drain(..).for_each(|cell| self.has[cell as usize] = false);
        cells.iter().for_each(|cell| self.has[*cell as usize] = true);
        self.sorted.extend_from_slice(cells);
        self.sorted.sort_unstable();
        self.sorted.dedup();
    }

    fn has(&self, cell: u32) -> bool {
        self.has[cell as usize]
    }
}

/// The finest cells of tables that have atoms.
struct FinestCells {
    /// For each cell whether it is one.
    cells: Vec<bool>,
    /// For each table, by position, whether atoms give the people of all its cells.
    all_told: Vec<bool>,
}

impl FinestCells {
    fn new(family: &Family, made: &[CountedTable], surpluses: &Surpluses) -> Self {
        let mut cells = vec![false; family.system.cells.len()];
        if !family.people.is_empty() {
            family.finest_cells(made).into_iter().for_each(|cell| cells[cell as usize] = true);
        }
        let told = |cell: &u32| !cells[*cell as usize] || surpluses.told[*cell as usize];
        let all_told = family.cells.iter().map(|of_table| of_table.iter().all(told)).collect();
        Self { cells, all_told }
    }
}

impl Known {
    /// Limits protection levels for parts of cells that a person knows. Such a part need not be able to be more than
    /// the cell: a person who was in the only collision knows how many were hurt there (M8).
    fn leave_what_is_known(&mut self, system: &System, totals: &Totals) {
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (cell, _) in (0..).zip(&system.cells).filter(|(_, cell)| cell.status == Status::Unsafe) {
            totals.above(&[cell]).into_iter().filter(|total| *total != cell).for_each(|total| {
                parts.entry(total).or_default().push(cell);
            });
        }
        let value = |cell: u32| system.cells[cell as usize].value;
        let mut most: BTreeMap<(u32, u32), i64> = BTreeMap::new();
        for (person, known) in (0..).zip(&self.alone) {
            for total in known {
                for part in parts.get(total).into_iter().flatten().filter(|part| !known.contains(part)) {
                    let up = most.entry((*part, person)).or_insert(i64::MAX);
                    *up = (*up).min(value(*total) - value(*part));
                }
            }
        }
        for inside in &mut self.inside {
            if let Some(up) = most.remove(&(inside.cell, inside.person)) {
                inside.up = inside.up.min(up);
            }
        }
        let others = most.into_iter();
        self.inside.extend(others.map(|((cell, person), up)| Inside {
            cell,
            person,
            rest: value(cell),
            up,
            down: i64::MAX,
        }));
    }
}

/// What a record adds to sums that no record makes negative (M6). The sums are at least that.
struct Surpluses<'a> {
    family: &'a Family,
    /// For each cell the sums that it adds to, if atoms give the people of all cells with a negative coefficient.
    by_cell: Vec<Vec<u32>>,
    /// For each cell whether atoms give who is in it and who is not.
    told: Vec<bool>,
}

impl<'a> Surpluses<'a> {
    fn new(family: &'a Family, totals: &Totals) -> Self {
        let mut found = vec![0i64; family.system.cells.len()];
        for (own, count) in family.people.iter().flat_map(|of| of.records.iter().zip(&of.counts)) {
            totals.above(own).into_iter().for_each(|cell| found[cell as usize] += count);
        }
        let told: Vec<bool> = family.system.cells.iter().zip(found).map(|(cell, found)| cell.value == found).collect();
        let mut by_cell: Vec<Vec<u32>> = vec![Vec::new(); told.len()];
        for (at, Surplus { terms, .. }) in (0..).zip(&family.surpluses) {
            if terms.iter().all(|(cell, by)| *by > 0 || told[*cell as usize]) {
                let adds = terms.iter().filter(|(_, by)| *by > 0);
                adds.for_each(|(cell, _)| by_cell[*cell as usize].push(at));
            }
        }
        Self { family, by_cell, told }
    }

    /// The cells of such sums, with what a person in these cells adds to each.
    fn own(&self, all: &OwnCells) -> Vec<(u32, i64)> {
        let mut found: Vec<u32> = all.sorted.iter().flat_map(|cell| &self.by_cell[*cell as usize]).copied().collect();
        found.sort_unstable();
        found.dedup();
        let adds = |at: u32| {
            let Surplus { cell, terms } = &self.family.surpluses[at as usize];
            let own: i64 = terms.iter().filter(|(cell, _)| all.has(*cell)).map(|(_, by)| i64::from(*by)).sum();
            (own > 0).then_some((*cell, own))
        };
        found.into_iter().filter_map(adds).collect()
    }

    /// Whether some of these tables have atoms.
    fn have_atoms(&self, places: &[usize]) -> bool {
        self.family.people.iter().any(|of| of.places.iter().any(|place| places.contains(place)))
    }
}

/// What a person counted in one unit knows about unsafe cells of another by links (M7).
struct LinkedCounts<'a> {
    family: &'a Family,
    /// For each cell the links that start from it, if atoms give the people of all their cells with a negative
    /// coefficient. Only then is it certain that a person is outside these.
    by_cell: Vec<Vec<u32>>,
    /// For each link the unsafe cells that contain all of its cells, computed when first needed.
    around: Vec<Option<Vec<u32>>>,
}

impl<'a> LinkedCounts<'a> {
    fn new(family: &'a Family, told: &[bool]) -> Self {
        let mut by_cell: Vec<Vec<u32>> = vec![Vec::new(); told.len()];
        for (at, link) in (0..).zip(&family.implied) {
            if link.by.iter().all(|(cell, by)| *by > 0 || told[*cell as usize]) {
                link.by.iter().for_each(|(cell, _)| by_cell[*cell as usize].push(at));
            }
        }
        Self { family, by_cell, around: vec![None; family.implied.len()] }
    }

    /// Unsafe cells of other units, each with the least value that a person with one record in each of some cells knows
    /// it to have.
    fn least(&mut self, own: &OwnCells, totals: &Totals) -> BTreeMap<u32, i64> {
        let mut links: Vec<u32> = own.sorted.iter().flat_map(|cell| &self.by_cell[*cell as usize]).copied().collect();
        links.sort_unstable();
        links.dedup();
        let mut found: BTreeMap<u32, i64> = BTreeMap::new();
        for at in links {
            let Implied { by, inside, once } = &self.family.implied[at as usize];
            let sum: i64 = by.iter().filter(|(cell, _)| own.has(*cell)).map(|(_, by)| i64::from(*by)).sum();
            let least = if *once { sum.min(1) } else { sum };
            if least <= 0 {
                continue;
            }
            let is_unsafe = |cell: &u32| self.family.system.cells[*cell as usize].status == Status::Unsafe;
            let around = self.around[at as usize]
                .get_or_insert_with(|| totals.with_all(inside).into_iter().filter(is_unsafe).collect());
            for cell in around {
                let known = found.entry(*cell).or_default();
                *known = least.max(*known);
            }
        }
        found
    }
}

/// For each cell itself and those that it is a part of, ascending.
pub(super) struct Totals(Vec<Vec<u32>>);

impl Totals {
    pub(super) fn new(system: &System) -> Self {
        let mut totals: Vec<Vec<u32>> = vec![Vec::new(); system.cells.len()];
        for equation in 0..system.equations() {
            let terms = system.terms(equation);
            let mut whole = terms.iter().filter(|(_, by)| *by != 1);
            if let (Some((total, -1)), None) = (whole.next(), whole.next()) {
                let parts = terms.iter().filter(|(_, by)| *by == 1);
                parts.for_each(|(part, _)| totals[*part as usize].push(*total));
            }
        }
        let above = |cell: u32| {
            let (mut found, mut open) = (BTreeSet::from([cell]), vec![cell]);
            while let Some(cell) = open.pop() {
                open.extend(totals[cell as usize].iter().copied().filter(|total| found.insert(*total)));
            }
            found.into_iter().collect()
        };
        Self((0..system.cells.len() as u32).map(above).collect())
    }

    /// Some cells, and all that they are parts of, ascending.
    pub(super) fn above(&self, cells: &[u32]) -> Vec<u32> {
        let mut found: Vec<u32> = cells.iter().flat_map(|cell| &self.0[*cell as usize]).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The cells that all of some cells are, or are parts of.
    fn with_all(&self, cells: &[u32]) -> Vec<u32> {
        let Some((first, others)) = cells.split_first() else { return Vec::new() };
        let has_all = |cell: &u32| others.iter().all(|other| self.0[*other as usize].binary_search(cell).is_ok());
        self.0[*first as usize].iter().copied().filter(has_all).collect()
    }
}
