//! Tables of linked files: whoever reads how many casualties there were reads where there were collisions.
//!
//! A linked record belongs to one record of `[data]` and has its values of the variables of `[data]`. Where there is a linked
//! record, there is one of `[data]`; where there is none of `[data]`, there is none linked; and where every record of `[data]` has
//! a linked one, there are no more of `[data]` than linked. Only what is shown is used: a cell that is hidden is not taken to be
//! empty or not.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Spec;
use outward_tables::ValueSource;

use super::lines::Relations;
use super::places::Cells;

/// What the records of `[data]` are called.
pub(super) const DATA: &str = "records";

/// What a cell stands for, whatever is counted: sources of variables of `[data]` and sets of their values.
type Shared<'a> = Vec<(Option<&'a ValueSource>, u32)>;

/// A unit, and the sources of the variables that say where its cells stand.
type Kind<'a> = (usize, Vec<Option<&'a ValueSource>>);

/// Narrows bounds, and adds what holds between cells, by what the tables of one unit say of those of another.
pub(super) fn add_links(
    cells: &Cells,
    spec: &Spec,
    every: &[String],
    relations: &mut Relations,
    bounds: &mut [(i64, i64)],
) {
    let Some(data) = cells.units.iter().position(|unit| unit == DATA) else { return };
    let of_data: Vec<bool> = cells.variables.iter().map(|variable| is_of_data(spec, &variable.names)).collect();
    let mut standing: BTreeMap<Shared<'_>, Vec<(usize, u32)>> = BTreeMap::new();
    for (cell, place) in cells.places.iter().enumerate() {
        if place.at.iter().all(|(variable, _)| of_data[*variable as usize]) {
            let mut shared: Shared<'_> = place.at.iter().map(|(of, set)| (cells.source(*of), *set)).collect();
            shared.sort_unstable();
            standing.entry(shared).or_default().push((place.unit as usize, cell as u32));
        }
    }
    // By what a cell stands for: pairs of a cell of `[data]` and a linked one.
    let mut kinds: BTreeMap<Kind<'_>, Vec<(u32, u32)>> = BTreeMap::new();
    for (shared, standing) in &standing {
        let Some((_, own)) = standing.iter().find(|(unit, _)| *unit == data) else { continue };
        for (unit, linked) in standing.iter().filter(|(unit, _)| *unit != data) {
            let sources = shared.iter().map(|(source, _)| *source).collect();
            kinds.entry((*unit, sources)).or_default().push((*own, *linked));
        }
    }
    for ((unit, _), pairs) in kinds {
        let at_most = every.contains(&cells.units[unit]);
        // Linked records that belong to nobody stand where there may be no record of `[data]`.
        let astray = |(own, linked): &(u32, u32)| bounds[*own as usize].1 == 0 && bounds[*linked as usize].0 > 0;
        let belong = !pairs.iter().any(astray);
        for (own, linked) in pairs {
            if belong {
                let (of_own, of_linked) = (bounds[own as usize], bounds[linked as usize]);
                bounds[own as usize].0 = of_own.0.max(i64::from(of_linked.0 > 0));
                if of_own.1 == 0 {
                    bounds[linked as usize].1 = 0;
                }
            }
            if at_most {
                // A record of `[data]` is none of the linked ones, so that this is no sum of parts.
                let beyond = relations.add_cell();
                relations.add(vec![(linked, 1), (own, -1), (beyond, -1)]);
            }
        }
    }
}

/// Whether a variable is one of `[data]`; which kinds of records are counted is not, as it differs by unit.
fn is_of_data(spec: &Spec, names: &BTreeSet<String>) -> bool {
    !names.is_empty() && names.iter().all(|name| spec.variable(name).is_some_and(|known| known.from.is_empty()))
}
