//! What the register enters of a bundle.

use outward_release::{DescribedBundle, columns_of};
use outward_spec::{Result, Spec, Table};
use outward_tables::{Figure, Published};

use crate::register::{Submission, TableEntry};

/// The source of tables that hide the number of all records.
pub(crate) const TOTAL: &str = "(total)";

/// The source of tables that count all records. Less a table of some records, they give the others.
const ALL: &str = "(all records)";

/// The source of tables that do not show the number of all records. Any other table less such a table can give the
/// others.
const SOME: &str = "(some records)";

/// The source of a table of a spec in addition to its columns. A sum may be a count of the records with 1. Where a record
/// can have several answers, it can have none too.
fn about_records(spec: &Spec, table: &Table) -> &'static str {
    let has_answers = |name: &String| spec.variable(name).is_some_and(|of| of.columns.len() > 1 || !of.from.is_empty());
    let counts_some = table.condition.is_some() || !table.only.is_empty() || table.of.is_some() || table.top.is_some();
    let hides_all = !table.without_total.is_empty() || table.variables.iter().any(has_answers);
    if counts_some || hides_all { SOME } else { ALL }
}

/// What the register enters of a bundle. `dataset` is the name of the data, if it is not the name of their file.
///
/// # Errors If a condition of a table cannot be read.
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
    sources.extend(asked.map(|asked| about_records(spec, asked).to_owned()));
    // A table that shows all of its cells shows its total too.
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

/// The sources of tables of a spec, by which they are compared with others.
///
/// # Errors If a condition cannot be read.
pub fn table_sources(spec: &Spec, tables: &[&Table]) -> Result<Vec<String>> {
    let mut sources = Vec::new();
    for table in tables {
        sources.extend(columns_of(spec, table)?);
        sources.push(about_records(spec, table).to_owned());
    }
    Ok(asked_for(sources))
}

/// The sources to search a register for, given those of some tables. A table that does not show the number of all
/// records is related to all others.
/// A table of all records is related to those of some records. Both are related to tables that hide the number of all
/// records.
pub(crate) fn asked_for(mut sources: Vec<String>) -> Vec<String> {
    let some = sources.iter().any(|source| source == SOME);
    sources.retain(|source| source != ALL);
    sources.extend([TOTAL, SOME].map(str::to_owned));
    sources.extend(some.then(|| ALL.to_owned()));
    sources.sort_unstable();
    sources.dedup();
    sources
}
