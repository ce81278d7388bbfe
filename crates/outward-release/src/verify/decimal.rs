//! Decimal numbers as they are written, so that 0.15 is a multiple of 0.05.

/// `digits / 10^scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrittenDecimal {
    digits: i128,
    scale: u32,
}

impl WrittenDecimal {
    /// Parses a number with or without decimals and exponent; `None` if it is no number or has too many digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) || whole.trim_start_matches(['+', '-']).is_empty() {
            return None;
        }
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        match u32::try_from(scale) {
            Ok(scale) => Some(Self { digits, scale }),
            Err(_) => Some(Self { digits: digits.checked_mul(power(scale.unsigned_abs())?)?, scale: 0 }),
        }
    }

    /// Whether this is a multiple of `base`.
    pub(super) fn is_multiple_of(self, base: Self) -> bool {
        let scale = self.scale.max(base.scale);
        let at = |number: Self| number.digits.checked_mul(power(scale - number.scale)?);
        match (at(self), at(base)) {
            (Some(number), Some(base)) => base != 0 && number % base == 0,
            _ => false,
        }
    }
}

fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(number: &str, base: &str) -> Option<bool> {
        Some(WrittenDecimal::parse(number)?.is_multiple_of(WrittenDecimal::parse(base)?))
    }

    #[test]
    fn multiples_are_exact_in_decimal() {
        for (number, base) in
            [("0.15", "0.05"), ("-10", "5"), ("0", "5"), ("1e3", "250"), ("5.00", "5"), ("2.5e-1", "0.05")]
        {
            assert_eq!(fits(number, base), Some(true), "{number} {base}");
        }
        for (number, base) in [("0.15000000000000002", "0.05"), ("7", "5"), ("0.1", "1"), ("5.01", "5")] {
            assert_eq!(fits(number, base), Some(false), "{number} {base}");
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-", "x", "1.2.3", "1,5", "NaN", "inf", ".5", "1e"] {
            assert_eq!(WrittenDecimal::parse(text), None, "{text}");
        }
    }
}
