//! Joint classes if missing values match every value: the records that support a record in every release
//! (`docs/methods/classes.md`).

use std::collections::{BTreeMap, HashMap};

use outward_cells::MISSING;

use super::joint::ShownKeys;
use super::partition::Partition;

/// Most pairs of classes that are compared. With more, missing values are treated as separate values, which reports
/// more records as exposed.
const MAX_PAIRS: usize = 400_000_000;

/// Whether missing values of some key of a release match every value, and some are missing.
pub(super) fn has_wildcards(shown: &ShownKeys<'_>) -> bool {
    let columns = shown.released.columns.iter().zip(shown.wild);
    columns.into_iter().any(|(column, wild)| {
        let present = column.codes.iter().zip(&shown.released.present);
        *wild && present.into_iter().any(|(code, present)| *present && *code == MISSING)
    })
}

/// Whether record `j` supports record `i` in a release. Records that are not in it support each other.
fn supports(shown: &ShownKeys<'_>, i: usize, j: usize) -> bool {
    let released = shown.released;
    if !released.present[i] || !released.present[j] {
        return released.present[i] == released.present[j];
    }
    let (mut of_i, mut of_j, mut has_all_of_i) = (0, 0, true);
    for (column, wild) in released.columns.iter().zip(shown.wild) {
        let (own, other) = (column.codes[i], column.codes[j]);
        let (is_known, other_is_known) = (!wild || own != MISSING, !wild || other != MISSING);
        if is_known && other_is_known && own != other {
            return false;
        }
        of_i += usize::from(is_known);
        of_j += usize::from(other_is_known);
        has_all_of_i &= other_is_known || !is_known;
    }
    let all = released.columns.len();
    has_all_of_i || 2 * of_i > all && 2 * of_j > all
}

/// For the class of each of these records, how many records support it in all releases; `None` if that would take too
/// long.
pub(super) fn supported_sizes(
    partition: &Partition,
    members: &[ShownKeys<'_>],
    records: &[usize],
) -> Option<HashMap<usize, u64>> {
    let (wild, plain): (Vec<&ShownKeys<'_>>, Vec<&ShownKeys<'_>>) =
        members.iter().partition(|shown| has_wildcards(shown));
    // One record represents its class. In a release without wildcards, only records of the same class support each
    // other.
    let firsts = partition.first_records();
    let block = |record: usize| -> Vec<u32> {
        let codes = |shown: &&ShownKeys<'_>| {
            let present = u32::from(shown.released.present[record]);
            std::iter::once(present)
                .chain(shown.released.columns.iter().map(|column| column.codes[record]))
                .collect::<Vec<_>>()
        };
        plain.iter().flat_map(codes).collect()
    };
    let mut blocks: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for first in &firsts {
        blocks.entry(block(*first)).or_default().push(*first);
    }
    let mut wanted: Vec<usize> = records.iter().map(|record| partition.class_of(*record)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let within = |class: &usize| blocks.get(&block(firsts[*class])).map_or(&[][..], Vec::as_slice);
    if wanted.iter().map(|class| within(class).len()).sum::<usize>() > MAX_PAIRS {
        return None;
    }
    let size = |class: &usize| {
        let i = firsts[*class];
        let supporting = within(class).iter().filter(|j| wild.iter().all(|shown| supports(shown, i, **j)));
        supporting.map(|j| partition.members(*j)).sum()
    };
    Some(wanted.iter().map(|class| (*class, size(class))).collect())
}
