//! Compares tables of different versions of the data: a figure that changes by one person discloses that person.
//!
//! Cells of two versions are the same if they have the same variables, by the columns these read, and the same labels.
//! Each version is first completed: a total that it does not show follows from its parts, and a part from its total and
//! the other parts. Then three things are compared.
//!
//! - *Counts.* A rounded count is an interval, and so is its change. A change that is certain to be of few people is a
//!   finding.
//! - *What is left of a total.* Let *T* be a total and *C* those of its parts that both versions show. The change of *T*
//!   less the changes of *C* is the change of the other parts together.
//! - *Sums, means and estimates.* A change says nothing of how many people it comes from. It is a finding unless a count
//!   of the same cell is public in both versions and changed by more than few people.

use std::collections::{BTreeMap, BTreeSet};

use outward_report::format::number;
use outward_spec::{Protection, ProtectionMethod, Spec};
use outward_tables::protect::possible;
use outward_tables::{Dimension, Figure, Published, Table};

use crate::gate::{EarlierRelease, Obstacle};

/// The rule on cells that changed by few people between two versions of the data.
const REVISION: &str = "revision";

/// A name of a cell that is the same in all tables: its variables, by the columns they read, with the labels of its
/// nodes. Totals are left out.
type CellName = Vec<(Vec<String>, String)>;

/// The least and the largest value that a figure can have.
type Interval = (i64, i64);

/// A table of one version of the data, with everything that follows from it by itself.
#[derive(Debug, Clone)]
pub struct VersionedTable {
    name: String,
    unit: String,
    condition: Option<String>,
    /// What it counts, adds up or estimates.
    measure: String,
    counts: bool,
    scale: i64,
    /// Its rows and columns.
    shape: Vec<(String, Vec<String>)>,
    cells: BTreeMap<CellName, (Interval, String)>,
    /// Totals, each with its parts.
    sums: Vec<(CellName, Vec<CellName>)>,
}

impl VersionedTable {
    /// The tables of a bundle.
    pub fn of_published(spec: &Spec, tables: &[Published]) -> Vec<Self> {
        let of = |published: &Published| {
            let known = published.figures.iter().map(|figure| interval(*figure, &published.table, &spec.protection));
            Self::new(spec, &published.table, published.scale, known.collect(), &[])
        };
        tables.iter().map(of).collect()
    }

    /// `known` has what is known of each cell, and `without` the cells that will not be shown.
    pub(crate) fn new(
        spec: &Spec,
        table: &Table,
        scale: i64,
        mut known: Vec<Option<Interval>>,
        without: &[usize],
    ) -> Self {
        let axes: Vec<Axis> = table.dimensions.iter().map(|dimension| Axis::new(spec, dimension)).collect();
        let grid = Grid::new(&axes);
        let mut all = vec![None; grid.len()];
        (0..table.len()).for_each(|cell| all[grid.cell(&table.nodes(cell))] = known[cell].take());
        let measure = match (&table.magnitudes, &table.weighted) {
            (Some(magnitudes), _) => format!("{} of {}", if magnitudes.mean { "mean" } else { "sum" }, magnitudes.of),
            (None, Some(_)) => "estimate".to_owned(),
            (None, None) => "count".to_owned(),
        };
        let adds_up = !table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean);
        let equations = if adds_up { grid.equations(&axes) } else { Vec::new() };
        let is_count = measure == "count";
        complete(&mut all, &equations, is_count);
        for cell in without {
            all[grid.cell(&table.nodes(*cell))] = None;
        }
        let name = |cell: usize| grid.name(&axes, cell);
        let shown = all.iter().enumerate().filter_map(|(cell, known)| Some((cell, (*known)?)));
        let shape = table.dimensions.iter().map(|dimension| {
            (dimension.variable.clone(), dimension.nodes.iter().map(|node| node.label.clone()).collect())
        });
        Self {
            name: table.name.clone(),
            unit: table.unit.clone(),
            condition: table.condition.clone(),
            measure,
            counts: is_count,
            scale,
            shape: shape.collect(),
            cells: shown.map(|(cell, known)| (name(cell), (known, grid.describe(&axes, cell)))).collect(),
            sums: equations
                .into_iter()
                .map(|(total, parts)| (name(total), parts.into_iter().map(name).collect()))
                .collect(),
        }
    }

    /// Whether two tables count the same records by the same measure.
    fn is_alike(&self, other: &Self) -> bool {
        (&self.unit, &self.condition, &self.measure) == (&other.unit, &other.condition, &other.measure)
    }

    /// Whether two tables have the same rows, columns and measure.
    fn is_same(&self, other: &Self) -> bool {
        self.is_alike(other) && self.shape == other.shape
    }

    fn figure(&self, (least, most): Interval) -> String {
        let one = |value: i64| scaled(value, self.scale);
        if least == most { one(least) } else { format!("{} to {}", one(least), one(most)) }
    }
}

