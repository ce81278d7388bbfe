//! What holds between cells that differ in one variable: sums, and for several answers who is among whom.
//!
//! Along a line of such cells the values of the variable fall into parts that no cell tells apart. A cell is the sum of the cells
//! within it and of the parts that none of those has; a part that no table shows is a count that nobody publishes. That is all
//! that follows from the line, however the nodes of different tables overlap.

use std::collections::{BTreeMap, HashMap};

use super::places::{Cells, Place};

/// What holds between cells, those that nobody publishes included.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// Cells with coefficients that sum to nothing.
    pub(super) equations: Vec<Vec<(u32, i32)>>,
    /// How many cells there are; those past the published ones are published by nobody.
    pub(super) cells: u32,
    /// The cells that nobody publishes but that count records.
    pub(super) rests: Vec<u32>,
}

impl Relations {
    pub(super) fn of(cells: &mut Cells) -> Self {
        let mut relations = Self { cells: cells.places.len() as u32, ..Self::default() };
        let mut patterns: HashMap<(bool, Vec<u32>), Pattern> = HashMap::new();
        for variable in 0..cells.variables.len() as u32 {
            let several = cells.variables[variable as usize].several;
            for line in lines(cells, variable) {
                let sets: Vec<u32> = line.iter().map(|(set, _)| *set).collect();
                let pattern = patterns.entry((several, sets)).or_insert_with_key(|(several, sets)| {
                    let sets: Vec<&[u32]> = sets.iter().map(|set| cells.sets[*set as usize].as_slice()).collect();
                    Pattern::of(&sets, *several)
                });
                relations.add_line(pattern, &line);
            }
        }
        relations
    }

    fn add_line(&mut self, pattern: &Pattern, line: &[(u32, u32)]) {
        let first = self.cells;
        self.cells += pattern.rests as u32;
        self.rests.extend(first..self.cells);
        for sum in &pattern.sums {
            let parts = sum.parts.iter().map(|part| line[*part].1);
            let rests = sum.rests.iter().map(|rest| first + *rest as u32);
            let terms: Vec<(u32, i32)> =
                parts.chain(rests).map(|cell| (cell, 1)).chain([(line[sum.total].1, -1)]).collect();
            self.add(terms);
        }
        for (small, large) in &pattern.within {
            self.at_most(vec![(line[*small].1, 1)], line[*large].1);
        }
        for (large, parts) in &pattern.covers {
            let beyond = self.add_slack();
            let parts = parts.iter().map(|part| (line[*part].1, 1));
            self.add(parts.chain([(line[*large].1, -1), (beyond, -1)]).collect());
        }
    }

    /// The cells sum to at most another.
    pub(super) fn at_most(&mut self, mut cells: Vec<(u32, i32)>, other: u32) {
        let slack = self.add_slack();
        cells.extend([(slack, 1), (other, -1)]);
        self.add(cells);
    }

    fn add_slack(&mut self) -> u32 {
        self.cells += 1;
        self.cells - 1
    }

    fn add(&mut self, mut terms: Vec<(u32, i32)>) {
        terms.sort_unstable();
        terms.dedup_by(|again, first| {
            let same = again.0 == first.0;
            if same {
                first.1 += again.1;
            }
            same
        });
        terms.retain(|(_, by)| *by != 0);
        if !terms.is_empty() {
            self.equations.push(terms);
        }
    }
}

