//! Makes a dimension of a table from a variable, its values and its hierarchies.

use std::borrow::Cow;

use hashbrown::HashMap;
use outward_spec::{ANYTHING, Error, Hierarchy, Result};

use crate::inner::Base;
use crate::source::ValueSource;
use crate::table::{Dimension, Kind, Node};

/// What a total is called.
pub const TOTAL: &str = "Total";

/// What a missing value is called.
pub const MISSING_LABEL: &str = "Missing";

/// How a variable is shown in a table.
#[derive(Debug, Clone, Default)]
pub struct Shown<'a> {
    /// Its label for readers.
    pub label: String,
    /// Its kind in the policy.
    pub kind: Kind,
    /// Its main hierarchy.
    pub hierarchy: Option<&'a Hierarchy>,
    /// Its other hierarchies, all of whose levels are subtotals.
    pub more: &'a [Hierarchy],
    /// The levels of the main hierarchy that are shown; all if empty.
    pub levels: &'a [usize],
    /// The values at the finest level that are shown; all if absent.
    pub only: Option<&'a [String]>,
    /// Whether the total is shown.
    pub total: bool,
    /// The codes of the values that are rated high in visibility and in sensitivity.
    pub high: &'a [u32],
}

impl Shown<'_> {
    /// The dimension of a table that shows the variable like this.
    ///
    /// # Errors
    /// If a hierarchy lacks a value, or a value that is to be shown does not exist.
    pub fn dimension(&self, base: &Base) -> Result<Dimension> {
        let levels = self.levels();
        let finest = levels.first().copied().unwrap_or_default();
        let mut leaves = self.nodes_at(base, self.hierarchy, finest)?;
        if let Some(only) = self.only {
            leaves = self.keep(base, leaves, only)?;
        }
        leaves.iter_mut().for_each(|leaf| leaf.finest = true);
        let shown: Vec<u32> = leaves.iter().flat_map(|leaf| leaf.values.clone()).collect();
        let mut is_shown = vec![false; base.values.len() + 1];
        shown.iter().for_each(|value| is_shown[*value as usize] = true);
        let mut made = Nodes { nodes: leaves, sums: Vec::new(), main: 0 };
        let first: Vec<usize> = (0..made.nodes.len()).collect();
        let mut tops = vec![first.clone()];
        let main = levels.get(1..).unwrap_or_default().to_vec();
        let others = self.more.iter().map(|more| (Some(more), (1..more.levels().saturating_sub(1)).collect()));
        for (number, (hierarchy, levels)) in std::iter::once((self.hierarchy, main)).chain(others).enumerate() {
            let mut below = first.clone();
            for level in levels {
                let coarser = self.nodes_at(base, hierarchy, level)?;
                below = made.add(coarser, &below, &is_shown).map_err(|_| self.not_nested(base))?;
            }
            match number {
                0 => {
                    tops[0] = below;
                    made.main = made.sums.len();
                }
                _ => tops.push(below),
            }
        }
        if self.total {
            let mut values = shown.clone();
            values.sort_unstable();
            let level = self.hierarchy.map_or(1, |hierarchy| hierarchy.levels() - 1);
            made.nodes.push(Node { label: TOTAL.to_owned(), level, total: true, values, ..Node::default() });
            let total = made.nodes.len() - 1;
            made.sums.extend(tops.into_iter().map(|parts| (total, parts)));
        }
        let mut is_high = vec![false; base.values.len() + 1];
        self.high.iter().for_each(|value| is_high[*value as usize] = true);
        for node in &mut made.nodes {
            node.high = node.values.iter().any(|value| is_high[*value as usize]);
        }
        let several = base.sets.is_some();
        let (nodes, sums) = made.in_order(self.only.is_some());
        Ok(Dimension {
            variable: base.variable.clone(),
            label: self.label.clone(),
            kind: self.kind,
            nodes,
            sums: if several { Vec::new() } else { sums },
            several,
            size: base.values.len(),
            source: ValueSource::default(),
        })
    }

    /// The levels that are shown, ascending.
    fn levels(&self) -> Vec<usize> {
        let mut levels = match (self.levels, self.hierarchy) {
            ([], Some(hierarchy)) => (0..hierarchy.levels() - 1).collect(),
            ([], None) => vec![0],
            (levels, _) => levels.to_vec(),
        };
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// The nodes of a level, in the order of the values.
    fn nodes_at(&self, base: &Base, hierarchy: Option<&Hierarchy>, level: usize) -> Result<Vec<Node>> {
        let hierarchy = hierarchy.filter(|_| level > 0);
        let mut nodes: Vec<Node> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut missed = 0usize;
        for (value, code) in base.values.iter().zip(1..) {
            let label = match hierarchy {
                None => Some(Cow::Borrowed(value.as_str())),
                Some(hierarchy) => label_at(value, hierarchy, level),
            };
            let Some(label) = label else {
                missed += 1;
                continue;
            };
            if hierarchy.is_some() && label == TOTAL {
                return Err(Error::input(format!("a group is called `{TOTAL}`, as totals are"))
                    .variable(&base.variable)
                    .help("give the group another name in the hierarchy")
                    .into());
            }
            let label = if label == ANYTHING { TOTAL.to_owned() } else { label.into_owned() };
            let at = *known.entry(label).or_insert_with_key(|label| {
                nodes.push(Node { label: label.clone(), level, ..Node::default() });
                nodes.len() - 1
            });
            nodes[at].values.push(code);
        }
        match missed {
            0 => Ok(nodes),
            _ => Err(Error::input(format!("the hierarchy has no place for {missed} of the values"))
                .variable(&base.variable)
                .help("add them to the hierarchy")
                .into()),
        }
    }

    fn keep(&self, base: &Base, leaves: Vec<Node>, only: &[String]) -> Result<Vec<Node>> {
        let known: HashMap<&str, &Node> = leaves.iter().map(|leaf| (leaf.label.as_str(), leaf)).collect();
        // Values are in the order in which the spec names them.
        let kept = only.iter().map(|wanted| {
            known.get(wanted.as_str()).map(|leaf| (*leaf).clone()).ok_or_else(|| {
                let labels = leaves.iter().map(|leaf| leaf.label.as_str());
                Error::input(format!("there is no `{wanted}` to show"))
                    .variable(&base.variable)
                    .field("only")
                    .help(outward_spec::suggest(wanted, labels, "values"))
                    .into()
            })
        });
        kept.collect()
    }

    fn not_nested(&self, base: &Base) -> Error {
        Error::input("a level that is shown does not keep the values of a finer one together")
            .variable(&base.variable)
            .help("show the values themselves (level 0) where a variable has several hierarchies")
            .into()
    }
}

