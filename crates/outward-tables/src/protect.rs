//! Protection of tables: judged, then left as they are, rounded, hidden in part or perturbed, family by family, and audited.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use outward_spec::{Error, Fault, HidingCost, Method, Protection, Result, Rounding, TableRules};

use crate::audit::{self, Audit, Certificate};
use crate::family::{Family, families, plain, value_of};
use crate::inner::Base;
use crate::judge::{Rule, Verdict};
use crate::make::Made;
use crate::perturb::{CellKey, Noise, PTable};
use crate::round::{self, Controlled};
use crate::suppress::{self, Cost, VirtualCell};
use crate::system::{Status, System};
use crate::table::{Dimension, Figure, Magnitudes, Node, Published, Table};
use crate::words;
use crate::write::percentages;

/// Tables as they may be published, and how that was checked.
#[derive(Debug, Clone)]
pub struct Protected {
    /// The tables, in the order they were made in.
    pub published: Vec<Published>,
    /// What came of each.
    pub outcomes: Vec<Outcome>,
    /// For each family that has something to hide, what an attacker can work out.
    pub certificates: Vec<FamilyCertificate>,
    /// Cell keys: what the noise of each count is like.
    pub noise: Vec<NoiseRow>,
}

/// What the noise of a count is like, as the p-table came out. The last row stands for all larger counts too.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct NoiseRow {
    /// The true count.
    pub count: u32,
    /// The expected noise.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
    /// The chance that the count stays as it is.
    pub stay: f64,
}

/// What came of one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Cells of the table.
    pub published_cells: usize,
    /// Unsafe cells.
    pub primary: usize,
    /// Cells hidden besides.
    pub secondary: usize,
    /// Unsafe cells that can still be worked out.
    pub recoverable: usize,
    /// Unsafe cells whose interval is too narrow.
    pub too_tight: usize,
    /// What was done and how well, for the custodian.
    pub notes: Vec<String>,
}

/// The certificate of a family.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyCertificate {
    /// The tables of the family, by name.
    pub tables: Vec<String>,
    /// What an attacker can work out from all of them.
    pub certificate: Certificate,
    /// Sums of cells that must not be derivable, each cell by its name: what is told of groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Vec<(String, i32)>>,
    /// Cells of one contributor, those of the same person together, each by its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Vec<String>>,
    /// The linked files of which every record of `[data]` has at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub every: Vec<String>,
}

impl Protected {
    /// Whether every table may go out.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.recoverable == 0 && outcome.too_tight == 0)
    }
}

/// Protects tables as asked. A family whose unsafe cells could still be worked out is told in its outcomes, and must not be written.
///
/// # Errors
/// Where what is asked cannot be done.
pub fn protect(
    made: &[Made],
    verdicts: &[Verdict],
    protection: &Protection,
    rules: &TableRules,
    base: &Path,
) -> Result<Protected> {
    let p_table = match protection.method {
        Method::CellKey => Some(p_table(protection, base)?),
        _ => None,
    };
    let sums = made.iter().any(|made| made.table.magnitudes.is_some() || made.table.weighted.is_some());
    if protection.method == Method::Round && sums {
        return Err(Error::input("rounding protects counts; there are tables of sums, means or estimates among these")
            .help("protect them with `method = \"suppress\"`, or name only tables of counts")
            .into());
    }
    let mut figures: Vec<Vec<Figure>> = made.iter().map(|made| shown(&made.table)).collect();
    let mut outcomes: Vec<Outcome> = made.iter().zip(verdicts).map(|(made, verdict)| outcome(made, verdict)).collect();
    let mut certificates = Vec::new();
    for tables in families(made) {
        let mut family = Family::new(made, tables, protection.cost)?;
        let marks = Marks::put(&mut family, made, verdicts, protection, rules);
        let mut work = Work { family: &family, made, marks: &marks, figures: &mut figures, outcomes: &mut outcomes };
        let certificate = match protection.method {
            Method::None => work.leave(),
            Method::Suppress => work.suppress(protection)?,
            Method::Round => work.round(protection)?,
            Method::CellKey => work.perturb(p_table.as_ref().ok_or_else(|| Error::bug("there is no p-table"))?)?,
        };
        certificates.extend(certificate);
    }
    hide_in_all_measures(made, &mut figures, &mut outcomes);
    let published = made.iter().zip(verdicts).zip(figures);
    let published = published.map(|((made, verdict), figures)| publish(made, verdict, figures, protection)).collect();
    let noise = p_table.iter().flat_map(|table| table.rows()).map(|row| NoiseRow {
        count: row.count,
        mean: row.mean(),
        variance: row.variance(),
        stay: row.stay(),
    });
    Ok(Protected { published, outcomes, certificates, noise: noise.collect() })
}

