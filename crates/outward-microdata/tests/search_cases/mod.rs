//! Small random tables, models of every kind, and enumeration of all recodings from definitions alone.

use std::collections::{BTreeMap, BTreeSet};

use outward_microdata::loss::{Facts, KeyFacts, Measure};
use outward_microdata::models::{Class, Margin, Model, Release};
use outward_microdata::search::{CountedCells, Key, KeyLevel, Recoded, SearchTable};
use proptest::prelude::*;

/// Every class has at least so many records.
#[derive(Debug)]
pub(crate) struct Size(pub(crate) u64);

impl Model for Size {
    fn says(&self) -> String {
        format!("k-anonymity with k = {}", self.0)
    }

    fn margins(&self, keys: usize) -> Vec<Margin> {
        vec![Margin { keys: (0..keys).collect(), subset: None, k: self.0 }]
    }

    fn is_monotone(&self) -> bool {
        true
    }
}

/// Every combination of some keys among some records.
#[derive(Debug)]
pub(crate) struct OnKeys {
    pub(crate) keys: Vec<usize>,
    pub(crate) subset: Option<usize>,
    pub(crate) k: u64,
}

impl Model for OnKeys {
    fn says(&self) -> String {
        "weak k".to_owned()
    }

    fn margins(&self, _keys: usize) -> Vec<Margin> {
        vec![Margin { keys: self.keys.clone(), subset: self.subset, k: self.k }]
    }

    fn is_monotone(&self) -> bool {
        true
    }
}

/// Distinct sensitive values in each class.
#[derive(Debug)]
pub(crate) struct Diverse(pub(crate) usize);

impl Model for Diverse {
    fn says(&self) -> String {
        "distinct values".to_owned()
    }

    fn reads_sensitive(&self) -> bool {
        true
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        class.sensitive[0].len() >= self.0
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn parts_fail_too(&self) -> bool {
        true
    }
}

/// Classes of an odd number of records: what holds when finer need not hold when coarser.
#[derive(Debug)]
pub(crate) struct Odd;

impl Model for Odd {
    fn says(&self) -> String {
        "odd classes".to_owned()
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        class.records % 2 == 1
    }

    fn is_monotone(&self) -> bool {
        false
    }
}

/// Classes for each record at most.
#[derive(Debug)]
pub(crate) struct AverageRisk(pub(crate) f64);

impl Model for AverageRisk {
    fn says(&self) -> String {
        "average risk".to_owned()
    }

    fn asks_of_release(&self) -> bool {
        true
    }

    fn release_holds(&self, release: &Release) -> bool {
        let records: u64 = release.sizes.iter().map(|(size, classes)| size * classes).sum();
        release.sizes.values().sum::<u64>() as f64 <= self.0 * records as f64
    }

    fn is_monotone(&self) -> bool {
        true
    }
}

/// At most a share of those in the population with the same keys are in the data.
#[derive(Debug)]
pub(crate) struct Present(pub(crate) f64);

impl Model for Present {
    fn says(&self) -> String {
        "presence".to_owned()
    }

    fn reads_population(&self) -> bool {
        true
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        class.records as f64 <= self.0 * class.population.unwrap_or(0) as f64
    }

