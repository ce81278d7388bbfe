//! Tables that tell something of each other under attack.
//!
//! The attacker has all published figures, what follows from them by the model, and what a rounding or a linked file tells. What they find of a
//! cell must be what the certificate says of it. They know as much as the certificate takes them to know but for three things: the
//! sums behind a mean, which hidden cells of linked files are not empty, and sets of answers that are too many to list. With these among the tables
//! they may find intervals wider than certified, never narrower.

mod claims;
mod counted;

use std::collections::{BTreeMap, BTreeSet};

use outward_audit::{Cell, Status, System};
use outward_audit::{CertificateLine, Interval, Verdict};
use outward_spec::{ProtectionMethod, Result, RiskCategory};
use outward_tables::protect::FamilyCertificate;
use outward_tables::{Figure, Published, ValueSource};

use super::attack::{Described, Stop};
use super::combinations::{KnownCells, combinations};
use super::conditions::{Condition, conditions};
use super::contributors::Contributors;
use super::differences::differences as differences_of;
use super::fit::NO_TABLE;
use super::implied::Implied;
use super::lines::Relations;
use super::links::add_links;
use super::model::{CombinationBlock, Common, Model};
use super::places::{Cells, EarlierTables, listed_values, name};
use super::possible::{possible, steps};
use super::unsafe_counts::Limits;
use crate::tables::TableManifest;
use claims::lines;

/// No sum that is kept from the reader counts a cell more often.
const LARGEST_TERM: u32 = 1_000_000;

const TOO_MANY: &str = "these tables tell more together than can be worked out: they have too many atoms";

/// Wider intervals have values that no policy calls unsafe, or leave enough in doubt.
const LONGEST: i64 = 1_000;

/// How many other tables that fit are tried to tell cells apart that do not always differ by as much.
const OTHERS: usize = 6;

/// An end that nothing bounds, as the audit has it.
const FREE: i64 = i64::MAX / 4;

/// The cells of some tables, as far as they are published.
pub(super) struct Attacked<'a> {
    pub(super) manifest: &'a TableManifest,
    tables: &'a [&'a Published],
    certificate: Option<&'a FamilyCertificate>,
    pub(super) cells: Cells,
    pub(super) relations: Relations,
    /// What is known of each cell beforehand.
    pub(super) bounds: Vec<(i64, i64)>,
    /// What nobody doubts a cell to be at least: it has all of a listed value (K9), an earlier release tells it, or a linked file (M7).
    least: Vec<i64>,
    /// Whether nothing follows from the tables that is not reckoned with.
    whole: bool,
    /// A table that fits.
    pub(super) values: Vec<i64>,
    /// What each cell is called, in every table it stands in.
    names: BTreeMap<String, u32>,
    /// Cells, and cells of other tables inside them, that may differ by few people.
    differences: Vec<(u32, u32)>,
    /// The variables of each unit that are searched for combinations; none where no table has a condition or is of an earlier release.
    combination_blocks: Vec<CombinationBlock>,
    /// What is certified of each cell.
    lines: BTreeMap<u32, &'a CertificateLine>,
    contributors: Contributors,
    /// The tables of earlier releases, by name.
    earlier: BTreeSet<String>,
}

