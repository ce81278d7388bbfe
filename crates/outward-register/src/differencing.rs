//! Differencing: small groups that follow from taking published figures from each other (P3 of `docs/methods/attacker.md`), release by
//! release, with the arithmetic.
//!
//! Cells that agree in all variables but one stand in a *line* along that variable. On a line every cell is a set of values. Values that stand in
//! the same cells are a *part*. What can be worked out on a line by adding and subtracting is the row space of the matrix that says which part is
//! in which cell. A group of parts can be worked out exactly if the row with a one for each of them is in that space.
//!
//! The matrix is brought into reduced form. A row of ones and zeros in its space is then a sum of some of its rows, one for each part of the group
//! that is a pivot. Rows that have no column in common say nothing of each other, so that the sums are gone through for each connected set of rows.
//! That finds every group that has no smaller one in it. For the arithmetic, what is left of a cell without others inside it is preferred: it
//! reads best.
//!
//! A condition is one more variable: the kinds of records that it keeps.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use outward_spec::{Method, Protection};
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
    /// A new table, as it is published. A rounded figure is less than a base away from what it stands for; of noise nobody knows the size.
    pub fn of_new(release: &str, published: &'a Published, protection: &Protection) -> Self {
        let away = i64::try_from(protection.base).unwrap_or(i64::MAX).saturating_sub(1);
        let known = |figure: &Figure| match (figure, protection.method) {
            (Figure::Shown(value), Method::None | Method::Suppress) => Known::Exactly(*value),
            (Figure::Shown(value), Method::Round) => {
                Known::Between(value.saturating_sub(away).max(0), value.saturating_add(away))
            }
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

    /// A cell as it is added or taken away. Tables and variables of earlier releases are called after their release where they were joined, and by
    /// their own names here.
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
    /// What to divide the sum by.
    pub divisor: i64,
    /// The values of the variable that the group has, by number.
    #[serde(skip)]
    pub group: Vec<u32>,
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
        let divided = if self.divisor == 1 { String::new() } else { format!(", divided by {},", self.divisor) };
        lines.push(format!("leaves{divided} {people}"));
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

/// Larger coefficients than this are beyond what anybody adds up.
const LARGEST: i64 = 1_000_000;

/// What stands in one place of a line.
struct OnLine {
    /// The values, by number, sorted.
    values: Vec<u32>,
    interval: (i64, i64),
    /// The tables it stands in, with the position in each. Earlier tables come first.
    homes: Vec<(usize, usize)>,
}

/// Variables with the sets of values a cell has of them, by number.
type Rest = Vec<(u32, u32)>;

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
        let mut found = Vec::new();
        for whole in 0..cells.len() {
            line.remainders(whole, &mut found, &mut done.not_searched);
        }
        line.groups(&mut found, &mut done.not_searched);
        for combination in found {
            let people = line.sum(&combination);
            // Figures that contradict each other leave nothing.
            if people.0 < 1 || people.1 > few || people.0 > people.1 {
                continue;
            }
            let parts = line.parts_of(&combination);
            let group = line.values_of(&parts);
            // Where a table shows the group by itself, it is judged as a cell.
            let is_shown =
                |cell: &OnLine| cell.values == group && cell.interval.1 - cell.interval.0 <= people.1 - people.0;
            if cells.iter().any(is_shown) || seen.contains(&(variable, rest.clone(), group.clone())) {
                continue;
            }
            // What one table leaves is judged where it is made, and what was public before is not the new tables' doing.
            let follows_from = |is_used: &dyn Fn(usize) -> bool| {
                // Rounded figures tell less.
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

/// The cells of all tables, line by line.
fn lines(tables: &[PublishedCounts<'_>]) -> BTreeMap<(Rest, u32), Vec<OnLine>> {
    let mut placed = Placed::default();
    for (number, of) in tables.iter().enumerate() {
        let table = of.table;
        // Sums, estimates and several answers do not add up to people.
        let adds_up = table.magnitudes.is_none() && table.weighted.is_none();
        if adds_up && !table.dimensions.iter().any(|dimension| dimension.several) {
            placed.add(number, of);
        }
    }
    let mut lines: BTreeMap<(Rest, u32), Vec<OnLine>> = BTreeMap::new();
    for (at, (interval, homes)) in &placed.cells {
        for (variable, set) in at.iter().filter(|(variable, _)| placed.everything.contains_key(variable)) {
            let rest: Rest = at.iter().filter(|(other, _)| other != variable).copied().collect();
            let values = placed.values[*set as usize].clone();
            lines.entry((rest, *variable)).or_default().push(OnLine {
                values,
                interval: *interval,
                homes: homes.clone(),
            });
        }
    }
    // A cell that says nothing of the variable has everyone.
    for ((rest, variable), line) in &mut lines {
        if let Some((interval, homes)) = placed.cells.get(rest) {
            let values: Vec<u32> = placed.everything[variable].iter().copied().collect();
            if !line.iter().any(|cell| cell.values == values) {
                line.push(OnLine { values, interval: *interval, homes: homes.clone() });
            }
        }
        line.sort_unstable_by(|one, other| one.homes.cmp(&other.homes));
    }
    lines
}

/// What is known of a cell, and the tables that show it with the position in each.
type Shown = ((i64, i64), Vec<(usize, usize)>);

/// Where the cells of tables stand.
#[derive(Default)]
struct Placed {
    names: Names,
    /// For each variable all values that any table has of it, and one that stands for all others.
    everything: BTreeMap<u32, BTreeSet<u32>>,
    sets: HashMap<Vec<u32>, u32>,
    values: Vec<Vec<u32>>,
    /// The cells, each once however many tables show it: what is known of it, and its tables with the position in each.
    cells: BTreeMap<Rest, Shown>,
}

impl Placed {
    fn name(&mut self, unit: &str, what: String) -> u32 {
        let next = self.names.len() as u32;
        *self.names.entry((unit.to_owned(), what)).or_insert(next)
    }

    fn set(&mut self, values: Vec<u32>) -> u32 {
        let next = self.values.len() as u32;
        let number = *self.sets.entry(values.clone()).or_insert(next);
        if number == next {
            self.values.push(values);
        }
        number
    }

    fn add(&mut self, number: usize, of: &PublishedCounts<'_>) {
        let table = of.table;
        let unit = self.name(&table.unit, String::new());
        let kinds = self.name(&table.unit, "which records".to_owned());
        let mut variables = Vec::new();
        for dimension in &table.dimensions {
            let variable = match dimension.source.is_empty() {
                true => self.name(&table.unit, format!("variable {}", dimension.variable)),
                false => self.name(&table.unit, format!("{:?}", dimension.source)),
            };
            let all = self.everything.entry(variable).or_default();
            all.extend(dimension.nodes.iter().flat_map(|node| &node.values));
            if all.len() < dimension.size {
                all.insert(0);
            }
            let sorted = |node: &outward_tables::Node| {
                let mut values = node.values.clone();
                values.sort_unstable();
                (values.len() < dimension.size).then_some(values)
            };
            variables.push((variable, dimension.nodes.iter().map(sorted).collect::<Vec<_>>()));
        }
        if table.kinds > 0 {
            self.everything.entry(kinds).or_default().extend(1..=table.kinds as u32);
        }
        for (position, known) in of.known.iter().enumerate() {
            let Some(interval) = known.interval() else { continue };
            let mut at: BTreeMap<u32, Vec<u32>> = BTreeMap::from([(unit, Vec::new())]);
            for (node, (variable, nodes)) in table.nodes(position).iter().zip(&variables) {
                let Some(own) = &nodes[*node] else { continue };
                match at.get_mut(variable) {
                    Some(before) => before.retain(|value| own.binary_search(value).is_ok()),
                    None => _ = at.insert(*variable, own.clone()),
                }
            }
            if table.records.len() < table.kinds {
                at.insert(kinds, table.records.clone());
            }
            let at: Rest = at.into_iter().map(|(variable, values)| (variable, self.set(values))).collect();
            let home = (number, position);
            match self.cells.get_mut(&at) {
                None => _ = self.cells.insert(at, (interval, vec![home])),
                // Who has both knows what both leave.
                Some((before, homes)) => {
                    *before = (before.0.max(interval.0), before.1.min(interval.1));
                    homes.push(home);
                }
            }
        }
    }
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
    /// For each part the cell that is this part and is shown exactly.
    alone: Vec<Option<usize>>,
}

/// Cells with how often each is added, and what the sum is divided by.
#[derive(Debug, Clone)]
struct Combination {
    cells: Vec<(usize, i64)>,
    divisor: i64,
}

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
        let mut alone = vec![None; parts.len()];
        for (cell, own) in made_of.iter().enumerate() {
            if let ([part], true) = (&own[..], cells[cell].interval.0 == cells[cell].interval.1) {
                alone[*part] = Some(cell);
            }
        }
        Self { cells, parts: parts.into_values().collect(), made_of, alone }
    }

    /// What a combination comes to, at least and at most.
    fn sum(&self, combination: &Combination) -> (i64, i64) {
        let (least, most) = combination.cells.iter().fold((0i64, 0i64), |(least, most), (cell, times)| {
            let (low, high) = self.cells[*cell].interval;
            let (low, high) = if *times > 0 { (low, high) } else { (high, low) };
            (least.saturating_add(low.saturating_mul(*times)), most.saturating_add(high.saturating_mul(*times)))
        });
        // Counts are whole.
        let up = i64::from(least.rem_euclid(combination.divisor) != 0);
        (least.div_euclid(combination.divisor) + up, most.div_euclid(combination.divisor))
    }

    /// The parts that a combination leaves.
    fn parts_of(&self, combination: &Combination) -> Vec<usize> {
        let mut times = vec![0i64; self.parts.len()];
        for (cell, by) in &combination.cells {
            self.made_of[*cell].iter().for_each(|part| times[*part] += by);
        }
        times.iter().enumerate().filter(|(_, times)| **times != 0).map(|(part, _)| part).collect()
    }

    fn values_of(&self, parts: &[usize]) -> Vec<u32> {
        let mut values: Vec<u32> = parts.iter().flat_map(|part| self.parts[*part].iter().copied()).collect();
        values.sort_unstable();
        values
    }

    /// The rows of some cells in reduced form; none where numbers grow too large.
    fn reduced(&self, cells: &[usize]) -> Option<Vec<Row>> {
        let row = |cell: &usize| {
            let mut row = Row { parts: vec![0; self.parts.len()], cells: vec![0; self.cells.len()], pivot: 0 };
            self.made_of[*cell].iter().for_each(|part| row.parts[*part] = 1);
            row.cells[*cell] = 1;
            row
        };
        let mut rows: Vec<Row> = cells.iter().map(row).collect();
        let mut done = 0;
        for part in 0..self.parts.len() {
            let Some(free) = (done..rows.len()).find(|row| rows[*row].parts[part] != 0) else { continue };
            rows.swap(done, free);
            rows[done].pivot = part;
            let pivot = rows[done].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(at, row)| *at != done && row.parts[part] != 0) {
                row.take_away(&pivot)?;
            }
            done += 1;
        }
        rows.truncate(done);
        Some(rows)
    }

    /// Whether a group of parts follows from some cells by adding and subtracting.
    fn is_in_space(&self, cells: &[usize], group: &[usize]) -> bool {
        let Some(rows) = self.reduced(cells) else { return false };
        let mut left = Row { parts: vec![0; self.parts.len()], cells: vec![0; self.cells.len()], pivot: 0 };
        group.iter().for_each(|part| left.parts[*part] = 1);
        for row in &rows {
            if left.parts[row.pivot] != 0 && left.take_away(row).is_none() {
                return false;
            }
        }
        left.parts.iter().all(|value| *value == 0)
    }

    /// Groups of parts that follow from all cells, and have no smaller one in them.
    fn groups(&self, found: &mut Vec<Combination>, not_searched: &mut usize) {
        if self.parts.len() > MOST_PARTS || self.cells.len() > 2 * MOST_PARTS {
            *not_searched += 1;
            return;
        }
        // Where a figure is shown in one place and rounded in another, the first is taken.
        let mut cells: Vec<usize> = (0..self.cells.len()).collect();
        cells.sort_by_key(|cell| self.cells[*cell].interval.1.saturating_sub(self.cells[*cell].interval.0));
        let Some(rows) = self.reduced(&cells) else {
            *not_searched += 1;
            return;
        };
        for connected in connected(&rows) {
            let scale = connected.iter().try_fold(1i128, |scale, row| {
                let own = row.parts[row.pivot].abs();
                (scale / gcd(scale, own)).checked_mul(own).filter(|scale| *scale < 1 << 40)
            });
            let Some(scale) = scale else {
                *not_searched += 1;
                continue;
            };
            let mut done = vec![Vec::new(); connected.len()];
            for part in 0..self.parts.len() {
                let last = connected.iter().rposition(|row| row.parts[part] != 0);
                last.into_iter().for_each(|row| done[row].push(part));
            }
            let mut sums = Sums { rows: &connected, done: &done, scale, steps: 0, found };
            sums.go(0, &mut vec![0; self.parts.len()], &mut vec![0; self.cells.len()]);
            if sums.steps > MOST_STEPS {
                *not_searched += 1;
            }
        }
    }

    /// What is left of a cell without others inside it that do not overlap, where no part of it is published by itself.
    fn remainders(&self, whole: usize, found: &mut Vec<Combination>, not_searched: &mut usize) {
        let is_open = |part: &usize| self.alone[*part].is_none();
        if !self.made_of[whole].iter().any(is_open) {
            return;
        }
        let own: BTreeSet<usize> = self.made_of[whole].iter().copied().collect();
        let is_inside = |cell: &usize| {
            let parts = &self.made_of[*cell];
            parts.len() < own.len() && parts.iter().any(is_open) && parts.iter().all(|part| own.contains(part))
        };
        let inside: Vec<usize> = (0..self.cells.len()).filter(is_inside).collect();
        let mut search = Search { line: self, whole, inside: &inside, steps: 0, groups: BTreeSet::new(), found };
        search.go(0, &mut vec![false; self.parts.len()], &mut Combination { cells: vec![(whole, 1)], divisor: 1 });
        if search.steps > MOST_STEPS {
            *not_searched += 1;
        }
    }

    /// Takes away what is published by itself, in as few cells as largest first gives.
    fn take_known(&self, whole: usize, taken: &[bool], chosen: &mut Combination) {
        let mut left: BTreeSet<usize> = self.made_of[whole].iter().copied().collect();
        left.retain(|part| !taken[*part] && self.alone[*part].is_some());
        let mut cells: Vec<usize> = (0..self.cells.len()).filter(|cell| *cell != whole).collect();
        cells.sort_by_key(|cell| std::cmp::Reverse(self.made_of[*cell].len()));
        for cell in cells {
            let parts = &self.made_of[cell];
            if !parts.is_empty() && parts.iter().all(|part| left.contains(part)) {
                parts.iter().for_each(|part| _ = left.remove(part));
                chosen.cells.push((cell, -1));
            }
        }
    }
}

/// A search through the cells inside one that have a part which is not published by itself.
struct Search<'a, 'b> {
    line: &'a Line<'a>,
    whole: usize,
    inside: &'a [usize],
    steps: usize,
    /// The groups that were found already.
    groups: BTreeSet<Vec<usize>>,
    found: &'b mut Vec<Combination>,
}

impl Search<'_, '_> {
    fn go(&mut self, from: usize, taken: &mut Vec<bool>, chosen: &mut Combination) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return;
        }
        let open = |part: &&usize| !taken[**part] && self.line.alone[**part].is_none();
        let group: Vec<usize> = self.line.made_of[self.whole].iter().filter(open).copied().collect();
        if !group.is_empty() && group.len() < self.line.made_of[self.whole].len() && self.groups.insert(group) {
            let mut combination = chosen.clone();
            self.line.take_known(self.whole, taken, &mut combination);
            self.found.push(combination);
        }
        for at in from..self.inside.len() {
            let cell = self.inside[at];
            let parts = &self.line.made_of[cell];
            if parts.iter().any(|part| taken[*part]) {
                continue;
            }
            parts.iter().for_each(|part| taken[*part] = true);
            chosen.cells.push((cell, -1));
            self.go(at + 1, taken, chosen);
            chosen.cells.pop();
            parts.iter().for_each(|part| taken[*part] = false);
        }
    }
}