    fn is_monotone(&self) -> bool {
        false
    }
}

/// A key of `values` codes whose labels at each level merge by `merge`.
fn key(name: &str, merges: &[Vec<u32>]) -> Key {
    let values = merges[0].len() as u32;
    let mut labels: Vec<u32> = (0..=values).collect();
    let mut levels = Vec::new();
    for (at, merge) in std::iter::once(None).chain(merges.iter().map(Some)).enumerate() {
        if let Some(merge) = merge {
            let merged = labels.iter().map(|label| if *label == 0 { 0 } else { merge[*label as usize - 1] });
            labels = compact(&merged.collect::<Vec<_>>());
        }
        let mut leaves = vec![0; *labels.iter().max().unwrap() as usize + 1];
        labels.iter().for_each(|label| leaves[*label as usize] += 1);
        let text = |label: usize| (label > 0).then(|| format!("{at}/{label}").into_boxed_str());
        let texts = (0..leaves.len()).map(text).collect();
        levels.push(KeyLevel { labels: labels.clone(), leaves, texts });
    }
    Key { name: name.to_owned(), domain: u64::from(values), levels }
}

fn compact(labels: &[u32]) -> Vec<u32> {
    let used: BTreeSet<u32> = labels.iter().copied().chain([0]).collect();
    labels.iter().map(|label| used.iter().position(|used| used == label).unwrap() as u32).collect()
}

fn keys() -> impl Strategy<Value = Key> {
    (1usize..6, 0usize..4).prop_flat_map(|(values, levels)| {
        let merges = prop::collection::vec(prop::collection::vec(1u32..=values as u32, values), levels);
        merges.prop_map(move |merges| {
            if merges.is_empty() {
                let mut key = key("v", &[vec![1; values]]);
                key.levels.truncate(1);
                key
            } else {
                key("v", &merges)
            }
        })
    })
}

/// Cells of a table before duplicates are joined: codes, count, subsets, population, sensitive code.
type Raw = Vec<(Vec<u32>, u64, u64, u64, u32)>;

/// Records, population and sensitive values of one cell.
type Joined = (u64, u64, BTreeMap<u32, u64>);

fn table(keys: Vec<Key>, raw: Raw) -> SearchTable {
    let mut cells: BTreeMap<(Vec<u32>, u64), Joined> = BTreeMap::new();
    for (codes, count, subsets, population, sensitive) in raw {
        let codes: Vec<u32> = codes.iter().zip(&keys).map(|(code, key)| code % (key.domain as u32 + 1)).collect();
        let cell = cells.entry((codes, subsets)).or_default();
        cell.0 += count;
        cell.1 += population + count;
        if count > 0 {
            *cell.2.entry(sensitive).or_default() += count;
        }
    }
    let mut counted = CountedCells { codes: vec![Vec::new(); keys.len()], ..CountedCells::default() };
    for ((codes, subsets), (count, population, sensitive)) in cells {
        codes.iter().zip(&mut counted.codes).for_each(|(code, column)| column.push(*code));
        counted.counts.push(count);
        counted.subsets.push(subsets);
        counted.population.push(population);
        counted.sensitive.push(vec![sensitive.into_iter().collect()]);
    }
    SearchTable::new(keys, counted).unwrap()
}

/// Tables of two to four keys and a few cells with at least one record.
pub(crate) fn tables() -> impl Strategy<Value = SearchTable> {
    let cell = (prop::collection::vec(0u32..6, 4), 0u64..4, 0u64..4, 0u64..3, 1u32..4);
    (prop::collection::vec(keys(), 2..5), prop::collection::vec(cell, 1..40)).prop_map(|(keys, mut cells)| {
        cells[0].1 += 1;
        table(keys, cells)
    })
}

/// A table of many keys, each with `levels` levels that halve its values one after the other, and records that are all different.
pub(crate) fn wide_table(keys: usize, levels: u32, records: u32) -> SearchTable {
    let values = 1 << (levels - 1);
    let halved = |by: u32| (0..values).map(|value| (value >> by << by) + 1).collect::<Vec<u32>>();
    let one = |at: usize| {
        let mut key = key(&format!("v{at}"), &[halved(0)]);
        key.levels.truncate(1);
        for by in 1..levels {
            let labels = [&[0], &compact(&[&[0], &halved(by)[..]].concat())[1..]].concat();
            let count = 1 + (values >> by) as usize;
            let text = |label: usize| (label > 0).then(|| format!("{by}/{label}").into_boxed_str());
            let leaves = std::iter::once(1).chain(std::iter::repeat_n(1 << by, count - 1)).collect();
            key.levels.push(KeyLevel { labels, leaves, texts: (0..count).map(text).collect() });
        }
        key
    };
    // Codes that look random and are the same in every run.
    let code = |key: usize, record: u32| {
        (record * 2_654_435 + key as u32 * 40_503 + record * key as u32 * 977) / 7 % values + 1
    };
    let codes = (0..keys).map(|key| (0..records).map(|record| code(key, record)).collect()).collect();
    let counted = CountedCells { codes, counts: vec![1; records as usize], ..CountedCells::default() };
    SearchTable::new((0..keys).map(one).collect(), counted).unwrap()
}

/// Sizes of the classes of a release, told apart by the texts that are published.
pub(crate) fn published_sizes(table: &SearchTable, recoded: &Recoded) -> Vec<u64> {
    let mut classes: BTreeMap<Vec<Option<&str>>, u64> = BTreeMap::new();
    for (cell, count) in table.counted().counts.iter().enumerate() {
        let Some(round) = recoded.round[cell] else { continue };
        let text = |(key, level): (usize, &usize)| {
            let level = &table.keys()[key].levels[*level];
            level.texts[level.labels[table.counted().codes[key][cell] as usize] as usize].as_deref()
        };
        let texts = recoded.rounds[round as usize].iter().enumerate().map(text).collect();
        *classes.entry(texts).or_default() += count;
    }
    classes.into_values().filter(|size| *size > 0).collect()
}

/// All recodings that meet the models, best first; equal losses by levels.
pub(crate) fn by_enumeration(
    table: &SearchTable,
    models: &[Box<dyn Model>],
    measure: &Measure,
    limit: f64,
) -> Vec<(Vec<usize>, f64)> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for key in table.keys() {
        all =
            all.iter().flat_map(|levels| (0..key.levels.len()).map(|level| [&levels[..], &[level]].concat())).collect();
    }
    let most = limit * table.records() as f64 + 1e-6;
    let mut found: Vec<(Vec<usize>, Facts)> = Vec::new();
    for levels in all {
        let mut kept = kept_cells(table, models, &levels);
        while !release_holds(models, &sizes(table, &levels, &kept)) {
            drop_smallest(table, &levels, &mut kept);
        }
        let facts = facts(table, &levels, &kept);
        if (facts.records - facts.kept) as f64 <= most {
            found.push((levels, facts));
        }
    }
    found.sort_by(|a, b| measure.compare(&a.1, &b.1).then_with(|| a.0.cmp(&b.0)));
    found.into_iter().map(|(levels, facts)| (levels, measure.measure(&facts).0)).collect()
}

