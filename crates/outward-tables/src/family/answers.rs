//! Variables of which a record may have several values: nothing adds up, but whoever is in a finer node is in every coarser one and among
//! all, whoever is in a coarser one is in at least one of its finer ones, and nobody is in more nodes than there are answers.

/// The values of each node, and its cell.
type Nodes = [(Vec<u32>, u32)];

/// Sums of cells, each with its coefficient, that are not below zero; `whole` is the cell of everyone, whatever they answered.
pub(super) fn at_least_nothing(nodes: &Nodes, whole: Option<u32>) -> Vec<Vec<(u32, i32)>> {
    let mut found = Vec::new();
    for (large, all) in around(nodes, whole) {
        let within = within(nodes, large);
        let nearest = |(small, _): &&&(Vec<u32>, u32)| !within.iter().any(|(other, _)| is_inside(small, other));
        let parts: Vec<&(Vec<u32>, u32)> = within.iter().filter(nearest).copied().collect();
        found.extend(parts.iter().map(|(_, part)| vec![(all, 1), (*part, -1)]));
        if !parts.is_empty() && large.is_some_and(|large| values(&parts).1 == large.len()) {
            found.push(parts.iter().map(|(_, part)| (*part, 1)).chain([(all, -1)]).collect());
        }
    }
    found
}

/// The like, where a record has at most so many answers. A table that is rounded need not keep to it, but its records do.
pub(super) fn at_most(nodes: &Nodes, whole: Option<u32>, most: Option<usize>) -> Vec<Vec<(u32, i32)>> {
    let Some(most) = most else { return Vec::new() };
    let mut found = Vec::new();
    for (large, all) in around(nodes, whole) {
        if let Some(finest) = finest(nodes, large).filter(|finest| finest.len() > most) {
            found.push(finest.into_iter().map(|cell| (cell, -1)).chain([(all, most as i32)]).collect());
        }
    }
    found
}

/// The cells of the finest nodes within a node, or of all; none where two of them have a value in common.
pub(super) fn finest(nodes: &Nodes, large: Option<&Vec<u32>>) -> Option<Vec<u32>> {
    let within = within(nodes, large);
    let finest = |(set, _): &&&(Vec<u32>, u32)| !within.iter().any(|(other, _)| is_inside(other, set));
    let finest: Vec<&(Vec<u32>, u32)> = within.iter().filter(finest).copied().collect();
    let (listed, different) = values(&finest);
    (listed == different).then(|| finest.into_iter().map(|(_, cell)| *cell).collect())
}

/// The nodes that others may be within, and everyone.
fn around(nodes: &Nodes, whole: Option<u32>) -> impl Iterator<Item = (Option<&Vec<u32>>, u32)> {
    nodes.iter().map(|(set, cell)| (Some(set), *cell)).chain(whole.map(|cell| (None, cell)))
}

fn within<'a>(nodes: &'a Nodes, large: Option<&Vec<u32>>) -> Vec<&'a (Vec<u32>, u32)> {
    nodes.iter().filter(|(small, _)| large.is_none_or(|large| is_inside(small, large))).collect()
}

/// How many values nodes list, and how many different ones.
fn values(nodes: &[&(Vec<u32>, u32)]) -> (usize, usize) {
    let mut values: Vec<u32> = nodes.iter().flat_map(|(set, _)| set).copied().collect();
    let listed = values.len();
    values.sort_unstable();
    values.dedup();
    (listed, values.len())
}

/// Whether all values of one node are in another that has more.
pub(super) fn is_inside(small: &[u32], large: &[u32]) -> bool {
    small.len() < large.len() && small.iter().all(|value| large.binary_search(value).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_a_factor_is_among_those_with_any_and_nobody_has_more_than_there_are_columns() {
        let nodes = [(vec![1], 0), (vec![2], 1), (vec![3], 2), (vec![1, 2, 3], 3)];
        let any = [
            vec![(3, 1), (0, -1)],
            vec![(3, 1), (1, -1)],
            vec![(3, 1), (2, -1)],
            vec![(0, 1), (1, 1), (2, 1), (3, -1)],
        ];
        assert_eq!(at_least_nothing(&nodes, None), any);
        assert_eq!(at_most(&nodes, None, Some(2)), [vec![(0, -1), (1, -1), (2, -1), (3, 2)]]);
        assert!(at_most(&nodes, None, Some(3)).is_empty());
    }
}
