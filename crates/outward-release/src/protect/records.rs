//! The parts of the manifest that say what was done.

use outward_engine::{Rewritten, StepCount, TypedColumn};
use outward_report::format::count;
use outward_spec::{Spec, Step, Type};

use crate::manifest::{ColumnRecord, Measures, StepRecord, VariableUtility};

/// The types for reading a file that has none.
pub(super) fn types(columns: &[ColumnRecord]) -> Vec<TypedColumn> {
    let typed = columns.iter().filter(|column| column.data_type != Type::Text);
    typed
        .map(|column| TypedColumn { name: column.name.clone(), data_type: column.data_type, date_format: None })
        .collect()
}

/// The share of the population in the release: that of the data, times the share that was sampled.
pub(super) fn sampling_fraction(given: Option<f64>, spec: &Spec, written: &Rewritten) -> Option<f64> {
    let drawn = spec.steps.iter().zip(&written.steps).filter(|(step, _)| matches!(step, Step::Sample { .. }));
    let drawn: Vec<f64> =
        drawn.map(|(_, count)| count.records_after as f64 / count.records_before.max(1) as f64).collect();
    match (given, drawn.is_empty()) {
        (fraction, true) => fraction,
        (fraction, false) => Some(fraction.unwrap_or(1.0) * drawn.iter().product::<f64>()),
    }
}

/// Each step with what it did.
pub(super) fn steps(spec: &Spec, written: &Rewritten) -> Vec<StepRecord> {
    let has_weight = spec.weight().is_some_and(|weight| written.schema.index_of(&weight.name).is_ok());
    let steps = spec.steps.iter().zip(&written.steps).enumerate();
    steps.map(|(at, (step, count))| record(at, step, count, has_weight)).collect()
}

fn record(at: usize, step: &Step, done: &StepCount, has_weight: bool) -> StepRecord {
    let mut record = StepRecord::new(at + 1, step.clone(), says(step, done), done.records_before, done.records_after);
    record.changed = done.changed.clone();
    record.categories = done.categories.clone();
    record.uniques = done.uniques;
    record.figures = done.figures.clone();
    record.notes = done.notes.clone();
    if let Some(alone) = done.figures.get("population_uniques") {
        record.notes.push(format!("{} records are alone on the keys in the population", count(*alone as u64)));
    }
    if matches!(step, Step::Sample { .. }) && has_weight {
        record.notes.push("the weights are those of the records before the sample was drawn".to_owned());
    }
    if matches!(step, Step::Limit { .. }) {
        let side = |name: &str| done.figures.get(name).copied();
        record.limits = Some([side("bottom"), side("top")]).filter(|sides| sides.iter().any(Option::is_some));
    }
    record
}

/// A step in a sentence, for the custodian.
fn says(step: &Step, done: &StepCount) -> String {
    let list = |names: &[String]| names.join(", ");
    let changed = done.changed.values().sum::<u64>();
    let left_out = done.records_before.saturating_sub(done.records_after);
    match step {
        Step::Drop { variables } if variables.len() > 4 => format!("left out {} variables", variables.len()),
        Step::Drop { variables } => format!("left out {}", list(variables)),
        Step::Recode { variable, level } => match done.categories.get(variable) {
            Some([before, after]) => {
                format!("recoded {variable} from {} to {} categories", count(*before), count(*after))
            }
            None => format!("recoded {variable} to level {level}"),
        },
        Step::Place { variable, .. } => format!("published {variable} as places with enough residents"),
        Step::Grid { variables, cell, .. } => format!("moved {} to the corners of cells of {cell} m", list(variables)),
        Step::Keep { .. } => format!("left out {} records by a condition", count(left_out)),
        Step::Limit { variable, .. } => format!("limited {} extremes of {variable}", count(changed)),
        Step::Round { variables, base, .. } => format!("rounded {} to multiples of {}", list(variables), base.0),
        Step::SuppressCells { .. } => format!("left out {} values of keys", count(changed)),
        Step::SuppressRecords { .. } => format!("left out {} records that stood out", count(left_out)),
        Step::RecodeLocally { .. } => format!("recoded {} values, some records further than others", count(changed)),
        Step::RemoveRare { variable, .. } => {
            format!("left out {} records with rare categories of {variable}", count(left_out))
        }
        Step::RemoveUniques { keys, .. } => format!("left out {} records rare on {}", count(left_out), list(keys)),
        Step::Sample { .. } => {
            format!("drew a sample of {} of {} records", count(done.records_after), count(done.records_before))
        }
        Step::Swap { geography, .. } => {
            format!("swapped {} between {} records", list(geography), count(figure(done, "records_moved")))
        }
        Step::Shuffle {} => "put the records into a random order".to_owned(),
        Step::Microaggregate { variables, k, .. } => {
            format!("replaced {} by averages of {} or more records", list(variables), count(*k))
        }
        Step::Pram { variables, .. } => format!("changed {} values of {} at random", count(changed), list(variables)),
        Step::Noise { variables, .. } => format!("added noise to {}", list(variables)),
        Step::RankSwap { variables, .. } => {
            format!("exchanged {} values of {} with similar ones", count(changed), list(variables))
        }
    }
}

fn figure(done: &StepCount, name: &str) -> u64 {
    done.figures.get(name).copied().unwrap_or_default() as u64
}

/// The utility of each published variable.
pub(super) fn utility(
    columns: &[ColumnRecord],
    before: &Measures,
    after: &Measures,
    written: &Rewritten,
) -> Vec<VariableUtility> {
    let of_column = |column: &ColumnRecord| {
        let name = &column.name;
        let of = |measures: &Measures| measures.categories.get(name).copied();
        let first = |figure: &str| written.steps.iter().find_map(|step| step.figures.get(figure).copied());
        let last = |figure: &str| written.steps.iter().rev().find_map(|step| step.figures.get(figure).copied());
        let changed: u64 = written.steps.iter().filter_map(|step| step.changed.get(name)).sum();
        VariableUtility {
            variable: name.clone(),
            categories_before: of(before),
            categories_after: of(after),
            missing_before: before.missing.get(name).copied(),
            missing_after: written.missing.get(name).copied().unwrap_or_default(),
            mean_before: first(&format!("mean_before.{name}")),
            mean_after: last(&format!("mean_after.{name}")),
            note: if changed > 0 { format!("{} values changed or left out", count(changed)) } else { String::new() },
        }
    };
    // Variables that are no keys and that no step changed have nothing to compare.
    let told = |utility: &VariableUtility| utility.categories_before.is_some() || !utility.note.is_empty();
    columns.iter().map(of_column).filter(told).collect()
}
