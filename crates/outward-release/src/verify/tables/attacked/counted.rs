//! Whoever is counted as an attacker who knows where (K7, P5 and M8).

use outward_audit::{Alone, Cell, Choice, Inside, Status, System};
use outward_spec::Method;

use super::super::attack::Stop;
use super::super::unsafe_counts::Limits;
use super::{Attacked, undecided};

impl Attacked<'_> {
    /// Nobody who knows a hidden cell because it is their own works out another's.
    pub(super) fn check_singletons(&self, hidden: &[bool]) -> std::result::Result<(), Stop> {
        let Some(family) = self.certificate.filter(|_| self.manifest.protection.method != Method::Round) else {
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
        let choice = outward_audit::Choice { alone, ..outward_audit::Choice::default() };
        let found = outward_audit::audit(&self.system(&values, false)?, hidden, &choice)?;
        if found.alone.iter().any(|alone| alone.recoverable > 0) {
            return Err(Stop::fails("someone who is alone in a hidden cell can work out another's"));
        }
        match found.alone.iter().all(outward_audit::Alone::learns_nothing) {
            true => Ok(()),
            false => Err(undecided()),
        }
    }

    /// Nobody who is counted works out an unsafe count (P1) or difference (P3) of others (P5).
    ///
    /// What they can work out is the same in every table that agrees with what they know, and so in the one that was found to fit. That is why
    /// the policy says by this table what is unsafe, and not the certificate.
    pub(super) fn check_counted(&self, hidden: &[bool]) -> std::result::Result<(), Stop> {
        if !self.counts() || self.contributors.is_empty() {
            return Ok(());
        }
        let (mut hidden, mut choice) = (hidden.to_vec(), Choice::default());
        self.contributors.join(&mut choice, &self.values, &hidden);
        let mut system = self.system(&self.values, false)?;
        let by_policy = self.unsafe_by_policy();
        let marked = |status: Status| matches!(status, Status::Unsafe | Status::Hidden);
        for (number, cell) in system.cells.iter_mut().enumerate().filter(|(_, cell)| marked(cell.status)) {
            let is_unsafe = by_policy.get(number).is_some_and(|is_unsafe| *is_unsafe);
            cell.status = if is_unsafe { Status::Unsafe } else { Status::Hidden };
        }
        self.add_differences(&mut system, &mut hidden, &mut choice)?;
        let found = outward_audit::audit(&system, &hidden, &choice)?;
        if found.alone.iter().any(|alone| alone.recoverable > 0) {
            return Err(Stop::fails("someone who is counted can work out how many others are"));
        }
        match found.alone.iter().all(Alone::learns_nothing) {
            true => Ok(()),
            false => Err(undecided()),
        }
    }

    /// Whether the policy calls each published cell unsafe, where it is what it is in the table that was found to fit.
    fn unsafe_by_policy(&self) -> Vec<bool> {
        let mut is_unsafe = vec![false; self.cells.places.len()];
        let Some(rules) = &self.manifest.rules.tables else { return is_unsafe };
        for (published, cells) in self.tables.iter().zip(&self.cells.tables) {
            let Some(limits) = Limits::of(&published.table, rules) else { continue };
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
        choice: &mut Choice,
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
