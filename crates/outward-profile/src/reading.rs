//! What one value looks like, in a few bytes.

use outward_places::Depth;

use crate::kind::Kind;
use crate::recognise::{self as look, DateFormat, Street};
use crate::scan::{SEARCHED_KINDS, scan_text};

/// A set of marks a value bears; a mark has one bit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks(u128);

impl Marks {
    /// One word that is a given name, or a surname.
    pub(crate) const GIVEN: Self = Self(1 << 29);
    pub(crate) const SURNAME: Self = Self(1 << 30);
    /// Written as names are.
    pub(crate) const NAME_SHAPED: Self = Self(1 << 31);
    pub(crate) const ONE_WORD: Self = Self(1 << 32);
    /// A whole number without leading zeros; a number with decimals; digits with a leading zero.
    pub(crate) const WHOLE: Self = Self(1 << 33);
    pub(crate) const DECIMAL: Self = Self(1 << 34);
    pub(crate) const LEADING_ZERO: Self = Self(1 << 35);
    pub(crate) const TEN_DIGITS: Self = Self(1 << 36);
    /// A mobile number without its leading zero.
    pub(crate) const BARE_MOBILE: Self = Self(1 << 37);
    pub(crate) const LATITUDE: Self = Self(1 << 38);
    pub(crate) const LONGITUDE: Self = Self(1 << 39);
    /// A building and its street, not the street alone.
    pub(crate) const BUILDING: Self = Self(1 << 40);
    /// One run of letters and digits with three digits or more, as record numbers have.
    pub(crate) const ID_SHAPED: Self = Self(1 << 41);
    /// A code: letters and digits, five characters or more, or five digits or more; no amount, date or time.
    pub(crate) const CODE: Self = Self(1 << 42);
    /// A code with five digits or more, plain numbers among them.
    pub(crate) const LONG_CODE: Self = Self(1 << 43);
    /// A code with five digits or more that is no plain number: it has letters, marks, or zeros in front.
    pub(crate) const WRITTEN_CODE: Self = Self(1 << 63);
    /// A number with decimals that are all zero.
    pub(crate) const ZERO_DECIMALS: Self = Self(1 << 58);
    /// An amount, a duration or a time of day written as text: `£1,250.00`, `12.5 kg`, `10:15`.
    pub(crate) const MEASURED: Self = Self(1 << 59);
    /// Five digits, or nine in groups of five and four, as ZIP codes have.
    pub(crate) const FIVE_DIGITS: Self = Self(1 << 60);
    /// Degrees with four decimals or more, or metres of a national grid with six digits or more.
    pub(crate) const EXACT_POINT: Self = Self(1 << 61);
    /// Text with no digit in it.
    pub(crate) const LETTERS: Self = Self(1 << 62);

    /// The whole value is of this kind.
    pub(crate) const fn only(kind: Kind) -> Self {
        Self(1 << kind as u8)
    }

    /// An identifier of the `place`-th kind of [`SEARCHED_KINDS`] stands inside the value.
    pub(crate) const fn inside(place: usize) -> Self {
        Self(1 << (64 + place))
    }

    pub(crate) const fn date(format: DateFormat) -> Self {
        Self(1 << (DATES + format as u32))
    }

    pub(crate) fn bits(self) -> u128 {
        self.0
    }

    pub(crate) fn has(self, mark: Self) -> bool {
        self.0 & mark.0 != 0
    }

    fn put(&mut self, mark: Self, when: bool) {
        if when {
            self.0 |= mark.0;
        }
    }
}

/// The bit of the first date format.
const DATES: u32 = 44;

/// The reading of one value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) marks: Marks,
    number: f64,
    pub(crate) year: u16,
    area: u8,
    pub(crate) digits: u8,
}

impl Default for Reading {
    fn default() -> Self {
        Self { marks: Marks::default(), number: f64::NAN, year: 0, area: u8::MAX, digits: 0 }
    }
}

impl Reading {
    /// Reads a value that is not blank: numbers as they are written, identifiers in plain writing.
    pub(crate) fn from_value(value: &str) -> Self {
        let value = value.trim();
        let mut reading = Self::default();
        let shape = CharacterCounts::from_value(value);
        if shape.digits > 0 {
            reading.read_date(value);
        }
        if shape.number {
            reading.read_number(value, &shape);
            return reading;
        }
        reading.marks.put(Marks::MEASURED, shape.digits > 0 && look::is_measured(value));
        let plain = look::plain(value);
        let plain_shape = if plain == value { shape } else { CharacterCounts::from_value(&plain) };
        if plain_shape.number {
            reading.read_digits(&plain, &plain_shape);
        } else {
            reading.read_text(&plain, &plain_shape);
        }
        reading
    }

    pub(crate) fn number(&self) -> Option<f64> {
        (!self.number.is_nan()).then_some(self.number)
    }

    pub(crate) fn area(&self) -> Option<u8> {
        (self.area != u8::MAX).then_some(self.area)
    }

