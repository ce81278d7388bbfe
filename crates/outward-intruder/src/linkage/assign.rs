//! One-to-one assignment: each record of either file in one pair at most, so that the weights add up to the most (Jaro 1989).
//!
//! Records that no pair connects are decided apart. In a component the assignment is optimal, by shortest augmenting paths (Kuhn 1955;
//! Jonker and Volgenant 1987). Where a component is too large for that, pairs are taken by falling weight.

use super::scored::ScoredPair;

/// A component with more possible pairs than this is assigned by falling weight.
const MAX_MATRIX: usize = 1 << 20;

/// The pairs that were chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The pairs, in the order of their records.
    pub pairs: Vec<ScoredPair>,
    /// Components that were too large for the best assignment.
    pub by_falling_weight: u64,
}

/// Chooses among the pairs of two files.
pub fn assign_one_to_one(pairs: &[ScoredPair]) -> Assignment {
    // Weights below 0 are shifted, so that a pair above the threshold is better than none.
    let shift = pairs.iter().map(|pair| pair.weight).fold(0.0, f64::min);
    let mut assignment = Assignment { pairs: Vec::new(), by_falling_weight: 0 };
    for component in components(pairs) {
        let (lefts, rights) = sides(&component);
        if component.len() == 1 {
            assignment.pairs.extend(component);
        } else if lefts.len().saturating_mul(rights.len()) <= MAX_MATRIX {
            assignment.pairs.extend(best(&component, &lefts, &rights, shift));
        } else {
            assignment.by_falling_weight += 1;
            assignment.pairs.extend(falling(component));
        }
    }
    assignment.pairs.sort_unstable_by_key(|pair| (pair.left, pair.right));
    assignment
}

/// The pairs of each connected component.
fn components(pairs: &[ScoredPair]) -> Vec<Vec<ScoredPair>> {
    let (lefts, rights) = sides(pairs);
    let mut parent: Vec<usize> = (0..lefts.len() + rights.len()).collect();
    let place = |all: &[u32], row: u32| all.binary_search(&row).unwrap_or_default();
    let find = |parent: &mut Vec<usize>, mut node: usize| {
        while parent[node] != node {
            parent[node] = parent[parent[node]];
            node = parent[node];
        }
        node
    };
    for pair in pairs {
        let a = find(&mut parent, place(&lefts, pair.left));
        let b = find(&mut parent, lefts.len() + place(&rights, pair.right));
        parent[a.max(b)] = a.min(b);
    }
    let mut found: std::collections::BTreeMap<usize, Vec<ScoredPair>> = std::collections::BTreeMap::new();
    for pair in pairs {
        let root = find(&mut parent, place(&lefts, pair.left));
        found.entry(root).or_default().push(*pair);
    }
    found.into_values().collect()
}

/// The records of each side, in order.
fn sides(pairs: &[ScoredPair]) -> (Vec<u32>, Vec<u32>) {
    let distinct = |row: fn(&ScoredPair) -> u32| {
        let mut rows: Vec<u32> = pairs.iter().map(row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    };
    (distinct(|pair| pair.left), distinct(|pair| pair.right))
}

/// By falling weight, ties to the lower records.
fn falling(mut pairs: Vec<ScoredPair>) -> Vec<ScoredPair> {
    pairs.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then((a.left, a.right).cmp(&(b.left, b.right))));
    let mut taken = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    pairs.retain(|pair| {
        let free = !taken.0.contains(&pair.left) && !taken.1.contains(&pair.right);
        if free {
            taken.0.insert(pair.left);
            taken.1.insert(pair.right);
        }
        free
    });
    pairs
}

