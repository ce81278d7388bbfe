//! Whole numbers that satisfy equations, from fractions that nearly do.
//!
//! An equation with a cell that stands in no other is an inequality between the others, and that cell is found last. Fractions are rounded one by one, each so that the equations it stands in stay as near as can be. What then does not hold is mended: of the cells of an
//! equation that does not hold one is moved, the one that brings all equations nearest to holding, and it is not moved again for a while (tabu search,
//! Glover 1989). There is no promise that this ends well, and no verdict rests on it but that there is a table that fits: that is checked.

/// Equations whose terms sum to nothing.
type Equations = [Vec<(u32, i32)>];

/// How often every equation is looked at.
const SWEEPS: usize = 60;

/// A cell stays where it was moved to for so many moves at least, and for less than twice as many. Of most rows few cells can move at all, so that
/// with more (10) rings of 20,000 atoms never ended; with fewer (1) sets of answers did not.
const STAYS: u64 = 3;

/// Cells looked at for each cell that there is.
const LOOKS: usize = 2_000;

/// An equation without the one cell that stands in no other: what the others sum to must lie between two ends, and that cell is what is left.
struct Row {
    terms: Vec<(u32, i32)>,
    least: i64,
    most: i64,
    /// The cell that is left out, and how it is counted.
    slack: Option<(u32, i32)>,
}

impl Row {
    /// How far a sum is from where it may be.
    fn lacks(&self, sum: i64) -> i64 {
        if sum < self.least {
            self.least.saturating_sub(sum)
        } else if sum > self.most {
            self.most.saturating_sub(sum)
        } else {
            0
        }
    }
}

/// The equations as rows. Half of all equations say that one sum is at most another: the cell between the two makes up for any difference, so
/// that whoever moves a cell need not move it as well.
fn rows(bounds: &[(i64, i64)], equations: &Equations) -> Vec<Row> {
    let mut stands = vec![0u32; bounds.len()];
    equations.iter().flatten().for_each(|(cell, _)| stands[*cell as usize] += 1);
    let width = |cell: u32| bounds[cell as usize].1.saturating_sub(bounds[cell as usize].0);
    let row = |terms: &Vec<(u32, i32)>| {
        let own = terms.iter().filter(|(cell, by)| by.abs() == 1 && stands[*cell as usize] == 1 && width(*cell) > 0);
        let slack = own.copied().max_by_key(|(cell, _)| (width(*cell), *cell));
        let (least, most) = slack.map_or((0, 0), |(cell, by)| {
            let (lower, upper) = bounds[cell as usize];
            if by < 0 { (lower, upper) } else { (upper.saturating_neg(), lower.saturating_neg()) }
        });
        let terms = terms.iter().copied().filter(|(cell, _)| slack.is_none_or(|(own, _)| own != *cell)).collect();
        Row { terms, least, most, slack }
    };
    equations.iter().map(row).collect()
}

/// A table in fractions that nearly adds up and is near a start: what an equation lacks is spread over its cells, over and over (the
/// projections of Kaczmarz 1937).
pub(super) fn project(mut near: Vec<f64>, bounds: &[(i64, i64)], equations: &Equations) -> Vec<f64> {
    for (near, (lower, upper)) in near.iter_mut().zip(bounds) {
        *near = near.clamp(*lower as f64, *upper as f64);
    }
    let rows = rows(bounds, equations);
    let free = |(cell, _): &&(u32, i32)| bounds[*cell as usize].0 < bounds[*cell as usize].1;
    let weights: Vec<f64> =
        rows.iter().map(|row| row.terms.iter().filter(free).map(|(_, by)| f64::from(*by).powi(2)).sum()).collect();
    for _ in 0..SWEEPS {
        for (row, weight) in rows.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0) {
            let sum: f64 = row.terms.iter().map(|(cell, by)| near[*cell as usize] * f64::from(*by)).sum();
            let over = sum - sum.clamp(row.least as f64, row.most as f64);
            for (cell, by) in row.terms.iter().filter(|_| over != 0.0) {
                let (lower, upper) = bounds[*cell as usize];
                let moved = near[*cell as usize] - f64::from(*by) * over / weight;
                near[*cell as usize] = moved.clamp(lower as f64, upper as f64);
            }
        }
    }
    near
}

/// Whole numbers within bounds that satisfy the equations, near some fractions; none where none were found.
pub(super) fn repair(near: &[f64], bounds: &[(i64, i64)], equations: &Equations) -> Option<Vec<i64>> {
    let rows = rows(bounds, equations);
    let mut search = Search::new(near, bounds, &rows);
    let mut looks = near.len().saturating_mul(LOOKS);
    while !search.open.is_empty() {
        looks = looks.checked_sub(search.step()?)?;
    }
    let Search { mut values, sums, .. } = search;
    for (row, sum) in rows.iter().zip(sums) {
        if let Some((cell, by)) = row.slack {
            values[cell as usize] = sum.saturating_mul(-i64::from(by));
        }
    }
    Some(values)
}

