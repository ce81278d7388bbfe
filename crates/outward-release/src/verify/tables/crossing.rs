//! The table behind the tables: counts that nobody publishes, of which every published cell is the sum.
//!
//! Lines of cells that differ in one variable do not say all. Tables of *a* by *b*, *b* by *c* and *a* by *c* are margins of one table of
//! *a* by *b* by *c*, whose counts are not below zero; and where a table has two variables of several answers, who is counted twice by
//! one is counted twice beside the other. So variables are **crossed**: each falls into parts, and for every combination of parts there is
//! a count. One variable of several answers may stay out of it, the largest: along it, what holds on lines holds for every combination
//! by itself, and with all others crossed that is all that holds.

mod plan;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::lines::{Relations, lines, with_everyone};
use super::parts::Part;
use super::pattern::Patterns;
use super::places::{At, Cells};
pub(super) use plan::{Behind, plan};

/// A crossed variable.
#[derive(Debug)]
struct Axis {
    /// Its number, or that of what a table shows of it again.
    variable: u32,
    parts: Vec<Part>,
}

/// The variables of a unit that are crossed.
#[derive(Debug)]
pub(super) struct Crossing {
    pub(super) unit: u32,
    axes: Vec<Axis>,
    /// Variables that are not crossed while what a table shows of them again is.
    apart: BTreeSet<u32>,
    /// How many variables there are; what a table shows again of one is numbered after all.
    variables: u32,
}

/// A cell: where it stands among the variables that are not crossed, and for each crossed one the parts it has.
struct Shown {
    cell: u32,
    rest: At,
    parts: Vec<Vec<usize>>,
}

/// The counts behind the tables: by where they stand, and by the number of their combination of parts.
type Counts = HashMap<(At, usize), u32>;

impl Crossing {
    /// Adds the counts behind the tables of the unit, and what holds between them and the cells.
    pub(super) fn add(&self, cells: &mut Cells, relations: &mut Relations, patterns: &mut Patterns) {
        let axes: Vec<u32> = self.axes.iter().map(|axis| axis.variable).collect();
        // The sum of cells is made of what these are made of.
        let summed = |cell: u32| axes.iter().any(|variable| relations.summed.contains(&(cell, *variable)));
        let standing = cells.standing(self.unit).filter(|(_, cell)| !summed(*cell));
        let shown: Vec<Shown> = standing.map(|(at, cell)| self.shown(at, cell, cells)).collect();
        let mut counts = Counts::new();
        for Shown { cell, rest, parts } in &shown {
            if let [combination] = self.combinations(parts)[..]
                && self.can_be(rest, combination, cells)
            {
                counts.entry((rest.clone(), combination)).or_insert(*cell);
            }
        }
        for Shown { cell, rest, parts } in &shown {
            let mut terms = vec![(*cell, -1)];
            for combination in self.combinations(parts) {
                if self.can_be(rest, combination, cells) {
                    let count = counts.entry((rest.clone(), combination)).or_insert_with(|| relations.add_cell());
                    terms.push((*count, 1));
                }
            }
            relations.add(terms);
        }
        self.add_everyone(&mut counts, relations);
        self.add_lines(&counts, cells, relations, patterns);
    }

    fn shown(&self, at: &At, cell: u32, cells: &Cells) -> Shown {
        let at = self.told_apart(at, cells);
        let parts = |axis: &Axis| {
            let has = |part: &Part| at.iter().all(|(variable, set)| *variable != axis.variable || part.contains(set));
            (0..axis.parts.len()).filter(|part| has(&axis.parts[*part])).collect()
        };
        let parts = self.axes.iter().map(parts).collect();
        let crossed = |(variable, _): &(u32, u32)| self.axes.iter().any(|axis| axis.variable == *variable);
        Shown { cell, rest: at.into_iter().filter(|entry| !crossed(entry)).collect(), parts }
    }

    /// Where a cell stands, with what a table shows of a variable again numbered as another.
    fn told_apart(&self, at: &At, cells: &Cells) -> At {
        let mut at = at.clone();
        for variable in &self.apart {
            let again = &cells.variables[*variable as usize].again;
            while at.iter().filter(|(other, _)| other == variable).count() > 1 {
                let Some(entry) = at.iter_mut().rfind(|(other, set)| other == variable && again.contains(set)) else {
                    break;
                };
                entry.0 += self.variables;
            }
        }
        at.sort_unstable();
        at
    }

    /// The numbers of all combinations of some parts of each crossed variable.
    fn combinations(&self, parts: &[Vec<usize>]) -> Vec<usize> {
        let mut all = vec![0];
        for (axis, parts) in self.axes.iter().zip(parts) {
            let with = |before: usize| parts.iter().map(move |part| before * axis.parts.len() + part);
            all = all.into_iter().flat_map(with).collect();
        }
        all
    }

