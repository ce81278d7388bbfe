//! Differencing on one variable: planted cases, harmless look-alikes, and random sequences of releases against a brute-force attacker.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use outward_register::differencing::{Difference, Known, PublishedCounts, differences};
use outward_tables::{Dimension, Node, Table};
use outward_testing::random_cases::check;
use proptest::prelude::*;

/// The count that a policy calls unsafe, at most.
const FEW: i64 = 4;

/// A table of one variable with some groups of its values.
fn table(variable: &str, size: usize, groups: &[(&str, &[u32])]) -> Table {
    let node = |(label, values): &(&str, &[u32])| Node {
        label: (*label).to_owned(),
        values: values.to_vec(),
        finest: true,
        ..Node::default()
    };
    let dimension = Dimension {
        variable: variable.to_owned(),
        label: variable.to_owned(),
        nodes: groups.iter().map(node).collect(),
        size,
        ..Dimension::default()
    };
    Table { name: "t".to_owned(), unit: "people".to_owned(), dimensions: vec![dimension], ..Table::default() }
}

fn release<'a>(name: &str, is_new: bool, table: &'a Table, known: &[Known]) -> PublishedCounts<'a> {
    PublishedCounts { release: name.to_owned(), is_new, table, known: known.to_vec() }
}

fn exactly(counts: &[i64]) -> Vec<Known> {
    counts.iter().map(|count| Known::Exactly(*count)).collect()
}

