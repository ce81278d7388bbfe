//! A table as people read it: the last variable across, the others down, one heading row, no cell merged or empty.

use crate::table::{Dimension, Figure, Published, Table};
use crate::words::capital;

use super::{HIDDEN, LOW, NOT_APPLICABLE, Wholes, measure};

/// What stands in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Entry {
    /// A figure, in units of one over the table's scale.
    Figure(i64),
    /// A percentage.
    Percentage(f64),
    /// Shorthand.
    Mark(&'static str),
}

/// What is published of a cell.
pub(super) fn figure(published: &Published, cell: usize) -> Entry {
    match published.figures[cell] {
        Figure::Shown(value) => Entry::Figure(value),
        Figure::Hidden => Entry::Mark(HIDDEN),
        Figure::Low => Entry::Mark(LOW),
        Figure::NotApplicable => Entry::Mark(NOT_APPLICABLE),
    }
}

/// The percentage of a cell, in a table that has them.
pub(super) fn percentage(published: &Published, wholes: &Wholes, cell: usize) -> Entry {
    let given = published.percentages.as_ref().and_then(|percentages| percentages[cell]);
    let whole_is_hidden = || published.figures[wholes.cell(cell)] == Figure::Hidden;
    match (given, published.figures[cell]) {
        (Some(_), Figure::Low) => Entry::Mark(LOW),
        (Some(percentage), _) => Entry::Percentage(percentage),
        (None, Figure::Hidden) => Entry::Mark(HIDDEN),
        (None, _) if whole_is_hidden() => Entry::Mark(HIDDEN),
        (None, _) => Entry::Mark(NOT_APPLICABLE),
    }
}

/// Where the wholes are, in a table that has percentages.
pub(super) fn wholes(published: &Published) -> Option<Wholes> {
    published.percentages.as_ref().and_then(|_| Wholes::of(&published.table))
}

/// The wide layout of a table.
pub(super) struct Wide<'a> {
    published: &'a Published,
    down: &'a [Dimension],
    across: Option<&'a Dimension>,
    wholes: Option<Wholes>,
}

impl<'a> Wide<'a> {
    pub(super) fn new(published: &'a Published) -> Self {
        // A table of one variable has its values down, and its figures in one column.
        let (down, across) = match published.table.dimensions.split_last() {
            Some((last, before)) if !before.is_empty() => (before, Some(last)),
            _ => (published.table.dimensions.as_slice(), None),
        };
        Self { published, down, across, wholes: wholes(published) }
    }

    /// How many columns hold labels.
    pub(super) fn labels(&self) -> usize {
        self.down.len()
    }

    /// How many columns hold figures; as many again hold percentages, where there are any.
    fn width(&self) -> usize {
        self.across.map_or(1, |across| across.nodes.len())
    }

    /// How many columns there are.
    pub(super) fn columns(&self) -> usize {
        self.labels() + self.width() * if self.wholes.is_some() { 2 } else { 1 }
    }

    /// How many rows there are below the headings.
    pub(super) fn rows(&self) -> usize {
        self.down.iter().map(|dimension| dimension.nodes.len()).product()
    }

    /// The heading of each column.
    pub(super) fn headings(&self) -> Vec<String> {
        let figures: Vec<String> = match self.across {
            Some(across) => across.nodes.iter().map(|node| node.label.clone()).collect(),
            None => vec![only_heading(&self.published.table)],
        };
        let labels = self.down.iter().map(|dimension| dimension.label.clone());
        let percentages = self.wholes.iter().flat_map(|_| figures.iter().map(|heading| format!("{heading}, per cent")));
        labels.chain(figures.iter().cloned()).chain(percentages).collect()
    }

    /// The labels of a row.
    pub(super) fn row_labels(&self, row: usize) -> Vec<&'a str> {
        let mut rest = row;
        let label = |dimension: &'a Dimension| {
            let node = rest % dimension.nodes.len();
            rest /= dimension.nodes.len();
            dimension.nodes[node].label.as_str()
        };
        let mut labels: Vec<&str> = self.down.iter().rev().map(label).collect();
        labels.reverse();
        labels
    }

    /// What is in a row, after its labels.
    pub(super) fn row(&self, row: usize) -> Vec<Entry> {
        let cells = row * self.width()..(row + 1) * self.width();
        let figures = cells.clone().map(|cell| figure(self.published, cell));
        let of = |wholes| cells.clone().map(move |cell| percentage(self.published, wholes, cell));
        figures.chain(self.wholes.iter().flat_map(of)).collect()
    }
}

/// The heading of the only column of figures.
fn only_heading(table: &Table) -> String {
    match (measure(table), &table.magnitudes) {
        ("count", _) => capital(&table.unit),
        (measure, Some(magnitudes)) => format!("{} of {}", capital(measure), magnitudes.of),
        (measure, None) => capital(measure),
    }
}
