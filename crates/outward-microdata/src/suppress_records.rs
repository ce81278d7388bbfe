//! Record suppression: which cells must go so that all that is asked of margins and classes holds of what is left.
//!
//! Cells that fail are removed, the rest is counted again, until none fails. For margins, and for all models of which every
//! part of a failing class fails too, what is left is the most that can be left: the union of two sets of cells of which
//! the models hold is another one. Models that compare with the whole are fitted to what is left each time. What is
//! asked of the release as a whole is not looked at here; judge what is left.

use outward_spec::Result;

use crate::judge::{CellTable, Counted};
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

/// Removes cells until every margin and class model holds. A cell is removed whole, also where only some of its records are
/// in the subset that a model asks of: give a subset's records cells of their own to lose no others.
pub fn suppress_records(models: &[Box<dyn Model>], table: &CellTable) -> Result<RecordSuppression> {
    let counted = Counted::of(table)?;
    let mut margins = Vec::new();
    for (model, each) in models.iter().enumerate() {
        let asked = counted.margins(each.as_ref()).into_iter();
        margins.extend(asked.map(|margin| AskedMargin { model, margin, held_at: None }));
    }
    let mut removal = Removal::new(table, models.len());
    loop {
        while removal.check_margins(&counted, &mut margins)? {}
        if !removal.check_classes(&counted, models) {
            return Ok(removal.done());
        }
    }
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

    /// Counts every margin that may have changed; whether any cell was removed.
    fn check_margins(&mut self, counted: &Counted<'_>, margins: &mut [AskedMargin]) -> Result<bool> {
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

    /// Removes the cells that fail; whether combinations overlap.
    fn check_margin(&mut self, counted: &Counted<'_>, margin: &Margin, model: usize) -> Result<bool> {
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

    /// Removes the classes that fail; whether there were any.
    fn check_classes(&mut self, counted: &Counted<'_>, models: &[Box<dyn Model>]) -> bool {
        let whole = self.table.whole(&self.left);
        let refitted: Vec<Option<Box<dyn Model>>> = models.iter().map(|model| model.fitted(&whole)).collect();
        let fitted: Vec<&dyn Model> =
            models.iter().zip(&refitted).map(|(model, fitted)| fitted.as_deref().unwrap_or(&**model)).collect();
        let sizes = counted.classes.sizes(&counted.classes.sums(&self.left));
        let reads = models.iter().any(|model| model.reads_sensitive());
        let mut failing: Vec<(u32, usize)> = Vec::new();
        counted.visit_classes(&self.left, &sizes, reads, |class, records, seen| {
            // A class without records cannot be mended by suppression.
            if let Some(model) = fitted.iter().position(|model| !model.class_holds(seen)).filter(|_| records > 0) {
                failing.push((class, model));
            }
        });
        for (class, model) in &failing {
            counted.cells_of(*class).iter().for_each(|cell| self.remove(*cell as usize, *model));
        }
        !failing.is_empty()
    }
}
