//! What holds between cells that differ in one variable: sums, and for several answers who is among whom.

use std::collections::{BTreeMap, HashMap};

use super::pattern::{Pattern, Patterns};
use super::places::{Cells, Coordinates, Place};

/// What holds between cells, those that nobody publishes included.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// Cells with coefficients that sum to nothing.
    pub(super) equations: Vec<Vec<(u32, i32)>>,
    /// How many cells there are; those past the published ones are published by nobody.
    pub(super) cells: u32,
    /// The cells that nobody publishes but that count records.
    pub(super) remainders: Vec<u32>,
    /// Cells that are the sum of published ones along a variable: the cell and the variable, and the sets of its parts.
    pub(super) summed: BTreeMap<(u32, u32), Vec<u32>>,
}

/// How far relations went at some time.
pub(super) struct Mark {
    equations: usize,
    cells: u32,
}

impl Relations {
    /// What holds along variables of which a record has one value.
    pub(super) fn new(cells: &mut Cells, patterns: &mut Patterns) -> Self {
        let mut relations = Self { cells: cells.places.len() as u32, ..Self::default() };
        for variable in 0..cells.variables.len() as u32 {
            if !cells.variables[variable as usize].several {
                relations.add_lines(cells, variable, patterns);
            }
        }
        relations
    }

    /// Adds what holds along a variable.
    pub(super) fn add_lines(&mut self, cells: &mut Cells, variable: u32, patterns: &mut Patterns) {
        let about = &cells.variables[variable as usize];
        let (unit, answers, everyone) = (about.unit, about.answers(), cells.everyone(variable));
        for (rest, line) in lines(cells.standing(unit), variable) {
            let whole = cells.find(&Place { unit, at: rest });
            let line = with_everyone(line, whole, &everyone, &cells.sets);
            if line.len() > 1 {
                let pattern = patterns.pattern(answers, &line, &cells.sets);
                let remainders = self.add_line(pattern, &line);
                self.remainders.extend(remainders);
                for sum in pattern.sums.iter().filter(|sum| sum.remainders.is_empty()) {
                    let parts = sum.parts.iter().map(|part| line[*part].0).collect();
                    self.summed.entry((line[sum.total].1, variable)).or_insert(parts);
                }
            }
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { equations: self.equations.len(), cells: self.cells }
    }

    /// Forgets what was added since.
    pub(super) fn back_to(&mut self, mark: &Mark) {
        self.equations.truncate(mark.equations);
        self.cells = mark.cells;
    }

    /// Adds what holds on a line; the cells it has that nobody publishes.
    pub(super) fn add_line(&mut self, pattern: &Pattern, line: &[(u32, u32)]) -> std::ops::Range<u32> {
        let first = self.cells;
        self.cells += pattern.remainders as u32;
        let remainders = first..self.cells;
        for sum in &pattern.sums {
            let parts = sum.parts.iter().map(|part| line[*part].1);
            let remainders = sum.remainders.iter().map(|rest| first + *rest as u32);
            let terms: Vec<(u32, i32)> =
                parts.chain(remainders).map(|cell| (cell, 1)).chain([(line[sum.total].1, -1)]).collect();
            self.add(terms);
        }
        for (small, large) in pattern.within.iter().filter(|(small, large)| line[*small].1 != line[*large].1) {
            self.at_most(vec![(line[*small].1, 1)], line[*large].1);
        }
        for (large, parts) in &pattern.covers {
            let beyond = self.add_cell();
            let parts = parts.iter().map(|part| (line[*part].1, 1));
            self.add(parts.chain([(line[*large].1, -1), (beyond, -1)]).collect());
        }
        for (times, large, parts) in &pattern.at_most {
            let short = self.add_cell();
            let parts = parts.iter().map(|part| (line[*part].1, 1));
            self.add(parts.chain([(line[*large].1, -times), (short, 1)]).collect());
        }
        remainders
    }

    /// The cells sum to at most another.
    pub(super) fn at_most(&mut self, mut cells: Vec<(u32, i32)>, other: u32) {
        let slack = self.add_cell();
        cells.extend([(slack, 1), (other, -1)]);
        self.add(cells);
    }

    /// A cell that nobody publishes.
    pub(super) fn add_cell(&mut self) -> u32 {
        self.cells += 1;
        self.cells - 1
    }

    pub(super) fn add(&mut self, mut terms: Vec<(u32, i32)>) {
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

/// The cells that differ in one variable only, each with its set, by where they stand otherwise.
pub(super) fn lines<'a>(
    standing: impl Iterator<Item = (&'a Coordinates, u32)>,
    variable: u32,
) -> impl Iterator<Item = (Coordinates, Vec<(u32, u32)>)> {
    let mut lines: HashMap<Coordinates, Vec<(u32, u32)>> = HashMap::new();
    for (place, cell) in standing {
        // Two variables of a table may read the same.
        for at in (0..place.len()).filter(|at| place[*at].0 == variable) {
            let mut rest = place.clone();
            let (_, set) = rest.remove(at);
            lines.entry(rest).or_default().push((set, cell));
        }
    }
    let mut lines: Vec<(Coordinates, Vec<(u32, u32)>)> = lines.into_iter().collect();
    lines.sort_unstable();
    lines.into_iter()
}

/// A line with the cell that does not ask for the variable, which counts everyone.
pub(super) fn with_everyone(
    mut line: Vec<(u32, u32)>,
    whole: Option<u32>,
    everyone: &[u32],
    sets: &[Vec<u32>],
) -> Vec<(u32, u32)> {
    line.extend(whole.into_iter().flat_map(|cell| everyone.iter().map(move |set| (*set, cell))));
    line.retain(|(set, _)| !sets[*set as usize].is_empty());
    line.sort_unstable();
    line.dedup();
    line
}
