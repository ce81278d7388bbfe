//! The recodings of a variable: as it is, coarser by its hierarchies or by ranked joins, and its total only.

use outward_spec::{Hierarchy, Variable};

use crate::dimension::{MISSING_LABEL, TOTAL};
use crate::inner::Base;
use crate::table::{Dimension, Node};

/// The ways to show one variable, from as it is to its total only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recodings {
    /// The ways.
    pub ways: Vec<Way>,
}

/// One way to show a variable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Way {
    /// The dimension.
    pub dimension: Dimension,
    /// A short description: `level 1: 31-40`.
    pub name: String,
}

/// The ways to show a variable of a table: as it is, at each coarser level of its hierarchies, after each of its ranked
/// joins, and as its total only. A level is left out if it joins a pair but not a pair that is ranked higher.
pub fn recodings(base: &Base, variable: &Variable, hierarchies: &[Hierarchy], dimension: &Dimension) -> Recodings {
    let finest: Vec<&Node> = dimension.nodes.iter().filter(|node| node.finest && !node.total).collect();
    let level = finest.iter().map(|node| node.level).max().unwrap_or_default();
    let pairs = pairs(base, variable, &finest);
    let mut cuts: Vec<Cut> = Vec::new();
    for hierarchy in hierarchies {
        let levels = 1..hierarchy.levels().saturating_sub(1);
        cuts.extend(levels.filter_map(|level| at_level(base, hierarchy, level, &finest)));
    }
    cuts.retain(|cut| cut.keeps_order(&pairs));
    cuts.extend(joins(&pairs, &finest, level));
    cuts.sort_by_key(|cut| std::cmp::Reverse(cut.labels.len()));
    let mut known: Vec<Vec<usize>> = vec![(0..finest.len()).collect()];
    let from = if level == 0 { "as it is".to_owned() } else { format!("level {level}") };
    let mut ways = vec![Way { dimension: dimension.clone(), name: from }];
    for cut in cuts {
        if !known.contains(&cut.groups) {
            ways.push(Way { dimension: cut.dimension(dimension, &finest), name: cut.name() });
            known.push(cut.groups);
        }
    }
    if finest.len() > 1 && !known.contains(&vec![0; finest.len()]) {
        ways.push(Way { dimension: total_only(dimension), name: "total only".to_owned() });
    }
    Recodings { ways }
}

/// The dimension that shows only the total.
pub(super) fn total_only(dimension: &Dimension) -> Dimension {
    let finest = dimension.nodes.iter().filter(|node| node.finest);
    let mut values: Vec<u32> = finest.flat_map(|node| node.values.clone()).collect();
    values.sort_unstable();
    let above = dimension.nodes.iter().map(|node| node.level + 1).max().unwrap_or_default();
    let shown = dimension.nodes.iter().find(|node| node.total);
    let node = Node {
        label: shown.map_or_else(|| TOTAL.to_owned(), |total| total.label.clone()),
        level: shown.map_or(above, |total| total.level),
        finest: true,
        total: true,
        values,
        high: dimension.nodes.iter().any(|node| node.high),
    };
    Dimension { nodes: vec![node], sums: Vec::new(), ..dimension.clone() }
}

/// A coarser grouping of the finest nodes.
struct Cut {
    /// For each finest node its group, numbered in order of first occurrence.
    groups: Vec<usize>,
    labels: Vec<String>,
    /// The level of the hierarchy it comes from; `None` for joins.
    from: Option<usize>,
    level: usize,
}

/// The finest nodes grouped by their labels at a level. `None` if the level divides one of them.
fn at_level(base: &Base, hierarchy: &Hierarchy, level: usize, finest: &[&Node]) -> Option<Cut> {
    let mut cut = Cut { groups: Vec::new(), labels: Vec::new(), from: Some(level), level };
    for node in finest {
        let mut labels = node.values.iter().map(|code| {
            let value = base.values.get((*code as usize).checked_sub(1)?)?.as_str();
            let known = if value == MISSING_LABEL { None } else { hierarchy.recode(value, level) };
            Some(known.map_or_else(|| node.label.clone(), |label| label.into_owned()))
        });
        let label = labels.next()??;
        if labels.any(|other| other.as_ref() != Some(&label)) {
            return None;
        }
        let known = cut.labels.iter().position(|known| *known == label);
        cut.groups.push(known.unwrap_or(cut.labels.len()));
        if known.is_none() {
            cut.labels.push(label);
        }
    }
    Some(cut)
}

