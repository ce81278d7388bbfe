//! Rare codes: a code that fewer than n people hold is published as its group, or as the group of that.
//!
//! Each code begins at the level at which it would be published. As long as a published label has fewer than n holders,
//! all codes under it go up one level. If even the last group has too few, the rarest other label joins it. Holders are
//! people and not records: a person who has a code ten times counts once.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a code is published as where no finer group has enough holders.
pub(crate) const OTHER: &str = "other";

/// How the codes of a field become coarser.
pub(crate) trait Ladder {
    /// The label of a code at a level; none where the code has no place. The last level is one label for all.
    fn label<'a>(&'a self, code: &'a str, level: usize) -> Option<Cow<'a, str>>;
    /// How many levels there are, the code itself and the last included.
    fn levels(&self) -> usize;
}

/// What each code is published as, and how many codes are grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grouped {
    /// The label of each code.
    pub(crate) labels: BTreeMap<String, String>,
    /// Codes that stand in another label than they would without the rule.
    pub(crate) raised: u64,
}

/// Groups codes upward until every label has `least` holders; none where all of them together have fewer. `holders` are the people who hold each code,
/// sorted.
pub(crate) fn group_upward(
    holders: &BTreeMap<String, Vec<u32>>,
    ladder: &dyn Ladder,
    from: usize,
    least: u64,
) -> Option<Grouped> {
    let last = ladder.levels() - 1;
    let label = |code: &str, level: usize| -> String {
        match ladder.label(code, level.min(last)) {
            Some(label) if level < last => label.into_owned(),
            _ => OTHER.to_owned(),
        }
    };
    let mut levels: BTreeMap<&str, usize> = holders.keys().map(|code| (code.as_str(), from.min(last))).collect();
    loop {
        let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (code, level) in &levels {
            groups.entry(label(code, *level)).or_default().push(code);
        }
        let count = |codes: &[&str]| {
            let mut people: Vec<u32> = codes.iter().flat_map(|code| holders[*code].iter().copied()).collect();
            people.sort_unstable();
            people.dedup();
            people.len() as u64
        };
        let counts: BTreeMap<&str, u64> = groups.iter().map(|(label, codes)| (label.as_str(), count(codes))).collect();
        let is_rare = |label: &str| counts[label] < least;
        let can_rise = |label: &str| groups[label].iter().any(|code| levels[code] < last);
        let rising: Vec<&str> =
            groups.keys().map(String::as_str).filter(|label| is_rare(label) && can_rise(label)).collect();
        if !rising.is_empty() {
            for label in rising {
                for code in &groups[label] {
                    let level = levels.entry(code).or_default();
                    *level = (*level + 1).min(last);
                }
            }
            continue;
        }
        // No code can go up further. If the last group is still too small, the rarest other label joins it.
        match groups.keys().find(|label| is_rare(label)) {
            None => break,
            Some(small) => {
                let beside = groups
                    .keys()
                    .filter(|label| *label != small)
                    .min_by_key(|label| (counts[label.as_str()], *label))?;
                for code in &groups[beside] {
                    levels.insert(code, last);
                }
            }
        }
    }
    let labels: BTreeMap<String, String> =
        levels.iter().map(|(code, level)| ((*code).to_owned(), label(code, *level))).collect();
    let raised = labels.iter().filter(|(code, published)| label(code, from) != **published).count() as u64;
    Some(Grouped { labels, raised })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Codes of three characters: the code, its first two, its first, and all.
    struct Prefixes;

    impl Ladder for Prefixes {
        fn label<'a>(&'a self, code: &'a str, level: usize) -> Option<Cow<'a, str>> {
            Some(match level {
                0..3 => code[..3 - level].into(),
                _ => "*".into(),
            })
        }

        fn levels(&self) -> usize {
            4
        }
    }

    fn held(codes: &[(&str, std::ops::Range<u32>)]) -> BTreeMap<String, Vec<u32>> {
        codes.iter().map(|(code, people)| ((*code).to_owned(), people.clone().collect())).collect()
    }

    fn labels(codes: &[(&str, std::ops::Range<u32>)], least: u64) -> Vec<(String, String)> {
        group_upward(&held(codes), &Prefixes, 0, least).unwrap().labels.into_iter().collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(code, label)| ((*code).to_owned(), (*label).to_owned())).collect()
    }

    #[test]
    fn a_rare_code_joins_its_group_and_common_ones_stay() {
        let codes = [("J45", 0..9), ("J44", 9..11), ("J46", 11..14), ("K20", 14..20)];
        let expected = [("J44", "J4"), ("J45", "J45"), ("J46", "J4"), ("K20", "K20")];
        assert_eq!(labels(&codes, 5), pairs(&expected));
    }

    #[test]
    fn what_stays_rare_goes_on_upward_and_takes_the_rarest_with_it() {
        // Two holders of J44 are too few as J4, J and in the end as all others: K20, the rarest beside them, joins.
        let codes = [("J44", 0..2), ("K20", 2..8), ("L10", 8..20)];
        assert_eq!(labels(&codes, 5), pairs(&[("J44", "other"), ("K20", "other"), ("L10", "L10")]));
    }

    #[test]
    fn people_are_counted_and_not_records() {
        // The same three people hold both codes: together they are still three.
        let codes = [("J44", 0..3), ("J45", 0..3), ("K20", 0..9)];
        assert_eq!(labels(&codes, 5), pairs(&[("J44", "other"), ("J45", "other"), ("K20", "other")]));
    }

    #[test]
    fn fewer_people_than_asked_for_cannot_be_grouped() {
        assert_eq!(group_upward(&held(&[("J44", 0..3), ("K20", 1..4)]), &Prefixes, 0, 5), None);
        assert_eq!(group_upward(&BTreeMap::new(), &Prefixes, 0, 5).unwrap().raised, 0);
    }

    #[test]
    fn every_published_label_has_enough_holders_and_is_a_group_of_its_codes() {
        let people = proptest::collection::btree_set(0u32..60, 1..12);
        let codes = proptest::collection::btree_map("[AB][0-3][0-3]", people, 1..25);
        let (made, refused) = (Cell::new(0), Cell::new(0));
        outward_testing::random_cases::check(300, &(codes, 1u64..9, 0usize..4), |(codes, least, from)| {
            let holders: BTreeMap<String, Vec<u32>> =
                codes.into_iter().map(|(code, people)| (code, people.into_iter().collect())).collect();
            let all: BTreeSet<u32> = holders.values().flatten().copied().collect();
            let Some(grouped) = group_upward(&holders, &Prefixes, from, least) else {
                refused.set(refused.get() + 1);
                prop_assert!((all.len() as u64) < least);
                return Ok(());
            };
            made.set(made.get() + 1);
            prop_assert!(all.len() as u64 >= least);
            prop_assert_eq!(grouped.labels.len(), holders.len());
            let mut people: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
            for (code, label) in &grouped.labels {
                prop_assert!(label == OTHER || code.starts_with(label.as_str()));
                people.entry(label).or_default().extend(&holders[code]);
            }
            prop_assert!(people.values().all(|people| people.len() as u64 >= least));
            Ok(())
        });
        assert!(made.get() > 100 && refused.get() > 5, "{made:?} {refused:?}");
    }
}
