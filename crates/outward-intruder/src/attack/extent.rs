//! The interval that a label of a number or a date covers: `16-24` is from 16 up to but not including 25, and `2011-Q1`
//! is three months.
//!
//! It reads the labels that hierarchies and steps write: `under 16`, `16-24`, `-5 to -1`, `18.5 to under 25`, `65 or
//! over`, and parts of dates. So two releases with different bands can be compared, although no hierarchy has both.

use super::known::Scale;

/// An interval. A single value has equal ends and includes them; otherwise `high` is excluded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Extent {
    fn point(value: f64) -> Self {
        Self { low: value, high: value }
    }

    fn is_point(self) -> bool {
        self.low == self.high
    }

    /// Whether some value is in both, or the two are no farther apart than the tolerance.
    pub(super) fn meets(self, other: Self, tolerance: f64) -> bool {
        let begins_in_time = |one: Self, other: Self| {
            let end = other.high + tolerance;
            one.low < end || (one.low == end && (other.is_point() || tolerance > 0.0))
        };
        begins_in_time(self, other) && begins_in_time(other, self)
    }

    /// What a label covers; `None` if it cannot be read.
    pub(super) fn of_label(label: &str, scale: Scale) -> Option<Self> {
        match scale {
            Scale::Text => None,
            Scale::Number => of_number(label.trim()),
            Scale::Date => of_date(label.trim()),
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|x: &f64| x.is_finite())
}

fn of_number(label: &str) -> Option<Extent> {
    if let Some(value) = number(label) {
        return Some(Extent::point(value));
    }
    if let Some(edge) = label.strip_prefix("under ") {
        return Some(Extent { low: f64::NEG_INFINITY, high: number(edge)? });
    }
    if let Some(edge) = label.strip_suffix(" or over").or_else(|| label.strip_suffix('+')) {
        return Some(Extent { low: number(edge)?, high: f64::INFINITY });
    }
    if let Some((low, high)) = label.split_once(" to under ") {
        return ordered(number(low)?, number(high)?);
    }
    if let Some((low, high)) = label.split_once(" to ") {
        return whole(number(low)?, number(high)?);
    }
    let (low, high) = label.split_once(['-', '–'])?;
    whole(number(low)?, number(high)?)
}

/// A band of whole numbers by its first and last.
fn whole(first: f64, last: f64) -> Option<Extent> {
    ordered(first, last + 1.0)
}

fn ordered(low: f64, high: f64) -> Option<Extent> {
    (low < high).then_some(Extent { low, high })
}

/// Days are counted as 31 to every month, which keeps their order.
fn of_date(label: &str) -> Option<Extent> {
    let whole = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    let months = |first: u32, many: u32| Extent { low: f64::from(first) * 31.0, high: f64::from(first + many) * 31.0 };
    let year = |text: &str| if text.len() == 4 { whole(text) } else { None };
    if let Some(decade) = label.strip_suffix('s') {
        return Some(months(year(decade)? * 12, 120));
    }
    let mut parts = label.split('-');
    let first = year(parts.next()?)? * 12;
    let Some(second) = parts.next() else { return Some(months(first, 12)) };
    if let Some(quarter) = second.strip_prefix('Q').and_then(whole).filter(|quarter| (1..=4).contains(quarter)) {
        return Some(months(first + 3 * (quarter - 1), 3));
    }
    let month = first + whole(second).filter(|month| (1..=12).contains(month))? - 1;
    match (parts.next(), parts.next()) {
        (None, _) => Some(months(month, 1)),
        (Some(day), None) => {
            let day = whole(day).filter(|day| (1..=31).contains(day))?;
            Some(Extent::point(f64::from(month) * 31.0 + f64::from(day) - 1.0))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn meets(scale: Scale, a: &str, b: &str) -> bool {
        let extent = |label| Extent::of_label(label, scale).unwrap();
        assert_eq!(extent(a).meets(extent(b), 0.0), extent(b).meets(extent(a), 0.0));
        extent(a).meets(extent(b), 0.0)
    }

    #[test]
    fn bands_of_two_releases_meet_where_some_number_is_in_both() {
        for (a, b, expected) in [
            ("10-19", "15-24", true),
            ("10-19", "20-24", false),
            ("10–19", "19", true),
            ("10-19", "19.5", true),
            ("under 16", "16-24", false),
            ("under 16", "15", true),
            ("85 or over", "80+", true),
            ("85 or over", "84", false),
            ("-5 to -1", "-1", true),
            ("18.5 to under 25", "25", false),
            ("18.5 to under 25", "24.99", true),
            ("25", "25", true),
        ] {
            assert_eq!(meets(Scale::Number, a, b), expected, "{a} and {b}");
        }
    }

    #[test]
    fn parts_of_dates_meet_where_one_is_in_the_other() {
        for (a, b, expected) in [
            ("2011", "2011-03-31", true),
            ("2011-Q1", "2011-03", true),
            ("2011-Q2", "2011-03", false),
            ("2010s", "2011-Q4", true),
            ("2010s", "2020", false),
            ("1999-12-31", "2000", false),
        ] {
            assert_eq!(meets(Scale::Date, a, b), expected, "{a} and {b}");
        }
    }

    #[test]
    fn what_is_no_number_or_date_is_not_read() {
        for label in ["", "a-b", "10-", "under", "19-10", "*", "nan", "inf"] {
            assert_eq!(Extent::of_label(label, Scale::Number), None, "{label}");
        }
        for label in ["2011-13", "2011-Q5", "11", "2011-03-31-1", "2011-03-32"] {
            assert_eq!(Extent::of_label(label, Scale::Date), None, "{label}");
        }
    }

    #[test]
    fn rounded_numbers_meet_within_the_tolerance() {
        let extent = |label| Extent::of_label(label, Scale::Number).unwrap();
        assert!(extent("52").meets(extent("50"), 2.5) && !extent("53").meets(extent("50"), 2.5));
    }
}