/// A figure in units of one over a power of ten.
pub(crate) fn scaled(value: i64, scale: i64) -> String {
    match scale.max(1).ilog10() as u8 {
        0 => value.to_string(),
        decimals => number(value as f64 / scale as f64, decimals),
    }
}

/// What a published figure shows; `None` if it shows nothing.
fn interval(figure: Figure, table: &Table, protection: &Protection) -> Option<Interval> {
    let is_count = table.magnitudes.is_none() && table.weighted.is_none();
    match (protection.method, figure) {
        (ProtectionMethod::None | ProtectionMethod::Suppress, Figure::Shown(value)) => Some((value, value)),
        (ProtectionMethod::Round, Figure::Shown(_) | Figure::Low) if is_count => Some(possible(figure, protection, 0)),
        _ => None,
    }
}

/// The nodes of a dimension, and a total if the table leaves it out and the nodes give it.
struct Axis {
    /// By the columns and the label; `None` for all records.
    names: Vec<Option<(Vec<String>, String)>>,
    words: Vec<Option<String>>,
    sums: Vec<(usize, Vec<usize>)>,
}

impl Axis {
    fn new(spec: &Spec, dimension: &Dimension) -> Self {
        let columns = match spec.variable(&dimension.variable) {
            Some(variable) => variable.read_from().to_vec(),
            None if dimension.source.columns.is_empty() => vec![dimension.variable.clone()],
            None => dimension.source.columns.clone(),
        };
        let (mut names, mut words, mut sums) = (Vec::new(), Vec::new(), dimension.sums.clone());
        for node in &dimension.nodes {
            // A total over some values is not the total of all.
            let whole = node.total && node.values.len() >= dimension.size;
            names.push((!whole).then(|| (columns.clone(), node.label.clone())));
            words.push((!node.total).then(|| format!("{} {}", dimension.label, node.label)));
        }
        if dimension.several {
            return Self { names, words, sums: Vec::new() };
        }
        let finest: Vec<usize> = (0..names.len()).filter(|at| dimension.nodes[*at].finest).collect();
        let values: Vec<u32> = finest.iter().flat_map(|at| dimension.nodes[*at].values.iter().copied()).collect();
        let is_whole = values.len() == dimension.size && values.iter().collect::<BTreeSet<_>>().len() == values.len();
        if is_whole && names.iter().all(Option::is_some) {
            sums.push((names.len(), finest));
            names.push(None);
            words.push(None);
        }
        Self { names, words, sums }
    }
}

/// The cells of a table with the totals that it leaves out.
struct Grid(Vec<usize>);

impl Grid {
    fn new(axes: &[Axis]) -> Self {
        Self(axes.iter().map(|axis| axis.names.len()).collect())
    }

    fn len(&self) -> usize {
        self.0.iter().product()
    }

    fn cell(&self, nodes: &[usize]) -> usize {
        self.0.iter().zip(nodes).fold(0, |at, (size, node)| at * size + node)
    }

    fn nodes(&self, cell: usize) -> Vec<usize> {
        let mut rest = cell;
        let mut nodes: Vec<usize> = Vec::with_capacity(self.0.len());
        for size in self.0.iter().rev() {
            nodes.push(rest % size);
            rest /= size;
        }
        nodes.reverse();
        nodes
    }

    fn name(&self, axes: &[Axis], cell: usize) -> CellName {
        let mut name: CellName =
            self.nodes(cell).into_iter().zip(axes).filter_map(|(node, axis)| axis.names[node].clone()).collect();
        name.sort_unstable();
        name
    }

    fn describe(&self, axes: &[Axis], cell: usize) -> String {
        let words: Vec<String> =
            self.nodes(cell).into_iter().zip(axes).filter_map(|(node, axis)| axis.words[node].clone()).collect();
        if words.is_empty() { "the grand total".to_owned() } else { words.join(", ") }
    }

