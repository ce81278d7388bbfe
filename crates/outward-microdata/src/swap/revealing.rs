//! Columns that a swap leaves unchanged and that disclose where swapped records came from.
//!
//! The attack: records are grouped by one or two columns. Suppose that more than half of the others of a record's group are
//! in one place, and the record is in another. The attacker then says that it was swapped and came from there. Columns are
//! revealing if such statements are true more often than one in three, and more often than chance makes them. If columns and
//! places have nothing to do with each other, a statement that names place M is true with probability
//!
//! ```text
//! p(M) = records that left M / records that are not in M now
//! ```
//!
//! Let r of n statements be true, and p the mean of p(M) over them. Chance makes so many true with probability at most
//! exp(−n D), D = r/n ln(r/(n p)) + (1 − r/n) ln((1 − r/n)/(1 − p)) (Chernoff 1952).

use std::sync::atomic::{AtomicUsize, Ordering};

use super::groups::RecordGroups;

/// Columns with fewer records to a value are nearly unique. For these, records next to each other in order are grouped
/// too.
const NEARLY_UNIQUE: usize = 5;
/// Records in such a group.
const NEIGHBOUR_GROUP: usize = 10;
/// An attacker may restrict themselves to groups of at least so many others, with this share of them in one place:
/// numerator, denominator.
const GROUP_SIZES: [u64; 4] = [1, 2, 5, 10];
const PLACE_SHARES: [(u64, u64); 3] = [(1, 2), (2, 3), (9, 10)];
/// The share of true statements that is too high, beyond those by chance.
const MAX_TRUE_SHARE: f64 = 1.0 / 3.0;
/// A swap is refused by chance in at most one of so many.
const CHANCE_REFUSALS: f64 = 1000.0;
/// In larger files some of the groups are examined, or some of the records if there are few groups.
const MAX_RECORDS: usize = 200_000;
const FEW_GROUPS: usize = 1000;

/// Columns that together tell a level of the geography.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RevealingColumns {
    /// One column or two.
    pub(crate) columns: Vec<usize>,
    pub(crate) level: usize,
}

/// The first column, or else the first two, that disclose where swapped records came from. `geography` is as it was
/// before the swap; `takes_from` says whose geography each record has now.
pub(crate) fn find_revealing(
    columns: &[&[u32]],
    geography: &[&[u32]],
    takes_from: &[u32],
    threads: usize,
) -> Option<RevealingColumns> {
    let levels: Vec<GeographyLevel<'_>> =
        geography.iter().map(|before| GeographyLevel::new(before, takes_from)).collect();
    if levels.iter().all(|level| level.moved.is_empty()) {
        return None;
    }
    let sets = sets(columns);
    let tests = (sets.len() * levels.len() * GROUP_SIZES.len() * PLACE_SHARES.len()) as f64;
    let tells = |set: &GroupingColumns| set.level_told(columns, &levels, (CHANCE_REFUSALS * tests).ln());
    let next = AtomicUsize::new(0);
    // Sets are taken in their order, so that the first that tells is found on any number of threads.
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if let Some(level) = tells(sets.get(at)?) {
                return Some((at, level));
            }
        }
    };
    let found = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.clamp(1, sets.len().max(1))).map(|_| scope.spawn(work)).collect();
        let own = work();
        let others =
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        others.chain([own]).flatten().min()
    });
    found.map(|(set, level)| RevealingColumns { columns: sets[set].columns.clone(), level })
}

/// One level of the geography before and after.
struct GeographyLevel<'a> {
    before: &'a [u32],
    takes_from: &'a [u32],
    after: Vec<u32>,
    /// Records whose place is another now.
    moved: Vec<u32>,
    /// For each place p(M).
    chance: Vec<f64>,
}

impl<'a> GeographyLevel<'a> {
    fn new(before: &'a [u32], takes_from: &'a [u32]) -> Self {
        let after: Vec<u32> = takes_from.iter().map(|from| before[*from as usize]).collect();
        let moved: Vec<u32> =
            (0..before.len() as u32).filter(|row| before[*row as usize] != after[*row as usize]).collect();
        let places = before.iter().copied().max().unwrap_or(0) as usize + 1;
        let (mut now, mut left) = (vec![0u64; places], vec![0u64; places]);
        after.iter().for_each(|place| now[*place as usize] += 1);
        moved.iter().for_each(|row| left[before[*row as usize] as usize] += 1);
        let elsewhere = |place: usize| (after.len() as u64 - now[place]).max(1);
        let chance = (0..places).map(|place| left[place] as f64 / elsewhere(place) as f64).collect();
        Self { before, takes_from, after, moved, chance }
    }
}

/// Columns to group records by.
struct GroupingColumns {
    columns: Vec<usize>,
    /// Whether neighbours in the order of the values are a group, in place of records with equal values.
    by_order: bool,
}

