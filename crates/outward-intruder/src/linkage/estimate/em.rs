//! EM on counted patterns (Dempster, Laird and Rubin 1977; Winkler 1988), so that a step costs the number of patterns and not of pairs.
//!
//! E: p_j = P(match | pattern j) by the current parameters. M: λ = Σ p_j c_j / Σ c_j and m_kl = Σ_{j at l} p_j c_j / Σ_j p_j c_j, pairs with
//! missing values left out of comparison k. u stays. Comparisons that read a blocked column take no part.

use std::collections::BTreeMap;

use outward_error::Result;
use serde::Serialize;

use super::{Blocked, Patterns};
use crate::linkage::model::{Comparison, Model};
use crate::linkage::score::{Weights, probability_of};
use crate::linkage::sql::Expression;

/// One run of EM.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Run {
    /// The rule whose pairs it saw.
    pub rule: String,
    /// How many pairs.
    pub pairs: u64,
    /// The share of these that it takes for matches.
    pub matches: f64,
    /// Whether the parameters came to rest.
    pub converged: bool,
    /// Its steps.
    pub history: Vec<Step>,
    /// m of each level it estimated, by the number of the comparison; absent at levels it did not see.
    #[serde(skip)]
    m: BTreeMap<usize, Vec<Option<f64>>>,
}

impl Run {
    /// The largest change of a parameter in each step, in words.
    pub fn changes(&self) -> String {
        let changes: Vec<String> = self.history.iter().map(|step| format!("{:.1e}", step.largest_change)).collect();
        format!("Largest change in each step: {}.", changes.join(" "))
    }
}

/// One step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Step {
    /// The share of matches after it.
    pub matches: f64,
    /// The largest change of a parameter.
    pub largest_change: f64,
}

/// Runs EM on the pairs of a rule; `None` where the rule blocks on everything that is compared.
pub(super) fn run(model: &Model, blocked: &Blocked) -> Result<Option<Run>> {
    let mut model = start(model);
    let free = free_comparisons(&model, blocked)?;
    let patterns = &blocked.patterns;
    if free.is_empty() {
        return Ok(None);
    }
    let pairs: u64 = patterns.iter().map(|(_, count)| count).sum();
    model.prior = first_share(&model, &free, patterns);
    let mut history = Vec::new();
    let mut converged = false;
    while !converged && history.len() < model.max_iterations {
        let step = step(&mut model, &free, patterns);
        converged = step.largest_change < model.convergence;
        history.push(step);
    }
    let seen = |at: usize, level: usize| patterns.iter().any(|(levels, _)| usize::from(levels[at]) == level);
    let of = |at: &usize| {
        let levels = model.comparisons[*at].levels.iter().enumerate();
        (*at, levels.map(|(level, known)| known.m.filter(|_| seen(*at, level))).collect())
    };
    let m = free.iter().map(of).collect();
    Ok(Some(Run { rule: blocked.rule.clone(), pairs, matches: model.prior, converged, history, m }))
}

/// The comparisons that read no blocked column.
fn free_comparisons(model: &Model, blocked: &Blocked) -> Result<Vec<usize>> {
    let mut free = Vec::new();
    for (at, comparison) in model.comparisons.iter().enumerate() {
        let columns = comparison.conditions()?;
        if columns.iter().flat_map(Expression::columns).all(|(_, name)| !blocked.columns.contains(&name)) {
            free.push(at);
        }
    }
    Ok(free)
}

/// The model with a first guess where it has no m: most matches agree exactly, and the better a level the more of them it has.
fn start(model: &Model) -> Model {
    const AGREE: f64 = 0.95;
    let mut model = model.clone();
    for comparison in &mut model.comparisons {
        let count = comparison.levels.iter().filter(|level| !level.is_null).count();
        let rest = (1.0 - AGREE) / (count.max(2) - 1) as f64;
        for (at, level) in comparison.levels.iter_mut().filter(|level| !level.is_null).enumerate() {
            if !level.fix_m || level.m.is_none() {
                level.m = Some(if at == 0 { AGREE } else { rest });
            }
        }
    }
    model
}

