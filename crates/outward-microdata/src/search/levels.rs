//! The keys of a search: for each key its levels from finest to coarsest, and how much each label hides.

use std::collections::BTreeMap;

use outward_cells::{Dictionary, MISSING};
use outward_spec::{Error, Hierarchy, Result};

/// One level of a key: the label of every code, and what each label stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLevel {
    /// The label of each code; that of code 0, missing, is label 0 and of no other code.
    pub labels: Vec<u32>,
    /// How many values of the domain each label stands for; 1 for missing.
    pub leaves: Vec<u64>,
    /// The text of each label; absent for missing.
    pub texts: Vec<Option<Box<str>>>,
}

impl KeyLevel {
    /// How many labels there are, missing included.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there is not even the label of missing.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The share of the domain that a label stands for.
    pub fn share(&self, label: u32, domain: u64) -> f64 {
        self.leaves[label as usize] as f64 / domain.max(1) as f64
    }
}

/// A key: its levels from finest to coarsest, of which one is chosen for all records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The variable's name.
    pub name: String,
    /// How many values it can have, missing not counted.
    pub domain: u64,
    /// Its levels; the first is the values themselves.
    pub levels: Vec<KeyLevel>,
}

/// Most levels of one key.
const MAX_LEVELS: usize = 250;

impl Key {
    /// The levels that a hierarchy gives to the values of a dictionary, up to the first with one label for all. Without
    /// a hierarchy there is one level, the values.
    pub fn new(name: &str, dictionary: &Dictionary, hierarchy: Option<&Hierarchy>) -> Result<Self> {
        let Some(hierarchy) = hierarchy else {
            let level = level(dictionary, dictionary.values(), |value| Some(value.into()))?;
            return Ok(Self { name: name.to_owned(), domain: dictionary.len() as u64, levels: vec![level] });
        };
        let missed = hierarchy.missing(dictionary.values()).len();
        if missed > 0 {
            let what = format!("the hierarchy misses {missed} of {} values", dictionary.len());
            return Err(Error::input(what)
                .variable(name)
                .help("add them to the hierarchy, or correct them in the data; `outward assess` says in which row the first is, and with `--show-values` which they are (OUT016)")
                .into());
        }
        let make = |at: usize| {
            let label = |value: &str| hierarchy.recode(value, at).map(|label| label.as_ref().into());
            match hierarchy.values() {
                Some(values) => level(dictionary, values, label),
                None => level(dictionary, dictionary.values(), label),
            }
        };
        let levels = (0..=hierarchy.coarsest()).map(make).collect::<Result<Vec<_>>>()?;
        let domain = hierarchy.leaves().unwrap_or(dictionary.len()) as u64;
        Ok(Self { name: name.to_owned(), domain, levels })
    }

