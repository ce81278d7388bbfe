//! The lines of a spec that make a redesign, to be pasted in place of the table.
//!
//! A level of the variable's own hierarchy becomes a `levels` line. Other changes (joined values, a level of another
//! hierarchy) need a new variable that reads the same columns, so that other tables stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::{Hierarchy, HierarchySpec, Role, Spec, Table as Wanted, Tree, Variable};

use super::Redesign;
use crate::dimension::MISSING_LABEL;
use crate::inner::Base;
use crate::make::CountedTable;
use crate::table::{Dimension, Node};

/// Most values of groups that are written as lines. With more, a hierarchy file is better.
const MAX_VALUES_IN_LINES: usize = 200;

/// The lines that make a redesign: new `[[variables]]` if it needs any, then the new `[[tables]]`. `None` if a spec
/// cannot express the redesign.
pub fn lines(spec: &Spec, made: &CountedTable, redesign: &Redesign) -> Option<Vec<String>> {
    let wanted = spec.tables.iter().find(|wanted| wanted.name == made.table.name)?;
    let mut recast = Recast { spec, wanted: wanted.clone(), top: wanted.top.is_some(), variables: Vec::new() };
    let now = made.table.dimensions.iter().zip(&redesign.dimensions).zip(&made.inner.bases);
    for (name, ((now, new), base)) in wanted.variables.iter().zip(now) {
        if now != new {
            recast.change(name, new, base)?;
        }
    }
    let mut lines: Vec<String> = Vec::new();
    let plain = format!("role = \"{}\"", Role::default().name());
    for variable in &recast.variables {
        lines.push("[[variables]]".to_owned());
        lines.extend(fields(variable, &["name", "label", "role"])?.into_iter().filter(|line| *line != plain));
    }
    lines.push("[[tables]]".to_owned());
    let table = fields(&recast.wanted, &["name", "title", "variables"])?;
    // Cells named one by one are cells of the old table.
    let names_cells = |line: &String| ["must_show = ", "already_hidden = "].iter().any(|name| line.starts_with(name));
    if recast.wanted.variables.is_empty() || table.iter().any(names_cells) {
        return None;
    }
    lines.extend(table);
    Some(lines)
}

/// The fields of a section, one on each line, those of `first` first.
fn fields(section: &impl serde::Serialize, first: &[&str]) -> Option<Vec<String>> {
    let fields = toml::Table::try_from(section).ok()?;
    let place = |name: &str| first.iter().position(|known| *known == name).unwrap_or(first.len());
    let mut fields: Vec<(String, toml::Value)> = fields.into_iter().collect();
    fields.sort_by_key(|(name, _)| place(name));
    Some(fields.into_iter().map(|(name, value)| format!("{name} = {value}")).collect())
}

/// A table while it is redesigned.
struct Recast<'a> {
    spec: &'a Spec,
    wanted: Wanted,
    /// Whether the table shows only the most frequent values of its first variable.
    top: bool,
    variables: Vec<Variable>,
}

