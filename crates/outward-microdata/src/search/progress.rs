//! What a search has found so far, and its answer.

use crate::loss::Measure;

use super::evaluate::{Solution, Task};
use super::examine::{Examined, shortfall};
use super::{Candidate, Search, SearchAnswer};

/// What is found so far.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) best: Option<Solution>,
    pub(super) nodes: u64,
}

impl Progress {
    pub(super) fn keep(&mut self, found: Option<Solution>) {
        let better = |found: &Solution| self.best.as_ref().is_none_or(|best| found.compare(best).is_lt());
        if let Some(found) = found.filter(better) {
            self.best = Some(found);
        }
    }

    /// The answer; `rest` is the lowest bound of what has not been looked at.
    pub(super) fn answer(self, task: &Task<'_>, rest: Option<f64>, search: &Search<'_>) -> SearchAnswer {
        let best = self.best.map(|found| {
            let levels: Vec<usize> = found.levels.iter().map(|level| usize::from(*level)).collect();
            describe(task.measure, &levels, task.examined(&found.levels))
        });
        let loss = best.as_ref().map_or(f64::INFINITY, |best| best.loss);
        let shortfall = best.is_none().then(|| shortfall(task.table, search.models, search.sampling_fraction));
        SearchAnswer {
            best,
            bound: rest.map_or(loss, |rest| rest.min(loss)),
            finished: rest.is_none(),
            stopped: false,
            nodes: self.nodes,
            shortfall,
        }
    }
}

/// What became of each cell: the round whose levels it is published with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recoded {
    /// The levels of each round.
    pub rounds: Vec<Vec<usize>>,
    /// For each cell of the table its round; none if its records are suppressed.
    pub round: Vec<Option<u32>>,
}

impl Candidate {
    /// What became of each cell.
    pub fn recoded(&self) -> Recoded {
        let round = self.suppressed.iter().map(|suppressed| (!suppressed).then_some(0)).collect();
        Recoded { rounds: vec![self.levels.clone()], round }
    }
}

/// What a release comes to.
pub(super) fn describe(measure: &Measure, levels: &[usize], examined: Examined) -> Candidate {
    let (loss, key_losses) = measure.measure(&examined.facts);
    let kept = examined.facts.kept;
    Candidate {
        levels: levels.to_vec(),
        loss,
        key_losses,
        suppressed_records: examined.facts.records - kept,
        classes: examined.facts.classes,
        average_risk: if kept == 0 { 0.0 } else { examined.facts.classes as f64 / kept as f64 },
        highest_risk: examined.sizes.iter().min().map_or(0.0, |smallest| 1.0 / *smallest as f64),
        suppressed: examined.suppressed,
        facts: examined.facts,
    }
}
