//! Values that do not join two phases: they are equal within groups of people who are at many places.
//!
//! Researchers know the place of everybody in the first phase and the value that they returned. In the second they see
//! the value again beside other data. So all that can join the two are equal values. A group of people with equal
//! values is **safe** for *n* if no place has more than one in *n* of them. A guess at the place of one of them is then
//! right with probability 1/n at most. Safe groups have *n* places or more.
//!
//! The groups are found by halving (Mondrian; LeFevre, DeWitt and Ramakrishnan 2006). All people are divided at the
//! median of the value with the widest spread. Each part is divided again, as long as both parts are safe. What is
//! published of a group is the mean of each value. People without values are a group as well: if it is not safe, the
//! smallest groups join it until it is.
//!
//! The cut depends on values alone, which the researchers have. So they know the groups, and can learn no more from them than that.

use std::collections::{BTreeSet, HashMap};

use outward_error::{Error, Result};

use crate::phased::{ReturnAccount, ReturnedColumn};

/// Somebody in the first phase.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Person {
    /// Their place, numbered.
    pub(crate) place: u32,
    /// What was returned of them.
    pub(crate) values: Option<Vec<f64>>,
}

/// The values that the second phase gives.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grouped {
    /// Of each person; none where they are missing.
    pub(crate) values: Vec<Option<Vec<f64>>>,
    /// Groups with values.
    pub(crate) groups: u64,
}

/// Groups people so that every group is safe for `least`.
pub(crate) fn group(people: &[Person], columns: usize, least: u64) -> Result<Grouped> {
    let (with, mut without): (Vec<usize>, Vec<usize>) =
        (0..people.len()).partition(|person| people[*person].values.is_some());
    let value = |person: usize, column: usize| people[person].values.as_ref().map_or(0.0, |values| values[column]);
    let spread = |members: &[usize], column: usize| {
        let (low, high) = members.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), person| {
            let value = value(*person, column);
            (low.min(value), high.max(value))
        });
        high - low
    };
    let whole: Vec<f64> = (0..columns).map(|column| spread(&with, column)).collect();
    let is_safe = |members: &[usize]| is_safe(people, members, least);
    let (mut waiting, mut groups) = (vec![with], Vec::new());
    while let Some(mut members) = waiting.pop() {
        let mut order: Vec<(f64, usize)> = (0..columns)
            .map(|column| (if whole[column] > 0.0 { spread(&members, column) / whole[column] } else { 0.0 }, column))
            .collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let parts = order.into_iter().filter(|(spread, _)| *spread > 0.0).find_map(|(_, column)| {
            members.sort_by(|one, other| value(*one, column).total_cmp(&value(*other, column)).then(one.cmp(other)));
            let middle = value(members[members.len() / 2], column);
            let below = members.partition_point(|person| value(*person, column) < middle);
            let upto = members.partition_point(|person| value(*person, column) <= middle);
            let mut cuts = [below, upto];
            // The cut that is nearer the middle first.
            cuts.sort_by_key(|cut| cut.abs_diff(members.len() / 2));
            cuts.into_iter()
                .map(|cut| members.split_at(cut))
                .find(|(low, high)| is_safe(low) && is_safe(high))
                .map(|(low, high)| [low.to_vec(), high.to_vec()])
        });
        match parts {
            Some([low, high]) => waiting.extend([high, low]),
            None => groups.push(members),
        }
    }
    groups.retain(|group| !group.is_empty());
    groups.sort_by_key(|group| std::cmp::Reverse((group.len(), group.iter().min().copied())));
    // The first halving may have found no safe group at all.
    while groups.last().is_some_and(|group| !is_safe(group)) || (!without.is_empty() && !is_safe(&without)) {
        let unsafe_at = groups.iter().position(|group| !is_safe(group));
        match unsafe_at.map(|at| groups.remove(at)).or_else(|| groups.pop()) {
            Some(group) => without.extend(group),
            None => {
                return Err(Error::input("too few people are at too many places for results to be given back")
                    .help("where one place has more than one in `least_holders` of all people, its results would tell who lives there")
                    .into());
            }
        }
    }
    let mut values: Vec<Option<Vec<f64>>> = vec![None; people.len()];
    for group in &groups {
        let mean = |column: usize| mean(group.iter().map(|person| value(*person, column)));
        let means: Vec<f64> = (0..columns).map(mean).collect();
        for person in group {
            values[*person] = Some(means.clone());
        }
    }
    Ok(Grouped { values, groups: groups.len() as u64 })
}

/// The mean, to nine digits; of equal values, the value itself.
fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (mut sum, mut count, mut first, mut is_one) = (0.0, 0u32, None, true);
    for value in values {
        is_one &= *first.get_or_insert(value) == value;
        sum += value;
        count += 1;
    }
    match first {
        Some(first) if is_one => first,
        _ => format!("{:.8e}", sum / f64::from(count.max(1))).parse().unwrap_or_default(),
    }
}

/// Whether no place has more than one in `least` of these people.
fn is_safe(people: &[Person], members: &[usize], least: u64) -> bool {
    let mut at: HashMap<u32, u64> = HashMap::new();
    for member in members {
        *at.entry(people[*member].place).or_default() += 1;
    }
    let most = at.values().max().copied().unwrap_or_default();
    !members.is_empty() && most.saturating_mul(least) <= members.len() as u64
}

