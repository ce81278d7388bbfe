//! Group disclosure, and rows and columns dominated by zeros.
//!
//! A line is a total with its categories, all other variables fixed. Suppose that one category has all of it except a
//! few people. Then anyone who knows that a person is in the total knows their category almost surely. The few others
//! know their own category, and so that of everyone else. A group is two people or more. A single person is a small
//! count, for which there is another rule. But a row that is listed because of one person is a group of one: the row
//! itself shows that someone is in it.

use outward_spec::TableRules;

use super::category::Graded;
use super::{Found, Note, NoteKind, Rule};
use crate::table::{Dimension, Kind, Table};

/// Groups larger than this are noted and not hidden. If very many people are all in one category, this is mostly a fact
/// about the category (all riders of pedal cycles are on pedal cycles). The number is ours.
const LARGEST_GROUP: u64 = 50;

/// Fewest cells of a row that may be called dominated by zeros.
const SHORTEST_LINE: usize = 3;

/// The findings along lines.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) found: Vec<Found>,
    pub(super) virtual_sums: Vec<Vec<(usize, i32)>>,
    pub(super) notes: Vec<Note>,
}

/// Searches all lines of a table.
pub(super) fn look(table: &Table, rules: &TableRules, graded: &Graded<'_>) -> Groups {
    let mut groups = Groups::default();
    for (at, shown) in table.dimensions.iter().enumerate() {
        let lines = Lines::new(table, at);
        if let Some(share) = rules.zero_share {
            zeros(table, &lines, share, graded, &mut groups);
        }
        // That everyone of a group was at one place says where something happened. Those who know about it know the
        // place already.
        if let Some(coalition) = rules.coalition
            && !shown.several
            && shown.kind != Kind::Geography
        {
            for (total, parts) in sums(shown) {
                for start in lines.starts() {
                    let line = CategoryLine {
                        dimension: at,
                        total: total.map(|node| lines.cell(start, node)),
                        parts: lines.cells(start, &parts),
                    };
                    whole(table, &line, coalition, graded, &mut groups);
                }
            }
        }
    }
    groups
}

/// The totals of a dimension with their parts; the finest nodes if no total is shown.
fn sums(dimension: &Dimension) -> Vec<(Option<usize>, Vec<usize>)> {
    let mut sums: Vec<(Option<usize>, Vec<usize>)> =
        dimension.sums.iter().map(|(total, parts)| (Some(*total), parts.clone())).collect();
    if dimension.nodes.iter().all(|node| !node.total) {
        sums.push((None, finest(dimension)));
    }
    sums.retain(|(_, parts)| parts.len() > 1);
    sums
}

fn finest(dimension: &Dimension) -> Vec<usize> {
    (0..dimension.nodes.len()).filter(|node| dimension.nodes[*node].finest).collect()
}

/// All lines of cells that differ in one dimension only.
struct Lines {
    dimension: usize,
    nodes: usize,
    stride: usize,
    cells: usize,
}

impl Lines {
    fn new(table: &Table, dimension: usize) -> Self {
        let nodes = table.dimensions[dimension].nodes.len();
        let stride = table.dimensions[dimension + 1..].iter().map(|later| later.nodes.len()).product();
        Self { dimension, nodes, stride, cells: table.counts.len() }
    }

    /// The first cell of each line.
    fn starts(&self) -> impl Iterator<Item = usize> + '_ {
        let block = (self.nodes * self.stride).max(1);
        (0..self.cells / block).flat_map(move |outer| (0..self.stride).map(move |inner| outer * block + inner))
    }

    fn cell(&self, start: usize, node: usize) -> usize {
        start + node * self.stride
    }

    fn cells(&self, start: usize, nodes: &[usize]) -> Vec<usize> {
        nodes.iter().map(|node| self.cell(start, *node)).collect()
    }
}

struct CategoryLine {
    dimension: usize,
    total: Option<usize>,
    parts: Vec<usize>,
}

/// Whether a line is searched for groups. The strictest of its cells decides.
fn looked_for(cells: &[usize], graded: &Graded<'_>) -> bool {
    let strictest = cells.iter().map(|cell| graded.grade(*cell)).max();
    strictest.is_some_and(|grade| grade.check && graded.category_of(grade).groups)
}

/// Finds a line that is in one category, except at most `coalition` people.
fn whole(table: &Table, line: &CategoryLine, coalition: u64, graded: &Graded<'_>, groups: &mut Groups) {
    let total: u64 = line.parts.iter().map(|cell| table.counts[*cell]).sum();
    let fuller = |a: usize, b: usize| if table.counts[b] > table.counts[a] { b } else { a };
    let Some(full) = line.parts.iter().copied().reduce(fuller) else { return };
    let inside = table.counts[full];
    let alone = inside == 1 && total == 1 && is_row_of_one_value(table, line.dimension, full);
    if inside < 2 && !alone || total - inside > coalition || !looked_for(&line.parts, graded) {
        return;
    }
    if total > LARGEST_GROUP {
        let (dimension, cells) = (line.dimension, line.parts.clone());
        groups.notes.push(Note {
            kind: NoteKind::LargeGroup,
            dimension,
            cells,
            line: in_words(table, dimension, full),
        });
        return;
    }
    groups.found.push(Found { cell: full, rule: Rule::Group, protection: None });
    groups.virtual_sums.push(match line.total {
        Some(total) => vec![(total, 1), (full, -1)],
        None => line.parts.iter().filter(|cell| **cell != full).map(|cell| (*cell, 1)).collect(),
    });
}

/// Whether a line has all records of one value of another variable. The value would not be listed if no record had it
/// (K9).
fn is_row_of_one_value(table: &Table, along: usize, cell: usize) -> bool {
    let fixed = table.dimensions.iter().zip(table.nodes(cell)).enumerate().filter(|(at, _)| *at != along);
    let mut shown = fixed.filter(|(_, (dimension, node))| !dimension.nodes[*node].total);
    matches!((shown.next(), shown.next()), (Some((_, (dimension, node))), None) if dimension.nodes[node].finest)
}

/// Finds lines of which nearly all cells, but not all, are zero.
fn zeros(table: &Table, lines: &Lines, share: f64, graded: &Graded<'_>, groups: &mut Groups) {
    let nodes = finest(&table.dimensions[lines.dimension]);
    if nodes.len() < SHORTEST_LINE {
        return;
    }
    for start in lines.starts() {
        let zeros = nodes.iter().filter(|node| table.counts[lines.cell(start, **node)] == 0).count();
        if zeros == nodes.len() || (zeros as f64) < share * nodes.len() as f64 {
            continue;
        }
        let cells = lines.cells(start, &nodes);
        if looked_for(&cells, graded) {
            let line = in_words(table, lines.dimension, start);
            groups.notes.push(Note { kind: NoteKind::DominatedByZeros, dimension: lines.dimension, cells, line });
        }
    }
}

/// A line in words: `severity Fatal by age`.
fn in_words(table: &Table, along: usize, cell: usize) -> String {
    let nodes = table.nodes(cell);
    let fixed: Vec<String> = (table.dimensions.iter().zip(&nodes).enumerate())
        .filter(|(at, (dimension, node))| *at != along && !dimension.nodes[**node].total)
        .map(|(_, (dimension, node))| format!("{} {}", dimension.label, dimension.nodes[*node].label))
        .collect();
    let by = &table.dimensions[along].label;
    if fixed.is_empty() { format!("all by {by}") } else { format!("{} by {by}", fixed.join(", ")) }
}
