//! Calendar dates in the spellings people use, each with its `strftime` format.

/// A way to write a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum DateFormat {
    /// `1980-03-21`
    Iso,
    /// `1980/03/21`
    YearSlash,
    /// `19800321`
    Compact,
    /// `21/03/1980`
    DaySlash,
    /// `03/21/1980`
    MonthSlash,
    /// `21-03-1980`
    DayHyphen,
    /// `03-21-1980`
    MonthHyphen,
    /// `21.03.1980`
    DayPoint,
    /// `21 Mar 1980`
    ShortMonth,
    /// `21-Mar-1980`
    ShortMonthHyphen,
    /// `21 March 1980`
    LongMonth,
    /// `21/03/80`
    DaySlashShortYear,
    /// `03/21/80`
    MonthSlashShortYear,
}

impl DateFormat {
    /// Every format, the likelier first: British order before American where both fit.
    pub const ALL: [Self; 13] = [
        Self::Iso,
        Self::YearSlash,
        Self::Compact,
        Self::DaySlash,
        Self::MonthSlash,
        Self::DayHyphen,
        Self::MonthHyphen,
        Self::DayPoint,
        Self::ShortMonth,
        Self::ShortMonthHyphen,
        Self::LongMonth,
        Self::DaySlashShortYear,
        Self::MonthSlashShortYear,
    ];

    /// The format as a spec spells it.
    pub fn pattern(self) -> &'static str {
        match self {
            Self::Iso => "%Y-%m-%d",
            Self::YearSlash => "%Y/%m/%d",
            Self::Compact => "%Y%m%d",
            Self::DaySlash => "%d/%m/%Y",
            Self::MonthSlash => "%m/%d/%Y",
            Self::DayHyphen => "%d-%m-%Y",
            Self::MonthHyphen => "%m-%d-%Y",
            Self::DayPoint => "%d.%m.%Y",
            Self::ShortMonth => "%d %b %Y",
            Self::ShortMonthHyphen => "%d-%b-%Y",
            Self::LongMonth => "%d %B %Y",
            Self::DaySlashShortYear => "%d/%m/%y",
            Self::MonthSlashShortYear => "%m/%d/%y",
        }
    }

    /// Whether the year is written with two digits, so that the century is a guess.
    pub fn short_year(self) -> bool {
        matches!(self, Self::DaySlashShortYear | Self::MonthSlashShortYear)
    }
}

/// A date and every format it may be written in (`03/04/1980` fits two).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateReading {
    formats: u16,
    /// The year; with a two-digit year, the one of the twentieth century.
    pub year: u16,
}

impl DateReading {
    /// Whether the value fits this format.
    pub fn fits(self, format: DateFormat) -> bool {
        self.formats & (1 << format as u8) != 0
    }

    /// The formats as bits, the format's number in [`DateFormat`] being the bit.
    pub(crate) fn bits(self) -> u16 {
        self.formats
    }
}

/// Reads a date of the years 1850 to 2150.
pub fn date(value: &str) -> Option<DateReading> {
    let value = value.trim();
    if !(6..=18).contains(&value.len()) || !value.is_ascii() {
        return None;
    }
    if value.len() == 8 && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return reading(&[(DateFormat::Compact, [&value[6..], &value[4..6], &value[..4]])]);
    }
    let separator = value.bytes().find(|byte| matches!(byte, b'-' | b'/' | b'.' | b' '))?;
    let mut parts = value.split(char::from(separator));
    let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    use DateFormat as F;
    match (separator, a.len(), c.len()) {
        (b'-', 4, _) => reading(&[(F::Iso, [c, b, a])]),
        (b'/', 4, _) => reading(&[(F::YearSlash, [c, b, a])]),
        (b'/', _, 4) => reading(&[(F::DaySlash, [a, b, c]), (F::MonthSlash, [b, a, c])]),
        (b'/', _, 2) => reading(&[(F::DaySlashShortYear, [a, b, c]), (F::MonthSlashShortYear, [b, a, c])]),
        (b'-', _, 4) => {
            reading(&[(F::DayHyphen, [a, b, c]), (F::MonthHyphen, [b, a, c]), (F::ShortMonthHyphen, [a, b, c])])
        }
        (b'.', _, 4) => reading(&[(F::DayPoint, [a, b, c])]),
        (b' ', _, 4) => reading(&[(F::ShortMonth, [a, b, c]), (F::LongMonth, [a, b, c])]),
        _ => None,
    }
}

