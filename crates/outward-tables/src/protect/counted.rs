//! Everyone who is counted is an attacker who knows where: no cell that they are in is empty (K7, P5 and M8 of `docs/methods/attacker.md`).

use std::collections::{BTreeMap, BTreeSet};

use super::contributors::{Known, OwnRecord, far};
use crate::family::{Counted, Family, Rest};
use crate::make::CountedTable;
use outward_audit::Inside;
use outward_audit::{Status, System};

impl Known {
    /// Lists those who are in atoms of few people: a person has one of each atom, and a cell that others are in too falls by no more than
    /// these. Everyone else is in atoms that fall by less than that, as `floors` say.
    ///
    /// Cells of `differing` are unsafe for what they leave beside another table and not by themselves: whoever is all that is left may tell
    /// them.
    pub(super) fn add_counted(
        &mut self,
        family: &Family,
        made: &[CountedTable],
        rests: &[&Rest],
        differing: &BTreeSet<u32>,
    ) {
        let System { cells, .. } = &family.system;
        let (whose, far, totals) = (self.whose(cells.len()), far(cells, rests), Totals::of(&family.system));
        let others = |cell: u32| cells[cell as usize].value - 1;
        let finest = if family.people.is_empty() { BTreeSet::new() } else { family.finest_cells(made) };
        let mut atoms: BTreeSet<u32> = BTreeSet::new();
        for Counted { own, places } in family.counted(made) {
            atoms.extend(&own);
            let narrow = |cell: &u32| others(*cell) < far && cells[*cell as usize].status != Status::Frozen;
            let narrow: Vec<u32> = own.iter().copied().filter(narrow).collect();
            if narrow.is_empty() {
                continue;
            }
            let all = totals.above(&own);
            let mut inside: BTreeMap<u32, i64> = narrow.into_iter().map(|cell| (cell, others(cell))).collect();
            // Of an unsafe count they can say that it is not less than one.
            let asked = |cell: &&u32| {
                let of = &cells[**cell as usize];
                of.status == Status::Unsafe && others(**cell) < of.lower_protection.max(of.sliding_protection)
            };
            inside.extend(all.iter().filter(asked).map(|cell| (*cell, others(*cell))));
            let is_left = |rest: &&&Rest| {
                rest.people == 1
                    && rest.between.is_some_and(|[whole, part]| all.contains(&whole) && !all.contains(&part))
            };
            inside.extend(rests.iter().filter(is_left).map(|rest| (rest.cell, 0)));
            let left = rests.iter().filter(is_left);
            let between = left.flat_map(|rest| rest.between.iter().chain(&rest.also)).flatten().copied();
            let told: BTreeSet<u32> = between.filter(|cell| differing.contains(cell)).collect();
            let beside = |cell: u32| if all.contains(&cell) { others(cell) } else { i64::MAX };
            inside.extend(told.iter().map(|cell| (*cell, beside(*cell))));
            let known = all.iter().map(|cell| whose[*cell as usize]).find(|person| *person != 0);
            let person = known.unwrap_or_else(|| {
                self.alone.push(Vec::new());
                self.alone.len() as u32
            });
            if !family.people.is_empty() {
                let cells = all.intersection(&finest).copied().collect();
                self.records.entry(person - 1).or_default().push(OwnRecord { cells, amount: 1, places });
            }
            // What is nobody else's they may learn of.
            self.inside.extend(inside.into_iter().map(|(cell, rest)| Inside {
                cell,
                person: person - 1,
                rest,
                up: if rest == 0 || told.contains(&cell) { 0 } else { i64::MAX },
                down: if told.contains(&cell) { 0 } else { rest },
            }));
        }
        let published = (0..).zip(&family.homes).filter(|(_, home)| home.is_some()).map(|(cell, _)| cell);
        self.floors.extend(atoms.into_iter().chain(published).map(|cell| (cell, cells[cell as usize].value - far)));
    }
}

/// For each cell those that it is a part of.
pub(super) struct Totals(Vec<Vec<u32>>);

impl Totals {
    pub(super) fn of(system: &System) -> Self {
        let mut totals = vec![Vec::new(); system.cells.len()];
        for equation in 0..system.equations() {
            let terms = system.terms(equation);
            let mut whole = terms.iter().filter(|(_, by)| *by != 1);
            if let (Some((total, -1)), None) = (whole.next(), whole.next()) {
                let parts = terms.iter().filter(|(_, by)| *by == 1);
                parts.for_each(|(part, _)| totals[*part as usize].push(*total));
            }
        }
        Self(totals)
    }

    /// Some cells, and all that they are parts of.
    pub(super) fn above(&self, cells: &[u32]) -> BTreeSet<u32> {
        let mut found: BTreeSet<u32> = cells.iter().copied().collect();
        let mut open = cells.to_vec();
        while let Some(cell) = open.pop() {
            open.extend(self.0[cell as usize].iter().copied().filter(|total| found.insert(*total)));
        }
        found
    }
}
