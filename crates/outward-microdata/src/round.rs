//! Rounding to multiples of a base, exact in decimals.
//!
//! A number is taken as the decimal it is written as: 0.15 is three times 0.05, though the binary numbers are not. With
//! x = (u + s)·b, u whole and 0 ≤ s < 1, x becomes u·b or (u + 1)·b. Conventional rounding takes the nearer one, with
//! halves upwards (7.5 to base 5 is 10, −7.5 is −5). Random rounding takes the upper one with chance s, which leaves
//! every sum as it was in expectation (Fellegi 1975). A missing number is NaN and stays missing.
//!
//! The random number of a record depends on the seed, the variable and the row alone. So a record comes out the same in
//! any part of a file, in any order and on any number of threads.

use outward_spec::{Error, Result};

use crate::random::Random;
use crate::utility::Change;

/// A base of rounding: a positive decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Base {
    units: i128,
    /// Decimal places of the unit.
    places: u32,
}

/// Which multiple a number becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoundingMethod {
    /// The nearest, halves upwards.
    #[default]
    Nearest,
    /// One of the two about it, the nearer one more likely, so that there is no bias.
    Random,
}

/// How a column is rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounding {
    /// Numbers become multiples of this.
    pub base: Base,
    /// Which of the two multiples about a number.
    pub method: RoundingMethod,
    /// Numbers below this count as this, before they are rounded.
    pub bottom: Option<f64>,
    /// Numbers above this count as this, before they are rounded.
    pub top: Option<f64>,
}

/// A rounded column.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounded {
    /// The numbers; a missing number is NaN.
    pub values: Vec<f64>,
    /// What was changed.
    pub change: Change,
}

/// A number m·10ᵉ.
struct Decimal {
    digits: i128,
    exponent: i32,
}

/// A number between two multiples of a base.
struct Neighbours {
    multiple: i128,
    share: f64,
    /// Whether it is half way or more to the upper multiple.
    upper: bool,
}

/// Every decimal of up to fifteen digits has an `f64` of its own, which is written as that decimal.
const FIFTEEN_DIGITS: i128 = 1_000_000_000_000_000;

/// Rounds a column or a part of one; `rows` are the numbers of its records, from 1. `seed` and `variable` matter only to
/// random rounding.
///
/// # Errors
/// If a number is infinite or has too many digits, or the limits cross.
pub fn round(values: &[f64], rows: &[u64], rounding: &Rounding, seed: u64, variable: &str) -> Result<Rounded> {
    let (bottom, top) = (rounding.bottom.unwrap_or(f64::NEG_INFINITY), rounding.top.unwrap_or(f64::INFINITY));
    if bottom.is_nan() || top.is_nan() || bottom > top {
        return Err(Error::input("the limits of rounding are not in order").help("give a `bottom` below `top`").into());
    }
    let mut random = Random::new(seed, &format!("round {variable}"));
    let mut next = 0;
    let mut released = Vec::with_capacity(values.len());
    for (row, value) in rows.iter().zip(values) {
        let mut draw = 0.0;
        if rounding.method == RoundingMethod::Random {
            if *row != next {
                random.seek(*row);
            }
            draw = random.unit();
            next = row + 1;
        }
        released.push(match value.is_nan() {
            true => f64::NAN,
            false => rounding.round_one(value.clamp(bottom, top), draw).ok_or_else(|| too_long(*row))?,
        });
    }
    let change = Change::between(&[values], &[&released]);
    Ok(Rounded { values: released, change })
}

fn too_long(row: u64) -> Error {
    Error::input("the number has too many digits to be rounded exactly")
        .row(row)
        .help("numbers of up to 15 digits can be rounded, the decimals of the base counted: give a `top`, or a coarser base")
        .into()
}

impl Base {
    /// The base written in this text, such as 5 or 0.05.
    ///
    /// # Errors
    /// If it is not above 0, or has more than 15 digits or decimal places.
    pub fn new(base: f64) -> Result<Self> {
        let refused = || {
            Error::input("the base of rounding must be above 0 and have no more than 15 digits")
                .help("5, 10 and 0.05 are bases")
                .into()
        };
        if !(base.is_finite() && base > 0.0) {
            return Err(refused());
        }
        let Decimal { digits, exponent } = decimal(base).ok_or_else(refused)?;
        let places = exponent.min(0).unsigned_abs();
        let units = power(exponent.max(0).unsigned_abs()).and_then(|power| digits.checked_mul(power));
        match units {
            Some(units) if units < FIFTEEN_DIGITS && places <= 15 => Ok(Self { units, places }),
            _ => Err(refused()),
        }
    }

    /// Whether its multiples are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.places == 0
    }

    /// Whether a number, as it is written, is a multiple of the base. Missing numbers are.
    pub fn divides(&self, value: f64) -> bool {
        value.is_nan() || self.between(value).is_some_and(|between| between.share == 0.0)
    }

    /// The multiples about a number; none if it has too many digits.
    fn between(&self, value: f64) -> Option<Neighbours> {
        let Decimal { digits, exponent } = decimal(value)?;
        let shift = exponent + self.places as i32;
        let scale = power(shift.unsigned_abs());
        let (digits, base) = if shift >= 0 {
            (digits.checked_mul(scale?)?, self.units)
        } else if let Some(base) = scale.and_then(|scale| self.units.checked_mul(scale)) {
            (digits, base)
        } else {
            // So many decimals that a base in their unit would overflow: the number is next to 0.
            let share = value * power(self.places)? as f64 / self.units as f64;
            let multiple = if value < 0.0 { -1 } else { 0 };
            return Some(Neighbours { multiple, share: share - multiple as f64, upper: value < 0.0 });
        };
        let rest = digits.rem_euclid(base);
        let share = rest as f64 / base as f64;
        Some(Neighbours { multiple: digits.div_euclid(base), share, upper: rest >= base - rest })
    }
}

impl Rounding {
    fn round_one(&self, value: f64, draw: f64) -> Option<f64> {
        let Neighbours { multiple, share, upper } = self.base.between(value)?;
        let up = match self.method {
            RoundingMethod::Nearest => upper,
            RoundingMethod::Random => draw < share,
        };
        let units = (multiple + i128::from(up)).checked_mul(self.base.units)?;
        // Both are exact, so that the quotient is the number nearest to the decimal, and is written as it.
        (units.abs() < FIFTEEN_DIGITS).then_some(units as f64 / power(self.base.places)? as f64)
    }
}

/// The shortest decimal that reads back as the number.
fn decimal(value: f64) -> Option<Decimal> {
    if value.trunc() == value && value.abs() < FIFTEEN_DIGITS as f64 {
        return Some(Decimal { digits: value as i128, exponent: 0 });
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e')?;
    let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
    let digits = digits.replace('.', "").parse().ok()?;
    Some(Decimal { digits, exponent: exponent.parse::<i32>().ok()? - places as i32 })
}

fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}
