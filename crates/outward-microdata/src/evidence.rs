//! What must be known of records to judge them by a policy. It has the cells of their keys, their sensitive values, the
//! subsets that a policy names, and the population.

use std::collections::{HashMap, HashSet};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use outward_cells::{Cells, Coded, Dictionary};
use outward_spec::{Diversity, Error, Hierarchy, Missing, Result, Rules, Spec, Variable};

use crate::judge::CellTable;
use crate::models::{AskedModels, Distance, DiversityKind, Model, SensitiveVariable, WeakK};
use crate::search::{CountedCells, Key, text_ranks};
use crate::steps::Setting;
use crate::swap::groups::RecordGroups;

/// The most conditions on records that are counted apart: each one doubles what is to be counted.
pub const MAX_CONDITIONS: usize = 6;

/// A key, its values and what a missing one matches.
#[derive(Debug, Clone)]
pub struct EvidenceKey {
    /// The variable's name.
    pub name: String,
    /// The values of the records and of the population.
    pub dictionary: Dictionary,
    /// Whether a missing value matches every other.
    pub wild: bool,
}

/// What is known of records.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The keys.
    pub keys: Vec<EvidenceKey>,
    /// Their cells. Cells whose records are in different subsets are kept apart.
    pub counted: CountedCells,
    /// The conditions that make the subsets.
    pub conditions: Vec<String>,
    /// The sensitive variables and their values.
    pub sensitive: Vec<(String, Dictionary)>,
    /// Whether there is a population.
    pub has_population: bool,
    /// The share of the population that is in the records, where known.
    pub sampling_fraction: Option<f64>,
}

/// Cells of the records that meet some of the conditions and none of the others.
#[derive(Debug)]
pub struct CountedPart<'a> {
    /// Bit `i` says whether condition `i` is met.
    pub pattern: u64,
    /// The cells of the keys.
    pub cells: &'a Cells,
    /// For each sensitive variable the cells of the keys and, last, that variable.
    pub sensitive: Vec<&'a Cells>,
}

impl Evidence {
    /// From counted cells: for every pattern of conditions a part, all of the same keys in the same order.
    pub fn of_parts(
        spec: &Spec,
        parts: &[CountedPart<'_>],
        conditions: Vec<String>,
        population: Option<&Cells>,
    ) -> Result<Self> {
        let first = parts.first().ok_or_else(|| Error::bug("no part of the records was counted"))?;
        let names: Vec<String> = first.cells.keys().iter().map(|key| key.name.clone()).collect();
        let theirs = population.map(|population| positions(population, &names)).transpose()?;
        let mut keys = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let mine = parts.iter().map(|part| &*part.cells.keys()[at].dictionary);
            let others =
                population.zip(theirs.as_ref()).map(|(cells, at_theirs)| &*cells.keys()[at_theirs[at]].dictionary);
            keys.push(EvidenceKey {
                name: name.clone(),
                dictionary: united(mine.chain(others)),
                wild: is_wild(spec, name),
            });
        }
        let mut sensitive = Vec::new();
        for at in 0..first.sensitive.len() {
            let dictionaries = parts.iter().filter_map(|part| part.sensitive[at].keys().last());
            let name = first.sensitive[at].keys().last().map(|key| key.name.clone()).unwrap_or_default();
            sensitive.push((name, united(dictionaries.map(|key| &*key.dictionary))));
        }
        let mut counted = CountedCells { codes: vec![Vec::new(); keys.len()], ..CountedCells::default() };
        for part in parts {
            add_part(&mut counted, part, &keys, &sensitive)?;
        }
        if let Some((population, at)) = population.zip(theirs) {
            add_population(&mut counted, population, &at, &keys);
        }
        if conditions.is_empty() {
            counted.subsets.clear();
        }
        Ok(Self { keys, counted, conditions, sensitive, has_population: population.is_some(), sampling_fraction: None })
    }

