//! The figures of each table by itself: rounded where that was promised, and adding up.

use outward_spec::{ProtectionMethod, Rounding};
use outward_tables::{Dimension, Figure, Published};

use super::super::{Check, Place};
use crate::tables::{JSON, TableManifest};

/// Rounded figures are multiples of the base, and figures add up where that was promised.
pub(super) fn check(manifest: &TableManifest, tables: &[Published]) -> Check {
    let protection = &manifest.protection;
    let mean = |published: &&Published| published.table.magnitudes.as_ref().is_some_and(|of| of.mean);
    let added = || tables.iter().filter(|published| !mean(published));
    let rounds = protection.method == ProtectionMethod::Round;
    let additive = match protection.method {
        ProtectionMethod::None | ProtectionMethod::Suppress => true,
        ProtectionMethod::Round => protection.rounding == Rounding::Controlled,
        ProtectionMethod::CellKey => false,
    };
    if additive && !added().all(adds_up) {
        return Check::fails("figures", "figures do not add up to their totals").at([Place::file(JSON)]);
    }
    if !rounds {
        let figures = tables.iter().flat_map(|table| &table.figures);
        let hidden = figures.filter(|figure| **figure == Figure::Hidden).count();
        return Check::holds("figures", format!("{hidden} figures are hidden"));
    }
    let base = i64::try_from(protection.base).unwrap_or(i64::MAX).max(1);
    let multiple = |figure: &Figure| match figure {
        Figure::Shown(value) => value % base == 0,
        Figure::Low => protection.mark_low,
        Figure::Hidden | Figure::NotApplicable => false,
    };
    match tables.iter().flat_map(|table| &table.figures).all(multiple) {
        true => Check::holds("figures", format!("all figures are multiples of {base}")),
        false => Check::fails("figures", "figures are no multiples of the base").at([Place::file(JSON)]),
    }
}

/// Which nodes are the sums of the finest ones, by the values they stand for and not by what the file says of sums.
fn sums_of(dimension: &Dimension) -> Vec<(usize, Vec<usize>)> {
    if dimension.several {
        return Vec::new();
    }
    let finest: Vec<usize> = (0..dimension.nodes.len()).filter(|node| dimension.nodes[*node].finest).collect();
    let parts_of = |total: usize| -> Vec<usize> {
        let within = |value: &u32| dimension.nodes[total].values.binary_search(value).is_ok();
        finest.iter().copied().filter(|node| dimension.nodes[*node].values.iter().all(within)).collect()
    };
    let whole = |(total, parts): &(usize, Vec<usize>)| {
        let covered: usize = parts.iter().map(|node| dimension.nodes[*node].values.len()).sum();
        *parts != [*total] && covered == dimension.nodes[*total].values.len()
    };
    (0..dimension.nodes.len()).map(|total| (total, parts_of(total))).filter(whole).collect()
}

/// Whether the figures of a table satisfy its sums.
fn adds_up(published: &Published) -> bool {
    let table = &published.table;
    let value = |cell: usize| match published.figures[cell] {
        Figure::Shown(value) => Some(value),
        // What is marked as low was rounded to zero.
        Figure::Low => Some(0),
        Figure::Hidden | Figure::NotApplicable => None,
    };
    table.dimensions.iter().enumerate().all(|(dimension, of)| {
        sums_of(of).iter().all(|(total, parts)| {
            (0..table.len()).filter(|cell| table.nodes(*cell)[dimension] == *total).all(|cell| {
                let part = |node: &usize| {
                    let mut nodes = table.nodes(cell);
                    nodes[dimension] = *node;
                    value(table.cell(&nodes))
                };
                let sum: Option<i128> = parts.iter().map(|node| part(node).map(i128::from)).sum();
                match (sum, value(cell)) {
                    (Some(sum), Some(total)) => sum == i128::from(total),
                    _ => true,
                }
            })
        })
    })
}
