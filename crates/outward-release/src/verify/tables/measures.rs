//! A cell that is hidden in one measure is hidden in the others: a sum and its mean give the count, and the count with the mean
//! gives the sum.

use std::collections::{BTreeMap, BTreeSet};

use outward_tables::{Figure, Published, ValueSource};

use super::super::{Check, Place};
use super::conditions::condition_of;
use crate::tables::JSON;

/// Records as tables name them: what is counted, and under which condition.
type Records = (String, String);

/// A cell, whatever it holds: for each variable that does not have all its values the source and the values.
type Cell<'a> = Vec<(&'a ValueSource, &'a [u32])>;

pub(super) fn check(tables: &[Published]) -> Check {
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
