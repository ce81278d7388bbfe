//! Finds the variable along which a family of tables falls into small slices, from its equations alone.
//!
//! In a table of areas by age by sex, the equations that add up the parts of one area are *parallel*: there is one for each age
//! and sex. Sets of parallel equations whose totals are parts of another set form one hierarchy. Without the equations of
//! one hierarchy the system falls apart into slices, one for each of its nodes.

use outward_audit::System;

/// Equations as totals with their parts, and the equations of each cell.
pub(super) struct Totals {
    /// For each equation the cell that is the sum of the others, if there is one.
    pub(super) total: Vec<Option<u32>>,
    /// For each cell the equations that make it from parts.
    pub(super) made: Vec<Vec<u32>>,
    /// For each cell the equations in which it is a part.
    pub(super) used: Vec<Vec<u32>>,
}

impl Totals {
    pub(super) fn new(system: &System) -> Self {
        let total: Vec<_> = (0..system.equations()).map(|equation| total_of_equation(system, equation)).collect();
        let (mut made, mut used) = (vec![Vec::new(); system.cells.len()], vec![Vec::new(); system.cells.len()]);
        for (equation, total) in total.iter().enumerate() {
            let Some(total) = *total else { continue };
            made[total as usize].push(equation as u32);
            for (cell, _) in system.terms(equation).iter().filter(|(cell, _)| *cell != total) {
                used[*cell as usize].push(equation as u32);
            }
        }
        Self { total, made, used }
    }
}

/// The total of an equation: the one cell whose sign differs from all others, if the equation has no constant.
fn total_of_equation(system: &System, equation: usize) -> Option<u32> {
    let terms = system.terms(equation);
    if system.right(equation) != 0 || terms.iter().any(|(_, by)| by.abs() != 1) {
        return None;
    }
    let minus = terms.iter().filter(|(_, by)| *by < 0).count();
    let sign = if minus == 1 { -1 } else { 1 };
    let mut alone = terms.iter().filter(|(_, by)| *by == sign);
    match (alone.next(), alone.next()) {
        (Some((cell, _)), None) => Some(*cell),
        _ => None,
    }
}

/// A system in slices, and the order in which they can be rounded.
pub(super) struct Slices {
    /// For each slice its cells.
    pub(super) cells: Vec<Vec<u32>>,
    /// For each slice the equations within it.
    pub(super) within: Vec<Vec<u32>>,
    /// The blocks, in the order in which they are rounded.
    pub(super) blocks: Vec<Block>,
}

/// Slices to round together, and the equations that tie them to cells rounded before.
pub(super) struct Block {
    pub(super) slices: Vec<u32>,
    pub(super) ties: Vec<u32>,
}

impl Slices {
    /// Cuts along the hierarchy that makes the largest block smallest; `None` if that has more than `largest` cells.
    pub(super) fn find(system: &System, largest: usize) -> Option<Self> {
        let totals = Totals::new(system);
        let bundles = parallel_equations(system, &totals);
        let trees = hierarchies(system, &totals, &bundles);
        let count = trees.iter().max().map_or(0, |tree| tree + 1);
        (0..count)
            .filter_map(|tree| Self::cut_along(system, &totals, &bundles, &trees, tree))
            .map(|slices| (slices.largest(), slices))
            .filter(|(size, _)| *size <= largest)
            .min_by_key(|(size, _)| *size)
            .map(|(_, slices)| slices)
    }

    fn largest(&self) -> usize {
        let size = |block: &Block| block.slices.iter().map(|slice| self.cells[*slice as usize].len()).sum();
        self.blocks.iter().map(size).max().unwrap_or(usize::MAX)
    }

    /// Cuts the equations of one hierarchy; `None` if a slice would be tied to two sets of totals.
    fn cut_along(system: &System, totals: &Totals, bundles: &[u32], trees: &[u32], tree: u32) -> Option<Self> {
        let cut = |equation: usize| trees[bundles[equation] as usize] == tree;
        let mut joined = UnionFind::new(system.cells.len());
        for equation in (0..system.equations()).filter(|equation| !cut(*equation)) {
            for pair in system.terms(equation).windows(2) {
                joined.join(pair[0].0, pair[1].0);
            }
        }
        let (slice, slices) = joined.numbers();
        let mut cells = vec![Vec::new(); slices];
        for (cell, slice) in slice.iter().enumerate() {
            cells[*slice as usize].push(cell as u32);
        }
        let mut within = vec![Vec::new(); slices];
        let mut ties = vec![Vec::new(); trees.len()];
        let mut above = vec![None; slices];
        for (equation, bundle) in bundles.iter().enumerate() {
            let terms = system.terms(equation);
            let Some((first, _)) = terms.first() else { continue };
            if !cut(equation) {
                within[slice[*first as usize] as usize].push(equation as u32);
                continue;
            }
            let total = totals.total[equation]?;
            ties[*bundle as usize].push(equation as u32);
            for (part, _) in terms.iter().filter(|(cell, _)| *cell != total) {
                let part = slice[*part as usize];
                if part == slice[total as usize] || *above[part as usize].get_or_insert(*bundle) != *bundle {
                    return None;
                }
            }
        }
        let blocks = order_blocks(&slice, &above, ties, totals)?;
        Some(Self { cells, within, blocks })
    }
}

