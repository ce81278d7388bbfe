//! Post-randomisation (PRAM): some records get another category by chance. The chances are such that the expected
//! number of records of each category stays as it was (Gouweleeuw, Kooiman, Willenborg and de Wolf 1998).
//!
//! Category i of L with share πᵢ keeps its value with chance dᵢ and else becomes any other: P has dᵢ on the diagonal and
//! (1 − dᵢ)/(L − 1) beside it, with dᵢ drawn evenly from `least_kept` to 1. Q is P the other way round by Bayes,
//! Q_kj = P_jk πⱼ / Σᵢ πᵢ P_ik, so that R = P·Q has πR = π. Released is by αR + (1 − α)I.
//!
//! As the chances beside the diagonal of P are equal, a draw from R needs no table of L² chances. A step by P is a coin
//! and an even draw. A step back by Q from k stays at k by a coin. Otherwise it goes to j with a chance in proportion
//! to πⱼ(1 − dⱼ), for any k. Codes are 1 and above; 0 is missing and is never changed, nor given.

use outward_spec::{Error, Result};

use crate::random::Random;

/// How much is to be changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pram {
    /// The least chance on the diagonal of P, above 0 and at most 1. Below 1/L it counts as 1/L, which makes P quite even.
    pub least_kept: f64,
    /// The weight of R against no change, 0 to 1.
    pub weight: f64,
}

impl Default for Pram {
    fn default() -> Self {
        Self { least_kept: 0.8, weight: 0.5 }
    }
}

/// The chances for the categories of one stratum.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// The code of the stratum; 0 if there are no strata.
    pub stratum: u32,
    /// The codes that occur, ascending.
    pub codes: Vec<u32>,
    /// How many records have each.
    pub counts: Vec<u64>,
    kept: Vec<f64>,
    weight: f64,
}

/// Codes after post-randomisation.
#[derive(Debug, Clone, PartialEq)]
pub struct Randomised {
    /// The codes, record by record.
    pub codes: Vec<u32>,
    /// The chances of each stratum, by ascending code of stratum.
    pub transitions: Vec<Transition>,
    /// Records that now have another code.
    pub changed: u64,
}

/// Changes codes at random so that the expected count of each, in each stratum, is what it was.
///
/// `random` should have a purpose of its own for each variable. Draws follow the order of the records.
///
/// # Errors
/// If a setting is outside its range.
pub fn post_randomise(
    codes: &[u32],
    strata: Option<&[u32]>,
    settings: &Pram,
    random: &mut Random,
) -> Result<Randomised> {
    check(codes, strata, settings)?;
    let stratum_of = |row: usize| strata.map_or(0, |strata| strata[row]);
    let transitions = transitions(codes, &stratum_of, settings, random);
    let draws: Vec<TransitionDraw> = transitions.iter().map(TransitionDraw::new).collect();
    let mut released = codes.to_vec();
    let mut changed = 0;
    let (mut here, mut stratum) = (0, None);
    for (row, code) in released.iter_mut().enumerate().filter(|(_, code)| **code != 0) {
        if random.unit() >= settings.weight {
            continue;
        }
        if stratum != Some(stratum_of(row)) {
            stratum = Some(stratum_of(row));
            here = transitions.partition_point(|other| Some(other.stratum) < stratum);
        }
        let from = transitions[here].codes.partition_point(|other| other < code);
        let to = draws[here].step(from, random);
        changed += u64::from(to != from);
        *code = transitions[here].codes[to];
    }
    Ok(Randomised { codes: released, transitions, changed })
}

fn check(codes: &[u32], strata: Option<&[u32]>, settings: &Pram) -> Result<()> {
    if strata.is_some_and(|strata| strata.len() != codes.len()) {
        return Err(Error::bug("post-randomisation was given a wrong number of records"));
    }
    if !(settings.least_kept > 0.0 && settings.least_kept <= 1.0) {
        return Err(Error::input("the least chance to keep a category must be above 0 and at most 1")
            .help("0.8 is usual: categories keep at least four in five of their records at the first step")
            .into());
    }
    if !(0.0..=1.0).contains(&settings.weight) {
        return Err(Error::input("the weight of post-randomisation must be from 0 to 1")
            .help("0.5 is usual; 0 changes nothing")
            .into());
    }
    Ok(())
}

/// Counts the codes of each stratum and draws the diagonal of its P.
fn transitions(
    codes: &[u32],
    stratum_of: &impl Fn(usize) -> u32,
    settings: &Pram,
    random: &mut Random,
) -> Vec<Transition> {
    let mut counts: hashbrown::HashMap<(u32, u32), u64> = hashbrown::HashMap::new();
    for (row, code) in codes.iter().enumerate().filter(|(_, code)| **code != 0) {
        *counts.entry((stratum_of(row), *code)).or_default() += 1;
    }
    let mut counts: Vec<((u32, u32), u64)> = counts.into_iter().collect();
    counts.sort_unstable();
    counts
        .chunk_by(|a, b| a.0.0 == b.0.0)
        .map(|stratum| {
            let least = settings.least_kept.max(1.0 / stratum.len() as f64);
            Transition {
                stratum: stratum[0].0.0,
                codes: stratum.iter().map(|((_, code), _)| *code).collect(),
                counts: stratum.iter().map(|(_, count)| *count).collect(),
                kept: stratum.iter().map(|_| least + (1.0 - least) * random.unit()).collect(),
                weight: settings.weight,
            }
        })
        .collect()
}

