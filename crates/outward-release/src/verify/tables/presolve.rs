//! Fewer unknowns that allow the same tables, before a table is looked for and attacked.
//!
//! An atom in a cell that is known to be empty is empty. Atoms that stand in the same equations cannot be told apart: only their sum matters, and
//! a sum of counts that are not below zero is any count that is not below zero. With sets of answers most atoms are of one of these kinds.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::lines::Relations;

impl Relations {
    /// Leaves out atoms that are empty, and takes those that stand in the same equations as one. The first cells have these bounds and stay; all
    /// others are not below zero and have no other bound. What is left between tables stays too.
    pub(super) fn presolve(&mut self, bounds: &[(i64, i64)]) {
        let mut seen: HashSet<Vec<(u32, i32)>> = HashSet::new();
        self.equations.retain(|terms| seen.insert(terms.clone()));
        let remainders: BTreeSet<u32> = self.remainders.iter().copied().collect();
        let is_zero = self.zeros(bounds);
        let mut columns: Vec<Vec<(u32, i32)>> = vec![Vec::new(); self.cells as usize];
        for (equation, terms) in (0..).zip(&self.equations) {
            terms.iter().for_each(|(cell, by)| columns[*cell as usize].push((equation, *by)));
        }
        let mut known: HashSet<Vec<(u32, i32)>> = HashSet::new();
        let (mut numbers, mut cells) = (HashMap::new(), 0);
        for (cell, column) in (0..).zip(columns) {
            let stays = (cell as usize) < bounds.len() || remainders.contains(&cell);
            if stays || !is_zero[cell as usize] && !column.is_empty() && known.insert(column) {
                numbers.insert(cell, cells);
                cells += 1;
            }
        }
        for terms in &mut self.equations {
            *terms = terms.iter().filter_map(|(cell, by)| Some((*numbers.get(cell)?, *by))).collect();
        }
        self.equations.retain(|terms| !terms.is_empty());
        self.remainders = self.remainders.iter().filter_map(|rest| numbers.get(rest).copied()).collect();
        self.cells = cells;
    }

    /// Whether each cell is empty because its bounds say so, or a sum that it is part of is.
    fn zeros(&self, bounds: &[(i64, i64)]) -> Vec<bool> {
        let bound = |cell: u32| bounds.get(cell as usize).copied().unwrap_or((0, i64::MAX));
        let mut is_zero: Vec<bool> = (0..self.cells).map(|cell| bound(cell) == (0, 0)).collect();
        let mut open: Vec<&Vec<(u32, i32)>> = self.equations.iter().collect();
        loop {
            let before = open.len();
            open.retain(|terms| {
                let mut left = terms.iter().filter(|(cell, _)| !is_zero[*cell as usize]).peekable();
                let sign = left.peek().map_or(0, |(_, by)| by.signum());
                // What sums to nothing, has one sign and is not below zero is nothing.
                let is_nothing = left.all(|(cell, by)| by.signum() == sign && bound(*cell).0 == 0);
                if is_nothing {
                    terms.iter().for_each(|(cell, _)| is_zero[*cell as usize] = true);
                }
                !is_nothing
            });
            if open.len() == before {
                return is_zero;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relations between so many cells, of which some are left between tables.
    fn relations(cells: u32, remainders: &[u32], equations: &[&[(u32, i32)]]) -> Relations {
        let equations = equations.iter().map(|terms| terms.to_vec()).collect();
        Relations { cells, remainders: remainders.to_vec(), equations, ..Relations::default() }
    }

    const ANY: (i64, i64) = (0, i64::MAX);

    #[test]
    fn atoms_of_the_same_cells_are_one_unknown() {
        // Cells 0 and 1; atoms 2 and 3 are in both, 4 in the first only.
        let mut of = relations(5, &[], &[&[(0, -1), (2, 1), (3, 1), (4, 1)], &[(1, -1), (2, 1), (3, 1)]]);
        of.presolve(&[ANY, (3, 3)]);
        assert_eq!(of.cells, 4);
        assert_eq!(of.equations, [vec![(0, -1), (2, 1), (3, 1)], vec![(1, -1), (2, 1)]]);
    }

    #[test]
    fn what_is_left_between_tables_is_no_part_of_another_unknown() {
        let mut of = relations(3, &[2], &[&[(0, -1), (1, 1), (2, 1)]]);
        of.presolve(&[ANY]);
        assert_eq!((of.cells, &of.remainders[..]), (3, &[2][..]));
    }

    #[test]
    fn atoms_of_an_empty_cell_are_left_out_and_what_follows_from_that() {
        // The first cell is empty, so atoms 2 and 3 are; of atoms 3 and 4 the second cell is made, which is then atom 4.
        let mut of = relations(5, &[], &[&[(0, -1), (2, 1), (3, 1)], &[(1, -1), (3, 1), (4, 1)]]);
        of.presolve(&[(0, 0), ANY]);
        assert_eq!(of.cells, 3);
        assert_eq!(of.equations, [vec![(0, -1)], vec![(1, -1), (2, 1)]]);
    }

    #[test]
    fn amounts_below_zero_make_up_for_others() {
        let mut of = relations(2, &[], &[&[(0, 1), (1, 1)]]);
        of.presolve(&[(-5, -5)]);
        assert_eq!((of.cells, &of.equations), (2, &vec![vec![(0, 1), (1, 1)]]));
    }
}
