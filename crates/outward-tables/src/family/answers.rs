//! Variables with several answers that have too many parts to be split into these: the one relaxation (M6 of
//! `docs/methods/attacker.md`). Nodes are counted one by one, and inequalities hold between them.
//!
//! - A record in a finer node is in every coarser node and in the total. A record in a coarser node is in at least one
//!   of its finer nodes. No record is in more nodes than it can have answers.
//! - Pairs of answers, and the answers they consist of: a record with a pair has both of its answers, and a record with
//!   two answers is in a pair. For a record with k answers of at most m, k − 1 ≤ k(k − 1)/2 ≤ (k − 1)m/2. Summed over
//!   all records this is Bonferroni's inequality (Σ n(f) − Σ n(f, g) ≤ n(any)) and a similar upper bound. With two
//!   columns both are the same.
//! - Conditions that imply one of some answers: `where` on the first of two columns.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Result;

use super::places::{Key, Paired, Sure};
use super::{Extent, Family};

/// Most inequalities between pairs and answers that are added.
const MAX_PAIR_INEQUALITIES: usize = 1_000;

/// The values of each node, and its cell.
type Nodes = [(Vec<u32>, u32)];

/// Sums of cells, each with its coefficient, that are not negative. `whole` is the cell of all records, whatever they
/// answered.
pub(super) fn at_least_nothing(nodes: &Nodes, whole: Option<u32>) -> Vec<Vec<(u32, i32)>> {
    let mut found = Vec::new();
    for (large, all) in around(nodes, whole) {
        let within = within(nodes, large);
        let nearest = |(small, _): &&&(Vec<u32>, u32)| !within.iter().any(|(other, _)| is_inside(small, other));
        let parts: Vec<&(Vec<u32>, u32)> = within.iter().filter(nearest).copied().collect();
        found.extend(parts.iter().map(|(_, part)| vec![(all, 1), (*part, -1)]));
        if !parts.is_empty() && large.is_some_and(|large| values(&parts).1 == large.len()) {
            found.push(parts.iter().map(|(_, part)| (*part, 1)).chain([(all, -1)]).collect());
        }
    }
    found
}

/// Sums that are not negative because a record has at most `most` answers. A rounded table need not satisfy them; its
/// records do.
pub(super) fn at_most(nodes: &Nodes, whole: Option<u32>, most: Option<usize>) -> Vec<Vec<(u32, i32)>> {
    let Some(most) = most else { return Vec::new() };
    let mut found = Vec::new();
    for (large, all) in around(nodes, whole) {
        if let Some(finest) = finest(nodes, large).filter(|finest| finest.len() > most) {
            found.push(finest.into_iter().map(|cell| (cell, -1)).chain([(all, most as i32)]).collect());
        }
    }
    found
}

/// The cells of the finest nodes within a node, or of all finest nodes; `None` if two of them have a value in common.
pub(super) fn finest(nodes: &Nodes, large: Option<&Vec<u32>>) -> Option<Vec<u32>> {
    let within = within(nodes, large);
    let finest = |(set, _): &&&(Vec<u32>, u32)| !within.iter().any(|(other, _)| is_inside(other, set));
    let finest: Vec<&(Vec<u32>, u32)> = within.iter().filter(finest).copied().collect();
    let (listed, different) = values(&finest);
    (listed == different).then(|| finest.into_iter().map(|(_, cell)| *cell).collect())
}

/// The nodes that may contain others, and the total.
fn around(nodes: &Nodes, whole: Option<u32>) -> impl Iterator<Item = (Option<&Vec<u32>>, u32)> {
    nodes.iter().map(|(set, cell)| (Some(set), *cell)).chain(whole.map(|cell| (None, cell)))
}

fn within<'a>(nodes: &'a Nodes, large: Option<&Vec<u32>>) -> Vec<&'a (Vec<u32>, u32)> {
    nodes.iter().filter(|(small, _)| large.is_none_or(|large| is_inside(small, large))).collect()
}

/// How many values nodes list in all, and how many different ones.
fn values(nodes: &[&(Vec<u32>, u32)]) -> (usize, usize) {
    let mut values: Vec<u32> = nodes.iter().flat_map(|(set, _)| set).copied().collect();
    let listed = values.len();
    values.sort_unstable();
    values.dedup();
    (listed, values.len())
}