    /// From records in memory, before step `at` of the spec; also the cell of every record.
    pub fn of_records(setting: &Setting, records: &RecordBatch, at: usize) -> Result<(Self, Vec<u32>)> {
        let spec = &setting.spec;
        let variables: Vec<&Variable> = setting.keys(records);
        if variables.is_empty() {
            return Err(Error::input("no key is left to protect").help("give variables the role `key`").into());
        }
        let column = |name: &str| records.column_by_name(name).map(Coded::from_column).transpose();
        let coded: Vec<Coded> =
            variables.iter().filter_map(|key| column(&key.name).transpose()).collect::<Result<_>>()?;
        let (conditions, patterns) = conditions(setting, records);
        let sensitive: Vec<(String, Coded)> = spec
            .sensitive()
            .iter()
            .filter_map(|variable| column(&variable.name).transpose().map(|coded| Ok((variable.name.clone(), coded?))))
            .collect::<Result<_>>()?;
        let mut columns: Vec<&[u32]> = coded.iter().map(|coded| coded.codes.as_slice()).collect();
        columns.push(&patterns);
        let groups = RecordGroups::of_columns(&columns, records.num_rows());
        let mut first = vec![usize::MAX; groups.count];
        for (row, group) in groups.of.iter().enumerate() {
            first[*group as usize] = first[*group as usize].min(row);
        }
        let population = population_for(setting, &variables, at)?;
        let names: Vec<String> = variables.iter().map(|key| key.name.clone()).collect();
        let mut keys = Vec::new();
        let mut codes = Vec::new();
        let theirs = population.as_ref().map(|population| positions(population, &names)).transpose()?;
        for (key, (name, mine)) in names.iter().zip(&coded).enumerate() {
            let other = population.as_ref().zip(theirs.as_ref()).map(|(cells, at)| &*cells.keys()[at[key]].dictionary);
            let dictionary = united([&mine.dictionary].into_iter().chain(other));
            let map = map(&mine.dictionary, &dictionary);
            codes.push(first.iter().map(|row| map[mine.codes[*row] as usize]).collect());
            keys.push(EvidenceKey { name: name.clone(), dictionary, wild: is_wild(spec, name) });
        }
        let mut counted = CountedCells { codes, counts: groups.sizes(), ..CountedCells::default() };
        if !conditions.is_empty() {
            counted.subsets = first.iter().map(|row| u64::from(patterns[*row] - 1)).collect();
        }
        if !sensitive.is_empty() {
            let columns: Vec<&[u32]> = sensitive.iter().map(|(_, coded)| coded.codes.as_slice()).collect();
            counted.sensitive = histograms(&groups, &columns);
        }
        if let Some((population, at)) = population.as_ref().zip(theirs) {
            add_population(&mut counted, population, &at, &keys);
        }
        let sensitive = sensitive.into_iter().map(|(name, coded)| (name, coded.dictionary)).collect();
        let evidence = Self {
            keys,
            counted,
            conditions,
            sensitive,
            has_population: population.is_some(),
            sampling_fraction: setting.fraction_at(at),
        };
        Ok((evidence, groups.of))
    }

    /// The cells as the judge takes them: first those that records have, in their order, then those of the population alone.
    pub fn table(&self) -> Result<CellTable> {
        let ranks = |key: &EvidenceKey| {
            let texts: Vec<Option<&str>> = std::iter::once(None).chain(key.dictionary.values().map(Some)).collect();
            text_ranks(&texts)
        };
        let ranked = self.keys.iter().map(ranks).zip(&self.counted.codes);
        self.cell_table(ranked.map(|(ranks, codes)| codes.iter().map(|code| ranks[*code as usize]).collect()).collect())
    }

    /// The same after every key is recoded to one of its levels.
    pub(crate) fn table_at(&self, keys: &[Key], levels: &[usize]) -> Result<CellTable> {
        let recoded = |((key, level), codes): ((&Key, &usize), &Vec<u32>)| {
            let level = &key.levels[*level];
            let texts: Vec<Option<&str>> = level.texts.iter().map(Option::as_deref).collect();
            let ranks = text_ranks(&texts);
            codes.iter().map(|code| ranks[level.labels[*code as usize] as usize]).collect()
        };
        self.cell_table(keys.iter().zip(levels).zip(&self.counted.codes).map(recoded).collect())
    }

