#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use outward_audit::find_integer_solution;
use outward_tables::{Dimension, Figure, Node, Published, Table, ValueSource};

use super::{Common, Model};
use crate::verify::tables::places::{Cells, EarlierTables};

/// The answers a record can have: one or two of three, from two columns.
const KINDS: [&[u32]; 6] = [&[1], &[2], &[3], &[1, 2], &[1, 3], &[2, 3]];

/// The answers themselves with their total, and beside them the first two together and the third.
fn dimensions() -> [Dimension; 2] {
    let dimension = |sets: &[&[u32]]| Dimension {
        nodes: sets.iter().map(|set| Node { values: set.to_vec(), ..Node::default() }).collect(),
        several: true,
        size: 3,
        source: ValueSource { columns: vec!["first".to_owned(), "second".to_owned()], ..ValueSource::default() },
        ..Dimension::default()
    };
    [dimension(&[&[1], &[2], &[3], &[1, 2, 3]]), dimension(&[&[1, 2], &[3], &[1, 2, 3]])]
}

/// What a table of so many records of each kind has in its cells.
fn counted(table: &Table, records: &[i64]) -> Vec<i64> {
    let count = |cell: usize| {
        let nodes = table.nodes(cell);
        let is_in = |kind: &&[u32]| {
            let mut at = table.dimensions.iter().zip(&nodes);
            at.all(|(dimension, node)| kind.iter().any(|value| dimension.nodes[*node].values.contains(value)))
        };
        KINDS.iter().zip(records).filter(|(kind, _)| is_in(kind)).map(|(_, count)| count).sum()
    };
    (0..table.len()).map(count).collect()
}

/// All ways to have no more than so many records of all kinds.
fn all(kinds: usize, most: i64) -> Vec<Vec<i64>> {
    match kinds {
        0 => vec![Vec::new()],
        _ => (0..=most)
            .flat_map(|own| all(kinds - 1, most - own).into_iter().map(move |rest| [vec![own], rest].concat()))
            .collect(),
    }
}

/// The values up to `most` that a cell can have, by what holds between cells and what is published.
fn possible(published: &Published, cell: usize, most: i64) -> BTreeSet<i64> {
    let mut cells = Cells::new(&[published], &[], &EarlierTables::new(), false);
    let Model { relations, whole, too_large, .. } =
        Model::new(&mut cells, &vec![false; published.figures.len()], (&[], &[]), &Common::default());
    assert!(whole && !too_large && relations.cells as usize > cells.places.len());
    let mut known = vec![None; relations.cells as usize];
    for (figure, cell) in published.figures.iter().zip(&cells.tables[0]) {
        known[*cell as usize] = if let Figure::Shown(value) = figure { Some(*value) } else { None };
    }
    let equations: Vec<(i64, Vec<(u32, i32)>)> = relations.equations.iter().map(|terms| (0, terms.clone())).collect();
    let at = cells.tables[0][cell] as usize;
    let fits = |value: &i64| {
        let mut known = known.clone();
        known[at] = Some(*value);
        find_integer_solution(&known, &equations).unwrap().is_some()
    };
    (0..=most).filter(fits).collect()
}

#[test]
fn answers_that_a_table_shows_twice_tell_what_listing_all_records_tells() {
    let table = Table { dimensions: dimensions().to_vec(), ..Table::default() };
    let lists: Vec<(Vec<i64>, Vec<i64>)> =
        all(KINDS.len(), 6).into_iter().map(|records| (counted(&table, &records), records)).collect();
    let total = table.len() - 1;
    for (start, (truth, _)) in lists.iter().enumerate().filter(|(_, (truth, _))| truth[total] == 6).step_by(23) {
        // Every third cell is hidden, never the grand total.
        let is_hidden = |cell: usize| (cell + start).is_multiple_of(3) && truth[cell] > 0 && truth[cell] < 6;
        let figure = |cell: usize| if is_hidden(cell) { Figure::Hidden } else { Figure::Shown(truth[cell]) };
        let published = Published {
            figures: (0..table.len()).map(figure).collect(),
            table: table.clone(),
            scale: 1,
            percentages: None,
            category: String::new(),
            protection: String::new(),
        };
        for cell in (0..table.len()).filter(|cell| is_hidden(*cell)) {
            let agrees =
                |other: &&(Vec<i64>, Vec<i64>)| (0..table.len()).all(|at| is_hidden(at) || other.0[at] == truth[at]);
            let listed: BTreeSet<i64> = lists.iter().filter(agrees).map(|(other, _)| other[cell]).collect();
            assert_eq!(possible(&published, cell, 6), listed, "{truth:?}, cell {cell}");
        }
    }
}
