//! What holds of pooling for every table.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use outward_places::{Mapping, NO_LOCATION, Place, Point, Pooling, Population, Reason, Rule, differences, pool};
use outward_testing::random_cases::check;
use proptest::prelude::*;

const AREAS: [&str; 4] = ["N", "NE", "NW", "SM"];

/// Up to forty codes in areas whose names begin alike, many of them small, some empty, some at the same point.
fn tables() -> impl Strategy<Value = Vec<Place>> {
    let name = (0..AREAS.len(), 1..15u32);
    let size = prop_oneof![0..30u64, 0..200u64];
    let coordinate = || (0..20i32).prop_map(f64::from);
    let point = (coordinate(), coordinate()).prop_map(|(easting, northing)| Point { easting, northing });
    prop::collection::btree_map(name, (size, point), 1..40).prop_map(|codes| {
        let place = |(area, district): (usize, u32), population, at, row| Place {
            code: format!("{}{district}", AREAS[area]),
            area: AREAS[area].into(),
            population,
            nation: None,
            at: Some(at),
            row,
        };
        codes.into_iter().zip(1..).map(|((name, (size, at)), row)| place(name, size, at, row)).collect()
    })
}

fn poolings(places: &[Place], threshold: u64) -> Vec<(Population, Pooling)> {
    let population = Population::new(places.to_vec()).unwrap();
    Rule::ALL.iter().map(|rule| (population.clone(), pool(&population, threshold, *rule).unwrap())).collect()
}

