//! The records that tables are made from, read once from each file.

use outward_engine::{Data, Engine};
use outward_spec::{Result, Spec, Table, TableRules};
use outward_tables::{Files, Made, make, misread, requests};

/// Makes tables of a spec.
///
/// # Errors
/// Where a file cannot be read, or a table cannot be made from it.
pub async fn make_tables(engine: &dyn Engine, spec: &Spec, wanted: &[&Table], rules: &TableRules) -> Result<Vec<Made>> {
    let linked = spec.linked.iter().map(|linked| Data::of_linked(spec, linked));
    let sources: Vec<Data> = std::iter::once(Data::of_spec(spec)).chain(linked).collect();
    let mut headers = Vec::new();
    for source in &sources {
        let described = engine.describe(source).await?;
        headers.push(described.schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>());
    }
    let mut read = Vec::new();
    for (file, (request, source)) in requests(spec, wanted, &headers)?.into_iter().zip(&sources).enumerate() {
        let columns = engine.read_columns(source, &request.columns, &request.conditions).await;
        let columns = columns.map_err(|error| misread(spec, wanted, file, error))?;
        read.push((request, columns));
    }
    make(spec, wanted, &Files::link(spec, read)?, rules)
}
