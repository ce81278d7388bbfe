//! Hierarchical distance: the distance of two values is the height of the level at which they meet, over the height of
//! the tree. The least work of moving one distribution to the other is then Σ over inner nodes of (height of the node /
//! height of the tree) · min(surplus, lack). Surplus and lack are summed over the node's children (Li, Li and
//! Venkatasubramanian 2007, section 4.3).

use hashbrown::HashMap;
use outward_spec::{Error, Result};

use super::ratio;
use crate::models::values::{ValueCounts, WholeShares};

/// Nodes by height: values at height 0, one root at the top.
#[derive(Debug)]
pub(super) struct ValueTree {
    /// For each height, the parent of every node. The node of a value is its code less 1.
    parents: Vec<Vec<u32>>,
}

/// A node that a class has values under.
struct TouchedNode {
    node: u32,
    /// Surplus of the class over the whole, as r·W − w·n.
    surplus: i128,
    /// Records of the whole under it.
    whole: u64,
}

impl ValueTree {
    /// The tree of all codes that every level has a label for, which those of the whole must be. Without levels all values
    /// meet at the root.
    pub(super) fn new(levels: &[Vec<u32>], whole: &WholeShares) -> Result<Self> {
        let largest = whole.counts.last().map_or(0, |(code, _)| *code as usize);
        let values = levels.iter().map(|labels| labels.len().saturating_sub(1)).min().unwrap_or(largest);
        if values < largest {
            return Err(Error::input("the hierarchy misses some values")
                .help("give every value a label at every level")
                .into());
        }
        let mut nodes: Vec<u32> = (0..values as u32).collect();
        let mut parents = Vec::new();
        for (at, labels) in levels.iter().enumerate() {
            let above = numbered(&labels[1..=values]);
            parents.push(parents_of(&nodes, &above, at + 1)?);
            nodes = above;
        }
        if parents.is_empty() || nodes.iter().any(|node| *node != 0) {
            let last = nodes.iter().max().map_or(0, |node| *node as usize + 1);
            parents.push(vec![0; last]);
        }
        Ok(Self { parents })
    }

    /// Records of the whole under each node, for each height.
    pub(super) fn weights(&self, whole: &WholeShares) -> Vec<Vec<u64>> {
        let values = self.parents[0].len() as u32;
        let mut weights = vec![(1..=values).map(|code| whole.count(code)).collect::<Vec<u64>>()];
        for parents in &self.parents {
            let nodes = parents.iter().max().map_or(0, |node| *node as usize + 1);
            let mut above = vec![0; nodes];
            if let Some(below) = weights.last() {
                parents.iter().zip(below).for_each(|(parent, weight)| above[*parent as usize] += weight);
            }
            weights.push(above);
        }
        weights
    }

    /// Of a class with values that the tree has; infinitely far if it has others. Nodes that the class has nothing
    /// under only lack, and cost nothing themselves.
    pub(super) fn distance(&self, weights: &[Vec<u64>], class: &ValueCounts<'_>, whole: &WholeShares) -> f64 {
        let (n, all) = (class.total as i128, whole.total as i128);
        let mut touched = Vec::with_capacity(class.counts.len());
        for (code, count) in class.counts.iter().filter(|(_, count)| *count > 0) {
            let node = code.saturating_sub(1);
            let Some(weight) = weights[0].get(node as usize).copied() else { return f64::INFINITY };
            let surplus = i128::from(*count) * all - i128::from(weight) * n;
            touched.push(TouchedNode { node, surplus, whole: weight });
        }
        let mut cost = 0u128;
        for (below, parents) in self.parents.iter().enumerate() {
            touched.iter_mut().for_each(|each| each.node = parents[each.node as usize]);
            touched.sort_unstable_by_key(|each| each.node);
            let meet = |children: &[TouchedNode]| {
                let node = children[0].node;
                let surplus: i128 = children.iter().map(|child| child.surplus.max(0)).sum();
                let known: u64 = children.iter().map(|child| child.whole).sum();
                let whole = weights[below + 1][node as usize];
                let lack: i128 = children.iter().map(|child| (-child.surplus).max(0)).sum::<i128>()
                    + i128::from(whole.saturating_sub(known)) * n;
                (surplus.min(lack).unsigned_abs(), TouchedNode { node, surplus: surplus - lack, whole })
            };
            let met: Vec<(u128, TouchedNode)> = touched.chunk_by(|a, b| a.node == b.node).map(meet).collect();
            cost += (below as u128 + 1) * met.iter().map(|(moved, _)| moved).sum::<u128>();
            touched = met.into_iter().map(|(_, node)| node).collect();
        }
        ratio(cost, self.parents.len() as u128 * (n * all).unsigned_abs())
    }
}

/// Labels numbered from 0 in the order in which they first occur.
fn numbered(labels: &[u32]) -> Vec<u32> {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    labels
        .iter()
        .map(|label| {
            let next = numbers.len() as u32;
            *numbers.entry(*label).or_insert(next)
        })
        .collect()
}

