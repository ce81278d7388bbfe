//! The pairs that were compared: those above the threshold, and counts of all of them by weight.

use serde::Serialize;

use super::accuracy::{Accuracy, true_pairs};
use super::blocking::RuleCount;
use super::comparer::Remembered;
use super::linker::Linker;
use super::pairs::for_each_pair;
use super::score::{Scorer, weight_of};
use outward_cells::MISSING;
use outward_error::Result;

/// The probabilities of the table of thresholds.
const THRESHOLDS: [f64; 17] =
    [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999];

/// Weights are counted in bins of 1 from −`FARTHEST` to `FARTHEST`.
const FARTHEST: i32 = 40;

/// A pair of records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredPair {
    /// The record of the first file, from 0.
    pub left: u32,
    /// The other record, from 0 in its own file.
    pub right: u32,
    /// The match weight.
    pub weight: f64,
    /// The number of the blocking rule that made the pair.
    pub rule: u16,
}

impl ScoredPair {
    /// How probable it is that the two are one person.
    pub fn probability(&self) -> f64 {
        super::score::probability_of(self.weight)
    }
}

/// How many pairs a threshold would keep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ThresholdCount {
    /// The probability.
    pub probability: f64,
    /// The match weight.
    pub weight: f64,
    /// Pairs at it or above.
    pub pairs: u64,
    /// How right these are, where the truth is known.
    #[serde(flatten)]
    pub accuracy: Option<Accuracy>,
}

/// The result of scoring.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The pairs at the threshold or above, in the order of their records. In a file with duplicates the lower record is on the left; of
    /// pairs within the second of two files both records count from the end of the first.
    pub pairs: Vec<ScoredPair>,
    /// What each blocking rule made.
    pub rules: Vec<RuleCount>,
    /// How many pairs other thresholds would keep, and this one.
    pub thresholds: Vec<ThresholdCount>,
    /// Compared pairs by weight: the lower end of a bin of width 1, pairs, and true pairs among them.
    pub weights: Vec<(i32, u64, u64)>,
    /// How right the pairs are, where the truth is known.
    pub accuracy: Option<Accuracy>,
    /// True pairs in all, whether a rule makes them or not, where the truth is known.
    pub true_pairs: Option<u64>,
    /// Records of the first file.
    pub first: usize,
    /// Records of both files.
    pub rows: usize,
    /// Whether right records are counted in their own file.
    second_from_zero: bool,
}

impl Scored {
    /// The right record of a pair, with those of a second file numbered after those of the first.
    pub fn right_record(&self, pair: &ScoredPair) -> u32 {
        pair.right + if self.second_from_zero { self.first as u32 } else { 0 }
    }
}

/// What one thread saw.
struct Seen {
    remembered: Remembered,
    levels: Vec<u8>,
    kept: Vec<ScoredPair>,
    added: Vec<u64>,
    /// By the number of thresholds that are reached: pairs, and true ones.
    reached: Vec<[u64; 2]>,
    weights: Vec<[u64; 2]>,
}

pub(crate) fn score(linker: &Linker, scorer: &Scorer<'_>, threshold: f64, truth: Option<usize>) -> Result<Scored> {
    let blocking = linker.blocking()?;
    let joint = &linker.joint;
    let lowest = weight_of(threshold);
    let mut marks: Vec<f64> = THRESHOLDS.iter().copied().chain([threshold]).collect();
    marks.sort_unstable_by(f64::total_cmp);
    marks.dedup();
    let mark_weights: Vec<f64> = marks.iter().map(|mark| weight_of(*mark)).collect();
    let truth_codes = truth.map(|column| &joint.columns[column].codes);
    let begin = || Seen {
        remembered: scorer.comparer.remember(),
        levels: vec![0; scorer.comparer.len()],
        kept: Vec::new(),
        added: vec![0; blocking.rules.len()],
        reached: vec![[0; 2]; marks.len() + 1],
        weights: vec![[0; 2]; 2 * FARTHEST as usize + 1],
    };
    let seen = for_each_pair(&blocking, linker.threads, begin, |seen, left, right, rule| {
        scorer.comparer.levels(left, right, &mut seen.remembered, &mut seen.levels);
        let weight = scorer.weight(left, right, &seen.levels);
        let same = truth_codes.is_some_and(|codes| codes[left] != MISSING && codes[left] == codes[right]);
        seen.added[rule] += 1;
        let count = |place: &mut [u64; 2]| {
            place[0] += 1;
            place[1] += u64::from(same);
        };
        count(&mut seen.reached[mark_weights.partition_point(|mark| *mark <= weight)]);
        let bin = (weight.floor() as i32).clamp(-FARTHEST, FARTHEST) + FARTHEST;
        count(&mut seen.weights[bin as usize]);
        if weight >= lowest {
            seen.kept.push(ScoredPair { left: left as u32, right: right as u32, weight, rule: rule as u16 });
        }
    });
    let all_true = truth.map(|column| true_pairs(joint, column));
    let sum = |part: &dyn Fn(&Seen) -> u64| seen.iter().map(part).sum::<u64>();
    let thresholds: Vec<ThresholdCount> = (0..marks.len())
        .map(|at| {
            let total = |which: usize| sum(&|seen| seen.reached[at + 1..].iter().map(|counts| counts[which]).sum());
            let accuracy = all_true.map(|all| Accuracy::new(total(0), total(1), all));
            ThresholdCount { probability: marks[at], weight: mark_weights[at], pairs: total(0), accuracy }
        })
        .collect();
    let rule = |(at, blocks): (usize, &super::blocking::Blocks)| RuleCount {
        rule: blocks.rule.clone(),
        comparisons: blocks.pairs,
        added: sum(&|seen| seen.added[at]),
    };
    let rules = blocking.rules.iter().enumerate().map(rule).collect();
    let bin = |at: usize| (at as i32 - FARTHEST, sum(&|seen| seen.weights[at][0]), sum(&|seen| seen.weights[at][1]));
    let weights = (0..=2 * FARTHEST as usize).map(bin).filter(|bin| bin.1 > 0).collect();
    let accuracy = thresholds.iter().find(|line| line.probability == threshold).and_then(|line| line.accuracy);
    let mut pairs: Vec<ScoredPair> = Vec::with_capacity(seen.iter().map(|seen| seen.kept.len()).sum());
    seen.into_iter().for_each(|seen| pairs.extend(seen.kept));
    pairs.sort_unstable_by_key(|pair| (pair.left, pair.right));
    let second_from_zero = joint.link_type == super::model::LinkType::LinkOnly;
    if second_from_zero {
        pairs.iter_mut().for_each(|pair| pair.right -= joint.first as u32);
    }
    Ok(Scored {
        pairs,
        rules,
        thresholds,
        weights,
        accuracy,
        true_pairs: all_true,
        first: joint.first,
        rows: joint.rows,
        second_from_zero,
    })
}
