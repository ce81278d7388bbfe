//! Attacks the protected tables, from the figures that would be published.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::{Protection, Result};

use super::contributors::OwnRecord;
use super::{ConditionKinds, Contributor, ContributorRecord, FamilyCertificate, MarkedFamily, Work, possible};
use crate::earlier::EarlierFigure;
use crate::family::{Difference, Extent, Family, value_of};
use crate::table::Figure;
use outward_audit::Status;
use outward_audit::{Audit, Certificate};

impl Work<'_> {
    /// Attacks tables with hidden cells; `None` if no cell is hidden.
    pub(super) fn attack_hidden(&mut self, held: &MarkedFamily) -> Result<Option<FamilyCertificate>> {
        let MarkedFamily { family, marks } = held;
        self.note_extent(held);
        let mut hidden = vec![false; family.system.cells.len()];
        for (place, at) in family.tables.iter().enumerate() {
            for (cell, figure) in self.figures[*at].iter().enumerate() {
                hidden[family.cells[place][cell] as usize] |= *figure == Figure::Hidden;
            }
        }
        // One release may show a cell that another shows rounded.
        for (place, at) in family.tables.iter().enumerate() {
            let shown = self.figures[*at].iter().enumerate().filter(|(_, figure)| **figure != Figure::Hidden);
            shown.for_each(|(cell, _)| hidden[family.cells[place][cell] as usize] = false);
        }
        if !hidden.contains(&true) && marks.sums.is_empty() {
            return Ok(None);
        }
        let seen = |cell: u32| hidden[cell as usize] || family.homes[cell as usize].is_none();
        let attack = outward_audit::AuditOptions {
            alone: marks.known.alone.clone(),
            inside: marks.known.inside.iter().copied().filter(|of| seen(of.cell)).collect(),
            outside: marks.known.outside.clone(),
            virtual_cells: marks
                .sums
                .iter()
                .map(|terms| (terms.clone(), marks.width(terms), marks.width(terms)))
                .collect(),
            ..outward_audit::AuditOptions::default()
        };
        let audited = outward_audit::audit(&family.system, &hidden, &attack)?;
        self.note(held, &audited);
        Ok(Some(self.certify(held, &audited, &attack)))
    }

    /// Attacks rounded tables; `None` if no cell is unsafe. The attacker knows each cell to within the base, and that
    /// the true cells add up.
    pub(super) fn attack_rounded(
        &mut self,
        held: &MarkedFamily,
        protection: &Protection,
    ) -> Result<Option<FamilyCertificate>> {
        let family = &held.family;
        self.note_extent(held);
        // Cells that an earlier release hides are attacked too.
        let keeps_back = |at: &usize| {
            let told = self.made[*at].earlier.iter().flat_map(|earlier| &earlier.told);
            { told }.any(|told| *told != EarlierFigure::Shown)
        };
        let is_unsafe = |cell: &outward_audit::Cell| cell.status == Status::Unsafe;
        if !family.system.cells.iter().any(is_unsafe) && !family.tables.iter().any(keeps_back) {
            return Ok(None);
        }
        let mut asked = family.system.clone();
        for cell in &mut asked.cells {
            // Rounding must leave more than one value possible. It does not promise an interval around the true value.
            (cell.lower_protection, cell.upper_protection) = (0, 0);
        }
        let attack = outward_audit::AuditOptions {
            known: self.known(held, protection),
            ..outward_audit::AuditOptions::default()
        };
        let mut audited = outward_audit::audit(&asked, &vec![true; asked.cells.len()], &attack)?;
        let known_unsafe = self.known_to_be_unsafe(held, protection);
        for interval in audited.intervals.iter_mut().filter(|interval| known_unsafe.contains(&interval.cell)) {
            interval.verdict = outward_audit::Verdict::TooTight;
        }
        self.note(held, &audited);
        Ok(Some(self.certify(held, &audited, &attack)))
    }

    /// The unsafe counts that figures of several releases together show to be unsafe, though each figure by itself can be
    /// that of a safe count or of none.
    fn known_to_be_unsafe(&self, held: &MarkedFamily, protection: &Protection) -> BTreeSet<u32> {
        let MarkedFamily { family, marks } = held;
        let mut told: BTreeMap<u32, Vec<(i64, i64)>> = BTreeMap::new();
        for (place, table) in family.tables.iter().enumerate() {
            for (at, cell) in family.cells[place].iter().enumerate() {
                told.entry(*cell).or_default().push(self.interval_of(*table, at, protection));
            }
        }
        let is_unsafe = |(least, most): (i64, i64)| least > 0 && most <= marks.few;
        let all =
            |told: &[(i64, i64)]| told.iter().fold((0, i64::MAX), |all, one| (all.0.max(one.0), all.1.min(one.1)));
        let is_told = |(cell, told): (u32, Vec<(i64, i64)>)| {
            let is_marked = family.system.cells[cell as usize].status == Status::Unsafe;
            let by_one = told.iter().any(|one| is_unsafe(*one));
            (is_marked && !by_one && is_unsafe(all(&told))).then_some(cell)
        };
        told.into_iter().filter_map(is_told).collect()
    }

    /// What a reader knows about each cell, from its figure and from cells that show whether it is empty.
    fn known(&self, held: &MarkedFamily, protection: &Protection) -> Vec<(u32, i64, i64)> {
        let family = &held.family;
        let mut known: Vec<Option<(i64, i64)>> = vec![None; family.homes.len()];
        for (place, table) in family.tables.iter().enumerate() {
            for (at, cell) in family.cells[place].iter().enumerate() {
                let (least, most) = self.interval_of(*table, at, protection);
                // Two releases may show a cell differently. Both bounds hold.
                let known = known[*cell as usize].get_or_insert((least, most));
                *known = (known.0.max(least), known.1.min(most));
            }
        }
        let seen = known.clone();
        for (one, other) in &family.tells {
            let (Some(telling), Some(told)) = (seen[*one as usize], seen[*other as usize]) else { continue };
            if let Some(known) = known[*other as usize].as_mut().filter(|_| telling.0 > 0) {
                known.0 = known.0.max(1);
            }
            if told.1 == 0 {
                known[*one as usize] = Some((0, 0));
            }
        }
        let bounds = |cell: u32| (family.system.cells[cell as usize].lower, family.system.cells[cell as usize].upper);
        let known = (0..).zip(known).filter_map(|(cell, known)| known.map(|known| (cell, known)));
        known.map(|(cell, (least, most))| (cell, least.max(bounds(cell).0), most.min(bounds(cell).1))).collect()
    }

    /// The least and the largest value of a cell, from its figure.
    fn interval_of(&self, table: usize, cell: usize, protection: &Protection) -> (i64, i64) {
        let made = &self.made[table];
        match made.earlier.as_ref().map(|earlier| earlier.told[cell]) {
            None => possible(self.figures[table][cell], protection, self.steps[table]),
            Some(EarlierFigure::Shown) => (value_of(&made.table, cell), value_of(&made.table, cell)),
            Some(EarlierFigure::Hidden) => (0, i64::MAX),
            Some(EarlierFigure::Between(least, most)) => (least, most),
        }
    }

    /// Adds the results of the audit to the outcomes of the tables.
    fn note(&mut self, held: &MarkedFamily, audited: &Audit) {
        let found = |verdicts: &[outward_audit::Verdict]| {
            let cells = audited.intervals.iter().filter(|interval| verdicts.contains(&interval.verdict));
            cells.map(|interval| interval.cell).collect::<BTreeSet<u32>>()
        };
        let recoverable = found(&[outward_audit::Verdict::Recoverable]);
        let tight = found(&[outward_audit::Verdict::TooTight, outward_audit::Verdict::Undecided]);
        let elsewhere = !audited.holds() && recoverable.is_empty() && tight.is_empty();
        for (place, at) in held.family.tables.iter().enumerate() {
            let cells = &held.family.cells[place];
            let count = |list: &BTreeSet<u32>| cells.iter().filter(|cell| list.contains(cell)).count();
            let open = |cell: &u32| recoverable.contains(cell) || tight.contains(cell);
            self.outcomes[*at].open = (0..cells.len()).filter(|position| open(&cells[*position])).collect();
            // Unsafe cells that are shown have been counted already.
            self.outcomes[*at].recoverable += count(&recoverable);
            // A contributor who learns too much, or a group that is disclosed, counts against every table of the
            // family.
            self.outcomes[*at].too_tight = count(&tight) + usize::from(elsewhere);
        }
    }

    /// Notes which tables were not checked together completely.
    pub(super) fn note_extent(&mut self, held: &MarkedFamily) {
        for tables in &held.family.too_large {
            let names: Vec<&str> = tables.iter().map(|at| self.made[*at].table.name.as_str()).collect();
            let note = format!(
                "{} share variables, and have more combinations together than can be checked",
                names.join(", ")
            );
            if let Some(last) = tables.last() {
                self.outcomes[*last].notes.push(note);
            }
        }
    }

    fn certify(&self, held: &MarkedFamily, audited: &Audit, attack: &outward_audit::AuditOptions) -> FamilyCertificate {
        let MarkedFamily { family, marks } = held;
        let name = |cell: u32| match family.homes[cell as usize] {
            Some((place, at)) => {
                let table = &self.made[family.tables[place]].table;
                format!("{}[{at}]: {}", table.name, table.describe(at))
            }
            None => "not published".to_owned(),
        };
        let kept = |at: &usize| {
            let table = &self.made[*at].table;
            let (source, values) = table.keeps.clone()?;
            Some((table.name.clone(), source, values))
        };
        let weighs = |at: &usize| {
            let table = &self.made[*at].table;
            Some((table.name.clone(), table.each_weighs.filter(|_| table.counts_records())?))
        };
        // A difference between tables has no name. `verify` finds it again.
        let is_published = |cell: u32| family.homes[cell as usize].is_some();
        let published = marks.sums.iter().filter(|sum| sum.iter().all(|(cell, _)| is_published(*cell))).cloned();
        let published = published.chain(differences_of_amounts(held));
        let own = |cells: &Vec<u32>| cells.iter().map(|cell| name(*cell)).collect();
        let sums = family.tables.iter().any(|at| self.made[*at].table.magnitudes.is_some());
        let estimates = !sums && !family.system.counts;
        FamilyCertificate {
            tables: family.tables.iter().map(|at| self.made[*at].table.name.clone()).collect(),
            sums: published.map(|sum| sum.iter().map(|(cell, by)| (name(*cell), *by)).collect()).collect(),
            alone: marks.known.alone.iter().filter(|cells| estimates && !cells.is_empty()).map(own).collect(),
            contributors: if estimates { Vec::new() } else { self.contributors(held, audited, name) },
            outside: marks
                .known
                .outside
                .iter()
                .filter_map(|of| asked(family, of.cell, (of.up, of.down), name))
                .collect(),
            whole: family.extent == Extent::Whole,
            weights: family.tables.iter().filter_map(weighs).collect(),
            partial: self.accepted.clone().filter(|_| !family.too_large.is_empty()),
            every: family.every.clone(),
            keeps: family.tables.iter().filter_map(kept).collect(),
            conditions: self.condition_kinds(family),
            certificate: Certificate::new(&family.system, attack, audited, name),
        }
    }

    /// What conditions imply for values. `verify` needs this, as it does not have the data.
    fn condition_kinds(&self, family: &Family) -> Vec<ConditionKinds> {
        let units: BTreeSet<&String> = family.tables.iter().map(|at| &self.made[*at].table.unit).collect();
        let of_unit = |unit: &String| self.known.of_units.get(unit).map_or(&[][..], |known| &known.conditions);
        let all = units.iter().flat_map(|unit| of_unit(unit).iter().map(move |conditions| (*unit, conditions)));
        // Columns with one of several answers are left out.
        all.map(|(unit, conditions)| (unit, conditions.of_reads(|read| read.column.is_none())))
            .filter(|(_, conditions)| !conditions.reads.is_empty())
            .map(|(unit, conditions)| {
                let kinds: BTreeMap<&Vec<u32>, &BTreeSet<u32>> = conditions.kinds.iter().collect();
                ConditionKinds {
                    unit: unit.clone(),
                    reads: conditions.reads.iter().map(|of| (of.source.clone(), of.numbers.clone())).collect(),
                    kinds: kinds.into_iter().map(|(of, kinds)| (of.clone(), kinds.iter().copied().collect())).collect(),
                }
            })
            .collect()
    }

    /// The contributors who know something about hidden cells. `verify` needs these, as it does not have the data.
    fn contributors(
        &self,
        held: &MarkedFamily,
        audited: &Audit,
        name: impl Fn(u32) -> String + Copy,
    ) -> Vec<Contributor> {
        let MarkedFamily { family, marks } = held;
        let hidden: BTreeSet<u32> = audited.intervals.iter().map(|interval| interval.cell).collect();
        let value = |cell: u32| family.system.cells[cell as usize].value;
        let alone = |cells: &Vec<u32>| Contributor {
            alone: cells.iter().filter(|cell| hidden.contains(cell)).map(|cell| (name(*cell), value(*cell))).collect(),
            ..Contributor::default()
        };
        let mut contributors: Vec<Contributor> = marks.known.alone.iter().map(alone).collect();
        for of in marks.known.inside.iter().filter(|of| hidden.contains(&of.cell)) {
            let contributor = &mut contributors[of.person as usize];
            let shared = (of.rest < i64::MAX).then(|| (name(of.cell), value(of.cell) - of.rest));
            contributor.shared.extend(shared);
            let unsafe_sum = asked(family, of.cell, (of.up, of.down), name).filter(|_| !family.system.counts);
            contributor.asked.extend(unsafe_sum);
        }
        let table = |place: &usize| self.made[family.tables[*place]].table.name.clone();
        let told = |record: &OwnRecord| ContributorRecord {
            cells: record.cells.iter().map(|cell| name(*cell)).collect(),
            amount: record.amount,
            tables: record.places.iter().map(table).collect(),
        };
        for (person, records) in &marks.known.records {
            contributors[*person as usize].records = records.iter().map(told).collect();
        }
        contributors.retain(|of| !of.alone.is_empty() || !of.shared.is_empty() || !of.records.is_empty());
        contributors
    }
}

/// Differences of few people that follow from sums or estimates, each as a sum of published cells. `verify` does not know
/// how many people an amount is of, so it cannot find these.
fn differences_of_amounts(MarkedFamily { family, marks }: &MarkedFamily) -> Vec<Vec<(u32, i32)>> {
    let small = if family.system.counts { Vec::new() } else { marks.small(family) };
    let of_published = |rest: &&Difference| -> Option<Vec<(u32, i32)>> {
        let terms = rest.terms()?.into_iter();
        let is_published = |cell: u32| family.homes[cell as usize].is_some();
        terms.map(|(cell, by)| Some((cell, i32::try_from(by).ok().filter(|_| is_published(cell))?))).collect()
    };
    small.iter().filter_map(of_published).collect()
}

/// The least and the largest value that an unsafe cell must be able to have for a contributor with these protection
/// levels.
fn asked(
    family: &Family,
    cell: u32,
    (up, down): (i64, i64),
    name: impl Fn(u32) -> String,
) -> Option<(String, i64, i64)> {
    let of = family.system.cells[cell as usize];
    let (down, up) = (of.lower_protection.min(down), of.upper_protection.min(up));
    (of.status == Status::Unsafe).then(|| (name(cell), of.value - down, of.value + up))
}