    /// Totals, each with its parts, for every combination of the other variables.
    fn equations(&self, axes: &[Axis]) -> Vec<(usize, Vec<usize>)> {
        let mut equations = Vec::new();
        for (at, axis) in axes.iter().enumerate() {
            let after: usize = self.0[at + 1..].iter().product();
            for cell in (0..self.len()).filter(|cell| (cell / after).is_multiple_of(self.0[at])) {
                let of = |node: &usize| cell + node * after;
                equations.extend(axis.sums.iter().map(|(total, parts)| (of(total), parts.iter().map(of).collect())));
            }
        }
        equations
    }
}

/// Works out what follows from totals and parts, until nothing more does.
fn complete(known: &mut [Option<Interval>], equations: &[(usize, Vec<usize>)], counts: bool) {
    loop {
        let mut is_done = true;
        for (total, parts) in equations {
            let mut open = parts.iter().filter(|part| known[**part].is_none());
            let sum = |but: Option<usize>, known: &[Option<Interval>]| {
                let others = parts.iter().filter(|part| Some(**part) != but).filter_map(|part| known[*part]);
                others.fold((0i64, 0i64), |all, one| (all.0.saturating_add(one.0), all.1.saturating_add(one.1)))
            };
            let (part, further) = (open.next().copied(), open.next());
            let (at, value) = match (known[*total], part, further) {
                (None, None, _) => (*total, sum(None, known)),
                (Some(whole), Some(part), None) => {
                    let others = sum(Some(part), known);
                    let least = whole.0.saturating_sub(others.1);
                    let least = if counts { least.max(0) } else { least };
                    (part, (least, whole.1.saturating_sub(others.0)))
                }
                _ => continue,
            };
            known[at] = Some(value);
            is_done = false;
        }
        if is_done {
            return;
        }
    }
}

/// The interval of a change.
fn change(now: Interval, then: Interval) -> Interval {
    (now.0.saturating_sub(then.1), now.1.saturating_sub(then.0))
}

/// Whether a change is certain to be of few people.
fn is_few((least, most): Interval, few: i64) -> bool {
    least >= 1 && most <= few || most <= -1 && least >= -few
}

fn few_people((least, most): Interval) -> String {
    let (least, most) = if most < 0 { (-most, -least) } else { (least, most) };
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

fn obstacle(says: String, lines: Vec<String>) -> Obstacle {
    let help = "publish revisions together, for larger areas, or rounded";
    Obstacle { rule: REVISION, says, lines, help: help.to_owned() }
}

/// Compares tables with those of a release of another version of the data. `name` is what the new ones are called, and
/// `is_related` says that the two share a column.
pub fn revisions(
    (name, new): (&str, &[VersionedTable]),
    earlier: &EarlierRelease,
    is_related: bool,
    few: i64,
) -> Vec<Obstacle> {
    let old = VersionedTable::of_published(&earlier.spec, &earlier.tables);
    let comparison = Comparison { name, new, earlier, old: &old, few };
    let mut all = Vec::new();
    for table in new {
        if is_related && !old.iter().any(|old| old.is_same(table)) {
            all.push(comparison.of_other_shape(table));
        }
        for old in old.iter().filter(|old| old.is_alike(table)) {
            match table.counts {
                true => comparison.counts(table, old, &mut all),
                false => comparison.amounts(table, old, &mut all),
            }
        }
    }
    all
}

/// Tables of two versions of the data.
struct Comparison<'a> {
    name: &'a str,
    new: &'a [VersionedTable],
    earlier: &'a EarlierRelease,
    old: &'a [VersionedTable],
    few: i64,
}

