//! Checks numbers that steps changed: rounded ones are multiples of their base, limited ones are within their limits,
//! and those of microaggregation are shared. A step is checked only if no later step rewrote its values.

use outward_spec::{Extreme, Step};

use super::Check;
use super::decimal::WrittenDecimal;
use super::read::{CodedColumn, MISSING};
use super::release::Release;
use super::steps::{StepEffect, effect, removes_records, strongest};
use crate::manifest::StepRecord;

pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let steps = &release.manifest.steps;
    let mut checks = Vec::new();
    for (at, record) in steps.iter().enumerate() {
        let later = &steps[at + 1..];
        match &record.step {
            Step::Round { variables, base, .. } => {
                for variable in variables {
                    checks.extend(column(release, variable, later).map(|column| rounded(release, column, base.0)));
                }
            }
            Step::Limit { variable, .. } => checks.extend(limited(release, record, variable, later)),
            Step::Microaggregate { variables, k, .. } => checks.extend(aggregated(release, variables, *k, later)),
            _ => {}
        }
    }
    checks
}

/// The published column of a variable, if its values are still those of the step.
fn column<'a>(release: &Release<'a>, variable: &str, later: &[StepRecord]) -> Option<&'a CodedColumn> {
    let is_key = release.manifest.column(variable)?.is_key;
    (strongest(later, variable, is_key) < StepEffect::Rewrites).then(|| release.records.column(variable)).flatten()
}

fn rounded(release: &Release<'_>, column: &CodedColumn, base: f64) -> Check {
    let name = format!("rounding ({})", column.name);
    let Some(multiple) = WrittenDecimal::parse(&base.to_string()) else {
        return Check::cannot_tell(name, "the base is no number that can be written");
    };
    let rows =
        column.rows_where(|value| !WrittenDecimal::parse(value).is_some_and(|value| value.is_multiple_of(multiple)));
    match rows.len() {
        0 => Check::holds(name, format!("every value is a multiple of {base}")),
        n => Check::fails(name, format!("records whose value is no multiple of {base}: {n}"))
            .at(rows.into_iter().map(|row| release.cell(row, &column.name))),
    }
}

fn limited(release: &Release<'_>, record: &StepRecord, variable: &str, later: &[StepRecord]) -> Option<Check> {
    let Step::Limit { bottom, top, bottom_share, top_share, publish, .. } = &record.step else { return None };
    let is_key = release.manifest.column(variable)?.is_key;
    let rewrites: Vec<&Step> = later
        .iter()
        .map(|later| &later.step)
        .filter(|step| effect(step, variable, is_key) == StepEffect::Rewrites)
        .collect();
    // Rounding moves a limit at most to the next multiple. Other steps make new values.
    let slack = match rewrites[..] {
        [] => 0.0,
        [Step::Round { base, .. }] => base.0,
        _ => return None,
    };
    let column = release.records.column(variable)?;
    let name = format!("limits ({variable})");
    let found = record.limits.unwrap_or_default();
    let (bottom, top) = (bottom.map(|bottom| bottom.0).or(found[0]), top.map(|top| top.0).or(found[1]));
    if (bottom_share.is_some() && bottom.is_none()) || (top_share.is_some() && top.is_none()) {
        return Some(Check::cannot_tell(name, "the manifest does not say which limits the shares came to"));
    }
    let number = |value: &str| value.parse::<f64>().ok();
    let below = |value: &str| number(value).is_some_and(|n| bottom.is_some_and(|bottom| n < bottom - slack));
    let above = |value: &str| number(value).is_some_and(|n| top.is_some_and(|top| n > top + slack));
    // All extremes of one end may be replaced by one number, their mean, or by one label.
    let beyond = |is: &dyn Fn(&str) -> bool| column.values.iter().filter(|value| is(value)).count();
    let one_mean = beyond(&below) <= 1 && beyond(&above) <= 1;
    let ends = usize::from(bottom.is_some()) + usize::from(top.is_some());
    let labelled = beyond(&|value| number(value).is_none()) <= ends;
    let outside = |value: &str| match publish {
        _ if number(value).is_none() => *publish != Extreme::Label || !labelled,
        Extreme::Mean if one_mean => false,
        _ => below(value) || above(value),
    };
    let rows = column.rows_where(outside);
    Some(match rows.len() {
        0 => Check::holds(name, "no value is beyond its limit"),
        n => Check::fails(name, format!("records with a value beyond the limit: {n}"))
            .at(rows.into_iter().map(|row| release.cell(row, variable))),
    })
}

/// Checks that every combination of the averaged variables is shared by a group. Records that lack a value are not
/// checked.
fn aggregated(release: &Release<'_>, variables: &[String], k: u64, later: &[StepRecord]) -> Option<Check> {
    let columns: Vec<&CodedColumn> =
        variables.iter().map(|variable| column(release, variable, later)).collect::<Option<_>>()?;
    let is_key = |variable: &String| release.manifest.column(variable).is_some_and(|column| column.is_key);
    let moved = |variable: &String| strongest(later, variable, is_key(variable)) != StepEffect::None;
    if later.iter().any(|record| removes_records(&record.step)) || variables.iter().any(moved) {
        return None;
    }
    let complete: Vec<bool> =
        (0..release.records.rows).map(|row| columns.iter().all(|column| column.codes[row] != MISSING)).collect();
    let groups = release.grouped(variables, Some(&complete));
    let (records, rows) = groups.rows_where(|group| groups.records[group] < k);
    let name = format!("microaggregation ({})", variables.join(", "));
    Some(match records {
        0 => Check::holds(name, format!("every group has {k} records or more")),
        _ => Check::fails(name, format!("records whose average fewer than {k} share: {records}"))
            .at(rows.map(|row| release.row(row))),
    })
}
