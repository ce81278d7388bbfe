//! Tables that split a variable in different ways, such as ages to 24 in one and to 25 in another.
//!
//! Values that are in the same nodes of all tables are a **part**. Every node is the sum of its parts. A part that is
//! no node becomes an unpublished cell. So everything that subtraction of nodes gives follows in the system too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use outward_spec::Result;

use super::Family;
use super::differences::{Combination, Difference, People};
use outward_audit::find_integer_solution;

/// Nodes of a variable in one line: their values and their cells.
type Nodes = [(Vec<u32>, u32)];

/// A node and the other nodes and parts that it is the sum of.
struct Sum {
    total: usize,
    nodes: Vec<usize>,
    parts: Vec<usize>,
}

impl Family {
    /// Adds what holds between nodes of several tables, for figures that must add up across tables.
    pub(super) fn add_cuts(&mut self, nodes: &Nodes, seen: &mut BTreeSet<Vec<(u32, i32)>>) -> Result<()> {
        self.add_parts(nodes, seen).map(|_| ())
    }

    /// As [`Self::add_cuts`]. Returns the cells of the parts that are no nodes.
    fn add_parts(&mut self, nodes: &Nodes, seen: &mut BTreeSet<Vec<(u32, i32)>>) -> Result<Vec<Option<u32>>> {
        let (sums, parts) = sums(nodes);
        let values = self.part_values(nodes, &sums, parts)?;
        let cells: Vec<Option<u32>> =
            values.into_iter().map(|value| value.map(|value| self.add_unpublished(value))).collect();
        for sum in &sums {
            let own = sum.nodes.iter().map(|node| Some(nodes[*node].1));
            let own: Option<Vec<u32>> = own.chain(sum.parts.iter().map(|part| cells[*part])).collect();
            if let Some(own) = own {
                self.add_total(nodes[sum.total].1, &own, seen)?;
            }
        }
        Ok(cells)
    }

    /// Adds the differences of few people that more than one subtraction on a line of cells leaves (P3): a county less
    /// its west and most of its east. Differences of two cells are added with the atoms.
    pub(super) fn add_remainders(&mut self, few: i64, people: &People) -> Result<()> {
        let (places, mut seen) = (self.places.clone(), BTreeSet::new());
        let units: BTreeSet<u32> = places.units().into_iter().map(|(unit, _)| unit).collect();
        // Lines with the same nodes have the same parts.
        let mut known: HashMap<(u32, Vec<Vec<u32>>), bool> = HashMap::new();
        let lines = places.lines().into_iter().filter(|((_, of), _)| places.adds_up(*of) && !units.contains(of));
        for ((rest, variable), mut nodes) in lines {
            nodes.extend(places.cells.get(&rest).map(|cell| (places.all(variable), *cell)));
            let mut tables = nodes.iter().flat_map(|(_, cell)| &places.tables[*cell as usize]);
            let first = tables.next();
            if tables.all(|table| Some(table) == first) {
                continue;
            }
            let sets = nodes.iter().map(|(values, _)| values.clone()).collect();
            if *known.entry((variable, sets)).or_insert_with(|| sums(&nodes).1 > 0) {
                self.add_remainders_of(&nodes, few, people, &mut seen)?;
            }
        }
        Ok(())
    }

    fn add_remainders_of(
        &mut self,
        nodes: &Nodes,
        few: i64,
        people: &People,
        seen: &mut BTreeSet<Vec<(u32, i32)>>,
    ) -> Result<()> {
        let (sums, parts) = sums(nodes);
        let between_two = |part: usize| sums.iter().any(|sum| sum.parts == [part] && sum.nodes.len() == 1);
        let settled = |value: &dyn Fn(u32) -> Option<i64>| {
            let row = |sum: &Sum| {
                let own = sum.nodes.iter().map(|node| value(nodes[*node].1));
                Some((sum.parts.clone(), value(nodes[sum.total].1)? - own.sum::<Option<i64>>()?))
            };
            let rows = sums.iter().filter(|sum| !sum.parts.is_empty()).map(row).collect::<Option<Vec<_>>>();
            rows.map_or_else(|| vec![None; parts], |rows| solve(&rows, parts))
        };
        let expressed = if self.system.counts { vec![None; parts] } else { express(nodes, &sums, parts) };
        let contributors = |part: &Option<Combination>| {
            let Combination { cells, divisor } = part.as_ref()?;
            people.contributors_to(cells, *divisor, few)
        };
        let contributors: Vec<Option<Vec<(u64, i64)>>> = match people.are_contributors() {
            true => expressed.iter().map(contributors).collect(),
            false => vec![None; parts],
        };
        let left: Vec<Option<i64>> = match people.are_contributors() {
            true => contributors.iter().map(|own| Some(own.as_ref()?.len() as i64)).collect(),
            false => settled(&|cell| Some(self.places.people[cell as usize])),
        };
        let is_few = |part: &usize| left[*part].is_some_and(|left| (1..=few).contains(&left)) && !between_two(*part);
        let small: Vec<usize> = (0..parts).filter(is_few).collect();
        if small.is_empty() {
            return Ok(());
        }
        // The positions of records add up as the records do. So a difference of one record is identified by its
        // position.
        let records = settled(&|cell| people.sum(cell));
        let cells = self.add_parts(nodes, seen)?;
        for part in small {
            let (Some(cell), Some(count)) = (cells[part], left[part]) else { continue };
            let one = records[part].filter(|_| count == 1);
            let record = one.and_then(|one| people.record(nodes[0].1, Some(one)));
            let alone = sums.iter().filter(|sum| sum.parts == [part]);
            let left_by =
                alone.map(|sum| sum.nodes.iter().chain([&sum.total]).map(|node| nodes[*node].1).collect()).collect();
            let contributors = contributors[part].clone().unwrap_or_default();
            let (between, also, combination) = (None, Vec::new(), expressed[part].clone());
            let people = count;
            self.differences.push(Difference {
                cell,
                people,
                between,
                also,
                left_by,
                record,
                contributors,
                combination,
            });
        }
        Ok(())
    }

