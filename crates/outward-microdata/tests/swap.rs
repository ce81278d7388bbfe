//! Swapping on random files: what it promises, against counting and against trying all pairings.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use outward_microdata::random::Random;
use outward_microdata::swap::{SwapRequest, Swapped, swap_records};
use proptest::prelude::*;

/// A file of households in a geography of three levels, with four variables.
#[derive(Debug, Clone, Default)]
struct File {
    household: Vec<u32>,
    geography: [Vec<u32>; 3],
    variables: [Vec<u32>; 4],
}

impl File {
    fn rows(&self) -> usize {
        self.household.len()
    }

    fn add(&mut self, place: [u32; 3], members: &[[u32; 4]]) {
        let household = self.household.last().map_or(1, |last| last + 1);
        for member in members {
            self.household.push(household);
            self.geography.iter_mut().zip(place).for_each(|(codes, code)| codes.push(code));
            self.variables.iter_mut().zip(member).for_each(|(codes, code)| codes.push(*code));
        }
    }

    /// The table of some variables by place, where places are those of the records that `takes_from` names.
    fn table(&self, variables: &[usize], level: usize, takes_from: Option<&[u32]>) -> BTreeMap<Vec<u32>, u64> {
        let mut table = BTreeMap::new();
        for row in 0..self.rows() {
            let from = takes_from.map_or(row, |from| from[row] as usize);
            let place = (0..=level).map(|level| self.geography[level][from]);
            let key = place.chain(variables.iter().map(|variable| self.variables[*variable][row])).collect();
            *table.entry(key).or_insert(0) += 1;
        }
        table
    }

    /// The coarsest level at which a record is risky on the first two variables.
    fn leaves(&self, row: usize, k: &[u64; 3]) -> Option<usize> {
        (0..3).find(|level| {
            let same = |other: &usize| {
                (0..=*level).all(|level| self.geography[level][*other] == self.geography[level][row])
                    && (0..2).all(|variable| self.variables[variable][*other] == self.variables[variable][row])
            };
            ((0..self.rows()).filter(same).count() as u64) < k[*level]
        })
    }

    fn households(&self) -> Vec<Vec<usize>> {
        let mut members = BTreeMap::<u32, Vec<usize>>::new();
        self.household.iter().enumerate().for_each(|(row, household)| members.entry(*household).or_default().push(row));
        members.into_values().collect()
    }

