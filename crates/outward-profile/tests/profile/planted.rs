//! Every kind is found by content, under a name that says nothing.

use std::sync::Arc;

use arrow_array::{Date32Array, Float64Array, Int64Array, RecordBatch};
use outward_profile::recognise::{is_card_number, is_iban};
use outward_profile::{ColumnProfile, Confidence, Kind};
use outward_spec::{HierarchySpec, Role, Type};

use crate::table::{Draws, column, judged, profile, unnamed};

#[track_caller]
fn expect(column: &ColumnProfile, role: Role, kind: Kind, least: f64, confidence: Confidence) {
    assert_eq!(column.suggestion.role, role, "{column:#?}");
    assert!(column.share(kind) >= least, "{kind} in {column:#?}");
    assert!(column.suggestion.confidence >= confidence, "{column:#?}");
}

#[test]
fn nhs_numbers_are_found_in_each_spelling_and_stay_text() {
    let run = unnamed(|draws, _| draws.nhs_number());
    let gaps = unnamed(|draws, _| {
        let number = draws.nhs_number();
        format!("{} {} {}", &number[..3], &number[3..6], &number[6..])
    });
    for column in [run, gaps] {
        expect(&column, Role::Identifier, Kind::NhsNumber, 1.0, Confidence::Certain);
        assert_eq!(column.suggestion.data_type, Type::Text);
    }
    let mut draws = Draws::new(1);
    let numbers = Int64Array::from_iter_values((0..500).map(|_| draws.nhs_number().parse::<i64>().unwrap()));
    expect(&judged("c7", Arc::new(numbers)), Role::Identifier, Kind::NhsNumber, 1.0, Confidence::Certain);
}

#[test]
fn nhs_numbers_with_some_mistyped_are_still_found_and_it_is_said() {
    let column = unnamed(|draws, record| if record % 20 == 0 { "4000000001".to_owned() } else { draws.nhs_number() });
    expect(&column, Role::Identifier, Kind::NhsNumber, 0.94, Confidence::Certain);
    assert!(column.suggestion.evidence.iter().any(|sentence| sentence.contains("mistyped")), "{column:#?}");
}

#[test]
fn nhs_numbers_among_other_references_are_possible_identifiers() {
    let column =
        unnamed(|draws, record| if record % 3 == 0 { draws.nhs_number() } else { format!("X{}", draws.below(50)) });
    expect(&column, Role::Identifier, Kind::NhsNumber, 0.3, Confidence::Possible);
}

#[test]
fn numbers_that_name_a_person_or_an_account_are_found() {
    let email = unnamed(|draws, record| format!("user{record}@{}.example.org", draws.among(&["a", "b"])));
    expect(&email, Role::Identifier, Kind::Email, 1.0, Confidence::Certain);
    let phone = unnamed(|draws, _| format!("07700 {}", 900_000 + draws.below(1_000)));
    expect(&phone, Role::Identifier, Kind::UkPhone, 1.0, Confidence::Certain);
    let insurance =
        unnamed(|draws, _| format!("AB{:06}{}", draws.below(1_000_000), draws.among(&["A", "B", "C", "D"])));
    expect(&insurance, Role::Identifier, Kind::NationalInsurance, 1.0, Confidence::Certain);
    let internet = unnamed(|draws, _| format!("192.0.{}.{}", draws.below(256), draws.below(256)));
    expect(&internet, Role::Identifier, Kind::IpAddress, 1.0, Confidence::Certain);
}

#[test]
fn cards_and_bank_accounts_are_found_by_their_check_digits() {
    let card = unnamed(|draws, _| {
        let front = format!("4{:014}", draws.below(1 << 30));
        (0..10).map(|check| format!("{front}{check}")).find(|number| is_card_number(number)).unwrap()
    });
    expect(&card, Role::Identifier, Kind::CardNumber, 1.0, Confidence::Certain);
    let account = unnamed(|draws, _| {
        let back = format!("WEST{:014}", draws.below(1 << 30));
        (2..99).map(|check| format!("GB{check:02}{back}")).find(|number| is_iban(number)).unwrap()
    });
    expect(&account, Role::Identifier, Kind::Iban, 1.0, Confidence::Certain);
}

#[test]
fn mobile_numbers_that_lost_their_zero_are_identifiers() {
    let column = unnamed(|draws, _| format!("77{:08}", draws.below(100_000_000)));
    assert_eq!(column.suggestion.role, Role::Identifier, "{column:#?}");
}

