//! Finished data as cells: codes of the keys with how many records have them, and what else models read.

use outward_cells::Cells;
use outward_spec::{Error, Result};

/// Combinations of the keys with how many records have each. A combination may be there more than once, such as once for
/// every value of a sensitive variable; its cells are taken together.
#[derive(Debug, Clone)]
pub struct CellTable {
    keys: Vec<Vec<u32>>,
    counts: Vec<u64>,
    wild: Vec<bool>,
    subsets: Vec<Vec<u64>>,
    population: Option<Vec<u64>>,
    sensitive: Vec<Histograms>,
    sampling_fraction: Option<f64>,
}

/// For each cell, the codes of a sensitive variable and how many records have each.
#[derive(Debug, Clone)]
struct Histograms {
    /// Where the entries of each cell begin, and where the last end.
    starts: Vec<usize>,
    entries: Vec<(u32, u64)>,
}

impl Histograms {
    /// For each entry its cell, a code and a count, in any order.
    fn from_parts(cells: usize, parts: impl IntoIterator<Item = (usize, u32, u64)>) -> Result<Self> {
        let mut parts: Vec<(usize, u32, u64)> = parts.into_iter().collect();
        parts.sort_unstable();
        if parts.last().is_some_and(|(cell, _, _)| *cell >= cells) {
            return Err(Error::bug("a sensitive value belongs to a cell that is not there"));
        }
        let mut starts = vec![0; cells + 1];
        parts.iter().for_each(|(cell, _, _)| starts[cell + 1] += 1);
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        Ok(Self { starts, entries: parts.into_iter().map(|(_, code, count)| (code, count)).collect() })
    }

    fn of_cell(&self, cell: usize) -> &[(u32, u64)] {
        &self.entries[self.starts[cell]..self.starts[cell + 1]]
    }
}

impl CellTable {
    /// Cells by their codes, one column per key, and how many records have each. No key is wild.
    pub fn new(keys: Vec<Vec<u32>>, counts: Vec<u64>) -> Result<Self> {
        let wild = vec![false; keys.len()];
        let table = Self {
            keys,
            counts,
            wild,
            subsets: Vec::new(),
            population: None,
            sensitive: Vec::new(),
            sampling_fraction: None,
        };
        table.keys.iter().try_for_each(|key| table.fits(key.len()))?;
        Ok(table)
    }

    /// Cells of which the first `keys` variables are keys and all others sensitive.
    pub fn of_cells(cells: &Cells, keys: usize) -> Result<Self> {
        let column = |key: usize| (0..cells.len()).map(|cell| cells.code(cell, key)).collect::<Vec<u32>>();
        let keys = keys.min(cells.keys().len());
        let mut table = Self::new((0..keys).map(column).collect(), cells.counts().to_vec())?;
        for variable in keys..cells.keys().len() {
            let codes = column(variable).into_iter().zip(cells.counts()).enumerate();
            table = table.with_sensitive(codes.map(|(cell, (code, count))| (cell, code, *count)))?;
        }
        Ok(table)
    }

    /// Says for each key whether its missing values match everything.
    pub fn with_wild(mut self, wild: Vec<bool>) -> Result<Self> {
        if wild.len() != self.keys.len() {
            return Err(Error::bug("not every key is said to be wild or not"));
        }
        self.wild = wild;
        Ok(self)
    }

    /// A further subset: how many of each cell's records are in it.
    pub fn with_subset(mut self, counts: Vec<u64>) -> Result<Self> {
        self.fits(counts.len())?;
        if counts.iter().zip(&self.counts).any(|(subset, all)| subset > all) {
            return Err(Error::bug("a subset has more records of a cell than there are"));
        }
        self.subsets.push(counts);
        Ok(self)
    }

    /// The number of people of the population who have each cell's keys. Missing is a value like any other.
    pub fn with_population(mut self, people: Vec<u64>) -> Result<Self> {
        self.fits(people.len())?;
        self.population = Some(people);
        Ok(self)
    }

