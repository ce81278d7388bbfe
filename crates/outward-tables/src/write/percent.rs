//! Percentages, computed from published figures only.

use crate::table::{Figure, Table};

/// Percentages have four decimals.
const TO_PERCENT: i128 = 1_000_000;
const UNITS: f64 = 10_000.0;

/// Each cell as a percentage of its whole: the cell with the dimensions of `percent_of` at their total. The outer `None`
/// means that the table asks for no percentages, has means, or does not show the totals. The inner `None` means that the
/// cell or its whole is hidden, or that the whole is not above zero. A cell rounded to zero is 0 per cent.
///
/// Rounded to four decimals.
pub fn percentages(table: &Table, figures: &[Figure]) -> Option<Vec<Option<f64>>> {
    let wholes = Wholes::new(table)?;
    let percentage = |cell: usize| {
        let part = value(*figures.get(cell)?)?;
        let whole = value(*figures.get(wholes.cell(cell))?).filter(|whole| *whole > 0)?;
        // Half a unit is added, so that the division rounds to the nearest.
        let units = (2 * part * TO_PERCENT + whole).div_euclid(2 * whole);
        Some(units as f64 / UNITS)
    };
    Some((0..figures.len()).map(percentage).collect())
}

fn value(figure: Figure) -> Option<i128> {
    match figure {
        Figure::Shown(value) => Some(value.into()),
        Figure::Low => Some(0),
        Figure::NotApplicable => None,
        Figure::Hidden => None,
    }
}

/// Finds the whole of each cell.
pub(crate) struct Wholes {
    /// For each dimension of `percent_of`: how far apart its nodes are, how many there are, and which is the total.
    moves: Vec<(usize, usize, usize)>,
}

impl Wholes {
    /// `None` if the table has no percentages.
    pub(crate) fn new(table: &Table) -> Option<Self> {
        let means = table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean);
        if table.percent_of.is_empty() || means {
            return None;
        }
        let to_total = |position: &usize| {
            let dimension = table.dimensions.get(*position)?;
            let stride = table.dimensions[position + 1..].iter().map(|later| later.nodes.len()).product();
            Some((stride, dimension.nodes.len(), dimension.nodes.iter().position(|node| node.total)?))
        };
        Some(Self { moves: table.percent_of.iter().map(to_total).collect::<Option<_>>()? })
    }

    /// The whole of a cell.
    pub(crate) fn cell(&self, cell: usize) -> usize {
        self.moves.iter().fold(cell, |at, (stride, nodes, total)| at - (at / stride % nodes) * stride + total * stride)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::table::{Dimension, Magnitudes, Node};
    use Figure::{Hidden, Low, Shown};

    fn dimension(totals: [bool; 3]) -> Dimension {
        let nodes = totals.map(|total| Node { total, finest: !total, ..Node::default() }).into();
        Dimension { nodes, ..Dimension::default() }
    }

    fn table(percent_of: &[usize]) -> Table {
        let dimensions = vec![dimension([false, false, true]), dimension([true, false, false])];
        Table { dimensions, percent_of: percent_of.into(), ..Table::default() }
    }

    const FIGURES: [Figure; 9] = [Shown(10), Shown(10), Low, Hidden, Shown(5), Hidden, Shown(30), Shown(20), Shown(10)];

    #[test]
    fn the_whole_is_the_cell_at_the_total_of_the_dimensions_asked_for() {
        let of_row = percentages(&table(&[1]), &FIGURES).unwrap();
        assert_eq!(of_row[..3], [Some(100.0), Some(100.0), Some(0.0)]);
        assert_eq!(of_row[6..], [Some(100.0), Some(66.6667), Some(33.3333)]);
        let of_all = percentages(&table(&[0, 1]), &FIGURES).unwrap();
        assert_eq!((of_all[0], of_all[4], of_all[6]), (Some(33.3333), Some(16.6667), Some(100.0)));
        assert_eq!(percentages(&table(&[1, 1]), &FIGURES).unwrap(), of_row);
    }

    #[test]
    fn a_hidden_part_and_a_hidden_whole_have_no_percentage() {
        let of_row = percentages(&table(&[1]), &FIGURES).unwrap();
        assert_eq!(of_row[3..6], [None; 3]);
    }

    #[test]
    fn nothing_is_a_percentage_of_zero() {
        let mut figures = FIGURES;
        figures[6] = Low;
        assert_eq!(percentages(&table(&[1]), &figures).unwrap()[6..], [None; 3]);
        figures[6] = Shown(0);
        assert_eq!(percentages(&table(&[1]), &figures).unwrap()[6..], [None; 3]);
    }

    #[test]
    fn without_a_shown_total_and_of_means_there_are_no_percentages() {
        let mut without = table(&[1]);
        without.dimensions[1].nodes[0].total = false;
        assert_eq!(percentages(&without, &FIGURES), None);
        assert_eq!(percentages(&table(&[]), &FIGURES), None);
        assert_eq!(percentages(&table(&[7]), &FIGURES), None);
        let mut means = table(&[1]);
        means.magnitudes = Some(Magnitudes { mean: true, ..Magnitudes::default() });
        assert_eq!(percentages(&means, &FIGURES), None);
    }

    #[test]
    fn figures_near_the_largest_do_not_overflow() {
        let figures = [Shown(i64::MAX); 9];
        assert!(percentages(&table(&[0]), &figures).unwrap().iter().all(|percentage| *percentage == Some(100.0)));
    }
}
