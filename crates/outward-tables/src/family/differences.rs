//! Differences between tables: the records that are counted in one cell and not in another.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use outward_spec::Result;

use super::Family;
use super::implied::{Implied, PossibleParts};
use super::unit::Unit;
use crate::inner::Tally;
use crate::make::CountedTable;

/// A figure that is not published but follows from cells of several tables.
#[derive(Debug, Clone)]
pub(crate) struct Difference {
    /// The unpublished cell that represents it.
    pub(crate) cell: u32,
    /// How many records are in it, or contributors to it.
    pub(crate) people: i64,
    /// The published cells whose difference it is, the larger first, if there are two.
    pub(crate) between: Option<[u32; 2]>,
    /// Other pairs of cells with the same difference.
    pub(crate) also: Vec<[u32; 2]>,
    /// All known sets of published cells from which it follows.
    pub(crate) left_by: Vec<Vec<u32>>,
    /// The record, if it is only one: its unit, and its position among the records of the unit.
    pub(crate) record: Option<(String, u64)>,
    /// For sums: its contributors, and what each adds.
    pub(crate) contributors: Vec<(u64, i64)>,
    /// How it follows from three cells or more. Counts that follow by subtraction along one variable have none.
    pub(crate) combination: Option<Combination>,
}

impl Difference {
    /// The published cells that it is the sum of, each with its multiplicity; some multiple of it, if it has a divisor.
    pub(crate) fn terms(&self) -> Option<Vec<(u32, i64)>> {
        let combined = || self.combination.as_ref().map(|combination| combination.cells.clone());
        self.between.map(|[whole, inside]| vec![(whole, 1), (inside, -1)]).or_else(combined)
    }
}

/// Published cells, each with its multiplicity, and the divisor of their sum.
#[derive(Debug, Clone)]
pub(crate) struct Combination {
    pub(crate) cells: Vec<(u32, i64)>,
    pub(crate) divisor: i64,
}

/// Which records are in published cells, as far as differences need it.
pub(super) struct People<'a> {
    made: &'a [CountedTable],
    tables: Vec<usize>,
    homes: Vec<Option<(usize, usize)>>,
    sums: OnceCell<Vec<Option<Vec<i64>>>>,
    amounts: OnceCell<Vec<Vec<BTreeMap<u64, i64>>>>,
}

impl<'a> People<'a> {
    pub(super) fn new(family: &Family, made: &'a [CountedTable]) -> Self {
        Self {
            made,
            tables: family.tables.clone(),
            homes: family.homes.clone(),
            sums: OnceCell::new(),
            amounts: OnceCell::new(),
        }
    }

    /// Whether some of the tables are of earlier releases.
    pub(super) fn have_earlier(&self) -> bool {
        self.tables.iter().any(|table| self.made[*table].earlier.is_some())
    }

    /// The sum of the positions of the records in a cell; `None` if it is not published, or is no count of single
    /// records.
    pub(super) fn sum(&self, cell: u32) -> Option<i64> {
        let (place, at) = self.homes[cell as usize]?;
        let of = |table: &usize| {
            let CountedTable { table, inner, .. } = &self.made[*table];
            let matrix = inner.matrix(&table.dimensions);
            let several = |tally: &Tally| tally.count > 0 && tally.one == 0;
            if table.magnitudes.is_some() || inner.tallies.iter().any(several) {
                return None;
            }
            let mut sums = vec![0; table.len()];
            for (inner, tally) in inner.tallies.iter().enumerate() {
                matrix.row(inner).iter().for_each(|cell| sums[*cell as usize] += tally.one as i64);
            }
            Some(sums)
        };
        let sums = self.sums.get_or_init(|| self.tables.iter().map(of).collect());
        Some(sums[place].as_ref()?[at])
    }

    /// The amounts of contributors to a published cell.
    fn amounts_of(&self, cell: u32) -> Option<&BTreeMap<u64, i64>> {
        let of = |table: &usize| {
            let CountedTable { table, inner, .. } = &self.made[*table];
            let matrix = inner.matrix(&table.dimensions);
            let mut amounts = vec![BTreeMap::new(); table.len()];
            for given in &inner.contributions {
                for cell in matrix.row(given.cell as usize) {
                    *amounts[*cell as usize].entry(given.contributor).or_default() += given.amount;
                }
            }
            amounts
        };
        let amounts = self.amounts.get_or_init(|| self.tables.iter().map(of).collect());
        self.homes[cell as usize].map(|(place, at)| &amounts[place][at])
    }

    /// Whether the tables add up amounts. The people of such a cell are its contributors, who may be in several cells
    /// that add up. Of counts and estimates they are the records.
    pub(super) fn are_contributors(&self) -> bool {
        self.tables.first().is_some_and(|table| self.made[*table].table.magnitudes.is_some())
    }

