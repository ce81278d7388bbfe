//! Facts that hold in the made-up census: people agree with themselves, and the file is as risky as a real one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod read;

use std::collections::{HashMap, HashSet};

use outward_generate::{Dataset, Generator};
use read::{dates, integers, labels, reals, texts};

const KEYS: [&str; 7] = ["sex", "age", "ethnic_group", "industry", "economic_activity", "religion", "country_of_birth"];

fn persons(rows: u64, seed: u64) -> Vec<arrow_array::RecordBatch> {
    let generator = Generator::new(Dataset::Census, rows, seed);
    (0..generator.blocks()).map(|block| generator.block(block).remove(0)).collect()
}

/// Combinations and how many of them have one person.
fn combinations_and_uniques<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> (usize, usize) {
    let mut counts: HashMap<K, u64> = HashMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    (counts.len(), counts.values().filter(|&&count| count == 1).count())
}

/// A label as the teaching file of Scotland would code it: as many categories per variable as there.
fn coded(variable: &str, label: &str) -> u8 {
    match variable {
        "sex" => u8::from(label == "Female"),
        "ethnic_group" => match label {
            l if l.starts_with("White") => 1,
            l if l.starts_with("Mixed") => 2,
            l if l.starts_with("Asian") => 3,
            "Black: African" => 4,
            l if l.starts_with("Black") => 5,
            _ => 6,
        },
        "industry" => match label {
            "Mining and quarrying" | "Manufacturing" | "Energy, water and waste" => 1,
            "Real estate" | "Professional, scientific and technical" | "Administrative and support services" => 2,
            other => 3 + position(&INDUSTRIES, other),
        },
        "economic_activity" => match label {
            l if l.starts_with("Employee") => 1,
            l if l.starts_with("Self-employed") => 2,
            other => 3 + position(&ACTIVITIES, other),
        },
        "religion" => {
            if label == "Spiritualist or Pagan" {
                0
            } else {
                position(&RELIGIONS, label)
            }
        }
        _ => u8::from(["England", "Wales", "Scotland", "Northern Ireland"].contains(&label)),
    }
}

fn position(labels: &[&str], label: &str) -> u8 {
    labels.iter().position(|&l| l == label).unwrap_or_else(|| panic!("{label}")) as u8
}

const INDUSTRIES: [&str; 12] = [
    "Agriculture, forestry and fishing",
    "Construction",
    "Wholesale and retail",
    "Transport and storage",
    "Accommodation and food",
    "Information and communication",
    "Finance and insurance",
    "Public administration and defence",
    "Education",
    "Health and social work",
    "Arts and other services",
    "Not applicable",
];
const ACTIVITIES: [&str; 8] = [
    "Unemployed",
    "Full-time student: in work or seeking it",
    "Retired",
    "Student: not seeking work",
    "Looking after home or family",
    "Long-term sick or disabled",
    "Other: not seeking work",
    "Not applicable: under 16",
];
const RELIGIONS: [&str; 9] =
    ["Other religion", "No religion", "Christian", "Buddhist", "Hindu", "Jewish", "Muslim", "Sikh", "Not stated"];

fn age_band(age: i64) -> u8 {
    [15, 24, 34, 44, 54, 64, 74].iter().filter(|&&to| age > to).count() as u8
}

/// The keys of persons as the teaching file of Scotland would code them.
fn coded_keys(batches: &[arrow_array::RecordBatch], regions: &[&str]) -> Vec<[u8; 7]> {
    let mut keys = Vec::new();
    for batch in batches {
        let ages = integers(batch, "age");
        let columns: Vec<Vec<&str>> =
            KEYS.iter().map(|&key| if key == "age" { Vec::new() } else { labels(batch, key) }).collect();
        for (row, region) in labels(batch, "region").into_iter().enumerate() {
            if regions.is_empty() || regions.contains(&region) {
                keys.push(std::array::from_fn(|at| match KEYS[at] {
                    "age" => age_band(ages[row].unwrap()),
                    key => coded(key, columns[at][row]),
                }));
            }
        }
    }
    keys
}

/// Persons, combinations and uniques of the teaching file of Scotland on these keys. `real_data` counts them in the file itself.
const SCOTLAND: (usize, usize, usize) = (63_388, 5_221, 2_386);

#[test]
fn sample_uniques_are_like_those_of_a_real_teaching_file() {
    let (real, _, real_uniques) = SCOTLAND;

    // England and Wales have three times Scotland's share of ethnic minorities, so more combinations are rare.
    let all = coded_keys(&persons(real as u64, 2011), &[]);
    let (combinations, uniques) = combinations_and_uniques(all.iter());
    println!("made up: {combinations} combinations, {uniques} uniques");
    let ratio = uniques as f64 / real_uniques as f64;
    assert!((0.5..=2.0).contains(&ratio), "{ratio:.2}");

    // The regions whose mix is Scotland's: as many persons of them are to be as unique as there.
    let mut alike = coded_keys(&persons(5 * real as u64 + 40_000, 2011), &["North East", "South West", "Wales"]);
    assert!(alike.len() >= real);
    alike.truncate(real);
    let (combinations, uniques) = combinations_and_uniques(alike.iter());
    println!("made up, regions like Scotland: {combinations} combinations, {uniques} uniques");
    let ratio = uniques as f64 / real_uniques as f64;
    assert!((1.0 / 1.4..=1.4).contains(&ratio), "{ratio:.2}");
}

