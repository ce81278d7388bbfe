//! The information loss of a coarser dimension: the entropy of the old categories, given the coarser ones.

use super::recodings::Recodings;
use crate::inner::Inner;
use crate::table::{Dimension, Node};

/// The loss of each recoding of each variable.
pub(super) struct Losses {
    /// Bits per record, or per answer if a record may have several.
    bits: Vec<Vec<f64>>,
    /// The entropy of all variables as they are.
    whole: f64,
    /// For each variable: whether the first recoding distinguishes everything that the second does.
    finer: Vec<Vec<Vec<bool>>>,
}

impl Losses {
    /// The losses, from the inner cells of the table as it is.
    pub(super) fn new(inner: &Inner, choices: &[Recodings]) -> Self {
        let mut losses = Self { bits: Vec::new(), whole: 0.0, finer: Vec::new() };
        for (variable, choice) in choices.iter().enumerate() {
            let now = finest(&choice.ways[0].dimension);
            let masses = masses(inner, variable, &now);
            let cuts: Vec<Vec<usize>> = choice.ways.iter().map(|way| groups(&now, &way.dimension)).collect();
            let finer = |fine: &Vec<usize>| cuts.iter().map(|coarse| is_finer(fine, coarse)).collect();
            losses.whole += entropy_given(&masses, &vec![0; now.len()]);
            losses.bits.push(cuts.iter().map(|cut| entropy_given(&masses, cut)).collect());
            losses.finer.push(cuts.iter().map(finer).collect());
        }
        losses
    }

    /// The bits of one recoding of one variable.
    pub(super) fn of_way(&self, variable: usize, way: usize) -> f64 {
        self.bits[variable][way]
    }

    /// The bits of a combination.
    pub(super) fn of_choice(&self, choice: &[usize]) -> f64 {
        choice.iter().zip(&self.bits).map(|(way, bits)| bits[*way]).sum()
    }

    /// Bits as a share of those of the table.
    pub(super) fn share(&self, bits: f64) -> f64 {
        if self.whole > 0.0 { (bits / self.whole).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Whether one combination distinguishes everything that another does.
    pub(super) fn is_finer(&self, one: &[usize], other: &[usize]) -> bool {
        one.iter().zip(other).zip(&self.finer).all(|((a, b), finer)| finer[*a][*b])
    }
}

fn finest(dimension: &Dimension) -> Vec<&Node> {
    dimension.nodes.iter().filter(|node| node.finest).collect()
}

/// How many records, or answers, each finest node has.
fn masses(inner: &Inner, variable: usize, nodes: &[&Node]) -> Vec<u64> {
    let mut node_of = vec![None; inner.bases[variable].values.len() + 1];
    for (at, node) in nodes.iter().enumerate() {
        node.values.iter().for_each(|value| node_of[*value as usize] = Some(at));
    }
    let mut masses = vec![0; nodes.len()];
    for (cell, tally) in inner.tallies.iter().enumerate() {
        for answer in inner.answers(variable, &inner.cell(cell)[variable]) {
            if let Some(at) = node_of[*answer as usize] {
                masses[at] += tally.count;
            }
        }
    }
    masses
}

/// For each node the finest node of a coarser dimension it is in.
fn groups(nodes: &[&Node], coarse: &Dimension) -> Vec<usize> {
    let groups = finest(coarse);
    let place = |node: &&Node| {
        let holds = |group: &&Node| node.values.first().is_some_and(|value| group.values.binary_search(value).is_ok());
        groups.iter().position(holds).unwrap_or_default()
    };
    nodes.iter().map(place).collect()
}

/// H(node | group) in bits: Σ mass/all · log₂(mass of the group/mass).
fn entropy_given(masses: &[u64], groups: &[usize]) -> f64 {
    let all: u64 = masses.iter().sum();
    let mut together = vec![0u64; groups.iter().max().map_or(0, |last| last + 1)];
    masses.iter().zip(groups).for_each(|(mass, group)| together[*group] += mass);
    let bits =
        |(mass, group): (&u64, &usize)| *mass as f64 / all as f64 * (together[*group] as f64 / *mass as f64).log2();
    masses.iter().zip(groups).filter(|(mass, _)| **mass > 0).map(bits).sum()
}

fn is_finer(fine: &[usize], coarse: &[usize]) -> bool {
    let mut into: Vec<Option<usize>> = vec![None; fine.iter().max().map_or(0, |last| last + 1)];
    fine.iter().zip(coarse).all(|(group, whole)| *into[*group].get_or_insert(*whole) == *whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_two_equal_halves_of_half_the_records_loses_half_a_bit() {
        let masses = [25, 25, 50];
        assert!((entropy_given(&masses, &[0, 0, 0]) - 1.5).abs() < 1e-12);
        assert!((entropy_given(&masses, &[0, 0, 1]) - 0.5).abs() < 1e-12);
        assert!(entropy_given(&masses, &[0, 1, 2]).abs() < 1e-12);
    }

    #[test]
    fn a_cut_is_finer_than_its_unions_only() {
        assert!(is_finer(&[0, 1, 2], &[0, 0, 1]));
        assert!(!is_finer(&[0, 0, 1], &[0, 1, 1]));
    }
}