/// Every column, those that are nearly unique also by their order, and every two of the others.
fn sets(columns: &[&[u32]]) -> Vec<GroupingColumns> {
    let values = |codes: &[u32]| codes.iter().copied().max().unwrap_or(0) as usize;
    let is_nearly_unique = |column: usize| values(columns[column]) * NEARLY_UNIQUE > columns[column].len();
    let mut sets = Vec::new();
    for column in 0..columns.len() {
        sets.push(GroupingColumns { columns: vec![column], by_order: false });
        if is_nearly_unique(column) {
            sets.push(GroupingColumns { columns: vec![column], by_order: true });
        }
    }
    let others: Vec<usize> = (0..columns.len()).filter(|column| !is_nearly_unique(*column)).collect();
    for (at, first) in others.iter().enumerate() {
        let pairs =
            others[at + 1..].iter().map(|second| GroupingColumns { columns: vec![*first, *second], by_order: false });
        sets.extend(pairs);
    }
    sets
}

impl GroupingColumns {
    /// The coarsest level that the columns disclose; `evidence` is the least n D.
    fn level_told(&self, columns: &[&[u32]], levels: &[GeographyLevel<'_>], evidence: f64) -> Option<usize> {
        let codes: Vec<&[u32]> = self.columns.iter().map(|column| columns[*column]).collect();
        let rows = codes.first()?.len();
        let groups = match self.by_order {
            true => neighbours(codes[0]),
            false => RecordGroups::of_columns(&codes, rows),
        };
        let part = rows.div_ceil(MAX_RECORDS).max(1);
        let by_group = groups.count >= FEW_GROUPS * part;
        let is_in = |row: &usize| {
            let number = if by_group { groups.of[*row] as usize } else { *row };
            number % part == 0 && codes.iter().all(|codes| codes[*row] != 0)
        };
        let kept: Vec<usize> = (0..rows).filter(is_in).collect();
        levels.iter().position(|level| AttackerStatements::from_groups(&groups, &kept, level).tell(evidence))
    }
}

/// Records next to each other in the order of a column; equal values may be in two groups.
fn neighbours(codes: &[u32]) -> RecordGroups {
    let mut order: Vec<u32> = (0..codes.len() as u32).collect();
    order.sort_by_key(|row| codes[*row as usize]);
    let mut of = vec![0; codes.len()];
    order.iter().enumerate().for_each(|(at, row)| of[*row as usize] = (at / NEIGHBOUR_GROUP) as u32);
    RecordGroups { of, count: codes.len().div_ceil(NEIGHBOUR_GROUP) }
}

/// What an attacker says, by how many others a group must have and how many of them must be in one place.
#[derive(Default)]
struct AttackerStatements {
    by_care: [[AttackerStatement; PLACE_SHARES.len()]; GROUP_SIZES.len()],
}

#[derive(Debug, Clone, Copy, Default)]
struct AttackerStatement {
    made: u64,
    right: u64,
    /// How many chance makes right.
    expected: f64,
}

/// Records of a group, and the two places that most of them are in.
#[derive(Debug, Clone, Copy, Default)]
struct GroupPlaces {
    records: u64,
    first: (u64, u32),
    second: (u64, u32),
}

impl GroupPlaces {
    fn add(&mut self, records: u64, place: u32) {
        self.records += records;
        if (records, place) > self.first {
            (self.first, self.second) = ((records, place), self.first);
        } else {
            self.second = self.second.max((records, place));
        }
    }

    /// The place that most others of a record in `place` are in, and how many of them.
    fn most_others(&self, place: u32) -> (u64, u32) {
        if self.first.1 == place { self.second } else { self.first }
    }
}

impl AttackerStatements {
    fn from_groups(groups: &RecordGroups, kept: &[usize], level: &GeographyLevel<'_>) -> Self {
        let kept: Vec<usize> = kept.iter().copied().filter(|row| level.after[*row] != 0).collect();
        let group: Vec<u32> = kept.iter().map(|row| groups.of[*row]).collect();
        let place: Vec<u32> = kept.iter().map(|row| level.after[*row]).collect();
        let cells = RecordGroups::of_columns(&[&group, &place], kept.len());
        let sizes = cells.sizes();
        let mut at = vec![(0, 0); cells.count];
        (0..kept.len()).for_each(|row| at[cells.of[row] as usize] = (group[row], place[row]));
        let mut crowds = vec![GroupPlaces::default(); groups.count];
        for ((group, place), records) in at.iter().zip(&sizes) {
            crowds[*group as usize].add(*records, *place);
        }
        let mut statements = Self::default();
        for ((group, place), records) in at.iter().zip(&sizes) {
            let crowd = crowds[*group as usize];
            let (most, from) = crowd.most_others(*place);
            statements.make(most, crowd.records - 1, |statement| {
                statement.made += records;
                statement.expected += *records as f64 * level.chance[from as usize];
            });
        }
        for ((row, group), place) in kept.iter().zip(&group).zip(&place) {
            let crowd = crowds[*group as usize];
            let (most, from) = crowd.most_others(*place);
            if *place == level.before[*row] || from != level.before[*row] {
                continue;
            }
            // The partner is similar because partners are chosen so, and it is where the record was. That says nothing
            // about the columns.
            let partner = groups.of[level.takes_from[*row] as usize] == *group;
            let (most, others) = (most - u64::from(partner), crowd.records - 1 - u64::from(partner));
            statements.make(most, others, |statement| statement.right += 1);
        }
        statements
    }

