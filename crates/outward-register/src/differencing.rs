//! Differencing: small groups that follow by subtracting published figures of several releases (P3 of
//! `docs/methods/attacker.md`), with the arithmetic.
//!
//! Cells that agree in all variables but one are a *line* along that variable. On a line every cell is a set of values.
//! Values that are in the same cells are a *part*. Take the matrix that says which part is in which cell. Its row space
//! is what can be worked out on the line by adding and subtracting. A group of parts can be worked out if and only if
//! the row with a one for each of them is in that space.
//!
//! The matrix is brought into reduced form. A row of ones and zeros in its space is then a sum of some of its rows, one
//! for each part of the group that is a pivot. Rows without a common column are independent, so the sums are searched
//! for each connected set of rows. This finds every group that contains no smaller one. If several ways lead to a
//! group, a cell less others inside it is preferred, as it reads best.
//!
//! A condition is one more variable, whose values are the kinds of records that it keeps.

mod line;
mod places;
mod space;

use std::collections::BTreeSet;

use outward_spec::{Protection, ProtectionMethod};
use outward_tables::{EarlierFigure, Figure, Published, Table};
use serde::Serialize;

use line::CellLine;
use places::{OnLine, Rest, lines};

/// What the public knows about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// A figure that is shown as it is.
    Exactly(i64),
    /// A figure that was rounded or perturbed, both ends included.
    Between(i64, i64),
    /// Nothing.
    Hidden,
}

impl Known {
    pub(crate) fn interval(self) -> Option<(i64, i64)> {
        match self {
            Self::Exactly(value) => Some((value, value)),
            Self::Between(least, most) => Some((least, most)),
            Self::Hidden => None,
        }
    }
}

/// A table of counts that is public or will be.
#[derive(Debug, Clone)]
pub struct PublishedCounts<'a> {
    /// Its release: `release 3`, `this request`.
    pub release: String,
    /// Whether it is new. Only what needs a new table is a finding.
    pub is_new: bool,
    /// Its variables and conditions. Values have the same numbers in all tables.
    pub table: &'a Table,
    /// What is known about each cell.
    pub known: Vec<Known>,
}

impl<'a> PublishedCounts<'a> {
    /// A new table, as it is published. A rounded figure is less than a base away from the true count. The size of
    /// noise is not known.
    pub fn of_new(release: &str, published: &'a Published, protection: &Protection) -> Self {
        let away = i64::try_from(protection.base).unwrap_or(i64::MAX).saturating_sub(1);
        let known = |figure: &Figure| match (figure, protection.method) {
            (Figure::Shown(value), ProtectionMethod::None | ProtectionMethod::Suppress) => Known::Exactly(*value),
            (Figure::Shown(value), ProtectionMethod::Round) => {
                Known::Between(value.saturating_sub(away).max(0), value.saturating_add(away))
            }
            _ => Known::Hidden,
        };
        let known = published.figures.iter().map(known).collect();
        Self { release: release.to_owned(), is_new: true, table: &published.table, known }
    }

    /// A table of an earlier release.
    pub fn of_earlier(release: &str, published: &'a Published, told: &[EarlierFigure]) -> Self {
        let known = |(figure, told): (&Figure, &EarlierFigure)| match (told, figure) {
            (EarlierFigure::Between(least, most), _) => Known::Between(*least, *most),
            (EarlierFigure::Shown, Figure::Shown(value)) => Known::Exactly(*value),
            _ => Known::Hidden,
        };
        let known = published.figures.iter().zip(told).map(known).collect();
        Self { release: release.to_owned(), is_new: false, table: &published.table, known }
    }

    /// A cell as a step of the arithmetic. Where tables of earlier releases were joined, their names have the release
    /// in front; here they have their own names.
    pub fn step(&self, position: usize, times: i64) -> Step {
        let name = self.table.name.strip_prefix(&format!("{}: ", self.release)).unwrap_or(&self.table.name);
        Step {
            times,
            release: self.release.replacen("release-", "release ", 1),
            table: name.to_owned(),
            cell: self.table.describe(position).replace(&format!(" ({})", self.release), ""),
            known: self.known[position],
        }
    }
}

/// A figure that is added or subtracted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// How often it is added; negative if it is subtracted.
    pub times: i64,
    /// Its release.
    pub release: String,
    /// The table.
    pub table: String,
    /// The cell, in words.
    pub cell: String,
    /// What is known about it.
    pub known: Known,
}

