//! The arguments of `scan`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;

use super::ReadingArgs;

#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    /// CSV, Parquet, Excel and Stata files; any other file is a text, read by lines
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The columns to scan, of any type [default: all columns of text]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Names to find: a text with one on each line, or a data file
    #[arg(long, value_name = "FILE")]
    pub(crate) names: Option<PathBuf>,
    /// The columns of that data file which make a name together, such as first_name,last_name
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "names")]
    pub(crate) name_columns: Vec<String>,
    /// Years in which the people were born, such as 1936-1970: any date in them is a date of birth
    #[arg(long, value_name = "YEAR-YEAR", value_parser = parse_years)]
    pub(crate) born: Option<RangeInclusive<u16>>,
    /// How many places are listed of each kind in each column
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) places: usize,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Two years, such as `1936-1970`.
fn parse_years(text: &str) -> Result<RangeInclusive<u16>, String> {
    let years = text.split_once('-').and_then(|(from, to)| Some((from.trim().parse().ok()?, to.trim().parse().ok()?)));
    match years {
        Some((from, to)) if (1850..=2150).contains(&from) && (from..=2150).contains(&to) => Ok(from..=to),
        _ => Err("expected two years, the earlier first, such as 1936-1970".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_two_and_in_order() {
        assert_eq!(parse_years("1936-1970"), Ok(1936..=1970));
        for text in ["1936", "1970-1936", "36-70", "a-b", "1936-3000"] {
            assert!(parse_years(text).is_err(), "{text}");
        }
    }
}