impl Grouped {
    /// What became of the values, for the custodian.
    pub(crate) fn account(&self, people: &[Person], columns: &[String]) -> ReturnAccount {
        let with = self.values.iter().filter(|values| values.is_some()).count() as u64;
        let column = |(at, name): (usize, &String)| {
            let pairs: Vec<(f64, f64)> = people
                .iter()
                .zip(&self.values)
                .filter_map(|(person, kept)| Some((person.values.as_ref()?[at], kept.as_ref()?[at])))
                .collect();
            let distinct =
                |values: &mut dyn Iterator<Item = f64>| values.map(f64::to_bits).collect::<BTreeSet<_>>().len() as u64;
            let centre = pairs.iter().map(|(before, _)| before).sum::<f64>() / pairs.len().max(1) as f64;
            let squares =
                |distance: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(|pair| distance(pair).powi(2)).sum::<f64>();
            let (all, within) = (squares(&|pair| pair.0 - centre), squares(&|pair| pair.0 - pair.1));
            ReturnedColumn {
                name: name.clone(),
                values: distinct(
                    &mut people.iter().filter_map(|person| person.values.as_ref().map(|values| values[at])),
                ),
                kept: distinct(&mut pairs.iter().map(|(_, kept)| *kept)),
                lost: if all > 0.0 { within / all } else { 0.0 },
            }
        };
        ReturnAccount {
            people: with,
            without: people.len() as u64 - with,
            groups: self.groups,
            columns: columns.iter().enumerate().map(column).collect(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn people(given: &[(u32, Option<f64>)]) -> Vec<Person> {
        given.iter().map(|(place, value)| Person { place: *place, values: value.map(|value| vec![value]) }).collect()
    }

    /// How often each place stands in each class of equal published values.
    fn classes(people: &[Person], grouped: &Grouped) -> HashMap<Option<Vec<u64>>, HashMap<u32, u64>> {
        let mut classes: HashMap<_, HashMap<u32, u64>> = HashMap::new();
        for (person, values) in people.iter().zip(&grouped.values) {
            let bits = values.as_ref().map(|values| values.iter().map(|value| value.to_bits()).collect());
            *classes.entry(bits).or_default().entry(person.place).or_default() += 1;
        }
        classes
    }

    #[test]
    fn people_are_cut_at_the_median_as_long_as_places_are_many_enough() {
        // Four people at four places: two groups of two for n = 2, one group for n = 3.
        let all = people(&[(0, Some(1.0)), (1, Some(2.0)), (2, Some(9.0)), (3, Some(11.0))]);
        let two = group(&all, 1, 2).unwrap();
        assert_eq!(two.values, [1.5, 1.5, 10.0, 10.0].map(|value| Some(vec![value])));
        let three = group(&all, 1, 3).unwrap();
        assert_eq!((three.groups, three.values[0].clone()), (1, Some(vec![5.75])));
    }

    #[test]
    fn a_value_that_many_places_share_stays_as_it_is() {
        let all: Vec<(u32, Option<f64>)> =
            (0..40).map(|place| (place, Some(if place < 20 { 0.1 } else { 12.7 }))).collect();
        let all = people(&all);
        let grouped = group(&all, 1, 5).unwrap();
        assert!(all.iter().zip(&grouped.values).all(|(person, kept)| person.values == *kept));
    }

    #[test]
    fn who_has_no_result_is_not_marked_by_that() {
        let mut given: Vec<(u32, Option<f64>)> = (0..40).map(|place| (place, Some(f64::from(place)))).collect();
        given[7].1 = None;
        let all = people(&given);
        let grouped = group(&all, 1, 5).unwrap();
        let missing = grouped.values.iter().filter(|values| values.is_none()).count();
        assert!((5..20).contains(&missing), "{missing}");
    }

    #[test]
    fn a_place_where_most_people_are_is_refused() {
        let given: Vec<(u32, Option<f64>)> = (0..40).map(|person| (person / 20, Some(f64::from(person)))).collect();
        let error = group(&people(&given), 1, 5).unwrap_err();
        assert!(error.to_string().starts_with("too few people"), "{error}");
    }

    #[test]
    fn no_place_stands_out_in_any_class_whatever_is_returned() {
        let person = (0u32..9, proptest::option::weighted(0.9, (0i32..40, 0i32..6)));
        let given = (proptest::collection::vec(person, 8..120), 2u64..7);
        let (made, refused) = (Cell::new(0), Cell::new(0));
        outward_testing::random_cases::check(300, &given, |(given, least)| {
            let all: Vec<Person> = given
                .iter()
                .map(|(place, values)| {
                    let values = values.map(|(one, other)| vec![f64::from(one), f64::from(other) / 7.0]);
                    Person { place: *place, values }
                })
                .collect();
            match group(&all, 2, least) {
                Ok(grouped) => {
                    made.set(made.get() + 1);
                    for places in classes(&all, &grouped).values() {
                        let (all, most) = (places.values().sum::<u64>(), places.values().max().unwrap());
                        prop_assert!(most * least <= all);
                    }
                }
                // Refused only if all people together are too few.
                Err(_) => {
                    refused.set(refused.get() + 1);
                    let everybody: Vec<usize> = (0..all.len()).collect();
                    prop_assert!(!is_safe(&all, &everybody, least));
                }
            }
            Ok(())
        });
        assert!(made.get() > 50 && refused.get() > 10, "{made:?} {refused:?}");
    }
}
