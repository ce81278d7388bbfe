//! The topics, the words that speak of them, and what each means for disclosure.

use outward_spec::Rating::{High, Low, Medium};
use outward_spec::Role;

use super::{Meaning, headings};

/// What a column may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    Name,
    PersonName,
    Email,
    Phone,
    NhsNumber,
    NationalInsurance,
    Account,
    Address,
    Postcode,
    Birth,
    Event,
    Coordinates,
    Weight,
    Body,
    Household,
    Id,
    PersonNumber,
    Measure,
    Note,
    Age,
    Sex,
    YearOfBirth,
    CountryOfBirth,
    EthnicGroup,
    Religion,
    Orientation,
    Health,
    Income,
    Offence,
    Politics,
    Marital,
    Occupation,
    Industry,
    Education,
    Student,
    Family,
    Tenure,
    Language,
    Grade,
    Area,
}

/// Topics with their words. The order matters where a name speaks of two: `country of birth` is not `birth`.
pub(super) const TOPICS: &[(Topic, &[&str])] = &[
    (
        Topic::Name,
        &["name", "surname", "forename", "firstname", "lastname", "fullname", "givenname", "initials", "forenames"],
    ),
    (Topic::PersonName, headings::PERSON_NAME),
    (Topic::Email, &["email", "mail", "emailaddress"]),
    (Topic::Phone, &["phone", "telephone", "tel", "mobile", "telno", "landline", "fax"]),
    (Topic::NhsNumber, &["nhs", "nhsnumber", "chi"]),
    (Topic::NationalInsurance, &["nino", "ni number", "national insurance"]),
    (Topic::Account, &["card", "iban", "account", "pan"]),
    (Topic::Address, &["address", "street", "addr", "uprn", "house number"]),
    (Topic::Postcode, &["postcode", "postal", "pcd", "pcds", "zip", "zipcode", "outcode"]),
    (Topic::YearOfBirth, &["yob", "birth year", "year birth", "birthyear"]),
    (
        Topic::CountryOfBirth,
        &[
            "country birth",
            "cob",
            "birthplace",
            "native country",
            "nationality",
            "citizenship",
            "countryofbirth",
            "country",
            "passport",
            "passports",
        ],
    ),
    (Topic::Birth, &["dob", "birth date", "date birth", "birthday", "dateofbirth", "birthdate", "born"]),
    (
        Topic::Event,
        &[
            "date",
            "death",
            "admission",
            "discharge",
            "registered",
            "appointment",
            "visit",
            "collision",
            "created",
            "updated",
        ],
    ),
    (
        Topic::Coordinates,
        &[
            "latitude",
            "longitude",
            "lat",
            "lon",
            "long",
            "lng",
            "easting",
            "northing",
            "gridref",
            "osgr",
            "oseast",
            "osnrth",
        ],
    ),
    (Topic::Body, &["kg", "body", "bmi", "birthweight", "birth weight", "height", "baby"]),
    (Topic::Weight, &["weight", "wgt", "wt", "weights", "grossing", "pweight", "hweight"]),
    (Topic::Household, &["household", "hid", "hhid", "hh", "householdid", "hserial", "family id"]),
    (
        Topic::Id,
        &[
            "id",
            "ids",
            "index",
            "ref",
            "reference",
            "serial",
            "pid",
            "uid",
            "uuid",
            "guid",
            "urn",
            "key",
            "identifier",
            "token",
            "hash",
            "barcode",
            "docket",
            "invoice",
            "ticket",
            "booking",
            "caseno",
            "rowid",
            "sequence",
            "record number",
        ],
    ),
    (Topic::PersonNumber, headings::PERSON_NUMBER),
    (Topic::Measure, headings::MEASURE),
    (
        Topic::Note,
        &["note", "notes", "comment", "comments", "text", "description", "remarks", "narrative", "reason", "free text"],
    ),
    (Topic::Age, &["age", "agep", "ageyears", "ageinyears"]),
    (Topic::Sex, &["sex", "gender"]),
    (Topic::EthnicGroup, &["ethnic", "ethnicity", "race", "ethnicgroup"]),
    (Topic::Religion, &["religion", "religious", "faith", "belief"]),
    (Topic::Orientation, &["orientation", "sexuality", "sexualorientation", "gender identity"]),
    (
        Topic::Health,
        &[
            "health",
            "disability",
            "disabled",
            "diagnosis",
            "diagnoses",
            "disease",
            "illness",
            "icd",
            "icd10",
            "condition",
            "treatment",
            "medication",
            "hiv",
            "cancer",
            "mental",
        ],
    ),
    (
        Topic::Income,
        &[
            "income",
            "salary",
            "wage",
            "wages",
            "earnings",
            "pay",
            "wealth",
            "benefit",
            "benefits",
            "debt",
            "expend",
            "expenditure",
        ],
    ),
    (Topic::Offence, &["offence", "offense", "crime", "conviction", "convictions", "sentence", "arrest", "criminal"]),
    (Topic::Politics, &["party", "vote", "voted", "political", "union", "politics"]),
    (Topic::Marital, &["marital", "marstat", "maritalstatus", "civil status", "partnership", "married"]),
    (
        Topic::Occupation,
        &["occupation", "soc", "job", "profession", "occ", "soc2010", "soc2020", "workclass", "employer"],
    ),
    (Topic::Industry, &["industry", "sic", "sector", "economic activity", "employment", "econact", "hours worked"]),
    (
        Topic::Education,
        &["education", "qualification", "qualifications", "degree", "school", "edu", "highest qualification"],
    ),
    (Topic::Student, &["student"]),
    (
        Topic::Family,
        &[
            "family",
            "children",
            "dependants",
            "dependents",
            "hsize",
            "household size",
            "residence type",
            "composition",
            "relationship",
            "carers",
            "cars",
        ],
    ),
    (Topic::Tenure, &["tenure", "accommodation", "dwelling", "property", "bedrooms"]),
    (Topic::Language, &["main language", "mother tongue", "first language"]),
    (Topic::Grade, &["social grade", "nssec", "social class", "imd", "deprivation"]),
    (
        Topic::Area,
        &[
            "region",
            "area",
            "ward",
            "lsoa",
            "msoa",
            "oa",
            "la",
            "lad",
            "ltla",
            "utla",
            "district",
            "county",
            "city",
            "town",
            "suburb",
            "state",
            "borough",
            "council",
            "local authority",
            "nuts1",
            "nuts2",
            "nuts3",
            "nuts",
            "constituency",
            "parish",
            "village",
            "datazone",
            "data zone",
            "intermediate zone",
            "locality",
        ],
    ),
];

