//! Finds dependent columns (K4): one follows from the other in all records, such as a region from its district, or year
//! of birth from age.
//!
//! A table can disclose something about another if they read dependent columns, whatever these are called. What holds
//! by chance in few records is treated alike: this may compare a release too many, but never one too few. Two columns
//! that overlap as two maps of one area do ([`is_one_area`]), such as local authorities and police forces, are dependent
//! too.

use std::collections::BTreeSet;

use outward_cells::Cells;
use outward_engine::{CountRequest, Data, Engine};
use outward_spec::Result;
use outward_tables::is_one_area;

/// The columns that depend on others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DependentColumns {
    /// Their names.
    pub columns: Vec<String>,
    /// Pairs of columns that overlap as two maps of one area do, and of which neither follows from the other.
    pub overlapping: Vec<[String; 2]>,
}

/// The columns among `others` that depend on one of `asked`, or the other way round, in one pass over the data.
///
/// # Errors If the data cannot be read.
pub async fn dependent_columns(
    engine: &dyn Engine,
    data: &Data,
    asked: &[String],
    others: &[String],
) -> Result<DependentColumns> {
    let schema = engine.describe(data).await?.schema;
    let is_there = |name: &&String| schema.field_with_name(name).is_ok();
    let asked: Vec<&String> = asked.iter().filter(is_there).collect();
    let others: Vec<&String> = others.iter().filter(is_there).filter(|name| !asked.contains(name)).collect();
    let pairs: Vec<[&String; 2]> =
        asked.iter().flat_map(|one| others.iter().map(move |other| [*one, *other])).collect();
    let requests: Vec<CountRequest> = pairs
        .iter()
        .map(|pair| CountRequest {
            keys: pair.iter().map(|name| (*name).clone()).collect(),
            weight: None,
            condition: None,
        })
        .collect();
    if requests.is_empty() {
        return Ok(DependentColumns::default());
    }
    let counted = engine.count_cells(data, &requests).await?;
    let ways: Vec<(&[&String; 2], Dependence)> =
        pairs.iter().zip(&counted).filter_map(|(pair, cells)| Some((pair, dependence(cells)?))).collect();
    let columns: BTreeSet<&String> = ways.iter().map(|([_, other], _)| *other).collect();
    let overlapping = ways.iter().filter(|(_, way)| *way == Dependence::Overlap);
    Ok(DependentColumns {
        columns: columns.into_iter().cloned().collect(),
        overlapping: overlapping.map(|(pair, _)| pair.map(Clone::clone)).collect(),
    })
}

/// How two columns depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dependence {
    /// One follows from the other.
    Follows,
    /// They overlap as two maps of one area do.
    Overlap,
}

/// How two columns depend on each other, if they do and neither is constant.
fn dependence(cells: &Cells) -> Option<Dependence> {
    let values = |key: usize| (0..cells.len()).map(|cell| cells.code(cell, key)).collect::<BTreeSet<u32>>().len();
    let counts = [values(0), values(1)];
    if counts.iter().any(|count| *count < 2) {
        return None;
    }
    match counts.contains(&cells.len()) {
        true => Some(Dependence::Follows),
        false => is_one_area(counts, cells.len()).then_some(Dependence::Overlap),
    }
}
