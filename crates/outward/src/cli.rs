//! Everything that can be said on the command line. Help, completions and man pages come from here.

mod birthdays;
mod intruder;
mod link;
mod microdata;
mod places;
mod register;
mod scan;
mod tables;
mod vault;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use birthdays::{
    BirthdaysCommand, BornTo, CalendarArgs, CurveName, DistributionArgs, KnownArgs, LawName, LocalityArgs, MatchArgs,
    PlaceArgs, TableArgs, UniqueArgs,
};
pub(crate) use intruder::{AttackArgs, ScenariosArgs};
pub(crate) use link::LinkArgs;
pub(crate) use microdata::{PlanArgs, ProtectArgs, SuppressArgs, VerifyArgs};
pub(crate) use places::{GivenAs, GridArgs, MapArgs, NormaliseArgs, OnUnknown, PlacesCommand, PoolArgs, PoolRule};
pub(crate) use register::{
    DecideArgs, EnterArgs, ExceptArgs, HoldArgs, InRegisterArgs, RegisterCheckArgs, RegisterCommand, ReleaseArgs,
    ReviewsArgs, SubmitArgs,
};
pub(crate) use scan::ScanArgs;
pub(crate) use tables::TablesArgs;
pub(crate) use vault::{
    ApplicationArgs, ApplyArgs, ApproveArgs, BridgeArgs, EnrolArgs, EnterWithdrawalsArgs, ExtractArgs, GrantArgs,
    GrantedOperation, InVaultArgs, InitVaultArgs, LogArgs, NewKeyArgs, OptOutsCommand, PhaseNumber, ReturnArgs,
    ReverseArgs, RotateArgs, SetName, TreeArgs, VaultCommand, WithdrawCommand,
};

