//! The arguments of `table`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use outward_spec::{Protection, ProtectionMethod, Rounding};
use outward_suppress::suppress::Cost;

#[derive(Debug, Default, Args)]
#[command(group = ArgGroup::new("method").args(["suppress", "round", "cell_keys"]))]
#[command(group = ArgGroup::new("method_of_jj").args(["suppress", "round"]))]
pub(crate) struct TablesArgs {
    /// The spec file
    #[arg(value_name = "SPEC", required_unless_present = "jj")]
    pub(crate) spec: Option<PathBuf>,
    /// Only these tables of the spec. If you publish the others too, hidden cells may be derivable
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Tables given as a JJ file of τ-ARGUS (plain or .gz), in place of a spec
    #[arg(long, value_name = "FILE", conflicts_with = "spec", requires = "method_of_jj")]
    pub(crate) jj: Option<PathBuf>,
    /// Suppress the unsafe cells and the secondary cells they need, in place of what the spec says
    #[arg(long)]
    pub(crate) suppress: bool,
    /// Round to this base so that all totals hold, in place of what the spec says
    #[arg(long, value_name = "BASE", value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) round: Option<u64>,
    /// With --jj: what the secondary suppressions minimise
    #[arg(long, value_enum, default_value_t, requires = "jj", conflicts_with = "round")]
    pub(crate) cost: JjCost,
    /// Perturb counts by cell keys, in place of what the spec says
    #[arg(long, conflicts_with = "jj")]
    pub(crate) cell_keys: bool,
    /// A bundle of tables of the same data that is public already: the new tables are protected given its figures. Repeat it for
    /// each bundle; those of the spec are added
    #[arg(long, value_name = "BUNDLE", conflicts_with = "jj")]
    pub(crate) earlier: Vec<PathBuf>,
    /// A register, sqlite:FILE or postgres://…: the new tables are protected given the figures of all releases in it that they touch
    #[arg(long, value_name = "URL", conflicts_with = "jj")]
    pub(crate) register: Option<String>,
    /// With --register: what the data are called there [default: the name of their file]
    #[arg(long, value_name = "NAME", requires = "register")]
    pub(crate) dataset: Option<String>,
    /// With --register: who does this, for its log [default: the environment variable OUTWARD_ACTOR, or the name you are logged in by]
    #[arg(long, value_name = "NAME", requires = "register")]
    pub(crate) actor: Option<String>,
    /// How many safe redesigns to propose for a table, in addition to those that leave fewest unsafe cells. 0 for none
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) redesigns: usize,
    /// The bundle to write: a folder that appears whole or not at all. With --jj the JJ file to write (plain, or compressed where its
    /// name ends in .gz)
    #[arg(long, short, value_name = "BUNDLE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace a bundle that exists; an existing JJ file is always replaced
    #[arg(long)]
    pub(crate) force: bool,
    /// Write files for τ-ARGUS into this folder: a JJ file for each family of tables, a .hrc file for each hierarchy. They hold
    /// the true figures
    #[arg(long, value_name = "FOLDER", conflicts_with = "jj")]
    pub(crate) to_argus: Option<PathBuf>,
    /// Write the report as one HTML file
    #[arg(long, short, value_name = "FILE", conflicts_with = "jj")]
    pub(crate) report: Option<PathBuf>,
}

/// What hiding cells of a JJ file costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum JjCost {
    /// Their number; among equals, the sum of the costs in the file
    #[default]
    Cells,
    /// The sum of what is in them
    Values,
    /// The sum of the costs in the file
    Given,
}

impl From<JjCost> for Cost {
    fn from(cost: JjCost) -> Self {
        match cost {
            JjCost::Cells => Self::ByOne,
            JjCost::Values => Self::ByValue,
            JjCost::Given => Self::AsGiven,
        }
    }
}

impl TablesArgs {
    /// The protection of a spec, or what the command line says in its place.
    pub(crate) fn protection(&self, of_spec: &Protection) -> Protection {
        let mut protection = of_spec.clone();
        if self.suppress {
            protection.method = ProtectionMethod::Suppress;
        }
        if let Some(base) = self.round {
            (protection.method, protection.base) = (ProtectionMethod::Round, base);
            protection.rounding = Rounding::Controlled;
        }
        if self.cell_keys {
            protection.method = ProtectionMethod::CellKey;
        }
        // Paths in a spec are relative to it, those on the command line to where it is called.
        let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        protection.earlier.extend(self.earlier.iter().map(whole));
        protection
    }
}
