//! Families: tables of the same records, or of linked records, become one system. A cell that two tables share is one
//! cell there.

mod answers;
mod axis;
mod blocks;
mod combinations;
mod cuts;
mod differences;
mod graph;
mod implied;
mod joint;
mod links;
mod margin;
mod parts;
mod people;
mod places;
mod row_space;
mod rules;
mod unit;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::{Error, HidingCost, Result};

use crate::make::{CountedTable, CountedTables, Measured};
use crate::source::ValueSource;
use crate::table::Table;
use differences::People;
pub(crate) use differences::{Combination, Difference};
pub use joint::MOST_ATOMS;
pub(crate) use links::Implied;
use links::{Links, Tie, linked_in};
use outward_audit::{Cell, Status, System};
pub(crate) use people::{Counted, InAtoms};
use places::Places;
use unit::Unit;

/// Tables of the same or of linked records, and the system of all their cells.
#[derive(Debug, Clone)]
pub struct Family {
    /// The tables, by position among the counted tables.
    pub tables: Vec<usize>,
    /// The cells of all tables.
    pub system: System,
    /// Differences between published cells of several tables (P3).
    pub(crate) differences: Vec<Difference>,
    /// For each table the cell of the system at each of its cells.
    pub cells: Vec<Vec<u32>>,
    /// For each cell of the system a table and a cell of it, where it is published.
    pub homes: Vec<Option<(usize, usize)>>,
    /// The linked files in which every record of `[data]` has at least one record, as far as these tables show.
    pub every: Vec<String>,
    /// Pairs of cells of linked tables: if the first is not empty, the second is not empty either.
    pub tells: Vec<(u32, u32)>,
    /// Pairs of cells: one with a single record of `[data]`, and one that counts only what is linked to that record.
    pub alone: Vec<(u32, u32)>,
    /// How the system compares with what follows from the tables.
    pub extent: Extent,
    /// Sets of tables that together have more combinations than can be checked, by position among the counted tables.
    pub too_large: Vec<Vec<usize>>,
    /// Sets of tables whose conditions, with the variables they read, have more combinations than can be searched for
    /// P3.
    pub(crate) not_searched: Vec<Vec<usize>>,
    /// Pairs of published cells, of `[data]` and of a linked file, that have the same position and are compared.
    tied: BTreeSet<(u32, u32)>,
    /// What records of one unit imply about another (M7).
    pub(crate) implied: Vec<Implied>,
    /// Sums over records to which no record adds less than 0 (M6).
    pub(crate) surpluses: Vec<Surplus>,
    /// Which records are in which atoms, for each unit for which this is known.
    pub(crate) people: Vec<InAtoms>,
    places: Places,
}

/// A sum of cells to which every record adds 0 or more. An example: the records in a node less those in a node inside
/// it.
#[derive(Debug, Clone)]
pub(crate) struct Surplus {
    /// The unpublished cell that represents it.
    pub(crate) cell: u32,
    pub(crate) terms: Vec<(u32, i32)>,
}

/// How a system compares with what follows from its tables. The variants are in order: the last is the least reliable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// The same.
    Whole,
    /// It says more. Something was taken from the records: which values a condition keeps, whether everyone has an
    /// answer, what pairs consist of, or what linked answers share.
    More,
    /// It says less. Some tables together have more combinations than can be checked.
    Less,
}

/// An inequality between answers that no table crosses is left out if its slack is larger than this.
const MAX_SLACK: i64 = 20;

/// Counts of linked files that differ by more than this are not compared (a limit of M7, listed on the page).
const FAR_FROM_LINKED: i64 = 100;

