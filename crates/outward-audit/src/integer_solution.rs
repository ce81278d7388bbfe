//! An integer solution: whole numbers for the hidden cells that agree with everything published.
//!
//! Most systems of tables have an integer solution near any fractional one. So the linear program is solved first, and its
//! fractions are fixed at integers a few at a time, with a new solution each time. The integer program is solved only if
//! this ends without a table.

use highs::{Col, HighsModelStatus, HighsStatus, Model, RowProblem, Sense};
use outward_spec::{Error, Result};

/// Most rounds of fixing before the integer program is solved.
const MAX_FIXING_ROUNDS: usize = 200;
/// How near to an integer a number must be.
const INTEGRALITY_TOLERANCE: f64 = 1e-6;
/// Fractions this near to an integer are fixed together.
const FIXED_TOGETHER: f64 = 0.15;

/// Finds values of all cells, integers of 0 or more, that agree with the known ones and satisfy the equations. An equation is a
/// right-hand side with terms of cell and coefficient. `None` if there are none.
///
/// # Errors
/// Where the solver fails.
pub fn find_integer_solution(known: &[Option<i64>], equations: &[(i64, Vec<(u32, i32)>)]) -> Result<Option<Vec<i64>>> {
    let Some(unknowns) = Unknowns::new(known, equations)? else { return Ok(None) };
    let found = match unknowns.fix_fractions()? {
        Some(found) => Some(found),
        None => unknowns.solve_integer_program()?,
    };
    let value = |found: &[i64], cell: usize| unknowns.place[cell].map_or(known[cell].unwrap_or(0), |at| found[at]);
    Ok(found.map(|found| (0..known.len()).map(|cell| value(&found, cell)).collect()))
}

/// The unknown cells and their equations.
struct Unknowns {
    /// The number of each cell among the unknown ones.
    place: Vec<Option<usize>>,
    count: usize,
    /// Right-hand side and terms of each equation of unknowns.
    rows: Vec<(i128, Vec<(usize, i32)>)>,
}

impl Unknowns {
    /// `None` if the known cells violate an equation.
    fn new(known: &[Option<i64>], equations: &[(i64, Vec<(u32, i32)>)]) -> Result<Option<Self>> {
        let (mut place, mut count) = (vec![None; known.len()], 0);
        for (cell, _) in known.iter().enumerate().filter(|(_, value)| value.is_none()) {
            place[cell] = Some(count);
            count += 1;
        }
        let mut rows = Vec::new();
        for (right, terms) in equations {
            let (mut right, mut unknown) = (i128::from(*right), Vec::new());
            for (cell, by) in terms {
                match (place[*cell as usize], known[*cell as usize]) {
                    (Some(at), _) => unknown.push((at, *by)),
                    (None, Some(value)) => right -= i128::from(value) * i128::from(*by),
                    (None, None) => return Err(Error::bug("a cell is neither known nor unknown")),
                }
            }
            match unknown.is_empty() {
                true if right != 0 => return Ok(None),
                true => {}
                false => rows.push((right, unknown)),
            }
        }
        Ok(Some(Self { place, count, rows }))
    }

    /// The program of these columns, each the number of an unknown with its cost, its upper bound and whether it is integer.
    fn program(&self, columns: &[(usize, f64, f64, bool)]) -> Result<(Model, Vec<Col>)> {
        let mut problem = RowProblem::new();
        let mut columns_of: Vec<Vec<Col>> = vec![Vec::new(); self.count];
        let mut all = Vec::with_capacity(columns.len());
        for (at, cost, most, whole) in columns {
            let column = problem.add_column_with_integrality(*cost, 0.0..=*most, *whole);
            columns_of[*at].push(column);
            all.push(column);
        }
        for (right, terms) in &self.rows {
            let terms =
                terms.iter().flat_map(|(at, by)| columns_of[*at].iter().map(|column| (*column, f64::from(*by))));
            problem.add_row(*right as f64..=*right as f64, terms);
        }
        let mut model = problem.try_optimise(Sense::Minimise).map_err(failed)?;
        model.make_quiet();
        for (option, value) in [("threads", 1), ("random_seed", 0)] {
            model
                .try_set_option(option, value)
                .map_err(|error| Error::bug(format!("HiGHS refuses {option}: {error:?}")))?;
        }
        Ok((model, all))
    }