#[test]
fn postcodes_are_places_and_their_halves_are_told_apart() {
    const OUT: [&str; 8] = ["LS6", "M14", "SW1A", "EH3", "CF10", "BT7", "B15", "NE1"];
    let whole =
        unnamed(|draws, _| format!("{} {}{}", draws.among(&OUT), draws.below(10), draws.among(&["AA", "BD", "XY"])));
    expect(&whole, Role::Geography, Kind::Postcode, 1.0, Confidence::Certain);
    assert!(matches!(whole.suggestion.hierarchy, Some(HierarchySpec::Prefix { .. })));
    let half = unnamed(|draws, _| draws.among(&OUT).to_owned());
    expect(&half, Role::Geography, Kind::PartialPostcode, 1.0, Confidence::Likely);
    let area = unnamed(|draws, _| format!("E0800{:04}", draws.below(40)));
    expect(&area, Role::Geography, Kind::AreaCode, 1.0, Confidence::Certain);
}

#[test]
fn names_are_found_whole_and_in_parts() {
    const GIVEN: [&str; 24] = [
        "Mary", "John", "Aisha", "Piotr", "Siobhan", "Rhys", "Priya", "Mohammed", "Chloe", "Callum", "Femi", "Zofia",
        "Zebedee", "Quilla", "Tarquin", "Ottoline", "Grace", "Ravi", "Emma", "Jack", "Olivia", "Harry", "Niamh",
        "Ewan",
    ];
    const SURNAMES: [&str; 24] = [
        "Smith",
        "Jones",
        "Patel",
        "Khan",
        "Murphy",
        "Kowalski",
        "Campbell",
        "Okafor",
        "Featherstonehaugh",
        "Quillfeather",
        "Throckmorton",
        "Begum",
        "Evans",
        "O'Connor",
        "Ahmed",
        "Robinson",
        "Davies",
        "Singh",
        "Wilson",
        "Zebrowski",
        "Clarke",
        "Hughes",
        "Lewis",
        "Abernathy",
    ];
    for make in [
        |draws: &mut Draws| format!("{} {}", draws.among(&GIVEN), draws.among(&SURNAMES)),
        |draws: &mut Draws| format!("{}, {}", draws.among(&SURNAMES).to_uppercase(), draws.among(&GIVEN)),
        |draws: &mut Draws| draws.among(&GIVEN).to_owned(),
        |draws: &mut Draws| draws.among(&SURNAMES).to_lowercase(),
    ] {
        expect(&unnamed(|draws, _| make(draws)), Role::Identifier, Kind::PersonName, 0.5, Confidence::Likely);
    }
    let named = judged("surname", column(1_000, |draws, _| draws.among(&SURNAMES).to_owned()));
    expect(&named, Role::Identifier, Kind::PersonName, 0.5, Confidence::Certain);
}

#[test]
fn addresses_are_identifiers() {
    const STREETS: [&str; 6] =
        ["Mill Lane", "High Street", "Station Road", "Kings Close", "Victoria Avenue", "Abbey Gardens"];
    let column = unnamed(|draws, _| format!("{} {}, Leeds", 1 + draws.below(200), draws.among(&STREETS)));
    expect(&column, Role::Identifier, Kind::Address, 1.0, Confidence::Certain);
}

#[test]
fn notes_are_free_text_and_an_identifier_in_one_of_them_is_told() {
    let column = unnamed(|draws, record| {
        let extra = if record == 500 { " Ring 07700 900123." } else { "" };
        format!(
            "Seen on ward {} and was well after visit {record}, to return in {} weeks.{extra}",
            draws.below(30),
            draws.below(9)
        )
    });
    expect(&column, Role::FreeText, Kind::FreeText, 1.0, Confidence::Certain);
    let inside = column.found.iter().find(|found| found.inside).unwrap();
    assert_eq!((inside.kind, inside.share), (Kind::UkPhone, 0.001));
}

#[test]
fn births_written_with_the_hour_of_midnight_are_births() {
    let made = column(500, |draws, _| {
        let (day, month, year) = draws.date(1925, 2010);
        format!("{year:04}-{month:02}-{day:02} 00:00:00")
    });
    expect(&judged("date_of_birth", made), Role::DateOfBirth, Kind::Timestamp, 1.0, Confidence::Certain);
}