/// The parent of every node; an error if a node has two.
fn parents_of(nodes: &[u32], above: &[u32], level: usize) -> Result<Vec<u32>> {
    let mut parents = vec![None; nodes.iter().max().map_or(0, |node| *node as usize + 1)];
    for (node, parent) in nodes.iter().zip(above) {
        match parents[*node as usize].replace(*parent) {
            Some(other) if other != *parent => {
                return Err(Error::input(format!(
                    "values with one label at level {} have several at level {level}",
                    level - 1
                ))
                .help("give a hierarchy in which every label lies within one label of the next level")
                .into());
            }
            _ => {}
        }
    }
    Ok(parents.into_iter().map(|parent| parent.unwrap_or(0)).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::super::equal;
    use super::*;

    fn distance(levels: &[Vec<u32>], class: &[(u32, u64)], whole: &[(u32, u64)]) -> f64 {
        let whole = WholeShares::from_codes(whole);
        let tree = ValueTree::new(levels, &whole).unwrap();
        tree.distance(&tree.weights(&whole), &ValueCounts::from_codes(class).unwrap(), &whole)
    }

    /// Nine people. Codes: 1 gastric ulcer, 2 gastritis, 3 stomach cancer (stomach); 4 flu, 5 pneumonia, 6 bronchitis
    /// (infection). Stomach lies in digestive, infection in respiratory. Moving within the stomach costs 1/3, between the
    /// two systems 1.
    #[test]
    fn illnesses_of_three_classes_worked_by_hand() {
        let whole = [(1, 1), (2, 2), (3, 2), (4, 1), (5, 1), (6, 2)];
        let levels = [vec![0, 10, 10, 10, 20, 20, 20], vec![0, 1, 1, 1, 2, 2, 2], vec![0, 7, 7, 7, 7, 7, 7]];
        // In ninths: within the stomach 2, within infections 2, from digestive to respiratory 1: (2 + 2 + 3·1)/27.
        assert_eq!(distance(&levels, &[(1, 1), (3, 1), (5, 1)], &whole), 7.0 / 27.0);
        assert_eq!(distance(&levels, &[(2, 1), (4, 1), (6, 1)], &whole), 8.0 / 27.0);
        assert_eq!(distance(&levels, &[(2, 1), (3, 1), (6, 1)], &whole), 5.0 / 27.0);
    }

    #[test]
    fn without_levels_every_two_values_meet_at_the_root() {
        assert_eq!(distance(&[], &[(1, 3)], &[(1, 4), (2, 2), (3, 1)]), 3.0 / 7.0);
    }

    #[test]
    fn a_label_under_two_labels_is_an_error() {
        let whole = WholeShares::from_codes(&[(1, 1), (2, 1), (3, 1)]);
        let crossing = [vec![0, 1, 1, 2], vec![0, 1, 2, 2]];
        assert!(ValueTree::new(&crossing, &whole).unwrap_err().to_string().contains("level 1 have several at level 2"));
        assert!(ValueTree::new(&[vec![0, 1]], &whole).unwrap_err().to_string().contains("misses some values"));
    }

    /// The cost by the definition, over every node and with all values.
    fn plainly(levels: &[Vec<u32>], class: &[u64], whole: &[u64]) -> f64 {
        let (n, all) = (class.iter().sum::<u64>() as f64, whole.iter().sum::<u64>() as f64);
        let mut surplus: Vec<(u32, f64)> = class
            .iter()
            .zip(whole)
            .enumerate()
            .map(|(at, (r, w))| (at as u32, *r as f64 / n - *w as f64 / all))
            .collect();
        let mut label: Vec<u32> = (0..class.len() as u32).collect();
        let mut cost = 0.0;
        for (below, level) in levels.iter().enumerate() {
            let mut above: Vec<(u32, f64, f64)> = Vec::new();
            for (node, extra) in &surplus {
                let leaf = label.iter().position(|label| label == node).unwrap();
                let parent = level[leaf + 1];
                let at = above.iter().position(|(known, _, _)| *known == parent).unwrap_or(above.len());
                if at == above.len() {
                    above.push((parent, 0.0, 0.0));
                }
                if *extra > 0.0 { above[at].1 += extra } else { above[at].2 -= extra }
            }
            cost += above.iter().map(|(_, more, less)| more.min(*less)).sum::<f64>() * (below + 1) as f64;
            surplus = above.into_iter().map(|(node, more, less)| (node, more - less)).collect();
            label = level[1..].to_vec();
        }
        cost / levels.len() as f64
    }

    fn codes(counts: &[u64]) -> Vec<(u32, u64)> {
        counts.iter().enumerate().map(|(at, count)| (at as u32 + 1, *count)).collect()
    }

    proptest! {
        #[test]
        fn only_touched_nodes_need_a_visit(counts in prop::collection::vec((0u64..4, 1u64..9), 8)) {
            let class: Vec<u64> = counts.iter().map(|(count, _)| *count).collect();
            let whole: Vec<u64> = counts.iter().map(|(count, more)| count + more).collect();
            prop_assume!(class.iter().sum::<u64>() > 0);
            let levels = [vec![0, 1, 1, 1, 2, 2, 3, 4, 4], vec![0, 1, 1, 1, 1, 1, 2, 2, 2], vec![0; 9]];
            let found = distance(&levels, &codes(&class), &codes(&whole));
            prop_assert!((found - plainly(&levels, &class, &whole)).abs() < 1e-12);
            let star = distance(&[vec![0; 9]], &codes(&class), &codes(&whole));
            let (of_class, of_whole) = (codes(&class), WholeShares::from_codes(&codes(&whole)));
            prop_assert_eq!(star, equal::distance(&ValueCounts::from_codes(&of_class).unwrap(), &of_whole));
        }
    }
}
