//! The inner cells of a table: every combination of the finest values that occurs. All cells of the table are counted
//! from these.
//!
//! A variable with several answers has sets of values instead of values. All recodings of a table are counted from the
//! same inner cells, so that the records are read once.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use outward_spec::{Error, Result};

use crate::make::too_large;
use crate::source::ValueSource;
use crate::table::{Dimension, Magnitudes, Table};

/// A variable of the inner cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Base {
    /// The variable's name.
    pub variable: String,
    /// Its values; the value at position `i` has code `i + 1`, code 0 is missing.
    pub values: Vec<String>,
    /// The sets of codes that occur, if a record may have several values. Codes are ascending, each once.
    pub sets: Option<Vec<Vec<u32>>>,
    /// The source of the values.
    pub source: ValueSource,
    /// For each value its numbers among all variables with this source: one, or several if the variable is coarser than
    /// another of the source.
    pub numbers: Vec<Vec<u32>>,
    /// The values that pairs consist of, if the values are pairs.
    pub pairs: Option<Pairs>,
    /// How many values a record can have at most, if it may have several and there is a limit.
    pub most: Option<usize>,
    /// Whether values are those that occur in records of the unit, and not those of a list.
    pub occur: bool,
}

/// The values that pairs consist of, by their numbers among all values of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs {
    /// For each pair its two values.
    pub halves: Vec<[u32; 2]>,
    /// The values that are paired. If two of them are no pair here, no record has both.
    pub among: BTreeSet<u32>,
}

impl Base {
    /// The numbers of some codes, ascending.
    pub fn numbered(&self, codes: &[u32]) -> Vec<u32> {
        let mut numbers: Vec<u32> = Vec::with_capacity(codes.len());
        for code in codes {
            match self.numbers.get(*code as usize - 1) {
                Some(own) => numbers.extend(own),
                None => numbers.push(*code),
            }
        }
        numbers.sort_unstable();
        numbers
    }
}

/// Sums over the records with the same values on all variables of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many records.
    pub count: u64,
    /// The sum of their weights, in thousandths.
    pub weight: i64,
    /// The sum of their keys, modulo 2⁶⁴.
    pub key: u64,
    /// The sum of the weights of the records with an amount, in thousandths. Each weight is one if there are no
    /// weights.
    pub known: i64,
    /// The cost of hiding them, in thousandths, if a variable gives it; else 0.
    pub cost: i64,
    /// The sum of their positions among the records of the unit, from 1. For a single record this is its position.
    /// Given counts other than 1 have none.
    pub one: u64,
}

/// One contribution to a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Contribution {
    /// The inner cell.
    pub cell: u32,
    /// The contributor.
    pub contributor: u64,
    /// The amount, in units of one over the scale.
    pub amount: i64,
}

/// The inner cells of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inner {
    /// The variables, in the order of the table.
    pub bases: Vec<Base>,
    /// Cell by cell, the code of each variable or the number of its set.
    pub codes: Vec<u32>,
    /// The sums of each cell.
    pub tallies: Vec<Tally>,
    /// For sums and means, what each contributor adds to each cell; each contributor is listed once in a cell.
    pub contributions: Vec<Contribution>,
    /// Units of the amounts are one over this.
    pub scale: i64,
}

impl Inner {
    /// The codes of a cell.
    pub fn cell(&self, cell: usize) -> &[u32] {
        let width = self.bases.len();
        &self.codes[cell * width..(cell + 1) * width]
    }

    /// The values a cell has of one variable.
    pub fn answers<'a>(&'a self, variable: usize, code: &'a u32) -> &'a [u32] {
        match &self.bases[variable].sets {
            Some(sets) => &sets[*code as usize],
            None if *code == 0 => &[],
            None => std::slice::from_ref(code),
        }
    }

    /// Whether every record that is counted has a value of a variable.
    pub fn everyone_answers(&self, variable: usize) -> bool {
        (0..self.tallies.len()).all(|cell| !self.answers(variable, &self.cell(cell)[variable]).is_empty())
    }

    /// For each variable and each of its codes or sets, the nodes of the dimension that count it.
    fn nodes_of(&self, dimensions: &[Dimension]) -> Vec<Vec<Vec<u32>>> {
        let of = |variable: usize, dimension: &Dimension| -> Vec<Vec<u32>> {
            let base = &self.bases[variable];
            let mut by_value: Vec<Vec<u32>> = vec![Vec::new(); base.values.len() + 1];
            for (node, shown) in dimension.nodes.iter().enumerate() {
                shown.values.iter().for_each(|value| by_value[*value as usize].push(node as u32));
            }
            match &base.sets {
                None => by_value,
                Some(sets) => {
                    let joined = |set: &Vec<u32>| {
                        let mut nodes: Vec<u32> =
                            set.iter().flat_map(|value| by_value[*value as usize].clone()).collect();
                        nodes.sort_unstable();
                        nodes.dedup();
                        nodes
                    };
                    sets.iter().map(joined).collect()
                }
            }
        };
        dimensions.iter().enumerate().map(|(variable, dimension)| of(variable, dimension)).collect()
    }

