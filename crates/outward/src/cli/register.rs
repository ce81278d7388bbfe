//! The arguments of `register` and `release`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum RegisterCommand {
    /// Check tables or records that somebody asks for against all that is public, before any work is done
    Check(RegisterCheckArgs),
    /// Put a bundle into the register. It cannot be changed afterwards
    Submit(SubmitArgs),
    /// Take up a release for review
    Review(DecideArgs),
    /// Approve a release. Its author cannot
    Approve(DecideArgs),
    /// Send a release back to its author, with a reason
    Return(DecideArgs),
    /// Refuse a release for good, with a reason
    Refuse(DecideArgs),
    /// Take back your own release, if it is not public yet, with a reason
    Recall(DecideArgs),
    /// Note that a public release was called back, with a reason. What it showed stays known
    Withdraw(DecideArgs),
    /// Enter an exception: a rule that a release need not meet, why, and until when
    Except(ExceptArgs),
    /// List all releases
    List(InRegisterArgs),
    /// Show what is known of a release: who asked, what was decided, under which policy
    Show(ShowReleaseArgs),
    /// Print the public statement of a release, with its exceptions
    Statement(ShowReleaseArgs),
    /// List releases whose policy has a newer version or is due for review, and check them again where asked
    Reviews(ReviewsArgs),
    /// Check the audit log from its first entry, and print its head
    Audit(InRegisterArgs),
}

/// Where the register is, and who speaks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct InRegisterArgs {
    /// The register: sqlite:FILE or postgres://… [default: the environment variable OUTWARD_REGISTER]
    #[arg(long, value_name = "URL")]
    pub(crate) register: Option<String>,
    /// Who does this, for the log [default: the environment variable OUTWARD_ACTOR, or the name you are logged in by]
    #[arg(long, value_name = "NAME")]
    pub(crate) actor: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RegisterCheckArgs {
    /// The spec file with the tables, or with the steps of a release of records; or a bundle, to compare published figures without the data
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// Only these tables of the spec
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Who asked for them
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) requester: String,
    /// What the data are called in the register [default: the name of their file]
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
    #[command(flatten)]
    pub(crate) within: InRegisterArgs,
}

/// What the register is told about a new bundle.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct EnterArgs {
    /// Who asked for the release
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) requester: String,
    /// What they want it for
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) purpose: String,
    /// What the data are called in the register [default: the name of their file]
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
    /// The number of a draft or a returned release, in whose place this bundle comes
    #[arg(long, value_name = "NUMBER")]
    pub(crate) replaces: Option<i64>,
}

#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// The bundle, a folder that `protect` or `table` wrote
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
    /// Enter it as a draft: nobody reviews it, and its author can replace it until they submit it
    #[arg(long)]
    pub(crate) draft: bool,
    #[command(flatten)]
    pub(crate) enter: EnterArgs,
    #[command(flatten)]
    pub(crate) within: InRegisterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The number of the release
    #[arg(value_name = "RELEASE", value_parser = release_number)]
    pub(crate) release: i64,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InRegisterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExceptArgs {
    /// The number of the release
    #[arg(value_name = "RELEASE", value_parser = release_number)]
    pub(crate) release: i64,
    /// The rule, as the gate names it
    #[arg(long, value_name = "RULE", value_parser = outward_register::gate::EXCEPTIONS)]
    pub(crate) rule: String,
    /// What it holds for, such as "table 3, for this release only"
    #[arg(long, value_name = "TEXT")]
    pub(crate) scope: String,
    /// Why, in words that can be published
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The last day on which it holds, as 2027-03-31
    #[arg(long, value_name = "DAY")]
    pub(crate) expires: String,
    #[command(flatten)]
    pub(crate) within: InRegisterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ShowReleaseArgs {
    /// The number of the release
    #[arg(value_name = "RELEASE", value_parser = release_number)]
    pub(crate) release: i64,
    #[command(flatten)]
    pub(crate) within: InRegisterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewsArgs {
    /// Check these releases by what their policy asks for now
    #[arg(long)]
    pub(crate) check: bool,
    /// Your own policy file in its present form; once for each
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) within: InRegisterArgs,
}

/// What is needed to compare a bundle of records with earlier ones.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct HoldArgs {
    /// The data that a bundle of records was made of, to see whom its keys and those of earlier releases expose together
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,
    /// The bundle of an earlier release of records, as 3=FOLDER, so that its published file is matched with this one. Can be given several times
    #[arg(long = "bundle-of", value_name = "NUMBER=FOLDER")]
    pub(crate) bundle_of: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// The bundle, a folder that `protect` or `table` wrote
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
    #[command(flatten)]
    pub(crate) enter: EnterArgs,
    #[command(flatten)]
    pub(crate) hold: HoldArgs,
    #[command(flatten)]
    pub(crate) within: InRegisterArgs,
}

/// The number of a release.
fn release_number(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "a release has a number, such as 3: `outward register list` shows them".to_owned())
}
