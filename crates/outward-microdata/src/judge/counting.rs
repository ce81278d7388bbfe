//! Classes and margins of a table of cells, counted from codes.
//!
//! The codes of a cell are packed into one integer, so that a margin is the integer with the other keys cleared. If a key
//! is wild, combinations are grouped by which keys they have. Two are compatible if they agree on the keys that both have
//! (METHODS I.1). `docs/methods/classes.md` says which of these support each other.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use outward_cells::{MISSING, has_most_keys};
use outward_spec::{Error, Result};

use super::CellTable;
use crate::models::{Class, Margin, Model, PopulationUniqueness};

/// The keys of all cells, packed.
#[derive(Debug)]
pub(crate) struct PackedKeys {
    packed: Vec<u128>,
    /// The bits of each key.
    fields: Vec<u128>,
    wild: Vec<bool>,
}

impl PackedKeys {
    pub(crate) fn pack(columns: &[Vec<u32>], cells: usize, wild: &[bool]) -> Result<Self> {
        let width = |codes: &Vec<u32>| codes.iter().max().map_or(0, |largest| u32::BITS - largest.leading_zeros());
        let widths: Vec<u32> = columns.iter().map(width).collect();
        let bits: u32 = widths.iter().sum();
        if bits > u128::BITS {
            return Err(Error::input(format!("{} keys need {bits} bits, and 128 is the most", columns.len()))
                .help("use fewer keys, or leave out those that are nearly different for every record")
                .into());
        }
        let mut packed = vec![0u128; cells];
        let mut fields = Vec::with_capacity(columns.len());
        let mut shift = 0;
        for (codes, width) in columns.iter().zip(widths) {
            if width == 0 {
                fields.push(0);
                continue;
            }
            fields.push(((1u128 << width) - 1) << shift);
            packed.iter_mut().zip(codes).for_each(|(packed, code)| *packed |= u128::from(*code) << shift);
            shift += width;
        }
        Ok(Self { packed, fields, wild: wild.to_vec() })
    }

    /// The cells by their codes of some keys.
    pub(crate) fn group(&self, keys: &[usize]) -> Result<CellGroups> {
        let fields: Option<Vec<(u128, bool)>> =
            keys.iter().map(|key| Some((*self.fields.get(*key)?, self.wild[*key]))).collect();
        let fields = fields.ok_or_else(|| Error::bug("a model names a key that is not there"))?;
        let mask = fields.iter().fold(0, |mask, (field, _)| mask | field);
        let mut numbers: HashMap<u128, u32> = HashMap::new();
        let mut distinct = Vec::new();
        let mut of = Vec::with_capacity(self.packed.len());
        for packed in &self.packed {
            let next = distinct.len() as u32;
            let group = *numbers.entry(packed & mask).or_insert(next);
            if group == next {
                distinct.push(packed & mask);
            }
            of.push(group);
        }
        Ok(CellGroups { patterns: patterns(&distinct, mask, &fields), of, keys: distinct })
    }
}

/// Groups that have the same keys: all but the wild ones that are missing.
#[derive(Debug)]
struct MissingPattern {
    /// The bits of the keys that are there.
    known: u128,
    /// Whether these are more than half of the keys.
    has_most: bool,
    groups: Vec<u32>,
}

impl MissingPattern {
    /// Whether records of this pattern support those of another that they are compatible with.
    fn supports(&self, other: &Self) -> bool {
        self.has_most && other.has_most || self.known & other.known == other.known
    }
}

fn patterns(keys: &[u128], mask: u128, fields: &[(u128, bool)]) -> Vec<MissingPattern> {
    let wild: Vec<u128> = fields.iter().filter(|(_, wild)| *wild).map(|(field, _)| *field).collect();
    let mut patterns: BTreeMap<u128, MissingPattern> = BTreeMap::new();
    for (group, key) in keys.iter().enumerate() {
        let missing = wild.iter().filter(|field| key & **field == u128::from(MISSING));
        let (bits, lacking) = missing.fold((0, 0), |(bits, lacking), field| (bits | field, lacking + 1));
        let known = mask & !bits;
        let has_most = has_most_keys(fields.len(), lacking);
        let pattern = patterns.entry(known).or_insert_with(|| MissingPattern { known, has_most, groups: Vec::new() });
        pattern.groups.push(group as u32);
    }
    patterns.into_values().collect()
}

