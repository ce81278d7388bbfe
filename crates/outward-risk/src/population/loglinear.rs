//! Log-linear risk: the expected number of sample uniques that are unique in the population (τ₁), and of correct matches
//! on sample uniques (τ₂).
//!
//! Cell k of the complete cross product of the keys has F_k ~ Poisson(λ_k) people, each in the sample with chance φ. ln
//! λ is a sum of main effects and, if needed, of two-way effects. Then F_k given f_k = 1 is one more than Poisson(x_k),
//! with x_k = (1−φ)λ_k. Over the sample uniques τ₁ = Σ e^(−x), τ₂ = Σ (1−e^(−x))/x (Skinner and Shlomo 2008, "Assessing
//! identification risk in survey microdata using log-linear models", JASA 103; METHODS IV.1).

mod criterion;
mod fit;
mod grid;
mod influence;
mod sums;

use outward_cells::Cells;
use outward_error::Result;
use outward_report::format::count;
use schemars::JsonSchema;
use serde::Serialize;

pub use criterion::ModelFit;
pub use sums::RiskSum;

use super::estimate::SamplingFraction;
use criterion::Criterion;
use fit::{fit_pairs, scale_to_pair};
use grid::Grid;
use influence::fit_variance;
use sums::RiskTerm;

/// Cells of the cross product up to which main effects are judged; they are visited and not stored.
const MAX_CELLS_JUDGED: u64 = 50_000_000;
/// Cells up to which two-way effects are fitted.
const MAX_CELLS_FITTED: u64 = 5_000_000;
/// Cells up to which two-way effects are chosen one by one.
const MAX_CELLS_SEARCHED: u64 = 1_000_000;
/// A standardised criterion above this says that effects are missing.
const UNDERFITTED: f64 = 1.96;

/// Which effects the model has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelChoice {
    /// Keys are independent.
    MainEffects,
    /// Every pair of keys has an effect of its own.
    AllTwoWay,
    /// Main effects, and pairs one after another for as long as the criterion says that effects are missing.
    #[default]
    Forward,
}

/// The log-linear measure, or why there is none. In JSON an object or a text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LogLinear {
    /// The model was fitted.
    Fitted(LogLinearRisk),
    /// Why it was not.
    Unavailable(String),
}

/// Risk under a log-linear model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LogLinearRisk {
    /// Records alone in the sample.
    pub sample_uniques: u64,
    /// Of these, expected to be alone in the population (τ₁).
    pub population_uniques: RiskSum,
    /// Of matches on these with the population, expected to be correct (τ₂).
    pub correct_matches: RiskSum,
    /// Pairs of keys that have an effect beside the main effects.
    pub two_way: Vec<[String; 2]>,
    /// Whether the model has too few effects or too many; none if the cross product is too large to tell.
    pub fit: Option<ModelFit>,
    /// What could not be done as asked.
    pub note: Option<String>,
}

/// Fits a log-linear model to the cells and measures risk under it.
pub fn measure_log_linear(cells: &Cells, fraction: SamplingFraction, choice: ModelChoice) -> Result<LogLinear> {
    if cells.is_empty() {
        return Ok(LogLinear::Unavailable("there are no records".into()));
    }
    let Some(grid) = Grid::from_cells(cells) else {
        return Ok(LogLinear::Unavailable("the cross product of the keys has more cells than can be numbered".into()));
    };
    let wanted = if cells.keys().len() < 2 { ModelChoice::MainEffects } else { choice };
    let fitted = match wanted {
        ModelChoice::MainEffects => None,
        _ if grid.size > MAX_CELLS_FITTED => None,
        ModelChoice::AllTwoWay => Some(fit_all(&grid, fraction)),
        ModelChoice::Forward if grid.size > MAX_CELLS_SEARCHED => Some(better_of_ends(&grid, fraction)),
        ModelChoice::Forward => Some(choose_forward(&grid, fraction)),
    };
    let note = match wanted {
        ModelChoice::MainEffects => None,
        _ if grid.size > MAX_CELLS_FITTED => Some(format!(
            "the cross product of the keys has {} cells, and two-way effects are fitted up to {}",
            count(grid.size),
            count(MAX_CELLS_FITTED)
        )),
        ModelChoice::Forward if grid.size > MAX_CELLS_SEARCHED => Some(format!(
            "main effects and all two-way effects were compared: the cross product of the keys has {} cells, and effects \
             are chosen one by one up to {}",
            count(grid.size),
            count(MAX_CELLS_SEARCHED)
        )),
        _ => None,
    };
    let model = fitted.unwrap_or_else(|| main_effects(&grid, fraction));
    Ok(LogLinear::Fitted(model.risk(cells, &grid, fraction, note)))
}

