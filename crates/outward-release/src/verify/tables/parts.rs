//! What the records of a variable fall into: values that no node tells apart or, where a record may have several, the sets of nodes it can
//! be in.

use std::collections::{BTreeMap, BTreeSet};

use super::places::Variable;

/// The nodes a record is in, by the numbers of their sets.
pub(super) type Part = BTreeSet<u32>;

/// The parts of a variable that has these nodes, of which everyone is in each set of `everyone`; none where there are more than `most`.
pub(super) fn parts(
    variable: &Variable,
    nodes: &BTreeSet<u32>,
    everyone: &[u32],
    sets: &[Vec<u32>],
    most: usize,
) -> Option<Vec<Part>> {
    let mut holders: BTreeMap<u32, Part> = BTreeMap::new();
    for node in nodes {
        sets[*node as usize].iter().for_each(|value| _ = holders.entry(*value).or_default().insert(*node));
    }
    if variable.several {
        let values: BTreeSet<Part> = holders.into_values().collect();
        return together(&values, variable.most.unwrap_or(usize::MAX), most);
    }
    let has = |set: &u32, value: &u32| sets[*set as usize].binary_search(value).is_ok();
    let Some((first, others)) = everyone.split_first() else { return Some(Vec::new()) };
    let values = sets[*first as usize].iter().filter(|value| others.iter().all(|set| has(set, value)));
    let parts: BTreeSet<Part> = values.map(|value| holders.get(value).cloned().unwrap_or_default()).collect();
    (parts.len() <= most).then(|| parts.into_iter().collect())
}

/// The nodes that no answer, one, two and so on can put a record in.
fn together(values: &BTreeSet<Part>, answers: usize, most: usize) -> Option<Vec<Part>> {
    let mut all = BTreeSet::from([Part::new()]);
    let mut new: Vec<Part> = vec![Part::new()];
    for _ in 0..answers {
        let mut next = Vec::new();
        for part in &new {
            for value in values {
                let both: Part = part.union(value).copied().collect();
                if all.insert(both.clone()) {
                    next.push(both);
                }
                if all.len() > most {
                    return None;
                }
            }
        }
        if next.is_empty() {
            break;
        }
        new = next;
    }
    Some(all.into_iter().collect())
}
