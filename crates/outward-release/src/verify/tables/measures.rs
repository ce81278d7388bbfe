//! A cell that is hidden in one measure is hidden in the others: a sum and its mean give the count, and the count with the mean
//! gives the sum. A sum and a mean of the same amount are published together only where the records of the mean are counted in a table.

use std::collections::{BTreeMap, BTreeSet};

use outward_tables::{Earlier, Figure, Published, ValueSource};

use super::super::{Check, Place};
use super::conditions::condition_of;
use crate::tables::JSON;

/// Records as tables name them: what is counted, and under which condition.
type Records = (String, String);

/// A cell, whatever it holds: for each variable that does not have all its values the source and the values.
type Cell<'a> = Vec<(&'a ValueSource, &'a [u32])>;

pub(super) fn check(tables: &[Published], earlier: &[(Published, Earlier)]) -> Check {
    if let Some(check) = uncounted_means(tables, earlier) {
        return check;
    }
    let mut by_records: BTreeMap<Records, Vec<&Published>> = BTreeMap::new();
    for published in tables {
        by_records.entry(records(published)).or_default().push(published);
    }
    let mut halves: BTreeSet<&str> = BTreeSet::new();
    for tables in by_records.values().filter(|tables| tables.iter().any(|of| of.table.magnitudes.is_some())) {
        let mut hidden: BTreeSet<Cell<'_>> = BTreeSet::new();
        for published in tables {
            let cells = (0..published.figures.len()).filter(|cell| published.figures[*cell] == Figure::Hidden);
            hidden.extend(cells.map(|cell| place(published, cell)));
        }
        for published in tables {
            let shown = |cell: &usize| published.figures[*cell] != Figure::Hidden;
            if (0..published.figures.len()).filter(shown).any(|cell| hidden.contains(&place(published, cell))) {
                halves.insert(&published.table.name);
            }
        }
    }
    match halves.first() {
        None => Check::holds("measures", "a cell that is hidden in one measure is hidden in all"),
        Some(table) => {
            let what = format!("table `{table}` shows a cell that another measure of the same records hides");
            Check::fails("measures", what).at([Place::file(JSON)])
        }
    }
}

/// Fails where the sum of an amount divided by its mean is a count that no table of the release with the mean shows.
fn uncounted_means(tables: &[Published], earlier: &[(Published, Earlier)]) -> Option<Check> {
    let new = tables.iter().map(|published| (published, None));
    let all: Vec<(&Published, Option<&str>)> =
        new.chain(earlier.iter().map(|(published, of)| (published, Some(of.release.as_str())))).collect();
    let mean_of = |published: &&Published| published.table.magnitudes.as_ref().map(|magnitudes| magnitudes.mean);
    let amount = |published: &Published| {
        let of = published.table.magnitudes.as_ref().map(|magnitudes| magnitudes.of.clone());
        (published.table.unit.clone(), of, published.table.weighted.is_some())
    };
    for (mean, release) in all.iter().filter(|(published, _)| mean_of(published) == Some(true)) {
        let sums: Vec<&Published> = (all.iter())
            .filter(|(sum, of)| mean_of(sum) == Some(false) && (of.is_none() || release.is_none()))
            .filter_map(|(sum, _)| (amount(sum) == amount(mean)).then_some(*sum))
            .collect();
        let Some(sum) = sums.first() else { continue };
        let counts = all.iter().filter(|(of, own)| mean_of(of).is_none() && own == release);
        let mut counts = counts.filter(|(of, _)| records(of) == records(mean)).map(|(of, _)| *of);
        if !counts.any(|count| is_count_of(count, mean) && sums.iter().all(|sum| divides(sum, mean, count))) {
            let what = format!(
                "the sum in table `{}` divided by the mean in table `{}` is a number of records that no table beside the mean counts",
                sum.table.name, mean.table.name
            );
            return Some(Check::fails("measures", what).at([Place::file(JSON)]));
        }
    }
    None
}

/// Whether a table counts all cells of a table of means. Estimates count what means with weights are divided by.
fn is_count_of(count: &Published, mean: &Published) -> bool {
    let counted = figures_of(count);
    (count.table.weighted.is_none() || mean.table.weighted.is_some())
        && figures_of(mean).keys().all(|cell| counted.contains_key(cell))
}

/// Whether, wherever all three are shown, a sum is the count times the mean, as far as the mean is rounded. If it is not, some records have
/// no amount. Weights make a count another number than what a mean is divided by.
fn divides(sum: &Published, mean: &Published, count: &Published) -> bool {
    if records(sum) != records(mean) || count.table.weighted.is_some() != mean.table.weighted.is_some() {
        return true;
    }
    let (sums, counts) = (figures_of(sum), figures_of(count));
    figures_of(mean).iter().all(|(cell, average)| {
        let shown = [Some(average), sums.get(cell), counts.get(cell)];
        let [Some(Figure::Shown(average)), Some(Figure::Shown(total)), Some(Figure::Shown(number))] = shown else {
            return true;
        };
        let [average, total, number] = [average, total, number].map(|figure| i128::from(*figure));
        let [mean, sum, count] = [mean.scale, sum.scale, count.scale].map(i128::from);
        2 * (total * mean * count - number * average * sum).abs() <= number * sum
    })
}

/// The figures of a table by their cells.
fn figures_of(published: &Published) -> BTreeMap<Cell<'_>, Figure> {
    (0..published.figures.len()).map(|cell| (place(published, cell), published.figures[cell])).collect()
}

/// What is counted, and the condition in the engine's way of writing it: blanks, brackets and quotes around names do not make it another.
fn records(published: &Published) -> Records {
    let condition = condition_of(&published.table).map(|condition| condition.parsed);
    (published.table.unit.clone(), condition.unwrap_or_default())
}

fn place(published: &Published, cell: usize) -> Cell<'_> {
    let table = &published.table;
    let at = table.dimensions.iter().zip(table.nodes(cell));
    let kept = at.filter(|(of, node)| of.several || of.nodes[*node].values.len() < of.size);
    let mut place: Cell<'_> = kept.map(|(of, node)| (&of.source, of.nodes[node].values.as_slice())).collect();
    place.sort_unstable();
    place
}
