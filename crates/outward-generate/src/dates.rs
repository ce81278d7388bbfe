//! Days since 1970 and calendar dates, by integer arithmetic.

/// The day for which ages are computed: 21 March 2021.
pub(crate) const REFERENCE: Day = Day { year: 2021, month: 3, day: 21 };

/// A calendar date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day {
    pub(crate) year: i32,
    pub(crate) month: i32,
    pub(crate) day: i32,
}

impl Day {
    pub(crate) const fn new(year: i32, month: i32, day: i32) -> Self {
        Day { year, month, day }
    }

    /// Days since 1 January 1970. Years are counted from March, so that the leap day is the last of its year.
    pub(crate) const fn number(self) -> i32 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let from_march = (self.month + 9) % 12;
        let day_of_year = (153 * from_march + 2) / 5 + self.day - 1;
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        365 * year + leap_days + day_of_year - 719_468
    }

    /// The date of a number of days since 1 January 1970.
    pub(crate) const fn from_number(number: i32) -> Self {
        let days = number + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + (month <= 2) as i32;
        Day { year, month, day: day_of_year - (153 * from_march + 2) / 5 + 1 }
    }

    /// Whole years lived on this day by someone born on `birth`.
    pub(crate) const fn age_of(self, birth: Day) -> i32 {
        let had_birthday = self.month > birth.month || (self.month == birth.month && self.day >= birth.day);
        self.year - birth.year - if had_birthday { 0 } else { 1 }
    }
}

/// A birth date, as days since 1970, for someone of this age on the reference day; `within` picks the day of the year
/// of birth that ends on the latest possible date.
pub(crate) fn birth_for_age(age: i32, within: u32) -> i32 {
    let latest = Day::new(REFERENCE.year - age, REFERENCE.month, REFERENCE.day).number();
    let earliest = Day::new(REFERENCE.year - age - 1, REFERENCE.month, REFERENCE.day).number() + 1;
    let span = (latest - earliest + 1) as u64;
    earliest + ((u64::from(within) * span) >> 32) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_go_there_and_back() {
        assert_eq!(Day::new(1970, 1, 1).number(), 0);
        assert_eq!(Day::new(2000, 3, 1).number(), 11_017);
        assert_eq!(Day::new(2021, 3, 21).number(), 18_707);
        for number in (-60_000..40_000).step_by(7) {
            assert_eq!(Day::from_number(number).number(), number);
        }
    }

    #[test]
    fn births_agree_with_the_age_at_both_ends_of_the_year() {
        for age in 0..105 {
            for within in [0, 1 << 31, u32::MAX] {
                assert_eq!(REFERENCE.age_of(Day::from_number(birth_for_age(age, within))), age);
            }
        }
    }
}
