//! The table a search works on: the distinct cells of the keys, and the labels of every key at every level.

use std::borrow::Cow;

use outward_cells::{Cells, Dictionary};
use outward_spec::{Error, Hierarchy, Result};

use super::grouping::Grouping;
use super::levels::{Key, KeyLevel, text_ranks};
use crate::packing::Packing;

/// Sensitive values of one cell: for each sensitive variable its codes in ascending order, with counts.
pub type Histograms = Vec<Vec<(u32, u64)>>;

/// What was counted. Columns have one entry for each cell; optional columns may be empty.
#[derive(Debug, Clone, Default)]
pub struct CountedCells {
    /// For each key the codes of all cells.
    pub codes: Vec<Vec<u32>>,
    /// Records of each cell; 0 for a cell that only the population has.
    pub counts: Vec<u64>,
    /// The subsets that the records of a cell are in, bit `s` for subset `s`. A combination of keys whose records are in
    /// different subsets is several cells.
    pub subsets: Vec<u64>,
    /// How many of the population have the keys of a cell, given at one of the cells where a combination is several.
    pub population: Vec<u64>,
    /// The sensitive values of each cell.
    pub sensitive: Vec<Histograms>,
}

/// Cells with the levels of their keys.
#[derive(Debug, Clone)]
pub struct SearchTable {
    keys: Vec<Key>,
    counted: CountedCells,
    records: u64,
    /// `maps[key][level]`: the label at a level of each label at the finest level.
    maps: Vec<Vec<Vec<u32>>>,
    /// `constant[key][level]`: whether all cells have one label.
    constant: Vec<Vec<bool>>,
    packing: Packing,
    /// `leaves[key][level]`: Σ of leaves over all records.
    leaves: Vec<Vec<u64>>,
    /// `entropy[key][level]`: −Σ log₂(records with the value / records with its label) over all records.
    entropy: Vec<Vec<f64>>,
    /// `ranks[key][level]`: for each label its rank by text.
    ranks: Vec<Vec<Vec<u32>>>,
}

impl SearchTable {
    /// A table of what was counted.
    pub fn new(keys: Vec<Key>, counted: CountedCells) -> Result<Self> {
        let cells = counted.counts.len();
        let fits = |length: usize| length == 0 || length == cells;
        let columns = counted.codes.len() == keys.len() && counted.codes.iter().all(|codes| codes.len() == cells);
        let optional = fits(counted.subsets.len()) && fits(counted.population.len()) && fits(counted.sensitive.len());
        if !columns || !optional || u32::try_from(cells).is_err() {
            return Err(Error::bug("the columns of a table have different lengths"));
        }
        let known = keys.iter().zip(&counted.codes).all(|(key, codes)| {
            key.levels.first().is_some_and(|level| codes.iter().all(|code| (*code as usize) < level.labels.len()))
        });
        if !known {
            return Err(Error::bug("a cell has a code that its key does not know"));
        }
        let records = counted.counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
        let largest = keys.iter().map(|key| key.domain.max(key.levels.len() as u64)).max().unwrap_or(1);
        // Sums of leaves over records are held in 64 bits; the check here is why nothing later can overflow.
        let Some(records) = records.filter(|records| records.checked_mul(largest.max(1)).is_some()) else {
            return Err(Error::input("there are too many records for the values of the keys to be summed").into());
        };
        let maps = keys.iter().map(maps).collect::<Result<Vec<_>>>()?;
        let rolled = |((key, codes), maps): ((&Key, &Vec<u32>), &Vec<Vec<u32>>)| {
            histograms(&key.levels, maps, codes, &counted.counts)
        };
        let histograms: Vec<Vec<Vec<u64>>> = keys.iter().zip(&counted.codes).zip(&maps).map(rolled).collect();
        let constant = keys.iter().zip(&counted.codes).map(|(key, codes)| constant_levels(key, codes)).collect();
        let leaves = keys.iter().zip(&histograms).map(|(key, counts)| sums_of_leaves(key, counts)).collect();
        let entropy = histograms.iter().zip(&maps).map(|(counts, maps)| entropies(counts, maps)).collect();
        let packing = Packing::new(keys.iter().map(largest_label));
        let texts = |level: &KeyLevel| text_ranks(&level.texts.iter().map(Option::as_deref).collect::<Vec<_>>());
        let ranks = keys.iter().map(|key| key.levels.iter().map(texts).collect()).collect();
        Ok(Self { keys, counted, records, maps, constant, packing, leaves, entropy, ranks })
    }