/// A small group that can be worked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The least and the largest number of people it can have.
    pub people: (i64, i64),
    /// The figures to add and to subtract.
    pub steps: Vec<Step>,
    /// The divisor of the sum.
    pub divisor: i64,
    /// The values of the variable that the group has, by number.
    #[serde(skip)]
    pub group: Vec<u32>,
}

impl Difference {
    /// The arithmetic in words, one figure in each line, for people who are not statisticians.
    pub fn lines(&self) -> Vec<String> {
        let figure = |known: Known| match known {
            Known::Exactly(value) => value.to_string(),
            Known::Between(least, most) => format!("{least} to {most}"),
            Known::Hidden => "hidden".to_owned(),
        };
        let step = |(at, step): (usize, &Step)| {
            let sign = match (at, step.times) {
                (0, 1..) => "      ",
                (_, 1..) => "plus  ",
                _ => "minus ",
            };
            let times = if step.times.abs() == 1 { String::new() } else { format!("{} × ", step.times.abs()) };
            format!("{sign}{times}{}  {}, table `{}`: {}", figure(step.known), step.release, step.table, step.cell)
        };
        let mut lines: Vec<String> = self.steps.iter().enumerate().map(step).collect();
        let (least, most) = self.people;
        let people = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let divided = if self.divisor == 1 { String::new() } else { format!(", divided by {},", self.divisor) };
        lines.push(format!("leaves{divided} {people}"));
        lines
    }
}

/// The result of the search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Differencing {
    /// The groups that can be worked out.
    pub found: Vec<Difference>,
    /// How many lines were too long to be searched completely.
    pub not_searched: usize,
}

/// Finds the groups of 1 to `few` people that follow from the tables and need a new table.
pub fn differences(tables: &[PublishedCounts<'_>], few: i64) -> Differencing {
    let mut done = Differencing::default();
    let mut seen: BTreeSet<(u32, Rest, Vec<u32>)> = BTreeSet::new();
    for ((rest, variable), cells) in lines(tables) {
        let from: BTreeSet<usize> = cells.iter().flat_map(|cell| &cell.homes).map(|home| home.0).collect();
        // Differences within one table are judged when it is made.
        if from.len() < 2 || !from.iter().any(|table| tables[*table].is_new) {
            continue;
        }
        let line = CellLine::new(&cells);
        let mut found = Vec::new();
        for whole in 0..cells.len() {
            line.remainders(whole, &mut found, &mut done.not_searched);
        }
        line.groups(&mut found, &mut done.not_searched);
        for combination in found {
            let people = line.sum(&combination);
            // Figures that contradict each other give nothing.
            if people.0 < 1 || people.1 > few || people.0 > people.1 {
                continue;
            }
            let parts = line.parts_of(&combination);
            let group = line.values_of(&parts);
            // If a table shows the group, it is judged as a cell.
            let is_shown =
                |cell: &OnLine| cell.values == group && cell.interval.1 - cell.interval.0 <= people.1 - people.0;
            if cells.iter().any(is_shown) || seen.contains(&(variable, rest.clone(), group.clone())) {
                continue;
            }
            // Differences within one table are judged when it is made. What was public before does not come from the
            // new tables.
            let follows_from = |is_used: &dyn Fn(usize) -> bool| {
                // Rounded figures disclose less.
                let is_exact = |cell: usize| cells[cell].interval.0 == cells[cell].interval.1 || people.0 < people.1;
                let own = |cell: &usize| cells[*cell].homes.iter().any(|home| is_used(home.0)) && is_exact(*cell);
                line.is_in_space(&(0..cells.len()).filter(own).collect::<Vec<_>>(), &parts)
            };
            if follows_from(&|table| !tables[table].is_new)
                || from.iter().any(|own| follows_from(&|table| table == *own))
            {
                continue;
            }
            seen.insert((variable, rest.clone(), group.clone()));
            let step = |(cell, times): &(usize, i64)| {
                let (table, position) = cells[*cell].homes[0];
                tables[table].step(position, *times)
            };
            let mut steps: Vec<Step> = combination.cells.iter().map(step).collect();
            steps.sort_by_key(|step| std::cmp::Reverse(step.times));
            done.found.push(Difference { people, steps, divisor: combination.divisor, group });
        }
    }
    done.found.sort_by_key(|found| (found.people, found.steps.len()));
    done
}
