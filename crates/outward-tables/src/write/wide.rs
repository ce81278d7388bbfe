//! The layout of a table for people: the last variable across, the others down, one heading row, and no cell merged or
//! empty.

use crate::table::{Dimension, Figure, Node, Published, Table};
use crate::words::capital;

use super::{HIDDEN, LOW, NOT_APPLICABLE, Wholes, measure};

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Entry {
    /// A figure, in units of one over the table's scale.
    Figure(i64),
    /// A percentage.
    Percentage(f64),
    /// A symbol.
    Mark(&'static str),
}

/// The published figure of a cell.
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

/// The wholes of the percentages, if the table has percentages.
pub(super) fn wholes(published: &Published) -> Option<Wholes> {
    published.percentages.as_ref().and_then(|_| Wholes::new(&published.table))
}

/// The depth of each node of a dimension: how many subtotals it is under. A node is under a subtotal that comes before
/// it, if everything between them is part of the subtotal.
pub(crate) fn depths(dimension: &Dimension) -> Vec<usize> {
    let within = |part: &Node, whole: &Node| part.values.iter().all(|value| whole.values.binary_search(value).is_ok());
    let (mut above, mut depths): (Vec<&Node>, Vec<usize>) = (Vec::new(), Vec::new());
    for node in &dimension.nodes {
        while above.last().is_some_and(|whole| node.total || !within(node, whole)) {
            above.pop();
        }
        depths.push(above.len());
        if !node.finest && !node.total {
            above.push(node);
        }
    }
    depths
}

/// The label of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowLabel<'a> {
    pub(super) text: &'a str,
    /// How many subtotals it is under.
    pub(super) depth: usize,
    /// Whether it is a total or a subtotal.
    pub(super) margin: bool,
}

/// The wide layout of a table.
pub(super) struct Wide<'a> {
    published: &'a Published,
    down: &'a [Dimension],
    /// For each variable that goes down, the depths of its nodes.
    depths: Vec<Vec<usize>>,
    across: Option<&'a Dimension>,
    wholes: Option<Wholes>,
}

impl<'a> Wide<'a> {
    pub(super) fn new(published: &'a Published) -> Self {
        // A table of one variable has its values down and its figures in one column.
        let (down, across) = match published.table.dimensions.split_last() {
            Some((last, before)) if !before.is_empty() => (before, Some(last)),
            _ => (published.table.dimensions.as_slice(), None),
        };
        Self { published, down, depths: down.iter().map(depths).collect(), across, wholes: wholes(published) }
    }

    /// The variable across; `None` if there is none.
    pub(super) fn across(&self) -> Option<&'a Dimension> {
        self.across
    }

    /// How many columns have labels.
    pub(super) fn labels(&self) -> usize {
        self.down.len()
    }

    /// How many columns have figures. If there are percentages, they need as many again.
    pub(super) fn width(&self) -> usize {
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

    /// The heading of each column. For columns of figures, `named` makes it from node and depth.
    pub(super) fn headings(&self, named: impl Fn(&Dimension, &Node, usize) -> String) -> Vec<String> {
        let figures: Vec<String> = match self.across {
            Some(across) => {
                let nodes = across.nodes.iter().zip(depths(across));
                nodes.map(|(node, depth)| named(across, node, depth)).collect()
            }
            None => vec![only_heading(&self.published.table)],
        };
        let labels = self.down.iter().map(|dimension| dimension.label.clone());
        let percentages = self.wholes.iter().flat_map(|_| figures.iter().map(|heading| format!("{heading}, per cent")));
        labels.chain(figures.iter().cloned()).chain(percentages).collect()
    }

    /// Whether a column of figures, counted from the first of them, is a total or a subtotal.
    pub(super) fn is_margin(&self, column: usize) -> bool {
        self.across.is_some_and(|across| !across.nodes[column % across.nodes.len()].finest)
    }

    /// The labels of a row.
    pub(super) fn row_labels(&self, row: usize) -> Vec<RowLabel<'a>> {
        let mut rest = row;
        let label = |(dimension, depths): (&'a Dimension, &Vec<usize>)| {
            let at = rest % dimension.nodes.len();
            rest /= dimension.nodes.len();
            let node = &dimension.nodes[at];
            RowLabel { text: node.label.as_str(), depth: depths[at], margin: !node.finest }
        };
        let mut labels: Vec<RowLabel<'a>> = self.down.iter().zip(&self.depths).rev().map(label).collect();
        labels.reverse();
        labels
    }

    /// The entries of a row, after its labels.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn node(values: &[u32], finest: bool, total: bool) -> Node {
        Node { values: values.to_vec(), finest, total, ..Node::default() }
    }

    #[test]
    fn a_value_stands_under_the_subtotals_it_is_in_and_a_total_under_none() {
        let nodes = vec![
            node(&[1, 2, 3], false, false),
            node(&[1, 2], false, false),
            node(&[1], true, false),
            node(&[2], true, false),
            node(&[3], true, false),
            node(&[4], true, false),
            node(&[1, 2, 3, 4], false, true),
        ];
        assert_eq!(depths(&Dimension { nodes, ..Dimension::default() }), [0, 1, 2, 2, 1, 0, 0]);
    }

    #[test]
    fn a_subtotal_that_comes_after_its_values_leaves_them_where_they_are() {
        let nodes = vec![node(&[1], true, false), node(&[2], true, false), node(&[1, 2], false, false)];
        assert_eq!(depths(&Dimension { nodes, ..Dimension::default() }), [0, 0, 0]);
    }
}
