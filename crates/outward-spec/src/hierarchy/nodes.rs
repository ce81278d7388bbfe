//! A hierarchy whose values are listed: each value and each label has one parent.

use std::collections::HashMap;

use outward_error::{Error, Result};

use super::ANYTHING;

/// The nodes of each level. A value leads to its label at level 1, that to its label at level 2, and so on. So what is kept
/// nests by construction. The maps are only looked up in, never walked.
#[derive(Debug, Clone)]
pub(super) struct ListedNodes {
    values: HashMap<String, usize>,
    /// `levels[i]`: for each node of level `i`, the parent's place in level `i + 1`, and its own label.
    levels: Vec<Vec<LabelNode>>,
}

#[derive(Debug, Clone)]
struct LabelNode {
    label: String,
    parent: usize,
    /// The line of the file it first stood in, where there is a file.
    line: Option<u64>,
}

impl ListedNodes {
    /// Levels between the value and `*`.
    pub(super) fn levels(&self) -> usize {
        self.levels.len() - 1
    }

    /// The first level, from 1, that has one label for all values.
    pub(super) fn first_single_label(&self) -> Option<usize> {
        (1..self.levels.len()).find(|level| self.levels[*level].len() == 1)
    }

    pub(super) fn leaves(&self) -> usize {
        self.values.len()
    }

    /// The values in their order.
    pub(super) fn values(&self) -> Vec<&str> {
        let mut values: Vec<&str> = self.values.keys().map(String::as_str).collect();
        values.sort_unstable();
        values
    }

    /// The value that came first.
    pub(super) fn first_value(&self) -> Option<&str> {
        Some(&self.levels.first()?.first()?.label)
    }

    /// Whether the first row shares no label with another row and has no label twice. Each of its nodes is the first of
    /// its level.
    pub(super) fn first_row_stands_apart(&self) -> bool {
        let alone = |pair: &[Vec<LabelNode>]| match (pair[0].first(), pair[1].first()) {
            (Some(own), Some(parent)) => {
                own.label != parent.label && pair[0].iter().filter(|node| node.parent == 0).count() == 1
            }
            _ => false,
        };
        self.levels.len() > 1 && self.leaves() > 1 && self.levels.windows(2).all(alone)
    }

    pub(super) fn has_label(&self, label: &str, level: usize) -> bool {
        self.levels.get(level).is_some_and(|nodes| nodes.iter().any(|node| node.label == label))
    }

    pub(super) fn covers(&self, value: &str) -> bool {
        self.values.contains_key(value)
    }

    pub(super) fn label(&self, value: &str, level: usize) -> Option<&str> {
        let mut node = *self.values.get(value)?;
        for nodes in self.levels.get(..level)? {
            node = nodes.get(node)?.parent;
        }
        Some(&self.levels.get(level)?.get(node)?.label)
    }
}

/// Nodes from rows: a value, then its labels from finer to coarser.
#[derive(Default)]
pub(super) struct Builder {
    levels: Vec<Vec<LabelNode>>,
    places: Vec<HashMap<String, usize>>,
}

impl Builder {
    /// A hierarchy of rows with this many columns.
    pub(super) fn new(columns: usize) -> Self {
        Self { levels: vec![Vec::new(); columns], places: vec![HashMap::new(); columns] }
    }

    /// Add a row. A value or label that already has another parent is a fault.
    pub(super) fn add<S: AsRef<str>>(&mut self, row: &[S], line: Option<u64>) -> Result<()> {
        let mut parent = 0;
        for level in (0..self.levels.len()).rev() {
            let label = row[level].as_ref();
            parent = match self.places[level].get(label) {
                None => {
                    let place = self.levels[level].len();
                    self.levels[level].push(LabelNode { label: label.to_owned(), parent, line });
                    self.places[level].insert(label.to_owned(), place);
                    place
                }
                Some(&place) if self.levels[level][place].parent == parent => place,
                Some(&place) => return Err(self.two_parents(level, place, parent, line)),
            };
        }
        Ok(())
    }

    /// The hierarchy. A last column that is `*` throughout is the last level; otherwise `*` comes after it.
    pub(super) fn finish(mut self) -> ListedNodes {
        if self.levels.len() > 1 && self.levels.last().is_some_and(|last| last.iter().all(|n| n.label == ANYTHING)) {
            self.levels.pop();
        }
        let values = self.places.into_iter().next().unwrap_or_default();
        ListedNodes { values, levels: self.levels }
    }

    fn two_parents(&self, level: usize, place: usize, parent: usize, line: Option<u64>) -> Error {
        let node = &self.levels[level][place];
        let at = |line: Option<u64>| line.map(|line| format!(" (line {line})")).unwrap_or_default();
        let label = |place: usize| self.levels[level + 1].get(place).map_or(ANYTHING, |node| &node.label);
        let what = format!(
            "`{}` at level {level} belongs to `{}`{} and to `{}`{} at level {}",
            node.label,
            label(node.parent),
            at(node.line),
            label(parent),
            at(line),
            level + 1
        );
        Error::input(what).help("give it one parent, or give the two different names").into()
    }
}
