//! What cell keys promise: the same noise for the same people everywhere, no bias, the variance asked for.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_suppress::perturb::{CellKey, Flex, Noise, PTable, record_key};
use proptest::prelude::*;

fn keys(people: impl IntoIterator<Item = u32>) -> CellKey {
    people.into_iter().map(|who| record_key(&who.to_le_bytes(), 7)).collect()
}

proptest! {
    #[test]
    fn the_key_of_a_cell_does_not_depend_on_the_order_of_its_people(
        people in proptest::collection::btree_set(any::<u32>(), 1..40), cut in 0usize..40,
    ) {
        let there = keys(people.iter().copied());
        let back = keys(people.iter().rev().copied());
        let mut parts = keys(people.iter().take(cut).copied());
        parts.add(keys(people.iter().skip(cut).copied()).0);
        prop_assert_eq!(there, back);
        prop_assert_eq!(there, parts);
    }

    #[test]
    fn every_row_has_the_moments_asked_for(
        deviation in 2u32..9, share in 0.02f64..0.98, small in 0u32..3, monotone in any::<bool>(),
    ) {
        // Between what all rows can have: with small counts left out that may be nothing.
        let noise = Noise { small, monotone, ..Noise::new(deviation, share * f64::from(deviation)) };
        let table = PTable::generate(&noise);
        prop_assert!(table.is_ok() || small > 0 || monotone);
        let Ok(table) = table else { return Err(TestCaseError::reject("no row can have this variance")) };
        for row in table.rows() {
            let sum: f64 = row.chances.iter().map(|(_, chance)| chance).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
            prop_assert!(row.mean().abs() < 1e-6);
            prop_assert!((row.variance() - noise.variance).abs() < 1e-6);
            for (by, chance) in &row.chances {
                let to = i64::from(row.count) + i64::from(*by);
                prop_assert!(*chance >= 0.0 && by.unsigned_abs() <= deviation);
                prop_assert!(to == 0 || to > i64::from(small));
            }
            let rising = row.chances.iter().filter(|(by, _)| *by <= 0).collect::<Vec<_>>();
            prop_assert!(!monotone || rising.windows(2).all(|pair| pair[0].1 <= pair[1].1 + 1e-12));
        }
    }
}

#[test]
fn noise_over_all_keys_has_mean_zero_and_the_variance() {
    let table = PTable::generate(&Noise::new(5, 2.0)).unwrap();
    let keys = 1_000_000;
    for count in [1u64, 2, 5, 6, 1_000] {
        let added: Vec<i64> = (0..keys)
            .map(|key| table.apply(count, (f64::from(key) + 0.5) / f64::from(keys)) as i64 - count as i64)
            .collect();
        let mean = added.iter().sum::<i64>() as f64 / f64::from(keys);
        let variance = added.iter().map(|by| by * by).sum::<i64>() as f64 / f64::from(keys);
        assert!(mean.abs() < 1e-4 && (variance - 2.0).abs() < 1e-3, "count {count}: {mean} {variance}");
    }
}

#[test]
fn real_record_keys_spread_cell_keys_evenly() {
    // Ten thousand cells of three people each: the share of keys below each tenth, within four standard errors.
    let fractions: Vec<f64> = (0..10_000u32).map(|cell| keys(3 * cell..3 * cell + 3).fraction()).collect();
    for tenth in 1..10 {
        let below = f64::from(tenth) / 10.0;
        let share = fractions.iter().filter(|key| **key < below).count() as f64 / 10_000.0;
        assert!((share - below).abs() < 4.0 * (below * (1.0 - below) / 10_000.0).sqrt());
    }
}

#[test]
fn the_same_people_get_the_same_count_in_every_table() {
    let table = PTable::generate(&Noise::new(3, 1.0)).unwrap();
    // Women of 30 in the table by age and women in a table of the thirties where nobody is 31 to 39: one cell.
    let by_age = keys([4, 8, 15, 16]);
    let by_decade = keys([16, 15, 8, 4]);
    assert_eq!(table.apply(4, by_age.fraction()), table.apply(4, by_decade.fraction()));
}

