//! Facts about the cohort: who is in it, what is rare, what is planted in its texts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod read;

use std::collections::{HashMap, HashSet};

use arrow_array::RecordBatch;
use outward_generate::{Dataset, Generator};
use read::{dates, integers, labels, reals, texts, values};

const PARTICIPANTS: usize = 0;
const ASSESSMENTS: usize = 1;
const ADMISSIONS: usize = 2;
const ENVIRONMENT: usize = 4;
const OCCUPATIONS: usize = 5;
const DIAGNOSES: usize = 6;
const PLANTED: usize = 7;

fn cohort(rows: u64, seed: u64) -> Vec<Vec<RecordBatch>> {
    let generator = Generator::new(Dataset::Biobank, rows, seed);
    (0..generator.blocks()).map(|block| generator.block(block)).collect()
}

#[test]
fn every_record_belongs_to_a_participant() {
    let mut all = HashSet::new();
    for tables in cohort(9_000, 1) {
        let joined = dates(&tables[PARTICIPANTS], "consent_date");
        let ids: HashMap<i64, i32> = integers(&tables[PARTICIPANTS], "participant_id")
            .into_iter()
            .zip(joined)
            .map(|(id, joined)| (id.unwrap(), joined.unwrap()))
            .collect();
        for (table, date) in [(ASSESSMENTS, "visit_date"), (ADMISSIONS, "admitted"), (3, "sample_date")] {
            for (id, date) in integers(&tables[table], "participant_id").into_iter().zip(dates(&tables[table], date)) {
                let joined = ids[&id.unwrap()];
                assert!((joined..=18_707).contains(&date.unwrap()), "before joining or after the reference day");
            }
        }
        for table in [3, ENVIRONMENT] {
            assert_eq!(tables[table].num_rows(), ids.len());
        }
        all.extend(ids.into_keys());
    }
    assert_eq!(all.len(), 9_000);
}

#[test]
fn participants_are_40_to_69_at_recruitment() {
    let tables = cohort(8_192, 2).remove(0);
    let recruited = dates(&tables[PARTICIPANTS], "consent_date");
    for (birth, joined) in dates(&tables[PARTICIPANTS], "date_of_birth").into_iter().zip(recruited) {
        let years = f64::from(joined.unwrap() - birth.unwrap()) / 365.2425;
        assert!((39.99..70.0).contains(&years), "{years}");
        // 13 March 2006 to 30 September 2010, in days since 1970.
        assert!((13_220..=14_882).contains(&joined.unwrap()));
    }
}

#[test]
fn identifiers_reach_nobody() {
    let mut seen = HashSet::new();
    for tables in cohort(20_000, 3) {
        let people = &tables[PARTICIPANTS];
        for number in texts(people, "nhs_number") {
            let number = number.unwrap();
            let sum: u32 =
                number.bytes().zip((2..=10).rev()).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
            assert_eq!((11 - sum % 11) % 11, u32::from(number.as_bytes()[9] - b'0'), "{number}");
            assert!(number.starts_with("999") && seen.insert(number.to_owned()), "{number}");
        }
        assert!(texts(people, "email").into_iter().flatten().all(|mail| mail.contains("example")));
        // The ranges of Ofcom for drama end in a thousand numbers each.
        let drama = ["07700 900", "496 0", "498 0", "01632 960", "7946 0", "2018 0"];
        assert!(
            texts(people, "phone").into_iter().flatten().all(|phone| drama.iter().any(|range| phone.contains(range)))
        );
    }
    assert_eq!(seen.len(), 20_000);
}

#[test]
fn people_at_one_address_have_one_environment_and_most_addresses_one_of_their_own() {
    let mut homes: HashMap<String, String> = HashMap::new();
    let mut shared = 0;
    let mut pollution: HashMap<String, u32> = HashMap::new();
    for tables in cohort(20_000, 4) {
        let (people, environment) = (&tables[PARTICIPANTS], &tables[ENVIRONMENT]);
        let (address, postcode) = (texts(people, "address"), texts(people, "postcode"));
        let easting = integers(people, "easting");
        let (no2, road) = (reals(environment, "no2_ug_m3"), integers(environment, "major_road_m"));
        let source = labels(environment, "nearest_source");
        for row in 0..people.num_rows() {
            let home = format!("{:?} {:?} {:?}", address[row], postcode[row], easting[row]);
            let around = format!("{:?} {:?} {}", no2[row], road[row], source[row]);
            match homes.get(&home) {
                Some(of_home) => {
                    shared += 1;
                    assert_eq!(of_home, &around);
                }
                None => {
                    *pollution.entry(format!("{:?} {:?}", no2[row], road[row])).or_default() += 1;
                    homes.insert(home, around);
                }
            }
        }
    }
    assert!((2_200..2_800).contains(&shared), "{shared}");
    let own = pollution.values().filter(|&&addresses| addresses == 1).count();
    assert!(own * 100 > homes.len() * 95, "{own} of {}", homes.len());
}

