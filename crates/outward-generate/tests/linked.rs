//! Facts about the datasets of several tables: they join without orphans, and linked rows agree. And about the rest.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod read;

use std::collections::{HashMap, HashSet};

use outward_generate::{Dataset, Generator};
use read::{integers, labels, texts};

#[test]
fn vehicles_and_casualties_belong_to_a_collision() {
    for block in 0..2 {
        let tables = Generator::new(Dataset::Road, 10_000, 1).block(block);
        let [collisions, vehicles, casualties] = tables.as_slice() else { panic!("three tables") };
        let mut counted: HashMap<&str, (i64, i64)> = HashMap::new();
        let mut seen = HashSet::new();
        for (index, reference) in
            texts(vehicles, "collision_index").into_iter().zip(integers(vehicles, "vehicle_reference"))
        {
            counted.entry(index.unwrap()).or_default().0 += 1;
            assert!(seen.insert((index.unwrap(), reference.unwrap())));
        }
        let mut worst: HashMap<&str, usize> = HashMap::new();
        let severities = ["Fatal", "Serious", "Slight"];
        let rank = |label: &str| severities.iter().position(|&severity| severity == label).unwrap();
        let (index, vehicle) = (texts(casualties, "collision_index"), integers(casualties, "vehicle_reference"));
        for (row, severity) in labels(casualties, "severity").into_iter().enumerate() {
            let index = index[row].unwrap();
            counted.entry(index).or_default().1 += 1;
            assert!(seen.contains(&(index, vehicle[row].unwrap())), "a casualty without a vehicle");
            let entry = worst.entry(index).or_insert(2);
            *entry = (*entry).min(rank(severity));
        }
        let (of_vehicles, of_casualties) =
            (integers(collisions, "number_of_vehicles"), integers(collisions, "number_of_casualties"));
        let severity = labels(collisions, "severity");
        for (row, index) in texts(collisions, "collision_index").into_iter().enumerate() {
            let index = index.unwrap();
            assert_eq!(counted[index], (of_vehicles[row].unwrap(), of_casualties[row].unwrap()));
            assert_eq!(worst[index], rank(severity[row]));
        }
        assert_eq!(counted.len(), collisions.num_rows());
    }
}

#[test]
fn a_collision_has_at_most_six_factors_and_pedestrians_have_their_own() {
    let tables = Generator::new(Dataset::Road, 8_192, 2).block(0);
    let mut per_collision: HashMap<&str, usize> = HashMap::new();
    let mut used = HashSet::new();
    for (table, pedestrian) in [(&tables[1], false), (&tables[2], true)] {
        let index = texts(table, "collision_index");
        for factor in 1..=6 {
            for (row, label) in labels(table, &format!("factor_{factor}")).into_iter().enumerate() {
                if !label.is_empty() {
                    *per_collision.entry(index[row].unwrap()).or_default() += 1;
                    assert_eq!(label.starts_with('8'), pedestrian, "{label}");
                    used.insert(label);
                }
            }
        }
    }
    assert!(per_collision.values().all(|&count| count <= 6));
    let share = per_collision.len() as f64 / 8_192.0;
    assert!((0.6..0.85).contains(&share), "{share}");
    assert!(used.len() > 65, "{}", used.len());
}

#[test]
fn a_driver_who_is_hurt_has_the_age_and_sex_of_the_driver() {
    let tables = Generator::new(Dataset::Road, 3_000, 3).block(0);
    let (vehicles, casualties) = (&tables[1], &tables[2]);
    let (index, reference) = (texts(vehicles, "collision_index"), integers(vehicles, "vehicle_reference"));
    let (ages, sexes) = (integers(vehicles, "age_of_driver"), labels(vehicles, "sex_of_driver"));
    let drivers: HashMap<_, _> =
        (0..vehicles.num_rows()).map(|row| ((index[row], reference[row]), (ages[row], sexes[row]))).collect();
    let (index, reference) = (texts(casualties, "collision_index"), integers(casualties, "vehicle_reference"));
    let (ages, sexes) = (integers(casualties, "age"), labels(casualties, "sex"));
    for (row, class) in labels(casualties, "casualty_class").into_iter().enumerate() {
        if class == "Driver or rider" {
            assert_eq!(drivers[&(index[row], reference[row])], (ages[row], sexes[row]));
        }
    }
}

#[test]
fn rare_learning_aims_make_a_long_tail() {
    let generator = Generator::new(Dataset::Education, 40_000, 1);
    let mut counts: HashMap<String, u64> = HashMap::new();
    for block in 0..generator.blocks() {
        for aim in labels(&generator.block(block)[0], "learning_aim") {
            *counts.entry(aim.to_owned()).or_default() += 1;
        }
    }
    let largest = counts.values().max().unwrap();
    let rare = counts.values().filter(|&&count| count < 5).count();
    assert!(*largest > 400 && rare > 1_000, "largest {largest}, rare {rare} of {}", counts.len());
}

#[test]
fn large_and_old_dwellings_burn_more_gas() {
    let batch = Generator::new(Dataset::Energy, 8_192, 1).block(0).remove(0);
    let (area, gas) = (integers(&batch, "floor_area_m2"), integers(&batch, "gas_kwh"));
    let age = labels(&batch, "age_band");
    let mean = |chosen: &dyn Fn(usize) -> bool| {
        let used: Vec<i64> = (0..gas.len()).filter(|&row| chosen(row)).filter_map(|row| gas[row]).collect();
        used.iter().sum::<i64>() / used.len() as i64
    };
    assert!(mean(&|row| area[row].unwrap() > 120) > 3 * mean(&|row| area[row].unwrap() < 70) / 2);
    assert!(mean(&|row| age[row] == "Before 1900") > mean(&|row| age[row] == "1996 to 2011"));
    let without = gas.iter().filter(|kwh| kwh.is_none()).count();
    assert!((800..2_000).contains(&without), "{without}");
    assert!(gas.contains(&Some(0)));
}
