//! Differencing from published figures alone, without the data.
//!
//! A published table gives the values of each of its rows and columns by number. Two releases of the same data number
//! the values of a column alike, unless a hierarchy of one lists values that the other lacks. Numbers may not agree
//! with the labels of single values, or each release may have values that the other lacks. The variable is then
//! compared only within its own release. Conditions are compared by their text.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Protection;
use outward_tables::{Dimension, Published, Table, ValueSource};

use crate::differencing::{Differencing, PublishedCounts, differences};

/// The tables of a release, as they were published.
#[derive(Debug, Clone, Copy)]
pub struct PublishedRelease<'a> {
    /// The release: `release 3`, `this request`.
    pub name: &'a str,
    /// Whether it is not public yet.
    pub is_new: bool,
    /// Its tables.
    pub tables: &'a [Published],
    /// How they were protected.
    pub protection: &'a Protection,
}

/// The result of differencing from published figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FromFigures {
    /// The groups that can be worked out.
    pub differences: Differencing,
    /// What could not be compared without the data.
    pub not_seen: Vec<String>,
}

/// Most conditions that are compared. Each doubles the number of kinds of records.
const MAX_CONDITIONS: usize = 8;

/// Finds the groups of 1 to `few` people that follow from published tables of the same data and need a new table.
pub fn differences_of_figures(releases: &[PublishedRelease<'_>], few: i64) -> FromFigures {
    let mut not_seen = BTreeSet::new();
    // Conditions of new tables come first.
    let mut conditions: Vec<(String, String)> = Vec::new();
    for release in releases.iter().filter(|of| of.is_new).chain(releases.iter().filter(|of| !of.is_new)) {
        for table in release.tables.iter().map(|of| &of.table) {
            let own = table.condition.as_ref().map(|text| (table.unit.clone(), text.clone()));
            conditions.extend(own.filter(|own| !conditions.contains(own)));
        }
    }
    if conditions.len() > 1 {
        let texts: Vec<String> = conditions.iter().map(|(_, text)| format!("`{text}`")).collect();
        not_seen.insert(format!("what the conditions {} have in common", texts.join(", ")));
    }
    conditions.truncate(MAX_CONDITIONS);
    let mut numbering = Numbering::default();
    let mut tables: Vec<(usize, &Published, Table)> = Vec::new();
    for (at, release) in releases.iter().enumerate() {
        for published in release.tables {
            if published.table.magnitudes.is_some() || published.table.weighted.is_some() {
                not_seen.insert(format!(
                    "differences of sums and estimates: table `{}` of {}",
                    published.table.name, release.name
                ));
            }
            let mut table = published.table.clone();
            for dimension in &mut table.dimensions {
                if !numbering.agrees(dimension) {
                    not_seen.insert(format!(
                        "`{}` of {}: its values are numbered differently in another release",
                        dimension.label, release.name
                    ));
                    // A name that no other release has.
                    dimension.source = ValueSource::default();
                    dimension.variable = format!("{} of {}", dimension.variable, release.name);
                }
            }
            match place_by_condition(&mut table, &conditions) {
                true => tables.push((at, published, table)),
                false => {
                    not_seen.insert(format!(
                        "table `{}` of {}: there are more than {MAX_CONDITIONS} conditions",
                        table.name, release.name
                    ));
                }
            }
        }
    }
    let public: Vec<PublishedCounts<'_>> = tables
        .iter()
        .map(|(at, published, table)| {
            let release = &releases[*at];
            let known = PublishedCounts::of_new(release.name, published, release.protection).known;
            PublishedCounts { release: release.name.to_owned(), is_new: release.is_new, table, known }
        })
        .collect();
    FromFigures { differences: differences(&public, few), not_seen: not_seen.into_iter().collect() }
}

/// Numbers the kinds of records by the conditions, of any release, that they meet. Without the data it is not known
/// which conditions exclude each other. Returns whether the condition of the table is among them.
fn place_by_condition(table: &mut Table, conditions: &[(String, String)]) -> bool {
    let own: Vec<&String> = conditions.iter().filter(|(unit, _)| *unit == table.unit).map(|(_, text)| text).collect();
    let kept = table.condition.as_ref().map(|text| own.iter().position(|own| *own == text));
    if kept == Some(None) {
        return false;
    }
    let kinds = if own.is_empty() { 0 } else { 1u32 << own.len() };
    let is_met = |kind: &u32| kept.flatten().is_none_or(|kept| kind >> kept & 1 == 1);
    (table.kinds, table.records) = (kinds as usize, (0..kinds).filter(is_met).map(|kind| kind + 1).collect());
    true
}

/// The numbers of the values of each source, from the tables read so far.
#[derive(Default)]
struct Numbering {
    sizes: BTreeMap<ValueSource, usize>,
    labels: BTreeMap<(ValueSource, u32), String>,
}

impl Numbering {
    /// Whether the values of a variable have the same numbers as in the tables before.
    fn agrees(&mut self, dimension: &Dimension) -> bool {
        let source = &dimension.source;
        if source.is_empty() {
            return true;
        }
        let single = dimension.nodes.iter().filter(|node| node.level == 0 && node.finest && !node.total);
        let single: Vec<(u32, &String)> =
            single.filter_map(|node| Some((*node.values.first()?, &node.label))).collect();
        let known = |value: u32| self.labels.get(&(source.clone(), value));
        let fits = *self.sizes.get(source).unwrap_or(&dimension.size) == dimension.size
            && single.iter().all(|(value, label)| known(*value).is_none_or(|known| known == *label));
        if fits {
            self.sizes.insert(source.clone(), dimension.size);
            for (value, label) in single {
                self.labels.insert((source.clone(), value), label.clone());
            }
        }
        fits
    }
}
