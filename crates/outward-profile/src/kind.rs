//! The kinds of things that can be found in a column.

use std::fmt;

use serde::Serialize;

/// What values were recognised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Kind {
    /// An NHS number with a valid check digit.
    NhsNumber,
    /// A National Insurance number.
    NationalInsurance,
    /// An e-mail address.
    Email,
    /// A telephone number, British or of another country.
    UkPhone,
    /// A whole postcode.
    Postcode,
    /// The outward half of a postcode, or its sector.
    PartialPostcode,
    /// An address on the internet.
    IpAddress,
    /// A payment card number.
    CardNumber,
    /// An international bank account number.
    Iban,
    /// The name of a person, or a part of one.
    PersonName,
    /// A building and street, or a street.
    Address,
    /// Sentences someone typed.
    FreeText,
    /// A date whose years spread as births do.
    DateOfBirth,
    /// A date.
    Date,
    /// A date with a time of day.
    Timestamp,
    /// An age in years.
    Age,
    /// A sex or gender.
    Sex,
    /// A point on the map, or one of its two numbers.
    Coordinates,
    /// The code of a statistical area.
    AreaCode,
    /// Almost every record has a value of its own.
    NearUnique,
    /// Numbers counted up, one to a record.
    RunningNumber,
    /// A number or code shared by the few members of a household.
    HouseholdId,
    /// How many of the population a record stands for.
    Weight,
    /// A Social Security number of the United States, in its groups.
    SocialSecurity,
    /// A number plate of the United Kingdom.
    NumberPlate,
    /// A UUID, a hash or the address of a network card.
    MachineKey,
    /// A code or number that was given to one person or record: `AB-12345`.
    AssignedCode,
    /// A ZIP code of the United States with all five digits.
    ZipCode,
}

impl Kind {
    /// The kind in words, in the plural, as a sentence uses it.
    pub fn plural(self) -> &'static str {
        match self {
            Self::NhsNumber => "NHS numbers with a valid check digit",
            Self::NationalInsurance => "National Insurance numbers",
            Self::Email => "e-mail addresses",
            Self::UkPhone => "telephone numbers",
            Self::Postcode => "whole postcodes",
            Self::PartialPostcode => "outward halves of postcodes",
            Self::IpAddress => "internet addresses",
            Self::CardNumber => "payment card numbers with a valid check digit",
            Self::Iban => "bank account numbers with valid check digits",
            Self::PersonName => "common names of persons",
            Self::Address => "addresses or streets",
            Self::FreeText => "sentences",
            Self::DateOfBirth => "dates of birth",
            Self::Date => "dates",
            Self::Timestamp => "dates with a time of day",
            Self::Age => "ages in years",
            Self::Sex => "words for a sex or gender",
            Self::Coordinates => "points on the map",
            Self::AreaCode => "codes of statistical areas",
            Self::NearUnique => "values of one record only",
            Self::RunningNumber => "running numbers",
            Self::HouseholdId => "household numbers",
            Self::Weight => "weights",
            Self::SocialSecurity => "Social Security numbers",
            Self::NumberPlate => "number plates",
            Self::MachineKey => "keys made by machines",
            Self::AssignedCode => "codes given to one record each",
            Self::ZipCode => "ZIP codes with all five digits",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural())
    }
}

/// That values of a kind were found in a column, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FoundKind {
    /// The kind.
    pub kind: Kind,
    /// The share of the examined values that are of this kind.
    pub share: f64,
    /// How many values were examined, without missing ones. All are if there are at most 100,000 records or some 4,000
    /// different values. Otherwise it is a sample of 25,000 to 50,000 records.
    pub examined: u64,
    /// Whether the identifier stands inside longer text, rather than being the whole value.
    pub inside: bool,
}