/// Tables grouped by unit and measure. Groups are in the order of their first tables.
pub fn families(tables: &[CountedTable]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let same = |one: &Table, other: &Table| {
        let of = |table: &Table| table.magnitudes.as_ref().map(|magnitudes| magnitudes.of.clone());
        let weighted = |table: &Table| table.magnitudes.is_some() && table.weighted.is_some();
        one.unit == other.unit
            && of(one) == of(other)
            && weighted(one) == weighted(other)
            && one.counts_records() == other.counts_records()
    };
    for at in 0..tables.len() {
        match groups.iter_mut().find(|group| same(&tables[group[0]].table, &tables[at].table)) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// The tables that are protected together: families of sums, and all tables of counts, whatever they count.
pub fn protected_together(tables: &[CountedTable]) -> Vec<Vec<usize>> {
    let counted = |tables_of: &[usize]| tables[tables_of[0]].table.counts_records();
    let (counts, mut groups): (Vec<_>, Vec<_>) = families(tables).into_iter().partition(|group| counted(group));
    let mut counts: Vec<usize> = counts.concat();
    counts.sort_unstable();
    if !counts.is_empty() {
        groups.insert(0, counts);
    }
    groups
}

/// The tables of a family. Values of variables with the same source have the same numbers, so that nodes can be
/// compared.
pub fn numbered_by_source(family: &[&CountedTable]) -> Vec<Table> {
    let names = |source: &ValueSource| {
        let same = family.iter().flat_map(|made| &made.inner.bases).filter(|base| base.source == *source);
        same.map(|base| &base.variable).collect::<BTreeSet<_>>().len()
    };
    let number = |made: &&CountedTable| {
        let mut table = made.table.clone();
        // Two variables of one table with the same source are distinguished by name.
        let once = |source: &ValueSource| made.inner.bases.iter().filter(|base| base.source == *source).count() == 1;
        let dimensions = table.dimensions.iter_mut().zip(&made.inner.bases);
        for (dimension, base) in dimensions.filter(|(_, base)| names(&base.source) > 1 && once(&base.source)) {
            dimension.source.clone_from(&base.source);
            dimension.nodes.iter_mut().for_each(|node| node.values = base.numbered(&node.values));
            dimension.size = base.numbered(&(1..=base.values.len() as u32).collect::<Vec<_>>()).len();
        }
        table
    };
    family.iter().map(number).collect()
}

impl Family {
    /// The system of some tables.
    ///
    /// # Errors
    /// Where cells do not add up, which would be a mistake of ours.
    pub fn new(counted: &CountedTables, tables: Vec<usize>, cost: HidingCost) -> Result<Self> {
        let CountedTables { tables: made, known } = counted;
        let mut places = Places::default();
        tables.iter().for_each(|at| places.list(&made[*at]));
        let place = |(place, at): (usize, &usize)| places.place(place, &made[*at], &known.of_tables[*at], cost);
        let cells: Vec<Vec<u32>> = tables.iter().enumerate().map(place).collect();
        places.leave_room();
        let first = &made[tables[0]].table;
        let counts = first.counts_records();
        let scale = match &first.magnitudes {
            Some(magnitudes) => magnitudes.scale,
            None => {
                if counts {
                    1
                } else {
                    1000
                }
            }
        };
        let mut published: Vec<Cell> = places.contents.iter().map(|content| open(*content)).collect();
        for (_, void) in places.cells.iter().filter(|(key, _)| places.is_void(key)) {
            published[*void as usize].upper = 0;
        }
        let mut family = Self {
            tables,
            differences: Vec::new(),
            system: System::new(published, scale, counts),
            cells,
            homes: places.homes.clone(),
            every: Vec::new(),
            tells: Vec::new(),
            alone: Vec::new(),
            extent: Extent::Whole,
            too_large: Vec::new(),
            not_searched: Vec::new(),
            tied: BTreeSet::new(),
            implied: Vec::new(),
            surpluses: Vec::new(),
            people: Vec::new(),
            places,
        };
        let nobody_sees = (0..family.homes.len()).filter(|cell| family.homes[*cell].is_none());
        for cell in nobody_sees.collect::<Vec<_>>() {
            family.system.cells[cell].status = Status::Unpublished;
        }
        let mut seen = BTreeSet::new();
        for (any, whole) in family.places.same.clone() {
            family.add_total(whole, &[any], &mut seen)?;
        }
        family.goes(Extent::More, !family.places.same.is_empty());
        for (place, at) in family.tables.clone().into_iter().enumerate() {
            family.add_sums(place, &made[at].table, &mut seen)?;
        }
        family.add_answers()?;
        family.add_units(counted)?;
        Ok(family)
    }

    /// The system of some tables, with the sums that must hold between tables that show a variable in different ways.
    ///
    /// # Errors
    /// Where cells do not add up, which would be a mistake of ours.
    pub(crate) fn for_rounding(counted: &CountedTables, tables: Vec<usize>, cost: HidingCost) -> Result<Self> {
        let mut family = Self::new(counted, tables, cost)?;
        let (places, mut seen) = (family.places.clone(), BTreeSet::new());
        for ((rest, variable), mut nodes) in places.lines().into_iter().filter(|((_, of), _)| places.adds_up(*of)) {
            // A table that does not show the variable counts all its values in one cell.
            nodes.extend(places.cells.get(&rest).map(|cell| (places.all(variable), *cell)));
            let tables: BTreeSet<usize> =
                nodes.iter().flat_map(|(_, cell)| places.tables[*cell as usize].clone()).collect();
            if tables.len() > 1 {
                family.add_cuts(&nodes, &mut seen)?;
            }
        }
        Ok(family)
    }

    /// Adds that every value which no list gives occurs in some record (K9).
    pub(crate) fn tell_listed(&mut self) {
        let units: BTreeSet<u32> = self.places.units().into_iter().map(|(unit, _)| unit).collect();
        for (key, cell) in self.places.cells.iter().filter(|_| self.system.counts) {
            let mut own = key.iter().filter(|(variable, _)| !units.contains(variable));
            let (Some((variable, set)), None) = (own.next(), own.next()) else { continue };
            let known = &self.places.known_variables[*variable as usize];
            let cell = &mut self.system.cells[*cell as usize];
            if known.shown && !known.listed && !self.places.sets[*set as usize].is_empty() && cell.value > 0 {
                cell.lower = cell.lower.max(1);
            }
        }
        self.raise_totals();
    }

    /// What these tables count or add up.
    pub(crate) fn measure(&self, made: &[CountedTable]) -> Measured {
        let first = &made[self.tables[0]].table;
        (
            first.magnitudes.as_ref().map(|magnitudes| magnitudes.of.clone()),
            !first.counts_records() && first.weighted.is_some(),
        )
    }

    /// Adds what an attacker knows beyond the sums of each table. A difference between cells of several tables is kept
    /// if it is at most `few` people.
    ///
    /// # Errors
    /// Where cells do not add up, which would be a mistake of ours.
    pub fn cross(&mut self, counted: &CountedTables, few: i64) -> Result<()> {
        let people = People::new(self, &counted.tables);
        let places = self.places.clone();
        let links = Links::new(&places);
        let (units, ties) = self.units(counted, &places, &links);
        let mut joints = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            joints.push(self.add_joint(unit, &linked_in(&ties, at, unit), few, &people)?);
        }
        ties.iter().try_for_each(|tie| self.add_tie(tie, &units, &joints))?;
        self.add_remainders(few, &people)?;
        let layered = units.iter().any(|unit| !unit.layered.is_empty());
        self.limit_answers(&places)?;
        if self.system.counts && layered {
            self.add_pairs()?;
            self.add_sure()?;
        }
        Ok(())
    }

    /// The tables by unit, and the ties between units. Variables with several answers are split into parts if these are
    /// not too many. A variable that units have in common is split in all of them or in none.
    fn units<'a>(&self, counted: &'a CountedTables, places: &'a Places, links: &'a Links) -> (Vec<Unit<'a>>, Vec<Tie>) {
        let mut node_by_node = BTreeSet::new();
        loop {
            let new = |of| Unit::new(self, counted, (places, links), of, &node_by_node);
            let units: Vec<Unit> = places.units().into_iter().map(new).collect();
            let mut layered: BTreeSet<u32> = units.iter().flat_map(|unit| unit.layered.clone()).collect();
            layered.extend(&node_by_node);
            let all = links.node_by_node(&layered);
            if all != layered {
                node_by_node = all;
                continue;
            }
            let ties = links.ties(self, &counted.tables, &units);
            for (at, unit) in units.iter().enumerate() {
                let apart: Vec<u32> = unit.answers_apart().collect();
                if !apart.is_empty() && !self.fits_in(unit, &linked_in(&ties, at, unit)) {
                    layered.extend(apart);
                }
            }
            if layered == all {
                return (units, ties);
            }
            node_by_node = links.node_by_node(&layered);
        }
    }

    /// Adds that no record has more answers than it can have at most (K5).
    fn limit_answers(&mut self, places: &Places) -> Result<()> {
        for ((rest, variable), nodes) in places.lines() {
            let most = places.known_variables[variable as usize].most;
            let limits = answers::at_most(&nodes, places.cells.get(&rest).copied(), most);
            limits.into_iter().try_for_each(|terms| self.add_at_least_nothing(terms))?;
        }
        Ok(())
    }

    /// Adds the totals of a table.
    fn add_sums(&mut self, place: usize, table: &Table, seen: &mut BTreeSet<Vec<(u32, i32)>>) -> Result<()> {
        for (d, dimension) in table.dimensions.iter().enumerate() {
            for (total, parts) in &dimension.sums {
                for cell in lines(table, d) {
                    let at = |node: usize| self.cells[place][with_node(table, cell, d, node)];
                    let parts: Vec<u32> = parts.iter().map(|part| at(*part)).collect();
                    let total = at(*total);
                    self.add_total(total, &parts, seen)?;
                }
            }
        }
        Ok(())
    }

    fn add_total(&mut self, total: u32, parts: &[u32], seen: &mut BTreeSet<Vec<(u32, i32)>>) -> Result<()> {
        if parts == [total] {
            return Ok(());
        }
        let mut terms: BTreeMap<u32, i32> = BTreeMap::new();
        for (cell, by) in parts.iter().map(|part| (*part, 1)).chain([(total, -1)]) {
            *terms.entry(cell).or_default() += by;
        }
        // Under a condition a total may equal one of its parts. All values that the condition excludes are one cell,
        // which is empty.
        let terms: Vec<(u32, i32)> = terms.into_iter().filter(|(_, by)| by.abs() == 1).collect();
        if terms.is_empty() {
            return Ok(());
        }
        match seen.insert(terms.clone()) {
            true => self.system.add(0, terms),
            false => Ok(()),
        }
    }

    /// Records that the system says more or less than the tables, if it does.
    fn goes(&mut self, extent: Extent, holds: bool) {
        if holds {
            self.extent = self.extent.max(extent);
        }
    }

    /// Adds a sum of cells that is not negative. The sum becomes an unpublished count.
    fn add_at_least_nothing(&mut self, terms: Vec<(u32, i32)>) -> Result<()> {
        let cell = self.system.cells.len() as u32;
        self.add_at_least(0, terms.clone())?;
        self.surpluses.push(Surplus { cell, terms });
        Ok(())
    }

    /// Adds a sum of cells that is not below a number. The sum becomes an unpublished count.
    fn add_at_least(&mut self, least: i64, terms: Vec<(u32, i32)>) -> Result<()> {
        // If a table shows a variable twice, two of its positions may be one cell.
        let mut by_cell: BTreeMap<u32, i32> = BTreeMap::new();
        terms.into_iter().for_each(|(cell, by)| *by_cell.entry(cell).or_default() += by);
        let mut terms: Vec<(u32, i32)> = by_cell.into_iter().filter(|(_, by)| *by != 0).collect();
        let over: i64 = terms.iter().map(|(cell, by)| self.value(*cell) * i64::from(*by)).sum();
        if over < least {
            return Err(Error::bug("a sum of counts is below the least it can be"));
        }
        let over = self.add_unpublished(over);
        self.system.cells[over as usize].lower = least;
        terms.push((over, -1));
        self.system.add(0, terms)
    }

    /// Whether a sum that is not negative is close to 0, so that it matters. For pairs and linked answers there are
    /// many that are not.
    fn is_near(&self, terms: &[(u32, i32)]) -> bool {
        let over: i64 = terms.iter().map(|(cell, by)| self.value(*cell) * i64::from(*by)).sum();
        let largest = terms.iter().map(|(_, by)| by.unsigned_abs()).max().unwrap_or_default();
        over <= MAX_SLACK * i64::from(largest)
    }

    fn value(&self, cell: u32) -> i64 {
        self.system.cells[cell as usize].value
    }

    fn add_unpublished(&mut self, value: i64) -> u32 {
        self.system.cells.push(Cell { status: Status::Unpublished, cost: 0, ..Cell::count(value) });
        self.homes.push(None);
        self.system.cells.len() as u32 - 1
    }

    /// Adds what holds between published nodes of variables with several answers.
    fn add_answers(&mut self) -> Result<()> {
        let places = self.places.clone();
        for ((rest, _), nodes) in places.lines().into_iter().filter(|((_, of), _)| !places.adds_up(*of)) {
            let found = answers::at_least_nothing(&nodes, places.cells.get(&rest).copied());
            found.into_iter().try_for_each(|terms| self.add_at_least_nothing(terms))?;
        }
        Ok(())
    }
}

