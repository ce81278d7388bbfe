//! Groups records by their keys, and counts how many support each group.
//!
//! If a missing value matches everything, two groups are compatible if they agree on every key that both have. A
//! compatible group supports another if both have more than half of the keys, or if it has every key that the other has
//! (`docs/methods/classes.md`). Groups that lack the same keys are treated together. For any two sets of missing keys,
//! the groups of one are summed on the other keys and looked up for the other. So no two single groups are compared.

use std::collections::{BTreeMap, HashMap};

use super::read::MISSING;

/// The different combinations of some keys.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyGroups {
    /// The combination of each group.
    keys: Vec<Vec<u32>>,
    /// How many records have it.
    pub(super) records: Vec<u64>,
    /// For each key whether a missing value matches everything.
    wild: Vec<bool>,
    /// For each record its group; `None` if the record is not counted.
    pub(super) of_row: Vec<Option<u32>>,
}

impl KeyGroups {
    /// Groups `rows` records by columns. If `counted` is given, only the records that it accepts are grouped.
    pub(super) fn from_columns(columns: &[&[u32]], wild: &[bool], rows: usize, counted: Option<&[bool]>) -> Self {
        let mut groups = Self { wild: wild.to_vec(), ..Self::default() };
        let mut places: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut key = Vec::with_capacity(columns.len());
        for row in 0..rows {
            if counted.is_some_and(|counted| !counted[row]) {
                groups.of_row.push(None);
                continue;
            }
            key.clear();
            key.extend(columns.iter().map(|column| column[row]));
            let at = match places.get(&key) {
                Some(at) => *at,
                None => {
                    let at = groups.keys.len() as u32;
                    places.insert(key.clone(), at);
                    groups.keys.push(key.clone());
                    groups.records.push(0);
                    at
                }
            };
            groups.records[at as usize] += 1;
            groups.of_row.push(Some(at));
        }
        groups
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// For each group the records that support it.
    pub(super) fn sizes(&self) -> Vec<u64> {
        self.gather(self, &self.records, |sum, more| *sum += more)
    }

    /// For each group the records that support it on some of the keys.
    pub(super) fn sizes_on(&self, chosen: &[usize]) -> Vec<u64> {
        let wild = chosen.iter().map(|key| self.wild[*key]).collect();
        let mut margin = Self { wild, ..Self::default() };
        let mut places: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut of_group = Vec::with_capacity(self.len());
        for (key, records) in self.keys.iter().zip(&self.records) {
            let at = *places.entry(project(key, chosen)).or_insert_with_key(|key| {
                margin.keys.push(key.clone());
                margin.records.push(0);
                margin.keys.len() - 1
            });
            margin.records[at] += records;
            of_group.push(at);
        }
        let sizes = margin.sizes();
        of_group.into_iter().map(|at| sizes[at]).collect()
    }

    /// For each group how often each value of a column occurs among the records that support it, missing ones left out.
    pub(super) fn distributions(&self, column: &[u32]) -> Vec<BTreeMap<u32, u64>> {
        let mut own: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); self.len()];
        for (group, code) in self.of_row.iter().zip(column) {
            if let Some(group) = group
                && *code != MISSING
            {
                *own[*group as usize].entry(*code).or_default() += 1;
            }
        }
        self.gather(self, &own, |sum, more| {
            for (code, count) in more {
                *sum.entry(*code).or_default() += count;
            }
        })
    }

    /// For each group the sum of `has` over the groups of `among` that support it.
    pub(super) fn gather<T: Clone + Default>(&self, among: &Self, has: &[T], add: impl Fn(&mut T, &T)) -> Vec<T> {
        let mut sums = vec![T::default(); self.len()];
        let offered = among.by_lack();
        for (lack, askers) in self.by_lack() {
            for (other, offers) in offered.iter().filter(|(other, _)| supports(other, &lack)) {
                let left: Vec<usize> = (0..lack.len()).filter(|key| !lack[*key] && !other[*key]).collect();
                let mut sums_on: HashMap<Vec<u32>, T> = HashMap::new();
                for group in offers {
                    add(sums_on.entry(project(&among.keys[*group], &left)).or_default(), &has[*group]);
                }
                for group in &askers {
                    if let Some(sum) = sums_on.get(&project(&self.keys[*group], &left)) {
                        add(&mut sums[*group], sum);
                    }
                }
            }
        }
        sums
    }

    /// The groups by their missing keys, which match everything.
    fn by_lack(&self) -> BTreeMap<Vec<bool>, Vec<usize>> {
        let mut groups: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
        for (at, key) in self.keys.iter().enumerate() {
            let lack = key.iter().zip(&self.wild).map(|(code, wild)| *wild && *code == MISSING).collect();
            groups.entry(lack).or_default().push(at);
        }
        groups
    }

    /// The rows, from 0, whose group `wanted` accepts, and how many they are.
    pub(super) fn rows_where(&self, wanted: impl Fn(usize) -> bool) -> (u64, impl Iterator<Item = usize>) {
        let hits: Vec<bool> = (0..self.len()).map(wanted).collect();
        let records = hits.iter().zip(&self.records).filter(|(hit, _)| **hit).map(|(_, records)| records).sum();
        let rows = self.of_row.iter().enumerate();
        (records, rows.filter(move |(_, group)| group.is_some_and(|group| hits[group as usize])).map(|(row, _)| row))
    }
}

