//! How numbers are written, in one place, for both text and HTML.
//!
//! A value that is not zero is never written as zero. A share that is not the whole is never written as the whole.
//! Readers of a disclosure report must be able to distinguish "few" from "none".

use crate::chart::Unit;

/// The sign for a missing value.
pub const MISSING: &str = "–";

/// From this number on, digits would claim a precision that a float does not have.
const SCIENTIFIC_FROM: f64 = 1e15;

/// A count with thousands separated.
///
/// ```
/// assert_eq!(outward_report::format::count(18_109), "18,109");
/// ```
pub fn count(n: u64) -> String {
    group(&n.to_string())
}

/// A count with its noun, in the singular or the plural.
///
/// ```
/// use outward_report::format::counted;
/// assert_eq!(counted(1, "person", "people"), "1 person");
/// assert_eq!(counted(2_000, "record", "records"), "2,000 records");
/// ```
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A share between 0 and 1 as a percentage with one decimal.
///
/// ```
/// use outward_report::format::share;
/// assert_eq!(share(0.0376), "3.8 %");
/// assert_eq!(share(0.000_02), "< 0.1 %");
/// assert_eq!(share(0.999_98), "> 99.9 %");
/// ```
pub fn share(share: f64) -> String {
    match share {
        0.0 => "0 %".to_owned(),
        1.0 => "100 %".to_owned(),
        s if s > 0.999 && s < 1.0 => "> 99.9 %".to_owned(),
        s if s.is_nan() => MISSING.to_owned(),
        s => format!("{} %", number(s * 100.0, 1)),
    }
}

/// A number with so many decimals and thousands separated.
///
/// ```
/// use outward_report::format::number;
/// assert_eq!(number(-1234.567, 2), "−1,234.57");
/// assert_eq!(number(0.000_3, 2), "< 0.01");
/// ```
pub fn number(x: f64, decimals: u8) -> String {
    if x.is_nan() {
        return MISSING.to_owned();
    }
    let sign = if x < 0.0 { "−" } else { "" };
    let size = x.abs();
    if size.is_infinite() {
        return format!("{sign}∞");
    }
    let decimals = usize::from(decimals.min(12));
    if size >= SCIENTIFIC_FROM {
        return format!("{sign}{size:.2e}");
    }
    let digits = format!("{size:.decimals$}");
    if size > 0.0 && digits.bytes().all(|b| b == b'0' || b == b'.') {
        let least = least_shown(decimals);
        return if x < 0.0 { format!("> −{least}") } else { format!("< {least}") };
    }
    match digits.split_once('.') {
        Some((whole, fraction)) => format!("{sign}{}.{fraction}", group(whole)),
        None => format!("{sign}{}", group(&digits)),
    }
}

/// A number of some unit, as it is written beside a bar or in the table of a chart.
pub(crate) fn in_unit(x: f64, unit: Unit) -> String {
    match unit {
        Unit::Count => number(x, 0),
        Unit::Share => share(x),
        Unit::Number(decimals) => number(x, decimals),
    }
}

/// A number on an axis whose ticks are `step` apart and reach to `size`. It has only as many decimals as distinguish
/// the ticks. If the largest is big, all are shortened to the same unit.
pub(crate) fn tick(x: f64, step: f64, size: f64, unit: Unit) -> String {
    if x == 0.0 {
        return if unit == Unit::Share { "0 %".to_owned() } else { "0".to_owned() };
    }
    match unit {
        Unit::Share => format!("{} %", short(x * 100.0, step * 100.0, size * 100.0)),
        Unit::Count | Unit::Number(_) => short(x, step, size),
    }
}

