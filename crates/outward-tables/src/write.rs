//! Writes published tables as files: CSV and JSON for machines, Excel and HTML for people. Only published figures are
//! written; true counts are never read. The same tables always give the same bytes.
//!
//! Symbols are those of the Government Statistical Service (Analysis Function 2022, *Using symbols and shorthand*).

mod csv;
mod excel;
mod html;
pub(crate) mod json;
mod percent;
mod wide;

use outward_report::format::count;
use outward_spec::{Error, Result};

use crate::table::{Figure, Published, Table};

pub(crate) use csv::guarded;
pub use csv::write_csv;
pub use excel::write_excel;
pub use html::write_html;
pub use json::{write_earlier, write_json};
pub(crate) use percent::Wholes;
pub use percent::percentages;
pub(crate) use wide::depths;

/// A hidden figure.
pub(crate) const HIDDEN: &str = "[c]";
/// A figure above zero that rounds to zero.
pub(crate) const LOW: &str = "[low]";
/// A figure that does not apply, such as a percentage of zero.
pub(crate) const NOT_APPLICABLE: &str = "[z]";

/// Tables that are published together, with their title and notes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Publication<'a> {
    /// What the tables are about, in a few words.
    pub title: &'a str,
    /// What they show, in a sentence or two. May be empty.
    pub about: &'a str,
    /// The policy they were judged by. May be empty.
    pub policy: &'a str,
    /// The source of the records.
    pub source: Option<&'a str>,
    /// The date of publication, as written.
    pub date: Option<&'a str>,
    /// Notes for the reader.
    pub notes: &'a [String],
    /// The tables.
    pub tables: &'a [Published],
}

impl Publication<'_> {
    /// Refuses tables that must not be written.
    fn check(&self) -> Result<()> {
        if self.tables.is_empty() {
            return Err(Error::input("there are no tables to write")
                .help("name a table in the spec: `[[tables]]`")
                .into());
        }
        self.tables.iter().try_for_each(check)
    }
}

/// Refuses percentages that do not follow from the published figures, as they could reveal hidden cells.
fn check(published: &Published) -> Result<()> {
    let Published { table, figures, scale, percentages: given, .. } = published;
    let wrong = |what: &str| Err(Error::bug(format!("table `{}` {what}", table.name)));
    if figures.len() != table.len() {
        return wrong("has not one figure for each cell");
    }
    if decimals_of(*scale).is_none() {
        return wrong("has figures in units that are not a power of ten");
    }
    if given.is_some() && *given != percentages(table, figures) {
        return wrong("has percentages that are not those of its published figures");
    }
    Ok(())
}

/// The measure of a table: `count`, `estimate`, `sum` or `mean`.
pub(crate) fn measure(table: &Table) -> &'static str {
    match &table.magnitudes {
        Some(magnitudes) if magnitudes.mean => "mean",
        Some(_) => "sum",
        None if table.weighted.is_some() => "estimate",
        None => "count",
    }
}

/// How many decimals units of one over `scale` have, if it is a power of ten.
pub(crate) fn decimals_of(scale: i64) -> Option<usize> {
    let decimals = scale.checked_ilog10()?;
    (10i64.pow(decimals) == scale).then_some(decimals as usize)
}

/// How many decimals are needed to write all published figures of a table exactly.
fn places(published: &Published) -> usize {
    let (mut places, mut unit) = (0, published.scale);
    for figure in &published.figures {
        while let Figure::Shown(value) = figure
            && value % unit != 0
        {
            unit /= 10;
            places += 1;
        }
    }
    places
}

/// A figure in units of one over `scale`, exactly, with so many decimals.
fn decimal(value: i64, scale: i64, places: usize, whole: impl Fn(u64) -> String, minus: &str) -> String {
    let (size, scale) = (value.unsigned_abs(), scale.unsigned_abs());
    let sign = if value < 0 { minus } else { "" };
    let digits = scale.checked_ilog10().unwrap_or(0) as usize;
    let fraction = format!("{:0digits$}", size % scale);
    match places.min(digits) {
        0 => format!("{sign}{}", whole(size / scale)),
        places => format!("{sign}{}.{}", whole(size / scale), &fraction[..places]),
    }
}

/// A figure for machines.
fn plain(value: i64, scale: i64, places: usize) -> String {
    decimal(value, scale, places, |whole| whole.to_string(), "-")
}

/// A figure for people.
fn grouped(value: i64, scale: i64, places: usize) -> String {
    decimal(value, scale, places, count, "−")
}

/// A label indented by its depth under subtotals, with spaces that a web page keeps.
pub(crate) fn indented(label: &str, depth: usize) -> String {
    "\u{2003}".repeat(depth) + label
}

/// Makes headings different from each other, also without regard to case: a second `Other` becomes `Other (2)`.
fn distinct(headings: Vec<String>) -> Vec<String> {
    let mut taken: std::collections::BTreeSet<String> = headings.iter().map(|heading| heading.to_lowercase()).collect();
    let mut seen = std::collections::BTreeSet::new();
    let mut name = |heading: String| {
        if seen.insert(heading.to_lowercase()) {
            return heading;
        }
        let free =
            (2u64..).map(|number| format!("{heading} ({number})")).find(|name| taken.insert(name.to_lowercase()));
        free.unwrap_or(heading)
    };
    headings.into_iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_exactly_whatever_their_size() {
        assert_eq!(plain(i64::MAX, 1000, 3), "9223372036854775.807");
        assert_eq!(plain(i64::MIN, 1, 0), "-9223372036854775808");
        assert_eq!(plain(-5, 100, 2), "-0.05");
        assert_eq!(grouped(1_234_500, 1000, 1), "1,234.5");
        assert_eq!(grouped(-1_234_000, 1000, 0), "−1,234");
    }

    #[test]
    fn only_powers_of_ten_are_units() {
        assert_eq!([1, 10, 1000].map(decimals_of), [Some(0), Some(1), Some(3)]);
        assert_eq!([0, -10, 12, 60].map(decimals_of), [None; 4]);
    }

    #[test]
    fn headings_differ_even_where_a_numbered_one_is_there_already() {
        let headings = ["Other", "other", "Other (2)", "Other"].map(str::to_owned).into();
        assert_eq!(distinct(headings), ["Other", "other (3)", "Other (2)", "Other (4)"]);
    }
}