    /// A table of some columns of cells: those of `keys` with the hierarchy of each, and those that are sensitive.
    pub fn from_cells(cells: &Cells, keys: &[(usize, Option<&Hierarchy>)], sensitive: &[usize]) -> Result<Self> {
        let place = |at: usize| cells.keys().get(at).ok_or_else(|| Error::bug("cells have no such column"));
        let made = keys.iter().map(|(at, hierarchy)| {
            let column = place(*at)?;
            Key::new(&column.name, &column.dictionary, *hierarchy)
        });
        let made = made.collect::<Result<Vec<_>>>()?;
        for at in sensitive {
            place(*at)?;
        }
        // Columns are put in order, keys first, so that cells with equal keys are next to each other.
        let order: Vec<usize> = keys.iter().map(|(at, _)| *at).chain(sensitive.iter().copied()).collect();
        let same = order.len() == cells.keys().len() && order.iter().enumerate().all(|(to, from)| to == *from);
        let cells = if same { Cow::Borrowed(cells) } else { Cow::Owned(cells.margin(&order)) };
        let runs = match sensitive.is_empty() && same {
            true => (0..cells.len()).map(|cell| cell..cell + 1).collect(),
            false => cells.runs(keys.len()),
        };
        let codes = (0..keys.len()).map(|key| runs.iter().map(|run| cells.code(run.start, key)).collect()).collect();
        let counts = runs.iter().map(|run| cells.counts()[run.clone()].iter().sum()).collect();
        let histogram = |run: &std::ops::Range<usize>| -> Histograms {
            let of = |column: usize| {
                let pairs = run.clone().map(|cell| (cells.code(cell, keys.len() + column), cells.counts()[cell]));
                summed(pairs.collect())
            };
            (0..sensitive.len()).map(of).collect()
        };
        let sensitive = if sensitive.is_empty() { Vec::new() } else { runs.iter().map(histogram).collect() };
        Self::new(made, CountedCells { codes, counts, sensitive, ..CountedCells::default() })
    }

    /// A table of cells and of the cells of a population on the same keys, found by name.
    pub fn with_population(cells: &Cells, population: &Cells, hierarchies: &[Option<&Hierarchy>]) -> Result<Self> {
        if hierarchies.len() != cells.keys().len() {
            return Err(Error::bug("there is not one hierarchy, or none, for each key"));
        }
        let mut keys = Vec::new();
        let mut codes = Vec::new();
        for (at, (column, hierarchy)) in cells.keys().iter().zip(hierarchies).enumerate() {
            let other = population.key(&column.name).ok_or_else(|| {
                let help = "give the population file the same key columns as the data";
                Error::from(Error::input("the population file lacks a key").variable(&column.name).help(help))
            })?;
            let theirs = &population.keys()[other].dictionary;
            let values = column.dictionary.values().chain(theirs.values()).map(Box::from).collect();
            let both = Dictionary::new(values, column.dictionary.is_numeric() && theirs.is_numeric());
            keys.push(Key::new(&column.name, &both, *hierarchy)?);
            let code = |value: Option<&str>| value.and_then(|value| both.code(value)).unwrap_or(0);
            let mine = (0..cells.len()).map(|cell| code(cells.value(cell, at)));
            codes.push(mine.chain((0..population.len()).map(|cell| code(population.value(cell, other)))).collect());
        }
        let padded = |before: usize, counts: &[u64], after: usize| -> Vec<u64> {
            std::iter::repeat_n(0, before).chain(counts.iter().copied()).chain(std::iter::repeat_n(0, after)).collect()
        };
        let counts = padded(0, cells.counts(), population.len());
        let population = padded(cells.len(), population.counts(), 0);
        Self::new(keys, CountedCells { codes, counts, population, ..CountedCells::default() })
    }

