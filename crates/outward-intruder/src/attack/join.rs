//! Which people fit which records: both sides are put into cells of equal codes, and cells are joined by hash.
//!
//! If every variable agrees by classes and nothing is missing, the classes of all variables are one key. People are
//! then indexed, and each record is looked up once. Otherwise records are put into cells, and cells are joined for each
//! pattern of values that agree with everything. Variables whose classes are not complete are compared pair by pair.

use hashbrown::HashMap;

use super::relation::{ANY, Relation, is_missing};

/// Stands for no cell.
pub(super) const NONE: u32 = u32::MAX;

/// Some columns of codes, with the number of different codes of each.
#[derive(Debug, Clone)]
pub(super) struct Keys<'a> {
    pub(super) columns: Vec<&'a [u32]>,
    pub(super) rows: usize,
}

impl Keys<'_> {
    fn largest(&self) -> Vec<u32> {
        self.columns.iter().map(|column| column.iter().copied().max().unwrap_or(0)).collect()
    }
}

/// An index of combinations of codes. Combinations of more than 64 bits are packed in stages: the number of the
/// combination so far, and the next codes.
#[derive(Debug, Clone)]
struct Index {
    stages: Vec<Stage>,
    cells: u32,
}

#[derive(Debug, Clone)]
struct Stage {
    /// Which columns, and how far each is shifted. The number of the stage before is in the lowest bits.
    columns: Vec<(usize, u32)>,
    numbers: HashMap<u64, u32>,
}

/// Bits of a number of a stage before.
const NUMBER_BITS: u32 = 32;

impl Index {
    /// An empty index for columns whose largest codes are these.
    fn new(largest: &[u32]) -> Self {
        let mut stages: Vec<Stage> = Vec::new();
        let mut next = u64::BITS;
        for (column, largest) in largest.iter().enumerate() {
            let bits = (u32::BITS - largest.leading_zeros()).max(1);
            if stages.is_empty() || next + bits > u64::BITS {
                next = if stages.is_empty() { 0 } else { NUMBER_BITS };
                stages.push(Stage { columns: Vec::new(), numbers: HashMap::new() });
            }
            if let Some(stage) = stages.last_mut() {
                stage.columns.push((column, next));
            }
            next += bits;
        }
        Self { stages, cells: 0 }
    }

    /// The number of a combination; a new one if it was not there. `code` gives the code of a column.
    fn insert(&mut self, code: impl Fn(usize) -> u32) -> u32 {
        let mut number = 0;
        for stage in &mut self.stages {
            let with = |key: u64, (column, shift): &(usize, u32)| key | u64::from(code(*column)) << shift;
            let next = stage.numbers.len() as u32;
            number = *stage.numbers.entry(stage.columns.iter().fold(u64::from(number), with)).or_insert(next);
        }
        self.cells = self.cells.max(number + 1);
        number
    }
}

/// A filter that rejects most keys which are not in a stage. Most records fit nobody, and the bits of the filter stay
/// in the processor's cache, while the numbers do not.
struct Sieve {
    bits: Vec<u64>,
    shift: u32,
}

impl Sieve {
    /// A filter with at least eight bits for each key, one of which is set.
    fn new(stage: &Stage) -> Self {
        let log = (stage.numbers.len().max(8) * 8).next_power_of_two().ilog2();
        let mut sieve = Self { bits: vec![0; 1 << (log - 6)], shift: u64::BITS - log };
        for key in stage.numbers.keys() {
            let bit = sieve.bit(*key);
            sieve.bits[bit / 64] |= 1 << (bit % 64);
        }
        sieve
    }