/// The families of tables with their unsafe cells marked, before anything is hidden: what τ-ARGUS calls a JJ file.
///
/// # Errors
/// Where cells do not add up, which would be a mistake of ours.
pub fn marked(made: &[Made], verdicts: &[Verdict], protection: &Protection, rules: &TableRules) -> Result<Vec<Family>> {
    let mark = |tables| {
        let mut family = Family::new(made, tables, protection.cost)?;
        Marks::put(&mut family, made, verdicts, protection, rules);
        Ok(family)
    };
    families(made).into_iter().map(mark).collect()
}

fn p_table(protection: &Protection, base: &Path) -> Result<PTable> {
    match &protection.p_table {
        Some(path) => {
            let path = base.join(path);
            let text = std::fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))?;
            PTable::from_csv(&text).map_err(|error| error.with_fault(|fault| fault.file(&path)))
        }
        None => {
            PTable::generate(&Noise { small: protection.no_small, ..Noise::new(protection.noise, protection.variance) })
        }
    }
}

fn outcome(made: &Made, verdict: &Verdict) -> Outcome {
    Outcome { published_cells: made.table.len(), primary: verdict.primary().len(), ..Outcome::default() }
}

/// What a table shows before anything is done to it.
fn shown(table: &Table) -> Vec<Figure> {
    (0..table.len()).map(|cell| shown_value(table, cell, value_of(table, cell))).collect()
}

/// A mean is its sum over the records it is of, with two more decimals than the amounts have; of none there is no mean.
fn shown_value(table: &Table, cell: usize, value: i64) -> Figure {
    match &table.magnitudes {
        // What a mean is taken over is in thousandths.
        Some(magnitudes) if magnitudes.mean => match i128::from(magnitudes.known[cell]) {
            0 => Figure::NotApplicable,
            over => {
                let mean = (2 * i128::from(value) * i128::from(MEAN_SCALE) * 1000 + over).div_euclid(2 * over);
                Figure::Shown(i64::try_from(mean).unwrap_or(i64::MAX))
            }
        },
        _ => Figure::Shown(value),
    }
}

/// Means are published in units of one over this many of the amounts' units.
const MEAN_SCALE: i64 = 100;

/// A cell that is hidden in one measure is hidden in the others: a sum and its mean give the count.
fn hide_in_all_measures(made: &[Made], figures: &mut [Vec<Figure>], outcomes: &mut [Outcome]) {
    let place = |made: &Made, cell: usize| -> Vec<(String, Vec<u32>)> {
        let at = made.table.dimensions.iter().zip(made.table.nodes(cell)).zip(&made.inner.bases);
        let kept = at.filter(|((of, node), _)| of.several || of.nodes[*node].values.len() < of.size);
        let mut place: Vec<(String, Vec<u32>)> =
            kept.map(|((of, node), base)| (base.source.clone(), base.numbered(&of.nodes[node].values))).collect();
        place.sort_unstable();
        place
    };
    let records = |made: &Made| (made.table.unit.clone(), made.table.condition.as_deref().map(plain));
    for one in 0..made.len() {
        let others: Vec<usize> =
            (0..made.len()).filter(|other| records(&made[*other]) == records(&made[one])).collect();
        if !others.iter().any(|other| made[*other].table.magnitudes.is_some()) {
            continue;
        }
        let hidden = |at: &usize| {
            let cells = (0..figures[*at].len()).filter(|cell| figures[*at][*cell] == Figure::Hidden);
            cells.map(|cell| place(&made[*at], cell)).collect::<Vec<_>>()
        };
        let hidden: BTreeSet<Vec<(String, Vec<u32>)>> = others.iter().flat_map(hidden).collect();
        for cell in 0..figures[one].len() {
            if figures[one][cell] != Figure::Hidden && hidden.contains(&place(&made[one], cell)) {
                figures[one][cell] = Figure::Hidden;
                outcomes[one].secondary += 1;
            }
        }
    }
}

