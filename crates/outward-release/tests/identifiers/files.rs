//! What a statistician would publish raises no alarm: measurements, generated data, and real files.

use std::collections::BTreeSet;

use arrow_cast::display::{ArrayFormatter, FormatOptions};
use outward_generate::{Dataset, Generator};

use crate::found;
use crate::values::Draws;

type Columns = Vec<(String, Vec<String>)>;

/// About normal, with mean 0 and standard deviation 1.
fn normal(draws: &mut Draws) -> f64 {
    (0..12).map(|_| draws.below(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
}

#[test]
fn measurements_dates_and_codes_of_groups_raise_no_alarm() {
    type Make = fn(&mut Draws) -> String;
    let makers: [(&str, Make); 27] = [
        ("income", |draws| ((10.2 + 0.6 * normal(draws)).exp().round()).to_string()),
        ("pay", |draws| (12_000 + draws.below(80_000)).to_string()),
        ("v1", |draws| ((10.2 + 0.6 * normal(draws)).exp().round()).to_string()),
        ("v2", |draws| format!("{:.2}", (10.2 + 0.6 * normal(draws)).exp())),
        ("v3", |draws| format!("£{}.{:02}", 1_000 + draws.below(90_000), draws.below(100))),
        ("gas_kwh", |draws| (1_000 + draws.below(30_000)).to_string()),
        ("floor_area", |draws| format!("{:.1}", 90.0 + 30.0 * normal(draws))),
        ("score", |draws| format!("{:.4}", normal(draws))),
        ("turnover", |draws| ((14.0 + 2.0 * normal(draws)).exp().round()).to_string()),
        ("v4", |draws| ((14.0 + 2.0 * normal(draws)).exp().round()).to_string()),
        ("birth_weight", |draws| (3_400.0 + 500.0 * normal(draws)).round().to_string()),
        ("price", |draws| (100 * (500 + draws.below(6_000))).to_string()),
        ("account_balance", |draws| (draws.below(90_000)).to_string()),
        ("weight", |draws| format!("{:.6}", 1.0 + draws.below(1_000_000) as f64 / 7_919.0)),
        ("visit_date", |draws| format!("2023-{:02}-{:02}", 1 + draws.below(12), 1 + draws.below(28))),
        ("arrived", |draws| {
            format!(
                "2024-05-{:02}T{:02}:{:02}:{:02}",
                1 + draws.below(28),
                draws.below(24),
                draws.below(60),
                draws.below(60)
            )
        }),
        ("waiting", |draws| format!("{}:{:02}:{:02}", draws.below(9), draws.below(60), draws.below(60))),
        ("latitude", |draws| format!("{}.{}", 50 + draws.below(9), draws.below(10))),
        ("easting", |draws| (1_000 * (300 + draws.below(80))).to_string()),
        ("icd10", |draws| {
            format!("{}{:02}.{}", ["E", "I", "J", "K", "M"][draws.below(5) as usize], draws.below(100), draws.below(10))
        }),
        ("sic", |draws| format!("{:05}", 10 * draws.below(700))),
        ("lsoa", |draws| format!("E0101{:04}", draws.below(9_999))),
        ("postcode", |draws| draws.among(&["LS6", "M14", "EH3", "CF10"]).to_owned()),
        ("zip", |draws| format!("{:03}", 100 + draws.below(800))),
        ("registration_year", |draws| (1960 + draws.below(60)).to_string()),
        ("number_of_employees", |draws| ((3.0 + 2.0 * normal(draws)).exp().round()).to_string()),
        ("percentage", |draws| format!("{:.1}%", draws.below(1_000) as f64 / 10.0)),
    ];
    let column = |(seed, (name, make)): (usize, &(&str, Make))| {
        let mut draws = Draws::new(seed as u64);
        (name.to_string(), (0..2_000).map(|_| make(&mut draws)).collect())
    };
    let columns: Columns = makers.iter().enumerate().map(column).collect();
    assert_eq!(found(&columns), BTreeSet::new());
}

/// A table of generated data as text.
fn generated(dataset: Dataset, table: usize) -> Columns {
    let generator = Generator::new(dataset, 3_000, 7);
    let mut columns: Columns = Vec::new();
    for block in 0..generator.blocks() {
        let batch = generator.block(block).swap_remove(table);
        for (place, field) in batch.schema().fields().iter().enumerate() {
            let shown = ArrayFormatter::try_new(batch.column(place), &FormatOptions::default()).unwrap();
            let values = (0..batch.num_rows()).map(|row| shown.value(row).to_string());
            match columns.get_mut(place) {
                Some((_, column)) => column.extend(values),
                None => columns.push((field.name().clone(), values.collect())),
            }
        }
    }
    columns
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(ToString::to_string).collect()
}

/// The identifiers of each generated table.
const IDENTIFIERS: [(&str, &[&str]); 15] = [
    (
        "persons",
        &["person_id", "first_name", "last_name", "address", "postcode", "nhs_number", "email", "phone", "notes"],
    ),
    ("properties", &["property_id", "address", "postcode"]),
    ("enrolments", &["enrolment_id", "learner_id", "learner_name", "learner_postcode"]),
    ("collisions", &["collision_index", "easting", "northing"]),
    ("vehicles", &["collision_index"]),
    ("casualties", &["collision_index"]),
    (
        "participants",
        &[
            "participant_id",
            "nhs_number",
            "first_name",
            "last_name",
            "address",
            "postcode",
            "easting",
            "northing",
            "email",
            "phone",
            "gp_name",
        ],
    ),
    ("assessments", &["participant_id", "remarks"]),
    ("admissions", &["participant_id", "letter"]),
    ("biomarkers", &["participant_id"]),
    ("environment", &["participant_id"]),
    ("occupations", &[]),
    ("diagnoses", &[]),
    ("planted", &["participant_id"]),
    ("postcodes", &["postcode", "easting", "northing"]),
];

#[test]
fn of_generated_data_only_the_identifiers_are_found() {
    for dataset in Dataset::ALL {
        for (at, table) in dataset.tables().iter().enumerate() {
            let (_, expected) = IDENTIFIERS.iter().find(|(name, _)| *name == table.name).unwrap();
            assert_eq!(found(&generated(dataset, at)), names(expected), "{}", table.name);
        }
    }
}

mod real_data {
    use super::*;

    /// The columns of a compressed file of delimited text without quotes.
    fn columns_of(file: &str, delimiter: char) -> Columns {
        let text = outward_testing::real_data::text(file);
        let mut lines = text.lines();
        let names = lines.next().unwrap().split(delimiter);
        let mut columns: Columns = names.map(|name| (name.trim().to_owned(), Vec::new())).collect();
        for line in lines {
            let mut values = line.split(delimiter);
            columns.iter_mut().for_each(|(_, column)| column.push(values.next().unwrap_or_default().to_owned()));
        }
        columns
    }

    #[test]
    fn of_real_files_only_the_identifiers_are_found() {
        // A point of a collision is public; a custodian says so by `allow`.
        let points = ["latitude", "longitude", "location_easting_osgr", "location_northing_osgr"];
        let collisions = ["collision_index", "collision_ref_no"];
        for (file, delimiter, expected) in [
            ("adult/arx_adult_30162.csv.gz", ';', names(&[])),
            ("scotland2011_teaching_1pct.csv.gz", ',', names(&["Record_Number"])),
            ("keys_10k.csv.gz", ',', names(&["id"])),
            ("westyorks_2024_accidents.csv.gz", ',', names(&[&collisions[..], &points[..]].concat())),
            ("westyorks_2024_vehicles.csv.gz", ',', names(&collisions)),
            ("westyorks_2024_casualties.csv.gz", ',', names(&collisions)),
            ("fake_1000.csv.gz", ',', names(&["unique_id", "first_name", "surname", "email"])),
            ("febrl3.csv.gz", ',', names(&["rec_id", "given_name", "surname", "address_1", "soc_sec_id"])),
        ] {
            assert_eq!(found(&columns_of(file, delimiter)), expected, "{file}");
        }
    }
}
