//! What a figure tells of the count behind it.

use std::collections::BTreeMap;

use outward_spec::{Protection, ProtectionMethod, Rounding};
use outward_suppress::round::RoundingQuality as Rounded;
use outward_tables::protect::{FamilyCertificate, rounded_how};
use outward_tables::{Figure, Published};

use super::attack::Stop;
use super::places::Cells;
use crate::tables::TableManifest;

/// The least and the largest count behind a figure; `steps` is how many multiples beyond its neighbours a rounded figure may be.
pub(super) fn possible(figure: Option<Figure>, protection: &Protection, steps: i64) -> (i64, i64) {
    let rounds = protection.method == ProtectionMethod::Round;
    let base = i64::try_from(protection.base).unwrap_or(i64::MAX);
    let (down, up) = match protection.rounding {
        _ if !rounds => (0, 0),
        Rounding::Conventional => (base / 2, (base - 1) / 2),
        Rounding::Controlled | Rounding::Random => {
            let reach = base.saturating_mul(steps.saturating_add(1)) - 1;
            (reach, reach)
        }
    };
    match figure {
        Some(Figure::Shown(0)) if rounds && protection.mark_low => (0, 0),
        // Zeros stay zeros, so that what is shown as more was more.
        Some(Figure::Shown(value)) if value > 0 => (value.saturating_sub(down).max(1), value.saturating_add(up)),
        Some(Figure::Shown(value)) => (value, value.saturating_add(up)),
        Some(Figure::Low) => (1, up),
        Some(Figure::Hidden | Figure::NotApplicable) | None => (0, i64::MAX),
    }
}

/// How many steps beyond neighbouring multiples the figures of each unit may be: as many as the certificate grants, which must
/// be told beside the tables. Then that the certificate takes an attacker to know all that figures tell.
pub(super) fn steps(
    manifest: &TableManifest,
    cells: &Cells,
    names: &BTreeMap<String, u32>,
    tables: &[&Published],
    family: &FamilyCertificate,
) -> Result<Vec<i64>, Stop> {
    let protection = &manifest.protection;
    let numbers: BTreeMap<u32, u32> =
        family.certificate.cells.iter().filter_map(|line| Some((line.cell, *names.get(&line.name)?))).collect();
    let mut known: BTreeMap<u32, (i64, i64)> = BTreeMap::new();
    for (number, lower, upper) in &family.certificate.choice.known {
        if let Some(cell) = numbers.get(number) {
            known.insert(*cell, (*lower, *upper));
        }
    }
    let mut steps = vec![0; cells.units.len()];
    if protection.rounding == Rounding::Controlled {
        for (cell, (_, upper)) in &known {
            // Of what an earlier release tells, rounding takes nothing back.
            if cells.told.contains_key(cell) {
                continue;
            }
            let (_, own) = possible(cells.figures[*cell as usize], protection, 0);
            let base = i64::try_from(protection.base).unwrap_or(i64::MAX).max(1);
            let of_unit = &mut steps[cells.places[*cell as usize].unit as usize];
            *of_unit = upper.saturating_sub(own).max(0).div_euclid(base).max(*of_unit);
        }
    }
    let told = [Rounded::Steps(1), Rounded::Heuristic].map(rounded_how);
    for published in tables {
        let unit = cells.units.iter().position(|unit| *unit == published.table.unit).unwrap_or_default();
        // Tables of earlier releases are not in the manifest.
        let Some(record) = manifest.tables.iter().find(|record| record.name == published.table.name) else { continue };
        if steps[unit] > 0 && !record.notes.iter().any(|note| told.iter().any(|told| note.contains(told))) {
            return Err(Stop::fails("the certificate takes figures to be further from the counts than the tables say"));
        }
    }
    for (cell, figure) in cells.figures.iter().enumerate() {
        let (lower, upper) = possible(*figure, protection, steps[cells.places[cell].unit as usize]);
        let (least, most) = cells.told.get(&(cell as u32)).copied().unwrap_or((i64::MIN, i64::MAX));
        let (lower, upper) = (lower.max(least), upper.min(most));
        // Nobody can be where a condition excludes a value.
        let upper = if cells.is_void(&cells.places[cell]) { 0 } else { upper };
        // That a listed value occurs (K9) and what tables of other units tell may come on top: an attacker who is taken to know more is
        // kept from more.
        let covers = |(least, most): &(i64, i64)| *most == upper && *least >= lower;
        if !known.get(&(cell as u32)).is_some_and(covers) {
            return Err(Stop::fails("the certificate does not take an attacker to know what the figures tell"));
        }
    }
    Ok(steps)
}