mod real_data {
    use super::*;

    #[test]
    fn the_teaching_file_of_scotland_has_the_uniques_that_the_census_is_compared_with() {
        let text = outward_testing::real_data::text("scotland2011_teaching_1pct.csv.gz");
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let wanted = ["sex", "age", "Ethnic_Group", "industry", "Economic_Activity", "religion", "Country_Of_Birth"];
        let at = wanted.map(|name| header.iter().position(|&column| column == name).unwrap());
        let records = text.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            at.map(|i| fields[i])
        });
        let (combinations, uniques) = combinations_and_uniques(records.clone());
        assert_eq!((records.count(), combinations, uniques), SCOTLAND);
    }
}

#[test]
fn ages_agree_with_dates_of_birth() {
    // Days since 1970 of 21 March of a year, counted from 1901 on: every fourth year has a leap day.
    let march_21 = |year: i64| 365 * (year - 1970) + (year - 1968).div_euclid(4) + 79;
    assert_eq!(march_21(2021), 18_707);
    for batch in persons(20_000, 4) {
        for (age, birth) in integers(&batch, "age").into_iter().zip(dates(&batch, "date_of_birth")) {
            let (age, birth) = (age.unwrap(), i64::from(birth.unwrap()));
            let year = 2021 - age;
            // The year 1900 had no leap day; the few born before it are not checked to the day.
            if year > 1901 {
                assert!(march_21(year - 1) < birth && birth <= march_21(year), "{age} {birth}");
            }
        }
    }
}

#[test]
fn children_are_single_and_do_not_work() {
    for batch in persons(20_000, 5) {
        let ages = integers(&batch, "age");
        let marital = labels(&batch, "marital_status");
        let activity = labels(&batch, "economic_activity");
        let industry = labels(&batch, "industry");
        let hours = integers(&batch, "hours");
        for row in 0..batch.num_rows() {
            if ages[row].unwrap() < 16 {
                assert_eq!(marital[row], "Single");
                assert_eq!(activity[row], "Not applicable: under 16");
                assert_eq!((industry[row], hours[row]), ("Not applicable", None));
            } else {
                assert_ne!(activity[row], "Not applicable: under 16");
            }
        }
    }
}

#[test]
fn a_household_shares_one_address_and_one_local_authority() {
    let mut homes: HashMap<i64, (String, String)> = HashMap::new();
    let mut members = 0;
    for batch in persons(20_000, 6) {
        let (address, postcode) = (texts(&batch, "address"), texts(&batch, "postcode"));
        let authority = labels(&batch, "local_authority");
        for (row, household) in integers(&batch, "household_id").into_iter().enumerate() {
            let home = (format!("{} {}", address[row].unwrap(), postcode[row].unwrap()), authority[row].to_owned());
            assert_eq!(homes.entry(household.unwrap()).or_insert_with(|| home.clone()), &home);
            members += 1;
        }
    }
    let size = f64::from(members) / homes.len() as f64;
    assert!((2.1..2.6).contains(&size), "{size}");
}

#[test]
fn nhs_numbers_have_valid_check_digits_and_no_repeats() {
    let mut seen = HashSet::new();
    let mut missing = 0;
    for batch in persons(20_000, 7) {
        for number in texts(&batch, "nhs_number") {
            let Some(number) = number else {
                missing += 1;
                continue;
            };
            let digits: Vec<u32> = number.chars().map(|digit| digit.to_digit(10).unwrap()).collect();
            let sum: u32 = digits[..9].iter().zip((2..=10).rev()).map(|(digit, weight)| digit * weight).sum();
            assert_eq!((digits.len(), (11 - sum % 11) % 11), (10, digits[9]));
            assert!(seen.insert(number.to_owned()));
        }
    }
    assert!((300..900).contains(&missing), "{missing}");
}

#[test]
fn the_keys_depend_on_one_another() {
    let mut muslim = [0.0; 2];
    let mut groups = [0.0; 2];
    let mut married = [0.0; 2];
    let mut adults = [0.0; 2];
    for batch in persons(60_000, 8) {
        let (ethnic, religion) = (labels(&batch, "ethnic_group"), labels(&batch, "religion"));
        let marital = labels(&batch, "marital_status");
        let ages = integers(&batch, "age");
        for row in 0..batch.num_rows() {
            let group = usize::from(ethnic[row] == "Asian: Pakistani");
            groups[group] += 1.0;
            muslim[group] += f64::from(religion[row] == "Muslim");
            let age = ages[row].unwrap();
            let older = usize::from(age >= 45);
            if (20..30).contains(&age) || (45..65).contains(&age) {
                adults[older] += 1.0;
                married[older] += f64::from(marital[row] == "Married");
            }
        }
    }
    assert!(muslim[1] / groups[1] > 0.8 && muslim[0] / groups[0] < 0.06);
    assert!(married[0] / adults[0] < 0.25 && married[1] / adults[1] > 0.45, "{married:?} of {adults:?}");
}

#[test]
fn weights_are_near_one_with_four_decimals() {
    for batch in persons(8_192, 9) {
        for weight in reals(&batch, "weight") {
            let weight = weight.unwrap();
            assert!((0.8..1.5).contains(&weight));
            assert!(((weight * 10_000.0).round() / 10_000.0 - weight).abs() < 1e-12);
        }
    }
}
