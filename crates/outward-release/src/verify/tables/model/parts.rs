//! Parts and cuts (M1, M3): values that no node tells apart or, where a record may have several, the sets of nodes it can be in; and the ways in
//! which tables cut a variable.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Clique;
use crate::verify::tables::places::{Cells, Variable};

/// A set of values as tables name it, by number, and those of a variable that a block tells apart.
pub(super) type Nodes = BTreeSet<u32>;

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
    let values = values_of(everyone, sets);
    let parts: BTreeSet<Part> = values.iter().map(|value| holders.get(value).cloned().unwrap_or_default()).collect();
    (parts.len() <= most).then(|| parts.into_iter().collect())
}

/// The values of a variable of which everyone is in each set of `everyone`.
pub(super) fn values_of(everyone: &[u32], sets: &[Vec<u32>]) -> Vec<u32> {
    let has = |set: &u32, value: &u32| sets[*set as usize].binary_search(value).is_ok();
    let Some((first, others)) = everyone.split_first() else { return Vec::new() };
    sets[*first as usize].iter().copied().filter(|value| others.iter().all(|set| has(set, value))).collect()
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

/// A variable as some tables cut it: a vertex of the graph. Of several answers there is one cut, as sets of them do not nest.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    pub(super) variable: u32,
    pub(super) nodes: Nodes,
}

/// The ways in which the tables of a unit cut variables, and for each table those it shows.
pub(super) fn cuts(cells: &Cells, unit: u32, everyone: &[Vec<u32>]) -> (Vec<Cut>, Vec<Clique>) {
    let (mut cuts, mut tables): (Vec<Cut>, Vec<Clique>) = (Vec::new(), Vec::new());
    let count_parts = |variable: u32, nodes: &Nodes| {
        let (about, everyone) = (&cells.variables[variable as usize], &everyone[variable as usize]);
        parts(about, nodes, everyone, &cells.sets, usize::MAX).map_or(usize::MAX, |parts| parts.len())
    };
    for table in &cells.tables {
        let places = table.iter().map(|cell| &cells.places[*cell as usize]).filter(|place| place.unit == unit);
        let mut shown: BTreeMap<u32, Nodes> = BTreeMap::new();
        for (variable, set) in places.flat_map(|place| &place.at) {
            shown.entry(*variable).or_default().insert(*set);
        }
        let mut own = Clique::new();
        for (variable, nodes) in shown {
            let several = cells.variables[variable as usize].several;
            let same = |cut: &Cut| {
                let count = |nodes: &Nodes| count_parts(variable, nodes);
                cut.variable == variable
                    && (several || nodes.is_subset(&cut.nodes) && count(&nodes) == count(&cut.nodes) || {
                        let both = count(&nodes.union(&cut.nodes).copied().collect());
                        both == count(&nodes) && both == count(&cut.nodes)
                    })
            };
            let at = cuts.iter().position(same).unwrap_or_else(|| {
                cuts.push(Cut { variable, nodes: Nodes::new() });
                cuts.len() - 1
            });
            cuts[at].nodes.extend(nodes);
            own.insert(at);
        }
        if !own.is_empty() && !tables.contains(&own) {
            tables.push(own);
        }
    }
    (cuts, tables)
}
