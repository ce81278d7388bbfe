//! Match weights (Fellegi and Sunter 1969): log2(λ/(1 − λ)) + Σ log2(m/u) over the comparisons, and the probability 2^w/(1 + 2^w).
//!
//! A missing value is no evidence and has weight 0. So has a level without m or u.

use serde::Serialize;

use super::comparer::Comparer;
use super::frequency::Frequencies;
use super::model::{Level, Model};

/// The probability that belongs to a weight.
pub fn probability_of(weight: f64) -> f64 {
    1.0 / (1.0 + (-weight).exp2())
}

/// The weight that belongs to a probability.
pub fn weight_of(probability: f64) -> f64 {
    (probability / (1.0 - probability)).log2()
}

/// The weight of every level of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weights {
    prior: f64,
    levels: Vec<Vec<f64>>,
}

impl Weights {
    pub(crate) fn new(model: &Model) -> Self {
        let all: Vec<usize> = (0..model.comparisons.len()).collect();
        Self::of_comparisons(model, &all)
    }

    /// The weights with only some comparisons counted.
    pub(crate) fn of_comparisons(model: &Model, counted: &[usize]) -> Self {
        let weights = |(at, comparison): (usize, &super::model::Comparison)| {
            let counts = counted.contains(&at);
            comparison.levels.iter().map(|level| if counts { weight_of_level(level) } else { 0.0 }).collect()
        };
        Self { prior: weight_of(model.prior), levels: model.comparisons.iter().enumerate().map(weights).collect() }
    }

    /// The weight of some levels, without rarity.
    pub(crate) fn weight(&self, levels: &[u8]) -> f64 {
        self.prior + self.levels.iter().zip(levels).map(|(weights, level)| weights[usize::from(*level)]).sum::<f64>()
    }

    /// The probability of some levels, without rarity.
    pub(crate) fn probability(&self, levels: &[u8]) -> f64 {
        probability_of(self.weight(levels))
    }
}

/// log2(m/u). Where one of them is 0 the weight is as far as it can be told apart, 2^±30, so that one level never outweighs everything.
pub(crate) fn weight_of_level(level: &Level) -> f64 {
    const FARTHEST: f64 = 30.0;
    match (level.m, level.u) {
        (Some(m), Some(u)) if !level.is_null && (m > 0.0 || u > 0.0) => (m / u).log2().clamp(-FARTHEST, FARTHEST),
        _ => 0.0,
    }
}

/// One term of the weight of a pair.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Term {
    /// The comparison; the first term is that of λ.
    pub name: String,
    /// The level the pair is at.
    pub level: String,
    /// What it adds to the weight.
    pub weight: f64,
}

/// How the weight of a pair came about: λ, then what each level and each rare value adds.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Waterfall {
    /// The record of the first file, from 1.
    pub left: u64,
    /// The record it is compared with, from 1 in its own file.
    pub right: u64,
    /// The terms, which add up to the weight.
    pub terms: Vec<Term>,
    /// The weight.
    pub weight: f64,
    /// The probability that the two are one person.
    pub probability: f64,
}

/// What scores a pair.
pub(crate) struct Scorer<'a> {
    pub(crate) comparer: Comparer<'a>,
    pub(crate) weights: Weights,
    pub(crate) frequencies: Frequencies<'a>,
}

impl Scorer<'_> {
    /// The weight of a pair at these levels.
    pub(crate) fn weight(&self, left: usize, right: usize, levels: &[u8]) -> f64 {
        let rare = |(at, level): (usize, &u8)| self.frequencies.adjustment(at, *level, left, right);
        self.weights.weight(levels) + levels.iter().enumerate().map(rare).sum::<f64>()
    }

    /// The terms of a pair.
    pub(crate) fn terms(&self, model: &Model, left: usize, right: usize) -> Vec<Term> {
        let mut remembered = self.comparer.remember();
        let mut levels = vec![0; self.comparer.len()];
        self.comparer.levels(left, right, &mut remembered, &mut levels);
        let mut terms =
            vec![Term { name: "prior".to_owned(), level: "two random records".to_owned(), weight: self.weights.prior }];
        for ((at, comparison), level) in model.comparisons.iter().enumerate().zip(&levels) {
            let known = &comparison.levels[usize::from(*level)];
            let term = |name: String, weight| Term { name, level: known.label.clone(), weight };
            terms.push(term(comparison.name.clone(), self.weights.levels[at][usize::from(*level)]));
            let rare = self.frequencies.adjustment(at, *level, left, right);
            if rare != 0.0 {
                terms.push(term(format!("{}, rarity", comparison.name), rare));
            }
        }
        terms
    }
}
