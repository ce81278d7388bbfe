//! The arguments of `plan`, `protect`, `verify` and `suppress`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{ReadingArgs, parse_k, parse_seconds};

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The spec file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// The k to hold, in place of the policy's
    #[arg(long, value_name = "K", value_parser = parse_k)]
    pub(crate) k: Option<u64>,
    /// The largest share of records that may be suppressed, in place of the spec's
    #[arg(long, value_name = "SHARE")]
    pub(crate) suppression_limit: Option<f64>,
    /// Which candidate to write with --out, by its number in the table [default: the best]
    #[arg(long, value_name = "N", requires = "out")]
    pub(crate) choose: Option<usize>,
    /// Write the spec with the steps of a candidate in place of its own recodings
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Search only for the best recoding, without other candidates
    #[arg(long)]
    pub(crate) only_best: bool,
    /// End the search after so many seconds, with the best found so far [default: when the best is proven, or after
    /// the `most_recodings` of the spec]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) time: Option<Duration>,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ProtectArgs {
    /// The spec file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// The folder to write: it appears whole or not at all
    #[arg(long, short, value_name = "BUNDLE")]
    pub(crate) out: PathBuf,
    /// Replace a bundle that exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Another seed for the random steps, in place of the spec's
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The bundle, a folder that `protect` wrote
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
    /// The population file, for policies that ask about it
    #[arg(long, value_name = "FILE")]
    pub(crate) population: Option<PathBuf>,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SuppressArgs {
    /// The data: a CSV, Parquet, Excel or Stata file
    #[arg(value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// The key variables
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required = true)]
    pub(crate) keys: Vec<String>,
    /// Every combination of the keys must be shared by this many records
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = parse_k)]
    pub(crate) k: u64,
    /// The cost of suppressing a value of a key, such as age=2 [default: 1]. May be given several times
    #[arg(long, value_name = "KEY=COST")]
    pub(crate) importance: Vec<String>,
    /// A missing value is a separate category; by default it matches every value
    #[arg(long)]
    pub(crate) category: bool,
    /// Every rare record must lose values itself; by default values suppressed in other records may protect it
    #[arg(long)]
    pub(crate) own: bool,
    /// The file to write: .csv, .csv.gz, .csv.zst, .parquet or .xlsx
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
