//! Checks the public mappings. There is one for each published variable whose values are shown as labels, with exactly
//! the lines that its hierarchy gives. The lines are made again from the spec and the hierarchies in the bundle, and
//! compared with the file.

use std::collections::BTreeMap;

use outward_profile::scan::scan_text;
use outward_spec::{Hierarchy, Spec, Step, Variable};

use super::files::hash_of;
use super::release::Release;
use super::{Check, Place};
use crate::bundle::{MAPPINGS, file_of_variable, read_ordinary};
use crate::inputs::InputKind;
use crate::words;

/// What must be in a mapping.
enum ExpectedMapping {
    /// These rows, the header first.
    Rows(Vec<Vec<String>>),
    /// The file that a step `place` was given, by its hash.
    Given(Option<String>),
}

pub(super) fn check(release: &Release<'_>) -> Check {
    let name = "mappings";
    let Some(spec) = release.spec else { return Check::cannot_tell(name, "the spec cannot be read") };
    let mut expected = BTreeMap::new();
    for (place, variable) in spec.variables.iter().enumerate() {
        match of_variable(release, spec, variable) {
            Ok(None) => {}
            Ok(Some(mapping)) => {
                expected.insert(format!("{MAPPINGS}/{}", file_of_variable(&variable.name, place)), mapping);
            }
            Err(why) => return Check::cannot_tell(name, why),
        }
    }
    let (mut wrong, mut places) = (Vec::new(), Vec::new());
    for file in release.manifest.files.iter().filter(|file| file.path.starts_with(MAPPINGS)) {
        if !expected.contains_key(&file.path) {
            wrong.push(format!("{} is a mapping that the spec does not make", file.path));
            places.push(Place::file(&file.path));
        }
    }
    for (path, mapping) in &expected {
        if let Some((what, row)) = fault(release, path, mapping) {
            wrong.push(format!("{path} {what}"));
            places.push(Place { row, ..Place::file(path) });
        }
    }
    match wrong.is_empty() {
        true => Check::holds(name, "every line is what spec and hierarchies make, and none is missing"),
        false => Check::fails(name, wrong.join("; ")).at(places),
    }
}

/// The mapping of a variable; `None` if its values are published unchanged, or identify people.
fn of_variable(release: &Release<'_>, spec: &Spec, variable: &Variable) -> Result<Option<ExpectedMapping>, String> {
    let (mut level, mut locally, mut given) = (0, false, false);
    for step in &spec.steps {
        match step {
            Step::Drop { variables } if variables.contains(&variable.name) => return Ok(None),
            Step::Place { variable: name, .. } if *name == variable.name => given = true,
            Step::Recode { variable: name, level: to } if *name == variable.name => level = *to,
            Step::RecodeLocally { .. } => locally |= variable.is_key(),
            _ => {}
        }
    }
    if given {
        let inputs = release.manifest.inputs.iter().rev();
        let mut mappings = inputs.filter(|input| input.kind == InputKind::Mapping);
        let own = mappings.find(|input| input.variable.as_ref() == Some(&variable.name));
        return Ok(Some(ExpectedMapping::Given(own.and_then(|input| input.sha256.clone()))));
    }
    let Some(described) = variable.hierarchy.as_ref().filter(|_| level > 0 || locally) else { return Ok(None) };
    let hierarchy = release.hierarchy(&variable.name)?;
    let levels = level.max(1)..=if locally { hierarchy.levels() - 1 } else { level };
    let rows = match hierarchy.values() {
        Some(values) if values.iter().any(|value| scan_text(value).next().is_some()) => return Ok(None),
        Some(values) => {
            let header = match locally {
                true => levels.clone().map(|level| format!("level {level}")).collect(),
                false => vec!["published".to_owned()],
            };
            let header = [vec!["value".to_owned()], header].concat();
            [header].into_iter().chain(values.iter().map(|value| row(&hierarchy, value, levels.clone()))).collect()
        }
        None => {
            let rules = levels.filter_map(|level| words::rule(described, level));
            [vec!["rule".to_owned()]].into_iter().chain(rules.map(|rule| vec![rule])).collect()
        }
    };
    Ok(Some(ExpectedMapping::Rows(rows)))
}

/// A value and its labels.
fn row(hierarchy: &Hierarchy, value: &str, levels: impl Iterator<Item = usize>) -> Vec<String> {
    let labels = levels.map(|level| hierarchy.recode(value, level).map(|label| label.into_owned()).unwrap_or_default());
    [value.to_owned()].into_iter().chain(labels).collect()
}

/// What is wrong with a mapping, and in which row, not counting the header.
fn fault(release: &Release<'_>, path: &str, expected: &ExpectedMapping) -> Option<(&'static str, Option<u64>)> {
    let listed = release.manifest.files.iter().any(|file| file.path == path);
    let Some(text) = read_ordinary(&release.bundle.join(path)).ok().filter(|_| listed) else {
        return Some(("is missing, and the spec makes it", None));
    };
    let expected = match expected {
        ExpectedMapping::Rows(rows) => rows,
        ExpectedMapping::Given(hash) => {
            let same = hash.is_some() && hash_of(release.bundle, path) == *hash;
            return (!same).then_some(("is not the file that the step `place` was given", None));
        }
    };
    let rows = rows(&text);
    let differs = expected.iter().zip(&rows).position(|(expected, row)| expected != row);
    if let Some(at) = differs {
        return Some(("has a line that its hierarchy does not make", (at as u64 > 0).then_some(at as u64)));
    }
    match rows.len().cmp(&expected.len()) {
        std::cmp::Ordering::Less => Some(("lacks lines that its hierarchy makes", None)),
        std::cmp::Ordering::Greater => {
            Some(("has a line that its hierarchy does not make", Some(expected.len() as u64)))
        }
        std::cmp::Ordering::Equal if !text.ends_with('\n') => Some(("has no end of line at its end", None)),
        std::cmp::Ordering::Equal => None,
    }
}

/// The rows of a CSV text with commas. An unclosed quote extends to the end.
pub(super) fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => field.extend(characters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows
}