fn area_people(population: &Population) -> BTreeMap<&str, u64> {
    let mut people = BTreeMap::new();
    for place in population.places() {
        *people.entry(place.area.as_str()).or_default() += place.population;
    }
    people
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pooled_codes_never_cross_areas(places in tables(), threshold in 1..120u64) {
        for (population, pooling) in poolings(&places, threshold) {
            for group in pooling.groups.iter().filter(|g| g.published != NO_LOCATION && g.published != "000") {
                let areas: BTreeSet<_> =
                    group.members.iter().map(|code| &population.place(code).unwrap().area).collect();
                prop_assert_eq!(areas.len(), 1);
                prop_assert!(group.area.as_ref().is_some_and(|area| group.code.starts_with(area.as_str())));
            }
        }
    }

    #[test]
    fn pooling_never_loses_a_person(places in tables(), threshold in 1..120u64) {
        for (population, pooling) in poolings(&places, threshold) {
            prop_assert_eq!(pooling.published().values().sum::<u64>(), population.people());
            prop_assert_eq!(pooling.groups.iter().map(|g| g.population).sum::<u64>(), population.people());
            prop_assert_eq!(pooling.population(&population).unwrap().people(), population.people());
        }
    }

    #[test]
    fn no_code_is_published_for_fewer_people_than_the_threshold(places in tables(), threshold in 1..120u64) {
        for (_, pooling) in poolings(&places, threshold) {
            for (code, people) in pooling.published() {
                let withheld = pooling.assignments.iter().any(|c| c.published == code && c.reason == Reason::Withheld);
                prop_assert_eq!(people < threshold, withheld);
                prop_assert!(!withheld || code == NO_LOCATION);
            }
        }
    }

    #[test]
    fn a_location_is_lost_only_where_the_whole_area_is_under_the_threshold(
        places in tables(),
        threshold in 1..120u64,
    ) {
        for (population, pooling) in poolings(&places, threshold).into_iter().skip(2) {
            let people = area_people(&population);
            for (place, code) in population.places().iter().zip(&pooling.assignments) {
                prop_assert_eq!(code.published == NO_LOCATION, people[place.area.as_str()] < threshold);
            }
        }
    }

    #[test]
    fn the_row_order_changes_nothing(
        (places, shuffled) in tables().prop_flat_map(|t| (Just(t.clone()), Just(t).prop_shuffle())),
        threshold in 1..120u64,
    ) {
        for ((_, a), (_, b)) in poolings(&places, threshold).into_iter().zip(poolings(&shuffled, threshold)) {
            prop_assert_eq!(Mapping::from(&a).to_csv(), Mapping::from(&b).to_csv());
            prop_assert_eq!(a, b);
        }
    }

    #[test]
    fn pooling_what_is_pooled_changes_nothing(places in tables(), threshold in 1..120u64) {
        for (population, once) in poolings(&places, threshold) {
            let table = once.population(&population).unwrap();
            let twice = pool(&table, threshold, once.rule).unwrap();
            for code in &twice.assignments {
                prop_assert_eq!(&code.code, &code.published);
            }
            prop_assert_eq!(once.published(), twice.published());
        }
    }

    #[test]
    fn codes_at_the_threshold_are_left_alone_by_the_uk_rule(places in tables(), threshold in 1..120u64) {
        for (_, pooling) in poolings(&places, threshold).into_iter().take(3) {
            for code in pooling.assignments.iter().filter(|code| code.population >= threshold) {
                prop_assert_eq!(&code.published, &code.code);
                prop_assert_eq!(code.reason, Reason::Kept);
            }
        }
    }

    #[test]
    fn neighbours_take_in_at_most_one_large_code_of_an_area(places in tables(), threshold in 1..120u64) {
        let (_, pooling) = poolings(&places, threshold).remove(3);
        let mut touched: BTreeMap<&str, usize> = BTreeMap::new();
        for group in pooling.pools().filter(|group| group.published != NO_LOCATION) {
            for member in &group.members {
                let large = pooling.assignments.iter().any(|c| c.code == *member && c.population >= threshold);
                *touched.entry(group.area.as_deref().unwrap()).or_default() += usize::from(large);
            }
        }
        prop_assert!(touched.values().all(|large| *large <= 1));
    }

    #[test]
    fn a_mapping_reads_back_as_it_was_written(places in tables(), threshold in 1..120u64) {
        for (_, pooling) in poolings(&places, threshold) {
            let mapping = Mapping::from(&pooling);
            prop_assert_eq!(Mapping::parse(&mapping.to_csv(), "mapping.csv").unwrap(), mapping);
        }
    }

    #[test]
    fn what_is_got_by_subtraction_is_no_published_group(places in tables(), thresholds in (1..120u64, 1..120u64)) {
        let first = poolings(&places, thresholds.0);
        for ((_, a), (_, b)) in first.iter().zip(poolings(&places, thresholds.1).iter().rev()) {
            prop_assert!(differences(a, a).unwrap().is_empty());
            for difference in differences(a, b).unwrap() {
                prop_assert!(difference.population < thresholds.0.min(thresholds.1));
                let mut located = a.groups.iter().chain(&b.groups).filter(|group| group.published != NO_LOCATION);
                prop_assert!(located.all(|group| group.members != difference.codes));
            }
        }
    }

    #[test]
    fn a_mapping_file_never_makes_the_reader_panic(text in "[ -~\n]{0,200}") {
        let header = "version,code,published,reason,rule,threshold,population_table\n";
        prop_assert!(Mapping::parse(&text, "m.csv").is_err());
        let _ = Mapping::parse(&format!("{header}{text}"), "m.csv");
    }
}

#[test]
fn a_mapping_edited_by_hand_cannot_let_a_finer_code_through() {
    let mapping = |line: &str, rule: &str| {
        let table = "0".repeat(64);
        let header = "version,code,published,reason,rule,threshold,population_table";
        let text =
            format!("{header}\n1,SM1,SM1,kept,{rule},20000,sha256:{table}\n1,{line},{rule},20000,sha256:{table}\n");
        Mapping::parse(&text, "mapping.csv")
    };
    for (line, rule) in [
        ("SM2,SM2 2BB,pooled", "uk"),
        ("SM2,SM2,pooled", "uk"),
        ("SM2,NE00,pooled", "uk"),
        ("SM2,N00,pooled", "uk"),
        ("SM2,000,pooled", "uk"),
        ("SM2,SM00,pooled", "us"),
        ("SM2,SM1+2,neighbour", "us"),
        ("SM2,SM2+3,neighbour", "neighbour"),
        ("SM2,SM3,residual", "uk-residual"),
        ("SM2,SM2,residual", "uk-residual"),
        ("sm2,SM00,pooled", "uk"),
        ("SM2 1AA,SM00,pooled", "uk"),
        ("350,000,pooled", "us"),
    ] {
        assert!(mapping(line, rule).is_err(), "{line} by {rule}");
    }
    for (line, rule) in [("SM2,SM00,pooled", "uk"), ("SM2,SM1,residual", "uk-residual"), ("SM2,000,pooled", "us")] {
        assert!(mapping(line, rule).is_ok(), "{line} by {rule}");
    }
}

