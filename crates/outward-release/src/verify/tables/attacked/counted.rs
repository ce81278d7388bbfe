//! Whoever is counted as an attacker who knows where (K7, P5 and M8).

use std::collections::BTreeMap;

use outward_audit::{AuditOptions, Cell, Inside, Interval, Learned, Status, System, Verdict};
use outward_spec::ProtectionMethod;

use super::super::attack::Stop;
use super::super::unsafe_counts::Limits;
use super::{Attacked, undecided};

impl Attacked<'_> {
    /// Nobody who knows a hidden cell because it is their own works out another's.
    pub(super) fn check_singletons(&self, hidden: &[bool]) -> std::result::Result<(), Stop> {
        let Some(family) = self.certificate.filter(|_| self.manifest.protection.method != ProtectionMethod::Round)
        else {
            return Ok(());
        };
        let mut alone = Vec::new();
        for person in &family.alone {
            let cells: Option<Vec<u32>> = person.iter().map(|name| self.names.get(name).copied()).collect();
            let Some(mut cells) = cells else {
                return Err(Stop::fails("the certificate names a cell that is not published"));
            };
            cells.retain(|cell| hidden[*cell as usize]);
            alone.extend((!cells.is_empty()).then_some(cells));
        }
        if alone.is_empty() {
            return Ok(());
        }
        let Some(values) = self.with_own(&alone)? else { return Ok(()) };
        let choice = outward_audit::AuditOptions { alone, ..outward_audit::AuditOptions::default() };
        let found = outward_audit::audit(&self.system(&values, false)?, hidden, &choice)?;
        if found.alone.iter().any(|alone| alone.recoverable > 0) {
            return Err(Stop::fails("someone who is alone in a hidden cell can work out another's"));
        }
        match found.alone.iter().all(outward_audit::ContributorFindings::learns_nothing) {
            true => Ok(()),
            false => Err(undecided()),
        }
    }

    /// Nobody who is counted works out an unsafe difference (P3) of others, nor knows an unsafe count (P1) more closely than `margin` asks (P5).
    ///
    /// Whatever a count can be in their eyes, the policy calls unsafe: so it does in the table that was found to fit. That is why the policy says by
    /// this table what is unsafe, and not the certificate. `found` is what everyone can tell.
    pub(super) fn check_counted(
        &self,
        hidden: &[bool],
        found: &BTreeMap<u32, &Interval>,
    ) -> std::result::Result<(), Stop> {
        if !self.counts() || self.contributors.is_empty() {
            return Ok(());
        }
        let (mut hidden, mut choice) = (hidden.to_vec(), AuditOptions::default());
        self.contributors.join(&mut choice, &self.values, &hidden);
        let mut system = self.system(&self.values, false)?;
        let by_policy = self.unsafe_by_policy();
        let marked = |status: Status| matches!(status, Status::Unsafe | Status::Hidden);
        for (number, cell) in (0..).zip(&mut system.cells).filter(|(_, cell)| marked(cell.status)) {
            let is_unsafe = by_policy.get(number as usize).is_some_and(|is_unsafe| *is_unsafe);
            cell.status = if is_unsafe { Status::Unsafe } else { Status::Hidden };
            // An interval of twice the margin leaves enough in doubt; of less the ends decide. Nobody is kept from what everyone can tell.
            let width = found.get(&number).map_or(1, |found| found.upper.saturating_sub(found.lower));
            cell.sliding_protection = width.min(self.margin().saturating_mul(2)).max(1);
        }
        self.add_differences(&mut system, &mut hidden, &mut choice)?;
        let audit = outward_audit::audit(&system, &hidden, &choice)?;
        let is_told = |Learned { person, interval }: &Learned| {
            let own = self.contributors.ends_for(*person, interval.cell);
            interval.verdict == Verdict::Recoverable
                || self.is_told(interval.cell, (interval.lower, interval.upper), own)
        };
        if audit.learned.iter().any(is_told) {
            return Err(Stop::fails("someone who is counted can work out how many others are"));
        }
        let mut intervals = audit.intervals.iter().chain(audit.learned.iter().map(|learned| &learned.interval));
        match intervals.any(|interval| interval.verdict == Verdict::Undecided) {
            true => Err(undecided()),
            false => Ok(()),
        }
    }

    /// Whether the policy calls each published cell unsafe, where it is what it is in the table that was found to fit.
    fn unsafe_by_policy(&self) -> Vec<bool> {
        let mut is_unsafe = vec![false; self.cells.places.len()];
        let Some(rules) = &self.manifest.rules.tables else { return is_unsafe };
        for (published, cells) in self.tables.iter().zip(&self.cells.tables) {
            let Some(limits) = Limits::new(&published.table, rules) else { continue };
            for (position, cell) in cells.iter().enumerate() {
                let cell = *cell as usize;
                is_unsafe[cell] |= limits.forbids(&published.table, position, self.values[cell]);
            }
        }
        is_unsafe
    }

    /// Adds what cells have beside cells inside them, where one of the two is hidden. A difference that is one person need not be kept from that
    /// person.
    fn add_differences(
        &self,
        system: &mut System,
        hidden: &mut Vec<bool>,
        choice: &mut AuditOptions,
    ) -> std::result::Result<(), Stop> {
        let is_open = |(whole, inside): &&(u32, u32)| hidden[*whole as usize] || hidden[*inside as usize];
        let open: Vec<(u32, u32)> = self.differences.iter().filter(is_open).copied().collect();
        for (whole, inside) in open {
            let (cell, left) = (system.cells.len() as u32, self.values[whole as usize] - self.values[inside as usize]);
            system.cells.push(Cell { status: Status::Unsafe, cost: 0, ..Cell::count(left) });
            hidden.push(true);
            system.add(0, [(whole, 1), (inside, -1), (cell, -1)])?;
            for person in self.contributors.beside(whole, inside) {
                let (rest, up) = (left - 1, if left == 1 { 0 } else { i64::MAX });
                choice.inside.push(Inside { cell, person, rest, up, down: rest });
            }
        }
        Ok(())
    }
}