/// Whether all values of one node are in another node that has more.
pub(super) fn is_inside(small: &[u32], large: &[u32]) -> bool {
    small.len() < large.len() && small.iter().all(|value| large.binary_search(value).is_ok())
}

/// Pairs of a table, and the answers they consist of.
struct PairsWithAnswers<'a> {
    paired: &'a Paired,
    /// The cell of each pair, by its two values.
    pairs: BTreeMap<[u32; 2], u32>,
    /// The cell of each value.
    singles: BTreeMap<u32, u32>,
    /// The cells of the answers, each with its values.
    answers: &'a [(Vec<u32>, u32)],
    /// The cell of all records, whatever they answered.
    whole: Option<u32>,
    /// How many answers a record can have.
    most: Option<usize>,
}

impl Family {
    /// Adds the inequalities between pairs and the answers they consist of.
    pub(super) fn add_pairs(&mut self) -> Result<()> {
        let places = self.places.clone();
        let lines = places.lines();
        let shown = |(rest, variable): &(Vec<(u32, u32)>, u32), nodes: &Vec<(Vec<u32>, u32)>| {
            let paired = places.known_variables[*variable as usize].pairs.as_ref()?;
            let of = places.number_of(places.unit(*variable), &places.source(*variable)?.answers())?;
            let answers = lines.get(&(rest.clone(), of))?;
            let single = |(set, cell): &(Vec<u32>, u32)| (set.len() == 1).then(|| (set[0], *cell));
            let pair = |(number, cell): (u32, u32)| Some((*paired.halves.get(&number)?, cell));
            let beside = PairsWithAnswers {
                paired,
                pairs: nodes.iter().filter_map(single).filter_map(pair).collect(),
                singles: answers.iter().filter_map(single).collect(),
                answers,
                whole: places.cells.get(rest).copied(),
                most: places.known_variables[of as usize].most,
            };
            Some(beside.at_least_nothing())
        };
        let found: Vec<Vec<(u32, i32)>> = lines
            .iter()
            .filter_map(|(at, nodes)| shown(at, nodes))
            .flatten()
            .filter(|terms| self.is_near(terms))
            .collect();
        if found.len() > MAX_PAIR_INEQUALITIES {
            self.goes(Extent::Less, true);
            return Ok(());
        }
        self.goes(Extent::More, !found.is_empty());
        found.into_iter().try_for_each(|terms| self.add_at_least_nothing(terms))
    }

    /// Adds that no more records meet a condition than have one of the answers that the condition implies.
    pub(super) fn add_sure(&mut self) -> Result<()> {
        let places = self.places.clone();
        let lines = places.lines();
        let mut found: BTreeSet<Vec<(u32, i32)>> = BTreeSet::new();
        for Sure { condition, unit, source, values } in &places.sure {
            let Some(variable) = places.number_of(unit, source) else { continue };
            for (key, all) in places.cells.iter().filter(|(key, _)| key.contains(condition)) {
                let with: Key = key.iter().copied().filter(|(own, _)| *own != variable).collect();
                let without: Key = with.iter().copied().filter(|entry| entry != condition).collect();
                let nodes = [with, without].into_iter().filter_map(|rest| lines.get(&(rest, variable)));
                let covers = nodes.flat_map(|nodes| covers(nodes, values)).filter(|cells| !cells.contains(all));
                found.extend(covers.map(|cells| cells.into_iter().map(|cell| (cell, 1)).chain([(*all, -1)]).collect()));
            }
        }
        found.retain(|terms| self.is_near(terms));
        self.goes(Extent::More, !found.is_empty());
        found.into_iter().try_for_each(|terms| self.add_at_least_nothing(terms))
    }
}

