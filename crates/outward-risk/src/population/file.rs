//! Compares the sample with the population it was drawn from, if there is a population file.
//!
//! The journalist does not know whether their target is in the file, so a record's chance is one over its class in the
//! population. The marketer wants as many correct matches as they can get (METHODS I.7).

use outward_cells::Cells;
use outward_error::Result;
use schemars::JsonSchema;
use serde::Serialize;

use crate::classes::Chances;

/// The sample beside the population, on one set of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PopulationMeasure {
    /// Records in the population.
    pub records: u64,
    /// Combinations of the keys that occur in it.
    pub cells: u64,
    /// People alone in the population.
    pub uniques: u64,
    /// Records alone in the sample that are alone in the population too.
    pub sample_uniques_unique: u64,
    /// Records of the sample whose combination does not occur in the population file.
    pub not_found: u64,
    /// Records of the sample whose combination occurs in the population file, but less often than in the sample.
    pub too_many: u64,
}

/// Counts the sample's cells in the population's.
pub fn measure_population(sample: &Cells, population: &Cells) -> Result<PopulationMeasure> {
    let positions: Vec<usize> = sample.keys().iter().filter_map(|key| population.key(&key.name)).collect();
    let counts = sample.counts_in(population)?;
    let population = population.margin(&positions);
    let both = || sample.counts().iter().zip(&counts);
    Ok(PopulationMeasure {
        records: population.records(),
        cells: population.len() as u64,
        uniques: population.counts().iter().filter(|count| **count == 1).count() as u64,
        sample_uniques_unique: both().filter(|(f, big)| **f == 1 && **big == 1).count() as u64,
        not_found: both().filter(|(_, big)| **big == 0).map(|(f, _)| *f).sum(),
        too_many: both().filter(|(f, big)| **big > 0 && *f > *big).map(|(f, _)| *f).sum(),
    })
}

/// The journalist's chances and the marketer's expected share of correct matches; `None` if no record of the sample
/// is in the population. Records not found there are left out.
pub fn measure_journalist(sample: &Cells, population: &Cells, k: u64) -> Result<Option<(Chances, f64)>> {
    let counts = sample.counts_in(population)?;
    // If the sample has more than the population, the files do not fit (OUT018). The class then counts as large as in
    // the sample.
    let found: Vec<(u64, u64)> = (sample.counts().iter().copied().zip(counts))
        .filter(|(_, population)| *population > 0)
        .map(|(records, population)| (records, population.max(records)))
        .collect();
    let (Some(smallest), Some(largest)) =
        (found.iter().map(|(_, big)| *big).min(), found.iter().map(|(_, big)| *big).max())
    else {
        return Ok(None);
    };
    let records: u64 = found.iter().map(|(f, _)| f).sum();
    let people: u64 = found.iter().map(|(_, big)| big).sum();
    let marketer = found.iter().map(|(f, big)| *f as f64 / *big as f64).sum::<f64>() / records as f64;
    let at_risk: u64 = found.iter().filter(|(_, big)| *big < k).map(|(f, _)| f).sum();
    let chances = Chances {
        highest: 1.0 / smallest as f64,
        average: marketer.max(found.len() as f64 / people as f64),
        lowest: 1.0 / largest as f64,
        at_risk: at_risk as f64 / records as f64,
    };
    Ok(Some((chances, marketer)))
}
