//! Columns that follow from a column that a condition reads, or the other way round (K4), as a region follows from its
//! district.
//!
//! Suppose that no table shows a column that a condition reads. A shown column that is tied to it still says which
//! records can meet the condition: everyone in one of the districts is in its region. A tie that may be chance, as it
//! holds in few records, is left out.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use outward_cells::Condition;
use outward_spec::{Result, Variable};

use super::overlaps::is_one_area;
use super::rules::{CodePairs, FileColumn};
use super::{Maker, UnitTables};
use crate::files::files_of;

/// A column is taken to follow from another if the chance that it does so by accident is less than this.
const CHANCE: f64 = 0.01;

impl Maker<'_> {
    /// The columns that tables of a unit show and that are tied to one which a condition reads and no table shows.
    pub(super) fn columns_beside(&self, tables: UnitTables, conditions: &[Condition]) -> Result<BTreeSet<FileColumn>> {
        let mut hidden: BTreeSet<FileColumn> = BTreeSet::new();
        for condition in conditions {
            for column in self.read(tables.unit, condition)?.columns {
                if self.read_by(column, tables)?.is_none() {
                    hidden.insert(column);
                }
            }
        }
        let shown = if hidden.is_empty() { BTreeSet::new() } else { self.shown_columns(tables)? };
        let goes_with_one = |shown: &FileColumn| hidden.iter().any(|hidden| self.is_known_to_follow(*hidden, *shown));
        Ok(shown.into_iter().filter(goes_with_one).collect())
    }

    /// The columns with one value for each record that tables of a unit show.
    pub(super) fn shown_columns(&self, tables: UnitTables) -> Result<BTreeSet<FileColumn>> {
        let mut shown = BTreeSet::new();
        for of in tables.tables().filter(|of| of.wanted.given.is_none()) {
            for (name, _) in of.variables().filter(|(_, base)| base.sets.is_none() && base.pairs.is_none()) {
                let variable = self.variable(name)?;
                let ([column], [file]) = (variable.read_from(), &files_of(self.spec, variable)[..]) else { continue };
                if !variable.shared {
                    shown.extend(self.files.coded_column(*file, column).map(|column| (*file, column)));
                }
            }
        }
        Ok(shown)
    }

    /// Whether one of two columns of a file follows from the other, in more records than chance explains.
    pub(super) fn is_known_to_follow(&self, one: FileColumn, other: FileColumn) -> bool {
        if one.0 != other.0 || one == other || self.going_together(one, other).is_none() {
            return false;
        }
        !may_be_chance(self.files.codes(one.0, one.1), self.files.codes(other.0, other.1))
    }

    /// The pairs of codes of two columns of a file that occur together, if one column follows from the other in all
    /// records and neither is constant, or if both are places that cut one area in two ways.
    pub(super) fn going_together(&self, one: FileColumn, other: FileColumn) -> Option<CodePairs> {
        let (first, second) = (self.files.codes(one.0, one.1), self.files.codes(other.0, other.1));
        let mut pairs: HashSet<[u32; 2]> = HashSet::new();
        let mut partners: [HashMap<u32, u32>; 2] = [HashMap::new(), HashMap::new()];
        let mut follows = [true; 2];
        let are_places = [one, other].iter().all(|column| self.is_place_column(*column));
        for (one, other) in first.iter().zip(second) {
            if pairs.insert([*one, *other]) {
                follows[0] &= partners[0].insert(*one, *other).is_none();
                follows[1] &= partners[1].insert(*other, *one).is_none();
                if follows == [false; 2] && !are_places {
                    return None;
                }
            }
        }
        let values = [partners[0].len(), partners[1].len()];
        let are_tied = follows != [false; 2] || is_one_area(values, pairs.len());
        let tell = are_tied && values.iter().all(|values| *values > 1);
        tell.then(|| pairs.into_iter().collect())
    }

    /// Whether a variable that reads a column of a file is a place.
    fn is_place_column(&self, (file, column): FileColumn) -> bool {
        let (name, _) = self.files.coded(file, column);
        let reads = |of: &&Variable| files_of(self.spec, of) == [file] && of.read_from().iter().any(|own| own == name);
        self.spec.variables.iter().filter(reads).any(|of| self.is_place(&of.name))
    }

    /// The classes of the codes of a tied column: codes that occur with the same classes of the column that conditions
    /// read.
    pub(super) fn classes_beside(
        &self,
        at: usize,
        (columns, codes): (&[FileColumn], &[Vec<u32>]),
        classes: &[Vec<Vec<u32>>],
    ) -> Vec<Vec<u32>> {
        let (file, _) = columns[at];
        let mut with: BTreeMap<u32, BTreeSet<(usize, usize)>> =
            codes[at].iter().map(|code| (*code, BTreeSet::new())).collect();
        for (other, read) in columns.iter().enumerate().filter(|(other, read)| *other != at && read.0 == file) {
            for [own, code] in self.going_together(columns[at], *read).into_iter().flatten() {
                let class = classes[other].iter().position(|class| class.contains(&code));
                with.entry(own).or_default().extend(class.map(|class| (other, class)));
            }
        }
        let mut alike: BTreeMap<&BTreeSet<(usize, usize)>, Vec<u32>> = BTreeMap::new();
        with.iter().for_each(|(code, with)| alike.entry(with).or_default().push(*code));
        alike.into_values().collect()
    }
}

/// Whether one of two columns may follow from the other by chance, as it does in few records.
pub(super) fn may_be_chance(one: &[u32], other: &[u32]) -> bool {
    let counts = |codes: &[u32]| {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        codes.iter().for_each(|code| *counts.entry(*code).or_default() += 1);
        counts
    };
    let (one, other, rows) = (counts(one), counts(other), one.len() as f64);
    let (finer, coarser) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    // The chance that two records with the same finer value agree in the coarser one by accident.
    let agree: f64 = coarser.values().map(|count| (*count as f64 / rows).powi(2)).sum();
    agree.powf(rows - finer.len() as f64) >= CHANCE
}