    fn read_number(&mut self, value: &str, shape: &CharacterCounts) {
        let marks = &mut self.marks;
        let unsigned = value.trim_start_matches(['-', '+']);
        let leading_zero = shape.points == 0 && shape.digits > 1 && unsigned.starts_with('0');
        marks.put(Marks::LEADING_ZERO, leading_zero);
        marks.put(Marks::WHOLE, shape.points == 0 && !leading_zero);
        marks.put(Marks::DECIMAL, shape.points == 1);
        marks.put(Marks::ZERO_DECIMALS, look::zero_decimals(value));
        self.number = value.parse().unwrap_or(f64::NAN);
        let plain = look::plain(value);
        let plain_shape = CharacterCounts::from_value(&plain);
        self.digits = if plain_shape.points == 0 { u8::try_from(plain_shape.digits).unwrap_or(u8::MAX) } else { 0 };
        self.read_digits(&plain, &plain_shape);
    }

    /// Identifiers that consist of digits only.
    fn read_digits(&mut self, value: &str, shape: &CharacterCounts) {
        let marks = &mut self.marks;
        let whole = shape.points == 0 && shape.signs == 0;
        marks.put(Marks::TEN_DIGITS, whole && shape.digits == 10);
        marks.put(Marks::only(Kind::NhsNumber), look::is_nhs_number(value));
        marks.put(Marks::only(Kind::UkPhone), shape.digits >= 9 && look::is_uk_phone(value));
        marks.put(Marks::BARE_MOBILE, look::is_mobile_without_zero(value));
        marks.put(Marks::only(Kind::CardNumber), shape.digits >= 14 && look::is_card_number(value));
        marks.put(Marks::LATITUDE, shape.points == 1 && look::is_uk_latitude(value));
        marks.put(Marks::LONGITUDE, shape.points == 1 && look::is_uk_longitude(value));
        let decimals = value.split_once('.').map_or(0, |(_, part)| part.len());
        marks.put(Marks::EXACT_POINT, decimals >= 4 || (decimals <= 2 && shape.digits >= 5 + decimals));
        marks.put(Marks::ID_SHAPED, whole && shape.digits >= 3);
        let coded = whole && shape.digits >= 5 && !marks.has(Marks::MEASURED);
        marks.put(Marks::CODE, coded);
        marks.put(Marks::LONG_CODE, coded);
        let number = marks.has(Marks::WHOLE) || marks.has(Marks::DECIMAL);
        marks.put(Marks::WRITTEN_CODE, coded && !number);
        marks.put(Marks::FIVE_DIGITS, whole && shape.digits == 5);
    }

    fn read_text(&mut self, value: &str, shape: &CharacterCounts) {
        if shape.digits > 0 {
            self.read_codes(value, shape);
        } else {
            self.read_letters(value);
        }
        let marks = &mut self.marks;
        marks.put(Marks::only(Kind::Email), shape.ats > 0 && look::is_email(value));
        marks.put(Marks::only(Kind::MachineKey), value.len() >= 17 && look::is_machine_key(value));
        let street = if shape.spaces > 0 { look::street(value) } else { None };
        marks.put(Marks::only(Kind::Address), street.is_some());
        marks.put(Marks::BUILDING, street == Some(Street::Building));
        marks.put(Marks::only(Kind::FreeText), shape.spaces >= 4 && look::is_free_text(value));
        let composed = value.len() >= 8 && (shape.spaces > 0 || shape.others > 0);
        if composed
            && (shape.digits >= 2 || shape.ats > 0)
            && !SEARCHED_KINDS.iter().any(|kind| marks.has(Marks::only(*kind)))
        {
            for kind in scan_text(value) {
                let place = SEARCHED_KINDS.iter().position(|found| *found == kind).unwrap_or(0);
                marks.put(Marks::inside(place), true);
            }
        }
    }

