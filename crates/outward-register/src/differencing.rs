//! Differencing: small groups that follow from taking published figures from each other (P3 of `docs/methods/attacker.md`), release by
//! release, with the arithmetic.
//!
//! Cells that agree in all variables but one stand in a *line* along that variable. On a line every cell is a set of values. Values that stand in
//! the same cells are a *part*. What can be worked out on a line by adding and subtracting is the row space of the matrix that says which part is
//! in which cell. Two searches go through it:
//!
//! - a single part, by elimination: overlapping bands 10–19 and 15–24 and a band 10–24 give 15–19;
//! - what is left of a cell without one or several others inside it that do not overlap, by going through them: a district less its wards.
//!
//! A condition is one more variable: the kinds of records that it keeps.

use std::collections::{BTreeMap, BTreeSet};

use outward_tables::{Figure, Published, Table, Told};
use serde::Serialize;

/// What the public knows of a cell.
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
    fn interval(self) -> Option<(i64, i64)> {
        match self {
            Self::Exactly(value) => Some((value, value)),
            Self::Between(least, most) => Some((least, most)),
            Self::Hidden => None,
        }
    }
}

/// A table of counts that is public or is to be.
#[derive(Debug, Clone)]
pub struct PublishedCounts<'a> {
    /// Where it is from: `release 3`, `this request`.
    pub release: String,
    /// Whether it is new: only what a new table takes part in is a finding.
    pub is_new: bool,
    /// Its variables and conditions. Values are numbered alike in all tables.
    pub table: &'a Table,
    /// What is known of each cell.
    pub known: Vec<Known>,
}

impl<'a> PublishedCounts<'a> {
    /// A new table, as it is published.
    pub fn of_new(release: &str, published: &'a Published) -> Self {
        let known = |figure: &Figure| match figure {
            Figure::Shown(value) => Known::Exactly(*value),
            _ => Known::Hidden,
        };
        let known = published.figures.iter().map(known).collect();
        Self { release: release.to_owned(), is_new: true, table: &published.table, known }
    }

    /// A table of an earlier release.
    pub fn of_earlier(release: &str, published: &'a Published, told: &[Told]) -> Self {
        let known = |(figure, told): (&Figure, &Told)| match (told, figure) {
            (Told::Between(least, most), _) => Known::Between(*least, *most),
            (Told::Shown, Figure::Shown(value)) => Known::Exactly(*value),
            _ => Known::Hidden,
        };
        let known = published.figures.iter().zip(told).map(known).collect();
        Self { release: release.to_owned(), is_new: false, table: &published.table, known }
    }
}

/// A figure that is added or taken away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// How often it is added; negative where it is taken away.
    pub times: i64,
    /// The release it is from.
    pub release: String,
    /// The table.
    pub table: String,
    /// The cell, in words.
    pub cell: String,
    /// What is published of it.
    pub known: Known,
}

/// A small group that can be worked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// How few people it is, at least and at most.
    pub people: (i64, i64),
    /// What to add up, and what to take away.
    pub steps: Vec<Step>,
}

impl Difference {
    /// The arithmetic in words, one figure to a line, for people who are not statisticians.
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
        lines.push(format!("leaves {people}"));
        lines
    }
}

/// What came of the search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Differencing {
    /// The groups that can be worked out.
    pub found: Vec<Difference>,
    /// How many lines were too long to be searched whole.
    pub not_searched: usize,
}

/// More parts than this on a line are not eliminated.
const MOST_PARTS: usize = 300;

/// More ways to leave something of a cell than this are not gone through.
const MOST_STEPS: usize = 20_000;

/// What stands in one place of a line.
struct OnLine {
    /// The values, by number, sorted.
    values: Vec<u32>,
    interval: (i64, i64),
    /// The tables it stands in, with the position in each. Earlier tables come first.
    homes: Vec<(usize, usize)>,
}

/// Variables with the sets of values a cell has of them, but for one: what the cells of a line have in common.
type Rest = Vec<(u32, Vec<u32>)>;