    /// Makes every statement that an attacker would make who asks for no more than this: `most` of the others in one
    /// place.
    fn make(&mut self, most: u64, others: u64, mut add: impl FnMut(&mut AttackerStatement)) {
        for (least, by_share) in GROUP_SIZES.iter().zip(&mut self.by_care) {
            for ((part, whole), statement) in PLACE_SHARES.iter().zip(by_share) {
                if others >= *least && most * 2 > others && most * whole >= others * part {
                    add(statement);
                }
            }
        }
    }

    fn tell(&self, evidence: f64) -> bool {
        self.by_care.iter().flatten().any(|statement| statement.tells(evidence))
    }
}

impl AttackerStatement {
    fn tells(&self, evidence: f64) -> bool {
        if self.right == 0 {
            return false;
        }
        let made = self.made as f64;
        let (right, chance) = (self.right as f64 / made, (self.expected / made).clamp(f64::MIN_POSITIVE, 1.0));
        let wrong = if right < 1.0 { (1.0 - right) * ((1.0 - right) / (1.0 - chance)).ln() } else { 0.0 };
        let divergence = right * (right / chance).ln() + wrong;
        right - chance > MAX_TRUE_SHARE * (1.0 - chance) && made * divergence > evidence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 1200;
    const PLACES: u32 = 4;

    /// Congruential random numbers.
    fn random(state: &mut u64, below: u32) -> u32 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*state >> 33) % u64::from(below)) as u32
    }

    /// The place of each record, and a swap of every tenth with one elsewhere.
    fn swap() -> (Vec<u32>, Vec<u32>) {
        let mut state = 5;
        let places: Vec<u32> = (0..ROWS).map(|_| 1 + random(&mut state, PLACES)).collect();
        let mut takes_from: Vec<u32> = (0..ROWS as u32).collect();
        for row in (0..ROWS).step_by(20) {
            let free = |other: &usize| takes_from[*other] == *other as u32 && places[*other] != places[row];
            let partner = (row + 1..ROWS).find(free).unwrap_or(row);
            takes_from.swap(row, partner);
        }
        (places, takes_from)
    }

    fn found(columns: &[Vec<u32>]) -> Option<Vec<usize>> {
        let (places, takes_from) = swap();
        let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let one = find_revealing(&columns, &[&places], &takes_from, 1);
        assert_eq!(one, find_revealing(&columns, &[&places], &takes_from, 4));
        one.map(|revealing| revealing.columns)
    }

    /// Numbers below `values`, the same for each `seed`.
    fn noise(values: u32, seed: u64) -> Vec<u32> {
        let mut state = seed;
        (0..ROWS).map(|_| 1 + random(&mut state, values)).collect()
    }

    #[test]
    fn two_columns_that_together_give_the_place_reveal_it() {
        let (places, _) = swap();
        let first = noise(PLACES, 11);
        // The place is the sum of both, and neither alone says anything of it.
        let second: Vec<u32> = places.iter().zip(&first).map(|(place, first)| 1 + (place + first) % PLACES).collect();
        assert_eq!(found(&[noise(9, 3), first.clone(), second.clone()]), Some(vec![1, 2]));
        assert_eq!(found(&[first, noise(9, 3)]), None);
        assert_eq!(found(&[second]), None);
    }

    #[test]
    fn a_column_that_gives_the_place_of_some_records_reveals_it() {
        let (places, _) = swap();
        let office = noise(40, 7).into_iter().zip(&places).map(|(number, place)| match number % 5 {
            0 => 100 + 10 * place + number % 3,
            _ => 1 + number % 2,
        });
        assert_eq!(found(&[office.collect()]), Some(vec![0]));
    }

    #[test]
    fn a_nearly_unique_column_reveals_it_by_its_values_or_its_order() {
        let (places, _) = swap();
        let mut order: Vec<usize> = (0..ROWS).collect();
        order.sort_by_key(|row| places[*row]);
        for records_to_a_value in [1, 2, 3, 4] {
            let mut column = vec![0; ROWS];
            order.iter().enumerate().for_each(|(at, row)| column[*row] = 1 + (at / records_to_a_value) as u32);
            assert_eq!(found(&[column]), Some(vec![0]), "{records_to_a_value}");
        }
        let mut state = 3;
        let running: Vec<u32> = (1..=ROWS as u32).collect();
        let drawn: Vec<u32> = (0..ROWS).map(|_| 1 + random(&mut state, 400)).collect();
        assert_eq!(found(&[running, drawn]), None);
    }

    #[test]
    fn columns_that_have_nothing_to_do_with_the_place_are_not() {
        let columns: Vec<Vec<u32>> = (0..25).map(|at| noise(2 + at * at, u64::from(at) + 50)).collect();
        assert_eq!(found(&columns), None);
        let (places, _) = swap();
        let all: Vec<u32> = (0..ROWS as u32).collect();
        assert_eq!(find_revealing(&[&places], &[&places], &all, 1), None, "nobody was swapped");
    }
}
