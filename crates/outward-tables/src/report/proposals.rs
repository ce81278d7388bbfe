//! Redesigns: what they cost, the lines of a spec that make them, and the best of them as tables.

use outward_report::{Block, Column, Table as Grid, Value};
use outward_spec::Spec;

use super::ROWS;
use crate::make::CountedTable;
use crate::redesign::{Redesign, is_total_only, label_of, lines};
use crate::table::{Dimension, Table};
use crate::write::{depths, indented};

/// How many redesigns that leave nothing unsafe are shown as tables.
const SHOWN: usize = 3;

/// All redesigns in a list, then the best of them, each with the lines that make it.
pub(super) fn blocks(spec: &Spec, made: &CountedTable, redesigns: &[Redesign]) -> Vec<Block> {
    if redesigns.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(list(redesigns))];
    let safe = redesigns.iter().enumerate().filter(|(_, redesign)| redesign.unsafe_left == 0);
    for (at, redesign) in safe.take(SHOWN) {
        blocks.push(to_paste(at + 1, &made.table.name, lines(spec, made, redesign)));
        blocks.push(Block::Table(preview(at + 1, redesign)));
    }
    blocks
}

fn list(redesigns: &[Redesign]) -> Grid {
    let columns = [
        Column::left("Redesign"),
        Column::left("What changes"),
        Column::right("Information lost"),
        Column::right("Unsafe cells left"),
    ];
    let mut grid = Grid::new("Redesigns", columns);
    for (at, redesign) in redesigns.iter().enumerate() {
        grid.rows.push(vec![
            Value::Text((at + 1).to_string()),
            redesign.changes().join("; ").into(),
            Value::Share(redesign.lost),
            (redesign.unsafe_left as u64).into(),
        ]);
    }
    grid
}

/// The lines of a spec that make a redesign, so that they can be copied.
fn to_paste(number: usize, name: &str, lines: Option<Vec<String>>) -> Block {
    match lines {
        Some(lines) => Block::Lines(format!("Redesign {number} in the spec, in place of the table {name}"), lines),
        None => Block::Text(format!(
            "Redesign {number} has no lines to put into the spec: the table is given, shows pairs, or names cells (`must_show`, \
             `already_hidden`) that would have other names."
        )),
    }
}

/// A redesign as a table; its cells are safe, so that its figures may be seen.
fn preview(number: usize, redesign: &Redesign) -> Grid {
    let table = &redesign.table;
    let Some((last, rows)) = table.dimensions.split_last() else { return Grid::default() };
    let mut columns: Vec<Column> = rows.iter().map(|dimension| Column::left(&dimension.label)).collect();
    columns.extend(labels(last).iter().map(Column::right));
    let mut grid = Grid::new(format!("Redesign {number} of {} (across: {})", table.name, last.label), columns);
    let depths: Vec<Vec<usize>> = rows.iter().map(depths).collect();
    let names: Vec<Vec<String>> = rows.iter().map(labels).collect();
    let width = last.nodes.len().max(1);
    for line in (0..table.len() / width).take(ROWS) {
        let nodes = table.nodes(line * width);
        let label = |(at, node): (usize, &usize)| Value::Text(indented(&names[at][*node], depths[at][*node]));
        let mut row: Vec<Value> = nodes[..rows.len()].iter().enumerate().map(label).collect();
        row.extend((0..width).map(|at| value(table, line * width + at)));
        grid.rows.push(row);
    }
    let more = (table.len() / width).saturating_sub(ROWS);
    grid.more = (more > 0).then(|| format!("{more} more rows."));
    grid
}

/// The labels of a variable's rows or columns in the published redesign.
fn labels(dimension: &Dimension) -> Vec<String> {
    let total_only = is_total_only(dimension);
    dimension.nodes.iter().map(|node| label_of(node, total_only)).collect()
}

/// The value of a cell: a count, an estimate, a sum or a mean.
fn value(table: &Table, cell: usize) -> Value {
    match (&table.magnitudes, &table.weighted) {
        (Some(sums), _) => {
            let over = if sums.mean { sums.known[cell] as f64 / 1000.0 } else { 1.0 };
            let value = sums.sums[cell] as f64 / sums.scale as f64 / over;
            if value.is_finite() { Value::Number(value, 2) } else { Value::Missing }
        }
        (None, Some(weighted)) => Value::Number(weighted[cell] as f64 / 1000.0, 1),
        (None, None) => Value::Count(table.counts[cell]),
    }
}
