//! What steps do to the values of earlier steps, so that a check expects only what can still be there.

use outward_spec::Step;

use crate::manifest::StepRecord;

/// What a step does to the values of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StepEffect {
    /// Nothing.
    None,
    /// Some values are left out.
    Blanks,
    /// Records exchange values, or take one that another record has.
    Moves,
    /// New values are made.
    Rewrites,
}

/// What a step does to a variable.
pub(super) fn effect(step: &Step, variable: &str, is_key: bool) -> StepEffect {
    let named = |names: &[String]| names.iter().any(|name| name == variable);
    match step {
        Step::Recode { variable: name, .. }
        | Step::Place { variable: name, .. }
        | Step::Limit { variable: name, .. }
            if name == variable =>
        {
            StepEffect::Rewrites
        }
        Step::Grid { variables, .. }
        | Step::Round { variables, .. }
        | Step::Microaggregate { variables, .. }
        | Step::Noise { variables, .. }
        | Step::RankSwap { variables, .. }
            if named(variables) =>
        {
            StepEffect::Rewrites
        }
        Step::RecodeLocally { .. } if is_key => StepEffect::Rewrites,
        Step::Pram { variables, .. } if named(variables) => StepEffect::Moves,
        Step::Swap { geography, .. } if named(geography) => StepEffect::Moves,
        Step::SuppressCells { keys, .. } if named(keys) || (keys.is_empty() && is_key) => StepEffect::Blanks,
        _ => StepEffect::None,
    }
}

/// The strongest effect of some steps on a variable.
pub(super) fn strongest(steps: &[StepRecord], variable: &str, is_key: bool) -> StepEffect {
    steps.iter().map(|record| effect(&record.step, variable, is_key)).max().unwrap_or(StepEffect::None)
}

/// Whether a step may leave out records.
pub(super) fn removes_records(step: &Step) -> bool {
    matches!(
        step,
        Step::Keep { .. }
            | Step::SuppressRecords { .. }
            | Step::RecodeLocally { .. }
            | Step::RemoveRare { .. }
            | Step::RemoveUniques { .. }
            | Step::Sample { .. }
    )
}