impl<'a> Attacked<'a> {
    pub(super) fn new(
        described: Described<'a>,
        tables: &'a [&'a Published],
        told: &EarlierTables,
        certificate: Option<&'a FamilyCertificate>,
    ) -> std::result::Result<Self, Stop> {
        let Described { manifest, spec } = described;
        let conditions = spec.map(|spec| conditions(tables, spec)).unwrap_or_default();
        let keeps = keeps(tables, &conditions, certificate)?;
        let mut cells = Cells::new(tables, &keeps, told, manifest.protection.method == ProtectionMethod::Round);
        if cells.disagree {
            return Err(Stop::fails(NO_TABLE));
        }
        let names = if certificate.is_some() { names(&cells, tables) } else { BTreeMap::new() };
        let lines = certificate.map(|family| lines(family, &names)).transpose()?.unwrap_or_default();
        let rounded = certificate.filter(|_| manifest.protection.method == ProtectionMethod::Round);
        let steps = match rounded {
            Some(family) => steps(manifest, &cells, &names, tables, family)?,
            None => vec![0; cells.units.len()],
        };
        let counts = tables.iter().all(|of| of.table.magnitudes.is_none() && of.table.weighted.is_none());
        if let Some(spec) = spec.filter(|_| counts && rounded.is_none()) {
            cells.add_listed(tables, spec);
        }
        let bound = |(figure, place): (&Option<Figure>, &super::places::Place)| {
            possible(*figure, &manifest.protection, steps[place.unit as usize])
        };
        let mut bounds: Vec<(i64, i64)> = cells.figures.iter().zip(&cells.places).map(bound).collect();
        for (cell, (least, most)) in &cells.told {
            let bound = &mut bounds[*cell as usize];
            *bound = (bound.0.max(*least), bound.1.min(*most));
        }
        let voids = cells.places.iter().zip(&mut bounds).filter(|(place, _)| cells.is_void(place));
        voids.for_each(|(_, bound)| bound.1 = 0);
        let is_listed = |place| counts && spec.is_some_and(|spec| cells.is_listed(place, spec));
        let listed: Vec<bool> = cells.places.iter().map(is_listed).collect();
        let of_listed = bounds.iter_mut().zip(&listed).filter(|(_, listed)| **listed);
        of_listed.for_each(|(bound, _)| bound.0 = bound.0.max(1));
        let known: Vec<bool> = bounds.iter().map(|(lower, upper)| lower == upper).collect();
        let common = Common::new(&mut cells, tables, spec.filter(|_| counts), &known);
        let certified = certificate.map(|family| family.conditions.as_slice()).unwrap_or_default();
        let said = (conditions.as_slice(), certified);
        let Model { mut relations, whole, too_large, blocks, mut combination_blocks } =
            Model::new(&mut cells, &known, said, &common);
        if told.is_empty() && tables.iter().all(|of| of.table.condition.is_none()) {
            combination_blocks.clear();
        }
        if too_large && certificate.is_none_or(|family| family.partial.is_none()) {
            return Err(Stop::cannot_tell(TOO_MANY));
        }
        if let Some(spec) = spec {
            let every = certificate.map(|family| family.every.as_slice()).unwrap_or_default();
            add_links(&cells, spec, every, (&blocks, &common), &mut relations, &mut bounds);
        }
        relations.presolve(&bounds);
        bounds.resize(relations.cells as usize, (0, i64::MAX));
        let mut contributors = Contributors::new(certificate, &names)?;
        let by_name = tables.iter().zip(&cells.tables).map(|(of, cells)| (of.table.name.as_str(), cells.as_slice()));
        contributors.find_atoms((&relations.equations, bounds.len()), &by_name.collect(), counts);
        // What a figure shows is no reason not to doubt a total of it.
        let is_shown = |cell: usize| matches!(cells.figures[cell], Some(Figure::Shown(_)));
        let known_least =
            |(cell, listed): (usize, &bool)| if is_shown(cell) { i64::from(*listed) } else { bounds[cell].0 };
        let mut least: Vec<i64> = listed.iter().enumerate().map(known_least).collect();
        least.resize(bounds.len(), 0);
        let least = contributors.raise_totals(least);
        let (values, differences) = (Vec::new(), Vec::new());
        let earlier = told.keys().map(|name| (*name).to_owned()).collect();
        let mut attacked = Self {
            manifest,
            tables,
            certificate,
            cells,
            relations,
            bounds,
            least,
            whole,
            values,
            names,
            differences,
            combination_blocks,
            lines,
            contributors,
            earlier,
        };
        attacked.values = attacked.fit(&attacked.contributors.bounds(&attacked.bounds))?;
        if attacked.counts()
            && matches!(manifest.protection.method, ProtectionMethod::None | ProtectionMethod::Suppress)
        {
            let few = attacked.largest_unsafe(|category| category.cells);
            let implied = Implied::new(&mut attacked.cells, &conditions, certified);
            attacked.differences = differences_of(&mut attacked.cells, &attacked.values, few, &implied);
            // Beside a cell that is known to be empty there is the other cell itself (P1).
            let bounds = &attacked.bounds;
            attacked.differences.retain(|(_, inside)| bounds[*inside as usize] != (0, 0));
        }
        Ok(attacked)
    }

    /// How many unsafe cells hold.
    pub(super) fn count_protected(&self) -> std::result::Result<usize, Stop> {
        if self.certificate.is_some() {
            self.check_coverage()?;
        }
        let (hidden, mut sums) = (self.hidden(), self.sums()?);
        let mut choice = outward_audit::AuditOptions::default();
        if !self.counts() {
            // What few people add is kept from readers, and need not be kept from these people.
            choice.virtual_cells = std::mem::take(&mut sums);
            if !choice.virtual_cells.is_empty() {
                let found = outward_audit::audit(&self.system(&self.values, false)?, &hidden, &choice)?;
                kept_from_readers(&found.virtual_cells)?;
            }
            choice.virtual_cells = Vec::new();
            self.contributors.join(&mut choice, &self.values, &hidden);
        }
        let groups = sums.len();
        sums.extend(self.open_differences(&hidden));
        choice.virtual_cells = sums;
        let found = outward_audit::audit(&self.system(&self.values, true)?, &hidden, &choice)?;
        kept_from_readers(&found.virtual_cells[..groups])?;
        let by_cell: BTreeMap<u32, &Interval> = found.intervals.iter().map(|found| (found.cell, found)).collect();
        for (cell, line) in &self.lines {
            let Some(found) = by_cell.get(cell) else { return Err(Stop::fails("a certified cell is not hidden")) };
            self.compare(line, found)?;
        }
        let near = |alone: &outward_audit::ContributorFindings| alone.recoverable + alone.too_tight > 0;
        if found.alone.iter().any(near) {
            return Err(Stop::fails("a contributor to a hidden sum can come too near to what another has"));
        }
        if !found.alone.iter().all(outward_audit::ContributorFindings::learns_nothing) {
            return Err(undecided());
        }
        self.check_unsafe_counts(&by_cell)?;
        self.check_differences(&by_cell, &hidden)?;
        self.check_combinations()?;
        kept_from_readers(&found.virtual_cells[groups..])?;
        self.check_singletons(&hidden)?;
        self.check_counted(&hidden, &by_cell)?;
        Ok(self.lines.values().filter(|line| line.verdict != Verdict::NotAsked).count())
    }

    /// No hidden count of which nothing is asked is known to be unsafe. The policy says what is unsafe, not the certificate.
    fn check_unsafe_counts(&self, found: &BTreeMap<u32, &Interval>) -> std::result::Result<(), Stop> {
        for cell in self.cells.tables.iter().flatten() {
            let asked = self.lines.get(cell).is_none_or(|line| line.verdict != Verdict::NotAsked);
            let told = |found: &&&Interval| self.is_told(*cell, (found.lower, found.upper), (0, i64::MAX));
            if !asked && found.get(cell).filter(|found| found.exact).filter(told).is_some() {
                return Err(Stop::fails("a hidden count that the policy calls unsafe can be worked out"));
            }
        }
        Ok(())
    }

    /// Whether a count is known too closely (P1) to someone who can tell it as far as from `least` to `most`: whatever it can be, the policy calls
    /// unsafe, and asks that it could be more or less than it can. That it could be less than everyone knows, or they (`own`), is not asked, nor that it
    /// could be more.
    fn is_told(&self, cell: u32, (least, most): (i64, i64), own: (i64, i64)) -> bool {
        let Some(rules) = self.manifest.rules.tables.as_ref().filter(|_| self.counts()) else { return false };
        if most.saturating_sub(least) > LONGEST {
            return false;
        }
        let Some((least_known, (_, most_known))) = self.least.get(cell as usize).zip(self.bounds.get(cell as usize))
        else {
            return false;
        };
        let (margin, ends) = (self.margin(), (own.0.max(*least_known), own.1.min(*most_known)));
        let too_near = |value: i64| {
            value.saturating_sub(margin).max(ends.0) < least || value.saturating_add(margin).min(ends.1) > most
        };
        self.tables.iter().zip(&self.cells.tables).any(|(published, cells)| {
            let Some(position) = cells.iter().position(|own| *own == cell) else { return false };
            let Some(limits) = Limits::new(&published.table, rules) else { return false };
            (least..=most).all(|value| limits.forbids(&published.table, position, value) && too_near(value))
        })
    }

    /// What is not simply read off a figure.
    fn hidden(&self) -> Vec<bool> {
        let rounds = self.manifest.protection.method == ProtectionMethod::Round;
        let shown = |cell: usize| !rounds && matches!(self.cells.figures.get(cell), Some(Some(Figure::Shown(_))));
        (0..self.bounds.len()).map(|cell| !shown(cell)).collect()
    }

    /// The certificate has a line for every cell that is hidden or rounded and for no other, and asks for as many as are unsafe.
    fn check_coverage(&self) -> std::result::Result<(), Stop> {
        let rounds = self.manifest.protection.method == ProtectionMethod::Round;
        for (cell, figure) in self.cells.figures.iter().enumerate() {
            let certified = self.lines.contains_key(&(cell as u32));
            // What an earlier release shows rounded is hidden as far as it goes.
            if figure.is_none() && self.cells.told.contains_key(&(cell as u32)) {
                continue;
            }
            if certified != (rounds || *figure == Some(Figure::Hidden)) {
                return Err(Stop::fails(match certified {
                    true => "a cell of the certificate is not hidden in the published tables",
                    false => "a hidden cell is not in the certificate",
                }));
            }
        }
        let asked = |cell: &&u32| self.lines.get(cell).is_some_and(|line| line.verdict != Verdict::NotAsked);
        for (published, cells) in self.tables.iter().zip(&self.cells.tables) {
            if self.earlier.contains(&published.table.name) {
                continue;
            }
            let record = self.manifest.tables.iter().find(|record| record.name == published.table.name);
            let Some(record) = record else { return Err(Stop::fails("a table is not in the manifest")) };
            if cells.iter().filter(asked).count() < record.primary {
                return Err(Stop::fails("the certificate has fewer unsafe cells than the manifest counts"));
            }
            let hidden = published.figures.iter().filter(|figure| **figure == Figure::Hidden).count();
            if !rounds && hidden < record.primary.saturating_add(record.secondary) {
                return Err(Stop::fails("fewer cells are hidden than the manifest counts"));
            }
        }
        Ok(())
    }

    /// The cells and what holds between them. What is asked of an unsafe cell is that it can be all that is certified, or only
    /// that it is not told.
    fn system(&self, values: &[i64], as_certified: bool) -> Result<System> {
        let remainders: BTreeSet<u32> = self.relations.remainders.iter().copied().collect();
        let hidden = self.hidden();
        let cell = |number: usize| {
            let line = self.lines.get(&(number as u32)).filter(|line| line.verdict != Verdict::NotAsked);
            let status = match line {
                Some(_) => Status::Unsafe,
                None if !hidden[number] => Status::Frozen,
                None if number < self.cells.places.len() || remainders.contains(&(number as u32)) => Status::Hidden,
                None => Status::Unpublished,
            };
            let (lower, upper) = self.bounds[number];
            let mut cell = Cell { status, lower, upper, cost: 0, ..Cell::count(values[number]) };
            if let Some(line) = line.filter(|_| as_certified) {
                self.ask(&mut cell, line);
            }
            cell
        };
        let sums = |published: &&&Published| !published.table.magnitudes.as_ref().is_some_and(|of| of.mean);
        let scale = self.tables.iter().find(sums).map_or(1, |published| published.scale);
        let mut system = System::new((0..self.bounds.len()).map(cell).collect(), scale, self.counts());
        for terms in &self.relations.equations {
            system.add(0, terms.iter().copied())?;
        }
        Ok(system)
    }

    pub(super) fn counts(&self) -> bool {
        self.tables.iter().all(|of| of.table.magnitudes.is_none() && of.table.weighted.is_none())
    }

    fn margin(&self) -> i64 {
        i64::try_from(self.manifest.protection.margin).unwrap_or(i64::MAX)
    }

    /// The sums that are kept from the reader, where cells are hidden.
    fn sums(&self) -> std::result::Result<Vec<outward_audit::Sum>, Stop> {
        let Some(family) = self.certificate.filter(|_| self.manifest.protection.method != ProtectionMethod::Round)
        else {
            return Ok(Vec::new());
        };
        let mut sums = Vec::new();
        for sum in &family.sums {
            let mut terms: BTreeMap<u32, i32> = BTreeMap::new();
            for (name, by) in sum {
                let Some(cell) = self.names.get(name) else {
                    return Err(Stop::fails("the certificate names a cell that is not published"));
                };
                let term = terms.entry(*cell).or_default();
                *term = by
                    .checked_add(*term)
                    .filter(|by| by.unsigned_abs() <= LARGEST_TERM)
                    .ok_or_else(|| Stop::fails("the certificate has a sum with a coefficient that is too large"))?;
            }
            sums.push((terms.into_iter().collect(), 0, 0));
        }
        Ok(sums)
    }

    /// What hidden cells of counts have beside hidden cells inside them (P3), where it is the same few people in all tables that were found to fit.
    fn open_differences(&self, hidden: &[bool]) -> Vec<outward_audit::Sum> {
        let both = |(whole, inside): &(u32, u32)| hidden[*whole as usize] && hidden[*inside as usize];
        let mut open: Vec<(u32, u32)> = self.differences.iter().copied().filter(both).collect();
        let left = |values: &[i64], (whole, inside): (u32, u32)| values[whole as usize] - values[inside as usize];
        if !open.is_empty() {
            for other in self.other_tables(&self.values, OTHERS) {
                open.retain(|pair| left(&other, *pair) == left(&self.values, *pair));
            }
        }
        open.into_iter().map(|(whole, inside)| (vec![(whole, 1), (inside, -1)], 0, 0)).collect()
    }

    /// The largest count that the policy calls unsafe in one of the tables, by what it says of each category.
    fn largest_unsafe(&self, of: impl Fn(&RiskCategory) -> u64) -> i64 {
        let rules = self.manifest.rules.tables.as_ref();
        let limit = |published: &&Published| {
            let category = rules?.categories.iter().find(|category| category.name == published.category)?;
            i64::try_from(of(category)).ok()
        };
        self.tables.iter().filter_map(limit).max().filter(|_| self.counts()).unwrap_or_default()
    }

    /// Whether earlier releases show a cell.
    fn is_public(&self, cell: u32) -> bool {
        self.cells.told.get(&cell).is_some_and(|(least, most)| least == most)
    }

    /// The remainders that cells of earlier releases leave by themselves: what is public already is not asked of new tables.
    fn public_remainders(&self) -> BTreeSet<u32> {
        let all: BTreeSet<u32> = self.relations.remainders.iter().copied().collect();
        let only = |terms: &Vec<(u32, i32)>| {
            let (rests, others): (Vec<u32>, Vec<u32>) =
                terms.iter().map(|(cell, _)| *cell).partition(|cell| all.contains(cell));
            let [rest] = rests[..] else { return None };
            others.iter().all(|cell| self.is_public(*cell)).then_some(rest)
        };
        self.relations.equations.iter().filter_map(only).collect()
    }

    /// No unsafe count is left between tables that nobody publishes.
    fn check_differences(&self, found: &BTreeMap<u32, &Interval>, hidden: &[bool]) -> std::result::Result<(), Stop> {
        let limit = self.largest_unsafe(|category| category.cells);
        let known = |cell: &u32| match found.get(cell).filter(|_| hidden[*cell as usize]) {
            Some(found) => (found.exact && found.lower == found.upper).then_some(found.lower),
            None => (!hidden[*cell as usize]).then(|| self.values[*cell as usize]),
        };
        let few = |left: i64| (1..=limit).contains(&left);
        let public = self.public_remainders();
        let told = |rest: &&u32| known(rest).is_some_and(few) && !public.contains(rest);
        let differs = |(whole, inside): &&(u32, u32)| {
            let left = known(whole).zip(known(inside)).map(|(whole, inside)| whole.saturating_sub(inside));
            left.is_some_and(few) && !(self.is_public(*whole) && self.is_public(*inside))
        };
        let remainders = self.relations.remainders.iter().filter(told).count();
        match remainders + self.differences.iter().filter(differs).count() {
            0 => Ok(()),
            1 => Err(Stop::fails("1 unsafe count can be worked out from two tables")),
            count => Err(Stop::fails(&format!("{count} unsafe counts can be worked out from two tables"))),
        }
    }

    /// No combination of values and conditions that is few people follows from shown figures.
    fn check_combinations(&self) -> std::result::Result<(), Stop> {
        if !self.counts()
            || !matches!(self.manifest.protection.method, ProtectionMethod::None | ProtectionMethod::Suppress)
        {
            return Ok(());
        }
        let figure = |cell: u32| {
            let (least, most) = self.bounds[cell as usize];
            (least == most).then_some(least)
        };
        let is_secondary = |cell: u32| self.lines.get(&cell).is_some_and(|line| line.verdict == Verdict::NotAsked);
        let is_earlier = |table: usize| self.earlier.contains(&self.tables[table].table.name);
        let known = KnownCells { figure: &figure, is_secondary: &is_secondary, is_earlier: &is_earlier };
        let few = self.largest_unsafe(|category| category.cells);
        let of = |block: &CombinationBlock| combinations(block, &self.cells, &known, few);
        let found: Vec<BTreeSet<usize>> = self.combination_blocks.iter().flat_map(of).collect();
        let Some(tables) = found.first() else { return Ok(()) };
        let names: Vec<String> = tables.iter().map(|table| format!("`{}`", self.tables[*table].table.name)).collect();
        let counts = if found.len() == 1 { "count" } else { "counts" };
        Err(Stop::fails(&format!(
            "{} unsafe {counts} of combinations of values and conditions can be worked out from the tables {}",
            found.len(),
            names.join(", ")
        )))
    }
}