struct Search<'a> {
    bounds: &'a [(i64, i64)],
    rows: &'a [Row],
    /// For each cell the rows it stands in.
    standing: Vec<Vec<(u32, i32)>>,
    values: Vec<i64>,
    /// What the cells of each row sum to.
    sums: Vec<i64>,
    /// The rows that do not hold, and where each stands among them.
    open: Vec<u32>,
    place: Vec<u32>,
    /// The move from which on a cell may be moved again.
    free_from: Vec<u64>,
    moves: u64,
    wrong: i64,
    least_wrong: i64,
    draw: u64,
}

impl<'a> Search<'a> {
    fn new(near: &[f64], bounds: &'a [(i64, i64)], rows: &'a [Row]) -> Self {
        let mut standing: Vec<Vec<(u32, i32)>> = vec![Vec::new(); near.len()];
        for (number, row) in (0..).zip(rows) {
            row.terms.iter().for_each(|(cell, by)| standing[*cell as usize].push((number, *by)));
        }
        let values = rounded(near, bounds, &standing, rows.len());
        let sum = |row: &Row| {
            let terms = row.terms.iter();
            terms
                .fold(0i64, |sum, (cell, by)| sum.saturating_add(values[*cell as usize].saturating_mul(i64::from(*by))))
        };
        let sums: Vec<i64> = rows.iter().map(sum).collect();
        let free_from = vec![0; near.len()];
        let mut search = Self {
            bounds,
            rows,
            standing,
            values,
            open: Vec::new(),
            place: vec![0; sums.len()],
            free_from,
            moves: 0,
            wrong: 0,
            least_wrong: 0,
            draw: 0x9e37_79b9_7f4a_7c15,
            sums,
        };
        for (number, row) in rows.iter().enumerate() {
            let lacks = row.lacks(search.sums[number]).saturating_abs();
            search.wrong = search.wrong.saturating_add(lacks);
            if lacks != 0 {
                search.place[number] = search.open.len() as u32;
                search.open.push(number as u32);
            }
        }
        search.least_wrong = search.wrong;
        search
    }

    /// A number below another, the same in every run (xorshift, Marsaglia 2003).
    fn below(&mut self, many: usize) -> usize {
        self.draw ^= self.draw << 13;
        self.draw ^= self.draw >> 7;
        self.draw ^= self.draw << 17;
        (self.draw % many.max(1) as u64) as usize
    }

    /// Moves a cell of a row that does not hold; how many cells were looked at, or none where no cell of it can be moved.
    fn step(&mut self) -> Option<usize> {
        let at = self.below(self.open.len());
        let number = self.open[at] as usize;
        let (row, lacks) = (&self.rows[number], self.rows[number].lacks(self.sums[number]));
        let mut best: Option<(i64, u32, i64)> = None;
        let (mut ties, mut can) = (0, false);
        for (cell, by) in &row.terms {
            let by_how_much = self.move_of(*cell, *by, lacks);
            if by_how_much == 0 {
                continue;
            }
            can = true;
            let change = self.change(*cell, by_how_much);
            let stays = self.free_from[*cell as usize] > self.moves;
            if stays && self.wrong.saturating_add(change) >= self.least_wrong {
                continue;
            }
            match best {
                Some((least, ..)) if change > least => {}
                Some((least, ..)) if change == least => {
                    ties += 1;
                    if self.below(ties + 1) == 0 {
                        best = Some((change, *cell, by_how_much));
                    }
                }
                _ => (best, ties) = (Some((change, *cell, by_how_much)), 0),
            }
        }
        self.moves += 1;
        if let Some((change, cell, by_how_much)) = best {
            self.take(cell, by_how_much);
            self.wrong = self.wrong.saturating_add(change);
            self.least_wrong = self.least_wrong.min(self.wrong);
        }
        can.then_some(row.terms.len())
    }

    /// How far a cell can be moved to bring its row nearer to holding.
    fn move_of(&self, cell: u32, by: i32, lacks: i64) -> i64 {
        let (value, (lower, upper)) = (self.values[cell as usize], self.bounds[cell as usize]);
        let whole = lacks / i64::from(by);
        let wanted = if whole == 0 { lacks.signum() * i64::from(by.signum()) } else { whole };
        wanted.clamp(lower.saturating_sub(value), upper.saturating_sub(value))
    }

