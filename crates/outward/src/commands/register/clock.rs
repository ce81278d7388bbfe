//! The one place that reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time now: UTC, as ISO 8601 writes it.
pub(crate) fn now() -> String {
    // A clock before 1970 is no clock.
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    written(seconds)
}

/// Seconds since 1970 as a time.
fn written(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = day_of(days as i64);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The day so many days after 1 January 1970 (Hinnant 2013, civil_from_days: eras of 400 years that begin in March).
fn day_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Whether a text is a day, as `2027-03-31`.
pub(crate) fn is_day(text: &str) -> bool {
    let form = text
        .bytes()
        .enumerate()
        .all(|(at, byte)| if [4, 7].contains(&at) { byte == b'-' } else { byte.is_ascii_digit() });
    if text.len() != 10 || !form {
        return false;
    }
    let parts: Vec<Option<i64>> = text.split('-').map(|part| part.parse().ok()).collect();
    let [Some(year), Some(month), Some(day)] = parts[..] else { return false };
    // A day is one that the days since 1970 come to.
    let near = (year - 1970) * 365 + (year - 1970) / 4 + (month - 1) * 30 - 5;
    year >= 1970 && (near.max(0)..near + 60).any(|days| day_of(days) == (year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(written(0), "1970-01-01T00:00:00Z");
        assert_eq!(written(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(written(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(written(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn a_day_that_no_month_has_is_none() {
        for day in ["2027-03-31", "2028-02-29", "2099-12-31", "1970-01-01"] {
            assert!(is_day(day), "{day}");
        }
        for none in [
            "2027-3-031",
            "1-9223372036854775807-1",
            "2027-02-29",
            "2027-13-01",
            "2027-3-1",
            "31-03-2027",
            "soon",
            "2027-04-31",
        ] {
            assert!(!is_day(none), "{none}");
        }
    }
}
