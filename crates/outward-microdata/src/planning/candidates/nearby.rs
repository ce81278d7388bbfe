//! Candidates beside the best that keep a key of which the best publishes nothing.
//!
//! A search that loses least may give up a key altogether where another recoding, hardly worse, keeps it. A person would want to know.

use outward_spec::Result;

use super::{PlanCandidate, Planner};
use crate::search::{Candidate, Key};

/// A candidate that keeps a key is shown if its loss is at most this much larger, as a share of the best candidate's.
const NEAR: f64 = 0.05;

/// The share of the recodings that may be examined for each key.
const SHARE_OF_NODES: u64 = 20;

impl Planner<'_> {
    /// The best candidates that keep a key of which the best of all publishes nothing, where their loss is near. `others` is how many
    /// searches come after.
    pub(super) fn keeping_blanked(&self, best: &Candidate, k: u64, others: usize) -> Result<Vec<PlanCandidate>> {
        let top: Vec<usize> = self.searched.table.keys().iter().map(Key::height).collect();
        let blank: Vec<usize> = (0..top.len()).filter(|key| top[*key] > 0 && best.levels[*key] == top[*key]).collect();
        let models = self.models(k)?;
        let mut candidates: Vec<PlanCandidate> = Vec::new();
        for (left, key) in (1..=blank.len()).rev().zip(blank) {
            let name = &self.names[key];
            if candidates.iter().any(|candidate| !candidate.blanked.contains(name)) {
                continue;
            }
            if !self.begins(&format!("the best recoding that keeps {name}"), left + others) {
                break;
            }
            let mut corner = top.clone();
            corner[key] -= 1;
            let found = self.within(&models, self.spec.plan.suppression_limit, Some(vec![corner]), SHARE_OF_NODES)?;
            let near = |found: &Candidate| is_near(found.loss, best.loss) && self.untrue(found).is_none();
            if let Some(candidate) = found.best.filter(near)
                && self.can_be_made(Some(&candidate), &models)?
            {
                candidates.push(self.describe(&candidate, k, None));
            }
        }
        let blanked = super::blanked(&self.whole, &self.searched.levels(&best.levels));
        for candidate in &mut candidates {
            candidate.keeps = blanked.iter().filter(|key| !candidate.blanked.contains(key)).cloned().collect();
        }
        candidates.retain(|candidate| !candidate.keeps.is_empty());
        Ok(candidates)
    }
}

fn is_near(loss: f64, best: f64) -> bool {
    loss <= best * (1.0 + NEAR)
}

/// What the best candidate publishes nothing of, and which candidates near it do.
pub(super) fn words(best: &PlanCandidate, candidates: &[PlanCandidate]) -> String {
    if best.blanked.is_empty() {
        return String::new();
    }
    let quoted = |keys: &[String]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let keeps = |candidate: &PlanCandidate| -> Vec<String> {
        best.blanked.iter().filter(|key| !candidate.blanked.contains(key)).cloned().collect()
    };
    let near = candidates
        .iter()
        .filter(|candidate| candidate.meets_policy && !candidate.local && is_near(candidate.loss, best.loss))
        .map(|candidate| (candidate, keeps(candidate)))
        .filter(|(_, keys)| !keys.is_empty())
        .map(|(candidate, keys)| {
            format!("candidate {} keeps {} at a loss of {:.4}", candidate.number, quoted(&keys), candidate.loss)
        });
    let near: Vec<String> = near.collect();
    let mut words = format!("; nothing is published of {}", quoted(&best.blanked));
    if !near.is_empty() {
        words += &format!(", but {}", near.join(" and "));
    }
    words
}
