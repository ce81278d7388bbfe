//! Compares a card with the published records, where these say how successful the intruder must have been.
//!
//! Let an intruder with response knowledge match by equal keys, and let the steps only leave records out and recode
//! whole columns. Then the records that agree with a person about whom nothing is wrong are those that share the keys
//! with the person's own record in the published file. So of *T* people drawn at random from *N* records, of whom a share
//! *q* is known without a mistake, the intruder is expected to find *q T C / N* where the file has *C* combinations of the
//! keys, and claims those who are alone with confidence 1. Six standard deviations below is a card that was not measured.

use std::collections::HashSet;
use std::path::Path;

use outward_engine::Data;
use outward_spec::{ANYTHING, AttackKind, Hierarchy, Spec, Step, Type};

use super::Test;
use crate::manifest::Manifest;
use crate::verify::groups::KeyGroups;
use crate::verify::read::{self, CodedColumn, MISSING, Records};

/// How many standard deviations below the expected number a figure is refused.
const DEVIATIONS: f64 = 6.0;

/// Whether a card has fewer right claims than the published records allow. `None` if the records do not say, or cannot be
/// read, which other checks find.
pub(super) async fn finds_too_few(
    bundle: &Path,
    test: &Test,
    manifest: &Manifest,
    spec: &Spec,
    threads: usize,
) -> Option<bool> {
    if !follows_from_records(test, spec) {
        return None;
    }
    let data = Data { source: read::source_of_bundle(bundle, &manifest.data).ok()?, columns: Vec::new() };
    let records = read::columns(&data, &test.card.used, threads).await.ok()?;
    let is_told = records.rows > 0 && records.columns.iter().all(|column| only_equal_values_agree(column, spec));
    is_told.then(|| Expected::new(&records, share_without_mistakes(test, spec)).is_above(test))
}

/// Whether the scenario and the steps are such that the published records say whom the intruder finds.
fn follows_from_records(test: &Test, spec: &Spec) -> bool {
    let scenario = &test.scenario;
    let used = |name: &String| test.card.used.contains(name);
    let keeps_classes = |step: &Step| match step {
        Step::Drop { .. }
        | Step::Recode { .. }
        | Step::Keep { .. }
        | Step::SuppressRecords { .. }
        | Step::Sample { .. }
        | Step::Shuffle {} => true,
        Step::Limit { .. } | Step::Round { .. } | Step::Microaggregate { .. } | Step::Noise { .. } => {
            !step.variables().iter().any(|(_, name)| used(name))
        }
        _ => false,
    };
    test.card.attack.is_some()
        && scenario.attack.unwrap_or_default() == AttackKind::Exact
        && scenario.response_knowledge
        && scenario.condition.is_none()
        && scenario.file.is_none()
        && spec.population.is_none()
        && scenario.known.iter().all(|known| known.level == 0)
        && spec.steps.iter().all(keeps_classes)
}

/// Whether a value of a published column agrees with no other one: every record has a value, none stands for any, none is
/// a label of another at a level of a hierarchy, and none is part of a date.
fn only_equal_values_agree(column: &CodedColumn, spec: &Spec) -> bool {
    let Some(variable) = spec.variable(&column.name) else { return false };
    let values: HashSet<&str> = column.values.iter().map(String::as_str).collect();
    let mut hierarchies = variable.hierarchies().map(|of| Hierarchy::compile(of, &spec.base, &variable.name));
    let keeps_apart = |hierarchy: &Hierarchy| {
        let is_label = |value: &&str, level: usize| {
            hierarchy.recode(value, level).is_some_and(|label| label != **value && values.contains(label.as_ref()))
        };
        !values.iter().any(|value| (1..hierarchy.levels()).any(|level| is_label(value, level)))
    };
    !column.codes.contains(&MISSING)
        && !values.contains(ANYTHING)
        && variable.data_type != Some(Type::Date)
        && hierarchies.all(|hierarchy| hierarchy.is_ok_and(|hierarchy| keeps_apart(&hierarchy)))
}

/// The share of people about whom the intruder has no value wrong.
fn share_without_mistakes(test: &Test, spec: &Spec) -> f64 {
    let known = |name: &String| {
        let variable = spec.variable(name)?;
        test.scenario.known.iter().find(|known| known.picks(variable))
    };
    let errors = test.card.used.iter().filter_map(known).flat_map(|known| &known.errors);
    errors.map(|error| 1.0 - error.rate).product()
}

/// What is expected of each person looked for, at least.
struct Expected {
    /// The chance that they are found, and the mean of its square over people.
    found: [f64; 2],
    /// The chance that they are alone on the keys and known without a mistake.
    alone: f64,
}

impl Expected {
    fn new(records: &Records, share: f64) -> Self {
        let columns: Vec<&[u32]> = records.columns.iter().map(|column| column.codes.as_slice()).collect();
        let groups = KeyGroups::from_columns(&columns, &vec![false; columns.len()], records.rows, None);
        let of_people = |sum: f64| share * sum / records.rows as f64;
        let alone = groups.records.iter().filter(|records| **records == 1).count();
        let squares = groups.records.iter().map(|records| 1.0 / *records as f64).sum();
        Self { found: [of_people(groups.len() as f64), of_people(squares)], alone: of_people(alone as f64) }
    }

    /// Whether a card is below what is expected of so many people.
    fn is_above(&self, test: &Test) -> bool {
        let people = test.card.in_release as f64;
        let least = |mean: f64, square: f64| people * mean - DEVIATIONS * (people * square).sqrt();
        let alone = least(self.alone, self.alone);
        test.card.expected < least(self.found[0], self.found[1]) - 1e-6
            || test.card.at_confidence.iter().any(|at| (at.correct as f64) < alone)
    }
}
