//! Cells grouped by the keys they have.

use hashbrown::HashMap;

use super::has_most_keys;
use crate::dictionary::MISSING;
use crate::layout::{Layout, Packed};

/// The cells that have the same keys.
#[derive(Debug)]
pub(super) struct Group<P> {
    /// The bits of the keys they have. A missing value that only matches another missing one counts as a value.
    pub(super) known: P,
    /// Whether they have more than half of the keys.
    pub(super) has_most: bool,
    /// Which cells they are, ascending.
    pub(super) cells: Vec<usize>,
    /// Their packed keys. What is missing has no bits set, so each is there once also on the known keys alone.
    pub(super) keys: Vec<P>,
}

/// Cells by the keys on which they do not match everything, the group with most cells first. `keys` is how many keys are
/// compared.
pub(super) fn by_pattern<P: Packed>(layout: &Layout, packed: &[P], wild: &[bool], keys: usize) -> Vec<Group<P>> {
    let fixed: P = layout.bits_of((0..layout.keys()).filter(|key| !wild[*key]));
    let wild: Vec<(usize, P)> =
        (0..layout.keys()).filter(|key| wild[*key]).map(|key| (key, layout.bits_of([key]))).collect();
    let mut places: HashMap<P, usize> = HashMap::new();
    let mut groups: Vec<Group<P>> = Vec::new();
    let mut last = 0;
    for (cell, key) in packed.iter().enumerate() {
        let (known, lacking) =
            wild.iter().fold((fixed, 0), |(known, lacking), (at, bits)| match layout.code(*key, *at) {
                MISSING => (known, lacking + 1),
                _ => (known.or(*bits), lacking),
            });
        // Neighbours mostly have the same keys.
        if groups.get(last).is_none_or(|group| group.known != known) {
            last = *places.entry(known).or_insert_with(|| {
                let has_most = has_most_keys(keys, lacking);
                groups.push(Group { known, has_most, cells: Vec::new(), keys: Vec::new() });
                groups.len() - 1
            });
        }
        groups[last].cells.push(cell);
        groups[last].keys.push(*key);
    }
    groups.sort_unstable_by(|a, b| b.keys.len().cmp(&a.keys.len()).then(a.known.cmp(&b.known)));
    groups
}
