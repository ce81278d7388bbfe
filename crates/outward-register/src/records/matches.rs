//! Matches two published files: records that match exactly one record of the other file, both ways.
//!
//! Let *M* be the columns that both files show in the same groups and neither perturbed. A record of file *A* and one
//! of file *B* are a *match* if they agree on *M*, and no other record of either file has these values. Matches that
//! differ in the swapped columns show who was swapped: *swapped = matches on M − matches on M that also agree on the
//! swapped columns*.
//!
//! Files are also joined by the order of their records. The records of two files that keep the order of the data lie
//! beside each other, whatever they show. Files that were shuffled can be in the same order too, as by the same seed.
//! Then they agree on *M* row by row, more often than chance explains.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use outward_cells::{Cells, Coded, MISSING};
use outward_engine::{CountRequest, Data, Engine, Plan, ReleasedRequest, TypedColumn};
use outward_release::Manifest;
use outward_spec::{Result, Source, Type};

/// A published file of records.
#[derive(Debug, Clone)]
pub struct PublishedFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
}

impl PublishedFile {
    /// The records of a bundle.
    pub fn new(bundle: &Path, manifest: Manifest) -> Self {
        Self { path: bundle.join(&manifest.data), manifest }
    }

    fn data(&self) -> Data {
        let typed = self.manifest.columns.iter().filter(|column| column.data_type != Type::Text);
        let columns = typed
            .map(|column| TypedColumn { name: column.name.clone(), data_type: column.data_type, date_format: None })
            .collect();
        Data { source: Source::file(&self.path), columns }
    }

    async fn count(&self, engine: &dyn Engine, columns: &[String]) -> Result<Cells> {
        let request = CountRequest { keys: columns.to_vec(), ..CountRequest::default() };
        let mut counted = engine.count_cells(&self.data(), &[request]).await?;
        counted.pop().ok_or_else(|| outward_spec::Error::bug("no cells were counted"))
    }

    /// Some columns, row by row.
    async fn rows(&self, engine: &dyn Engine, columns: &[String]) -> Result<Vec<Coded>> {
        let (reads, columns) = (Some(columns.to_vec()), columns.to_vec());
        let request = ReleasedRequest { data: self.data(), plan: Plan::unchanged(), reads, columns };
        let read = engine.read_released(&[request]).await?.pop();
        Ok(read.ok_or_else(|| outward_spec::Error::bug("no rows were read"))??.columns)
    }
}

/// The matches between two published files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Matches {
    /// Records of the one file.
    pub records: u64,
    /// Records that match exactly one of the other, both ways, on the columns that neither perturbed.
    pub matched: u64,
    /// Among these, records that differ in a perturbed column.
    pub differing: u64,
    /// Whether all records of one file are in the other, as far as both show the same.
    pub is_contained: bool,
    /// What the order of the records shows.
    pub order: Order,
}

/// What the order of the records of two files shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// Nothing: at least one of them is in an order of its own.
    #[default]
    Unrelated,
    /// Records in the same row belong together. So many of them differ in a perturbed column.
    SameRows(u64),
    /// One file is the other with records left out, and nothing else differs.
    LeftOut,
    /// Both keep the order of the data, and records are left out of one of them. How many differ is not known.
    Kept,
}

/// Matches two files. `alike` has the columns that both show in the same groups and neither perturbed, `perturbed`
/// those that one perturbed. `is_kept` says that both keep the order of the data.
///
/// # Errors If a file cannot be read, or its columns have too many values to be counted.
pub async fn match_files(
    engine: &dyn Engine,
    files: (&PublishedFile, &PublishedFile),
    alike: &[String],
    perturbed: &[String],
    is_kept: bool,
) -> Result<Matches> {
    let matches = match alike.is_empty() {
        true => Matches { records: files.0.manifest.records_out, ..Matches::default() },
        false => match_values(engine, files, alike, perturbed).await?,
    };
    Ok(Matches { order: match_rows(engine, files, alike, perturbed, is_kept).await?, ..matches })
}

async fn match_values(
    engine: &dyn Engine,
    (one, other): (&PublishedFile, &PublishedFile),
    alike: &[String],
    perturbed: &[String],
) -> Result<Matches> {
    let all: Vec<String> = alike.iter().chain(perturbed).cloned().collect();
    let (one, other) = (one.count(engine, &all).await?, other.count(engine, &all).await?);
    let base: Vec<usize> = (0..alike.len()).collect();
    let (own, theirs) = (one.margin(&base), other.margin(&base));
    let in_theirs = own.counts_in(&theirs)?;
    let matched = own.counts().iter().zip(&in_theirs).filter(|counts| *counts == (&1, &1)).count() as u64;
    // Cells are in the order of their keys. So cells with the same values of the first columns are adjacent.
    let in_other = one.counts_in(&other)?;
    let runs = one.runs(alike.len());
    let agree = runs.into_iter().zip(own.counts().iter().zip(&in_theirs));
    let agreeing = agree
        .filter(|(run, (here, there))| **here == 1 && **there == 1 && run.clone().all(|cell| in_other[cell] > 0))
        .count() as u64;
    let is_within = |counts: &[u64], there: &[u64]| counts.iter().zip(there).all(|(here, there)| here <= there);
    let is_contained = is_within(one.counts(), &in_other) || is_within(other.counts(), &other.counts_in(&one)?);
    let (records, order) = (one.records(), Order::default());
    Ok(Matches { records, matched, differing: matched - agreeing, is_contained, order })
}

