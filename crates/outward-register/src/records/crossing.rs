//! Groupings of a variable that cross: the bands 10–19 and 15–24 together give 15–19.

use std::collections::{BTreeMap, BTreeSet};

use outward_cells::{Coded, MISSING};

/// Two groups of a variable that overlap although neither is inside the other. Both together give a finer group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossing {
    /// The group of the earlier release.
    pub earlier: String,
    /// The group of the new one.
    pub new: String,
    /// The overlap, if the labels show it.
    pub gives: Option<String>,
    /// How many of the exposed records have both.
    pub records: u64,
}

/// The groups of a variable that cross in two releases, among exposed records. Those with most records come first.
pub fn crossings(earlier: &Coded, new: &Coded, present: impl Fn(usize) -> bool, exposed: &[usize]) -> Vec<Crossing> {
    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    let is_shown =
        |record: &usize| present(*record) && earlier.codes[*record] != MISSING && new.codes[*record] != MISSING;
    for record in (0..new.codes.len()).filter(is_shown) {
        pairs.insert((earlier.codes[record], new.codes[record]));
    }
    let (mut of_earlier, mut of_new) = (BTreeMap::<u32, usize>::new(), BTreeMap::<u32, usize>::new());
    for (then, now) in &pairs {
        *of_earlier.entry(*then).or_default() += 1;
        *of_new.entry(*now).or_default() += 1;
    }
    let is_finer = |pair: &(u32, u32)| of_earlier[&pair.0] > 1 && of_new[&pair.1] > 1;
    let mut records: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for record in exposed.iter().filter(|record| is_shown(record)) {
        let pair = (earlier.codes[*record], new.codes[*record]);
        if is_finer(&pair) {
            *records.entry(pair).or_default() += 1;
        }
    }
    let mut found: Vec<Crossing> = records
        .into_iter()
        .filter_map(|((then, now), records)| {
            let (then, now) = (earlier.dictionary.value(then)?, new.dictionary.value(now)?);
            let gives = Band::of_label(then).zip(Band::of_label(now)).and_then(|(then, now)| then.and(now).label());
            Some(Crossing { earlier: then.to_owned(), new: now.to_owned(), gives, records })
        })
        .collect();
    found.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| (&a.earlier, &a.new).cmp(&(&b.earlier, &b.new))));
    found
}

/// A band of whole numbers, both ends included, as hierarchies label them: `under 16`, `16-24`, `45 or over`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Band {
    first: Option<i64>,
    last: Option<i64>,
}

impl Band {
    fn of_label(label: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<i64>().ok();
        if let Some(edge) = label.strip_prefix("under ") {
            return Some(Self { first: None, last: Some(number(edge)?.checked_sub(1)?) });
        }
        if let Some(edge) = label.strip_suffix(" or over") {
            return Some(Self { first: number(edge), last: None }).filter(|band| band.first.is_some());
        }
        if let Some(edge) = label.strip_suffix(" or under") {
            return Some(Self { first: None, last: number(edge) }).filter(|band| band.last.is_some());
        }
        let between = |separator: &str| {
            // A number may begin with a minus.
            let at = label.get(1..)?.find(separator)? + 1;
            let (first, last) = (number(&label[..at])?, number(&label[at + separator.len()..])?);
            (first <= last).then_some(Self { first: Some(first), last: Some(last) })
        };
        let alone = || number(label).map(|only| Self { first: Some(only), last: Some(only) });
        between(" to ").or_else(|| between("-")).or_else(|| between("–")).or_else(alone)
    }

    /// The overlap of two bands.
    fn and(self, other: Self) -> Self {
        let first = match (self.first, other.first) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        let last = match (self.last, other.last) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Self { first, last }
    }

    fn label(self) -> Option<String> {
        match (self.first, self.last) {
            (Some(first), Some(last)) if first == last => Some(first.to_string()),
            (Some(first), Some(last)) if first < last => {
                let separator = if first < 0 { " to " } else { "-" };
                Some(format!("{first}{separator}{last}"))
            }
            (Some(first), None) => Some(format!("{first} or over")),
            (None, Some(last)) => Some(format!("{last} or under")),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use outward_cells::Dictionary;

    use super::*;

    #[test]
    fn a_blank_is_no_group_that_another_overlaps() {
        let coded = |labels: &[&str], codes: &[u32]| Coded {
            codes: codes.to_vec(),
            dictionary: Dictionary::new(labels.iter().map(|label| Box::from(*label)).collect(), false),
        };
        let narrow = coded(&["20-39", "40 or over"], &[1, 2, MISSING, 1]);
        let wide = coded(&["20 or over"], &[1, 1, 1, MISSING]);
        assert_eq!(crossings(&narrow, &wide, |_| true, &[0, 1, 2, 3]), []);
    }

    #[test]
    fn two_bands_give_what_is_in_both() {
        let both = |one: &str, other: &str| Band::of_label(one).unwrap().and(Band::of_label(other).unwrap()).label();
        assert_eq!(both("10-19", "15-24").unwrap(), "15-19");
        assert_eq!(both("under 16", "10-19").unwrap(), "10-15");
        assert_eq!(both("45 or over", "40-49").unwrap(), "45-49");
        assert_eq!(both("-9 to -5", "-7 or over").unwrap(), "-7 to -5");
        assert_eq!(both("10-19", "19-24").unwrap(), "19");
        assert_eq!(both("10-19", "20-24"), None);
        assert_eq!(Band::of_label("north"), None);
        assert_eq!(Band::of_label("2010-Q1"), None);
    }
}
