//! What linked files tell of each other by atoms (M7): how many records there are of every combination of parts that a block of `[data]` and one
//! of a linked file both tell apart, whether a table shows that combination or not.

use std::collections::{BTreeMap, BTreeSet};

use super::atoms::{Atoms, Axis, Block, Shown};
use super::parts::{Nodes, Part};
use super::selected::{CommonNodes, CommonVariables, Selection};
use crate::verify::tables::places::{Cells, Coordinates};

/// A combination of parts, by the numbers of variables in `[data]`: the nodes of variables that are not listed, and the part of each other one, as
/// the nodes it is in.
type Combination = (Coordinates, Vec<(u32, Part)>);

/// For each combination, and for each node of those who are selected, the cells and atoms that add up to its records.
type Margin = BTreeMap<(Option<u32>, Combination), Vec<u32>>;

/// The records of a combination in `[data]` and in a linked file, each a sum of cells.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::verify::tables) struct LinkedSums {
    pub(in crate::verify::tables) own: Vec<u32>,
    pub(in crate::verify::tables) linked: Vec<u32>,
    /// Whether nodes name all its values. Among those that none names are linked records that belong to no record of `[data]`.
    pub(in crate::verify::tables) is_named: bool,
}

/// A block with what tables show of it, and its atoms where it has some.
pub(in crate::verify::tables) struct BlockAtoms {
    block: Block,
    shown: Vec<Shown>,
    atoms: Option<Atoms>,
}

impl BlockAtoms {
    pub(super) fn new(block: Block, shown: Vec<Shown>, atoms: Option<Atoms>) -> Self {
        Self { block, shown, atoms }
    }

    /// The nodes by which this block and one of a linked file both tell common variables apart, by the number of the variable here and there.
    fn common_nodes(&self, linked: &Self, common: &CommonVariables) -> BTreeMap<(u32, u32), Nodes> {
        let mut both = BTreeMap::new();
        for (other, theirs) in &linked.block.nodes {
            let Some((own, ours)) = common.get(other).and_then(|own| self.block.nodes.get_key_value(own)) else {
                continue;
            };
            let nodes: Nodes = ours.intersection(theirs).copied().collect();
            if !nodes.is_empty() {
                both.insert((*own, *other), nodes);
            }
        }
        both
    }

    /// Whether the block tells all of some nodes apart.
    fn tells(&self, (variable, nodes): (u32, &Nodes)) -> bool {
        self.block.nodes.get(&variable).is_some_and(|own| nodes.is_subset(own))
    }

    /// The records of each combination of common parts.
    fn margin(&self, asked: &Asked<'_>, cells: &Cells) -> Margin {
        let mut margin = asked.published(&self.block, &self.shown);
        let Some(atoms) = &self.atoms else { return margin };
        let (mut sums, mut unknown) = (Margin::new(), BTreeSet::new());
        for rest in atoms.keys().map(|(rest, _)| rest).collect::<BTreeSet<&Coordinates>>() {
            let Some((own, named)) = asked.rest(rest) else { continue };
            let all = 0..self.block.combinations().unwrap_or_default();
            for combination in all.filter(|combination| self.block.can_be(rest, *combination, cells)) {
                let part = |at: usize| &self.block.axes[at].parts[self.block.part(combination, at)];
                let axes = || self.block.axes.iter().enumerate();
                let selected = asked.selected(named, axes().map(|(at, axis)| (axis.variable, part(at))));
                let of_axis = |(at, axis): (usize, &Axis)| asked.part(axis, part(at));
                let mut parts: Vec<(u32, Part)> = axes().filter_map(of_axis).collect();
                parts.sort_unstable();
                for node in selected {
                    let key = (node, (own.clone(), parts.clone()));
                    match atoms.get(&(rest.clone(), combination)) {
                        Some(atom) => sums.entry(key).or_default().push(*atom),
                        None => _ = unknown.insert(key),
                    }
                }
            }
        }
        for (key, sum) in sums.into_iter().filter(|(key, _)| !unknown.contains(key)) {
            margin.entry(key).or_insert(sum);
        }
        margin
    }
}

