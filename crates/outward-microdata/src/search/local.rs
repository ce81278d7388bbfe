//! Local improvement: records that the best recoding suppresses are recoded among themselves, in further rounds. So no
//! region of the data loses detail because another is rare.
//!
//! In each round the models are applied to the records of that round alone, and then to the release as it would be
//! published. If two rounds publish equal labels, their classes are one. A round that would break a model there, or
//! does not lower the loss, ends the improvement.

use std::collections::BTreeMap;

use outward_spec::{Error, Result};

use super::demands::Demands;
use super::examine::examine;
use super::grouping::Grouping;
use super::progress::{Recoded, describe};
use super::table::{CountedCells, SearchTable};
use super::{Candidate, Search, search};

/// A release with different levels for different records.
#[derive(Debug, Clone, PartialEq)]
pub struct Improved {
    /// The levels of each round, and the round of each cell.
    pub recoded: Recoded,
    /// Records published by each round.
    pub records: Vec<u64>,
    /// The release as a recoding; its `levels` are those of the first round.
    pub release: Candidate,
    /// Recodings looked at in all rounds.
    pub nodes: u64,
}

/// Improves the best recoding of a search. In each further round up to `round_limit` of the records left may stay suppressed.
pub fn improve(
    table: &SearchTable,
    settings: &Search<'_>,
    best: &Candidate,
    round_limit: f64,
    most_rounds: usize,
) -> Result<Improved> {
    if best.suppressed.len() != table.len() {
        return Err(Error::bug("a recoding of another table was to be improved"));
    }
    let mut improved = Improved {
        recoded: best.recoded(),
        records: vec![table.records() - best.suppressed_records],
        release: best.clone(),
        nodes: 0,
    };
    while improved.records.len() < most_rounds && improved.release.suppressed_records > 0 {
        let (left, cells) = remainder(table, &improved.recoded)?;
        // A few records are not enough to compare with. A round is compared with the whole file, and then the release
        // with itself.
        let answer = search(&left, &Search { limit: round_limit, fits: false, ..settings.again() })?;
        improved.nodes += answer.nodes;
        let Some(round) = answer.best.filter(|best| best.suppressed_records < left.records()) else { break };
        let mut recoded = improved.recoded.clone();
        let number = recoded.rounds.len() as u32;
        recoded.rounds.push(round.levels.clone());
        for (cell, suppressed) in cells.iter().zip(&round.suppressed) {
            if !suppressed && table.counted().counts[*cell] > 0 {
                recoded.round[*cell] = Some(number);
            }
        }
        let Some(release) = published(table, settings, &recoded) else { break };
        if release.loss >= improved.release.loss {
            break;
        }
        improved.records.push(left.records() - round.suppressed_records);
        improved.recoded = recoded;
        improved.release = Candidate { levels: best.levels.clone(), ..release };
    }
    Ok(improved)
}

/// The cells that are still suppressed, and where they stand in the table. Cells of the population stay, without records.
fn remainder(table: &SearchTable, recoded: &Recoded) -> Result<(SearchTable, Vec<usize>)> {
    let counted = table.counted();
    let left = |cell: usize| recoded.round[cell].is_none() && counted.counts[cell] > 0;
    let cells: Vec<usize> =
        (0..table.len()).filter(|cell| left(*cell) || counted.population.get(*cell).is_some_and(|n| *n > 0)).collect();
    fn taken<T: Clone>(column: &[T], cells: &[usize]) -> Vec<T> {
        if column.is_empty() { Vec::new() } else { cells.iter().map(|cell| column[*cell].clone()).collect() }
    }
    let remaining = CountedCells {
        codes: counted.codes.iter().map(|codes| taken(codes, &cells)).collect(),
        counts: cells.iter().map(|cell| if left(*cell) { counted.counts[*cell] } else { 0 }).collect(),
        subsets: taken(&counted.subsets, &cells),
        population: taken(&counted.population, &cells),
        sensitive: taken(&counted.sensitive, &cells),
    };
    Ok((SearchTable::new(table.keys().to_vec(), remaining)?, cells))
}

/// The recoding that a release amounts to, its classes distinguished by the texts of their labels. None if a model does
/// not hold.
fn published(table: &SearchTable, settings: &Search<'_>, recoded: &Recoded) -> Option<Candidate> {
    let texts: Vec<Vec<u32>> = (0..table.keys().len()).map(|key| texts_of(table, recoded, key)).collect();
    let many: Vec<usize> = texts.iter().map(|texts| texts.iter().max().map_or(0, |text| *text as usize + 1)).collect();
    let group = |keys: &[usize]| {
        let whole = Grouping::whole(table.len());
        keys.iter().fold(whole, |grouping, key| grouping.split(texts[*key].iter().copied(), many[*key]))
    };
    let gone: Vec<bool> = recoded.round.iter().map(Option::is_none).collect();
    let reads_population = settings.models.iter().any(|model| model.reads_population());
    if reads_population && rounds_share_a_class(&group(&(0..many.len()).collect::<Vec<_>>()), recoded) {
        return None;
    }
    // A class of one round has the population that its round was searched with. Those models have been checked already.
    let models = settings.models.iter().map(|model| &**model).filter(|model| !model.reads_population());
    let demands = Demands::new(models.collect(), table, settings.sampling_fraction, true);
    let level = |cell: usize, key: usize| recoded.rounds[recoded.round[cell].unwrap_or(0) as usize][key] as u8;
    let counts = &table.counted().counts;
    let examined = examine(table, &demands, |_, keys| group(keys), level, gone.clone());
    let same = examined.suppressed.iter().zip(&gone).zip(counts).all(|((now, before), n)| *n == 0 || now == before);
    (same && examined.holds).then(|| describe(settings.measure, &recoded.rounds[0], examined))
}

/// Whether two rounds publish a class with equal labels.
fn rounds_share_a_class(classes: &Grouping, recoded: &Recoded) -> bool {
    let mut rounds: Vec<Option<u32>> = vec![None; classes.groups];
    let published = classes.group.iter().zip(&recoded.round).filter_map(|(class, round)| Some((*class, (*round)?)));
    let mut shared = false;
    for (class, round) in published {
        shared |= *rounds[class as usize].get_or_insert(round) != round;
    }
    shared
}

/// For each cell a number for the text that a key is published with.
fn texts_of(table: &SearchTable, recoded: &Recoded, key: usize) -> Vec<u32> {
    let levels = &table.keys()[key].levels;
    let mut numbers: BTreeMap<Option<&str>, u32> = BTreeMap::new();
    let codes = table.counted().codes[key].iter();
    let number = |(code, round): (&u32, &Option<u32>)| {
        let level = &levels[recoded.rounds[round.unwrap_or(0) as usize][key]];
        let text = level.texts[level.labels[*code as usize] as usize].as_deref();
        let next = numbers.len() as u32;
        *numbers.entry(text).or_insert(next)
    };
    codes.zip(&recoded.round).map(number).collect()
}
