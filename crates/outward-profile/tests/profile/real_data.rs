//! Files of real and of invented people.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_profile::{Kind, Profile};
use outward_spec::Role;
use outward_testing::real_data::text;

use crate::table::profile;

/// The profile of a compressed file of delimited text without quotes.
fn profile_of(file: &str, delimiter: char) -> Profile {
    let text = text(file);
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(delimiter).map(str::trim).collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(delimiter).collect()).collect();
    let columns = names.iter().enumerate().map(|(place, name)| {
        let values = rows.iter().map(|row| row.get(place).copied().filter(|value| !value.is_empty()));
        (*name, Arc::new(StringArray::from_iter(values)) as ArrayRef, true)
    });
    profile(&RecordBatch::try_from_iter_with_nullable(columns).unwrap())
}

#[track_caller]
fn roles(profile: &Profile, expected: &[(&str, Role)]) {
    for (name, role) in expected {
        let column = profile.column(name).unwrap();
        assert_eq!(column.suggestion.role, *role, "{column:#?}");
    }
}

#[test]
fn the_identifiers_of_a_thousand_invented_people_are_found() {
    let profile = profile_of("fake_1000.csv.gz", ',');
    let expected = [
        ("unique_id", Role::Identifier),
        ("first_name", Role::Identifier),
        ("surname", Role::Identifier),
        ("dob", Role::DateOfBirth),
        ("city", Role::Geography),
        ("email", Role::Identifier),
    ];
    roles(&profile, &expected);
}

#[test]
fn the_identifiers_of_five_thousand_invented_australians_are_found() {
    let profile = profile_of("febrl3.csv.gz", ',');
    let expected = [
        ("rec_id", Role::Identifier),
        ("given_name", Role::Identifier),
        ("surname", Role::Identifier),
        ("address_1", Role::Identifier),
        ("soc_sec_id", Role::Identifier),
        ("date_of_birth", Role::DateOfBirth),
        ("state", Role::Geography),
        ("postcode", Role::Geography),
    ];
    roles(&profile, &expected);
}

#[test]
fn a_census_extract_without_identifiers_has_none_and_its_keys_are_found() {
    let profile = profile_of("adult/arx_adult_30162.csv.gz", ';');
    for column in &profile.columns {
        assert!(
            !matches!(column.suggestion.role, Role::Identifier | Role::FreeText | Role::DateOfBirth),
            "{column:#?}"
        );
    }
    let expected = [
        ("sex", Role::Key),
        ("age", Role::Key),
        ("race", Role::Key),
        ("marital-status", Role::Key),
        ("education", Role::Key),
        ("native-country", Role::Key),
        ("occupation", Role::Key),
        ("salary-class", Role::Sensitive),
    ];
    roles(&profile, &expected);
    assert_eq!(profile.keys.first().map(|key| key.name.as_str()), Some("age"));
}

#[test]
fn the_coded_census_of_scotland_has_keys_and_a_record_number() {
    let profile = profile_of("scotland2011_teaching_1pct.csv.gz", ',');
    let expected = [
        ("Record_Number", Role::Identifier),
        ("sex", Role::Key),
        ("Marital_Status", Role::Key),
        ("Country_Of_Birth", Role::Key),
        ("Ethnic_Group", Role::Key),
        ("religion", Role::Sensitive),
        ("health", Role::Sensitive),
        ("Occupation", Role::Key),
    ];
    roles(&profile, &expected);
}

#[test]
fn the_roles_of_a_generated_survey_are_found() {
    let profile = profile_of("keys_10k.csv.gz", ',');
    let expected = [
        ("id", Role::Identifier),
        ("age", Role::Key),
        ("hid", Role::Household),
        ("nuts3", Role::Geography),
        ("income", Role::Sensitive),
        ("weight", Role::Weight),
        ("sex", Role::Key),
    ];
    roles(&profile, &expected);
}

#[test]
fn road_collisions_have_points_area_codes_and_no_births() {
    let profile = profile_of("westyorks_2024_accidents.csv.gz", ',');
    let expected = [
        ("collision_index", Role::Identifier),
        ("longitude", Role::Geography),
        ("latitude", Role::Geography),
        ("location_easting_osgr", Role::Geography),
        ("lsoa_of_accident_location", Role::Geography),
        ("date", Role::Key),
    ];
    roles(&profile, &expected);
    assert!(profile.columns.iter().all(|column| column.share(Kind::DateOfBirth) == 0.0));
}