/// The assignment of the greatest sum. Absent pairs are worth nothing, which leaves both records alone.
fn best(pairs: &[ScoredPair], lefts: &[u32], rights: &[u32], shift: f64) -> Vec<ScoredPair> {
    let turned = lefts.len() > rights.len();
    let (rows, columns) = if turned { (rights, lefts) } else { (lefts, rights) };
    let mut costs = vec![0.0; rows.len() * columns.len()];
    let place = |all: &[u32], row: u32| all.binary_search(&row).unwrap_or_default();
    let spot = |pair: &ScoredPair| {
        let (row, column) = if turned { (pair.right, pair.left) } else { (pair.left, pair.right) };
        place(rows, row) * columns.len() + place(columns, column)
    };
    pairs.iter().for_each(|pair| costs[spot(pair)] = shift - pair.weight);
    let chosen = assign(rows.len(), columns.len(), &costs);
    pairs.iter().filter(|pair| chosen[spot(pair) / columns.len()] == spot(pair) % columns.len()).copied().collect()
}

/// The column of each row in the assignment of least cost; there are at least as many columns as rows.
fn assign(rows: usize, columns: usize, costs: &[f64]) -> Vec<usize> {
    // Rows and columns are counted from 1; column 0 stands for the row that is being placed.
    let (mut of_row, mut of_column) = (vec![0.0; rows + 1], vec![0.0; columns + 1]);
    let mut row_of = vec![0usize; columns + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let mut column = 0;
        let mut least = vec![f64::INFINITY; columns + 1];
        let mut from = vec![0usize; columns + 1];
        let mut visited = vec![false; columns + 1];
        while row_of[column] != 0 {
            visited[column] = true;
            let here = row_of[column];
            let (mut step, mut next) = (f64::INFINITY, 0);
            for other in (1..=columns).filter(|other| !visited[*other]) {
                let reduced = costs[(here - 1) * columns + other - 1] - of_row[here] - of_column[other];
                if reduced < least[other] {
                    (least[other], from[other]) = (reduced, column);
                }
                if least[other] < step {
                    (step, next) = (least[other], other);
                }
            }
            for other in 0..=columns {
                if visited[other] {
                    of_row[row_of[other]] += step;
                    of_column[other] -= step;
                } else {
                    least[other] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[from[column]];
            column = from[column];
        }
    }
    let mut column_of = vec![0; rows];
    (1..=columns).filter(|column| row_of[*column] != 0).for_each(|column| column_of[row_of[column] - 1] = column - 1);
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair(left: u32, right: u32, weight: f64) -> ScoredPair {
        ScoredPair { left, right, weight, rule: 0 }
    }

    #[test]
    fn two_good_pairs_beat_the_best_one_and_a_record_alone() {
        // By falling weight (0, 0) is taken first and leaves record 1 of the first file alone.
        let pairs = [pair(0, 0, 10.0), pair(0, 1, 9.0), pair(1, 0, 8.0)];
        let chosen: Vec<_> = assign_one_to_one(&pairs).pairs.iter().map(|pair| (pair.left, pair.right)).collect();
        assert_eq!(chosen, [(0, 1), (1, 0)]);
        let fallen: Vec<_> = falling(pairs.to_vec()).iter().map(|pair| (pair.left, pair.right)).collect();
        assert_eq!(fallen, [(0, 0)]);
    }

    /// The greatest sum by trying everything.
    fn greatest(pairs: &[ScoredPair]) -> f64 {
        let Some((first, rest)) = pairs.split_first() else { return 0.0 };
        let apart: Vec<_> = rest.iter().copied().filter(|p| p.left != first.left && p.right != first.right).collect();
        greatest(rest).max(first.weight + greatest(&apart))
    }

    proptest! {
        #[test]
        fn no_other_assignment_has_a_greater_sum(
            cells in proptest::collection::btree_map((0u32..4, 0u32..5), 0u32..1000, 0..12)
        ) {
            let pairs: Vec<_> = cells.into_iter().map(|((left, right), weight)| pair(left, right, f64::from(weight) / 16.0)).collect();
            let assigned = assign_one_to_one(&pairs).pairs;
            let (lefts, rights) = sides(&assigned);
            prop_assert_eq!((lefts.len(), rights.len()), (assigned.len(), assigned.len()));
            let sum: f64 = assigned.iter().map(|pair| pair.weight).sum();
            prop_assert!((sum - greatest(&pairs)).abs() < 1e-9);
        }
    }
}
