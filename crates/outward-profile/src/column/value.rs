//! A value of an array. It is counted by a hash of its own type and turned into text only to be examined.

use xxhash_rust::xxh3::xxh3_64;

use crate::reading::Reading;
use crate::sample::mix;

/// One value that is there.
pub(super) trait Value {
    /// A hash that differs for different values of a column.
    fn hash(&self) -> u64;
    /// What it looks like.
    fn reading(&self) -> Reading;
    /// Its length in bytes, for text.
    fn length(&self) -> Option<u64> {
        None
    }
    /// Its size, for numbers.
    fn number(&self) -> Option<f64> {
        None
    }
}

impl Value for &str {
    fn hash(&self) -> u64 {
        xxh3_64(self.as_bytes())
    }

    fn reading(&self) -> Reading {
        Reading::from_value(self)
    }

    fn length(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

impl Value for String {
    fn hash(&self) -> u64 {
        xxh3_64(self.as_bytes())
    }

    fn reading(&self) -> Reading {
        Reading::from_value(self)
    }
}

/// A whole number.
pub(super) struct Whole(pub(super) i128);

impl Value for Whole {
    fn hash(&self) -> u64 {
        // 64-bit numbers, signed or not: the low half tells them apart within a column.
        mix(self.0 as u64)
    }

    fn reading(&self) -> Reading {
        Reading::from_value(&self.0.to_string())
    }

    fn number(&self) -> Option<f64> {
        Some(self.0 as f64)
    }
}

/// A number with decimals.
pub(super) struct Real(f64);

impl Real {
    /// What is not a number is missing, and there is one zero.
    pub(super) fn from_number(number: Option<f64>) -> Option<Self> {
        number.filter(|number| !number.is_nan()).map(|number| Self(if number == 0.0 { 0.0 } else { number }))
    }
}

impl Value for Real {
    fn hash(&self) -> u64 {
        mix(self.0.to_bits())
    }

    fn reading(&self) -> Reading {
        Reading::from_value(&self.0.to_string())
    }

    fn number(&self) -> Option<f64> {
        Some(self.0)
    }
}

/// A calendar day, counted from 1 January 1970.
pub(super) struct Day(pub(super) i64);

impl Value for Day {
    fn hash(&self) -> u64 {
        mix(self.0 as u64)
    }

    fn reading(&self) -> Reading {
        let (year, month, day) = civil(self.0);
        Reading::from_value(&format!("{year:04}-{month:02}-{day:02}"))
    }
}

/// Year, month and day of a day number in the Gregorian calendar. Years run from March so that the leap day is last,
/// and 400 years have 146,097 days.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_are_the_days_of_the_calendar() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(3_732), (1980, 3, 21));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(-25_567), (1900, 1, 1));
        assert_eq!(Day(3_732).reading().year, 1980);
    }
}