/// Finds the groups of 1 to `few` people that follow from the tables and that a new table takes part in.
pub fn differences(tables: &[PublishedCounts<'_>], few: i64) -> Differencing {
    let mut done = Differencing::default();
    let mut seen: BTreeSet<(u32, Rest, Vec<u32>)> = BTreeSet::new();
    for ((rest, variable), cells) in lines(tables) {
        let from: BTreeSet<usize> = cells.iter().flat_map(|cell| &cell.homes).map(|home| home.0).collect();
        // What one table leaves between its own cells is judged where it is made.
        if from.len() < 2 || !from.iter().any(|table| tables[*table].is_new) {
            continue;
        }
        let line = Line::new(&cells);
        let mut found = line.single_parts(&mut done.not_searched);
        for whole in 0..cells.len() {
            line.remainders(whole, few, &mut found, &mut done.not_searched);
        }
        for combination in found {
            let people = combination.iter().fold((0, 0), |(least, most), (cell, times)| {
                let (low, high) = cells[*cell].interval;
                if *times > 0 {
                    (least + low * times, most + high * times)
                } else {
                    (least + high * times, most + low * times)
                }
            });
            let of_cell = |cell: usize| cells[cell].homes.iter().map(|home| home.0).collect::<BTreeSet<usize>>();
            // What one table leaves is judged where it is made, and what was public before is not the new tables' doing.
            let one_table = combination.iter().map(|(cell, _)| of_cell(*cell));
            let one_table = one_table.reduce(|all, own| all.intersection(&own).copied().collect());
            let is_new = combination.iter().any(|(cell, _)| of_cell(*cell).iter().all(|table| tables[*table].is_new));
            if people.0 < 1 || people.1 > few || !is_new || one_table.is_some_and(|tables| !tables.is_empty()) {
                continue;
            }
            let group = line.values_of(&combination);
            // Where a table shows the group by itself, it is judged as a cell.
            let is_shown = cells.iter().any(|cell| cell.values == group);
            if is_shown || !seen.insert((variable, rest.clone(), group)) {
                continue;
            }
            let mut steps: Vec<Step> = combination
                .iter()
                .map(|(cell, times)| {
                    let (table, position) = cells[*cell].homes[0];
                    let of = &tables[table];
                    Step {
                        times: *times,
                        release: of.release.clone(),
                        table: of.table.name.clone(),
                        cell: of.table.describe(position),
                        known: of.known[position],
                    }
                })
                .collect();
            steps.sort_by_key(|step| std::cmp::Reverse(step.times));
            done.found.push(Difference { people, steps });
        }
    }
    done.found.sort_by_key(|found| (found.people, found.steps.len()));
    done
}

/// The cells of all tables, line by line.
fn lines(tables: &[PublishedCounts<'_>]) -> BTreeMap<(Rest, u32), Vec<OnLine>> {
    let mut names: Names = BTreeMap::new();
    // For each variable all values that any table has of it, and one that stands for all others.
    let mut everything: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut placed: Vec<(usize, usize, BTreeMap<u32, Vec<u32>>, (i64, i64))> = Vec::new();
    for (number, of) in tables.iter().enumerate() {
        let table = of.table;
        if table.magnitudes.is_some() || table.weighted.is_some() || table.dimensions.iter().any(|one| one.several) {
            continue;
        }
        let mut next = names.len() as u32;
        let mut name = |what: Name| {
            let known = *names.entry(what).or_insert(next);
            next = next.max(known + 1);
            known
        };
        let unit = name((table.unit.clone(), String::new()));
        let variables: Vec<u32> = (table.dimensions.iter())
            .map(|dimension| name((table.unit.clone(), format!("{:?}", dimension.source))))
            .collect();
        let kinds = name((table.unit.clone(), "which records".to_owned()));
        for (variable, dimension) in variables.iter().zip(&table.dimensions) {
            let all = everything.entry(*variable).or_default();
            all.extend(dimension.nodes.iter().flat_map(|node| &node.values));
            if all.len() < dimension.size {
                all.insert(0);
            }
        }
        if table.kinds > 0 {
            everything.entry(kinds).or_default().extend(1..=table.kinds as u32);
        }
        for (position, known) in of.known.iter().enumerate() {
            let Some(interval) = known.interval() else { continue };
            let mut at: BTreeMap<u32, Vec<u32>> = BTreeMap::from([(unit, Vec::new())]);
            for (node, (variable, dimension)) in
                table.nodes(position).iter().zip(variables.iter().zip(&table.dimensions))
            {
                let mut own = dimension.nodes[*node].values.clone();
                own.sort_unstable();
                let is_all = own.len() >= dimension.size;
                if !is_all {
                    match at.get_mut(variable) {
                        Some(before) => before.retain(|value| own.binary_search(value).is_ok()),
                        None => _ = at.insert(*variable, own),
                    }
                }
            }
            if table.records.len() < table.kinds {
                at.insert(kinds, table.records.clone());
            }
            placed.push((number, position, at, interval));
        }
    }
    let mut units: Vec<&str> = vec![""; names.len()];
    names.iter().for_each(|((unit, _), number)| units[*number as usize] = unit);
    let units_of: Vec<&str> = tables.iter().map(|of| of.table.unit.as_str()).collect();
    let mut lines: BTreeMap<(Rest, u32), Vec<OnLine>> = BTreeMap::new();
    for (table, position, at, interval) in placed {
        for (variable, all) in everything.iter().filter(|(variable, _)| units[**variable as usize] == units_of[table]) {
            let values = at.get(variable).cloned().unwrap_or_else(|| all.iter().copied().collect());
            let rest: Rest =
                at.iter().filter(|(other, _)| *other != variable).map(|(other, set)| (*other, set.clone())).collect();
            let line = lines.entry((rest, *variable)).or_default();
            // The same cell of two tables is one; what is known more closely stays.
            match line.iter_mut().find(|cell| cell.values == values) {
                Some(cell) if interval.1 - interval.0 < cell.interval.1 - cell.interval.0 => {
                    (cell.interval, cell.homes) = (interval, vec![(table, position)]);
                }
                Some(cell) if interval == cell.interval => cell.homes.push((table, position)),
                Some(_) => {}
                None => line.push(OnLine { values, interval, homes: vec![(table, position)] }),
            }
        }
    }
    lines
}

/// What tells variables apart: the unit, and what the values are read from.
type Name = (String, String);
type Names = BTreeMap<Name, u32>;

/// A line: which part is in which cell.
struct Line<'a> {
    cells: &'a [OnLine],
    /// For each part its first value.
    parts: Vec<Vec<u32>>,
    /// For each cell its parts.
    made_of: Vec<Vec<usize>>,
}

/// Cells with how often each is added.
type Combination = Vec<(usize, i64)>;

impl<'a> Line<'a> {
    fn new(cells: &'a [OnLine]) -> Self {
        let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, cell) in cells.iter().enumerate() {
            cell.values.iter().for_each(|value| holders.entry(*value).or_default().push(at));
        }
        let mut parts: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
        for (value, holders) in holders {
            parts.entry(holders).or_default().push(value);
        }
        let mut made_of = vec![Vec::new(); cells.len()];
        for (part, holders) in parts.keys().enumerate() {
            holders.iter().for_each(|cell| made_of[*cell].push(part));
        }
        Self { cells, parts: parts.into_values().collect(), made_of }
    }

    /// The values that a combination leaves.
    fn values_of(&self, combination: &Combination) -> Vec<u32> {
        let mut times = vec![0i64; self.parts.len()];
        for (cell, by) in combination {
            self.made_of[*cell].iter().for_each(|part| times[*part] += by);
        }
        let left = times.iter().enumerate().filter(|(_, times)| **times != 0);
        let mut values: Vec<u32> = left.flat_map(|(part, _)| self.parts[part].iter().copied()).collect();
        values.sort_unstable();
        values
    }

    /// Combinations of cells that leave one part, where there are any with whole coefficients.
    fn single_parts(&self, not_searched: &mut usize) -> Vec<Combination> {
        if self.parts.len() > MOST_PARTS || self.cells.len() > 2 * MOST_PARTS {
            *not_searched += 1;
            return Vec::new();
        }
        // Rows are cells; each row keeps which cells it was made of. Numbers stay small on bands and trees; where one does not, the part is left.
        let mut rows: Vec<(Vec<i128>, Vec<i128>)> = (0..self.cells.len())
            .map(|cell| {
                let (mut row, mut by) = (vec![0; self.parts.len()], vec![0; self.cells.len()]);
                self.made_of[cell].iter().for_each(|part| row[*part] = 1);
                by[cell] = 1;
                (row, by)
            })
            .collect();
        let mut pivots: Vec<(usize, usize)> = Vec::new();
        for part in 0..self.parts.len() {
            let free = (pivots.len()..rows.len()).find(|row| rows[*row].0[part] != 0);
            let Some(free) = free else { continue };
            let at = pivots.len();
            rows.swap(at, free);
            pivots.push((at, part));
            let pivot = rows[at].clone();
            for (other, row) in rows.iter_mut().enumerate() {
                if other == at || row.0[part] == 0 {
                    continue;
                }
                let (one, own) = (pivot.0[part], row.0[part]);
                let combine = |of: &mut Vec<i128>, pivot: &Vec<i128>| -> Option<()> {
                    for (value, by) in of.iter_mut().zip(pivot) {
                        *value = value.checked_mul(one)?.checked_sub(by.checked_mul(own)?)?;
                    }
                    Some(())
                };
                if combine(&mut row.0, &pivot.0).and_then(|()| combine(&mut row.1, &pivot.1)).is_none() {
                    *not_searched += 1;
                    return Vec::new();
                }
                let all = row.0.iter().chain(&row.1).fold(0, |all, value| gcd(all, value.abs()));
                if all > 1 {
                    row.0.iter_mut().chain(&mut row.1).for_each(|value| *value /= all);
                }
            }
        }
        let alone = |(row, by): &(Vec<i128>, Vec<i128>)| {
            let mut left = row.iter().filter(|value| **value != 0);
            let (Some(times), None) = (left.next(), left.next()) else { return None };
            let whole = by.iter().all(|value| value % times == 0);
            let small = by.iter().filter(|value| **value != 0).all(|value| (value / times).abs() <= 1_000);
            (whole && small).then(|| {
                let used = by.iter().enumerate().filter(|(_, value)| **value != 0);
                used.map(|(cell, value)| (cell, (value / times) as i64)).collect::<Combination>()
            })
        };
        rows[..pivots.len()].iter().filter_map(alone).filter(|found| found.len() > 1).collect()
    }

    /// Ways to take cells that do not overlap from inside a cell, so that few are left.
    fn remainders(&self, whole: usize, few: i64, found: &mut Vec<Combination>, not_searched: &mut usize) {
        let own: BTreeSet<usize> = self.made_of[whole].iter().copied().collect();
        let inside: Vec<usize> = (0..self.cells.len())
            .filter(|cell| *cell != whole && !self.made_of[*cell].is_empty())
            .filter(|cell| {
                self.made_of[*cell].len() < own.len() && self.made_of[*cell].iter().all(|part| own.contains(part))
            })
            .collect();
        // Largest first: what takes most away comes to an end soonest.
        let mut inside: Vec<(i64, usize)> =
            inside.into_iter().map(|cell| (self.cells[cell].interval.1, cell)).collect();
        inside.sort_unstable_by_key(|(value, cell)| (std::cmp::Reverse(*value), *cell));
        let mut after: Vec<i64> = vec![0; inside.len() + 1];
        for at in (0..inside.len()).rev() {
            after[at] = after[at + 1] + inside[at].0;
        }
        let mut search = Search { line: self, inside: &inside, after: &after, few, steps: 0, found };
        let mut taken = vec![false; self.parts.len()];
        search.go(0, self.cells[whole].interval, &mut taken, &mut vec![(whole, 1)]);
        if search.steps > MOST_STEPS {
            *not_searched += 1;
        }
    }
}

