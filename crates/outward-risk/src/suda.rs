//! Special uniques: records that can be singled out by few keys, and in many ways.
//!
//! A **minimal unique** of a record is a set of keys on which it is alone in the file. On a smaller part of the set it
//! is not alone. The smaller its minimal uniques and the more of them, the more special is the record. It is then
//! likelier to be alone in the population too. All minimal uniques are found, up to a size if one is given. Each weighs
//! by its size ([`Score`]), and the score of a record is the sum. DIS-SUDA turns scores into chances of a correct
//! match.
//!
//! A missing value is not part of any minimal unique, and equals no other value.

mod partition;
mod rowset;
mod scores;
mod subsets;
mod table;
mod tally;
mod walk;

use outward_cells::Cells;
use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

pub use scores::Score;

use table::KeyTable;
use tally::SudaTally;

/// The limits of the search, and the weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The most keys a minimal unique may have; all if absent.
    pub max_size: Option<usize>,
    /// The weight of a minimal unique.
    pub form: Score,
    /// The share of the population that is in the file, above 0 and at most 1.
    pub sampling_fraction: f64,
    /// Threads to use. The result does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_size: None, form: Score::default(), sampling_fraction: 0.01, threads: 1 }
    }
}

/// The special uniques of a file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Suda {
    /// Minimal uniques of all records.
    pub minimal_uniques: u64,
    /// Minimal uniques by size: first those of one key.
    pub by_size: Vec<u64>,
    /// Records that have a minimal unique.
    pub records: u64,
    /// Sum of the scores of all records.
    pub score_sum: f64,
    /// The chance that a match with a record alone in the file is right, on the average.
    pub dis: f64,
    /// Sum of the DIS-SUDA chances of all records.
    pub dis_sum: f64,
    /// The most keys of a minimal unique that were looked at, where there was a limit below the number of keys.
    pub capped: Option<usize>,
    /// What each key contributes, in the order of the keys.
    pub variables: Vec<Contribution>,
    /// The records that have a minimal unique, in the order of their cells.
    #[serde(skip)]
    pub uniques: Vec<SpecialUnique>,
}

/// A record with a minimal unique. It is the only one of its cell.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SpecialUnique {
    /// Its cell.
    pub cell: usize,
    /// How many minimal uniques it has.
    pub minimal_uniques: u64,
    /// How many keys its smallest one has.
    pub smallest: usize,
    /// Sum of their weights.
    pub score: f64,
    /// DIS-SUDA: the chance that a match with it is right.
    pub dis: f64,
}

/// What a key contributes to the score of the file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Contribution {
    /// The key.
    pub variable: String,
    /// Percentage of the score that minimal uniques with this key make up. Percentages of several keys may sum to more
    /// than 100, since a minimal unique can hold several.
    pub percent: f64,
    /// The levels that contribute.
    #[serde(skip)]
    pub levels: Vec<LevelContribution>,
}

/// What a level contributes to the score of its key. The levels of a key sum to 100.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LevelContribution {
    /// Its code in the key's dictionary.
    pub code: u32,
    /// Percentage of the score of the minimal uniques with this key.
    pub percent: f64,
}

/// Finds the minimal uniques of all records and scores them.
pub fn find_special_uniques(cells: &Cells, options: &Options) -> Result<Suda> {
    let keys = cells.keys().len();
    let cap = options.max_size.filter(|size| *size < keys);
    let longest = cap.unwrap_or(keys);
    check(cells, options, longest)?;
    let table = KeyTable::from_cells(cells);
    let lone: Vec<bool> = cells.counts().iter().map(|count| *count == 1).collect();
    let tallies = walk::walk(&table, longest, options.threads, || SudaTally::new(&table, &lone, longest));
    let tally =
        tallies.into_iter().reduce(SudaTally::join).ok_or_else(|| Error::bug("no thread looked for uniques"))?;
    Ok(sum_up(cells, options, cap, &table, &tally))
}

