//! The search: all combinations if they are few, otherwise in order of their loss.
//!
//! The loss of a combination is the sum of the losses of its recodings. So combinations can be listed in order of their
//! loss without counting any, and the first that leaves nothing unsafe is the best. If the margin of two variables is
//! unsafe, every table that shows it is unsafe, whatever is done to the other variables. Such combinations are skipped.

mod order;

use std::cmp::Ordering;

use outward_spec::Result;

use super::collapse::Roller;
use super::loss::Losses;
use super::recodings::{Recodings, Way, total_only};
use super::{MAX_COMBINATIONS, MAX_WORK, work_for};
use crate::inner::Inner;
use order::ByLoss;

/// Most combinations visited, judged or skipped.
const MAX_VISITED: usize = 1_000_000;

/// A combination that was judged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// For each variable its recoding.
    pub(super) choice: Vec<usize>,
    pub(super) bits: f64,
    pub(super) unsafe_left: usize,
}

impl Candidate {
    /// The variables that are changed.
    pub(super) fn changed(&self) -> Vec<usize> {
        (0..self.choice.len()).filter(|variable| self.choice[*variable] > 0).collect()
    }

    /// Whether it changes some, but not all, of the variables that another changes, and no others.
    pub(super) fn changes_fewer_than(&self, other: &Self) -> bool {
        self.changed() != other.changed() && self.changed().iter().all(|variable| other.choice[*variable] > 0)
    }

    pub(super) fn by_unsafe_then_loss(&self, other: &Self) -> Ordering {
        let by_loss = || self.bits.total_cmp(&other.bits).then_with(|| self.choice.cmp(&other.choice));
        self.unsafe_left.cmp(&other.unsafe_left).then_with(by_loss)
    }
}

pub(super) struct Search<'s, 'a> {
    pub(super) roller: &'s mut Roller<'a>,
    pub(super) losses: &'s Losses,
    pub(super) choices: &'s [Recodings],
    pub(super) inner: &'s Inner,
}

impl Search<'_, '_> {
    /// All combinations.
    pub(super) fn all(&mut self) -> Result<Vec<Candidate>> {
        let mut judged = Vec::new();
        let mut choice = vec![0; self.choices.len()];
        loop {
            judged.push(self.judge(&choice)?);
            // The last variable changes fastest, so that most of the rolled-up cells can be kept.
            let Some(next) = (0..choice.len()).rev().find(|at| choice[*at] + 1 < self.choices[*at].ways.len()) else {
                return Ok(judged);
            };
            choice[next] += 1;
            choice[next + 1..].fill(0);
        }
    }

    /// The combinations that lose least, until `limit` of them leave nothing unsafe and are no coarser than another.
    /// Combinations with one changed variable are included. If the limit of work is reached without any, the one that
    /// is found by refining the coarsest.
    pub(super) fn best_first(&mut self, limit: usize) -> Result<Vec<Candidate>> {
        let never = Never::new(self.roller, self.choices)?;
        let mut judged = self.one_variable_each()?;
        let mut clean: Vec<Vec<usize>> = Vec::new();
        let (mut combinations, mut work) = (0, 0);
        for choice in ByLoss::new(self.choices, self.losses).take(MAX_VISITED) {
            if never.forbids(&choice) || clean.iter().any(|finer| self.losses.is_finer(finer, &choice)) {
                continue;
            }
            combinations += 1;
            work += self.work(&choice);
            if clean.len() == limit || combinations > MAX_COMBINATIONS || work > MAX_WORK {
                break;
            }
            let candidate = self.judge(&choice)?;
            if candidate.unsafe_left == 0 {
                clean.push(choice);
            }
            judged.push(candidate);
        }
        if clean.is_empty() {
            judged.extend(self.refine_the_coarsest()?);
        }
        Ok(judged)
    }

    fn work(&self, choice: &[usize]) -> usize {
        let nodes = choice.iter().zip(self.choices).map(|(way, choice)| choice.ways[*way].dimension.nodes.len());
        work_for(self.inner, nodes.product())
    }

