//! One release in full: which cells it keeps under all models, and the facts its loss is measured from.

use crate::loss::{Facts, KeyFacts, spread};
use crate::models::Model;

use super::demands::{Demands, RowGroups};
use super::grouping::Grouping;
use super::rows::SearchRows;
use super::table::SearchTable;

/// A release: what became of each cell.
#[derive(Debug, Clone)]
pub(super) struct Examined {
    /// Cells whose records are suppressed.
    pub(super) suppressed: Vec<bool>,
    /// Sizes of the kept classes.
    pub(super) sizes: Vec<u64>,
    pub(super) facts: Facts,
    /// Whether the release holds as a whole, and lacks no class of the population that it must have.
    pub(super) holds: bool,
}

/// Applies models to cells that are published with given labels: `group` tells classes and margins, `level` the level of each
/// key in each cell, and cells in `gone` are suppressed before the models are asked.
pub(super) fn examine(
    table: &SearchTable,
    demands: &Demands<'_>,
    group: impl Fn(&SearchRows, &[usize]) -> Grouping,
    level: impl Fn(usize, usize) -> u8,
    mut gone: Vec<bool>,
) -> Examined {
    let rows = SearchRows::plain(table);
    let all: Vec<usize> = (0..table.keys().len()).collect();
    let classes = group(&rows, &all);
    let margins: Vec<Grouping> = demands.margins().iter().map(|margin| group(&rows, &margin.keys)).collect();
    let mut all_sizes = vec![0u64; classes.groups];
    for (class, count) in classes.group.iter().zip(&rows.counts) {
        all_sizes[*class as usize] += count;
    }
    let rank = |cell: usize, key: usize| {
        let at = level(cell, key);
        let code = table.counted().codes[key][cell];
        table.rank(key, at, table.keys()[key].levels[at as usize].labels[code as usize])
    };
    let ranks = |cell: usize| -> Vec<u32> { all.iter().map(|key| rank(cell, *key)).collect() };
    let placed = RowGroups { classes: &classes, margins: &margins, ranks: &ranks };
    demands.remove_surely(&rows, &placed, &mut gone);
    demands.remove_all(&rows, &placed, &mut gone);
    let mut sizes = vec![0u64; classes.groups];
    for (row, class) in classes.group.iter().enumerate().filter(|(row, _)| !gone[*row]) {
        sizes[*class as usize] += rows.counts[row];
    }
    sizes.retain(|size| *size > 0);
    let square = |sizes: &[u64]| sizes.iter().map(|size| u128::from(*size) * u128::from(*size)).sum();
    let facts = Facts {
        records: table.records(),
        kept: sizes.iter().sum(),
        least_kept: 0,
        classes: sizes.len() as u64,
        squares: square(&sizes),
        all_squares: square(&all_sizes),
        keys: all.iter().map(|key| key_facts(table, *key, |cell| level(cell, *key), &gone)).collect(),
    };
    let people = || {
        let mut people = vec![0u64; classes.groups];
        classes.group.iter().zip(&rows.population).for_each(|(class, more)| people[*class as usize] += more);
        (!rows.population.is_empty()).then_some(people)
    };
    let holds = demands.release_holds(sizes.iter().copied(), people) && !demands.lacks_class(&rows, &classes, &gone);
    Examined { suppressed: gone, sizes, facts, holds }
}

fn key_facts(table: &SearchTable, key: usize, level: impl Fn(usize) -> u8, gone: &[bool]) -> KeyFacts {
    let (counts, codes) = (&table.counted().counts, &table.counted().codes[key]);
    let levels = &table.keys()[key].levels;
    let mut facts =
        KeyFacts { domain: table.keys()[key].domain, height: table.keys()[key].height() as u64, ..KeyFacts::default() };
    let mut lost: Vec<Vec<u64>> = levels.iter().map(|level| vec![0; level.len()]).collect();
    let mut records = vec![0u64; levels.len()];
    for (cell, (count, code)) in counts.iter().zip(codes).enumerate() {
        let at = level(cell);
        let label = levels[at as usize].labels[*code as usize] as usize;
        let leaves = count * levels[at as usize].leaves[label];
        facts.all_leaves += leaves;
        records[at as usize] += count;
        if gone[cell] {
            lost[at as usize][label] += count;
        } else {
            facts.leaves += leaves;
            facts.steps += count * u64::from(at);
        }
    }
    // With one level for all records this is the entropy of that level; with several, each counts by its records.
    facts.entropy = match records.iter().position(|count| *count == table.records()) {
        Some(level) => table.entropy(key, level as u8),
        None => table.entropy_of(key, level),
    };
    facts.spread = spread(&lost.concat());
    facts
}

/// Records and share that models need to have suppressed at the coarsest recoding, where nothing else helps.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortfall {
    /// What each model asks, in words, and what it alone finds wrong at the coarsest levels.
    pub models: Vec<ModelShortfall>,
    /// Records that all models together suppress at the coarsest levels.
    pub suppressed_records: u64,
    /// The same as a share of all records: the smallest limit on suppression that could do, where suppression helps.
    pub least_limit: f64,
    /// Whether the release without those records holds. No suppression gives a record to a class of the population that has none.
    pub suppression_helps: bool,
}

/// What one model finds wrong at the coarsest levels.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelShortfall {
    /// What it asks, in words.
    pub says: String,
    /// Records it would have suppressed.
    pub suppressed_records: u64,
    /// Whether the release without those records holds as a whole.
    pub release_holds: bool,
    /// The smallest count of a combination in the model's margins, if it has any: a k up to this would hold.
    pub smallest_count: Option<u64>,
}

/// What models find wrong at the coarsest levels.
pub(super) fn shortfall(table: &SearchTable, models: &[Box<dyn Model>], sampling_fraction: Option<f64>) -> Shortfall {
    let levels: Vec<u8> = table.keys().iter().map(|key| key.height() as u8).collect();
    let at_top = |models: Vec<&dyn Model>| {
        let demands = Demands::new(models, table, sampling_fraction, true);
        let none = vec![false; table.len()];
        examine(table, &demands, |rows, keys| rows.group(table, keys, &levels), |_, key| levels[key], none)
    };
    let lost = |examined: &Examined| examined.facts.records - examined.facts.kept;
    let all = at_top(models.iter().map(|model| &**model).collect());
    let one = |model: &dyn Model| {
        let examined = at_top(vec![model]);
        ModelShortfall {
            says: model.says(),
            suppressed_records: lost(&examined),
            release_holds: examined.holds,
            smallest_count: smallest_count(table, model, &levels),
        }
    };
    Shortfall {
        models: models.iter().map(|model| one(&**model)).collect(),
        suppressed_records: lost(&all),
        least_limit: lost(&all) as f64 / table.records().max(1) as f64,
        suppression_helps: all.holds,
    }
}

/// The smallest count in any margin that a model asks of.
fn smallest_count(table: &SearchTable, model: &dyn Model, levels: &[u8]) -> Option<u64> {
    let rows = SearchRows::plain(table);
    let smallest = |margin: crate::models::Margin| {
        let grouping = rows.group(table, &margin.keys, levels);
        let mut counts = vec![0u64; grouping.groups];
        for (row, group) in grouping.group.iter().enumerate().filter(|(row, _)| rows.is_in(*row, margin.subset)) {
            counts[*group as usize] += rows.counts[row];
        }
        counts.into_iter().filter(|count| *count > 0).min()
    };
    model.margins(table.keys().len()).into_iter().filter_map(smallest).min()
}
