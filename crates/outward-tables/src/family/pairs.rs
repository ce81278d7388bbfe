//! Pairs of answers beside the answers they are made of: nobody has both without either, and nobody counts twice among those with any
//! answer who is in no pair.
//!
//! For a record with k answers of at most m, k − 1 ≤ k(k − 1)/2 ≤ (k − 1)m/2: counted over all records this is Bonferroni's inequality
//! (Σ n(f) − Σ n(f, g) ≤ n(any)) and a like one from above. With two columns both say the same.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Result;

use super::places::Paired;
use super::{Extent, Family};

/// More than this between pairs and answers is not reckoned with.
const MOST: usize = 1_000;

/// Pairs that stand together, and the answers beside them.
struct Beside<'a> {
    paired: &'a Paired,
    /// The cell of each pair, by its two values.
    pairs: BTreeMap<[u32; 2], u32>,
    /// The cell of each value.
    singles: BTreeMap<u32, u32>,
    /// The cells of the answers, each with its values.
    answers: &'a [(Vec<u32>, u32)],
    /// The cell of everyone, whatever they answered.
    whole: Option<u32>,
    /// How many answers there can be.
    most: Option<usize>,
}

impl Family {
    /// Adds what pairs and the answers they are made of say of each other.
    pub(super) fn add_pairs(&mut self) -> Result<()> {
        let places = self.places.clone();
        let lines = places.lines();
        let shown = |(rest, variable): &(Vec<(u32, u32)>, u32), nodes: &Vec<(Vec<u32>, u32)>| {
            let paired = places.known_variables[*variable as usize].pairs.as_ref()?;
            let of = places.number_of(places.unit(*variable), &places.source(*variable)?.answers())?;
            let answers = lines.get(&(rest.clone(), of))?;
            let single = |(set, cell): &(Vec<u32>, u32)| (set.len() == 1).then(|| (set[0], *cell));
            let pair = |(number, cell): (u32, u32)| Some((*paired.halves.get(&number)?, cell));
            let beside = Beside {
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
        if found.len() > MOST {
            self.goes(Extent::Less, true);
            return Ok(());
        }
        self.goes(Extent::More, !found.is_empty());
        found.into_iter().try_for_each(|terms| self.add_at_least_nothing(terms).map(drop))
    }
}

impl Beside<'_> {
    /// Sums of cells that are not below zero.
    fn at_least_nothing(&self) -> Vec<Vec<(u32, i32)>> {
        let mut found = Vec::new();
        for (halves, pair) in &self.pairs {
            let singles = halves.map(|value| self.singles.get(&value).copied());
            found.extend(singles.iter().flatten().map(|single| vec![(*single, 1), (*pair, -1)]));
            if let [Some(one), Some(other)] = singles {
                // Whoever is in a smaller node is in every larger one.
                let all = self.around(&BTreeSet::from(*halves));
                found.extend(all.map(|all| vec![(all, 1), (*pair, 1), (one, -1), (other, -1)]));
            }
        }
        // Whoever has a value has at most so many others.
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

    /// The cell of the smallest node in which everyone is who has one of these values.
    fn around(&self, values: &BTreeSet<u32>) -> Option<u32> {
        let has_all = |set: &Vec<u32>| values.iter().all(|value| set.binary_search(value).is_ok());
        let answers = self.answers.iter().filter(|(set, _)| has_all(set));
        answers.min_by_key(|(set, _)| set.len()).map(|(_, cell)| *cell).or(self.whole)
    }

    /// What the pairs of some values say of who counts twice among these.
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
