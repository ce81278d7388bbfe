//! Columns that go together (K4): of which one follows from the other in all records, such as a district and its region, or age and year of birth.
//!
//! A table tells something of another if they read columns that go together, whatever the columns are called. What holds by chance in few records is
//! treated alike: a release too many is looked at, and never one too few.

use std::collections::BTreeSet;

use outward_cells::Cells;
use outward_engine::{CountRequest, Data, Engine};
use outward_spec::Result;

/// The columns among `others` that go together with one of `asked`, in one pass over the data.
///
/// # Errors
/// Where the data cannot be read.
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

/// Whether one of two columns follows from the other, and both tell something.
fn go_together(cells: &Cells) -> bool {
    let values = |key: usize| (0..cells.len()).map(|cell| cells.code(cell, key)).collect::<BTreeSet<u32>>().len();
    let counts = [values(0), values(1)];
    counts.iter().all(|count| *count > 1) && counts.contains(&cells.len())
}
