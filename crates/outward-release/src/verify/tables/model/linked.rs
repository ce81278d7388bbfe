//! What linked files tell of each other by atoms (M7): how many records there are of every combination of parts that a block of `[data]` and one
//! of a linked file both tell apart, whether a table shows that combination or not.

use std::collections::{BTreeMap, BTreeSet};

use super::atoms::{Atoms, Axis, Block, Shown};
use super::parts::{Nodes, Part};
use crate::verify::tables::places::{Cells, Coordinates};

/// The variables that tables of `[data]` and of linked files both show: by the number of each the number it has in `[data]`.
pub(in crate::verify::tables) type CommonVariables = BTreeMap<u32, u32>;

/// A combination of parts, by the numbers of variables in `[data]`: the nodes of variables that are not listed, and the part of each other one, as
/// the nodes it is in.
type Combination = (Coordinates, Vec<(u32, Part)>);

/// For each combination the cells and atoms that add up to its records.
type Margin = BTreeMap<Combination, Vec<u32>>;

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

    /// The records of each combination of common parts.
    fn margin(&self, nodes: &BTreeMap<u32, Nodes>, common: &CommonVariables, cells: &Cells) -> Margin {
        let asked = Asked { nodes, common };
        let mut margin = asked.published(&self.block, &self.shown);
        let Some(atoms) = &self.atoms else { return margin };
        let (mut sums, mut unknown) = (Margin::new(), BTreeSet::new());
        for rest in atoms.keys().map(|(rest, _)| rest).collect::<BTreeSet<&Coordinates>>() {
            let Some(own) = asked.rest(rest) else { continue };
            let all = 0..self.block.combinations().unwrap_or_default();
            for combination in all.filter(|combination| self.block.can_be(rest, *combination, cells)) {
                let part = |(at, axis): (usize, &Axis)| asked.part(axis, &axis.parts[self.block.part(combination, at)]);
                let mut parts: Vec<(u32, Part)> = self.block.axes.iter().enumerate().filter_map(part).collect();
                parts.sort_unstable();
                let key = (own.clone(), parts);
                match atoms.get(&(rest.clone(), combination)) {
                    Some(atom) => sums.entry(key).or_default().push(*atom),
                    None => _ = unknown.insert(key),
                }
            }
        }
        for (key, sum) in sums.into_iter().filter(|(key, _)| !unknown.contains(key)) {
            margin.entry(key).or_insert(sum);
        }
        margin
    }
}

/// Whether tables show all combinations of the parts by which some nodes tell a block apart.
pub(super) fn shows_all(block: &Block, shown: &[Shown], nodes: &BTreeMap<u32, Nodes>) -> bool {
    let own = |(variable, own): (&u32, &Nodes)| {
        Some((*variable, own.intersection(nodes.get(variable)?).copied().collect::<Nodes>()))
    };
    let nodes: BTreeMap<u32, Nodes> = block.nodes.iter().filter_map(own).filter(|(_, own)| !own.is_empty()).collect();
    let common = nodes.keys().map(|variable| (*variable, *variable)).collect();
    let asked = Asked { nodes: &nodes, common: &common };
    let count = |axis: &Axis| {
        let parts: BTreeSet<(u32, Part)> = axis.parts.iter().filter_map(|part| asked.part(axis, part)).collect();
        parts.len().max(1)
    };
    let all = block.axes.iter().map(count).try_fold(1usize, usize::checked_mul);
    let published = asked.published(block, shown);
    nodes.is_empty() || all == Some(published.keys().filter(|(rest, _)| rest.is_empty()).count())
}

/// The combinations that are asked for.
struct Asked<'a> {
    /// For each common variable of a block the nodes by which it is told apart.
    nodes: &'a BTreeMap<u32, Nodes>,
    common: &'a CommonVariables,
}

impl Asked<'_> {
    /// What a cell says of variables that are not listed; none where it says more than is asked.
    fn rest(&self, rest: &Coordinates) -> Option<Coordinates> {
        let own = |(variable, node): &(u32, u32)| {
            let is_asked = self.nodes.get(variable)?.contains(node);
            is_asked.then(|| (self.common[variable], *node))
        };
        let mut own = rest.iter().map(own).collect::<Option<Coordinates>>()?;
        own.sort_unstable();
        Some(own)
    }

    /// The common part that a part of a variable lies in.
    fn part(&self, axis: &Axis, part: &Part) -> Option<(u32, Part)> {
        let nodes = self.nodes.get(&axis.variable)?;
        Some((self.common[&axis.variable], part.intersection(nodes).copied().collect()))
    }

    /// The combinations that are cells.
    fn published(&self, block: &Block, shown: &[Shown]) -> Margin {
        let mut margin = Margin::new();
        for own in shown {
            let Some(rest) = self.rest(&own.rest) else { continue };
            let mut parts = Vec::new();
            // A cell that has only some of the parts that are one to both units is finer than what they share.
            let is_one = block.axes.iter().zip(&own.parts).all(|(axis, held)| {
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
                margin.entry((rest, parts)).or_insert_with(|| vec![own.cell]);
            }
        }
        margin
    }
}

/// The records of every combination of common parts in blocks of `[data]` and of a linked file.
pub(in crate::verify::tables) fn linked_sums(
    data: &[BlockAtoms],
    linked: &[BlockAtoms],
    common: &CommonVariables,
    cells: &Cells,
) -> BTreeSet<LinkedSums> {
    let pairs = data.iter().flat_map(|one| linked.iter().map(move |other| (one, other)));
    let pairs: Vec<_> = pairs.map(|(one, other)| (one, other, one.common_nodes(other, common))).collect();
    let tells_more = |of: &BTreeMap<(u32, u32), Nodes>, than: &BTreeMap<(u32, u32), Nodes>| {
        of != than && than.iter().all(|(variables, nodes)| of.get(variables).is_some_and(|own| nodes.is_subset(own)))
    };
    let mut sums = BTreeSet::new();
    for (one, other, nodes) in &pairs {
        if nodes.is_empty() || pairs.iter().any(|(_, _, more)| tells_more(more, nodes)) {
            continue;
        }
        let ours = nodes.iter().map(|((own, _), nodes)| (*own, nodes.clone())).collect();
        let theirs = nodes.iter().map(|((_, own), nodes)| (*own, nodes.clone())).collect();
        let mut theirs = other.margin(&theirs, common, cells);
        for (combination, own) in one.margin(&ours, common, cells) {
            let is_named = combination.1.iter().all(|(_, part)| !part.is_empty());
            sums.extend(theirs.remove(&combination).map(|linked| LinkedSums { own, linked, is_named }));
        }
    }
    sums
}
