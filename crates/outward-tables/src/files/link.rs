//! Finds the record of `[data]` that each record of a linked file belongs to.

use hashbrown::HashMap;
use outward_spec::{Error, Linked, Result};

use super::{File, NOBODY};

/// The record of `[data]` each record of a linked file belongs to.
pub(super) fn parents(data: &File, linked: &File, of: &Linked) -> Result<Vec<u32>> {
    let fault = |file: &File, what: String| file.in_it(Error::input(what)).variable(&of.on[0]);
    let mut rows: HashMap<u128, u32> = HashMap::with_capacity(data.columns.rows);
    for (row, link) in links(data, &of.on)?.iter().enumerate().filter(|(_, link)| **link != 0) {
        if rows.insert(*link, row as u32).is_some() {
            let what = "two records of `[data]` have the same link, so that linked records belong to both";
            let fault = fault(data, what.to_owned());
            return Err(fault.help("let `[data]` be the file that has each of them once").into());
        }
    }
    let found: Vec<u32> = links(linked, &of.on)?.iter().map(|link| rows.get(link).copied().unwrap_or(NOBODY)).collect();
    if !found.is_empty() && found.iter().all(|parent| *parent == NOBODY) {
        let fault = fault(linked, format!("no record of `{}` belongs to a record of `[data]`", of.name));
        return Err(fault.help("see whether both files write the link in the same way: `001` is not `1`").into());
    }
    Ok(found)
}

/// The link of each record of a file; 0 if it has none.
fn links<'a>(file: &'a File, on: &[String]) -> Result<&'a [u128]> {
    let position = file.request.columns.links.iter().position(|known| known == on);
    position.map(|at| &file.columns.links[at][..]).ok_or_else(|| Error::bug("a link was not read"))
}

/// The linked records of each record of `[data]`: where they begin, and all of them one after the other.
pub(super) fn by_parent(parents: &[u32], rows: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0usize; rows + 1];
    parents.iter().filter(|parent| **parent != NOBODY).for_each(|parent| starts[*parent as usize + 1] += 1);
    (0..rows).for_each(|row| starts[row + 1] += starts[row]);
    let mut next = starts.clone();
    let mut children = vec![0u32; starts[rows]];
    for (row, parent) in parents.iter().enumerate().filter(|(_, parent)| **parent != NOBODY) {
        children[next[*parent as usize]] = row as u32;
        next[*parent as usize] += 1;
    }
    (starts, children)
}