impl Recast<'_> {
    fn change(&mut self, name: &str, new: &Dimension, base: &Base) -> Option<()> {
        let variable = self.spec.variable(name)?;
        if self.wanted.pairs.as_deref() == Some(name) {
            return None;
        }
        let first = self.wanted.variables.first().map(String::as_str) == Some(name);
        let some = self.wanted.only.contains_key(name) || self.top && first;
        let total_only = is_total_only(new);
        if total_only && !some && !new.several {
            return self.leave_out(name);
        }
        let of_level = if some { None } else { self.level(variable, new, base) };
        match of_level {
            Some((0, level)) if variable.more_hierarchies.is_empty() => {
                let levels = self.levels(variable, level);
                self.wanted.levels.insert(name.to_owned(), levels);
            }
            // The totals of a given table belong to the old variable.
            _ if self.wanted.given.is_some() => return None,
            Some((at, level)) => {
                let hierarchy = variable.hierarchies().nth(at)?.clone();
                self.rename(variable, hierarchy, level);
            }
            None => {
                let tree = tree(new, base)?;
                let sorted = new.nodes.iter().filter(|node| node.finest).map(|node| label_of(node, total_only));
                let labels: Vec<String> = sorted.collect();
                let own = self.rename(variable, HierarchySpec::Tree { tree }, 1);
                // The groups of a tree are in the order of their names; `only` keeps the order it gives.
                if some || !labels.is_sorted() {
                    self.wanted.only.insert(own.clone(), labels);
                }
                if total_only {
                    self.wanted.without_total.push(own);
                }
                if first {
                    self.wanted.top = None;
                }
            }
        }
        Some(())
    }

    /// Removes a variable of which only the total is shown.
    fn leave_out(&mut self, name: &str) -> Option<()> {
        let wanted = &mut self.wanted;
        for list in [&mut wanted.variables, &mut wanted.without_total, &mut wanted.percent_of] {
            list.retain(|own| own != name);
        }
        wanted.levels.remove(name);
        wanted.given.is_none().then_some(())
    }

    /// The hierarchy and level whose groups are the finest nodes shown. The main hierarchy is tried first.
    fn level(&self, variable: &Variable, new: &Dimension, base: &Base) -> Option<(usize, usize)> {
        for (at, hierarchy) in variable.hierarchies().enumerate() {
            let hierarchy = Hierarchy::compile(hierarchy, &self.spec.base, &variable.name).ok()?;
            let fits = |level: &usize| {
                let within = |node: &Node| {
                    values(node, base).all(|value| match value {
                        MISSING_LABEL => node.label == MISSING_LABEL,
                        value => hierarchy.recode(value, *level).is_some_and(|label| label == node.label.as_str()),
                    })
                };
                new.nodes.iter().filter(|node| node.finest).all(within)
            };
            if let Some(level) = (1..hierarchy.levels().saturating_sub(1)).find(fits) {
                return Some((at, level));
            }
        }
        None
    }

    /// A level, and the levels above it that the table shows now.
    fn levels(&self, variable: &Variable, level: usize) -> Vec<usize> {
        let above = match self.wanted.levels.get(&variable.name) {
            Some(levels) => levels.clone(),
            None => (0..self.spec.hierarchy(variable).ok().flatten().map_or(1, |of| of.levels() - 1)).collect(),
        };
        let levels: BTreeSet<usize> = above.into_iter().filter(|above| *above > level).chain([level]).collect();
        levels.into_iter().collect()
    }

    /// Replaces a variable by a new one that reads the same columns and is shown at this level of its only hierarchy.
    fn rename(&mut self, variable: &Variable, hierarchy: HierarchySpec, level: usize) -> String {
        let taken =
            |name: &String| self.spec.variable(name).is_some() || self.variables.iter().any(|of| of.name == *name);
        let stem = format!("{}_coarser", variable.name);
        let numbered = (2u32..).map(|number| format!("{stem}_{number}"));
        let name = [stem.clone()].into_iter().chain(numbered).find(|name| !taken(name)).unwrap_or(stem);
        let wanted = &mut self.wanted;
        for list in [&mut wanted.variables, &mut wanted.without_total, &mut wanted.percent_of] {
            list.iter_mut().filter(|own| **own == variable.name).for_each(|own| name.clone_into(own));
        }
        wanted.levels.remove(&variable.name);
        wanted.only.remove(&variable.name);
        wanted.levels.insert(name.clone(), vec![level]);
        self.variables.push(Variable {
            name: name.clone(),
            label: Some(variable.label().to_owned()),
            columns: variable.read_from().to_vec(),
            hierarchy: Some(hierarchy),
            more_hierarchies: Vec::new(),
            join: Vec::new(),
            ..variable.clone()
        });
        name
    }
}

fn values<'a>(node: &'a Node, base: &'a Base) -> impl Iterator<Item = &'a str> {
    node.values.iter().filter_map(|code| base.values.get(*code as usize - 1)).map(String::as_str)
}

/// The label for a variable of which only the total is shown. A group must not have the label of the total.
const ALL: &str = "All";

/// The label of a node of a redesign in a published table.
pub(crate) fn label_of(node: &Node, total_only: bool) -> String {
    if total_only { ALL.to_owned() } else { node.label.clone() }
}

/// Whether only the total of a variable is shown.
pub(crate) fn is_total_only(dimension: &Dimension) -> bool {
    dimension.nodes.iter().all(|node| node.total)
}

/// The finest nodes as groups of values; values that are not shown are groups of their own.
fn tree(new: &Dimension, base: &Base) -> Option<BTreeMap<String, Tree>> {
    let total_only = is_total_only(new);
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for node in new.nodes.iter().filter(|node| node.finest) {
        let inside: Vec<&str> = values(node, base).collect();
        shown.extend(&inside);
        // A missing value is a group of its own in every hierarchy.
        if inside.contains(&MISSING_LABEL) {
            if inside.len() > 1 {
                return None;
            }
            continue;
        }
        groups.insert(label_of(node, total_only), inside.into_iter().map(str::to_owned).collect());
    }
    for value in base.values.iter().filter(|value| *value != MISSING_LABEL && !shown.contains(value.as_str())) {
        let name = if groups.contains_key(value) { format!("{value} alone") } else { value.clone() };
        groups.entry(name).or_default().push(value.clone());
    }
    let few = groups.values().map(Vec::len).sum::<usize>() <= MAX_VALUES_IN_LINES;
    few.then(|| groups.into_iter().map(|(name, values)| (name, Tree::Values(values))).collect())
}