    /// The value of each part. If it does not follow from the nodes, any numbers that fit will do, as no other cell
    /// depends on them. `None` if the solver finds none, which happens with sums beyond its precision.
    fn part_values(&self, nodes: &Nodes, sums: &[Sum], parts: usize) -> Result<Vec<Option<i64>>> {
        let row = |sum: &Sum| {
            let own: i64 = sum.nodes.iter().map(|node| self.value(nodes[*node].1)).sum();
            (sum.parts.clone(), self.value(nodes[sum.total].1) - own)
        };
        let rows: Vec<(Vec<usize>, i64)> = sums.iter().filter(|sum| !sum.parts.is_empty()).map(row).collect();
        let found = solve(&rows, parts);
        if found.iter().all(Option::is_some) {
            return Ok(found);
        }
        let equations: Vec<(i64, Vec<(u32, i32)>)> = (rows.iter())
            .map(|(parts, right)| (*right, parts.iter().map(|part| (*part as u32, 1)).collect()))
            .collect();
        let fits = |filled: &Vec<i64>| {
            rows.iter().all(|(parts, right)| parts.iter().map(|part| filled[*part]).sum::<i64>() == *right)
        };
        Ok(match find_integer_solution(&found, &equations)?.filter(fits) {
            Some(filled) => filled.into_iter().map(Some).collect(),
            None => found,
        })
    }
}

/// The sums between nodes, and how many parts are no nodes.
fn sums(nodes: &Nodes) -> (Vec<Sum>, usize) {
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, (values, _)) in nodes.iter().enumerate() {
        values.iter().for_each(|value| holders.entry(*value).or_default().push(at));
    }
    // Each part by the nodes that contain it, and how many values it has.
    let mut parts: BTreeMap<&Vec<usize>, usize> = BTreeMap::new();
    holders.values().for_each(|holders| *parts.entry(holders).or_default() += 1);
    let mut numbers: BTreeMap<&Vec<usize>, usize> = BTreeMap::new();
    let mut sums = Vec::new();
    for total in 0..nodes.len() {
        let own: Vec<(&Vec<usize>, usize)> = parts
            .iter()
            .filter(|(holders, _)| holders.contains(&total))
            .map(|(holders, size)| (*holders, *size))
            .collect();
        let inside = inside(nodes, total, &own);
        let mut sum = Sum { total, nodes: inside.clone(), parts: Vec::new() };
        for (holders, size) in own.iter().filter(|(holders, _)| !inside.iter().any(|node| holders.contains(node))) {
            match holders.iter().find(|node| nodes[**node].0.len() == *size) {
                Some(node) => sum.nodes.push(*node),
                None => {
                    let next = numbers.len();
                    sum.parts.push(*numbers.entry(holders).or_insert(next));
                }
            }
        }
        if sum.nodes != [total] || !sum.parts.is_empty() {
            sums.push(sum);
        }
    }
    (sums, numbers.len())
}

/// The largest nodes strictly inside another; empty if they overlap.
fn inside(nodes: &Nodes, total: usize, parts: &[(&Vec<usize>, usize)]) -> Vec<usize> {
    let mut covered: BTreeMap<usize, usize> = BTreeMap::new();
    for (holders, size) in parts {
        holders.iter().for_each(|node| *covered.entry(*node).or_default() += size);
    }
    let size = |node: usize| nodes[node].0.len();
    let mut within: Vec<usize> = covered
        .iter()
        .filter(|(node, own)| **own == size(**node) && size(**node) < size(total))
        .map(|(node, _)| *node)
        .collect();
    within.sort_by_key(|node| (std::cmp::Reverse(size(*node)), *node));
    let mut kept: Vec<usize> = Vec::new();
    for node in within {
        let both = |other: &usize| parts.iter().any(|(holders, _)| holders.contains(&node) && holders.contains(other));
        let holds =
            |other: &usize| parts.iter().all(|(holders, _)| !holders.contains(&node) || holders.contains(other));
        match kept.iter().find(|other| both(other)) {
            None => kept.push(node),
            Some(_) if kept.iter().any(|other| both(other) && holds(other)) => {}
            Some(_) => return Vec::new(),
        }
    }
    kept
}