    /// A further sensitive variable: a cell, a code (0 is missing) and a number of records each, in any order.
    pub fn with_sensitive(mut self, parts: impl IntoIterator<Item = (usize, u32, u64)>) -> Result<Self> {
        let histograms = Histograms::from_parts(self.len(), parts)?;
        let records = |cell: usize| histograms.of_cell(cell).iter().map(|(_, count)| count).sum::<u64>();
        if (0..self.len()).any(|cell| records(cell) > self.counts[cell]) {
            return Err(Error::bug("a cell has more sensitive values than records"));
        }
        self.sensitive.push(histograms);
        Ok(self)
    }

    /// The share of the population that is in the data.
    #[must_use]
    pub fn with_sampling_fraction(mut self, fraction: Option<f64>) -> Self {
        self.sampling_fraction = fraction;
        self
    }

    fn fits(&self, length: usize) -> Result<()> {
        if length == self.counts.len() {
            Ok(())
        } else {
            Err(Error::bug("columns of a table of cells differ in length"))
        }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The codes of each key.
    pub fn keys(&self) -> &[Vec<u32>] {
        &self.keys
    }

    /// How many records have each cell.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// For each key whether its missing values match everything.
    pub fn wild(&self) -> &[bool] {
        &self.wild
    }

    pub(crate) fn sampling_fraction(&self) -> Option<f64> {
        self.sampling_fraction
    }

    /// Records of each cell that are in a subset; all where none is named.
    pub(crate) fn amounts(&self, subset: Option<usize>) -> Result<&[u64]> {
        match subset {
            None => Ok(&self.counts),
            Some(subset) => {
                Ok(self.subsets.get(subset).ok_or_else(|| Error::bug("a model names a subset that is not there"))?)
            }
        }
    }

    pub(crate) fn population(&self, cell: usize) -> Option<u64> {
        self.population.as_ref()?.get(cell).copied()
    }

    pub(crate) fn sensitive_variables(&self) -> usize {
        self.sensitive.len()
    }

    pub(crate) fn histogram(&self, variable: usize, cell: usize) -> &[(u32, u64)] {
        self.sensitive[variable].of_cell(cell)
    }

    /// The values of every sensitive variable as a whole, over the cells that have records left.
    pub(crate) fn whole(&self, left: &[u64]) -> Vec<Vec<(u32, u64)>> {
        let whole = |variable: usize| {
            let mut counts: Vec<(u32, u64)> = Vec::new();
            for cell in (0..self.len()).filter(|cell| left[*cell] > 0) {
                for (code, count) in self.histogram(variable, cell) {
                    let code = *code as usize;
                    if counts.len() <= code {
                        counts.extend((counts.len()..=code).map(|code| (code as u32, 0)));
                    }
                    counts[code].1 += count;
                }
            }
            counts.retain(|(_, count)| *count > 0);
            counts
        };
        (0..self.sensitive.len()).map(whole).collect()
    }

    /// The table without the records of some of its cells. The people of the population in them stay, with no record.
    pub fn without(&self, removed: &[bool]) -> Result<Self> {
        self.fits(removed.len())?;
        let people = |cell: usize| self.population(cell).is_some_and(|people| people > 0);
        let kept: Vec<usize> = (0..self.len()).filter(|cell| !removed[*cell] || people(*cell)).collect();
        let of_kept = |counts: &Vec<u64>| -> Vec<u64> {
            kept.iter().map(|cell| if removed[*cell] { 0 } else { counts[*cell] }).collect()
        };
        let parts = |histograms: &Histograms| {
            let of_cell = |(at, cell): (usize, &usize)| {
                histograms.of_cell(*cell).iter().map(move |(code, count)| (at, *code, *count)).collect::<Vec<_>>()
            };
            let with_records = kept.iter().enumerate().filter(|(_, cell)| !removed[**cell]);
            Histograms::from_parts(kept.len(), with_records.flat_map(of_cell))
        };
        Ok(Self {
            keys: self.keys.iter().map(|key| kept.iter().map(|cell| key[*cell]).collect()).collect(),
            counts: of_kept(&self.counts),
            wild: self.wild.clone(),
            subsets: self.subsets.iter().map(of_kept).collect(),
            population: self.population.as_ref().map(|people| kept.iter().map(|cell| people[*cell]).collect()),
            sensitive: self.sensitive.iter().map(parts).collect::<Result<_>>()?,
            sampling_fraction: self.sampling_fraction,
        })
    }
}
