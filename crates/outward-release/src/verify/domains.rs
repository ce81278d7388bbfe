//! Checks that published values of a recoded variable are labels of its level, so that none is left unrecoded.

use outward_spec::Step;

use super::Check;
use super::release::Release;
use super::steps::{StepEffect, strongest};

/// One check for each published variable that was recoded.
pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let steps = &release.manifest.steps;
    let mut checks = Vec::new();
    for (said, column) in release.columns() {
        let mut asked = None;
        for (at, record) in steps.iter().enumerate() {
            match &record.step {
                Step::Recode { variable, level } if *variable == said.name => asked = Some((at, *level, false)),
                // Keys without a hierarchy are not recoded.
                Step::RecodeLocally { .. } if said.is_key && has_hierarchy(release, &said.name) => {
                    asked = Some((at, asked.map_or(0, |(_, level, _)| level), true));
                }
                _ => {}
            }
        }
        let Some((at, level, coarser)) = asked else { continue };
        if strongest(&steps[at + 1..], &said.name, said.is_key) == StepEffect::Rewrites {
            continue;
        }
        let name = format!("domain ({})", said.name);
        let hierarchy = match release.hierarchy(&said.name) {
            Ok(hierarchy) => hierarchy,
            Err(why) => {
                checks.push(Check::cannot_tell(name, why));
                continue;
            }
        };
        // A manifest may name a level that the hierarchy does not have. No value is a label of it.
        let level = level.min(hierarchy.levels());
        let last = if coarser { hierarchy.levels() - 1 } else { level };
        let known = |value: &str| (level..=last).any(|level| hierarchy.has_label(value, level));
        let rows = column.rows_where(|value| !known(value));
        let levels = if coarser { format!("levels {level} to {last}") } else { format!("level {level}") };
        checks.push(match rows.len() {
            0 => Check::holds(name, format!("every value is a label of {levels}")),
            n => Check::fails(name, format!("records whose value is no label of {levels}: {n}"))
                .at(rows.into_iter().map(|row| release.cell(row, &said.name))),
        });
    }
    checks
}

fn has_hierarchy(release: &Release<'_>, variable: &str) -> bool {
    let variable = release.spec.and_then(|spec| spec.variable(variable));
    variable.is_some_and(|variable| variable.hierarchy.is_some())
}
