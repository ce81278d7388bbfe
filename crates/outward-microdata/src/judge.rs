//! Judges finished data: whether every model holds, and if not, by how much it fails and what would hold.
//!
//! The data are given as cells with codes of the keys. Classes and margins are counted anew from them; where a key is
//! wild, the class of a record is all records that support it.

mod counting;
mod table;
mod verdict;

pub(crate) use counting::{CountedTable, PackedKeys};
pub use table::CellTable;
pub use verdict::ModelJudgement;

use outward_spec::Result;

use crate::models::{ClassSizes, Limit, Model};
use verdict::VerdictTally;

/// Judges every model, in their order. Models that compare with the whole are fitted to the table's.
pub fn judge(models: &[Box<dyn Model>], table: &CellTable) -> Result<Vec<ModelJudgement>> {
    let counted = CountedTable::from_table(table)?;
    let whole = table.whole(table.counts());
    let fitted: Vec<Option<Box<dyn Model>>> = models.iter().map(|model| model.fitted(&whole)).collect();
    let models: Vec<&dyn Model> =
        models.iter().zip(&fitted).map(|(model, fitted)| fitted.as_deref().unwrap_or(&**model)).collect();
    let limits: Vec<Option<Limit>> = models.iter().map(|model| model.limit()).collect();
    let mut tallies: Vec<VerdictTally> = models.iter().map(|_| VerdictTally::default()).collect();
    let sizes = counted.classes.sizes(&counted.classes.sums(table.counts()));
    let reads = models.iter().any(|model| model.reads_sensitive());
    counted.visit_classes(table.counts(), &sizes, reads, |_, records, class| {
        for ((model, limit), tally) in models.iter().zip(&limits).zip(&mut tallies) {
            tally.class(records, model.class_holds(class), model.class_figure(class), limit.as_ref());
        }
    });
    let spread = spread(&counted, &sizes, table.counts());
    for ((model, limit), tally) in models.iter().zip(&limits).zip(&mut tallies) {
        judge_margins(*model, &counted, tally)?;
        tally.release(model.sizes_hold(&spread), model.release_figure(&spread), limit.as_ref());
    }
    Ok(models.iter().zip(tallies).map(|(model, tally)| tally.verdict(*model)).collect())
}

/// How the records left of each cell are spread over classes, given the sizes of these.
pub(crate) fn spread(counted: &CountedTable<'_>, sizes: &[u64], left: &[u64]) -> ClassSizes {
    let mut spread = ClassSizes {
        sampling_fraction: counted.table.sampling_fraction(),
        population: counted.population_uniqueness(),
        ..ClassSizes::default()
    };
    let own = counted.classes.sums(left);
    for (records, size) in own.into_iter().zip(sizes).filter(|(records, _)| *records > 0) {
        *spread.combinations.entry(records).or_default() += 1;
        *spread.records.entry(*size).or_default() += records;
    }
    spread
}

fn judge_margins(model: &dyn Model, counted: &CountedTable<'_>, tally: &mut VerdictTally) -> Result<()> {
    let table = counted.table;
    let mut failing = Vec::new();
    for margin in counted.margins(model) {
        let amounts = table.amounts(margin.subset)?;
        let groups = counted.keys.group(&margin.keys)?;
        let own = groups.sums(amounts);
        let sizes = groups.sizes(&own);
        for size in own.iter().zip(&sizes).filter(|(own, _)| **own > 0).map(|(_, size)| *size) {
            tally.combination(size, margin.k);
        }
        if own.iter().zip(&sizes).any(|(own, size)| *own > 0 && *size < margin.k) {
            failing.resize(table.len(), 0);
            for (cell, group) in groups.of.iter().enumerate() {
                if sizes[*group as usize] < margin.k {
                    failing[cell] = amounts[cell].max(failing[cell]);
                }
            }
        }
    }
    tally.add_records(failing.into_iter().sum());
    Ok(())
}
