//! Checks that published places are those of the mapping in the bundle. The mapping must be made for as many residents
//! as the policy requires.

use std::collections::HashSet;
use std::fs;

use outward_spec::{Role, Step};

use super::release::Release;
use super::steps::{StepEffect, strongest};
use super::{Check, Place};
use crate::bundle::{MAPPINGS, file_of_variable};

/// The header of a mapping from `outward places pool`. No field contains a comma or a quote.
const HEADER: &str = "version,code,published,reason,rule,threshold,population_table";

/// One check for each variable whose codes were replaced by a mapping.
pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let steps = &release.manifest.steps;
    let placed = steps.iter().enumerate().filter_map(|(at, record)| match &record.step {
        Step::Place { variable, .. } => Some((variable, &steps[at + 1..])),
        _ => None,
    });
    let mapped: Vec<&String> = placed.clone().map(|(variable, _)| variable).collect();
    let judged = placed
        .filter(|(variable, later)| strongest(later, variable, true) != StepEffect::Rewrites)
        .filter_map(|(variable, _)| judge(release, variable));
    judged.chain(unmapped(release, &mapped)).collect()
}

/// Checks for places without a known number of residents, if the policy asks for one.
fn unmapped(release: &Release<'_>, mapped: &[&String]) -> Vec<Check> {
    let Some(least) = release.manifest.rules.place_population else { return Vec::new() };
    let places =
        release.columns().filter(|(column, _)| column.role == Role::Geography && !mapped.contains(&&column.name));
    let says = format!("no mapping says that each place has at least {least} residents");
    places.map(|(column, _)| Check::fails(format!("places ({})", column.name), says.clone())).collect()
}

fn judge(release: &Release<'_>, variable: &str) -> Option<Check> {
    let column = release.records.column(variable)?;
    let name = format!("places ({variable})");
    let place = release.spec.and_then(|spec| spec.variables.iter().position(|known| known.name == variable));
    let path = format!("{MAPPINGS}/{}", file_of_variable(variable, place.unwrap_or_default()));
    let Some((threshold, published)) = mapping(release, &path) else {
        return Some(Check::cannot_tell(name, "there is no mapping of places in the bundle"));
    };
    let least = release.manifest.rules.place_population.unwrap_or(0);
    if threshold < least {
        let says = format!("places have at least {threshold} residents and the policy asks for {least}");
        return Some(Check::fails(name, says).at([Place::file(path)]));
    }
    let rows = column.rows_where(|value| !published.contains(value));
    Some(match rows.len() {
        0 => Check::holds(name, format!("every place is one of the mapping, for at least {threshold} residents")),
        n => Check::fails(name, format!("records with a place that the mapping does not publish: {n}"))
            .at(rows.into_iter().map(|row| release.cell(row, variable))),
    })
}

/// The threshold of a mapping and the codes it publishes.
fn mapping(release: &Release<'_>, path: &str) -> Option<(u64, HashSet<String>)> {
    let text = fs::read_to_string(release.bundle.join(path)).ok()?;
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if lines.next()? != HEADER {
        return None;
    }
    let (mut threshold, mut published) = (u64::MAX, HashSet::new());
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        threshold = threshold.min(fields.get(5)?.parse().ok()?);
        published.insert((*fields.get(2)?).to_owned());
    }
    (!published.is_empty()).then_some((threshold, published))
}
