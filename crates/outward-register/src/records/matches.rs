//! Matches two published files: records that match exactly one record of the other file, both ways.
//!
//! Let *M* be the columns that both files show in the same groups and neither perturbed. A record of file *A* and one
//! of file *B* are a *match* if they agree on *M*, and no other record of either file has these values. Matches that
//! differ in the swapped columns show who was swapped: *swapped = matches on M − matches on M that also agree on the
//! swapped columns*.

use std::path::{Path, PathBuf};

use outward_cells::Cells;
use outward_engine::{CountRequest, Data, Engine, TypedColumn};
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
}

/// Matches two files. `alike` has the columns that both show in the same groups and neither perturbed, `perturbed`
/// those that one perturbed.
///
/// # Errors If a file cannot be read, or its columns have too many values to be counted.
pub async fn match_files(
    engine: &dyn Engine,
    (one, other): (&PublishedFile, &PublishedFile),
    alike: &[String],
    perturbed: &[String],
) -> Result<Matches> {
    if alike.is_empty() {
        return Ok(Matches { records: one.manifest.records_out, ..Matches::default() });
    }
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
    Ok(Matches { records: one.records(), matched, differing: matched - agreeing })
}
