//! The figures of tables before protection, and tables as they are published.

use outward_spec::Protection;

use crate::family::figure_of;
use crate::inner::Base;
use crate::judge::Verdict;
use crate::make::CountedTable;
use crate::table::{Dimension, Figure, Magnitudes, Node, Published, Table};
use crate::words;
use crate::write::percentages;

/// The figures of a table before protection.
pub fn shown(table: &Table) -> Vec<Figure> {
    (0..table.len()).map(|cell| shown_value(table, cell, figure_of(table, cell))).collect()
}

/// The figure of a value. A mean is the sum divided by the number of its records, with two more decimals than the
/// amounts have. Without records there is no mean.
pub(super) fn shown_value(table: &Table, cell: usize, value: i64) -> Figure {
    match &table.magnitudes {
        // The number of records of a mean is in thousandths.
        Some(magnitudes) if magnitudes.mean => match i128::from(magnitudes.known[cell]) {
            0 => Figure::NotApplicable,
            over => {
                let (scale, unit) = (i128::from(magnitudes.scale), i128::from(mean_scale(magnitudes.scale)));
                let mean = (2 * i128::from(value) * 1000 * unit + scale * over).div_euclid(2 * scale * over);
                Figure::Shown(i64::try_from(mean).unwrap_or(i64::MAX))
            }
        },
        _ => Figure::Shown(value),
    }
}

/// Figures of a table are in units of one over this.
pub fn scale_of(table: &Table) -> i64 {
    match (&table.magnitudes, &table.weighted) {
        (Some(magnitudes), _) if magnitudes.mean => mean_scale(magnitudes.scale),
        (Some(magnitudes), _) => magnitudes.scale,
        (None, Some(_)) => 1000,
        _ => 1,
    }
}

/// The scale of means: two more decimals than sums, but at most four if sums have fewer.
fn mean_scale(scale: i64) -> i64 {
    (scale * 100).min(scale.max(10_000))
}

/// A table for publication: without counts, and with the same numbers of values for all variables of a source.
fn without_counts(made: &CountedTable) -> Table {
    let dimension = |(dimension, base): (&Dimension, &Base)| Dimension {
        nodes: dimension
            .nodes
            .iter()
            .map(|node| Node { values: base.numbered(&node.values), ..node.clone() })
            .collect(),
        source: base.source.clone(),
        size: base.numbered(&(1..=base.values.len() as u32).collect::<Vec<_>>()).len(),
        ..dimension.clone()
    };
    let table = &made.table;
    Table {
        dimensions: table.dimensions.iter().zip(&made.inner.bases).map(dimension).collect(),
        counts: Vec::new(),
        weighted: table.weighted.as_ref().map(|_| Vec::new()),
        keys: Vec::new(),
        costs: Vec::new(),
        keeps: None,
        magnitudes: table.magnitudes.as_ref().map(|of| Magnitudes {
            of: of.of.clone(),
            mean: of.mean,
            scale: of.scale,
            ..Magnitudes::default()
        }),
        ..table.clone()
    }
}

pub(super) fn publish(
    made: &CountedTable,
    verdict: &Verdict,
    figures: Vec<Figure>,
    protection: &Protection,
) -> Published {
    let table = &made.table;
    Published {
        percentages: percentages(table, &figures),
        table: without_counts(made),
        scale: scale_of(table),
        category: verdict.category.clone(),
        protection: words::protection(protection, &figures),
        figures,
    }
}