    /// Fixes the fractions of a solution at integers, a few at a time. `None` if the others then have no solution.
    ///
    /// The first unit of each cell is rewarded, so that few cells are empty. Such a table has others near it, which the audit
    /// then finds sooner.
    fn fix_fractions(&self) -> Result<Option<Vec<i64>>> {
        let columns = |at: usize| [(at, -1.0, 1.0, false), (at, 0.0, f64::INFINITY, false)];
        let (mut model, columns) = self.program(&(0..self.count).flat_map(columns).collect::<Vec<_>>())?;
        let mut fixed = vec![false; self.count];
        for _ in 0..MAX_FIXING_ROUNDS {
            let solved = model.try_solve().map_err(failed)?;
            if solved.status() != HighsModelStatus::Optimal {
                return Ok(None);
            }
            let values: Vec<f64> =
                solved.get_solution().columns().chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
            let off = |at: usize| (values[at] - values[at].round()).abs();
            let open = |at: &usize| !fixed[*at] && off(*at) > INTEGRALITY_TOLERANCE;
            let mut fractions: Vec<usize> = (0..self.count).filter(open).collect();
            if fractions.is_empty() {
                let found: Vec<i64> = values.iter().map(|value| value.round() as i64).collect();
                return Ok(self.holds(&found).then_some(found));
            }
            fractions.sort_by(|one, other| off(*one).total_cmp(&off(*other)).then(one.cmp(other)));
            let near = fractions.iter().take_while(|at| off(**at) < FIXED_TOGETHER).count().max(1);
            model = Model::from(solved);
            for at in &fractions[..near] {
                fixed[*at] = true;
                let (value, first) = (values[*at].round(), values[*at].round().min(1.0));
                model.change_column_bounds(columns[2 * at], first..=first);
                model.change_column_bounds(columns[2 * at + 1], value - first..=value - first);
            }
        }
        Ok(None)
    }

    fn solve_integer_program(&self) -> Result<Option<Vec<i64>>> {
        let columns: Vec<_> = (0..self.count).map(|at| (at, 0.0, f64::INFINITY, true)).collect();
        let (model, _) = self.program(&columns)?;
        let solved = model.try_solve().map_err(failed)?;
        if solved.status() != HighsModelStatus::Optimal {
            return Ok(None);
        }
        let found = solved.get_solution();
        Ok(Some(found.columns().iter().map(|value| value.round() as i64).collect()))
    }

    /// Whether integers satisfy every equation, and none is negative.
    fn holds(&self, found: &[i64]) -> bool {
        let sum = |terms: &[(usize, i32)]| -> i128 {
            terms.iter().map(|(at, by)| i128::from(found[*at]) * i128::from(*by)).sum()
        };
        found.iter().all(|value| *value >= 0) && self.rows.iter().all(|(right, terms)| sum(terms) == *right)
    }
}

fn failed(status: HighsStatus) -> Error {
    Error::bug(format!("the search for a table that fits failed: {status:?}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hidden_cells_are_filled_so_that_totals_hold() {
        // 3 + ? + ? = 10 and the second is known from another total.
        let equations = [(0, vec![(0, 1), (1, 1), (2, 1), (3, -1)]), (0, vec![(1, 1), (4, -1)])];
        let known = [Some(3), None, None, Some(10), Some(2)];
        assert_eq!(find_integer_solution(&known, &equations).unwrap().unwrap(), [3, 2, 5, 10, 2]);
        assert_eq!(find_integer_solution(&[Some(3), Some(4), Some(3), Some(9), Some(4)], &equations).unwrap(), None);
    }

    #[test]
    fn fractions_are_no_table() {
        // a + b = b + c = a + c: with sums of 2 each is 1, with sums of 1 there is none in whole numbers.
        let ring =
            |sum: i64| [vec![(0, 1), (1, 1)], vec![(1, 1), (2, 1)], vec![(0, 1), (2, 1)]].map(|terms| (sum, terms));
        assert_eq!(find_integer_solution(&[None; 3], &ring(2)).unwrap().unwrap(), [1, 1, 1]);
        assert_eq!(find_integer_solution(&[None; 3], &ring(1)).unwrap(), None);
    }

    #[test]
    fn a_table_behind_a_ring_of_three_is_found_in_whole_numbers() {
        // Counts of 0 to 3 by three variables of five values, given by every two of them.
        let count = |at: usize| (at * 7 + at / 5 * 3 + at / 25) as i64 % 4;
        let axes = [(1, 5), (1, 25), (5, 25)];
        let mut equations = Vec::new();
        for (one, other) in axes {
            for sum in 0..25 {
                let own = |at: &usize| at / one % 5 == sum % 5 && at / other % 5 == sum / 5;
                let atoms: Vec<usize> = (0..125).filter(own).collect();
                let right = atoms.iter().map(|at| count(*at)).sum();
                equations.push((right, atoms.into_iter().map(|at| (at as u32, 1)).collect()));
            }
        }
        let found = find_integer_solution(&[None; 125], &equations).unwrap().unwrap();
        for (right, terms) in &equations {
            assert_eq!(terms.iter().map(|(at, _)| found[*at as usize]).sum::<i64>(), *right);
        }
    }
}
