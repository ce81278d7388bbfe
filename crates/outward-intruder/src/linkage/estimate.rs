//! Training: the parameters of a model from records whose truth is not known.
//!
//! u is the share of each level among random pairs, of which hardly any is one person. λ is the number of pairs that deterministic rules
//! make, divided by the share of true pairs they are thought to find and by all pairs. m comes from runs of EM on the pairs of a blocking
//! rule each. A rule says nothing about the columns it blocks on, so runs use different rules, and the median of the runs is taken
//! (Winkler 1988; Linacre et al. 2022). Without deterministic rules λ is the fixed point of λ = Σ p_j(λ) c_j / all pairs over the
//! patterns j of the blocked pairs.

mod em;
mod random_pairs;

pub use em::{Run, Step};

use hashbrown::HashMap;
use outward_error::{Error, Result};
use serde::Serialize;

use super::blocking::Blocking;
use super::comparer::{Comparer, Remembered};
use super::linker::Linker;
use super::model::{BlockingRule, Model};
use super::pairs::for_each_pair;
use super::score::Weights;

/// How a model is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// Rules whose pairs are almost surely one person, for λ; λ is estimated from the blocked pairs where there are none.
    pub deterministic: Vec<BlockingRule>,
    /// The share of true pairs that these rules find.
    pub recall: f64,
    /// The rules of the runs of EM; those of the model where there are none.
    pub runs: Vec<BlockingRule>,
    /// How many random pairs u is estimated from.
    pub random_pairs: u64,
    /// The seed of the random pairs.
    pub seed: u64,
}

impl Default for Training {
    fn default() -> Self {
        Self { deterministic: Vec::new(), recall: 0.8, runs: Vec::new(), random_pairs: 1_000_000, seed: 1 }
    }
}

/// How the parameters came about.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Trained {
    /// How many random pairs u was estimated from.
    pub random_pairs: u64,
    /// Pairs that the deterministic rules make; absent where there are no such rules.
    pub deterministic_pairs: Option<u64>,
    /// The runs of EM.
    pub runs: Vec<Run>,
    /// Levels that no pair was seen at: they count as no evidence.
    pub unobserved: Vec<String>,
}

/// Patterns of levels with the number of pairs that have them, in the order of the patterns.
pub(crate) type Patterns = Vec<(Vec<u8>, u64)>;

/// Estimates u, λ and m of a model, and returns it with its new parameters. Parameters that the model says are fixed stay.
pub(crate) fn train(linker: &Linker, model: &Model, training: &Training) -> Result<(Model, Trained)> {
    if !(training.recall > 0.0 && training.recall <= 1.0) {
        return Err(Error::input("the recall of the deterministic rules is not a share")
            .help("give a number above 0 and at most 1")
            .into());
    }
    let mut model = model.clone();
    let comparer = linker.comparer(&model)?;
    let random_pairs = random_pairs::estimate_u(linker, &comparer, &mut model, training)?;
    let deterministic_pairs = match training.deterministic.as_slice() {
        [] => None,
        rules => {
            let found = count_pairs(linker, rules)?;
            model.prior = prior(found as f64 / training.recall, linker.joint.pairs())?;
            Some(found)
        }
    };
    let runs = run_em(linker, &comparer, &model, training)?;
    if runs.is_empty() {
        return Err(Error::input(
            "no run of EM can estimate anything: the rules block on every column that is compared",
        )
        .help("name rules on fewer columns with --train-on")
        .into());
    }
    let unobserved = em::combine(&mut model, &runs);
    if deterministic_pairs.is_none() {
        model.prior = prior_of_blocked(linker, &comparer, &model)?;
    }
    Ok((model, Trained { random_pairs, deterministic_pairs, runs, unobserved }))
}

/// Runs EM on the pairs of each rule for training; of the blocking rules, those that make no pair are passed over.
fn run_em(linker: &Linker, comparer: &Comparer<'_>, model: &Model, training: &Training) -> Result<Vec<Run>> {
    let own = training.runs.is_empty();
    let mut rules = if own { &model.blocking_rules } else { &training.runs }.clone();
    if own {
        let blocking = linker.blocking()?;
        let mut pairs = blocking.rules.iter().map(|blocks| blocks.pairs);
        rules.retain(|_| pairs.next() != Some(0));
    }
    let mut runs = Vec::new();
    for rule in &rules {
        let blocking = linker.block(std::slice::from_ref(rule))?;
        let patterns = count_patterns(&blocking, comparer, linker.threads);
        runs.extend(em::run(model, &blocking.rules[0], &patterns)?);
    }
    Ok(runs)
}

/// λ from a number of true pairs.
fn prior(true_pairs: f64, pairs: u64) -> Result<f64> {
    let prior = true_pairs / pairs as f64;
    if prior > 0.0 && prior < 1.0 {
        return Ok(prior);
    }
    let what = if prior > 0.0 {
        "the deterministic rules make more pairs than there can be"
    } else {
        "the deterministic rules make no pair"
    };
    Err(Error::input(what).help("name stricter or looser rules with --deterministic, or another --recall").into())
}

/// λ such that it is the share of all pairs that the blocked pairs are expected to hold as matches.
fn prior_of_blocked(linker: &Linker, comparer: &Comparer<'_>, model: &Model) -> Result<f64> {
    const STEPS: usize = 100;
    let blocking = linker.block(&model.blocking_rules)?;
    let patterns = count_patterns(&blocking, comparer, linker.threads);
    let mut model = model.clone();
    let all = linker.joint.pairs() as f64;
    for _ in 0..STEPS {
        let weights = Weights::new(&model);
        let matches: f64 = patterns.iter().map(|(levels, count)| weights.probability(levels) * *count as f64).sum();
        let next = (matches / all).clamp(0.5 / all, 0.5);
        let change = (next / model.prior).ln().abs();
        model.prior = next;
        if change < 1e-6 {
            break;
        }
    }
    Ok(model.prior)
}

/// How many pairs some rules make together.
fn count_pairs(linker: &Linker, rules: &[BlockingRule]) -> Result<u64> {
    let blocking = linker.block(rules)?;
    Ok(for_each_pair(&blocking, linker.threads, || 0u64, |count, _, _, _| *count += 1).into_iter().sum())
}

/// The patterns of all pairs of some blocks.
pub(crate) fn count_patterns(blocking: &Blocking<'_>, comparer: &Comparer<'_>, threads: usize) -> Patterns {
    struct Seen {
        remembered: Remembered,
        levels: Vec<u8>,
        counts: HashMap<u64, u64>,
    }
    let begin = || Seen { remembered: comparer.remember(), levels: vec![0; comparer.len()], counts: HashMap::new() };
    let seen = for_each_pair(blocking, threads, begin, |seen, left, right, _| {
        comparer.levels(left, right, &mut seen.remembered, &mut seen.levels);
        *seen.counts.entry(comparer.pattern(&seen.levels)).or_default() += 1;
    });
    sorted_patterns(comparer, seen.into_iter().map(|seen| seen.counts))
}

/// Counts of several threads added up, in the order of the patterns.
fn sorted_patterns(comparer: &Comparer<'_>, counts: impl Iterator<Item = HashMap<u64, u64>>) -> Patterns {
    let mut all: std::collections::BTreeMap<u64, u64> = std::collections::BTreeMap::new();
    for (pattern, count) in counts.flatten() {
        *all.entry(pattern).or_default() += count;
    }
    all.into_iter().map(|(pattern, count)| (comparer.levels_of(pattern), count)).collect()
}
