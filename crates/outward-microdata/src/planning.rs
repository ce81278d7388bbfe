//! What a spec requires of a search, and the search for a plan. The plan is the recoding that meets the policy and
//! loses least. Others on the curve of risk and loss are shown with it.

mod boxes;
mod candidates;
mod meanings;
mod report;
mod steps;
mod watch;

use std::collections::BTreeMap;

use outward_spec::{Aggregate as SpecAggregate, Error, LossMeasure, PlanChoice, Result, Spec};

use crate::evidence::Evidence;
use crate::loss::{Aggregate, Balance, ClassSize, Discernibility, Entropy, LossForm, Measure, Precision, Share};
use crate::search::{Key, KeyLevel, SearchTable};

pub use candidates::{Frontier, PlanCandidate, TableTruth, plan};
pub(crate) use candidates::{LocalRecoding, recode_locally};
pub use meanings::{KeyMeanings, LevelMeaning};
pub use report::report;
pub use steps::planned;
pub use watch::PlanWatch;

/// A table to be searched. Levels are counted from the finest that the spec allows.
#[derive(Debug, Clone)]
pub struct TableToSearch {
    /// The table.
    pub table: SearchTable,
    /// For each key, the level of its hierarchy that each level here is.
    pub numbers: Vec<Vec<usize>>,
}

impl TableToSearch {
    /// The table of what is known of records, with the hierarchies of a spec and the levels its plan allows. A level that
    /// groups the values of the data as the level before it does, and hides no more, is left out.
    pub fn new(evidence: &Evidence, spec: &Spec) -> Result<Self> {
        let mut found = Self::with_all_levels(evidence, spec, &spec.plan.levels)?;
        let mut keys = found.table.keys().to_vec();
        for (key, numbers) in keys.iter_mut().zip(&mut found.numbers) {
            let levels = std::mem::take(&mut key.levels).into_iter().zip(std::mem::take(numbers));
            for (level, number) in levels {
                let same = |last: &KeyLevel| last.labels == level.labels && last.leaves == level.leaves;
                if !key.levels.last().is_some_and(same) {
                    key.levels.push(level);
                    numbers.push(number);
                }
            }
        }
        Ok(Self { table: SearchTable::new(keys, evidence.counted.clone())?, ..found })
    }

    /// The table with all levels from the first to the last that is allowed of each key; all of them where nothing is said.
    fn with_all_levels(evidence: &Evidence, spec: &Spec, allowed: &BTreeMap<String, [usize; 2]>) -> Result<Self> {
        let mut keys = Vec::new();
        let mut numbers = Vec::new();
        for key in &evidence.keys {
            let variable = spec.variable(&key.name);
            let hierarchy = variable.map(|variable| spec.hierarchy(variable)).transpose()?.flatten();
            let mut searched = Key::new(&key.name, &key.dictionary, hierarchy.as_ref())?;
            let last = searched.levels.len() - 1;
            let [from, to] = allowed.get(&key.name).copied().unwrap_or([0, last]);
            if from > last || to > last {
                return Err(Error::input(format!("the plan asks for level {}, and the last is {last}", from.max(to)))
                    .variable(&key.name)
                    .help("change `levels` in the section `[plan]`")
                    .into());
            }
            searched.levels = searched.levels.drain(from..=to).collect();
            keys.push(searched);
            numbers.push((from..=to).collect());
        }
        Ok(Self { table: SearchTable::new(keys, evidence.counted.clone())?, numbers })
    }

    /// Levels as the hierarchies count them.
    pub fn levels(&self, levels: &[usize]) -> Vec<usize> {
        levels
            .iter()
            .zip(&self.numbers)
            .map(|(level, numbers)| numbers.get(*level).copied().unwrap_or(*level))
            .collect()
    }
}

/// The measure of loss a plan asks for.
pub fn measure(plan: &PlanChoice, keys: &[String]) -> Result<Measure> {
    let (balance, form) = (Balance::new(plan.suppression_weight)?, LossForm::Full);
    let aggregate = match plan.aggregate {
        SpecAggregate::ArithmeticMean => Aggregate::Mean,
        SpecAggregate::GeometricMean => Aggregate::GeometricMean,
        SpecAggregate::Sum => Aggregate::Sum,
        SpecAggregate::Maximum => Aggregate::Maximum,
        SpecAggregate::Rank => Aggregate::Rank,
    };
    let measure = match plan.loss {
        LossMeasure::Loss => Measure::new(Share { balance, form }, aggregate),
        LossMeasure::Precision => Measure::new(Precision { balance, form }, aggregate),
        LossMeasure::Discernibility => Measure::new(Discernibility { form }, aggregate),
        LossMeasure::ClassSize => Measure::new(ClassSize, aggregate),
        LossMeasure::Entropy => Measure::new(Entropy { balance, form }, aggregate),
    };
    let per_key = matches!(plan.loss, LossMeasure::Loss | LossMeasure::Precision | LossMeasure::Entropy);
    if plan.weights.is_empty() || !per_key {
        return Ok(measure);
    }
    let weights: Vec<f64> = keys.iter().map(|key| plan.weights.get(key).copied().unwrap_or(1.0)).collect();
    // Scaled to a mean of 1, so that a loss means the same with and without weights.
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    match mean > 0.0 {
        true => measure.weighted(weights.iter().map(|weight| weight / mean).collect()),
        false => Err(Error::input("all keys have weight 0, so that nothing would be lost")
            .help("give the keys that matter a weight above 0")
            .into()),
    }
}
