//! The section on the noise of cell keys.

use outward_report::{Block, Column, Section, Table as Grid, Value};

use crate::protect::NoiseRow;

/// The noise of each count, from the p-table; `None` without cell keys.
pub(super) fn section(rows: &[NoiseRow]) -> Option<Section> {
    let last = rows.len().checked_sub(1)?;
    let columns = ["True count", "Expected change", "Variance of the change", "Chance to stay unchanged"];
    let mut grid =
        Grid::new("The change of a count, as the table of probabilities came out", columns.map(Column::right));
    for (at, row) in rows.iter().enumerate() {
        let count = if at == last { format!("{} and more", row.count) } else { row.count.to_string() };
        // A small rounding error must not be shown as −0.
        let mean = if row.mean.abs() < 5e-4 { 0.0 } else { row.mean };
        grid.rows.push(vec![
            count.into(),
            Value::Number(mean, 3),
            Value::Number(row.variance, 3),
            Value::Share(row.stay),
        ]);
    }
    let intro = "How the cell keys change a count. An expected change of 0 means that no count is shifted on average. This is for the custodian: with it one can judge how likely each true count is, so it is not published with the tables.";
    Some(Section { intro: intro.to_owned(), blocks: vec![Block::Table(grid)], ..Section::new("noise", "Noise") })
}
