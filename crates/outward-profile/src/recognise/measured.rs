//! Amounts, durations and times of day written as text. They tell measurements from codes; they identify nobody by themselves.

/// Units that may stand behind an amount, in small letters, sorted.
const UNITS: [&str; 44] = [
    "%", "bn", "bpm", "c", "cl", "cm", "day", "days", "euro", "euros", "ft", "g", "ha", "hours", "hr", "hrs", "kg",
    "km", "kw", "kwh", "l", "lb", "lbs", "m", "m2", "mg", "miles", "min", "mins", "minutes", "ml", "mm", "mmhg",
    "months", "mph", "mwh", "pence", "sec", "secs", "sqm", "weeks", "years", "yr", "yrs",
];

/// Whether the value is an amount with its sign, unit or thousands (`£1,250.00`, `12.5 kg`, `45%`, `1.2e-5`), or a time
/// (`10:15`, `1:02:33`).
pub fn is_measured(value: &str) -> bool {
    let value = value.trim();
    is_time(value) || is_amount(value)
}

/// Whether the value is a number with decimals that are all zero: `1250.00`.
pub(crate) fn zero_decimals(value: &str) -> bool {
    value.split_once('.').is_some_and(|(_, part)| !part.is_empty() && part.bytes().all(|byte| byte == b'0'))
}

/// Whether the value is a ZIP code with its delivery route: `35004-1234`.
pub(crate) fn is_zip_with_route(value: &str) -> bool {
    value.split_once('-').is_some_and(|(zip, route)| zip.len() == 5 && route.len() == 4)
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

fn is_time(value: &str) -> bool {
    let value = ["am", "pm", "AM", "PM"].iter().find_map(|half| value.strip_suffix(half)).unwrap_or(value).trim_end();
    let parts: Vec<&str> = value.split(':').collect();
    let two = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    match &parts[..] {
        [hours, rest @ .., last] if rest.len() <= 1 => {
            let seconds = last.split_once('.').map_or(*last, |(seconds, _)| seconds);
            (1..=3).contains(&hours.len())
                && hours.bytes().all(|byte| byte.is_ascii_digit())
                && rest.iter().all(|part| two(part))
                && two(seconds)
        }
        _ => false,
    }
}

fn is_amount(value: &str) -> bool {
    let money = |c: char| matches!(c, '£' | '$' | '€' | '¥');
    let bare = value.trim_start_matches(['-', '+', '<', '>', '~']).trim_start_matches(money).trim_start();
    let number_ends = bare.rfind(|c: char| c.is_ascii_digit()).map_or(0, |at| at + 1);
    let (number, unit) = bare.split_at(number_ends);
    let unit = unit.trim().trim_end_matches(money).to_ascii_lowercase();
    let unit_fits = unit.is_empty() || UNITS.binary_search(&unit.as_str()).is_ok();
    let dressed = bare.len() < value.len() || number_ends < bare.len();
    unit_fits && (is_grouped_in_thousands(number) || has_decimals(number, dressed))
}

/// `1,250,000` and `1 250 000`, with or without decimals. Nine digits or more with blanks or stops are numbers of persons too.
fn is_grouped_in_thousands(number: &str) -> bool {
    [',', '.', ' ', '\''].iter().any(|mark| {
        let decimal = if *mark == '.' { ',' } else { '.' };
        let whole = number.rsplit_once(decimal).map_or(number, |(whole, _)| whole);
        let mut groups = whole.split(*mark);
        let first = groups.next().unwrap_or_default();
        let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
        let mut more = 0;
        let rest = groups.all(|group| {
            more += 1;
            group.len() == 3 && digits(group)
        });
        let short = *mark == ',' || first.len() + 3 * more < 9;
        (1..=3).contains(&first.len()) && digits(first) && rest && more > 0 && short
    })
}

fn has_decimals(number: &str, dressed: bool) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let comma = number.split_once(',').is_some_and(|(whole, part)| digits(whole) && digits(part) && part.len() <= 2);
    comma
        || (dressed && number.parse::<f64>().is_ok())
        || (number.contains(['e', 'E']) && number.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_units_are_sorted() {
        assert!(UNITS.is_sorted());
    }

    #[test]
    fn amounts_and_times_are_told_from_codes() {
        for value in [
            "£1,250.00",
            "1,250",
            "1,250,000,000",
            "12.5 kg",
            "45%",
            "12,5",
            "1.2e-5",
            "10:15",
            "1:02:33",
            "9:30 am",
            "-£12",
            "1 250 000",
            "1.250,50",
        ] {
            assert!(is_measured(value), "{value}");
        }
        for value in [
            "AB-12345",
            "943,476,5919",
            "123 456 789",
            "12345A",
            "00:1A:2B:3C:4D:5E",
            "943:476:5919",
            "2024-01-15",
            "AB12 CDE",
            "10:15:00:99",
            "123-45-6789",
            "",
            "1.2.3.4",
        ] {
            assert!(!is_measured(value), "{value}");
        }
    }
}