/// Whether the value is a date followed by a time of day, as in `2024-05-01T10:15:00Z`.
pub fn is_timestamp(value: &str) -> bool {
    let value = value.trim();
    let Some(at) = value.find(['T', ' ']) else { return false };
    let (day, time) = (&value[..at], &value[at + 1..]);
    let mut clock = time.trim_end_matches('Z').splitn(3, ':');
    let below =
        |part: Option<&str>, limit: u8| part.is_some_and(|part| number(part, 2).is_some_and(|n| n < u16::from(limit)));
    date(day).is_some() && below(clock.next(), 24) && below(clock.next().map(|m| m.get(..2).unwrap_or(m)), 60)
}

fn reading(tries: &[(DateFormat, [&str; 3])]) -> Option<DateReading> {
    let mut found = DateReading { formats: 0, year: 0 };
    for (format, [day, month, year]) in tries {
        let month = match format {
            DateFormat::ShortMonth | DateFormat::ShortMonthHyphen => named_month(month, true),
            DateFormat::LongMonth => named_month(month, false),
            _ => number(month, 2).filter(|month| (1..=12).contains(month)),
        };
        let year = if year.len() == 2 { number(year, 2).map(|year| 1900 + year) } else { number(year, 4) };
        if let (Some(day), Some(month), Some(year)) = (number(day, 2), month, year)
            && is_day(day, month, year)
        {
            found.formats |= 1 << *format as u8;
            found.year = year;
        }
    }
    (found.formats != 0).then_some(found)
}

fn number(text: &str, longest: usize) -> Option<u16> {
    let digits = !text.is_empty() && text.len() <= longest && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// The months in full. Their first three letters are short for them.
pub(crate) const MONTHS: [&str; 12] = [
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

fn named_month(text: &str, short: bool) -> Option<u16> {
    let name = |month: &'static str| if short { &month[..3] } else { month };
    MONTHS
        .iter()
        .position(|month| name(month).eq_ignore_ascii_case(text))
        .and_then(|place| u16::try_from(place + 1).ok())
}

/// Whether there is such a day, in the years 1850 to 2150.
pub(crate) fn is_day(day: u16, month: u16, year: u16) -> bool {
    (1850..=2150).contains(&year) && (1..=12).contains(&month) && (1..=days_in(month, year)).contains(&day)
}

fn days_in(month: u16, year: u16) -> u16 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_format_reads_its_own_example() {
        let examples = [
            "1980-03-21",
            "1980/03/21",
            "19800321",
            "21/03/1980",
            "03/21/1980",
            "21-03-1980",
            "03-21-1980",
            "21.03.1980",
            "21 Mar 1980",
            "21-Mar-1980",
            "21 March 1980",
            "21/03/80",
            "03/21/80",
        ];
        for (format, example) in DateFormat::ALL.into_iter().zip(examples) {
            let read = date(example).unwrap();
            assert!(read.fits(format), "{example}");
            assert_eq!(read.formats.count_ones(), 1, "{example}");
            assert_eq!(read.year, 1980, "{example}");
        }
    }

    #[test]
    fn an_early_day_fits_both_orders() {
        let read = date("03/04/1980").unwrap();
        assert!(read.fits(DateFormat::DaySlash) && read.fits(DateFormat::MonthSlash));
    }

    #[test]
    fn impossible_days_and_other_numbers_are_not_dates() {
        for value in [
            "1981-02-29",
            "31/04/2020",
            "20201301",
            "12345678",
            "1980-3",
            "21/03/198",
            "2020-01-01-01",
            "21 Mat 1980",
            "10.5",
            "7-8-9",
            "0044 113",
            "1/2",
            "99/99/9999",
            "21é3/80",
        ] {
            assert_eq!(date(value), None, "{value}");
        }
        assert!(date("1980-02-29").is_some());
    }

    #[test]
    fn times_of_day_make_a_timestamp() {
        for value in
            ["2024-05-01T10:15:00Z", "2024-05-01 10:15", "01/05/2024 23:59:59.123", "2024-05-01T10:15:00+01:00"]
        {
            assert!(is_timestamp(value), "{value}");
        }
        for value in ["2024-05-01", "10:15", "2024-05-01T25:00", "T", "21 Mar 1980"] {
            assert!(!is_timestamp(value), "{value}");
        }
    }
}