/// Orders blocks from the top down: first each slice below no other, then each bundle once its totals are done.
fn order_blocks(slice: &[u32], above: &[Option<u32>], ties: Vec<Vec<u32>>, totals: &Totals) -> Option<Vec<Block>> {
    let mut below = vec![Vec::new(); ties.len()];
    let mut blocks = Vec::new();
    let mut done = vec![false; above.len()];
    for (at, bundle) in above.iter().enumerate() {
        match bundle {
            Some(bundle) => below[*bundle as usize].push(at as u32),
            None => {
                done[at] = true;
                blocks.push(Block { slices: vec![at as u32], ties: Vec::new() });
            }
        }
    }
    let mut waiting: Vec<(u32, Vec<u32>)> =
        ties.into_iter().enumerate().filter(|(_, ties)| !ties.is_empty()).map(|(at, ties)| (at as u32, ties)).collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut later = Vec::new();
        let mut new = Vec::new();
        for (bundle, ties) in waiting {
            let known =
                |tie: &u32| totals.total[*tie as usize].is_some_and(|total| done[slice[total as usize] as usize]);
            if ties.iter().all(known) {
                let slices = std::mem::take(&mut below[bundle as usize]);
                new.extend_from_slice(&slices);
                blocks.push(Block { slices, ties });
            } else {
                later.push((bundle, ties));
            }
        }
        new.into_iter().for_each(|slice| done[slice as usize] = true);
        waiting = later;
        if waiting.len() == before {
            return None;
        }
    }
    Some(blocks)
}

/// For each equation the number of its set of parallel equations.
///
/// Two equations are parallel if a total `T` is a part of `T'`, both are made from parts, and a part of `T` is a part
/// of a part of `T'`. Summing over one variable and then the other gives the same as the other way round.
fn parallel_equations(system: &System, totals: &Totals) -> Vec<u32> {
    let mut joined = UnionFind::new(system.equations());
    for outer in 0..system.equations() {
        let Some(top) = totals.total[outer] else { continue };
        for (inner, _) in system.terms(outer).iter().filter(|(cell, _)| *cell != top) {
            for equation in &totals.made[*inner as usize] {
                let Some((part, _)) = system.terms(*equation as usize).iter().find(|(cell, _)| cell != inner) else {
                    continue;
                };
                for across in totals.used[*part as usize].iter().filter(|across| *across != equation) {
                    let Some(middle) = totals.total[*across as usize] else { continue };
                    let beside = totals.used[middle as usize]
                        .iter()
                        .filter(|beside| **beside != outer as u32 && totals.total[**beside as usize] == Some(top));
                    beside.for_each(|beside| joined.join(*equation, *beside));
                }
            }
        }
    }
    joined.numbers().0
}

/// For each set of parallel equations the number of the hierarchy it belongs to.
///
/// One set is below another if all its totals are parts of the other's totals.
fn hierarchies(system: &System, totals: &Totals, bundles: &[u32]) -> Vec<u32> {
    let count = bundles.iter().max().map_or(0, |bundle| *bundle as usize + 1);
    let mut members = vec![Vec::new(); count];
    for (equation, bundle) in bundles.iter().enumerate() {
        members[*bundle as usize].push(equation as u32);
    }
    let is_part = |cell: u32, of: u32| totals.used[cell as usize].iter().any(|used| bundles[*used as usize] == of);
    let mut joined = UnionFind::new(count);
    for (bundle, equations) in members.iter().enumerate() {
        let made: Option<Vec<u32>> = equations.iter().map(|equation| totals.total[*equation as usize]).collect();
        let Some(made) = made else { continue };
        let Some(first) = made.first() else { continue };
        for used in &totals.used[*first as usize] {
            let above = bundles[*used as usize];
            if above != bundle as u32 && made.iter().all(|cell| is_part(*cell, above)) {
                joined.join(bundle as u32, above);
            }
        }
    }
    debug_assert_eq!(bundles.len(), system.equations());
    joined.numbers().0
}

/// Disjoint sets (union-find).
struct UnionFind(Vec<u32>);

impl UnionFind {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn root(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let up = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = up;
            at = up;
        }
        at
    }

    /// The smaller number stands for both.
    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other) as usize] = one.min(other);
    }

    /// The sets numbered by their first members, and how many there are.
    fn numbers(mut self) -> (Vec<u32>, usize) {
        let mut numbers = vec![0; self.0.len()];
        let mut count = 0;
        for at in 0..self.0.len() {
            let root = self.root(at as u32) as usize;
            if root == at {
                numbers[at] = count;
                count += 1;
            } else {
                numbers[at] = numbers[root];
            }
        }
        (numbers, count as usize)
    }
}
