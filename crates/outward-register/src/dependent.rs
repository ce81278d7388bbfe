//! Finds dependent columns (K4): one follows from the other in all records, such as a region from its district, or year
//! of birth from age.
//!
//! A table can disclose something about another if they read dependent columns, whatever these are called. What holds
//! by chance in few records is treated alike: this may compare a release too many, but never one too few.

use std::collections::BTreeSet;

use outward_cells::Cells;
use outward_engine::{CountRequest, Data, Engine};
use outward_spec::Result;

/// The columns among `others` that depend on one of `asked`, or the other way round, in one pass over the data.
///
/// # Errors If the data cannot be read.
pub async fn dependent_columns(
    engine: &dyn Engine,
    data: &Data,
    asked: &[String],
    others: &[String],
) -> Result<Vec<String>> {
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
        return Ok(Vec::new());
    }
    let counted = engine.count_cells(data, &requests).await?;
    let together = pairs.into_iter().zip(&counted).filter(|(_, cells)| go_together(cells));
    let found: BTreeSet<&String> = together.map(|([_, other], _)| other).collect();
    Ok(found.into_iter().cloned().collect())
}

/// Whether one of two columns follows from the other, and neither is constant.
fn go_together(cells: &Cells) -> bool {
    let values = |key: usize| (0..cells.len()).map(|cell| cells.code(cell, key)).collect::<BTreeSet<u32>>().len();
    let counts = [values(0), values(1)];
    counts.iter().all(|count| *count > 1) && counts.contains(&cells.len())
}