fn release_holds(models: &[Box<dyn Model>], sizes: &[u64]) -> bool {
    let mut release = Release { sizes: BTreeMap::new(), sampling_fraction: None, population: None };
    sizes.iter().for_each(|size| *release.sizes.entry(*size).or_default() += 1);
    models.iter().all(|model| model.release_holds(&release))
}

/// The smallest class goes, of several the first by the texts of its labels.
fn drop_smallest(table: &SearchTable, levels: &[usize], kept: &mut [bool]) {
    let all_keys: Vec<usize> = (0..table.keys().len()).collect();
    let texts = |cell: usize| -> Vec<Option<&str>> {
        let text = |key: &usize| {
            let level = &table.keys()[*key].levels[levels[*key]];
            level.texts[level.labels[table.counted().codes[*key][cell] as usize] as usize].as_deref()
        };
        all_keys.iter().map(text).collect()
    };
    let staying = |class: &Vec<usize>| -> u64 {
        class.iter().filter(|cell| kept[**cell]).map(|cell| table.counted().counts[*cell]).sum()
    };
    let there = classes(table, levels, &all_keys).into_iter().filter(|class| staying(class) > 0);
    let smallest = there.min_by_key(|class| (staying(class), texts(class[0])));
    smallest.unwrap().into_iter().for_each(|cell| kept[cell] = false);
}

fn label(table: &SearchTable, levels: &[usize], key: usize, cell: usize) -> u32 {
    table.keys()[key].levels[levels[key]].labels[table.counted().codes[key][cell] as usize]
}

fn labels(table: &SearchTable, levels: &[usize], keys: &[usize], cell: usize) -> Vec<u32> {
    keys.iter().map(|key| label(table, levels, *key, cell)).collect()
}

