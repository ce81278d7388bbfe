//! One part solved by linear and integer programming.

use super::Controlled;
use super::grid::{Grid, Part};
use super::optimum::{Outcome, optimum};
use super::program::Program;
use outward_spec::Result;

/// What is known of a part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The moves of a nearest rounding.
    Best(Vec<i64>),
    /// The moves of some rounding.
    Found(Vec<i64>),
    /// There is none.
    Nothing,
    /// The limits were reached first.
    Unknown,
}

/// Solves a part: moves in the order of its cells. Where the nearest is not asked for, any that is near will do.
pub(super) fn solve(grid: &Grid<'_>, part: &Part, steps: u32, choice: &Controlled, nearest: bool) -> Result<Answer> {
    let mut program = Program::default();
    let moves: Vec<Move> = part.cells.iter().map(|cell| Move::add(grid, *cell as usize, steps, &mut program)).collect();
    for row in &part.rows {
        let mut terms = Vec::with_capacity(row.terms.len());
        for (at, by) in &row.terms {
            terms.extend(moves[*at as usize].columns.iter().flatten().map(|(column, sign)| (*column, by * sign)));
        }
        if !program.add_row(row.right, terms) {
            return Ok(Answer::Nothing);
        }
    }
    let back = |found: Vec<i64>| moves.iter().map(|step| step.read(&found)).collect();
    Ok(match optimum(&program, choice, nearest)? {
        Outcome::Best(found) => Answer::Best(back(found)),
        Outcome::Found(found) => Answer::Found(back(found)),
        Outcome::Nothing => Answer::Nothing,
        Outcome::Unknown => Answer::Unknown,
    })
}

/// The move of a cell as columns of the program: to the multiple above, further up, further down.
struct Move {
    columns: [Option<(u32, i32)>; 3],
}

impl Move {
    /// From 0 to 1 costs `b − 2 r`; each multiple further away on either side costs `b`.
    fn add(grid: &Grid<'_>, cell: usize, steps: u32, program: &mut Program) -> Self {
        let (low, high) = grid.range(cell, steps);
        let rest = grid.rest(cell);
        let weight = i64::from(grid.counts(cell));
        let neighbours = i64::from(rest != 0);
        let mut column =
            |cost: i64, upper: i64, sign: i32| (upper > 0).then(|| (program.add_column(cost * weight, upper), sign));
        let columns = [
            column(grid.base - 2 * rest, high.min(neighbours), 1),
            column(grid.base, high - neighbours, 1),
            column(grid.base, -low, -1),
        ];
        Self { columns }
    }

    fn read(&self, found: &[i64]) -> i64 {
        self.columns.iter().flatten().map(|(column, sign)| found[*column as usize] * i64::from(*sign)).sum::<i64>()
    }
}