    fn bit(&self, key: u64) -> usize {
        // Fibonacci hashing (Knuth, TAOCP 6.4); the high half is folded in, as it holds the last columns.
        ((key ^ (key >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    fn may_hold(&self, key: u64) -> bool {
        let bit = self.bit(key);
        self.bits[bit / 64] & (1 << (bit % 64)) != 0
    }
}

/// Cells of rows with the same codes.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    /// The cell of each row; [`NONE`] for rows that are left out.
    pub(super) of_row: Vec<u32>,
    /// The first row of each cell.
    pub(super) first: Vec<u32>,
    /// How many rows each has.
    pub(super) counts: Vec<u64>,
}

impl Cells {
    /// The cells of the rows that are kept, numbered in order of first occurrence.
    pub(super) fn new(keys: &Keys<'_>, keep: impl Fn(usize) -> bool) -> Self {
        let mut index = Index::new(&keys.largest());
        let mut cells = Self { of_row: vec![NONE; keys.rows], first: Vec::new(), counts: Vec::new() };
        for row in (0..keys.rows).filter(|row| keep(*row)) {
            let cell = index.insert(|column| keys.columns[column][row]);
            if cell as usize == cells.first.len() {
                cells.first.push(row as u32);
                cells.counts.push(0);
            }
            cells.counts[cell as usize] += 1;
            cells.of_row[row] = cell;
        }
        cells
    }

    /// The rows of each cell, in their order.
    pub(super) fn rows(&self) -> Lists {
        let mut starts = vec![0usize; self.counts.len() + 1];
        for (cell, count) in self.counts.iter().enumerate() {
            starts[cell + 1] = starts[cell] + *count as usize;
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts.last().copied().unwrap_or(0)];
        for (row, cell) in self.of_row.iter().enumerate().filter(|(_, cell)| **cell != NONE) {
            rows[next[*cell as usize]] = row as u32;
            next[*cell as usize] += 1;
        }
        Lists { starts, members: rows }
    }
}

/// Lists of numbers, end to end.
#[derive(Debug, Clone)]
pub(super) struct Lists {
    starts: Vec<usize>,
    members: Vec<u32>,
}

impl Lists {
    /// One of the lists.
    pub(super) fn get(&self, list: u32) -> &[u32] {
        &self.members[self.starts[list as usize]..self.starts[list as usize + 1]]
    }
}

/// One variable of a join: codes on both sides and how they agree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) people: &'a [u32],
    pub(super) records: &'a [u32],
    pub(super) relation: &'a Relation,
}

/// People and records in cells, and which cells fit.
#[derive(Debug, Clone)]
pub(super) struct Joined {
    pub(super) people: Cells,
    pub(super) records: Cells,
    /// For each cell of people, the cells of records that fit, ascending.
    pub(super) fits: Lists,
}

impl Joined {
    /// Joins the wanted people with the records that are present.
    pub(super) fn new(
        variables: &[Shared<'_>],
        people: usize,
        wanted: &(dyn Fn(usize) -> bool + Sync),
        present: &[bool],
        threads: usize,
    ) -> Self {
        match agree_by_key(variables, present) {
            true => join_by_key(variables, people, wanted, present, threads),
            false => join_by_cells(variables, people, wanted, present),
        }
    }

    /// How many records fit a cell of people.
    pub(super) fn count(&self, cell: u32) -> u64 {
        self.fits.get(cell).iter().map(|record| self.records.counts[*record as usize]).sum()
    }

    /// Whether the record of a row fits a cell of people.
    pub(super) fn fits(&self, cell: u32, row: u32) -> bool {
        let record = self.records.of_row[row as usize];
        record != NONE && self.fits.get(cell).binary_search(&record).is_ok()
    }
}

/// Whether the classes of every variable are complete, and no value agrees with everything. Agreement is then equality
/// of a key.
pub(super) fn agree_by_key(variables: &[Shared<'_>], present: &[bool]) -> bool {
    variables.iter().all(|variable| {
        let relation = variable.relation;
        let says_nothing = |classes: &[u32]| classes[1..].contains(&ANY);
        let missing = |(present, code): (&bool, &u32)| *present && is_missing(*code);
        relation.by_class
            && !says_nothing(&relation.left)
            && !says_nothing(&relation.right)
            && !variable.people.iter().any(|code| is_missing(*code))
            && (relation.right[0] != ANY || !present.iter().zip(variable.records).any(missing))
    })
}

/// The join if every variable agrees by classes: people are put into cells of classes, and each record is looked up
/// among them.
fn join_by_key(
    variables: &[Shared<'_>],
    people: usize,
    wanted: &(dyn Fn(usize) -> bool + Sync),
    present: &[bool],
    threads: usize,
) -> Joined {
    // There are as many class numbers as values on both sides. The classes of people alone need fewer bits.
    let dense: Vec<(Vec<u32>, Vec<u32>)> = variables.iter().map(|variable| dense_classes(variable.relation)).collect();
    let largest: Vec<u32> = dense.iter().map(|(left, _)| left.iter().copied().max().unwrap_or(0)).collect();
    let mut index = Index::new(&largest);
    let mut cells = Cells { of_row: vec![NONE; people], first: Vec::new(), counts: Vec::new() };
    for person in (0..people).filter(|person| wanted(*person)) {
        let cell = index.insert(|column| dense[column].0[variables[column].people[person] as usize]);
        if cell as usize == cells.first.len() {
            cells.first.push(person as u32);
            cells.counts.push(0);
        }
        cells.counts[cell as usize] += 1;
        cells.of_row[person] = cell;
    }
    let (of_row, counts) = look_up(variables, &dense, &index, present, threads);
    let mut first = vec![NONE; cells.first.len()];
    for (row, cell) in of_row.iter().enumerate().rev().filter(|(_, cell)| **cell != NONE) {
        first[*cell as usize] = row as u32;
    }
    let mut starts = vec![0];
    let mut members = Vec::new();
    for (cell, count) in counts.iter().enumerate() {
        members.extend((*count > 0).then_some(cell as u32));
        starts.push(members.len());
    }
    Joined { people: cells, records: Cells { of_row, first, counts }, fits: Lists { starts, members } }
}

/// The classes of a relation numbered without gaps, from 1; 0 for right classes that no left value has.
pub(super) fn dense_classes(relation: &Relation) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut left = Vec::with_capacity(relation.left.len());
    for class in &relation.left {
        let next = numbers.len() as u32 + 1;
        left.push(*numbers.entry(*class).or_insert(next));
    }
    (left, relation.right.iter().map(|class| numbers.get(class).copied().unwrap_or(0)).collect())
}

/// The cell of people that each present record fits, and how many records each has.
fn look_up(
    variables: &[Shared<'_>],
    dense: &[(Vec<u32>, Vec<u32>)],
    index: &Index,
    present: &[bool],
    threads: usize,
) -> (Vec<u32>, Vec<u64>) {
    let mut of_row = vec![NONE; present.len()];
    let sieves: Vec<Sieve> = index.stages.iter().map(Sieve::new).collect();
    let sieves = sieves.as_slice();
    let part = present.len().div_ceil(threads.max(1)).max(1);
    let counted: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let parts = of_row.chunks_mut(part).enumerate();
        let work: Vec<_> = parts
            .map(|(at, rows)| {
                scope.spawn(move || look_up_part(variables, dense, (index, sieves), present, at * part, rows))
            })
            .collect();
        work.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
    });
    let mut counts = vec![0u64; index.cells as usize];
    for part in counted {
        counts.iter_mut().zip(part).for_each(|(count, more)| *count += more);
    }
    (of_row, counts)
}

fn look_up_part(
    variables: &[Shared<'_>],
    dense: &[(Vec<u32>, Vec<u32>)],
    (index, sieves): (&Index, &[Sieve]),
    present: &[bool],
    from: usize,
    rows: &mut [u32],
) -> Vec<u64> {
    /// Keys are packed column by column for this many rows before they are looked up.
    const BLOCK: usize = 1024;
    let mut counts = vec![0u64; index.cells as usize];
    let (mut keys, mut numbers) = ([0u64; BLOCK], [0u32; BLOCK]);
    for (block, rows) in rows.chunks_mut(BLOCK).enumerate() {
        let start = from + block * BLOCK;
        for (number, present) in numbers.iter_mut().zip(&present[start..start + rows.len()]) {
            *number = if *present { 0 } else { NONE };
        }
        for (stage, sieve) in index.stages.iter().zip(sieves) {
            for (key, number) in keys.iter_mut().zip(&numbers).take(rows.len()) {
                *key = u64::from(*number);
            }
            for (column, shift) in &stage.columns {
                let classes = &dense[*column].1;
                let codes = &variables[*column].records[start..start + rows.len()];
                for ((key, number), code) in keys.iter_mut().zip(&mut numbers).zip(codes) {
                    let class = classes[*code as usize];
                    *key |= u64::from(class) << shift;
                    *number = if class == 0 { NONE } else { *number };
                }
            }
            for (number, key) in numbers.iter_mut().zip(&keys).take(rows.len()).filter(|(number, _)| **number != NONE) {
                *number = match sieve.may_hold(*key) {
                    true => stage.numbers.get(key).copied().unwrap_or(NONE),
                    false => NONE,
                };
            }
        }
        for (row, number) in rows.iter_mut().zip(&numbers) {
            *row = *number;
            if *number != NONE {
                counts[*number as usize] += 1;
            }
        }
    }
    counts
}

/// The general join: cells of both sides, for each pattern of values that agree with everything.
fn join_by_cells(
    variables: &[Shared<'_>],
    people: usize,
    wanted: &(dyn Fn(usize) -> bool + Sync),
    present: &[bool],
) -> Joined {
    let left = Keys { columns: variables.iter().map(|variable| variable.people).collect(), rows: people };
    let right = Keys { columns: variables.iter().map(|variable| variable.records).collect(), rows: present.len() };
    let people = Cells::new(&left, wanted);
    let records = Cells::new(&right, |row| present[row]);
    let fits = fit_cells(variables, &people, &records);
    Joined { people, records, fits }
}

/// For each cell of people the cells of records that fit.
fn fit_cells(variables: &[Shared<'_>], people: &Cells, records: &Cells) -> Lists {
    let left = classes_of_cells(variables, people, |variable| (variable.people, &variable.relation.left));
    let right = classes_of_cells(variables, records, |variable| (variable.records, &variable.relation.right));
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); people.first.len()];
    for (records_mask, record_cells) in &right.by_mask {
        for (people_mask, people_cells) in &left.by_mask {
            let said: Vec<usize> = (0..variables.len()).filter(|v| !records_mask[*v] && !people_mask[*v]).collect();
            let pick = |classes: &Classes, cell: u32| -> Vec<u32> {
                said.iter().map(|v| classes.of_cell[*v][cell as usize]).collect()
            };
            let mut index: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
            for cell in record_cells {
                index.entry(pick(&right, *cell)).or_default().push(*cell);
            }
            let loose: Vec<&Shared<'_>> =
                said.iter().map(|v| &variables[*v]).filter(|v| !v.relation.by_class).collect();
            for person in people_cells {
                let row = people.first[*person as usize] as usize;
                let agrees = |record: &&u32| {
                    let other = records.first[**record as usize] as usize;
                    loose.iter().all(|variable| variable.relation.holds(variable.people[row], variable.records[other]))
                };
                let candidates = index.get(&pick(&left, *person)).map_or(&[][..], Vec::as_slice);
                found[*person as usize].extend(candidates.iter().filter(agrees));
            }
        }
    }
    let mut starts = vec![0];
    let mut members = Vec::new();
    for mut list in found {
        list.sort_unstable();
        members.extend(list);
        starts.push(members.len());
    }
    Lists { starts, members }
}

/// The classes of each cell, and the cells grouped by which variables agree with everything.
struct Classes {
    of_cell: Vec<Vec<u32>>,
    by_mask: Vec<(Vec<bool>, Vec<u32>)>,
}

fn classes_of_cells<'a>(
    variables: &[Shared<'a>],
    cells: &Cells,
    side: impl Fn(&Shared<'a>) -> (&'a [u32], &'a Vec<u32>),
) -> Classes {
    let classes = |variable: &Shared<'a>| {
        let (codes, classes) = side(variable);
        cells.first.iter().map(|row| classes[codes[*row as usize] as usize]).collect()
    };
    let of_cell: Vec<Vec<u32>> = variables.iter().map(classes).collect();
    let mut by_mask: std::collections::BTreeMap<Vec<bool>, Vec<u32>> = std::collections::BTreeMap::new();
    for cell in 0..cells.first.len() as u32 {
        let mask = of_cell.iter().map(|classes| classes[cell as usize] == ANY).collect();
        by_mask.entry(mask).or_default().push(cell);
    }
    Classes { of_cell, by_mask: by_mask.into_iter().collect() }
}

#[cfg(test)]
mod tests {
    use outward_cells::Coded;
    use proptest::prelude::*;

    use super::super::fixtures::coded;
    use super::super::known::{Form, Scale};
    use super::*;

    fn columns(values: &[Vec<Option<String>>]) -> Vec<Coded> {
        let column = |v: usize| coded(values.iter().map(|row| row[v].clone()));
        (0..3).map(column).collect()
    }

    proptest! {
        #[test]
        fn a_join_is_what_comparing_every_pair_gives(
            people in proptest::collection::vec((0..4u8, 0..30u8, 0..3u8, any::<u8>()), 1..30),
            records in proptest::collection::vec((0..4u8, 0..6u8, 0..3u8, any::<u8>()), 1..60),
            missing in any::<bool>(), wildcard in any::<bool>(), threads in 1..4usize,
        ) {
            let blank = |dice: u8, at: u8, value: String| (!missing || dice % 7 != at).then_some(value);
            let person = |&(a, b, c, dice): &(u8, u8, u8, u8)| {
                vec![blank(dice, 0, a.to_string()), blank(dice, 1, b.to_string()), blank(dice, 2, c.to_string())]
            };
            let record = |&(a, b, c, dice): &(u8, u8, u8, u8)| {
                let band = if missing && b % 3 == 0 { b.to_string() } else { format!("{}-{}", b * 5, b * 5 + 4) };
                vec![blank(dice, 3, a.to_string()), blank(dice, 4, band), blank(dice, 5, c.to_string())]
            };
            let left = columns(&people.iter().map(person).collect::<Vec<_>>());
            let right = columns(&records.iter().map(record).collect::<Vec<_>>());
            let form = Form { scale: Scale::Number, missing_matches: wildcard, ..Form::text("v") };
            let relations: Vec<Relation> =
                left.iter().zip(&right).map(|(l, r)| Relation::new(&l.dictionary, &r.dictionary, &form)).collect();
            let variables: Vec<Shared<'_>> = (left.iter().zip(&right).zip(&relations))
                .map(|((l, r), relation)| Shared { people: &l.codes, records: &r.codes, relation })
                .collect();
            let present: Vec<bool> = records.iter().map(|record| record.3 % 5 != 0).collect();
            let wanted = |person: usize| people[person].3 % 3 != 0;
            let joined = Joined::new(&variables, people.len(), &wanted, &present, threads);
            for p in 0..people.len() {
                let cell = joined.people.of_row[p];
                prop_assert_eq!(cell == NONE, !wanted(p));
                if cell == NONE {
                    continue;
                }
                let agrees = |r: &usize| present[*r] && variables.iter().all(|v| v.relation.holds(v.people[p], v.records[*r]));
                let expected: Vec<usize> = (0..records.len()).filter(agrees).collect();
                prop_assert_eq!(joined.count(cell), expected.len() as u64);
                let rows = joined.records.rows();
                let mut found: Vec<usize> =
                    joined.fits.get(cell).iter().flat_map(|record| rows.get(*record)).map(|row| *row as usize).collect();
                found.sort_unstable();
                prop_assert_eq!(&found, &expected);
                prop_assert!((0..records.len()).all(|r| joined.fits(cell, r as u32) == expected.contains(&r)));
            }
        }

        #[test]
        fn keys_wider_than_64_bits_keep_combinations_apart(
            rows in proptest::collection::vec(proptest::collection::vec(0..u32::MAX, 5), 1..40),
        ) {
            let doubled: Vec<&Vec<u32>> = rows.iter().chain(&rows).collect();
            let columns: Vec<Vec<u32>> = (0..5).map(|c| doubled.iter().map(|row| row[c] / 2).collect()).collect();
            let keys = Keys { columns: columns.iter().map(Vec::as_slice).collect(), rows: doubled.len() };
            let cells = Cells::new(&keys, |_| true);
            for a in 0..doubled.len() {
                for b in 0..doubled.len() {
                    let same = (0..5).all(|c| columns[c][a] == columns[c][b]);
                    prop_assert_eq!(cells.of_row[a] == cells.of_row[b], same);
                }
            }
        }
    }
}
