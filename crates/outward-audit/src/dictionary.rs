//! The simplex dictionary, in exact arithmetic.
//!
//! A dictionary writes the basic unknowns as sums of the nonbasic ones (Chvátal 1983, chapters 2 and 8). Every row has integer
//! coefficients and one integer denominator, so nothing is rounded. A row without terms is a cell that follows exactly
//! from what is published.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::attacker_problem::NONE;
use super::intervals::KnownBounds;

/// A basic unknown: `size`·y is the sum of the terms.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub(super) unknown: u32,
    pub(super) size: i64,
    pub(super) terms: Vec<(u32, i64)>,
    /// `size`·y at the present point.
    pub(super) value: i128,
}

/// Basic unknowns in terms of the others, and a feasible point.
#[derive(Debug, Clone)]
pub(super) struct Dictionary {
    pub(super) rows: Vec<Row>,
    /// The row of a basic unknown.
    pub(super) row_of: Vec<u32>,
    /// The rows in which a nonbasic unknown stands.
    pub(super) columns: Vec<Vec<u32>>,
    /// The values of the nonbasic unknowns.
    pub(super) at: Vec<i64>,
    pub(super) low: Vec<i64>,
    pub(super) high: Vec<i64>,
    /// Pivots made.
    pub(super) pivots: u64,
    /// Terms visited, the measure of work.
    pub(super) work: u64,
    /// Terms in all rows.
    terms: usize,
    merged: Vec<(u32, i64)>,
}

impl Dictionary {
    /// Solves the equations for as many unknowns as they determine, at the point 0. `None` after an overflow, or if the rows
    /// have more than `max_terms` terms.
    pub(super) fn new(low: &[i64], high: &[i64], equations: &[Vec<(u32, i64)>], max_terms: usize) -> Option<Self> {
        let count = low.len();
        let mut dictionary = Self {
            rows: equations
                .iter()
                .map(|terms| Row { unknown: NONE, size: 1, terms: terms.clone(), value: 0 })
                .collect(),
            row_of: vec![NONE; count],
            columns: vec![Vec::new(); count],
            at: vec![0; count],
            low: low.to_vec(),
            high: high.to_vec(),
            pivots: 0,
            work: 0,
            terms: equations.iter().map(Vec::len).sum(),
            merged: Vec::new(),
        };
        for (row, terms) in equations.iter().enumerate() {
            for (unknown, _) in terms {
                dictionary.columns[*unknown as usize].push(row as u32);
            }
        }
        dictionary.eliminate(max_terms)?;
        Some(dictionary)
    }

    /// Solves the shortest equation first, for its rarest unknown, to limit fill-in (Markowitz 1957).
    fn eliminate(&mut self, max_terms: usize) -> Option<()> {
        let mut shortest: BinaryHeap<Reverse<(usize, u32)>> =
            self.rows.iter().enumerate().map(|(row, r)| Reverse((r.terms.len(), row as u32))).collect();
        while let Some(Reverse((length, row))) = shortest.pop() {
            let terms = &self.rows[row as usize].terms;
            if self.rows[row as usize].unknown != NONE || terms.is_empty() {
                continue;
            }
            if terms.len() != length {
                shortest.push(Reverse((terms.len(), row)));
                continue;
            }
            let rarest = terms.iter().min_by_key(|(u, by)| (by.abs() != 1, self.columns[*u as usize].len(), *u));
            let enter = rarest.map(|(unknown, _)| *unknown)?;
            let touched = self.columns[enter as usize].clone();
            self.pivot(row, enter)?;
            if self.terms > max_terms {
                return None;
            }
            for other in touched {
                let other_row = &self.rows[other as usize];
                if other_row.unknown == NONE {
                    shortest.push(Reverse((other_row.terms.len(), other)));
                }
            }
        }
        Some(())
    }

    /// How many unknowns there are.
    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// How many terms there are in all rows. The cost of a pivot grows with them.
    pub(super) fn terms(&self) -> usize {
        self.terms
    }

    /// Whether the equations alone determine an unknown.
    pub(super) fn determined(&self, unknown: u32) -> bool {
        let row = self.row_of[unknown as usize];
        row != NONE && self.rows[row as usize].terms.is_empty()
    }

    /// Goes back to the true table, with bounds tightened by those known.
    pub(super) fn restart(&mut self, low: &[i64], high: &[i64], known: &KnownBounds) {
        self.at.fill(0);
        for row in &mut self.rows {
            row.value = 0;
        }
        self.low.copy_from_slice(low);
        self.high.copy_from_slice(high);
        for (class, ..) in known.iter() {
            let at = class as usize;
            (self.low[at], self.high[at]) = known.tighten(class, (low[at], high[at]));
        }
    }

