//! Whether groupings of one variable overlap, such as places grouped by county and also by kind of place.
//!
//! If groupings nest, a cell is a part of one sum for each variable, and any two of these sums cross. Two sums cross if
//! a neighbour of the cell in one and a neighbour in the other have a fourth corner in common. Sums by two groupings of
//! one variable do not cross. Circuits use both and are not boxes.

use std::collections::BTreeSet;

use crate::suppress::incidence::Incidence;
use crate::suppress::witness_cover::ProtectionDemand;

/// Most demands sampled, and most neighbours tried for each.
const MAX_SAMPLED: usize = 100;
const MAX_NEIGHBOURS: usize = 4;

/// Whether groupings overlap, and another variable crosses, in the cells of most demands.
pub(super) fn groupings_overlap(incidence: &Incidence<'_>, demands: &[ProtectionDemand]) -> bool {
    let cells: Vec<u32> = demands.iter().filter_map(ProtectionDemand::cell).collect();
    let sample = cells.iter().step_by(cells.len().div_ceil(MAX_SAMPLED).max(1));
    2 * sample.clone().filter(|cell| overlaps(incidence, **cell)).count() > sample.count()
}

fn overlaps(incidence: &Incidence<'_>, cell: u32) -> bool {
    let sums: Vec<u32> = incidence.equations_of(cell).iter().map(|(equation, _)| *equation).collect();
    let sums: Vec<u32> =
        sums.into_iter().filter(|equation| !neighbours(incidence, cell, *equation).is_empty()).collect();
    let pairs = || sums.iter().enumerate().flat_map(|(at, one)| sums[at + 1..].iter().map(move |other| (*one, *other)));
    sums.len() > 2 && pairs().any(|(one, other)| !cross(incidence, cell, one, other))
}

/// Some other parts of the sum that a cell is a part of; none if the cell is the total.
fn neighbours(incidence: &Incidence<'_>, cell: u32, equation: u32) -> Vec<u32> {
    let terms = incidence.system.terms(equation as usize);
    let at = terms.partition_point(|(other, _)| *other < cell);
    let Some((_, own)) = terms.get(at) else { return Vec::new() };
    let others = terms[at + 1..].iter().chain(&terms[..at]);
    others.filter(|(_, by)| by == own).map(|(other, _)| *other).take(MAX_NEIGHBOURS).collect()
}

/// Whether any neighbour of a cell in one equation and any in another have a fourth corner in common.
fn cross(incidence: &Incidence<'_>, cell: u32, one: u32, other: u32) -> bool {
    let met = |cell: u32, but: u32| {
        let equations =
            incidence.equations_of(cell).iter().map(|(equation, _)| *equation).filter(move |own| *own != but);
        equations.flat_map(|equation| incidence.system.terms(equation as usize)).map(|(met, _)| *met)
    };
    let others = neighbours(incidence, cell, other);
    neighbours(incidence, cell, one).into_iter().all(|first| {
        let met_by_first: BTreeSet<u32> = met(first, one).filter(|met| *met != first).collect();
        others.iter().all(|second| {
            let mut corners = met(*second, other).filter(|corner| corner != second && met_by_first.contains(corner));
            corners.next().is_some()
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::suppress::{Cost, SuppressionOptions, protection_demands};
    use outward_audit::{Cell, Status, System};

    /// Six places with two groupings, by three columns and their total. Every inner cell is unsafe.
    fn places(groupings: &[&[&[u32]]]) -> System {
        let groups: Vec<&[u32]> = groupings.iter().flat_map(|groups| groups.iter().copied()).collect();
        let rows = 6 + groups.len() as u32;
        let column = |row: u32| {
            [1, 1, 1, 3].map(|count| if row < 6 { count } else { count * groups[row as usize - 6].len() as i64 })
        };
        let mut system = System::new((0..rows).flat_map(column).map(Cell::count).collect(), 1, true);
        for row in 0..rows {
            system.add_total(4 * row + 3, &[4 * row, 4 * row + 1, 4 * row + 2]).unwrap();
        }
        for (group, parts) in (6..).zip(&groups) {
            for at in 0..4 {
                let parts: Vec<u32> = parts.iter().map(|part| 4 * part + at).collect();
                system.add_total(4 * group + at, &parts).unwrap();
            }
        }
        system.cells.iter_mut().filter(|cell| cell.value == 1).for_each(|cell| cell.status = Status::Unsafe);
        system
    }

    fn overlaps(system: &System) -> bool {
        groupings_overlap(
            &Incidence::new(system, Cost::ByOne),
            &protection_demands(system, &SuppressionOptions::default()).unwrap(),
        )
    }

    #[test]
    fn places_by_county_and_by_kind_overlap() {
        assert!(overlaps(&places(&[&[&[0, 1, 2], &[3, 4, 5]], &[&[0, 3, 4], &[1, 2], &[5]]])));
    }

    #[test]
    fn groups_within_one_variable_do_not_overlap() {
        assert!(!overlaps(&places(&[&[&[0, 1, 2], &[3, 4, 5]]])));
        assert!(!overlaps(&places(&[&[&[0, 1], &[2, 3], &[4, 5]]])));
    }
}
