//! The inner cells of a table: every combination of the finest values that occurs, from which all its cells are counted.
//!
//! A variable with several answers has sets of values in place of values. All recodings of a table are counted from the same
//! inner cells, so that the records are read once.

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
    /// The sets of codes that occur, where a record may have several values: codes ascending, each once.
    pub sets: Option<Vec<Vec<u32>>>,
    /// What the values are read from.
    pub source: ValueSource,
    /// For each value the numbers that stand for it in all variables with this source: one, or several where the variable is a
    /// coarser one of the source.
    pub numbers: Vec<Vec<u32>>,
    /// Where the values are pairs, what they are pairs of.
    pub pairs: Option<Pairs>,
    /// How many values a record can have at most, where it may have several and there is a limit.
    pub most: Option<usize>,
    /// Whether every value is one because a record of the unit has it, and not because a list has it.
    pub occur: bool,
}

/// What pairs are pairs of, by the numbers of the values among all of their source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs {
    /// For each pair the two.
    pub halves: Vec<[u32; 2]>,
    /// The values that are paired: two of them that are no pair here are together in no record.
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

/// Records that are alike in all variables of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many records.
    pub count: u64,
    /// The sum of their weights, in thousandths.
    pub weight: i64,
    /// The sum of their keys, modulo 2⁶⁴.
    pub key: u64,
    /// The sum of the weights of those that have an amount, in thousandths; each has a weight of one where there are none.
    pub known: i64,
    /// What it costs to hide them, in thousandths, where a variable says it; else 0.
    pub cost: i64,
    /// The sum of their places among the records of the unit, from 1: where it is one record, its place. Given counts but for 1 have none.
    pub one: u64,
}

/// One contribution to what is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Contribution {
    /// The inner cell.
    pub cell: u32,
    /// Whose it is.
    pub contributor: u64,
    /// How much, in units of one over the scale.
    pub amount: i64,
}

/// The inner cells of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inner {
    /// The variables, in the order of the table.
    pub bases: Vec<Base>,
    /// For each cell the code of each variable, or the number of its set; cell by cell.
    pub codes: Vec<u32>,
    /// What is in each cell.
    pub tallies: Vec<Tally>,
    /// What is added up, for sums and means, with the variable and the scale; each contributor once in a cell.
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

    /// Whether everyone who is counted has a value of a variable.
    pub fn everyone_answers(&self, variable: usize) -> bool {
        (0..self.tallies.len()).all(|cell| !self.answers(variable, &self.cell(cell)[variable]).is_empty())
    }

    /// For each variable and each of its codes (or sets), the nodes of the dimension it is counted in.
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

    /// For each inner cell the cells of a table over these dimensions it is counted in: the matrix from inner to published
    /// cells, row by row.
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
        let Some(cells) = cells.filter(|cells| *cells <= MOST_CELLS) else {
            return Err(Error::input(format!("the table has more than {MOST_CELLS} cells"))
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

    /// What it costs to hide each of the published cells; nothing is free. None where nothing costs anything.
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

/// More cells than this are not held in one table.
const MOST_CELLS: usize = 20_000_000;

/// From inner cells to published cells: a sparse matrix of zeros and ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    starts: Vec<usize>,
    cells: Vec<u32>,
}

impl Matrix {
    /// The published cells an inner cell is counted in.
    pub fn row(&self, inner: usize) -> &[u32] {
        &self.cells[self.starts[inner]..self.starts[inner + 1]]
    }
}