/// The ranked pairs, as finest nodes. A value the table does not show takes part in no pair.
fn pairs(base: &Base, variable: &Variable, finest: &[&Node]) -> Vec<[usize; 2]> {
    let place = |name: &String| {
        let code = (1u32..).zip(&base.values).find(|(_, value)| *value == name).map(|(code, _)| code);
        finest.iter().position(|node| node.label == *name || code.is_some_and(|code| node.values.contains(&code)))
    };
    variable.join.iter().filter_map(|[a, b]| Some([place(a)?, place(b)?])).collect()
}

/// The groupings after one join, two joins and so on. A grouping with a single group is the total.
fn joins(pairs: &[[usize; 2]], finest: &[&Node], level: usize) -> Vec<Cut> {
    let mut group: Vec<usize> = (0..finest.len()).collect();
    let mut cuts = Vec::new();
    for [a, b] in pairs {
        let (into, from) = (group[*a].min(group[*b]), group[*a].max(group[*b]));
        group.iter_mut().filter(|at| **at == from).for_each(|at| *at = into);
        let mut firsts = group.clone();
        firsts.sort_unstable();
        firsts.dedup();
        if firsts.len() > 1 {
            let members = |first: &usize| {
                let inside = (0..finest.len()).filter(|at| group[*at] == *first);
                inside.map(|at| finest[at].label.as_str()).collect::<Vec<&str>>()
            };
            let labels = firsts.iter().map(|first| either(&members(first))).collect();
            let groups = group.iter().filter_map(|at| firsts.binary_search(at).ok()).collect();
            cuts.push(Cut { groups, labels, from: None, level });
        }
    }
    cuts
}

/// One label for several: `Fatal, Serious or Slight`.
fn either(labels: &[&str]) -> String {
    match labels.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => String::new(),
    }
}

impl Cut {
    /// Whether no pair is joined without all pairs that are ranked higher.
    fn keeps_order(&self, pairs: &[[usize; 2]]) -> bool {
        pairs.iter().map(|[a, b]| self.groups[*a] == self.groups[*b]).is_sorted_by(|above, below| above >= below)
    }

    fn name(&self) -> String {
        const SHOWN: usize = 4;
        let labels: Vec<&str> = self.labels.iter().take(SHOWN).map(String::as_str).collect();
        let more = if self.labels.len() > SHOWN { " …" } else { "" };
        let how = self.from.map_or_else(|| "joined".to_owned(), |level| format!("level {level}"));
        format!("{how}: {}{more}", labels.join(", "))
    }

    /// The dimension with these groups as its finest nodes, and with the subtotals that still fit.
    fn dimension(&self, now: &Dimension, finest: &[&Node]) -> Dimension {
        let new = |label: &String| Node { label: label.clone(), level: self.level, finest: true, ..Node::default() };
        let mut groups: Vec<Node> = self.labels.iter().map(new).collect();
        for (node, group) in finest.iter().zip(&self.groups) {
            groups[*group].values.extend(&node.values);
            groups[*group].high |= node.high;
        }
        groups.iter_mut().for_each(|group| group.values.sort_unstable());
        let apart = |group: &Node, node: &Node| group.values.iter().all(|value| !node.values.contains(value));
        let fits = |node: &Node| {
            let whole = |group: &Node| (within(group, node) && group.values != node.values) || apart(group, node);
            node.total || groups.iter().all(whole)
        };
        let mut nodes: Vec<Node> = Vec::new();
        let mut next = finest.iter().zip(&self.groups);
        for node in &now.nodes {
            let shown = match node.finest && !node.total {
                true => next.next().map(|(_, group)| &groups[*group]),
                false => Some(node).filter(|node| fits(node)),
            };
            if let Some(shown) = shown
                && !nodes.contains(shown)
            {
                nodes.push(shown.clone());
            }
        }
        let sums = if now.several { Vec::new() } else { sums(&nodes) };
        Dimension { nodes, sums, ..now.clone() }
    }
}

fn within(part: &Node, whole: &Node) -> bool {
    part.values.iter().all(|value| whole.values.binary_search(value).is_ok())
}

