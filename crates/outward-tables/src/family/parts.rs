//! Parts of a variable: values that no table distinguishes or, with several answers, the sets of nodes that a record
//! can be in (M1).

use std::collections::{BTreeMap, BTreeSet};

use super::places::{KnownVariable, Paired};

/// Most sets of nodes into which a variable with several answers is split. With more it is counted node by node (M6).
const MAX_NODE_SETS: usize = 1_000;

/// Which records are in a node.
pub(super) enum Node {
    /// Records with any of these values.
    Any(Vec<u32>),
    /// Records with both values of any of these pairs.
    Pairs(Vec<[u32; 2]>),
}

impl Node {
    fn has(&self, values: &[u32]) -> bool {
        match self {
            Self::Any(set) => meets(values, set),
            Self::Pairs(pairs) => pairs.iter().any(|pair| pair.iter().all(|value| values.contains(value))),
        }
    }

    fn tells_apart(&self, value: u32) -> bool {
        matches!(self, Self::Pairs(pairs) if pairs.iter().flatten().any(|own| *own == value))
    }
}

/// What splits a variable.
#[derive(Default)]
pub(super) struct Apart<'a> {
    /// The nodes that tables show, by number.
    pub(super) nodes: BTreeMap<u32, Node>,
    /// The columns that conditions read, if each has one of several answers.
    pub(super) columns: BTreeSet<usize>,
    /// Pairs, if a table lists all that occur.
    pub(super) listed: Option<&'a Paired>,
}

/// The parts of a variable, by number.
pub(super) struct Parts {
    pub(super) count: usize,
    columns: Vec<usize>,
    /// For each part the value in each of these columns (0 for none), and the nodes that contain it, by position.
    /// Ascending.
    kinds: Vec<(Vec<u32>, Vec<u32>)>,
    /// For each node the parts it consists of, ascending.
    nodes: BTreeMap<u32, (Node, Vec<u32>)>,
    /// For each value the nodes that contain it, by position, if a record has one value.
    of_value: BTreeMap<u32, Vec<u32>>,
    /// The values of each part, if a record has one value.
    values: Vec<Vec<u32>>,
}

impl Parts {
    /// The parts of a variable; `None` if there are too many.
    pub(super) fn new(known: &KnownVariable, apart: Apart) -> Option<Self> {
        let mut of_value: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        if !known.several {
            of_value = known.values.iter().map(|value| (*value, Vec::new())).collect();
            for (at, node) in (0..).zip(apart.nodes.values()) {
                let Node::Any(values) = node else { continue };
                values.iter().for_each(|value| of_value.entry(*value).or_default().push(at));
            }
        }
        let met = |values: &[u32]| {
            let nodes = (0..).zip(apart.nodes.values()).filter(|(_, node)| node.has(values));
            nodes.map(|(at, _)| at).collect::<Vec<u32>>()
        };
        let kinds: BTreeSet<(Vec<u32>, Vec<u32>)> = match known.several {
            true => together(known, &apart)?.into_iter().map(|(held, values)| (held, met(&values))).collect(),
            false => of_value.values().map(|nodes| (Vec::new(), nodes.clone())).collect(),
        };
        let mut made_of: Vec<Vec<u32>> = vec![Vec::new(); apart.nodes.len()];
        for (part, (_, nodes)) in (0..).zip(&kinds) {
            nodes.iter().for_each(|at| made_of[*at as usize].push(part));
        }
        let nodes = apart.nodes.into_iter().zip(made_of).map(|((number, node), parts)| (number, (node, parts)));
        let (nodes, columns) = (nodes.collect(), apart.columns.into_iter().collect());
        let kinds: Vec<(Vec<u32>, Vec<u32>)> = kinds.into_iter().collect();
        let mut values = vec![Vec::new(); kinds.len()];
        for (value, nodes) in &of_value {
            if let Ok(part) = kinds.binary_search_by(|(_, own)| own.cmp(nodes)) {
                values[part].push(*value);
            }
        }
        Some(Self { count: kinds.len(), columns, kinds, nodes, of_value, values })
    }

    /// The part of a record that has these values, and `held` in each column.
    pub(super) fn part_of(&self, values: &[u32], held: impl Fn(usize) -> Option<u32>) -> Option<u32> {
        let held = self.columns.iter().map(|column| held(*column)).collect::<Option<Vec<u32>>>()?;
        let nodes: Vec<u32> = match values {
            [value] if !self.of_value.is_empty() => self.of_value.get(value)?.clone(),
            _ => (0..).zip(self.nodes.values()).filter(|(_, (node, _))| node.has(values)).map(|(at, _)| at).collect(),
        };
        self.kinds.binary_search(&(held, nodes)).ok().map(|part| part as u32)
    }

    /// The value of a part in a column.
    pub(super) fn held(&self, part: u32, column: usize) -> Option<u32> {
        let at = self.columns.iter().position(|own| *own == column)?;
        Some(self.kinds[part as usize].0[at])
    }