    fn judge(&mut self, choice: &[usize]) -> Result<Candidate> {
        let unsafe_left = self.roller.count_unsafe(choice)?;
        Ok(Candidate { choice: choice.to_vec(), bits: self.losses.of_choice(choice), unsafe_left })
    }

    fn one_variable_each(&mut self) -> Result<Vec<Candidate>> {
        let mut judged = Vec::new();
        for variable in 0..self.choices.len() {
            for way in 1..self.choices[variable].ways.len() {
                let mut choice = vec![0; self.choices.len()];
                choice[variable] = way;
                judged.push(self.judge(&choice)?);
            }
        }
        Ok(judged)
    }

    /// Starts from the coarsest combination, if it leaves nothing unsafe, and goes step by step to finer ones that
    /// leave nothing unsafe either.
    fn refine_the_coarsest(&mut self) -> Result<Option<Candidate>> {
        let losses = self.losses;
        let most = |variable: usize| {
            let ways = 0..self.choices[variable].ways.len();
            ways.max_by(|a, b| losses.of_way(variable, *a).total_cmp(&losses.of_way(variable, *b))).unwrap_or_default()
        };
        let coarsest: Vec<usize> = (0..self.choices.len()).map(most).collect();
        let mut best = self.judge(&coarsest)?;
        if best.unsafe_left > 0 {
            return Ok(None);
        }
        loop {
            let mut finer: Option<Candidate> = None;
            for variable in 0..self.choices.len() {
                for way in 0..self.choices[variable].ways.len() {
                    let mut choice = best.choice.clone();
                    choice[variable] = way;
                    if losses.of_choice(&choice) < finer.as_ref().map_or(best.bits, |found| found.bits) {
                        finer = Some(self.judge(&choice)?).filter(|found| found.unsafe_left == 0).or(finer);
                    }
                }
            }
            match finer {
                Some(found) => best = found,
                None => return Ok(Some(best)),
            }
        }
    }
}

/// Pairs of recodings whose margins are unsafe.
struct Never {
    /// For each pair of variables, the lower one first: whether each pair of their recodings is unsafe.
    pairs: Vec<(usize, usize, Vec<Vec<bool>>)>,
}

impl Never {
    fn new(roller: &Roller<'_>, choices: &[Recodings]) -> Result<Self> {
        let mut pairs = Vec::new();
        for first in 0..choices.len() {
            for second in first + 1..choices.len() {
                let mut others = (0..choices.len()).filter(|at| *at != first && *at != second);
                // The margin is always published only if the other variables always show their total.
                if choices.len() > 2 && others.all(|at| choices[at].ways.iter().all(shows_total)) {
                    pairs.push((first, second, unsafe_pairs(roller, choices, first, second)?));
                }
            }
        }
        Ok(Self { pairs })
    }

    fn forbids(&self, choice: &[usize]) -> bool {
        self.pairs.iter().any(|(first, second, unsafe_pairs)| unsafe_pairs[choice[*first]][choice[*second]])
    }
}

fn shows_total(way: &Way) -> bool {
    way.dimension.nodes.iter().any(|node| node.total)
}

fn unsafe_pairs(roller: &Roller<'_>, choices: &[Recodings], first: usize, second: usize) -> Result<Vec<Vec<bool>>> {
    let only = |at: usize| match at == first || at == second {
        true => choices[at].clone(),
        false => {
            let dimension = total_only(&choices[at].ways[0].dimension);
            Recodings { ways: vec![Way { dimension, name: String::new() }] }
        }
    };
    let reduced: Vec<Recodings> = (0..choices.len()).map(only).collect();
    let mut margin = roller.with(&reduced);
    let mut choice = vec![0; choices.len()];
    let mut found = Vec::new();
    for way in 0..choices[first].ways.len() {
        choice[first] = way;
        let mut row = Vec::new();
        for other in 0..choices[second].ways.len() {
            choice[second] = other;
            row.push(margin.count_unsafe(&choice)? > 0);
        }
        found.push(row);
    }
    Ok(found)
}