/// The parts of each total and subtotal: the largest nodes inside it if these make it up, else the finest.
fn sums(nodes: &[Node]) -> Vec<(usize, Vec<usize>)> {
    let of = |total: usize| {
        let whole = &nodes[total];
        let inside = |at: &usize| *at != total && !nodes[*at].total && within(&nodes[*at], whole);
        let parts: Vec<usize> = (0..nodes.len()).filter(inside).collect();
        let size = |at: usize| nodes[at].values.len();
        let in_another =
            |at: usize| parts.iter().any(|other| size(*other) > size(at) && within(&nodes[at], &nodes[*other]));
        let largest: Vec<usize> = parts.iter().copied().filter(|at| !in_another(*at)).collect();
        match largest.iter().map(|at| size(*at)).sum::<usize>() == whole.values.len() {
            true => largest,
            false => parts.into_iter().filter(|at| nodes[*at].finest).collect(),
        }
    };
    (0..nodes.len()).filter(|at| !nodes[*at].finest).map(|total| (total, of(total))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use std::path::Path;

    use outward_spec::HierarchySpec;

    use super::*;
    use crate::dimension::Shown;

    fn severity(join: &[[&str; 2]], hierarchies: &[Hierarchy]) -> Recodings {
        let values = ["Fatal", "Serious", "Slight"].map(str::to_owned).to_vec();
        let base = Base { variable: "severity".into(), values, sets: None, ..Base::default() };
        let dimension = Shown { label: "severity".into(), total: true, ..Shown::default() }.dimension(&base).unwrap();
        let join = join.iter().map(|pair| pair.map(str::to_owned)).collect();
        recodings(&base, &Variable { join, ..Variable::named("severity") }, hierarchies, &dimension)
    }

    fn labels(way: &Way) -> Vec<&str> {
        way.dimension.nodes.iter().map(|node| node.label.as_str()).collect()
    }

    #[test]
    fn fatal_is_joined_with_serious_before_serious_with_slight() {
        let ways = severity(&[["Fatal", "Serious"], ["Serious", "Slight"]], &[]).ways;
        assert_eq!(ways.len(), 3);
        assert_eq!(labels(&ways[1]), ["Fatal or Serious", "Slight", "Total"]);
        assert_eq!(ways[1].dimension.sums, [(2, vec![0, 1])]);
        assert_eq!(labels(&ways[2]), ["Total"]);
    }

    #[test]
    fn a_level_that_joins_out_of_order_is_left_out() {
        let spec: HierarchySpec =
            toml::from_str("tree = { Fatal = ['Fatal'], 'Serious or slight' = ['Serious', 'Slight'] }").unwrap();
        let hierarchy = [Hierarchy::compile(&spec, Path::new(""), "severity").unwrap()];
        let unranked = severity(&[], &hierarchy).ways;
        assert!(unranked.iter().any(|way| labels(way) == ["Fatal", "Serious or slight", "Total"]));
        let ranked = severity(&[["Fatal", "Serious"], ["Serious", "Slight"]], &hierarchy).ways;
        assert!(ranked.iter().all(|way| !labels(way).contains(&"Serious or slight")));
    }

    #[test]
    fn subtotals_stay_where_they_are_unions_of_the_new_categories() {
        let values: Vec<String> = (0..8).map(|age| age.to_string()).collect();
        let base = Base { variable: "age".into(), values, sets: None, ..Base::default() };
        let spec = HierarchySpec::Widths { widths: vec![2, 4], bottom: None, top: None };
        let ages = Hierarchy::compile(&spec, Path::new(""), "age").unwrap();
        let shown = Shown { label: "age".into(), total: true, hierarchy: Some(&ages), ..Shown::default() };
        let dimension = shown.dimension(&base).unwrap();
        let ways = recodings(&base, &Variable::named("age"), std::slice::from_ref(&ages), &dimension).ways;
        assert_eq!(labels(&ways[1]), ["0-3", "0-1", "2-3", "4-7", "4-5", "6-7", "Total"]);
        assert_eq!(ways[1].dimension.sums, [(0, vec![1, 2]), (3, vec![4, 5]), (6, vec![0, 3])]);
        assert_eq!(labels(&ways[2]), ["0-3", "4-7", "Total"]);
        assert_eq!(labels(&ways[3]), ["Total"]);
    }
}