fn open((value, cost): (i64, i64)) -> Cell {
    Cell { cost, ..Cell::count(value) }
}

/// One cell of each line of a table along a dimension.
fn lines(table: &Table, dimension: usize) -> impl Iterator<Item = usize> + use<> {
    let after: usize = table.dimensions[dimension + 1..].iter().map(|other| other.nodes.len()).product();
    let nodes = table.dimensions[dimension].nodes.len();
    let before: usize = table.dimensions[..dimension].iter().map(|other| other.nodes.len()).product();
    (0..before).flat_map(move |outer| (0..after).map(move |inner| outer * nodes * after + inner))
}

/// The cell of a line at another node.
fn with_node(table: &Table, line: usize, dimension: usize, node: usize) -> usize {
    let after: usize = table.dimensions[dimension + 1..].iter().map(|other| other.nodes.len()).product();
    line + node * after
}

/// The value of a cell, in units of one over the scale of its family.
pub(crate) fn value_of(table: &Table, cell: usize) -> i64 {
    if table.counts_records() { table.counts[cell] as i64 } else { figure_of(table, cell) }
}

/// The figure of a cell before protection, in units of one over the scale of the table.
pub(crate) fn figure_of(table: &Table, cell: usize) -> i64 {
    match (&table.magnitudes, &table.weighted) {
        (Some(magnitudes), _) => magnitudes.sums[cell],
        (None, Some(weighted)) => weighted[cell],
        (None, None) => table.counts[cell] as i64,
    }
}
