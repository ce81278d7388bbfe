//! Tables of linked files: whoever reads how many casualties there were reads where there were collisions.
//!
//! A linked record belongs to one record of `[data]` and has its values of the variables of `[data]`. Where there is a linked
//! record, there is one of `[data]`; where there is none of `[data]`, there is none linked; and where every record of `[data]` has
//! a linked one, there are no more of `[data]` than linked. Cells are held against each other first, then what is left in combinations that no
//! table shows. Only what is shown is used: a cell that is hidden is not taken to be empty or not.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Spec;
use outward_tables::ValueSource;

use super::lines::Relations;
use super::model::{BlockAtoms, Common, LinkedSums, SelectedBy, linked_sums};
use super::places::Cells;

/// What the records of `[data]` are called.
pub(super) const DATA: &str = "records";

/// What a cell stands for, whatever is counted: sources of variables of `[data]` and sets of their values.
type Shared<'a> = Vec<(Option<&'a ValueSource>, u32)>;

/// A unit, and the sources of the variables that say where its cells stand.
type Kind<'a> = (usize, Vec<Option<&'a ValueSource>>);

/// Combinations with more linked records than this are not held against those of `[data]` by whether there are any: numbers would be too large for
/// the solver, and nobody doubts it.
const MOST_LINKED: i64 = 100;

/// Narrows bounds, and adds what holds between cells and atoms, by what the tables of one unit say of those of another.
pub(super) fn add_links(
    cells: &Cells,
    spec: &Spec,
    every: &[String],
    (blocks, common): (&[Vec<BlockAtoms>], &Common),
    relations: &mut Relations,
    bounds: &mut [(i64, i64)],
) {
    let Some(data) = cells.units.iter().position(|unit| unit == DATA) else { return };
    let mut astray: BTreeSet<usize> = BTreeSet::new();
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
        let is_astray = |(own, linked): &(u32, u32)| bounds[*own as usize].1 == 0 && bounds[*linked as usize].0 > 0;
        let belong = !pairs.iter().any(is_astray);
        astray.extend((!belong).then_some(unit));
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
    let of_cells = OfCells { upper: upper_bounds(relations, bounds), bounds };
    for unit in (0..cells.units.len()).filter(|unit| *unit != data) {
        let units = [&blocks[data][..], &blocks[unit][..]];
        let (every, belong) = (every.contains(&cells.units[unit]), !astray.contains(&unit));
        // Where both are cells they were held against each other.
        let is_cell = |sum: &[u32]| matches!(sum, [cell] if (*cell as usize) < cells.places.len());
        let mut sums = linked_sums(units, &common.variables, None, cells);
        sums.retain(|of| !(is_cell(&of.own) && is_cell(&of.linked)));
        of_cells.add_sums(sums, every, belong, relations);
        for only in common.selections.iter().filter(|only| only.unit as usize == unit) {
            let sums = linked_sums(units, &common.variables, Some(only), cells);
            let (at_most, both) = match only.kind {
                SelectedBy::Condition => (every, true),
                SelectedBy::Value => (true, true),
                SelectedBy::AnyValue => (true, false),
            };
            of_cells.add_sums(sums, at_most, belong && both, relations);
        }
    }
}

/// What is known of cells before they are held against each other.
struct OfCells<'a> {
    bounds: &'a [(i64, i64)],
    /// The largest that each can be, those that nobody publishes included.
    upper: Vec<i64>,
}

impl OfCells<'_> {
    /// Adds what holds between the records of combinations in `[data]` and in a linked file: there are no more of the first if each has a linked one
    /// (`at_most`), and none of the second if there is none of the first (`belong`).
    fn add_sums(&self, sums: BTreeSet<LinkedSums>, at_most: bool, belong: bool, relations: &mut Relations) {
        let is_known = |cell: &u32| self.bounds.get(*cell as usize).is_some_and(|(lower, upper)| lower == upper);
        for LinkedSums { own, linked, is_named } in sums {
            if own.iter().chain(&linked).all(is_known) {
                continue;
            }
            let mut add = |larger: &[u32], times: i32, smaller: &[u32]| {
                let beyond = relations.add_cell();
                let larger = larger.iter().map(|cell| (*cell, times));
                let smaller = smaller.iter().chain([&beyond]).map(|cell| (*cell, -1));
                relations.add(larger.chain(smaller).collect());
            };
            if at_most {
                add(&linked, 1, &own);
            }
            let most = linked.iter().fold(0i64, |sum, cell| sum.saturating_add(self.upper[*cell as usize]));
            if belong && is_named && most <= MOST_LINKED {
                add(&own, most as i32, &linked);
            }
        }
    }
}

/// The largest that each cell can be, as far as the cells say that it is a part of.
fn upper_bounds(relations: &Relations, bounds: &[(i64, i64)]) -> Vec<i64> {
    let mut upper: Vec<i64> = bounds.iter().map(|(_, upper)| *upper).collect();
    upper.resize(relations.cells as usize, i64::MAX);
    for terms in &relations.equations {
        let mut whole = terms.iter().filter(|(_, by)| *by != 1);
        if let (Some((total, -1)), None) = (whole.next(), whole.next()) {
            let most = upper[*total as usize];
            for (part, _) in terms.iter().filter(|(_, by)| *by == 1) {
                upper[*part as usize] = upper[*part as usize].min(most);
            }
        }
    }
    upper
}

/// Whether a variable is one of `[data]`; which kinds of records are counted is not, as it differs by unit.
pub(super) fn is_of_data(spec: &Spec, names: &BTreeSet<String>) -> bool {
    !names.is_empty() && names.iter().all(|name| spec.variable(name).is_some_and(|known| known.from.is_empty()))
}