#[test]
fn some_occupations_and_diagnoses_have_fewer_than_ten_holders() {
    let (mut jobs, mut illnesses): (HashMap<String, HashSet<i64>>, HashMap<String, HashSet<i64>>) = Default::default();
    let (mut known_jobs, mut known_illnesses) = (HashSet::new(), HashSet::new());
    for tables in cohort(20_000, 5) {
        for (table, column, holders) in
            [(ASSESSMENTS, "occupation", &mut jobs), (ADMISSIONS, "main_diagnosis", &mut illnesses)]
        {
            let ids = integers(&tables[table], "participant_id");
            for (code, id) in labels(&tables[table], column).into_iter().zip(ids).filter(|(code, _)| !code.is_empty()) {
                holders.entry(code.to_owned()).or_default().insert(id.unwrap());
            }
        }
        known_jobs.extend(texts(&tables[OCCUPATIONS], "occupation").into_iter().map(|code| code.unwrap().to_owned()));
        known_illnesses.extend(texts(&tables[DIAGNOSES], "diagnosis").into_iter().map(|code| code.unwrap().to_owned()));
    }
    for (holders, known) in [(&jobs, &known_jobs), (&illnesses, &known_illnesses)] {
        let rare = holders.values().filter(|people| people.len() < 10).count();
        let common = holders.values().filter(|people| people.len() >= 100).count();
        assert!((3..=12).contains(&rare) && common >= 25, "{rare} rare, {common} common");
        assert!(holders.keys().all(|code| known.contains(code)), "a code without a place in the hierarchy");
    }
}

#[test]
fn body_mass_index_is_weight_over_squared_height() {
    let assessments = cohort(3_000, 6).remove(0).remove(ASSESSMENTS);
    let (heights, weights) = (reals(&assessments, "height_cm"), reals(&assessments, "weight_kg"));
    for (row, index) in reals(&assessments, "bmi").into_iter().enumerate() {
        let Some(index) = index else { continue };
        let metres = heights[row].unwrap() / 100.0;
        assert!((weights[row].unwrap() / metres / metres - index).abs() < 0.1, "row {row}");
    }
}

/// The texts of a table by participant and number of the visit or stay.
fn texts_by_entry<'a>(batch: &'a RecordBatch, entry: &str, column: &str) -> HashMap<(i64, i64), &'a str> {
    let entries = integers(batch, entry);
    let ids = integers(batch, "participant_id").into_iter().zip(entries);
    ids.zip(texts(batch, column))
        .filter_map(|((id, entry), text)| Some(((id.unwrap(), entry.unwrap()), text?)))
        .collect()
}

#[test]
fn a_planted_identifier_stands_where_the_truth_says_and_is_the_participant_s_own() {
    for tables in cohort(20_000, 7) {
        let people = &tables[PARTICIPANTS];
        let own: HashMap<i64, [String; 3]> = (integers(people, "participant_id").into_iter().enumerate())
            .map(|(row, id)| {
                let text = |column| texts(people, column)[row].unwrap().to_owned();
                (id.unwrap(), [text("nhs_number"), text("first_name"), text("last_name")])
            })
            .take(600)
            .collect();
        let remarks = texts_by_entry(&tables[ASSESSMENTS], "visit", "remarks");
        let letters = texts_by_entry(&tables[ADMISSIONS], "admission", "letter");
        let planted = &tables[PLANTED];
        let (ids, entries) = (integers(planted, "participant_id"), integers(planted, "visit_or_admission"));
        let (starts, lengths) = (integers(planted, "start"), integers(planted, "length"));
        let (of, kinds) = (labels(planted, "table"), labels(planted, "kind"));
        let mut checked = 0;
        for row in 0..planted.num_rows() {
            let key = (ids[row].unwrap(), entries[row].unwrap());
            let text = if of[row] == "assessments" { remarks[&key] } else { letters[&key] };
            let (start, length) = (starts[row].unwrap() as usize - 1, lengths[row].unwrap() as usize);
            let found: String = text.chars().skip(start).take(length).collect();
            assert_eq!(found.trim(), found);
            let Some([nhs, first, last]) = own.get(&key.0) else { continue };
            checked += 1;
            match kinds[row] {
                "nhs-number" => assert_eq!(&found.replace(' ', ""), nhs),
                "person-name" => {
                    let spelt = [format!("{first} {last}"), format!("{}, {first}", last.to_uppercase())];
                    assert!(spelt.contains(&found), "{found}");
                }
                "email" => assert!(found.contains("@") && found.contains("example")),
                "uk-phone" => assert!(found.starts_with('0')),
                "postcode" => assert!((6..=8).contains(&found.len()), "{found}"),
                "date-of-birth" => assert!(found.contains("19"), "{found}"),
                other => panic!("{other}"),
            }
        }
        assert!(checked > 50, "{checked}");
    }
}

#[test]
fn forty_five_in_a_hundred_remarks_hold_an_identifier_and_every_letter_names_the_participant() {
    let (mut remarks, mut identifying, mut letters) = (0, 0, 0);
    let mut named: HashSet<(i64, i64)> = HashSet::new();
    for tables in cohort(40_000, 8) {
        remarks += texts(&tables[ASSESSMENTS], "remarks").into_iter().flatten().count();
        letters += texts(&tables[ADMISSIONS], "letter").into_iter().flatten().count();
        let planted = &tables[PLANTED];
        let (ids, entries) = (integers(planted, "participant_id"), integers(planted, "visit_or_admission"));
        let (of, kinds) = (labels(planted, "table"), labels(planted, "kind"));
        for row in 0..planted.num_rows() {
            identifying += usize::from(of[row] == "assessments");
            if of[row] == "admissions" && kinds[row] == "person-name" {
                named.insert((ids[row].unwrap(), entries[row].unwrap()));
            }
        }
    }
    let share = identifying as f64 / remarks as f64;
    assert!((0.43..0.47).contains(&share) && (5_000..6_500).contains(&remarks), "{share} of {remarks}");
    assert_eq!(named.len(), letters);
    assert!(letters > 3_000, "{letters}");
}

#[test]
fn the_hierarchies_come_once() {
    let blocks = cohort(9_000, 1);
    for table in [OCCUPATIONS, DIAGNOSES] {
        assert!(blocks[0][table].num_rows() >= 40);
        assert_eq!(blocks[1][table].num_rows(), 0);
        assert!(!values(&blocks[0][table]).is_empty());
    }
}
