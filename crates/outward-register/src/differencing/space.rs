//! The row space of cells over parts, in whole numbers, and the groups in it.

use std::collections::BTreeSet;

use super::line::{Combination, LARGEST_COEFFICIENT, MAX_STEPS};

/// A row of the matrix, and the cells whose combination it is.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) parts: Vec<i128>,
    pub(super) cells: Vec<i128>,
    /// The part that no other row of the reduced form has.
    pub(super) pivot: usize,
}

impl Row {
    /// Subtracts a multiple of another row, so that the entry at the pivot of that row becomes 0; `None` if numbers
    /// grow too large.
    pub(super) fn take_away(&mut self, other: &Self) -> Option<()> {
        let (times, by) = (other.parts[other.pivot], self.parts[other.pivot]);
        let all = |own: &mut Vec<i128>, others: &Vec<i128>| -> Option<()> {
            for (own, other) in own.iter_mut().zip(others) {
                *own = own.checked_mul(times)?.checked_sub(other.checked_mul(by)?)?;
            }
            Some(())
        };
        all(&mut self.parts, &other.parts)?;
        all(&mut self.cells, &other.cells)?;
        let common = self.parts.iter().chain(&self.cells).fold(0, |common, value| gcd(common, value.abs()));
        if common > 1 {
            self.parts.iter_mut().chain(&mut self.cells).for_each(|value| *value /= common);
        }
        Some(())
    }
}

/// Connected sets of rows: rows are connected if they share a column, directly or through others.
pub(super) fn connected(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut groups: Vec<(BTreeSet<usize>, Vec<&Row>)> = Vec::new();
    for row in rows {
        let mut columns: BTreeSet<usize> =
            row.parts.iter().enumerate().filter(|(_, value)| **value != 0).map(|(part, _)| part).collect();
        let mut own = vec![row];
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(other, _)| !other.is_disjoint(&columns));
        for (other, rows) in joined {
            columns.extend(other);
            own.extend(rows);
        }
        groups = apart;
        groups.push((columns, own));
    }
    groups.into_iter().map(|(_, rows)| rows).collect()
}

/// A search through the sums of connected rows for those of ones and zeros.
pub(super) struct Sums<'a, 'b> {
    pub(super) rows: &'a [&'a Row],
    /// For each row the columns that no later row has.
    pub(super) done: &'a [Vec<usize>],
    /// A common multiple of all pivots.
    pub(super) scale: i128,
    pub(super) steps: usize,
    pub(super) found: &'b mut Vec<Combination>,
}

impl Sums<'_, '_> {
    /// Goes on if every column that no later row has is zero or one.
    pub(super) fn next(&mut self, at: usize, parts: &mut Vec<i128>, cells: &mut Vec<i128>) {
        if self.done[at].iter().all(|part| [0, self.scale].contains(&parts[*part])) {
            self.go(at + 1, parts, cells);
        }
    }

    pub(super) fn go(&mut self, at: usize, parts: &mut Vec<i128>, cells: &mut Vec<i128>) {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return;
        }
        let Some(row) = self.rows.get(at) else {
            let is_group =
                parts.iter().all(|value| [0, self.scale].contains(value)) && parts.iter().any(|value| *value != 0);
            let common = cells.iter().fold(self.scale, |common, value| gcd(common, value.abs()));
            let small =
                |value: &i128| i64::try_from(value / common).ok().filter(|value| value.abs() <= LARGEST_COEFFICIENT);
            let used = cells.iter().enumerate().filter(|(_, value)| **value != 0);
            let used: Option<Vec<(usize, i64)>> = used.map(|(cell, value)| Some((cell, small(value)?))).collect();
            match (is_group, used, small(&self.scale)) {
                (true, Some(cells), Some(divisor)) => self.found.push(Combination { cells, divisor }),
                // Numbers are too large: the search is not complete.
                (true, ..) => self.steps = MAX_STEPS + 1,
                _ => {}
            }
            return;
        };
        self.next(at, parts, cells);
        let times = self.scale / row.parts[row.pivot];
        let add = |to: &mut Vec<i128>, from: &Vec<i128>, times: i128| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from * times);
        };
        add(parts, &row.parts, times);
        add(cells, &row.cells, times);
        self.next(at, parts, cells);
        add(parts, &row.parts, -times);
        add(cells, &row.cells, -times);
    }
}

pub(super) fn gcd(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { gcd(other, one % other) }
}