/// Whether tables show all combinations of the parts by which a block tells apart what it has in common with other units.
pub(super) fn shows_all(block: &Block, shown: &[Shown], common: &CommonNodes) -> bool {
    let own = |(variable, own): (&u32, &Nodes)| {
        let nodes = own.intersection(common.nodes.get(variable)?).copied().collect::<Nodes>();
        (!nodes.is_empty()).then_some((*variable, nodes))
    };
    let nodes: BTreeMap<u32, Nodes> = block.nodes.iter().filter_map(own).collect();
    let names = nodes.keys().map(|variable| (*variable, *variable)).collect();
    let shows = |only: Option<(u32, &Nodes)>| {
        let asked = Asked { nodes: &nodes, common: &names, only };
        let count = |axis: &Axis| {
            let parts: BTreeSet<(u32, Part)> = axis.parts.iter().filter_map(|part| asked.part(axis, part)).collect();
            parts.len().max(1)
        };
        let all = block.axes.iter().map(count).chain(only.map(|(_, nodes)| nodes.len()));
        let published = asked.published(block, shown);
        let is_whole = |(_, (rest, _)): &&(Option<u32>, Combination)| rest.is_empty();
        all.into_iter().try_fold(1usize, usize::checked_mul) == Some(published.keys().filter(is_whole).count())
    };
    let tells = |(variable, nodes): &&(u32, Nodes)| block.nodes.get(variable).is_some_and(|own| nodes.is_subset(own));
    (nodes.is_empty() || shows(None))
        && common.selected.iter().filter(tells).all(|(variable, nodes)| shows(Some((*variable, nodes))))
}

/// The combinations that are asked for.
struct Asked<'a> {
    /// For each common variable of a block the nodes by which it is told apart.
    nodes: &'a BTreeMap<u32, Nodes>,
    common: &'a CommonVariables,
    /// The variable and the nodes of those who are selected, where not everyone is.
    only: Option<(u32, &'a Nodes)>,
}

impl Asked<'_> {
    /// What a cell says of variables that are not listed, and the node by which it selects, if it is one of these; none where it says more than is
    /// asked.
    fn rest(&self, rest: &Coordinates) -> Option<(Coordinates, Option<u32>)> {
        let (mut own, mut named) = (Coordinates::new(), None);
        for (variable, node) in rest {
            match self.only {
                Some((only, nodes)) if only == *variable => {
                    named = Some(*node).filter(|node| named.is_none() && nodes.contains(node));
                    named?;
                }
                _ if self.nodes.get(variable)?.contains(node) => own.push((self.common[variable], *node)),
                _ => return None,
            }
        }
        own.sort_unstable();
        Some((own, named))
    }

    /// The nodes by which a combination of parts is selected: one that is not listed, or those that its part is in. Everyone is, if nobody selects.
    fn selected<'p>(&self, named: Option<u32>, mut parts: impl Iterator<Item = (u32, &'p Part)>) -> Vec<Option<u32>> {
        let Some((only, nodes)) = self.only else { return vec![None] };
        if named.is_some() {
            return vec![named];
        }
        let own = parts.find(|(variable, _)| *variable == only);
        own.into_iter().flat_map(|(_, part)| part.intersection(nodes).map(|node| Some(*node))).collect()
    }

    /// The common part that a part of a variable lies in.
    fn part(&self, axis: &Axis, part: &Part) -> Option<(u32, Part)> {
        let nodes = self.nodes.get(&axis.variable)?;
        Some((self.common[&axis.variable], part.intersection(nodes).copied().collect()))
    }

    /// The nodes by which a cell selects: it has all parts of them, and no others.
    fn selected_by(&self, block: &Block, own: &Shown, named: Option<u32>) -> Vec<Option<u32>> {
        let Some((only, nodes)) = self.only else { return vec![None] };
        let mut axes = block.axes.iter().zip(&own.parts);
        let Some((axis, held)) = axes.find(|(axis, _)| axis.variable == only) else {
            return named.into_iter().map(Some).collect();
        };
        let is_all = |node: &&u32| {
            let has = |at: &usize| axis.parts[*at].contains(node);
            held.iter().all(has) && (0..axis.parts.len()).filter(has).count() == held.len()
        };
        nodes.iter().filter(is_all).map(|node| Some(*node)).collect()
    }

    /// The combinations that are cells.
    fn published(&self, block: &Block, shown: &[Shown]) -> Margin {
        let mut margin = Margin::new();
        for own in shown {
            let Some((rest, named)) = self.rest(&own.rest) else { continue };
            let mut parts = Vec::new();
            let selects = |axis: &Axis| self.only.is_some_and(|(only, _)| only == axis.variable);
            // A cell that has only some of the parts that are one to both units is finer than what they share.
            let is_one = block.axes.iter().zip(&own.parts).filter(|(axis, _)| !selects(axis)).all(|(axis, held)| {
                let Some(first) = held.first() else { return false };
                let part = self.part(axis, &axis.parts[*first]);
                let like = |other: &&Part| self.part(axis, other) == part;
                let one = axis.parts.iter().filter(like).count() == held.len()
                    && held.iter().all(|other| like(&&axis.parts[*other]));
                parts.extend(part);
                one
            });
            if is_one {
                parts.sort_unstable();
                for node in self.selected_by(block, own, named) {
                    margin.entry((node, (rest.clone(), parts.clone()))).or_insert_with(|| vec![own.cell]);
                }
            }
        }
        margin
    }
}