impl Transition {
    /// Share of the records of the stratum that have each code.
    pub fn shares(&self) -> Vec<f64> {
        let all = self.counts.iter().sum::<u64>() as f64;
        self.counts.iter().map(|count| *count as f64 / all).collect()
    }

    /// The chances by which codes were changed: a row for each code before, a column for each after. An analyst who knows
    /// them can correct their estimates. It has the square of the number of codes entries.
    pub fn matrix(&self) -> Vec<Vec<f64>> {
        let (shares, steps) = (self.shares(), TransitionParts::new(self));
        let inverse: f64 = steps.reached.iter().map(|reached| 1.0 / reached).sum();
        let row = |i: usize| {
            let other = |j: usize| {
                // Σ_k P_ik P_jk / m_k, where P_ik is lost_i everywhere and more_i above that at k = i.
                let mut sum = steps.lost[i] * steps.lost[j] * inverse
                    + steps.lost[i] * steps.more[j] / steps.reached[j]
                    + steps.more[i] * steps.lost[j] / steps.reached[i];
                if i == j {
                    sum += steps.more[i] * steps.more[j] / steps.reached[i];
                }
                self.weight * shares[j] * sum + if i == j { 1.0 - self.weight } else { 0.0 }
            };
            (0..shares.len()).map(other).collect()
        };
        if shares.len() == 1 { vec![vec![1.0]] } else { (0..shares.len()).map(row).collect() }
    }

    /// The expected share of records that get another code.
    pub fn expected_change(&self) -> f64 {
        let (shares, steps) = (self.shares(), TransitionParts::new(self));
        if shares.len() == 1 {
            return 0.0;
        }
        let inverse: f64 = steps.reached.iter().map(|reached| 1.0 / reached).sum();
        let kept = |i: usize| {
            let (lost, more) = (steps.lost[i], steps.more[i]);
            shares[i] * (lost * lost * inverse + (2.0 * lost * more + more * more) / steps.reached[i])
        };
        self.weight * (1.0 - (0..shares.len()).map(|i| shares[i] * kept(i)).sum::<f64>())
    }
}

/// P taken apart: `lost` is the chance of each other category. `more` is what the own category has above that.
/// `reached` is the share of records at each category after P.
struct TransitionParts {
    lost: Vec<f64>,
    more: Vec<f64>,
    reached: Vec<f64>,
}

impl TransitionParts {
    fn new(transition: &Transition) -> Self {
        let others = (transition.kept.len().max(2) - 1) as f64;
        let lost: Vec<f64> = transition.kept.iter().map(|kept| (1.0 - kept) / others).collect();
        let more: Vec<f64> = transition.kept.iter().zip(&lost).map(|(kept, lost)| (kept - lost).max(0.0)).collect();
        let shares = transition.shares();
        let spread: f64 = shares.iter().zip(&lost).map(|(share, lost)| share * lost).sum();
        let reached = shares.iter().zip(&more).map(|(share, more)| spread + share * more).collect();
        Self { lost, more, reached }
    }
}

/// Draws from R.
struct TransitionDraw {
    kept: Vec<f64>,
    /// The chance that the step back from a category stays there.
    stays: Vec<f64>,
    /// Where it goes otherwise.
    back: AliasTable,
}

impl TransitionDraw {
    fn new(transition: &Transition) -> Self {
        let (shares, steps) = (transition.shares(), TransitionParts::new(transition));
        let stay = |k: usize| shares[k] * steps.more[k] / steps.reached[k];
        let weights: Vec<f64> = shares.iter().zip(&steps.lost).map(|(share, lost)| share * lost).collect();
        Self {
            kept: transition.kept.clone(),
            stays: (0..shares.len()).map(stay).collect(),
            back: AliasTable::new(&weights),
        }
    }

    fn step(&self, from: usize, random: &mut Random) -> usize {
        let others = self.kept.len() as u64 - 1;
        if others == 0 {
            return from;
        }
        let mut between = from;
        if random.unit() >= self.kept[from] {
            let other = random.below(others) as usize;
            between = other + usize::from(other >= from);
        }
        if random.unit() < self.stays[between] { between } else { self.back.draw(random) }
    }
}

/// Draws from a list of chances at a cost that does not depend on its length (Walker 1977, tables as by Vose 1991).
struct AliasTable {
    own: Vec<f64>,
    other: Vec<usize>,
}

impl AliasTable {
    fn new(weights: &[f64]) -> Self {
        let (length, sum) = (weights.len(), weights.iter().sum::<f64>());
        // No weight at all: never drawn from, since then all categories are kept.
        let mut own: Vec<f64> =
            weights.iter().map(|weight| if sum > 0.0 { weight / sum * length as f64 } else { 1.0 }).collect();
        let mut other: Vec<usize> = (0..length).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..length).partition(|item| own[*item] < 1.0);
        while let (Some(&less), Some(&more)) = (small.last(), large.last()) {
            small.pop();
            other[less] = more;
            own[more] -= 1.0 - own[less];
            if own[more] < 1.0 {
                large.pop();
                small.push(more);
            }
        }
        // What rounding left over is as good as full.
        small.into_iter().chain(large).for_each(|item| own[item] = 1.0);
        Self { own, other }
    }

    fn draw(&self, random: &mut Random) -> usize {
        let item = random.below(self.own.len() as u64) as usize;
        if random.unit() < self.own[item] { item } else { self.other[item] }
    }
}