    /// The table of cells with these codes of the keys.
    fn cell_table(&self, codes: Vec<Vec<u32>>) -> Result<CellTable> {
        let counted = &self.counted;
        let combination = |cell: usize| codes.iter().map(|column| column[cell]).collect::<Vec<u32>>();
        let mut there: Vec<usize> = (0..counted.counts.len()).filter(|cell| counted.counts[*cell] > 0).collect();
        let mut people: HashMap<Vec<u32>, u64> = HashMap::new();
        if self.has_population {
            let mut known: HashSet<Vec<u32>> = there.iter().map(|cell| combination(*cell)).collect();
            for (cell, count) in counted.population.iter().enumerate().filter(|(_, count)| **count > 0) {
                *people.entry(combination(cell)).or_default() += count;
                if known.insert(combination(cell)) {
                    there.push(cell);
                }
            }
        }
        let keys = codes.iter().map(|column| there.iter().map(|cell| column[*cell]).collect()).collect();
        let counts: Vec<u64> = there.iter().map(|cell| counted.counts[*cell]).collect();
        let mut table =
            CellTable::new(keys, counts.clone())?.with_wild(self.keys.iter().map(|key| key.wild).collect())?;
        for subset in 0..self.conditions.len() {
            let inside = there.iter().zip(&counts).map(|(cell, count)| match counted.subsets[*cell] >> subset & 1 {
                1 => *count,
                _ => 0,
            });
            table = table.with_subset(inside.collect())?;
        }
        for variable in 0..counted.sensitive.first().map_or(0, Vec::len) {
            let entries = there.iter().enumerate().flat_map(|(at, cell)| {
                counted.sensitive[*cell][variable].iter().map(move |(code, count)| (at, *code, *count))
            });
            table = table.with_sensitive(entries)?;
        }
        if self.has_population {
            let of = |cell: &usize| people.get(&combination(*cell)).copied().unwrap_or(0);
            table = table.with_population(there.iter().map(of).collect())?;
        }
        Ok(table.with_sampling_fraction(self.sampling_fraction))
    }

    /// The models a policy asks for of these records. `k` stands in place of the policy's where it is given.
    pub fn models(&self, spec: &Spec, rules: &Rules, k: Option<u64>) -> Result<Vec<Box<dyn Model>>> {
        self.asked(spec, rules, k)?.models()
    }

    pub(crate) fn asked(&self, spec: &Spec, rules: &Rules, k: Option<u64>) -> Result<AskedModels> {
        let names: Vec<String> = self.keys.iter().map(|key| key.name.clone()).collect();
        let mut weak = Vec::new();
        for scenario in spec.scenarios_with_k(rules) {
            // Variables that were dropped are in no combination; others that are not keys are judged elsewhere.
            let published = |name: &&String| !spec.steps.iter().any(|step| step.drops(name));
            let keys: Option<Vec<usize>> =
                scenario.keys.iter().filter(published).map(|name| names.iter().position(|key| key == name)).collect();
            let Some(keys) = keys else { continue };
            let subset = match &scenario.condition {
                None => None,
                Some(condition) => match self.conditions.iter().position(|known| known == condition) {
                    Some(at) => Some(at),
                    // It cannot be judged on these records yet, but is when they are written.
                    None => continue,
                },
            };
            let asked = scenario.k.unwrap_or(rules.k);
            if !keys.is_empty() && asked > 1 {
                weak.push(WeakK { keys, subset, k: asked });
            }
        }
        let reads_sensitive = rules.l.is_some_and(|l| l > 1) || rules.t.is_some_and(|t| t < 1.0);
        Ok(AskedModels {
            sensitive: if reads_sensitive { self.sensitive_variables(spec, rules)? } else { Vec::new() },
            keys: names,
            subsets: self.conditions.clone(),
            has_population: self.has_population,
            sampling_fraction: self.sampling_fraction,
            k: Some(k.unwrap_or(rules.k)).filter(|k| *k > 1),
            weak,
            all_combinations: rules.all_combinations.map(|all| (all.keys.min(self.keys.len()), all.k)),
            diversity: rules.l.filter(|l| *l > 1).map(|l| match rules.l_measure {
                Diversity::Distinct => DiversityKind::Distinct { l },
                Diversity::Entropy => DiversityKind::Entropy { l: l as f64 },
                Diversity::Recursive => DiversityKind::Recursive { c: rules.l_factor, l },
            }),
            t: rules.t.filter(|t| *t < 1.0),
            presence: rules.presence.map(|presence| (presence.least, presence.most)),
            k_map: rules.k_map,
            population_unique_share: rules.population_unique_share,
            average_risk: rules.average_risk,
            highest_risk: rules.highest_risk,
            max_unique_share: rules.max_unique_share,
            ..AskedModels::default()
        })
    }

