//! What holds on a line, by the sets of values of its cells.
//!
//! The values of the variable fall into parts that no cell tells apart. A cell is the sum of the cells within it and of the parts that
//! none of those has; a part that no table shows is a count that nobody publishes. That is all that follows from the line, however the
//! nodes of different tables overlap. Where a record may have several values nothing adds up, but a record in a node is in every
//! larger one, a record in one is in some of those that cover it, and nobody is in more nodes than there are answers.

use std::collections::{BTreeMap, HashMap};

/// How many values of a variable a record may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Answers {
    One,
    /// Several; no more than so many, where that is known.
    Several(Option<usize>),
}

/// Patterns that were worked out already, by how many answers there are and by the sets of the line.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    known: HashMap<(Answers, Vec<u32>), Pattern>,
}

impl Patterns {
    /// The pattern of a line whose sets have these numbers among all sets.
    pub(super) fn pattern(&mut self, answers: Answers, line: &[(u32, u32)], sets: &[Vec<u32>]) -> &Pattern {
        let numbers: Vec<u32> = line.iter().map(|(set, _)| *set).collect();
        self.known.entry((answers, numbers)).or_insert_with_key(|(answers, numbers)| {
            let sets: Vec<&[u32]> = numbers.iter().map(|set| sets[*set as usize].as_slice()).collect();
            Pattern::new(&sets, *answers)
        })
    }
}

/// A total and what it is the sum of: nodes of the line, and parts that nobody publishes, by number.
#[derive(Debug)]
pub(super) struct Sum {
    pub(super) total: usize,
    pub(super) parts: Vec<usize>,
    pub(super) remainders: Vec<usize>,
}

/// What holds on every line with the same sets.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    pub(super) sums: Vec<Sum>,
    /// How many parts nobody publishes.
    pub(super) remainders: usize,
    /// Several answers: nodes that are within others.
    pub(super) within: Vec<(usize, usize)>,
    /// Several answers: nodes that are covered by others.
    pub(super) covers: Vec<(usize, Vec<usize>)>,
    /// Several answers: nodes within another that sum to so many times it at most.
    pub(super) at_most: Vec<(i32, usize, Vec<usize>)>,
}

impl Pattern {
    fn new(sets: &[&[u32]], answers: Answers) -> Self {
        let nested = Nested::new(sets);
        match answers {
            Answers::One => Self::of_sums(sets, &nested),
            Answers::Several(most) => Self::of_answers(sets, &nested, most),
        }
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
        let mut remainders: BTreeMap<&Vec<usize>, usize> = BTreeMap::new();
        for total in 0..sets.len() {
            let inside = &nested.inside[total];
            let inside = if disjoint(sets, inside) { inside.clone() } else { Vec::new() };
            let mut sum = Sum { total, parts: inside.clone(), remainders: Vec::new() };
            for (holders, (_, node)) in parts.iter().filter(|(holders, _)| holders.contains(&total)) {
                match node {
                    _ if inside.iter().any(|part| holders.contains(part)) => {}
                    Some(node) => sum.parts.push(*node),
                    None => {
                        let next = remainders.len();
                        sum.remainders.push(*remainders.entry(holders).or_insert(next));
                    }
                }
            }
            if sum.parts != [total] {
                pattern.sums.push(sum);
            }
        }
        pattern.remainders = remainders.len();
        pattern
    }

    fn of_answers(sets: &[&[u32]], nested: &Nested, most: Option<usize>) -> Self {
        let mut pattern = Self::default();
        for (total, _) in sets.iter().enumerate().skip(1).filter(|(at, set)| sets[at - 1] == **set) {
            pattern.sums.push(Sum { total, parts: vec![total - 1], remainders: Vec::new() });
        }
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
            let Some((most, times)) = most.and_then(|most| Some((most, i32::try_from(most).ok()?))) else { continue };
            for finest in [nested.finest(sets, large, false), nested.finest(sets, large, true)] {
                let known = pattern.at_most.last().is_some_and(|(_, of, parts)| *of == large && *parts == finest);
                if finest.len() > most && !known {
                    pattern.at_most.push((times, large, finest));
                }
            }
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
    fn new(sets: &[&[u32]]) -> Self {
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

    /// The finest sets inside one that have no value in common; where `covered`, a set that those inside it do not cover stays whole.
    fn finest(&self, sets: &[&[u32]], large: usize, covered: bool) -> Vec<usize> {
        let mut open = self.inside[large].clone();
        let mut finest = Vec::new();
        while let Some(at) = open.pop() {
            let inside = &self.inside[at];
            let values: usize = inside.iter().map(|part| sets[*part].len()).sum();
            match inside.is_empty() || covered && !(disjoint(sets, inside) && values == sets[at].len()) {
                true => finest.push(at),
                false => open.extend(inside),
            }
        }
        finest.sort_unstable();
        finest.dedup();
        let mut taken: Vec<usize> = Vec::new();
        for at in finest {
            taken.push(at);
            if !disjoint(sets, &taken) {
                taken.pop();
            }
        }
        taken
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
        let pattern = Pattern::new(sets, Answers::One);
        pattern.sums.into_iter().map(|sum| (sum.total, sum.parts, sum.remainders)).collect()
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
        let pattern = Pattern::new(&[&[1], &[2], &[1, 2], &[0, 1, 2]], Answers::Several(None));
        assert_eq!(pattern.within, [(0, 2), (1, 2), (2, 3)]);
        assert_eq!(pattern.covers, [(2, vec![0, 1])]);
        assert!(pattern.sums.is_empty() && pattern.at_most.is_empty());
    }

    #[test]
    fn nobody_has_more_answers_than_there_are_columns() {
        let sets: [&[u32]; 5] = [&[1], &[2], &[3], &[1, 2, 3], &[0, 1, 2, 3, 4]];
        assert_eq!(
            Pattern::new(&sets, Answers::Several(Some(2))).at_most,
            [(2, 3, vec![0, 1, 2]), (2, 4, vec![0, 1, 2])]
        );
        assert!(Pattern::new(&sets, Answers::Several(Some(3))).at_most.is_empty());
        // Two of three answers in a group are not all of it, so that the group counts more than they do.
        let sets: [&[u32]; 4] = [&[1], &[1, 2], &[3], &[0, 1, 2, 3]];
        assert_eq!(Pattern::new(&sets, Answers::Several(Some(1))).at_most, [(1, 3, vec![0, 2]), (1, 3, vec![1, 2])]);
    }
}