impl PairsWithAnswers<'_> {
    /// Sums of cells that are not negative.
    fn at_least_nothing(&self) -> Vec<Vec<(u32, i32)>> {
        let mut found = Vec::new();
        for (halves, pair) in &self.pairs {
            let singles = halves.map(|value| self.singles.get(&value).copied());
            found.extend(singles.iter().flatten().map(|single| vec![(*single, 1), (*pair, -1)]));
            if let [Some(one), Some(other)] = singles {
                // A record in a smaller node is in every larger one.
                let all = self.around(&BTreeSet::from(*halves));
                found.extend(all.map(|all| vec![(all, 1), (*pair, 1), (one, -1), (other, -1)]));
            }
        }
        // A record with one answer has at most so many others.
        let others = self.most.map(|most| most as i32 - 1);
        for (value, single) in &self.singles {
            let with: Vec<(u32, i32)> =
                self.pairs.iter().filter(|(halves, _)| halves.contains(value)).map(|(_, pair)| (*pair, -1)).collect();
            if let Some(others) = others.filter(|_| with.len() > 1) {
                found.push(with.into_iter().chain([(*single, others)]).collect());
            }
        }
        for among in &self.paired.among {
            found.extend(self.overlap(among));
        }
        found
    }

    /// The cell of the smallest node that contains all these values.
    fn around(&self, values: &BTreeSet<u32>) -> Option<u32> {
        let has_all = |set: &Vec<u32>| values.iter().all(|value| set.binary_search(value).is_ok());
        let answers = self.answers.iter().filter(|(set, _)| has_all(set));
        answers.min_by_key(|(set, _)| set.len()).map(|(_, cell)| *cell).or(self.whole)
    }

    /// What the pairs of some values say about records that have two of these values.
    fn overlap(&self, among: &BTreeSet<u32>) -> Vec<Vec<(u32, i32)>> {
        let within = |halves: &[u32; 2]| halves.iter().all(|value| among.contains(value));
        let pairs = self.paired.halves.values().filter(|halves| within(halves));
        let pairs: Option<Vec<u32>> = pairs.map(|halves| self.pairs.get(halves).copied()).collect();
        let singles: Option<Vec<u32>> = among.iter().map(|value| self.singles.get(value).copied()).collect();
        let (Some(pairs), Some(singles)) = (pairs, singles) else { return Vec::new() };
        let terms = |of_pairs: i32, of_singles: i32, all: (u32, i32)| {
            let pairs = pairs.iter().map(|pair| (*pair, of_pairs));
            pairs.chain(singles.iter().map(|single| (*single, of_singles))).chain([all]).collect::<Vec<_>>()
        };
        let mut found: Vec<Vec<(u32, i32)>> =
            self.around(among).map(|all| terms(1, -1, (all, 1))).into_iter().collect();
        let any = self.answers.iter().find(|(set, _)| set.iter().eq(among));
        if let (Some((_, any)), Some(most)) = (any, self.most) {
            found.push(terms(-2, most as i32, (*any, -(most as i32))));
        }
        found
    }
}

/// Nodes that together have all of these values: each node that has all of them, and the finest nodes that have any.
fn covers(nodes: &[(Vec<u32>, u32)], values: &[u32]) -> Vec<Vec<u32>> {
    let has = |set: &[u32], value: &u32| set.binary_search(value).is_ok();
    let alone = nodes.iter().filter(|(set, _)| values.iter().all(|value| has(set, value)));
    let mut covers: Vec<Vec<u32>> = alone.map(|(_, cell)| vec![*cell]).collect();
    let mut finest: BTreeSet<u32> = BTreeSet::new();
    for value in values {
        let Some((_, cell)) = nodes.iter().filter(|(set, _)| has(set, value)).min_by_key(|(set, _)| set.len()) else {
            return covers;
        };
        finest.insert(*cell);
    }
    if finest.len() > 1 {
        covers.push(finest.into_iter().collect());
    }
    covers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_a_factor_is_among_those_with_any_and_nobody_has_more_than_there_are_columns() {
        let nodes = [(vec![1], 0), (vec![2], 1), (vec![3], 2), (vec![1, 2, 3], 3)];
        let any = [
            vec![(3, 1), (0, -1)],
            vec![(3, 1), (1, -1)],
            vec![(3, 1), (2, -1)],
            vec![(0, 1), (1, 1), (2, 1), (3, -1)],
        ];
        assert_eq!(at_least_nothing(&nodes, None), any);
        assert_eq!(at_most(&nodes, None, Some(2)), [vec![(0, -1), (1, -1), (2, -1), (3, 2)]]);
        assert!(at_most(&nodes, None, Some(3)).is_empty());
    }

    #[test]
    fn whoever_has_one_of_two_answers_is_in_the_node_of_both_or_in_one_of_theirs() {
        let nodes = [(vec![1], 10), (vec![2], 11), (vec![3], 12), (vec![1, 2, 3], 13)];
        assert_eq!(covers(&nodes, &[1, 2]), [vec![13], vec![10, 11]]);
        assert_eq!(covers(&nodes, &[2]), [vec![11], vec![13]]);
        // No table shows either value alone.
        assert_eq!(covers(&nodes[1..], &[1, 2]), [vec![13], vec![11, 13]]);
    }
}
