//! A bundle as the register enters it.

use outward_release::{DescribedBundle, columns_of};
use outward_spec::{Result, Spec, Table};
use outward_tables::{Figure, Published};

use crate::register::{Submission, TableEntry};

/// By this, tables are found that hide how many records there are in all.
pub(crate) const TOTAL: &str = "(total)";

/// By this, tables are found that count all records: less a table of some of them they leave the others.
const ALL: &str = "(all records)";

/// By this, tables are found that count some of the records.
const SOME: &str = "(some records)";

/// What tables of a spec are found by beside their columns. A sum may be a count of the records with 1.
fn about_records(table: &Table) -> &'static str {
    if table.condition.is_some() || !table.only.is_empty() || table.of.is_some() { SOME } else { ALL }
}

/// What a bundle says of itself. `dataset` is what the data are called, where that is not the name of their file.
///
/// # Errors
/// Where a condition of a table cannot be read.
pub fn submission(
    bundle: &DescribedBundle,
    dataset: Option<&str>,
    requester: &str,
    purpose: &str,
) -> Result<Submission> {
    let (name, data_sha256) = bundle.data();
    let rules = &bundle.rules;
    Ok(Submission {
        dataset: dataset.map_or(name, str::to_owned),
        data_sha256,
        title: bundle.title.clone(),
        kind: if bundle.is_of_tables { "tables" } else { "records" }.to_owned(),
        requester: requester.to_owned(),
        purpose: purpose.to_owned(),
        policy: [rules.policy.clone(), rules.version.clone(), rules.tier.clone().unwrap_or_default()],
        approvals: i64::from(rules.approvals),
        bundle_hash: bundle.hash.clone(),
        manifest: bundle.manifest.clone(),
        files: bundle.files.clone(),
        tables: bundle.tables.iter().map(|published| entry(&bundle.spec, published)).collect::<Result<_>>()?,
    })
}

fn entry(spec: &Spec, published: &Published) -> Result<TableEntry> {
    let table = &published.table;
    let asked = spec.tables.iter().find(|asked| asked.name == table.name);
    let mut sources = asked.map_or_else(|| Ok(Vec::new()), |asked| columns_of(spec, asked))?;
    sources.extend(asked.map(|asked| about_records(asked).to_owned()));
    // A table that shows all of its cells tells its total too.
    let whole: Vec<usize> =
        table.dimensions.iter().filter_map(|of| of.nodes.iter().position(|node| node.total)).collect();
    let total = (whole.len() == table.dimensions.len()).then(|| published.figures[table.cell(&whole)]);
    if total == Some(Figure::Hidden) {
        sources.push(TOTAL.to_owned());
    }
    let measure = match (&table.magnitudes, &table.weighted) {
        (Some(magnitudes), _) => format!("{} of {}", if magnitudes.mean { "mean" } else { "sum" }, magnitudes.of),
        (None, Some(_)) => "estimate".to_owned(),
        (None, None) => "count".to_owned(),
    };
    Ok(TableEntry {
        name: table.name.clone(),
        unit: table.unit.clone(),
        measure,
        condition: table.condition.clone().unwrap_or_default(),
        geography: table.geography.clone().unwrap_or_default(),
        method: spec.protection.method.name().to_owned(),
        cells: published.figures.len() as i64,
        hidden: published.figures.iter().filter(|figure| **figure == Figure::Hidden).count() as i64,
        sources,
    })
}

/// What tables of a spec can be compared with others by.
///
/// # Errors
/// Where a condition cannot be read.
pub fn table_sources(spec: &Spec, tables: &[&Table]) -> Result<Vec<String>> {
    let mut sources = Vec::new();
    for table in tables {
        sources.extend(columns_of(spec, table)?);
        sources.push(about_records(table).to_owned());
    }
    Ok(asked_for(sources))
}

/// What a register is asked for, where tables have these sources. A table of some records is related to all others, one of all records to those of
/// some, and each to those that hide how many there are.
pub(crate) fn asked_for(mut sources: Vec<String>) -> Vec<String> {
    let some = sources.iter().any(|source| source == SOME);
    sources.retain(|source| source != ALL);
    sources.extend([TOTAL, SOME].map(str::to_owned));
    sources.extend(some.then(|| ALL.to_owned()));
    sources.sort_unstable();
    sources.dedup();
    sources
}