    fn sensitive_variables(&self, spec: &Spec, rules: &Rules) -> Result<Vec<SensitiveVariable>> {
        let one = |(at, (name, dictionary)): (usize, &(String, Dictionary))| -> Result<SensitiveVariable> {
            let pairs = self.counted.sensitive.iter().flat_map(|cell| cell[at].iter().copied()).collect();
            let hierarchy = spec.variable(name).map(|variable| spec.hierarchy(variable)).transpose()?.flatten();
            let whole = summed(pairs);
            Ok(SensitiveVariable {
                name: name.clone(),
                complete: whole.first().is_none_or(|(code, _)| *code != 0),
                whole,
                distance: distance(rules, name, dictionary, hierarchy.as_ref())?,
            })
        };
        self.sensitive.iter().enumerate().map(one).collect()
    }
}

/// How far apart the values of a sensitive variable are under a policy.
fn distance(rules: &Rules, name: &str, dictionary: &Dictionary, hierarchy: Option<&Hierarchy>) -> Result<Distance> {
    Ok(match rules.t_distance {
        outward_spec::Distance::Equal => Distance::Equal,
        outward_spec::Distance::Ordered => Distance::Ordered,
        outward_spec::Distance::Hierarchical => {
            let Some(hierarchy) = hierarchy else {
                return Err(Error::input("the policy measures distance by a hierarchy, and this variable has none")
                    .variable(name)
                    .help("give the variable a `hierarchy`, or set `t_distance` to \"equal\" or \"ordered\"")
                    .into());
            };
            let key = Key::new(name, dictionary, Some(hierarchy))?;
            // Level 0 is the values themselves, which are the leaves of the tree and no inner level.
            Distance::Hierarchical(key.levels.iter().skip(1).map(|level| level.labels.clone()).collect())
        }
    })
}

/// The population file on the keys before step `at`, where the policy asks about the population. k-map and δ-presence
/// need it. A share of population uniques is estimated if the keys can no longer be compared.
pub fn population_for(setting: &Setting, keys: &[&Variable], at: usize) -> Result<Option<Cells>> {
    let rules = &setting.rules;
    if rules.k_map.is_some() || rules.presence.is_some() {
        return setting.population(keys, at);
    }
    match rules.population_unique_share {
        Some(_) => Ok(setting.population(keys, at).ok().flatten()),
        None => Ok(None),
    }
}

fn is_wild(spec: &Spec, name: &str) -> bool {
    spec.variable(name).map_or(spec.missing, |variable| spec.missing_of(variable)) == Missing::Wildcard
}

/// The conditions of a policy that can be evaluated on the records, and for each record a number: which of them it
/// meets, plus one.
fn conditions(setting: &Setting, records: &RecordBatch) -> (Vec<String>, Vec<u32>) {
    let mut known = Vec::new();
    let mut patterns = vec![1; records.num_rows()];
    for (at, condition) in setting.conditions().into_iter().enumerate().take(MAX_CONDITIONS) {
        let column = records.column_by_name(&Setting::condition_column(at));
        let Some(holds) = column.and_then(|column| column.as_boolean_opt()) else { continue };
        for (pattern, holds) in patterns.iter_mut().zip(holds) {
            *pattern += u32::from(holds == Some(true)) << known.len();
        }
        known.push(condition);
    }
    (known, patterns)
}

