//! Checks that the spec in the bundle is the one by which the release was made, and that it agrees with the manifest.

use std::path::{Path, PathBuf};

use outward_spec::{PolicyChoice, Spec, Step};

use super::files::hash_of;
use super::{Check, Place};
use crate::bundle::{POLICY, SPEC, hierarchy_copy, read_ordinary};
use crate::inputs::{InputKind, InputRecord};
use crate::manifest::{ColumnRecord, Manifest, Subset, own_thresholds};

/// The checks, and the spec if it can be read.
pub(super) fn check(bundle: &Path, manifest: &Manifest) -> (Vec<Check>, Option<Spec>) {
    let text = read_ordinary(&bundle.join(SPEC)).ok();
    let spec = text.and_then(|text| Spec::parse(&text, bundle.join(SPEC)).ok());
    let Some(spec) = spec else {
        let check = Check::fails("spec", "the spec is missing or cannot be read").at([Place::file(SPEC)]);
        return (vec![check], None);
    };
    (vec![inputs(bundle, manifest, &spec), rules(bundle, manifest, &spec)], Some(spec))
}

/// Checks that the copies of spec, policy and hierarchies are those from which the release was made.
fn inputs(bundle: &Path, manifest: &Manifest, spec: &Spec) -> Check {
    let copy_of_hierarchy = |variable: &str| {
        let place = spec.variables.iter().position(|known| known.name == variable)?;
        let file = spec.variables[place].hierarchy.as_ref()?.own_file()?;
        Some(hierarchy_copy(variable, place, file))
    };
    let copy = |input: &InputRecord| match (input.kind, &input.variable) {
        (InputKind::Spec, _) => Some(SPEC.to_owned()),
        (InputKind::Policy, _) => Some(POLICY.to_owned()),
        (InputKind::Hierarchy, Some(variable)) => copy_of_hierarchy(variable),
        _ => None,
    };
    let copies = manifest.inputs.iter().filter_map(|input| Some((copy(input)?, &input.sha256)));
    let changed = copies.filter(|(path, sha256)| hash_of(bundle, path) != **sha256);
    let changed: Vec<Place> = changed.map(|(path, _)| Place::file(path)).collect();
    let known = manifest.inputs.iter().any(|input| input.kind == InputKind::Spec);
    match (known, changed.is_empty()) {
        (true, true) => Check::holds("spec", "the spec and its files are those the release was made by"),
        (false, _) => Check::fails("spec", "the manifest does not say which spec the release was made by"),
        (_, false) => Check::fails("spec", "a copy is not the file the release was made by").at(changed),
    }
}

/// Checks that the spec has the rules, keys and subsets of the manifest.
fn rules(bundle: &Path, manifest: &Manifest, spec: &Spec) -> Check {
    let choice = match spec.policy.file {
        Some(_) => PolicyChoice { file: Some(PathBuf::from(POLICY)), ..spec.policy.clone() },
        None => spec.policy.clone(),
    };
    let Ok(rules) = choice.rules(bundle) else {
        return Check::cannot_tell("rules", "the policy the spec names is not known here");
    };
    if (&rules.policy, &rules.version) != (&manifest.rules.policy, &manifest.rules.version) {
        let says = format!("this version of Outward has policy {} in version {}", rules.policy, rules.version);
        return Check::cannot_tell("rules", format!("{says}, the bundle was made with {}", manifest.rules.version));
    }
    let fails = |says: &str| Check::fails("rules", says).at([Place::file(SPEC)]);
    if rules != manifest.rules {
        return fails("the manifest has other rules than the spec and its policy");
    }
    let as_said = |column: &&ColumnRecord| ColumnRecord::new(spec, &column.name, column.data_type) != **column;
    if let Some(column) = manifest.columns.iter().find(as_said) {
        return fails(&format!("the manifest describes `{}` differently from the spec", column.name));
    }
    if Subset::of_spec(spec, &rules, &manifest.columns) != manifest.subsets {
        return fails("the manifest has other scenarios than the spec");
    }
    let done: Vec<&Step> = manifest.steps.iter().map(|record| &record.step).collect();
    if done != spec.steps.iter().collect::<Vec<_>>() {
        return fails("the manifest has other steps than the spec");
    }
    if spec.title.as_ref().is_some_and(|title| *title != manifest.title) {
        return fails("the manifest has another title than the spec");
    }
    let own = own_thresholds(spec);
    if own != manifest.own_thresholds {
        return fails("the manifest does not say which thresholds are the spec's own");
    }
    let own = match own.is_empty() {
        true => String::new(),
        false => format!(", except for the spec's own {}", own.join(", ")),
    };
    Check::holds("rules", format!("the rules are those of policy {} {}{own}", rules.policy, rules.version))
}