/// A table as it may be published: without its counts, and with values numbered alike for all variables of a source.
fn without_counts(made: &Made) -> Table {
    let dimension = |(dimension, base): (&Dimension, &Base)| Dimension {
        nodes: dimension
            .nodes
            .iter()
            .map(|node| Node { values: base.numbered(&node.values), ..node.clone() })
            .collect(),
        source: base.source.clone(),
        ..dimension.clone()
    };
    let table = &made.table;
    Table {
        dimensions: table.dimensions.iter().zip(&made.inner.bases).map(dimension).collect(),
        counts: Vec::new(),
        weighted: table.weighted.as_ref().map(|_| Vec::new()),
        keys: Vec::new(),
        magnitudes: table.magnitudes.as_ref().map(|of| Magnitudes {
            of: of.of.clone(),
            mean: of.mean,
            scale: of.scale,
            ..Magnitudes::default()
        }),
        ..table.clone()
    }
}

fn publish(made: &Made, verdict: &Verdict, figures: Vec<Figure>, protection: &Protection) -> Published {
    let table = &made.table;
    let scale = match (&table.magnitudes, &table.weighted) {
        (Some(magnitudes), _) if magnitudes.mean => magnitudes.scale * MEAN_SCALE,
        (Some(magnitudes), _) => magnitudes.scale,
        (None, Some(_)) => 1000,
        _ => 1,
    };
    Published {
        percentages: percentages(table, &figures),
        table: without_counts(made),
        figures,
        scale,
        category: verdict.category.clone(),
        protection: words::protection(protection),
    }
}

/// What must be protected in a family.
struct Marks {
    /// Cells of one contributor, those of the same person together.
    alone: Vec<Vec<u32>>,
    /// Sums that must not be derivable.
    sums: Vec<Vec<(u32, i32)>>,
    /// The largest count that is unsafe.
    threshold: i64,
    /// How many unsafe counts follow from two tables.
    rests: usize,
}

impl Marks {
    /// Marks the unsafe cells of a family's system.
    fn put(
        family: &mut Family,
        made: &[Made],
        verdicts: &[Verdict],
        protection: &Protection,
        rules: &TableRules,
    ) -> Self {
        let mut marks = Self { alone: Vec::new(), sums: Vec::new(), threshold: 0, rests: 0 };
        let counts = family.system.counts;
        if counts {
            // Nobody doubts a zero that is printed, and hiding zeros hides little.
            let zeros = family.system.cells.iter_mut().filter(|cell| cell.value == 0 && cell.status == Status::Open);
            zeros.for_each(|cell| cell.status = Status::Frozen);
        }
        for (place, at) in family.tables.clone().into_iter().enumerate() {
            let (table, verdict) = (&made[at].table, &verdicts[at]);
            for cell in verdict.primary() {
                let number = family.cells[place][cell];
                let marked = &mut family.system.cells[number as usize];
                marked.status = Status::Unsafe;
                let margin = i64::try_from(protection.margin).unwrap_or(i64::MAX).min(WIDEST) * family.system.scale;
                let (lower, upper) = verdict.protection(cell).unwrap_or((margin.min(marked.value), margin));
                marked.lower_protection = marked.lower_protection.max(lower);
                marked.upper_protection = marked.upper_protection.max(upper);
            }
            let small = verdict.unsafe_cells.iter().filter(|found| matches!(found.rule, Rule::Cell | Rule::Margin));
            let small = small.map(|found| table.counts[found.cell] as i64);
            marks.threshold = marks.threshold.max(small.max().filter(|_| counts).unwrap_or_default());
            for sum in &verdict.virtual_sums {
                // What is told of a group is told by the zeros beside it, so that these may be doubted.
                for cell in line_of(table, sum) {
                    let beside = &mut family.system.cells[family.cells[place][cell] as usize];
                    if beside.status == Status::Frozen {
                        beside.status = Status::Open;
                    }
                }
                marks.sums.push(sum.iter().map(|(cell, by)| (family.cells[place][*cell], *by)).collect());
            }
        }
        // What follows from two tables is as unsafe as what stands in one.
        let limit = |at: &usize| {
            let category = rules.categories.iter().find(|category| category.name == verdicts[*at].category);
            category.map_or(0, |category| category.cells as i64)
        };
        let limit = family.tables.iter().map(limit).max().filter(|_| counts).unwrap_or_default();
        let small = family.rests.iter().filter(|(_, rest)| (1..=limit).contains(rest));
        marks.rests = small.clone().count();
        marks.sums.extend(small.map(|(terms, _)| terms.clone()));
        marks.alone = lone_contributors(family, made);
        marks.sums.sort_unstable();
        marks.sums.dedup();
        marks
    }
}

