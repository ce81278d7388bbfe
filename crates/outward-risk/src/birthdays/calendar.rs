//! How likely each day of the year is as a birthday, and how much of a birth date is known.

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::slots::Slots;

const MONTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/// Position of 29 February in a calendar of 366 days.
const LEAP_DAY: usize = 59;

/// How much of a birth date is known, from the finest to the coarsest. The year of birth is always known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The date.
    #[default]
    Day,
    /// The week of the year: weeks of seven days from 1 January, the last one shorter.
    Week,
    /// The month.
    Month,
    /// The quarter.
    Quarter,
    /// Only the year.
    Year,
}

impl Resolution {
    /// All of them, finest first.
    pub const ALL: [Self; 5] = [Self::Day, Self::Week, Self::Month, Self::Quarter, Self::Year];

    /// Which slot of the year a day falls in; both count from 0, `month` belongs to the day.
    fn slot(self, day: usize, month: usize) -> usize {
        match self {
            Self::Day => day,
            Self::Week => day / 7,
            Self::Month => month,
            Self::Quarter => month / 3,
            Self::Year => 0,
        }
    }
}

/// The days of a year and how likely each is as a birthday.
///
/// ```
/// use outward_risk::birthdays::Calendar;
/// let plain = Calendar::default();
/// let uneven = Calendar::default().leap_days()?.seasonal(0.06, 258)?;
/// assert_eq!((plain.days(), uneven.days()), (365, 366));
/// # Ok::<(), outward_risk::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Calendar {
    days: u32,
    /// Chance of each day; absent if all are equal.
    weights: Option<Vec<f64>>,
}

impl Default for Calendar {
    /// 365 days, all equally likely, as the paper has it.
    fn default() -> Self {
        Self { days: 365, weights: None }
    }
}

impl Calendar {
    /// A year of any number of equally likely days.
    pub fn even(days: u32) -> Result<Self> {
        match days {
            0 => Err(Error::input("a year needs at least one day").help("leave the days out for 365").into()),
            _ => Ok(Self { days, weights: None }),
        }
    }

    /// The chances of 365 days, or of 366 with 29 February in its place, in any unit: births counted will do.
    pub fn of_days(births: &[f64]) -> Result<Self> {
        match births.len() {
            365 | 366 => Self { days: births.len() as u32, weights: None }.weighted(births),
            _ => Err(Error::input("birthdays by day need 365 or 366 figures").into()),
        }
    }

    /// The same calendar with 29 February added at a quarter of a day's weight. A year that is known to be a leap year
    /// has a whole day there; over all years it is one in four.
    pub fn leap_days(self) -> Result<Self> {
        if self.days != 365 {
            return Err(Error::input("leap days can only be added to a year of 365 days").into());
        }
        let mut weights = self.day_chances();
        // 29 February is as likely, in its year, as the days around it.
        let neighbours = (weights[LEAP_DAY - 1] + weights[LEAP_DAY]) / 2.0;
        weights.insert(LEAP_DAY, neighbours / 4.0);
        Self { days: 366, weights: None }.weighted(&weights)
    }

    /// The same calendar with a smooth wave through the year: `swing` above the mean on day `peak` (from 1) and as much
    /// below it half a year later. Births in the United States vary by 0.05 to 0.07 (Peterson 1998).
    pub fn seasonal(self, swing: f64, peak: u32) -> Result<Self> {
        if !(0.0..=1.0).contains(&swing) {
            return Err(Error::input("the swing of the seasons must be between 0 and 1").into());
        }
        if peak == 0 || peak > self.days {
            return Err(Error::input("the peak must be a day of the year, counted from 1").into());
        }
        let turn = std::f64::consts::TAU / f64::from(self.days);
        let chances = self.day_chances().into_iter().zip(1_u32..);
        let weights: Vec<f64> = chances
            .map(|(chance, day)| chance * (1.0 + swing * (turn * (f64::from(day) - f64::from(peak))).cos()))
            .collect();
        self.weighted(&weights)
    }

    /// The same calendar with the births of each month, January first, spread over the days of that month.
    pub fn monthly(self, births: &[f64]) -> Result<Self> {
        if births.len() != 12 {
            return Err(Error::input("birthdays by month need twelve figures").into());
        }
        let months = self.months()?;
        let chances = self.day_chances();
        let mut in_month = [0.0; 12];
        for (month, chance) in months.iter().zip(&chances) {
            in_month[*month] += chance;
        }
        let weights: Vec<f64> =
            months.iter().zip(&chances).map(|(month, chance)| births[*month] * chance / in_month[*month]).collect();
        self.weighted(&weights)
    }

    /// Days in the year.
    pub fn days(&self) -> u32 {
        self.days
    }

    /// The year divided into the slots that a resolution distinguishes.
    pub(super) fn slots(&self, resolution: Resolution) -> Result<Slots> {
        match (resolution, &self.weights) {
            (Resolution::Day, None) => return Ok(Slots::even(f64::from(self.days))),
            (Resolution::Year, _) => return Ok(Slots::even(1.0)),
            _ => {}
        }
        let months = match resolution {
            Resolution::Month | Resolution::Quarter => self.months()?,
            _ => vec![0; self.days as usize],
        };
        let mut chances = vec![0.0; self.days as usize];
        for ((day, chance), month) in self.day_chances().into_iter().enumerate().zip(months) {
            chances[resolution.slot(day, month)] += chance;
        }
        Ok(Slots::uneven(chances))
    }

