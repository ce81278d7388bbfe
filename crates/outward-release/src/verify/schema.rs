//! Checks the columns of the file. They are those that the spec declares and no step drops, in the order of the
//! manifest and of their type. None has a role that the policy forbids.

use std::collections::HashSet;

use outward_spec::{Step, Type};

use super::release::Release;
use super::{Check, Place};

pub(super) fn check(release: &Release<'_>) -> Check {
    let manifest = release.manifest;
    let column = |name: &str| Place { column: Some(name.to_owned()), ..Place::file(&manifest.data) };
    let fails = |says: String, name: &str| Check::fails("schema", says).at([column(name)]);
    let in_file: Vec<&str> = release.records.columns.iter().map(|column| column.name.as_str()).collect();
    let said: Vec<&str> = manifest.columns.iter().map(|column| column.name.as_str()).collect();
    for record in &manifest.steps {
        if let Step::Drop { variables } = &record.step
            && let Some(back) = variables.iter().find(|name| in_file.contains(&name.as_str()))
        {
            return fails(format!("`{back}` was dropped and is in the file"), back);
        }
    }
    if let Some(other) = in_file.iter().find(|name| !said.contains(name)) {
        return fails(format!("`{other}` is in the file and not in the manifest"), other);
    }
    if let Some(gone) = said.iter().find(|name| !in_file.contains(name)) {
        return fails(format!("`{gone}` is in the manifest and not in the file"), gone);
    }
    if let Some(spec) = release.spec {
        let declared: HashSet<&str> =
            spec.variables.iter().filter(|known| known.is_column()).map(|known| known.name.as_str()).collect();
        if let Some(other) = in_file.iter().find(|name| !declared.contains(**name)) {
            return fails(format!("`{other}` is in the file and the spec does not declare it"), other);
        }
        let dropped = |name: &str| spec.steps.iter().any(|step| step.drops(name));
        if let Some(gone) = declared.iter().filter(|name| !in_file.contains(name) && !dropped(name)).min() {
            return fails(format!("the spec declares `{gone}`, no step drops it, and it is not in the file"), gone);
        }
    }
    if in_file != said {
        return Check::fails("schema", "the columns are in another order than in the manifest")
            .at([Place::file(&manifest.data)]);
    }
    if let Some(forbidden) = manifest.columns.iter().find(|column| manifest.rules.forbid.contains(&column.role)) {
        let says = format!("`{}` has role `{}`, which the policy forbids", forbidden.name, forbidden.role);
        return fails(says, &forbidden.name);
    }
    types(release).unwrap_or_else(|| {
        Check::holds(
            "schema",
            format!("the {} columns are those the spec declares, none of a forbidden role", said.len()),
        )
    })
}

/// The first column with values that are not of its type.
fn types(release: &Release<'_>) -> Option<Check> {
    release.columns().find_map(|(said, column)| {
        let fits: fn(&str) -> bool = match said.data_type {
            Type::Text => return None,
            Type::Integer => |value| value.parse::<i64>().is_ok() || value.parse::<u64>().is_ok(),
            Type::Number => |value| value.parse::<f64>().is_ok_and(f64::is_finite),
            Type::Date => is_date,
        };
        let rows = column.rows_where(|value| !fits(value));
        let first = rows.first()?;
        let says = format!("{} values of `{}` are not of its type", rows.len(), said.name);
        Some(Check::fails("schema", says).at([release.cell(*first, &said.name)]))
    })
}

/// Whether a value is a date, with or without a time of day.
fn is_date(value: &str) -> bool {
    let day = value.get(..10).unwrap_or(value);
    day.len() == 10
        && day
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}