    /// The matrix from inner to published cells: for each inner cell the cells of a table over these dimensions that
    /// count it.
    pub fn matrix(&self, dimensions: &[Dimension]) -> Matrix {
        let nodes = self.nodes_of(dimensions);
        let mut matrix = Matrix { starts: vec![0], cells: Vec::new() };
        let (mut here, mut next) = (Vec::new(), Vec::new());
        for cell in 0..self.tallies.len() {
            here.clear();
            here.push(0u32);
            for ((variable, code), dimension) in self.cell(cell).iter().enumerate().zip(dimensions) {
                next.clear();
                for at in &here {
                    next.extend(
                        nodes[variable][*code as usize].iter().map(|node| at * dimension.nodes.len() as u32 + node),
                    );
                }
                std::mem::swap(&mut here, &mut next);
            }
            matrix.cells.extend_from_slice(&here);
            matrix.starts.push(matrix.cells.len());
        }
        matrix
    }

    /// Counts a table over these dimensions; `largest` contributions of each cell are kept.
    ///
    /// # Errors
    /// Where the table has more cells than can be held.
    pub fn tabulate(&self, shell: Table, largest: usize) -> Result<Table> {
        let cells =
            shell.dimensions.iter().try_fold(1usize, |cells, dimension| cells.checked_mul(dimension.nodes.len()));
        let Some(cells) = cells.filter(|cells| *cells <= MAX_TABLE_CELLS) else {
            return Err(Error::input(format!("the table has more than {MAX_TABLE_CELLS} cells"))
                .help("show fewer variables, or coarser levels of them")
                .into());
        };
        let matrix = self.matrix(&shell.dimensions);
        let mut counts = vec![0u64; cells];
        let mut weights = shell.weighted.as_ref().map(|_| vec![0i64; cells]);
        let mut keys = vec![0u64; cells];
        for (inner, tally) in self.tallies.iter().enumerate() {
            for cell in matrix.row(inner) {
                let cell = *cell as usize;
                counts[cell] += tally.count;
                keys[cell] = keys[cell].wrapping_add(tally.key);
                if let Some(weights) = &mut weights {
                    weights[cell] = weights[cell].checked_add(tally.weight).ok_or_else(too_large)?;
                }
            }
        }
        let costs = self.costs(&matrix, cells)?;
        let magnitudes =
            shell.magnitudes.as_ref().map(|wanted| self.magnitudes(wanted, &matrix, cells, largest)).transpose()?;
        Ok(Table { counts, weighted: weights, keys, magnitudes, costs, ..shell })
    }

    /// The cost of hiding each published cell, at least 1. Empty if no cell has a cost.
    fn costs(&self, matrix: &Matrix, cells: usize) -> Result<Vec<i64>> {
        if self.tallies.iter().all(|tally| tally.cost == 0) {
            return Ok(Vec::new());
        }
        let mut costs = vec![0i64; cells];
        for (inner, tally) in self.tallies.iter().enumerate() {
            for cell in matrix.row(inner) {
                let cost = &mut costs[*cell as usize];
                *cost = cost.checked_add(tally.cost).ok_or_else(too_large)?;
            }
        }
        costs.iter_mut().for_each(|cost| *cost = (*cost).max(1));
        Ok(costs)
    }

    fn magnitudes(&self, wanted: &Magnitudes, matrix: &Matrix, cells: usize, keep: usize) -> Result<Magnitudes> {
        let mut by_cell: Vec<HashMap<u64, i64>> = vec![HashMap::new(); cells];
        for given in &self.contributions {
            for cell in matrix.row(given.cell as usize) {
                let sum = by_cell[*cell as usize].entry(given.contributor).or_default();
                *sum = sum.checked_add(given.amount).ok_or_else(too_large)?;
            }
        }
        let mut made =
            Magnitudes { scale: self.scale, of: wanted.of.clone(), mean: wanted.mean, ..Magnitudes::default() };
        for contributions in by_cell {
            let mut amounts: Vec<i64> = contributions.into_values().collect();
            amounts.sort_unstable_by(|a, b| b.cmp(a));
            made.sums
                .push(amounts.iter().try_fold(0i64, |sum, amount| sum.checked_add(*amount)).ok_or_else(too_large)?);
            made.contributors.push(amounts.len() as u64);
            amounts.truncate(keep);
            made.largest.push(amounts);
        }
        made.known = vec![0; cells];
        for (inner, tally) in self.tallies.iter().enumerate() {
            for cell in matrix.row(inner) {
                let known = &mut made.known[*cell as usize];
                *known = known.checked_add(tally.known).ok_or_else(too_large)?;
            }
        }
        Ok(made)
    }
}

/// Most cells of one table.
const MAX_TABLE_CELLS: usize = 20_000_000;

/// From inner cells to published cells: a sparse matrix of zeros and ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    starts: Vec<usize>,
    cells: Vec<u32>,
}

impl Matrix {
    /// The published cells that count an inner cell.
    pub fn row(&self, inner: usize) -> &[u32] {
        &self.cells[self.starts[inner]..self.starts[inner + 1]]
    }
}
