//! What a crossed variable falls into: values that no table tells apart, or the sets of nodes that several answers can put a record in.

use std::collections::{BTreeMap, BTreeSet};

use crate::family::places::Known;

/// A variable of several answers that puts records in more sets of nodes than this is not crossed.
const MOST_SETS: usize = 1_000;

/// The parts of a variable, by number.
pub(super) struct Parts {
    pub(super) count: usize,
    /// For each part which of the nodes have it, ascending.
    kinds: Vec<Vec<bool>>,
    /// For each node, by the number of its set, the parts it is made of, ascending.
    nodes: BTreeMap<u32, Vec<u32>>,
}

impl Parts {
    /// The parts of a variable whose nodes have these sets of values; none where there are too many.
    pub(super) fn of(known: &Known, nodes: &BTreeSet<u32>, sets: &[Vec<u32>]) -> Option<Self> {
        let has = |value: u32| nodes.iter().map(|node| sets[*node as usize].binary_search(&value).is_ok()).collect();
        let told: BTreeSet<Vec<bool>> = known.values.iter().map(|value| has(*value)).collect();
        let kinds = if known.several { together(&told, nodes.len(), known.most)? } else { told };
        let made_of = |at: usize| (0..).zip(&kinds).filter(|(_, kind)| kind[at]).map(|(part, _)| part).collect();
        let nodes = nodes.iter().enumerate().map(|(at, node)| (*node, made_of(at))).collect();
        Some(Self { count: kinds.len(), kinds: kinds.into_iter().collect(), nodes })
    }

    /// The part of a record that has these values.
    pub(super) fn part_of(&self, values: &[u32], sets: &[Vec<u32>]) -> Option<u32> {
        let kind: Vec<bool> = self.nodes.keys().map(|node| meets(values, &sets[*node as usize])).collect();
        self.kinds.binary_search(&kind).ok().map(|part| part as u32)
    }

    /// The parts a node is made of.
    pub(super) fn node(&self, set: u32) -> &[u32] {
        self.nodes.get(&set).map_or(&[], Vec::as_slice)
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.nodes.keys().copied()
    }
}

/// Whether any of these values is in a set.
pub(super) fn meets(values: &[u32], set: &[u32]) -> bool {
    values.iter().any(|value| set.binary_search(value).is_ok())
}

/// The sets of nodes a record can be in whose answers are in these: with none, with one, with two and so on.
fn together(told: &BTreeSet<Vec<bool>>, nodes: usize, most: Option<usize>) -> Option<BTreeSet<Vec<bool>>> {
    let mut all = BTreeSet::from([vec![false; nodes]]);
    for _ in 0..most.unwrap_or(told.len()) {
        let before = all.len();
        for one in all.clone() {
            for other in told {
                all.insert(one.iter().zip(other).map(|(one, other)| one | other).collect());
            }
            if all.len() > MOST_SETS {
                return None;
            }
        }
        if all.len() == before {
            break;
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parts(several: bool, most: Option<usize>, nodes: &[Vec<u32>]) -> Parts {
        let known = Known { values: vec![1, 2, 3, 4], several, most, ..Known::default() };
        Parts::of(&known, &(0..nodes.len() as u32).collect(), nodes).unwrap()
    }

    #[test]
    fn values_that_no_table_tells_apart_are_one_part() {
        // 1 and 2 stand together in both nodes; 3 in one of them, 4 in none.
        let parts = parts(false, None, &[vec![1, 2], vec![1, 2, 3]]);
        assert_eq!(parts.count, 3);
        assert_eq!((parts.node(0).len(), parts.node(1).len()), (1, 2));
    }

    #[test]
    fn several_answers_put_a_record_in_any_nodes_and_in_no_more_than_it_has_answers() {
        let nodes = [vec![1], vec![2], vec![3], vec![1, 2, 3]];
        // None, or any of one, two or three of the values, all of them within the last node.
        assert_eq!(parts(true, None, &nodes).count, 8);
        let two = parts(true, Some(2), &nodes);
        assert_eq!((two.count, two.node(0).len(), two.node(3).len()), (7, 3, 6));
    }
}