/// A number in millions or thousand millions, if that saves space: `2.5m`, `40bn`.
fn short(x: f64, step: f64, size: f64) -> String {
    let (scale, suffix) = match size.abs() {
        s if !(1e-6..SCIENTIFIC_FROM).contains(&s) => return scientific(x),
        s if s >= 1e12 => (1e12, "tn"),
        s if s >= 1e9 => (1e9, "bn"),
        s if s >= 1e6 => (1e6, "m"),
        _ => (1.0, ""),
    };
    // A step of 0.25 needs two decimals, of 20 none; 1e-9 absorbs the error of a step such as 0.1 + 0.2.
    let mut decimals = 0;
    let mut rest = step / scale;
    while decimals < 9 && (rest - rest.round()).abs() > 1e-9 * rest.max(1.0) {
        rest *= 10.0;
        decimals += 1;
    }
    format!("{}{suffix}", number(x / scale, decimals))
}

/// A name as it is written within a sentence: its capital is dropped unless the word is an abbreviation.
pub(crate) fn within_sentence(name: &str) -> String {
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain([second]).chain(characters).collect()
        }
        _ => name.to_owned(),
    }
}

/// A float as `2e18`, with a proper minus sign.
fn scientific(x: f64) -> String {
    format!("{x:.1e}").replace(".0e", "e").replace('-', "−")
}

/// The least number above zero that so many decimals can show.
fn least_shown(decimals: usize) -> String {
    match decimals {
        0 => "1".to_owned(),
        d => format!("0.{}1", "0".repeat(d - 1)),
    }
}

/// Digits in groups of three.
fn group(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_in_thousands() {
        let written: Vec<_> = [0, 999, 1000, 18_109, 1_000_000, u64::MAX].map(count).into();
        assert_eq!(written, ["0", "999", "1,000", "18,109", "1,000,000", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn few_is_never_written_as_none_nor_nearly_all_as_all() {
        assert_eq!(share(0.0), "0 %");
        assert_eq!(share(1e-9), "< 0.1 %");
        assert_eq!(share(0.001), "0.1 %");
        assert_eq!(share(0.0376), "3.8 %");
        assert_eq!(share(0.5), "50.0 %");
        assert_eq!(share(0.999), "99.9 %");
        assert_eq!(share(0.999_6), "> 99.9 %");
        assert_eq!(share(1.0), "100 %");
        assert_eq!(share(1.25), "125.0 %");
        assert_eq!(share(-0.0376), "−3.8 %");
        assert_eq!(number(1e-12, 0), "< 1");
        assert_eq!(number(-1e-12, 3), "> −0.001");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(number(-0.0, 2), "0.00");
        assert_eq!(share(-0.0), "0 %");
        assert_eq!(number(-0.004, 2), "> −0.01");
    }

    #[test]
    fn what_is_not_finite_is_still_written() {
        assert_eq!(number(f64::NAN, 2), MISSING);
        assert_eq!(share(f64::NAN), MISSING);
        assert_eq!(number(f64::NEG_INFINITY, 2), "−∞");
        assert_eq!(number(f64::MAX, 2), "1.80e308");
    }

    #[test]
    fn abbreviations_keep_their_capitals_within_a_sentence() {
        assert_eq!(["Records", "ZIP code", "k", ""].map(within_sentence), ["records", "ZIP code", "k", ""]);
    }

    #[test]
    fn ticks_show_no_more_than_tells_them_apart() {
        assert_eq!(tick(20_000.0, 10_000.0, 50_000.0, Unit::Count), "20,000");
        assert_eq!(tick(500_000.0, 500_000.0, 2_500_000.0, Unit::Count), "0.5m");
        assert_eq!(tick(0.05, 0.05, 0.2, Unit::Share), "5 %");
        assert_eq!(tick(0.025, 0.005, 0.025, Unit::Share), "2.5 %");
        assert_eq!(tick(0.1 + 0.2, 0.1, 0.5, Unit::Number(1)), "0.3");
        assert_eq!(tick(2e18, 1e18, 5e18, Unit::Count), "2e18");
        assert_eq!(tick(-0.5, 0.25, 1.0, Unit::Number(2)), "−0.50");
    }
}