/// Records that chance puts into the same order less often than this are in the same order.
const CHANCE: f64 = 0.01;

async fn match_rows(
    engine: &dyn Engine,
    (one, other): (&PublishedFile, &PublishedFile),
    alike: &[String],
    perturbed: &[String],
    is_kept: bool,
) -> Result<Order> {
    let all: Vec<String> = alike.iter().chain(perturbed).cloned().collect();
    let rows = [one.manifest.records_out, other.manifest.records_out];
    if rows[0] != rows[1] && !is_kept || all.is_empty() {
        return Ok(if is_kept { Order::Kept } else { Order::Unrelated });
    }
    let (one, other) = (one.rows(engine, &all).await?, other.rows(engine, &all).await?);
    // The codes of one file as those of the other. A value that the other lacks has a code that nothing has.
    let theirs: Vec<Vec<u32>> = one
        .iter()
        .zip(&other)
        .map(|(one, other)| {
            let same = one.dictionary.codes_of_same(&other.dictionary);
            let code = |own: &u32| {
                if *own == MISSING {
                    MISSING
                } else {
                    Some(same[*own as usize]).filter(|code| *code != MISSING).unwrap_or(u32::MAX)
                }
            };
            one.codes.iter().map(code).collect()
        })
        .collect();
    let agree = |columns: std::ops::Range<usize>, row: usize, there: usize| {
        columns.into_iter().all(|column| theirs[column][row] == other[column].codes[there])
    };
    let own_rows = theirs.first().map_or(0, Vec::len);
    let other_rows = other.first().map_or(0, |column| column.codes.len());
    if own_rows != other_rows {
        return Ok(match is_subsequence(own_rows, other_rows, |row, there| agree(0..all.len(), row, there)) {
            true => Order::LeftOut,
            false => Order::Kept,
        });
    }
    let is_in_order = is_kept
        || (0..own_rows).all(|row| agree(0..alike.len(), row, row))
            && ln_chance_of_order(&theirs[..alike.len()], own_rows) < CHANCE.ln();
    Ok(match is_in_order {
        true => {
            let differ = |row: &usize| !agree(alike.len()..all.len(), *row, *row);
            Order::SameRows((0..own_rows).filter(differ).count() as u64)
        }
        false => Order::Unrelated,
    })
}

/// Whether the rows of the shorter file are rows of the longer one, in the same order.
fn is_subsequence(own: usize, others: usize, agree: impl Fn(usize, usize) -> bool) -> bool {
    let (mut row, mut there) = (0, 0);
    while row < own && there < others {
        match agree(row, there) {
            true => (row, there) = (row + 1, there + 1),
            false if own < others => there += 1,
            false => row += 1,
        }
    }
    if own < others { row == own } else { there == others }
}

/// The logarithm of the chance that two random orders of the same records agree on some columns in every row: of *N*
/// records, of which *n* have each combination of values, *Π n! / N!*.
fn ln_chance_of_order(columns: &[Vec<u32>], rows: usize) -> f64 {
    let mut counts: HashMap<Vec<u32>, u64> = HashMap::new();
    for row in 0..rows {
        *counts.entry(columns.iter().map(|codes| codes[row]).collect()).or_default() += 1;
    }
    let mut sizes: Vec<u64> = counts.into_values().collect();
    sizes.sort_unstable();
    let ln_factorial = |count: u64| (2..=count).map(|factor| (factor as f64).ln()).sum::<f64>();
    sizes.into_iter().map(ln_factorial).sum::<f64>() - ln_factorial(rows as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_that_two_orders_agree_is_that_of_the_arrangements() {
        // Three records of one kind and one of another are in one of four orders.
        let chance = ln_chance_of_order(&[vec![1, 1, 2, 1]], 4).exp();
        assert!((chance - 0.25).abs() < 1e-12, "{chance}");
        assert!(ln_chance_of_order(&[vec![1; 5]], 5).abs() < 1e-12, "records that are all the same say nothing");
    }

    #[test]
    fn a_file_with_records_left_out_is_the_other_in_the_same_order() {
        let (short, long) = ([1, 3, 3], [1, 2, 3, 4, 3]);
        assert!(is_subsequence(3, 5, |row, there| short[row] == long[there]));
        assert!(is_subsequence(5, 3, |row, there| long[row] == short[there]));
        let other = [3, 1, 3];
        assert!(!is_subsequence(3, 5, |row, there| other[row] == long[there]));
    }
}