fn positions(cells: &Cells, names: &[String]) -> Result<Vec<usize>> {
    let position = |name: &String| {
        cells.key(name).ok_or_else(|| {
            let help = "give the population file a column of this name, or leave the key out";
            Error::from(Error::input("the population does not have this key").variable(name).help(help))
        })
    };
    names.iter().map(position).collect()
}

fn united<'a>(dictionaries: impl IntoIterator<Item = &'a Dictionary>) -> Dictionary {
    let dictionaries: Vec<&Dictionary> = dictionaries.into_iter().collect();
    let values = dictionaries.iter().flat_map(|dictionary| dictionary.values().map(Box::from)).collect();
    Dictionary::new(values, dictionaries.iter().all(|dictionary| dictionary.is_numeric()))
}

/// For each code of one dictionary, missing included, that of another.
fn map(from: &Dictionary, to: &Dictionary) -> Vec<u32> {
    std::iter::once(0).chain(from.values().map(|value| to.code(value).unwrap_or(0))).collect()
}

fn add_part(
    counted: &mut CountedCells,
    part: &CountedPart<'_>,
    keys: &[EvidenceKey],
    sensitive: &[(String, Dictionary)],
) -> Result<()> {
    for (at, key) in keys.iter().enumerate() {
        let map = map(&part.cells.keys()[at].dictionary, &key.dictionary);
        counted.codes[at].extend((0..part.cells.len()).map(|cell| map[part.cells.code(cell, at) as usize]));
    }
    counted.counts.extend_from_slice(part.cells.counts());
    counted.subsets.extend(std::iter::repeat_n(part.pattern, part.cells.len()));
    if sensitive.is_empty() {
        return Ok(());
    }
    let mut histograms = vec![Vec::new(); part.cells.len()];
    for (cells, (_, dictionary)) in part.sensitive.iter().zip(sensitive) {
        let runs = cells.runs(keys.len());
        if runs.len() != part.cells.len() {
            return Err(Error::bug("sensitive values were counted on other records"));
        }
        let map = map(&cells.keys()[keys.len()].dictionary, dictionary);
        for (histogram, run) in histograms.iter_mut().zip(runs) {
            let pairs = run.map(|cell| (map[cells.code(cell, keys.len()) as usize], cells.counts()[cell]));
            histogram.push(summed(pairs.collect()));
        }
    }
    counted.sensitive.extend(histograms);
    Ok(())
}

/// Cells of the population, of no record of the data.
fn add_population(counted: &mut CountedCells, population: &Cells, at: &[usize], keys: &[EvidenceKey]) {
    counted.population = vec![0; counted.counts.len()];
    for (key, at) in at.iter().enumerate() {
        let map = map(&population.keys()[*at].dictionary, &keys[key].dictionary);
        counted.codes[key].extend((0..population.len()).map(|cell| map[population.code(cell, *at) as usize]));
    }
    counted.counts.extend(std::iter::repeat_n(0, population.len()));
    counted.population.extend_from_slice(population.counts());
    if !counted.subsets.is_empty() {
        counted.subsets.extend(std::iter::repeat_n(0, population.len()));
    }
    if !counted.sensitive.is_empty() {
        let none = vec![Vec::new(); counted.sensitive[0].len()];
        counted.sensitive.extend(std::iter::repeat_n(none, population.len()));
    }
}

fn histograms(groups: &RecordGroups, columns: &[&[u32]]) -> Vec<Vec<Vec<(u32, u64)>>> {
    let mut pairs = vec![vec![Vec::new(); columns.len()]; groups.count];
    for (row, group) in groups.of.iter().enumerate() {
        for (pairs, column) in pairs[*group as usize].iter_mut().zip(columns) {
            pairs.push((column[row], 1));
        }
    }
    pairs.into_iter().map(|cell| cell.into_iter().map(summed).collect()).collect()
}

/// Pairs of code and count, each code once and in ascending order.
fn summed(mut pairs: Vec<(u32, u64)>) -> Vec<(u32, u64)> {
    pairs.sort_unstable_by_key(|(code, _)| *code);
    pairs.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    pairs
}