    /// The part of a crossed variable in a combination.
    fn part(&self, combination: usize, axis: usize) -> &Part {
        let after: usize = self.axes[axis + 1..].iter().map(|axis| axis.parts.len()).product();
        &self.axes[axis].parts[combination / after % self.axes[axis].parts.len()]
    }

    /// What is known of a variable, of which a table shows some again, in a combination: the sets a record is in, and those it is not in.
    fn again(&self, variable: u32, combination: usize, cells: &Cells) -> (Vec<u32>, Vec<u32>) {
        let number = variable + self.variables;
        let Some(axis) = self.axes.iter().position(|axis| axis.variable == number) else { return Default::default() };
        let part = self.part(combination, axis);
        cells.variables[variable as usize].again.iter().partition(|set| part.contains(set))
    }

    /// The values of a set that a record of a combination may have.
    fn left(&self, variable: u32, set: u32, combination: usize, cells: &Cells) -> Vec<u32> {
        let (_, without) = self.again(variable, combination, cells);
        let excluded = |value: &u32| without.iter().any(|set| cells.sets[*set as usize].binary_search(value).is_ok());
        cells.sets[set as usize].iter().copied().filter(|value| !excluded(value)).collect()
    }

    /// Whether a record can stand somewhere and have a combination: whoever is in a node is in those around it that a table shows again.
    fn can_be(&self, rest: &At, combination: usize, cells: &Cells) -> bool {
        let apart = rest.iter().filter(|(variable, _)| self.apart.contains(variable));
        apart.into_iter().all(|(variable, set)| !self.left(*variable, *set, combination, cells).is_empty())
    }

    /// Everyone of a combination, whatever else is said of a variable that a table shows again.
    fn add_everyone(&self, counts: &mut Counts, relations: &mut Relations) {
        let without = |((rest, combination), _): (&(At, usize), &u32)| {
            let kept = |entry: &&(u32, u32)| !self.apart.contains(&entry.0);
            (rest.iter().filter(kept).copied().collect::<At>(), *combination)
        };
        if !self.apart.is_empty() {
            let everyone: BTreeSet<(At, usize)> = counts.iter().map(without).collect();
            for place in everyone {
                counts.entry(place).or_insert_with(|| relations.add_cell());
            }
        }
    }

    /// What holds along variables that are not crossed, combination by combination.
    fn add_lines(&self, counts: &Counts, cells: &mut Cells, relations: &mut Relations, patterns: &mut Patterns) {
        let mut by_combination: BTreeMap<usize, Vec<(&At, u32)>> = BTreeMap::new();
        for ((rest, combination), count) in counts {
            by_combination.entry(*combination).or_default().push((rest, *count));
        }
        let variables: BTreeSet<u32> =
            counts.keys().flat_map(|(rest, _)| rest).map(|(variable, _)| *variable).collect();
        for (combination, standing) in by_combination {
            for variable in &variables {
                let everyone = self.everyone(*variable, combination, cells);
                for (rest, line) in lines(standing.iter().copied(), *variable) {
                    let whole = counts.get(&(rest, combination)).copied();
                    let left = |(set, count): (u32, u32)| (self.set_left(*variable, set, combination, cells), count);
                    let line: Vec<(u32, u32)> = line.into_iter().map(left).collect();
                    let line = with_everyone(line, whole, &everyone, &cells.sets);
                    // What holds between published cells alone stands there already.
                    if line.len() > 1 && !self.stands(&line, cells, *variable) {
                        let answers = cells.variables[*variable as usize].answers();
                        relations.add_line(patterns.of(answers, &line, &cells.sets), &line);
                    }
                }
            }
        }
    }

    /// Whether all cells of a line are published, and along a variable whose lines are not left to the crossing.
    fn stands(&self, line: &[(u32, u32)], cells: &Cells, variable: u32) -> bool {
        let published = |(_, cell): &(u32, u32)| (*cell as usize) < cells.places.len();
        !cells.variables[variable as usize].several && line.iter().all(published)
    }

    /// The sets that everyone of a combination is in.
    fn everyone(&self, variable: u32, combination: usize, cells: &mut Cells) -> Vec<u32> {
        let mut everyone = cells.everyone(variable);
        if self.apart.contains(&variable) {
            everyone.extend(self.again(variable, combination, cells).0);
            everyone.iter_mut().for_each(|set| *set = self.set_left(variable, *set, combination, cells));
        }
        everyone
    }

    fn set_left(&self, variable: u32, set: u32, combination: usize, cells: &mut Cells) -> u32 {
        if !self.apart.contains(&variable) {
            return set;
        }
        let left = self.left(variable, set, combination, cells);
        cells.set(&left)
    }
}
