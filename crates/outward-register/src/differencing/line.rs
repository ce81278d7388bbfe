//! A line of cells: which part of a variable is in which cell, and which groups follow by subtraction.

use std::collections::{BTreeMap, BTreeSet};

use super::places::OnLine;
use super::space::{Row, Sums, connected, gcd};

/// Most parts of a line that are eliminated.
pub(super) const MAX_PARTS: usize = 300;

/// Most steps of the search on a line.
pub(super) const MAX_STEPS: usize = 20_000;

/// Largest coefficient. Nobody adds up more.
pub(super) const LARGEST_COEFFICIENT: i64 = 1_000_000;

/// A line: which part is in which cell.
pub(super) struct CellLine<'a> {
    pub(super) cells: &'a [OnLine],
    /// For each part its first value.
    pub(super) parts: Vec<Vec<u32>>,
    /// For each cell its parts.
    pub(super) made_of: Vec<Vec<usize>>,
    /// For each part the cell that consists of this part only and is shown exactly.
    pub(super) alone: Vec<Option<usize>>,
}

/// Cells with their multiplicities, and the divisor of the sum.
#[derive(Debug, Clone)]
pub(super) struct Combination {
    pub(super) cells: Vec<(usize, i64)>,
    pub(super) divisor: i64,
}

impl<'a> CellLine<'a> {
    pub(super) fn new(cells: &'a [OnLine]) -> Self {
        let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, cell) in cells.iter().enumerate() {
            cell.values.iter().for_each(|value| holders.entry(*value).or_default().push(at));
        }
        let mut parts: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
        for (value, holders) in holders {
            parts.entry(holders).or_default().push(value);
        }
        let mut made_of = vec![Vec::new(); cells.len()];
        for (part, holders) in parts.keys().enumerate() {
            holders.iter().for_each(|cell| made_of[*cell].push(part));
        }
        let mut alone = vec![None; parts.len()];
        for (cell, own) in made_of.iter().enumerate() {
            if let ([part], true) = (&own[..], cells[cell].interval.0 == cells[cell].interval.1) {
                alone[*part] = Some(cell);
            }
        }
        Self { cells, parts: parts.into_values().collect(), made_of, alone }
    }

    /// The least and the largest value of a combination.
    pub(super) fn sum(&self, combination: &Combination) -> (i64, i64) {
        let (least, most) = combination.cells.iter().fold((0i64, 0i64), |(least, most), (cell, times)| {
            let (low, high) = self.cells[*cell].interval;
            let (low, high) = if *times > 0 { (low, high) } else { (high, low) };
            (least.saturating_add(low.saturating_mul(*times)), most.saturating_add(high.saturating_mul(*times)))
        });
        // Counts are whole numbers.
        let up = i64::from(least.rem_euclid(combination.divisor) != 0);
        (least.div_euclid(combination.divisor) + up, most.div_euclid(combination.divisor))
    }

    /// The parts that are the result of a combination.
    pub(super) fn parts_of(&self, combination: &Combination) -> Vec<usize> {
        let mut times = vec![0i64; self.parts.len()];
        for (cell, by) in &combination.cells {
            self.made_of[*cell].iter().for_each(|part| times[*part] += by);
        }
        times.iter().enumerate().filter(|(_, times)| **times != 0).map(|(part, _)| part).collect()
    }

    pub(super) fn values_of(&self, parts: &[usize]) -> Vec<u32> {
        let mut values: Vec<u32> = parts.iter().flat_map(|part| self.parts[*part].iter().copied()).collect();
        values.sort_unstable();
        values
    }

    /// The rows of some cells in reduced form; `None` if numbers grow too large.
    pub(super) fn reduced(&self, cells: &[usize]) -> Option<Vec<Row>> {
        let row = |cell: &usize| {
            let mut row = Row { parts: vec![0; self.parts.len()], cells: vec![0; self.cells.len()], pivot: 0 };
            self.made_of[*cell].iter().for_each(|part| row.parts[*part] = 1);
            row.cells[*cell] = 1;
            row
        };
        let mut rows: Vec<Row> = cells.iter().map(row).collect();
        let mut done = 0;
        for part in 0..self.parts.len() {
            let Some(free) = (done..rows.len()).find(|row| rows[*row].parts[part] != 0) else { continue };
            rows.swap(done, free);
            rows[done].pivot = part;
            let pivot = rows[done].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(at, row)| *at != done && row.parts[part] != 0) {
                row.take_away(&pivot)?;
            }
            done += 1;
        }
        rows.truncate(done);
        Some(rows)
    }

    /// Whether a group of parts follows from some cells by adding and subtracting.
    pub(super) fn is_in_space(&self, cells: &[usize], group: &[usize]) -> bool {
        let Some(rows) = self.reduced(cells) else { return false };
        let mut left = Row { parts: vec![0; self.parts.len()], cells: vec![0; self.cells.len()], pivot: 0 };
        group.iter().for_each(|part| left.parts[*part] = 1);
        for row in &rows {
            if left.parts[row.pivot] != 0 && left.take_away(row).is_none() {
                return false;
            }
        }
        left.parts.iter().all(|value| *value == 0)
    }

    /// Finds groups of parts that follow from all cells and contain no smaller group.
    pub(super) fn groups(&self, found: &mut Vec<Combination>, not_searched: &mut usize) {
        if self.parts.len() > MAX_PARTS || self.cells.len() > 2 * MAX_PARTS {
            *not_searched += 1;
            return;
        }
        // Cells that are shown exactly come before rounded ones.
        let mut cells: Vec<usize> = (0..self.cells.len()).collect();
        cells.sort_by_key(|cell| self.cells[*cell].interval.1.saturating_sub(self.cells[*cell].interval.0));
        let Some(rows) = self.reduced(&cells) else {
            *not_searched += 1;
            return;
        };
        for connected in connected(&rows) {
            let scale = connected.iter().try_fold(1i128, |scale, row| {
                let own = row.parts[row.pivot].abs();
                (scale / gcd(scale, own)).checked_mul(own).filter(|scale| *scale < 1 << 40)
            });
            let Some(scale) = scale else {
                *not_searched += 1;
                continue;
            };
            let mut done = vec![Vec::new(); connected.len()];
            for part in 0..self.parts.len() {
                let last = connected.iter().rposition(|row| row.parts[part] != 0);
                last.into_iter().for_each(|row| done[row].push(part));
            }
            let mut sums = Sums { rows: &connected, done: &done, scale, steps: 0, found };
            sums.go(0, &mut vec![0; self.parts.len()], &mut vec![0; self.cells.len()]);
            if sums.steps > MAX_STEPS {
                *not_searched += 1;
            }
        }
    }

    /// Finds the differences of a cell and others inside it that do not overlap, if no part of the difference is
    /// published alone.
    pub(super) fn remainders(&self, whole: usize, found: &mut Vec<Combination>, not_searched: &mut usize) {
        let is_open = |part: &usize| self.alone[*part].is_none();
        if !self.made_of[whole].iter().any(is_open) {
            return;
        }
        let own: BTreeSet<usize> = self.made_of[whole].iter().copied().collect();
        let is_inside = |cell: &usize| {
            let parts = &self.made_of[*cell];
            parts.len() < own.len() && parts.iter().any(is_open) && parts.iter().all(|part| own.contains(part))
        };
        let inside: Vec<usize> = (0..self.cells.len()).filter(is_inside).collect();
        let mut search = Search { line: self, whole, inside: &inside, steps: 0, groups: BTreeSet::new(), found };
        search.go(0, &mut vec![false; self.parts.len()], &mut Combination { cells: vec![(whole, 1)], divisor: 1 });
        if search.steps > MAX_STEPS {
            *not_searched += 1;
        }
    }

    /// Subtracts cells that are published, the largest first, so that few are needed.
    pub(super) fn take_known(&self, whole: usize, taken: &[bool], chosen: &mut Combination) {
        let mut left: BTreeSet<usize> = self.made_of[whole].iter().copied().collect();
        left.retain(|part| !taken[*part] && self.alone[*part].is_some());
        let mut cells: Vec<usize> = (0..self.cells.len()).filter(|cell| *cell != whole).collect();
        cells.sort_by_key(|cell| std::cmp::Reverse(self.made_of[*cell].len()));
        for cell in cells {
            let parts = &self.made_of[cell];
            if !parts.is_empty() && parts.iter().all(|part| left.contains(part)) {
                parts.iter().for_each(|part| _ = left.remove(part));
                chosen.cells.push((cell, -1));
            }
        }
    }
}

