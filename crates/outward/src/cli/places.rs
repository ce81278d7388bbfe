//! The words of `outward places`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ReadingArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum PlacesCommand {
    /// Which codes may be published, what happens to the rest, and what it costs
    Pool(PoolArgs),
    /// Write postcodes from stdin, one a line, in their normal form
    Normalise(NormaliseArgs),
    /// Replace the codes of a file by those a mapping publishes, or carry out the steps of a spec
    Map(MapArgs),
    /// Move the points of a file to the corners of their cells of the national grid
    Grid(GridArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PoolArgs {
    /// Headcounts: a row for each postcode, outward code or ZIP code
    #[arg(value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// The column of codes: postcodes, whole or in part, or ZIP codes [default: the one column with such a name]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) code: Option<String>,
    /// The column of people [default: the one column with such a name]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) population: Option<String>,
    /// Each row is one person: there is no column of people
    #[arg(long, conflicts_with = "population")]
    pub(crate) persons: bool,
    /// How many people a published code must represent
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) threshold: u64,
    /// How codes below the threshold are pooled [default: uk-residual for postcodes, us for ZIP codes]
    #[arg(long, value_enum)]
    pub(crate) rule: Option<PoolRule>,
    /// The column that names the nation, for the table by nation
    #[arg(long, value_name = "COLUMN")]
    pub(crate) nation: Option<String>,
    /// The column of eastings, in metres; the neighbour rule needs it
    #[arg(long, value_name = "COLUMN", requires = "northing")]
    pub(crate) easting: Option<String>,
    /// The column of northings, in metres; the neighbour rule needs it
    #[arg(long, value_name = "COLUMN", requires = "easting")]
    pub(crate) northing: Option<String>,
    /// Only these rows, as an SQL condition
    #[arg(long = "where", value_name = "SQL")]
    pub(crate) condition: Option<String>,
    /// Thresholds to compare [default: a range around --threshold]
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sweep: Vec<u64>,
    /// The mapping of an earlier release from the same table: what would both together disclose?
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// Write the mapping: for each code what is published, and why
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PoolRule {
    /// All in one national pool, 000
    Us,
    /// Those of an area in one pool, such as SM00
    Uk,
    /// The same, and a pool that is still too small joins a code of its area
    UkResidual,
    /// Each with its nearest codes in the same area
    Neighbour,
}

#[derive(Debug, Args)]
pub(crate) struct NormaliseArgs {
    /// Write only the outward code
    #[arg(long)]
    pub(crate) outward: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    /// The data; or a spec file (.toml), all of whose steps are then carried out
    #[arg(value_name = "DATA|SPEC")]
    pub(crate) data: PathBuf,
    /// The column of codes
    #[arg(long, value_name = "COLUMN", requires = "mapping")]
    pub(crate) variable: Option<String>,
    /// The mapping, as `outward places pool --out` writes it
    #[arg(long, value_name = "FILE", requires = "variable")]
    pub(crate) mapping: Option<PathBuf>,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// What becomes of values that are not codes, or that the mapping does not know or withholds; a step of a spec says it
    /// itself
    #[arg(long, value_enum, default_value_t = OnUnknown::Refuse)]
    pub(crate) unknown: OnUnknown,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnUnknown {
    /// Write nothing, and count them
    Refuse,
    /// Leave the value out of the record, and count them
    Blank,
}

#[derive(Debug, Args)]
pub(crate) struct GridArgs {
    /// The data
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// The columns: easting,northing; or latitude,longitude; or one grid reference
    #[arg(long, value_name = "A,B", value_delimiter = ',', required = true, num_args = 1..=2)]
    pub(crate) variables: Vec<String>,
    /// How the columns give the location [default: metres for two columns, reference for one]
    #[arg(long, value_enum)]
    pub(crate) given: Option<GivenAs>,
    /// The width of a cell in metres
    #[arg(long, value_name = "METRES", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) cell: u32,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// What becomes of values that are no place on the grid
    #[arg(long, value_enum, default_value_t = OnUnknown::Refuse)]
    pub(crate) unknown: OnUnknown,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GivenAs {
    /// An easting and a northing in metres
    Metres,
    /// A latitude and a longitude in degrees: the latitude becomes the northing, the longitude the easting
    Degrees,
    /// A grid reference, such as SE 30 34
    Reference,
}
