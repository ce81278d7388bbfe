//! What looks like an identifier at first sight, and is none.

use outward_profile::{ColumnProfile, Kind};
use outward_spec::{Role, Type};

use crate::table::{column, judged, unnamed};

#[track_caller]
fn names_nobody(column: &ColumnProfile) {
    assert!(!matches!(column.suggestion.role, Role::Identifier | Role::DateOfBirth | Role::FreeText), "{column:#?}");
}

#[test]
fn random_ten_digit_numbers_and_seconds_since_1970_are_not_nhs_numbers() {
    let random = unnamed(|draws, _| (1_000_000_000 + draws.below(2_000_000_000) * 4).to_string());
    let seconds = unnamed(|draws, _| (1_600_000_000 + draws.below(90_000_000)).to_string());
    for column in [random, seconds] {
        assert_eq!(column.share(Kind::NhsNumber), 0.0, "{column:#?}");
        assert_eq!(column.share(Kind::UkPhone), 0.0, "{column:#?}");
    }
}

#[test]
fn product_codes_are_not_postcodes_or_insurance_numbers() {
    let column =
        unnamed(|draws, _| format!("{}{}-{:02}", draws.among(&["QX", "ZK", "PT"]), draws.below(9), draws.below(60)));
    names_nobody(&column);
    assert_eq!(column.share(Kind::Postcode) + column.share(Kind::NationalInsurance), 0.0, "{column:#?}");
}

#[test]
fn bands_coded_by_a_letter_and_a_digit_are_not_postcodes() {
    let column = unnamed(|draws, _| draws.among(&["E1", "E2", "E3", "S1", "S2"]).to_owned());
    assert_eq!(column.suggestion.role, Role::Plain, "{column:#?}");
}

#[test]
fn timestamps_are_not_births() {
    let column = unnamed(|draws, _| format!("2024-05-{:02}T{:02}:15:00Z", 1 + draws.below(28), draws.below(24)));
    names_nobody(&column);
    assert_eq!(column.share(Kind::Timestamp), 1.0);
}

#[test]
fn firms_are_not_persons() {
    const FIRMS: [&str; 20] = [
        "Smith & Sons",
        "Johnson Controls Ltd",
        "Taylor Wimpey plc",
        "Barclays Bank",
        "Marks and Spencer",
        "Morgan Stanley International",
        "James Fisher Group",
        "Thomas Cook Holdings",
        "Balfour Beatty",
        "Rolls-Royce",
        "Unilever",
        "British Gas",
        "Tesco Stores",
        "Aviva",
        "Capita",
        "Serco",
        "Network Rail",
        "Kier Group",
        "Bupa Care",
        "Vodafone",
    ];
    names_nobody(&unnamed(|draws, _| draws.among(&FIRMS).to_owned()));
}

#[test]
fn labels_of_groups_places_and_work_are_not_persons_or_notes() {
    const LABELS: [&[&str]; 5] = [
        &[
            "White: English, Welsh, Scottish, Northern Irish or British",
            "White: Irish",
            "Mixed: White and Black Caribbean",
            "Asian or Asian British: Indian",
            "Black, Black British, Caribbean or African: African",
            "Other ethnic group: Arab",
        ],
        &[
            "Christian",
            "Buddhist",
            "Hindu",
            "Jewish",
            "Muslim",
            "Sikh",
            "No religion",
            "Jedi Knight",
            "Pagan",
            "Humanist",
            "Baptist",
            "Methodist",
            "Quaker",
            "Jain",
            "Ravidassia",
            "Spiritualist",
        ],
        &[
            "Baker",
            "Butcher",
            "Carpenter",
            "Cook",
            "Farmer",
            "Nurse",
            "Teacher",
            "Solicitor",
            "Plumber",
            "Police officer",
            "Mason",
            "Painter",
            "Tailor",
            "Gardener",
            "Driver",
            "Cleaner",
            "Clerk",
            "Fisher",
            "Porter",
            "Surgeon",
        ],
        &[
            "Leeds",
            "Bradford",
            "Kingston upon Thames",
            "Tower Hamlets",
            "Lincoln",
            "Preston",
            "Stafford",
            "Chester",
            "Bolton",
            "Lancaster",
            "Barnet",
            "Sutton",
            "Wells",
            "York",
            "Derby",
            "Warwick",
            "Rugby",
            "Craven",
            "Harlow",
            "Telford",
        ],
        &[
            "France",
            "Germany",
            "Jordan",
            "Chad",
            "Georgia",
            "India",
            "Israel",
            "Poland",
            "Ireland",
            "Romania",
            "Italy",
            "Kenya",
            "Ghana",
            "Somalia",
            "Turkey",
            "Cyprus",
            "Sri Lanka",
            "United States",
            "South Africa",
            "Trinidad and Tobago",
        ],
    ];
    for labels in LABELS {
        names_nobody(&unnamed(|draws, _| draws.among(labels).to_owned()));
    }
}

#[test]
fn measurements_are_plain() {
    for column in [
        unnamed(|draws, _| format!("{}.{}", 18 + draws.below(20), draws.below(10))),
        unnamed(|draws, _| format!("{}.{:04}", 1_000 + draws.below(50_000), draws.below(10_000))),
        unnamed(|draws, _| (60 + draws.below(120)).to_string()),
    ] {
        assert_eq!(column.suggestion.role, Role::Plain, "{column:#?}");
    }
}

#[test]
fn a_name_alone_never_makes_a_certain_identifier() {
    for name in ["nhs_number", "email", "phone", "surname", "postcode", "national_insurance", "address", "dob"] {
        let column = judged(name, column(1_000, |draws, _| draws.below(5).to_string()));
        names_nobody(&column);
    }
}

#[test]
fn codes_keep_their_zeros_and_few_numbers_are_codes() {
    let zeros = unnamed(|draws, _| format!("{:03}", draws.below(400)));
    assert_eq!(zeros.suggestion.data_type, Type::Text);
    let codes = unnamed(|draws, _| draws.below(9).to_string());
    assert_eq!(codes.suggestion.data_type, Type::Text);
    assert!(codes.suggestion.evidence.iter().any(|sentence| sentence.contains("codes")));
    let counts = unnamed(|draws, _| (draws.below(60) * 7).to_string());
    assert_eq!(counts.suggestion.data_type, Type::Integer);
    let amounts = unnamed(|draws, _| format!("{}.5", draws.below(60)));
    assert_eq!(amounts.suggestion.data_type, Type::Number);
}
