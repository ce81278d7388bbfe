//! Age bands, and what is made of one that has no end.

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Nobody is taken to be older.
pub(super) const OLDEST: u32 = 130;

/// The years of age that a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// So many years of age from the row's age on; 1 for a single year.
    Years(u32),
    /// The row's age and all above it, such as 90 and over.
    Open,
}

/// How the people of an open band are spread over years of birth. Tables do not say, and it matters. If people of 90
/// and over are taken as one year, they look far less unique than they are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpenBand {
    /// All born in one year. The fewest uniques that can be.
    OneYear,
    /// Evenly over so many years.
    Even {
        /// Years of birth.
        years: u32,
    },
    /// Each year of age holds `survival` times the people of the year before.
    Falling {
        /// Years of birth.
        years: u32,
        /// Share left after a year.
        survival: f64,
    },
}

impl Default for OpenBand {
    /// Twenty years, each with three quarters of the year before: about the survival of people in their nineties.
    fn default() -> Self {
        Self::Falling { years: 20, survival: 0.75 }
    }
}

impl OpenBand {
    /// The share of the band's people in each year of birth.
    pub(super) fn years(self) -> Result<Vec<f64>> {
        let (years, survival) = match self {
            Self::OneYear => (1, 1.0),
            Self::Even { years } => (years, 1.0),
            Self::Falling { years, survival } => (years, survival),
        };
        if years == 0 || years > OLDEST || !(survival > 0.0 && survival <= 1.0) {
            return Err(Error::input("the open age band must be spread over 1 to 130 years with a survival of 0 to 1")
                .help("leave it out for twenty years with three quarters left each year")
                .into());
        }
        let sizes: Vec<f64> = (0..years).map(|year| survival.powf(f64::from(year))).collect();
        let total: f64 = sizes.iter().sum();
        Ok(sizes.iter().map(|size| size / total).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_open_band_falls_from_year_to_year() {
        let years = OpenBand::Falling { years: 3, survival: 0.5 }.years().unwrap();
        assert!((years[0] - 4.0 / 7.0).abs() < 1e-15 && (years[2] - 1.0 / 7.0).abs() < 1e-15);
        assert!(OpenBand::Even { years: 0 }.years().is_err());
        assert!(OpenBand::Falling { years: 3, survival: 1.5 }.years().is_err());
    }
}