fn found(releases: &[PublishedCounts<'_>]) -> Vec<Difference> {
    let done = differences(releases, FEW);
    assert_eq!(done.not_searched, 0);
    done.found
}

#[test]
fn a_band_that_is_one_year_longer_gives_the_one_person_of_that_year() {
    let (old, new) =
        (table("age", 4, &[("0-24", &[1]), ("25 and over", &[2, 3, 4])]), table("age", 4, &[("0-25", &[1, 2])]));
    let found = found(&[
        release("release-1", false, &old, &exactly(&[40, 60])),
        release("this request", true, &new, &exactly(&[41])),
    ]);
    assert_eq!((found.len(), found[0].people), (1, (1, 1)));
    let lines = found[0].lines();
    assert_eq!(lines[0], "      41  this request, table `t`: age 0-25");
    assert_eq!(lines[1], "minus 40  release 1, table `t`: age 0-24");
    assert_eq!(lines[2], "leaves 1");
}

#[test]
fn a_band_that_is_one_year_longer_is_harmless_where_many_are_of_that_year() {
    let (old, new) =
        (table("age", 4, &[("0-24", &[1]), ("25 and over", &[2, 3, 4])]), table("age", 4, &[("0-25", &[1, 2])]));
    let tables =
        [release("release-1", false, &old, &exactly(&[40, 60])), release("this request", true, &new, &exactly(&[52]))];
    assert!(found(&tables).is_empty());
}

#[test]
fn a_chain_of_three_releases_leaves_one_street() {
    let district = table("street", 5, &[("district", &[1, 2, 3, 4])]);
    let (north, south) = (table("street", 5, &[("north", &[1, 2])]), table("street", 5, &[("south but one", &[4])]));
    let tables = [
        release("release-1", false, &district, &exactly(&[100])),
        release("release-2", false, &north, &exactly(&[60])),
        release("this request", true, &south, &exactly(&[38])),
    ];
    let found = found(&tables);
    assert_eq!((found.len(), found[0].people, found[0].steps.len()), (1, (2, 2), 3));
}

#[test]
fn overlapping_bands_give_what_they_have_in_common() {
    let old = table("age", 9, &[("10-19", &[1, 2]), ("10-24", &[1, 2, 3])]);
    let new = table("age", 9, &[("15-24", &[2, 3])]);
    let found = found(&[
        release("release-1", false, &old, &exactly(&[40, 70])),
        release("this request", true, &new, &exactly(&[33])),
    ]);
    // 40 + 33 - 70 are 15 to 19.
    assert_eq!((found.len(), found[0].people, &found[0].group), (1, (3, 3), &vec![2]));
}

#[test]
fn local_authorities_against_police_forces_give_the_area_that_lies_in_both() {
    // The second authority lies in both forces: 4 is what it has in the second.
    let authorities = table("area", 5, &[("authority a", &[1]), ("authority b", &[2, 4]), ("authority c", &[3])]);
    let forces = table("area", 5, &[("force x", &[1, 2]), ("force y", &[3, 4])]);
    let tables = [
        release("release-1", false, &authorities, &exactly(&[50, 30, 20])),
        release("this request", true, &forces, &exactly(&[78, 22])),
    ];
    let found = found(&tables);
    assert_eq!(found.iter().map(|found| (found.people, found.group.clone())).collect::<Vec<_>>(), [((2, 2), vec![4])]);
    // The same forces where the boundary is followed by many.
    let tables = [
        release("release-1", false, &authorities, &exactly(&[50, 30, 20])),
        release("this request", true, &forces, &exactly(&[65, 35])),
    ];
    assert!(self::found(&tables).is_empty());
}

#[test]
fn a_rounded_figure_less_an_exact_one_is_an_interval() {
    let (old, new) = (table("age", 4, &[("0-24", &[1])]), table("age", 4, &[("0-25", &[1, 2])]));
    let tables = |most| [Known::Between(122, most)].to_vec();
    let exact = exactly(&[121]);
    let [tight, wide] = [125, 140].map(|most| {
        let tables = [release("release-1", false, &new, &tables(most)), release("this request", true, &old, &exact)];
        found(&tables).iter().map(|found| found.people).collect::<Vec<_>>()
    });
    assert_eq!((tight, wide), (vec![(1, 4)], vec![]));
}

#[test]
fn a_hidden_cell_that_an_earlier_release_gives_away_is_found() {
    let old = table("age", 3, &[("all but the old", &[1, 2])]);
    let new = table("age", 3, &[("young", &[1]), ("middle", &[2])]);
    let tables = [
        release("release-1", false, &old, &exactly(&[43])),
        release("this request", true, &new, &[Known::Exactly(40), Known::Hidden]),
    ];
    assert_eq!(found(&tables)[0].people, (3, 3));
}

#[test]
fn what_earlier_releases_gave_away_by_themselves_is_not_held_against_a_new_one() {
    let one = table("age", 4, &[("0-24", &[1])]);
    let two = table("age", 4, &[("0-25", &[1, 2])]);
    let new = table("age", 4, &[("0-25", &[1, 2])]);
    let tables = [
        release("release-1", false, &one, &exactly(&[40])),
        release("release-2", false, &two, &exactly(&[41])),
        release("this request", true, &new, &exactly(&[41])),
    ];
    assert!(found(&tables).is_empty());
}

#[test]
fn counts_of_other_records_are_not_taken_from_each_other() {
    let one = table("age", 4, &[("0-24", &[1])]);
    let other = Table { unit: "vehicles".to_owned(), ..table("age", 4, &[("0-25", &[1, 2])]) };
    let tables =
        [release("release-1", false, &one, &exactly(&[40])), release("this request", true, &other, &exactly(&[41]))];
    assert!(found(&tables).is_empty());
}

/// Values of the variable.
const VALUES: usize = 6;

/// A prime beyond every number that comes up: what holds in whole numbers holds in the remainders, and hardly anything else does.
const PRIME: i64 = 1_000_003;

/// Whether a row is a combination of others, in remainders of a prime: code of its own.
fn follows(rows: &[Vec<bool>], target: &[bool]) -> bool {
    let number = |row: &Vec<bool>| row.iter().map(|own| i64::from(*own)).collect::<Vec<i64>>();
    let rank = |mut rows: Vec<Vec<i64>>| {
        let mut done = 0;
        for column in 0..VALUES {
            let Some(pivot) = (done..rows.len()).find(|row| rows[*row][column] != 0) else { continue };
            rows.swap(done, pivot);
            let inverse = power(rows[done][column], PRIME - 2);
            for row in done + 1..rows.len() {
                let times = rows[row][column] * inverse % PRIME;
                let pivot = rows[done].clone();
                for (value, by) in rows[row].iter_mut().zip(pivot) {
                    *value = (*value - times * by % PRIME + PRIME) % PRIME;
                }
            }
            done += 1;
        }
        done
    };
    let all: Vec<Vec<i64>> = rows.iter().map(number).collect();
    let with: Vec<Vec<i64>> = all.iter().cloned().chain([number(&target.to_vec())]).collect();
    rank(all) == rank(with)
}

fn power(base: i64, by: i64) -> i64 {
    let (mut result, mut base, mut by) = (1, base, by);
    while by > 0 {
        if by % 2 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        by /= 2;
    }
    result
}

fn set(bits: u32) -> Vec<bool> {
    (0..VALUES).map(|value| bits >> value & 1 == 1).collect()
}

fn values(bits: u32) -> Vec<u32> {
    (0..VALUES as u32).filter(|value| bits >> value & 1 == 1).map(|value| value + 1).collect()
}

#[test]
fn what_a_brute_force_attacker_derives_is_found_and_nothing_else() {
    let derived_in_all = std::cell::Cell::new(0);
    let cases = (
        proptest::collection::vec(0i64..6, VALUES),
        proptest::collection::vec(
            proptest::collection::vec((1u32..1 << VALUES, prop::bool::weighted(0.8)), 1..4),
            2..5,
        ),
    );
    check(3_000, &cases, |(people, releases)| {
        let count =
            |bits: u32| (0..VALUES).filter(|value| bits >> value & 1 == 1).map(|value| people[value]).sum::<i64>();
        let tables: Vec<Table> = releases
            .iter()
            .map(|cells| {
                let sets: Vec<Vec<u32>> = cells.iter().map(|(bits, _)| values(*bits)).collect();
                // One more value than any table shows, so that no group is everyone.
                table("v", VALUES + 1, &sets.iter().map(|set| ("group", set.as_slice())).collect::<Vec<_>>())
            })
            .collect();
        let known: Vec<Vec<Known>> = releases
            .iter()
            .map(|cells| {
                cells
                    .iter()
                    .map(|(bits, shown)| if *shown { Known::Exactly(count(*bits)) } else { Known::Hidden })
                    .collect()
            })
            .collect();
        let last = releases.len() - 1;
        let all: Vec<PublishedCounts<'_>> = (0..releases.len())
            .map(|at| release(&format!("release-{at}"), at == last, &tables[at], &known[at]))
            .collect();
        let found: BTreeSet<Vec<u32>> = found(&all).into_iter().map(|found| found.group).collect();
        let shown =
            |at: usize| releases[at].iter().filter(|(_, shown)| *shown).map(|(bits, _)| *bits).collect::<Vec<u32>>();
        let rows = |of: &[u32]| of.iter().map(|bits| set(*bits)).collect::<Vec<_>>();
        let everything: Vec<u32> = (0..releases.len()).flat_map(shown).collect();
        let before: Vec<u32> = (0..last).flat_map(shown).collect();
        let derives = |bits: u32| follows(&rows(&everything), &set(bits));
        for bits in 1u32..1 << VALUES {
            let is_small = (1..=FEW).contains(&count(bits));
            let is_known = everything.contains(&bits)
                || follows(&rows(&before), &set(bits))
                || (0..releases.len()).any(|at| follows(&rows(&shown(at)), &set(bits)));
            let is_smallest = (1..bits).filter(|part| part & bits == *part).all(|part| !derives(part));
            let derived = is_small && !is_known && derives(bits);
            if derived && is_smallest {
                prop_assert!(found.contains(&values(bits)), "not found: {:?} of {releases:?}", values(bits));
                derived_in_all.set(derived_in_all.get() + 1);
            }
            if found.contains(&values(bits)) {
                prop_assert!(derived, "a false alarm: {:?} of {releases:?}", values(bits));
            }
        }
        Ok(())
    });
    assert!(derived_in_all.get() > 300, "only {} groups were derived", derived_in_all.get());
}
