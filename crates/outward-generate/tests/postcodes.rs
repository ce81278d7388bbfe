//! Facts about the postcode headcounts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod read;

use std::collections::{HashMap, HashSet};

use arrow_array::RecordBatch;
use outward_generate::{Dataset, Generator};
use read::{integers, labels, texts};

fn postcodes(rows: u64, seed: u64) -> Vec<RecordBatch> {
    let generator = Generator::new(Dataset::Postcodes, rows, seed);
    (0..generator.blocks()).map(|block| generator.block(block).remove(0)).collect()
}

/// One or two letters, a number below 100 or a digit and a letter; a space; a digit and two letters not of CIKMOV.
fn has_the_shape_of_a_postcode(postcode: &str) -> bool {
    let Some((outward, inward)) = postcode.split_once(' ') else { return false };
    let district = outward.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let area = outward.len() - district.len();
    let good_district = match district.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [first, second] => (b'1'..=b'9').contains(first) && (second.is_ascii_digit() || second.is_ascii_uppercase()),
        _ => false,
    };
    let [sector, unit @ ..] = inward.as_bytes() else { return false };
    let good_unit = unit.len() == 2 && unit.iter().all(|c| c.is_ascii_uppercase() && !b"CIKMOV".contains(c));
    (1..=2).contains(&area) && good_district && sector.is_ascii_digit() && good_unit
}

#[test]
fn each_postcode_appears_once_and_has_the_shape_of_one() {
    let batches = postcodes(60_000, 1);
    let mut seen = HashSet::new();
    for postcode in batches.iter().flat_map(|batch| texts(batch, "postcode")) {
        let postcode = postcode.unwrap();
        assert!(has_the_shape_of_a_postcode(postcode), "{postcode}");
        assert!(seen.insert(postcode), "{postcode} twice");
    }
    assert_eq!(seen.len(), 60_000);
}

#[test]
fn a_postcode_has_about_forty_three_residents_in_households_of_two_or_three() {
    let (mut people, mut homes, mut largest) = (0, 0, 0);
    for batch in postcodes(60_000, 2) {
        for (residents, households) in integers(&batch, "residents").into_iter().zip(integers(&batch, "households")) {
            let (residents, households) = (residents.unwrap(), households.unwrap());
            assert!((1..=residents).contains(&households));
            people += residents;
            homes += households;
            largest = largest.max(residents);
        }
    }
    assert!((420..440).contains(&(people / 6_000)), "{people}");
    assert!((22..27).contains(&(10 * people / homes)), "{people} in {homes}");
    assert!((300..2_000).contains(&largest), "{largest}");
}

#[test]
fn n_and_ne_and_nw_are_apart_and_districts_ending_in_a_letter_have_few_residents() {
    let generator = Generator::new(Dataset::Postcodes, 1_300_000, 1);
    let mut residents: HashMap<String, i64> = HashMap::new();
    let mut shown = HashSet::new();
    // Newcastle, London, and Wales with Scotland, each with room on either side.
    for block in (10..22).chain(66..98).chain(136..156) {
        let batch = &generator.block(block)[0];
        let nation = labels(batch, "nation");
        for (row, (postcode, count)) in
            texts(batch, "postcode").into_iter().zip(integers(batch, "residents")).enumerate()
        {
            let postcode = postcode.unwrap();
            assert!(has_the_shape_of_a_postcode(postcode), "{postcode}");
            shown.insert(nation[row].to_owned());
            let outward = postcode.split(' ').next().unwrap();
            *residents.entry(outward.to_owned()).or_default() += count.unwrap();
        }
    }
    for outward in ["N1", "NE1", "NW1", "W2"] {
        assert!(residents.contains_key(outward), "{outward}");
    }
    for outward in ["N1C", "EC1A", "W1A", "SW1A", "E1W"] {
        assert!((1..20_000).contains(&residents[outward]), "{outward}");
    }
    assert_eq!(shown.len(), 3, "{shown:?}");
}

#[test]
fn postcodes_of_a_district_lie_together_and_those_of_harrogate_in_yorkshire() {
    let batch = postcodes(2_000, 4).remove(0);
    let (eastings, northings) = (integers(&batch, "easting"), integers(&batch, "northing"));
    for (row, postcode) in texts(&batch, "postcode").into_iter().enumerate() {
        assert!(postcode.unwrap().starts_with("HG"));
        assert!((380_000..480_000).contains(&eastings[row].unwrap()));
        assert!((407_000..507_000).contains(&northings[row].unwrap()));
    }
}

#[test]
fn blocks_past_the_last_possible_postcode_are_empty() {
    let generator = Generator::new(Dataset::Postcodes, 40_000_000, 1);
    assert_eq!(generator.block(0)[0].num_rows(), 8_192);
    assert_eq!(generator.block(generator.blocks() - 1)[0].num_rows(), 0);
}
