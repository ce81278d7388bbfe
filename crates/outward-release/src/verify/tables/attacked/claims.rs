//! What the certificate says of cells, and whether that is what was found.

use std::collections::BTreeMap;

use outward_audit::Cell;
use outward_audit::{CertificateLine, Interval, Verdict};
use outward_spec::ProtectionMethod;
use outward_tables::Published;
use outward_tables::protect::FamilyCertificate;

use super::super::attack::Stop;
use super::{Attacked, FREE, undecided};

impl Attacked<'_> {
    /// An interval that is certified as exact has to be found again, as far as it matters. One that is only said to be so wide at least was found by
    /// chance, so that of it the width that is asked of every cell will do; of what is rounded nothing but doubt is asked.
    pub(super) fn ask(&self, cell: &mut Cell, line: &CertificateLine) {
        let ends = self.asked(line);
        if self.manifest.protection.method == ProtectionMethod::Round {
            return;
        }
        if line.exact {
            cell.lower_protection = cell.value.saturating_sub(ends.0).clamp(0, FREE);
            cell.upper_protection =
                if ends.1 == i64::MAX { FREE } else { ends.1.saturating_sub(cell.value).clamp(0, FREE) };
        } else {
            cell.sliding_protection = ends.1.saturating_sub(ends.0).min(self.margin()).max(1);
        }
    }

    /// Whether the certificate says that it reckoned with all that follows from the tables.
    fn certified_whole(&self) -> bool {
        self.certificate.is_some_and(|family| family.whole)
    }

    /// Whether the certificate takes an attacker to know what is reckoned with here, and no more.
    fn same_knowledge(&self) -> bool {
        let mean = |of: &&Published| of.table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean);
        let both_whole = self.whole && self.certified_whole();
        both_whole && self.cells.units.len() == 1 && !self.tables.iter().any(mean)
    }

    /// The ends that the certificate is held to. Where it did not reckon with all that follows from the tables, more may be known than it
    /// says, but not of an unsafe count what is asked of it.
    fn claimed(&self, line: &CertificateLine) -> (i64, i64) {
        match line.verdict {
            _ if self.certified_whole() => ends(line),
            Verdict::NotAsked => (i64::MAX, i64::MIN),
            _ => self.asked(line),
        }
    }

    /// The ends that an unsafe cell has to reach. Of a count that may be one the policy calls unsafe, what is larger by more than the margin
    /// than all of these does not matter.
    pub(super) fn asked(&self, line: &CertificateLine) -> (i64, i64) {
        let (lower, upper) = ends(line);
        let largest = self.largest_unsafe(|category| category.cells.max(category.margins));
        match self.counts() && lower <= largest {
            true => (lower, upper.min(largest.saturating_add(self.margin()))),
            false => (lower, upper),
        }
    }

    /// What was found of a cell is what is certified of it.
    pub(super) fn compare(&self, line: &CertificateLine, found: &Interval) -> std::result::Result<(), Stop> {
        let (least, most) = self.claimed(line);
        let narrower = found.exact && (found.lower > least || found.upper < most);
        let (lower, upper) = ends(line);
        let wider = self.same_knowledge() && line.exact && (found.lower < lower || found.upper > upper);
        match found.verdict {
            Verdict::Recoverable => Err(Stop::fails("an unsafe figure can be worked out")),
            Verdict::Undecided => Err(undecided()),
            _ if narrower || found.verdict == Verdict::TooTight => {
                Err(Stop::fails("a figure is bounded more tightly than the certificate says"))
            }
            _ if wider => Err(Stop::fails("the certificate is not of these tables: a figure can be more than it says")),
            _ => Ok(()),
        }
    }
}

/// The ends of a line; those it does not have are those of all numbers.
fn ends(line: &CertificateLine) -> (i64, i64) {
    (line.lower.unwrap_or(i64::MIN), line.upper.unwrap_or(i64::MAX))
}

/// The lines of a certificate by cell, none of which has two or is not published.
pub(super) fn lines<'a>(
    family: &'a FamilyCertificate,
    names: &BTreeMap<String, u32>,
) -> std::result::Result<BTreeMap<u32, &'a CertificateLine>, Stop> {
    let mut lines = BTreeMap::new();
    for line in &family.certificate.cells {
        let Some(cell) = names.get(&line.name) else {
            return Err(Stop::fails("the certificate names a cell that is not published"));
        };
        if lines.insert(*cell, line).is_some() {
            return Err(Stop::fails("the certificate names a cell twice"));
        }
        if !matches!(line.verdict, Verdict::Protected | Verdict::NotAsked) {
            return Err(Stop::fails("the certificate itself says that an unsafe figure can be told"));
        }
    }
    Ok(lines)
}