    fn day_chances(&self) -> Vec<f64> {
        match &self.weights {
            Some(weights) => weights.clone(),
            None => vec![1.0 / f64::from(self.days); self.days as usize],
        }
    }

    /// The month of each day, from 0.
    fn months(&self) -> Result<Vec<usize>> {
        if !matches!(self.days, 365 | 366) {
            let help = "use 365 or 366 days, or know the birth date to the day, week or year";
            return Err(Error::input("only a year of 365 or 366 days has months").help(help).into());
        }
        let longer = |month: usize| u32::from(month == 1 && self.days == 366);
        Ok((0..12).flat_map(|month| std::iter::repeat_n(month, (MONTHS[month] + longer(month)) as usize)).collect())
    }

    fn weighted(self, weights: &[f64]) -> Result<Self> {
        if let Some(day) = weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
            return Err(Error::input(format!("the weight of day {} of the year is not a count of births", day + 1))
                .help("weights are numbers of 0 or more")
                .into());
        }
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return Err(Error::input("no day of the year has a birth").into());
        }
        Ok(Self { days: self.days, weights: Some(weights.iter().map(|weight| weight / total).collect()) })
    }
}

/// A date of birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct BirthDate {
    year: i32,
    month: u8,
    day: u8,
}

impl BirthDate {
    /// A date of the Gregorian calendar; month and day count from 1.
    pub fn new(year: i32, month: u8, day: u8) -> Result<Self> {
        let real = (1..=12).contains(&month) && day >= 1 && u32::from(day) <= days_in(year, usize::from(month) - 1);
        match real {
            true => Ok(Self { year, month, day }),
            false => Err(Error::input("there is no such date of birth").help("write year, month and day").into()),
        }
    }

    /// The year of birth.
    pub fn year(&self) -> i32 {
        self.year
    }

    /// The slot of the year it falls in at a resolution.
    pub(super) fn slot(&self, resolution: Resolution) -> usize {
        let month = usize::from(self.month) - 1;
        let before: u32 = (0..month).map(|earlier| days_in(self.year, earlier)).sum();
        resolution.slot(before as usize + usize::from(self.day) - 1, month)
    }
}

fn days_in(year: i32, month: usize) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    MONTHS[month] + u32::from(month == 1 && leap)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_leap_day_has_a_quarter_of_a_days_chance() {
        let calendar = Calendar::default().leap_days().unwrap();
        let chances = calendar.day_chances();
        assert_eq!(chances.len(), 366);
        assert!((chances[LEAP_DAY] - 0.25 / 365.25).abs() < 1e-15);
        assert!((chances[0] - 1.0 / 365.25).abs() < 1e-15);
    }

    #[test]
    fn a_wave_of_five_per_cent_is_five_per_cent_above_the_mean_at_its_peak() {
        let chances = Calendar::default().seasonal(0.05, 200).unwrap().day_chances();
        assert!((chances[199] * 365.0 - 1.05).abs() < 1e-9);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn births_by_month_are_spread_over_the_days_of_the_month() {
        let births: Vec<f64> = (1..=12).map(f64::from).collect();
        let calendar = Calendar::default().monthly(&births).unwrap();
        assert!((calendar.day_chances()[364] - 12.0 / 78.0 / 31.0).abs() < 1e-15);
        assert!((calendar.day_chances()[31] - 2.0 / 78.0 / 28.0).abs() < 1e-15);
    }

    #[test]
    fn a_date_that_does_not_exist_is_refused() {
        assert!(BirthDate::new(2000, 2, 29).is_ok());
        assert!(BirthDate::new(1900, 2, 29).is_err());
        assert!(BirthDate::new(2001, 13, 1).is_err());
        assert!(BirthDate::new(2001, 4, 31).is_err());
        assert!(BirthDate::new(2001, 4, 0).is_err());
    }

    #[test]
    fn a_date_falls_into_its_week_month_and_quarter() {
        let date = BirthDate::new(2000, 3, 1).unwrap();
        let slots: Vec<usize> = Resolution::ALL.iter().map(|resolution| date.slot(*resolution)).collect();
        assert_eq!(slots, [60, 8, 2, 0, 0]);
        assert_eq!(BirthDate::new(1999, 12, 31).unwrap().slot(Resolution::Quarter), 3);
    }

    #[test]
    fn impossible_calendars_are_refused() {
        assert!(Calendar::even(0).is_err());
        assert!(Calendar::of_days(&[1.0; 364]).is_err());
        assert!(Calendar::of_days(&[0.0; 365]).is_err());
        assert!(Calendar::default().seasonal(1.5, 1).is_err());
        assert!(Calendar::default().seasonal(0.1, 366).is_err());
        assert!(Calendar::default().monthly(&[1.0; 11]).is_err());
        assert!(Calendar::even(360).unwrap().slots(Resolution::Month).is_err());
        let mut births = [1.0; 12];
        births[3] = -1.0;
        assert!(Calendar::default().monthly(&births).is_err());
    }
}