/// A fitted model: expected sample counts of the occupied cells, its pairs and its criterion.
struct FittedModel {
    occupied: Vec<f64>,
    pairs: Vec<(usize, usize)>,
    fit: Option<ModelFit>,
}

impl FittedModel {
    fn stored(grid: &Grid, expected: &[f64], pairs: Vec<(usize, usize)>, fit: ModelFit) -> Self {
        let occupied = grid.occupied.iter().map(|(cell, _)| expected[*cell as usize]).collect();
        Self { occupied, pairs, fit: Some(fit) }
    }

    fn risk(&self, cells: &Cells, grid: &Grid, fraction: SamplingFraction, note: Option<String>) -> LogLinearRisk {
        let others = (1.0 - fraction.get()) / fraction.get();
        let name = |key: usize| cells.keys()[key].name.clone();
        LogLinearRisk {
            sample_uniques: grid.occupied.iter().filter(|(_, count)| *count == 1).count() as u64,
            population_uniques: self.sum(grid, |expected| RiskTerm::alone(expected * others)),
            correct_matches: self.sum(grid, |expected| RiskTerm::matched(expected * others)),
            two_way: self.pairs.iter().map(|(one, other)| [name(*one), name(*other)]).collect(),
            fit: self.fit,
            note,
        }
    }

    /// Sums a part over the sample uniques.
    fn sum(&self, grid: &Grid, part: impl Fn(f64) -> RiskTerm) -> RiskSum {
        let cells = grid.occupied.iter().zip(&self.occupied);
        let parts: Vec<Option<RiskTerm>> = cells.map(|((_, count), mean)| (*count == 1).then(|| part(*mean))).collect();
        let slopes: Vec<f64> = parts.iter().map(|part| part.as_ref().map_or(0.0, |part| part.slope)).collect();
        RiskSum::from_parts(parts.iter().flatten(), fit_variance(grid, &slopes, &self.pairs))
    }
}

fn main_effects(grid: &Grid, fraction: SamplingFraction) -> FittedModel {
    let occupied = grid.occupied.iter().map(|(cell, _)| grid.independent(*cell)).collect();
    let fit = (grid.size <= MAX_CELLS_JUDGED).then(|| Criterion::from_fit(grid, grid.independence(), fraction).fit());
    FittedModel { occupied, pairs: Vec::new(), fit }
}

fn judge(grid: &Grid, expected: &[f64], fraction: SamplingFraction) -> ModelFit {
    Criterion::from_fit(grid, expected.iter().copied(), fraction).fit()
}

fn fit_all(grid: &Grid, fraction: SamplingFraction) -> FittedModel {
    let mut expected: Vec<f64> = grid.independence().collect();
    let pairs = grid.pairs();
    fit_pairs(grid, &mut expected, &pairs);
    let fit = judge(grid, &expected, fraction);
    FittedModel::stored(grid, &expected, pairs, fit)
}

/// Main effects where they suffice, else all pairs unless they fit worse.
fn better_of_ends(grid: &Grid, fraction: SamplingFraction) -> FittedModel {
    let main = main_effects(grid, fraction);
    let off = |model: &FittedModel| model.fit.map_or(f64::INFINITY, |fit| fit.uniques_standardised.abs());
    if main.fit.is_some_and(|fit| fit.uniques_standardised <= UNDERFITTED) {
        return main;
    }
    let all = fit_all(grid, fraction);
    if off(&all) < off(&main) { all } else { main }
}

/// Adds pairs while the criterion says that effects are missing, each time the one that brings it nearest to 0. A
/// candidate is tried by one step of the fit; the one taken is then fitted to the end.
fn choose_forward(grid: &Grid, fraction: SamplingFraction) -> FittedModel {
    let mut expected: Vec<f64> = grid.independence().collect();
    let mut fit = judge(grid, &expected, fraction);
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut trial = vec![0.0; expected.len()];
    while fit.uniques_standardised > UNDERFITTED {
        let mut try_pair = |pair: (usize, usize)| {
            trial.copy_from_slice(&expected);
            scale_to_pair(grid, &mut trial, pair);
            (judge(grid, &trial, fraction).uniques_standardised.abs(), pair)
        };
        let untried = grid.pairs().into_iter().filter(|pair| !pairs.contains(pair));
        let Some((_, best)) = untried.map(&mut try_pair).min_by(|one, other| one.0.total_cmp(&other.0)) else { break };
        pairs.push(best);
        trial.copy_from_slice(&expected);
        fit_pairs(grid, &mut trial, &pairs);
        let refit = judge(grid, &trial, fraction);
        if refit.uniques_standardised.abs() >= fit.uniques_standardised.abs() {
            pairs.pop();
            break;
        }
        std::mem::swap(&mut expected, &mut trial);
        fit = refit;
    }
    FittedModel::stored(grid, &expected, pairs, fit)
}