#[test]
fn births_are_told_from_events_by_their_spread() {
    type Write = fn((u64, u64, u64)) -> String;
    let formats: [(&str, Write); 5] = [
        ("%Y-%m-%d", |(d, m, y)| format!("{y}-{m:02}-{d:02}")),
        ("%d/%m/%Y", |(d, m, y)| format!("{d:02}/{m:02}/{y}")),
        ("%d-%m-%Y", |(d, m, y)| format!("{d:02}-{m:02}-{y}")),
        ("%Y%m%d", |(d, m, y)| format!("{y}{m:02}{d:02}")),
        ("%d %b %Y", |(d, m, y)| format!("{d} {} {y}", ["Jan", "Feb", "Mar", "Apr"][(m % 4) as usize])),
    ];
    for (format, write) in formats {
        let births = unnamed(|draws, _| write(draws.date(1925, 2010)));
        expect(&births, Role::DateOfBirth, Kind::DateOfBirth, 1.0, Confidence::Likely);
        assert_eq!((births.suggestion.data_type, births.suggestion.date_format), (Type::Date, Some(format)));
        let events = unnamed(|draws, _| write(draws.date(2019, 2023)));
        expect(&events, Role::Key, Kind::Date, 1.0, Confidence::Possible);
        assert_eq!(events.share(Kind::DateOfBirth), 0.0);
    }
    let mut draws = Draws::new(3);
    let days = Date32Array::from_iter_values((0..500).map(|_| i32::try_from(draws.below(28_000)).unwrap() - 14_000));
    expect(&judged("c7", Arc::new(days)), Role::DateOfBirth, Kind::DateOfBirth, 1.0, Confidence::Likely);
}

#[test]
fn american_order_is_seen_once_a_day_exceeds_twelve() {
    let column = unnamed(|draws, _| {
        let (day, month, year) = draws.date(1925, 2010);
        format!("{month:02}/{day:02}/{year}")
    });
    assert_eq!(column.suggestion.date_format, Some("%m/%d/%Y"));
}

#[test]
fn age_and_sex_are_visible_keys() {
    let age = unnamed(|draws, _| draws.below(93).to_string());
    expect(&age, Role::Key, Kind::Age, 1.0, Confidence::Possible);
    assert_eq!(age.suggestion.data_type, Type::Integer);
    assert!(matches!(age.suggestion.hierarchy, Some(HierarchySpec::Widths { .. })));
    let named = judged("AGE", column(1_000, |draws, _| draws.below(93).to_string()));
    expect(&named, Role::Key, Kind::Age, 1.0, Confidence::Certain);
    let sex = unnamed(|draws, _| draws.among(&["M", "F", "F", "M", "U"]).to_owned());
    expect(&sex, Role::Key, Kind::Sex, 0.7, Confidence::Certain);
}

#[test]
fn points_on_the_map_are_places() {
    let pair =
        unnamed(|draws, _| format!("5{}.{:05},-1.{:05}", draws.below(10), draws.below(99_999), draws.below(99_999)));
    expect(&pair, Role::Geography, Kind::Coordinates, 1.0, Confidence::Certain);
    let mut draws = Draws::new(9);
    let mut degrees = |from: f64| {
        let parts = (0..1_000).map(|_| from + draws.below(99_999) as f64 / 100_000.0 + 0.000_001);
        Arc::new(Float64Array::from_iter_values(parts)) as arrow_array::ArrayRef
    };
    let batch = RecordBatch::try_from_iter([("c1", degrees(53.0)), ("c2", degrees(-1.5))]).unwrap();
    for column in &profile(&batch).columns {
        expect(column, Role::Geography, Kind::Coordinates, 0.9, Confidence::Possible);
    }
}

#[test]
fn record_numbers_and_random_references_are_identifiers() {
    let running = unnamed(|_, record| (record + 1).to_string());
    expect(&running, Role::Identifier, Kind::RunningNumber, 1.0, Confidence::Certain);
    let reference = unnamed(|draws, record| format!("P{:04}-{record:05}", draws.below(10_000)));
    expect(&reference, Role::Identifier, Kind::NearUnique, 1.0, Confidence::Likely);
}

#[test]
fn household_numbers_are_shared_by_a_few_records_each() {
    let column = unnamed(|_, record| (record * 2 / 5 + 1).to_string());
    expect(&column, Role::Household, Kind::HouseholdId, 1.0, Confidence::Possible);
    let named = judged("hid", crate::table::column(1_000, |_, record| (record * 2 / 5 + 1).to_string()));
    expect(&named, Role::Household, Kind::HouseholdId, 1.0, Confidence::Certain);
}

#[test]
fn weights_need_a_name_and_positive_numbers() {
    let make = |draws: &mut Draws, _| format!("{}.{:02}", 1 + draws.below(80), draws.below(100));
    expect(&judged("weight", column(1_000, make)), Role::Weight, Kind::Weight, 1.0, Confidence::Likely);
    assert_ne!(judged("birth_weight", column(1_000, make)).suggestion.role, Role::Weight);
    assert_ne!(unnamed(make).suggestion.role, Role::Weight);
}
