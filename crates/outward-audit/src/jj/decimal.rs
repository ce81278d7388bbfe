//! Decimals as they are written, and as whole numbers of units.

use std::fmt::Write as _;

/// A decimal as it is written: `digits` divided by ten to the power `places`.
#[derive(Clone, Copy, Default)]
pub(super) struct Decimal {
    digits: i128,
    /// How many decimals it has.
    pub(super) places: u32,
}

impl Decimal {
    /// Most decimals that a number may have.
    pub(super) const PLACES: u32 = 9;

    pub(super) fn parse(field: &[u8]) -> Option<Self> {
        let (negative, mut rest) = match field.split_first()? {
            (b'-', rest) => (true, rest),
            (b'+', rest) => (false, rest),
            _ => (false, field),
        };
        let mut exponent = 0_i32;
        if let Some(at) = rest.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            exponent = std::str::from_utf8(&rest[at + 1..]).ok()?.parse().ok()?;
            rest = &rest[..at];
        }
        let (mut digits, mut places, mut point, mut any) = (0_i128, 0_i32, false, false);
        for byte in rest {
            match byte {
                b'0'..=b'9' if digits < 1_i128 << 100 => {
                    digits = digits * 10 + i128::from(byte - b'0');
                    places += i32::from(point);
                    any = true;
                }
                b'.' if !point => point = true,
                _ => return None,
            }
        }
        if !any || exponent.abs() > 30 {
            return None;
        }
        places -= exponent;
        while places < 0 && digits < 1_i128 << 100 {
            (digits, places) = (digits * 10, places + 1);
        }
        while places > 0 && digits % 10 == 0 {
            (digits, places) = (digits / 10, places - 1);
        }
        let places = u32::try_from(places).ok().filter(|places| *places <= Self::PLACES)?;
        Some(Self { digits: if negative { -digits } else { digits }, places })
    }

    /// In units of ten to the power minus `places`, rounded up.
    pub(super) fn above(self, places: u32) -> Option<i64> {
        let by = |power: u32| 10_i128.pow(power);
        let units = if places >= self.places {
            self.digits.checked_mul(by(places - self.places))?
        } else {
            -(-self.digits).div_euclid(by(self.places - places))
        };
        i64::try_from(units).ok()
    }

    /// As [`Decimal::above`], rounded down.
    pub(super) fn below(self, places: u32) -> Option<i64> {
        Self { digits: -self.digits, ..self }.above(places)?.checked_neg()
    }

    /// The value of a bound that is too large to be represented: none.
    pub(super) fn none(self) -> i64 {
        if self.digits < 0 { i64::MIN } else { i64::MAX }
    }
}

/// Writes an amount in units of `1 / scale` as a decimal. A missing bound is written as the largest number possible.
pub(super) fn write_amount(text: &mut String, amount: i64, scale: i64) {
    if scale <= 1 || amount == i64::MAX || amount == i64::MIN {
        let _ = write!(text, "{amount}");
        return;
    }
    let (units, scale) = (amount.unsigned_abs(), scale.unsigned_abs());
    let sign = if amount < 0 { "-" } else { "" };
    let _ = write!(text, "{sign}{}", units / scale);
    if units % scale > 0 {
        let digits = scale.ilog10() as usize;
        let part = format!("{:0digits$}", units % scale);
        let _ = write!(text, ".{}", part.trim_end_matches('0'));
    }
}
