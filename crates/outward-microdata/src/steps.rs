//! The steps of a spec that need more than one value: carried out on Arrow records.
//!
//! [`WholeStep`] needs all records at once. [`ColumnStep`] looks at one number at a time, so that records may stream past it.
//! The methods themselves are in modules of their own and know nothing of Arrow.

mod cells;
mod columns;
mod numbers;
mod places;
mod rows;
mod setting;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use outward_spec::{Error, Result, Step};

pub use columns::{ColumnStep, Reshaped};
pub use setting::Setting;

use crate::random::Random;
use crate::suppress::Blanks;

/// A step of a spec that needs all records at once.
#[derive(Debug)]
pub struct WholeStep {
    step: Step,
    at: usize,
    setting: Arc<Setting>,
}

/// Records after a step, and what it did.
#[derive(Debug)]
pub struct Changed {
    /// The records.
    pub records: RecordBatch,
    /// Values that were changed or left out, by variable.
    pub changed: BTreeMap<String, u64>,
    /// Other counts and measures, by name.
    pub figures: BTreeMap<String, f64>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

impl Changed {
    /// Records after a step that left some out and changed none.
    fn rows(records: RecordBatch, notes: Vec<String>) -> Self {
        Self { records, changed: BTreeMap::new(), figures: BTreeMap::new(), notes }
    }
}

impl WholeStep {
    /// The step at this position of the spec, from 0.
    pub fn new(step: Step, at: usize, setting: Arc<Setting>) -> Result<Self> {
        match step.is_record_wise() {
            true => Err(Error::bug("a step on single records was given the whole file")),
            false => Ok(Self { step, at, setting }),
        }
    }

    /// The random numbers of this step for one purpose.
    fn random(&self, purpose: &str) -> Random {
        Random::new(self.setting.spec.seed, &self.purpose(purpose))
    }

    /// Names the step among all steps, so that two of a kind draw other numbers.
    fn purpose(&self, purpose: &str) -> String {
        format!("{} {} {} {purpose}", self.setting.salt, self.at + 1, self.step.name())
    }

    /// A seed of this step, for methods that make their own random numbers.
    fn seed(&self) -> u64 {
        self.random("seed").bits()
    }

    /// Carries the step out. `rows` are the numbers of the records in the source, for messages and random numbers.
    pub fn apply(&self, records: &RecordBatch, rows: &[u64]) -> Result<Changed> {
        let changed = match &self.step {
            Step::SuppressCells { keys, k, importance, own } => {
                cells::suppress(self, records, keys, *k, importance, if *own { Blanks::Own } else { Blanks::Shared })
            }
            Step::SuppressRecords { limit } => cells::suppress_records(self, records, *limit),
            Step::RecodeLocally { limit } => cells::recode_locally(self, records, *limit),
            Step::RemoveRare { .. } | Step::RemoveUniques { .. } => rows::remove(self, records),
            Step::Sample { method, fraction, size, by, households } => {
                rows::sample(self, records, *method, (*fraction, *size), by, *households)
            }
            Step::Swap { .. } => places::swap(self, records, rows),
            Step::Shuffle {} => rows::shuffle(self, records),
            Step::Microaggregate { variables, k, publish } => {
                numbers::microaggregate(self, records, variables, *k, *publish)
            }
            Step::Noise { variables, amount, kind } => numbers::noise(self, records, variables, *amount, *kind),
            Step::RankSwap { variables, distance } => numbers::rank_swap(self, records, variables, *distance),
            Step::Limit { .. } => numbers::limit(self, records),
            Step::Pram { variables, keep, share, within } => {
                cells::pram(self, records, variables, (*keep, *share), within)
            }
            Step::Drop { .. }
            | Step::Recode { .. }
            | Step::Place { .. }
            | Step::Grid { .. }
            | Step::Keep { .. }
            | Step::Round { .. } => Err(Error::bug("a step on single records was given the whole file")),
        };
        changed.map_err(|error| self.in_step(error, rows))
    }

    /// An error of the data, with the step it occurred in and the row of the source.
    fn in_step(&self, error: Error, rows: &[u64]) -> Error {
        let step = format!("step {} (`{}`)", self.at + 1, self.step.name());
        error.with_fault(|mut fault| {
            fault.what = format!("{step}: {}", fault.what);
            let position = fault.place.row.and_then(|row| usize::try_from(row).ok()?.checked_sub(1));
            fault.place.row = position.and_then(|at| rows.get(at).copied());
            fault
        })
    }
}
