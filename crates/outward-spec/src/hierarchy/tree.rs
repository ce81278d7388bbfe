//! A hierarchy written out in the spec: groups of values, which may be grouped again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use outward_error::Result;

use super::nodes::{Builder, ListedNodes};
use super::wrong;

/// What is in a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Tree {
    /// Values of the data.
    Values(Vec<String>),
    /// Groups of their own.
    Groups(BTreeMap<String, Tree>),
}

/// The tree as nodes. Branches of different depth are lined up at the coarse end. A value whose branch is short stays
/// itself until its first group begins.
pub(super) fn nodes(tree: &BTreeMap<String, Tree>) -> Result<ListedNodes> {
    let mut rows = Vec::new();
    walk(tree, &mut Vec::new(), &mut rows)?;
    let Some(depth) = rows.iter().map(Vec::len).max() else {
        return Err(wrong("this hierarchy has no values", "write each group with its values: `\"Group\" = [\"a\"]`"));
    };
    rows.sort_by(|a, b| a[0].cmp(b[0]));
    if let Some(twice) = rows.windows(2).find(|pair| pair[0][0] == pair[1][0]) {
        let what = format!("`{}` is in `{}` and in `{}`", twice[0][0], twice[0][1], twice[1][1]);
        return Err(wrong(what, "keep it in one group"));
    }
    let mut builder = Builder::new(depth);
    for row in rows {
        let mut lined_up = vec![row[0]; depth - row.len()];
        lined_up.extend(row);
        builder.add(&lined_up, None)?;
    }
    Ok(builder.finish())
}

/// One row for each value: the value, its group, the group of that, up to the top.
fn walk<'a>(tree: &'a BTreeMap<String, Tree>, above: &mut Vec<&'a str>, rows: &mut Vec<Vec<&'a str>>) -> Result<()> {
    for (label, inside) in tree {
        if label.is_empty() {
            return Err(wrong("a group has no name", "name every group"));
        }
        above.push(label);
        match inside {
            Tree::Groups(groups) => walk(groups, above, rows)?,
            Tree::Values(values) => rows
                .extend(values.iter().map(|v| [v.as_str()].into_iter().chain(above.iter().rev().copied()).collect())),
        }
        above.pop();
    }
    Ok(())
}
