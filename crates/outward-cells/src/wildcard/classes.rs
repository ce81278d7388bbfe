//! The values of a further variable in the class of a record. The last key is that variable, and the keys before it
//! make the class: all records that support the record on them.
//!
//! Cells that differ in the last key only are taken together and compared by pattern, as for counts. Classes overlap,
//! so a class is put together from one part of every group that matches its own.

use std::ops::Range;

use super::Matches;
use super::lookup::Lookup;
use super::pattern::{Group, by_pattern};
use crate::cells::{Cells, on_packed};
use crate::layout::Packed;

/// Classes are put together in blocks: this many at least, and at most this part of all.
const MIN_BLOCK: usize = 1 << 14;
const MAX_BLOCKS: usize = 16;

/// Some records of a class: which class or place, a code of the last key, how many.
type ClassShare = (u32, u32, u64);

impl Cells {
    /// Calls `visit` for each combination of all keys but the last. Passes how many records have it, and how often each
    /// code of the last key occurs among the records that support it. Missing is a code too; codes ascend. `wild` says
    /// for each key but the last whether its missing values match everything; the last is only counted.
    pub fn visit_classes(&self, wild: &[bool], visit: impl FnMut(u64, &[(u32, u64)])) {
        let Some(last) = self.keys().len().checked_sub(1) else { return };
        let wild: Vec<bool> = (0..=last).map(|key| key < last && wild[key]).collect();
        on_packed!(self.packed(), packed => Combined::from_cells(self, packed, last, &wild).visit(visit));
    }
}

/// The combinations of all keys but the last.
struct Combined<'a, P> {
    counts: &'a [u64],
    codes: Vec<u32>,
    /// The cells of each combination.
    runs: Vec<Range<usize>>,
    groups: Vec<Group<P>>,
}

impl<'a, P: Packed> Combined<'a, P> {
    fn from_cells(cells: &'a Cells, packed: &[P], last: usize, wild: &[bool]) -> Self {
        let kept: P = cells.layout().bits_of(0..last);
        let mut keys = Vec::new();
        let mut runs = Vec::new();
        let mut start = 0;
        for run in packed.chunk_by(|a, b| a.and(kept) == b.and(kept)) {
            keys.extend(run.first().map(|key| key.and(kept)));
            runs.push(start..start + run.len());
            start += run.len();
        }
        let groups = by_pattern(cells.layout(), &keys, wild, last);
        Self { counts: cells.counts(), codes: cells.codes(last), runs, groups }
    }

    fn visit(&self, mut visit: impl FnMut(u64, &[(u32, u64)])) {
        let block = MIN_BLOCK.max(self.runs.len() / MAX_BLOCKS);
        for (at, group) in self.groups.iter().enumerate() {
            let supporting = self.supporting_groups(at);
            for start in (0..group.keys.len()).step_by(block) {
                let classes = start..group.keys.len().min(start + block);
                self.visit_block(group, classes, &supporting, &mut visit);
            }
        }
    }

    /// All other groups that support this one, by the keys they share with it.
    fn supporting_groups(&self, at: usize) -> Vec<(P, Vec<&Group<P>>)> {
        let own = &self.groups[at];
        let supports = |other: &usize| *other != at && Matches::Supporting.count(own, &self.groups[*other]);
        let others = (0..self.groups.len()).filter(supports);
        let mut shared: Vec<(P, usize)> =
            others.map(|other| (own.known.and(self.groups[other].known), other)).collect();
        shared.sort_unstable();
        let groups = |same: &[(P, usize)]| same.iter().map(|(_, other)| &self.groups[*other]).collect();
        shared.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, groups(same))).collect()
    }

    fn visit_block(
        &self,
        group: &Group<P>,
        classes: Range<usize>,
        supporting: &[(P, Vec<&Group<P>>)],
        visit: &mut impl FnMut(u64, &[(u32, u64)]),
    ) {
        let mut parts: Vec<ClassShare> = Vec::new();
        for (class, combination) in group.cells[classes.clone()].iter().enumerate() {
            self.add_cells(class as u32, *combination, &mut parts);
        }
        for (shared, groups) in supporting {
            self.add_shares(&group.keys[classes.clone()], *shared, groups, &mut parts);
        }
        sum_up(&mut parts);
        let mut values: Vec<(u32, u64)> = Vec::new();
        for (class, combination) in parts.chunk_by(|a, b| a.0 == b.0).zip(&group.cells[classes]) {
            values.clear();
            values.extend(class.iter().map(|(_, code, count)| (*code, *count)));
            visit(self.counts[self.runs[*combination].clone()].iter().sum(), &values);
        }
    }

    /// The cells of one combination, as parts of a class or place.
    fn add_cells(&self, to: u32, combination: usize, parts: &mut Vec<ClassShare>) {
        parts.extend(self.runs[combination].clone().map(|cell| (to, self.codes[cell], self.counts[cell])));
    }

    /// Adds to every class what these groups have for it. The table is made of the side with fewer combinations.
    fn add_shares(&self, classes: &[P], shared: P, groups: &[&Group<P>], parts: &mut Vec<ClassShare>) {
        let theirs = || groups.iter().flat_map(|group| group.keys.iter().zip(&group.cells));
        let theirs_len: usize = groups.iter().map(|group| group.keys.len()).sum();
        let mut lookup = Lookup::with_room(classes.len().min(theirs_len));
        let mut shares: Vec<ClassShare> = Vec::new();
        let places: Vec<Option<usize>> = if classes.len() <= theirs_len {
            let places = classes.iter().map(|key| Some(lookup.insert(key.and(shared)))).collect();
            for (key, combination) in theirs() {
                if let Some(place) = lookup.find(key.and(shared)) {
                    self.add_cells(place as u32, *combination, &mut shares);
                }
            }
            places
        } else {
            for (key, combination) in theirs() {
                self.add_cells(lookup.insert(key.and(shared)) as u32, *combination, &mut shares);
            }
            classes.iter().map(|key| lookup.find(key.and(shared))).collect()
        };
        sum_up(&mut shares);
        let starts = starts(&shares, lookup.len());
        for (class, place) in places.into_iter().enumerate() {
            let Some(place) = place else { continue };
            let found = &shares[starts[place]..starts[place + 1]];
            parts.extend(found.iter().map(|(_, code, count)| (class as u32, *code, *count)));
        }
    }
}

/// Parts of the same class and code become one, in order.
fn sum_up(parts: &mut Vec<ClassShare>) {
    parts.sort_unstable();
    parts.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if same { next.2 } else { 0 };
        same
    });
}

/// Where the parts of each place begin, and where the last ends.
fn starts(parts: &[ClassShare], places: usize) -> Vec<usize> {
    let mut starts = vec![0; places + 1];
    parts.iter().for_each(|(place, _, _)| starts[*place as usize + 1] += 1);
    for place in 0..places {
        starts[place + 1] += starts[place];
    }
    starts
}