/// Each part as a sum of nodes; `None` if the part does not follow.
fn express(nodes: &Nodes, sums: &[Sum], parts: usize) -> Vec<Option<Combination>> {
    let row = |sum: &Sum| {
        let mut right = vec![0; nodes.len()];
        right[sum.total] += 1;
        sum.nodes.iter().for_each(|node| right[*node] -= 1);
        (sum.parts.clone(), right)
    };
    let rows: Vec<(Vec<usize>, Vec<i128>)> = sums.iter().filter(|sum| !sum.parts.is_empty()).map(row).collect();
    let combined = |(divisor, right): (i128, Vec<i128>)| {
        let times = |times: &i128| i64::try_from(times * divisor.signum()).ok();
        let terms = nodes.iter().zip(&right).filter(|(_, times)| **times != 0);
        let cells = terms.map(|((_, cell), by)| Some((*cell, times(by)?))).collect::<Option<_>>()?;
        Some(Combination { cells, divisor: i64::try_from(divisor.abs()).ok()? })
    };
    eliminate(&rows, parts).into_iter().map(|part| part.and_then(combined)).collect()
}

/// The values of parts that sums determine. A row has the parts it adds up and their sum.
fn solve(rows: &[(Vec<usize>, i64)], parts: usize) -> Vec<Option<i64>> {
    let rows: Vec<(Vec<usize>, Vec<i128>)> =
        rows.iter().map(|(own, right)| (own.clone(), vec![i128::from(*right)])).collect();
    let value = |(times, right): (i128, Vec<i128>)| (right[0] % times == 0).then_some(right[0] / times);
    let values = eliminate(&rows, parts).into_iter().map(|part| part.and_then(value));
    values.map(|value| i64::try_from(value?).ok()).collect()
}

/// Each part that rows determine, so many times, as a sum of their right-hand sides, by elimination in whole numbers. A
/// row has the parts it adds up and its right-hand sides.
fn eliminate(rows: &[(Vec<usize>, Vec<i128>)], parts: usize) -> Vec<Option<(i128, Vec<i128>)>> {
    let mut rows: Vec<Vec<i128>> = (rows.iter())
        .map(|(own, right)| {
            let mut row = vec![0; parts];
            own.iter().for_each(|part| row[*part] = 1);
            [row, right.clone()].concat()
        })
        .collect();
    let mut done = 0;
    for part in 0..parts {
        let Some(at) = (done..rows.len()).find(|row| rows[*row][part] != 0) else { continue };
        rows.swap(done, at);
        let pivot = rows[done].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            if at != done && row[part] != 0 {
                let (by, own) = (row[part], pivot[part]);
                row.iter_mut().zip(&pivot).for_each(|(value, with)| *value = *value * own - with * by);
                let common = row.iter().fold(0, |common, value| divisor(common, value.abs())).max(1);
                row.iter_mut().for_each(|value| *value /= common);
            }
        }
        done += 1;
    }
    let mut found = vec![None; parts];
    for row in rows {
        let mut left = (0..parts).filter(|part| row[*part] != 0);
        if let (Some(part), None) = (left.next(), left.next()) {
            found[part] = Some((row[part], row[parts..].to_vec()));
        }
    }
    found
}

fn divisor(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_three_nodes_leave_is_found_by_elimination() {
        // 4 and 5 sum to 21, 5 to 8 sum to 78, 6 to 8 sum to 59: so 5 is 19 and 4 is 2.
        let nodes = [(vec![4, 5], 0), (vec![5, 6, 7, 8], 1), (vec![6, 7, 8], 2)];
        let (sums, parts) = sums(&nodes);
        assert_eq!(parts, 2);
        let counts = [21, 78, 59];
        let right = |sum: &Sum| counts[sum.total] - sum.nodes.iter().map(|node| counts[*node]).sum::<i64>();
        let rows: Vec<(Vec<usize>, i64)> = sums.iter().map(|sum| (sum.parts.clone(), right(sum))).collect();
        let mut found = solve(&rows, parts);
        found.sort_unstable();
        assert_eq!(found, [Some(2), Some(19)]);
    }

    #[test]
    fn what_nodes_do_not_settle_stays_open() {
        let (sums, parts) = sums(&[(vec![1, 2], 0), (vec![2, 3], 1)]);
        assert_eq!((sums.len(), parts), (2, 3));
        let rows: Vec<(Vec<usize>, i64)> = sums.iter().map(|sum| (sum.parts.clone(), 5)).collect();
        assert_eq!(solve(&rows, parts), [None, None, None]);
    }
}