impl Comparison<'_> {
    fn of_other_shape(&self, table: &VersionedTable) -> Obstacle {
        let release = &self.earlier.release;
        let says = format!(
            "table `{}` cannot be compared with release {}, which is of version {} of the data and has other rows or columns",
            table.name, release.id, release.version
        );
        let help = "show the same rows and columns as that release, or enter an exception that says what was checked";
        Obstacle { rule: REVISION, says, lines: Vec::new(), help: help.to_owned() }
    }

    fn counts(&self, new: &VersionedTable, old: &VersionedTable, all: &mut Vec<Obstacle>) {
        let version = self.earlier.release.version;
        let mut told: BTreeSet<BTreeSet<&CellName>> = BTreeSet::new();
        for (cell, (now, place)) in &new.cells {
            let Some((then, _)) = old.cells.get(cell) else { continue };
            let changed = change(*now, *then);
            if is_few(changed, self.few) {
                let says = format!("a cell changed by {} since version {version} of the data", few_people(changed));
                all.push(obstacle(says, self.lines(new, old, &[(*now, *then, place, 1)], changed)));
            }
        }
        for (total, parts) in &new.sums {
            let both = |cell: &CellName| Some((new.cells.get(cell)?, old.cells.get(cell)?.0));
            let Some(((now, place), then)) = both(total) else { continue };
            let (shown, rest): (Vec<&CellName>, Vec<&CellName>) = parts.iter().partition(|part| both(part).is_some());
            let mut changed = change(*now, then);
            let mut steps = vec![(*now, then, place, 1)];
            for ((now, place), then) in shown.into_iter().filter_map(both) {
                let own = change(*now, then);
                changed = (changed.0.saturating_sub(own.1), changed.1.saturating_sub(own.0));
                steps.push((*now, then, place, -1));
            }
            if !rest.is_empty() && is_few(changed, self.few) && told.insert(rest.into_iter().collect()) {
                let says = format!(
                    "what is left of a total changed by {} since version {version} of the data",
                    few_people(changed)
                );
                all.push(obstacle(says, self.lines(new, old, &steps, changed)));
            }
        }
    }

    fn amounts(&self, new: &VersionedTable, old: &VersionedTable, all: &mut Vec<Obstacle>) {
        for (cell, (now, place)) in &new.cells {
            let Some((then, _)) = old.cells.get(cell) else { continue };
            let changed = change(*now, *then);
            let is_changed = changed.0 > 0 || changed.1 < 0;
            if !is_changed || self.is_of_many(new, cell) {
                continue;
            }
            let says = format!(
                "a figure of `{}` changed since version {} of the data, and no public count shows that more than {} records did",
                new.measure, self.earlier.release.version, self.few
            );
            all.push(obstacle(says, self.lines(new, old, &[(*now, *then, place, 1)], changed)));
        }
    }

    /// Whether counts of a cell that are public in both versions show that it changed by more than few people.
    fn is_of_many(&self, of: &VersionedTable, cell: &CellName) -> bool {
        let count = |tables: &[VersionedTable]| -> Option<Interval> {
            let own =
                |table: &&VersionedTable| table.counts && (&table.unit, &table.condition) == (&of.unit, &of.condition);
            tables.iter().filter(own).find_map(|table| table.cells.get(cell).map(|(known, _)| *known))
        };
        let Some((now, then)) = count(self.new).zip(count(self.old)) else { return false };
        let (least, most) = change(now, then);
        least > self.few || most < -self.few
    }

    /// The arithmetic: the figures of each cell now and then.
    fn lines(
        &self,
        new: &VersionedTable,
        old: &VersionedTable,
        steps: &[(Interval, Interval, &String, i64)],
        changed: Interval,
    ) -> Vec<String> {
        let (release, mut lines) = (format!("release {}", self.earlier.release.id), Vec::new());
        for (at, (now, then, place, times)) in steps.iter().enumerate() {
            let [plus, minus] = [if at == 0 { "      " } else { "plus  " }, "minus "];
            let [first, second] = if *times > 0 { [plus, minus] } else { [minus, "plus  "] };
            lines.push(format!("{first}{}  {}, table `{}`: {place}", new.figure(*now), self.name, new.name));
            lines.push(format!("{second}{}  {release}, table `{}`: {place}", old.figure(*then), old.name));
        }
        lines.push(format!("leaves {}", new.figure(changed)));
        lines
    }
}

/// The least count by which data are recognised: smaller ones are alike by chance.
const TELLING: i64 = 10;

/// How many counts tables have in common with those of a release of data by another name, if all of these are the same
/// and at least two of them are telling.
pub(crate) fn counts_in_common(new: &[VersionedTable], earlier: &EarlierRelease) -> Option<usize> {
    let old = VersionedTable::of_published(&earlier.spec, &earlier.tables);
    let (mut common, mut telling) = (BTreeSet::new(), BTreeSet::new());
    for new in new.iter().filter(|table| table.counts) {
        for old in old.iter().filter(|old| old.is_alike(new)) {
            for (cell, (now, _)) in &new.cells {
                let Some((then, _)) = old.cells.get(cell) else { continue };
                if now != then {
                    return None;
                }
                common.insert((&new.unit, &new.condition, cell));
                telling.extend((now.0 == now.1 && now.0 >= TELLING).then_some(now.0));
            }
        }
    }
    (telling.len() > 1).then_some(common.len())
}