    /// Pivot: `enter` becomes basic in place of the unknown of `row`, or of none if the row is still an equation.
    pub(super) fn pivot(&mut self, row: u32, enter: u32) -> Option<()> {
        self.pivots += 1;
        let Row { unknown: leave, size, mut terms, .. } = std::mem::take(&mut self.rows[row as usize]);
        let place = terms.binary_search_by_key(&enter, |(unknown, _)| *unknown).ok()?;
        let by = terms.remove(place).1;
        self.terms -= usize::from(leave == NONE);
        let sign = by.signum();
        for (_, other) in &mut terms {
            *other *= -sign;
        }
        if leave != NONE {
            let place = terms.partition_point(|(unknown, _)| *unknown < leave);
            terms.insert(place, (leave, sign * size));
            self.columns[leave as usize].push(row);
            self.row_of[leave as usize] = NONE;
        }
        let mut size = by.abs();
        shorten(&mut size, &mut terms);
        for other in std::mem::take(&mut self.columns[enter as usize]) {
            if other != row {
                self.substitute(other, enter, size, &terms)?;
            }
        }
        let value = value(&terms, &self.at);
        self.rows[row as usize] = Row { unknown: enter, size, terms, value };
        self.row_of[enter as usize] = row;
        Some(())
    }

    /// Substitutes the sum `terms` / `size` for an unknown in a row.
    fn substitute(&mut self, row: u32, enter: u32, size: i64, terms: &[(u32, i64)]) -> Option<()> {
        let target = &mut self.rows[row as usize];
        let place = target.terms.binary_search_by_key(&enter, |(unknown, _)| *unknown).ok()?;
        self.terms -= target.terms.len();
        let by = target.terms.remove(place).1;
        let common = gcd(by.unsigned_abs(), size.unsigned_abs()) as i64;
        let (by, times) = (by / common, size / common);
        self.merged.clear();
        let mut old = target.terms.iter().peekable();
        for (unknown, other) in terms {
            while let Some((before, kept)) = old.next_if(|(before, _)| before < unknown) {
                self.merged.push((*before, kept.checked_mul(times)?));
            }
            let added = by.checked_mul(*other)?;
            match old.next_if(|(same, _)| same == unknown) {
                Some((_, kept)) => {
                    let sum = kept.checked_mul(times)?.checked_add(added)?;
                    if sum != 0 {
                        self.merged.push((*unknown, sum));
                    } else {
                        let column = &mut self.columns[*unknown as usize];
                        column.swap_remove(column.iter().position(|r| *r == row)?);
                    }
                }
                None => {
                    self.merged.push((*unknown, added));
                    self.columns[*unknown as usize].push(row);
                }
            }
        }
        for (after, kept) in old {
            self.merged.push((*after, kept.checked_mul(times)?));
        }
        std::mem::swap(&mut target.terms, &mut self.merged);
        self.terms += target.terms.len();
        self.work += target.terms.len() as u64;
        target.size = target.size.checked_mul(times)?;
        shorten(&mut target.size, &mut target.terms);
        target.value = value(&target.terms, &self.at);
        Some(())
    }
}

/// Divides a row by the greatest common divisor of its numbers.
fn shorten(size: &mut i64, terms: &mut [(u32, i64)]) {
    let mut common = size.unsigned_abs();
    for (_, by) in terms.iter() {
        if common == 1 {
            return;
        }
        common = gcd(common, by.unsigned_abs());
    }
    if common > 1 {
        *size /= common as i64;
        terms.iter_mut().for_each(|(_, by)| *by /= common as i64);
    }
}

pub(super) fn value(terms: &[(u32, i64)], at: &[i64]) -> i128 {
    terms.iter().map(|(unknown, by)| i128::from(*by) * i128::from(at[*unknown as usize])).sum()
}

pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub(super) fn lcm(a: i64, b: i64) -> Option<i64> {
    (a / gcd(a.unsigned_abs(), b.unsigned_abs()) as i64).checked_mul(b)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::super::simplex::PushOutcome;
    use super::*;

    #[test]
    fn a_cell_that_follows_from_sums_of_several_is_determined() {
        // a + b + c = b + c + d = 0 moves a with d; with a + d fixed too, both are known and b is not
        let equations = [vec![(0, 1), (1, 1), (2, 1)], vec![(1, 1), (2, 1), (3, 1)], vec![(0, 1), (3, 1)]];
        let dictionary = Dictionary::new(&[-9; 4], &[9; 4], &equations, usize::MAX).unwrap();
        assert_eq!([0, 1, 2, 3].map(|unknown| dictionary.determined(unknown)), [true, false, false, true]);
    }

    #[test]
    fn an_end_between_whole_numbers_is_found_as_a_fraction() {
        // 2a = 3b and b is at max_terms 1: a goes to 3/2, and to a whole number no further than 0
        let mut dictionary = Dictionary::new(&[-9, -1], &[9, 1], &[vec![(0, 2), (1, -3)]], usize::MAX).unwrap();
        assert_eq!(dictionary.push(0, true, 9), Some(PushOutcome::Optimal));
        let point = dictionary.point().unwrap();
        assert_eq!((point.scale, point.moves), (2, vec![(0, 3), (1, 2)]));
        assert_eq!(dictionary.towards_truth(0), 1);
        dictionary.restart(&[-9, -1], &[9, 1], &KnownBounds::default());
        assert!(dictionary.circuits(0).is_empty() && dictionary.circuits(1).is_empty());
    }

    #[test]
    fn numbers_that_grow_too_large_are_noticed() {
        let weight = |row: i64, at: u32| (1_234_577 * (row + 3) * (i64::from(at) + 5)).pow(2) % 1_999_993 + 1;
        let equations: Vec<Vec<(u32, i64)>> =
            (0..5).map(|row| (0..8).map(|at| (at, weight(row, at))).collect()).collect();
        assert!(Dictionary::new(&[-9; 8], &[9; 8], &equations, usize::MAX).is_none());
    }
}