/// A search through the cells inside another that have a part which is not published alone.
pub(super) struct Search<'a, 'b> {
    pub(super) line: &'a CellLine<'a>,
    pub(super) whole: usize,
    pub(super) inside: &'a [usize],
    pub(super) steps: usize,
    /// The groups found so far.
    pub(super) groups: BTreeSet<Vec<usize>>,
    pub(super) found: &'b mut Vec<Combination>,
}

impl Search<'_, '_> {
    pub(super) fn go(&mut self, from: usize, taken: &mut Vec<bool>, chosen: &mut Combination) {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return;
        }
        let open = |part: &&usize| !taken[**part] && self.line.alone[**part].is_none();
        let group: Vec<usize> = self.line.made_of[self.whole].iter().filter(open).copied().collect();
        if !group.is_empty() && group.len() < self.line.made_of[self.whole].len() && self.groups.insert(group) {
            let mut combination = chosen.clone();
            self.line.take_known(self.whole, taken, &mut combination);
            self.found.push(combination);
        }
        for at in from..self.inside.len() {
            let cell = self.inside[at];
            let parts = &self.line.made_of[cell];
            if parts.iter().any(|part| taken[*part]) {
                continue;
            }
            parts.iter().for_each(|part| taken[*part] = true);
            chosen.cells.push((cell, -1));
            self.go(at + 1, taken, chosen);
            chosen.cells.pop();
            parts.iter().for_each(|part| taken[*part] = false);
        }
    }
}