/// For each table whose condition keeps some values of a variable what these are read from and which they are: as its words say, or else as
/// the certificate does.
fn keeps(
    tables: &[&Published],
    conditions: &[Condition],
    certificate: Option<&FamilyCertificate>,
) -> std::result::Result<Vec<(String, ValueSource, Vec<u32>)>, Stop> {
    let (mut keeps, listed) = (Condition::keeps(conditions, tables), listed_values(tables));
    for certified in certificate.iter().flat_map(|family| &family.keeps) {
        // Of values that no record has nothing is kept.
        let unit = tables.iter().find(|of| of.table.name == certified.0).map(|of| of.table.unit.clone());
        let listed = unit.and_then(|unit| listed.get(&(unit, certified.1.clone())));
        let had = |values: &[u32]| -> BTreeSet<u32> {
            values.iter().copied().filter(|value| listed.is_none_or(|listed| listed.contains(value))).collect()
        };
        match keeps.iter().find(|(table, _, _)| *table == certified.0) {
            None => keeps.push(certified.clone()),
            Some((_, source, values)) if *source == certified.1 && had(values) != had(&certified.2) => {
                return Err(Stop::fails("the certificate says of a condition that it keeps other values than it does"));
            }
            Some(_) => {}
        }
    }
    Ok(keeps)
}

fn undecided() -> Stop {
    Stop::cannot_tell("whether an unsafe figure can be worked out was not settled")
}

/// That sums which are kept from the reader cannot be worked out.
fn kept_from_readers(sums: &[Interval]) -> std::result::Result<(), Stop> {
    for sum in sums {
        match sum.verdict {
            Verdict::Protected | Verdict::NotAsked => {}
            Verdict::Undecided => return Err(undecided()),
            Verdict::Recoverable | Verdict::TooTight => {
                return Err(Stop::fails("what is hidden of a group, or left between tables, can be worked out"));
            }
        }
    }
    Ok(())
}

fn names(cells: &Cells, tables: &[&Published]) -> BTreeMap<String, u32> {
    let of = |(published, cells): (&&Published, &Vec<u32>)| {
        let table = &published.table;
        cells.iter().enumerate().map(|(position, cell)| (name(table, position), *cell)).collect::<Vec<_>>()
    };
    tables.iter().zip(&cells.tables).flat_map(of).collect()
}