/// The cells that differ in one variable only, each with its set; whoever does not ask for the variable counts everyone.
fn lines(cells: &mut Cells, variable: u32) -> Vec<Vec<(u32, u32)>> {
    let everyone = cells.everyone(variable);
    let mut lines: HashMap<Place, Vec<(u32, u32)>> = HashMap::new();
    for (cell, place) in cells.places.iter().enumerate() {
        // Two variables of a table may read the same.
        for at in (0..place.at.len()).filter(|at| place.at[*at].0 == variable) {
            let mut rest = place.clone();
            let (_, set) = rest.at.remove(at);
            lines.entry(rest).or_default().push((set, cell as u32));
        }
    }
    let whole = |(rest, mut line): (Place, Vec<(u32, u32)>)| {
        if let Some(cell) = cells.find(&rest) {
            line.extend(everyone.iter().map(|set| (*set, cell)));
        }
        line.retain(|(set, _)| !cells.sets[*set as usize].is_empty());
        line.sort_unstable();
        line.dedup();
        line
    };
    let mut lines: Vec<Vec<(u32, u32)>> = lines.into_iter().map(whole).filter(|line| line.len() > 1).collect();
    lines.sort_unstable();
    lines
}

/// A total and what it is the sum of: nodes of the line, and parts that nobody publishes, by number.
#[derive(Debug)]
struct Sum {
    total: usize,
    parts: Vec<usize>,
    rests: Vec<usize>,
}

/// What holds on every line with the same sets.
#[derive(Debug, Default)]
struct Pattern {
    sums: Vec<Sum>,
    /// How many parts nobody publishes.
    rests: usize,
    /// Several answers: nodes that are within others.
    within: Vec<(usize, usize)>,
    /// Several answers: nodes that are covered by others.
    covers: Vec<(usize, Vec<usize>)>,
}

impl Pattern {
    fn of(sets: &[&[u32]], several: bool) -> Self {
        let nested = Nested::of(sets);
        if several { Self::of_answers(sets, &nested) } else { Self::of_sums(sets, &nested) }
    }

    fn of_sums(sets: &[&[u32]], nested: &Nested) -> Self {
        let mut pattern = Self::default();
        // The part each value is in, and the node that is just this part.
        let mut parts: BTreeMap<&Vec<usize>, (Vec<u32>, Option<usize>)> = BTreeMap::new();
        for (value, holders) in &nested.holders {
            parts.entry(holders).or_default().0.push(*value);
        }
        for (values, node) in parts.values_mut() {
            *node = nested.holders[&values[0]].iter().copied().find(|holder| sets[*holder].len() == values.len());
        }
        let mut rests: BTreeMap<&Vec<usize>, usize> = BTreeMap::new();
        for total in 0..sets.len() {
            let inside = &nested.inside[total];
            let inside = if disjoint(sets, inside) { inside.clone() } else { Vec::new() };
            let mut sum = Sum { total, parts: inside.clone(), rests: Vec::new() };
            for (holders, (_, node)) in parts.iter().filter(|(holders, _)| holders.contains(&total)) {
                match node {
                    _ if inside.iter().any(|part| holders.contains(part)) => {}
                    Some(node) => sum.parts.push(*node),
                    None => {
                        let next = rests.len();
                        sum.rests.push(*rests.entry(holders).or_insert(next));
                    }
                }
            }
            if sum.parts != [total] {
                pattern.sums.push(sum);
            }
        }
        pattern.rests = rests.len();
        pattern
    }

    /// Whoever is in a node is in every larger one, and whoever is in one is in some of those that cover it.
    fn of_answers(sets: &[&[u32]], nested: &Nested) -> Self {
        let mut pattern = Self::default();
        for (large, inside) in nested.inside.iter().enumerate() {
            pattern.within.extend(inside.iter().map(|small| (*small, large)));
            let mut known: Vec<Vec<usize>> = Vec::new();
            for first in inside {
                let mut taken = vec![*first];
                for other in inside {
                    taken.push(*other);
                    if !disjoint(sets, &taken) {
                        taken.pop();
                    }
                }
                taken.sort_unstable();
                let covered: usize = taken.iter().map(|part| sets[*part].len()).sum();
                if covered == sets[large].len() && !known.contains(&taken) {
                    known.push(taken);
                }
            }
            pattern.covers.extend(known.into_iter().map(|parts| (large, parts)));
        }
        pattern
    }
}

