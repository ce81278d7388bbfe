//! Days, as texts.

/// Whether a text is a day as ISO 8601 writes it.
pub fn is_day(text: &str) -> bool {
    let digits = |range: std::ops::Range<usize>| {
        let part = text.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        part.and_then(|part| part.parse::<u32>().ok())
    };
    let is_shaped = text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
    let (Some(year), Some(month), Some(day), true) = (digits(0..4), digits(5..7), digits(8..10), is_shaped) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_there_are_not_are_refused() {
        for day in ["2026-11-19", "2024-02-29", "2000-02-29"] {
            assert!(is_day(day), "{day}");
        }
        for none in [
            "2026-13-01",
            "2026-02-29",
            "1900-02-29",
            "2026-11-31",
            "2026-11-00",
            "26-11-19",
            "2026/11/19",
            "2026-1é-19",
            "",
        ] {
            assert!(!is_day(none), "{none}");
        }
    }
}
