//! Solves one subsystem by linear and integer programming.

use super::Controlled;
use super::base_multiples::{BaseMultiples, Subsystem};
use super::branch_by_cost::{Outcome, minimise};
use super::integer_program::IntegerProgram;
use outward_spec::Result;

/// The roundings of a subsystem.
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

/// Solves a subsystem. Returns moves in the order of its cells: the nearest, or if `nearest` is false any that is near.
pub(super) fn solve(
    multiples: &BaseMultiples<'_>,
    subsystem: &Subsystem,
    steps: u32,
    choice: &Controlled,
    nearest: bool,
) -> Result<Answer> {
    let mut program = IntegerProgram::default();
    let moves: Vec<MoveColumns> =
        subsystem.cells.iter().map(|cell| MoveColumns::add(multiples, *cell as usize, steps, &mut program)).collect();
    for row in &subsystem.rows {
        let mut terms = Vec::with_capacity(row.terms.len());
        for (at, by) in &row.terms {
            terms.extend(moves[*at as usize].columns.iter().flatten().map(|(column, sign)| (*column, by * sign)));
        }
        if !program.add_row(row.right, terms) {
            return Ok(Answer::Nothing);
        }
    }
    let back = |found: Vec<i64>| moves.iter().map(|step| step.read(&found)).collect();
    Ok(match minimise(&program, choice, nearest)? {
        Outcome::Best(found) => Answer::Best(back(found)),
        Outcome::Found(found) => Answer::Found(back(found)),
        Outcome::Nothing => Answer::Nothing,
        Outcome::Unknown => Answer::Unknown,
    })
}

/// The move of a cell as columns of the program: to the multiple above, further up, further down.
struct MoveColumns {
    columns: [Option<(u32, i32)>; 3],
}

impl MoveColumns {
    /// From 0 to 1 costs `b − 2 r`; each multiple further away on either side costs `b`.
    fn add(multiples: &BaseMultiples<'_>, cell: usize, steps: u32, program: &mut IntegerProgram) -> Self {
        let (low, high) = multiples.range(cell, steps);
        let rest = multiples.remainder(cell);
        let weight = i64::from(multiples.distance_counts(cell));
        let neighbours = i64::from(rest != 0);
        let mut column =
            |cost: i64, upper: i64, sign: i32| (upper > 0).then(|| (program.add_column(cost * weight, upper), sign));
        let columns = [
            column(multiples.base - 2 * rest, high.min(neighbours), 1),
            column(multiples.base, high - neighbours, 1),
            column(multiples.base, -low, -1),
        ];
        Self { columns }
    }

    fn read(&self, found: &[i64]) -> i64 {
        self.columns.iter().flatten().map(|(column, sign)| found[*column as usize] * i64::from(*sign)).sum::<i64>()
    }
}