    /// The keys.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// What was counted.
    pub fn counted(&self) -> &CountedCells {
        &self.counted
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.counted.counts.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.counted.counts.is_empty()
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The number of recodings: the product of the numbers of levels.
    pub fn recodings(&self) -> f64 {
        self.keys.iter().map(|key| key.levels.len() as f64).product()
    }

    /// Groups the cells by the labels of some keys at the levels of a recoding.
    pub(crate) fn group(&self, keys: &[usize], levels: &[u8]) -> Grouping {
        let split = |grouping: Grouping, key: &usize| {
            let level = &self.keys[*key].levels[levels[*key] as usize];
            grouping.split(self.counted.codes[*key].iter().map(|code| level.labels[*code as usize]), level.len())
        };
        keys.iter().fold(Grouping::whole(self.len()), split)
    }

    /// The label at a level of each label of a key at its finest level.
    pub(super) fn map(&self, key: usize, level: u8) -> &[u32] {
        &self.maps[key][level as usize]
    }

    /// Whether all cells have the same label of a key at a level.
    pub(super) fn is_constant(&self, key: usize, level: u8) -> bool {
        self.constant[key][level as usize]
    }

    pub(super) fn packing(&self) -> &Packing {
        &self.packing
    }

    /// Whether all labels of a key stand for one value each at its finest level.
    pub(super) fn is_exact(&self, key: usize) -> bool {
        self.keys[key].levels[0].leaves.iter().all(|leaves| *leaves == 1)
    }

    /// The rank by text of a label of a key at a level.
    pub(super) fn rank(&self, key: usize, level: u8, label: u32) -> u32 {
        self.ranks[key][level as usize][label as usize]
    }

    /// How many people of the population have each combination of the labels at these levels; none if there is no
    /// population. No recoding suppresses people of the population.
    pub(super) fn people(&self, levels: &[u8]) -> Option<Vec<u64>> {
        let population = &self.counted().population;
        let cells: Vec<usize> = (0..population.len()).filter(|cell| population[*cell] > 0).collect();
        let mut combinations = Grouping::whole(cells.len());
        for (key, level) in levels.iter().enumerate() {
            let (level, codes) = (&self.keys[key].levels[*level as usize], &self.counted().codes[key]);
            combinations =
                combinations.split(cells.iter().map(|cell| level.labels[codes[*cell] as usize]), level.len());
        }
        let mut people = vec![0; combinations.groups];
        combinations.group.iter().zip(&cells).for_each(|(group, cell)| people[*group as usize] += population[*cell]);
        (!population.is_empty()).then_some(people)
    }

    /// Leaves of the labels of a key at a level.
    pub(crate) fn leaves(&self, key: usize, level: u8) -> &[u64] {
        &self.keys[key].levels[level as usize].leaves
    }

    /// Σ of leaves over all records, where a key is at a level.
    pub(crate) fn all_leaves(&self, key: usize, level: u8) -> u64 {
        self.leaves[key][level as usize]
    }

    /// −Σ log₂(records with the value / records with its label) over all records, where a key is at a level.
    pub(crate) fn entropy(&self, key: usize, level: u8) -> f64 {
        self.entropy[key][level as usize]
    }

    /// The same where each cell has its own level. A label counts the records that would have it if all were at that level.
    pub(crate) fn entropy_of(&self, key: usize, level: impl Fn(usize) -> u8) -> f64 {
        let (codes, counts) = (&self.counted.codes[key], &self.counted.counts);
        let histograms = histograms(&self.keys[key].levels, &self.maps[key], codes, counts);
        let bits = |(cell, code): (usize, &u32)| {
            let at = level(cell) as usize;
            let label = |level: usize| self.keys[key].levels[level].labels[*code as usize] as usize;
            let ratio = histograms[at][label(at)] as f64 / histograms[0][label(0)].max(1) as f64;
            if counts[cell] == 0 { 0.0 } else { counts[cell] as f64 * ratio.log2() }
        };
        codes.iter().enumerate().map(bits).sum()
    }
}

/// Pairs of code and count, each code once and in ascending order.
pub(crate) fn summed(mut pairs: Vec<(u32, u64)>) -> Vec<(u32, u64)> {
    pairs.sort_unstable();
    pairs.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    pairs
}

/// For each level of a key, the label there of each label at the finest level.
fn maps(key: &Key) -> Result<Vec<Vec<u32>>> {
    let mut maps = vec![(0..key.levels.first().map_or(0, KeyLevel::len) as u32).collect::<Vec<u32>>()];
    for parent in key.parents()? {
        let next = maps[maps.len() - 1].iter().map(|label| parent[*label as usize]).collect();
        maps.push(next);
    }
    Ok(maps)
}

/// For each level of a key, the number of records with each label.
fn histograms(levels: &[KeyLevel], maps: &[Vec<u32>], codes: &[u32], counts: &[u64]) -> Vec<Vec<u64>> {
    let mut finest = vec![0; levels[0].len()];
    for (code, count) in codes.iter().zip(counts) {
        finest[levels[0].labels[*code as usize] as usize] += count;
    }
    let rolled_up = |(level, map): (&KeyLevel, &Vec<u32>)| {
        let mut records = vec![0; level.len()];
        finest.iter().zip(map).for_each(|(count, label)| records[*label as usize] += count);
        records
    };
    levels.iter().zip(maps).map(rolled_up).collect()
}

/// For each level of a key, whether all cells have one label.
fn constant_levels(key: &Key, codes: &[u32]) -> Vec<bool> {
    let mut seen = vec![false; key.levels[0].labels.len()];
    codes.iter().for_each(|code| seen[*code as usize] = true);
    let constant = |level: &KeyLevel| {
        let mut labels = level.labels.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(label, _)| *label);
        let first = labels.next();
        labels.all(|label| Some(label) == first)
    };
    key.levels.iter().map(constant).collect()
}

fn sums_of_leaves(key: &Key, histograms: &[Vec<u64>]) -> Vec<u64> {
    let sum = |(level, counts): (&KeyLevel, &Vec<u64>)| {
        level.leaves.iter().zip(counts).map(|(leaves, count)| leaves * count).sum()
    };
    key.levels.iter().zip(histograms).map(sum).collect()
}

/// The last label at the finest level of a key.
fn largest_label(key: &Key) -> u32 {
    key.levels.first().map_or(0, |level| level.len().saturating_sub(1)) as u32
}

fn entropies(histograms: &[Vec<u64>], up: &[Vec<u32>]) -> Vec<f64> {
    let of = |(records, labels): (&Vec<u64>, &Vec<u32>)| {
        let bits = |(count, label): (&u64, &u32)| match *count {
            0 => 0.0,
            count => count as f64 * (records[*label as usize] as f64 / count as f64).log2(),
        };
        histograms[0].iter().zip(labels).map(bits).sum()
    };
    histograms.iter().zip(up).map(of).collect()
}