fn check(cells: &Cells, options: &Options, longest: usize) -> Result<()> {
    let fraction = options.sampling_fraction;
    if !(fraction > 0.0 && fraction <= 1.0) {
        return Err(Error::input(format!("the sampling fraction is {fraction}"))
            .help("give the share of the population that is in the file, above 0 and at most 1")
            .into());
    }
    if options.max_size == Some(0) {
        return Err(Error::input("minimal uniques of at most 0 keys were asked for")
            .help("ask for 1 key or more")
            .into());
    }
    if cells.len() > partition::MAX_ROWS {
        return Err(Error::input(format!("{} cells are too many to look for special uniques", cells.len()))
            .help("use fewer keys, or recode those with many values")
            .into());
    }
    if walk::subsets_kept(cells.keys().len(), longest) > walk::MAX_SUBSETS {
        let keys = cells.keys().len();
        return Err(Error::input(format!("{keys} keys have too many combinations of up to {longest} to look at all"))
            .help("use fewer keys, or limit the size of minimal uniques: 3 or 4 keys are what intruders know")
            .into());
    }
    Ok(())
}

fn sum_up(cells: &Cells, options: &Options, cap: Option<usize>, table: &KeyTable, tally: &SudaTally<'_>) -> Suda {
    let keys = cells.keys().len();
    let weights = options.form.weights(keys, cap);
    let records = |size: u64| size * cells.counts().iter().filter(|count| **count == size).count() as u64;
    let (alone, pairs) = (records(1), records(2));
    let dis = scores::dis(alone, pairs, options.sampling_fraction);
    let mut by_size = vec![0; weights.len()];
    let mut uniques: Vec<SpecialUnique> = Vec::new();
    for cell in 0..cells.len() {
        let counts = tally.row(cell);
        let Some(smallest) = counts.iter().position(|count| *count > 0) else { continue };
        by_size.iter_mut().zip(counts).for_each(|(sum, count)| *sum += u64::from(*count));
        let minimal_uniques = counts.iter().map(|count| u64::from(*count)).sum();
        let score = weigh(&weights, counts.iter().map(|count| f64::from(*count)));
        uniques.push(SpecialUnique { cell, minimal_uniques, smallest: smallest + 1, score, dis: 0.0 });
    }
    let scores: Vec<f64> = uniques.iter().map(|unique| unique.score).collect();
    let chances = scores::dis_suda(&scores, keys, alone, dis);
    uniques.iter_mut().zip(&chances).for_each(|(unique, chance)| unique.dis = *chance);
    let score_sum = weigh(&weights, by_size.iter().map(|count| *count as f64));
    let mut variables: Vec<(usize, Contribution)> = (0..keys)
        .map(|column| (table.keys[column], contribution(cells, table, tally, column, &weights, score_sum)))
        .collect();
    variables.sort_by_key(|(key, _)| *key);
    Suda {
        minimal_uniques: by_size.iter().sum(),
        by_size,
        records: uniques.len() as u64,
        score_sum,
        dis,
        dis_sum: sum(chances),
        capped: cap,
        variables: variables.into_iter().map(|(_, contribution)| contribution).collect(),
        uniques,
    }
}

fn weigh(weights: &[f64], counts: impl Iterator<Item = f64>) -> f64 {
    sum(weights.iter().zip(counts).map(|(weight, count)| weight * count))
}

/// The sum from 0 on; that of the standard library is −0 if there is nothing to add.
fn sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    terms.into_iter().fold(0.0, |sum, term| sum + term)
}

/// The share of a key in the score of the file, and of its levels in its own.
fn contribution(
    cells: &Cells,
    table: &KeyTable,
    tally: &SudaTally<'_>,
    column: usize,
    weights: &[f64],
    score_sum: f64,
) -> Contribution {
    let percent = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    let scores: Vec<f64> =
        tally.codes(column).map(|counts| weigh(weights, counts.iter().map(|count| *count as f64))).collect();
    let own = sum(scores.iter().copied());
    let levels = (1..).zip(&scores).filter(|(_, score)| **score > 0.0);
    Contribution {
        variable: cells.keys()[table.keys[column]].name.clone(),
        percent: percent(own, score_sum),
        levels: levels.map(|(code, score)| LevelContribution { code, percent: percent(*score, own) }).collect(),
    }
}
