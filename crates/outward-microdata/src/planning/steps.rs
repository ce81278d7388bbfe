//! The steps that make a candidate.

use outward_spec::{Spec, Step};

use super::PlanCandidate;

/// The spec with the steps of a candidate: its own recodings of keys give way to them. `records` is how many were searched, `own_k`
/// the k of the policy.
pub fn planned(spec: &Spec, candidate: &PlanCandidate, records: u64, own_k: u64) -> Spec {
    let replaced = |step: &&Step| match step {
        Step::Recode { variable, .. } => candidate.levels.contains_key(variable),
        Step::SuppressRecords { .. } | Step::RecodeLocally { .. } => true,
        Step::SuppressCells { .. } => candidate.suppressed_cells > 0,
        _ => false,
    };
    let kept: Vec<Step> = spec.steps.iter().filter(|step| !replaced(step)).cloned().collect();
    let first =
        kept.iter().position(|step| !matches!(step, Step::Drop { .. } | Step::Keep { .. } | Step::Sample { .. }));
    let at = first.unwrap_or(kept.len());
    // A limit that the records found just meet, with a small margin.
    let limit = ((candidate.suppressed_records as f64 / records.max(1) as f64) * 1000.0).ceil() / 1000.0;
    let mut steps: Vec<Step> = Vec::new();
    if candidate.local {
        steps.push(Step::RecodeLocally { limit });
    } else {
        let recoded = candidate.levels.iter().filter(|(_, level)| **level > 0);
        steps.extend(recoded.map(|(variable, level)| Step::Recode { variable: variable.clone(), level: *level }));
        if candidate.suppressed_records > 0 {
            steps.push(Step::SuppressRecords { limit: limit.min(1.0) });
        }
        if candidate.suppressed_cells > 0 {
            let importance = candidate.importance.clone();
            steps.push(Step::SuppressCells { keys: Vec::new(), k: None, importance, own: false });
        }
    }
    let mut planned = Spec { steps: kept, ..spec.clone() };
    if candidate.k != own_k {
        planned.policy.thresholds.k = Some(candidate.k);
    }
    planned.steps.splice(at..at, steps);
    planned
}
