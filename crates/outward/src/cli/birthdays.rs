//! The words of `outward birthdays`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ReadingArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum BirthdaysCommand {
    /// The probability that a person shares their birthday with nobody in a group, or with so many
    Unique(UniqueArgs),
    /// The distribution of the number of people in a group with a unique birthday
    Distribution(DistributionArgs),
    /// The largest groups for a share of unique birthdays and a confidence: the paper's Table 1 and the exact one
    Table(TableArgs),
    /// Places by their age–sex table: how many people are unique on date of birth and sex
    Locality(LocalityArgs),
    /// One place of a given size, from a generic age curve; or the size for a wanted share
    Place(PlaceArgs),
    /// Two files matched on date of birth, sex and place: predicted against actual
    Match(MatchArgs),
}

#[derive(Debug, Args)]
pub(crate) struct UniqueArgs {
    /// People in the group: those of one age and sex in one place
    #[arg(long, value_name = "N")]
    pub(crate) people: u64,
    /// How many share the birthday, the person included
    #[arg(long, value_name = "Q", default_value_t = 1)]
    pub(crate) sharing: u64,
    #[command(flatten)]
    pub(crate) calendar: CalendarArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DistributionArgs {
    /// People in the group
    #[arg(long, value_name = "N")]
    pub(crate) people: u64,
    /// The share of them with a unique birthday
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) at_least: f64,
    /// The true law, or the paper's equation 2 as it is printed
    #[arg(long, value_enum, default_value_t = LawName::Exact)]
    pub(crate) law: LawName,
    /// Days in the year
    #[arg(long, value_name = "D", default_value_t = 365)]
    pub(crate) days: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LawName {
    /// The true law
    Exact,
    /// As the paper prints it
    Printed,
}

#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// Shares of the people
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',', default_values_t = [0.05, 0.95])]
    pub(crate) shares: Vec<f64>,
    /// Confidences
    #[arg(long, value_name = "CHANCE,…", value_delimiter = ',', default_values_t = [0.8, 0.9, 0.95])]
    pub(crate) confidences: Vec<f64>,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

/// How likely each birthday is.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The calendar")]
pub(crate) struct CalendarArgs {
    /// Days in the year, equally likely [default: 365]
    #[arg(long, value_name = "D", conflicts_with_all = ["leap", "season"])]
    pub(crate) days: Option<u32>,
    /// With 29 February, a quarter as likely as other days
    #[arg(long)]
    pub(crate) leap: bool,
    /// Birthdays more frequent in September than in March, by this share either way, such as 0.06
    #[arg(long, value_name = "SHARE")]
    pub(crate) season: Option<f64>,
}

/// What is known of a person.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is known of a person")]
pub(crate) struct KnownArgs {
    /// How exactly the date of birth is known
    #[arg(long, value_enum, default_value_t = BornTo::Day)]
    pub(crate) born: BornTo,
    /// The sex is not known
    #[arg(long)]
    pub(crate) without_sex: bool,
    #[command(flatten)]
    pub(crate) calendar: CalendarArgs,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BornTo {
    /// To the day
    #[default]
    Day,
    /// To the week
    Week,
    /// To the month
    Month,
    /// To the quarter
    Quarter,
    /// Only the year
    Year,
}

#[derive(Debug, Args)]
pub(crate) struct LocalityArgs {
    /// An age–sex table: long, with a column of ages and one of people; or wide, with a column for each age
    #[arg(value_name = "TABLE")]
    pub(crate) table: PathBuf,
    /// The column of places [default: the table is one place]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) place: Option<String>,
    /// The column of sexes [default: the sex is not known]. Leave out rows for both sexes together
    #[arg(long, value_name = "COLUMN")]
    pub(crate) sex: Option<String>,
    /// Long tables: the column of ages, such as 34, 30-34 or 90+
    #[arg(long, value_name = "COLUMN", requires = "people")]
    pub(crate) age: Option<String>,
    /// Long tables: the column of people
    #[arg(long, value_name = "COLUMN", requires = "age")]
    pub(crate) people: Option<String>,
    /// Wide tables whose columns are not named by age: the first and the last of them. Each is a year of age, from 0
    /// up, in the order of the file
    #[arg(long, value_name = "FIRST,LAST", value_delimiter = ',', num_args = 1, conflicts_with = "age")]
    pub(crate) age_columns: Vec<String>,
    /// This age includes all above it, although its name does not say so
    #[arg(long, value_name = "AGE")]
    pub(crate) open_age: Option<u32>,
    /// How many years of birth the people of an open band are spread over, falling by a quarter each year; 1 for none
    #[arg(long, value_name = "YEARS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=130))]
    pub(crate) open_years: u32,
    /// Only people from this age on
    #[arg(long, value_name = "AGE")]
    pub(crate) from_age: Option<u32>,
    /// Only people up to this age
    #[arg(long, value_name = "AGE")]
    pub(crate) to_age: Option<u32>,
    /// Only these rows, as an SQL condition
    #[arg(long = "where", value_name = "SQL")]
    pub(crate) condition: Option<String>,
    /// A second file holds this share of the people: how many matches must be discarded
    #[arg(long, value_name = "SHARE")]
    pub(crate) overlap: Option<f64>,
    /// The share of unique people wanted: how large must a place be, or how coarse the date of birth
    #[arg(long, value_name = "SHARE")]
    pub(crate) unique: Option<f64>,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
#[group(id = "asked", required = true, multiple = true)]
pub(crate) struct PlaceQuestion {
    /// People in the place
    #[arg(long, value_name = "N")]
    pub(crate) people: Option<u64>,
    /// The share of unique people wanted: how large must a place be, or how coarse the date of birth
    #[arg(long, value_name = "SHARE")]
    pub(crate) unique: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    #[command(flatten)]
    pub(crate) asked: PlaceQuestion,
    /// A second file holds this share of the people: how many matches must be discarded
    #[arg(long, value_name = "SHARE", requires = "people")]
    pub(crate) overlap: Option<f64>,
    /// The ages and sexes of the place
    #[arg(long, value_enum, default_value_t = CurveName::Even)]
    pub(crate) curve: CurveName,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CurveName {
    /// As many of each age, from 0 to 99
    Even,
    /// A growing population that ages and dies
    Ageing,
}

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    /// The file of all people
    #[arg(value_name = "FIRST")]
    pub(crate) first: PathBuf,
    /// A file of some of them [default: the first file is only compared with its prediction]
    #[arg(value_name = "SECOND")]
    pub(crate) second: Option<PathBuf>,
    /// The column of dates of birth, in both
    #[arg(long, value_name = "COLUMN")]
    pub(crate) date_of_birth: String,
    /// How dates are written, such as %d/%m/%Y [default: YYYY-MM-DD]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) date_format: Option<String>,
    /// The column of sexes [default: the sex is not known]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) sex: Option<String>,
    /// The column of places [default: all are in one place]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) place: Option<String>,
    /// Only these records of the first file, as an SQL condition
    #[arg(long = "where", value_name = "SQL")]
    pub(crate) condition: Option<String>,
    /// Only these records of the second file
    #[arg(long, value_name = "SQL", requires = "second")]
    pub(crate) second_where: Option<String>,
    /// How exactly the date of birth is used
    #[arg(long, value_enum, default_value_t = BornTo::Day)]
    pub(crate) born: BornTo,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) calendar: CalendarArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
