//! Conditions of which everyone who meets them has one of some answers: `where` on the first of two columns.

use std::collections::BTreeSet;

use outward_spec::Result;

use super::places::{Key, Sure};
use super::{Extent, Family};

impl Family {
    /// Adds that there are no more records under a condition than there are with the answers all of them have one of.
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
        found.into_iter().try_for_each(|terms| self.add_at_least_nothing(terms).map(drop))
    }
}

/// Nodes that together have all of these values: each one that does by itself, and the finest that have any.
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
    fn whoever_has_one_of_two_answers_is_in_the_node_of_both_or_in_one_of_theirs() {
        let nodes = [(vec![1], 10), (vec![2], 11), (vec![3], 12), (vec![1, 2, 3], 13)];
        assert_eq!(covers(&nodes, &[1, 2]), [vec![13], vec![10, 11]]);
        assert_eq!(covers(&nodes, &[2]), [vec![11], vec![13]]);
        // No table shows one of them by itself.
        assert_eq!(covers(&nodes[1..], &[1, 2]), [vec![13], vec![11, 13]]);
    }
}