/// The share of matches among the pairs of a rule that the model expects: λ, and what the rule itself tells of these pairs.
fn first_share(model: &Model, free: &[usize], patterns: &Patterns) -> f64 {
    let mut weight = (model.prior / (1.0 - model.prior)).log2();
    for at in (0..model.comparisons.len()).filter(|at| !free.contains(at)) {
        let mut counts = vec![0u64; model.comparisons[at].levels.len()];
        patterns.iter().for_each(|(levels, count)| counts[usize::from(levels[at])] += count);
        let usual = (0..counts.len()).rev().max_by_key(|level| counts[*level]).unwrap_or_default();
        weight += weight_of_level(&model.comparisons[at], usual);
    }
    probability_of(weight).clamp(0.001, 0.999)
}

fn weight_of_level(comparison: &Comparison, level: usize) -> f64 {
    match (comparison.levels[level].m, comparison.levels[level].u) {
        (Some(m), Some(u)) if m > 0.0 && u > 0.0 => (m / u).log2(),
        _ => 0.0,
    }
}

/// One step of EM.
fn step(model: &mut Model, free: &[usize], patterns: &Patterns) -> Step {
    let weights = Weights::of_comparisons(model, free);
    let mut matches = 0.0;
    let mut all = 0.0;
    let mut counts: Vec<Vec<f64>> =
        model.comparisons.iter().map(|comparison| vec![0.0; comparison.levels.len()]).collect();
    for (levels, count) in patterns {
        let expected = weights.probability(levels) * *count as f64;
        matches += expected;
        all += *count as f64;
        free.iter().for_each(|at| counts[*at][usize::from(levels[*at])] += expected);
    }
    let share = matches / f64::max(all, 1.0);
    let mut largest_change = (share - model.prior).abs();
    model.prior = share;
    for at in free {
        let comparison = &mut model.comparisons[*at];
        let known: f64 = comparison
            .levels
            .iter()
            .zip(&counts[*at])
            .filter(|(level, _)| !level.is_null)
            .map(|(_, count)| count)
            .sum();
        for (level, count) in comparison.levels.iter_mut().zip(&counts[*at]) {
            if level.is_null || level.fix_m || known <= 0.0 {
                continue;
            }
            let m = count / known;
            largest_change = largest_change.max((m - level.m.unwrap_or_default()).abs());
            level.m = Some(m);
        }
    }
    Step { matches: share, largest_change }
}

/// Gives each level the median of the runs that estimated it, so that those of a comparison add up to 1. Returns the levels that no run saw.
pub(super) fn combine(model: &mut Model, runs: &[Run]) -> Vec<String> {
    let mut unobserved = Vec::new();
    for (at, comparison) in model.comparisons.iter_mut().enumerate() {
        let estimates = |level: usize| -> Vec<f64> {
            let mut all: Vec<f64> = runs.iter().filter_map(|run| run.m.get(&at)?[level]).collect();
            all.sort_unstable_by(f64::total_cmp);
            all
        };
        let mut found: Vec<Option<f64>> = (0..comparison.levels.len()).map(|level| median(&estimates(level))).collect();
        let sum: f64 =
            found.iter().zip(&comparison.levels).filter(|(_, level)| !level.is_null).filter_map(|(m, _)| *m).sum();
        found.iter_mut().flatten().for_each(|m| *m /= if sum > 0.0 { sum } else { 1.0 });
        for (level, m) in comparison.levels.iter_mut().zip(found) {
            if level.is_null || (level.fix_m && level.m.is_some()) {
                continue;
            }
            if m.is_none() {
                unobserved.push(format!("{}: {}", comparison.name, level.label));
            }
            // Nothing is known of a level that was never seen: it is as probable among matches as among others.
            level.m = m.or(level.u);
        }
    }
    unobserved
}

fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}