/// Cells with the same codes of some keys.
#[derive(Debug)]
pub(crate) struct CellGroups {
    /// The group of each cell; groups are numbered in the order in which they first occur.
    pub(crate) of: Vec<u32>,
    keys: Vec<u128>,
    patterns: Vec<MissingPattern>,
}

impl CellGroups {
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether records of one group may support those of another.
    pub(crate) fn overlap(&self) -> bool {
        self.patterns.len() > 1
    }

    /// The number of records in each group, given those in each cell.
    pub(crate) fn sums(&self, amounts: &[u64]) -> Vec<u64> {
        let mut sums = vec![0; self.len()];
        self.of.iter().zip(amounts).for_each(|(group, amount)| sums[*group as usize] += amount);
        sums
    }

    /// The number of records that support each group, given those in each.
    pub(crate) fn sizes(&self, own: &[u64]) -> Vec<u64> {
        if !self.overlap() {
            return own.to_vec();
        }
        let mut sizes = vec![0; self.len()];
        for pattern in &self.patterns {
            let groups = &pattern.groups;
            for (shared, others) in self.meetings(pattern) {
                let theirs = || others.iter().flat_map(|other| other.iter().copied());
                let key = |group: u32| self.keys[group as usize] & shared;
                let mut sums: HashMap<u128, u64> = HashMap::new();
                // The table is made of the side with fewer groups.
                if groups.len() <= theirs().count() {
                    sums.extend(groups.iter().map(|group| (key(*group), 0)));
                    theirs().for_each(|other| {
                        sums.entry(key(other)).and_modify(|sum| *sum += own[other as usize]);
                    });
                } else {
                    theirs().for_each(|other| *sums.entry(key(other)).or_default() += own[other as usize]);
                }
                groups.iter().for_each(|group| sizes[*group as usize] += sums.get(&key(*group)).copied().unwrap_or(0));
            }
        }
        sizes
    }

    /// All groups that may support those of a pattern, by the keys that they share with it.
    fn meetings(&self, pattern: &MissingPattern) -> BTreeMap<u128, Vec<&[u32]>> {
        let mut meetings: BTreeMap<u128, Vec<&[u32]>> = BTreeMap::new();
        for other in self.patterns.iter().filter(|other| other.supports(pattern)) {
            meetings.entry(pattern.known & other.known).or_default().push(&other.groups);
        }
        meetings
    }

    /// Calls `visit` with each group and all groups that support it.
    fn visit_supported(&self, mut visit: impl FnMut(u32, &[u32])) {
        let mut supporting: Vec<u32> = Vec::new();
        for pattern in &self.patterns {
            let groups = &pattern.groups;
            let mut tables: Vec<(u128, HashMap<u128, Vec<u32>>)> = Vec::new();
            for (shared, others) in self.meetings(pattern) {
                let key = |group: u32| self.keys[group as usize] & shared;
                let mut table: HashMap<u128, Vec<u32>> = groups.iter().map(|group| (key(*group), Vec::new())).collect();
                for other in others.into_iter().flatten() {
                    table.entry(key(*other)).and_modify(|found| found.push(*other));
                }
                tables.push((shared, table));
            }
            for group in groups {
                supporting.clear();
                for (shared, table) in &tables {
                    supporting.extend(table.get(&(self.keys[*group as usize] & shared)).into_iter().flatten());
                }
                visit(*group, &supporting);
            }
        }
    }
}

/// A table with its classes.
#[derive(Debug)]
pub(crate) struct CountedTable<'a> {
    pub(crate) table: &'a CellTable,
    pub(crate) keys: PackedKeys,
    pub(crate) classes: CellGroups,
    /// The cells of each class, one class after the other, and where each begins.
    cells: Vec<u32>,
    starts: Vec<usize>,
}