    /// What a move does to how much is wrong.
    fn change(&self, cell: u32, by_how_much: i64) -> i64 {
        let one = |(number, by): &(u32, i32)| {
            let (row, sum) = (&self.rows[*number as usize], self.sums[*number as usize]);
            let after = sum.saturating_add(by_how_much.saturating_mul(i64::from(*by)));
            row.lacks(after).saturating_abs().saturating_sub(row.lacks(sum).saturating_abs())
        };
        self.standing[cell as usize].iter().map(one).fold(0, i64::saturating_add)
    }

    fn take(&mut self, cell: u32, by_how_much: i64) {
        self.values[cell as usize] += by_how_much;
        self.free_from[cell as usize] = self.moves + STAYS + self.below(STAYS as usize) as u64;
        for at in 0..self.standing[cell as usize].len() {
            let (number, by) = self.standing[cell as usize][at];
            let (row, before) = (&self.rows[number as usize], self.sums[number as usize]);
            let after = before.saturating_add(by_how_much.saturating_mul(i64::from(by)));
            self.sums[number as usize] = after;
            let (held, holds) = (row.lacks(before) == 0, row.lacks(after) == 0);
            if held && !holds {
                self.place[number as usize] = self.open.len() as u32;
                self.open.push(number);
            } else if !held && holds {
                let place = self.place[number as usize];
                self.open.swap_remove(place as usize);
                if let Some(moved) = self.open.get(place as usize) {
                    self.place[*moved as usize] = place;
                }
            }
        }
    }
}

/// Fractions rounded one by one, each so that what its equations are off by so far is least.
fn rounded(near: &[f64], bounds: &[(i64, i64)], standing: &[Vec<(u32, i32)>], equations: usize) -> Vec<i64> {
    let mut off = vec![0.0; equations];
    let mut values = Vec::with_capacity(near.len());
    for ((near, (lower, upper)), standing) in near.iter().zip(bounds).zip(standing) {
        let off_by = |value: i64| {
            let one = |(equation, by): &(u32, i32)| off[*equation as usize] + f64::from(*by) * (value as f64 - near);
            standing.iter().map(|term| one(term).powi(2)).sum::<f64>()
        };
        let down = (near.floor() as i64).clamp(*lower, *upper);
        let up = down.saturating_add(1).min(*upper);
        let value = if off_by(up) < off_by(down) { up } else { down };
        for (equation, by) in standing {
            off[*equation as usize] += f64::from(*by) * (value as f64 - near);
        }
        values.push(value);
    }
    values
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The atoms of a ring of three tables of so many values, and equations with the counts of the tables as cells after them.
    fn ring(sizes: [usize; 3], fixed: &mut Vec<(i64, i64)>) -> Vec<Vec<(u32, i32)>> {
        let [a, b, c] = sizes;
        let atoms: Vec<i64> = (0..a * b * c).map(|at| ((at * at * 7 + at * 3) % 11 / 8) as i64).collect();
        fixed.extend(atoms.iter().map(|_| (0, i64::MAX)));
        let mut margins: std::collections::BTreeMap<(usize, usize, usize), Vec<u32>> = Default::default();
        for at in 0..a * b * c {
            let (one, two, three) = (at / (b * c), at / c % b, at % c);
            for key in [(0, one, two), (1, two, three), (2, one, three)] {
                margins.entry(key).or_default().push(at as u32);
            }
        }
        let mut equations = Vec::new();
        for own in margins.into_values() {
            let sum: i64 = own.iter().map(|at| atoms[*at as usize]).sum();
            let mut terms: Vec<(u32, i32)> = own.into_iter().map(|at| (at, 1)).collect();
            terms.push((fixed.len() as u32, -1));
            fixed.push((sum, sum));
            equations.push(terms);
        }
        equations
    }

    #[test]
    fn atoms_behind_a_ring_of_tables_are_found_in_whole_numbers() {
        let mut bounds = Vec::new();
        let equations = ring([20, 12, 10], &mut bounds);
        let near = project(vec![0.0; bounds.len()], &bounds, &equations);
        let values = repair(&near, &bounds, &equations).unwrap();
        let sum = |terms: &Vec<(u32, i32)>| -> i64 {
            terms.iter().map(|(cell, by)| values[*cell as usize] * i64::from(*by)).sum()
        };
        assert!(equations.iter().all(|terms| sum(terms) == 0));
        assert!(values.iter().zip(&bounds).all(|(value, (lower, upper))| (lower..=upper).contains(&value)));
    }

    #[test]
    fn where_no_numbers_fit_the_search_ends() {
        // Twice a number is not one.
        assert_eq!(repair(&[0.4, 1.0], &[(0, 9), (1, 1)], &[vec![(0, 2), (1, -1)]]), None);
        assert_eq!(repair(&[0.4, 1.0], &[(0, 0), (1, 1)], &[vec![(0, 1), (1, -1)]]), None);
    }
}