/// A row of the matrix, and the cells that it is made of.
#[derive(Debug, Clone)]
struct Row {
    parts: Vec<i128>,
    cells: Vec<i128>,
    /// The part that no other row of the reduced form has.
    pivot: usize,
}

impl Row {
    /// Takes as much of another row away that nothing is left at its pivot; none where numbers grow too large.
    fn take_away(&mut self, other: &Self) -> Option<()> {
        let (times, by) = (other.parts[other.pivot], self.parts[other.pivot]);
        let all = |own: &mut Vec<i128>, others: &Vec<i128>| -> Option<()> {
            for (own, other) in own.iter_mut().zip(others) {
                *own = own.checked_mul(times)?.checked_sub(other.checked_mul(by)?)?;
            }
            Some(())
        };
        all(&mut self.parts, &other.parts)?;
        all(&mut self.cells, &other.cells)?;
        let common = self.parts.iter().chain(&self.cells).fold(0, |common, value| gcd(common, value.abs()));
        if common > 1 {
            self.parts.iter_mut().chain(&mut self.cells).for_each(|value| *value /= common);
        }
        Some(())
    }
}

/// Rows that have columns in common, at first or second hand.
fn connected(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut groups: Vec<(BTreeSet<usize>, Vec<&Row>)> = Vec::new();
    for row in rows {
        let mut columns: BTreeSet<usize> =
            row.parts.iter().enumerate().filter(|(_, value)| **value != 0).map(|(part, _)| part).collect();
        let mut own = vec![row];
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(other, _)| !other.is_disjoint(&columns));
        for (other, rows) in joined {
            columns.extend(other);
            own.extend(rows);
        }
        groups = apart;
        groups.push((columns, own));
    }
    groups.into_iter().map(|(_, rows)| rows).collect()
}