    fn read_codes(&mut self, value: &str, shape: &CharacterCounts) {
        let marks = &mut self.marks;
        if shape.digits >= 9 {
            marks.put(Marks::only(Kind::NhsNumber), look::is_nhs_number(value));
            let phone = || look::is_uk_phone(value) || look::is_foreign_phone(value);
            marks.put(Marks::only(Kind::UkPhone), shape.letters == 0 && phone());
            marks.put(Marks::only(Kind::SocialSecurity), shape.letters == 0 && look::is_social_security(value));
            marks.put(Marks::only(Kind::CardNumber), shape.letters == 0 && look::is_card_number(value));
            marks.put(Marks::only(Kind::Iban), shape.letters >= 2 && look::is_iban(value));
        }
        let ten_in_groups = shape.digits == 10 && shape.letters == 0 && shape.signs == 0;
        marks.put(Marks::TEN_DIGITS, ten_in_groups);
        marks.put(Marks::only(Kind::NumberPlate), matches!(shape.digits, 2 | 3) && look::is_number_plate(value));
        marks.put(Marks::FIVE_DIGITS, shape.digits == 9 && shape.letters == 0 && look::is_zip_with_route(value));
        let measured = marks.has(Marks::MEASURED);
        let dated = marks.has(Marks::only(Kind::Date)) || marks.has(Marks::only(Kind::Timestamp));
        let gaps = shape.spaces + shape.others + shape.ats;
        let coded = !measured && !dated && gaps <= 4 && shape.spaces <= 3 && value.len() <= 40;
        marks
            .put(Marks::CODE, coded && (shape.digits >= 5 || (shape.letters > 0 && shape.letters + shape.digits >= 5)));
        marks.put(Marks::LONG_CODE, coded && shape.digits >= 5);
        marks.put(Marks::WRITTEN_CODE, coded && shape.digits >= 5);
        marks.put(Marks::EXACT_POINT, look::is_point(value));
        marks.put(Marks::only(Kind::NationalInsurance), shape.digits == 6 && look::is_national_insurance(value));
        marks.put(Marks::only(Kind::AreaCode), shape.digits == 8 && look::is_area_code(value));
        marks.put(Marks::only(Kind::IpAddress), shape.others > 0 && look::is_ip_address(value));
        marks.put(Marks::only(Kind::Coordinates), shape.digits >= 6 && look::is_point(value));
        marks.put(Marks::ID_SHAPED, shape.digits >= 3 && shape.spaces == 0 && shape.others <= 4 && shape.ats == 0);
        if shape.letters > 0
            && value.len() <= 10
            && let Some(code) = look::postcode(value)
        {
            let kind = if code.depth() == Depth::Unit { Kind::Postcode } else { Kind::PartialPostcode };
            marks.put(Marks::only(kind), true);
            self.area = code.area_number().unwrap_or(u8::MAX);
        }
    }

    fn read_letters(&mut self, value: &str) {
        let name = look::person_name(value);
        let marks = &mut self.marks;
        marks.put(Marks::only(Kind::PersonName), name.full);
        marks.put(Marks::GIVEN, name.given);
        marks.put(Marks::SURNAME, name.surname);
        marks.put(Marks::NAME_SHAPED, name.shaped);
        marks.put(Marks::ONE_WORD, name.one_word);
        marks.put(Marks::only(Kind::Sex), look::is_sex(value));
        marks.put(Marks::LETTERS, true);
    }

    fn read_date(&mut self, value: &str) {
        if let Some(date) = look::date(value) {
            self.marks.put(Marks::only(Kind::Date), true);
            self.marks.0 |= u128::from(date.bits()) << DATES;
            self.year = date.year;
        } else if look::is_timestamp(value) {
            self.marks.put(Marks::only(Kind::Timestamp), true);
        }
    }
}

/// How many characters of each sort a value has.
#[derive(Default)]
struct CharacterCounts {
    digits: usize,
    letters: usize,
    spaces: usize,
    points: usize,
    signs: usize,
    ats: usize,
    others: usize,
    /// Whether the whole value is a number.
    number: bool,
}

impl CharacterCounts {
    fn from_value(value: &str) -> Self {
        let mut shape = Self::default();
        for (place, byte) in value.bytes().enumerate() {
            match byte {
                b'0'..=b'9' => shape.digits += 1,
                b'.' => {
                    shape.points += 1;
                    shape.others += 1;
                }
                b'+' | b'-' if place == 0 => shape.signs += 1,
                b' ' | b'\t' | b'\n' | b'\r' => shape.spaces += 1,
                b'@' => shape.ats += 1,
                b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => shape.letters += 1,
                _ => shape.others += 1,
            }
        }
        let plain = shape.letters + shape.spaces + shape.ats == 0 && shape.others == shape.points;
        shape.number = plain && shape.digits > 0 && shape.points <= 1 && !value.ends_with('.');
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_with_leading_zeros_are_told_from_whole_numbers() {
        assert!(
            Reading::from_value("007").marks.has(Marks::LEADING_ZERO)
                && !Reading::from_value("007").marks.has(Marks::WHOLE)
        );
        for value in ["0", "7", "-12", "+3"] {
            assert!(Reading::from_value(value).marks.has(Marks::WHOLE), "{value}");
        }
        for value in ["0.5", "-12.25", ".5"] {
            assert!(Reading::from_value(value).marks.has(Marks::DECIMAL), "{value}");
        }
        for value in ["1.2.3", "1,250", "5.", "-", "1e5", "12-13"] {
            let marks = Reading::from_value(value).marks;
            assert!(!marks.has(Marks::WHOLE) && !marks.has(Marks::DECIMAL), "{value}");
        }
    }

    #[test]
    fn an_identifier_inside_a_note_is_told_from_a_whole_one() {
        let inside = Reading::from_value("ring her on 07700 900123 after six").marks;
        assert!(inside.has(Marks::inside(3)) && !inside.has(Marks::only(Kind::UkPhone)));
        let whole = Reading::from_value("07700 900123").marks;
        assert!(whole.has(Marks::only(Kind::UkPhone)) && !whole.has(Marks::inside(3)));
    }
}
