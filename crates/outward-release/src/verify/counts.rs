//! Counts again what the manifest says: records, missing values, categories, and the records between steps.

use super::Check;
use super::release::{PublishedClasses, Release};
use super::steps::removes_records;
use crate::manifest::{Manifest, Measures};

pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    vec![records(release), missing(release), measures(release), between_steps(release.manifest)]
}

fn records(release: &Release<'_>) -> Check {
    let (said, counted) = (release.manifest.records_out, release.records.rows as u64);
    match said == counted && release.manifest.after.records == counted {
        true => Check::holds("records", format!("{counted} records, as the manifest says")),
        false => Check::fails("records", format!("the file has {counted} records and the manifest says {said}")),
    }
}

/// Checks that suppressed values are absent: as many values are missing as the manifest says.
fn missing(release: &Release<'_>) -> Check {
    for (said, column) in release.columns() {
        let counted = column.missing();
        let written = release.manifest.after.missing.get(&said.name).copied().unwrap_or(0);
        if counted != written {
            let says = format!("`{}` lacks {counted} values and the manifest says {written}", said.name);
            let first = column.codes.iter().position(|code| *code == super::read::MISSING);
            return Check::fails("missing", says).at(first.map(|row| release.cell(row, &said.name)));
        }
    }
    Check::holds("missing", "every column lacks as many values as the manifest says")
}

/// Checks the measures of risk and the categories of the published records.
fn measures(release: &Release<'_>) -> Check {
    let (counted, said) = (measured(release), &release.manifest.after);
    let wild = release.keys().iter().any(|key| release.is_wild(key));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9;
    // Counts from a population file cannot be repeated without it.
    let by_file = release.spec.is_some_and(|spec| spec.population.is_some());
    let population = match (
        super::risk::population_share(release).filter(|_| !release.keys().is_empty()),
        said.population_uniques,
    ) {
        (Some(counted), Some(said)) => near(counted, said),
        (counted, said) => counted == said,
    };
    // Under wildcards classes overlap, so their number and their average size have no single meaning.
    let wrong = [
        ("classes", wild || counted.classes == said.classes),
        ("records alone", counted.uniques == said.uniques),
        ("records in pairs", counted.pairs == said.pairs),
        ("the smallest class", counted.smallest_class == said.smallest_class),
        ("records below k", counted.below_k == said.below_k),
        ("the average risk", wild || near(counted.average_risk, said.average_risk)),
        ("the highest risk", near(counted.highest_risk, said.highest_risk)),
        ("the population uniques", by_file || population),
        ("records alone without wildcards", counted.alone_exactly == said.alone_exactly),
        ("the smallest class without wildcards", counted.smallest_exactly == said.smallest_exactly),
        ("records below k without wildcards", counted.below_k_exactly == said.below_k_exactly),
    ];
    if let Some((what, _)) = wrong.iter().find(|(_, right)| !right) {
        return Check::fails("measures", format!("the manifest is wrong about {what}"));
    }
    for (name, categories) in &said.categories {
        let column = release.records.column(name);
        if column.is_some_and(|column| column.values.len() as u64 != *categories) {
            return Check::fails("measures", format!("the manifest is wrong about the categories of `{name}`"));
        }
    }
    Check::holds("measures", "the measures of the manifest come out again")
}

/// The measures of the published records; all 0 if no key is published.
fn measured(release: &Release<'_>) -> Measures {
    if release.keys().is_empty() {
        return Measures::default();
    }
    let PublishedClasses { groups, sizes } = release.classes();
    let of_size = |wanted: &dyn Fn(u64) -> bool| -> u64 {
        sizes.iter().zip(&groups.records).filter(|(size, _)| wanted(**size)).map(|(_, records)| records).sum()
    };
    let k = release.manifest.rules.k;
    let smallest_class = sizes.iter().copied().min().unwrap_or(0);
    let wild = release.keys().iter().any(|key| release.is_wild(key));
    let exactly = |wanted: &dyn Fn(u64) -> bool| -> Option<u64> {
        wild.then(|| groups.records.iter().filter(|records| wanted(**records)).sum())
    };
    let (average_risk, highest_risk) = super::risk::risks(&groups.records, sizes);
    Measures {
        records: release.records.rows as u64,
        classes: groups.len() as u64,
        uniques: of_size(&|size| size == 1),
        pairs: of_size(&|size| size == 2),
        smallest_class,
        below_k: of_size(&|size| size < k),
        alone_exactly: exactly(&|records| records == 1),
        smallest_exactly: wild.then(|| groups.records.iter().copied().min().unwrap_or(0)),
        below_k_exactly: exactly(&|records| records < k),
        average_risk,
        highest_risk,
        ..Measures::default()
    }
}

/// Checks that each step began with the records that the one before left, and that only steps that may remove records
/// did.
fn between_steps(manifest: &Manifest) -> Check {
    let mut records = manifest.records_in;
    for record in &manifest.steps {
        let number = record.number;
        if record.records_before != records {
            let before = record.records_before;
            return Check::fails(
                "steps",
                format!("step {number} began with {before} records and {records} were there"),
            );
        }
        let after = record.records_after;
        if after > records || (after < records && !removes_records(&record.step)) {
            return Check::fails("steps", format!("step {number} cannot have made {after} records of {records}"));
        }
        records = after;
    }
    match records == manifest.records_out {
        true => Check::holds("steps", "the records before and after each step add up"),
        false => Check::fails("steps", "the last step did not leave the records that are published"),
    }
}