    /// How many contributors there are to the difference of a sum and another inside it, up to one more than `most`.
    pub(super) fn contributors(&self, [whole, inside]: [u32; 2], most: i64) -> Option<i64> {
        let (whole, inside) = (self.amounts_of(whole)?, self.amounts_of(inside)?);
        let more = whole.iter().filter(|(who, amount)| inside.get(who).copied().unwrap_or_default() < **amount);
        Some(more.take(most as usize + 1).count() as i64)
    }

    /// The contributors to a sum of cells, each taken so many times, with what each adds to one `divisor`th of it; `None`
    /// if there are more than `most`.
    pub(super) fn contributors_to(&self, terms: &[(u32, i64)], divisor: i64, most: i64) -> Option<Vec<(u64, i64)>> {
        let mut amounts: BTreeMap<u64, i128> = BTreeMap::new();
        for (cell, times) in terms {
            for (contributor, amount) in self.amounts_of(*cell)? {
                *amounts.entry(*contributor).or_default() += i128::from(*amount) * i128::from(*times);
            }
        }
        let amounts = amounts.into_iter().filter(|(_, amount)| *amount != 0);
        let few: Vec<(u64, i128)> = amounts.take(usize::try_from(most).unwrap_or_default() + 1).collect();
        let amount = |(who, amount): &(u64, i128)| Some((*who, i64::try_from(amount / i128::from(divisor)).ok()?));
        if few.len() as i64 > most { None } else { few.iter().map(amount).collect() }
    }

    /// The record at a position, of the unit of a cell.
    pub(super) fn record(&self, cell: u32, sum: Option<i64>) -> Option<(String, u64)> {
        let (place, _) = self.homes[cell as usize]?;
        Some((self.made[self.tables[place]].table.unit.clone(), u64::try_from(sum?).ok()?))
    }
}

