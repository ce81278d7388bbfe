//! A candidate is only shown if a release can be made of it. To find out, its keys are recoded, the code of the step
//! `suppress-records` suppresses records, and the rest is judged.

use outward_spec::Result;

use super::{BestAnswer, Planner};
use crate::judge::judge;
use crate::models::Model;
use crate::search::Candidate;
use crate::suppress_records::suppress_records;

impl Planner<'_> {
    /// The best recoding for a k that leaves the tables true and of which a release can be made.
    ///
    /// The search takes a missing key for a value of its own. Where it matches everything, classes overlap, and the
    /// step may suppress other records than the search. If classes hold separately, they hold together. So a recoding
    /// that needs no suppression is safe in any case, and is tried instead, without a proof.
    pub(super) fn search(&self, k: u64) -> Result<BestAnswer> {
        let models = self.models(k)?;
        let found = self.leaving_tables_true(&models, self.spec.plan.suppression_limit)?;
        if self.can_be_made(found.best.as_ref(), &models)? {
            return Ok(found);
        }
        let other = self.leaving_tables_true(&models, 0.0)?;
        let best = if self.can_be_made(other.best.as_ref(), &models)? { other.best } else { None };
        let stopped = found.stopped || other.stopped;
        Ok(BestAnswer {
            best,
            finished: false,
            stopped,
            nodes: found.nodes + other.nodes,
            shortfall: other.shortfall,
            ..found
        })
    }

    /// Whether the policy holds of what a candidate publishes, with no more records suppressed than it says.
    pub(super) fn can_be_made(&self, candidate: Option<&Candidate>, models: &[Box<dyn Model>]) -> Result<bool> {
        let Some(candidate) = candidate else { return Ok(true) };
        let table = self.evidence.table_at(self.searched.table.keys(), &candidate.levels)?;
        let chosen = suppress_records(models, &table)?;
        let verdicts = judge(models, &table.without(&chosen.removed)?)?;
        Ok(chosen.records <= candidate.suppressed_records && verdicts.iter().all(|verdict| verdict.holds))
    }
}
