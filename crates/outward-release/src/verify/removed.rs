//! Checks that records which steps left out are absent, and that samples have their size. This is counted on the
//! published columns, if all columns of the step are published and no later step removed records or moved values.

use outward_spec::Step;

use super::Check;
use super::release::Release;
use super::steps::{StepEffect, removes_records, strongest};
use crate::manifest::StepRecord;

pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let steps = &release.manifest.steps;
    let mut checks = Vec::new();
    for (at, record) in steps.iter().enumerate() {
        let later = &steps[at + 1..];
        let number = record.number;
        checks.extend(match &record.step {
            Step::RemoveRare { variable, within, least } => {
                let keys = [&[variable.clone()][..], within].concat();
                absent(release, &format!("rare categories (step {number})"), &keys, *least, later)
            }
            Step::RemoveUniques { keys, within, k } => {
                let keys = [&keys[..], within].concat();
                absent(release, &format!("rare combinations (step {number})"), &keys, *k, later)
            }
            Step::Sample { fraction, size, households, .. } if !households => Some(sampled(record, *fraction, *size)),
            Step::SuppressRecords { limit } | Step::RecodeLocally { limit } => Some(suppressed(record, *limit)),
            _ => None,
        });
    }
    checks
}

fn absent(release: &Release<'_>, name: &str, keys: &[String], least: u64, later: &[StepRecord]) -> Option<Check> {
    let there = |key: &String| release.records.column(key).is_some();
    let is_key = |key: &String| release.manifest.column(key).is_some_and(|column| column.is_key);
    let touched = |key: &String| strongest(later, key, is_key(key)) != StepEffect::None;
    if later.iter().any(|record| removes_records(&record.step)) || !keys.iter().all(there) || keys.iter().any(touched) {
        return None;
    }
    let groups = release.grouped(keys, None);
    // These steps treat missing as a value.
    let (records, rows) = groups.rows_where(|group| groups.records[group] < least);
    let keys = keys.join(", ");
    Some(match records {
        0 => Check::holds(name, format!("every combination of {keys} has {least} records or more")),
        _ => Check::fails(name, format!("records in combinations of {keys} with fewer than {least}: {records}"))
            .at(rows.map(|row| release.row(row))),
    })
}

fn sampled(record: &StepRecord, fraction: Option<f64>, size: Option<u64>) -> Check {
    let (before, after) = (record.records_before, record.records_after);
    let right = match (size, fraction) {
        (Some(size), _) => after == size,
        (None, Some(fraction)) => (after as f64 - fraction * before as f64).abs() <= 1.0,
        (None, None) => false,
    };
    let name = format!("sample (step {})", record.number);
    match right {
        true => Check::holds(name, format!("{after} of {before} records, as the step says")),
        false => Check::fails(name, format!("{after} of {before} records, which is not what the step says")),
    }
}

fn suppressed(record: &StepRecord, limit: f64) -> Check {
    let gone = record.records_before.saturating_sub(record.records_after);
    let name = format!("records left out (step {})", record.number);
    match gone as f64 <= limit * record.records_before as f64 + 1e-9 {
        true => Check::holds(name, format!("{gone} records were left out, within the limit")),
        false => Check::fails(name, format!("{gone} records were left out, more than the limit of a share of {limit}")),
    }
}