impl Topic {
    /// What the topic means for disclosure, for those that tell it by name and few values alone.
    pub(super) fn meaning(self) -> Option<Meaning> {
        let (role, visibility, sensitivity, reason) = match self {
            Self::Sex => (Role::Key, Some(High), None, "The name speaks of sex or gender, which others see."),
            Self::Age => (Role::Key, Some(High), None, "The name speaks of age, which others see or can look up."),
            Self::YearOfBirth => {
                (Role::Key, Some(High), None, "The name speaks of a year of birth, which others see or can look up.")
            }
            Self::CountryOfBirth => (
                Role::Key,
                Some(Medium),
                None,
                "The name speaks of a country or nationality, which neighbours often know.",
            ),
            Self::EthnicGroup => (
                Role::Key,
                Some(High),
                Some(High),
                "The name speaks of an ethnic group: others often see it, and it is sensitive as well.",
            ),
            Self::Religion => (
                Role::Sensitive,
                Some(Medium),
                Some(High),
                "The name speaks of religion or belief, which can harm if learnt.",
            ),
            Self::Orientation => (
                Role::Sensitive,
                Some(Low),
                Some(High),
                "The name speaks of sexual orientation or gender identity, which can harm if learnt.",
            ),
            Self::Health => {
                (Role::Sensitive, Some(Low), Some(High), "The name speaks of health, which can harm if learnt.")
            }
            Self::Income => (
                Role::Sensitive,
                Some(Low),
                Some(High),
                "The name speaks of income or wealth, which can harm if learnt.",
            ),
            Self::Offence => {
                (Role::Sensitive, Some(Low), Some(High), "The name speaks of offences, which can harm if learnt.")
            }
            Self::Politics => (
                Role::Sensitive,
                Some(Low),
                Some(High),
                "The name speaks of politics or a trade union, which can harm if learnt.",
            ),
            Self::Marital => {
                (Role::Key, Some(High), None, "The name speaks of marital status, which is in public registers.")
            }
            Self::Occupation => (
                Role::Key,
                Some(High),
                None,
                "The name speaks of an occupation, which colleagues know and people publish themselves.",
            ),
            Self::Industry => (Role::Key, Some(Medium), None, "The name speaks of work, which neighbours often know."),
            Self::Education | Self::Student => {
                (Role::Key, Some(Medium), None, "The name speaks of education, which people publish themselves.")
            }
            Self::Family => {
                (Role::Key, Some(High), None, "The name speaks of family or household, which neighbours see.")
            }
            Self::Tenure => (Role::Key, Some(Medium), None, "The name speaks of housing, which neighbours see."),
            Self::Language => (Role::Key, Some(Medium), None, "The name speaks of a language, which others hear."),
            Self::Grade => {
                (Role::Key, Some(Low), None, "The name speaks of a social position, which neighbours can guess.")
            }
            Self::Area | Self::Postcode => {
                (Role::Geography, Some(High), None, "The name speaks of a place, which others know.")
            }
            _ => return None,
        };
        Some(Meaning { role, visibility, sensitivity, reason })
    }
}