/// Whether a group that lacks the keys `theirs` supports a compatible one that lacks the keys `own`.
fn supports(theirs: &[bool], own: &[bool]) -> bool {
    let keeps_most = |lack: &[bool]| lack.iter().filter(|lacks| !**lacks).count() * 2 > lack.len();
    let has_every_key = theirs.iter().zip(own).all(|(theirs, own)| !*theirs || *own);
    has_every_key || (keeps_most(theirs) && keeps_most(own))
}

fn project(key: &[u32], chosen: &[usize]) -> Vec<u32> {
    chosen.iter().map(|at| key[*at]).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    /// Whether record `b` counts for record `a`, as the method page says.
    fn supports(a: &[u32], b: &[u32], wild: &[bool]) -> bool {
        let has = |record: &[u32], key: usize| !wild[key] || record[key] != MISSING;
        let most = |record: &[u32]| (0..wild.len()).filter(|key| has(record, *key)).count() > wild.len() / 2;
        let agree = (0..wild.len()).all(|key| !has(a, key) || !has(b, key) || a[key] == b[key]);
        agree && (most(a) && most(b) || (0..wild.len()).all(|key| !has(a, key) || has(b, key)))
    }

    proptest! {
        #[test]
        fn a_class_is_every_record_that_supports_its_records(
            rows in prop::collection::vec(prop::collection::vec(0u32..3, 4), 0..40),
            wild in prop::collection::vec(any::<bool>(), 3),
            counted in prop::collection::vec(any::<bool>(), 40),
        ) {
            let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<u32>>();
            let columns: Vec<Vec<u32>> = (0..4).map(column).collect();
            let keys: Vec<&[u32]> = columns[..3].iter().map(Vec::as_slice).collect();
            let counted = &counted[..rows.len()];
            let groups = KeyGroups::from_columns(&keys, &wild, rows.len(), Some(counted));
            let (sizes, values) = (groups.sizes(), groups.distributions(&columns[3]));
            let on_two = groups.sizes_on(&[2, 0]);
            for (row, own) in rows.iter().enumerate() {
                let Some(group) = groups.of_row[row] else {
                    prop_assert!(!counted[row]);
                    continue;
                };
                let like: Vec<&Vec<u32>> = rows.iter().zip(counted)
                    .filter(|(other, counted)| **counted && supports(&own[..3], &other[..3], &wild))
                    .map(|(other, _)| other).collect();
                prop_assert_eq!(sizes[group as usize], like.len() as u64);
                for code in 1..3 {
                    let have = like.iter().filter(|other| other[3] == code).count() as u64;
                    prop_assert_eq!(values[group as usize].get(&code).copied().unwrap_or(0), have);
                }
                let two = |row: &[u32]| [row[2], row[0]];
                let like_two = rows.iter().zip(counted).filter(|(other, counted)| {
                    **counted && supports(&two(own), &two(other), &[wild[2], wild[0]])
                });
                prop_assert_eq!(on_two[group as usize], like_two.count() as u64);
            }
        }
    }
}