/// First what margins and monotone models remove, then what all do; each until nothing changes.
fn kept_cells(table: &SearchTable, models: &[Box<dyn Model>], levels: &[usize]) -> Vec<bool> {
    let counted = table.counted();
    let all_keys: Vec<usize> = (0..table.keys().len()).collect();
    let margins: Vec<Margin> = models.iter().flat_map(|model| model.margins(all_keys.len())).collect();
    let partial = margins.iter().any(|margin| margin.subset.is_some());
    let sure =
        |model: &dyn Model| model.is_monotone() && !(partial && (model.reads_sensitive() || model.reads_population()));
    let mut kept: Vec<bool> = counted.counts.iter().map(|count| *count > 0).collect();
    for every in [false, true] {
        loop {
            let before = kept.clone();
            for margin in &margins {
                let asked = |cell: usize| margin.subset.is_none_or(|subset| counted.subsets[cell] >> subset & 1 == 1);
                let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
                for cell in (0..table.len()).filter(|cell| kept[*cell] && asked(*cell)) {
                    *counts.entry(labels(table, levels, &margin.keys, cell)).or_default() += counted.counts[cell];
                }
                for cell in (0..table.len()).filter(|cell| asked(*cell)) {
                    let count = counts.get(&labels(table, levels, &margin.keys, cell));
                    kept[cell] &= count.is_some_and(|count| *count >= margin.k);
                }
            }
            if kept != before {
                continue;
            }
            for class in classes(table, levels, &all_keys) {
                let staying = || class.iter().copied().filter(|cell| kept[*cell]);
                let records = staying().map(|cell| counted.counts[cell]).sum();
                if records == 0 {
                    continue;
                }
                let mut values: BTreeMap<u32, u64> = BTreeMap::new();
                for (code, count) in staying().flat_map(|cell| counted.sensitive[cell][0].iter()) {
                    *values.entry(*code).or_default() += count;
                }
                let sensitive = [values.into_iter().collect()];
                let population = Some(class.iter().map(|cell| counted.population[*cell]).sum());
                let seen = Class { records, population, sensitive: &sensitive };
                if models.iter().any(|model| (every || sure(&**model)) && !model.class_holds(&seen)) {
                    class.iter().for_each(|cell| kept[*cell] = false);
                }
            }
            if kept == before {
                break;
            }
        }
    }
    kept
}

fn classes(table: &SearchTable, levels: &[usize], keys: &[usize]) -> Vec<Vec<usize>> {
    let mut classes: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for cell in 0..table.len() {
        classes.entry(labels(table, levels, keys, cell)).or_default().push(cell);
    }
    classes.into_values().collect()
}

fn sizes(table: &SearchTable, levels: &[usize], kept: &[bool]) -> Vec<u64> {
    let all_keys: Vec<usize> = (0..table.keys().len()).collect();
    let size =
        |class: Vec<usize>| class.into_iter().filter(|cell| kept[*cell]).map(|cell| table.counted().counts[cell]).sum();
    classes(table, levels, &all_keys).into_iter().map(size).filter(|size| *size > 0).collect()
}

fn facts(table: &SearchTable, levels: &[usize], kept: &[bool]) -> Facts {
    let square = |sizes: Vec<u64>| sizes.into_iter().map(|size| u128::from(size * size)).sum();
    let released = sizes(table, levels, kept);
    Facts {
        records: table.records(),
        kept: released.iter().sum(),
        least_kept: 0,
        classes: released.len() as u64,
        squares: square(released),
        all_squares: square(sizes(table, levels, &vec![true; table.len()])),
        keys: (0..table.keys().len()).map(|key| key_facts(table, levels, kept, key)).collect(),
    }
}

fn key_facts(table: &SearchTable, levels: &[usize], kept: &[bool], key: usize) -> KeyFacts {
    let counts = &table.counted().counts;
    let level = &table.keys()[key].levels[levels[key]];
    let mut facts = KeyFacts {
        domain: table.keys()[key].domain,
        height: table.keys()[key].levels.len() as u64 - 1,
        ..KeyFacts::default()
    };
    let mut records = vec![0u64; level.len()];
    let mut lost = vec![0u64; level.len()];
    let mut values: BTreeMap<u32, u64> = BTreeMap::new();
    for cell in 0..table.len() {
        let label = label(table, levels, key, cell) as usize;
        records[label] += counts[cell];
        *values.entry(table.counted().codes[key][cell]).or_default() += counts[cell];
        facts.all_leaves += counts[cell] * level.leaves[label];
        if kept[cell] {
            facts.leaves += counts[cell] * level.leaves[label];
            facts.steps += counts[cell] * levels[key] as u64;
        } else {
            lost[label] += counts[cell];
        }
    }
    let all_lost: u64 = lost.iter().sum();
    let bits = |part: u64, whole: u64| if part == 0 { 0.0 } else { part as f64 * (whole as f64 / part as f64).log2() };
    facts.entropy =
        values.iter().map(|(code, count)| bits(*count, records[level.labels[*code as usize] as usize])).sum();
    facts.spread = lost.iter().map(|lost| bits(*lost, all_lost)).sum();
    facts
}