/// Which sets are in which.
struct Nested {
    /// For each value the sets that have it.
    holders: BTreeMap<u32, Vec<usize>>,
    /// For each set the largest sets strictly inside it.
    inside: Vec<Vec<usize>>,
}

impl Nested {
    fn of(sets: &[&[u32]]) -> Self {
        let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, set) in sets.iter().enumerate() {
            set.iter().for_each(|value| holders.entry(*value).or_default().push(at));
        }
        let inside = |large: usize| {
            let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
            for holder in sets[large].iter().flat_map(|value| &holders[value]) {
                *shared.entry(*holder).or_default() += 1;
            }
            let within = |(small, shared): (usize, usize)| {
                (shared == sets[small].len() && shared < sets[large].len()).then_some(small)
            };
            let within: Vec<usize> = shared.into_iter().filter_map(within).collect();
            largest(sets, within)
        };
        Self { inside: (0..sets.len()).map(inside).collect(), holders }
    }
}

/// The sets that are in no other of these.
fn largest(sets: &[&[u32]], mut within: Vec<usize>) -> Vec<usize> {
    within.sort_by_key(|at| (std::cmp::Reverse(sets[*at].len()), *at));
    // The sets taken already that hold each value.
    let mut takers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    within.retain(|at| {
        let [first, rest @ ..] = sets[*at] else { return false };
        let mut holding = takers.get(first).cloned().unwrap_or_default();
        for value in rest {
            let here = takers.get(value);
            holding.retain(|taken| here.is_some_and(|here| here.contains(taken)));
        }
        let free = holding.is_empty();
        if free {
            sets[*at].iter().for_each(|value| takers.entry(*value).or_default().push(*at));
        }
        free
    });
    within.sort_unstable();
    within
}

fn disjoint(sets: &[&[u32]], some: &[usize]) -> bool {
    let mut values: Vec<u32> = some.iter().flat_map(|at| sets[*at]).copied().collect();
    let count = values.len();
    values.sort_unstable();
    values.dedup();
    values.len() == count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(sets: &[&[u32]]) -> Vec<(usize, Vec<usize>, Vec<usize>)> {
        let pattern = Pattern::of(sets, false);
        pattern.sums.into_iter().map(|sum| (sum.total, sum.parts, sum.rests)).collect()
    }

    #[test]
    fn a_total_is_the_sum_of_its_subtotals_and_they_of_their_values() {
        let found = sums(&[&[1], &[2], &[3], &[1, 2], &[1, 2, 3]]);
        assert_eq!(found, [(3, vec![0, 1], vec![]), (4, vec![2, 3], vec![])]);
    }

    #[test]
    fn ages_to_24_and_to_25_leave_those_of_25() {
        assert_eq!(sums(&[&[1, 2], &[1, 2, 3]]), [(1, vec![0], vec![0])]);
    }

    #[test]
    fn two_nodes_that_overlap_share_what_nobody_publishes() {
        let found = sums(&[&[1, 2], &[2, 3]]);
        assert_eq!(found.len(), 2);
        let common: Vec<&usize> = found[0].2.iter().filter(|rest| found[1].2.contains(rest)).collect();
        assert_eq!(common.len(), 1, "{found:?}");
    }

    #[test]
    fn two_hierarchies_over_the_same_values_are_both_sums_of_them() {
        let found = sums(&[&[1], &[2], &[3], &[4], &[1, 2], &[3, 4], &[1, 3], &[2, 4], &[1, 2, 3, 4]]);
        assert!(found.contains(&(8, vec![0, 1, 2, 3], vec![])), "{found:?}");
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn several_answers_are_within_and_cover_but_do_not_add_up() {
        let pattern = Pattern::of(&[&[1], &[2], &[1, 2], &[0, 1, 2]], true);
        assert_eq!(pattern.within, [(0, 2), (1, 2), (2, 3)]);
        assert_eq!(pattern.covers, [(2, vec![0, 1])]);
        assert!(pattern.sums.is_empty());
    }
}