/// Whether the people of some codes follow from the published sums: their 0/1 vector is a combination of those of the groups.
fn follows(groups: &[Vec<f64>], wanted: &[f64]) -> bool {
    let mut basis: Vec<(usize, Vec<f64>)> = Vec::new();
    let reduce = |mut row: Vec<f64>, basis: &[(usize, Vec<f64>)]| {
        for (pivot, known) in basis {
            let factor = row[*pivot];
            row.iter_mut().zip(known).for_each(|(value, known)| *value -= factor * known);
        }
        row
    };
    for group in groups {
        let row = reduce(group.clone(), &basis);
        if let Some(pivot) = row.iter().position(|value| value.abs() > 1e-9) {
            let scale = row[pivot];
            basis.push((pivot, row.iter().map(|value| value / scale).collect()));
        }
    }
    reduce(wanted.to_vec(), &basis).iter().all(|value| value.abs() < 1e-9)
}

#[test]
fn what_two_releases_are_said_to_give_away_follows_from_their_sums_and_no_overlap_that_does_is_missed() {
    let (said, wanted) = (Cell::new(0u32), Cell::new(0u32));
    let cases = (tables(), 0..3usize, 0..3usize, 5..40u64, 5..40u64);
    check(200, &cases, |(places, one, other, low, high)| {
        let population = Population::new(places).unwrap();
        let rules = [Rule::Us, Rule::Uk, Rule::UkResidual];
        let first = pool(&population, low, rules[one]).unwrap();
        let second = pool(&population, high, rules[other]).unwrap();
        let vector = |fits: &dyn Fn(usize) -> bool| -> Vec<f64> {
            (0..population.len()).map(|at| f64::from(u8::from(fits(at)))).collect()
        };
        let mut groups = Vec::new();
        for pooling in [&first, &second] {
            for code in pooling.published().keys() {
                groups.push(vector(&|at| pooling.assignments[at].published == *code));
            }
        }
        let found = differences(&first, &second).unwrap();
        for difference in &found {
            let told = vector(&|at| difference.codes.contains(&first.assignments[at].code));
            prop_assert!(follows(&groups, &told), "{:?}", difference);
        }
        said.update(|count| count + u32::from(!found.is_empty()));
        let (a, b) = (&first.assignments, &second.assignments);
        for at in 0..population.len() {
            let overlap = |i: usize| a[i].published == a[at].published && b[i].published == b[at].published;
            let cell = vector(&overlap);
            let people: u64 = (0..population.len()).filter(|i| overlap(*i)).map(|i| a[i].population).sum();
            if (1..low.min(high)).contains(&people) && !groups.contains(&cell) && follows(&groups, &cell) {
                let codes: Vec<&String> = (0..population.len()).filter(|i| overlap(*i)).map(|i| &a[i].code).collect();
                prop_assert!(found.iter().any(|found| found.codes.iter().eq(codes.iter().copied())), "{:?}", codes);
                wanted.update(|count| count + 1);
            }
        }
        Ok(())
    });
    println!("{said:?} pairs of releases give something away, {wanted:?} overlaps were asked for");
    assert!(said.get() >= 20 && wanted.get() >= 20, "{said:?} {wanted:?}");
}