/// The cells that have one contributor, person by person: hidden, they are known to her. Two cells are the same person's where some inner cell of one
/// person is counted in both.
fn lone_contributors(family: &Family, made: &[Made]) -> Vec<Vec<u32>> {
    let mut persons: Vec<Vec<u32>> = Vec::new();
    let mut whose: BTreeMap<u32, usize> = BTreeMap::new();
    let mut add = |cells: Vec<u32>| {
        let Some(person) =
            cells.iter().find_map(|cell| whose.get(cell).copied()).or((!cells.is_empty()).then_some(persons.len()))
        else {
            return;
        };
        if person == persons.len() {
            persons.push(Vec::new());
        }
        for cell in cells {
            if whose.insert(cell, person).is_none() {
                persons[person].push(cell);
            }
        }
    };
    for (place, at) in family.tables.iter().enumerate() {
        let Made { table, inner, .. } = &made[*at];
        let matrix = inner.matrix(&table.dimensions);
        let alone = |cell: usize| match &table.magnitudes {
            Some(magnitudes) => magnitudes.contributors[cell] == 1,
            None => table.counts[cell] == 1,
        };
        let cells_of = |inner: usize| -> Vec<u32> {
            let alone = matrix.row(inner).iter().filter(|cell| alone(**cell as usize));
            let numbers = alone.map(|cell| family.cells[place][*cell as usize]);
            numbers.collect()
        };
        match &table.magnitudes {
            Some(_) => {
                let mut by_contributor: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
                for given in &inner.contributions {
                    by_contributor.entry(given.contributor).or_default().extend(cells_of(given.cell as usize));
                }
                by_contributor.into_values().for_each(&mut add);
            }
            None => {
                (0..inner.tallies.len()).filter(|cell| inner.tallies[*cell].count == 1).map(cells_of).for_each(&mut add)
            }
        }
    }
    persons
}

/// The cells inside the table on the line that a sum is about: a total less a cell, or all cells but one.
fn line_of(table: &Table, sum: &[(usize, i32)]) -> Vec<usize> {
    let [(one, _), (other, _)] = sum else { return sum.iter().map(|(cell, _)| *cell).collect() };
    let (one, other) = (table.nodes(*one), table.nodes(*other));
    let Some(dimension) = (0..one.len()).find(|at| one[*at] != other[*at]) else { return Vec::new() };
    let at = |node: usize| {
        let mut nodes = one.clone();
        nodes[dimension] = node;
        table.cell(&nodes)
    };
    let nodes = table.dimensions[dimension].nodes.iter().enumerate();
    nodes.filter(|(_, node)| node.finest).map(|(node, _)| at(node)).collect()
}

/// One family on its way.
struct Work<'a> {
    family: &'a Family,
    made: &'a [Made],
    marks: &'a Marks,
    figures: &'a mut [Vec<Figure>],
    outcomes: &'a mut [Outcome],
}