impl Family {
    /// Adds the difference of a published cell and another inside it, if it is few people and not a cell itself. Each
    /// cell is given with the atoms it consists of.
    pub(super) fn add_differences(&mut self, cells: &[(u32, Vec<u32>)], few: i64, people: &People) -> Result<()> {
        let published: BTreeSet<&[u32]> = cells.iter().map(|(_, parts)| parts.as_slice()).collect();
        let mut by_people: Vec<(i64, &(u32, Vec<u32>))> =
            cells.iter().map(|cell| (self.places.people[cell.0 as usize], cell)).collect();
        by_people.sort_unstable();
        // One contributor to a sum may have many records.
        let most = if people.are_contributors() { i64::MAX } else { few };
        // The difference, and its position among the differences if it is few people.
        let mut seen: BTreeMap<Vec<u32>, Option<usize>> = BTreeMap::new();
        for (at, (more, (whole, parts))) in by_people.iter().enumerate() {
            let fewer = by_people[..at].iter().rev().take_while(|(fewer, _)| more - fewer <= most);
            for (fewer, (inside, own)) in fewer.filter(|(fewer, _)| fewer < more) {
                let tables = |cell: u32| &self.places.tables[cell as usize];
                // A difference of cells of one table is a sum of its other cells.
                if tables(*whole).iter().any(|table| tables(*inside).contains(table))
                    || own.iter().any(|part| parts.binary_search(part).is_err())
                {
                    continue;
                }
                let left: Vec<u32> = parts.iter().copied().filter(|part| own.binary_search(part).is_err()).collect();
                if published.contains(left.as_slice()) {
                    continue;
                }
                let between = [*whole, *inside];
                if let Some(known) = seen.get(&left) {
                    if let Some(known) = known {
                        self.differences[*known].also.push(between);
                        self.differences[*known].left_by.push(between.to_vec());
                    }
                    continue;
                }
                let count =
                    if people.are_contributors() { people.contributors(between, few) } else { Some(more - fewer) };
                let count = count.filter(|count| *count <= few);
                seen.insert(left, count.map(|_| self.differences.len()));
                if let Some(count) = count {
                    self.add_rest(between, count, people)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the difference of a cell and another inside it.
    fn add_rest(&mut self, between: [u32; 2], count: i64, people: &People) -> Result<()> {
        let [whole, inside] = between;
        let cell = self.add_unpublished(self.value(whole) - self.value(inside));
        self.system.add(0, vec![(inside, 1), (cell, 1), (whole, -1)])?;
        let one = || Some(people.sum(whole)? - people.sum(inside)?);
        let record = (count == 1).then(|| people.record(whole, one())).flatten();
        let left_by = vec![between.to_vec()];
        let contributors = || people.contributors_to(&[(whole, 1), (inside, -1)], 1, count);
        let contributors = people.are_contributors().then(contributors).flatten().unwrap_or_default();
        let (between, also, combination) = (Some(between), Vec::new(), None);
        let people = count;
        self.differences.push(Difference { cell, people, between, also, left_by, record, contributors, combination });
        Ok(())
    }

    /// Adds the difference of a published cell and another inside it if no block contains both (P3), for tables that
    /// split several variables in different ways. By the theorem of the page, whatever blocks allow comes from one
    /// table of all variables. So the difference needs no atoms. `told` has the published cells of each block.
    pub(super) fn add_differences_between_blocks(
        &mut self,
        unit: &Unit,
        told: &[BTreeSet<u32>],
        few: i64,
        people: &People,
    ) -> Result<()> {
        let mut cells: Vec<StandingCell> = Vec::new();
        let mut known: BTreeSet<u32> = BTreeSet::new();
        let mut implied = Implied::new(unit.rules(), &unit.parts);
        for shape in &unit.shapes {
            for (at, cell) in self.cells[shape.place].iter().enumerate() {
                if known.insert(*cell) {
                    let nodes = shape.nodes(at);
                    let people = self.places.people[*cell as usize];
                    let entries: Vec<(u32, u32)> = shape.entries(&nodes).collect();
                    let possible = implied.possible_parts(&entries);
                    cells.push(StandingCell { people, cell: *cell, entries, possible });
                }
            }
        }
        cells.sort_unstable_by_key(|of| (of.people, of.cell));
        // A cell inside another restricts all variables that the larger one shows.
        let mut showing: BTreeMap<BTreeSet<u32>, Vec<&StandingCell>> = BTreeMap::new();
        let mut telling: BTreeMap<BTreeSet<u32>, Vec<&StandingCell>> = BTreeMap::new();
        for cell in &cells {
            showing.entry(cell.shown()).or_default().push(cell);
            telling.entry(cell.restricted()).or_default().push(cell);
        }
        // One contributor to a sum may have many records.
        let most = if people.are_contributors() { i64::MAX } else { few };
        let in_one_block = |one: u32, other: u32| told.iter().any(|own| own.contains(&one) && own.contains(&other));
        let mut found = Vec::new();
        for (variables, larger) in &showing {
            for (_, smaller) in telling.iter().filter(|(own, _)| variables.is_subset(own)) {
                for whole in larger {
                    let tables = &self.places.tables[whole.cell as usize];
                    let end = smaller.partition_point(|inside| inside.people < whole.people);
                    let fewer = smaller[..end].iter().rev().take_while(|inside| whole.people - inside.people <= most);
                    for inside in fewer.filter(|inside| inside.is_inside(whole, unit)) {
                        let is_of_one_table =
                            self.places.tables[inside.cell as usize].iter().any(|table| tables.contains(table));
                        if !is_of_one_table && !in_one_block(whole.cell, inside.cell) {
                            found.push(([whole.cell, inside.cell], whole.people - inside.people));
                        }
                    }
                }
            }
        }
        for (between, more) in found {
            let count = if people.are_contributors() { people.contributors(between, few) } else { Some(more) };
            if let Some(count) = count.filter(|count| *count <= few) {
                self.add_rest(between, count, people)?;
            }
        }
        Ok(())
    }
}

/// A published cell and what it shows: variables and nodes, by number.
struct StandingCell {
    people: i64,
    cell: u32,
    entries: Vec<(u32, u32)>,
    /// The parts that its records can have, for each variable for which these are not all.
    possible: Rc<PossibleParts>,
}

impl StandingCell {
    /// The variables it shows.
    fn shown(&self) -> BTreeSet<u32> {
        self.entries.iter().map(|(variable, _)| *variable).collect()
    }

    /// The variables that it restricts.
    fn restricted(&self) -> BTreeSet<u32> {
        self.shown().into_iter().chain(self.possible.keys().copied()).collect()
    }

    /// Whether every record counted here is counted there too, whatever the figures are. For each variable of the
    /// larger cell, the node here must be inside the node there, or the parts that the rules (conditions, columns)
    /// leave must be.
    fn is_inside(&self, whole: &Self, unit: &Unit) -> bool {
        let has = |(variable, node): &(u32, u32)| {
            let is_within = |own: &[u32]| {
                let Some(parts) = unit.parts.get(variable) else { return false };
                let whole = parts.node(*node);
                !own.is_empty() && own.iter().all(|part| whole.binary_search(part).is_ok())
            };
            let is_part = |own: u32| unit.parts.get(variable).is_some_and(|parts| is_within(parts.node(own)));
            let own = self.entries.iter().filter(|(own, _)| own == variable);
            { own }.any(|(_, own)| own == node || is_part(*own))
                || self.possible.get(variable).is_some_and(|possible| is_within(possible))
        };
        whole.entries.iter().all(has)
    }
}
