//! The arguments of `attack` and `scenarios`.

use std::path::PathBuf;

use clap::Args;

use super::register::InRegisterArgs;

#[derive(Debug, Default, Args)]
pub(crate) struct AttackArgs {
    /// The spec file of the release
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// The scenario: one of the spec, or one that ships with Outward (`outward scenarios` lists them)
    #[arg(long, short, value_name = "NAME")]
    pub(crate) scenario: String,
    /// Who authorised the attack. Looking for people in a release without authority can be an offence [default: what the scenario says]
    #[arg(long, value_name = "WHO")]
    pub(crate) authorised_by: Option<String>,
    /// The specs of further releases of the same data, attacked together with the first
    #[arg(long, value_name = "SPEC")]
    pub(crate) with: Vec<PathBuf>,
    /// Add the score card as evidence to this bundle, which the spec made
    #[arg(long, short, value_name = "BUNDLE")]
    pub(crate) out: Option<PathBuf>,
    /// Attack as if the release did not have these variables
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) without: Vec<String>,
    /// Attack as if a variable were recoded to a level of its hierarchy, such as age=2. May be given several times
    #[arg(long, value_name = "VARIABLE=LEVEL")]
    pub(crate) coarser: Vec<String>,
    /// Say by these variables who is found, such as ethnic_group,region [default: places and the most visible keys]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    /// The intruder's own file, in place of the scenario's
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The column that says who is who in the data and in the intruder's file or the population
    #[arg(long, value_name = "COLUMN")]
    pub(crate) truth: Option<String>,
    /// Score the claims of human testers, a CSV file with the columns person, record and confidence (from 0 to 1, or 80%), in place of an attack
    #[arg(long, value_name = "FILE")]
    pub(crate) import: Option<PathBuf>,
    /// Write the claims into this folder, which only you can read: rows of the intruder's file and of the published file, and confidence, no values
    #[arg(long, value_name = "DIR")]
    pub(crate) claims: Option<PathBuf>,
    /// Another seed for the intruder's mistakes and choices, in place of the scenario's
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// Write the report as one HTML file, which only you can read
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) within: InRegisterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ScenariosArgs {
    /// Print this one
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}