impl Work<'_> {
    /// Nothing is done: every unsafe cell stands there to be read.
    fn leave(&mut self) -> Option<FamilyCertificate> {
        for at in &self.family.tables {
            self.outcomes[*at].recoverable = self.outcomes[*at].primary;
        }
        if let (Some(last), rests @ 1..) = (self.family.tables.last(), self.marks.rests) {
            self.outcomes[*last].recoverable += rests;
            self.outcomes[*last].notes.push(format!("{rests} unsafe counts follow from two of these tables"));
        }
        None
    }

    fn suppress(&mut self, protection: &Protection) -> Result<Option<FamilyCertificate>> {
        let system = &self.family.system;
        if !system.cells.iter().any(|cell| cell.status == Status::Unsafe) && self.marks.sums.is_empty() {
            return Ok(None);
        }
        let virtual_cell = |terms: &Vec<(u32, i32)>| VirtualCell {
            terms: terms.clone(),
            lower_protection: 0,
            upper_protection: 0,
            sliding_protection: 1,
        };
        let choice = suppress::Choice {
            cost: match protection.cost {
                HidingCost::Value => Cost::AsGiven,
                HidingCost::One => Cost::ByOne,
            },
            alone: self.marks.alone.clone(),
            virtual_cells: self.marks.sums.iter().map(virtual_cell).collect(),
            ..suppress::Choice::default()
        };
        let pattern = match suppress::suppress(system, &choice) {
            Err(Error::Input(_)) => suppress::suppress(&thawed(system), &choice),
            other => other,
        };
        let pattern = pattern.map_err(|error| self.name_cells(error))?;
        let attack = audit::Choice {
            alone: self.marks.alone.clone(),
            virtual_cells: self.marks.sums.iter().map(|terms| (terms.clone(), 0, 0)).collect(),
            ..audit::Choice::default()
        };
        let audited = audit::audit(system, &pattern.hidden, &attack)?;
        for (place, at) in self.family.tables.iter().enumerate() {
            let hidden = |cell: usize| pattern.hidden[self.family.cells[place][cell] as usize];
            let cells = 0..self.made[*at].table.len();
            let hidden: Vec<usize> = cells.filter(|cell| hidden(*cell)).collect();
            let outcome = &mut self.outcomes[*at];
            outcome.secondary = hidden.len() - outcome.primary;
            let how = if pattern.proven_optimal { "no cheaper choice exists" } else { "found by search" };
            if !hidden.is_empty() {
                outcome.notes.push(format!("{} cells hidden in all, {how}", hidden.len()));
            }
            hidden.iter().for_each(|cell| self.figures[*at][*cell] = Figure::Hidden);
        }
        self.note(&audited);
        Ok(Some(self.certify(&audited, &attack)))
    }

    fn round(&mut self, protection: &Protection) -> Result<Option<FamilyCertificate>> {
        let system = &self.family.system;
        let base = i64::try_from(protection.base).unwrap_or(i64::MAX).saturating_mul(system.scale);
        // Counts up to the threshold are unsafe, so that a base has to be above it.
        round::minimum_base(base, (self.marks.threshold + 1) * system.scale)?;
        let (values, steps, note) = match protection.rounding {
            Rounding::Controlled => {
                let rounded = round::controlled(system, &Controlled::to(base))?;
                if !rounded.additive {
                    return Err(Error::input("no rounding was found for which all totals hold")
                        .help("take a larger base, show fewer tables together, or `rounding = \"random\"`")
                        .into());
                }
                let note = format!("rounded so that all totals hold: {}", rounded_how(rounded.method));
                (rounded.values, rounded.steps, note)
            }
            Rounding::Random => {
                let value = |(cell, home): (usize, &Option<(usize, usize)>)| match home {
                    Some((place, at)) => {
                        let key = self.made[self.family.tables[*place]].table.keys[*at];
                        round::random(system.cells[cell].value, base, CellKey(key).fraction())
                    }
                    None => 0,
                };
                (
                    self.family.homes.iter().enumerate().map(value).collect(),
                    0,
                    "rounded at random by cell keys".to_owned(),
                )
            }
            Rounding::Conventional => {
                let values = system.cells.iter().map(|cell| round::conventional(cell.value, base)).collect();
                (values, 0, "rounded to the nearest multiple".to_owned())
            }
        };
        for (place, at) in self.family.tables.iter().enumerate() {
            let table = &self.made[*at].table;
            for cell in 0..table.len() {
                let value = values[self.family.cells[place][cell] as usize];
                let low = protection.mark_low && value == 0 && value_of(table, cell) > 0;
                self.figures[*at][cell] = if low { Figure::Low } else { shown_value(table, cell, value) };
            }
            self.outcomes[*at].notes.push(note.clone());
        }
        if system.cells.len() > MOST_ROUNDED {
            for at in &self.family.tables {
                self.outcomes[*at].notes.push("not audited, as the tables have too many cells together".to_owned());
            }
        }
        if system.cells.len() > MOST_ROUNDED || !system.cells.iter().any(|cell| cell.status == Status::Unsafe) {
            return Ok(None);
        }
        // The attacker knows each cell to within the base, and that the true cells add up.
        let conventional = protection.rounding == Rounding::Conventional;
        let known = (values.iter().enumerate().zip(&self.family.homes)).filter(|(_, home)| home.is_some());
        let known = known.map(|((cell, value), _)| {
            let (lower, upper) = match conventional {
                true => ((value - base / 2).max(0), value + (base - 1) / 2),
                false => round::interval(*value, base, steps),
            };
            (cell as u32, lower, upper)
        });
        let attack = audit::Choice { known: known.collect(), ..audit::Choice::default() };
        let mut asked = system.clone();
        for cell in &mut asked.cells {
            // Rounding promises doubt, not an interval around the value.
            (cell.lower_protection, cell.upper_protection) = (0, 0);
        }
        let audited = audit::audit(&asked, &vec![true; asked.cells.len()], &attack)?;
        self.note(&audited);
        Ok(Some(self.certify(&audited, &attack)))
    }

    fn perturb(&mut self, p_table: &PTable) -> Result<Option<FamilyCertificate>> {
        if !self.family.system.counts {
            return Err(Error::input("cell keys change counts; this spec has tables of sums or estimates")
                .help("protect them with `method = \"suppress\"` in a spec of their own")
                .into());
        }
        for at in &self.family.tables {
            let table = &self.made[*at].table;
            for cell in 0..table.len() {
                let perturbed = p_table.apply(table.counts[cell], CellKey(table.keys[cell]).fraction());
                self.figures[*at][cell] = Figure::Shown(perturbed as i64);
            }
            self.outcomes[*at].notes.push("every count perturbed by its cell key".to_owned());
        }
        Ok(None)
    }

    /// Puts what the audit found beside the tables.
    fn note(&mut self, audited: &Audit) {
        let found = |verdict: audit::Verdict| {
            let cells = audited.intervals.iter().filter(move |interval| interval.verdict == verdict);
            cells.map(|interval| interval.cell).collect::<Vec<u32>>()
        };
        let recoverable = found(audit::Verdict::Recoverable);
        let mut tight = found(audit::Verdict::TooTight);
        tight.extend(found(audit::Verdict::Undecided));
        let elsewhere = !audited.holds() && recoverable.is_empty() && tight.is_empty();
        for (place, at) in self.family.tables.iter().enumerate() {
            let cells = &self.family.cells[place];
            let count = |list: &[u32]| cells.iter().filter(|cell| list.contains(cell)).count();
            self.outcomes[*at].recoverable = count(&recoverable);
            // A contributor who knows one cell, or a group that is told, counts against every table of the family.
            self.outcomes[*at].too_tight = count(&tight) + usize::from(elsewhere);
        }
    }

    fn certify(&self, audited: &Audit, attack: &audit::Choice) -> FamilyCertificate {
        let name = |cell: u32| match self.family.homes[cell as usize] {
            Some((place, at)) => {
                let table = &self.made[self.family.tables[place]].table;
                format!("{}[{at}]: {}", table.name, table.describe(at))
            }
            None => "not published".to_owned(),
        };
        let own = |cells: &Vec<u32>| cells.iter().map(|cell| name(*cell)).collect();
        FamilyCertificate {
            tables: self.family.tables.iter().map(|at| self.made[*at].table.name.clone()).collect(),
            sums: self.marks.sums.iter().map(|sum| sum.iter().map(|(cell, by)| (name(*cell), *by)).collect()).collect(),
            alone: self.marks.alone.iter().map(own).collect(),
            every: Vec::new(),
            certificate: Certificate::new(&self.family.system, attack, audited, name),
        }
    }

    /// An error that names cells of the system by number names them by their place in the tables.
    fn name_cells(&self, error: Error) -> Error {
        let name = |number: &str| match number.parse::<usize>().ok().and_then(|cell| *self.family.homes.get(cell)?) {
            Some((place, at)) => {
                let table = &self.made[self.family.tables[place]].table;
                format!("({}: {})", table.name, table.describe(at))
            }
            None => number.to_owned(),
        };
        error.with_fault(|fault| {
            let mut what = String::new();
            let mut rest = fault.what.as_str();
            while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
                let (before, from) = rest.split_at(start);
                let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
                let (number, after) = from.split_at(end);
                what += before;
                what += &if after.starts_with(" more") { number.to_owned() } else { name(number) };
                rest = after;
            }
            Fault { what: what + rest, ..fault }
        })
    }
}

/// The system with zeros that may be hidden, for tables so sparse that nothing else is left to hide.
fn thawed(system: &System) -> System {
    let mut thawed = system.clone();
    let zeros = thawed.cells.iter_mut().filter(|cell| cell.value == 0 && cell.status == Status::Frozen);
    zeros.for_each(|cell| cell.status = Status::Open);
    thawed
}

/// What is known of a controlled rounding, in words.
pub fn rounded_how(method: round::Method) -> &'static str {
    match method {
        round::Method::Optimal => "each cell to a neighbouring multiple, and none is nearer",
        round::Method::Feasible => "each cell to a neighbouring multiple",
        round::Method::Steps(_) => "some cells beyond their neighbouring multiples",
        round::Method::Heuristic => "inner cells to a neighbouring multiple, totals as their sums",
    }
}

/// No interval is asked to be wider than this to one side.
const WIDEST: i64 = 1_000_000_000;

/// Families with more cells than this are rounded without an audit: every cell is told to within the base only, and the audit
/// would have to solve for all of them.
const MOST_ROUNDED: usize = 20_000;