/// Publish data about people without anyone being found in it.
///
/// Exit codes: 0 nothing found, 1 there are findings, 2 could not run.
#[derive(Debug, Parser)]
#[command(name = "outward", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// How results are printed
    #[arg(long, global = true, value_enum, default_value_t = OutputFormat::Text, help_heading = "Everywhere")]
    pub(crate) format: OutputFormat,
    /// Print results only: no progress, no remarks
    #[arg(long, short, global = true, help_heading = "Everywhere")]
    pub(crate) quiet: bool,
    /// Number of threads [default: all cores]; results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Everywhere")]
    pub(crate) threads: Option<u16>,
    /// Memory for the cells, such as 800MB or 4GiB [default: most of the free memory]
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size, help_heading = "Everywhere")]
    pub(crate) memory: Option<usize>,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Text,
    /// For programs: one JSON object
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a worked example from data to report
    Demo(DemoArgs),
    /// Generate made-up data of a realistic shape
    Generate(GenerateArgs),
    /// Profile a file, find identifiers, suggest keys, write outward.toml
    Init(InitArgs),
    /// Measure the risk: who can be singled out, by what, and how many
    Assess(AssessArgs),
    /// Search for the recoding that meets the policy and loses least
    Plan(PlanArgs),
    /// Carry out the steps of a spec and write the release as a bundle
    Protect(ProtectArgs),
    /// Test a release as an intruder would: look for people in it, and count how many are found
    Attack(AttackArgs),
    /// Make tables, find unsafe cells, propose redesigns, and suppress, round or perturb cells
    Table(TablesArgs),
    /// Check a bundle from its files alone
    Verify(VerifyArgs),
    /// Make a bundle public, if it passes every check and nothing follows from it and earlier releases
    Release(ReleaseArgs),
    /// Keep a register of releases: check requests, review, approve, list, audit
    #[command(subcommand)]
    Register(RegisterCommand),
    /// Keep participants and their data apart, and serve research applications with identifiers of their own
    #[command(subcommand)]
    Vault(VaultCommand),
    /// Suppress single values of a file until every combination of the keys is shared
    Suppress(SuppressArgs),
    /// Link the records of two files, or find the duplicates of one
    Link(LinkArgs),
    /// Find identifiers inside text, and say where they stand
    Scan(ScanArgs),
    /// Find postcodes, ZIP codes and grid references that may be published
    #[command(subcommand)]
    Places(PlacesCommand),
    /// Estimate how many people are unique on date of birth, sex and place
    #[command(subcommand)]
    Birthdays(BirthdaysCommand),
    /// List the policies that ship with Outward, or print one
    Policies(PoliciesArgs),
    /// List the intruders that ship with Outward, or print one
    Scenarios(ScenariosArgs),
    /// Explain a finding: what it means, why it matters and what to do
    Explain(ExplainArgs),
    /// Print the JSON schema of the spec file or of an assessment
    Schema(SchemaArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write the man pages into a folder
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Which example
    #[arg(value_enum, default_value_t = DemoName::Census)]
    pub(crate) name: DemoName,
    /// The folder to write to
    #[arg(long, short, value_name = "DIR", default_value = "outward-demo")]
    pub(crate) out: PathBuf,
    /// How many records to make
    #[arg(long, value_name = "N", default_value_t = Self::ROWS)]
    pub(crate) rows: u64,
    /// Another seed makes other data
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl DemoArgs {
    /// The default number of records of an example.
    pub(crate) const ROWS: u64 = 50_000;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoName {
    /// A census file of persons, from raw data to a report on its risk and a teaching file
    Census,
    /// Records of properties, from raw data to a public use file of energy consumption
    Energy,
    /// Enrolments of learners, from raw data to open data
    Education,
    /// Headcounts of postcodes, from raw data to the codes that may be published
    Postcodes,
    /// Two files of people matched on date of birth, sex and place
    Birthdays,
    /// Collisions, vehicles and casualties, from raw data to fourteen tables of contributory factors
    Road,
    /// Two tables that are safe alone and not together: a register stops the second
    Register,
    /// A cohort in a vault: extracts of two applications, one of them in two phases, and withdrawals
    Biobank,
}

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// What to make: census, energy, education, road, biobank or postcodes
    #[arg(value_name = "NAME")]
    pub(crate) dataset: String,
    /// How many of its main unit: persons, properties, enrolments, collisions, participants or postcodes
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) rows: u64,
    /// The same seed makes the same data, on any machine
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The file to write: .csv, .csv.gz, .csv.zst, .parquet or .xlsx. A dataset of several tables makes one file for
    /// each, its name before the ending
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The data: a CSV, Parquet, Excel or Stata file, or a folder of Parquet files
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// The spec file to write
    #[arg(long, short, value_name = "FILE", default_value = "outward.toml")]
    pub(crate) out: PathBuf,
    /// Replace the spec file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How a file named on the command line is read; a spec says it itself.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Reading the file")]
pub(crate) struct ReadingArgs {
    /// CSV: the encoding, `utf-8` or `windows-1252`
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// CSV: the delimiter, `comma`, `semicolon` or `tab`
    #[arg(long, value_name = "NAME")]
    pub(crate) delimiter: Option<String>,
    /// Excel: the sheet
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// A value that means "missing", in addition to the empty field; may be given several times
    #[arg(long = "na", value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) missing_values: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AssessArgs {
    /// A spec file (.toml), or a data file with --keys
    #[arg(value_name = "FILE|SPEC")]
    pub(crate) input: PathBuf,
    /// The key variables, in place of those of the spec
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub(crate) keys: Vec<String>,
    /// Sensitive variables, in place of those of the spec
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) sensitive: Vec<String>,
    /// The weight variable, in place of that of the spec
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    /// The k to hold, in place of the policy's
    #[arg(long, value_name = "K", value_parser = parse_k)]
    pub(crate) k: Option<u64>,
    /// Only these records, as an SQL condition
    #[arg(long = "where", value_name = "SQL")]
    pub(crate) condition: Option<String>,
    /// Missing values match everything instead of being a value of their own
    #[arg(long)]
    pub(crate) wildcard: bool,
    /// A population file with columns of the same names
    #[arg(long, value_name = "FILE")]
    pub(crate) population: Option<PathBuf>,
    /// The file is a sample of this share of the population, such as 0.01 [default: from the weights]
    #[arg(long, value_name = "SHARE", help_heading = "The file as a sample")]
    pub(crate) sampling_fraction: Option<f64>,
    /// Find special uniques: records that are unique on few keys, in several ways (SUDA)
    #[arg(long, help_heading = "The file as a sample")]
    pub(crate) suda: bool,
    /// With --suda: combinations of at most so many keys
    #[arg(long, value_name = "N", requires = "suda", value_parser = clap::value_parser!(u16).range(1..), help_heading = "The file as a sample")]
    pub(crate) suda_max_size: Option<u16>,
    /// Fit a log-linear model of the population; needs weights or a sampling fraction
    #[arg(long, help_heading = "The file as a sample")]
    pub(crate) log_linear: bool,
    /// The policy, in place of that of the spec; `outward policies` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Option<String>,
    /// The tier of the policy
    #[arg(long, value_name = "NAME")]
    pub(crate) tier: Option<String>,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Show the values of records at risk. The output is then as confidential as the data
    #[arg(long)]
    pub(crate) show_values: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PoliciesArgs {
    /// Print this policy's file, to be copied and edited
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code, such as OUT001 [default: all codes]
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Of what
    #[arg(value_enum, default_value_t = SchemaOf::Spec)]
    pub(crate) of: SchemaOf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// The spec file, outward.toml
    Spec,
    /// What `assess --format json` prints
    Assessment,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder to write to
    #[arg(value_name = "DIR")]
    pub(crate) out: PathBuf,
}

/// A k for classes of records: a whole number from 1 up.
fn parse_k(text: &str) -> Result<u64, String> {
    let k = text.trim().parse().ok().filter(|k| *k > 0);
    k.ok_or_else(|| "write a whole number from 1 up; 3 asks that three records share every combination".to_owned())
}

/// A time in seconds, such as `10` or `0.5`.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.trim().trim_end_matches('s').trim_end().parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).filter(|time| !time.is_zero());
    time.ok_or_else(|| "write a number of seconds above 0, such as 60".to_owned())
}

/// A size in bytes, such as `800MB`, `4GiB` or `1000000`.
fn parse_size(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: usize = match text[digits.len()..].to_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "k" => 1_000,
        "kib" => 1 << 10,
        "mb" | "m" => 1_000_000,
        "mib" => 1 << 20,
        "gb" | "g" => 1_000_000_000,
        "gib" => 1 << 30,
        _ => return Err("expected a size such as 800MB or 4GiB".to_owned()),
    };
    let number: usize = digits.trim_end().parse().map_err(|_| "expected a size such as 800MB or 4GiB".to_owned())?;
    number.checked_mul(unit).filter(|bytes| *bytes >= 1 << 20).ok_or_else(|| "expected at least 1MiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        assert_eq!(parse_size("4GiB"), Ok(4 << 30));
        assert_eq!(parse_size("800MB"), Ok(800_000_000));
        assert_eq!(parse_size("2000000"), Ok(2_000_000));
        assert!(parse_size("12").is_err());
        assert!(parse_size("4 potatoes").is_err());
        assert!(parse_size("-4GiB").is_err());
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