/// A search through the cells inside one.
struct Search<'a, 'b> {
    line: &'a Line<'a>,
    inside: &'a [(i64, usize)],
    /// For each place the sum of the figures from there on.
    after: &'a [i64],
    few: i64,
    steps: usize,
    found: &'b mut Vec<Combination>,
}

impl Search<'_, '_> {
    fn go(&mut self, from: usize, left: (i64, i64), taken: &mut Vec<bool>, chosen: &mut Combination) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return;
        }
        if chosen.len() > 1 && left.0 >= 1 && left.1 <= self.few {
            self.found.push(chosen.clone());
        }
        // No more can be taken away than there is.
        if left.1 < 1 || left.1 - self.after[from] > self.few {
            return;
        }
        for at in from..self.inside.len() {
            if left.1 - self.after[at] > self.few {
                return;
            }
            let cell = self.inside[at].1;
            let (low, high) = self.line.cells[cell].interval;
            let parts = &self.line.made_of[cell];
            if high == 0 || high > left.1 || parts.iter().any(|part| taken[*part]) {
                continue;
            }
            parts.iter().for_each(|part| taken[*part] = true);
            chosen.push((cell, -1));
            self.go(at + 1, (left.0 - high, left.1 - low), taken, chosen);
            chosen.pop();
            parts.iter().for_each(|part| taken[*part] = false);
        }
    }
}

fn gcd(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { gcd(other, one % other) }
}
