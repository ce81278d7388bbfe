//! A table that fits what is published: whole numbers for the hidden cells, for those who do not know them.

use highs::{HighsModelStatus, HighsStatus, RowProblem, Sense};
use outward_spec::{Error, Result};

/// Values of all cells that agree with the known ones and satisfy the equations, each a right-hand side and terms of cell and
/// coefficient; `None` where there are none.
///
/// # Errors
/// Where the solver fails.
pub fn fill(known: &[Option<i64>], equations: &[(i64, Vec<(u32, i32)>)]) -> Result<Option<Vec<i64>>> {
    let mut problem = RowProblem::new();
    let mut columns = Vec::new();
    let mut place = vec![None; known.len()];
    for (cell, value) in known.iter().enumerate().filter(|(_, value)| value.is_none()) {
        debug_assert!(value.is_none());
        place[cell] = Some(columns.len());
        columns.push(problem.add_integer_column(0.0, 0.0..));
    }
    for (right, terms) in equations {
        let mut right = i128::from(*right);
        let mut unknown = Vec::new();
        for (cell, by) in terms {
            match (place[*cell as usize], known[*cell as usize]) {
                (Some(column), _) => unknown.push((columns[column], f64::from(*by))),
                (None, Some(value)) => right -= i128::from(value) * i128::from(*by),
                (None, None) => return Err(Error::bug("a cell is neither known nor unknown")),
            }
        }
        if unknown.is_empty() && right != 0 {
            return Ok(None);
        }
        if !unknown.is_empty() {
            problem.add_row(right as f64..=right as f64, unknown);
        }
    }
    let mut model = problem.try_optimise(Sense::Minimise).map_err(failed)?;
    model.make_quiet();
    for (option, value) in [("threads", 1), ("random_seed", 0)] {
        model
            .try_set_option(option, value)
            .map_err(|error| Error::bug(format!("HiGHS refuses {option}: {error:?}")))?;
    }
    let solved = model.try_solve().map_err(failed)?;
    if solved.status() != HighsModelStatus::Optimal {
        return Ok(None);
    }
    let found = solved.get_solution();
    let value = |(cell, value): (usize, &Option<i64>)| {
        value.unwrap_or_else(|| place[cell].map_or(0, |column: usize| found.columns()[column].round() as i64))
    };
    Ok(Some(known.iter().enumerate().map(value).collect()))
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
        assert_eq!(fill(&known, &equations).unwrap().unwrap(), [3, 2, 5, 10, 2]);
        assert_eq!(fill(&[Some(3), Some(4), Some(3), Some(9), Some(4)], &equations).unwrap(), None);
    }
}