/// The label of a value at a level. A missing value is not grouped unless the hierarchy lists it by name, as it has no
/// first letters and no band.
pub(crate) fn label_at<'a>(value: &'a str, hierarchy: &'a Hierarchy, level: usize) -> Option<Cow<'a, str>> {
    match value == MISSING_LABEL {
        true => {
            let listed = hierarchy.leaves().and_then(|_| hierarchy.recode(value, level));
            Some(listed.unwrap_or(Cow::Borrowed(value)))
        }
        false => hierarchy.recode(value, level),
    }
}

/// Nodes and their sums while a dimension is made.
struct Nodes {
    nodes: Vec<Node>,
    sums: Vec<(usize, Vec<usize>)>,
    /// How many of the sums are of the main hierarchy; they come first.
    main: usize,
}

impl Nodes {
    /// Adds a coarser level above existing nodes. Values that are not shown are left out.
    fn add(&mut self, coarser: Vec<Node>, below: &[usize], shown: &[bool]) -> std::result::Result<Vec<usize>, ()> {
        let mut added = Vec::new();
        // The node below that holds each value.
        let mut holder = vec![usize::MAX; shown.len()];
        for at in below {
            self.nodes[*at].values.iter().for_each(|value| holder[*value as usize] = *at);
        }
        for mut node in coarser {
            node.values.retain(|value| shown[*value as usize]);
            if node.values.is_empty() {
                continue;
            }
            let mut parts: Vec<usize> = node.values.iter().map(|value| holder[*value as usize]).collect();
            parts.sort_unstable();
            parts.dedup();
            if parts.contains(&usize::MAX) {
                return Err(());
            }
            if parts.iter().map(|at| self.nodes[*at].values.len()).sum::<usize>() != node.values.len() {
                return Err(());
            }
            // A group of one value with the label of that value is that value.
            if let [only] = parts[..]
                && self.nodes[only].label == node.label
            {
                added.push(only);
                continue;
            }
            node.values.sort_unstable();
            self.nodes.push(node);
            let at = self.nodes.len() - 1;
            self.sums.push((at, parts));
            added.push(at);
        }
        Ok(added)
    }

    /// The nodes in the order in which they are shown. A subtotal of the main hierarchy comes before the values it adds
    /// up. So does a subtotal of another hierarchy, if its values are then adjacent. Other subtotals come after all
    /// values, and the total is last. Values named one by one keep the order in which they are named.
    fn in_order(self, named: bool) -> (Vec<Node>, Vec<(usize, Vec<usize>)>) {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        if !named {
            let ranks = self.ranks();
            order.sort_by_cached_key(|at| {
                let node = &self.nodes[*at];
                let mut own: Vec<usize> = node.values.iter().map(|value| ranks[*value as usize]).collect();
                own.sort_unstable();
                let neighbours = own.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                (node.total, !neighbours, own.first().copied(), std::cmp::Reverse(own.len()), node.finest)
            });
        }
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let moved = |list: &Vec<usize>| list.iter().map(|at| place[*at]).collect();
        let sums = self.sums.iter().map(|(total, parts)| (place[*total], moved(parts))).collect();
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        (order.iter().filter_map(|at| nodes[*at].take()).collect(), sums)
    }

    /// For each value its position. Values of one group of the main hierarchy are adjacent.
    fn ranks(&self) -> Vec<usize> {
        let mut group: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for (total, parts) in &self.sums[..self.main] {
            parts.iter().for_each(|part| group[*part] = Some(*total));
        }
        let path = |leaf: usize| -> Vec<u32> {
            let up = std::iter::successors(Some(leaf), |at| group[*at]);
            let mut path: Vec<u32> = up.filter_map(|at| self.nodes[at].values.first().copied()).collect();
            path.reverse();
            path
        };
        let mut leaves: Vec<usize> = (0..self.nodes.len()).filter(|at| self.nodes[*at].finest).collect();
        leaves.sort_by_cached_key(|leaf| path(*leaf));
        let values: Vec<u32> = leaves.iter().flat_map(|leaf| self.nodes[*leaf].values.iter().copied()).collect();
        let mut ranks = vec![0; values.iter().max().map_or(0, |most| *most as usize + 1)];
        values.iter().enumerate().for_each(|(rank, value)| ranks[*value as usize] = rank);
        ranks
    }
}