impl<'a> CountedTable<'a> {
    pub(crate) fn from_table(table: &'a CellTable) -> Result<Self> {
        let keys = PackedKeys::pack(table.keys(), table.len(), table.wild())?;
        let classes = keys.group(&(0..table.keys().len()).collect::<Vec<_>>())?;
        let mut starts = vec![0; classes.len() + 1];
        classes.of.iter().for_each(|class| starts[*class as usize + 1] += 1);
        for class in 0..classes.len() {
            starts[class + 1] += starts[class];
        }
        let mut cells: Vec<u32> = (0..table.len() as u32).collect();
        cells.sort_by_key(|cell| classes.of[*cell as usize]);
        Ok(Self { table, keys, classes, cells, starts })
    }

    /// The margins of a model that must be counted.
    pub(crate) fn margins(&self, model: &dyn Model) -> Vec<Margin> {
        let keys = self.table.keys().len();
        let mut margins = model.margins(keys);
        if self.table.wild().contains(&true) {
            margins.extend(model.smaller_margins(keys));
        }
        margins
    }

    pub(crate) fn cells_of(&self, class: u32) -> &[u32] {
        &self.cells[self.starts[class as usize]..self.starts[class as usize + 1]]
    }

    /// Calls `visit` for each class with its number, how many records have its keys, and the class itself. `left` are
    /// the records left of each cell; `sizes` is how many support each class. A class that never had records is visited
    /// where no record supports it: its people are not in the file.
    pub(crate) fn visit_classes(
        &self,
        left: &[u64],
        sizes: &[u64],
        reads_sensitive: bool,
        mut visit: impl FnMut(u32, u64, &Class<'_>),
    ) {
        let variables = if reads_sensitive { self.table.sensitive_variables() } else { 0 };
        let mut sensitive: Vec<Vec<(u32, u64)>> = vec![Vec::new(); variables];
        let people = self.people();
        let mut visit_one = |class: u32, supporting: &[u32]| {
            let cells = self.cells_of(class);
            let own = cells.iter().map(|cell| left[*cell as usize]).sum();
            let had_records = || cells.iter().any(|cell| self.table.counts()[*cell as usize] > 0);
            if own == 0 && (sizes[class as usize] > 0 || had_records()) {
                return;
            }
            for (variable, values) in sensitive.iter_mut().enumerate() {
                self.gather(variable, supporting, left, values);
            }
            let population = people.as_ref().map(|people| people[class as usize]);
            visit(class, own, &Class { records: sizes[class as usize], population, sensitive: &sensitive });
        };
        if self.classes.overlap() && reads_sensitive {
            self.classes.visit_supported(visit_one);
        } else {
            (0..self.classes.len() as u32).for_each(|class| visit_one(class, &[class]));
        }
    }

    /// For each class the people of the population compatible with it, where there is a population.
    fn people(&self) -> Option<Vec<u64>> {
        Some(self.classes.sizes(&self.own_people()?))
    }

    /// For each class the people of the population that have its keys, where there is a population. A combination that is
    /// several cells has all its people in each of them.
    fn own_people(&self) -> Option<Vec<u64>> {
        self.table.population(0)?;
        let of_class =
            |class: u32| self.cells_of(class).iter().filter_map(|cell| self.table.population(*cell as usize)).max();
        Some((0..self.classes.len() as u32).map(|class| of_class(class).unwrap_or(0)).collect())
    }

    /// How many people of the population are alone on the keys, where there is a population.
    pub(crate) fn population_uniqueness(&self) -> Option<PopulationUniqueness> {
        self.own_people().map(PopulationUniqueness::of_counts)
    }

    /// The values of a sensitive variable among the records left of some classes.
    fn gather(&self, variable: usize, classes: &[u32], left: &[u64], values: &mut Vec<(u32, u64)>) {
        values.clear();
        for cell in classes.iter().flat_map(|class| self.cells_of(*class)).map(|cell| *cell as usize) {
            if left[cell] > 0 {
                values.extend(self.table.histogram(variable, cell));
            }
        }
        values.sort_unstable();
        values.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
    }
}