/// A search through the sums of rows that are connected, for those of ones and zeros.
struct Sums<'a, 'b> {
    rows: &'a [&'a Row],
    /// For each row the columns that no later row has.
    done: &'a [Vec<usize>],
    /// What all pivots divide.
    scale: i128,
    steps: usize,
    found: &'b mut Vec<Combination>,
}

impl Sums<'_, '_> {
    /// Goes on where every column that no later row has is zero or one.
    fn next(&mut self, at: usize, parts: &mut Vec<i128>, cells: &mut Vec<i128>) {
        if self.done[at].iter().all(|part| [0, self.scale].contains(&parts[*part])) {
            self.go(at + 1, parts, cells);
        }
    }

    fn go(&mut self, at: usize, parts: &mut Vec<i128>, cells: &mut Vec<i128>) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return;
        }
        let Some(row) = self.rows.get(at) else {
            let is_group =
                parts.iter().all(|value| [0, self.scale].contains(value)) && parts.iter().any(|value| *value != 0);
            let common = cells.iter().fold(self.scale, |common, value| gcd(common, value.abs()));
            let small = |value: &i128| i64::try_from(value / common).ok().filter(|value| value.abs() <= LARGEST);
            let used = cells.iter().enumerate().filter(|(_, value)| **value != 0);
            let used: Option<Vec<(usize, i64)>> = used.map(|(cell, value)| Some((cell, small(value)?))).collect();
            match (is_group, used, small(&self.scale)) {
                (true, Some(cells), Some(divisor)) => self.found.push(Combination { cells, divisor }),
                // Too large to be told: the search is not whole.
                (true, ..) => self.steps = MOST_STEPS + 1,
                _ => {}
            }
            return;
        };
        self.next(at, parts, cells);
        let times = self.scale / row.parts[row.pivot];
        let add = |to: &mut Vec<i128>, from: &Vec<i128>, times: i128| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from * times);
        };
        add(parts, &row.parts, times);
        add(cells, &row.cells, times);
        self.next(at, parts, cells);
        add(parts, &row.parts, -times);
        add(cells, &row.cells, -times);
    }
}

fn gcd(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { gcd(other, one % other) }
}
