//! Record suppression: which cells must be left out so that all models hold of the rest.
//!
//! Cells that fail are removed, the rest is counted again, until none fails. For some models every part of a failing
//! class fails too. For these models and for margins the rest is the largest that holds, as the union of two sets of
//! cells that hold holds too. These models come first, then all of them. Models that compare with the whole are fitted
//! to the rest each time. If the release as a whole does not hold, its smallest classes are removed, as few as
//! possible.
//!
//! Suppression changes nothing about a class of the population without a record, nor about people alone in a population
//! file. So the caller must judge what is left.

use outward_spec::Result;

use crate::judge::{CellTable, CountedTable, spread};
use crate::models::{Margin, Model};

/// Which cells go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordSuppression {
    /// For each cell whether it is removed.
    pub removed: Vec<bool>,
    /// How many cells are.
    pub cells: u64,
    /// Records in them.
    pub records: u64,
    /// Records in the cells that each model was the first to remove.
    pub per_model: Vec<u64>,
    /// How often the table was counted until nothing failed.
    pub rounds: u64,
}

/// Removes cells until every margin, every class and the release as a whole hold. A cell is removed whole, even if only
/// some of its records are in the subset of a model. To lose no others, give the records of a subset separate cells.
pub fn suppress_records(models: &[Box<dyn Model>], table: &CellTable) -> Result<RecordSuppression> {
    let counted = CountedTable::from_table(table)?;
    let mut margins = Vec::new();
    for (model, each) in models.iter().enumerate() {
        let asked = counted.margins(each.as_ref()).into_iter();
        margins.extend(asked.map(|margin| AskedMargin { model, margin, held_at: None }));
    }
    let asked: Vec<Margin> = margins.iter().map(|asked| asked.margin.clone()).collect();
    let surely = |model: &&(usize, &dyn Model)| fails_surely(model.1, &asked);
    let all: Vec<(usize, &dyn Model)> = models.iter().map(|model| &**model).enumerate().collect();
    let first: Vec<(usize, &dyn Model)> = all.iter().filter(surely).copied().collect();
    let mut removal = Removal::new(table, models.len());
    for asked in [&first, &all] {
        loop {
            while removal.check_margins(&counted, &mut margins)? {}
            if removal.check_classes(&counted, asked) {
                continue;
            }
            if asked.len() < all.len() || !removal.check_release(&counted, models) {
                break;
            }
        }
    }
    Ok(removal.done())
}

/// Whether a class that fails a model still fails it if other records are suppressed. With margins of a subset a class
/// can lose part of its records. A check of its values may then have another result.
pub(crate) fn fails_surely(model: &dyn Model, margins: &[Margin]) -> bool {
    model.parts_fail_too() && !margins.iter().any(|margin| margin.subset.is_some())
}

/// How many of some classes, in the order of their sizes, must go until the release holds. It is the fewest if the
/// release still holds when more go. `holds` is called for the release without so many of the classes; without all of
/// them it holds.
pub(crate) fn fewest_to_drop(classes: usize, mut holds: impl FnMut(usize) -> bool) -> usize {
    let (mut fails, mut enough) = (0, 1);
    while enough < classes && !holds(enough) {
        (fails, enough) = (enough, enough * 2);
    }
    enough = enough.min(classes);
    while enough - fails > 1 {
        let middle = fails + (enough - fails) / 2;
        if holds(middle) {
            enough = middle;
        } else {
            fails = middle;
        }
    }
    enough
}

/// A margin, and how many cells were gone when it was last found to hold.
struct AskedMargin {
    model: usize,
    margin: Margin,
    held_at: Option<u64>,
}

/// What is gone so far.
struct Removal<'a> {
    table: &'a CellTable,
    /// Records left of each cell.
    left: Vec<u64>,
    done: RecordSuppression,
}

impl<'a> Removal<'a> {
    fn new(table: &'a CellTable, models: usize) -> Self {
        let removed = vec![false; table.len()];
        let done = RecordSuppression { removed, cells: 0, records: 0, per_model: vec![0; models], rounds: 0 };
        Self { table, left: table.counts().to_vec(), done }
    }

    fn done(self) -> RecordSuppression {
        self.done
    }

    fn remove(&mut self, cell: usize, model: usize) {
        let records = std::mem::take(&mut self.left[cell]);
        if !std::mem::replace(&mut self.done.removed[cell], true) {
            self.done.cells += 1;
            self.done.records += records;
            self.done.per_model[model] += records;
        }
    }