    /// The values of a part in all columns that conditions read.
    pub(super) fn all_held(&self, part: usize) -> &[u32] {
        &self.kinds[part].0
    }

    /// The values in a part, if a record has one value.
    pub(super) fn values_of(&self, part: u32) -> impl Iterator<Item = u32> {
        self.values.get(part as usize).into_iter().flatten().copied()
    }

    /// The parts a node consists of.
    pub(super) fn node(&self, number: u32) -> &[u32] {
        self.nodes.get(&number).map_or(&[], |(_, parts)| parts.as_slice())
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.nodes.keys().copied()
    }
}

/// Whether any of these values is in a set.
pub(super) fn meets(values: &[u32], set: &[u32]) -> bool {
    values.iter().any(|value| set.binary_search(value).is_ok())
}

/// What a record can have in the columns that conditions read, together with the answers it can have: none, one, two
/// and so on. Answers that nothing distinguishes are represented by one.
fn together(known: &KnownVariable, apart: &Apart) -> Option<BTreeSet<(Vec<u32>, Vec<u32>)>> {
    let among = |value: u32| apart.listed.is_some_and(|listed| listed.among.iter().any(|among| among.contains(&value)));
    let mut first: BTreeMap<(Vec<bool>, Option<u32>), u32> = BTreeMap::new();
    let mut like: BTreeMap<u32, u32> = BTreeMap::new();
    for value in &known.values {
        let own = apart.nodes.values().any(|node| node.tells_apart(*value)) || among(*value);
        let told = apart.nodes.values().map(|node| node.has(&[*value])).collect();
        like.insert(*value, *first.entry((told, own.then_some(*value))).or_insert(*value));
    }
    let with = |values: &Vec<u32>, value: u32| {
        let mut values = values.clone();
        if let Err(at) = values.binary_search(&value) {
            values.insert(at, value);
        }
        values
    };
    let mut all = BTreeSet::from([(Vec::new(), Vec::new())]);
    for _ in &apart.columns {
        let mut next = BTreeSet::new();
        for (held, values) in &all {
            next.insert(([&held[..], &[0]].concat(), values.clone()));
            next.extend(like.iter().map(|(value, like)| ([&held[..], &[*value]].concat(), with(values, *like))));
        }
        all = next;
        if all.len() > MAX_NODE_SETS {
            return None;
        }
    }
    let answers: BTreeSet<u32> = like.values().copied().collect();
    for _ in apart.columns.len()..known.most.unwrap_or(answers.len()) {
        let before = all.len();
        for (held, values) in all.clone() {
            all.extend(answers.iter().map(|value| (held.clone(), with(&values, *value))));
            if all.len() > MAX_NODE_SETS {
                return None;
            }
        }
        if all.len() == before {
            break;
        }
    }
    if let Some(listed) = apart.listed {
        all.retain(|(_, values)| listed.can_be_together(values));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parts(several: bool, most: Option<usize>, nodes: &[Vec<u32>]) -> Parts {
        let known = KnownVariable { values: vec![1, 2, 3, 4], several, most, ..KnownVariable::default() };
        let nodes = (0..).zip(nodes).map(|(at, set)| (at, Node::Any(set.clone()))).collect();
        Parts::new(&known, Apart { nodes, ..Apart::default() }).unwrap()
    }

    #[test]
    fn values_that_no_table_tells_apart_are_one_part() {
        // 1 and 2 are together in both nodes, 3 is in one of them, 4 in none.
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

    #[test]
    fn pairs_and_what_the_first_column_holds_tell_more_of_answers_apart() {
        let known = KnownVariable { values: vec![1, 2, 3], several: true, most: Some(2), ..KnownVariable::default() };
        let node = || BTreeMap::from([(0, Node::Any(vec![1, 2, 3])), (1, Node::Pairs(vec![[1, 2]]))]);
        // No answer, any answers but both 1 and 2, and both of these.
        let plain = Parts::new(&known, Apart { nodes: node(), ..Apart::default() }).unwrap();
        assert_eq!((plain.count, plain.node(0).len(), plain.node(1).len()), (3, 2, 1));
        // Nothing in the first column (with or without another answer), 1 or 2 there (with or without the other), 3.
        let first = Apart { nodes: node(), columns: BTreeSet::from([0]), ..Apart::default() };
        let first = Parts::new(&known, first).unwrap();
        assert_eq!(first.count, 7);
        let part = first.part_of(&[1, 2], |_| Some(2)).unwrap();
        assert_eq!((first.held(part, 0), first.node(1).contains(&part)), (Some(2), true));
        // If all pairs are listed and 1 with 2 is the only one, no record has 1 with 3.
        let listed =
            Paired { halves: BTreeMap::from([(9, [1, 2])]), among: BTreeSet::from([BTreeSet::from([1, 2, 3])]) };
        assert!(listed.can_be_together(&[1, 2]) && !listed.can_be_together(&[1, 3]));
    }
}