/// The records of every combination of common parts in blocks of `[data]` and of a linked file: of all records, or of those who are selected.
pub(in crate::verify::tables) fn linked_sums(
    [data, linked]: [&[BlockAtoms]; 2],
    common: &CommonVariables,
    only: Option<&Selection>,
    cells: &Cells,
) -> BTreeSet<LinkedSums> {
    let [ours, theirs] = only.map(Selection::nodes).unwrap_or_default();
    let tells = |one: &BlockAtoms, own: &Option<(u32, Nodes)>| {
        own.as_ref().is_none_or(|(variable, nodes)| one.tells((*variable, nodes)))
    };
    let pairs = data.iter().filter(|one| tells(one, &ours));
    let pairs =
        pairs.flat_map(|one| linked.iter().filter(|other| tells(other, &theirs)).map(move |other| (one, other)));
    let pairs: Vec<_> = pairs.map(|(one, other)| (one, other, one.common_nodes(other, common))).collect();
    let tells_more = |of: &BTreeMap<(u32, u32), Nodes>, than: &BTreeMap<(u32, u32), Nodes>| {
        of != than && than.iter().all(|(variables, nodes)| of.get(variables).is_some_and(|own| nodes.is_subset(own)))
    };
    let mut sums = BTreeSet::new();
    for (one, other, nodes) in &pairs {
        if nodes.is_empty() && only.is_none() || pairs.iter().any(|(_, _, more)| tells_more(more, nodes)) {
            continue;
        }
        let in_data = nodes.iter().map(|((own, _), nodes)| (*own, nodes.clone())).collect();
        let in_linked = nodes.iter().map(|((_, own), nodes)| (*own, nodes.clone())).collect();
        let asked = |nodes, own| Asked { nodes, common, only: borrowed(own) };
        let own = one.margin(&asked(&in_data, &ours), cells);
        let linked = other.margin(&asked(&in_linked, &theirs), cells);
        let combinations: BTreeSet<&Combination> = own.keys().map(|(_, combination)| combination).collect();
        let everyone = vec![(vec![None], None)];
        for (nodes, node) in only.map_or(everyone, Selection::held_against) {
            for combination in &combinations {
                let of = |node: &Option<u32>| own.get(&(*node, (*combination).clone())).cloned().unwrap_or_default();
                let mut sum: Vec<u32> = nodes.iter().flat_map(of).collect();
                sum.sort_unstable();
                let Some(linked) = linked.get(&(node, (*combination).clone())).filter(|_| !sum.is_empty()) else {
                    continue;
                };
                let is_named = combination.1.iter().all(|(_, part)| !part.is_empty());
                sums.insert(LinkedSums { own: sum, linked: linked.clone(), is_named });
            }
        }
    }
    sums
}

fn borrowed(own: &Option<(u32, Nodes)>) -> Option<(u32, &Nodes)> {
    own.as_ref().map(|(variable, nodes)| (*variable, nodes))
}