    /// Counts every margin that may have changed. Returns whether any cell was removed.
    fn check_margins(&mut self, counted: &CountedTable<'_>, margins: &mut [AskedMargin]) -> Result<bool> {
        let before = self.done.cells;
        self.done.rounds += 1;
        for AskedMargin { model, margin, held_at } in margins {
            if *held_at == Some(self.done.cells) {
                continue;
            }
            let gone = self.done.cells;
            let overlap = self.check_margin(counted, margin, *model)?;
            // Without overlap all records of a failing combination go, and no other combination loses any.
            *held_at = (!overlap || gone == self.done.cells).then_some(self.done.cells);
        }
        Ok(self.done.cells > before)
    }

    /// Removes the cells that fail. Returns whether combinations overlap.
    fn check_margin(&mut self, counted: &CountedTable<'_>, margin: &Margin, model: usize) -> Result<bool> {
        let asked_of = self.table.amounts(margin.subset)?;
        let amount = |cell: usize, left: &[u64]| if left[cell] > 0 { asked_of[cell] } else { 0 };
        let amounts: Vec<u64> = (0..self.left.len()).map(|cell| amount(cell, &self.left)).collect();
        let groups = counted.keys.group(&margin.keys)?;
        let sizes = groups.sizes(&groups.sums(&amounts));
        for (cell, group) in groups.of.iter().enumerate() {
            if amounts[cell] > 0 && sizes[*group as usize] < margin.k {
                self.remove(cell, model);
            }
        }
        Ok(groups.overlap())
    }

    /// Removes the classes that fail one of these models. Returns whether there were any.
    fn check_classes(&mut self, counted: &CountedTable<'_>, models: &[(usize, &dyn Model)]) -> bool {
        let whole = self.table.whole(&self.left);
        let refitted: Vec<Option<Box<dyn Model>>> = models.iter().map(|(_, model)| model.fitted(&whole)).collect();
        let fitted: Vec<&dyn Model> =
            models.iter().zip(&refitted).map(|((_, model), fitted)| fitted.as_deref().unwrap_or(*model)).collect();
        let sizes = counted.classes.sizes(&counted.classes.sums(&self.left));
        let reads = fitted.iter().any(|model| model.reads_sensitive());
        let mut failing: Vec<(u32, usize)> = Vec::new();
        counted.visit_classes(&self.left, &sizes, reads, |class, records, seen| {
            // Suppression cannot help a class without records.
            if let Some(at) = fitted.iter().position(|model| !model.class_holds(seen)).filter(|_| records > 0) {
                failing.push((class, models[at].0));
            }
        });
        self.remove_classes(counted, &failing);
        !failing.is_empty()
    }

    /// Removes the smallest classes until the release holds as a whole, those of one size in the order of their keys.
    /// Returns whether there were any to remove.
    fn check_release(&mut self, counted: &CountedTable<'_>, models: &[Box<dyn Model>]) -> bool {
        let first_failing = |left: &[u64]| {
            let sizes = counted.classes.sizes(&counted.classes.sums(left));
            let spread = spread(counted, &sizes, left);
            models.iter().position(|model| model.suppression_helps() && !model.sizes_hold(&spread))
        };
        let Some(model) = first_failing(&self.left) else { return false };
        let own = counted.classes.sums(&self.left);
        let sizes = counted.classes.sizes(&own);
        let keys = |class: u32| -> Vec<u32> {
            counted
                .cells_of(class)
                .first()
                .map_or_else(Vec::new, |cell| self.table.keys().iter().map(|codes| codes[*cell as usize]).collect())
        };
        let mut order: Vec<u32> = (0..own.len() as u32).filter(|class| own[*class as usize] > 0).collect();
        order.sort_by_cached_key(|class| (sizes[*class as usize], keys(*class)));
        let without = |dropped: usize| {
            let mut left = self.left.clone();
            order[..dropped]
                .iter()
                .flat_map(|class| counted.cells_of(*class))
                .for_each(|cell| left[*cell as usize] = 0);
            left
        };
        let dropped = fewest_to_drop(order.len(), |dropped| first_failing(&without(dropped)).is_none());
        let dropped: Vec<(u32, usize)> = order[..dropped].iter().map(|class| (*class, model)).collect();
        self.remove_classes(counted, &dropped);
        !dropped.is_empty()
    }

    /// Removes classes, each because of a model.
    fn remove_classes(&mut self, counted: &CountedTable<'_>, classes: &[(u32, usize)]) {
        for (class, model) in classes {
            counted.cells_of(*class).iter().for_each(|cell| self.remove(*cell as usize, *model));
        }
    }
}
