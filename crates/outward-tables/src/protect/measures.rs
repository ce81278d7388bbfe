//! Counts, sums and means of the same records: what they disclose together.

use std::collections::BTreeSet;

use outward_spec::{Error, Result};

use crate::make::CountedTable;
use crate::source::ValueSource;
use crate::table::Figure;

/// A cell whatever it measures: for each variable of which it does not have all values the source and its values.
type Place = Vec<(ValueSource, Vec<u32>)>;

fn place(made: &CountedTable, cell: usize) -> Place {
    let at = made.table.dimensions.iter().zip(made.table.nodes(cell)).zip(&made.inner.bases);
    let kept = at.filter(|((of, node), _)| of.several || of.nodes[*node].values.len() < of.size);
    let mut place: Place =
        kept.map(|((of, node), base)| (base.source.clone(), base.numbered(&of.nodes[node].values))).collect();
    place.sort_unstable();
    place
}

fn places(made: &CountedTable) -> BTreeSet<Place> {
    (0..made.table.len()).map(|cell| place(made, cell)).collect()
}

/// Whether two tables are of the same records.
fn have_same_records(one: &CountedTable, other: &CountedTable) -> bool {
    one.table.unit == other.table.unit && one.condition == other.condition
}

/// Hides a cell in all measures if one hides it: a sum and its mean give the count.
pub(super) fn hide_in_all_measures(made: &[CountedTable], figures: &mut [Vec<Figure>]) {
    for one in 0..made.len() {
        let others: Vec<usize> = (0..made.len()).filter(|other| have_same_records(&made[*other], &made[one])).collect();
        if !others.iter().any(|other| made[*other].table.magnitudes.is_some()) {
            continue;
        }
        let hidden = |at: &usize| {
            let cells = (0..figures[*at].len()).filter(|cell| figures[*at][*cell] == Figure::Hidden);
            cells.map(|cell| place(&made[*at], cell)).collect::<Vec<_>>()
        };
        let hidden: BTreeSet<Place> = others.iter().flat_map(hidden).collect();
        // Cells that are public already stay public.
        for cell in (0..figures[one].len()).filter(|_| made[one].earlier.is_none()) {
            if figures[one][cell] != Figure::Hidden && hidden.contains(&place(&made[one], cell)) {
                figures[one][cell] = Figure::Hidden;
            }
        }
    }
}

/// Refuses the sum and the mean of an amount, unless the release of the mean counts all that it shows. The sum divided
/// by the mean is a count, which must be judged and hidden as one.
pub(super) fn refuse_uncounted_means(made: &[CountedTable]) -> Result<()> {
    let is_mean = |of: &&CountedTable| of.table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean);
    for mean in made.iter().filter(is_mean) {
        let amount = |of: &CountedTable| {
            let Some(magnitudes) = &of.table.magnitudes else { return None };
            Some((of.table.unit.clone(), magnitudes.of.clone(), of.table.weighted.is_some()))
        };
        let is_its_sum = |of: &&CountedTable| {
            !is_mean(of) && amount(of) == amount(mean) && (of.earlier.is_none() || mean.earlier.is_none())
        };
        let Some(sum) = made.iter().find(is_its_sum) else { continue };
        if everyone_has_an_amount(mean) && made.iter().any(|of| counts_all_of(of, mean)) {
            continue;
        }
        let amount = mean.table.magnitudes.as_ref().map_or("", |magnitudes| &magnitudes.of);
        return Err(Error::input(format!(
            "the sum of `{amount}` in table `{}` divided by its mean in table `{}` is the number of records",
            sum.table.name, mean.table.name
        ))
        .help(
            "publish only one of the two, or add a table of counts to the release with the mean: of the same variables, with the same \
             condition, and of records that all have an amount",
        )
        .into());
    }
    Ok(())
}

/// Whether all records that a table of means is of have an amount, so that the mean is over all of them.
fn everyone_has_an_amount(mean: &CountedTable) -> bool {
    let Some(magnitudes) = &mean.table.magnitudes else { return false };
    (0..mean.table.len()).all(|cell| {
        let records = match &mean.table.weighted {
            Some(weighted) => weighted[cell],
            None => 1000 * mean.table.counts[cell] as i64,
        };
        magnitudes.known[cell] == records
    })
}

/// Whether a table of the same release counts all cells of a table of means. Means with weights are also counted by
/// estimates.
fn counts_all_of(of: &CountedTable, mean: &CountedTable) -> bool {
    let release = |of: &CountedTable| of.earlier.as_ref().map(|earlier| earlier.release.clone());
    of.table.magnitudes.is_none()
        && (of.table.weighted.is_none() || mean.table.weighted.is_some())
        && release(of) == release(mean)
        && have_same_records(of, mean)
        && places(mean).is_subset(&places(of))
}
