//! Zero-half cuts: no integer solution violates them, but a fractional one may (Caprara and Fischetti 1996).
//!
//! Add up some equations. Columns with an even coefficient cannot change whether the sum is odd, so that the columns
//! with an odd coefficient decide it. Suppose that they are at their bounds, as in the fractional solution. If the two
//! sides of the sum then differ in being odd, at least one of these columns must leave its bound: `Σ_at_0 x +
//! Σ_at_upper (upper − x) ≥ 1`. Elimination modulo 2 on the fractional columns finds the sums in which all odd columns
//! are at bounds.

use super::integer_program::{INTEGRALITY, IntegerProgram};
use highs::Col;

/// The most cuts of one round, sparse ones first.
const MAX_CUTS: usize = 200;
/// Cuts with more columns than this slow the linear program down more than they help.
const MAX_CUT_COLUMNS: usize = 150;

/// At least one of these columns leaves its bound: `true` for the upper one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ZeroHalfCut(pub(super) Vec<(u32, bool)>);

impl ZeroHalfCut {
    /// The cut as a row: the least value that its terms sum to, and the terms.
    pub(super) fn row(&self, program: &IntegerProgram, columns: &[Col]) -> (f64, Vec<(Col, f64)>) {
        let uppers: i64 =
            self.0.iter().filter(|(_, upper)| *upper).map(|(column, _)| program.uppers[*column as usize]).sum();
        let sign = |upper: bool| if upper { -1.0 } else { 1.0 };
        (1.0 - uppers as f64, self.0.iter().map(|(column, upper)| (columns[*column as usize], sign(*upper))).collect())
    }
}

/// Cuts that these values violate.
pub(super) fn separate(program: &IntegerProgram, values: &[f64]) -> Vec<ZeroHalfCut> {
    let at_upper: Vec<bool> =
        values.iter().zip(&program.uppers).map(|(value, upper)| 2.0 * value > *upper as f64).collect();
    let slack = |column: usize| {
        let upper = program.uppers[column] as f64;
        if at_upper[column] { upper - values[column] } else { values[column] }
    };
    let loose: Vec<u32> =
        (0..values.len()).filter(|column| slack(*column) > INTEGRALITY).map(|column| column as u32).collect();
    let mut rows = parities(program, &at_upper, &loose);
    eliminate(&mut rows, &loose);
    let mut cuts: Vec<ZeroHalfCut> = Vec::new();
    for row in rows.iter().filter(|row| row.odd) {
        let columns: Vec<u32> = row.columns().collect();
        let violated =
            columns.len() <= MAX_CUT_COLUMNS && columns.iter().map(|column| slack(*column as usize)).sum::<f64>() < 0.9;
        if violated {
            cuts.push(ZeroHalfCut(columns.into_iter().map(|column| (column, at_upper[column as usize])).collect()));
        }
    }
    cuts.sort_by(|one, other| (one.0.len(), &one.0).cmp(&(other.0.len(), &other.0)));
    cuts.dedup();
    cuts.truncate(MAX_CUTS);
    cuts
}

/// The columns of odd coefficient in a sum of equations, and whether it does not hold modulo 2 with all of them at bounds.
struct Parity {
    bits: Vec<u64>,
    odd: bool,
}

impl Parity {
    fn has(&self, column: u32) -> bool {
        self.bits[column as usize / 64] >> (column % 64) & 1 == 1
    }

    fn add(&mut self, other: &Self) {
        self.odd ^= other.odd;
        self.bits.iter_mut().zip(&other.bits).for_each(|(one, other)| *one ^= other);
    }

    fn columns(&self) -> impl Iterator<Item = u32> {
        let places = |(at, word): (usize, &u64)| {
            let word = *word;
            (0..64u32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u32 * 64 + bit)
        };
        self.bits.iter().enumerate().flat_map(places)
    }
}

/// The equations with a loose column, modulo 2; short ones first, so that elimination keeps sums short.
fn parities(program: &IntegerProgram, at_upper: &[bool], loose: &[u32]) -> Vec<Parity> {
    let mut is_loose = vec![false; at_upper.len()];
    loose.iter().for_each(|column| is_loose[*column as usize] = true);
    let mut rows: Vec<_> =
        program.rows.iter().filter(|row| row.terms.iter().any(|(column, _)| is_loose[*column as usize])).collect();
    rows.sort_by_key(|row| row.terms.len());
    rows.into_iter()
        .map(|row| {
            let mut parity = Parity { bits: vec![0; at_upper.len().div_ceil(64)], odd: row.right & 1 == 1 };
            for (column, _) in row.terms.iter().filter(|(_, by)| by & 1 == 1) {
                parity.bits[*column as usize / 64] ^= 1 << (column % 64);
                parity.odd ^= at_upper[*column as usize] && program.uppers[*column as usize] & 1 == 1;
            }
            parity
        })
        .collect()
}

/// Clears each loose column from all equations but one.
fn eliminate(rows: &mut [Parity], loose: &[u32]) {
    let mut done = 0;
    for column in loose {
        let Some(pivot) = (done..rows.len()).find(|row| rows[*row].has(*column)) else { continue };
        rows.swap(done, pivot);
        let (before, rest) = rows.split_at_mut(done);
        let Some((pivot, after)) = rest.split_first_mut() else { continue };
        for row in before.iter_mut().chain(after) {
            if row.has(*column) {
                row.add(pivot);
            }
        }
        done += 1;
    }
}
