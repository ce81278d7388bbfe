//! Training: the parameters of a model from records whose truth is not known.
//!
//! u is the share of each level among random pairs. λ is the number of pairs that deterministic rules make, divided by the share of true
//! pairs they are thought to find and by all pairs. m comes from runs of EM on the pairs of a blocking rule each. A rule says nothing about
//! the columns it blocks on, so runs use different rules, and the median of the runs is taken (Winkler 1988; Linacre et al. 2022). Then the
//! matches that λ and m tell of are taken out of the random pairs, and EM is run again, until u stays. Without deterministic rules λ is the
//! fixed point of λ = Σ p_j(λ) c_j / all pairs over the patterns j of the blocked pairs. Such a λ leans on u, so u stays the share then.

mod em;
mod random_pairs;

pub use em::{Run, Step};

use std::collections::BTreeSet;

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

/// How often the matches are taken out of the random pairs at most; two or three times are usual.
const MOST_ROUNDS: usize = 20;

/// Patterns of levels with the number of pairs that have them, in the order of the patterns.
pub(crate) type Patterns = Vec<(Vec<u8>, u64)>;

/// The pairs of a rule that m is estimated from.
pub(crate) struct Blocked {
    rule: String,
    /// The columns that the rule reads.
    columns: BTreeSet<String>,
    patterns: Patterns,
}

/// Estimates u, λ and m of a model, and returns it with its new parameters. Parameters that the model says are fixed stay.
pub(crate) fn train(linker: &Linker, model: &Model, training: &Training) -> Result<(Model, Trained)> {
    if !(training.recall > 0.0 && training.recall <= 1.0) {
        return Err(Error::input("the recall of the deterministic rules is not a share")
            .help("give a number above 0 and at most 1")
            .into());
    }
    let mut model = model.clone();
    let comparer = linker.comparer(&model)?;
    let random = random_pairs::count_random_pairs(linker, &comparer, &model, training)?;
    random.set_u(&mut model);
    let deterministic_pairs = match training.deterministic.as_slice() {
        [] => None,
        rules => {
            let found = count_pairs(linker, rules)?;
            model.prior = prior(found as f64 / training.recall, linker.joint.pairs())?;
            Some(found)
        }
    };
    let rules = patterns_of_rules(linker, &comparer, &model, training)?;
    let (mut runs, mut unobserved) = run_em(&mut model, &rules)?;
    if deterministic_pairs.is_none() {
        model.prior = prior_of_blocked(linker, &comparer, &model)?;
    } else {
        for _ in 0..MOST_ROUNDS {
            if !random.take_matches_out(&mut model) {
                break;
            }
            (runs, unobserved) = run_em(&mut model, &rules)?;
        }
    }
    Ok((model, Trained { random_pairs: random.pairs, deterministic_pairs, runs, unobserved }))
}

/// Sets m by runs of EM, one for each rule. Returns the runs and the levels that none of them saw.
fn run_em(model: &mut Model, rules: &[Blocked]) -> Result<(Vec<Run>, Vec<String>)> {
    let mut runs = Vec::new();
    for blocked in rules {
        runs.extend(em::run(model, blocked)?);
    }
    if runs.is_empty() {
        return Err(Error::input(
            "no run of EM can estimate anything: the rules block on every column that is compared",
        )
        .help("name rules on fewer columns with --train-on")
        .into());
    }
    let unobserved = em::combine(model, &runs);
    Ok((runs, unobserved))
}

/// The patterns of the pairs of each rule for training; of the blocking rules, those that make no pair are passed over.
fn patterns_of_rules(
    linker: &Linker,
    comparer: &Comparer<'_>,
    model: &Model,
    training: &Training,
) -> Result<Vec<Blocked>> {
    let own = training.runs.is_empty();
    let mut rules = if own { &model.blocking_rules } else { &training.runs }.clone();
    if own {
        let blocking = linker.blocking()?;
        let mut pairs = blocking.rules.iter().map(|blocks| blocks.pairs);
        rules.retain(|_| pairs.next() != Some(0));
    }
    let count = |rule: &BlockingRule| {
        let mut blocking = linker.block(std::slice::from_ref(rule))?;
        let patterns = count_patterns(&blocking, comparer, linker.threads);
        let blocks = blocking.rules.remove(0);
        Ok(Blocked { rule: blocks.rule, columns: blocks.columns, patterns })
    };
    rules.iter().map(count).collect()
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
