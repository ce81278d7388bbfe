//! The arguments of `link`.

use std::path::PathBuf;

use clap::Args;

use super::ReadingArgs;

#[derive(Debug, Args)]
pub(crate) struct LinkArgs {
    /// The file whose duplicates are found, or the first of two files to link
    #[arg(value_name = "LEFT")]
    pub(crate) left: PathBuf,
    /// The second file
    #[arg(value_name = "RIGHT")]
    pub(crate) right: Option<PathBuf>,
    /// The model, as JSON of Splink [default: proposed from the columns, and trained]
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// The file of pairs to write: row numbers, match weight, probability, cluster
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Keep the pairs that are one person with this probability or more
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.9)]
    pub(crate) threshold: f64,
    /// With two files: each record in one pair at most, so that the weights add up to the most
    #[arg(long, requires = "right")]
    pub(crate) one_to_one: bool,
    /// The column that names a record; the pairs then have it too
    #[arg(long, value_name = "COLUMN")]
    pub(crate) unique_id: Option<String>,
    /// The column that says who a record is: how right the pairs are is measured by it
    #[arg(long, value_name = "COLUMN")]
    pub(crate) truth: Option<String>,
    /// Show how this pair of rows comes to its weight; may be given several times
    #[arg(long = "waterfall", value_name = "ROW,ROW", value_parser = parse_rows)]
    pub(crate) waterfalls: Vec<(usize, usize)>,
    /// How many pairs the blocking rules may make together
    #[arg(long, value_name = "N", default_value_t = outward_intruder::linkage::MAX_COMPARISONS)]
    pub(crate) max_comparisons: u64,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) training: LinkTrainingArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Training the model")]
pub(crate) struct LinkTrainingArgs {
    /// Estimate all parameters anew; a model that lacks some is always trained
    #[arg(long)]
    pub(crate) train: bool,
    /// Run EM on the pairs of this rule, such as 'l.dob = r.dob'; may be given several times [default: the blocking rules]
    #[arg(long, value_name = "RULE")]
    pub(crate) train_on: Vec<String>,
    /// A rule whose pairs are almost surely one person, to estimate how many true pairs there are. May be given several
    /// times [default: estimated from the blocked pairs]
    #[arg(long, value_name = "RULE")]
    pub(crate) deterministic: Vec<String>,
    /// The share of the true pairs that the deterministic rules find
    #[arg(long, value_name = "SHARE", default_value_t = 0.8)]
    pub(crate) recall: f64,
    /// How many random pairs are used to estimate how often other people agree
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) random_pairs: u64,
    /// Another seed draws other random pairs
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write the model with its parameters, as JSON that Splink reads
    #[arg(long, value_name = "FILE")]
    pub(crate) save_model: Option<PathBuf>,
}

/// Two row numbers, such as `12,7`.
fn parse_rows(text: &str) -> Result<(usize, usize), String> {
    let row = |text: &str| text.trim().parse::<usize>().ok().filter(|row| *row > 0);
    let rows = text.split_once(',').and_then(|(left, right)| Some((row(left)?, row(right)?)));
    rows.ok_or_else(|| "expected two row numbers such as 12,7; the first record is row 1".to_owned())
}
