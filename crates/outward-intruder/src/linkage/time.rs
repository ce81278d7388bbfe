//! Points in time as seconds since 1970, read by the formats of `strptime`.
//!
//! Days from a date: the count of days of the proleptic Gregorian calendar (Fliegel and Van Flandern 1968, *Communications of the ACM*
//! 11(10), 657), shifted to 1970.

/// Days since 1970-01-01.
fn days(year: i64, month: u32, day: u32) -> i64 {
    // The year begins in March, so that a leap day is its last.
    let (months, years) = (i64::from((month + 9) % 12), year - i64::from(month <= 2));
    let era = years.div_euclid(400);
    let of_era = years.rem_euclid(400);
    let of_year = (153 * months + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day.
pub(crate) fn civil(seconds: f64) -> (i64, u32, u32) {
    let shifted = (seconds / 86_400.0).floor() as i64 + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let months = (5 * of_year + 2) / 153;
    let day = of_year - (153 * months + 2) / 5 + 1;
    let month = if months < 10 { months + 3 } else { months - 9 };
    (years + era * 400 + i64::from(month <= 2), month as u32, day as u32)
}

fn days_of_month(year: i64, month: u32) -> u32 {
    match month {
        2 if (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// That every field of a format is known.
pub(crate) fn check_format(format: &str) -> Result<(), String> {
    let mut rest = format.chars();
    while let Some(sign) = rest.next() {
        if sign == '%' {
            let field = rest.next().unwrap_or(' ');
            if !"YymdHMSfbB%".contains(field) {
                return Err(format!(
                    "the date format `%{field}` is not supported; supported are %Y %y %m %d %b %B %H %M %S %f"
                ));
            }
        }
    }
    Ok(())
}

/// Reads a time by its format; `None` where the text is not one.
pub(crate) fn parse(text: &str, format: &str) -> Option<f64> {
    let (mut year, mut month, mut day, mut seconds) = (1970, 1, 1, 0.0);
    let mut rest = text.trim();
    let mut signs = format.chars();
    while let Some(sign) = signs.next() {
        if sign != '%' {
            rest = rest.strip_prefix(sign)?;
            continue;
        }
        match signs.next()? {
            'Y' => year = i64::from(digits(&mut rest, 4)?),
            // POSIX: 69 to 99 are of the twentieth century.
            'y' => {
                year = i64::from(digits(&mut rest, 2)?).checked_add(1900).map(|y| if y < 1969 { y + 100 } else { y })?
            }
            'm' => month = digits(&mut rest, 2)?,
            'd' => day = digits(&mut rest, 2)?,
            'H' => seconds += 3600.0 * f64::from(digits(&mut rest, 2).filter(|hour| *hour < 24)?),
            'M' => seconds += 60.0 * f64::from(digits(&mut rest, 2).filter(|minute| *minute < 60)?),
            'S' => seconds += f64::from(digits(&mut rest, 2).filter(|second| *second < 60)?),
            'f' => seconds += f64::from(digits(&mut rest, 6)?) / 1e6,
            'b' | 'B' => month = month_name(&mut rest)?,
            '%' => rest = rest.strip_prefix('%')?,
            _ => return None,
        }
    }
    let real = rest.is_empty() && (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    real.then(|| days(year, month, day) as f64 * 86_400.0 + seconds)
}

/// Reads ISO 8601: a date, or a date and a time of day.
pub(crate) fn from_iso(text: &str) -> Option<f64> {
    let formats = ["%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"];
    formats.into_iter().find_map(|format| parse(text, format))
}

/// Writes ISO 8601, without the time of day at midnight.
pub(crate) fn to_iso(seconds: f64) -> String {
    let (year, month, day) = civil(seconds);
    let second = seconds.rem_euclid(86_400.0) as u32;
    let date = format!("{year:04}-{month:02}-{day:02}");
    if second == 0 { date } else { format!("{date} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60) }
}

/// How many boundaries of a unit lie between two times, as SQL's `date_diff` counts.
pub(crate) fn boundaries(unit: &str, from: f64, to: f64) -> Option<f64> {
    let number = |seconds: f64| {
        let (year, month, _) = civil(seconds);
        Some(match unit {
            "second" | "seconds" => seconds.floor(),
            "minute" | "minutes" => (seconds / 60.0).floor(),
            "hour" | "hours" => (seconds / 3600.0).floor(),
            "day" | "days" => (seconds / 86_400.0).floor(),
            "month" | "months" => (year * 12 + i64::from(month)) as f64,
            "year" | "years" => year as f64,
            _ => return None,
        })
    };
    Some(number(to)? - number(from)?)
}

/// Up to `most` digits.
fn digits(rest: &mut &str, most: usize) -> Option<u32> {
    let length = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at(length);
    *rest = after;
    number.parse().ok()
}

fn month_name(rest: &mut &str) -> Option<u32> {
    let lower = rest.to_lowercase();
    let named = |name: &&str, length: usize| lower.starts_with(&name[..length]);
    let month = MONTHS.iter().position(|name| named(name, 3))?;
    let length = if named(&MONTHS[month], MONTHS[month].len()) { MONTHS[month].len() } else { 3 };
    *rest = rest.get(length..)?;
    u32::try_from(month + 1).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn days_are_counted_from_1970_across_leap_years() {
        // 2000-03-01 is day 11,017: 30 years of 365 days, seven leap days before 2000, and 31 + 29 days.
        assert_eq!(parse("2000-03-01", "%Y-%m-%d"), Some(f64::from(30 * 365 + 7 + 31 + 29) * 86_400.0));
        assert_eq!(parse("1969-12-31", "%Y-%m-%d"), Some(-86_400.0));
        assert_eq!(parse("29/02/1900", "%d/%m/%Y"), None);
        assert_eq!(parse("29 Feb 2024", "%d %b %Y"), parse("20240229", "%Y%m%d"));
    }

    #[test]
    fn every_day_of_four_centuries_comes_back() {
        for day in -140_000..20_000 {
            let seconds = f64::from(day) * 86_400.0;
            assert_eq!(from_iso(&to_iso(seconds)), Some(seconds));
        }
    }

    #[test]
    fn what_is_left_over_or_out_of_range_is_no_date() {
        for text in ["2000-01-01x", "2000-00-10", "2000-04-31", "", "abc", "2000-1"] {
            assert_eq!(parse(text, "%Y-%m-%d"), None, "{text}");
        }
        assert_eq!(parse("2000-01-01 24:00:00", "%Y-%m-%d %H:%M:%S"), None);
    }

    #[test]
    fn two_digits_of_a_year_pivot_at_69() {
        assert_eq!(parse("01/01/69", "%d/%m/%y"), parse("1969-01-01", "%Y-%m-%d"));
        assert_eq!(parse("01/01/68", "%d/%m/%y"), parse("2068-01-01", "%Y-%m-%d"));
    }

    #[test]
    fn boundaries_are_counted_and_not_lengths() {
        let (a, b) = (from_iso("1999-12-31").unwrap(), from_iso("2000-01-01").unwrap());
        for unit in ["day", "month", "year"] {
            assert_eq!(boundaries(unit, a, b), Some(1.0));
        }
    }
}