    fn with<T>(&self, k: &[u64; 3], share: f64, then: impl FnOnce(&SwapRequest<'_>) -> T) -> T {
        let [a, b, c, d] = &self.variables;
        then(&SwapRequest {
            geography: &self.geography.each_ref().map(Vec::as_slice),
            household: Some(&self.household),
            risk: &[a, b],
            k,
            similar: &[vec![c, a], vec![c], vec![]],
            hold: &[vec![d], vec![b]],
            share,
            marked: None,
            seed: 1,
            threads: 1,
        })
    }
}

fn files(households: std::ops::Range<usize>) -> impl Strategy<Value = File> {
    let member = [1..4u32, 0..3, 1..3, 1..3];
    let household = ([1..3u32, 1..3, 1..3], prop::collection::vec(member, 1..4));
    prop::collection::vec(household, households).prop_map(|households| {
        let mut file = File::default();
        households.iter().for_each(|(place, members)| file.add(*place, members));
        file
    })
}

/// A swap, or nothing if the file has too few regions or no partners.
fn swap(file: &File, k: &[u64; 3], share: f64) -> Option<Swapped> {
    file.with(k, share, |request| swap_records(request).ok())
}

/// A swap; rejects a file that has too few regions or no partners.
fn attempt(file: &File, k: &[u64; 3], share: f64) -> Result<Swapped, TestCaseError> {
    swap(file, k, share).ok_or_else(|| TestCaseError::reject("no swap can be made"))
}

/// A larger file, made at random: 40 places, values uneven.
fn made(households: usize) -> File {
    let mut random = Random::new(3, "file");
    let mut file = File::default();
    for _ in 0..households {
        let place = [1, 1, 1].map(|least| least + random.below(3) as u32);
        let uneven = |random: &mut Random, end: f64| 1 + (random.unit().powi(4) * end) as u32;
        let size = 1 + random.below(3);
        let members: Vec<[u32; 4]> =
            (0..size).map(|_| [40.0, 6.0, 2.0, 2.0].map(|end| uneven(&mut random, end))).collect();
        file.add(place, &members);
    }
    file
}

/// The most risky units that any set of pairs takes out of their regions.
fn most_covered(levels: &[usize], fits: &dyn Fn(usize, usize) -> bool, taken: &mut Vec<bool>) -> usize {
    let Some(unit) = (0..taken.len()).find(|unit| !taken[*unit]) else { return 0 };
    taken[unit] = true;
    let mut best = most_covered(levels, fits, taken);
    for other in unit + 1..taken.len() {
        if !taken[other] && fits(unit, other) {
            taken[other] = true;
            let risky = [unit, other].iter().filter(|unit| levels[**unit] < 3).count();
            best = best.max(risky + most_covered(levels, fits, taken));
            taken[other] = false;
        }
    }
    taken[unit] = false;
    best
}

proptest! {
    #[test]
    fn listed_margins_and_household_sizes_hold_in_every_region(file in files(2..40), share in 0.0..1.0f64) {
        let swapped = attempt(&file, &[2, 3, 2], share)?;
        for level in 0..3 {
            for variables in [vec![], vec![3], vec![1]] {
                prop_assert_eq!(
                    file.table(&variables, level, Some(&swapped.takes_from)),
                    file.table(&variables, level, None)
                );
            }
        }
        let sizes = |takes_from: Option<&[u32]>| {
            let mut table = BTreeMap::<_, u64>::new();
            for members in file.households() {
                let from = takes_from.map_or(members[0], |from| from[members[0]] as usize);
                *table.entry((file.geography.each_ref().map(|codes| codes[from]), members.len())).or_default() += 1;
            }
            table
        };
        prop_assert_eq!(sizes(Some(&swapped.takes_from)), sizes(None));
    }

    #[test]
    fn each_household_changes_places_with_one_other_as_a_whole(file in files(2..40), share in 0.0..1.0f64) {
        let swapped = attempt(&file, &[2, 3, 2], share)?;
        for members in file.households() {
            let others: Vec<usize> = members.iter().map(|row| swapped.takes_from[*row] as usize).collect();
            let other = file.household[others[0]];
            prop_assert!(others.iter().all(|row| file.household[*row] == other));
            prop_assert!(members.iter().zip(&others).all(|(row, from)| swapped.takes_from[*from] as usize == *row));
            let place = |row: usize| file.geography.each_ref().map(|codes| codes[row]);
            prop_assert!(other == file.household[members[0]] || place(others[0]) != place(members[0]));
        }
        let moved = swapped.takes_from.iter().enumerate().filter(|(row, from)| *row != **from as usize).count();
        prop_assert_eq!(moved as u64, swapped.records_moved);
        let units = swapped.risky_swapped + swapped.partners + swapped.random_swapped;
        prop_assert_eq!(swapped.per_profile.iter().sum::<u64>(), units);
        prop_assert_eq!(swapped.risky, swapped.risky_swapped + swapped.not_matched);
    }

    #[test]
    fn risky_households_leave_the_region_where_they_are_rare_or_are_listed(file in files(2..40), k in [0..4u64, 0..4, 0..4]) {
        let swapped = attempt(&file, &k, 0.1)?;
        let (mut risky, mut listed) = (0, Vec::new());
        for members in file.households() {
            let Some(level) = members.iter().filter_map(|row| file.leaves(*row, &k)).min() else { continue };
            risky += 1;
            let from = swapped.takes_from[members[0]] as usize;
            if from == members[0] {
                listed.extend(members.iter().map(|row| *row as u32));
            } else {
                let same = (0..=level).all(|level| file.geography[level][from] == file.geography[level][members[0]]);
                prop_assert!(!same);
            }
        }
        prop_assert_eq!(swapped.risky, risky);
        prop_assert_eq!(&swapped.not_matched_rows, &listed);
    }

    #[test]
    fn no_pairing_takes_more_risky_units_out_of_their_regions(
        units in prop::collection::vec((1..5u32, 1..9u32, prop::bool::weighted(0.6)), 2..10)
    ) {
        let region: Vec<u32> = units.iter().map(|unit| unit.0.min(3)).collect();
        let marked: Vec<bool> = units.iter().map(|unit| unit.2).collect();
        let same: Vec<u32> = units.iter().map(|unit| 1 + unit.1 / 6).collect();
        let request = SwapRequest {
            geography: &[&region], household: None, risk: &[], k: &[0], similar: &[vec![&same]], hold: &[],
            share: 0.0, marked: Some(&marked), seed: 5, threads: 1,
        };
        let swapped = swap_records(&request).map_err(|_| TestCaseError::reject("no swap can be made"))?;
        let levels: Vec<usize> = marked.iter().map(|marked| if *marked { 0 } else { 3 }).collect();
        let fits = |a: usize, b: usize| same[a] == same[b] && region[a] != region[b];
        let most = most_covered(&levels, &fits, &mut vec![false; region.len()]);
        prop_assert_eq!(swapped.risky_swapped as usize, most);
    }

    #[test]
    fn the_number_of_threads_changes_nothing(file in files(2..60), share in 0.0..0.5f64) {
        let on = |threads| file.with(&[2, 2, 3], share, |r| swap_records(&SwapRequest { threads, ..*r }).ok());
        let swapped = on(1);
        prop_assert_eq!(&swapped, &on(2));
        prop_assume!(swapped.is_some());
    }
}

#[test]
fn the_share_swapped_at_random_is_what_was_asked() {
    let file = made(20_000);
    for share in [0.02, 0.1, 0.3] {
        let swapped = swap(&file, &[0, 0, 0], share).unwrap();
        assert_eq!((swapped.risky, swapped.partners), (0, 0));
        let got = swapped.random_swapped as f64 / swapped.units as f64;
        assert!((got - share).abs() < 0.01 * share + 0.001, "{got} for {share}");
        let mut moved = BTreeMap::<_, (f64, f64)>::new();
        for members in file.households() {
            let (here, from) = (members[0], swapped.takes_from[members[0]] as usize);
            let (moved, all) = moved.entry(file.geography.each_ref().map(|codes| codes[here])).or_default();
            *moved += f64::from(u8::from(from != here));
            *all += 1.0;
        }
        for (moved, all) in moved.values() {
            assert!((moved / all - share).abs() < 0.02, "{moved} of {all} for {share}");
        }
    }
}

#[test]
fn the_random_share_is_of_those_who_are_neither_risky_nor_partners_of_risky_ones() {
    let file = made(20_000);
    let k = [2, 3, 6];
    for share in [0.1, 0.3] {
        let swapped = swap(&file, &k, share).unwrap();
        let others = swapped.units - swapped.risky - swapped.partners;
        assert!(swapped.risky + swapped.partners > swapped.units / 4 && others > 1000, "{swapped:?}");
        // Each region rounds its share by chance, to one household more or less.
        let regions = file.table(&[], 2, None).len() as f64;
        let expected = share * others as f64;
        assert!((swapped.random_asked as f64 - expected).abs() < regions, "{} for {expected}", swapped.random_asked);
        assert!(swapped.random_swapped <= swapped.random_asked);
    }
}

#[test]
fn another_seed_gives_another_swap_and_the_same_seed_the_same() {
    let file = made(3_000);
    let with = |seed| file.with(&[0, 2, 3], 0.05, |r| swap_records(&SwapRequest { seed, ..*r }).unwrap());
    assert_eq!(with(1), with(1));
    assert_ne!(with(1).takes_from, with(2).takes_from);
    assert_eq!(with(1).risky, with(2).risky);
}

#[test]
fn the_rarer_a_household_the_likelier_it_is_a_partner() {
    // One risky person in region 1. In region 2, person 1 is one of 2 and persons 2 to 9 are eight alike: risk 1/2 against 1/8.
    let region = [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2];
    let key = [9, 5, 5, 5, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2];
    let mut rare = 0;
    for seed in 0..2_000 {
        let request = SwapRequest {
            geography: &[&region],
            household: None,
            risk: &[&key],
            k: &[2],
            similar: &[],
            hold: &[],
            share: 0.0,
            marked: None,
            seed,
            threads: 1,
        };
        let swapped = swap_records(&request).unwrap();
        assert_eq!((swapped.risky, swapped.risky_swapped, swapped.partners), (1, 1, 1));
        rare += u32::from(matches!(swapped.takes_from[0], 4 | 5));
    }
    // Two of weight 1/2 against eight of weight 1/8: one half.
    assert!((900..1_100).contains(&rare), "{rare}");
}

#[test]
fn risky_households_are_swapped_with_each_other_where_they_can() {
    let region = [1, 1, 1, 2, 2, 2];
    let key = [7, 1, 1, 8, 1, 1];
    let request = SwapRequest {
        geography: &[&region],
        household: None,
        risk: &[&key],
        k: &[2],
        similar: &[],
        hold: &[],
        share: 0.0,
        marked: None,
        seed: 1,
        threads: 1,
    };
    let swapped = swap_records(&request).unwrap();
    assert_eq!(swapped.takes_from, [3, 1, 2, 0, 4, 5]);
    assert_eq!((swapped.risky, swapped.partners, swapped.records_moved), (2, 0, 2));
    // A marked record is swapped though it is common.
    let marked = [false, true, false, false, false, false];
    let swapped = swap_records(&SwapRequest { marked: Some(&marked), k: &[0], ..request }).unwrap();
    assert!(swapped.takes_from[1] >= 3 && swapped.risky == 1, "{swapped:?}");
}

#[test]
fn profiles_are_tried_in_order() {
    // Person 0 agrees with person 2 on both variables; person 1 with person 3 on the second only.
    let region = [1, 1, 2, 2];
    let (first, second) = ([1, 2, 1, 3], [1, 2, 1, 2]);
    let request = SwapRequest {
        geography: &[&region],
        household: None,
        risk: &[],
        k: &[0],
        similar: &[vec![&first, &second], vec![&second]],
        hold: &[],
        share: 0.0,
        marked: Some(&[true, true, false, false]),
        seed: 1,
        threads: 1,
    };
    let swapped = swap_records(&request).unwrap();
    assert_eq!((swapped.takes_from, swapped.per_profile), (vec![2, 3, 0, 1], vec![2, 2]));
}

#[test]
fn a_unit_without_a_region_stays() {
    let region = [1, 2, 0, 0];
    let request = SwapRequest {
        geography: &[&region],
        household: None,
        risk: &[],
        k: &[0],
        similar: &[],
        hold: &[],
        share: 0.0,
        marked: Some(&[true; 4]),
        seed: 1,
        threads: 1,
    };
    let swapped = swap_records(&request).unwrap();
    assert_eq!((swapped.takes_from, swapped.without_region, swapped.risky), (vec![1, 0, 2, 3], 2, 2));
}

#[test]
fn what_cannot_be_swapped_is_refused_with_the_reason() {
    let column = [1, 1, 2, 2];
    let good = SwapRequest {
        geography: &[&column],
        household: None,
        risk: &[&column],
        k: &[3],
        similar: &[],
        hold: &[],
        share: 0.5,
        marked: None,
        seed: 1,
        threads: 1,
    };
    let refused = |request: SwapRequest<'_>, part: &str| {
        let error = swap_records(&request).unwrap_err();
        assert!(error.to_string().contains(part) && error.help().is_some(), "{error}");
    };
    assert!(swap_records(&good).is_ok());
    refused(SwapRequest { geography: &[&[1; 4]], ..good }, "one region only at level 1");
    refused(SwapRequest { geography: &[&[1; 4], &column], k: &[2, 2], ..good }, "one region only at level 1");
    refused(SwapRequest { geography: &[&[0; 4]], ..good }, "no region at level 1");
    refused(SwapRequest { geography: &[], k: &[], ..good }, "needs a region");
    refused(SwapRequest { similar: &[vec![&column]], ..good }, "none agrees with anyone of another region");
    refused(SwapRequest { household: Some(&[1, 2, 0, 4]), ..good }, "row 3: this record has no household");
    refused(SwapRequest { household: Some(&[1, 2, 3, 2]), ..good }, "row 4: this record is in another region");
    refused(SwapRequest { share: 1.5, ..good }, "the share to be swapped at random is 1.5");
    refused(SwapRequest { share: f64::NAN, ..good }, "the share");
    let nobody = swap_records(&SwapRequest { k: &[0], share: 0.0, ..good }).unwrap();
    assert_eq!((nobody.takes_from, nobody.units, nobody.risky), (vec![0, 1, 2, 3], 4, 0));
}