#[test]
fn zeros_stay_zero_and_small_counts_never_appear() {
    let noise = Noise { small: 2, ..Noise::new(5, 3.5) };
    let table = PTable::generate(&noise).unwrap();
    for key in 0..10_000 {
        let key = f64::from(key) / 10_000.0;
        assert_eq!(table.apply(0, key), 0);
        for count in 1..30 {
            let to = table.apply(count, key);
            assert!(to == 0 || to > 2);
            assert!(to.abs_diff(count) <= 5);
        }
    }
}

#[test]
fn a_count_stays_at_least_as_often_as_asked() {
    let noise = Noise { stay: Some(0.6), ..Noise::new(3, 1.0) };
    let table = PTable::generate(&noise).unwrap();
    for row in table.rows() {
        assert!(row.stay() >= 0.6 - 1e-12);
        assert!(row.mean().abs() < 1e-6 && (row.variance() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_variance_that_cannot_be_had_is_refused_with_what_can() {
    let too_small = PTable::generate(&Noise { small: 2, ..Noise::new(3, 1.0) }).unwrap_err();
    assert!(too_small.to_string().contains("count 1"), "{too_small}");
    assert!(too_small.help().unwrap().contains("above 2.0000 and below 3.0000"));
    let too_large = PTable::generate(&Noise::new(3, 4.0)).unwrap_err();
    assert!(too_large.help().unwrap().contains("below 3.0000"));
    assert!(PTable::generate(&Noise::new(0, 1.0)).is_err());
    assert!(PTable::generate(&Noise::new(2, f64::NAN)).is_err());
}

#[test]
fn a_table_written_and_read_is_the_same() {
    let table = PTable::generate(&Noise { monotone: true, ..Noise::new(4, 2.0) }).unwrap();
    assert_eq!(PTable::from_csv(&table.to_csv()).unwrap(), table);
}

#[test]
fn tables_of_other_makers_are_read_and_checked() {
    let good = "\"i\";\"j\";\"p\"\n0;0;1\n1;0;0.5\n1;2;0.5\n2;1;0.25\n2;2;0.5\n2;3;0.25\n";
    let table = PTable::from_csv(good).unwrap();
    assert_eq!((table.apply(1, 0.49), table.apply(1, 0.5), table.apply(9, 0.8)), (0, 2, 10));
    for bad in [
        "",
        "i,p\n1,1\n",
        "i,v,p\n1,0,0.9\n",
        "i,v,p\n0,1,1\n",
        "i,v,p\n1,-2,1\n",
        "i,v,p\n2,0,1\n",
        "i,v,p\n1,x,1\n",
        "i,v,p\n1,0,0.5\n1,0,0.5\n",
        "i,v,p\n1,0,NaN\n",
    ] {
        assert!(PTable::from_csv(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn weighted_counts_move_by_the_mean_weight() {
    let table = PTable::generate(&Noise::new(3, 1.0)).unwrap();
    for key in [0.01, 0.5, 0.99] {
        assert!((table.apply_weighted(4, 10.0, key) - table.apply(4, key) as f64 * 2.5).abs() < 1e-12);
    }
    assert_eq!(table.apply_weighted(0, 0.0, 0.3), 0.0);
}

#[test]
fn noise_of_sums_falls_from_the_small_share_to_the_large_one() {
    let flex = Flex { small: 0.2, large: 0.05, point: 100.0, power: 3.0 };
    assert!((flex.share(100.0) - 0.2).abs() < 1e-12);
    assert!((flex.share(1e9) - 0.05).abs() < 1e-6);
    let shares: Vec<f64> = (0..200).map(|step| flex.share(100.0 * 1.1f64.powi(step))).collect();
    assert!(shares.iter().all(|share| (0.05..0.25).contains(share)));
    let table = PTable::generate(&Noise::new(3, 1.0)).unwrap();
    let (mut sum, mut squares) = (0.0, 0.0);
    for cell in 0..50_000u32 {
        let by = table.magnitude(&[1e9], &[1.0], &flex, keys([cell])) / 1e9;
        sum += by;
        squares += by * by;
    }
    // Mean 0 within four standard errors, and standard deviation 5 % of the contribution, as V = 1.
    assert!((sum / 50_000.0).abs() < 4.0 * 0.05 / 50_000f64.sqrt());
    assert!((squares / 50_000.0 / 0.0025 - 1.0).abs() < 0.03);
}