    /// How many steps up from the values the coarsest level is.
    pub fn height(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// For each level but the last, the label at the next level of each of its labels. Errors where levels do not nest.
    pub(super) fn parents(&self) -> Result<Vec<Vec<u32>>> {
        let wrong = |what: &str| Error::input(what).variable(&self.name).help("mend the hierarchy of this variable");
        if self.levels.is_empty() || self.levels.len() > MAX_LEVELS {
            return Err(wrong(&format!("a key has 1 to {MAX_LEVELS} levels, not {}", self.levels.len())).into());
        }
        let codes = self.levels[0].labels.len();
        for level in &self.levels {
            let sound = level.labels.len() == codes
                && level.leaves.len() == level.texts.len()
                && level.labels.iter().all(|label| (*label as usize) < level.leaves.len())
                && level.labels.iter().enumerate().all(|(code, label)| (code == 0) == (*label == 0))
                && level.leaves.iter().all(|leaves| (1..=self.domain.max(1)).contains(leaves));
            if !sound {
                return Err(Error::bug(format!("the levels of `{}` do not fit its codes", self.name)));
            }
        }
        let mut parents = Vec::new();
        for pair in self.levels.windows(2) {
            let mut parent: Vec<Option<u32>> = vec![None; pair[0].leaves.len()];
            for (fine, coarse) in pair[0].labels.iter().zip(&pair[1].labels) {
                if *parent[*fine as usize].get_or_insert(*coarse) != *coarse {
                    return Err(wrong("a label has two parents at the next level").into());
                }
            }
            parents.push(parent.into_iter().map(|label| label.unwrap_or(0)).collect());
        }
        Ok(parents)
    }
}

/// For each label its place among all labels in the order of their texts, missing first. This order does not depend on
/// the numbers of labels.
pub(crate) fn text_ranks(texts: &[Option<&str>]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    order.sort_by_key(|label| texts[*label as usize]);
    let mut ranks = vec![0; texts.len()];
    order.iter().zip(0..).for_each(|(label, rank)| ranks[*label as usize] = rank);
    ranks
}

/// A level of the codes of a dictionary, its leaves counted over `values`.
fn level<'a>(
    dictionary: &Dictionary,
    values: impl IntoIterator<Item = &'a str>,
    label: impl Fn(&str) -> Option<Box<str>>,
) -> Result<KeyLevel> {
    let lost = || Error::bug("a hierarchy covers a value but has no label for it");
    let mut leaves: BTreeMap<Box<str>, u64> = BTreeMap::new();
    for value in values {
        *leaves.entry(label(value).ok_or_else(lost)?).or_default() += 1;
    }
    let mut labels = vec![MISSING];
    let mut seen: BTreeMap<Box<str>, u32> = BTreeMap::new();
    let mut level = KeyLevel { labels: Vec::new(), leaves: vec![1], texts: vec![None] };
    for value in dictionary.values() {
        let text = label(value).ok_or_else(lost)?;
        let under = leaves.get(&text).copied().ok_or_else(lost)?;
        let at = *seen.entry(text.clone()).or_insert_with(|| {
            level.leaves.push(under);
            level.texts.push(Some(text));
            (level.leaves.len() - 1) as u32
        });
        labels.push(at);
    }
    level.labels = labels;
    Ok(level)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use std::path::Path;

    use super::*;

    fn dictionary(values: &[&str]) -> Dictionary {
        Dictionary::new(values.iter().map(|value| Box::from(*value)).collect(), false)
    }

    #[test]
    fn a_label_hides_all_values_of_the_hierarchy_under_it_seen_or_not() {
        let text = "a;first;*\nb;first;*\nc;first;*\nd;second;*\n";
        let hierarchy = Hierarchy::from_bytes(text.into(), Path::new("h.csv"), false, None).unwrap();
        let key = Key::new("v", &dictionary(&["a", "d"]), Some(&hierarchy)).unwrap();
        assert_eq!((key.domain, key.height()), (4, 2));
        assert_eq!(key.levels[1].leaves, [1, 3, 1]);
        assert_eq!(key.levels[2].labels, [0, 1, 1]);
        assert_eq!(key.levels[2].share(1, key.domain), 1.0);
        assert_eq!(key.levels[1].share(1, key.domain), 0.75);
    }

    #[test]
    fn a_hierarchy_that_misses_values_is_refused_without_naming_them() {
        let hierarchy = Hierarchy::from_bytes("a;A\nb;A\n".into(), Path::new("h.csv"), false, None).unwrap();
        let error = Key::new("job", &dictionary(&["a", "x", "y"]), Some(&hierarchy)).unwrap_err();
        assert_eq!(error.to_string(), "column `job`: the hierarchy misses 2 of 3 values");
    }

    #[test]
    fn a_key_without_hierarchy_has_one_level() {
        let key = Key::new("v", &dictionary(&["a", "b"]), None).unwrap();
        assert_eq!((key.levels.len(), key.domain), (1, 2));
        assert!(key.parents().unwrap().is_empty());
    }
}
