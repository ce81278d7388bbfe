//! What a judgement says of one model.

use outward_report::format::count;

use crate::models::{Limit, Model};

/// Whether a model holds of finished data, and how far it is from holding.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelJudgement {
    /// What the model asks for, in words.
    pub model: String,
    /// Whether it holds.
    pub holds: bool,
    /// Classes or combinations of keys that fail; 0 if the release fails as a whole.
    pub failing: u64,
    /// Records in them, each counted once.
    pub records: u64,
    /// The worst figure found, such as the size of the smallest class; none if nothing can be measured.
    pub worst: Option<f64>,
    /// What is measured, and its limit.
    pub limit: Option<Limit>,
    /// A weaker requirement that the data meet, such as `k = 2`; none if it holds.
    pub met_by: Option<String>,
}

impl ModelJudgement {
    /// In a sentence without a full stop: that it holds, or what fails, by how much, and what would hold.
    pub fn words(&self) -> String {
        if self.holds {
            return format!("{} holds", self.model);
        }
        let mut words = format!("{} does not hold", self.model);
        let mut parts = Vec::new();
        if self.failing > 0 {
            let (failing, records) = (count(self.failing), count(self.records));
            let combinations = if self.failing == 1 { "combination fails" } else { "combinations fail" };
            let held_by = if self.records == 1 { "record" } else { "records" };
            parts.push(format!("{failing} {combinations}, with {records} {held_by}"));
        }
        match (&self.limit, self.worst) {
            (Some(limit), Some(worst)) => {
                parts.push(format!("{}: {} at worst, {}", limit.figure, shown(worst), limit.asks()));
            }
            (Some(limit), None) => parts.push(format!("{} cannot be computed", limit.figure)),
            (None, _) => {}
        }
        if let Some(met_by) = &self.met_by {
            parts.push(format!("{met_by} would hold"));
        }
        if !parts.is_empty() {
            words = format!("{words}: {}", parts.join("; "));
        }
        words
    }
}

fn shown(figure: f64) -> String {
    if figure.fract() == 0.0 && (0.0..1e15).contains(&figure) { count(figure as u64) } else { format!("{figure:.4}") }
}

/// A verdict in the making.
#[derive(Debug, Default)]
pub(super) struct VerdictTally {
    fails: bool,
    failing: u64,
    records: u64,
    unknown: bool,
    /// The worst figure, and how far it lies outside.
    worst: Option<(f64, f64)>,
}

impl VerdictTally {
    /// A class of so many records.
    pub(super) fn class(&mut self, records: u64, holds: bool, figure: Option<f64>, limit: Option<&Limit>) {
        if !holds {
            self.fails = true;
            self.failing += 1;
            self.records += records;
        }
        self.note(figure, limit);
    }

    /// A combination of keys in a margin.
    pub(super) fn combination(&mut self, size: u64, k: u64) {
        if size < k {
            self.fails = true;
            self.failing += 1;
        }
        self.worse(size as f64, k as f64 - size as f64);
    }

    pub(super) fn add_records(&mut self, records: u64) {
        self.records += records;
    }

    /// The release as a whole.
    pub(super) fn release(&mut self, holds: bool, figure: Option<f64>, limit: Option<&Limit>) {
        if figure.is_some() {
            self.worst = None;
        }
        self.fails |= !holds;
        self.note(figure, limit);
    }

    fn note(&mut self, figure: Option<f64>, limit: Option<&Limit>) {
        match (figure, limit) {
            (Some(figure), Some(limit)) if figure.is_finite() => self.worse(figure, limit.excess(figure)),
            (Some(figure), _) => self.unknown |= !figure.is_finite(),
            (None, _) => {}
        }
    }

    fn worse(&mut self, figure: f64, excess: f64) {
        if self.worst.is_none_or(|(_, worst)| excess > worst) {
            self.worst = Some((figure, excess));
        }
    }

    pub(super) fn verdict(self, model: &dyn Model) -> ModelJudgement {
        let worst = self.worst.map(|(figure, _)| figure).filter(|_| !self.unknown);
        ModelJudgement {
            model: model.says(),
            holds: !self.fails,
            failing: self.failing,
            records: self.records,
            worst,
            limit: model.limit(),
            met_by: worst.filter(|_| self.fails).and_then(|worst| model.met_by(worst)),
        }
    }
}
